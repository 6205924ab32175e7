"""Prompts with demonstrations, passages and a question, packed by token count into the model's actual context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from hopweave.answering.demonstrations import Demonstration, family_of, sample
from hopweave.answering.toolkit.final_answer import of_form
from hopweave.answering.toolkit.room import room_for
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.options import Whole
from hopweave.core.prompt import fence, prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Passage, Question
from hopweave.text.document_names import full_heading

Style = Literal["cot", "direct"]
Instruction = Annotated[
    Literal["top", "question"], "position of the instruction in the prompt: at its top, or on the line of each question"
]

MaxDemos = Annotated[Whole, "maximum number of worked questions in the prompt; fewer if they do not fit"]
"""The option for the number of demonstrations of a method whose demonstrations show passages."""

MaxWordsShown = Annotated[Whole, "truncate passages to this many words in prompts; 0 for no limit"]
"""The option for how much of a passage is shown."""

PROMPTS = prompts_beside(__file__)
_FEWEST_WORDS = 8
_WORD = lazy_pattern(r"\S+")


def note_of_form(workbench: MethodContext, question: Question) -> str:
    """The note after a question on the kind of answer expected; a short answer needs none."""
    return "" if question.form == "short" else of_form(workbench, PROMPTS, "form", question)


@dataclass(frozen=True, slots=True)
class FewShot:
    """The content of prompts.

    Attributes:
        n_demos: the maximum number of demonstrations from the question's task family; fewer if they do not fit.
        num_distractors: M, the number of irrelevant passages in each demonstration.
        seed: seed for the choice and order of demonstrations and of their passages.
        max_words_shown: the number of words to which a passage is truncated in the prompt; 0 is no limit.
        has_passages: false for a reader without retrieval, whose demonstrations have no passages either.
        pinned: the position of the question's pinned passages among the others.
        instruction: the position of the instruction: once at the top of the prompt, or on the line of each question.
    """

    n_demos: int
    num_distractors: int
    seed: int
    max_words_shown: int
    has_passages: bool = True
    pinned: Literal["top", "bottom"] = "top"
    instruction: Instruction = "top"


@dataclass(slots=True)
class Packer:
    """Writes the prompts of one question.

    A paragraph of the question is never dropped to make room for a demonstration: demonstrations are dropped, the last first,
    until everything fits. If the paragraphs alone do not fit, each is truncated to the largest number of words that fits.

    Attributes:
        counts: the numbers of tokens of the texts that were counted.
        told: the last note on the packing, so that it is only recorded again when it changes.
    """

    options: FewShot
    question: Question
    workbench: MethodContext
    counts: dict[str, int] = field(default_factory=dict)
    told: tuple[int, int] = (-1, 0)

    async def prompt(self, style: Style, found: Sequence[Passage], *, max_tokens: int, begun: str = "", note: str = "") -> str:
        """The prompt that asks for an answer in a style.

        Args:
            style: `cot` asks for reasoning, `direct` for the bare answer; the demonstrations show the same.
            found: the passages that were retrieved, in order.
            max_tokens: the limit for the reply and the words that it continues.
            begun: the text after the last `A:`.
            note: a text on the question's line, after the note on the kind of answer.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as in `MethodContext.count_tokens`.
            SettingsError: for a question of a family that has no demonstrations.
        """
        passages = self._with_pinned(found)
        is_at_top = self.options.instruction == "top"
        fixed = {
            **({"instruction": self._instruction(style)} if is_at_top else {}),
            "question": self._asked(self.question.text, style),
            "form": f"{note_of_form(self.workbench, self.question)}{note}",
            "begun": begun,
        }
        room = room_for(self.workbench, max_tokens)
        room -= await self._count("\n\n".join(["Q: A:", *fixed.values()]))
        words = await self._num_words(passages, room)
        shown = self._shown(passages, words)
        room -= await self._count_all(shown)
        demonstrations = [self._demonstration(one, style) for one in self._drawn()]
        kept: list[str] = []
        for text in demonstrations:
            room -= await self._count(text)
            if room < 0:
                break
            kept.append(text)
        self._tell(len(demonstrations), len(kept), words)
        return self.workbench.fill(
            PROMPTS["prompt" if is_at_top else "prompt_instructed_by_question"],
            demonstrations="".join(f"{text}\n\n" for text in kept),
            evidence=self._evidence(shown),
            **fixed,
        )

    def _with_pinned(self, found: Sequence[Passage]) -> list[Passage]:
        pinned = self.question.pinned
        return [*pinned, *found] if self.options.pinned == "top" else [*found, *pinned]

    def _drawn(self) -> list[Demonstration]:
        family = family_of(self.question)
        return sample(self.options.n_demos, seed=self.options.seed, asked=self.question.text, family=family)

    def _instruction(self, style: Style) -> str:
        demanded = of_form(self.workbench, PROMPTS, style, self.question)
        has_passages = self.options.has_passages or self.question.pinned
        passages = self.workbench.fill(PROMPTS["with_passages"]) if has_passages else ""
        return self.workbench.fill(PROMPTS[style], passages=passages, demanded=demanded)

    def _asked(self, question: str, style: Style) -> str:
        """A question as it appears on its line."""
        return (
            question
            if self.options.instruction == "top"
            else self.workbench.fill(PROMPTS[f"question_{style}"], question=question)
        )

    def _demonstration(self, one: Demonstration, style: Style) -> str:
        key = (__name__, one, style, self.options, self.question.form, self.question.labels)
        return self.workbench.written_once(key, lambda: self._written_out(one, style))

    def _written_out(self, one: Demonstration, style: Style) -> str:
        shown = self._shown(one.passages(self.options.num_distractors, self.options.seed), self.options.max_words_shown)
        answer = one.answer
        if style == "cot" and self.question.form != "long":  # a long answer is its own reasoning
            answer = self.workbench.fill(PROMPTS["reasoned"], reasoning=one.reasoning, answer=one.answer)
        asked = f"{self._asked(one.question, style)}{note_of_form(self.workbench, self.question)}"
        lines = [*(shown if self.options.has_passages else ()), f"Q: {asked}", f"A: {answer}"]
        return "\n".join(lines)

    def _shown(self, passages: Sequence[Passage], words: int) -> list[str]:
        return [_shown(passage.text, full_heading(passage), words) for passage in passages]

    def _evidence(self, shown: Sequence[str]) -> str:
        if shown:
            return "\n".join(shown) + "\n"
        return f"{self.workbench.fill(PROMPTS['none_found'])}\n" if self.options.has_passages else ""

    async def _num_words(self, passages: Sequence[Passage], room: int) -> int:
        """How many words of each passage can be shown: as many as the options say, or fewer if they do not fit."""
        allowed = self.options.max_words_shown
        if await self._count_all(self._shown(passages, allowed)) <= room:
            return allowed
        fewest, most = _FEWEST_WORDS, max((len(passage.text.split()) for passage in passages), default=_FEWEST_WORDS)
        most = min(most, allowed or most)
        while fewest < most:
            middle = (fewest + most + 1) // 2
            if await self._count_all(self._shown(passages, middle)) <= room:
                fewest = middle
            else:
                most = middle - 1
        return fewest

    async def _count_all(self, texts: Sequence[str]) -> int:
        return sum([await self._count(text) for text in texts])

    async def _count(self, text: str) -> int:
        if text not in self.counts:
            self.counts[text] = await self.workbench.count_tokens(f"{text}\n\n") if text else 0
        return self.counts[text]

    def _tell(self, num_drawn: int, num_kept: int, words: int) -> None:
        dropped, is_shortened = num_drawn - num_kept, words != self.options.max_words_shown
        if (dropped or is_shortened) and (num_kept, words) != self.told:
            self.told = (num_kept, words)
            shortened = f", {words} words of each passage" if is_shortened else ""
            self.workbench.decide("packed", f"{num_kept} of {num_drawn} demonstrations fit{shortened}", words=words)


@remembered
def _shown(text: str, title: str, words: int) -> str:
    return fence(cut_words(text, words), title)


def cut_words(text: str, words: int) -> str:
    """The first `words` words of a text; the entire text if `words` is 0.

    >>> cut_words("one  two three", 2)
    'one  two'
    """
    if not words:
        return text
    for number, match in enumerate(_WORD.finditer(text), start=1):
        if number == words:
            return text[: match.end()]
    return text
