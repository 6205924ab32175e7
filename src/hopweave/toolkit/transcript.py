"""A text that the model and the method write in turns: the model goes on from it, the method adds what was found."""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.protocols import MethodContext
from hopweave.types import Message, Reply, Sampling


@dataclass(slots=True)
class Transcript:
    """A prompt and what has been written under it so far.

    Where the endpoint goes on from a last turn of the assistant, the text so far is that turn; where it does not, the text
    stands at the end of the prompt, as in a plain completion.

    Attributes:
        workbench: of the question.
        prompt: what is asked, demonstrations included; it ends where the text begins.
        text: what has been written since, by the model and by the method.
    """

    workbench: MethodContext
    prompt: str
    text: str = ""

    def add(self, words: str) -> None:
        """Writes on, as the method."""
        self.text += words

    async def go_on(self, purpose: str, sampling: Sampling) -> Reply:
        """Has the model write on. Its words are handed back and not added: what of them counts is the method's to say.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as `MethodContext.reply`.
        """
        return await self.workbench.reply(self.messages(), purpose=purpose, sampling=sampling)

    def messages(self) -> list[Message]:
        """The conversation as it stands."""
        begun = self.text.rstrip()
        if self.workbench.abilities.prefill and begun.strip():
            return [Message("user", self.prompt), Message("assistant", begun.lstrip())]
        return [Message("user", f"{self.prompt}{begun}")]
