"""Changes to an earlier record when its question is asked again, and the link from the new record to the earlier one.

    {"change": "reply", "step": 3, "was": "[Answer 1]: Ulm", "now": "[Answer 1]: Bern"}
    {"change": "query", "step": 5, "was": "Who was born in Ulm?", "now": "Who was born in Bern?"}
    {"change": "forbid", "step": 5, "passage": "ulm-2"}
    {"change": "pin", "step": 5, "passage": "bern-1"}

The steps are those of the earlier record. `was` is the original text, so that a change meant for another record is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from hopweave.core.characters import whole
from hopweave.core.errors import DataError

MAX_CHANGES = 100
MAX_CHARACTERS = 50_000
"""The maximum length of replacement words."""


def _is_empty(text: str) -> bool:
    return not text


Text = Annotated[str, Field(exclude_if=_is_empty)]
"""A text that is left out of the JSON if it is empty."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change. It applies from its step on, also to identical later calls.

    Attributes:
        change: `reply` replaces the model's reply with `now`; `query` searches for `now` instead of a query; `forbid` hides a
            passage from all searches from that step on; `pin` puts one first among the hits of a search.
        step: its number in the earlier record: a call of the model (`reply`), a search (`query`, `pin`), any step (`forbid`).
        was: the original reply or query. In a search with several queries it selects one; without it, a passage is pinned for
            each of them.
        now: the new words.
        passage: the id of the passage.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    change: Literal["reply", "query", "forbid", "pin"]
    step: Annotated[int, Field(ge=0)]
    was: Text = ""
    now: Text = ""
    passage: Text = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """The origin of a record that was not answered from scratch.

    Attributes:
        of: fingerprint of the record that it branches from.
        changes: all changes, including those that produced that record.
    """

    of: str
    changes: tuple[Change, ...]


def changes_of(given: object) -> tuple[Change, ...]:
    """Changes from JSON; changes that are already parsed are returned unchanged.

    Raises:
        DataError: for an invalid change, with its number.
    """
    if not isinstance(given, list | tuple) or not given:
        raise DataError(
            'the changes must be a list such as [{"change": "forbid", "step": 5, "passage": "ID"}]; give at least one'
        )
    if len(given) > MAX_CHANGES:
        raise DataError(f"{len(given)} changes are more than {MAX_CHANGES}; make fewer at a time")
    return tuple(_change(number, one) for number, one in enumerate(given, start=1))


def _change(number: int, given: object) -> Change:
    try:
        change = given if isinstance(given, Change) else _adapter().validate_python(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"] if part != "Change")
        raise DataError(f"change {number}: {f'{where}: ' if where else ''}{first['msg']}; correct it") from None
    is_edit = change.change in ("reply", "query")
    lacking = "now" if is_edit and not change.now.strip() else "passage" if not is_edit and not change.passage else ""
    if lacking:
        raise DataError(f"change {number} ({change.change}) has no {lacking!r}; add it")
    idle = "passage" if is_edit and change.passage else "now" if not is_edit and change.now else ""
    if idle:
        raise DataError(f"change {number} ({change.change}) does not use {idle!r}; leave it out")
    if len(change.now) > MAX_CHARACTERS:
        raise DataError(f"change {number} has {len(change.now):,} characters, more than {MAX_CHARACTERS:,}; shorten it")
    return Change(change.change, change.step, whole(change.was), whole(change.now), whole(change.passage))


@cache
def _adapter() -> TypeAdapter[Change]:
    return TypeAdapter(Change)
