"""Which passages a search may find: by access labels, and by filters on metadata.

A passage without labels is for everyone. One with labels is for users who hold at least one of them, and a user holds only
the labels that are given. Each engine translates this into its own filter, which applies before anything is ranked.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage

ACCESS, METADATA = "access", "metadata"
FIELDS = (ACCESS, METADATA)
"""The fields in which an engine keeps the values for filters; see `filter_values`."""

OPTION = "visible"
"""The option of a retriever that says which passages it may show."""

MAX_LABEL_CHARACTERS = 100
MAX_VALUE_CHARACTERS = 1000
_EVERYONE = ""
"""Stored in place of a label for a passage without labels."""

_NO_TEXT = lazy_pattern(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")

Condition = tuple[str, tuple[str, ...]]
"""A field, and values of which a passage must have at least one in that field."""


@dataclass(frozen=True, slots=True)
class Visible:
    """The passages that a user may see and wants to search.

    Attributes:
        access: the labels that the user holds; also accepted as a text with commas.
        where: the values to filter by, by key of the metadata; of several for a key, one is enough. Plain values are accepted.

    Raises:
        SettingsError: for an invalid label or value.
    """

    access: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "access", labels_of(self.access))
        except ValueError as error:
            raise SettingsError(f"access {error}; give labels such as access = ['team-a']") from None
        object.__setattr__(self, "where", _wanted(self.where))

    def shows(self, passage: Passage) -> bool:
        """Whether a passage may be found."""
        may_see = not passage.access or not set(passage.access).isdisjoint(self.access)
        return may_see and all(passage.metadata.get(key) in values for key, values in self.where.items())

    def conditions(self, num_labelled: int) -> list[Condition]:
        """The conditions that a passage must meet to be shown, for an engine that keeps `filter_values`.

        Args:
            num_labelled: how many passages have labels; if none has, all are for everyone.
        """
        access = [(ACCESS, (_EVERYONE, *self.access))] if num_labelled else []
        return access + [(METADATA, tuple(_pair(key, value) for value in values)) for key, values in self.where.items()]

    @property
    def identity(self) -> str:
        """The part of a retriever's identity that describes it; empty if nothing is restricted."""
        access = f" access={','.join(self.access)}" if self.access else ""
        return access + (f" where={json.dumps(self.where, ensure_ascii=False)}" if self.where else "")


def filter_values(passage: Passage) -> dict[str, tuple[str, ...]]:
    """The values that an engine keeps of a passage for filters, for each of `FIELDS`.

    Raises:
        DataError: if its labels or its metadata are invalid.
    """
    named = f"passage {passage.id!r}"
    if not isinstance(passage.access, tuple) or passage.access != labels_in(passage.access, named):
        raise DataError(f"{named}: its access must be a tuple of different labels, not {passage.access!r}")
    for key, value in passage.metadata.items():
        if not is_key(key) or plain_value(value) != value:
            raise DataError(f"{named}: its metadata cannot have {key!r} = {value!r}; give short texts without line breaks")
    return {
        ACCESS: passage.access or (_EVERYONE,),
        METADATA: tuple(_pair(key, value) for key, value in passage.metadata.items()),
    }


def labels_of(given: object) -> tuple[str, ...]:
    """Labels, sorted, each once: those of a list, or of a text, which separates them by commas.

    Raises:
        ValueError: with a phrase that says what is wrong.

    >>> labels_of("team-b, team-a")
    ('team-a', 'team-b')
    """
    if given is None or (isinstance(given, str) and not given.strip()):
        return ()
    found = given.split(",") if isinstance(given, str) else given
    if not isinstance(found, list | tuple) or not all(isinstance(label, str) for label in found):
        raise ValueError(f"must be a label or a list of labels, not {given!r}")
    labels = {label.strip() for label in found}
    for label in labels:
        if not label or "," in label or len(label) > MAX_LABEL_CHARACTERS or _NO_TEXT.search(label):
            raise ValueError(
                f"has {label[:MAX_LABEL_CHARACTERS]!r}, and a label is a text of 1 to {MAX_LABEL_CHARACTERS} characters "
                "without commas and line breaks"
            )
    return tuple(sorted(labels))


def labels_in(given: object, place: str) -> tuple[str, ...]:
    """The labels of a passage.

    Raises:
        DataError: if they are invalid; a passage never becomes visible to everyone because its labels cannot be read.
    """
    try:
        return labels_of(given)
    except ValueError as error:
        raise DataError(f"{place}: its access {error}; correct it") from None


def is_key(key: object) -> bool:
    """Whether a value is valid as a key of metadata: a short text without `=`."""
    return isinstance(key, str) and 0 < len(key) <= MAX_LABEL_CHARACTERS and "=" not in key and not _NO_TEXT.search(key)


def plain_value(value: object) -> str | None:
    """A value of metadata as text: a number or a Boolean as JSON writes it; `None` if it is invalid.

    >>> [plain_value(value) for value in ("a  b", 1999, True, "", [1])]
    ['a b', '1999', 'true', None, None]
    """
    if isinstance(value, float) and not math.isfinite(value):
        return None
    text = " ".join(value.split()) if isinstance(value, str) else json.dumps(value) if isinstance(value, int | float) else ""
    return text if 0 < len(text) <= MAX_VALUE_CHARACTERS and not _NO_TEXT.search(text) else None


def cannot_filter(name: str) -> SettingsError:
    """The error for an engine that cannot filter passages, although not all may be shown."""
    return SettingsError(
        f"the retriever {name!r} has no option {OPTION!r}, so access and where do not reach it; leave them out, or give it one "
        "of the type hopweave.core.visibility.Visible"
    )


def _wanted(given: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(given, Mapping):
        raise SettingsError(f"where must name keys of metadata and their values, not {given!r}; give it as where.year = 1999")
    wanted = {}
    for key, value in sorted(given.items(), key=repr):
        several = list(value) if isinstance(value, list | tuple) else [value]
        values = [plain_value(one) for one in several]
        if not is_key(key) or not values or None in values:
            raise SettingsError(f"where cannot ask for {key!r} = {value!r}; give texts or numbers, such as where.year = 1999")
        wanted[key] = tuple(sorted({one for one in values if one is not None}))
    return wanted


def _pair(key: str, value: str) -> str:
    return f"{key}={value}"


PUBLIC = Visible()
"""The passages that everyone may see, unfiltered."""
