"""SKC: how many pieces of knowledge an answer gives together with a supporting document.

Definition. The number of fragments of the final content that the model marked with a document: the words between a mark `[k]`
and the preceding mark or the beginning of the sentence, each pair of fragment and k once, where claim k cites a passage. AMP
judges whether a mark is in the right place, so marks that hopweave took out as misplaced count here. Marks that the model
invented, and those that hopweave added, do not: an answer that hopweave composed of claims has 0. The mean is over answers.

    SKC(answer) = |{(fragment, k)}|

Source: SearChain (section 4.3, table 5), where people counted; this count is automatic. Range 0 up, higher is better. It grows
with the length of answers and the number of hops: compare it only on the same questions.

>>> from support.worked import claimed, quoted, worked
>>> from hopweave.core.types import Passage
>>> ulm = Passage("Ulm", "Ulm lies on the Danube.")
>>> text = "Einstein was born in Ulm [1], which lies on the Danube [2]."
>>> claims = [claimed("Where was Einstein born?", "Ulm", quoted(1, ulm)), claimed("Which river?", "the Danube", quoted(2, ulm))]
>>> SKC().score(*worked("the Danube", text=text, claims=claims, passages=[ulm], calls=[("Write the final content.", text)]))
{'skc': 2.0}
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.types import Column, Example
from hopweave.record import Record
from hopweave.record.written import written_marks


@dataclass(frozen=True, slots=True)
class SKC:
    """How many pieces of knowledge an answer gives together with a supporting document."""

    columns: ClassVar[Mapping[str, Column]] = {"skc": Column("fragments that the model marked with a document", high=math.inf)}
    counts_failures: ClassVar[bool] = False

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        if record.answer is None:
            return {}
        cited = {citation.mark for citation in record.answer.citations}
        marks = [mark for mark in written_marks(record) if mark.fragment and mark.number in cited]
        return {"skc": float(sum(mark.fate != "invented" for mark in marks))}
