"""Answer-support recall: whether the retrieved paragraphs contain the right answer at all.

Definition. The share of the right answers that occur in some retrieved paragraph, in lower case or normalised; the first 15
paragraphs count. `answer_found` is 1 if any of them does; use it if the right answers are aliases of one another.

    recall = |{g in G : some paragraph holds g}| / |G|

Source: IRCoT's evaluation code (`answer_support_recall`). Range 0 to 1, higher is better. A yes, a no or a label is in a
paragraph only by chance, so they are left out of G; with nothing left, or without a search, there is no data. A gold of at most
3 characters must occur as whole words (`boundary = "raw"`: anywhere, as in IRCoT's code).

>>> from support.worked import worked
>>> from hopweave.core.types import Passage
>>> found = [Passage("Ulm", "Ulm lies on the Danube.")]
>>> AnswerSupportRecall().score(*worked("Ulm", ["the Danube", "Donau"], passages=found))
{'answer_support_recall': 0.5, 'answer_found': 1.0}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from hopweave.core.options import Bounded, Count
from hopweave.core.types import Column, Example
from hopweave.evaluation.metrics._covering import Boundary, covers
from hopweave.evaluation.metrics._retrieved import WithoutSearch, retrieved_ids, retrieved_passages
from hopweave.record import Record
from hopweave.text.matching import is_yes_or_no, normalize_answer

_SHORT = 3


@dataclass(frozen=True, slots=True)
class AnswerSupportRecall(Bounded):
    """Whether the retrieved paragraphs contain the right answer at all."""

    columns: ClassVar[Mapping[str, Column]] = {
        "answer_support_recall": Column("share of the right answers that are in a retrieved paragraph"),
        "answer_found": Column("some right answer is in a retrieved paragraph"),
    }
    counts_failures: ClassVar[bool] = False

    budget: Annotated[Count, "how many retrieved paragraphs count, the earliest or best first"] = 15
    boundary: Annotated[Boundary, "auto: golds of at most 3 characters as whole words; raw: plain substring"] = "auto"
    without_search: Annotated[WithoutSearch, "what a record that never searched is worth"] = "no_data"

    def applies_to(self, example: Example) -> bool:
        return bool(self._golds(example))

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        ids = retrieved_ids(record, self.without_search)
        golds = self._golds(example)
        if ids is None or not golds:
            return {}
        texts = [f"{passage.title}\n{passage.text}" for passage in retrieved_passages(record, ids[: self.budget])]
        held = [any(self._holds(text, gold) for text in texts) for gold in golds]
        return {"answer_support_recall": sum(held) / len(held), "answer_found": float(any(held))}

    @staticmethod
    def _golds(example: Example) -> list[str]:
        """The right answers that can occur in a paragraph other than by chance."""
        answers = () if example.question.form == "label" else example.gold.answers
        return [gold for gold in answers if normalize_answer(gold) and not is_yes_or_no(gold)]

    def _holds(self, text: str, gold: str) -> bool:
        is_short = len(normalize_answer(gold)) <= _SHORT and self.boundary == "auto"
        return covers(text, gold, self.boundary) or (not is_short and gold.lower() in text.lower())
