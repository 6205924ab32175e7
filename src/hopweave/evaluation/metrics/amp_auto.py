"""AMP-auto: how many of an answer's marks are correctly placed, judged by word matching instead of by people.

Definition. The marks are those that the model wrote. A mark k is well placed if it was kept, its fragment (see `skc`) states
the answer a_k of the claim that k cites, and the cited passage states it too. States: contains its normalised words
consecutively, or has a ROUGE-L of at least alpha with it (F1 for the fragment; for the passage, of long answers only, the
precision of a_k, since a passage is longer than what it supports). A mark that hopweave took out is wrong, whether it was on
a sentence that does not state its claim, its claim cites nothing, or there is no such claim. One that hopweave added does not
count.

    AMP-auto(answer) = well placed marks / marks, over distinct (fragment, k)

Source: a substitute for AMP in SearChain (section 4.3, table 5), which three people judged; it is a different measure with a
different name. For AMP itself, export a sheet: `hopweave annotate`. Range 0 to 1, higher is better. An answer into which the
model wrote no marks has no data. `marks_taken_out` is how many marks of an answer that has data were taken out, each time they
occurred. `confident_citations` is a second substitute, from the authors' server: the share of citations whose reading had a
confidence above theta, the threshold that the method itself used, according to its record; no data if no reader read them, or
if the record names no threshold and none is set: on another reader's scale the share would be meaningless.

>>> from support.worked import claimed, quoted, worked
>>> from hopweave.core.types import Passage
>>> ulm = Passage("Ulm", "Ulm lies on the Danube.")
>>> claims = [claimed("Where was Einstein born?", "Ulm", quoted(1, ulm)), claimed("Which river?", "the Rhine", quoted(2, ulm))]
>>> text = "He was born in Ulm [1], on the Rhine [2]."
>>> said = worked("the Rhine", text=text, claims=claims, passages=[ulm], calls=[("Write the final content.", text)])
>>> AmpAuto().score(*said)
{'amp_auto': 0.5, 'marks_taken_out': 0.0}
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from hopweave.citations.marking import WITHHELD
from hopweave.core.errors import SettingsError
from hopweave.core.types import Column, Example
from hopweave.evaluation.metrics._readings import reading_confidences, theta_of
from hopweave.record import Record
from hopweave.record.written import written_marks
from hopweave.text.matching import is_contained, rouge_l


@dataclass(frozen=True, slots=True)
class AmpAuto:
    """How many of an answer's marks are correctly placed, judged by word matching.

    Raises:
        SettingsError: for an `alpha` that is not above 0 and at most 1.
    """

    columns: ClassVar[Mapping[str, Column]] = {
        "amp_auto": Column("share of the model's marks that are placed correctly"),
        "marks_taken_out": Column("marks of the model that were taken out of the answer", better="lower", high=math.inf),
        "confident_citations": Column("share of the citations that the reader was sure of"),
    }
    counts_failures: ClassVar[bool] = False

    alpha: Annotated[float, "ROUGE-L from which texts count as stating the same"] = 0.35
    theta: Annotated[
        float | None, "the reader was sure of a citation if its confidence is above this; none: what the record says"
    ] = None

    def __post_init__(self) -> None:
        if not 0 < self.alpha <= 1:
            raise SettingsError(f"amp_auto alpha is a ROUGE-L above 0 and at most 1, not {self.alpha}")

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        if record.answer is None:
            return {}
        values: dict[str, float] = {}
        said, texts = self._cited(record), {passage.id: passage.text for passage in record.passages}
        placed = [
            mark.fate == "kept"
            and any(
                self._says(mark.fragment, answer) and self._bears_out(texts[passage_id], answer, record.question.form)
                for answer, passage_id in said.get(mark.number, ())
            )
            for mark in written_marks(record)
        ]
        num_taken_out = record.answer.num_marks_removed + record.answer.num_marks_misplaced
        # A text composed of several replies is in none of them; marks taken out of it are counted all the same.
        if placed or (num_taken_out and record.answer.how not in WITHHELD):
            values["amp_auto"] = sum(placed) / len(placed) if placed else 0.0
            values["marks_taken_out"] = float(num_taken_out)
        theta = theta_of(record) if self.theta is None else self.theta
        confidences = [value for of_claim in reading_confidences(record) for value in of_claim]
        sure = [value > theta for value in confidences] if theta is not None else []
        if sure:
            values["confident_citations"] = sum(sure) / len(sure)
        return values

    def _cited(self, record: Record) -> dict[int, list[tuple[str, str]]]:
        """For each mark, the claimed answers and the passages that it cites."""
        found: dict[int, list[tuple[str, str]]] = {}
        for claim in record.answer.claims if record.answer is not None else ():
            for citation in claim.citations:
                found.setdefault(citation.mark, []).append((claim.text, citation.passage_id))
        return found

    def _says(self, fragment: str, answer: str) -> bool:
        return is_contained(answer, fragment) or rouge_l(fragment, answer)[2] >= self.alpha

    def _bears_out(self, passage: str, answer: str, form: str) -> bool:
        return is_contained(answer, passage) or (form == "long" and rouge_l(answer, passage)[0] >= self.alpha)
