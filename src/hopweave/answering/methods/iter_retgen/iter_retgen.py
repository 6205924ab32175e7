"""ITER-RETGEN: retrieves with the question and the last reasoning, reasons again from what is found, and so on T times.

Shao et al., "Enhancing Retrieval-Augmented Large Language Models with Iterative Retrieval-Generation Synergy", Findings of
EMNLP 2023 (arXiv 2305.15294), section 3. In iteration t, the generation of iteration t - 1 followed by the question is the
query (at first the question alone); its top k passages and the question are the prompt of a chain of thought, in which earlier
generations do not appear. The last generation is the answer. As in the paper, k is 5 and there are 3 demonstrations; T is 3,
where the paper reports 1 to 7. Demonstrations and prompts are ours, the same as IRCoT's; the retriever is the user's, and is
not adapted to the generations (section 3.4).

Decided where the paper is silent: a generation ends with the sentence that gives the answer, and that part of it is the query;
if it is empty, the one before it stands. If the last generation gives no answer, the model is asked once more (`force`). The
passages of earlier iterations may support a claim, too, but those of the last one come first.

Calls, whatever the hops: T, and 1 more if `force` has to ask; rounds of retrieval: T.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from hopweave.answering.toolkit.claims import passages_of
from hopweave.answering.toolkit.concurrency import why_stopped
from hopweave.answering.toolkit.few_shot import FewShot, MaxDemos, MaxWordsShown, Packer
from hopweave.answering.toolkit.reasoned import Said, answer_of, plain, read
from hopweave.core.options import Bounded, Count, Whole, options_for
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Passage, Question
from hopweave.text.matching import normalize_answer

GROUP = "searches in turns"

_NOTHING = Said((), "", "", "empty")

UNCHANGED = "unchanged_answer"
"""Why the work stopped, if two iterations gave the same answer."""


@dataclass(frozen=True, slots=True)
class IterRetGen(Bounded):
    """Alternates between retrieving and writing a whole chain of thought; the last one counts.

    Each of its sentences is a claim, and so is the answer.
    """

    num_iterations: Annotated[Count, "T: iterations, each of which retrieves and reasons"] = 3
    num_hits: Annotated[Count, "k: passages retrieved in an iteration, and shown"] = 5
    stop_if_unchanged: Annotated[bool, "stop early if an iteration gives the answer of the one before; the paper does not"] = (
        False
    )
    force: Annotated[bool, "ask once more if the last reasoning does not state the answer"] = True
    max_words_shown: MaxWordsShown = 350
    n_demos: MaxDemos = 3
    num_distractors: Annotated[Whole, "irrelevant passages in each demonstration, 0 to 3"] = 1
    seed: Annotated[int, "seed for the choice of demonstrations and the order of their passages"] = 0
    max_tokens: Annotated[Count, "longest reasoning, in tokens"] = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        packer = Packer(options_for(FewShot, self), question, workbench)
        return await _Iterating(self, question, workbench, packer).answer()


@dataclass(slots=True)
class _Iterating:
    """One question.

    Attributes:
        said: the last generation that is not empty.
        found: the passages of all iterations, those of the last one first.
    """

    options: IterRetGen
    question: Question
    workbench: MethodContext
    packer: Packer
    said: Said = _NOTHING
    found: list[Passage] = field(default_factory=list)

    async def answer(self) -> Answer:
        stopped_because = await why_stopped(self._iterate())
        return answer_of(self.question, self.said, (), self.found, self.workbench, stopped_because)

    async def _iterate(self) -> str:
        """Retrieves and generates; returns why it stopped."""
        last = self.options.num_iterations
        for number in range(1, last + 1):
            before = normalize_answer(self.said.short)
            with self.workbench.under(self.workbench.decide("iteration", f"{number} of {last}")):
                said = await self._generated(await self._retrieved(), number)
            if said.closing or said.sentences:
                self.said = said
            is_unchanged = bool(before) and normalize_answer(said.short) == before
            if is_unchanged and self.options.stop_if_unchanged and number < last:
                return UNCHANGED
        return "finished"

    async def _retrieved(self) -> list[Passage]:
        generation = plain(" ".join([*self.said.sentences, self.said.closing]))
        [hits] = await self.workbench.search([f"{generation} {self.question.text}".strip()], self.options.num_hits)
        pinned = {passage.id for passage in self.question.pinned}
        passages = [passage for passage in passages_of(hits) if passage.id not in pinned]
        self.found = list({passage.id: passage for passage in (*passages, *self.found)}.values())
        return passages

    async def _generated(self, passages: list[Passage], number: int) -> Said:
        """The generation of an iteration. Two of them have the same prompt if they retrieve the same passages."""
        options = self.options
        return await read(
            self.packer,
            "cot",
            passages,
            marker="tolerant",
            max_tokens=options.max_tokens,
            force=options.force and number == options.num_iterations,
            purpose="reasoning",
            sample=number - 1,
        )
