"""What has to be done to an index so that it holds some files: passages to add, and numbers of passages to take out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

from hopweave.corpus.file_states import FileState, FileStates, hash_of, look_at
from hopweave.corpus.files import CorpusFile, OnBytes
from hopweave.corpus.find import find_files
from hopweave.corpus.read import Books, CorpusOptions, Reading, nothing_found
from hopweave.corpus.tally import Tally, Unread
from hopweave.errors import DataError
from hopweave.types import Passage

Changes = Generator[Passage | range, None, None]
"""Passages, each of which gets the next number, and numbers to take out. A `TakenId` may be thrown in for a passage."""


@dataclass(slots=True)
class Synced:
    """What became of files: how many are new, changed, gone, found under another name, and as they were."""

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
        sync: read what is new or changed alone, and take out what is gone; else all is read and nothing taken out.
        options: how it is read.
        tally: what was read.
        on_bytes: told how many bytes were read, or need not be.
        synced: what became of the files, with `sync`.
        books: reads PDF, DOCX and EPUB files in place of this process.
    """

    paths: Sequence[Path]
    sync: bool = False
    options: CorpusOptions = field(default_factory=CorpusOptions)
    tally: Tally = field(default_factory=Tally)
    on_bytes: OnBytes = None
    synced: Synced = field(default_factory=Synced)
    books: Books | None = None
    _num_bytes: int | None = field(default=None, init=False)
    _num_read: int = field(default=0, init=False)

    def share_read(self) -> float:
        """What share of `num_bytes` has been read so far, or need not be; from 0 to 1."""
        return min(1.0, self._num_read / (self.num_bytes() or 1))

    def num_bytes(self) -> int:
        """Of all the files that may be read, on disk; what cannot be looked at counts as nothing where reading is lenient.

        Raises:
            DataError: for a path that does not exist.
        """
        if self._num_bytes is None:
            self._num_bytes = self._sized()
        return self._num_bytes

    def _sized(self) -> int:
        on_unlisted = (lambda _folder, _error: None) if self.options.lenient else None
        found = find_files(self.paths, selection=self.options.selection, on_unlisted=on_unlisted)
        return sum(self._size(file) for file in found if file.is_readable)

    def _size(self, file: CorpusFile) -> int:
        try:
            return look_at(file).size
        except DataError:
            if not self.options.lenient:
                raise
            return 0

    def note_read(self, num_bytes: int) -> None:
        """Notes that so many more bytes were read, or need not be."""
        self._num_read += num_bytes
        if self.on_bytes is not None:
            self.on_bytes(num_bytes)

    def changes(self, states: FileStates, next_number: int) -> Changes:
        """What has to be done, in order.

        Args:
            states: of the files; they are brought up to date.
            next_number: of the first passage that is added.

        Raises:
            DataError: as `read_corpus`; also if nothing at all can be read.
        """
        with closing(Reading(self.options, self.tally, self.note_read, self.books)) as reading:
            one = _Pass(self, states, reading, next_number)
            yield from one.sync() if self.sync else one.add()


class _Pass:
    """One pass of an intake over its files."""

    def __init__(self, intake: Intake, states: FileStates, reading: Reading, next_number: int) -> None:
        self._intake = intake
        self._states = states
        self._reading = reading
        self._next_number = next_number
        self._was_taken_out = False
        self._gone: Counter[str] = Counter()  # by the hashes of files that vanished

    def add(self) -> Changes:
        for file in self._reading.ahead(self._reading.files(self._intake.paths, self._states.roots)):
            yield from self._read(file)
        if not self._reading.tally.num_passages:
            raise nothing_found(self._intake.paths, self._reading.tally)

    def sync(self) -> Changes:
        paths = self._intake.paths
        found = self._reading.files(paths, self._states.roots, lambda folder, _: self._states.meet_below(folder))
        if not sum(self._states.meet(file.at) for file in found):
            raise nothing_found(paths, self._reading.tally)
        yield from self._take_out_what_is_gone()
        leaning: list[tuple[CorpusFile, FileState]] = []
        for file in self._reading.ahead(self._files_again(), lambda file: self._unchanged(file) is None):
            known = self._unchanged(file)
            if known is None:
                yield from self._replace(file)
            elif known.leans:
                leaning.append((file, known))
            else:
                self._keep(file, known)
        for file, known in leaning:
            if self._was_taken_out:  # what it has in common with another file may be among that
                yield from self._replace(file)
            else:
                self._keep(file, known)
        if not (self._reading.tally.num_passages or self._intake.synced.unchanged):
            raise nothing_found(paths, self._reading.tally)
        self._intake.synced.removed += self._gone.total()

    def _files_again(self) -> Iterator[CorpusFile]:
        """The files once more, each once, whichever of the paths lead to it; what else there is was counted before."""
        done: set[Path] = set()
        several = len(self._intake.paths) > 1
        on_unlisted = (lambda _folder, _error: None) if self._intake.options.lenient else None
        selection = self._intake.options.selection
        for file in find_files(self._intake.paths, selection=selection, roots=self._states.roots, on_unlisted=on_unlisted):
            if file.is_readable and file.at not in done:
                if several:
                    done.add(file.at)
                yield file

    def _take_out_what_is_gone(self) -> Changes:
        for path, state in list(self._states.vanished(map(_absolute, self._intake.paths))):
            yield from self._take_out(path)
            self._states.forget(path)
            self._gone[state.sha256] += state.is_in

    def _take_out(self, path: Path) -> Changes:
        for numbers in self._states.take_numbers(path):
            self._was_taken_out = True
            yield numbers

    def _unchanged(self, file: CorpusFile) -> FileState | None:
        """The state of a file if it is still the same; `None` if it has to be read."""
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
            self._reading.tally.unread.append(Unread(file.source, known.unread, known.num_passages))
        self._intake.note_read(known.size)

    def _replace(self, file: CorpusFile) -> Changes:
        known = self._states.of(file.at)
        was_in = known is not None and known.is_in
        yield from self._take_out(file.at)
        state = yield from self._read(file)
        synced = self._intake.synced
        if state is None or not state.is_in:
            synced.removed += was_in
        elif was_in:
            synced.replaced += 1
        elif self._gone[state.sha256]:
            self._gone[state.sha256] -= 1
            synced.moved += 1
        else:
            synced.added += 1

    def _read(self, file: CorpusFile) -> Generator[Passage | range, None, FileState | None]:
        """Reads a file and notes its state, which is as it was before: what changes meanwhile is seen the next time."""
        tally = self._reading.tally
        try:
            state = replace(look_at(file), sha256=hash_of(file), reading=self._reading_of(file))
        except DataError as error:
            if not self._intake.options.lenient:
                raise
            tally.unread.append(Unread(file.source, str(error)))
            self._states.forget(file.at)
            return None
        num_before, num_elsewhere, num_unread = tally.num_passages, _num_elsewhere(tally), len(tally.unread)
        yield from self._reading.passages(file)
        state = replace(
            state,
            num_passages=tally.num_passages - num_before,
            leans=_num_elsewhere(tally) > num_elsewhere,
            unread="".join(one.reason for one in tally.unread[num_unread:]),
        )
        self._states.note(file.at, state, range(self._next_number + num_before, self._next_number + tally.num_passages))
        return state

    def _reading_of(self, file: CorpusFile) -> str:
        return self._intake.options.reading + (" with pypdf" if file.suffix == ".pdf" and find_spec("pypdf") else "")


def _num_elsewhere(tally: Tally) -> int:
    """How often something was left out because of what stands elsewhere."""
    return tally.num_duplicates + tally.num_taken


def _absolute(path: Path) -> Path:
    """The path of a folder or file as its state has it."""
    return Path(os.path.realpath(path)) if path.is_dir() else Path(os.path.realpath(path.parent)) / path.name
