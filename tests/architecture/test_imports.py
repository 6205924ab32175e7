"""The direction of imports: each room builds on the layers below it, and no component knows another."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter

import pytest
from architecture.rooms import (
    LAYER_OF,
    LAYERS,
    NOT_ROOMS,
    PACKAGE,
    ROOMS,
    edges,
    floors,
    imports,
    imports_in,
    links,
    modules,
    room,
)

from hopweave.core.catalog import ROLES, files_of

# Only this engine knows the state of files, by which an index follows a folder.
MAY_NAME_A_PART = {("apps.cli.index", "bm25"), ("apps.cli.watch", "bm25")}


def name_of(path):
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def components():
    """Each component, with its role."""
    return {name_of(path): role for role in ROLES for path in files_of(role)}


def is_private(name: str) -> bool:
    return any(part.startswith("_") for part in name.split("."))


def test_there_are_at_most_twelve_rooms_on_at_most_seven_layers():
    assert len(ROOMS) == len(set(ROOMS)) <= 12
    assert len(LAYERS) <= 7
    assert [set(row) for row in floors(links())] == [set(layer) for layer in LAYERS]


def test_every_module_is_in_a_room_that_says_what_it_is_for():
    assert {room(name) for name in modules()} - NOT_ROOMS == set(ROOMS) == set(links())
    for name in ROOMS:
        assert len(ast.get_docstring(ast.parse(modules()[name].read_text(encoding="utf-8")))) > 40


def test_the_walk_sees_imports_inside_of_functions_and_those_for_type_checkers():
    assert "run.weaver" in imports("apps.cli.ask")
    assert "core.prompt" in imports("core.protocols")
    assert "models.weights" in imports("models.llms.llama_cpp")
    assert len(edges()) > 1000


def test_no_room_imports_one_of_its_own_layer_or_of_one_above():
    across = [(name, target) for name, target in edges() if room(name) != room(target)]
    bad = [(name, target) for name, target in across if LAYER_OF[room(target)] >= LAYER_OF[room(name)]]
    assert [f"{name} must not import {target}" for name, target in bad] == []


def test_the_plain_types_and_the_errors_need_the_standard_library_only():
    for name in ("core.types", "core.errors"):
        assert imports(name) == set()
        for node in imports_in(modules()[name]):
            roots = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            roots += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert {root.split(".")[0] for root in roots} <= sys.stdlib_module_names


def test_no_module_imports_what_windows_does_not_have():
    for name, path in modules().items():
        roots = {alias.name for node in imports_in(path) if isinstance(node, ast.Import) for alias in node.names}
        roots |= {node.module or "" for node in imports_in(path) if isinstance(node, ast.ImportFrom)}
        assert not roots & {"fcntl", "grp", "pwd", "resource", "termios"}, name


def test_nobody_imports_a_component_but_the_catalog_opens_it():
    parts = components()
    named = {(name, target.rpartition(".")[2]) for name, target in edges() if target in parts}
    assert named == MAY_NAME_A_PART


def test_what_a_family_of_methods_shares_is_private_to_it():
    inside = [(name, target) for name, target in edges() if target.startswith("answering.methods.") and is_private(target)]
    # The retriever of ToQD searches with the sub-questions of its graph.
    strangers = [(name, target) for name, target in inside if name.rpartition(".")[0] != target.rpartition(".")[0]]
    assert {name for name, _ in strangers} <= {"answering.rewriting.toqd"}


@pytest.mark.parametrize("door", ["apps.cli", "apps.server", "apps.mcp_server", "apps.adapters"])
def test_nothing_imports_a_door_but_the_command_that_opens_it(door):
    pairs = [(name, target) for name in modules() for target in imports(name)]
    found = {name for name, target in pairs if f"{target}.".startswith(f"{door}.") and not f"{name}.".startswith(f"{door}.")}
    assert (
        found
        == {
            "apps.cli": {"__main__"},
            "apps.server": {"apps.cli.serve"},
            "apps.mcp_server": {"apps.cli.mcp"},
            "apps.adapters": set(),
        }[door]
    )


def test_commands_do_not_know_each_other():
    inside = [(name, target) for name, target in edges() if name.startswith("apps.cli.") and target.startswith("apps.cli.")]
    assert [edge for edge in inside if not is_private(edge[1])] == []


def test_commands_import_at_the_top_what_the_start_of_the_command_line_has_loaded():
    code = "import sys, hopweave.apps.cli; print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())
    within = [
        f"{name}, line {node.lineno}: {node.module}"
        for name, path in modules().items()
        if f"{name}.".startswith("apps.cli.")
        for node in imports_in(path)
        if isinstance(node, ast.ImportFrom) and node.col_offset and f"{node.module}".startswith("hopweave.")
        if {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)} & loaded - {"hopweave.core", "hopweave.show"}
    ]
    assert within == []


def test_there_are_no_cycles():
    # A package stands for what its __init__ imports; a module needs its package too, but takes nothing from it.
    graph = {name: imports(name) - {name} for name in modules() if name}
    assert len(list(TopologicalSorter(graph).static_order())) == len(graph)
