"""OneR: one retrieval with the question, then a reader with demonstrations; IRCoT's one-step baseline.

Trivedi et al. (arXiv 2212.10509), section 4.2, "One-step Retriever" and "ODQA Models". The paper chooses K among 5, 7, 9, 11,
13 and 15 on development questions, and the choices are not published, so each record notes its K. `Answer.passage_ids` is the
retrieval result; with `reader = "none"` nothing else is done.

Calls: 1 (none without a reader, 2 if `force` has to ask), and one for titles if the question comes with a pinned passage
(IIRC); 1 search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from hopweave.answering.methods.ircot._finding import Duplicates, Finder, Finding
from hopweave.answering.toolkit.few_shot import FewShot, Instruction, MaxDemos, MaxWordsShown, Packer
from hopweave.answering.toolkit.reasoned import Marker, Said, answer_of, read
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Bounded, Count, Whole, options_for
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question

GROUP = "searches once"

_CHOICES = "the paper chooses among 5, 7, 9, 11, 13 and 15 on development questions"


@dataclass(frozen=True, slots=True)
class OneR(Bounded):
    """Retrieves K passages with the whole question and reads the answer from them."""

    num_hits: Annotated[Count, "K: passages fetched"] = 5
    max_passages: Annotated[Count, "maximum number of passages kept"] = 15
    remove_wh_words: Annotated[bool, "remove who, what, which and the like from the query"] = True
    max_words_retrieved: Annotated[Whole, "skip passages with more words; 0 for no limit"] = 0
    max_words_shown: MaxWordsShown = 350
    duplicates: Duplicates = "exact"
    marker: Marker = "tolerant"
    reader: Annotated[Literal["cot", "direct", "none"], "with reasoning, directly, or no answer at all, only passages"] = "cot"
    force: Annotated[bool, "ask the reader once more if its reasoning does not state the answer"] = True
    n_demos: MaxDemos = 3
    num_distractors: Annotated[Whole, "M: irrelevant passages in each demonstration, 0 to 3"] = 1
    seed: Annotated[int, "seed for the choice of demonstrations and the order of their passages"] = 0
    pinned: Annotated[Literal["top", "bottom"], "position of a question's pinned passage among the others"] = "top"
    instruction: Instruction = "top"
    num_titles: Annotated[Whole, "with a pinned passage: titles that the model names to restrict retrieval; 0 for none"] = 3
    max_tokens: Annotated[Count, "longest reply of the reader, in tokens"] = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        finder, packer = (
            Finder(options_for(Finding, self), question, workbench),
            Packer(options_for(FewShot, self), question, workbench),
        )
        stopped_because, said = "finished", Said((), "", "", "empty")
        workbench.decide("note", f"K = {self.num_hits} passages are fetched (num_hits); {_CHOICES}")
        try:
            await finder.bound()
            await finder.add(question.text)
        except BudgetReached as reached:
            stopped_because = reached.limit
        if self.reader != "none":
            marker, longest = self.marker, self.max_tokens
            try:
                said = await read(packer, self.reader, finder.held, marker=marker, max_tokens=longest, force=self.force)
            except BudgetReached as reached:
                stopped_because = reached.limit
        return answer_of(question, said, (), finder.held, workbench, stopped_because)
