"""How `weave` goes from what shares words with a question to what completes it, over an index and without a model.

A first search finds a front of passages. Each of them leads on in two ways: by **links** (documents that it names, and
passages that name its document) and by **residual words** (what the question asks and the passage does not answer, together
with what the passage's title and its best sentence add). A link counts for as much as its target answers the residual words:
without that gate, false links take the gain away. The best new passages are the next front. At the end the passages are
chosen one by one, so that together they cover the question and hang together.

The figures below were chosen on the first half of the questions, and confirmed on the second: see docs/design/weave.md.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import tantivy

from hopweave.memoize import Kept
from hopweave.retrievers._bm25_index import by_term, stored
from hopweave.retrievers._bm25_search import (
    SCORE_DECIMALS,
    Clause,
    best,
    candidates,
    clauses,
    having,
    idf,
    query_terms,
    scores,
    terms_of,
)
from hopweave.retrievers._links import Mention, key_words, mentions, names, opening, title_key
from hopweave.text.sentences import sentence_spans
from hopweave.types import Hit, Passage, Via

FIRST_HITS = 60
FRONT = 6
LATER_FRONT = 3
DECAY = 0.7
"""What a passage that is reached at the second hop counts, against one at the first."""

TITLE_BONUS = 0.5
"""For a passage whose whole title the question names, in shares of the best BM25 score; less for titles of one or two words."""

OUT_WEIGHT = 1.0
BACK_WEIGHT = 0.3
GATE = 0.6
"""How much of a link's weight hangs on how well its target answers the residual words."""

RESIDUAL_WEIGHT = 0.8
RESIDUAL_HITS = 12
COVERED = 0.15
"""Weight, in the residual query, of a term of the question that the passage holds already."""

ADDED = 0.5
"""Weight, in the residual query, of a term that the passage's title or best sentence adds."""

OWN_SHARE = 0.5
"""How much of a passage's own score counts beside what leads to it."""

POOL = 25
COVERAGE_BONUS = 0.3
LINKED_BONUS = 0.35
MAX_LINKS = 24
"""Targets of one passage's links that are looked at, in each direction."""

NAME_WEIGHT = 0.75
LEADING = 1.5
"""How much more a name weighs as a link where its target begins with it."""

MAX_SHARING = 30
"""A name that more passages hold leads nowhere."""

CANDIDATES = 40
"""Passages that residual words are looked for in: those that the rarest of the words find best."""

MAX_POSTINGS = 30_000
"""Read for the residual words of one passage at most, unless the rarest has more. Where fewer passages than this hold all words
together, all of the words find the candidates."""

MAX_LINKED = 200
"""Passages at the ends of links whose answers are compared; of more, those that the rarest words find best."""

_BEGINNING = 60  # characters
_RARE = 5
_NAMED_SHARE = 0.5
_MAX_FREQUENCIES = 1 << 16


class Document:
    """A passage of the index, with what weaving asks of it."""

    def __init__(self, number: int, passage: Passage, words: WordIndex) -> None:
        self.number = number
        self.passage = passage
        self._words = words

    @cached_property
    def key(self) -> str:
        """The key of its title; empty where the title leads nowhere."""
        key = title_key(self.passage.title)
        return key if key and not self._words.is_common(key) else ""

    @cached_property
    def terms(self) -> frozenset[str]:
        """The terms of title and text."""
        return frozenset(terms_of(f"{self.passage.title}\n{self.passage.text}"))

    @cached_property
    def title_terms(self) -> frozenset[str]:
        """The terms of the title."""
        return frozenset(terms_of(self.passage.title))

    @cached_property
    def sentences(self) -> tuple[frozenset[str], ...]:
        """The terms of each sentence."""
        text = self.passage.text
        return tuple(frozenset(terms_of(text[span.start : span.end])) for span in sentence_spans(text))

    @cached_property
    def _lower(self) -> str:
        """The text in small letters; empty where keys are made from it in another way."""
        return self.passage.text.lower() if self.passage.text.isascii() else ""

    def links_to(self, key: str) -> bool:
        """Whether the text names the document of a key."""
        # Most do not, and to see that is much cheaper than to find all links.
        is_likely = not self._lower or all(word in self._lower for word in key.split(" "))
        return is_likely and key in self.links

    @cached_property
    def links(self) -> frozenset[str]:
        """The keys of the documents that the text names; its own is none of them."""
        return frozenset(found.key for found in self._words.mentions(self.passage.text)) - {title_key(self.passage.title)}

    @cached_property
    def shared_names(self) -> dict[str, float]:
        """The names in the text that other passages hold as well, with what a link by them weighs."""
        shared = {}
        for name in names(self.passage.text):
            num = self._words.num_naming(name.key)
            if 2 <= num <= MAX_SHARING:
                shared[name.key] = NAME_WEIGHT / (1 + 0.5 * math.log(1 + num / 3))
        return shared

    @cached_property
    def flat(self) -> str:
        """The text as keys have it, to find a key in."""
        return f" {' '.join(word.key for word in key_words(self.passage.text))} "

    def names(self, key: str) -> bool:
        """Whether the text holds a key, whatever stands around it."""
        return f" {key} " in self.flat

    def begins_with(self, key: str) -> bool:
        """Whether the text's first words hold a key."""
        return f" {key} " in self.flat[:_BEGINNING]

    def best_sentence(self, question: Mapping[str, float]) -> frozenset[str]:
        """The terms of the sentence that shares most with the question, by idf; of the first among equals."""
        return max(self.sentences, key=lambda terms: sum(question.get(term, 0.0) for term in terms), default=frozenset())


class WordIndex:
    """An index as weaving asks it. What was made of its passages is kept, for the same ones come by again."""

    def __init__(self, searcher: tantivy.Searcher, num_passages: int, most_passages: int, fields: Mapping[str, float]) -> None:
        self._searcher = searcher
        self._num_passages = num_passages
        self._most_passages = most_passages
        self._fields = fields
        self._documents: Kept[Document] = Kept()
        self._frequency = lru_cache(_MAX_FREQUENCIES)(searcher.doc_freq)

    def question_terms(self, text: str) -> dict[str, int]:
        """The terms of a question that some passage holds, and how often the question has them."""
        return query_terms(self._searcher, text)

    def idf(self, term: str) -> float:
        """How much a term says; 0 for one that no passage holds."""
        return idf(self._frequency("all", term), self._num_passages)

    def num_naming(self, key: str) -> int:
        """How many passages hold what a key begins with: as many as name it, or more."""
        return self._frequency("opening", opening(key))

    def is_common(self, key: str) -> bool:
        """Whether a key is a common word, so that its capital letter mostly begins a sentence (`It`, `Once`)."""
        if " " in key:
            return False
        terms = terms_of(key)
        if not terms:
            return True
        num_holding = self._frequency("all", terms[0])
        return num_holding > _RARE and self.num_naming(key) < _NAMED_SHARE * (num_holding - 1)

    def mentions(self, text: str, *, any_case: bool = False) -> list[Mention]:
        """The titles of documents that a text names; common words are none."""
        found = mentions(
            text,
            any_case=any_case,
            is_title=lambda key: self._frequency("title_key", key) > 0,
            opens_title=lambda pair: self._frequency("title_opening", pair) > 0,
        )
        return [one for one in found if not self.is_common(one.key)]

    def best(self, terms: Mapping[str, float], max_hits: int) -> dict[Document, float]:
        """The passages that answer terms best, with their scores, best first."""
        return self._top(best(self._searcher, self._clauses(terms), max_hits), max_hits)

    def candidates(self, terms: Mapping[str, float]) -> list[tantivy.DocAddress]:
        """Where the passages are that the rarest of the terms find best."""
        asked = [clause for clause in self._clauses(terms) if clause.field == "all"]
        return candidates(self._searcher, asked, CANDIDATES, MAX_POSTINGS)

    def titled(self, keys: Collection[str], terms: Mapping[str, float]) -> list[tantivy.DocAddress]:
        """Where passages of the documents with these keys are; of too many, those that answer the rarest terms best."""
        return self._having("title_key", keys, terms)

    def naming(self, keys: Collection[str], terms: Mapping[str, float]) -> list[tantivy.DocAddress]:
        """Where passages are that hold what one of the keys begins with; of too many, those that answer the rarest terms."""
        return self._having("opening", {opening(key) for key in keys}, terms)

    def answers(
        self, terms: Mapping[str, float], groups: Sequence[tuple[Iterable[tantivy.DocAddress], int]]
    ) -> list[dict[Document, float]]:
        """Of each of some groups of passages, those that answer terms best, with their scores, best first.

        Args:
            terms: with their weights.
            groups: where the passages are, and how many to give at most.
        """
        places = [{_place(address) for address in addresses} for addresses, _ in groups]
        addresses = {_place(address): address for addresses, _ in groups for address in addresses}
        numbers = self._searcher.fast_field_values("number", list(addresses.values())) if addresses else []
        hits = scores(self._searcher, self._clauses(terms), numbers)
        return [
            self._top([hit for hit in hits if _place(hit[1]) in of_group], max_hits)
            for of_group, (_, max_hits) in zip(places, groups, strict=True)
        ]

    def scores(self, terms: Mapping[str, float], documents: Collection[Document]) -> dict[Document, float]:
        """How well given passages answer terms."""
        hits = scores(self._searcher, self._clauses(terms), [document.number for document in documents])
        return self._top(hits, len(hits))

    def document(self, passage_id: str) -> Document | None:
        """The passage of an id; `None` if the index has none."""
        address = next(by_term(self._searcher, "id", passage_id), None)
        return self._document(address) if address is not None else None

    def _clauses(self, terms: Mapping[str, float]) -> list[Clause]:
        return clauses(terms, self._fields, self._frequency, self._most_passages)

    def _having(self, field: str, values: Collection[str], terms: Mapping[str, float]) -> list[tantivy.DocAddress]:
        num = sum(self._frequency(field, value) for value in values)
        if num > MAX_LINKED:
            return candidates(self._searcher, self._clauses(terms), MAX_LINKED, MAX_POSTINGS, among=having(field, values))
        hits = self._searcher.search(having(field, values), num, count=False).hits if num else []
        return [address for _, address in hits]

    def _top(self, hits: Sequence[tuple[float, tantivy.DocAddress]], max_hits: int) -> dict[Document, float]:
        """The best hits of some in descending order; equal ones by passage id, for which no other passage is read."""
        rounded = [(round(score, SCORE_DECIMALS), address) for score, address in hits]
        lowest = rounded[max_hits - 1][0] if len(hits) > max_hits else -math.inf
        scored = [(score, self._document(address)) for score, address in rounded if score >= lowest]
        scored.sort(key=lambda hit: (-hit[0], hit[1].passage.id))
        return {document: score for score, document in scored[:max_hits]}

    def _document(self, address: tantivy.DocAddress) -> Document:
        at = _place(address)
        known = self._documents.get(at)
        return known if known is not None else self._documents.keep(at, Document(*stored(self._searcher, address), self))


@dataclass(slots=True)
class _State:
    """What is known of a passage while a question is being worked on.

    Attributes:
        own: its score for the question over the best one, with the bonus for its title.
        reached: what leads to it.
        via: from where, and by what.
    """

    own: float
    reached: float = 0.0
    via: Via | None = None

    @property
    def value(self) -> float:
        return max(self.own, OWN_SHARE * self.own + self.reached) if self.reached else self.own


@dataclass(frozen=True, slots=True)
class Woven:
    """A passage that was chosen, its value, and what led to it."""

    passage: Passage
    value: float
    via: Via | None


class Weaving:
    """One question over an index.

    Args:
        words: the index.
        question: any text.
        first: what another engine found for it, best first; by default the index is searched.
        depth: hops.
        use_links: whether to follow links.
        use_residual: whether to search for residual words.
    """

    def __init__(
        self,
        words: WordIndex,
        question: str,
        first: Sequence[Hit] | None = None,
        *,
        depth: int,
        use_links: bool,
        use_residual: bool,
    ) -> None:
        self._words = words
        self._text = question
        self._first = first
        self._depth = depth
        self._use_links = use_links
        self._use_residual = use_residual
        self._terms = words.question_terms(question)
        self._idf = {term: words.idf(term) for term in self._terms}
        self._best_score = 1.0
        self._states: dict[Document, _State] = {}
        self._sources: set[Document] = set()

    def chosen(self, max_hits: int, *, as_set: bool) -> list[Woven]:
        """The passages that together answer the question, best first.

        Args:
            max_hits: how many at most.
            as_set: choose each for what it adds to those before it; else by value alone.
        """
        if not self._terms or max_hits < 1:
            return []
        self._begin(max(POOL, max_hits))
        front = self._ranked()[:FRONT]
        for hop in range(self._depth):
            self._sources.update(front)
            for document in front:
                self._follow(document, DECAY**hop)
            self._score_new()
            front = [document for document in self._ranked() if document not in self._sources][:LATER_FRONT]
        pool = self._ranked()[: max(POOL, max_hits)]
        picked = self._picked(pool, max_hits) if as_set else pool[:max_hits]
        return [Woven(document.passage, self._states[document].value, self._states[document].via) for document in picked]

    def _begin(self, num_hits: int) -> None:
        found = self._words.best(self._terms, num_hits)
        self._best_score = max(found.values(), default=0.0) or 1.0
        self._shares = self._first_shares() if self._first is not None else {}
        first = self._shares or {document: self._own(document, score) for document, score in found.items()}
        self._states = {document: _State(share) for document, share in first.items()}
        is_typed_small = self._text.islower()
        for mention in self._words.mentions(self._text, any_case=is_typed_small) if self._use_links else ():
            bonus = TITLE_BONUS * min(1.0, 0.5 + 0.25 * len(mention.key.split()))
            [titled] = self._words.answers(self._terms, [(self._words.titled([mention.key], self._terms), MAX_LINKS)])
            for document, score in titled.items():
                self._states[document] = _State(self._own(document, score) + bonus)

    def _first_shares(self) -> dict[Document, float]:
        """The scores of the engine that searched first, over its best one."""
        best = max((hit.score for hit in self._first or ()), default=0.0) or 1.0
        found = ((self._words.document(hit.passage.id), hit.score / best) for hit in self._first or ())
        return {document: share for document, share in found if document is not None}

    def _own(self, document: Document, score: float) -> float:
        """What a passage scores by itself, of which the BM25 score is known.

        Where another engine searched first, its word counts; what it did not find comes behind all that it found.
        """
        share = score / self._best_score
        if not self._shares:
            return share
        return self._shares[document] if document in self._shares else share * min(self._shares.values())

    def _ranked(self) -> list[Document]:
        return sorted(self._states, key=lambda document: (-self._states[document].value, document.passage.id))

    def _follow(self, source: Document, decay: float) -> None:
        """Notes what a passage leads to."""
        terms = self._residual_terms(source)
        found, titled, naming = self._words.answers(
            terms,
            [
                (self._words.candidates(terms), RESIDUAL_HITS + 1),
                (self._words.titled(source.links, terms) if self._use_links else (), MAX_LINKS),
                (self._words.naming(self._names_of(source), terms) if self._use_links else (), MAX_LINKS),
            ],
        )
        best_score = max(found.values(), default=0.0) or 1.0
        by_words = {document: score / best_score for document, score in found.items() if document is not source}
        by_links = self._by_links(source, titled, naming)
        answered = {**naming, **titled}
        share = self._states[source].value * decay
        for document in {**by_links, **(by_words if self._use_residual else {})}:
            answers = by_words.get(document, answered.get(document, 0.0) / best_score)
            link = by_links.get(document, 0.0) * (1 - GATE * (1 - min(1.0, 1.5 * answers)))
            residual = RESIDUAL_WEIGHT * by_words.get(document, 0.0) if self._use_residual else 0.0
            reached = (max(link, residual) + 0.5 * min(link, residual)) * share
            state = self._states.setdefault(document, _State(math.nan))
            if reached > state.reached:
                state.reached = reached
                if document not in self._sources:  # what leads on was there before what it leads to, so the path is a tree
                    state.via = Via(source.passage.id, source.passage.title, "link" if link else "words")

    def _residual_terms(self, source: Document) -> dict[str, float]:
        terms = {term: count * (COVERED if term in source.terms else 1.0) for term, count in self._terms.items()}
        added = (source.title_terms | source.best_sentence(self._idf)) - terms.keys()
        return terms | {term: ADDED for term in added if self._words.idf(term)}

    def _names_of(self, source: Document) -> Collection[str]:
        """What passages that lead back to a passage name: its key, or without a title the names that it shares with them."""
        return [source.key] if source.key else [] if source.passage.title else source.shared_names

    def _by_links(
        self, source: Document, titled: Iterable[Document], naming: Mapping[Document, float]
    ) -> dict[Document, float]:
        """The weights of the links between a passage and those that it names, or that name it."""
        weights = {document: self._out_weight(source, document.key) for document in titled if document.key}
        found = [document for document, score in naming.items() if score and any(map(document.names, self._names_of(source)))]
        if source.key:
            back = BACK_WEIGHT / (1 + 0.5 * math.log(1 + self._words.num_naming(source.key)))
            weights |= {document: max(back, weights.get(document, 0.0)) for document in found}
        elif not source.passage.title:
            for document in [*titled, *found]:
                weights[document] = max(_name_weight(source, document), weights.get(document, 0.0))
        weights.pop(source, None)
        return weights

    def _out_weight(self, source: Document, key: str) -> float:
        """A link says less where many passages name its target, and where its source names many."""
        in_links = 1 + 0.5 * math.log(1 + self._words.num_naming(key) / 3)
        out_links = 1 + 0.3 * math.log(1 + max(0, len(source.links) - 2))
        return OUT_WEIGHT / in_links / out_links

    def _score_new(self) -> None:
        """Gives the passages that were reached their own scores for the question."""
        new = [document for document, state in self._states.items() if math.isnan(state.own)]
        own = self._words.scores(self._terms, new)
        for document in new:
            self._states[document].own = self._own(document, own.get(document, 0.0))

    def _picked(self, pool: Sequence[Document], max_hits: int) -> list[Document]:
        """Chosen one by one: by value, by what of the question is not covered yet, and by a link to one that is chosen."""
        total = sum(self._idf.values()) or 1.0
        left = set(self._idf)
        rest = list(pool)
        linked = dict.fromkeys(pool, 0.0)
        picked: list[Document] = []

        def gain(document: Document) -> float:
            covered = sum(self._idf[term] for term in left & document.terms) / total
            return self._states[document].value + COVERAGE_BONUS * covered + LINKED_BONUS * linked[document]

        while rest and len(picked) < max_hits:
            best = max(rest, key=gain)
            rest.remove(best)
            picked.append(best)
            left -= best.terms
            for document in rest if self._use_links else ():
                linked[document] = max(linked[document], self._link_between(best, document))
        return picked

    def _link_between(self, one: Document, other: Document) -> float:
        """The weight of the strongest link between two passages, at most 1."""
        weights = [0.0]
        for source, target in ((one, other), (other, one)):
            if target.key and source.links_to(target.key):
                weights.append(self._out_weight(source, target.key))
        return min(1.0, max(weights))


def _place(address: tantivy.DocAddress) -> tuple[int, int]:
    return address.segment_ord, address.doc


def _name_weight(source: Document, target: Document) -> float:
    """The weight of the strongest link by a name that both texts hold; 0 without one."""
    return max(
        (
            weight * (LEADING if target.begins_with(name) else 1.0)
            for name, weight in source.shared_names.items()
            if target.names(name)
        ),
        default=0.0,
    )
