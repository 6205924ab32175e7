"""Label accuracy: whether the label is right, for yes-or-no questions and for claims that are supported or refuted.

Definition. The answer's label is the first one after the final marker, as whole words and case-insensitively (true and false
count as yes and no, or as supported and refuted); without a marker, the last line with a label decides. A right label
scores 1, another label or none 0; a question with several gold answers has several right labels. Accuracy is the mean. Source:
StrategyQA and FEVER as SearChain scores them (section 4.1), by equality of labels instead of containment. Range 0 to 1, higher
is better; `unmapped` is the share of answers without a label, which are wrong by this definition: check it before trusting a
low accuracy. Without labels or gold there is no data.

For a whole cell: `majority_baseline`, the accuracy of always answering the most frequent gold label, which is the first one of
each question.

>>> from support.worked import worked
>>> asked = {"form": "label", "labels": ["Yes", "No"]}
>>> LabelAccuracy().score(*worked("yes, it did", ["Yes"], **asked))
{'label_accuracy': 1.0, 'unmapped': 0.0, 'gold_label': 0.0}
>>> LabelAccuracy().score(*worked("who knows", ["No"], **asked))
{'label_accuracy': 0.0, 'unmapped': 1.0, 'gold_label': 1.0}
>>> LabelAccuracy().score(*worked("no", ["Yes", "No"], **asked))
{'label_accuracy': 1.0, 'unmapped': 0.0, 'gold_label': 0.0}
>>> LabelAccuracy().combine([{"gold_label": 0.0}, {"gold_label": 1.0}, {"gold_label": 1.0}, {}])["majority_baseline"]
0.6666666666666666
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from hopweave.core.errors import DataError
from hopweave.core.types import Column, Example
from hopweave.record import Record
from hopweave.text.final import final_answer, map_label


@dataclass(frozen=True, slots=True)
class LabelAccuracy:
    """Whether the label is right."""

    columns: ClassVar[Mapping[str, Column]] = {
        "label_accuracy": Column("the label is right"),
        "unmapped": Column("the answer names no label", better="lower"),
        "gold_label": Column("place of the first right label among the labels, from 0", better="", high=math.inf),
    }
    combined: ClassVar[Mapping[str, Column]] = {
        "majority_baseline": Column("accuracy of always saying the commonest right label", better="")
    }
    counts_failures: ClassVar[bool] = False

    def applies_to(self, example: Example) -> bool:
        return bool(example.question.labels and example.gold.answers)

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        """See `evaluation.metric.Metric`.

        Raises:
            DataError: if no gold answer is one of the labels.
        """
        labels = example.question.labels
        if record.answer is None or not self.applies_to(example):
            return {}
        golds = [label for gold in example.gold.answers if (label := map_label(gold, labels))]
        if not golds:
            raise DataError(
                f"the gold {example.gold.answers[0]!r} of question {example.question.id!r} is none of its labels "
                f"({', '.join(labels)}); fix the dataset"
            )
        said = map_label(record.answer.short, labels)
        if not said:
            said, _ = final_answer(record.answer.text, replace(example.question, form="label"))
        return {
            "label_accuracy": float(said in golds),
            "unmapped": float(not said),
            "gold_label": float(labels.index(golds[0])),
        }

    def combine(self, values: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
        golds = Counter(value["gold_label"] for value in values if "gold_label" in value)
        return {"majority_baseline": max(golds.values()) / golds.total()} if golds else {}
