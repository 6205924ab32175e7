"""NoR: a reader with demonstrations and no retrieval; IRCoT's baseline for the model's own knowledge.

Trivedi et al. (arXiv 2212.10509), section 4.2, "ODQA Models" (ZeroR in table 3). Neither the demonstrations nor the question
have passages, except for the pinned passage that a question may come with (IIRC). Calls: 1, or 2 with `force`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from hopweave.answering.toolkit.few_shot import FewShot, Instruction, MaxDemos, Packer
from hopweave.answering.toolkit.reasoned import Marker, Said, answer_of, read
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Bounded, Count, Whole
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question

GROUP = "never searches"


@dataclass(frozen=True, slots=True)
class NoR(Bounded):
    """One call with demonstrations: with reasoning, or directly."""

    reader: Annotated[Literal["cot", "direct"], "with reasoning, or directly"] = "cot"
    marker: Marker = "tolerant"
    force: Annotated[bool, "ask the reader once more if its reasoning does not state the answer"] = True
    n_demos: MaxDemos = 15
    seed: Annotated[int, "seed for the choice of demonstrations"] = 0
    max_words_shown: Annotated[Whole, "truncate a pinned passage to this many words; 0 for no limit"] = 350
    instruction: Instruction = "top"
    max_tokens: Annotated[Count, "longest reply, in tokens"] = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        few_shot = FewShot(self.n_demos, 0, self.seed, self.max_words_shown, has_passages=False, instruction=self.instruction)
        stopped_because, said = "finished", Said((), "", "", "empty")
        try:
            packer = Packer(few_shot, question, workbench)
            said = await read(packer, self.reader, (), marker=self.marker, max_tokens=self.max_tokens, force=self.force)
        except BudgetReached as reached:
            stopped_because = reached.limit
        return answer_of(question, said, (), (), workbench, stopped_because)
