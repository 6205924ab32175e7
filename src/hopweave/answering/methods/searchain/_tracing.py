"""The last stage of SearChain: the final content, written from the correct path, and the bare answer in it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from hopweave.answering.methods.searchain._path import PathNode, final_content, pairs
from hopweave.answering.toolkit.claims import last_answer
from hopweave.answering.toolkit.demos import packed
from hopweave.answering.toolkit.final_answer import MARKED, of_form
from hopweave.core.errors import BudgetReached
from hopweave.core.prompt import Prompts
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Claim, Message, Question
from hopweave.text.final import MARKER, demanded, final_answer

NEXT_EXAMPLE = ("\n[Question]", "\nExample:")

_LONGEST_ANSWER = 48  # tokens


def form_line(workbench: MethodContext, prompts: Prompts, question: Question) -> str:
    """The line under a question on the kind of answer expected; a short answer needs none."""
    return "" if question.form == "short" else "\n" + of_form(workbench, prompts, "form", question)


def _answers(numbers: Sequence[int]) -> str:
    """Answers by their numbers.

    >>> _answers([2]), _answers([1, 3, 4])
    ('answer 2', 'answers 1, 3 and 4')
    """
    *first, last = map(str, numbers)
    return f"answers {', '.join(first)} and {last}" if first else f"answer {last}"


@dataclass(slots=True)
class Tracing:
    """Writes the final content of one question.

    Attributes:
        workbench: the question's workbench.
        question: what was asked.
        prompts: the wording.
        max_tokens: of the final content.
        may_force: whether the final answer is requested once more if the final content does not state it.
        is_forced: whether it was.
    """

    workbench: MethodContext
    question: Question
    prompts: Prompts
    max_tokens: int
    may_force: bool
    is_forced: bool = False

    async def final_content(self, path: Sequence[PathNode], examples: Sequence[str]) -> str:
        """The final content that the model writes from the path; empty if it writes none, which is recorded.

        Args:
            path: settled queries.
            examples: demonstrations as whole chains.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as in `MethodContext.reply`.
        """
        values = {
            "question": self.question.text,
            "pairs_are": self._say_what_is_settled(path),
            "pairs": pairs(path),
            "demanded": demanded(self.question.form, self.question.labels),
            "form": form_line(self.workbench, self.prompts, self.question),
        }
        rest = self.workbench.fill(self.prompts["tracing"], examples="", **values)
        shown = await packed(self.workbench, examples, rest, self.max_tokens + _LONGEST_ANSWER)
        turns = [Message("user", self.workbench.fill(self.prompts["tracing"], examples=shown, **values))]
        begun = [Message("assistant", "[Final Content]:")] if self.workbench.abilities.prefill else []
        sampling = replace(self.workbench.sampling, max_tokens=self.max_tokens, stop=NEXT_EXAMPLE)
        reply = await self.workbench.reply([*turns, *begun], purpose="tracing", sampling=sampling)
        final = final_content(reply.text)
        if not final:
            self.workbench.parse_failed("final", "there is no final content", reply.text)
        elif reply.finish_reason == "length" and reply.text.rstrip("* \n").endswith(final):
            self.workbench.parse_failed("final", "the final content is cut off at max_tokens", reply.text)
        if final and self.may_force and self.question.form != "long" and final_answer(final, self.question)[1] not in MARKED:
            final = await self._forced(turns, final)
        return final

    def _say_what_is_settled(self, path: Sequence[PathNode]) -> str:
        numbers = [number for number, node in enumerate(path, start=1) if not node.is_settled]
        if not numbers:
            return self.workbench.fill(self.prompts["settled"])
        if len(numbers) == len(path):
            return self.workbench.fill(self.prompts["not_settled"])
        return self.workbench.fill(self.prompts["settled_in_part"], open=_answers(numbers))

    def short(self, said: str, last_final: str, claims: Sequence[Claim], *, is_expected: bool) -> tuple[str, str]:
        """The bare answer: from the final content, from that of the last chain, or else from the last claim.

        Args:
            said: the final content.
            last_final: the final content of the last chain.
            claims: the claims of the path.
            is_expected: whether a missing answer is also recorded if there is no final content at all.
        """
        for words in (said, last_final):
            short, how = final_answer(words, self.question)
            if how != "empty" and (how != "full" or self.question.form == "long" or not claims):
                return short, "forced" if self.is_forced else how
        if said or is_expected:
            self.workbench.parse_failed("final", "no sentence says what the final answer is", said)
        return last_answer(claims, self.question)

    async def _forced(self, turns: Sequence[Message], final: str) -> str:
        """The final content with its missing sentence: the model continues from its beginning, or is asked for it."""
        sampling = replace(self.workbench.sampling, max_tokens=_LONGEST_ANSWER, stop=("\n",), thinking="off")
        if self.workbench.abilities.prefill:
            more = [Message("assistant", f"[Final Content]: {final} {MARKER}")]
        else:
            wanted = demanded(self.question.form, self.question.labels)
            request = self.workbench.fill(self.prompts["finish"], demanded=wanted)
            more = [Message("assistant", f"[Final Content]: {final}"), Message("user", request)]
        with suppress(BudgetReached):  # the text so far is still the answer
            said = (await self.workbench.reply([*turns, *more], purpose="finish", sampling=sampling)).text.strip()
            self.is_forced = bool(said)
            marker = "" if MARKER.lower() in said.lower() else f"{MARKER} "
            return f"{final} {marker}{said}" if said else final
        return final
