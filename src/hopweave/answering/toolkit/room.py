"""How many tokens fit: the length of the model's context, and the room that it leaves for a prompt."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.core.protocols import MethodContext

_CONTEXT_TOKENS = 8192  # assumed if the model's context length is unknown
_TEMPLATE_TOKENS = 64  # for chat markup


def context_of(workbench: MethodContext) -> int:
    """The number of tokens in the model's context."""
    return workbench.abilities.context_tokens or _CONTEXT_TOKENS


def room_for(workbench: MethodContext, max_tokens: int) -> int:
    """The number of tokens available for a prompt, given the maximum length of the reply."""
    return context_of(workbench) - max_tokens - _TEMPLATE_TOKENS


async def fitting(workbench: MethodContext, texts: Sequence[str], rest: str, max_tokens: int) -> list[str]:
    """The first of several texts, as many as fit into a prompt: the last are left out, which is noted in the record.

    An unknown length of the context is taken to suffice.

    Args:
        workbench: the question's workbench.
        texts: such as passages, best first.
        rest: everything else in the prompt. It is never truncated here.
        max_tokens: the maximum length of the reply.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as in `MethodContext.count_tokens`.
    """
    room, kept = room_for(workbench, max_tokens), list(texts)
    is_known = workbench.abilities.context_tokens is not None
    while is_known and kept and await workbench.count_tokens("\n".join([rest, *kept])) > room:
        kept.pop()
    if len(kept) < len(texts):
        workbench.decide("packed", f"{len(kept)} of {len(texts)} passages fit")
    return kept
