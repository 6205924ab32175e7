"""What a model took up from a passage: the answer of a step that the model did not state by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopweave.prompt import unblunt

_WORD = re.compile(r"\w+(?:['’.,-]\w+)*")
_MOST_WORDS = 12  # of a run
_MOST_SAID = 80  # words that are looked through, of each text
_SMALL = re.compile(
    r"the|and|was|were|are|for|from|with|his|her|she|its|has|had|have|that|this|who|which|what|when|where|why|how|did|does"
    r"|into|than|then|there|they|their|him|out|not|but|\D\w?"
)


def taken_up(query: str, said: Sequence[str], passage: str) -> str:
    """The words that a model took from a passage shown for a query, as it wrote them; empty if it took none.

    They are the longest run of words that stands in what the model said next and in the passage, with the words of the query
    and small words off its ends. A name or a number has to be among them, since other words are often alike by chance.

    Args:
        query: what was asked.
        said: what the model said afterwards, the next words first; the first text with such a run counts.
        passage: its text.

    >>> taken_up("Who wrote it?", ["Where was Ida Renn born?"], "It was written by Ida Renn in 1902.")
    'Ida Renn'
    """
    text = f" {' '.join(_words(passage))} "
    off = set(_words(query))
    return next(filter(None, (_longest_run(unblunt(one), text, off) for one in said)), "")


def _words(text: str) -> list[str]:
    return [match[0].casefold() for match in _WORD.finditer(text)]


def _longest_run(said: str, text: str, off: set[str]) -> str:
    matches = list(_WORD.finditer(said))[:_MOST_SAID]
    words = [match[0].casefold() for match in matches]
    best = (0, 0)
    for start in range(len(words)):
        for end in range(min(len(words), start + _MOST_WORDS), start, -1):
            if f" {' '.join(words[start:end])} " in text:
                first, last = _trimmed(words, start, end, off)
                is_named = any(match[0][0].isupper() or match[0][0].isdigit() for match in matches[first:last])
                if is_named and last - first > best[1] - best[0]:
                    best = (first, last)
                break
    return said[matches[best[0]].start() : matches[best[1] - 1].end()] if best[1] else ""


def _trimmed(words: Sequence[str], start: int, end: int, off: set[str]) -> tuple[int, int]:
    def is_off(word: str) -> bool:
        return word in off or _SMALL.fullmatch(word) is not None

    while start < end and is_off(words[start]):
        start += 1
    while start < end and is_off(words[end - 1]):
        end -= 1
    return start, end
