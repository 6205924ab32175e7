"""Recite-and-answer: the model recites passages from memory, then answers from each recitation, and the answers vote.

Sun et al. 2023; the row "Recite-and-answer" of SearChain's and ToQD's table 1, which do not say how many recitations were
sampled: the authors' code for HotpotQA uses 20. With one it is the plain variant, recited greedily. As in that code, answers
vote as written, ties go to the shorter one, and an answer must be a whole sentence after the marker.

The content that demonstrations recite is our own: from each passage of their steps (the last two, if there are more), the first
sentence and the one that answers, so that a recitation fits into 128 tokens. An empty recitation gives no vote; if all are
empty, the question is asked once without any. If calls are limited, only as many recitations are drawn as can be answered
from.

Calls, whatever the hops: 1 request for the S recitations if the endpoint can, else S; and S for the answers. No retrieval.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from hopweave.answering.demonstrations import Demonstration, DemonstrationStep
from hopweave.answering.toolkit.chain_of_thought import NEXT_EXAMPLE, PLAIN_MARKER, plainly_demanded
from hopweave.answering.toolkit.claims import one_answer
from hopweave.answering.toolkit.concurrency import side_by_side
from hopweave.answering.toolkit.demos import NumDemos, Seed, asked, drawn, packed
from hopweave.answering.toolkit.final_answer import MaxTokensLong, file_missing, file_unanswered
from hopweave.answering.toolkit.voting import Tie, file_vote, vote
from hopweave.citations.citing import locate
from hopweave.core.errors import BudgetReached
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.options import Bounded, Count, Temperature
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Message, Question, Reply
from hopweave.text.final import final_answer, short_form
from hopweave.text.matching import normalize_answer
from hopweave.text.sentences import sentence_spans

GROUP = "never searches"

_PROMPTS = prompts_beside(__file__)
_END = ("\n\n\n", "\nQuestion:")
_LABEL = lazy_pattern(r"(?:^|\n)[ \t*_#>-]*+(?:answer[ \t]*+\d{0,2}|\d{1,2})[ \t*_]*+:[*_]*+", re.IGNORECASE)
_SENTENCE = lazy_pattern(rf"\b{PLAIN_MARKER}:?\s+(.*)\.$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Recite(Bounded):
    """Recites, answers from the recitations, and takes the majority answer.

    The text of the answer is the first recitation among those that agree, with its answer; for explanations it is the one most
    similar to the others. The share that agrees is `consistency` in the data of the decision `vote`.
    """

    n_recitations: Annotated[Count, "S: recitations sampled; 1 is recited greedily"] = 20
    num_passages: Annotated[Count, "passages that a demonstration recites at most; it has one for each of its steps"] = 2
    temperature: Annotated[Temperature, "of the recitations, if there are several"] = 0.7
    tie: Annotated[Tie, "which of equally many votes wins: the shorter or the earliest (first; logprob is the same here)"] = (
        "shorter"
    )
    normalize: Annotated[bool, "count answers as the same that differ in case, articles and punctuation only"] = False
    n_demos: NumDemos = None
    seed: Seed = 0
    max_tokens_recitation: Annotated[Count, "longest recitation, in tokens"] = 128
    max_tokens: Annotated[Count, "longest short answer or label, in tokens"] = 16
    max_tokens_long: MaxTokensLong = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        return await _Run(self, question, workbench, drawn(question, "recite", self.n_demos, self.seed)).answer()


@dataclass(slots=True)
class _Run:
    """One question."""

    options: Recite
    question: Question
    workbench: MethodContext
    demos: Sequence[Demonstration]
    stopped_because: str = "finished"

    async def answer(self) -> Answer:
        """Both stages and the vote."""
        recitations = await self._recitations()
        read = [(passages, *outcome) for passages, outcome in await self._answered(recitations)]
        if not read:
            return one_answer(self.question, "\n".join(recitations[0]), "", "empty", stopped_because=self.stopped_because)
        is_any_whole = any(how == "marker" for _, _, _, how in read)
        answers = [short if how == "marker" or not is_any_whole else "" for _, _, short, how in read]
        normalize = normalize_answer if self.options.normalize else str.strip
        held = vote(answers, form=self.question.form, tie=self.options.tie, normalize=normalize)
        file_vote(self.workbench, held, answers)
        passages, said, _, how = read[held.first]
        text = said if self.question.form == "long" else "\n".join([*passages, said])
        how = how if held.answer else "empty"
        return one_answer(self.question, text, held.answer, how, stopped_because=self.stopped_because)

    # -- recitations ---------------------------------------------------------------------------------------------------

    async def _recitations(self) -> list[tuple[str, ...]]:
        """The passages of each non-empty recitation; a single one without passages if all are empty."""
        num = self._num_affordable()
        greedy, longest = self.workbench.sampling, self.options.max_tokens_recitation
        sampling = (
            greedy if self.options.n_recitations == 1 else replace(greedy, temperature=self.options.temperature, top_p=1.0)
        )
        sampling = replace(sampling, max_tokens=longest, stop=_END)
        prompt = await self._prompt_to_recite()
        drawn = await self.workbench.samples([Message("user", prompt)], num, purpose="recite", sampling=sampling)
        if drawn.reached:
            self.stopped_because = drawn.reached.limit
        return [passages for reply in drawn.replies if (passages := self._passages(reply))] or [()]

    def _num_affordable(self) -> int:
        wanted, allowed = self.options.n_recitations, self.workbench.limits.get("max_llm_calls")
        if allowed is None:
            return wanted
        num = min(wanted, max(1, int(allowed - 1 if self.workbench.abilities.samples else allowed // 2)))
        if num < wanted:
            self.stopped_because = "max_llm_calls"
        return num

    async def _prompt_to_recite(self) -> str:
        shown = self.workbench.fill(_PROMPTS["asked"], question=asked(self.workbench, self.question))
        # With the line break that joins them, two empty lines separate examples; a recitation ends there.
        examples = [f"{self._recited(one)}\n" for one in self.demos]
        fitting = await packed(
            self.workbench, examples, f"{_PROMPTS['recite'].text}{shown}", self.options.max_tokens_recitation
        )
        return self.workbench.fill(_PROMPTS["recite"], examples=fitting, asked=shown)

    def _recited(self, one: Demonstration) -> str:
        text = self.workbench.fill(_PROMPTS["asked"], question=asked(self.workbench, self.question, one.question))
        steps = list({step.passage.id: step for step in one.steps}.values())[-self.options.num_passages :]
        begun = text.rpartition("\n")[2]
        told = [
            self.workbench.fill(_PROMPTS["recited"], number=str(number), passage=_told(step))
            for number, step in enumerate(steps, 1)
        ]
        return text + f"\n{begun}".join(told)

    def _passages(self, reply: Reply) -> tuple[str, ...]:
        """The recited passages, one per line. A text without numbers is one passage."""
        pieces = (" ".join(piece.split()).lstrip(": ") for piece in _LABEL.split(reply.text))
        passages = tuple(filter(None, pieces))
        if not passages:
            self.workbench.parse_failed("recitation", "nothing is recited", reply.text)
        return passages

    # -- answers -------------------------------------------------------------------------------------------------------

    async def _answered(self, recitations: Sequence[tuple[str, ...]]) -> list[tuple[tuple[str, ...], tuple[str, str, str]]]:
        """For each recitation that the budget allows to be answered from: its passages, and the result of `_read`."""
        is_long = self.question.form == "long"
        longest = self.options.max_tokens_long if is_long else self.options.max_tokens
        sampling = replace(self.workbench.sampling, max_tokens=longest, stop=NEXT_EXAMPLE)
        wanted, text = plainly_demanded(self.question), asked(self.workbench, self.question)
        answers = [one.answer if is_long else f"{PLAIN_MARKER} {one.answer.rstrip('.')}." for one in self.demos]
        examples = [
            f"Q: {asked(self.workbench, self.question, one.question)}\nA: {answer}"
            for one, answer in zip(self.demos, answers, strict=True)
        ]
        # Room for the longest recitation, so that all are shown with the same demonstrations.
        room = longest + self.options.max_tokens_recitation
        fitting = await packed(self.workbench, examples, f"{_PROMPTS['answer'].text}{wanted}{text}", room)

        async def said(passages: tuple[str, ...]) -> str:
            shown = "\n".join(passages) or self.workbench.fill(_PROMPTS["none"])
            filled = {"passages": shown, "demanded": wanted, "examples": fitting, "question": text}
            turns = [Message("user", self.workbench.fill(_PROMPTS["answer"], **filled))]
            return (await self.workbench.reply(turns, purpose="answer", sampling=sampling)).text.strip()

        step = self.workbench.decide("graph", f"{len(recitations)} recitations, each answered from")
        with self.workbench.under(step):
            works = [
                (self.workbench.decide("recitation", " / ".join(one) or "none"), partial(said, one)) for one in recitations
            ]
        outcomes = await side_by_side(self.workbench, works)
        done = []
        for passages, outcome in zip(recitations, outcomes, strict=True):
            if isinstance(outcome, BudgetReached):
                self.stopped_because = outcome.limit
            else:
                done.append((passages, self._read(outcome)))
        return done

    def _read(self, said: str) -> tuple[str, str, str]:
        """The relevant text, the bare answer, and how it was found: `marker` if it has the expected form."""
        if self.question.form == "long":
            short, how = final_answer(said, self.question)
            if not short:
                file_unanswered(self.workbench, said)
            return said, short, "marker" if short else how
        line = said.split("\n", 1)[0].strip()
        if self.question.form == "label":
            short, how = final_answer(line, self.question)
            how = "marker" if short else "empty"
        else:
            match = _SENTENCE.search(line) if line.endswith(".") else None  # otherwise each marker would be scanned to the end
            short, how = (short_form(match[1]), "marker") if match else final_answer(line, self.question)
        if how != "marker" or not short:
            file_missing(self.workbench, said)
        return line, short, how


def _told(step: DemonstrationStep) -> str:
    """The first sentence of a passage and those that answer the step; if none does, the first two."""
    text, spans = step.passage.text, sentence_spans(step.passage.text)
    found = locate(step.answer, text)
    holding = [span for span in spans[1:] if found and span.start < found.end and found.start < span.end]
    kept = [spans[0], *holding] if found else spans[:2]
    return " ".join(text[span.start : span.end] for span in kept)
