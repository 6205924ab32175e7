"""The words that a model adopted from a passage: the answer of a step that it did not state explicitly."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import unescape
from hopweave.core.types import Passage
from hopweave.text.content_words import WORD, is_named

_MOST_WORDS = 12  # of a run
_MOST_SAID = 80  # words that are searched in each text
# Names do not begin or end with these. This differs from the content words of a sentence (`text.content_words.words_of`).
_SMALL = lazy_pattern(
    r"the|and|was|were|are|for|from|with|his|her|she|its|has|had|have|that|this|who|which|what|when|where|why|how|did|does"
    r"|into|than|then|there|they|their|him|out|not|but|yes|\D\w?"
)


def adopted_phrase(query: str, said: Sequence[str], passages: Sequence[Passage]) -> str:
    """The words that a model adopted from passages shown for a query, as it wrote them; empty if there are none.

    They are the longest run of words that occurs in the model's next text and in the passage, and that begins and ends with
    a name or a number that is not in the query: other words often match by coincidence.

    Args:
        query: the query.
        said: what the model wrote afterwards, the next text first; the first text with such a run counts.
        passages: best first; the first with such a run counts.

    >>> adopted_phrase("Who wrote it?", ["Where was Ida Renn born?"], [Passage("p", "It was written by Ida Renn in 1902.")])
    'Ida Renn'
    """
    off = set(_words(query))
    texts = [f" {' '.join(_words(passage.text))} " for passage in passages]
    return next(filter(None, (_longest_run(unescape(one), text, off) for text in texts for one in said)), "")


def _words(text: str) -> list[str]:
    return [word.casefold() for word in WORD.findall(text)]


def _longest_run(said: str, text: str, off: set[str]) -> str:
    matches = list(WORD.finditer(said))[:_MOST_SAID]
    words = [match[0].casefold() for match in matches]
    is_edge = [_is_edge(match[0]) and word not in off for match, word in zip(matches, words, strict=True)]
    best = (0, 0)
    for start in (number for number, is_one in enumerate(is_edge) if is_one):
        for end in range(min(len(words), start + _MOST_WORDS), start + best[1] - best[0], -1):
            if is_edge[end - 1] and f" {' '.join(words[start:end])} " in text:
                best = (start, end)
                break
    return said[matches[best[0]].start() : matches[best[1] - 1].end()] if best[1] else ""


def _is_edge(word: str) -> bool:
    return is_named(word) and _SMALL.fullmatch(word.casefold()) is None
