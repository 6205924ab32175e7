"""Dotted names in backticks, in docstrings, comments and pages, are names of the package. Nothing is imported for it."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator

import pytest
from support.pages import ROOT, pages

from hopweave.core.catalog import ROLES, entries

PACKAGE = ROOT / "src" / "hopweave"
FOLDERS = ("src", "tests", "docs", "benchmarks", "examples")
FILES = sorted(PACKAGE.rglob("*.py"))

NAME = re.compile(r"`([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?:\([^`]*\))?`")
SUFFIXES = {"bz2", "conf", "csv", "first", "html", "ini", "json", "jsonl", "md", "onnx", "py", "sqlite", "toml", "txt"}
PLACEHOLDERS = {"FILE", "METHOD", "METRIC", "NAME"}
PYTHON_FILE = re.compile(r"`((?:[\w.]+/)+\w+\.py)`")
OF_OTHERS = {
    "artifact.metadata": "a file of ColBERT",
    "linear.weight": "weights of ColBERT",
    "metadata.year": "an attribute of a user's corpus",
    "rag/ad_rag.py": "ToQD's released code",
    "rc.nocontext": "a split of TriviaQA",
    "src/hopweave/answering/methods/draft_and_search.py": "what docs/add_a_method.md adds",
    "trial.shows": "tests/attack",
}


class Names:
    """What the modules of the package define, as their source says it.

    Attributes:
        modules: the names at the top of each module or package, by its dotted name without `hopweave`.
        endings: of their names, to the modules.
        members: of classes, by their name; those of all classes with that name.
        bases: the names of their bases.
    """

    def __init__(self) -> None:
        self.modules: dict[str, set[str]] = {}
        self.endings: dict[str, list[str]] = defaultdict(list)
        self.members: dict[str, set[str]] = defaultdict(set)
        self.bases: dict[str, set[str]] = defaultdict(set)
        self._types: dict[tuple[str, str], str] = defaultdict(str)
        for path in [*FILES, *(ROOT / "tests" / "support").glob("*.py")]:
            root = PACKAGE if path.is_relative_to(PACKAGE) else ROOT / "tests"
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            tree = ast.parse(path.read_text(encoding="utf-8"))
            self.modules.setdefault(name, set()).update(_defined(tree.body))
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    self._take(node)
        for path in {folder for file in FILES for folder in file.relative_to(PACKAGE).parents if folder.name}:
            self.modules.setdefault(".".join(path.parts), set())
        for module in self.modules:
            parts = module.split(".")
            for start in range(len(parts)):
                self.endings[".".join(parts[start:])].append(module)

    def _take(self, node: ast.ClassDef) -> None:
        self.members[node.name] |= set(_defined(node.body))
        self.members[node.name] |= {
            one.attr
            for one in ast.walk(node)
            if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and ast.unparse(one.value) == "self"
        }
        for base in node.bases:
            self.bases[node.name].add(ast.unparse(base).partition("[")[0].rpartition(".")[2])
        for one in node.body:
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                self._types[node.name, one.target.id] = ast.unparse(one.annotation).removesuffix(" | None")

    def has_member(self, class_name: str, *rest: str) -> bool:
        """Whether a class, or a base of it, has a member, and the type of that one has the next."""
        first, *others = rest
        if first in self.members[class_name]:
            return not others or self.has_member(self._types[class_name, first], *others)
        return any(self.has_member(base, *rest) for base in self.bases[class_name])

    def has(self, name: str) -> bool:
        """Whether a dotted name is a module, or is in one or in a class; without `hopweave` its beginning may be left out."""
        parts = name.removeprefix("hopweave.").split(".")
        is_full = name.startswith("hopweave.")
        if name == f"hopweave.{parts[0]}" and parts[0] in {*self.modules[""], *ROLES}:  # a role is a group of entry points
            return True
        return (
            self.is_in_class(parts)
            or (len(parts) > 1 and self.is_option(parts))
            or any(self.is_in_module(parts, num, is_full) for num in range(len(parts)))
        )

    def is_in_module(self, parts: list[str], num: int, is_full: bool) -> bool:
        """Whether a name without its last parts is a module, and those are in it."""
        ending, rest = ".".join(parts[: len(parts) - num]), parts[len(parts) - num :]
        return any(
            not rest or (rest[0] in self.modules[module] and (num == 1 or self.is_in_class(rest)))
            for module in self.endings.get(ending, ())
            if module == ending or not is_full
        )

    def is_option(self, parts: list[str]) -> bool:
        """Whether a name is one of the settings: a component such as `llms.ollama`, or an option, `retrievers.dense.model`."""
        role, component, *option = parts
        if role not in ROLES or component not in entries(role) or len(option) > 1:
            return False
        return not option or any(
            self.has_member(one, *option) for module in self.endings.get(component, ()) for one in self.modules[module]
        )

    def is_in_class(self, parts: list[str]) -> bool:
        """Whether a name is that of a member: `Record.answer`, or `record.answer` of a variable named after its class."""
        first, *rest = parts
        named = {first, "".join(word.title() for word in first.split("_")), f"{first.title()}Settings"}
        return bool(rest) and any(one in self.members and self.has_member(one, *rest) for one in named)


def _defined(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from (one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (one.asname or one.name for one in names)
            case ast.If(body=then, orelse=other):
                yield from _defined([*then, *other])
            case ast.Try(body=then, handlers=handlers):
                yield from _defined([*then, *(one for handler in handlers for one in handler.body)])


def stale_in(text: str, names: Names) -> list[str]:
    """Dotted names in backticks that are not there, each with its line; names of files, of Python and of others pass."""
    foreign = sys.stdlib_module_names - names.endings.keys() | PLACEHOLDERS | {"self"}
    return [
        f"line {text[: found.start()].count(chr(10)) + 1}: {name}"
        for found in NAME.finditer(text)
        for name in [found[1]]
        if name not in OF_OTHERS and name.rpartition(".")[2] not in SUFFIXES | PLACEHOLDERS
        if name.partition(".")[0] not in foreign and not names.has(name)
    ]


@pytest.fixture(scope="module")
def names() -> Names:
    return Names()


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """The text of each file of the package and of each page, by its path."""
    files = [*FILES, *(ROOT / page for page in [*pages(), "CONTRIBUTING.md", "SECURITY.md"])]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}


def test_dotted_names_in_text_are_there(names: Names, texts: dict[str, str]):
    stale = {path: stale_in(text, names) for path, text in texts.items()}
    assert {path: found for path, found in stale.items() if found} == {}


def test_files_of_python_in_text_are_there(texts: dict[str, str]):
    there = [f"/{path.relative_to(ROOT)}" for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    named = {(path, found) for path, text in texts.items() for found in PYTHON_FILE.findall(text) if found not in OF_OTHERS}
    assert [pair for pair in sorted(named) if not any(path.endswith(f"/{pair[1]}") for path in there)] == []


@pytest.mark.parametrize(
    "name",
    [
        *("hopweave.ask", "hopweave.record.changes", "hopweave.citations.support.claim_of", "core.protocols.Reader"),
        *("Retriever.search", "MethodContext.reply()", "Dense.model", "record.answer.verdict", "store.path"),
        *("retrievers.dense.model", "text.sentences", "marking.verdict_of(claims, text)"),
    ],
)
def test_a_name_that_is_there_is_found(names: Names, name: str):
    assert stale_in(f"See `{name}`.", names) == []


@pytest.mark.parametrize(
    "name",
    [
        *(
            "hopweave.nothing",
            "hopweave.sentences",
            "hopweave.core.nothing",
            "hopweave.citations.support.nothing_of",
            "core.protocols.Nothing",
        ),
        *("Retriever.nothing", "MethodContext.nothing()", "Nowhere.search", "record.nothing", "store.nothing"),
        *("retrievers.dense.nothing", "retrievers.nothing.model", "nothing.verdict_of", "_nothing.words_of"),
    ],
)
def test_an_invented_name_is_not(names: Names, name: str):
    assert stale_in(f"See `{name}`.", names) == [f"line 1: {name.removesuffix('()')}"]
