"""FEVER: claims to support or refute with Wikipedia, original and KILT layout.

Address: https://fever.ai (Thorne et al. 2018, arXiv 1803.05355). Licence: CC BY-SA 3.0 for text from Wikipedia, including
the claims. On the hub: `facebook/kilt_tasks`, configuration `fever`.

The claim is the question and its label the answer. With two labels (KILT, SearChain), claims that the original file marks NOT
ENOUGH INFO are left out; with three they are included. In the original layout, gold passages are pages identified by title, as
the `id` in the authors' dump of Wikipedia (`wiki-pages`); in KILT's layout they are pages of its knowledge source.

One row of `shared_task_dev.jsonl`:

    {"id": 1, "verifiable": "VERIFIABLE", "label": "REFUTES", "claim": "The Carrow Head Light was designed by a sailor.",
     "evidence": [[[11, 21, "Carrow_Head_Light", 0], [11, 22, "Ines_Halloran", 2]], [[12, 23, "Ines_Halloran", 0]]]}

or, of KILT, `fever-dev-kilt.jsonl`:

    {"id": "1", "input": "The Carrow Head Light was designed by a sailor.",
     "output": [{"answer": "REFUTES", "provenance": [{"wikipedia_id": "900001", "title": "Carrow Head Light",
       "start_paragraph_id": 1, "end_paragraph_id": 1}]}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

from hopweave.core.types import Example, Gold, Question
from hopweave.evaluation.datasets._hub import HubAddress
from hopweave.evaluation.datasets._kilt import KiltRow, KiltSource
from hopweave.evaluation.datasets._rows import Id, Layout, Row, Text
from hopweave.evaluation.datasets._source import distinct, examples_of

_TWO_WAY = ("SUPPORTS", "REFUTES")
_THREE_WAY = (*_TWO_WAY, "NOT ENOUGH INFO")


class _Original(Layout):
    marks = ("claim",)
    id: Id
    claim: Text
    label: Literal["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
    evidence: tuple[tuple[tuple[Any, Any, str | None, int | None], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class FEVER(KiltSource):
    """FEVER; `label` is the trait for grouping."""

    HUB: ClassVar = HubAddress("facebook/kilt_tasks", "fever")

    labels: Annotated[Literal["two_way", "three_way"], "leave out NOT ENOUGH INFO, or include it (original layout)"] = "two_way"

    def examples(self) -> Iterator[Example]:
        yield from examples_of(self.rows(_Original, KiltRow), self._examples)

    def _examples(self, row: Row[Layout]) -> Iterator[Example]:
        allowed = _TWO_WAY if self.labels == "two_way" else _THREE_WAY
        match row.values:
            case KiltRow() as values:
                example = self.kilt_example(row, values, form="label", labels=allowed, dataset="fever")
                yield replace(example, traits={"label": example.gold.answers[0]})
            case _Original() as values if values.label in allowed:
                pages = distinct(title or "" for annotation in values.evidence for _, _, title, _ in annotation)
                question = Question(values.id, values.claim, "label", allowed, dataset="fever")
                yield Example(question, Gold((values.label,), pages), {"label": values.label})
