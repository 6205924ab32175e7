"""The method that `docs/add_a_method.md` shows for the package works as it is written there."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hopweave

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "add_a_method.md").read_text(encoding="utf-8")
IN_PACKAGE = TEXT[TEXT.index("## As a file of the package") :]
CODE, *_ = re.findall(r"```python\n(.*?)```", IN_PACKAGE, re.DOTALL)
WORDING, *_ = re.findall(r"```toml\n(.*?)```", IN_PACKAGE, re.DOTALL)
RULES = """
[[rules]]
find = "could answer"
say = "The light was designed by Ines Halloran."

[[rules]]
find = "from the passages above"
say = "Ines Halloran"
"""
CORPUS = '{"id": "light", "title": "Carrow Head", "text": "The light of Carrow Head was designed by Ines Halloran."}\n'


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package to which the two files were added."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(Path(hopweave.__file__).parent, folder / "hopweave")
    for place, text in zip(re.findall(r"`src/(\S+)`:$", IN_PACKAGE, re.MULTILINE), (CODE, WORDING), strict=True):
        (folder / place).write_text(text, encoding="utf-8")
    (folder / "rules.toml").write_text(RULES, encoding="utf-8")
    (folder / "corpus.jsonl").write_text(CORPUS, encoding="utf-8")

    return folder


class Runner:
    """Runs commands of the copy."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, *words):
        return self.python("-c", "from hopweave.apps.cli import main; main()", *words)

    def python(self, *words):
        environment = {"PYTHONPATH": str(self.folder), "HOME": str(self.folder), "PATH": "", "COLUMNS": "200"}
        done = subprocess.run(
            [sys.executable, *words], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def run(copy):
    return Runner(copy)


def test_the_class_is_30_lines_or_fewer():
    lines = CODE[CODE.index("@dataclass") :].splitlines()
    assert len([line for line in lines if line.strip()]) <= 30


def test_it_is_listed_with_its_first_line(run):
    listed = run("list", "methods")
    assert re.search(r"draft_and_search\s+Draft and search: the model drafts an answer", listed)


def test_it_answers_and_cites(run):
    run("index", "corpus.jsonl", "--to", "index")
    said = run(
        "ask", "Who designed the light of Carrow Head?", "--method", "draft_and_search", "--corpus", "index",
        "--llm", "scripted", "--set", "llms.scripted.rules_file=rules.toml", "--set", "methods.draft_and_search.num_passages=1",
    )  # fmt: skip
    assert "Ines Halloran" in said
    assert "[1]" in said
    assert "Carrow Head" in said


@pytest.mark.slow
def test_the_contracts_hold_for_it(run, copy):
    for name in ("support", "contracts"):
        shutil.copytree(ROOT / "tests" / name, copy / "tests" / name, dirs_exist_ok=True)
    shutil.copy(ROOT / "tests" / "conftest.py", copy / "tests")
    shutil.copy(ROOT / "pyproject.toml", copy)
    done = run.python("-m", "pytest", "-p", "no:cacheprovider", "-m", "not slow", "tests/contracts", "-k", "draft_and_search")
    num_passed = int(re.search(r"(\d+) passed", done)[1])
    assert num_passed >= 25
