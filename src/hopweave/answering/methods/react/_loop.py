"""The loop of ReAct (Yao et al. 2023), shared by `react` and its combinations with self-consistency."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from hopweave.answering.demonstrations import FACT_CHECKING, Demonstration, family_of
from hopweave.answering.methods.react._actions import Turn, read_action, read_turn
from hopweave.answering.methods.react._trajectories import AIM, heading, trajectories
from hopweave.answering.parsing.queries import is_same_query
from hopweave.answering.toolkit.claims import Assertion, answer_from_claims
from hopweave.answering.toolkit.demos import asked, packed
from hopweave.answering.toolkit.final_answer import bare_answer, of_form
from hopweave.answering.toolkit.transcript import Transcript
from hopweave.answering.toolkit.wiki import SearchMode, Seen, Sentence, Wiki, passages_behind
from hopweave.citations.citing import on_one_line
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Bounded, Count
from hopweave.core.prompt import prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question, Sampling
from hopweave.text.sentences import sentence_spans

_PROMPTS = prompts_beside(str(Path(__file__).with_name("react.py")))
_MAX_STEPS, _MAX_STEPS_FACTS = 7, 5  # section 3.2 of the paper: of HotpotQA, and of FEVER
_MOST_INVALID = 3  # in a row; the third ends the work
_TOKENS_PER_SENTENCE = 40  # roughly; the growth of the transcript can only be estimated


@dataclass(frozen=True, slots=True)
class Acting(Bounded):
    """How ReAct is run: the options of every method that acts."""

    max_steps: Annotated[Count | None, "maximum number of turns; none: 7, or 5 for fact checking, as in the paper"] = None
    search_mode: Annotated[
        SearchMode, "what a search opens; retriever: the page of the best hit; title: only the page of exactly that title"
    ] = "retriever"
    num_hits: Annotated[Count, "hits of a search that are considered for the page's other passages and for similar titles"] = 20
    num_sentences: Annotated[Count, "sentences of a page that are shown when it opens"] = 5
    max_tokens: Annotated[Count, "longest turn, in tokens"] = 100
    max_tokens_long: Annotated[Count, "longest turn where an explanation is wanted, in tokens"] = 256

    def max_steps_for(self, question: Question) -> int:
        """The turns that a question may take."""
        if self.max_steps is not None:
            return self.max_steps
        return _MAX_STEPS_FACTS if family_of(question) == FACT_CHECKING else _MAX_STEPS


@dataclass(slots=True)
class _Taken:
    """A completed turn: its thought, action and observation."""

    thought: str
    tool: str = ""
    argument: str = ""
    seen: Seen = field(default_factory=lambda: Seen(""))


@dataclass(slots=True)
class Actor:
    """Acts on one question until it finishes, or has to stop.

    Attributes:
        workbench: the question's workbench.
        question: the question.
        acting: the limits.
        short: the bare answer; empty until the model finishes with one.
        how: how it was found.
        stopped_because: `finished`, `max_steps`, `repeated_action`, `invalid_actions`, or the limit of the budget.
    """

    workbench: MethodContext
    question: Question
    acting: Acting
    short: str = ""
    how: str = "empty"
    stopped_because: str = "finished"
    _taken: list[_Taken] = field(default_factory=list)

    async def run(self, demos: Sequence[Demonstration], forced: Collection[str] = ()) -> None:
        """Runs the loop. A limit of the budget ends it; the observations so far are kept.

        Args:
            demos: worked questions.
            forced: the reasons to stop (see `stopped_because`) after which the model is made to finish.

        Raises:
            ModelError, SearchError, ReplayMiss: as in the calls of the workbench.
        """
        wiki = Wiki(self.workbench, self.acting.search_mode, self.acting.num_hits, self.acting.num_sentences)
        try:
            transcript = Transcript(self.workbench, await self._prompt(demos))
            self.stopped_because = await self._loop(transcript, wiki)
            if self.stopped_because in forced:
                await self._finish_now(transcript)
        except BudgetReached as reached:
            self.stopped_because = reached.limit

    async def _finish_now(self, transcript: Transcript) -> None:
        number = str(len(self._taken) + 1)
        transcript.add("\n" + self.workbench.fill(_PROMPTS["finish_now"], number=number, finish=self._finish()))
        reply = await transcript.go_on("finish", self._sampling(("\nObservation",)))
        action = read_action(reply.text) or read_action(f"Finish[{reply.text}")
        self._read_answer(action.argument if action else "", "forced")

    def answer(self) -> Answer:
        """The result of the turns: a claim for each thing that was searched for and found, and one for the answer."""
        return answer_from_claims(
            self.question,
            self._assertions(),
            self.short,
            self.how,
            self.workbench,
            retrieved=passages_behind(self.sentences),
            text=self.short if self.question.form == "long" else "",
            with_queries=False,
            stopped_because=self.stopped_because,
        )

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """Everything that was shown."""
        return tuple(sentence for taken in self._taken for sentence in taken.seen.sentences)

    @property
    def is_out_of_budget(self) -> bool:
        """Whether a limit of the budget ended the work."""
        return self.stopped_because in self.workbench.limits

    async def _prompt(self, demos: Sequence[Demonstration]) -> str:
        shown = asked(self.workbench, self.question)
        rest = f"{_PROMPTS['react'].text}{self._finish()}{shown}"
        a_turn = self._longest() + self.acting.num_sentences * _TOKENS_PER_SENTENCE
        texts = trajectories(self.workbench, _PROMPTS, self.question, demos, self.acting.num_sentences)
        fitting = await packed(self.workbench, texts, rest, self.acting.max_steps_for(self.question) * a_turn)
        return self.workbench.fill(
            _PROMPTS["react"], finish=self._finish(), examples=fitting, heading=heading(self.question), question=shown
        )

    def _finish(self) -> str:
        return of_form(self.workbench, _PROMPTS, "finish", self.question)

    def _longest(self) -> int:
        return self.acting.max_tokens_long if self.question.form == "long" else self.acting.max_tokens

    async def _loop(self, transcript: Transcript, wiki: Wiki) -> str:
        num_invalid = 0
        for number in range(1, self.acting.max_steps_for(self.question) + 1):
            turn = await self._turn(transcript, number)
            action = read_action(turn.action or "")
            taken = _Taken(turn.thought)
            self._taken.append(taken)
            if action is None:
                num_invalid += 1
                self.workbench.parse_failed("action", "it is none of Search, Lookup and Finish", turn.action or "")
                self._observe(transcript, number, turn, turn.action or "", self.workbench.fill(_PROMPTS["invalid"]))
                if num_invalid == _MOST_INVALID:
                    return "invalid_actions"
                continue
            num_invalid = 0
            taken.tool, taken.argument = action.tool, unescape(action.argument)
            written = f"{action.tool.capitalize()}[{action.argument}]"
            if action.tool == "finish":
                self.workbench.decide("action", unescape(written), thought=unescape(turn.thought))
                self._read_answer(action.argument, "marker")
                return "finished"
            if self._is_repeated(wiki):
                self.workbench.decide("repeated", unescape(written))
                taken.tool = ""
                self._observe(transcript, number, turn, written, self.workbench.fill(_PROMPTS["repeated"]))
                return "repeated_action"
            step = self.workbench.decide("action", unescape(written), thought=unescape(turn.thought))
            with self.workbench.under(step):
                taken.seen = await self._act(wiki, taken)
            self._observe(transcript, number, turn, written, taken.seen.text)
        return "max_steps"

    async def _turn(self, transcript: Transcript, number: int) -> Turn:
        """A thought and an action. If a reply has no action, its first line is the thought and the action is requested."""
        transcript.add(f"\nThought {number}:")
        reply = await transcript.go_on("turn", self._sampling((f"\nObservation {number}:",)))
        turn = read_turn(reply.text)
        if turn.action is not None:
            return turn
        self.workbench.parse_failed(
            "action", "no action is in the reply" if reply.text.strip() else "the reply is empty", reply.text
        )
        begun = transcript.text
        transcript.add(f" {turn.thought}\nAction {number}:")
        more = await transcript.go_on("action", self._sampling(("\n",) if self.question.form != "long" else ("\nObservation",)))
        transcript.text = begun
        again = read_turn(more.text)
        return Turn(turn.thought, again.action if again.action is not None else more.text.strip())

    async def _act(self, wiki: Wiki, taken: _Taken) -> Seen:
        if taken.tool == "search":
            return await wiki.search(taken.argument)
        return wiki.lookup(taken.argument)

    def _is_repeated(self, wiki: Wiki) -> bool:
        """Whether an action repeats that of the previous turn and cannot show anything new."""
        if len(self._taken) < 2:
            return False
        last, this = self._taken[-2:]
        is_same = last.tool == this.tool and is_same_query(last.argument, this.argument)
        return is_same and not (this.tool == "lookup" and wiki.has_more(this.argument))

    def _observe(self, transcript: Transcript, number: int, turn: Turn, written: str, seen: str) -> None:
        action = " ".join(written.split())
        transcript.add(f" {turn.thought}\nAction {number}: {action}\nObservation {number}: {seen}")

    def _read_answer(self, said: str, how: str) -> None:
        self.short, read = bare_answer(self.workbench, unescape(said), self.question)
        self.how = how if self.short else read

    def _sampling(self, stop: tuple[str, ...]) -> Sampling:
        return replace(self.workbench.sampling, max_tokens=self._longest(), stop=stop)

    def _assertions(self) -> list[Assertion]:
        """An assertion for each thing that was searched for: the finding that the next thought states.

        The aim of a thought is the next thing to find out that it names, else its last sentence; a lookup without such a
        statement continues the previous aim. The finding is the first sentence of the next thought.
        """
        assertions: list[Assertion] = []
        turns = self._taken
        at = 0
        while at < len(turns):
            first, end = turns[at], at + 1
            while end < len(turns) and turns[end].tool not in ("search", "finish") and AIM not in turns[end].thought:
                end += 1
            sentences = [sentence for taken in turns[at:end] for sentence in taken.seen.sentences]
            if first.tool in ("search", "lookup"):
                learnt = _learnt(turns[end]) if end < len(turns) and sentences else ""
                assertions.append(Assertion(_wanted(first), learnt, "retrieved", passages_behind(sentences)))
            at = end
        return assertions


def _wanted(taken: _Taken) -> str:
    thought = on_one_line(unescape(taken.thought))
    before, found, after = thought.rpartition(AIM)
    if found and after.strip():
        return after.strip()
    spans = sentence_spans(before or thought)
    return thought[spans[-1].start : spans[-1].end] if spans else f"{taken.tool.capitalize()}[{on_one_line(taken.argument)}]"


def _learnt(taken: _Taken) -> str:
    said, found, _ = on_one_line(unescape(taken.thought)).partition(AIM)
    spans = sentence_spans(said)
    # A single sentence that names no aim in our form is the aim, unless there is nothing left to find out.
    says_so = found or taken.tool == "finish" or len(spans) > 1
    return said[spans[0].start : spans[0].end] if spans and says_so else ""
