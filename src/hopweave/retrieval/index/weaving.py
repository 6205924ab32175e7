"""How `weave` gets from passages that share words with a question to those that complete it, without a model.

A first search finds a front of passages. Each of them leads on in two ways: by **links** (documents that it names, passages
that name its document, sections, annexes and tables that it refers to, and definitions of terms that it uses) and by
**residual words** (words of the question that the passage does not answer, together with those that its title and its best
sentence add). A link is weighted by how well its target answers the residual words: without that gate, false links cancel the
gain. The best new passages are the next front. At the end the passages are chosen one by one, so that together they cover the
question and are connected.

Function words of the question weigh little everywhere, and names such as `H6` and `E05` much. A passage that has more of its
words counts more than its BM25 score says, as by the coordination factor that engines multiplied scores with once. If the
question names nothing that would lead on, passages count that are near it in meaning. If it asks for a value, those without one
of its kind count less.

The figures below were chosen on the first half of the questions, and confirmed on the second: see docs/design/measured.md.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

import tantivy

from hopweave.core.types import Hit, Passage, Via
from hopweave.retrieval.index.bm25_search import Clause, Found, terms_of
from hopweave.retrieval.index.links import opening
from hopweave.retrieval.index.word_document import Document
from hopweave.retrieval.index.word_index import Group, Linked, WordIndex, candidates_of, function_terms
from hopweave.text.alike_names import names_another
from hopweave.text.defaults import asks_for_default, states_default
from hopweave.text.document_names import full_heading, words_above
from hopweave.text.languages import language_of
from hopweave.text.matching import letters_of
from hopweave.text.values_asked import has_value_of, kinds_of_values_asked
from hopweave.text.word_vectors import Headed, nearness, word_vectors

FIRST_HITS = 60
FRONT = 4
LATER_FRONT = 1
DECAY = 0.7
"""The weight of a passage that is reached at the second hop, relative to one at the first."""

TITLE_BONUS = 0.5
"""Bonus for a passage whose whole title the question names, as a share of the best BM25 score; less for one or two words."""

OUT_WEIGHT = 1.0
BACK_WEIGHT = 0.3
GATE = 0.6
"""How much of a link's weight depends on how well its target answers the residual words."""

ALL_WORDS = 0.9
"""The share of the question's words, by idf, that the best passage has if it answers a look-up."""

RESIDUAL_WEIGHT = 0.8
RESIDUAL_HITS = 12
COVERED = 0.15
"""Weight, in the residual query, of a term of the question that the passage already contains."""

ADDED = 0.5
"""Weight, in the residual query, of a term that the passage's title or best sentence adds."""

OWN_SHARE = 0.5
"""The weight of a passage's own score, relative to the links that lead to it."""

FUNCTION_WORD = 0.2
"""The weight of a function word (`which`, `does`): a long question has so many that together they outweigh what it is about."""

CODE = 2.0
"""The weight of a word of letters and digits (`h6`, `e05`): whatever else a question says, it is about that."""

COVERED_SHARE = 0.1
"""The share of a passage's own score, in the end, that is the part of the question's words that it has."""

NEAR_SHARE = 0.25
"""The share of a passage's own score, in the end, that is its nearness in meaning to a question that names nothing."""

NEAR_WINDOW = 24
"""How many words of a passage, of those that have a vector, are compared with the question at a time."""

NEAR_HEADINGS = 2.0
"""How much the words of the headings count beside those."""

WITHOUT_VALUE = 0.7
"""The factor for a passage that has no value of a kind that the question asks for, and for one that states no default."""

OTHER_NAME = 0.7
"""The factor for a passage of a document about another model, or the like, than the question names."""

POOL = 25
COVERAGE_BONUS = 0.3
LINKED_BONUS = 0.35
_END, _LETTERS_OF_END = 40, 12
"""How many characters of a text are looked at for the letters with which it ends, and how many letters these are."""

MAX_LINKS = 24
"""How many link targets of one passage are examined, in each direction."""

PART_HITS = 2
"""How many passages of a part that a passage refers to are linked: those that answer best."""

ASIDE_WEIGHT = 0.25
"""The weight of a reference in a sentence that shares nothing with the question, relative to one in the best sentence."""

MAX_TERMS = 3
"""How many of the terms that a passage uses are looked up: those beside words of the question, and that few passages use."""

LEADING = 1.5
"""The factor for a name as a link if its target begins with it."""


@dataclass(slots=True)
class _State:
    """What is known about a passage while a question is being processed.

    Attributes:
        own: its score for the question over the best one, with the bonus for its title.
        reached: what leads to it.
        most: the value beyond which what leads to it does not lift it.
        factor: of its value: below 1 if it lacks what the question asks for, or is about another model.
        via: its source, and the kind of link.
    """

    own: float
    reached: float = 0.0
    most: float = math.inf
    factor: float = 1.0
    via: Via | None = None

    @property
    def value(self) -> float:
        value = max(self.own, min(self.most, OWN_SHARE * self.own + self.reached)) if self.reached else self.own
        return self.factor * value


@dataclass(frozen=True, slots=True)
class Woven:
    """A chosen passage, its value, and what led to it."""

    passage: Passage
    value: float
    via: Via | None


class _Leads(NamedTuple):
    """What a passage may lead to, before it is known how well those passages answer.

    Attributes:
        source: the passage.
        asked: its residual words.
        candidates: the passages that the rarest of them find.
        titled: the documents that it names.
        naming: the passages that name its document.
        referred: the passages of each part that it refers to, with the weight of the link.
    """

    source: Document
    asked: Sequence[Clause]
    candidates: Found
    titled: Linked
    naming: Linked
    referred: Sequence[tuple[float, Linked]]

    @property
    def linked(self) -> list[Linked]:
        """All but the candidates."""
        return [self.titled, self.naming, *(part for _, part in self.referred)]

    def addresses(self) -> list[tantivy.DocAddress]:
        """The addresses of all of them."""
        return [*(address for _, address in self.candidates), *chain.from_iterable(linked.addresses for linked in self.linked)]


class Weaving:
    """One question over an index.

    Args:
        words: the index.
        question: any text.
        first: the hits of another engine, best first; by default the index is searched.
        depth: hops.
        use_links: whether to follow links.
        use_references: whether those to parts of documents are among them.
        use_residual: whether to search for residual words.
        use_values: whether passages without a value of a kind that is asked for count less.
        use_vectors: whether to compare meanings, if there are word vectors.
    """

    def __init__(
        self,
        words: WordIndex,
        question: str,
        first: Sequence[Hit] | None = None,
        *,
        depth: int,
        use_links: bool,
        use_references: bool,
        use_residual: bool,
        use_values: bool,
        use_vectors: bool,
    ) -> None:
        words.forget()
        self._words = words
        self._text = question
        self._first = first
        self._depth = depth
        self._use_links = use_links
        self._use_references = use_links and use_references
        self._use_residual = use_residual
        self._use_values = use_values
        self._use_vectors = use_vectors
        found = words.question_terms(question)
        weights = {term: CODE for term in found if _is_code(term)} | dict.fromkeys(function_terms(question), FUNCTION_WORD)
        self._terms = {term: num * weights.get(term, 1.0) for term, num in found.items()}
        self._asked = words.clauses(self._terms)
        self._idf = {term: words.idf(term) * weights.get(term, 1.0) for term in self._terms}
        self._total = self._weight(self._idf) or 1.0
        self._best_score = 1.0
        self._states: dict[Document, _State] = {}
        self._sources: set[Document] = set()
        self._held: dict[Document, frozenset[str]] = {}
        self._referred: dict[tuple[Document, Document], float] = {}

    def chosen(self, max_hits: int, *, as_set: bool) -> list[Woven]:
        """The passages that together answer the question, best first.

        Args:
            max_hits: how many at most.
            as_set: choose each for what it adds to those before it; else by value alone.

        Raises:
            DataError: if a file of the word vectors was modified or cannot be read.
        """
        if max_hits < 1 or not (self._terms or self._first):
            return []
        self._begin(max(POOL, max_hits))
        front = self._best(FRONT)
        self._look_into(front)
        is_named = self._words.names_something(self._text)
        self._use_residual = self._use_residual and is_named and not any(map(self._has_all_words, front[:1]))
        for hop in range(self._depth):
            self._look_into(front)
            self._sources.update(front)
            leads = [self._leads(document, refers=self._use_references and hop == 0) for document in front]
            # All at once, since reading one number costs as much as reading a thousand.
            numbers = iter(self._words.numbers([address for lead in leads for address in lead.addresses()]))
            for lead in leads:
                self._follow(lead, list(islice(numbers, len(lead.addresses()))), DECAY**hop)
            self._score_new()
            front = self._best(LATER_FRONT, but=self._sources)
        has_led = any(state.via is not None for state in self._states.values())
        pool = self._best(max(POOL, max_hits))
        self._look_into(pool)
        if self._first is None:
            self._count_coverage(pool)
            if self._use_vectors and not is_named:
                self._count_nearness(pool)
            self._discount(pool)
            pool.sort(key=self._place)
        distinct = list(_distinct(pool))
        picked = self._picked(distinct, max_hits) if as_set and (is_named or has_led) else distinct[:max_hits]
        picked += [document for document in pool if document not in distinct][: max_hits - len(picked)]
        return [Woven(document.passage, self._states[document].value, self._states[document].via) for document in picked]

    def _begin(self, num_hits: int) -> None:
        found = self._words.best(self._asked, num_hits)
        self._best_score = max(found.values(), default=0.0) or 1.0
        self._shares = self._first_shares() if self._first is not None else {}
        first = self._shares or {document: self._own(document, score) for document, score in found.items()}
        self._states = {document: _State(share) for document, share in first.items()}
        is_typed_small = self._text.islower()
        for key in self._words.mentions(self._text, any_case=is_typed_small) if self._use_links else ():
            bonus = TITLE_BONUS * min(1.0, 0.5 + 0.25 * len(key.split()))
            linked = self._words.titled([key], self._asked)
            group = Group(self._words.placed(linked.addresses), MAX_LINKS, linked.query)
            [titled] = self._words.answers(self._asked, [group])
            for document, score in titled.items():
                self._states[document] = _State(self._own(document, score) + bonus)

    def _count_coverage(self, pool: Sequence[Document]) -> None:
        """Lets the own scores of passages count how many of the question's words they have, and not only how often."""
        for document in pool:
            state = self._states[document]
            state.own = (1 - COVERED_SHARE) * state.own + COVERED_SHARE * self._share(self._held[document])

    def _count_nearness(self, pool: Sequence[Document]) -> None:
        """Lets the own scores of passages count how near they are to the question in meaning; not for a list of words."""
        if not word_vectors() or not function_terms(self._text):
            return
        texts = [Headed(full_heading(document.passage), document.passage.text) for document in pool]
        near = nearness(self._text, texts, window=NEAR_WINDOW, of_headings=NEAR_HEADINGS)
        for document, share in zip(pool, near, strict=True) if any(near) else ():
            state = self._states[document]
            state.own = (1 - NEAR_SHARE) * state.own + NEAR_SHARE * share

    def _discount(self, pool: Sequence[Document]) -> None:
        """Lets passages count less that lack what is asked for: a value of its kind, a default, or the model that is named."""
        kinds, language = kinds_of_values_asked(self._text), language_of(self._text)
        by_default = asks_for_default(self._text)
        for document in pool:
            text = document.passage.text
            lacks_value = bool(kinds) and self._use_values and not has_value_of(text, kinds, language)
            lacks_default = by_default and self._use_values and not states_default(text)
            factor = WITHOUT_VALUE ** (lacks_value + lacks_default)
            self._states[document].factor = factor * (OTHER_NAME if names_another(self._text, document.passage.title) else 1.0)

    def share_of(self, passage: Passage) -> float:
        """The share of the question's words, by idf, that a passage has, from 0 to 1.

        A word that no passage of the index has counts as one that a single passage has, so that a miss shows.
        """
        num_unknown = self._words.num_unknown(self._text)
        total = self._weight(self._idf) + num_unknown * self._words.highest_idf
        return self._weight(self._idf.keys() & terms_of(f"{words_above(passage)}\n{passage.text}")) / total if total else 0.0

    def _has_all_words(self, best: Document) -> bool:
        """Whether the best passage has nearly all words of the question, as it has if it answers it by itself."""
        return self._share(self._held[best]) >= ALL_WORDS

    def _look_into(self, documents: Sequence[Document]) -> None:
        """Notes which of the question's words passages have."""
        new = [document for document in documents if document not in self._held]
        self._held |= self._words.terms_in(list(self._idf), new)

    def _first_shares(self) -> dict[Document, float]:
        """The scores of the engine that searched first, relative to its best one."""
        best = max((hit.score for hit in self._first or ()), default=0.0) or 1.0
        found = ((self._words.document(hit.passage.id), hit.score / best) for hit in self._first or ())
        return {document: share for document, share in found if document is not None}

    def _own(self, document: Document, score: float) -> float:
        """The own score of a passage, given its BM25 score.

        If another engine searched first, its scores are used; passages that it did not find rank below all that it found.
        """
        share = score / self._best_score
        if not self._shares:
            return share
        return self._shares[document] if document in self._shares else share * min(self._shares.values())

    def _best(self, most: int, but: Collection[Document] = ()) -> list[Document]:
        """The passages of most value, best first; ties by passage id, for which no others are read."""
        values = {document: state.value for document, state in self._states.items() if document not in but}
        least = sorted(values.values(), reverse=True)[most - 1] if len(values) > most else -math.inf
        return sorted((document for document, value in values.items() if value >= least), key=self._place)[:most]

    def _place(self, document: Document) -> tuple[float, Document]:
        return -self._states[document].value, document

    def _leads(self, source: Document, *, refers: bool) -> _Leads:
        """What a passage may lead to.

        Args:
            source: the passage.
            refers: whether the parts that it refers to are among that.
        """
        asked = self._words.clauses(self._residual_terms(source))
        names = self._names_of(source) if self._use_links else ()
        return _Leads(
            source,
            asked,
            self._words.candidates(asked),
            self._words.titled(source.links, asked) if self._use_links else Linked(),
            self._words.naming(names, asked),
            [(weight, self._words.in_part(part, asked)) for part, weight in (self._parts_of(source) if refers else {}).items()],
        )

    def _parts_of(self, source: Document) -> dict[str, float]:
        """The keys of the parts that a passage refers to, and of what defines its terms, with the weights of the links."""
        weights: dict[str, float] = {}
        spread = 1 + 0.3 * math.log(1 + max(0, len(set(source.references.values())) - 2))
        for reference, part in source.references.items():
            near = ASIDE_WEIGHT + (1 - ASIDE_WEIGHT) * source.share_at(reference.start, self._idf)
            weight = OUT_WEIGHT * near / spread / (1 + 0.5 * math.log(1 + self._words.num_in(part) / 3))
            weights[part] = max(weight, weights.get(part, 0.0))
        return weights | self._definitions_for(source)

    def _definitions_for(self, source: Document) -> dict[str, float]:
        """The keys of what defines the terms that a passage uses, with the weights of the links: few, the likeliest ones."""
        weights: dict[str, float] = {}
        for term, key, near in source.terms_near(self._idf):
            weight = OUT_WEIGHT * near / (1 + 0.5 * math.log(1 + self._words.num_using(term) / 3))
            weights[key] = max(weight, weights.get(key, 0.0))
        return dict(sorted(weights.items(), key=lambda one: -one[1])[:MAX_TERMS])

    def _follow(self, leads: _Leads, numbers: Sequence[int], decay: float) -> None:
        """Notes what a passage leads to, given the numbers of its `_Leads.addresses`."""
        source = leads.source
        num_found = len(leads.candidates)
        candidates = candidates_of(leads.candidates, numbers[:num_found])
        placed = zip(leads.addresses()[num_found:], numbers[num_found:], strict=True)
        most = [MAX_LINKS, MAX_LINKS, *[PART_HITS] * len(leads.referred)]
        groups = [Group(candidates, RESIDUAL_HITS + 1)]
        for linked, num in zip(leads.linked, most, strict=True):
            of_linked = list(islice(placed, len(linked.addresses)))
            groups.append(Group(of_linked, num, linked.query, has_all=linked is not leads.naming))
        found, by_title, by_name, *by_part = self._words.answers(leads.asked, groups)
        best_score = max(found.values(), default=0.0) or 1.0
        by_words = {document: score / best_score for document, score in found.items() if document is not source}
        by_links = self._by_links(source, by_title, list(by_name))
        for (weight, _), answering in zip(leads.referred, by_part, strict=True):
            for document in answering.keys() - {source}:
                self._referred[source, document] = by_links[document] = max(weight, by_links.get(document, 0.0))
        answered = {**by_name, **by_title, **{document: score for part in by_part for document, score in part.items()}}
        share = self._states[source].value * decay
        for document in {**by_links, **(by_words if self._use_residual else {})}:
            answers = by_words.get(document, answered.get(document, 0.0) / best_score)
            link = by_links.get(document, 0.0) * (1 - GATE * (1 - min(1.0, 1.5 * answers)))
            residual = RESIDUAL_WEIGHT * by_words.get(document, 0.0) if self._use_residual else 0.0
            reached = (max(link, residual) + 0.5 * min(link, residual)) * share
            state = self._states.setdefault(document, _State(math.nan))
            if reached > state.reached:
                state.reached = reached
                is_referred = (source, document) in self._referred
                state.most = self._states[source].value if is_referred else math.inf
                if document not in self._sources:  # a source precedes what it leads to, so the paths form a tree
                    state.via = Via(
                        source.passage.id, source.passage.title, "reference" if is_referred else "link" if link else "words"
                    )

    def _residual_terms(self, source: Document) -> dict[str, float]:
        held = self._held[source]
        terms = {term: count * (COVERED if term in held else 1.0) for term, count in self._terms.items()}
        added = (source.title_terms | source.best_sentence(self._idf)) - terms.keys()
        return terms | {term: ADDED for term in sorted(added) if self._words.idf(term)}

    def _names_of(self, source: Document) -> Collection[str]:
        """The key by which other passages name a passage or, without a title, the names that it shares with them."""
        return [source.key] if source.key else [] if source.passage.title else source.shared_names

    def _by_links(self, source: Document, titled: Iterable[Document], naming: Sequence[Document]) -> dict[Document, float]:
        """The weights of the links between a passage and those that it names, or that name it."""
        weights = {document: self._out_weight(source, document.key) for document in titled if document.key}
        names = self._names_of(source)
        # For one or two words, the opening is the key itself.
        is_sure = all(opening(key) == key for key in names)
        found = naming if is_sure else [document for document in naming if any(map(document.names, names))]
        if source.key:
            back = BACK_WEIGHT / (1 + 0.5 * math.log(1 + self._words.num_naming(source.key)))
            weights |= {document: max(back, weights.get(document, 0.0)) for document in found}
        elif not source.passage.title:
            for document in [*titled, *found]:
                weights[document] = max(_name_weight(source, document), weights.get(document, 0.0))
        weights.pop(source, None)
        return weights

    def _out_weight(self, source: Document, key: str) -> float:
        """A link weighs less if many passages name its target, or if its source names many."""
        in_links = 1 + 0.5 * math.log(1 + self._words.num_naming(key) / 3)
        out_links = 1 + 0.3 * math.log(1 + max(0, len(source.links) - 2))
        return OUT_WEIGHT / in_links / out_links

    def _score_new(self) -> None:
        """Gives the passages that were reached their own scores for the question."""
        new = [document for document, state in self._states.items() if math.isnan(state.own)]
        own = self._words.scores(self._asked, new)
        for document in new:
            self._states[document].own = self._own(document, own.get(document, 0.0))

    def _picked(self, pool: Sequence[Document], max_hits: int) -> list[Document]:
        """Chosen one by one: by value, by the part of the question that is not covered yet, and by a link to a chosen one."""
        value = {document: self._states[document].value for document in pool}
        covers = {document: self._held[document] for document in pool}
        covered = {document: self._share(terms) for document, terms in covers.items()}
        linked = dict.fromkeys(pool, 0.0)
        picked: list[Document] = []

        def gain(document: Document) -> float:
            return value[document] + COVERAGE_BONUS * covered[document] + LINKED_BONUS * linked[document]

        rest = list(pool)
        while rest and len(picked) < max_hits:
            best = max(rest, key=gain)
            rest.remove(best)
            picked.append(best)
            added = covers[best]
            for document in rest if added else ():
                if not added.isdisjoint(covers[document]):
                    covers[document] -= added
                    covered[document] = self._share(covers[document])
            for document in self._near(best, rest) if self._use_links else ():
                linked[document] = max(linked[document], self._link_between(best, document))
        return picked

    def _share(self, terms: Iterable[str]) -> float:
        """The share of the question's words, by weight, that some terms are."""
        return self._weight(terms) / self._total

    def _weight(self, terms: Iterable[str]) -> float:
        # A plain sum depends on the order of the terms, which for a set differs between processes.
        return math.fsum(map(self._idf.__getitem__, terms))

    def _near(self, one: Document, others: Sequence[Document]) -> list[Document]:
        """Those of some passages that may be linked to one, some of them twice: most are not, which is quickly told."""
        partners = {document for pair in self._referred if one in pair for document in pair}
        return [*one.near(others), *(other for other in others if other in partners)]

    def _link_between(self, one: Document, other: Document) -> float:
        """The weight of the strongest link between two passages, at most 1."""
        there = self._out_weight(one, other.key) if one.links_to(other) else 0.0
        back = self._out_weight(other, one.key) if other.links_to(one) else 0.0
        return min(1.0, max(there, back, self._referred.get((one, other), 0.0), self._referred.get((other, one), 0.0)))


def _is_code(term: str) -> bool:
    """Whether a term is the name of a model, an error or the like: a letter, and digits behind it."""
    return term[:1].isalpha() and any(map(str.isdigit, term))


def _distinct(ranked: Iterable[Document]) -> Iterator[Document]:
    """Yields the first passage of each text: what the manuals of several models say alike is read once."""
    by_end: dict[str, list[str]] = {}
    for document in ranked:
        text = document.passage.text
        others = by_end.setdefault(letters_of(text[-_END:])[-_LETTERS_OF_END:], [])  # all letters only of what ends alike
        if not others or letters_of(text) not in map(letters_of, others):
            others.append(text)
            yield document


def _name_weight(source: Document, target: Document) -> float:
    """The weight of the strongest link by a name that is in both texts; 0 without one."""
    return max(
        (
            weight * (LEADING if target.begins_with(name) else 1.0)
            for name, weight in source.shared_names.items()
            if target.names(name)
        ),
        default=0.0,
    )
