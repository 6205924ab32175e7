"""Your own questions, as JSON lines.

Its address and licence are your own. A line needs `question` and `answers` (or `answer`, a single text). Everything else is
optional: `id`, `form` (`short`, `label` or `long`), `labels`, `family` (of demonstrations), `dataset` (the benchmark that it
comes from, such as `hotpotqa`, which determines how many demonstrations are shown), `type`, `level` and `hops` for grouping,
`traits` (an object with more of them), `gold_passages` or `passage_ids` (ids), `facts` (text that a relevant passage contains),
`steps` (each a `query`, its `answer` and the id of a `passage`), `pinned` and `passages` (each a `text`, optionally with a
`title` and an `id`). A passage without an id gets the one that `hopweave index` would give it, and is gold if it has
`"is_gold": true`. Any other field is an error, within steps and passages as well, since it may be a typo.

Two lines of `questions.jsonl`:

    {"id": "1", "question": "Who designed the lighthouse of Carrow?", "answers": ["Ines Halloran", "Halloran"], "hops": 2,
     "type": "bridge", "gold_passages": ["carrow"], "steps": [{"query": "Which one is it?", "answer": "Carrow Head Light",
     "passage": "carrow"}], "passages": [{"id": "carrow", "title": "Carrow", "text": "Its light is the Carrow Head Light."},
     {"text": "Ines Halloran designed the Carrow Head Light.", "is_gold": true}]}
    {"question": "Is the light lit?", "answer": "Yes", "form": "label", "labels": ["Yes", "No"]}
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.evaluation.datasets._own_questions import OwnQuestions


@dataclass(frozen=True, slots=True)
class JSONLines(OwnQuestions):
    """Your own questions, one JSON object per line (a JSON list of objects also works)."""
