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
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import tantivy

from hopweave.memoize import Kept
from hopweave.retrievers._bm25_index import by_term, schema, stored
from hopweave.retrievers._bm25_search import (
    SCORE_DECIMALS,
    among,
    best_with_ties,
    idf,
    query_terms,
    shown_only,
    terms_of,
    weighted_query,
)
from hopweave.retrievers._links import Mention, key_words, mentions, names, opening, title_key
from hopweave.text.sentences import sentence_spans
from hopweave.types import Hit, Passage, Via
from hopweave.visibility import PUBLIC, Condition, Visible

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
    """An index as weaving asks it. What was made of its passages is kept, for the same ones come by again.

    Args:
        searcher: over the index.
        num_passages: that it holds.
        fields: that are searched, with their weights.
        visible: which passages are shown; no other one is found, leads on, or is a link's target.
        conditions: the same for the searcher.
    """

    def __init__(
        self,
        searcher: tantivy.Searcher,
        num_passages: int,
        fields: Mapping[str, float],
        visible: Visible = PUBLIC,
        conditions: Sequence[Condition] = (),
    ) -> None:
        self._searcher = searcher
        self._num_passages = num_passages
        self._fields = fields
        self._visible = visible
        self._conditions = conditions
        self._is_title = lru_cache(_MAX_FREQUENCIES)(self._is_shown_title)
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
            is_title=self._is_title,
            opens_title=lambda pair: self._frequency("title_opening", pair) > 0,
        )
        return [one for one in found if not self.is_common(one.key)]

    def best(self, terms: Mapping[str, float], max_hits: int) -> dict[Document, float]:
        """The passages that answer terms best, with their scores, best first."""
        return self._found(weighted_query(terms, self._fields), max_hits)

    def titled(self, keys: Collection[str], terms: Mapping[str, float], max_hits: int) -> dict[Document, float]:
        """Passages of the documents with these keys that answer terms best, with their scores, which may be 0."""
        return self._found(among(weighted_query(terms, self._fields), "title_key", keys), max_hits) if keys else {}

    def naming(self, keys: Collection[str], terms: Mapping[str, float], max_hits: int) -> dict[Document, float]:
        """Passages that name one of the keys and answer terms, those that answer them best, with their scores."""
        if not keys:
            return {}
        starts = [opening(key) for key in keys]
        found = self._found(among(weighted_query(terms, self._fields), "opening", starts, found_only=True), max_hits)
        # Of two words, or one, an opening is the key itself.
        is_sure = all(start == key for start, key in zip(starts, keys, strict=True))
        return {document: score for document, score in found.items() if is_sure or any(map(document.names, keys))}

    def scores(self, terms: Mapping[str, float], documents: Collection[Document]) -> dict[Document, float]:
        """How well given passages answer terms."""
        numbers = [document.number for document in documents]
        return self._found(among(weighted_query(terms, self._fields), "number", numbers), len(numbers)) if numbers else {}

    def document(self, passage_id: str) -> Document | None:
        """The passage of an id; `None` if the index has none, or none that is shown."""
        address = next(by_term(self._searcher, "id", passage_id), None)
        document = self._document(address) if address is not None else None
        return document if document is not None and self._visible.shows(document.passage) else None

    def _found(self, query: tantivy.Query, max_hits: int) -> dict[Document, float]:
        hits = best_with_ties(self._searcher, shown_only(query, self._conditions), max_hits)
        scored = [(round(score, SCORE_DECIMALS), self._document(address)) for score, address in hits]
        scored.sort(key=lambda hit: (-hit[0], hit[1].passage.id))
        return {document: score for score, document in scored[:max_hits]}

    def _is_shown_title(self, key: str) -> bool:
        """Whether a document that is shown has the title of a key."""
        if not self._frequency("title_key", key) or not self._conditions:
            return self._frequency("title_key", key) > 0
        titled = tantivy.Query.term_query(schema(), "title_key", key, index_option="basic")
        return bool(self._searcher.search(shown_only(titled, self._conditions), 1, count=False).hits)

    def _document(self, address: tantivy.DocAddress) -> Document:
        at = (address.segment_ord, address.doc)
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
        self._begin(max(FIRST_HITS, max_hits))
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
            for document, score in self._words.titled([mention.key], self._terms, MAX_LINKS).items():
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
        found = self._words.best(terms, RESIDUAL_HITS + 1)
        best_score = max(found.values(), default=0.0) or 1.0
        by_words = {document: score / best_score for document, score in found.items() if document is not source}
        by_links, answered = self._by_links(source, terms) if self._use_links else ({}, {})
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

    def _by_links(self, source: Document, terms: Mapping[str, float]) -> tuple[dict[Document, float], dict[Document, float]]:
        """The passages that a passage names, or that name it: the weights of the links, and how they answer the terms."""
        named = self._words.titled(source.links, terms, MAX_LINKS)
        weights = {document: self._out_weight(source, document.key) for document in named if document.key}
        if source.key:
            naming = self._words.naming([source.key], terms, MAX_LINKS)
            back = BACK_WEIGHT / (1 + 0.5 * math.log(1 + self._words.num_naming(source.key)))
            weights |= {document: max(back, weights.get(document, 0.0)) for document in naming}
            named = {**naming, **named}
        elif not source.passage.title:
            named |= self._words.naming(source.shared_names, terms, MAX_LINKS)
            for document in named:
                weights[document] = max(_name_weight(source, document), weights.get(document, 0.0))
        weights.pop(source, None)
        return weights, named

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
            if target.key and target.key in source.links:
                weights.append(self._out_weight(source, target.key))
        return min(1.0, max(weights))


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
