"""Asks the model to choose one of a few given words, constrained where the endpoint can; any reply is read tolerantly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hopweave.answering.parsing.chosen import parse_chosen
from hopweave.answering.toolkit.schemas import object_of
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Message

_LONGEST_REPLY = 128  # tokens; a model that explains itself first still comes to its choice


async def chosen(workbench: MethodContext, prompt: str, choices: Sequence[str], *, name: str, purpose: str) -> str | None:
    """The model's choice; `None` if its reply makes none, which is recorded as a parse failure. It needs no thought.

    Args:
        workbench: the question's workbench.
        prompt: asks for a JSON object with the field `name`.
        choices: the words to choose from.
        name: of the field.
        purpose: the purpose of the call.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as in `MethodContext.reply`.
    """
    schema = object_of(**{name: {"type": "string", "enum": list(choices)}})
    sampling = replace(
        workbench.sampling,
        max_tokens=_LONGEST_REPLY,
        json_schema=schema if workbench.abilities.json_schema else None,
        thinking="off",
    )
    reply = await workbench.reply([Message("user", prompt)], purpose=purpose, sampling=sampling)
    choice = parse_chosen(reply.text, choices, name)
    if choice is None:
        problem = f"none of {', '.join(choices)} is chosen" if reply.text.strip() else "the reply is empty"
        workbench.parse_failed(purpose, problem, reply.text)
    return choice
