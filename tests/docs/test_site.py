"""The site: it leads to every page, its reference is made from the code, and it needs no network to be built or read."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import ran
from support.pages import ROOT, pages

import hopweave
from hopweave.core.catalog import ROLES, entries

DOCS = ROOT / "docs"
NAVIGATION = re.findall(r"^\s+- (?:[^\n:]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
COMMANDS = sorted(path.stem for path in (ROOT / "src/hopweave/apps/cli").glob("[!_]*.py"))
FROM_ELSEWHERE = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=["']?(?:https?:)?//[^>]*>""")


@pytest.fixture(scope="module")
def hooks():
    spec = importlib.util.spec_from_file_location("reference", DOCS / "hooks" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def reference(hooks) -> dict[str, str]:
    return hooks.pages()


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    pytest.importorskip("mkdocs", reason="mkdocs is not installed here; `make docs` builds the site")
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_navigation_leads_to_every_page_that_is_written_by_hand():
    written = {page.removeprefix("docs/") for page in pages() if page.startswith("docs/")}
    assert {page for page in written if not page.startswith("add_a_")} <= set(NAVIGATION)


def test_pages_on_adding_a_part_are_in_the_navigation_by_being_there(hooks, tmp_path):
    for name in ("add_a_metric.md", "add_a_method.md", "add_a_dataset.md", "searchain.md"):
        (tmp_path / name).touch()
    assert hooks.pages_on_adding(tmp_path) == ["add_a_method.md", "add_a_dataset.md", "add_a_metric.md"]


def test_the_navigation_leads_to_no_page_that_is_not_there(hooks, reference):
    made = {f"reference/{name}.md" for name in reference} | {f"project/{name.lower()}" for name in hooks.PROJECT}
    assert [page for page in NAVIGATION if page not in made and not (DOCS / page).is_file()] == []


@pytest.mark.parametrize(("page", "link"), [("a.md", "../SECURITY.md#keys"), ("start/a.md", "../../SECURITY.md#keys")])
def test_a_link_to_a_page_in_the_root_leads_to_it_on_the_site_too(hooks, page, link):
    up = "../" * page.count("/")
    assert hooks.led_to_the_site(f"[keys]({link})", page) == f"[keys]({up}project/security.md#keys)"


def test_the_navigation_leads_to_every_page_of_the_reference(reference):
    assert {f"reference/{name}.md" for name in reference} <= set(NAVIGATION)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_reference_has_every_option_of_a_command(reference, command):
    section = reference["cli"].partition(f"\n## hopweave {command}\n")[2].partition("\n## ")[0]
    helped = ran(command, "--help").output
    assert section
    assert [option for option in re.findall(r"^\s+(--[a-z-]+)", helped, re.MULTILINE) if option not in section] == []


@pytest.mark.parametrize("role", ROLES)
def test_the_reference_has_every_part(reference, role):
    assert [name for name in entries(role) if f"\n## {name}\n" not in reference[role]] == []


def test_the_reference_has_every_public_name(reference):
    assert [name for name in hopweave.__all__ if f"[`{name}`]" not in reference["api"]] == []


def test_the_reference_tells_nothing_of_the_machine_that_it_was_made_on(reference):
    assert [name for name, text in reference.items() if str(ROOT) in text or str(Path.home()) in text] == []


def test_no_page_of_the_site_loads_anything_from_elsewhere(site):
    found = [match for path in site.rglob("*.html") for match in FROM_ELSEWHERE.findall(path.read_text(encoding="utf-8"))]
    assert found == []


def test_no_style_of_the_site_loads_anything_from_elsewhere(site):
    found = [
        path.name for path in site.rglob("*.css") if re.search(r"(?:url\(|@import )[\"']?(?:https?:)?//", path.read_text())
    ]
    assert found == []
