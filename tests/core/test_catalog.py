"""The catalog: the folders themselves, listed without running them, and the parts of other packages."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from hopweave.core import catalog
from hopweave.core.catalog import ROLES, Entry, entries, entry, files_of, load, missing_from, require, summary_of
from hopweave.core.errors import MissingExtra, SettingsError

PACKAGE = Path(catalog.__file__).parents[1]
FILES = [path for role in ROLES for path in files_of(role)]
ROLE_OF = {path: role for role in ROLES for path in files_of(role)}


def run(code: str, *path: Path) -> str:
    """What a new interpreter prints, with folders before its path."""
    prelude = f"import sys; sys.path[:0] = {[str(folder) for folder in path]!r}\n"
    done = subprocess.run([sys.executable, "-c", prelude + code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_names_are_listed_without_importing_a_part():
    code = """
import json, sys
from hopweave.core.catalog import FOLDERS, ROLES, entries
names = {role: list(entries(role)) for role in ROLES}
folders = tuple(f"hopweave.{folder.replace('/', '.')}" for role in ROLES for folder in FOLDERS[role])
print(json.dumps([names, [name for name in sys.modules if name.startswith(folders)]]))
"""
    names, imported = json.loads(run(code))
    assert imported == []
    assert names["methods"] == sorted(names["methods"])
    assert {"searchain", "direct", "cot"} <= set(names["methods"])
    assert "bm25" in names["retrievers"]
    assert {"llama_cpp", "openai_compatible", "scripted"} <= set(names["llms"])


def test_the_name_is_the_file_name_and_no_list_is_kept():
    for role in ROLES:
        in_folder = {path.stem for path in files_of(role)}
        assert {name for name, one in entries(role).items() if ":" not in one.target and not one.preset} == in_folder


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{ROLE_OF[path]}.{path.stem}")
def test_every_file_says_in_one_line_what_it_is_and_names_one_class(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    first = (ast.get_docstring(tree) or "").split("\n")[0]
    assert 10 < len(first) <= 120
    assert summary_of(path) == first.rstrip(". ")
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    named = [node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets) == "__all__"]
    (name,) = ast.literal_eval(named[0]) if named else classes
    assert name in classes
    assert load(ROLE_OF[path], path.stem).__name__ == name
    assert entries(ROLE_OF[path])[path.stem].summary == first.rstrip(". ")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{ROLE_OF[path]}.{path.stem}")
def test_the_extra_of_a_file_is_one_that_the_package_has(path):
    import tomllib

    extra = entries(ROLE_OF[path])[path.stem].extra
    project = PACKAGE.parents[1] / "pyproject.toml"
    if extra is not None and project.is_file():
        assert extra in tomllib.loads(project.read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(SettingsError, match=r"'serchain' is not one of the methods; did you mean 'searchain'\?"):
        entry("methods", "serchain")
    with pytest.raises(SettingsError, match=r"'zzz' is not one of the readers; choose one of: .*llm_reader"):
        load("readers", "zzz")


# -- missing libraries -----------------------------------------------------------------------------------------------------


@pytest.fixture
def part_of(tmp_path, monkeypatch):
    """A function: makes the code that of a part of this package, which is not in it."""

    def make(code: str) -> None:
        (tmp_path / "made_up_part.py").write_text(code)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "made_up_part", raising=False)
        made = Entry("readers", "made_up", "", "hf" if "NEEDS_EXTRA" in code else None, "made_up_part")
        monkeypatch.setattr(catalog, "entry", lambda role, name: made)

    return make


def test_a_missing_library_is_answered_with_the_extra_to_install(part_of):
    part_of('NEEDS_EXTRA = "hf"\nimport no_such_library.deep\n')
    with pytest.raises(MissingExtra, match=r"no_such_library is not installed; it comes with: pip install 'hopweave\[hf\]'"):
        load("readers", "made_up")


@pytest.mark.parametrize("code", ["import no_such_library", 'NEEDS_EXTRA = "hf"\nimport hopweave.no_such_module'])
def test_an_import_that_no_extra_can_mend_is_not_hidden(part_of, code):
    part_of(code)
    with pytest.raises(ModuleNotFoundError):
        load("readers", "made_up")


def test_a_library_is_required_where_it_is_needed():
    assert require("json", "hf") is json
    with pytest.raises(MissingExtra, match=r"no_such_library is not installed; .*hopweave\[hf\]") as caught:
        require("no_such_library", "hf")
    assert (caught.value.module, caught.value.extra) == ("no_such_library", "hf")


def test_a_required_library_that_lacks_something_itself_is_not_called_missing(tmp_path, monkeypatch):
    (tmp_path / "half_there.py").write_text("import no_such_library")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        require("half_there", "hf")


# -- parts of other packages -----------------------------------------------------------------------------------------------


@pytest.fixture
def plugin(tmp_path):
    info = tmp_path / "plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[hopweave.methods]\n"
        "guess = plugin_methods:Guess\n"
        "guess_again = plugin_methods\n"
        "direct = plugin_methods:Guess\n"
        "broken = plugin_broken:Guess\n"
        "gone = plugin_methods:Gone\n"
        "absent = plugin_absent:Guess\n"
    )
    (tmp_path / "plugin_methods.py").write_text(
        "from dataclasses import dataclass\n"
        "from hopweave.core.types import Answer\n"
        "__all__ = ['Guess']\n"
        "@dataclass(frozen=True)\n"
        "class Guess:\n"
        "    luck: int = 1\n"
        "    async def answer(self, question, workbench):\n"
        "        return Answer('x', 'x')\n"
    )
    (tmp_path / "plugin_broken.py").write_text("import no_such_library")
    return tmp_path


def test_parts_of_another_package_join_by_entry_points_without_being_imported(plugin):
    code = """
from hopweave.core.catalog import entries
found = entries("methods")
print(found["guess"].summary, found["guess"].target, found["direct"].target, "plugin_methods" in sys.modules)
"""
    assert run(code, plugin) == "from plugin_methods plugin_methods:Guess hopweave.answering.methods.direct.direct False\n"


@pytest.mark.parametrize("name", ["guess", "guess_again"])
def test_a_part_of_another_package_takes_its_options_from_the_settings(plugin, name):
    code = f"""
from hopweave.run.settings import read_settings
print(read_settings({{"methods": {{{name!r}: {{"luck": "7"}}}}}}).part("methods", {name!r}))
"""
    assert run(code, plugin) == "Guess(luck=7)\n"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("broken", "'broken' of the methods comes from plugin_broken:Guess, which fails: No module named 'no_such_library'"),
        ("gone", "'gone' of the methods comes from plugin_methods:Gone, which fails: module 'plugin_methods' has no attribute"),
        ("absent", "'absent' of the methods comes from plugin_absent:Guess, which fails: No module named 'plugin_absent'"),
    ],
)
def test_a_part_of_another_package_that_fails_is_named_with_where_it_comes_from(plugin, name, said):
    code = f"""
from hopweave.core.catalog import load
from hopweave.core.errors import SettingsError
try:
    load("methods", {name!r})
except SettingsError as error:
    print(error)
"""
    assert said in run(code, plugin)


def test_what_an_extra_lacks_is_found_without_importing_it(monkeypatch):
    assert missing_from("dev") == []
    assert missing_from("no such extra") == []
    wanted = ["pytest>=8; extra == 'some'", "no-such-thing>=1; extra == 'some'", "neither; extra == 'other'", "rich"]
    monkeypatch.setattr("importlib.metadata.requires", lambda _: wanted)
    assert missing_from("some") == ["no-such-thing"]
