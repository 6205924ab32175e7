"""Demonstrations as every method shows them: how many, of which task family, and what each says, from the one source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from hopweave.parse.final import MARKER
from hopweave.prompting.demonstrations import Demonstration, family_of, published_count, sample
from hopweave.protocols import MethodContext
from hopweave.toolkit.few_shot import note_of_form, room_for
from hopweave.toolkit.options import Whole
from hopweave.types import AnswerForm, Question

NumDemos = Annotated[Whole | None, "worked questions shown; none: as SearChain's table 11 says for the dataset or family"]
"""The option of how many demonstrations a method shows."""


def drawn(question: Question, method: str, n_demos: int | None, seed: int) -> list[Demonstration]:
    """The demonstrations for a question, of its task family; one that asks the same question is left out.

    Args:
        question: what is asked.
        method: whose published number counts where `n_demos` is `None` (SearChain, table 11).
        n_demos: how many; all there are, if there are fewer.
        seed: of the choice and order.

    Raises:
        SettingsError: for a family without demonstrations.
    """
    family = family_of(question)
    num = published_count(method, family, question.dataset) if n_demos is None else n_demos
    return sample(num, seed=seed, asked=question.text, family=family) if num else []


def asked(workbench: MethodContext, question: Question, text: str = "") -> str:
    """A question as prompts show it, with the note on what kind of answer it wants.

    Args:
        workbench: of the question.
        question: whose form counts.
        text: of a demonstration, to be shown in the same form; by default the question's own.
    """
    return f"{text or question.text}{note_of_form(workbench, question)}"


def closing(demonstration: Demonstration, form: AnswerForm) -> str:
    """The sentence that gives the answer of a demonstration; where long answers are wanted, the explanation itself."""
    return demonstration.answer if form == "long" else f"{MARKER} {demonstration.answer}."


def rationale(demonstration: Demonstration, form: AnswerForm) -> str:
    """The reasoning of a demonstration up to its answer, marker included."""
    end = closing(demonstration, form)
    return end if form == "long" else f"{demonstration.reasoning} {end}"


async def packed(workbench: MethodContext, texts: Sequence[str], rest: str, max_tokens: int) -> str:
    """As many demonstrations as fit into the model's context, each followed by an empty line; the last are dropped first.

    Args:
        workbench: of the question; what does not fit is noted in the record.
        texts: the demonstrations, written out.
        rest: all else that the prompt holds. It is never cut here.
        max_tokens: what the reply may take, and what the prompt may still grow by.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as `MethodContext.count_tokens`.
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
