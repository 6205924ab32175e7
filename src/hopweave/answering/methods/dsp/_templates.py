"""The templates of DSP: how prompts show a question and its demonstrations, and how completions are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hopweave.answering.methods.dsp._fields import parse_fields
from hopweave.answering.toolkit.demos import asked, packed
from hopweave.answering.toolkit.final_answer import of_form
from hopweave.answering.toolkit.stepwise import shown
from hopweave.answering.toolkit.transcript import Transcript
from hopweave.core.errors import BudgetReached
from hopweave.core.prompt import escape, fence, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Hit, Question

ANSWER = "answer"
"""The stage that answers; the stages before are `rewrite` (the first hop) and `hop 2`, `hop 3` and so on."""

_PROMPTS = prompts_beside(str(Path(__file__).with_name("dsp.py")))
_RULE = "---"
_STOP = (f"\n{_RULE}",)
_MAX_DEPTH = 2
_FEWEST_TOKENS = 75


@dataclass(frozen=True, slots=True)
class Filled:
    """The fields of a question in one stage, except for the question itself.

    Attributes:
        context: passages as prompts show them.
        rationale: the text after the template's lead; empty if it is not written yet.
        output: the query or the answer; empty if it is not written yet.
        is_forced: whether the output had to be requested in a separate call.
    """

    context: tuple[str, ...] = ()
    rationale: str = ""
    output: str = ""
    is_forced: bool = False


@dataclass(frozen=True, slots=True)
class Training:
    """A question whose answer is known.

    Attributes:
        question: its text.
        answers: any one of them is correct; the first is shown.
        stages: its fields, by stage. In any other stage it is shown as a plain pair.
    """

    question: str
    answers: tuple[str, ...]
    stages: Mapping[str, Filled] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Completions:
    """The completions that got furthest; each has an output.

    Attributes:
        filled: the completions, in the order in which they were drawn.
        reached: the limit because of which fewer were drawn than requested.
    """

    filled: tuple[Filled, ...]
    reached: BudgetReached | None = None


def stage_of(hop: int) -> str:
    """The stage of a hop, from 1."""
    return "rewrite" if hop == 1 else f"hop {hop}"


def context_of(hits: Sequence[Hit], summary: str = "") -> tuple[str, ...]:
    """Passages as prompts show them, best first, after the summary of earlier ones that a rationale gave."""
    return (*([fence(summary)] if summary else []), *shown(hits))


@dataclass(frozen=True, slots=True)
class Templates:
    """The templates, for questions of one form.

    Attributes:
        workbench: the question's workbench.
        question: the question, which determines form and labels.
        max_tokens: the limit for a completion.
        max_tokens_long: the limit for a completion with an explanation, if a long answer is expected.
        may_stop: whether the model is told that it may write N/A for a query.
    """

    workbench: MethodContext
    question: Question
    max_tokens: int
    max_tokens_long: int
    may_stop: bool = False

    async def complete(
        self,
        stage: str,
        text: str,
        context: tuple[str, ...],
        demos: Sequence[Training],
        *,
        num: int,
        temperature: float,
        purpose: str,
    ) -> Completions:
        """Has the model fill the fields of a stage.

        Completions without the last field are ignored if any other has it. If none has, the first of those that got furthest is
        continued greedily with half the tokens, up to twice. A single completion is greedy.

        Args:
            stage: see `stage_of` and `ANSWER`.
            text: the text of the question.
            context: the passages to show; the rewrite stage shows none.
            demos: the demonstrations to show before the question.
            num: the number of completions.
            temperature: the temperature for several completions.
            purpose: the purpose of the calls.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as in `MethodContext.samples`.
        """
        longest = self._longest(stage)
        prompt = await self._prompt(stage, text, context, demos, longest)
        sampling = replace(self.workbench.sampling, temperature=0.0, max_tokens=longest, stop=_STOP)
        if num > 1:
            sampling = replace(sampling, temperature=temperature, top_p=1.0)
        begun = Transcript(self.workbench, prompt, self._begun(stage))
        drawn = await self.workbench.samples(begun.messages(), num, purpose=purpose, sampling=sampling)
        read = [self._read(stage, reply.text, Filled(context)) for reply in drawn.replies]
        whole = tuple(one for one in read if one.output)
        if whole:
            return Completions(whole, drawn.reached)
        farthest = next((one for one in read if one.rationale), read[0])
        try:
            forced = await self._go_on(stage, prompt, farthest, longest, purpose)
        except BudgetReached as reached:
            return Completions((), reached)
        return Completions((forced,) if forced.output else (), drawn.reached)

    async def _go_on(self, stage: str, prompt: str, farthest: Filled, max_tokens: int, purpose: str) -> Filled:
        for _ in range(_MAX_DEPTH):
            max_tokens = min(max(_FEWEST_TOKENS, max_tokens // 2), max_tokens)
            sampling = replace(self.workbench.sampling, temperature=0.0, max_tokens=max_tokens, stop=_STOP)
            transcript = Transcript(self.workbench, prompt, self._begun(stage, farthest.rationale))
            reply = await transcript.go_on(purpose, sampling)
            farthest = replace(self._read(stage, reply.text, farthest), is_forced=True)
            if farthest.output:
                break
        return farthest

    def _read(self, stage: str, text: str, known: Filled) -> Filled:
        """The known fields with those of a completion; if the last one is missing, that is recorded."""
        names = ["Rationale", _output(stage)][bool(known.rationale) :]
        lead = "" if known.rationale else self._lead(stage)
        is_long = stage == ANSWER and self.question.form == "long"
        ends = ("Context", "Question", *(("Rationale",) if known.rationale else ()))
        read = parse_fields(text, names, lead=lead, ends=ends, is_long=is_long)
        if not read.values[-1]:
            self.workbench.parse_failed("fields", read.problems[-1], text)
        rationale = known.rationale or unescape(read.values[0])
        return replace(known, rationale=rationale, output=unescape(read.values[-1]))

    # -- prompts -------------------------------------------------------------------------------------------------------

    async def _prompt(self, stage: str, text: str, context: tuple[str, ...], demos: Sequence[Training], max_tokens: int) -> str:
        """Everything up to the question's own rationale. If not all demonstrations fit, plain pairs are dropped first."""
        own = self._fields(stage, text, Filled(context))
        form = f"{self._fill('format')}\n\n{self._format(stage)}"
        instruction = self._fill(f"task_{_kind(stage)}")
        stop = self._fill(f"stop_{_kind(stage)}") if self.may_stop and stage != ANSWER else ""
        room = max_tokens * 2  # a completion that is continued is part of the prompt
        examples = await packed(
            self.workbench,
            [f"{self._fields(stage, one.question, one.stages[stage])}\n\n{_RULE}" for one in demos if stage in one.stages],
            f"{instruction}{stop}{form}{own}",
            room,
        )
        pairs = await packed(
            self.workbench,
            [self._pair(stage, one) for one in demos if stage not in one.stages],
            f"{instruction}{stop}{form}{examples}{own}",
            room,
        )
        return self.workbench.fill(
            _PROMPTS["prompt"],
            instruction=instruction,
            stop=stop,
            pairs=f"{self._fill('pairs', pairs=pairs)}\n\n" if pairs else "",
            format=form,
            examples=f"{examples}{own}\n\n",
        )

    def _fields(self, stage: str, text: str, filled: Filled) -> str:
        """The fields of a question; the rationale and the output if it has an output."""
        parts = [] if stage == stage_of(1) else [f"Context:\n{self._numbered(filled.context)}"]
        parts.append(f"Question: {self._asked(stage, text)}")
        if filled.output:
            rationale, output = (
                escape(filled.rationale),
                escape(filled.output),
            )  # of demonstrations that the model annotated, too
            parts += [f"Rationale: {self._lead(stage)} {rationale}", f"{_output(stage)}: {output}"]
        return "\n\n".join(parts)

    def _begun(self, stage: str, rationale: str = "") -> str:
        lead = f"Rationale: {self._lead(stage)}"
        return f"{lead} {escape(rationale)}\n\n{_output(stage)}:" if rationale else lead

    def _format(self, stage: str) -> str:
        parts = [] if stage == stage_of(1) else [f"Context:\n{self._fill('describe_context')}"]
        is_answer = stage == ANSWER
        output = (
            of_form(self.workbench, _PROMPTS, "describe_answer", self.question) if is_answer else self._fill("describe_query")
        )
        rationale = self._fill(f"describe_rationale_{_kind(stage)}")
        parts += [
            f"Question: {self._fill('describe_question')}",
            f"Rationale: {self._lead(stage)} {rationale}",
            f"{_output(stage)}: {output}",
        ]
        return "\n\n".join(parts)

    def _pair(self, stage: str, one: Training) -> str:
        return f"Question: {self._asked(stage, one.question)}\nAnswer: {one.answers[0]}"

    def _asked(self, stage: str, text: str) -> str:
        return asked(self.workbench, self.question, text) if stage == ANSWER else text

    def _numbered(self, context: Sequence[str]) -> str:
        return "\n".join(f"[{number}] {one}" for number, one in enumerate(context, start=1)) or self._fill("none_found")

    def _lead(self, stage: str) -> str:
        return self._fill(f"lead_{_kind(stage)}")

    def _fill(self, name: str, **values: str) -> str:
        return self.workbench.fill(_PROMPTS[name], **values)

    def _longest(self, stage: str) -> int:
        return self.max_tokens_long if stage == ANSWER and self.question.form == "long" else self.max_tokens


def _kind(stage: str) -> str:
    return stage.split(maxsplit=1)[0]


def _output(stage: str) -> str:
    return "Answer" if stage == ANSWER else "Search Query"
