"""A text written in turns by the model and the method: the model continues it, the method adds retrieved text."""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.answering.toolkit.room import room_for
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Message, Reply, Sampling


@dataclass(slots=True)
class Transcript:
    """A prompt and the text written under it so far.

    If the endpoint can continue a final assistant turn, the text so far is that turn; if not, the text is at the end of the
    prompt, as in plain completion.

    Attributes:
        workbench: the question's workbench.
        prompt: the request, including demonstrations; it ends where the text begins.
        text: what has been written since, by the model and by the method.
    """

    workbench: MethodContext
    prompt: str
    text: str = ""

    def add(self, words: str) -> None:
        """Appends text, as the method."""
        self.text += words

    async def leaves_room(self, num_tokens: int) -> bool:
        """Whether that many tokens can follow the text so far. An unknown length of the context is taken to suffice.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as in `MethodContext.count_tokens`.
        """
        if self.workbench.abilities.context_tokens is None:
            return True
        return await self.workbench.count_tokens(f"{self.prompt}{self.text}") <= room_for(self.workbench, num_tokens)

    async def go_on(self, purpose: str, sampling: Sampling) -> Reply:
        """Has the model continue. Its reply is returned but not appended: the method decides which part of it to use.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as in `MethodContext.reply`.
        """
        return await self.workbench.reply(self.messages(), purpose=purpose, sampling=sampling)

    def messages(self) -> list[Message]:
        """The conversation in its current state."""
        begun = self.text.rstrip()
        if self.workbench.abilities.prefill and begun.strip():
            return [Message("user", self.prompt), Message("assistant", begun.lstrip())]
        return [Message("user", f"{self.prompt}{begun}")]
