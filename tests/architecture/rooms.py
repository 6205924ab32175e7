"""The rooms of the package, and what imports what: read from the files, without running them.

Imports anywhere in a file count, those inside functions and those for type checkers, too.
"""

import ast
from collections import defaultdict
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "hopweave"

LAYERS = (
    ("core",),
    ("text",),
    ("ingest", "citations"),
    ("models", "retrieval", "answering", "record"),
    ("run", "show"),
    ("evaluation",),
    ("apps",),
)
"""A room imports rooms of the layers before its own, and none of its own layer."""
ROOMS = tuple(room for layer in LAYERS for room in layer)
NOT_ROOMS = {"", "__main__", "profiles", "starter"}
LAYER_OF = {room: number for number, layer in enumerate(LAYERS, start=1) for room in layer}


@cache
def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """Every module below hopweave, by its name without `hopweave.`; the package itself is the empty name."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        names = path.relative_to(package).with_suffix("").parts
        found[".".join(names[:-1] if names[-1] == "__init__" else names)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    """A file of Python, parsed once for all who ask, who must not change it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_in(path: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """The imports of a file, at whatever depth: they are statements, so expressions are not looked through."""
    found, waiting = [], [tree(path)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, block, ())
    return tuple(found)


@cache
def imports(name: str, house: Path = PACKAGE) -> frozenset[str]:
    """The modules of hopweave that a module imports, without `hopweave.`."""
    path = modules(house)[name]
    package = ".".join(filter(None, ["hopweave", name if path.name == "__init__.py" else name.rpartition(".")[0]]))
    wanted = set()
    for node in imports_in(path):
        if isinstance(node, ast.Import):
            wanted |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module
            wanted |= {f"{base}.{alias.name}" for alias in node.names}
    inside = {target.removeprefix("hopweave.") for target in wanted if target.startswith("hopweave.")}
    return frozenset(filter(None, (module_of(target, house) for target in inside)))


def module_of(target: str, house: Path = PACKAGE) -> str:
    """The module that a dotted name is, or is in; empty if there is none."""
    while target and target not in modules(house):
        target = target.rpartition(".")[0]
    return target


def room(name: str) -> str:
    """The room of a module."""
    return name.partition(".")[0]


def edges() -> list[tuple[str, str]]:
    """Each module of a room, with a module of a room that it imports."""
    pairs = [(name, target) for name in modules() for target in sorted(imports(name)) if target != name]
    return [(name, target) for name, target in pairs if room(name) in LAYER_OF and room(target) in LAYER_OF]


def links(house: Path = PACKAGE) -> dict[str, frozenset[str]]:
    """Which rooms each room imports; whatever lies directly in the package counts as a room, too, if anything of it imports."""
    found: dict[str, set[str]] = defaultdict(set)
    pairs = [(room(name), room(target)) for name in modules(house) if name for target in imports(name, house)]
    for one, other in pairs:
        found[one].add(other)
        found[other].add(other)
    known = {name for name in found if name and name not in NOT_ROOMS}
    return {name: frozenset(found[name] & known - {name}) for name in sorted(known)}


def circles(graph: dict[str, frozenset[str]]) -> list[set[str]]:
    """Rooms that import each other, directly or through others."""

    def reached(start: str) -> set[str]:
        seen, waiting = set(), list(graph[start])
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting += graph[one]
        return seen

    below = {name: reached(name) for name in graph}
    found = {frozenset(other for other in below[name] if name in below[other]) for name in graph if name in below[name]}
    return [set(circle) for circle in found]


def floors(graph: dict[str, frozenset[str]]) -> list[list[str]]:
    """The rooms by the longest chain of imports below them; those of a circle are left out."""
    rows: list[list[str]] = []
    placed: set[str] = set()
    while row := sorted(name for name in graph if name not in placed and graph[name] <= placed):
        rows.append(row)
        placed.update(row)
    return rows


def lines_of(house: Path = PACKAGE) -> dict[str, int]:
    """The number of lines of Python in each room."""
    counted: dict[str, int] = defaultdict(int)
    for name, path in modules(house).items():
        counted[room(name)] += len(path.read_text(encoding="utf-8").splitlines())
    return dict(counted)
