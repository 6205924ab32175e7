"""Takes files into a BM25 index: their passages, and next to them the states of the files, published together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hopweave.core.errors import DataError
from hopweave.core.types import Passage
from hopweave.ingest.file_states import FileStates, copies_in, count_files
from hopweave.ingest.lookup import document_id_of
from hopweave.ingest.reasons import TakenId
from hopweave.retrieval.index.bm25_index import ENGINE, FILE_STATES, Writing
from hopweave.retrieval.index.index_folder import is_index, read_manifest

if TYPE_CHECKING:
    from hopweave.ingest.intake import Intake

OnPassage = Callable[[int], None] | None

_Found = TypeVar("_Found")


def take_in(writing: Writing, data: Path, intake: Intake, on_passage: OnPassage) -> bool:
    """Applies an intake to an index; returns whether anything changed.

    Args:
        writing: the writer of the new state.
        data: its folder.
        intake: which files.
        on_passage: called with the number of passages so far, after each.

    Raises:
        DataError: for a file that cannot be read, or a damaged list of files.
    """
    with closing(FileStates(data / FILE_STATES)) as states:
        placing = _Placing(writing, states)
        changes = intake.changes(states, writing.next_number)
        change = next(changes, None)
        while change is not None:
            try:
                if isinstance(change, range):
                    writing.delete_numbers(change)
                else:
                    placing.put(change, replaces_any=not (intake.sync or intake.makes_ids))
                    if on_passage is not None:
                        on_passage(writing.num_added)
            except TakenId as error:
                try:
                    change = changes.throw(error)
                except StopIteration:
                    change = None
            else:
                change = next(changes, None)
        return bool(writing.num_added or writing.num_deleted or states.is_changed)


class _Placing:
    """Puts passages into an index, in the place of those that they replace."""

    def __init__(self, writing: Writing, states: FileStates) -> None:
        self._writing = writing
        self._states = states
        self._document = ""  # of the last passage

    def put(self, passage: Passage, *, replaces_any: bool) -> None:
        """Adds a passage, which replaces the one with its id, and the document that it was cut from.

        Raises:
            TakenId: if what it would replace is of another file that is not read again, unless it replaces any.
        """
        document_id = document_id_of(passage)
        if not replaces_any:
            self._check(passage.id, passage)
            if document_id not in {passage.id, self._document}:
                self._check(document_id, passage)
        self._writing.replace(passage)
        self._document = document_id

    def _check(self, any_id: str, passage: Passage) -> None:
        owners = filter(None, map(self._states.owner, self._writing.numbers_of(any_id)))
        if (owner := next((one for one in owners if not self._states.is_to_read(one)), None)) is not None:
            what = f"the id {any_id!r} in {passage.source} is already that of a passage from {owner.name}"
            raise TakenId(f"{what}; make the ids unique")


def delete(writing: Writing, data: Path, ids: Iterable[str], *, missing_ok: bool) -> None:
    """Deletes passages and documents by id; the files that they come from are read again when the index is synced.

    Raises:
        DataError: for an id that does not exist, unless `missing_ok`.
    """
    deleted: list[int] = []
    for any_id in ids:
        numbers = writing.delete(any_id)
        if not numbers and not missing_ok:
            raise DataError(f"index {data.parent} has no passage or document {any_id!r} to delete; check the id")
        deleted += numbers
    if deleted and (data / FILE_STATES).exists():
        with closing(FileStates(data / FILE_STATES)) as states:
            states.distrust(deleted)


def copies_of(folder: Path, passage_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The sources of other documents that have the text of passages; none if there is no such index in the folder.

    Raises:
        DataError: if the index cannot be read.
    """
    if not is_index(folder):
        return {}
    ids = list(passage_ids)
    return _in_current(folder, read_manifest(folder, ENGINE).data, lambda states: copies_in(states, ids))


def num_files(data: Path) -> int | str:
    """How many files the passages in a data folder come from, if known; in the next folder if a writer has removed it.

    Raises:
        DataError: if the index cannot be read.
    """
    number = _in_current(data.parent, data.name, count_files)
    return number if number is not None else "not known: built by an earlier version, or not from files"


def _in_current(folder: Path, data: str, look_up: Callable[[Path], _Found]) -> _Found:
    """What is found in the list of files of an index; once more if a new state was published meanwhile.

    Args:
        folder: the index.
        data: name of the data folder, by a manifest that was read.
        look_up: called with the path of the list, which may be missing.
    """
    while True:
        found = look_up(folder / data / FILE_STATES)
        if (folder / data / FILE_STATES).exists() or (current := read_manifest(folder, ENGINE).data) == data:
            return found
        data = current
