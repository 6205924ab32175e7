"""Worked questions as ReAct's trajectories, written from the steps of the demonstrations that all methods share."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.answering.demonstrations import FACT_CHECKING, Demonstration, DemonstrationStep, family_of
from hopweave.answering.toolkit.demos import asked
from hopweave.answering.toolkit.wiki import Page, looked_up, opened, page_of
from hopweave.citations.citing import locate
from hopweave.core.prompt import Prompts
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Question
from hopweave.text.content_words import words_of

AIM = "Next to find out:"
"""The words with which our thoughts introduce the next thing to find out."""


def heading(question: Question) -> str:
    """The name for the question in prompts: a claim, if facts are checked."""
    return "Claim" if family_of(question) == FACT_CHECKING else "Question"


def trajectories(
    workbench: MethodContext, prompts: Prompts, question: Question, demos: Sequence[Demonstration], num_sentences: int
) -> list[str]:
    """The demonstrations as trajectories.

    Their passages are short, so pages open with fewer sentences than the method's own: with the largest number that leaves at
    least one answer to a lookup, if there is such a number.
    """
    key = (__name__, question.family, question.form, question.labels, prompts["example"].name, tuple(demos), num_sentences)
    return workbench.written_once(key, lambda: _trajectories(workbench, prompts, question, demos, num_sentences))


def _trajectories(
    workbench: MethodContext, prompts: Prompts, question: Question, demos: Sequence[Demonstration], num_sentences: int
) -> list[str]:
    for shown in range(num_sentences, 0, -1):
        written = [_Trajectory(workbench, prompts, shown) for _ in demos]
        texts = [one.write(question, demo) for one, demo in zip(written, demos, strict=True)]
        if any(one.num_lookups for one in written):
            return texts
    return [_Trajectory(workbench, prompts, num_sentences).write(question, demo) for demo in demos]


class _Trajectory:
    def __init__(self, workbench: MethodContext, prompts: Prompts, num_sentences: int) -> None:
        self.workbench, self.prompts, self.num_sentences = workbench, prompts, num_sentences
        self.turns: list[str] = []
        self.num_lookups = 0

    def write(self, question: Question, demo: Demonstration) -> str:
        learnt, open_id = "", ""
        for step in demo.steps:
            page, where = page_of([step.passage]), _place_of_answer(step)
            thought = self.workbench.fill(self.prompts["aim"], learnt=learnt, query=step.query).strip()
            keyword = _keyword(step, page, where) if where >= self.num_sentences else ""
            num_shown = self.num_sentences if keyword else max(self.num_sentences, where + 1)
            if step.passage.id != open_id:
                self._act(thought, f"Search[{step.passage.title}]", opened(page, num_shown).text)
                thought = self.workbench.fill(self.prompts["look"], keyword=keyword) if keyword else ""
                learnt, open_id = step.sentence, step.passage.id
            else:
                learnt = f"{learnt} {step.sentence}"
            if keyword:
                self._act(thought, f"Lookup[{keyword}]", looked_up(self.workbench, page.holding(keyword), 1).text)
                self.num_lookups += 1
                learnt = step.sentence
        learnt = f"{learnt} {demo.conclusion}".strip()
        self._act(self.workbench.fill(self.prompts["enough"], learnt=learnt).strip(), f"Finish[{demo.answer}]")
        shown = asked(self.workbench, question, demo.question)
        return self.workbench.fill(
            self.prompts["example"], heading=heading(question), question=shown, turns="\n".join(self.turns)
        )

    def _act(self, thought: str, action: str, observation: str = "") -> None:
        number = str(len(self.turns) + 1)
        turn = self.workbench.fill(self.prompts["turn"], number=number, thought=thought, action=action)
        if observation:
            turn = self.workbench.fill(self.prompts["observation"], turn=turn, number=number, observation=observation)
        self.turns.append(turn)


def _place_of_answer(step: DemonstrationStep) -> int:
    """Which sentence of its passage answers a step: the first with the answer's words, else the one most like the step's."""
    sentences = page_of([step.passage]).sentences
    said = set(words_of(step.sentence))
    for number, sentence in enumerate(sentences):
        if locate(step.answer, sentence.text) is not None:
            return number
    return max(range(len(sentences)), key=lambda number: len(said & set(words_of(sentences[number].text))))


def _keyword(step: DemonstrationStep, page: Page, where: int) -> str:
    """A word of the query or the step's sentence that occurs first on the page where the answer is; empty if there is none."""
    left_out = {*words_of(step.answer), *words_of(step.passage.title)}
    for word in [*words_of(step.query), *words_of(step.sentence)]:
        if len(word) > 2 and word not in left_out and page.holding(word)[:1] == [page.sentences[where]]:
            return word
    return ""
