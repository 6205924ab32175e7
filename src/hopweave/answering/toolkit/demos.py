"""Demonstrations as every method shows them: how many, from which task family, and their text, from a single source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from hopweave.answering.demonstrations import Demonstration, family_of, published_count, sample
from hopweave.answering.toolkit.few_shot import note_of_form
from hopweave.answering.toolkit.room import room_for
from hopweave.core.options import Whole
from hopweave.core.protocols import MethodContext
from hopweave.core.types import AnswerForm, Question
from hopweave.text.final import MARKER

NumDemos = Annotated[Whole | None, "worked questions shown; none: as SearChain's table 11 says for the dataset or family"]
"""The option for the number of demonstrations."""

Seed = Annotated[int, "seed for the choice and order of demonstrations"]
"""The option for which of them are shown."""


def drawn(question: Question, method: str, n_demos: int | None, seed: int) -> list[Demonstration]:
    """The demonstrations for a question, from its task family; a demonstration of the same question is left out.

    Args:
        question: the question.
        method: whose published number is used if `n_demos` is `None` (SearChain, table 11).
        n_demos: how many; all, if there are fewer.
        seed: for choice and order.

    Raises:
        SettingsError: for a family without demonstrations.
    """
    family = family_of(question)
    num = published_count(method, family, question.dataset) if n_demos is None else n_demos
    return sample(num, seed=seed, asked=question.text, family=family) if num else []


def asked(workbench: MethodContext, question: Question, text: str = "") -> str:
    """A question as shown in prompts, with a note on the kind of answer expected.

    Args:
        workbench: the question's workbench.
        question: the question, which determines the form.
        text: of a demonstration, to be shown in the same form; defaults to the question's own.
    """
    return f"{text or question.text}{note_of_form(workbench, question)}"


def closing(demonstration: Demonstration, form: AnswerForm) -> str:
    """The sentence that gives the answer of a demonstration; for long answers, the explanation itself."""
    return demonstration.answer if form == "long" else f"{MARKER} {demonstration.answer}."


def rationale(demonstration: Demonstration, form: AnswerForm) -> str:
    """The reasoning of a demonstration up to and including its answer and the marker."""
    end = closing(demonstration, form)
    return end if form == "long" else f"{demonstration.reasoning} {end}"


async def packed(workbench: MethodContext, texts: Sequence[str], rest: str, max_tokens: int) -> str:
    """As many demonstrations as fit into the model's context, each followed by an empty line; the last are dropped first.

    Args:
        workbench: the question's workbench; what does not fit is noted in the record.
        texts: the formatted demonstrations.
        rest: everything else in the prompt. It is never truncated here.
        max_tokens: for the reply, and for any growth of the prompt.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as in `MethodContext.count_tokens`.
    """
    if not texts:
        return ""
    room = room_for(workbench, max_tokens) - await workbench.count_tokens(rest)
    kept: list[str] = []
    for text in texts:
        room -= await workbench.count_tokens(f"{text}\n\n")
        if room < 0:
            workbench.decide("packed", f"{len(kept)} of {len(texts)} demonstrations fit")
            break
        kept.append(f"{text}\n\n")
    return "".join(kept)
