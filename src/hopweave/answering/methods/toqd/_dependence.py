"""What the wording of sub-questions says about which of them need the answers of others.

Where the wording settles it, ToQD need not ask the model for it (`skip_needless`). Whatever is unclear is left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopweave.answering.methods.toqd._arrows import MAIN, chain_of, references_in
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.content_words import anchors

Edges = tuple[tuple[int, int], ...]

_PREPOSITION = r"\W*(?:(?:in|on|at|to|from|of|by|for|with|after|before|under|into|during)\s+)?"
_POINTS = lazy_pattern(
    r"\b(?:he|him|his|she|hers?|it|its|they|them|their|theirs|this|that|these|those|such|there|former|latter|same|both|other"
    r"|another|one|ones|answers?|above|previous|earlier)\b",
    re.IGNORECASE,
)
_DESCRIBES = lazy_pattern(r"\bthe\s+(?!(?:[a-z][\w-]*\s+)?[\"“'‘]?[A-Z0-9])(?=[a-z])")
"""A description such as `the director`, and not that of a name as in `the film Cold Harbour`."""

_OF_A_NAME = lazy_pattern(
    r"(?i:who|what|which)\s+(?:is|are|was|were)\s+the\s+(?:(?!of\b|the\b)[a-z][\w-]*\s+){1,3}of\s+(?:the\s+)?(?=[\"“'‘]?[A-Z0-9])"
)
"""The beginning of a question for a property of something that is named, such as `What is the capital of`."""

_PROPERTY_OF_A_NAME = lazy_pattern(r"(?i:who|what)\s+(?:is|are|was|were)\s+[A-Z0-9][^?'’]*['’]s?\s+[a-z][\w -]*\??")
_POSSESSIVE = lazy_pattern(r"\w['’]s?\s+[a-z]")
_OPENING = lazy_pattern(rf"{_PREPOSITION}(?:who|whom|whose|what|which|when|where|how)\b", re.IGNORECASE)
_RELATIVE = lazy_pattern(r"\b(?:who|whom|whose|which|where|when|that)\b", re.IGNORECASE)
_ASKS_FOR_A_FACT = lazy_pattern(
    rf"{_PREPOSITION}(?:who|whom|whose|what|which|when|where|how\s+(?:many|much|old|tall|high|long|far|big|large|deep))\b",
    re.IGNORECASE,
)
_REASONS = lazy_pattern(
    r"\b(?:relat\w+|compar\w+|differ\w+|determin\w+|verif\w+|deduc\w+|conclu\w+|help\w*|based)\b", re.IGNORECASE
)


def stands_by_itself(sub_question: str) -> bool:
    """Whether a sub-question names what it asks about, so that no earlier answer has to be put into it.

    >>> stands_by_itself("When was Liv Aas born?"), stands_by_itself("What is the capital of Norway?")
    (True, True)
    >>> stands_by_itself("When was she born?"), stands_by_itself("Where was the director of Cold Harbour born?")
    (False, False)
    """
    asked = " ".join(sub_question.split())
    opening = _OPENING.match(asked)
    if opening is None or not anchors(asked) or _POINTS.search(asked) or _refers_by_number(asked):
        return False
    if _POSSESSIVE.search(asked):
        return _PROPERTY_OF_A_NAME.fullmatch(asked) is not None
    head = _OF_A_NAME.match(asked)
    rest = asked[head.end() if head else opening.end() :]
    return _DESCRIBES.search(rest) is None and _RELATIVE.search(rest) is None


def settled_edges(sub_questions: Sequence[str]) -> Edges | None:
    """The arrows between sub-questions if their wording leaves no doubt, else `None`.

    - A single sub-question leads to the main question.
    - If each either stands by itself or refers to earlier ones by number, these references are the arrows.
    - If each but the first refers to what was found before, they form a chain: every node then sees all earlier answers.
    """
    num = len(sub_questions)
    if not num or points_back(sub_questions[0]):
        return ((1, MAIN),) if num == 1 else None
    numbers = [_earlier(text, place, num) for place, text in enumerate(sub_questions, start=1)]
    if any(found is None for found in numbers):
        return None
    by_number = [found or () for found in numbers]
    if all(found or stands_by_itself(text) for found, text in zip(by_number[1:], sub_questions[1:], strict=True)):
        edges = [(start, end) for end, starts in enumerate(by_number, start=1) for start in starts]
        last = [node for node in range(1, num + 1) if node not in {start for start, _ in edges}]
        return tuple(sorted([*edges, *((node, MAIN) for node in last)]))
    return chain_of(num) if all(map(points_back, sub_questions[1:])) else None


def all_are_needed(sub_questions: Sequence[str]) -> bool:
    """Whether each sub-question asks for a fact, and each but the last leads to the last: then none can be dropped."""
    edges = settled_edges(sub_questions)
    if edges is None or len(sub_questions) < 2:
        return False
    leads_to_the_end = sum(end == MAIN for _, end in edges) == 1
    return leads_to_the_end and all(_ASKS_FOR_A_FACT.match(text) and not _REASONS.search(text) for text in sub_questions)


def _earlier(text: str, place: int, num: int) -> tuple[int, ...] | None:
    """The numbers of earlier sub-questions that one refers to; `None` if it refers to itself or a later one."""
    found = references_in(text, num)
    return found if all(number < place for number in found) else None


def _refers_by_number(asked: str) -> bool:
    return bool(references_in(asked, 99))


def points_back(sub_question: str) -> bool:
    """Whether a sub-question can only be asked once an earlier one is answered: it points to something without naming it."""
    asked = " ".join(sub_question.split())
    if _refers_by_number(asked):
        return True
    if anchors(asked):
        return False
    opening = _OPENING.match(asked)
    is_described = _RELATIVE.search(asked, opening.end() if opening else 0) is not None  # "the city where the park opened"
    return _POINTS.search(asked) is not None or (_DESCRIBES.search(asked) is not None and not is_described)
