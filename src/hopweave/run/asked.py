"""Makes the question of a text that a person, or a program for one, asks."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.core.errors import DataError
from hopweave.core.types import Question
from hopweave.text.explanations import asks_to_explain

MAX_QUESTION_CHARACTERS = 8_000


def question_asked(text: str, *, long: bool | None = None, labels: Sequence[str] = ()) -> Question:
    """The question in a text.

    Args:
        text: the question.
        long: whether to ask for an explanation of several sentences; `None` lets the question decide: "How do I ...?" and
            "Why ...?" ask for one.
        labels: the allowed answers, if there are some.

    Raises:
        DataError: for labels and an explanation, or for a text longer than 8,000 characters.
    """
    if labels and long:
        raise DataError("labels and long ask for different answers; give one of them")
    asked = text.strip()
    check_length(asked)
    is_long = asks_to_explain(asked) if long is None else long
    return Question("question", asked, "label" if labels else "long" if is_long else "short", tuple(labels))


def check_length(text: str) -> None:
    """Checks that a text is not too long for a question.

    Raises:
        DataError: if it is.
    """
    if len(text) > MAX_QUESTION_CHARACTERS:
        raise DataError(
            f"the question has {len(text):,} characters, more than {MAX_QUESTION_CHARACTERS:,}; "
            "put long texts into the corpus and ask about them"
        )
