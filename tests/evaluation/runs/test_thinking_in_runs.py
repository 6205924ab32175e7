"""What models think is part of what a run counts and pays, and is named only where there is some."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.commands import ran
from support.part_files import SCRIPTED, own_folder
from support.questions import put_questions

MODEL = '''"""Thinks for 50 tokens before each reply of 10."""

from dataclasses import dataclass

from hopweave import Abilities, Reply, Usage


@dataclass
class Thinker:
    identity: str = "thinker"

    @property
    def abilities(self):
        return Abilities()

    async def reply(self, messages, sampling, on_text=None):
        return Reply("So the answer is: the Nith.", usage=Usage(20, 60, thinking_tokens=50), thoughts="Hm. " * 20)

    async def close(self):
        pass
'''
PRICES = '[[prices]]\nmodel = "*"\nprompt = 0.0\ncompletion = 1000000.0\n'


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    return own_folder(tmp_path, monkeypatch)


def ran_by(*llm: str) -> tuple[str, str]:
    """What `evaluate` and `score` print for two questions, with this model."""
    put_questions(2, "q.jsonl")
    Path("prices.toml").write_text(PRICES)
    flags = ["--dataset", "jsonl", "--path", "q.jsonl", "--methods", "direct", "--prices", "prices.toml"]
    evaluated = ran("evaluate", "--out", "run", *flags, *llm, exit_code=0)
    return evaluated.output, ran("score", "run", "--metrics", "tokens", exit_code=0).output


def test_thoughts_are_counted_paid_and_named():
    Path("thinker.py").write_text(MODEL)
    evaluated, scored = ran_by("--llm", "./thinker.py")
    assert "160 tokens (of which 100 thinking), cost 120;" in evaluated
    assert "thinking_tokens" in scored
    [line] = [
        json.loads(line) for line in Path("run/scores.jsonl").read_text().splitlines() if '"q0"' in line and '"tokens"' in line
    ]
    assert line["values"]["thinking_tokens"] == 50.0


def test_tokens_that_no_endpoint_counted_are_said_to_be_estimated():
    Path("silent.py").write_text(MODEL.replace(", usage=Usage(20, 60, thinking_tokens=50)", ""))
    evaluated, _ = ran_by("--llm", "./silent.py")
    assert re.search(r" (\d+) tokens \(of which \1 estimated\), cost ", evaluated)


def test_where_no_model_thinks_nothing_is_said_of_it():
    evaluated, scored = ran_by(*SCRIPTED)
    assert "thinking" not in evaluated
    assert "thinking" not in scored
