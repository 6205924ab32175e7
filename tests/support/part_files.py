"""A method, a dataset and a metric in files of one's own, and the folder in which they are used."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import Result
from support.commands import ran
from support.questions import RULES

from hopweave.core import part_files

METHOD = '''"""Picky: answers with one word."""

from dataclasses import dataclass

from hopweave.core.types import Answer


@dataclass(frozen=True)
class Picky:
    theta: float = 0.5

    async def answer(self, question, workbench):
        return Answer(f"theta is {self.theta}", f"theta is {self.theta}")
'''
EVIL = f'from pathlib import Path\nPath("was-imported").touch()\n{METHOD}'
DATASET = '''"""Two questions."""
from dataclasses import dataclass

from hopweave.core.types import Example, Gold, Question

@dataclass(frozen=True)
class Two:
    word: str = "Nith"

    def examples(self):
        for number in range(2):
            yield Example(Question(f"q{number}", f"Which river, {number}?"), Gold((self.word,)))
'''
METRIC = '''"""How long answers are."""
from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.types import Column

@dataclass(frozen=True)
class Length:
    """Characters of the answer."""

    factor: float = 1.0
    columns: ClassVar = {"length": Column("lower")}
    counts_failures: ClassVar = False

    def score(self, record, example):
        return {"length": self.factor * len(record.answer.short)}
'''
SCRIPTED = ("--llm", "scripted", "--set", "llms.scripted.rules_file=rules.toml")


def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with the method in it, a configuration of its own, and no file that was named before."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("mine.py").write_text(METHOD)
    Path("rules.toml").write_text(RULES)
    monkeypatch.setattr(part_files, "_allowed", set())
    return tmp_path / "here"


def hopweave_says(*arguments: object, exit_code: int = 0) -> Result:
    """A command that ends with that exit status."""
    return ran(*arguments, exit_code=exit_code)
