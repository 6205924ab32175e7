"""What the pages name is there: files, modules, options of the project's own habits."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module

import pytest
from support.pages import ROOT, pages

from hopweave.core.catalog import entries
from hopweave.core.errors import MissingExtra

TEXTS = {page: (ROOT / page).read_text(encoding="utf-8") for page in [*pages(), "CONTRIBUTING.md", "SECURITY.md"]}
OWN = {page: text for page, text in TEXTS.items() if not page.startswith("docs/add_a_")}
RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*.md"))


def is_there(name: str) -> bool:
    """Whether a dotted name is a module of the package, or something in one."""
    module, _, last = name.rpartition(".")
    try:
        return hasattr(import_module(module), last) or import_module(name) is not None
    except MissingExtra:  # it is there, and says what to install
        return True
    except ImportError:
        return False


@pytest.mark.parametrize("page", OWN)
def test_every_file_of_the_project_that_a_page_names_is_there(page):
    named = re.findall(r"`((?:src|tests|docs|benchmarks|examples)/[\w./-]+)`", OWN[page])
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", OWN)
def test_every_module_that_a_page_names_is_there(page):
    named = set(re.findall(r"(?<![\w/.-])(hopweave(?:\.[A-Za-z_]+)+)\b(?!/)", OWN[page])) - {"hopweave.toml", "hopweave.record"}
    named = {name for name in named if not name.startswith(("hopweave.methods",))}
    assert sorted(name for name in named if not is_there(name)) == []


@pytest.mark.parametrize("page", [*TEXTS, *(str(path.relative_to(ROOT)) for path in RESULTS)])
def test_every_relative_link_of_a_page_leads_to_a_file_of_the_project(page):
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(\s*([^)\s]+)", text) + re.findall(r"""(?:href|src)=["']([^"']+)""", text)
    files = [link.partition("#")[0] for link in links if "://" not in link and not link.startswith(("#", "mailto:"))]
    assert [file for file in files if not (ROOT / page).parent.joinpath(file).exists()] == []


def test_the_notes_on_design_name_every_room():
    package = ROOT / "src" / "hopweave"
    rooms = [path.name + "/" for path in package.iterdir() if path.is_dir() and not path.name.startswith("_")]
    files = [path.name for path in package.glob("[!_]*.py")]
    text = TEXTS["docs/design/index.md"]
    assert [name for name in sorted(rooms + files) if f"`{name}`" not in text] == []


def test_the_readme_is_short():
    assert len(TEXTS["README.md"].splitlines()) <= 120


def test_the_citation_names_the_version_of_the_package():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_results_of_a_benchmark_have_a_date_and_a_machine(path):
    text = path.read_text(encoding="utf-8")
    assert re.search(r"\b20\d\d-\d\d-\d\d\b", text)
    assert re.search(r"\bcores?\b", text)
    assert re.search(r"\bGPU\b", text)


def test_pictures_are_small():
    big = [path.name for path in (ROOT / "docs" / "images").iterdir() if path.stat().st_size > 200_000]
    assert big == []


def test_the_list_and_the_pages_of_methods_say_what_is_the_papers_and_what_is_ours():
    summaries = {name: one.summary for name, one in entries("methods").items()}
    ours = {name for name, summary in summaries.items() if summary.startswith("Ours")}
    assert ours == {"stitch", "searchain_facts", "toqd_facts"}
    for page in ("searchain", "toqd", "ircot"):
        first = TEXTS[f"docs/{page}.md"].split("\n\n")[1]
        assert f"`--method {page}` is the algorithm of" in first
        assert "ours" in first
    assert TEXTS["docs/stitch.md"].split("\n\n")[1].startswith("Our own method")
