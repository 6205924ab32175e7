"""Parses a chain of reasoning whose sentences begin with First, Second and so on (Verify-and-Edit)."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text import values
from hopweave.text.final import SAYS_ANSWER
from hopweave.text.sentences import sentence_spans

ORDINALS = tuple(word.capitalize() for word in values.ORDINALS)
"""The words with which the sentences begin, in order."""

# With its comma, and only where a sentence may begin: "the Second World War" does not start one.
_ORDINAL = lazy_pattern(rf"(?:^|(?<=\s))[*_>•-]*+(?:{'|'.join(ORDINALS)})(?:ly)?[*_]*+,[*_]*+[ \t]*+", re.MULTILINE)


def reasoning_sentences(text: str, *, has_closing: bool = True) -> tuple[str, ...]:
    """The sentences of a chain of reasoning, each on one line, without its ordinal.

    Without any ordinal, the text is split into sentences as usual.

    Args:
        text: the model's text.
        has_closing: whether a sentence that states the final answer is part of the answer, and so left out here.

    >>> reasoning_sentences("First, it is red. Second, red is a colour. So the answer is: yes.")
    ('It is red.', 'Red is a colour.')
    """
    places = list(_ORDINAL.finditer(text))
    if places:
        ends = [*(place.start() for place in places[1:]), len(text)]
        parts = [text[: places[0].start()], *(text[place.end() : end] for place, end in zip(places, ends, strict=True))]
    else:
        parts = [text[span.start : span.end] for span in sentence_spans(text)]
    plain = (" ".join(_without_closing(part).split() if has_closing else part.split()) for part in parts)
    return tuple(part[:1].upper() + part[1:] for part in plain if any(char.isalnum() for char in part))


def ordered(sentences: tuple[str, ...]) -> str:
    """Sentences as such a chain; those after the last ordinal have none.

    >>> ordered(("It is red.", "Red is a colour."))
    'First, It is red. Second, Red is a colour.'
    """
    numbered = [f"{ordinal}, {sentence}" for ordinal, sentence in zip(ORDINALS, sentences, strict=False)]
    return " ".join([*numbered, *sentences[len(ORDINALS) :]])


def _without_closing(part: str) -> str:
    kept = [part[span.start : span.end] for span in sentence_spans(part)]
    return " ".join(sentence for sentence in kept if not SAYS_ANSWER.search(sentence))
