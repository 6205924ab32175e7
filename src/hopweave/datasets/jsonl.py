"""Your own questions, as JSON lines.

There is no address and no licence but your own. A line needs `question` and `answers` (or `answer`, a single text). All else
may be left out: `id`, `form` (`short`, `label` or `long`), `labels`, `family` (of demonstrations), `dataset` (the benchmark it
is of, such as `hotpotqa`: that decides how many demonstrations are shown), `type`, `level` and `hops` to group by, `traits` (an
object with more of them), `gold_passages` (ids), `facts` (words that a relevant passage holds), `steps` (each a `query`, its
`answer` and the id of a `passage`), `pinned` and `passages` (each a `text`, with a `title` and an `id` if you like). A passage
without an id gets the one that `hopweave index` would give it, and is gold if it says `"is_gold": true`. Another field is an
error: it may be one of these, mistyped.

Two lines of `questions.jsonl`:

    {"id": "1", "question": "Who designed the lighthouse of Carrow?", "answers": ["Ines Halloran", "Halloran"], "hops": 2,
     "type": "bridge", "gold_passages": ["carrow"], "steps": [{"query": "Which one is it?", "answer": "Carrow Head Light",
     "passage": "carrow"}], "passages": [{"id": "carrow", "title": "Carrow", "text": "Its light is the Carrow Head Light."},
     {"text": "Ines Halloran designed the Carrow Head Light.", "is_gold": true}]}
    {"question": "Is the light lit?", "answer": "Yes", "form": "label", "labels": ["Yes", "No"]}
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.datasets._own_questions import OwnQuestions


@dataclass(frozen=True, slots=True)
class JSONLines(OwnQuestions):
    """Your own questions, one JSON object a line (a JSON list of objects is read too)."""
