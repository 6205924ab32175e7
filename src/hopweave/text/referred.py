"""What passages refer to in others: the sections that they name, definitions of their terms, and words like those around."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hopweave.core.types import Hit, Passage, Span
from hopweave.text.content_words import stems_of
from hopweave.text.defined_terms import used_and_defined
from hopweave.text.document_names import are_of_one_document
from hopweave.text.document_parts import parts_of, spans_of_part
from hopweave.text.part_references import references, sentence_of
from hopweave.text.sentences import sentence_around


class Referring(NamedTuple):
    """A sentence that refers to a part which a passage is in, or has.

    Attributes:
        stems: those of its words.
        meant: where that part is in the text of the passage, as far as it begins there.
    """

    stems: frozenset[str]
    meant: tuple[Span, ...]


def referring_to(hits: Sequence[Hit]) -> Mapping[str, Sequence[Referring]]:
    """The sentences that refer to passages, by their ids: in others of the same document, or in what led to them."""
    found = {}
    for hit in hits:
        led_by = hit.via.passage_id if hit.via is not None and hit.via.by == "reference" else ""
        sources = [one.passage for one in hits if one is not hit and (one.passage.id == led_by or _may_refer(one, hit.passage))]
        if sources and (referring := list(_referring(hit.passage, sources))):
            found[hit.passage.id] = referring
    return found


def _may_refer(hit: Hit, passage: Passage) -> bool:
    """Whether a hit and a passage are parts of one document."""
    is_part = hit.passage.start is not None and passage.start is not None
    return is_part and are_of_one_document(hit.passage, passage)


def _referring(passage: Passage, sources: Sequence[Passage]) -> Iterator[Referring]:
    parts = parts_of(passage.title, passage.sections, passage.text)
    for source in sources:
        for one in references(source.text):
            label = next((label for of in parts for label in one.labels if label in of), None)
            if label is not None:
                at = sentence_of(one, source.text)
                meant = spans_of_part(passage.title, passage.sections, passage.text, label)
                yield Referring(stems_of(source.text[at.start : at.end]), tuple(meant))
        for use, definition in used_and_defined(source, passage):
            at = sentence_around(source.text, use.span)
            yield Referring(stems_of(source.text[at.start : at.end]), (definition.span,))
