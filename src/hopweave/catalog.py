"""What there is to choose from: the folders themselves. The file name is the public name; no list is kept anywhere.

A folder is listed without importing anything: the one-line description is the first line of a file's docstring, the extra that
it needs is its `NEEDS_EXTRA`, and the class is the one name in its `__all__`. Other packages join through entry points of the
group `hopweave.<role>`, which point to a class.

Beside a file `NAME.py` there may be a file `NAME.presets.toml`: each of its tables is the same part under a name of its own
with other defaults. Its `summary` describes it, and its other keys are options.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args

from hopweave.errors import MissingExtra, SettingsError, suggest

Role = Literal["llms", "retrievers", "readers", "duplicate_detectors", "methods", "datasets", "metrics", "analyses"]
ROLES: tuple[Role, ...] = get_args(Role)
FOLDERS: dict[Role, str] = {role: role for role in ROLES} | {"analyses": "evaluation/papers"}
"""Where the files of each role are, within the package."""

_DOCSTRING = re.compile(r'r?"""([^\n]*?)(?:"""|\n)')
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+).*;.*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"]")
_NEEDS_EXTRA = re.compile(r'^NEEDS_EXTRA = "([a-z]+)"$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A part that can be chosen by name.

    Attributes:
        role: the folder.
        name: what users type.
        summary: one line, from the file itself.
        extra: the extra of this package that it needs, if any.
        target: where it is: a module of this package, or `module:attribute` of another.
        preset: options that count where the settings do not say otherwise.
    """

    role: Role
    name: str
    summary: str
    extra: str | None
    target: str
    preset: Mapping[str, Any] = field(default_factory=dict)


@cache
def entries(role: Role) -> dict[str, Entry]:
    """All parts of a role by name, in alphabetical order."""
    from importlib.metadata import entry_points

    folder = Path(__file__).parent / FOLDERS[role]
    found = {path.stem: _entry_of_file(role, path) for path in folder.glob("*.py") if not path.name.startswith("_")}
    for path in folder.glob("*.presets.toml"):
        found |= {one.name: one for one in _presets(found[path.name.removesuffix(".presets.toml")], path)}
    for point in entry_points(group=f"hopweave.{role}"):
        found.setdefault(
            point.name, Entry(role, point.name, f"from {point.module}", None, f"{point.module}:{point.attr or ''}")
        )
    return dict(sorted(found.items()))


def entry(role: Role, name: str) -> Entry:
    """The part of that name.

    Raises:
        SettingsError: if there is none, with the nearest name.
    """
    known = entries(role)
    if name not in known:
        raise SettingsError(f"{name!r} is not one of the {role}; {suggest(name, known)}")
    return known[name]


def load(role: Role, name: str) -> Any:
    """Imports a part and returns its class.

    Raises:
        SettingsError: for an unknown name, or a part of another package that cannot be imported.
        MissingExtra: if a library that it needs is not installed.
    """
    chosen = entry(role, name)
    module_name, is_foreign, attribute = chosen.target.partition(":")
    try:
        module = importlib.import_module(module_name)
        return getattr(module, attribute or module.__all__[0])
    except (ImportError, AttributeError) as error:
        if is_foreign:
            raise SettingsError(f"{name!r} of the {role} comes from {chosen.target}, which fails: {error}; mend it") from error
        if isinstance(error, ModuleNotFoundError) and chosen.extra and (error.name or "").split(".")[0] != "hopweave":
            raise MissingExtra(error.name or name, chosen.extra) from error
        raise


def require(module: str, extra: str) -> ModuleType:
    """Imports an optional library at the moment it is needed.

    Raises:
        MissingExtra: if it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] != module.split(".", maxsplit=1)[0]:
            raise
        raise MissingExtra(module, extra) from error


def missing_from(extra: str) -> list[str]:
    """Distributions of an extra of this package that are not installed, found without importing any."""
    from importlib.metadata import PackageNotFoundError, distribution, requires

    missing = []
    for requirement in requires("hopweave") or ():
        match = _REQUIREMENT.match(requirement)
        if match and match["extra"] == extra:
            try:
                distribution(match["name"])
            except PackageNotFoundError:
                missing.append(match["name"])
    return missing


def summary_of(path: Path) -> str:
    """The first line of a file's docstring, found without running the file."""
    return _summary(path.read_text(encoding="utf-8"))


def _summary(code: str) -> str:
    found = _DOCSTRING.match(code)
    return found[1].rstrip(". ") if found else ""


def _presets(part: Entry, path: Path) -> Iterator[Entry]:
    import tomllib

    for name, options in tomllib.loads(path.read_text(encoding="utf-8")).items():
        yield replace(part, name=name, summary=options.pop("summary"), preset=options)


def _entry_of_file(role: Role, path: Path) -> Entry:
    code = path.read_text(encoding="utf-8")
    extra = _NEEDS_EXTRA.search(code)
    return Entry(
        role, path.stem, _summary(code), extra[1] if extra else None, f"hopweave.{FOLDERS[role].replace('/', '.')}.{path.stem}"
    )
