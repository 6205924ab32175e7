"""Which files a corpus consists of, in a fixed order, and their unique ids."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import FOLDER, Entry, is_of_kernel, open_regular, shown_name, special_kind, walk
from hopweave.ingest.formats import CorpusFile
from hopweave.ingest.reasons import Reason, reading
from hopweave.ingest.recognise import recognised

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

OnUnlisted = Callable[[Path, DataError], None]
"""Called with a folder that cannot be listed, and why."""

OnLeftOut = Callable[[Reason, str], None]
"""Called with why a file or folder is left out, and its name."""

_MAX_IGNORE_BYTES = 1 << 20
_IGNORE_FILE = ".gitignore"
_HIDDEN = (".", "~$")
"""How names of hidden files begin; office programs mark a document that is open with the latter."""


class Roots:
    """The folders that documents are read from, each with a label, so that no two files have the same id.

    The first one has no label: its documents have their paths below it as ids, such as `notes/a.md`. Those of another are
    prefixed with its name, as in `papers//notes/a.md`; no path below a folder has two slashes in a row. A file belongs to the
    innermost root that contains it, so it has one id, whichever of its parent folders was given.

    Args:
        labels: of known roots, by their absolute paths.
    """

    def __init__(self, labels: Mapping[Path, str] | None = None) -> None:
        self.labels = dict(labels or {})

    def include(self, folder: Path) -> Path:
        """Makes a folder a root, unless it is inside one; returns its absolute path."""
        absolute = Path(os.path.realpath(folder))
        if not any(above in self.labels for above in (absolute, *absolute.parents)):
            self.labels[absolute] = self._new_label(shown_name(absolute.name) or "root") if self.labels else ""
        return absolute

    def document_id(self, path: Path) -> str:
        """The id of the document in a file, by its absolute path."""
        root = self.root_of(path)
        below = shown_name(path.relative_to(root).as_posix())
        label = self.labels[root]
        return f"{label}//{below}" if label else below

    def root_of(self, path: Path) -> Path:
        """The root that a file belongs to, by its absolute path."""
        return next(above for above in path.parents if above in self.labels)

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
    """Which files of a folder are taken. Patterns have the syntax of `.gitignore` files, relative to the given folder.

    Attributes:
        include: patterns of which a file must match one; without any, all files are taken.
        exclude: patterns of files and folders that are left out.
        gitignore: leave out what the `.gitignore` files in the folder, and in those below it, name.
        follow_links: follow symbolic links that lead out of all given paths, too.

    Raises:
        SettingsError: for an invalid pattern.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    gitignore: bool = False
    follow_links: bool = False

    def __post_init__(self) -> None:
        for pattern in (*self.include, *self.exclude):
            try:
                _spec([pattern])
            except ValueError:
                raise SettingsError(f"{pattern!r} is not a file pattern; give one such as '*.md' or 'drafts/'") from None


def find_files(
    paths: Sequence[Path],
    *,
    selection: Selection | None = None,
    roots: Roots | None = None,
    on_unlisted: OnUnlisted | None = None,
    on_left_out: OnLeftOut | None = None,
) -> Iterator[CorpusFile]:
    """The files at the given paths: folders are walked, each in the order of its names, without hidden entries.

    They include files of unknown formats and special files (FIFOs, sockets, devices and links to them), so that these can be
    counted. A file given by its own path is always taken. Links in a folder are followed to what is in any of the given paths,
    and elsewhere only if the selection says so; never to what only the kernel shows as files (`core.files.KERNEL_FOLDERS`).
    Source code is of a known format only if it is asked for, by its own path or by a pattern that it matches.

    Args:
        paths: files and folders.
        selection: which files of a folder are taken; by default all.
        roots: that are known; those of the paths are added to them.
        on_unlisted: called with a folder within a given one that cannot be listed; without it, that is an error.
        on_left_out: called with every hidden file or folder, with those that the selection leaves out, and with every link that
            is not followed.

    Raises:
        DataError: for a path that does not exist or a folder that cannot be listed.
    """
    roots = roots if roots is not None else Roots()
    selection = selection or Selection()
    places = {Path(os.path.realpath(path)) for path in paths}
    for path in paths:
        shown = shown_name(path.as_posix())
        with reading(shown):
            is_folder, is_there = path.is_dir(), path.exists()
        if is_folder:
            yield from _Walk(path, selection, places, roots, on_unlisted, on_left_out).files()
        elif is_there:
            at = roots.include(path.parent) / path.name
            place = None if selection.follow_links else Path(os.path.realpath(path))
            file = CorpusFile(path, shown, roots.document_id(at), special_kind(path), at, confined_to=place)
            yield recognised(file, is_asked_for=True)
        else:
            raise DataError(f"there is no file or folder {shown}; check the path")


class _Walk:
    """One folder, with everything below it."""

    def __init__(
        self,
        top: Path,
        selection: Selection,
        places: Collection[Path],
        roots: Roots,
        on_unlisted: OnUnlisted | None,
        on_left_out: OnLeftOut | None,
    ) -> None:
        self._top = top
        self._absolute = roots.include(top)
        self._roots = roots
        self._on_unlisted = on_unlisted
        self._on_left_out = on_left_out
        self._places = places
        self._follow_links = selection.follow_links
        self._linked: dict[Path, Path] = {}  # the given paths that the links lead to that are followed
        self._gitignore = selection.gitignore
        self._include = _spec(selection.include) if selection.include else None
        self._exclude = _spec(selection.exclude)
        self._ignoring: list[tuple[Path, GitIgnoreSpec | None]] = []

    def files(self) -> Iterator[CorpusFile]:
        for found in walk(self._top, is_taken=self._is_taken, on_unlisted=self._unlisted, into_links=True, with_hidden=True):
            if found.kind != FOLDER:
                at = self._absolute / found.path.relative_to(self._top)
                name = self._roots.document_id(at)
                file = CorpusFile(found.path, name, name, found.kind, at, confined_to=self._place_of(found.path))
                yield recognised(file, is_asked_for=self._include is not None)

    def _unlisted(self, folder: Path, error: OSError) -> None:
        try:
            with reading(shown_name(Path(error.filename or folder).as_posix())):
                raise error
        except DataError as said:
            if self._on_unlisted is None or folder == self._top:
                raise
            self._on_unlisted(self._absolute / folder.relative_to(self._top), said)

    def _is_taken(self, found: Entry) -> bool:
        reason = self._why_not(found)
        if reason is not None and self._on_left_out is not None:
            name = self._roots.document_id(self._absolute / found.path.relative_to(self._top))
            self._on_left_out(reason, name + ("/" if found.kind == FOLDER else ""))
        return reason is None

    def _why_not(self, found: Entry) -> Reason | None:
        """Why a file or folder is left out; `None` if it is not."""
        if found.path.name.startswith(_HIDDEN):
            return Reason.HIDDEN
        ending = "/" if found.kind == FOLDER else ""
        below = found.path.relative_to(self._top).as_posix() + ending
        if self._exclude.match_file(below):
            return Reason.EXCLUDED
        if self._include is not None and not ending and not self._include.match_file(below):
            return Reason.EXCLUDED
        for folder, spec in reversed(self._ignoring_in(found.path.parent)):  # the innermost file that says anything decides
            says = spec.check_file(found.path.relative_to(folder).as_posix() + ending).include if spec is not None else None
            if says:
                return Reason.IGNORED
            if says is not None:
                break
        return self._why_not_followed(found) if found.is_link and found.kind in {FOLDER, ""} else None

    def _why_not_followed(self, link: Entry) -> Reason | None:
        """Why a link to a file or folder is not followed; `None` if it is, and for a broken one, which reading it reports."""
        real = Path(os.path.realpath(link.path))
        if is_of_kernel(real):
            return Reason.SPECIAL
        place = next((one for one in (real, *real.parents) if one in self._places), None)
        if place is not None:
            self._linked[link.path] = place
            return None
        is_there = os.path.exists(real)  # noqa: PTH110  # that of a path raises an error without permission
        return Reason.LEADS_OUT if is_there and not self._follow_links else None

    def _place_of(self, path: Path) -> Path | None:
        """The given path that a file must be in, or be, once all links are followed; `None` if links may lead anywhere."""
        if self._follow_links:
            return None
        above = (one for one in (path, *path.parents) if one in self._linked) if self._linked else iter(())
        return self._linked[linked] if (linked := next(above, None)) is not None else self._absolute

    def _ignoring_in(self, folder: Path) -> list[tuple[Path, GitIgnoreSpec | None]]:
        """The `.gitignore` files that apply to a folder: those of its parents from the top down, and its own."""
        if self._gitignore and (not self._ignoring or self._ignoring[-1][0] != folder):
            # The folders come in the order of a tree, so those around this one were asked about last.
            del self._ignoring[len(folder.relative_to(self._top).parts) :]
            self._ignoring.append((folder, _ignored_by(folder)))
        return self._ignoring


def _ignored_by(folder: Path) -> GitIgnoreSpec | None:
    """What the `.gitignore` file of a folder names; invalid patterns are skipped, as in git.

    Raises:
        OSError: if it cannot be read.
    """
    path = folder / _IGNORE_FILE
    if not path.is_file():
        return None
    with open_regular(path) as file:
        lines = file.read(_MAX_IGNORE_BYTES).decode("utf-8", "replace").splitlines()
    return _spec(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    try:
        _spec([line])
    except ValueError:
        return False
    return True


def _spec(lines: Iterable[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # takes longer to import than a question to an index that is there takes to answer

    return GitIgnoreSpec.from_lines(lines)
