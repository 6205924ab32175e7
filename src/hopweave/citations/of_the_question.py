"""Whether the answer of a step can be that of the question: a true claim about something else settles nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from hopweave.citations.marking import carrier_of
from hopweave.citations.support import adds
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import unescape
from hopweave.core.types import Answer, Claim, Question, Shortfall
from hopweave.text.answer_kinds import is_of_kind, kind_asked
from hopweave.text.comparing import wanted_of
from hopweave.text.content_words import keys_of, stem
from hopweave.text.languages import is_foreign
from hopweave.text.matching import is_yes_or_no, normalize_answer

_OR = lazy_pattern(r"\bor\b", re.IGNORECASE)
"""May offer a choice, of which the answer is a part."""


def with_doubt(answer: Answer, question: Question) -> Answer:
    """The answer, with an unsupported claim for the question if a step that a passage supports carries it and cannot answer it.

    A step answers another question than the one asked: "Which family is A of?" on the way to "Are A and B of the same family?".
    Its answer is none to the question if it is of another kind, or only has words of the question; nor if its query has no word
    of the question and none of what another claim found, so that nothing leads from the one to the other.

    Args:
        answer: of a method.
        question: as it was asked.
    """
    number = carrier_of(answer.short, answer.claims)
    if question.form != "short" or number is None:
        return answer
    step = answer.claims[number - 1]
    if step.support != "supported" or normalize_answer(step.query) == normalize_answer(question.text):
        return answer
    others = [claim for claim in answer.claims if claim is not step]
    shortfall = _shortfall(question.text, unescape(answer.short), step.query, others)
    if not shortfall:
        return answer
    return replace(answer, claims=(*answer.claims, Claim(question.text, answer.short, step.origin, shortfall=shortfall)))


def _shortfall(asked: str, short: str, query: str, others: Iterable[Claim]) -> Shortfall:
    kind, has_choice = kind_asked(asked), _OR.search(asked) is not None
    if not is_of_kind(short, kind) or (kind == "yes_no" and not has_choice and not is_yes_or_no(short)):
        return "kind"
    is_among_its_words = has_choice or kind == "yes_no" or wanted_of(asked) is not None
    if is_among_its_words:
        return ""
    if not adds(asked, short):
        return "bare"
    if is_foreign(asked) != is_foreign(query):
        return ""
    led_from = [asked, *(claim.text for claim in others)]
    return "" if any(_stems(query) & _stems(text) for text in led_from) else "relation"


def _stems(text: str) -> set[str]:
    return {stem(key) for key in keys_of(text)}
