"""The method that `docs/add_a_method.md` shows for the package works as it is written there."""

import re
from pathlib import Path

import pytest
from support.package_copy import PackageCopy

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
    (folder / "rules.toml").write_text(RULES, encoding="utf-8")
    (folder / "corpus.jsonl").write_text(CORPUS, encoding="utf-8")
    places = re.findall(r"`src/(\S+)`:$", IN_PACKAGE, re.MULTILINE)
    return PackageCopy(folder, dict(zip(places, (CODE, WORDING), strict=True)))


def test_the_class_is_30_lines_or_fewer():
    lines = CODE[CODE.index("@dataclass") :].splitlines()
    assert len([line for line in lines if line.strip()]) <= 30


def test_it_is_listed_with_its_first_line(copy):
    listed = copy.command("list", "methods")
    assert re.search(r"draft_and_search\s+Draft and search: the model drafts an answer", listed)


def test_it_answers_and_cites(copy):
    copy.command("index", "corpus.jsonl", "--to", "index")
    said = copy.command(
        "ask", "Who designed the light of Carrow Head?", "--method", "draft_and_search", "--corpus", "index",
        "--llm", "scripted", "--set", "llms.scripted.rules_file=rules.toml", "--set", "methods.draft_and_search.num_passages=1",
    )  # fmt: skip
    assert "Ines Halloran" in said
    assert "[1]" in said
    assert "Carrow Head" in said
