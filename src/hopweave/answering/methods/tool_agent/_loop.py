"""The loop of an agent with tools: the model acts, the results are appended, until it answers or has to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Any

from hopweave.answering.methods.tool_agent._actions import ANSWER, Action, Final
from hopweave.answering.methods.tool_agent._asking import Asking, Turn
from hopweave.answering.methods.tool_agent._conversation import Conversation
from hopweave.answering.methods.tool_agent._ending import Ending, demanded, volunteered
from hopweave.answering.methods.tool_agent._tools import Told, Tools
from hopweave.answering.toolkit.concurrency import why_stopped
from hopweave.answering.toolkit.few_shot import cut_words
from hopweave.core.prompt import prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Message, Question

_PROMPTS = prompts_beside(str(Path(__file__).with_name("tool_agent.py")))
_MOST_IDLE = 2  # turns in a row that bring nothing new; then the model is made to answer
_MOST_WORDS = 100  # of a thought in the record, and of a reply without an action in the conversation


@dataclass(slots=True)
class Agent:
    """Works on one question.

    Attributes:
        workbench: the question's workbench.
        question: the question.
        asking: how the model is asked.
        tools: what it can do.
        conversation: what was said.
        max_turns: the turns in which it may act.
        must_search: whether an answer before any search is refused once, and the question itself searched for.
    """

    workbench: MethodContext
    question: Question
    asking: Asking
    tools: Tools
    conversation: Conversation
    max_turns: int
    must_search: bool
    _final: Final | None = None
    _answered_at: int | None = None
    _num_calls: int = 0
    _num_tokens: int = 0
    _num_tokens_last: int = 0

    async def run(self) -> Ending:
        """Runs the loop and, if it ends without an answer, asks for one. A limit of the budget ends either.

        The loop is `finished` with an answer; else it ends after `max_turns`, if there is `no_progress`, or at a limit.

        Raises:
            ModelError, SearchError, ReplayMiss: as in the calls of the workbench.
        """
        self._open()
        stopped_because = await why_stopped(self._loop())
        how = "marker"
        if self._final is None:
            stopped_because = await why_stopped(self._finish(), stopped_because)
            how = "forced"
        return Ending(self._final, how if self._final is not None else "empty", self._answered_at, stopped_because)

    def _open(self) -> None:
        pinned = self.question.pinned
        for passage in pinned:
            self.workbench.keep_passage(passage)
        shown = self.workbench.fill(_PROMPTS["pinned"], passages=self.tools.shelf.given(pinned)) if pinned else ""
        self.conversation.say(self.asking.opening(num_searches=self.tools.num_left(), pinned=shown))

    async def _loop(self) -> str:
        num_idle = 0
        for _ in range(self.max_turns):
            if limit := self._limit_ahead():
                return limit
            is_new = await self._respond(await self._turn(is_last=False))
            if self._final is not None:
                return "finished"
            num_idle = 0 if is_new else num_idle + 1
            if num_idle == _MOST_IDLE:
                return "no_progress"
        return "max_turns"

    async def _finish(self) -> None:
        """Has the model answer from what was found. If it has not searched at all, the question is searched for first."""
        if not self.tools.shelf.asked and self.tools.num_left():
            self.conversation.say(await self.tools.found_for_question())
        self.conversation.say(self.asking.finish())
        turn = await self._turn(is_last=True)
        answers = [action.final for action in turn.actions if action.final and not self.tools.problem_of(action)]
        if not answers and not turn.actions:
            plain = volunteered(turn.text, self.question) or demanded(self.workbench, turn.text, self.question)
            answers = [plain] if plain is not None else []
        elif not answers:
            self.workbench.parse_failed("final", "the reply is another action", turn.text)
        if answers:
            self._take(answers[-1], turn)

    async def _turn(self, *, is_last: bool) -> Turn:
        sampling = self.asking.sampling(is_last=is_last)
        await self.conversation.fit(sampling.max_tokens)
        self._num_calls += 1
        messages, purpose = tuple(self.conversation.messages), "answer" if is_last else "turn"
        reply = await self.workbench.reply(messages, purpose=purpose, sampling=sampling)
        self._num_tokens_last = reply.usage.prompt_tokens + reply.usage.completion_tokens
        self._num_tokens += self._num_tokens_last
        return self.asking.read(reply)

    async def _respond(self, turn: Turn) -> bool:
        """Does what a turn wants done and appends the results; returns whether they bring anything new."""
        actions = turn.actions or self._plain_answer(turn)
        if not actions:
            return self._refuse(turn)
        problems = [self.tools.problem_of(action) for action in actions]
        for action, problem in zip(actions, problems, strict=True):
            if problem:
                self.workbench.parse_failed("action", f"{action.name or 'no name'}: {problem}", turn.text)
        usable = [action for action, problem in zip(actions, problems, strict=True) if not problem]
        answers = [action.final for action in usable if action.final is not None]
        is_answer = bool(answers) and len(answers) == len(usable)
        if is_answer and not self._is_too_early():
            self._take(answers[-1], turn)
            return True
        if is_answer:
            told = await self._search_first(turn, actions)
        else:
            step = self._decide([self.tools.name_of(action) for action in usable], turn) if usable else None
            told = await self.tools.done(actions, problems, step)
        self.conversation.add(turn.said, self.asking.results(actions, [one.text for one in told]))
        return any(one.is_new for one in told)

    def _plain_answer(self, turn: Turn) -> tuple[Action, ...]:
        """The answer that a reply without an action gives in plain words."""
        final = volunteered(turn.text, self.question)
        return () if final is None else (Action(ANSWER, final=final),)

    def _refuse(self, turn: Turn) -> bool:
        """Tells the model that its reply has no action."""
        reason = "no action is in the reply" if turn.text.strip() else "the reply is empty"
        self.workbench.parse_failed("action", reason, turn.text)
        said = replace(turn.said, text=cut_words(turn.said.text, _MOST_WORDS))
        self.conversation.add(said, [Message("user", self.asking.unusable())])
        return False

    async def _search_first(self, turn: Turn, actions: Sequence[Action]) -> list[Told]:
        """What is found for the question, in place of an answer that rests on nothing."""
        self._decide([self.tools.name_of(action) for action in actions], turn)
        found = await self.tools.found_for_question()
        text = self.workbench.fill(_PROMPTS["unsearched"], found=found)
        return [Told(text, is_new=True), *(Told(self.workbench.fill(_PROMPTS["too_soon"])) for _ in actions[1:])]

    def _take(self, final: Final, turn: Turn) -> None:
        self._final = final
        said = final.answer or " ".join(one.text for one in final.statements)
        self._answered_at = self._decide([f"answer: {unescape(' '.join(cut_words(said, _MOST_WORDS).split()))}"], turn)

    def _decide(self, done: Sequence[str], turn: Turn) -> int:
        thought = unescape(cut_words(turn.thought, _MOST_WORDS))
        data: dict[str, Any] = {"thought": thought} if thought else {}
        return self.workbench.decide("action", "; ".join(done), **data)

    def _is_too_early(self) -> bool:
        """Whether an answer rests on nothing yet, although the model could have searched."""
        has_passages = bool(self.tools.shelf.asked) or bool(self.question.pinned)
        return self.must_search and not has_passages and self.tools.num_left() > 0

    def _limit_ahead(self) -> str:
        """The limit of the budget that allows one more call, which then has to be the answer; empty if there is none.

        The next call takes at least as many tokens as the last one did.
        """
        limits = self.workbench.limits
        if self._num_calls + 1 >= limits.get("max_llm_calls", inf):
            return "max_llm_calls"
        return "max_tokens" if self._num_tokens + self._num_tokens_last >= limits.get("max_tokens", inf) else ""
