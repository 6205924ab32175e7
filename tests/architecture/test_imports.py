"""The direction of imports: each room stands on those below it, and no part knows another.

Imports anywhere in a file count, those inside functions and those for type checkers too.
"""

import ast
import sys
from functools import cache
from graphlib import TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import hopweave

PACKAGE = Path(hopweave.__file__).parent

ROLES = {"llms", "retrievers", "readers", "duplicate_detectors", "methods", "datasets", "metrics"}
LAYERS = [
    {"types", "errors", "memoize"},
    {"files", "visibility"},
    {"part_files"},
    {"catalog"},
    {"prompting", "prices"},
    {"text"},
    {"parse"},
    {"grounding"},
    {"trace"},
    {"protocols", "corpus", "model_files"},
    {"security", "runtime"},
    {"storage"},
    {"settings", "question_graph"},
    {"toolkit"},
    {"facts"},
    ROLES,
    {"opening", "progress_bar", "conversation"},
    {"weaver", "staleness", "corpora"},
    {"render"},
    {"evaluation"},
    {"server", "mcp_server", "adapters"},
    {"cli"},
    {"__main__"},
]
DATA_ONLY = {"profiles", "starter"}
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

# These commands and the like act on one engine, not on whichever is chosen, and so name it.
MAY_NAME_A_PART = {("cli.index", "retrievers"), ("cli._indexing", "retrievers")}


@cache
def modules() -> dict[str, Path]:
    """Every module below hopweave, by its name without `hopweave.`; the package itself is the empty name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        names = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(names[:-1] if names[-1] == "__init__" else names)] = path
    return found


@cache
def imports(name: str) -> frozenset[str]:
    """The modules of hopweave that a module imports, without `hopweave.`."""
    path = modules()[name]
    package = ".".join(filter(None, ["hopweave", name if path.name == "__init__.py" else name.rpartition(".")[0]]))
    wanted = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


def room(name: str) -> str:
    return name.partition(".")[0]


def layer(name: str) -> int:
    return LEVEL[room(name)]


def edges() -> list[tuple[str, str]]:
    """Who imports whom, data aside."""
    found = [(name, target) for name in modules() if name for target in sorted(imports(name)) if target != name]
    return [(name, target) for name, target in found if room(target) not in DATA_ONLY and room(name) not in DATA_ONLY]


def is_private(name: str) -> bool:
    return any(part.startswith("_") for part in name.split("."))


def test_every_module_has_its_layer():
    assert {room(name) for name in modules() if name} - DATA_ONLY <= LEVEL.keys()


def test_the_walk_sees_imports_inside_of_functions_and_those_for_type_checkers():
    assert "weaver" in imports("cli.ask")
    assert "trace" in imports("protocols")
    assert "model_files" in imports("llms.llama_cpp")
    assert len(edges()) > 1000


def test_no_module_imports_from_a_layer_above():
    assert [f"{name} stands below {target}" for name, target in edges() if layer(target) > layer(name)] == []


def test_the_server_is_imported_by_its_own_command_alone():
    found = {name for name, target in edges() if room(target) == "server" and room(name) != "server"}
    assert found == {"cli.serve"}


def test_rooms_beside_each_other_do_not_import_each_other():
    bad = [edge for edge in edges() if layer(edge[0]) == layer(edge[1]) and room(edge[0]) != room(edge[1])]
    assert [f"{name} stands beside {target}" for name, target in bad] == []


def test_the_plain_types_and_the_errors_need_the_standard_library_only():
    for name in ("types", "errors"):
        assert imports(name) == set()
        for node in ast.walk(ast.parse(modules()[name].read_text(encoding="utf-8"))):
            roots = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            roots += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert {root.split(".")[0] for root in roots} <= sys.stdlib_module_names


def test_no_module_imports_what_windows_does_not_have():
    for name, path in modules().items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        roots = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        roots |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not roots & {"fcntl", "grp", "pwd", "resource", "termios"}, name


def test_a_part_knows_the_layers_below_and_what_its_folder_shares():
    inside = [(name, target) for name, target in edges() if room(name) in ROLES and room(target) in ROLES]
    assert [f"{name} must not know {target}" for name, target in inside if not is_private(target)] == []


def test_nobody_names_a_part_but_the_catalog_opens_it():
    named = {(name, room(target)) for name, target in edges() if room(target) in ROLES and room(name) not in ROLES}
    assert named == MAY_NAME_A_PART


def test_nothing_imports_the_command_line_nor_a_server_but_what_starts_it():
    doors = {"cli", "server", "mcp_server", "adapters"}
    from_outside = {(name, room(target)) for name, target in edges() if room(target) in doors and room(name) != room(target)}
    assert from_outside == {("__main__", "cli"), ("cli.serve", "server"), ("cli.mcp", "mcp_server")}


def test_commands_do_not_know_each_other():
    bad = [(name, target) for name, target in edges() if room(name) == room(target) == "cli" and not is_private(target)]
    assert [edge for edge in bad if edge[1] != "cli"] == []


def test_there_are_no_cycles():
    # A package stands for what its __init__ imports; a module needs its package too, but takes nothing from it.
    graph = {name: imports(name) - {name} for name in modules() if name}
    assert len(list(TopologicalSorter(graph).static_order())) == len(graph)


def test_there_are_no_cycles_between_rooms():
    graph: dict[str, set[str]] = {}
    for name, target in edges():
        graph.setdefault(room(name), set()).update({room(target)} - {room(name)})
    assert list(TopologicalSorter(graph).static_order())
