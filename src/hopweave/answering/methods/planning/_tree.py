"""The branches of a tree of thoughts over sub-questions, and the prompts about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.answering.demonstrations import Demonstration
from hopweave.answering.methods.planning._choice import FINISH
from hopweave.answering.toolkit.demos import asked, packed
from hopweave.answering.toolkit.stepwise import Step, shown
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Hit, Question
from hopweave.text.final import demanded
from hopweave.text.refusal import does_not_know

_PROMPTS = prompts_beside(__file__)


@dataclass(frozen=True, slots=True)
class State:
    """A branch.

    Attributes:
        name: such as `2.1`, the first suggestion after the second one; empty for the root.
        step_id: the decision of the record under which everything that grows from it is recorded.
        steps: its sub-questions, each with its evidence and its answer.
        because: why it has ended; empty as long as it may grow.
    """

    name: str
    step_id: int
    steps: tuple[Step, ...] = ()
    because: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A suggestion for a branch: its next sub-question, or `FINISH`."""

    state: State
    query: str
    name: str
    step_id: int


@dataclass(frozen=True, slots=True)
class Wording:
    """The prompts of one question.

    Attributes:
        question: the question.
        workbench: the question's workbench.
        max_words: the number of words to which a passage is truncated; 0 for no limit.
        examples: demonstrations as they appear in prompts.
    """

    question: Question
    workbench: MethodContext
    max_words: int
    examples: str = ""

    async def examples_of(self, demos: Sequence[Demonstration], max_tokens: int) -> str:
        """Demonstrations as finished branches, as many as fit.

        Args:
            demos: the demonstrations, in order.
            max_tokens: the limit for the reply and the growth of the branch together.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as in `MethodContext.count_tokens`.
        """
        texts = [
            self.workbench.fill(
                _PROMPTS["example"],
                question=asked(self.workbench, self.question, one.question),
                steps=_listed([Step(step.query, step.answer) for step in one.steps]),
            )
            for one in demos
        ]
        return await packed(self.workbench, texts, f"{_PROMPTS['propose'].text}{self._state(())}", max_tokens)

    def suggestions(self, state: State, num: int) -> str:
        """Asks for a list of next sub-questions, or for one if `num` is 0."""
        fixed = {"examples": self.examples, "state": self._state(state.steps)}
        if num:
            return self.workbench.fill(_PROMPTS["propose"], num=str(num), **fixed)
        return self.workbench.fill(_PROMPTS["sample"], **fixed)

    def vote(self, candidates: Sequence[Candidate]) -> str:
        """Asks which next sub-question is the best; the common part of all branches is shown once."""
        states = {one.state.name: one.state for one in candidates}
        shared = next(iter(states.values())).steps if len(states) == 1 else ()
        choices = [_choice(() if len(states) == 1 else one.state.steps, self._shown(one.query)) for one in candidates]
        return self.workbench.fill(_PROMPTS["vote"], state=self._state(shared), choices=_enumerated(choices))

    def value(self, candidate: Candidate) -> str:
        """Asks for a rating of one next sub-question."""
        state = self._state(candidate.state.steps)
        return self.workbench.fill(_PROMPTS["value"], state=state, choice=self._shown(candidate.query))

    def value_of_answer(self, state: State, short: str) -> str:
        """Asks for a rating of the answer of one branch."""
        choice = _choice(state.steps, f"Final answer: {short}")
        return self.workbench.fill(_PROMPTS["value_of_answer"], state=self._state(()), choice=choice)

    def vote_on_answers(self, ends: Sequence[tuple[State, str]]) -> str:
        """Asks which branch has the best answer."""
        choices = [_choice(state.steps, f"Final answer: {short}") for state, short in ends]
        return self.workbench.fill(_PROMPTS["vote_on_answers"], state=self._state(()), choices=_enumerated(choices))

    def sub_answer(self, state: State, query: str, hits: Sequence[Hit]) -> str:
        """Asks for the answer to a sub-question from the passages that were found."""
        return self.workbench.fill(
            _PROMPTS["sub_answer"], state=self._state(state.steps), passages=self._passages(hits), query=query
        )

    def final(self, state: State) -> str:
        """Asks for the final answer from a branch and all its evidence."""
        evidence = [
            self.workbench.fill(_PROMPTS["evidence"], number=str(number), passages=self._passages(step.hits))
            for number, step in enumerate(state.steps, start=1)
        ]
        return self.workbench.fill(
            _PROMPTS["final"],
            evidence="".join(f"{one}\n\n" for one in evidence),
            state=self._state(state.steps),
            demanded=demanded(self.question.form, self.question.labels),
        )

    def _state(self, steps: Sequence[Step]) -> str:
        return "\n".join(filter(None, [f"Question: {asked(self.workbench, self.question)}", _listed(steps)]))

    def _shown(self, query: str) -> str:
        return self.workbench.fill(_PROMPTS["finish"]) if query == FINISH else query

    def _passages(self, hits: Sequence[Hit]) -> str:
        return "\n".join(shown(hits, self.max_words)) or self.workbench.fill(_PROMPTS["none"])


def _listed(steps: Sequence[Step]) -> str:
    return "\n".join(
        f"Sub-question {number}: {step.query}\nAnswer {number}: {step.answer if is_known(step) else 'unknown'}"
        for number, step in enumerate(steps, start=1)
    )


def is_known(step: Step) -> bool:
    """Whether a sub-question has an answer."""
    return bool(step.answer) and not does_not_know(step.answer)


def _choice(steps: Sequence[Step], end: str) -> str:
    return " / ".join([*(f"{step.query} {step.answer or 'unknown'}" for step in steps), end])


def _enumerated(choices: Sequence[str]) -> str:
    return "\n".join(f"Choice {number}: {text}" for number, text in enumerate(choices, start=1))
