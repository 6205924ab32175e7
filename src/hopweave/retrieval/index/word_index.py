"""An index as `weave` uses it: passages with the names in them, and the best answers to words, among all or linked ones."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from heapq import nsmallest
from itertools import pairwise
from typing import NamedTuple

import tantivy

from hopweave.core.types import Passage
from hopweave.core.visibility import PUBLIC, Condition, Visible
from hopweave.retrieval.index.bm25_index import PART_FIELD, by_term, stored
from hopweave.retrieval.index.bm25_search import (
    SCORE_DECIMALS,
    TERMS_AT_ONCE,
    Clause,
    Found,
    Place,
    any_of,
    best,
    best_with_ties,
    clauses,
    descending,
    having,
    idf,
    num_within,
    place_of,
    query_terms,
    scores,
    scores_among,
    searching,
    shown_frequency,
    terms_in,
    terms_of,
    together,
)
from hopweave.retrieval.index.links import keys_of, mentions, opening, title_key, words_of
from hopweave.retrieval.index.part_links import DEFINES, defining, key_of_term, keys_referred_to
from hopweave.retrieval.index.word_document import MAX_SHARING, Document
from hopweave.text.content_words import is_named
from hopweave.text.key_terms import FUNCTION_WORDS, words_in
from hopweave.text.languages import is_foreign, language_of, words_for
from hopweave.text.part_references import Reference

MAX_TITLED = 100
"""A title that more passages share is no link: it leads to a long document, not to a passage."""

CANDIDATES = 24
"""How many passages are searched for residual words: the best hits of the rarest words."""

MAX_POSTINGS = 15_000
"""The most postings read for the residual words of one passage, unless the rarest has more. If all words together have fewer
postings, all of them find the candidates."""

FIRST_CANDIDATES = 100
MAX_FIRST_POSTINGS = 200_000
"""Candidates for the question itself, and the postings read to find them: if its words together have more, only the rarest
words find them."""

NEGLIGIBLE = 0.003
"""A term that can add less than this share of what all terms can is not looked up: in a large corpus a word in most passages
costs as much as all others together."""

MAX_LINKED = 200
"""How many linked passages are compared by their answers; of more, the best hits of the rarest words."""

MAX_DEFINING = 2
"""A term that more passages define is not followed: each means its own by it."""

_RARE = 5
_NAMED_SHARE = 0.5
_FEW = 10
"""A name of one word is of something in particular if at most so many passages have it; one of two words, `MAX_SHARING`."""

_MAX_FREQUENCIES = 1 << 16
_MAX_DOCUMENTS = 4096


Placed = Sequence[tuple[tantivy.DocAddress, int]]
"""Addresses of passages, with their numbers."""


class Linked(NamedTuple):
    """Passages that something leads to.

    Attributes:
        addresses: their addresses.
        query: what finds these and no other ones; `None` if only their numbers tell them.
    """

    addresses: Sequence[tantivy.DocAddress] = ()
    query: tantivy.Query | None = None


class Group(NamedTuple):
    """Passages of which those are looked for that answer best.

    Attributes:
        placed: the passages.
        most: how many are wanted at most.
        query: as that of `Linked`.
        has_all: whether those that answer nothing are among them.
    """

    placed: Placed
    most: int
    query: tantivy.Query | None = None
    has_all: bool = True


def function_terms(text: str) -> set[str]:
    """The terms of a text's function words: those of its language if that is known, else the English ones.

    One in capitals is none (`WHO`, `IT`).
    """
    function_words = words_for(language_of(text), "small").split() if is_foreign(text) else FUNCTION_WORDS
    found = [word for word in words_in(text) if word.key in function_words]
    abbreviated = {word.key for word in found if len(word.written) > 1 and word.written.isupper()}
    return {term for word in {word.key for word in found} - abbreviated for term in terms_of(word)}


class WordIndex:
    """An index as weaving uses it. Results for passages are cached, since the same ones occur repeatedly.

    What no visible passage has counts as what no passage has; of the rest, hidden passages are counted as well.

    Args:
        searcher: over the index.
        num_passages: how many it has.
        most_passages: the most that it has ever had.
        fields: the searched fields, with their weights.
        visible: the visible passages; no other one is found, leads on, or is a link's target.
        conditions: the same for the searcher.
    """

    def __init__(
        self,
        searcher: tantivy.Searcher,
        num_passages: int,
        most_passages: int,
        fields: Mapping[str, float],
        visible: Visible = PUBLIC,
        conditions: Sequence[Condition] = (),
    ) -> None:
        self._searcher = searcher
        self._search = searching(searcher, conditions)
        self._visible = visible
        self._conditions = conditions
        self._is_title = lru_cache(_MAX_FREQUENCIES)(self._is_shown_title)
        self._counted = lru_cache(_MAX_FREQUENCIES)(self._num_found)
        self._num_passages = num_passages
        self._most_passages = most_passages
        self._fields = fields
        self._documents: OrderedDict[Place, Document] = OrderedDict()
        self._frequency = shown_frequency(searcher, conditions, most_passages)

    def forget(self) -> None:
        """Lets go of the passages that were found first, if there are many.

        Only between questions: during one, each passage is one `Document`.
        """
        while len(self._documents) > _MAX_DOCUMENTS:
            self._documents.popitem(last=False)

    def question_terms(self, text: str) -> dict[str, int]:
        """The terms of a question that occur in some passage, and how often the question has them."""
        return query_terms(self._frequency, text)

    def idf(self, term: str) -> float:
        """The idf of a term; 0 for one that no passage has."""
        return idf(self._frequency("all", term), self._num_passages)

    @property
    def highest_idf(self) -> float:
        """The idf of a term that one passage has."""
        return idf(1, self._num_passages)

    def num_unknown(self, text: str) -> int:
        """How many different terms of a text no passage has."""
        return sum(not self._frequency("all", term) for term in set(terms_of(text)))

    def num_shown(self, field: str, value: str, most: int) -> int:
        """How many visible passages have a value in a field, up to one more than a number."""
        num = self._frequency(field, value)
        return num if not num or not self._conditions else self._counted(field, value, most + 1)

    def num_naming(self, key: str) -> int:
        """How many passages have the opening of a key: as many as name it, or more."""
        return self._frequency("opening", opening(key))

    def num_using(self, term: str) -> int:
        """How many passages have the opening of a term."""
        return self.num_naming(" ".join(keys_of(term)))

    def is_common(self, key: str) -> bool:
        """Whether a key is a common word, so that its capital letter mostly begins a sentence (`It`, `Once`)."""
        if " " in key:
            return False
        terms = terms_of(key)
        if not terms:
            return True
        num_holding = self._frequency("all", terms[0])
        return num_holding > _RARE and self.num_naming(key) < _NAMED_SHARE * (num_holding - 1)

    def leads_somewhere(self, key: str, *, is_code: bool = False) -> bool:
        """Whether a title is a link: no common word, and not the title of so many passages that it does not tell which.

        The name of a program or a module may be a common word, since texts say what it is (`links.Mention`).
        """
        return self.num_shown("title_key", key, MAX_TITLED) <= MAX_TITLED and (is_code or not self.is_common(key))

    def names_something(self, text: str) -> bool:
        """Whether a text names a document, or something that few passages name: what hops lead from, or to.

        A capital letter alone is no name: it may begin a sentence, or a word that is mostly written without it.
        """
        if self.mentions(text, any_case=text.islower(), code=False):
            return True
        keys, written = words_of(text)
        named = [is_named(word) and not self.is_common(key) for key, word in zip(keys, written, strict=True)]
        alone = [key for key, is_one in zip(keys[1:], named[1:], strict=True) if is_one]
        both = [f"{one} {two}" for (one, two), are in zip(pairwise(keys), pairwise(named), strict=True) if all(are)]
        return self._is_rare(alone, _FEW) or self._is_rare(both, MAX_SHARING)

    def _is_rare(self, names: Iterable[str], few: int) -> bool:
        """Whether one of some names is in some passages, but in no more than a few, or a thousandth of all."""
        return any(0 < self.num_naming(name) <= max(few, self._num_passages / 1000) for name in names)

    def mentions(self, text: str, *, any_case: bool = False, code: bool = True) -> list[str]:
        """The keys of the titles of documents that a text names, except common words.

        Args:
            text: the text.
            any_case: as for `links.mentions`.
            code: whether to include names of programs and modules, which may be common words.
        """
        found = mentions(
            text,
            any_case=any_case,
            is_title=self._is_title,
            num_titled=partial(self._frequency, "title_key"),
            num_opened=partial(self._frequency, "title_opening"),
        )
        return [key for key, is_code in found if (code or not is_code) and self.leads_somewhere(key, is_code=is_code)]

    def clauses(self, terms: Mapping[str, float]) -> list[Clause]:
        """The clauses for terms with weights, without those that hardly matter."""
        asked = clauses(terms, self._fields, self._frequency, self._most_passages)
        # By the passages that there are: those that there were change no result.
        adds = [clause.weight * max(0.0, idf(clause.num_passages, self._num_passages)) for clause in asked]
        least = NEGLIGIBLE * math.fsum(adds)
        return [clause for clause, most in zip(asked, adds, strict=True) if most >= least]

    def best(self, asked: Sequence[Clause], max_hits: int) -> dict[Document, float]:
        """The passages that answer best, with their scores, best first.

        In a large corpus, the best of those that the rarest words find: passages with only common words lead nowhere. They are
        used only if the rarest words find too few, or nothing visible.
        """
        if sum(clause.num_passages for clause in asked) <= MAX_FIRST_POSTINGS:
            found = best(self._search, asked, max_hits)
            numbers = self.numbers([address for _, address in found])
            hits = [(score, place_of(address), number) for (score, address), number in zip(found, numbers, strict=True)]
            return self._top(hits, max_hits)
        among = max(FIRST_CANDIDATES, max_hits)
        words = _of_title_and_text(asked)
        found = []
        for num in range(num_within(words, MAX_FIRST_POSTINGS), len(words) + 1):
            found = best_with_ties(self._search, any_of(words[:num]), among)
            if len(found) >= max_hits:
                break
        [answers] = self.answers(asked, [Group(self._first(found, among), max_hits)])
        return answers

    def candidates(self, asked: Sequence[Clause]) -> Found:
        """The passages that the rarest terms find best, and those that tie with the last of them."""
        return self._found_by_rarest(_of_title_and_text(asked), CANDIDATES)

    def numbers(self, addresses: Sequence[tantivy.DocAddress]) -> list[int]:
        """The numbers of passages. Reading one costs as much as reading a thousand."""
        told = self._searcher.fast_field_values("number", list(addresses)) if addresses else []
        return [number for number in told if isinstance(number, int)]

    def placed(self, addresses: Sequence[tantivy.DocAddress]) -> Placed:
        """Addresses with the numbers of the passages there."""
        return list(zip(addresses, self.numbers(addresses), strict=True))

    def titled(self, keys: Collection[str], asked: Sequence[Clause]) -> Linked:
        """The passages of the documents with these keys; of too many, those that answer the rarest terms best."""
        return self._having("title_key", keys, asked)

    def naming(self, keys: Collection[str], asked: Sequence[Clause]) -> Linked:
        """The passages with the opening of one of the keys; of too many, those that answer the rarest terms best."""
        return self._having("opening", {opening(key) for key in keys}, asked)

    def part_of(self, passage: Passage, reference: Reference) -> str:
        """The key of the part that a passage refers to, or of the least one that the index has around it; else empty."""
        named = self.mentions(reference.elsewhere) if reference.elsewhere else []
        titles = [key for key in named[:1] if key != title_key(passage.title)]
        if reference.is_elsewhere and not named:
            return ""
        keys = (key for label in reference.labels for key in keys_referred_to(passage, label, titles))
        return next((key for key in keys if self.num_shown(PART_FIELD, key, 0)), "")

    def glossaries_of(self, passage: Passage) -> list[str]:
        """What defines terms that a passage may use: its document, and the folders that it is in."""
        return [whole for whole in defining(passage) if self.num_shown(PART_FIELD, key_of_term(whole, DEFINES), 0)]

    def definition_of(self, label: str, wholes: Sequence[str]) -> str:
        """The key of the definition of a term in the first of several wholes that has it, and not too often; else empty."""
        keys = (key_of_term(whole, label) for whole in wholes)
        return next((key for key in keys if 0 < self.num_shown(PART_FIELD, key, MAX_DEFINING) <= MAX_DEFINING), "")

    def num_in(self, part: str) -> int:
        """How many passages are in the part with a key."""
        return self._frequency(PART_FIELD, part)

    def in_part(self, part: str, asked: Sequence[Clause]) -> Linked:
        """The passages of a part; of too many, those that answer the rarest terms best."""
        return self._having(PART_FIELD, [part], asked)

    def answers(self, asked: Sequence[Clause], groups: Sequence[Group]) -> list[dict[Document, float]]:
        """The passages of each group that answer best, with their scores, best first."""
        by_place = [{place_of(address): number for address, number in group.placed} for group in groups]
        numbers = {number for group in groups if group.query is None for _, number in group.placed}
        queries = [group.query for group in groups if group.query is not None]  # much faster than by the numbers of many
        among = together([*([having("number", sorted(numbers))] if numbers else []), *queries])
        most = len(set().union(*by_place))
        hits = [(score, place_of(address)) for score, address in scores_among(self._search, asked, among, most)] if most else []
        answering = hits[: bisect_left(hits, 0.0, key=lambda hit: -hit[0])]
        return [
            self._top(
                [
                    (score, place, of_group[place])
                    for score, place in (hits if group.has_all else answering)
                    if place in of_group
                ],
                group.most,
            )
            for of_group, group in zip(by_place, groups, strict=True)
        ]

    def scores(self, asked: Sequence[Clause], documents: Collection[Document]) -> dict[Document, float]:
        """How well given passages answer."""
        by_place = {document.place: document for document in documents}
        hits = scores(self._search, asked, [document.number for document in documents])
        return {by_place[place_of(address)]: round(score, SCORE_DECIMALS) for score, address in hits}

    def terms_in(self, terms: Sequence[str], documents: Collection[Document]) -> dict[Document, frozenset[str]]:
        """Which of some terms are in the title, sections and text of given passages."""
        # Turning a passage into terms takes several times as long as asking the index, and pays for one that recurs.
        wanted = frozenset(terms)
        found = {document: wanted & document.terms if document.is_looked_into else frozenset() for document in documents}
        new = {document.place: document for document in documents if not document.is_looked_into}
        numbers = [document.number for document in new.values()]
        for first in range(0, len(terms) if numbers else 0, TERMS_AT_ONCE):
            for place, held in terms_in(self._search, terms[first : first + TERMS_AT_ONCE], numbers):
                found[new[place]] |= held
        for document in new.values():
            document.is_looked_into = True
        return found

    def document(self, passage_id: str) -> Document | None:
        """The passage with an id; `None` if it does not exist or may not be shown."""
        address = next(by_term(self._searcher, "id", passage_id), None)
        if address is None:
            return None
        [number] = self.numbers([address])
        document = self._document(place_of(address), number)
        return document if self._visible.shows(document.passage) else None

    def passage_at(self, place: Place) -> Passage:
        """The passage at a place."""
        return stored(self._searcher, tantivy.DocAddress(*place))[1]

    def _is_shown_title(self, key: str) -> bool:
        """Whether a visible document has the title of a key."""
        return self.num_shown("title_key", key, 0) > 0

    def _num_found(self, field: str, value: str, most: int) -> int:
        return len(self._search(having(field, [value]), most))

    def _having(self, field: str, values: Collection[str], asked: Sequence[Clause]) -> Linked:
        num = sum(self._frequency(field, value) for value in values)
        if not num:
            return Linked()
        query = having(field, values)
        if num > MAX_LINKED:
            found = self._found_by_rarest(asked, MAX_LINKED, query)
            return Linked([address for address, _ in self._first(found, MAX_LINKED)])
        return Linked([address for _, address in self._search(query, num)], query)

    def _found_by_rarest(self, asked: Sequence[Clause], max_hits: int, among: tantivy.Query | None = None) -> Found:
        """The best hits of the rarest terms, and ties with the last: as many terms as `MAX_POSTINGS` allows."""
        if not asked:
            return []
        query = any_of(asked[: num_within(asked, MAX_POSTINGS)])
        if among is not None:
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, among), (tantivy.Occur.Must, query)])
        return best_with_ties(self._search, query, max_hits)

    def _first(self, found: Found, most: int) -> Placed:
        return _first_of(found, self.numbers([address for _, address in found]), most)

    def _top(self, hits: Sequence[tuple[float, Place, int]], max_hits: int) -> dict[Document, float]:
        """The best of hits in descending order, by score, place and number.

        Of those that tie for the last place, by passage id; no other tie matters here, so that no passage is read for one.
        """
        found = [(round(score, SCORE_DECIMALS), place, number) for score, place, number in hits]
        last = found[max_hits - 1][0] if len(found) > max_hits else -math.inf
        best = {self._document(place, number): score for score, place, number in found if score > last}
        tied = [self._document(place, number) for score, place, number in found if score == last]
        return best | dict.fromkeys(sorted(tied)[: max_hits - len(best)], last)

    def _document(self, place: Place, number: int) -> Document:
        known = self._documents.get(place)
        if known is None:
            known = self._documents[place] = Document(place, number, self)
        return known


def candidates_of(found: Found, numbers: Sequence[int]) -> Placed:
    """The first of the candidates, with their numbers."""
    return _first_of(found, numbers, CANDIDATES)


def _first_of(found: Found, numbers: Sequence[int], most: int) -> Placed:
    """The first of the hits, with their numbers; of those that tie, the ones added first."""
    at: Iterable[int] = range(len(found))
    if len(found) > most:
        num_better = bisect_left(found, descending(found[most - 1]), key=descending)
        tied = nsmallest(most - num_better, range(num_better, len(found)), key=numbers.__getitem__)
        at = [*range(num_better), *tied]
    return [(found[one][1], numbers[one]) for one in at]


def _of_title_and_text(asked: Sequence[Clause]) -> list[Clause]:
    """The clauses for passages with one of the terms in any field."""
    return [clause for clause in asked if clause.field == "all"]
