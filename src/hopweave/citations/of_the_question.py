"""Whether the answer of a step can be that of the question: a true claim about something else settles nothing."""

from __future__ import annotations

import re
from dataclasses import replace

from hopweave.citations.marking import carrier_of
from hopweave.citations.support import adds
from hopweave.core.prompt import unescape
from hopweave.core.types import Answer, Claim, Question, Shortfall
from hopweave.text.answer_kinds import is_of_kind, kind_asked
from hopweave.text.comparing import wanted_of
from hopweave.text.matching import is_yes_or_no, normalize_answer

_OR = re.compile(r"\bor\b", re.IGNORECASE)
"""May offer a choice, of which the answer is a part."""


def with_doubt(answer: Answer, question: Question) -> Answer:
    """The answer, with an unsupported claim for the question if a step that a passage supports carries it and cannot answer it.

    A step answers another question than the one asked: "Which family is A of?" on the way to "Are A and B of the same family?".
    Its answer is none to the question if it is of another kind, or only has words of the question.

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
    shortfall = _shortfall(question.text, unescape(answer.short))
    if not shortfall:
        return answer
    return replace(answer, claims=(*answer.claims, Claim(question.text, answer.short, step.origin, shortfall=shortfall)))


def _shortfall(asked: str, short: str) -> Shortfall:
    kind, has_choice = kind_asked(asked), _OR.search(asked) is not None
    if not is_of_kind(short, kind) or (kind == "yes_no" and not has_choice and not is_yes_or_no(short)):
        return "kind"
    is_among_its_words = has_choice or kind == "yes_no" or wanted_of(asked) is not None
    return "" if is_among_its_words or adds(asked, short) else "bare"
