"""A passage as `weave` uses it: with the names, references and terms in it."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from hopweave.core.types import Passage, Span
from hopweave.retrieval.index.bm25_search import Place, terms_of, terms_of_each
from hopweave.retrieval.index.links import keys_of, names, opening, title_key, with_numbers_apart
from hopweave.text.defined_terms import uses
from hopweave.text.document_names import words_above
from hopweave.text.page_names import page_name
from hopweave.text.part_references import Reference, references
from hopweave.text.sentences import sentence_spans

NAME_WEIGHT = 0.75
MAX_SHARING = 30
"""A name that occurs in more passages is not followed."""

NEAR_A_TERM = 0.5
"""What a sentence shares with the question, relative to the best one, if its terms are looked up."""

_BEGINNING = 60  # characters


class Words(Protocol):
    """What a passage asks its index, which is a `WordIndex`."""

    def passage_at(self, place: Place) -> Passage: ...

    def leads_somewhere(self, key: str, *, is_code: bool) -> bool: ...

    def mentions(self, text: str) -> list[str]: ...

    def num_naming(self, key: str) -> int: ...

    def num_shown(self, field: str, value: str, most: int) -> int: ...

    def part_of(self, passage: Passage, reference: Reference) -> str: ...

    def glossaries_of(self, passage: Passage) -> list[str]: ...

    def definition_of(self, label: str, wholes: Sequence[str]) -> str: ...


class Document:
    """A passage of the index, with the properties used in weaving. It is read on first use, since most hits are never read.

    Args:
        place: its place.
        number: its number.
        words: its index.
    """

    def __init__(self, place: Place, number: int, words: Words) -> None:
        self.place = place
        self.number = number
        self.is_looked_into = False
        self._words = words

    def __lt__(self, other: Document) -> bool:
        """The order of equally good passages: by id."""
        return self.passage.id < other.passage.id

    @cached_property
    def passage(self) -> Passage:
        """The stored passage."""
        return self._words.passage_at(self.place)

    @cached_property
    def key(self) -> str:
        """The key of its title; empty if the title leads nowhere."""
        key = title_key(self.passage.title)
        is_code = bool(key) and page_name(self.passage.title)[:1].islower()
        return key if key and self._words.leads_somewhere(key, is_code=is_code) else ""

    @cached_property
    def terms(self) -> frozenset[str]:
        """The terms of title, sections and text."""
        return frozenset(terms_of(f"{words_above(self.passage)}\n{self.passage.text}"))

    @cached_property
    def title_terms(self) -> frozenset[str]:
        """The terms of title and sections."""
        return frozenset(terms_of(words_above(self.passage)))

    @cached_property
    def sentences(self) -> tuple[frozenset[str], ...]:
        """The terms of each sentence."""
        text = self.passage.text
        return tuple(map(frozenset, terms_of_each([text[span.start : span.end] for span in sentence_spans(text)])))

    def links_to(self, other: Document) -> bool:
        """Whether the text names the other's document."""
        # Most do not, and checking that is much cheaper than finding all links.
        may_name = bool(other.key) and (other._longest_word in self._letters or not other._longest_word.isascii())
        return may_name and self.names(other.key) and other.key in self.links

    def near(self, others: Sequence[Document]) -> list[Document]:
        """Those of some passages whose documents the text may name, or whose texts may name this document: few of them."""
        letters, own = self._letters, self._longest_word if self.key else ""
        found = []
        for other in others:
            named = other.key and other._longest_word
            if (named and (named in letters or not named.isascii())) or (own and (own in other._letters or not own.isascii())):
                found.append(other)
        return found

    @cached_property
    def _letters(self) -> str:
        """The text in small letters, without accents, and without what is not ASCII then: it has every ASCII word of `flat`."""
        text = self.passage.text
        if text.isascii():
            return text.lower()
        return unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()

    @cached_property
    def _longest_word(self) -> str:
        """The longest word of its key."""
        return max(self.key.split(" "), key=len)

    @cached_property
    def links(self) -> frozenset[str]:
        """The keys of the documents that the text names, except its own."""
        return frozenset(self._words.mentions(self.passage.text)) - {title_key(self.passage.title)}

    @cached_property
    def references(self) -> Mapping[Reference, str]:
        """What the text refers to, and the key of the part that it is, as far as the index has it."""
        found = ((reference, self._words.part_of(self.passage, reference)) for reference in references(self.passage.text))
        return {reference: key for reference, key in found if key}

    @cached_property
    def shared_names(self) -> dict[str, float]:
        """The names in the text that are in other passages as well, with the weight of a link by them."""
        shared = {}
        for name in names(self.passage.text):
            num = self._words.num_naming(name)
            if num >= 2 and self._words.num_shown("opening", opening(name), MAX_SHARING) <= MAX_SHARING:
                shared[name] = NAME_WEIGHT / (1 + 0.5 * math.log(1 + num / 3))
        return shared

    @cached_property
    def flat(self) -> str:
        """The text in the form of keys, to search for a key."""
        return f" {' '.join(keys_of(with_numbers_apart(self.passage.text)))} "

    def names(self, key: str) -> bool:
        """Whether the text contains a key, in any context."""
        return f" {key} " in self.flat

    def begins_with(self, key: str) -> bool:
        """Whether the text's first words contain a key."""
        return f" {key} " in self.flat[:_BEGINNING]

    def best_sentence(self, question: Mapping[str, float]) -> frozenset[str]:
        """The terms of the sentence that shares most with the question, by idf; ties go to the first."""
        return max(self.sentences, key=lambda terms: _shared(terms, question), default=frozenset())

    def share_at(self, start: int, question: Mapping[str, float]) -> float:
        """What the sentence at a place in the text shares with the question, by idf, relative to the best sentence."""
        most = max((_shared(terms, question) for terms in self.sentences), default=0.0)
        spans = sentence_spans(self.passage.text)
        at = next((terms for terms, span in zip(self.sentences, spans, strict=True) if start < span.end), frozenset[str]())
        return _shared(at, question) / most if most else 1.0

    def terms_near(self, question: Mapping[str, float]) -> Iterator[tuple[str, str, float]]:
        """Terms that are defined elsewhere, in the sentences that share most with the question.

        Yields:
            The term as it is written, the key of what defines it, and what its sentence shares with the question, by idf,
            relative to the best one.
        """
        wholes = self._words.glossaries_of(self.passage)
        shares = [_shared(terms, question) for terms in self.sentences] if wholes else []
        most = max(shares, default=0.0)
        if not most:
            return
        for span, share in zip(sentence_spans(self.passage.text), shares, strict=True):
            sentence = self.passage.text[span.start : span.end]
            for run in uses(sentence) if share >= NEAR_A_TERM * most else ():
                known = ((use.span, self._words.definition_of(use.label, wholes)) for use in run)
                at, key = next((one for one in known if one[1]), (Span(0, 0), ""))
                if key:
                    yield sentence[at.start : at.end], key, share / most


def _shared(terms: Collection[str], question: Mapping[str, float]) -> float:
    """The weight of the question's words that are among some terms."""
    # A plain sum depends on the order of the terms, which for a set differs between processes.
    return math.fsum(weight for term, weight in question.items() if term in terms)
