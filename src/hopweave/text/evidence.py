"""Selects the sentences of retrieved passages that a model should see, when it should not see all of them.

The score of a sentence combines its passage's score, the words it shares with the question, its position (an article defines
its subject at the beginning; a passage from further on in a document does not), whether it contains the kind of value that is
asked for, whether its passage was reached by a link and, in documents, how near it is to the question in meaning
(`text.word_vectors`). Stubs and repetitions (`text.repetition`) take no room from the others.

The weights were fitted (logistic regression) on the gold sentences of the first 50 development questions of HotpotQA and of
2WikiMultiHopQA, among the ten passages that `weave` finds. On the other 50 of each, 350 tokens of sentences contain 91.7% of
the gold sentences; 700 tokens of whole passages contain 93.5%, and 350 tokens of them about 75%.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Hit, Passage, Span
from hopweave.text.content_words import estimated_tokens, keys_of, stem, stems_of
from hopweave.text.defaults import asks_for_default, states_default
from hopweave.text.document_names import full_heading, full_title
from hopweave.text.instructions import blanked
from hopweave.text.languages import language_of
from hopweave.text.referred import Referring, referring_to
from hopweave.text.repetition import Repetitions, Said
from hopweave.text.sentences import sentence_spans
from hopweave.text.values_asked import has_value_of, kinds_of_values_asked
from hopweave.text.word_vectors import Headed, nearness

_PASSAGE_SCORE = 7.0
_OVERLAP = 5.0
_FIRST = 2.5
_SECOND = 1.0
_LINKED = 1.4
_MEANT = 3.0
"""For a sentence in the very section that another passage refers to."""
_LIKE_WHAT_REFERS = 2.5
"""For the words that a sentence shares with those that refer to its passage."""
_RIGHT_KIND = 0.6
_HAS_VALUE = 2.0
"""For a value of a kind that the question asks for, where that is plain; not where all passages are articles either."""
_STATES_DEFAULT = 1.0
"""For a default, where one is asked for; in documents as well."""
_NEAR = 4.0
"""Not where all passages are articles: there, what is asked for is mostly said in words of the question or at the beginning."""

_LONG = 200
"""The length, in tokens, up to which a sentence is not split: a table or a transcript is one sentence and might fit no budget.
Of the 32,615 sentences of the passages on which the methods were measured, 11 are longer."""

_PART = 75
"""The approximate maximum length, in tokens, of a part of a longer sentence."""

_ENDS_OF_PARTS = ("\n", "; ", ", ", " ")
"""The separators at which a part may end, best first: at the last one in its second half."""

_BEFORE_ALL = 1000.0
"""Added to the score of a sentence that must be seen: more than any score."""

_LONGEST_TITLE = 200
"""The maximum number of characters of a title that are shown: the titles of some files are entire texts."""

_TOKENS_OF_A_TITLE = 3
"""The tokens that show a passage's title in a prompt, in addition to the title itself."""

_KINDS = [  # a pattern of what a question asks for, and one of what a sentence that answers it contains
    (lazy_pattern(r"\b(when|date|year|older|younger|earlier|later|first|died)\b"), lazy_pattern(r"\b(1\d{3}|20\d\d)\b")),
    (lazy_pattern(r"\b(how many|how much|number|population|age)\b"), lazy_pattern(r"\d")),
    (
        lazy_pattern(r"\b(where|country|city|place|nationality|located|state|county|town)\b"),
        lazy_pattern(r"\b(?:in|at|near|from|of)\s+(?:the\s+)?[A-Z]"),
    ),
    (lazy_pattern(r"\b(who|whose|whom)\b"), lazy_pattern(r"\b[A-Z][a-z]+ [A-Z][a-z]+")),
]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A selected sentence, or part of a long one.

    Attributes:
        passage: the passage that it is from.
        span: its position in the passage's text.
        score: higher is more likely evidence.
        is_part: whether it is a part of a long sentence.
    """

    passage: Passage
    span: Span
    score: float
    is_part: bool = False

    @property
    def text(self) -> str:
        """The sentence, or the part."""
        return self.passage.text[self.span.start : self.span.end]

    @property
    def title(self) -> str:
        """The title of its passage as it is shown: a long one is truncated."""
        title = full_heading(self.passage)
        return title if len(title) <= _LONGEST_TITLE else f"{title[:_LONGEST_TITLE].rstrip()} ..."


def chosen_sentences(
    question: str,
    hits: Sequence[Hit],
    max_tokens: int,
    *,
    max_gap: float = math.inf,
    length: Callable[[str], float] = estimated_tokens,
) -> list[Evidence]:
    """The sentences that most likely contain the evidence, as many as fit.

    Args:
        question: the question to be answered.
        hits: passages, best first.
        max_tokens: the limit for all sentences and the titles of their passages, each title once.
        max_gap: how far below the likeliest sentence, in scores (log-odds), another may be.
        length: returns the number of tokens of a text.

    Returns:
        The sentences in reading order: passages by rank, sentences as in the text. Empty if none fits.
    """
    chosen = _fitting(_scored(question, hits), hits, max_tokens, length)
    least = max((one.score for one in chosen), default=0.0) - max_gap
    return [one for one in chosen if one.score >= least]


def shortened(question: str, hits: Sequence[Hit], max_tokens: int) -> list[Hit]:
    """The hits with all but the selected sentences blanked, so that spans stay valid; hits without any are dropped."""
    kept: dict[str, set[Span]] = {}
    for one in chosen_sentences(question, hits, max_tokens):
        kept.setdefault(one.passage.id, set()).add(one.span)
    short: list[Hit] = []
    for hit in hits:
        if hit.passage.id in kept:
            text = hit.passage.text
            for unit in _units(hit.passage.text):
                text = text if unit.span in kept[hit.passage.id] else blanked(text, unit.span)
            passage = dataclasses.replace(hit.passage, text=text)
            short.append(dataclasses.replace(hit, passage=passage, rank=len(short) + 1))
    return short


def condensed(question: str, hits: Sequence[Hit], max_tokens: int) -> list[Hit]:
    """The hits with only the selected sentences, for a prompt: as in `shortened`, but spans do not stay valid."""
    return [
        dataclasses.replace(hit, passage=dataclasses.replace(hit.passage, text=" ".join(hit.passage.text.split())))
        for hit in shortened(question, hits, max_tokens)
    ]


def excerpt_of(
    question: str, passage: Passage, max_tokens: int, *, answer: str = "", words: Span | None = None
) -> list[Evidence]:
    """The selected sentences of one passage in reading order; none if it is to be shown whole.

    It is shown whole if the limit is 0, or if what must be seen does not fit: the likeliest sentence and that of an answer.

    Args:
        question: the question that the passage may answer.
        passage: the passage.
        max_tokens: the limit for the sentences and the title.
        answer: an answer to the question that is to be checked; the sentence that has most of its words must be seen.
        words: a position in the passage; the sentences that hold it are added, whether or not they fit.
    """
    hits = [Hit(passage, 1.0, 1)]
    scored = _scored(question, hits) if max_tokens else []
    if not scored:
        return []
    repetitions = _repetitions_of(scored)
    must = {_likeliest(scored, repetitions), *_most_of(answer, question, scored)}
    ranked = [
        dataclasses.replace(one, score=one.score + _BEFORE_ALL) if number in must else one for number, one in enumerate(scored)
    ]
    kept = {one.span for one in _fitting(ranked, hits, max_tokens, estimated_tokens)}
    if not all(_is_said(number, scored, repetitions, kept) for number in must):
        return []
    kept |= {one.span for one in scored if words is not None and one.span.start < words.end and words.start < one.span.end}
    return [one for one in scored if one.span in kept]


def condensed_text(question: str, passage: Passage, max_tokens: int, *, answer: str = "", words: Span | None = None) -> str:
    """The sentences of `excerpt_of` on one line, or the entire text."""
    kept = excerpt_of(question, passage, max_tokens, answer=answer, words=words)
    return " ".join(" ".join(one.text.split()) for one in kept) if kept else passage.text


def _most_of(answer: str, question: str, scored: Sequence[Evidence]) -> list[int]:
    """The likeliest of the sentences that have most of the words that an answer adds to its question, if any has one."""
    added = {stem(word) for word in keys_of(answer) - keys_of(question)} if answer else set()
    nums = [len(added & stems_of(one.text)) for one in scored]
    most = max(nums, default=0)
    alike = [number for number, num in enumerate(nums) if num == most]
    return [max(alike, key=lambda number: scored[number].score)] if most else []


def _likeliest(scored: Sequence[Evidence], repetitions: Repetitions) -> int:
    """The likeliest sentence; stubs say nothing."""
    return max(range(len(scored)), key=lambda number: (not repetitions.is_stub(number), scored[number].score))


def _is_said(number: int, scored: Sequence[Evidence], repetitions: Repetitions, kept: Collection[Span]) -> bool:
    """Whether a sentence, or another one that says as much, is among the chosen ones."""
    said_by = (number, repetitions.same(number), *repetitions.saying_as_much(number))
    return any(scored[one].span in kept for one in said_by)


def _repetitions_of(scored: Sequence[Evidence]) -> Repetitions:
    titles = {passage.id: full_title(passage) for passage in {one.passage.id: one.passage for one in scored}.values()}
    return Repetitions([Said(one.text, titles[one.passage.id], one.passage.id, one.is_part) for one in scored])


class _Basket:
    """Sentences that are chosen while there is room for them and for the titles of their passages.

    Args:
        max_tokens: the room.
        length: returns the number of tokens of a text.
    """

    def __init__(self, max_tokens: int, length: Callable[[str], float]) -> None:
        self.chosen: dict[int, Evidence] = {}
        self.passage_ids: set[str] = set()
        self._left = float(max_tokens)
        self._length = length
        self._of_titles: dict[str, float] = {}

    def takes(self, number: int, one: Evidence) -> bool:
        """Takes the sentence of a number if it fits; returns whether it does."""
        cost = self._length(one.text) + (0.0 if one.passage.id in self.passage_ids else self._title(one))
        if cost > self._left:
            return False
        self._left -= cost
        self.passage_ids.add(one.passage.id)
        self.chosen[number] = one
        return True

    def _title(self, one: Evidence) -> float:
        """The tokens of the title of a sentence's passage."""
        if (tokens := self._of_titles.get(one.passage.id)) is None:
            tokens = self._of_titles[one.passage.id] = self._length(one.title) + _TOKENS_OF_A_TITLE
        return tokens


def _fitting(
    scored: Sequence[Evidence], hits: Sequence[Hit], max_tokens: int, length: Callable[[str], float]
) -> list[Evidence]:
    """The likeliest sentences that fit, in reading order.

    Stubs are passed over, and so are sentences of which a chosen one says as much. If another sentence says more than one whose
    turn it is, it takes that place if it fits. If there is room left in the end, fragments of the passages that are shown are
    put back, and a passage of which all was passed over gets its likeliest sentence.
    """
    repetitions, basket = _repetitions_of(scored), _Basket(max_tokens, length)
    passed_over = _fill(basket, scored, repetitions)
    _fill_up(basket, scored, repetitions, passed_over)
    ranks = {hit.passage.id: rank for rank, hit in enumerate(hits)}
    return sorted(basket.chosen.values(), key=lambda one: (ranks[one.passage.id], one.span.start))


def _fill(basket: _Basket, scored: Sequence[Evidence], repetitions: Repetitions) -> list[int]:
    """Takes what says something new, the likeliest first; returns the others, in that order."""
    said: set[int] = set()
    passed_over: list[int] = []
    for number in sorted(range(len(scored)), key=lambda number: scored[number].score, reverse=True):
        others = repetitions.saying_as_much(number)
        if repetitions.is_stub(number) or not said.isdisjoint((repetitions.same(number), *others)):
            passed_over.append(number)
            continue
        longer = (other for other in others if len(scored[other].text) > len(scored[number].text))
        taken = next((one for one in (*longer, number) if basket.takes(one, scored[one])), None)
        if taken is not None:
            said.add(repetitions.same(taken))
    return passed_over


def _fill_up(basket: _Basket, scored: Sequence[Evidence], repetitions: Repetitions, passed_over: Sequence[int]) -> None:
    num_left = Counter(one.passage.id for one in scored)
    num_left.subtract(scored[number].passage.id for number in passed_over)
    for number in passed_over:
        if repetitions.is_fragment(number) and scored[number].passage.id in basket.passage_ids:
            basket.takes(number, scored[number])
    for number in passed_over:
        passage_id = scored[number].passage.id
        if not num_left[passage_id] and passage_id not in basket.passage_ids:
            basket.takes(number, scored[number])


class _Unit(NamedTuple):
    """A sentence of a text, or a part of a long one."""

    text: str
    span: Span
    is_part: bool


@remembered
def _units(text: str) -> tuple[_Unit, ...]:
    """The sentences of a text, long ones split into parts."""
    units: list[_Unit] = []
    for span in sentence_spans(text):
        sentence = text[span.start : span.end]
        tokens = estimated_tokens(sentence)
        if tokens > _LONG:
            parts = _parts(text, span, (span.end - span.start) * _PART // tokens)
            units += (_Unit(text[part.start : part.end], part, is_part=True) for part in parts)
        else:
            units.append(_Unit(sentence, span, is_part=False))
    return tuple(units)


def _parts(text: str, sentence: Span, max_length: int) -> Iterator[Span]:
    start = sentence.start
    while start < sentence.end:
        end = min(start + max_length, sentence.end)
        if end < sentence.end:
            found = (text.rfind(mark, start + max_length // 2, end) + len(mark) for mark in _ENDS_OF_PARTS)
            end = next((place for place in found if place > start + max_length // 2), end)
        if part := text[start:end].strip():
            begin = start + text[start:end].index(part)
            yield Span(begin, begin + len(part))
        start = end


def _scored(question: str, hits: Sequence[Hit]) -> list[Evidence]:
    units = [(hit, number, unit) for hit in hits for number, unit in enumerate(_units(hit.passage.text))]
    asked = stems_of(question)
    shared = [asked & stems_of(unit.text) for _, _, unit in units]
    frequencies = Counter(chain.from_iterable(shared))
    weights = {stem: max(0.0, math.log((len(units) + 1) / (frequencies[stem] + 0.5))) for stem in asked}
    total = math.fsum(weights.values()) or 1.0
    best = max((hit.score for hit in hits), default=0.0)
    are_articles = all(hit.passage.start is None for hit in hits)
    kinds, language = frozenset[str]() if are_articles else kinds_of_values_asked(question), language_of(question)
    by_default = not are_articles and asks_for_default(question)
    value = None if kinds else next((value for words, value in _KINDS if words.search(question.casefold())), None)
    headings = {} if are_articles else {hit.passage.id: full_heading(hit.passage) for hit in hits}
    headed = [Headed(headings[hit.passage.id], unit.text) for hit, _, unit in units] if headings else []
    near = nearness(question, headed) if headed else [0.0] * len(units)
    most = max((math.fsum(weights[stem] for stem in stems) for stems in shared), default=0.0)
    referring = {
        passage_id: [(math.fsum(weights[stem] for stem in one.stems & asked) / most if most else 0.0, one) for one in several]
        for passage_id, several in referring_to(hits).items()
    }
    scored = []
    for (hit, number, unit), stems, share in zip(units, shared, near, strict=True):
        score = _PASSAGE_SCORE * (hit.score / best if best > 0 else 1.0)
        score += _OVERLAP * math.fsum(weights[stem] for stem in stems) / total
        score += 0.0 if hit.passage.start else {0: _FIRST, 1: _SECOND}.get(number, 0.0)
        score += _LINKED * (hit.via is not None and hit.via.by != "words")
        score += _by_reference(referring.get(hit.passage.id, ()), unit)
        score += _RIGHT_KIND * (value is not None and value.search(unit.text) is not None)
        score += _HAS_VALUE * (bool(kinds) and has_value_of(unit.text, kinds, language))
        score += _STATES_DEFAULT * (by_default and states_default(unit.text))
        score += _NEAR * share
        scored.append(Evidence(hit.passage, unit.span, score, unit.is_part))
    return scored


def _by_reference(referring: Iterable[tuple[float, Referring]], unit: _Unit) -> float:
    """The share of a score that a sentence owes to what refers to its passage, and how much that shares with the question."""
    shares = []
    for near, one in referring:
        is_meant = any(span.start <= unit.span.start < span.end for span in one.meant)
        like = len(one.stems & stems_of(unit.text)) / len(one.stems) if one.stems else 0.0
        shares.append(min(1.0, near) * (_MEANT * is_meant + _LIKE_WHAT_REFERS * like))
    return max(shares, default=0.0)
