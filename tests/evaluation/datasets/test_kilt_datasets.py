"""zsRE, T-REx and ELI5, which are read in the layout of KILT."""

import pytest
from support.dataset_files import json_lines
from support.docstring_files import shown_files

from hopweave.answering.demonstrations import family_of
from hopweave.core.errors import DataError
from hopweave.core.types import Example, Gold, Question
from hopweave.evaluation.datasets.eli5 import ELI5
from hopweave.evaluation.datasets.trex import TREx
from hopweave.evaluation.datasets.zsre import ZsRE


def test_a_slot_is_asked_as_it_stands_and_knows_its_family(tmp_path):
    (zsre,) = ZsRE(shown_files("zsre", tmp_path / "z")[0].path).examples()
    (trex,) = TREx(shown_files("trex", tmp_path / "t")[0].path).examples()
    assert zsre == Example(
        Question("z1", "Carrow Head Light [SEP] architect", family="slot_filling", dataset="zsre"),
        Gold(("Ines Halloran", "Halloran"), ("900001",)),
        {"type": "architect"},
    )
    assert trex.traits == {"type": "located in the administrative territorial entity"}
    assert trex.gold.answers == ("Carrow", "Carrow Town")
    assert family_of(trex.question) == "slot_filling"


def test_an_explanation_is_long_and_every_answer_counts(tmp_path):
    (example,) = ELI5(shown_files("eli5", tmp_path)[0].path).examples()
    assert example.question.form == "long"
    assert family_of(example.question) == "long_form"
    assert len(example.gold.answers) == 2
    assert example.gold.passage_ids == ("900002",)


def test_gold_can_be_paragraphs_instead_of_pages_and_comes_once(tmp_path):
    pages = [{"wikipedia_id": "7", "start_paragraph_id": 2}, {"wikipedia_id": 7, "start_paragraph_id": 5}, {"title": "x"}]
    row = {"id": 1, "input": "A [SEP] b", "output": [{"answer": "c", "provenance": pages}, {"answer": "c"}, {"answer": None}]}
    path = json_lines(tmp_path / "a.jsonl", row)
    (by_page,), (by_paragraph,) = ZsRE(path).examples(), ZsRE(path, passage_ids="paragraph").examples()
    assert by_page.gold == Gold(("c",), ("7",))
    assert by_paragraph.gold == Gold(("c",), ("7-2", "7-5"))


def test_a_split_without_answers_is_refused(tmp_path):
    path = json_lines(tmp_path / "trex-test_without_answers-kilt.jsonl", {"id": "1", "input": "A [SEP] b", "output": []})
    with pytest.raises(DataError, match="line 1: output: it has no answer; take a split that has answers"):
        list(TREx(path).examples())
