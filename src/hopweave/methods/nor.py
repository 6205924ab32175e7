"""NoR: a reader with demonstrations and no retrieval; IRCoT's baseline for what the model knows by itself.

Trivedi et al. (arXiv 2212.10509), section 4.2, "ODQA Models" (ZeroR in table 3). Neither the demonstrations nor the question
have passages, except for the pinned passage that a question may come with (IIRC). Calls: 1, or 2 with `force`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from hopweave.errors import BudgetReached
from hopweave.methods._ircot.reasoned import Marker, Said, answer_of, read
from hopweave.protocols import MethodContext
from hopweave.toolkit.few_shot import FewShot, Instruction, Packer
from hopweave.toolkit.options import at_least
from hopweave.types import Answer, Question

__all__ = ["NoR"]


@dataclass(frozen=True, slots=True)
class NoR:
    """One call with demonstrations: with reasoning, or directly."""

    reader: Annotated[Literal["cot", "direct"], "with reasoning, or directly"] = "cot"
    marker: Annotated[
        Marker, "what gives the answer; tolerant: 'answer is' in any case; authors: the regular expression of their code"
    ] = "tolerant"
    force: Annotated[bool, "ask the reader once more where its reasoning does not say what the answer is"] = True
    n_demos: Annotated[int, "worked questions in the prompt at most; fewer where they do not fit"] = 15
    seed: Annotated[int, "of the choice of demonstrations"] = 0
    max_words_shown: Annotated[int, "cut a pinned passage to so many words; 0 for no limit"] = 350
    instruction: Annotated[Instruction, "where the prompt says what to do: at its top, or on the line of each question"] = "top"
    max_tokens: Annotated[int, "longest reply, in tokens"] = 256

    def __post_init__(self) -> None:
        at_least("nor", self, 1, "max_tokens")
        at_least("nor", self, 0, "n_demos", "max_words_shown")

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        """See `protocols.Method`."""
        few_shot = FewShot(self.n_demos, 0, self.seed, self.max_words_shown, has_passages=False, instruction=self.instruction)
        stopped_because, said = "finished", Said((), "", "", "empty")
        try:
            packer = Packer(few_shot, question, workbench)
            said = await read(packer, self.reader, (), marker=self.marker, max_tokens=self.max_tokens, force=self.force)
        except BudgetReached as reached:
            stopped_because = reached.limit
        return answer_of(question, said, (), (), workbench, stopped_because)
