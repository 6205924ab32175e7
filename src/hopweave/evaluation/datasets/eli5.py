"""ELI5: questions that need an explanation of several sentences (KILT).

Address: https://github.com/facebookresearch/KILT (Fan et al. 2019, arXiv 1907.09190; KILT: arXiv 2009.02252). Licence: the code
is BSD, KILT is MIT; the texts were written by users of a forum and are subject to its terms. On the hub: `facebook/kilt_tasks`,
configuration `eli5`.

Every answer of a row counts. Gold passages are pages of KILT's knowledge source, if annotators found any.

One row of `eli5-dev-kilt.jsonl`:

    {"id": "e1", "input": "Why do lighthouses flash instead of shining steadily?",
     "output": [{"answer": "Each light has a rhythm of its own. So a sailor can tell which one it is.", "meta": {"score": 7}},
      {"answer": "The lamp is steady. The lens turns around it.", "meta": {"score": 3}},
      {"provenance": [{"wikipedia_id": "900002", "title": "Lighthouse", "start_paragraph_id": 4, "end_paragraph_id": 4}]}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.types import Example
from hopweave.evaluation.datasets._hub import HubAddress
from hopweave.evaluation.datasets._kilt import KiltRow, KiltSource
from hopweave.evaluation.datasets._source import examples_of


@dataclass(frozen=True, slots=True)
class ELI5(KiltSource):
    """ELI5 as a task of KILT; the answers are long."""

    HUB: ClassVar = HubAddress("facebook/kilt_tasks", "eli5")

    def examples(self) -> Iterator[Example]:
        yield from examples_of(
            self.rows(KiltRow), lambda row: [self.kilt_example(row, row.values, form="long", dataset="eli5")]
        )
