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

from dataclasses import dataclass
from typing import ClassVar

from hopweave.evaluation.datasets._hub import HubAddress
from hopweave.evaluation.datasets._kilt import SlotFilling


@dataclass(frozen=True, slots=True)
class TREx(SlotFilling):
    """T-REx as a task of KILT; `type` is the relation."""

    HUB: ClassVar = HubAddress("facebook/kilt_tasks", "trex")
    DATASET: ClassVar = "trex"
