"""Zero-shot RE: slot filling with relations unseen in training (KILT).

Address: https://github.com/facebookresearch/KILT (Levy et al. 2017, arXiv 1706.04115; KILT: arXiv 2009.02252). Licence: MIT. On
the hub: `facebook/kilt_tasks`, configuration `structured_zeroshot`.

The question is a subject and a relation with `[SEP]` between them. Gold passages are pages of KILT's knowledge source.

One row of `structured_zeroshot-dev-kilt.jsonl`:

    {"id": "z1", "input": "Carrow Head Light [SEP] architect",
     "meta": {"template_questions": ["Who was the architect of Carrow Head Light?"]},
     "output": [{"answer": "Ines Halloran", "provenance": [{"wikipedia_id": "900001", "title": "Carrow Head Light",
       "section": "Section::::Abstract.", "start_paragraph_id": 1, "end_paragraph_id": 1, "start_character": 0,
       "end_character": 40, "bleu_score": 1.0, "meta": {}}]},
      {"answer": "Halloran"}]}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hopweave.evaluation.datasets._hub import HubAddress
from hopweave.evaluation.datasets._kilt import SlotFilling


@dataclass(frozen=True, slots=True)
class ZsRE(SlotFilling):
    """Zero-shot RE as a task of KILT; `type` is the relation."""

    HUB: ClassVar = HubAddress("facebook/kilt_tasks", "structured_zeroshot")
    DATASET: ClassVar = "zsre"
