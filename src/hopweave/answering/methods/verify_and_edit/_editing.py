"""One sentence of a reasoning chain, checked and edited: its question, its evidence, and its final text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hopweave.answering.demonstrations import Demonstration
from hopweave.answering.toolkit.claims import Assertion
from hopweave.answering.toolkit.fenced import fenced
from hopweave.answering.toolkit.few_shot import cut_words
from hopweave.answering.toolkit.stepwise import SHOWN_WORDS
from hopweave.answering.toolkit.wiki import Sentence, passages_behind, sentences_of
from hopweave.citations.citing import on_one_line
from hopweave.citations.support import is_stated
from hopweave.core.errors import BudgetReached
from hopweave.core.prompt import Prompts, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Message, Origin, Question

Ranked = Callable[[str, Sequence[str]], list[int]]
"""Returns the positions of texts by their relevance to a query, best first."""

_NUM_QUESTION_DEMOS, _NUM_ANSWER_DEMOS = 2, 3  # as the authors show
_BLANK_LINE = ("\n\n",)


@dataclass(slots=True)
class Edit:
    """A sentence being edited.

    Attributes:
        sentence: the model's original sentence.
        step: the decision that its work is recorded under.
        query: the question that verifies it.
        evidence: the sentences that were found for it, best first.
        text: its current text; empty if nothing replaced it.
        reached: the limit that ended the work on it.
    """

    sentence: str
    step: int
    query: str = ""
    evidence: tuple[Sentence, ...] = ()
    text: str = ""
    reached: BudgetReached | None = None

    @property
    def outcome(self) -> str:
        """The sentence with which the reasoning continues."""
        return self.text or self.sentence

    def assertion(self) -> Assertion:
        """Its statement: `verified` if the evidence supports the original sentence, else `corrected`."""
        query, passages = self.query or self.sentence, passages_behind(self.evidence)
        if not self.text:
            return Assertion(query, self.sentence, "model", passages)
        origin: Origin = "verified" if is_stated(query, self.sentence, passages) else "corrected"
        return Assertion(query, self.text, origin, passages)


@dataclass(frozen=True, slots=True)
class Editor:
    """Edits the sentences of one question's reasoning.

    Attributes:
        workbench: the question's workbench.
        prompts: the wording.
        question: the question.
        demos: the demonstrations whose steps are shown as examples.
        ranked: ranks sentences.
        is_aside: whether ranking takes long enough to run in a thread.
        num_hits: passages fetched for a sentence.
        num_sentences: sentences of them that are kept.
        mode: `answer` has the model answer the verifying question; `replace` uses the best sentence of the evidence itself.
        max_tokens: the limit for a reply.
    """

    workbench: MethodContext
    prompts: Prompts
    question: Question
    demos: Sequence[Demonstration]
    ranked: Ranked
    is_aside: bool
    num_hits: int
    num_sentences: int
    mode: Literal["answer", "replace"]
    max_tokens: int

    async def edit(self, edit: Edit) -> None:
        """Processes one sentence. A limit of the budget ends that, and partial results are kept.

        Raises:
            ModelError, SearchError, ReplayMiss: as in the calls of the workbench.
        """
        with self.workbench.under(edit.step):
            try:
                edit.query = await self._question(edit.sentence)
                edit.evidence = await self._evidence(edit.query)
                edit.text = await self._answer(edit)
            except BudgetReached as reached:
                edit.reached = reached
            self.workbench.decide("edited", edit.outcome, query=edit.query, was=edit.sentence)

    async def _question(self, sentence: str) -> str:
        examples = [
            self.workbench.fill(
                self.prompts["verify_example"],
                question=demo.question,
                sentence=demo.steps[-1].sentence,
                query=demo.steps[-1].query,
            )
            for demo in self.demos[:_NUM_QUESTION_DEMOS]
        ]
        said = await self._said("verify", examples, question=self.question.text, sentence=sentence)
        query = _behind(said.strip().split("\n", 1)[0], "question:")
        if query:
            return query
        self.workbench.parse_failed("verifying_question", "the reply is empty", said)
        return sentence

    async def _evidence(self, query: str) -> tuple[Sentence, ...]:
        hits = (await self.workbench.search([query], self.num_hits))[0]
        every = [sentence for hit in hits for sentence in sentences_of(hit)]
        texts = [sentence.text for sentence in every]
        order = await asyncio.to_thread(self.ranked, query, texts) if self.is_aside else self.ranked(query, texts)
        return tuple(every[index] for index in order[: self.num_sentences])

    async def _answer(self, edit: Edit) -> str:
        if self.mode == "replace":
            return edit.evidence[0].text if edit.evidence else ""
        steps = [step for demo in self.demos for step in demo.steps][:_NUM_ANSWER_DEMOS]
        examples = [
            self.workbench.fill(
                self.prompts["check_example"],
                evidence=fenced(step.passage),
                query=step.query,
                sentence=step.sentence,
            )
            for step in steps
        ]
        shown = [fenced(one.hit.passage, cut_words(one.text, SHOWN_WORDS)) for one in edit.evidence]
        evidence = "\n".join(shown) or self.workbench.fill(self.prompts["nothing"])
        said = await self._said("check", examples, evidence=evidence, query=edit.query)
        text = _behind(on_one_line(unescape(said)), "a:")
        if not text:
            self.workbench.parse_failed("verifying_answer", "the reply is empty", said)
        return text

    async def _said(self, prompt: str, examples: Sequence[str], **values: str) -> str:
        shown = "".join(f"{example}\n\n" for example in examples)
        text = self.workbench.fill(self.prompts[prompt], examples=shown, **values)
        sampling = replace(self.workbench.sampling, max_tokens=self.max_tokens, stop=_BLANK_LINE)
        return (await self.workbench.reply([Message("user", text)], purpose=prompt, sampling=sampling)).text


def _behind(said: str, label: str) -> str:
    """The reply, on one line, without a repeated label."""
    line = " ".join(unescape(said).split())
    return line[len(label) :].strip() if line.casefold().startswith(label) else line
