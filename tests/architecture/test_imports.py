"""The direction of imports: each layer stands on those below it, and no part knows another.

Imports anywhere in a file count, those inside functions too. What stands under `if TYPE_CHECKING:` is for the eyes of a type
checker only and is not run.
"""

import ast
import sys
from functools import cache
from graphlib import TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import pytest

import hopweave

PACKAGE = Path(hopweave.__file__).parent

LAYERS = [
    {"types", "errors", "redaction", "remembered"},
    {
        "file_names",
        "plain_data",
        "trace",
        "earlier_records",
        "critical_path",
        "prompt",
        "matching",
        "keywords",
        "values",
        "words",
        "citing",
        "commands",
        "support",
        "marking",
        "fragments",
        "entailment",
        "prices",
        "parse",
        "demonstrations",
    },
    {"protocols"},
    {
        "catalog",
        "sentence_encoder",
        "store",
        "batching",
        "checked",
        "estimated_usage",
        "in_flight",
        "retries",
        "parts",
        "workbench",
        "settings",
        "trust",
        "corpus",
        "models",
        "question_graph",
    },
    {"llms", "retrievers", "readers", "duplicate_detectors", "methods", "datasets", "metrics"},
    {"weaver", "calibration", "draw", "evaluation"},
    {"cli", "server"},
]
PARTS = 4
DATA_ONLY = {"profiles", "starter"}
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

# These commands and the like act on one engine, not on whichever is chosen, and so name it.
MAY_NAME_A_PART = {("cli.index", "retrievers")}


@cache
def modules() -> dict[str, Path]:
    """Every module below hopweave, by its name without `hopweave.`; the package itself is the empty name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        names = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(names[:-1] if names[-1] == "__init__" else names)] = path
    return found


def is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def statements(tree: ast.AST):
    """Every node that can be run."""
    for node in ast.iter_child_nodes(tree):
        if not is_for_type_checkers(node):
            yield node
            yield from statements(node)


@cache
def imports(name: str) -> frozenset[str]:
    """The modules of hopweave that a module imports, without `hopweave.`."""
    path = modules()[name]
    package = ".".join(filter(None, ["hopweave", name if path.name == "__init__.py" else name.rpartition(".")[0]]))
    wanted = set()
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            wanted |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module
            wanted |= {f"{base}.{alias.name}" for alias in node.names}
    inside = {target.removeprefix("hopweave.") for target in wanted if target.startswith("hopweave.")}
    return frozenset(filter(None, map(module_of, inside)))


def module_of(target: str) -> str:
    """The module that a dotted name is, or is in."""
    while target and target not in modules():
        target = target.rpartition(".")[0]
    return target


def layer(name: str) -> int:
    return LEVEL[name.partition(".")[0]]


EDGES = [(name, target) for name in modules() if name for target in sorted(imports(name)) if target != name]


def test_every_module_has_its_layer():
    assert {name.split(".")[0] for name in modules() if name} - DATA_ONLY <= LEVEL.keys()


def test_the_walk_sees_imports_inside_of_functions_and_not_those_for_type_checkers():
    assert "weaver" in imports("cli.ask")
    assert "workbench" not in imports("protocols")
    assert "models" in imports("llms.llama_cpp")
    assert len(EDGES) > 100


@pytest.mark.parametrize(("name", "target"), EDGES, ids=lambda part: part)
def test_no_module_imports_from_a_layer_above(name, target):
    if target.split(".")[0] in DATA_ONLY:
        return
    assert layer(target) <= layer(name), f"{name} stands below {target}"


def test_the_plain_types_and_the_errors_need_the_standard_library_only():
    for name in ("types", "errors"):
        assert imports(name) == set()
        for node in statements(ast.parse(modules()[name].read_text(encoding="utf-8"))):
            roots = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            roots += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert {root.split(".")[0] for root in roots} <= sys.stdlib_module_names


@pytest.mark.parametrize(("name", "target"), [edge for edge in EDGES if layer(edge[0]) == PARTS], ids=lambda part: part)
def test_a_part_knows_the_layers_below_and_what_its_folder_shares(name, target):
    role, _, file = target.rpartition(".")
    is_shared = role == name.split(".")[0] and file.startswith("_")
    assert layer(target) < PARTS or is_shared, f"{name} must not know {target}"


@pytest.mark.parametrize(
    ("name", "target"), [edge for edge in EDGES if layer(edge[0]) != PARTS and layer(edge[1]) == PARTS], ids=lambda part: part
)
def test_nobody_names_a_part_but_the_catalog_opens_it(name, target):
    assert (name, target.split(".")[0]) in MAY_NAME_A_PART, f"{name} names {target}; take it from the catalog"


def test_nothing_imports_the_command_line_or_the_server():
    top = len(LAYERS) - 1
    assert [(name, target) for name, target in EDGES if layer(target) == top and layer(name) != top] == []


def test_commands_do_not_know_each_other():
    bad = [
        (name, target)
        for name, target in EDGES
        if target.startswith("cli.") and not target.startswith("cli._") and name.split(".")[0] == "cli"
    ]
    assert bad == []


def test_there_are_no_cycles():
    # A package stands for what its __init__ imports; a module needs its package too, but takes nothing from it.
    graph = {name: imports(name) - {name} for name in modules() if name}
    assert len(list(TopologicalSorter(graph).static_order())) == len(graph)
