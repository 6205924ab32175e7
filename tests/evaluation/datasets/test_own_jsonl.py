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
    ],
)
def test_a_line_that_cannot_be_meant_is_refused_with_the_reason(tmp_path, change, reason):
    path = json_lines(
        tmp_path / "a.jsonl", {"question": "Who?", "answer": "Tam"}, {"question": "Who?", "answer": "x", **change}
    )
    with pytest.raises(DataError, match=rf"a\.jsonl, line 2: {reason}"):
        list(JSONLines(path).examples())
