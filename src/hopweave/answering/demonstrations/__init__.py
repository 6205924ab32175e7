"""Worked questions to show a model: one annotated source from which every method builds its own examples.

A task family is a file of JSON lines next to this module. A demonstration has a question, its answer, the steps that lead to it
(each with a query, its answer, a sentence that states it and the passage that supports it), a concluding sentence if the answer
does not follow from the last step alone, and irrelevant passages. We wrote all of it ourselves, about true facts.

Questions look as in the benchmarks of their family: `slot_filling` as KILT writes zsRE and T-REx, `subject [SEP] relation`;
`fact_checking` as a bare claim of FEVER, with the labels SUPPORTS and REFUTES; `yes_no` with Yes and No. Lines are ordered so
that labels alternate with seed 0. The explanation of `long_form` consists of the sentences of its steps and its conclusion.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from hopweave.core.errors import SettingsError, suggest
from hopweave.core.files import is_file_name
from hopweave.core.memoize import remembered
from hopweave.core.types import Passage, Question

MULTI_HOP = "multi_hop"
YES_NO = "yes_no"
FACT_CHECKING = "fact_checking"
LONG_FORM = "long_form"

_FACT_CHECKING_LABELS = frozenset({"supports", "refutes", "supported", "refuted"})


@dataclass(frozen=True, slots=True)
class DemonstrationStep:
    """A hop: the query, its answer in a few words, the sentence of the reasoning that states it, and its source passage."""

    query: str
    answer: str
    sentence: str
    passage: Passage


@dataclass(frozen=True, slots=True, eq=False)
class Demonstration:
    """A worked question. There is one object per question, so that lookups do not compare all of its text.

    Attributes:
        id: within its family.
        type: the kind of question, such as `bridge`, `comparison` or `composition`.
        question: the question.
        answer: a few words; a label; or, for long answers, the entire explanation.
        steps: the hops, in order.
        conclusion: the sentence that derives the answer from the steps; empty if the last step states it.
        distractors: passages that look related but do not help.
    """

    id: str
    type: str
    question: str
    answer: str
    steps: tuple[DemonstrationStep, ...]
    conclusion: str
    distractors: tuple[Passage, ...]

    @property
    def reasoning(self) -> str:
        """The sentences of the steps and the conclusion, without the sentence that gives the answer."""
        return " ".join([*(step.sentence for step in self.steps), *([self.conclusion] if self.conclusion else [])])

    @property
    def sub_questions(self) -> tuple[str, ...]:
        """The queries in a form that can be asked before any is answered: earlier answers are referred to by number.

        >>> demonstrations()[2].sub_questions
        ('Who painted Girl with a Pearl Earring?', 'In which year did the answer to 1 die?')
        """
        return _sub_questions(self, "the")

    @property
    def plan(self) -> tuple[str, ...]:
        """`sub_questions`, except that an indefinite article before a referenced answer is replaced, too."""
        return _sub_questions(self, "an?|the")

    def passages(self, num_distractors: int = 0, seed: int = 0) -> list[Passage]:
        """The passages of the steps, each once, and some distractors, shuffled.

        Args:
            num_distractors: how many (M in IRCoT); all, if there are fewer.
            seed: for the choice and the order, which differ between demonstrations.
        """
        return list(_passages(self, num_distractors, seed))


def demonstrations(family: str = MULTI_HOP) -> tuple[Demonstration, ...]:
    """All demonstrations of a family, in their fixed order.

    Raises:
        SettingsError: if there is no such family.
    """
    folder = Path(__file__).parent
    path = folder / f"{family}.jsonl"
    if not is_file_name(family) or not path.is_file():
        known = [other.stem for other in folder.glob("*.jsonl")]
        raise SettingsError(f"there are no demonstrations {family!r}; {suggest(family, known)}")
    return _read(path)


def sample(num: int, *, seed: int = 0, asked: str = "", family: str = MULTI_HOP) -> list[Demonstration]:
    """Samples demonstrations; if there are no more than `num`, all of them in random order.

    Args:
        num: how many.
        seed: equal seeds give equal samples; a larger sample starts with the smaller one.
        asked: the question to be answered. A demonstration of that question is left out without changing the others.
        family: the file.

    Raises:
        SettingsError: if there is no such family.
    """
    return list(_sampled(asked, num, seed, family))


@remembered
def _sampled(asked: str, num: int, seed: int, family: str) -> tuple[Demonstration, ...]:
    words = _words(asked)
    return tuple([one for one in _in_drawn_order(demonstrations(family), seed) if _words(one.question) != words][:num])


def family_of(question: Question) -> str:
    """The task family of a question: the one that it names, else inferred from its form and labels.

    >>> family_of(Question("1", "Is it so?", "label", ("Yes", "No"))), family_of(Question("2", "Who was it?"))
    ('yes_no', 'multi_hop')
    """
    if question.family:
        return question.family
    if question.form == "label":
        is_claim = any(label.lower() in _FACT_CHECKING_LABELS for label in question.labels)
        return FACT_CHECKING if is_claim else YES_NO
    return LONG_FORM if question.form == "long" else MULTI_HOP


def published_count(method: str, family: str, dataset: str = "") -> int:
    """The number of demonstrations for a method in SearChain's tables (arXiv 2304.14732, table 11).

    Args:
        method: its name.
        family: the task family. `demo_counts.json` says which dataset represents it; an unknown family uses that of
            `multi_hop`.
        dataset: of the question (`Question.dataset`). If the table has it, it is used instead of the family.

    >>> published_count("dsp", "multi_hop"), published_count("dsp", "multi_hop", "hotpotqa")
    (8, 16)

    Raises:
        SettingsError: for a method that is not in the table.
    """
    table = _counts()
    if method not in table["counts"]:
        raise SettingsError(f"no number of demonstrations is published for {method!r}; set n_demos")
    counts: dict[str, int] = table["counts"][method]
    return counts.get(dataset, counts[table["families"].get(family, table["families"][MULTI_HOP])])


@lru_cache(64)
def _in_drawn_order(those: tuple[Demonstration, ...], seed: int) -> tuple[Demonstration, ...]:
    drawn = list(those)
    random.Random(seed).shuffle(drawn)  # noqa: S311
    return tuple(drawn)


@cache
def _sub_questions(one: Demonstration, articles: str) -> tuple[str, ...]:
    numbers = {step.answer.casefold(): number for number, step in reversed(list(enumerate(one.steps, start=1)))}
    asked = [one.steps[0].query]
    for count, step in enumerate(one.steps[1:], start=1):
        earlier = sorted((before.answer for before in one.steps[:count]), key=len, reverse=True)
        pattern = rf"(?<!\w)(?:(?:{articles}) )?({'|'.join(map(re.escape, earlier))})(?!\w)"
        asked.append(
            re.sub(pattern, lambda found: f"the answer to {numbers[found[1].casefold()]}", step.query, flags=re.IGNORECASE)
        )
    return tuple(asked)


@lru_cache(512)
def _passages(one: Demonstration, num_distractors: int, seed: int) -> tuple[Passage, ...]:
    rng = random.Random(f"{seed} {one.id}")  # noqa: S311 - for reproducibility, not secrecy
    shown = list({step.passage.id: step.passage for step in one.steps}.values())
    shown += rng.sample(one.distractors, min(num_distractors, len(one.distractors)))
    rng.shuffle(shown)
    return tuple(shown)


@cache
def _counts() -> dict[str, Any]:
    counts: dict[str, Any] = json.loads((Path(__file__).parent / "demo_counts.json").read_text(encoding="utf-8"))
    return counts


@cache
def _read(path: Path) -> tuple[Demonstration, ...]:
    return tuple(_demonstration(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())


def _demonstration(item: dict[str, Any]) -> Demonstration:
    steps = (DemonstrationStep(**{**step, "passage": _passage(step["passage"])}) for step in item["steps"])
    return Demonstration(**{**item, "steps": tuple(steps), "distractors": tuple(map(_passage, item["distractors"]))})


def _passage(item: dict[str, str]) -> Passage:
    return Passage(f"demonstration:{item['title']}", item["text"], item["title"])


@remembered
def _words(question: str) -> tuple[str, ...]:
    return tuple("".join(char if char.isalnum() else " " for char in question.casefold()).split())
