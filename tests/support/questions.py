"""Questions about towns, and a model that answers them by rule, as files of the working directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RULES = '[[rules]]\nmatch = "(?s)."\nsay = "So the answer is: the Nith."\n'
"""The model that says one thing."""
RULES_WITH_A_FAILURE = f'[[rules]]\nfind = "town 3"\nerror = "the model cannot bear town 3"\n\n{RULES}'
"""It fails on one question."""


def put_questions(num: int, name: str = "questions.jsonl", **more: Any) -> None:
    """Writes `num` questions with the ids `q0`, `q1` and so on; `more` are further fields of each."""
    rows = [
        {"id": f"q{n}", "question": f"Which river runs through town {n}?", "answer": "the Nith", **more} for n in range(num)
    ]
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def put_model(rules: str = RULES) -> None:
    """Makes the scripted model the one of the settings, with these rules."""
    Path("rules.toml").write_text(rules)
    Path("hopweave.toml").write_text('llm = "scripted"\n[llms.scripted]\nrules_file = "rules.toml"\n')
