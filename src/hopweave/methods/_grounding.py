"""What the sentences of a reasoning rest on: each becomes a claim, verified where a passage can be shown to hold it.

The rule looks at words and does not read. A passage holds a sentence if every name and number of the sentence stands in its
title or text; if what the sentence adds stands in a sentence of the passage; and if that sentence or the title has at least
half of the sentence's other words of four letters and more, by their first five letters. That sentence is cited. What a
sentence adds is the last name or number that neither the question nor an earlier sentence has; without one the last such word;
else its last name. A conclusion ("Thus ...", a sum) and a sentence without a name are the model's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopweave.citing import cite, locate
from hopweave.methods._finding import is_reasoning
from hopweave.parse.sentences import sentence_spans
from hopweave.types import Citation, Claim, Passage, Question, Span

_TOKEN = re.compile(r"\d[\d.,]*\d|[^\W_](?:[\w'’.-]*\w)?(?:(?<=[A-Z])(?<!\w\w)\.)?")
_JOIN_A_NAME = "of the de la le du des del di da dos van von der den und y e al el bin ibn"
_OPEN_A_SENTENCE = (
    "a an the in on at of as it its he his him she her they their them this that these those there both all each of one two "
    "thus so therefore hence since because when while where who which what after before during until by for from with to "
    "and but or no not yes according also however then if i we you"
)
_SAY_NOTHING = "that this these those there their they them were with from which what when where have been being"
_CONNECTORS, _OPENERS, _NOT_CONTENT = (frozenset(words.split()) for words in (_JOIN_A_NAME, _OPEN_A_SENTENCE, _SAY_NOTHING))
_SAME_LETTERS = 5
_FEWEST_LETTERS = 4


def claims_of(question: Question, sentences: Sequence[str], passages: Sequence[Passage]) -> list[Claim]:
    """A claim for each sentence, in order; the number of a claim, from 1, is the mark of its citation."""
    claims = []
    said = question.text
    for mark, sentence in enumerate(sentences, start=1):
        citation = citation_of(mark, sentence, said, passages)
        claims.append(Claim(question.text, sentence, "verified", (citation,)) if citation else _known(question, sentence))
        said = f"{said} {sentence}"
    return claims


def citation_of(mark: int, sentence: str, said: str, passages: Sequence[Passage]) -> Citation | None:
    """What a sentence rests on: the first passage that holds it, by the rule above.

    Args:
        mark: of the citation.
        sentence: of the reasoning.
        said: the question and the sentences before.
        passages: in the order in which they were acquired.
    """
    names = anchors(sentence)
    if not names or is_reasoning(sentence):
        return None
    words = _content(sentence, names)
    new = [name for name in names if locate(name, said) is None] or [word for word in words if locate(word, said) is None]
    focus = (new or names)[-1]
    for passage in passages:
        if all(locate(name, passage.title) or locate(name, passage.text) for name in names):
            span = _span_of(focus, words, passage)
            if span is not None:
                return cite(mark, passage, span)
    return None


def anchors(sentence: str) -> list[str]:
    """The names (runs of capitalised words) and numbers of a sentence, in order.

    >>> anchors("The Planets was composed by Gustav Holst, Duke of Nowhere, in 1914.")
    ['Planets', 'Gustav Holst', 'Duke of Nowhere', '1914']
    """
    found: list[str] = []
    start = end = -1
    tokens = list(_TOKEN.finditer(sentence))
    for index, token in enumerate(tokens):
        word = token[0]
        is_opener = index == 0 and word.lower() in _OPENERS
        if (word[0].isupper() or word[0].isdigit()) and not is_opener and word != "I":
            if start >= 0 and not _are_joined(sentence[end : token.start()]):
                found.append(sentence[start:end])
                start = -1
            start, end = (token.start() if start < 0 else start), token.end()
    if start >= 0:
        found.append(sentence[start:end])
    return list(dict.fromkeys(re.sub(r"['’]s$", "", name) for name in found))


def _are_joined(between: str) -> bool:
    """Whether what stands between two capitalised words leaves them one name."""
    return not between.strip() or (
        re.fullmatch(r"[\s\w]+", between) is not None and all(word in _CONNECTORS for word in between.split())
    )


def _content(sentence: str, names: Sequence[str]) -> list[str]:
    """The other words that say something."""
    for name in sorted(names, key=len, reverse=True):
        sentence = sentence.replace(name, " ")
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", sentence)]
    return [word for word in words if len(word) >= _FEWEST_LETTERS and word not in _NOT_CONTENT]


def _span_of(focus: str, words: Sequence[str], passage: Passage) -> Span | None:
    title = passage.title.lower()
    for sentence in sentence_spans(passage.text):
        text = passage.text[sentence.start : sentence.end]
        span = locate(focus, text)
        if span is None:
            continue
        there = {word[:_SAME_LETTERS] for word in re.findall(r"[^\W\d_]+", f"{text} {title}".lower())}
        if 2 * sum(word[:_SAME_LETTERS] in there for word in words) >= len(words):
            return Span(sentence.start + span.start, sentence.start + span.end)
    return None


def _known(question: Question, sentence: str) -> Claim:
    return Claim(question.text, sentence, "known")
