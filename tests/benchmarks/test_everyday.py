"""The everyday grounds: well-formed, and judged as well as they were."""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import everyday
from _rules import Judged

from hopweave.core.types import Passage

GROUNDS = sorted(path for path in everyday.FOLDER.iterdir() if path.is_dir())


def questions(ground):
    return [json.loads(line) for line in (ground / "questions.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("ground", GROUNDS, ids=lambda path: path.name)
def test_each_question_has_its_file_and_wrong_answers_that_are_not_the_right_one(ground):
    for asked in questions(ground):
        assert set(asked) == {"id", "language", "question", "answer", "wrong", "file"}
        assert (ground / asked["file"]).is_file()
        assert asked["wrong"]
        assert asked["answer"] not in asked["wrong"]


def test_no_two_questions_have_the_same_id():
    ids = Counter(asked["id"] for ground in GROUNDS for asked in questions(ground))
    assert [name for name, number in ids.items() if number > 1] == []


@pytest.mark.slow
def test_wrong_answers_to_choose_by_have_few_ticks_and_right_ones_keep_theirs():
    found = defaultdict(everyday.Counts)
    for ground in GROUNDS:
        everyday.count(ground, SimpleNamespace(half="choose", passages=5, list=False), found, Judged())
    of_all = everyday.together(list(found.values()))
    assert sum(of_all.right) >= 0.38 * len(of_all.right)
    assert sum(of_all.wrong) <= 0.07 * len(of_all.wrong)


def test_what_a_rule_withholds_is_counted_with_what_would_have_a_tick_without_it():
    judged = Judged(by_rule=True)
    row = Passage("row", "Release date: 28 Sep 2013; Version: tarn 3.1.0; Date of commit: 31 Aug 2008.", "Tarn")
    assert judged.has_tick("When was tarn 3.1.0 released?", "28 Sep 2013", [row], is_right=True)
    assert not judged.has_tick("When was tarn 3.1.0 released?", "31 Aug 2008", [row], is_right=False)
    [line] = judged.table().rows
    assert [cell.text for cell in line.cells] == ["it is in another column", "0", "0", "1", "1"]
