"""Which words and signs of a drawing are explained: in a terminal, each once to a user, or all if asked for."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from hopweave.core.files import read_json, read_whole, write_whole
from hopweave.record import Record
from hopweave.show.legend import Entry, legend_of
from hopweave.show.outline import make_outline

_HOW_TO_SEE_ALL = Entry("--legend", "explains all of this again; by itself, each word is explained once")


def legend_for_user(record: Record, *, calls: bool, is_wanted: bool) -> list[Entry]:
    """What to explain below a drawing.

    Args:
        record: the record that is drawn.
        calls: whether calls are drawn, too.
        is_wanted: whether to explain everything. Otherwise, only what was not explained to this user before is, and nothing
            unless standard output is a terminal.
    """
    every = legend_of(record, make_outline(record, calls=calls))
    if is_wanted:
        return every
    if not sys.stdout.isatty():
        return []
    known = _explained()
    fresh = [entry for entry in every if entry.word not in known]
    if not fresh:
        return []
    _remember({*known, *(entry.word for entry in fresh)})
    return [*fresh, _HOW_TO_SEE_ALL]


def _place() -> Path:
    return user_cache_path("hopweave") / "explained.json"


def _explained() -> set[str]:
    """The words that were explained; none if the file cannot be read, so that they are explained again."""
    with suppress(OSError, ValueError):
        found = read_json(read_whole(_place()))
        return {word for word in found if isinstance(word, str)} if isinstance(found, list) else set()
    return set()


def _remember(words: Iterable[str]) -> None:
    with suppress(OSError):  # then they are explained again
        _place().parent.mkdir(parents=True, exist_ok=True)
        write_whole(_place(), json.dumps(sorted(words), ensure_ascii=False))
