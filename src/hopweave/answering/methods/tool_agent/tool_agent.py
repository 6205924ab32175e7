"""The plain agent with tools, as people build it in 2026: the model searches, reads and answers by calling tools.

The common shape of such agents; it has no single source (the agent of PaperQA is an example). The conversation begins with
the question. In each turn the model calls `search` (with one query, or several times), `read_passage` (for a passage of
which only sentences were shown) or `answer`. Each result is appended as a message, until it answers. Where the endpoint has no
tools, the model writes the same actions as JSON objects, under a schema where that is possible.

`answer` takes the statements that the answer rests on, each with the numbers of passages. Each statement is a claim, judged
first by the passages that it cites; the answer is another. An answer that the model calls a guess, or that rests on a statement
without a passage, is shown as unsupported.

After `max_turns`, after two turns in a row that bring nothing new (repeated queries, unknown tools, no action at all), or when
the budget leaves one call, the model is asked once more and can only answer. An answer before any search is refused once, and
the question itself is searched for.

Calls: 1 for each turn and 1 for the answer: s + 1 for s searches one at a time, fewer if several are made in one turn, more if
turns bring nothing, at most `max_turns` + 1. Rounds of retrieval: 1 for each turn with a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from hopweave.answering.methods.tool_agent._asking import ByJson, ByTools
from hopweave.answering.methods.tool_agent._conversation import Conversation
from hopweave.answering.methods.tool_agent._ending import concluded
from hopweave.answering.methods.tool_agent._loop import Agent
from hopweave.answering.methods.tool_agent._shelf import Shelf
from hopweave.answering.methods.tool_agent._tools import Tools
from hopweave.core.options import Bounded, Count, Whole
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question

GROUP = "searches in turns"

_MAX_TOKENS_FOUND, _MAX_TOKENS_FOUND_SMALL = 1500, 600


@dataclass(frozen=True, slots=True)
class ToolAgent(Bounded):
    """Searches, reads and answers by calling tools, as the model sees fit."""

    actions: Annotated[
        Literal["auto", "tools", "json"], "how the model acts; auto: by tools where the endpoint has them, else as JSON objects"
    ] = "auto"
    max_searches: Annotated[Count, "queries that the model may send"] = 6
    max_turns: Annotated[Count, "turns in which the model may act; then it has to answer"] = 8
    num_passages: Annotated[Count, "passages that a query shows, in addition to those that are shown whole already"] = 5
    max_tokens_found: Annotated[
        Whole | None,
        "tokens of passages shown for a query, the likeliest sentences if they are longer; 0: whole; none: "
        "1500, or 600 for a small model",
    ] = None
    must_search: Annotated[bool, "refuse an answer that is given before any search, and search for the question"] = True
    max_tokens: Annotated[Count, "longest reply, in tokens"] = 768
    max_tokens_long: Annotated[Count, "longest reply where an explanation is wanted, in tokens"] = 1536

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        shelf = Shelf(workbench, self._max_tokens_found(workbench))
        is_by_tools = self.actions == "tools" or (self.actions == "auto" and workbench.abilities.tools)
        longest = self.max_tokens_long if question.form == "long" else self.max_tokens
        asking = (ByTools if is_by_tools else ByJson)(workbench, question, longest)
        tools = Tools(workbench, question, shelf, self.max_searches, self.num_passages)
        talk = Conversation(workbench, shelf)
        agent = Agent(workbench, question, asking, tools, talk, self.max_turns, self.must_search)
        return concluded(workbench, question, shelf, await agent.run())

    def notes_on(self, workbench: MethodContext) -> Sequence[str]:
        """See `core.protocols.Noting`."""
        if self.actions == "tools" and not workbench.abilities.tools:
            return ["actions = tools, but this endpoint is not known to call tools; set methods.tool_agent.actions = auto"]
        return ()

    def _max_tokens_found(self, workbench: MethodContext) -> int:
        if self.max_tokens_found is not None:
            return self.max_tokens_found
        return _MAX_TOKENS_FOUND_SMALL if workbench.abilities.is_small else _MAX_TOKENS_FOUND
