"""Selects the sentences of retrieved passages that a model should see, when it should not see all of them.

The score of a sentence combines its passage's score, the words it shares with the question, its position (articles define
their subject at the beginning), whether it contains the kind of value that is asked for, and whether its passage was reached
by a link. The weights were fitted (logistic regression) on the gold sentences of the first 50 development questions of HotpotQA
and of 2WikiMultiHopQA, among the ten passages that `weave` finds. On the other 50 of each, 350 tokens of sentences contain
91.7% of the gold sentences; 700 tokens of whole passages contain 93.5%, and 350 tokens of them about 75%.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from hopweave.core.types import Hit, Passage, Span
from hopweave.text.content_words import estimated_tokens, keys_of, stem, stems_of
from hopweave.text.instructions import blanked
from hopweave.text.sentences import sentence_spans

_PASSAGE_SCORE = 7.0
_OVERLAP = 5.0
_FIRST = 2.5
_SECOND = 1.0
_LINKED = 1.4
_RIGHT_KIND = 0.6


_LONG = 200
"""The length, in tokens, up to which a sentence is not split: a table or a transcript is one sentence and might fit no budget.
Of the 32,615 sentences of the passages on which the methods were measured, 11 are longer."""

_PART = 75
"""The approximate maximum length, in tokens, of a part of a longer sentence."""

_ENDS_OF_PARTS = ("\n", "; ", ", ", " ")
"""The separators at which a part may end, best first: at the last one in its second half."""

_LONGEST_TITLE = 200
"""The maximum number of characters of a title that are shown: the titles of some files are entire texts."""

_TOKENS_OF_A_TITLE = 3
"""The tokens that show a passage's title in a prompt, in addition to the title itself."""

_KINDS = [  # a pattern of what a question asks for, and one of what a sentence that answers it contains
    (re.compile(r"\b(when|date|year|older|younger|earlier|later|first|died)\b"), re.compile(r"\b(1\d{3}|20\d\d)\b")),
    (re.compile(r"\b(how many|how much|number|population|age)\b"), re.compile(r"\d")),
    (
        re.compile(r"\b(where|country|city|place|nationality|located|state|county|town)\b"),
        re.compile(r"\b(?:in|at|near|from|of)\s+(?:the\s+)?[A-Z]"),
    ),
    (re.compile(r"\b(who|whose|whom)\b"), re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+")),
]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A selected sentence, or part of a long one.

    Attributes:
        passage: the passage that it is from.
        span: its position in the passage's text.
        score: higher is more likely evidence.
    """

    passage: Passage
    span: Span
    score: float

    @property
    def text(self) -> str:
        """The sentence, or the part."""
        return self.passage.text[self.span.start : self.span.end]

    @property
    def title(self) -> str:
        """The title of its passage as it is shown: a long one is truncated."""
        title = self.passage.title
        return title if len(title) <= _LONGEST_TITLE else f"{title[:_LONGEST_TITLE].rstrip()} ..."


def chosen_sentences(
    question: str, hits: Sequence[Hit], max_tokens: int, *, length: Callable[[str], float] = estimated_tokens
) -> list[Evidence]:
    """The sentences that most likely contain the evidence, as many as fit.

    Args:
        question: the question to be answered.
        hits: passages, best first.
        max_tokens: the limit for all sentences and the titles of their passages, each title once.
        length: returns the number of tokens of a text.

    Returns:
        The sentences in reading order: passages by rank, sentences as in the text. Empty if none fits.
    """
    return _fitting(sorted(_scored(question, hits), key=_by_score, reverse=True), hits, max_tokens, length)


def shortened(question: str, hits: Sequence[Hit], max_tokens: int) -> list[Hit]:
    """The hits with all but the selected sentences blanked, so that spans stay valid; hits without any are dropped."""
    kept: dict[str, set[Span]] = {}
    for one in chosen_sentences(question, hits, max_tokens):
        kept.setdefault(one.passage.id, set()).add(one.span)
    short: list[Hit] = []
    for hit in hits:
        if hit.passage.id in kept:
            text = hit.passage.text
            for span in _units(hit.passage.text):
                text = text if span in kept[hit.passage.id] else blanked(text, span)
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
    must = {one.span for one in (max(scored, key=_by_score), *_most_of(answer, question, scored))}
    ranked = sorted(scored, key=lambda one: (one.span in must, one.score), reverse=True)
    kept = {one.span for one in _fitting(ranked, hits, max_tokens, estimated_tokens)}
    if not must <= kept:
        return []
    kept |= {one.span for one in scored if words is not None and one.span.start < words.end and words.start < one.span.end}
    return [one for one in scored if one.span in kept]


def condensed_text(question: str, passage: Passage, max_tokens: int, *, answer: str = "", words: Span | None = None) -> str:
    """The sentences of `excerpt_of` on one line, or the entire text."""
    kept = excerpt_of(question, passage, max_tokens, answer=answer, words=words)
    return " ".join(" ".join(one.text.split()) for one in kept) if kept else passage.text


def _most_of(answer: str, question: str, scored: Sequence[Evidence]) -> list[Evidence]:
    """The likeliest of the sentences that have most of the words that an answer adds to its question, if any has one."""
    added = {stem(word) for word in keys_of(answer) - keys_of(question)} if answer else set()
    nums = [len(added & stems_of(one.text)) for one in scored]
    most = max(nums, default=0)
    alike = [one for one, num in zip(scored, nums, strict=True) if num == most]
    return [max(alike, key=_by_score)] if most else []


def _by_score(one: Evidence) -> float:
    return one.score


def _fitting(
    ranked: Iterable[Evidence], hits: Sequence[Hit], max_tokens: int, length: Callable[[str], float]
) -> list[Evidence]:
    """The first of ranked sentences that fit, in reading order."""
    left = float(max_tokens)
    titled: set[str] = set()
    chosen = []
    for one in ranked:
        title = 0.0 if one.passage.id in titled else length(one.title) + _TOKENS_OF_A_TITLE
        cost = length(one.text) + title
        if cost <= left:
            left -= cost
            titled.add(one.passage.id)
            chosen.append(one)
    ranks = {hit.passage.id: rank for rank, hit in enumerate(hits)}
    return sorted(chosen, key=lambda one: (ranks[one.passage.id], one.span.start))


def _units(text: str) -> Iterator[Span]:
    """The sentences of a text, long ones split into parts."""
    for span in sentence_spans(text):
        tokens = estimated_tokens(text[span.start : span.end])
        if tokens > _LONG:
            yield from _parts(text, span, (span.end - span.start) * _PART // tokens)
        else:
            yield span


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
    spans = [(hit, number, span) for hit in hits for number, span in enumerate(_units(hit.passage.text))]
    texts = [hit.passage.text[span.start : span.end] for hit, _, span in spans]
    stems = [stems_of(text) for text in texts]
    asked = stems_of(question)
    frequencies = Counter(stem for of_sentence in stems for stem in of_sentence)
    weights = {stem: max(0.0, math.log((len(spans) + 1) / (frequencies[stem] + 0.5))) for stem in asked}
    total = math.fsum(weights.values()) or 1.0
    best = max((hit.score for hit in hits), default=0.0)
    values = [values for words, values in _KINDS if words.search(question.casefold())][:1]
    scored = []
    for (hit, number, span), text, of_sentence in zip(spans, texts, stems, strict=True):
        score = _PASSAGE_SCORE * (hit.score / best if best > 0 else 1.0)
        score += _OVERLAP * math.fsum(weights[stem] for stem in asked & of_sentence) / total
        score += {0: _FIRST, 1: _SECOND}.get(number, 0.0)
        score += _LINKED * (hit.via is not None and hit.via.by == "link")
        score += _RIGHT_KIND * any(value.search(text) is not None for value in values)
        scored.append(Evidence(hit.passage, span, score))
    return scored
