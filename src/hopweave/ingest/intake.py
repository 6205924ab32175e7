"""What it takes to bring some files into an index: passages to add, and numbers of passages to remove."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from hopweave.core.errors import DataError
from hopweave.core.files import shown_name
from hopweave.core.indexing import IndexSummary
from hopweave.core.types import Passage
from hopweave.ingest.file_states import FileState, FileStates, hash_of, look_at
from hopweave.ingest.find import find_files
from hopweave.ingest.formats import CAN_RECOGNISE, CorpusFile, OnBytes
from hopweave.ingest.read import CorpusOptions, Reading, nothing_found
from hopweave.ingest.reasons import Reason, TakenId, reason_of
from hopweave.ingest.recognise import recognised
from hopweave.ingest.tally import Tally, Unread
from hopweave.ingest.vanished import check_gone, has_vanished, is_missing
from hopweave.ingest.whole_document import ReadsElsewhere

Changes = Generator[Passage | range, None, None]
"""Passages, each of which gets the next number, and numbers to remove. A `TakenId` may be thrown in for a passage."""


@dataclass(slots=True)
class Synced:
    """How many files are new, changed, gone, found under another name, and unchanged."""

    added: int = 0
    replaced: int = 0
    removed: int = 0
    moved: int = 0
    unchanged: int = 0


@dataclass(slots=True)
class Intake:
    """Reads files for an index.

    Attributes:
        paths: files and folders.
        sync: read only what is new or changed, and remove what is gone; else everything is read and nothing removed.
        options: how it is read.
        tally: what was read.
        on_bytes: called with the number of bytes that were read, or need not be.
        synced: what became of the files, with `sync`.
        elsewhere: reads documents instead of this process.
        gone_ok: with `sync`, also remove files of a path that does not exist, or that has lost most of its files; else that is
            an error, since a disk may have been disconnected.
    """

    paths: Sequence[Path]
    sync: bool = False
    options: CorpusOptions = field(default_factory=CorpusOptions)
    tally: Tally = field(default_factory=Tally)
    on_bytes: OnBytes = None
    synced: Synced = field(default_factory=Synced)
    elsewhere: ReadsElsewhere | None = None
    gone_ok: bool = False
    _num_bytes: int | None = field(default=None, init=False)
    _num_read: int = field(default=0, init=False)
    _reading: Reading | None = field(default=None, init=False)

    @property
    def makes_ids(self) -> bool:
        """Whether the last passage of `changes` is of a record without an id, which gets another one if this one is taken."""
        return self._reading is not None and self._reading.makes_ids

    @property
    def paths_to_read(self) -> list[Path]:
        """The paths, without missing ones if they may be missing.

        Raises:
            DataError: for a missing path that may not be missing, if the index may have files from there.
        """
        missing = [path for path in self.paths if self.sync and is_missing(path)]
        if missing and not self.gone_ok:
            raise DataError(
                f"there is no file or folder {shown_name(missing[0].as_posix())}; check the path and the disk, or add "
                "--gone-ok to take what it has from there out of the index"
            )
        return [path for path in self.paths if path not in missing]

    def share_read(self) -> float:
        """What share of `num_bytes` has been read so far, or need not be; from 0 to 1.

        Raises:
            DataError: as in `num_bytes`.
        """
        return min(1.0, self._num_read / (self.num_bytes() or 1))

    def num_bytes(self) -> int:
        """The size on disk of all files that may be read; in lenient reading, inaccessible ones count as 0.

        Raises:
            DataError: for a path that does not exist.
        """
        if self._num_bytes is None:
            self._num_bytes = self._sized()
        return self._num_bytes

    def _sized(self) -> int:
        on_unlisted = (lambda _folder, _error: None) if self.options.lenient else None
        found = find_files(self.paths_to_read, selection=self.options.selection, on_unlisted=on_unlisted)
        return sum(self._size(file) for file in found if file.is_readable)

    def _size(self, file: CorpusFile) -> int:
        try:
            return look_at(file).size
        except DataError:
            if not self.options.lenient:
                raise
            return 0

    def note_read(self, num_bytes: int) -> None:
        """Notes the number of further bytes that were read, or need not be."""
        self._num_read += num_bytes
        if self.on_bytes is not None:
            self.on_bytes(num_bytes)

    def changes(self, states: FileStates, next_number: int) -> Changes:
        """The changes to make, in order.

        Args:
            states: of the files; they are brought up to date.
            next_number: of the first passage that is added.

        Raises:
            DataError: as `read_corpus`; also if nothing at all can be read, or files have vanished as if a disk had been
                disconnected: see `hopweave.ingest.vanished`.
        """
        with closing(Reading(self.options, self.tally, self.note_read, self.elsewhere)) as reading:
            self._reading = reading
            one = _Pass(self, states, reading, next_number)
            yield from one.sync() if self.sync else one.add()


@runtime_checkable
class TakesInFiles(Protocol):
    """A class of retrievers whose index stores which files it was built from: `hopweave index --sync`, `--list`, `--stats`."""

    def take_in(self, folder: Path, intake: Intake, *, update: bool, **more: Any) -> IndexSummary:
        """Reads files into an index, and stores which files those were and what became of each.

        Args:
            folder: the index.
            intake: which files, and whether to add them or to bring the index in line with them.
            update: begin with the content of the index, which must exist; else it is replaced.
            more: as in `BM25.take_in`.
        """


class _Pass:
    """One pass of an intake over its files."""

    def __init__(self, intake: Intake, states: FileStates, reading: Reading, next_number: int) -> None:
        self._intake = intake
        self._states = states
        self._reading = reading
        self._next_number = next_number
        self._was_taken_out = False
        self._orphans: set[Path] = set()  # files with passages that were left out because of a file that was taken out since
        self._gone: dict[str, list[Path]] = {}  # files that are not there any more, by their hashes

    def add(self) -> Changes:
        for file in self._reading.ahead(self._reading.files(self._intake.paths, self._states.roots)):
            yield from self._read(file)
        yield from self._read_orphans()
        self._reading.check_vanishing()
        if not self._reading.tally.num_passages:
            raise nothing_found(self._intake.paths, self._reading.tally)

    def sync(self) -> Changes:
        paths, states = self._intake.paths, self._states
        num_in = {path: states.num_in(path) for path in map(_absolute, paths)}
        found = self._reading.files(self._intake.paths_to_read, states.roots, lambda folder, _: states.meet_below(folder))
        num_met, tally = 0, self._reading.tally
        for file in found:
            is_first = states.meet(file)
            num_met += is_first
            tally.num_found -= not is_first
        if not num_met and not (self._intake.gone_ok and any(num_in.values())):
            raise nothing_found(paths, tally)
        yield from self._take_out_what_is_gone()
        for file in states.met():  # all before the first is read: an id may have moved there from any other
            if self._unchanged(file) is None:
                states.note_to_read(file.at)
        leaning: list[tuple[CorpusFile, FileState]] = []
        for file in self._reading.ahead(states.met(), lambda file: states.is_to_read(file.at)):
            known = None if states.is_to_read(file.at) else states.of(file.at)
            if known is None:
                yield from self._replace(file)
            elif known.leans or file.at in self._orphans or states.has_copies(file.at):
                leaning.append((file, known))
            else:
                self._keep(file, known)
        yield from self._settle(leaning)
        yield from self._read_orphans()
        self._reading.check_vanishing()
        tally.num_unchanged = self._intake.synced.unchanged
        if not (tally.num_passages or self._intake.synced.unchanged or self._intake.gone_ok):
            raise nothing_found(paths, tally)
        gone = [path for of_hash in self._gone.values() for path in of_hash]
        if not self._intake.gone_ok:
            check_gone(gone, num_in, {path: states.num_met(path) for path in num_in})
        self._intake.synced.removed += len(gone)

    def _settle(self, leaning: list[tuple[CorpusFile, FileState]]) -> Changes:
        """Reads unchanged files again if what they share with another file may have been taken out, and keeps the others."""
        while again := [file for file, known in leaning if self._has_lost(file, known)]:
            read = {file.at for file in again}
            leaning = [one for one in leaning if one[0].at not in read]
            for file in again:
                yield from self._replace(file)
        for file, known in leaning:
            self._keep(file, known)

    def _has_lost(self, file: CorpusFile, known: FileState) -> bool:
        return (known.leans and self._was_taken_out) or file.at in self._orphans

    def _read_orphans(self) -> Changes:
        """Reads files that were not given, and whose text would be lost with that of a given one.

        Each is read with the options that it was read with before, its access labels above all. If these are not known, or it
        cannot be read, the index keeps what it has of it.
        """
        while self._orphans:
            at = min(self._orphans)
            self._orphans.discard(at)
            known = self._states.of(at)
            if known is None:
                continue
            roots, follows = self._states.roots, self._intake.options.follow_links
            document_id = roots.document_id(at)
            place = None if follows else roots.root_of(at)
            file = recognised(CorpusFile(at, document_id, document_id, at=at, confined_to=place), is_asked_for=True)
            options = CorpusOptions.of_reading(known.reading)
            if not self._reading.is_taken(file):
                continue
            if options is not None:
                yield from self._read(file, replace(options, lenient=self._intake.options.lenient), known)
            else:
                what = f"{document_id} has text of a file that was read again, and was read by an earlier version, with options"
                said = f"{what} that are not known; give its path as well"
                self._reading.tally.unread.append(Unread(document_id, said, known.num_passages, kind=Reason.READ_EARLIER))

    def _take_out_what_is_gone(self) -> Changes:
        for path, state in list(self._states.vanished(map(_absolute, self._intake.paths))):
            yield from self._take_out(path)
            self._states.forget(path)
            if state.is_in:
                self._gone.setdefault(state.sha256, []).append(path)

    def _take_out(self, path: Path) -> Generator[Passage | range, None, bool]:
        """What the index has of a file, to remove; returns whether there is any. If files are only added, it stays."""
        self._orphans.update(self._states.take_copies(path))
        self._orphans.discard(path)
        found = self._states.take_numbers(path) if self._intake.sync else []
        self._was_taken_out |= bool(found)
        yield from found
        return bool(found)

    def _unchanged(self, file: CorpusFile) -> FileState | None:
        """The state of a file if it is unchanged; `None` if it has to be read."""
        known = self._states.of(file.at)
        if known is None or not known.sha256 or known.reading != self._reading_of(file):
            return None
        if known.unread and not self._intake.options.lenient:
            return None
        try:
            seen = look_at(file)
            if (seen.size, seen.mtime_ns) == (known.size, known.mtime_ns):
                return known
            if seen.size != known.size or hash_of(file) != known.sha256:
                return None
        except DataError:  # reading it says so
            return None
        known = replace(known, mtime_ns=seen.mtime_ns)
        self._states.note(file.at, known)
        return known

    def _keep(self, file: CorpusFile, known: FileState) -> None:
        self._intake.synced.unchanged += known.is_in
        if known.unread:
            self._reading.tally.unread.append(Unread(file.source, known.unread, known.num_passages, kind=known.kind))
        self._intake.note_read(known.size)

    def _replace(self, file: CorpusFile) -> Changes:
        known = self._states.of(file.at)
        was_in = known is not None and known.is_in
        state = yield from self._read(file)
        synced = self._intake.synced
        if state is None:  # it has vanished, and what the index has of it stays
            synced.unchanged += known is not None and known.num_passages > 0
        elif was_in and not state.is_in and is_missing(file.path):  # a link whose target is gone
            self._gone.setdefault("", []).append(file.at)
        elif not state.is_in:
            synced.removed += was_in
        elif was_in:
            synced.replaced += 1
        elif self._gone.get(state.sha256):
            self._gone[state.sha256].pop()
            synced.moved += 1
        else:
            synced.added += 1

    def _read(
        self, file: CorpusFile, options: CorpusOptions | None = None, kept: FileState | None = None
    ) -> Generator[Passage | range, None, FileState | None]:
        """Reads a file and notes its state before reading: changes during reading are noticed the next time.

        Args:
            file: to read.
            options: to read it with; by default those of the intake.
            kept: its state in the index, if what the index has of it stays where it cannot be read.

        Returns:
            The state; `None` if the file has vanished or could not be read, and what the index has of it stays.
        """
        tally = self._reading.tally
        num_before, num_taken, num_unread = tally.num_passages, tally.num_taken, len(tally.unread)
        self._states.note_to_read(file.at)
        try:
            state = replace(look_at(file), sha256=hash_of(file), reading=self._reading_of(file, options))
        except DataError as error:
            if not self._intake.options.lenient:
                raise
            is_gone = has_vanished(file.path, error)
            tally.unread.append(Unread(file.source, str(error), has_vanished=is_gone, kind=reason_of(error)))
            if is_gone or kept is not None:
                self._note_kept(file, kept)
                return None
            yield from self._take_out(file.at)
            self._states.forget(file.at)
            return FileState(0, 0, unread=str(error), kind=reason_of(error))
        if not (yield from self._passages(file, options, kept)):
            self._note_kept(file, kept)
            return None
        state = replace(
            state,
            num_passages=tally.num_passages - num_before,
            leans=tally.num_taken > num_taken,
            unread="".join(one.reason for one in tally.unread[num_unread:]),
            kind=next((one.kind for one in tally.unread[num_unread:]), Reason.DAMAGED),
        )
        self._states.note_copies(file.at, self._reading.left_out)
        self._states.note(file.at, state, range(self._next_number + num_before, self._next_number + tally.num_passages))
        return state

    def _passages(
        self, file: CorpusFile, options: CorpusOptions | None, kept: FileState | None
    ) -> Generator[Passage | range, None, bool]:
        """The passages of a file, preceded by what the index has of it, to remove. Arguments as of `_read`.

        Returns:
            Whether it was read; if the file vanished before its first passage, or what the index has of it is to be kept,
            nothing is removed.

        Raises:
            DataError: if it vanishes later and the index has it, so that the index stays as it was.
        """
        unread = self._reading.tally.unread
        num_unread = len(unread)
        passages = self._reading.passages(file, options)
        passage = next(passages, None)
        if passage is None and len(unread) > num_unread and (kept is not None or _vanished_since(unread, num_unread)):
            return False
        is_replaced = yield from self._take_out(file.at)
        while passage is not None:
            try:
                yield passage
            except TakenId as error:
                passage = _thrown(passages, error)
            else:
                passage = next(passages, None)
        if is_replaced and _vanished_since(unread, num_unread):
            raise DataError(f"{unread[-1].reason}; nothing was changed: run the same command again")
        return True

    def _note_kept(self, file: CorpusFile, kept: FileState | None) -> None:
        """Reports that what the index has of a file stays, since the file has vanished or cannot be read.

        If the folder of a file that has vanished did so, too, that is an error.
        """
        unread = self._reading.tally.unread
        if unread[-1].has_vanished:
            self._note_vanished(file)
        elif kept is not None:
            unread[-1] = replace(unread[-1], num_passages=kept.num_passages)

    def _note_vanished(self, file: CorpusFile) -> None:
        """Reports what becomes of a vanished file; if its folder vanished, too, that is an error."""
        self._reading.check_standing()
        known = self._states.of(file.at)
        kept = "the index keeps what it has of it" if known is not None and known.is_in else "nothing of it is in the index"
        what = f"{file.source} vanished while the files were read; {kept}: run the same command again"
        num_kept = known.num_passages if known is not None else 0
        self._reading.tally.unread[-1] = Unread(file.source, what, num_kept, has_vanished=True, kind=Reason.UNREACHABLE)
        self._intake.note_read(known.size if known is not None else 0)

    def _reading_of(self, file: CorpusFile, options: CorpusOptions | None = None) -> str:
        there = [f" with {library}" for library in file.libraries if find_spec(library)]
        there += [" with ocr"] if CAN_RECOGNISE and file.suffix == ".pdf" else []
        return "".join([(options or self._intake.options).reading, *there])


def _vanished_since(unread: Sequence[Unread], num_before: int) -> bool:
    return any(one.has_vanished for one in unread[num_before:])


def _thrown(passages: Generator[Passage, None, None], error: TakenId) -> Passage | None:
    """Throws an error into the passages; returns the next one, if there is one."""
    try:
        return passages.throw(error)
    except StopIteration:
        return None


def _absolute(path: Path) -> Path:
    """The path of a folder or file in the form of its state."""
    return Path(os.path.realpath(path)) if path.is_dir() else Path(os.path.realpath(path.parent)) / path.name
