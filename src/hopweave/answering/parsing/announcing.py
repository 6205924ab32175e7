"""Tells what a reply says from the words that only announce it, such as "Sure! Here is the next sentence:"."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern

_OFFER = r"(?:[,.!]?+\s++I(?:['’]d|\s++would)\s++be\s++(?:happy|glad|pleased)\s++to(?:\s++[\w'’-]++){1,6})?+"
_INTERJECTION = lazy_pattern(
    rf"^[\W_]*+(?:(?:sure(?:\s++thing)?+|of\s++course|certainly|absolutely|understood|got\s++it|okay|alright){_OFFER}"
    rf"(?:\s*+[.!…]++[*_`]*+(?=\s++[\W_]*+(?-i:[A-Z\d]))|[\W_]*+$)|(?:ok|great){_OFFER}[\W_]*+$)",
    re.IGNORECASE,
)
_SENTENCE_LABEL = lazy_pattern(
    r"^[\W_]*+(?:here(?:['’]s|\s++is)\s++(?:(?:the|my|your)\s++)?+(?:\w++\s++){0,2}(?:next|first)\s++sentence\b[^:.\n]{0,60}+"
    r"|(?:the\s++)?+(?:next|first)\s++sentence(?:\s++is)?+[*_`\s]*+):[*_`\s]*+",
    re.IGNORECASE,
)

_BEGINS_ANSWER = lazy_pattern(
    r"[\W_]*+(?:(?:so|thus|therefore|hence),?+\s++)?+(?:the|my)\s++(?:final\s++)?+answer\s++is[*_`\s]*+[:：][*_`\s]*+",
    re.IGNORECASE,
)

_ANSWER_LABEL = lazy_pattern(r"^[ \t]*+A:[ \t]*+", re.MULTILINE)


def without_answer_labels(text: str) -> str:
    r"""A reply without "A:", which stands before the answer of a worked question, at the beginning of its lines.

    >>> without_answer_labels("A: It is weekly.\nPlan A: wait.")
    'It is weekly.\nPlan A: wait.'
    """
    return _ANSWER_LABEL.sub("", text)


def lines_said(text: str) -> list[str]:
    r"""The lines of a reply that say something, without white space around them and without words that announce them.

    A line with a colon at its end announces others, and so does an interjection that is a whole line. An interjection before a
    sentence is left out, and so is "the next sentence is:". "So the answer is:" goes on in the next line.

    >>> lines_said("Sure! Here is the next sentence:\n\nOK! is a magazine. It is weekly.\nOkay. It is old.")
    ['OK! is a magazine. It is weekly.', 'It is old.']
    """
    lines = [_SENTENCE_LABEL.sub("", _INTERJECTION.sub("", line).strip()) for line in text.splitlines()]
    said: list[str] = []
    for line in filter(_has_words, lines):
        if said and _BEGINS_ANSWER.fullmatch(said[-1]):
            said[-1] = f"{said[-1]} {line}"
        elif not line.rstrip("*_` ").endswith((":", "：")) or _BEGINS_ANSWER.fullmatch(line):
            said.append(line)
    return said


def _has_words(line: str) -> bool:
    return any(map(str.isalnum, line))
