import pytest
from support.dataset_files import json_lines
from support.docstring_files import shown_files

from hopweave.core.errors import DataError
from hopweave.core.types import Example, Gold, GoldStep, Passage, Question
from hopweave.evaluation.datasets.jsonl import JSONLines
from hopweave.ingest.lookup import content_id

OWN_ID = content_id("", "Ines Halloran designed the Carrow Head Light.")


def test_a_line_with_everything_and_a_line_with_the_least(tmp_path):
    (shown,) = shown_files("jsonl", tmp_path)
    full, least = JSONLines(shown.path).examples()
    assert full == Example(
        Question("1", "Who designed the lighthouse of Carrow?"),
        Gold(
            ("Ines Halloran", "Halloran"),
            ("carrow", OWN_ID),
            steps=(GoldStep("Which one is it?", "Carrow Head Light", "carrow"),),
        ),
        {"type": "bridge", "hops": 2},
    )
    assert least.question == Question(least.question.id, "Is the light lit?", "label", ("Yes", "No"))
    assert least.gold == Gold(("Yes",))
    assert [passage.id for passage in JSONLines(shown.path).passages()] == ["carrow", OWN_ID]


def test_pinned_passages_facts_family_and_further_traits_are_kept(tmp_path):
    line = {
        "question": "Who?", "answer": "Tam", "family": "slot_filling", "facts": ["Tam did"], "level": "hard",
        "pinned": [{"id": "p", "title": "T", "text": "x"}], "traits": {"topic": "sea", "year": 1931},
    }  # fmt: skip
    (example,) = JSONLines(json_lines(tmp_path / "a.jsonl", line)).examples()
    assert example.question.pinned == (Passage("p", "x", "T"),)
    assert (example.question.family, example.gold.facts) == ("slot_filling", ("Tam did",))
    assert example.traits == {"level": "hard", "topic": "sea", "year": 1931}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"anwsers": ["x"]}, "there is no field 'anwsers'; did you mean 'answers'"),
        ({"answer": ""}, "it has neither answers nor an answer; give the accepted answers"),
        ({"form": "label", "labels": ["Yes"], "answer": "No"}, r"its answer is not one of its labels \['Yes'\]"),
        ({"form": "tall"}, "form: Input should be 'short', 'label' or 'long'"),
        ({"traits": {"a": [1]}}, "traits.a"),
        ({"passages": [{"text": " "}]}, "passages.0.text: is empty"),
        ({"passages": [{"text": "x", "isgold": True}]}, "there is no field 'passages.0.isgold'; did you mean 'is_gold'"),
        ({"pinned": [{"text": "x"}, {"text": "y", "titel": "T"}]}, "there is no field 'pinned.1.titel'; did you mean 'title'"),
        ({"steps": [{"query": "x", "anser": "y"}]}, "there is no field 'steps.0.anser'; did you mean 'answer'"),
    ],
)
def test_a_line_that_cannot_be_meant_is_refused_with_the_reason(tmp_path, change, reason):
    path = json_lines(
        tmp_path / "a.jsonl", {"question": "Who?", "answer": "Tam"}, {"question": "Who?", "answer": "x", **change}
    )
    with pytest.raises(DataError, match=rf"a\.jsonl, line 2: {reason}"):
        list(JSONLines(path).examples())


def test_an_unknown_field_is_refused_where_the_passages_are_read_too(tmp_path):
    path = json_lines(tmp_path / "a.jsonl", {"question": "Who?", "answer": "Tam", "pasages": [{"text": "x"}]})
    with pytest.raises(DataError, match=r"line 1: there is no field 'pasages'; did you mean 'passages'"):
        list(JSONLines(path).passages())


def test_gold_passages_may_be_called_passage_ids(tmp_path):
    path = json_lines(tmp_path / "a.jsonl", {"question": "Who?", "answer": "Tam", "passage_ids": ["carrow", 7]})
    (example,) = JSONLines(path).examples()
    assert example.gold.passage_ids == ("carrow", "7")
