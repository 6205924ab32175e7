"""The questions of the starter corpus: forty of two to four hops, to try an evaluation without any data.

They come with hopweave, so there is no address to download them from; licence: Apache-2.0. The corpus that answers them is the
default corpus (`corpus = "starter"`). Forty questions are enough to see that everything works, and far too few to distinguish
methods; hopweave's prompts were tried on some of them, which biases results upwards.

The layout is that of `jsonl`; a row of `questions.jsonl`:

    {"id": "starter-01", "question": "Which park opened in 1843 in the city after which the element hafnium is named?",
     "answers": ["Tivoli Gardens", "Tivoli"], "type": "bridge", "hops": 2, "gold_passages": ["hafnium", "copenhagen"],
     "steps": [{"query": "After which city is hafnium named?", "answer": "Copenhagen", "passage": "hafnium"},
     {"query": "Which park opened in Copenhagen in 1843?", "answer": "Tivoli Gardens", "passage": "copenhagen"}],
     "passages": [{"id": "hafnium", "text": "Hafnium is named after Copenhagen."},
     {"id": "copenhagen", "text": "Tivoli Gardens opened in Copenhagen in 1843."}]}
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from hopweave.evaluation.datasets._own_questions import OwnQuestions


@dataclass(frozen=True, slots=True)
class Starter(OwnQuestions):
    """The questions of the starter corpus, or others in the same layout."""

    path: Annotated[Path, "the questions, in the layout of jsonl"] = Path(__file__).parents[2] / "starter" / "questions.jsonl"
