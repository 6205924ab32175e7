"""Parses the replies that grow a tree of thoughts: suggested sub-questions, votes for a choice, and ratings."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import Literal, get_args

from hopweave.answering.parsing.numbered import NUMBER, parse_numbered
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.final import SAYS_ANSWER
from hopweave.text.quotation import unquoted
from hopweave.text.refusal import is_refusal

Rating = Literal["sure", "likely", "impossible"]
"""How likely a step leads to the answer."""

FINISH = "FINISH"
"""The suggestion to stop asking."""

_BEST = lazy_pattern(r"\bbest\s+choice\s+is\b", re.IGNORECASE)
_BARE = lazy_pattern(r"[\W_]*+(?:(?:best\s+)?choice\W*+)?(\d{1,3})[\W_]*+", re.IGNORECASE)
_FINISHES = lazy_pattern(r"[\W_]*+(?:FINISH(?:ED)?\b|(?i:finish(?:ed)?)[\W_]*+$)")
_RATES = lazy_pattern(r"\brating\b(?:\s+is)?[\W_]*+(sure|likely|impossible)\b", re.IGNORECASE)
_BARE_RATING = lazy_pattern(r"[\W_]*+(sure|likely|impossible)[\W_]*+", re.IGNORECASE)
_LABEL = lazy_pattern(
    r"^[\s>*_#`•+-]*+(?:(?:the\s+)?next\s+)?(?:(?:sub[\s-]?)?question)[\s#]*+\d{0,2}[*_`]*+\s*+:[*_`\s]*+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Suggested:
    """Sub-questions, or `FINISH`, in the order written, and one line for each thing that could not be read."""

    items: tuple[str, ...]
    problems: tuple[str, ...]


def parse_suggestions(text: str) -> Suggested:
    r"""Reads a list of suggestions, or a single one that fills the first line.

    >>> parse_suggestions("1. Who wrote it?\n2. FINISH (that is all)").items
    ('Who wrote it?', 'FINISH')
    """
    items = parse_numbered(text).items
    if not items:
        line = next((line for line in map(_unlabelled, text.splitlines()) if line), "")
        items = (line,) if _FINISHES.match(line) else ()
    found = tuple(FINISH if _is_finish(item) else item for item in items)
    if found:
        return Suggested(found, ())
    return Suggested((), ("no next sub-question was written" if text.strip() else "the reply is empty",))


def parse_next(text: str) -> Suggested:
    """Reads the next sub-question from a reply that should contain nothing else: its first line with words.

    A line that answers instead ("the answer is") is not a sub-question.

    >>> parse_next("Sub-question 2: Where was she born?").items
    ('Where was she born?',)
    """
    listed = next((item for line in text.splitlines() for item in parse_numbered(line).items), "")
    line = _unlabelled(listed) or next(
        (line for line in map(_unlabelled, text.splitlines()) if any(map(str.isalnum, line))), ""
    )
    if not line or is_refusal(line) or ("?" not in line and SAYS_ANSWER.search(line)):
        return Suggested((), ("no next sub-question was written" if text.strip() else "the reply is empty",))
    return Suggested((FINISH if _is_finish(line) else line,), ())


def parse_choice(text: str, num_choices: int) -> int | None:
    """The choice, from 1, that a vote is for; `None` if the vote is invalid.

    It is the last valid number after the last "best choice is", on that line; or the reply itself, if it is a number.

    >>> parse_choice("The first is vague. The best choice is 2.", 3), parse_choice("The best choice is 7.", 3)
    (2, None)
    """
    bare = _BARE.fullmatch(text)
    marked = deque(_BEST.finditer(text), maxlen=1)
    if bare is not None:
        numbers = [int(bare[1])]
    elif marked:
        line = text[marked[0].end() :].lstrip(" \t\r\n:*_`").split("\n", 1)[0]
        numbers = [int(number) for number in NUMBER.findall(line)]
    else:
        numbers = []
    return next((number for number in reversed(numbers) if 1 <= number <= num_choices), None)


def parse_rating(text: str) -> Rating | None:
    """The rating that a reply ends with; `None` if there is none.

    It is the word after the last "rating", or a rating that is the entire reply or its last line.

    >>> parse_rating("It is not impossible to know. Rating: likely."), parse_rating("I am sure that it helps.")
    ('likely', None)
    """
    marked = _RATES.findall(text)
    if marked:
        return _as_rating(marked[-1])
    lines = [line for line in text.splitlines() if line.strip()]
    bare = _BARE_RATING.fullmatch(lines[-1]) if lines else None
    return _as_rating(bare[1]) if bare is not None else None


def _as_rating(word: str) -> Rating:
    return next(rating for rating in get_args(Rating) if rating == word.lower())


def _is_finish(item: str) -> bool:
    return _FINISHES.match(item) is not None and "?" not in item


def _unlabelled(line: str) -> str:
    return unquoted(_LABEL.sub("", line, count=1).strip("*_` "))
