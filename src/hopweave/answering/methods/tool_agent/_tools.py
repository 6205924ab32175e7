"""Does what the model wants done, and says what came of it: hits, a passage, or what is wrong with the action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from hopweave.answering.methods.tool_agent._actions import READ, SEARCH, Action
from hopweave.answering.methods.tool_agent._shelf import Shelf, key_of_query, numbers_shown
from hopweave.core.prompt import escape, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Hit, Question
from hopweave.text.document_names import full_heading
from hopweave.text.final import map_label

_PROMPTS = prompts_beside(str(Path(__file__).with_name("tool_agent.py")))

_NO_LABEL = "it is none of the labels"
_ADVICE: Mapping[str, str] = {
    "the query is empty": "empty_query",
    "it names no passage": "unnamed_passage",
    "the answer is empty": "empty_answer",
    _NO_LABEL: "no_such_label",
}
"""What the model is told about a problem of an action; about any other, that there is no such tool."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the model is told about an action, and whether that is anything new."""

    text: str
    is_new: bool = False


@dataclass(slots=True)
class Tools:
    """The tools of one question.

    Attributes:
        workbench: the question's workbench.
        question: the question.
        shelf: the passages that were found.
        max_searches: the queries that may be sent.
        num_passages: the passages that each of them shows.
    """

    workbench: MethodContext
    question: Question
    shelf: Shelf
    max_searches: int
    num_passages: int
    _num_searches: int = 0

    def num_left(self) -> int:
        """How many queries may still be sent."""
        left = self.max_searches - self._num_searches
        allowed = self.workbench.num_searches_left
        return max(0, left if allowed is None else min(left, allowed))

    def problem_of(self, action: Action) -> str:
        """Why an action cannot be done, judging by its form; empty if it can."""
        final = action.final
        if action.problem or final is None or self.question.form == "long":
            return action.problem
        if not final.answer:
            return "the answer is empty"
        is_label = self.question.form == "short" or bool(map_label(unescape(final.answer), self.question.labels))
        return "" if is_label else _NO_LABEL

    def name_of(self, action: Action) -> str:
        """An action on one line, for the record."""
        if action.name == SEARCH:
            return f"search: {' | '.join(action.queries)}"
        if action.name == READ:
            passage = self.shelf.passage(action.number)
            heading = full_heading(passage) if passage is not None else ""
            return f"read_passage: {action.number}{f' ({heading})' if heading else ''}"
        return "answer"

    async def done(self, actions: Sequence[Action], problems: Sequence[str], step: int | None) -> list[Told]:
        """Does the actions of a turn that have no problem; all their queries are searched for in one batch.

        Args:
            actions: in order. An answer among others is refused, since it was written without their results.
            problems: the problem of each action; empty if it has none.
            step: the decision to do them; `None` if none can be done.

        Raises:
            SearchError, BudgetReached: as in `MethodContext.search`.
        """
        usable = [action for action, problem in zip(actions, problems, strict=True) if not problem]
        with self.workbench.under(step) if step is not None else nullcontext():
            found = await self._search([query for action in usable for query in action.queries])
            told = [
                self._advice(problem) if problem else self._result(action, found, step or 0)
                for action, problem in zip(actions, problems, strict=True)
            ]
        if any(action.queries for action in usable):
            told[-1] = Told(self._with_number_left(told[-1].text), told[-1].is_new)
        return told

    async def found_for_question(self) -> str:
        """What is found for the question itself, if the model does not search; a search must be left.

        Raises:
            SearchError, BudgetReached: as in `MethodContext.search`.
        """
        query = " ".join(self.question.text.split())
        step = self.workbench.decide("again", "nothing has been searched for, so the question itself is", query=query)
        with self.workbench.under(step):
            found = await self._search([query])
            return self._with_number_left(self.shelf.found(query, found[query], step, self.num_passages))

    async def _search(self, queries: Sequence[str]) -> dict[str, list[Hit]]:
        """The hits of the queries that are new, as far as searches are left."""
        new: dict[str, str] = {}
        for query in queries:
            if self.shelf.known(query) is None:
                new.setdefault(key_of_query(query), query)
        allowed = list(new.values())[: self.num_left()]
        self._num_searches += len(allowed)
        hits = await self.workbench.search(allowed, self.shelf.depth(len(allowed), self.num_passages))
        return dict(zip(allowed, hits, strict=True))

    def _result(self, action: Action, found: dict[str, list[Hit]], step: int) -> Told:
        if action.name == SEARCH:
            results = [self._result_of_query(query, found, step) for query in action.queries]
            return Told("\n\n".join(one.text for one in results), any(one.is_new for one in results))
        if action.name == READ:
            return self._read(action.number)
        self.workbench.decide("refused", "an answer that was written before the results of its own turn")
        return Told(self._fill("too_soon"))

    def _result_of_query(self, query: str, found: dict[str, list[Hit]], step: int) -> Told:
        if query in found:
            return Told(self.shelf.found(query, found.pop(query), step, self.num_passages), is_new=True)
        earlier = self.shelf.known(query)
        if earlier is None:
            self.workbench.decide("cut", f"no search is left for: {query}")
            return Told(self._fill("cut", query=escape(query)))
        self.workbench.decide("repeated", query)
        return Told(self._fill("repeated", query=escape(query), numbers=numbers_shown(earlier) or self._fill("none")))

    def _read(self, number: int) -> Told:
        if self.shelf.passage(number) is None:
            self.workbench.decide("refused", f"there is no passage {number}")
            known = numbers_shown(range(1, len(self.shelf.passages) + 1)) or self._fill("none")
            return Told(self._fill("no_such_passage", number=str(number), numbers=known))
        if number in self.shelf.whole:
            self.workbench.decide("repeated", f"passage {number} is shown whole already")
            return Told(self._fill("read_before", number=str(number)))
        return Told(self.shelf.opened(number), is_new=True)

    def _with_number_left(self, text: str) -> str:
        left = self.num_left()
        return f"{text}\n\n{self._fill('left', num=str(left)) if left else self._fill('none_left')}"

    def _advice(self, problem: str) -> Told:
        labels = {"labels": ", ".join(self.question.labels)} if problem == _NO_LABEL else {}
        return Told(self._fill(_ADVICE.get(problem, "no_such_tool"), **labels))

    def _fill(self, prompt: str, /, **values: str) -> str:
        return self.workbench.fill(_PROMPTS[prompt], **values)
