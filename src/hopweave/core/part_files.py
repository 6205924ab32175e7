"""Components in files outside any package, named by path: `PATH.py:ClassName`, or `PATH.py` if only one class fits.

Naming such a file makes hopweave execute it, so only the user may do that: `allow` is called for names on the command
line, in a call, in the user's own settings, and in what the user trusts (see `hopweave.run.trust`). A name that merely
occurs in the records, the plan or the scores of someone else's run is never imported.

The file is executed in its current state, without a bytecode file next to it. It can import installed packages, but not its
neighbouring files.
"""

from __future__ import annotations

import hashlib
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from hopweave.core.errors import SettingsError
from hopweave.core.files import read_whole
from hopweave.core.lazy_pattern import lazy_pattern

_NAME = lazy_pattern(r"(?P<path>.*\.py)(?::(?P<class_name>[^\W\d]\w*))?", re.DOTALL)
_MODULE = "hopweave_part_"

_allowed: set[Path] = set()
_imported: dict[Path, tuple[str, ModuleType]] = {}
"""By resolved path: the SHA-256 of the executed content, and the resulting module."""


@dataclass(frozen=True, slots=True)
class PartFile:
    """A component named by its file.

    Attributes:
        path: the file, as given.
        class_name: the component's class; empty if the name does not say.
    """

    path: Path
    class_name: str = ""


def part_file(name: object) -> PartFile | None:
    """The file that a name refers to; `None` if it is not the path of a Python file."""
    found = _NAME.fullmatch(name) if isinstance(name, str) else None
    return PartFile(Path(found["path"]), found["class_name"] or "") if found else None


def allow(name: str) -> None:
    """Allows a file to be imported, because the user named it. Other names need no permission."""
    file = part_file(name)
    if file is not None:
        _allowed.add(file.path.resolve())


def class_of(name: str, lacking: Callable[[type], str]) -> type:
    """Imports a file and returns the class that its name refers to.

    Args:
        name: as for `part_file`.
        lacking: returns what a class lacks to play the role; empty if nothing.

    Raises:
        SettingsError: for a file that the user did not name, that cannot be read or that fails, a class that is missing or does
            not fit, and a choice between several.
    """
    file = part_file(name)
    if file is None:
        raise SettingsError(f"{name!r} is not the path of a Python file; write it as ./FILE.py:ClassName")
    module = _module(file.path)
    if file.class_name:
        part = getattr(module, file.class_name, None)
        if not isinstance(part, type):
            raise SettingsError(f"{file.path} has no class {file.class_name!r}; correct the name after the colon")
        if problem := lacking(part):
            raise SettingsError(f"{file.class_name} in {file.path} {problem}")
        return part
    return _only_class(file.path, module, lacking)


def path_of(module: str) -> Path | None:
    """The file from which a module of this kind was loaded; `None` for any other module."""
    return next((path for path, (_, made) in _imported.items() if made.__name__ == module), None)


def hashes(name: str) -> dict[str, str]:
    """The SHA-256 of the file that a name refers to, and of its prompts (`NAME.prompts.toml` next to it), if there are any.

    Returns:
        In hexadecimal, by path. Empty if the name does not refer to a file.

    Raises:
        SettingsError: if the file cannot be read.
    """
    file = part_file(name)
    if file is None:
        return {}
    wording = file.path.with_suffix(".prompts.toml")
    given = name.rpartition(":")[0] if file.class_name else name
    found = {given: _sha256(_read(file.path))}
    if wording.is_file():
        found[given.removesuffix(".py") + ".prompts.toml"] = _sha256(_read(wording))
    return found


def text_of(name: str) -> str:
    """The text of the file that a name refers to, found without running it; empty if it cannot be read."""
    file = part_file(name)
    try:
        return read_whole(file.path).decode() if file is not None else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _only_class(path: Path, module: ModuleType, lacking: Callable[[type], str]) -> type:
    public = getattr(module, "__all__", None)
    listed = [getattr(module, str(name), None) for name in public] if public is not None else list(vars(module).values())
    own = [one for one in listed if isinstance(one, type) and one.__module__ == module.__name__]
    fitting = [one for one in own if not lacking(one) and (public is not None or not one.__name__.startswith("_"))]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = [one.__name__ for one in fitting]
        raise SettingsError(f"{path} has several classes that fit: {', '.join(names)}; say which, as in {path}:{names[0]}")
    if len(own) == 1:
        raise SettingsError(f"{own[0].__name__} in {path} {lacking(own[0])}")
    raise SettingsError(f"{path} has no class that fits; write one, or name it as in {path}:ClassName")


def _module(path: Path) -> ModuleType:
    place = path.resolve()
    if place not in _allowed:
        raise SettingsError(
            f"{path} contains code that you have not named, so it is not run; name it on the command line or in the call"
        )
    content = _read(path)
    sha256 = _sha256(content)
    known = _imported.get(place)
    if known is not None and known[0] == sha256:
        return known[1]
    module = _run(path, place, content, f"{_MODULE}{_sha256(str(place).encode())[:8]}_{sha256[:8]}")
    _imported[place] = (sha256, module)
    return module


def _run(path: Path, place: Path, content: bytes, name: str) -> ModuleType:
    spec = spec_from_file_location(name, place)
    if spec is None:  # only for a suffix other than .py
        raise SettingsError(f"{path} is not a Python file; name one that ends in .py")
    module = module_from_spec(spec)
    # Dataclasses and pydantic look up the annotations of a class in the module that `sys.modules` holds.
    sys.modules[name] = module
    try:
        # Execute exactly what was hashed: a loader would read the file a second time.
        exec(compile(content, place, "exec", dont_inherit=True), vars(module))  # noqa: S102
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise SettingsError(f"{path} fails when it is imported{_where(error, place)}: {_said(error)}; fix it") from error
    return module


def _where(error: BaseException, place: Path) -> str:
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}" if error.lineno else ""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(place)]
    return f", line {lines[-1]}" if lines else ""


def _said(error: BaseException) -> str:
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _read(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():  # reading a pipe would block
            raise SettingsError(f"{path} is not a file; name a Python file")
        return read_whole(path)
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}; check the path") from None


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
