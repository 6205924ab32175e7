"""The catalogue of components: the folders themselves. The file name is the public name; no list is kept anywhere.

A component is a file in a folder of its role, or in a folder of its family there; files that begin with `_` are shared code. A
folder is listed without importing anything: the one-line description is the first line of a file's docstring, the extra that
it needs is its `NEEDS_EXTRA`, a method's group is its `GROUP`, and the class is its one public class, or the one that its
`__all__` names if there are several. Other packages join through entry points of the group `hopweave.<role>`, which point to
a class. A component in the user's own file is named by path (`./mine.py:Picky`); see `hopweave.core.part_files`. No name may
be used twice: anything that would hide a built-in component, or pose as one, is an error.

Next to a file `NAME.py` there may be a file `NAME.presets.toml`: each of its tables is the same component under another name
with other defaults. Its `summary` describes it, and its other keys are options.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, get_args

from hopweave.core.errors import MissingExtra, SettingsError, suggest
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.part_files import class_of, part_file, path_of, text_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Role = Literal["llms", "retrievers", "readers", "duplicate_detectors", "methods", "datasets", "metrics", "analyses"]
ROLES: tuple[Role, ...] = get_args(Role)
FOLDERS: dict[Role, tuple[str, ...]] = {
    "llms": ("models/llms",),
    "retrievers": ("retrieval/engines", "answering/rewriting"),
    "readers": ("models/readers",),
    "duplicate_detectors": ("models/duplicate_detectors",),
    "methods": ("answering/methods",),
    "datasets": ("evaluation/datasets",),
    "metrics": ("evaluation/metrics",),
    "analyses": ("evaluation/papers",),
}
"""The folders of each role, within the package. A component is a file in one of them, or in a folder of its family there."""
_PACKAGE = Path(__file__).parents[1]
PROTOCOLS: dict[Role, dict[str, tuple[str, ...]]] = {
    "llms": {"LanguageModel": ("identity", "abilities", "reply", "close")},
    "retrievers": {"Retriever": ("identity", "search", "close"), "ModelRetriever": ("identity", "engine", "search_with")},
    "readers": {"Reader": ("identity", "read"), "ModelReader": ("identity", "read_with")},
    "duplicate_detectors": {"DuplicateDetector": ("duplicate_of",)},
    "methods": {"Method": ("answer",)},
    "datasets": {"Dataset": ("examples",)},
    "metrics": {"Metric": ("columns", "counts_failures", "score")},
}
"""The protocols of each role, with their required members: those of `hopweave.core.protocols`, which a test compares."""
METHOD_GROUPS: dict[str, str] = {
    "searches in turns": "Reads what was found, works out what is missing, and searches again: for answers spread over several "
    "passages.",
    "searches for parts": "Divides the question into smaller ones, and searches for an answer to each.",
    "checks afterwards": "The model answers from its own knowledge, then passages confirm or correct each step.",
    "searches once": "One search, and an answer from what it finds: quick, if one passage has the answer.",
    "never searches": "The model answers from its own knowledge and cites nothing: for comparison.",
}
"""The groups of methods, by when they search, in the order in which they are shown; a method's file names its `GROUP`."""
_OF_OBJECTS = frozenset({"identity", "abilities", "engine"})

_DOCSTRING = lazy_pattern(r'r?"""([^\n]*?)(?:"""|\n)')
_REQUIREMENT = lazy_pattern(r"(?P<name>[\w.-]+).*;.*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"]")
_NEEDS_EXTRA = lazy_pattern(r'^NEEDS_EXTRA = "([a-z]+)"$', re.MULTILINE)
_GROUP = lazy_pattern(r'^GROUP = "([a-z ]+)"$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A component that can be chosen by name.

    Attributes:
        role: the folder.
        name: what users type.
        summary: one line, from the file itself.
        extra: the extra of this package that it needs, if any.
        target: its location: a module of this package, or `module:attribute` of another.
        preset: options that apply unless the settings override them.
        clash: the target of another component that claims the same name; empty if there is none.
        group: of a method, one of `METHOD_GROUPS`; empty if its file names none.
    """

    role: Role
    name: str
    summary: str
    extra: str | None
    target: str
    preset: Mapping[str, Any] = field(default_factory=dict)
    clash: str = ""
    group: str = ""

    @property
    def is_foreign(self) -> bool:
        """Whether the component comes from another package."""
        return ":" in self.target


@cache
def files_of(role: Role) -> tuple[Path, ...]:
    """The file of each built-in component of a role, in the order of their paths."""
    folders = [_PACKAGE / folder for folder in FOLDERS[role]]
    found = (path for folder in folders for pattern in ("*.py", "*/*.py") for path in folder.glob(pattern))
    return tuple(sorted(path for path in found if not path.name.startswith("_")))


@cache
def entries(role: Role) -> dict[str, Entry]:
    """All components of a role by name, in alphabetical order."""
    found = {path.stem: _entry_of_file(role, path) for path in files_of(role)}
    for path in files_of(role):
        presets = path.with_suffix(".presets.toml")
        if presets.is_file():
            found |= {one.name: one for one in _presets(found[path.stem], presets)}
    for point in _registered()[role]:
        other = Entry(role, point.name, f"from {point.module}", None, f"{point.module}:{point.attr or ''}")
        there = found.get(point.name)
        # The error is raised when the name is used; a package that nobody uses must not break everything else.
        found[point.name] = other if there is None else replace(there, clash=there.clash or other.target)
    return dict(sorted(found.items()))


@cache
def _registered() -> dict[Role, list[EntryPoint]]:
    """The entry points of other packages. Finding them reads a file of each package, so it is done once for all roles."""
    from importlib.metadata import entry_points

    found = entry_points()
    return {role: list(found.select(group=f"hopweave.{role}")) for role in ROLES}


def entry(role: Role, name: str) -> Entry:
    """The component of that name, which may be the path of a file.

    Raises:
        SettingsError: if there is none, with the closest name, or more than one.
    """
    if role in PROTOCOLS and part_file(name) is not None:
        return Entry(role, name, _summary(text_of(name)), None, f"{name}:")
    known = entries(role)
    if name not in known:
        raise SettingsError(f"{name!r} is not one of the {role}; {suggest(name, known)}")
    chosen = known[name]
    if chosen.clash:
        owner = f"{chosen.target} does, too" if chosen.is_foreign else "hopweave itself has one of that name"
        raise SettingsError(
            f"{chosen.clash} registers in {role} as {name!r}, and {owner}; rename its entry point, or uninstall its package"
        )
    return chosen


def load(role: Role, name: str) -> Any:
    """Imports a component and returns its class.

    Raises:
        SettingsError: for an unknown name, an external component that cannot be imported, or a file that `class_of` refuses.
        MissingExtra: if a library that it needs is not installed.
    """
    if role in PROTOCOLS and part_file(name) is not None:
        return class_of(name, lambda part: lacking(role, part))
    chosen = entry(role, name)
    module_name, is_foreign, attribute = chosen.target.partition(":")
    try:
        module = importlib.import_module(module_name)
        return getattr(module, attribute or _public_class(module))
    except (ImportError, AttributeError) as error:
        if is_foreign:
            raise SettingsError(f"{name!r} of the {role} comes from {chosen.target}, which fails: {error}; fix it") from error
        if isinstance(error, ModuleNotFoundError) and chosen.extra and (error.name or "").split(".")[0] != "hopweave":
            raise MissingExtra(error.name or name, chosen.extra) from error
        raise


def _public_class(module: ModuleType) -> str:
    """The name of a module's one public class; empty if it has none."""
    classes = (one for one in vars(module).values() if isinstance(one, type) and one.__module__ == module.__name__)
    own = (one.__name__ for one in classes if not one.__name__.startswith("_"))
    return next(iter(getattr(module, "__all__", own)), "")


def missing_members(role: Role, part: object) -> dict[str, list[str]]:
    """The members that a class or an object lacks of each protocol of a role.

    Members that a class may set only on its objects, such as `identity`, are checked only on objects.
    """
    not_yet = _OF_OBJECTS if isinstance(part, type) else frozenset()
    return {
        protocol: [member for member in members if member not in not_yet and not hasattr(part, member)]
        for protocol, members in PROTOCOLS[role].items()
    }


def lacking(role: Role, part: object) -> str:
    """The members that a class or an object lacks for a role, as the end of a sentence; empty if it has them all."""
    missing = missing_members(role, part)
    nearest = min(missing, key=lambda protocol: len(missing[protocol]))
    if not missing[nearest]:
        return ""
    return f"is not a {nearest}: it lacks {' and '.join(missing[nearest])}; see hopweave.{nearest} for what it must have"


def asks_the_model(retriever: str) -> bool:
    """Whether a retriever asks the language model itself. Errors as in `load`."""
    return not missing_members("retrievers", load("retrievers", retriever))["ModelRetriever"]


def full_name(role: Role, name: str) -> str:
    """The name of a component as it is stored: for a file, with its class, which is imported if the name leaves it out.

    Raises:
        SettingsError: as `load` and `key_of`, and for a component that does not exist.
        MissingExtra: as in `load`.
    """
    file = part_file(name) if role in PROTOCOLS else None
    if file is None:
        return entry(role, name).name
    full = name if file.class_name else f"{name}:{load(role, name).__name__}"
    key_of(role, full)
    return full


def key_of(role: Role, name: str) -> str:
    """The key of a component's options, and its label in tables: its name, or the class of a file.

    Raises:
        SettingsError: for a class in a file with the same name as a built-in component.
        SettingsError, MissingExtra: as in `load`, for a file without the name of a class, which is then imported.
    """
    file = part_file(name) if role in PROTOCOLS else None
    if file is None:
        return name
    key = file.class_name or str(load(role, name).__name__)
    if key in entries(role):
        raise SettingsError(f"the class {key} in {file.path} has the name of one of the built-in {role}; rename the class")
    return key


def name_of(role: Role, part: object) -> str:
    """The name of an object in records: its name in the catalogue, or else its class, qualified by its module.

    A class defined in a script or a notebook has its bare name, unless a built-in component has the same one.
    """
    kind = type(part)
    path = path_of(kind.__module__)
    if path is not None:
        return f"{path}:{kind.__qualname__}"
    for one in entries(role).values():
        module, _, attribute = one.target.partition(":")
        is_there = module == kind.__module__ and not one.preset
        if is_there and (attribute or _public_class(sys.modules[module])) == kind.__qualname__:
            return one.name
    is_plain = kind.__module__ == "__main__" and kind.__name__ not in entries(role)
    return kind.__name__ if is_plain else f"{kind.__module__}.{kind.__name__}"


def require(module: str, extra: str) -> ModuleType:
    """Imports an optional library when it is needed.

    Raises:
        MissingExtra: if it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] != module.split(".", maxsplit=1)[0]:
            raise
        raise MissingExtra(module, extra) from error


def check_extra(role: Role, name: str) -> None:
    """Checks that the extra which a component needs is installed, without importing anything.

    Raises:
        MissingExtra: with the distributions that are missing.
        SettingsError: as `entry`.
    """
    extra = entry(role, name).extra
    if extra and (missing := missing_from(extra)):
        raise MissingExtra(", ".join(missing), extra)


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
    extra, group = _NEEDS_EXTRA.search(code), _GROUP.search(code)
    module = ".".join(["hopweave", *path.relative_to(_PACKAGE).with_suffix("").parts])
    return Entry(role, path.stem, _summary(code), extra[1] if extra else None, module, group=group[1] if group else "")
