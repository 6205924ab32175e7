"""Takes files into a BM25 index: their passages, and next to them the states of the files, published together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from hopweave.core.errors import DataError
from hopweave.core.types import Passage
from hopweave.ingest.file_states import FileStates, copies_in, count_files
from hopweave.ingest.reasons import TakenId
from hopweave.retrieval.index.bm25_index import ENGINE, FILE_STATES, Writing
from hopweave.retrieval.index.index_folder import MANIFEST, read_manifest

if TYPE_CHECKING:
    from hopweave.ingest.intake import Intake

OnPassage = Callable[[int], None] | None


def take_in(writing: Writing, data: Path, intake: Intake, on_passage: OnPassage) -> bool:
    """Applies an intake to an index; returns whether anything changed.

    Args:
        writing: the writer of the new state.
        data: its folder.
        intake: which files.
        on_passage: called with the number of passages so far, after each.
    """
    with closing(FileStates(data / FILE_STATES)) as states:
        changes = intake.changes(states, writing.next_number)
        change = next(changes, None)
        while change is not None:
            try:
                if isinstance(change, range):
                    writing.delete_numbers(change)
                else:
                    _put(writing, change, states if intake.sync else None)
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


def _put(writing: Writing, passage: Passage, states: FileStates | None) -> None:
    """Adds a passage, replacing one with its id; with states, it must not replace one of another file."""
    for number in writing.numbers_of(passage.id) if states is not None else ():
        if states is not None and (owner := states.owner(number)) is not None:
            raise TakenId(
                f"the id {passage.id!r} in {passage.source} is already that of a passage from {owner.name}; make the ids unique"
            )
    writing.replace(passage)


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
    """The sources of other documents that have the text of passages; none if there is no such index in the folder."""
    if not (folder / MANIFEST).is_file():
        return {}
    return copies_in(folder / read_manifest(folder, ENGINE).data / FILE_STATES, passage_ids)


def num_files(data: Path) -> int | str:
    """How many files the passages in a data folder come from, if known."""
    path = data / FILE_STATES
    return count_files(path) if path.exists() else "not known: built by an earlier version, or not from files"
