"""Who may see a record of JSON: whoever may see the object around it, the record itself, and all that it consists of.

A passage is shown to holders of any of its labels. So of two sets of labels that both apply, those in both are right: whoever
holds one of them may see either. If there is none, no labels would be right, and the record is not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from hopweave.core.errors import DataError
from hopweave.core.visibility import ACCESS, METADATA, is_key, labels_in, plain_value
from hopweave.ingest.row import COLUMN, is_list_of_objects, text_in

_MOST_VALUES = 100
"""Labels and metadata of an object that each of the records in it has as well."""


@dataclass(frozen=True, slots=True)
class Around:
    """What an object says of all the records in it.

    Attributes:
        access: the labels of those who may see them.
        metadata: to filter by.
    """

    access: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


def said_around(values: Mapping[str, Any], place: str) -> Around:
    """What an object says of the records in it; metadata that are no texts, numbers or truth values say nothing of them.

    Args:
        values: the fields of the object.
        place: its name in messages.

    Raises:
        DataError: if its labels cannot be read, or are too many to be given to each record.
    """
    access = labels_in(values.get(ACCESS), place)
    if len(access) > _MOST_VALUES:
        raise DataError(
            f"{place}: its access has {len(access):,} labels, more than {_MOST_VALUES}; give one label to all of them"
        )
    plain = ((key, plain_value(value)) for key, value in metadata_of(values) if is_key(key))
    metadata = islice(((key, value) for key, value in plain if value is not None), _MOST_VALUES)
    return Around(access, dict(metadata))


def metadata_of(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The metadata of a record by key: from its object `metadata`, and from columns such as `metadata.year`."""
    given = values.get(METADATA)
    if isinstance(given, Mapping):
        yield from given.items()
    elif given is not None:
        yield METADATA, None if given == "" else [given]
    for name, value in values.items():
        if name.startswith(COLUMN):
            yield name.removeprefix(COLUMN), value


def with_labels(values: Mapping[str, Any], around: Around, place: str) -> Mapping[str, Any]:
    """A record with the labels of those who may see all of it, and with the metadata of the object around it.

    >>> dict(with_labels({"text": "The lamp is lit."}, Around(("board",), {"year": "1874"}), "line 1"))
    {'text': 'The lamp is lit.', 'access': ['board'], 'metadata': {'year': '1874'}}

    Args:
        values: the fields of the record; its own metadata come before those around it.
        around: what the object around it says.
        place: its name in messages.

    Raises:
        DataError: if labels cannot be read, or there are none for those who may see all of it.
    """
    others = [around.access, *(labels_in(given, place) for given in _labels_within(values) if given is not None)]
    more: dict[str, Any] = {}
    if any(others):
        more[ACCESS] = list(_shared([labels_in(values.get(ACCESS), place), *others], place))
    own = values.get(METADATA)
    if around.metadata and (own in (None, "") or isinstance(own, Mapping)):
        more[METADATA] = {**around.metadata, **(own or {})}
    return {**values, **more} if more else values


def _labels_within(values: Mapping[str, Any]) -> Iterator[object]:
    """What the parts of a record that have a text, such as its comments, say about who may see them."""
    for value in values.values():
        for one in value if is_list_of_objects(value) else ():
            if text_in(one):
                yield one.get(ACCESS)
            yield from _labels_within(one)


def _shared(labels: list[tuple[str, ...]], place: str) -> tuple[str, ...]:
    """The labels that are in all of some sets, without those that are empty, since these are for everyone."""
    first, *others = filter(None, labels)
    shared = set(first).intersection(*others)
    if not shared:
        raise DataError(
            f"{place}: its access has no label that what is around it and within it has as well; give all of them one"
        )
    return tuple(sorted(shared))
