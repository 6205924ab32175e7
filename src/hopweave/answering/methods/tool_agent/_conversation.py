"""The conversation with the model: what was said, and which results make room if the model's context is full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hopweave.answering.methods.tool_agent._shelf import Shelf
from hopweave.answering.toolkit.room import room_for
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Message

_PROMPTS = prompts_beside(str(Path(__file__).with_name("tool_agent.py")))
_TOKENS_OF_TOOLS = 512  # roughly what the descriptions of the tools take


@dataclass(frozen=True, slots=True)
class _Results:
    """The results of a turn: the positions of their messages, and the numbers of the passages shown in them."""

    places: range
    numbers: tuple[int, ...]


@dataclass(slots=True)
class Conversation:
    """The messages so far.

    Attributes:
        workbench: the question's workbench.
        shelf: the passages.
        messages: what is sent with the next call.
    """

    workbench: MethodContext
    shelf: Shelf
    messages: list[Message] = field(default_factory=list)
    _results: list[_Results] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)

    def say(self, text: str) -> None:
        """Tells the model something that is never left out.

        It goes into the last message if that is not the model's: many servers refuse two in a row, and some refuse a message of
        the user after one of a tool.
        """
        self.shelf.shown.clear()
        if self.messages and self.messages[-1].role in ("user", "tool"):
            self.messages[-1] = replace(self.messages[-1], text=f"{self.messages[-1].text}\n\n{text}")
        else:
            self.messages.append(Message("user", text))

    def add(self, said: Message, results: Sequence[Message]) -> None:
        """Appends a turn of the model, and the results of what it wanted done."""
        if not said.text.strip() and not said.tool_calls:  # some servers refuse an empty message
            self.say("\n\n".join(result.text for result in results))
            return
        first = len(self.messages) + 1
        self.messages += [said, *results]
        if self.shelf.shown:
            self._results.append(_Results(range(first, len(self.messages)), tuple(dict.fromkeys(self.shelf.shown))))
            self.shelf.shown.clear()

    async def fit(self, max_tokens: int) -> None:
        """Leaves out the passages of the earliest turns, until the conversation and a reply fit into the model's context.

        Those of the last turn always stay. If the length of the context is not known, nothing is left out.

        Args:
            max_tokens: the longest reply.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as in `MethodContext.count_tokens`.
        """
        if self.workbench.abilities.context_tokens is None:
            return
        room = room_for(self.workbench, max_tokens) - _TOKENS_OF_TOOLS
        while len(self._results) > 1 and await self._exceeds(room):
            results = self._results.pop(0)
            gone = self.shelf.leave_out(results.numbers)
            self.workbench.decide("packed", f"passages of an earlier turn are left out: {len(results.numbers)}")
            for place in results.places:
                text = gone if place == results.places[0] else self.workbench.fill(_PROMPTS["gone"])
                self.messages[place] = replace(self.messages[place], text=text)

    async def _exceeds(self, room: int) -> bool:
        texts = [text for one in self.messages for text in (one.text, one.thoughts, *(c.arguments for c in one.tool_calls))]
        if sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) <= room:  # a token is at least a byte
            return False
        return sum([await self._count(text) for text in texts if text]) > room

    async def _count(self, text: str) -> int:
        if text not in self._counts:
            self._counts[text] = await self.workbench.count_tokens(text)
        return self._counts[text]
