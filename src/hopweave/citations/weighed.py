"""The words and values of a sentence as `citations.nearer` weighs them: those of an answer beside the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from hopweave.citations.about import is_english, names_in, telling
from hopweave.citations.places import Place, parties_of_document
from hopweave.citations.rules.changes import is_earlier_asked
from hopweave.citations.rules.parties import Party, is_party
from hopweave.core.types import Passage, Span
from hopweave.text.agreement import is_spelled_out
from hopweave.text.content_words import keys_of
from hopweave.text.document_names import names_the_document
from hopweave.text.languages import is_foreign_beside, language_beside
from hopweave.text.list_marks import MARKS_OF_ITEM
from hopweave.text.table_rows import is_row
from hopweave.text.values_alike import Value, value_at, values_in
from hopweave.text.wanted import Wanted, content_stems


@dataclass(frozen=True)
class Weighed:
    """An answer beside what else its sentence, and the passages that were found, have.

    Attributes:
        query: the query.
        said: the answer.
        asking: what the sentence is compared with: the query, or an answer that is a statement.
        place: the place, without the mark of an item.
        is_item: whether that began with such a mark.
        inside: the position of the words in the sentence of the place.
        language: the code of the language of the sentence.
        values: those of the sentence.
        own: the one that the words are, if any.
        parties: those that the document names.
        passages: all that were found.
    """

    query: str
    said: str
    asking: str
    place: Place
    is_item: bool
    inside: Span
    language: str
    values: Sequence[Value]
    own: Value | None
    parties: Sequence[Party]
    passages: Sequence[Passage]

    @property
    def sentence(self) -> str:
        """The sentence alone."""
        return self.place.sentence

    @property
    def is_statement(self) -> bool:
        """Whether the answer names its own subject."""
        return self.asking == self.said

    @cached_property
    def wanted(self) -> Wanted:
        """What is wanted, without words that all of the document is about: they tell its parts apart only where nothing else
        does.
        """
        beside = content_stems("\n".join([names_the_document(self.place.passage), *self._terms]))
        return Wanted(self.asking, telling(content_stems(self.asking) - beside, self.asking), self._terms)

    @cached_property
    def all_wanted(self) -> Wanted:
        """What is wanted, with all its words."""
        return Wanted(self.asking, content_stems(self.asking), self._terms)

    @cached_property
    def _terms(self) -> frozenset[str]:
        return _terms_asked(self.asking, self.parties)


def weighed(query: str, said: str, asking: str, place: Place, focus: Span, passages: Sequence[Passage]) -> Weighed | None:
    """An answer beside what else there is; `None` if it is not weighed: in a row, or in a language that is not known.

    Args:
        query: the query.
        said: the answer.
        asking: the query, or the answer if that is a statement.
        place: where the answer stands.
        focus: the position of its words in the text of the passage.
        passages: all that were found.
    """
    place, is_item = _without_mark(place, focus)
    inside = Span(focus.start - place.span.start, focus.end - place.span.start)
    if (
        not (is_english(asking) or is_foreign_beside(asking, place.passage.text))
        or is_row(place.sentence)
        or is_spelled_out(asking, said, place.sentence)
        or is_earlier_asked(asking, place.sentence, inside)
    ):
        return None
    parties = parties_of_document(place.passage, passages)
    language = language_beside(place.sentence, place.passage.text, query)
    values = values_with(place.sentence, parties, language)
    own = value_at(inside, values)
    return Weighed(query, said, asking, place, is_item, inside, language, values, own, parties, passages)


def values_with(text: str, parties: Iterable[Party], language: str) -> list[Value]:
    """The values of a text in a language, and the terms for parties of a contract in it, which are values of one kind."""
    found = [
        Value("party", Span(*match.span()))
        for term in {party.term for party in parties}
        for match in re.finditer(rf"\b{re.escape(term)}\b(?!['’])", text)
    ]
    return sorted([*values_in(text, language), *found], key=lambda value: value.span.start)


def _without_mark(place: Place, focus: Span) -> tuple[Place, bool]:
    """A place without the mark of the item that it begins, whose number is no value of it, and whether it begins one.

    Nothing is left out if some words are the mark itself, as the day of `4. Mai` may be.
    """
    mark = MARKS_OF_ITEM.match(place.sentence)
    if mark is None or focus.start < place.span.start + mark.end():
        return place, mark is not None
    return replace(place, span=Span(place.span.start + mark.end(), place.span.end)), True


def _terms_asked(asking: str, parties: Iterable[Party]) -> frozenset[str]:
    """The terms of a contract, as keys, for the parties that a query names or has as they are: `the Supplier`."""
    asked, names = keys_of(asking), names_in(asking)
    meant = {one.term for one in parties if keys_of(one.term) <= asked or any(is_party(name, one) for name in names)}
    return frozenset(key for term in meant for key in keys_of(term))
