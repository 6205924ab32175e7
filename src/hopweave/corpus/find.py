"""Which files a corpus consists of, in a fixed order, and the ids by which they are told apart."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from hopweave.corpus.files import SPECIAL, CorpusFile, reading, shown_name
from hopweave.errors import DataError, SettingsError

OnUnlisted = Callable[[Path, DataError], None]
"""Told of a folder that cannot be listed, and why."""

_MAX_IGNORE_BYTES = 1 << 20
_IGNORE_FILE = ".gitignore"


class Roots:
    """The folders that documents are read from, each with a label, so that no two files have the same id.

    The first one has no label: its documents have their paths below it as ids, such as `notes/a.md`. Those of another have its
    name before that, as in `papers//notes/a.md`; no path below a folder holds two slashes in a row. A file belongs to the
    innermost root that it lies in, so it has one id, whichever of the folders around it was given.

    Args:
        labels: of roots that are known already, by their absolute paths.
    """

    def __init__(self, labels: Mapping[Path, str] | None = None) -> None:
        self.labels = dict(labels or {})

    def include(self, folder: Path) -> Path:
        """Makes a folder a root, unless it lies in one; returns its absolute path."""
        absolute = Path(os.path.realpath(folder))
        if not any(above in self.labels for above in (absolute, *absolute.parents)):
            self.labels[absolute] = self._new_label(shown_name(absolute.name) or "root") if self.labels else ""
        return absolute

    def document_id(self, path: Path) -> str:
        """The id of the document in a file, by its absolute path."""
        root = next(above for above in path.parents if above in self.labels)
        below = shown_name(path.relative_to(root).as_posix())
        label = self.labels[root]
        return f"{label}//{below}" if label else below

    def _new_label(self, name: str) -> str:
        taken = set(self.labels.values())
        number = 1
        label = name
        while label in taken:
            number += 1
            label = f"{name}-{number}"
        return label


@dataclass(frozen=True, slots=True)
class Selection:
    """Which files of a folder are taken. Patterns are those of `.gitignore` files, relative to the folder that was given.

    Attributes:
        include: patterns of which a file has to match one; all files where there is none.
        exclude: patterns of files and folders that are left out.
        gitignore: leave out what the `.gitignore` files in the folder, and in those below it, name.

    Raises:
        SettingsError: for what is no pattern.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    gitignore: bool = False

    def __post_init__(self) -> None:
        for pattern in (*self.include, *self.exclude):
            try:
                GitIgnoreSpec.from_lines([pattern])
            except ValueError:
                raise SettingsError(f"{pattern!r} is no pattern of files; give one such as '*.md' or 'drafts/'") from None


def find_files(
    paths: Sequence[Path],
    *,
    selection: Selection | None = None,
    roots: Roots | None = None,
    on_unlisted: OnUnlisted | None = None,
) -> Iterator[CorpusFile]:
    """The files at the given paths: folders are walked, each in the order of its names, hidden entries left out.

    Files of unknown formats, and what is no regular file (FIFOs, sockets, devices and links to them), are among them, so that
    they can be counted. A file that is given itself is taken whatever the selection says.

    Args:
        paths: files and folders.
        selection: which files of a folder are taken; by default all.
        roots: that are known; those of the paths are added to them.
        on_unlisted: told of a folder within a given one that cannot be listed, instead of an error.

    Raises:
        DataError: for a path that does not exist or a folder that may not be listed.
    """
    roots = roots if roots is not None else Roots()
    for path in paths:
        shown = shown_name(path.as_posix())
        with reading(shown):
            is_folder, is_there = path.is_dir(), path.exists()
        if is_folder:
            yield from _Walk(path, selection or Selection(), roots, on_unlisted).files()
        elif is_there:
            at = roots.include(path.parent) / path.name
            yield CorpusFile(path, shown, roots.document_id(at), _special(path), at)
        else:
            raise DataError(f"there is no file or folder {shown}; check the path")


_Identity = tuple[int, int]
_FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class _Found:
    """An entry of a folder: its path, what it is, the folders above it, and what those have ignored."""

    path: Path
    kind: str
    above: tuple[_Identity, ...] = ()
    ignoring: tuple[tuple[Path, GitIgnoreSpec], ...] = ()


class _Walk:
    """One folder, with all that is below it."""

    def __init__(self, top: Path, selection: Selection, roots: Roots, on_unlisted: OnUnlisted | None) -> None:
        self._top = top
        self._absolute = roots.include(top)
        self._roots = roots
        self._on_unlisted = on_unlisted
        self._gitignore = selection.gitignore
        self._include = GitIgnoreSpec.from_lines(selection.include) if selection.include else None
        self._exclude = GitIgnoreSpec.from_lines(selection.exclude)

    def files(self) -> Iterator[CorpusFile]:
        # A stack instead of recursion: folders nest deeper than Python calls may.
        waiting = [_Found(self._top, _FOLDER)]
        while waiting:
            found = waiting.pop()
            if found.kind == _FOLDER:
                waiting += reversed(self._entries(found))
            else:
                at = self._absolute / found.path.relative_to(self._top)
                name = self._roots.document_id(at)
                yield CorpusFile(found.path, name, name, found.kind, at)

    def _entries(self, folder: _Found) -> list[_Found]:
        """What is in a folder and taken, in the order of the names."""
        try:
            here, entries = _listed(folder.path)
            ignoring = folder.ignoring + (_ignored_by(folder.path) if self._gitignore else ())
        except DataError as error:
            if self._on_unlisted is None or folder.path == self._top:
                raise
            self._on_unlisted(self._absolute / folder.path.relative_to(self._top), error)
            return []
        if here in folder.above:  # a link that leads back up
            return []
        above = (*folder.above, here)
        found = (_Found(folder.path / name, kind, above, ignoring) for name, kind in entries)
        return [one for one in found if self._is_taken(one)]

    def _is_taken(self, found: _Found) -> bool:
        ending = "/" if found.kind == _FOLDER else ""
        below = found.path.relative_to(self._top).as_posix() + ending
        if self._exclude.match_file(below):
            return False
        if self._include is not None and not ending and not self._include.match_file(below):
            return False
        for folder, spec in reversed(found.ignoring):  # the innermost file that says anything decides
            says = spec.check_file(found.path.relative_to(folder).as_posix() + ending).include
            if says is not None:
                return not says
        return True


def _ignored_by(folder: Path) -> tuple[tuple[Path, GitIgnoreSpec], ...]:
    """What the `.gitignore` file of a folder names; what is no pattern is passed over, as git does."""
    path = folder / _IGNORE_FILE
    if not path.is_file():  # a pipe would be waited for
        return ()
    with reading(shown_name(path.as_posix())), path.open("rb") as file:
        lines = file.read(_MAX_IGNORE_BYTES).decode("utf-8", "replace").splitlines()
    return ((folder, GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))),)


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _listed(folder: Path) -> tuple[_Identity, list[tuple[str, str]]]:
    """What tells a folder from all others, and the names and kinds of its entries in the order of their names."""
    with reading(shown_name(folder.as_posix())):
        found = folder.stat()
        # The list is closed before anything is yielded: a corpus of nested folders does not hold a descriptor for each level.
        with os.scandir(folder) as entries:
            kinds = sorted((entry.name, _kind(entry)) for entry in entries if not entry.name.startswith("."))
    return (found.st_dev, found.st_ino), kinds


def _kind(entry: os.DirEntry[str]) -> str:
    try:
        return "" if entry.is_file() else _FOLDER if entry.is_dir() else _special(Path(entry))
    except OSError:  # a link that leads to itself: opening it says so
        return ""


def _special(path: Path) -> str:
    """What a path leads to instead of a regular file; empty where it leads to none, and opening it says so."""
    try:
        return SPECIAL.get(stat.S_IFMT(path.stat().st_mode), "")
    except OSError:
        return ""
