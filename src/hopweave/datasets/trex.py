"""T-REx: slot filling over Wikidata facts (KILT).

Address: https://github.com/facebookresearch/KILT (Elsahar et al. 2018, LREC; KILT: arXiv 2009.02252). Licence: MIT; T-REx
itself: CC BY-SA 4.0. On the hub: `facebook/kilt_tasks`, configuration `trex`.

The question is a subject and a relation with `[SEP]` between them. Gold passages are pages of KILT's knowledge source.

One row of `trex-dev-kilt.jsonl`:

    {"id": "t1", "input": "Carrow Head Light [SEP] located in the administrative territorial entity",
     "meta": {"sub_surface": ["Carrow Head Light"], "subj_aliases": [], "obj_surface": ["Carrow"]},
     "output": [{"answer": "Carrow", "provenance": [{"wikipedia_id": "900001", "title": "Carrow Head Light",
       "section": "Section::::Abstract.", "start_paragraph_id": 1, "end_paragraph_id": 1, "meta": {}}]},
      {"answer": "Carrow Town"}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from hopweave.datasets._hub import HubAddress
from hopweave.datasets._kilt import KiltRow, KiltSource, relation_of
from hopweave.datasets._rows import Row
from hopweave.datasets._source import examples_of
from hopweave.types import Example

__all__ = ["TREx"]


@dataclass(frozen=True, slots=True)
class TREx(KiltSource):
    """T-REx as a task of KILT; `type` is the relation."""

    HUB: ClassVar = HubAddress("facebook/kilt_tasks", "trex")

    def examples(self) -> Iterator[Example]:
        yield from examples_of(self.rows(KiltRow), self._examples)

    def _examples(self, row: Row[KiltRow]) -> Iterator[Example]:
        example = self.kilt_example(row, row.values, family="slot_filling", dataset="trex")
        yield replace(example, traits=relation_of(row.values.input))
