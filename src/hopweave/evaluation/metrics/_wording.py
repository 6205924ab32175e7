"""The text sent to the model, line by line: each distinct line once, and the part that is the same for every question."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from hopweave.core.prompt import unescape
from hopweave.record import ModelCall, Record, Search

_MIN_WORDS = 4
"""Runs of fewer words from a passage or the model are assumed to occur in a line by coincidence."""


def unique_words(record: Record) -> int:
    """Words of the distinct lines that were sent; a line that is only the beginning of a longer one is part of it."""
    lines = sorted({tuple(line) for message in _sent(record) for line in map(str.split, message.split("\n")) if line})
    within = {line for line, after in pairwise(lines) if after[: len(line)] == line}
    return sum(len(line) for line in lines if line not in within)


def static_words(record: Record) -> int:
    """Words of the distinct lines that remain after removing the question, the passages and the model's own text."""
    question = {line for line in map(_plain, record.question.text.split("\n")) if line}
    said = {line for text in _said(record) for line in map(_plain, text.split("\n")) if line}
    texts = [_plain(passage.text) for passage in record.passages]
    titles = {_plain(passage.title) for passage in record.passages} - {""}
    wholes = question | {line for line in {*said, *texts} if len(line.split()) >= _MIN_WORDS}
    cuts = sorted(wholes, key=lambda words: (-len(words), words))
    left = set()
    for line in dict.fromkeys(map(_plain, _lines(_sent(record, with_assistant=False)))):
        if line in said or line in titles or (len(line.split()) >= _MIN_WORDS and any(line in text for text in texts)):
            continue
        left.add(_without(line, cuts, titles))
    return sum(len(line.split()) for line in left)


def _without(line: str, cuts: Iterable[str], titles: Iterable[str]) -> str:
    for words in cuts:
        if words in line:
            line = line.replace(words, " ")
    tail = max((title for title in titles if line.endswith(f": {title}")), key=len, default="")
    return _plain(line.removesuffix(tail))


def _plain(text: str) -> str:
    return " ".join(unescape(text).split())


def _sent(record: Record, *, with_assistant: bool = True) -> list[str]:
    places = dict.fromkeys(place for step in record.own_steps if isinstance(step, ModelCall) for place in step.messages)
    messages = [record.messages[place] for place in places]
    return [message.text for message in messages if with_assistant or message.role != "assistant"]


def _lines(texts: Iterable[str]) -> Iterable[str]:
    return (line for text in texts for line in text.split("\n") if line.strip())


def _said(record: Record) -> Iterable[str]:
    """The model's own text, and what was derived from it: queries, claims."""
    for step in record.own_steps:
        if isinstance(step, ModelCall) and step.text:
            yield step.text
        elif isinstance(step, Search):
            yield from step.queries
    for claim in record.answer.claims if record.answer is not None else ():
        yield claim.text
