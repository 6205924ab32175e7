import pytest
from support.dataset_files import json_lines, real
from support.docstring_files import shown_files

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.types import Gold, GoldStep, Passage, Question
from hopweave.evaluation.datasets.strategyqa import StrategyQA

LABELS = ("Yes", "No")


def test_an_original_row_has_a_label_its_steps_and_the_paragraphs_of_its_evidence(tmp_path):
    shown = shown_files("strategyqa", tmp_path)[0]
    (example,) = StrategyQA(shown.path, **shown.options).examples()
    text = "Could a visitor to the Carrow Head Light have met the one who designed it?"
    assert example.question == Question("s1", text, "label", LABELS, dataset="strategyqa")
    assert example.gold == Gold(
        ("Yes",),
        ("Carrow Head Light-1", "Ines Halloran-2"),
        steps=(
            GoldStep("When did the Carrow Head Light open?", ""),
            GoldStep("Until when did the designer live?", ""),
            GoldStep("Is #1 before #2?", ""),
        ),
    )
    assert example.traits == {"steps": 3}
    assert list(StrategyQA(shown.path, **shown.options).passages()) == [
        Passage("Carrow Head Light-1", "It opened in 1931.", "Carrow Head Light"),
        Passage("Ines Halloran-2", "She died in 1960.", "Ines Halloran"),
    ]


def test_a_row_of_big_bench_has_the_label_with_the_score_1(tmp_path):
    (example,) = StrategyQA(shown_files("strategyqa", tmp_path)[1].path).examples()
    assert example.question.text == "Could a lighthouse keeper at Carrow Head see the moon?"
    assert (example.question.form, example.question.labels, example.gold) == ("label", LABELS, Gold(("Yes",)))


def test_a_row_of_the_hub_is_the_same_question_as_that_of_big_bench(tmp_path):
    (official,) = StrategyQA(shown_files("strategyqa", tmp_path)[1].path).examples()
    row = {
        "inputs": f"Q: {official.question.text}\nA:",
        "multiple_choice_targets": ["Yes", "No"],
        "multiple_choice_scores": [1, 0],
    }
    (on_hub,) = StrategyQA(json_lines(tmp_path / "hub.jsonl", row)).examples()
    assert on_hub == official


def test_a_question_that_is_asked_twice_has_two_ids(tmp_path):
    rows = [{"input": "Is it?", "target_scores": {"Yes": 0, "No": 1}}] * 2
    first, second = StrategyQA(json_lines(tmp_path / "a.jsonl", *rows)).examples()
    assert second.question.id == f"{first.question.id}~2"
    assert first.gold.answers == second.gold.answers == ("No",)


@pytest.mark.parametrize("scores", [{"Yes": 1, "No": 1}, {"Yes": 0, "No": 0}, {"yes": 1}])
def test_scores_that_name_no_single_label_are_refused(tmp_path, scores):
    path = json_lines(tmp_path / "a.jsonl", {"input": "Is it?", "target_scores": scores})
    with pytest.raises(DataError, match="line 1: exactly one of Yes and No must have the score 1"):
        list(StrategyQA(path).examples())


def test_without_the_paragraphs_there_is_no_corpus(tmp_path):
    with pytest.raises(SettingsError, match="paragraphs of StrategyQA are in a separate file; give paragraphs = FILE"):
        list(StrategyQA(shown_files("strategyqa", tmp_path)[0].path).passages())


def test_the_real_file_is_read_whole():
    examples = list(StrategyQA(real("strategyqa_dev115.json")).examples())
    assert len(examples) == 115
    assert {example.gold.answers for example in examples} == {("Yes",), ("No",)}
    named = [one for example in examples for one in example.gold.passage_ids]
    assert named
    assert not {"operation", "no_evidence"} & set(named)
