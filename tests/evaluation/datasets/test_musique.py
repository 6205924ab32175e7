import pytest
from support.dataset_files import json_lines, real
from support.docstring_files import shown_files

from hopweave.core.errors import DataError
from hopweave.core.types import Example, Gold, GoldStep, Question
from hopweave.evaluation.datasets.musique import MuSiQue
from hopweave.ingest.lookup import content_id

ROW = {
    "id": "3hop1__1_2_3", "question": "Who?", "answer": "Tam", "answer_aliases": ["Tam", "T."], "answerable": True,
    "paragraphs": [{"idx": 0, "title": "A", "paragraph_text": "a", "is_supporting": True}],
    "question_decomposition": [{"id": 1, "question": "#1 >> b", "answer": "Tam", "paragraph_support_idx": 0}],
}  # fmt: skip


def test_a_row_becomes_an_example_with_its_steps_aliases_and_hops(tmp_path):
    (shown,) = shown_files("musique", tmp_path)
    first, last = content_id("Ines Halloran", "She was born in Carrow."), content_id("Carrow", "Its lighthouse is by Tam Orre.")
    assert list(MuSiQue(shown.path).examples()) == [
        Example(
            Question(
                "2hop__1_2", "Who designed the lighthouse of the harbour where Ines Halloran was born?", dataset="musique"
            ),
            Gold(
                ("Tam Orre", "T. Orre"),
                (first, last),
                steps=(
                    GoldStep("Ines Halloran >> place of birth", "Carrow", first),
                    GoldStep("Who designed the lighthouse of #1 ?", "Tam Orre", last),
                ),
            ),
            {"hops": 2, "type": "2hop"},
        )
    ]


def test_hops_are_the_first_digit_of_the_id_and_an_alias_counts_once(tmp_path):
    (example,) = MuSiQue(json_lines(tmp_path / "a.jsonl", ROW)).examples()
    assert example.traits == {"hops": 3, "type": "3hop1"}
    assert example.gold.answers == ("Tam", "T.")


def test_the_twin_that_cannot_be_answered_is_left_out(tmp_path):
    twin = {**ROW, "answerable": False, "paragraphs": []}
    (example,) = MuSiQue(json_lines(tmp_path / "musique_full.jsonl", twin, ROW)).examples()
    assert example.gold.passage_ids


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": "9001"}, "line 2: its id '9001' does not begin with the number of hops"),
        ({"paragraphs": []}, r"line 2: question_decomposition\.0: there is no paragraph with the idx 0"),
        ({"paragraphs": ROW["paragraphs"] * 2}, "line 2: paragraphs: duplicate idx"),
        ({"answer": " "}, "line 2: answer: is empty"),
        ({"answer": "half \ud800"}, "line 2 contains an unpaired surrogate"),
        ({"question": 3}, "line 2: question is 3, a number; put it in quotation marks; correct the row"),
    ],
)
def test_a_row_that_contradicts_itself_is_refused_with_its_line(tmp_path, change, reason):
    path = json_lines(tmp_path / "a.jsonl", ROW, {**ROW, "id": "2hop__8_9", **change})
    with pytest.raises(DataError, match=reason):
        list(MuSiQue(path).examples())


def test_the_real_file_is_read_whole():
    examples = list(MuSiQue(real("musique_dev100.jsonl")).examples())
    ids = {passage.id for passage in MuSiQue(real("musique_dev100.jsonl")).passages()}
    assert len(examples) == 100
    for example in examples:
        assert len(example.gold.steps) == example.traits["hops"] == 2
        assert {step.passage_id for step in example.gold.steps} == set(example.gold.passage_ids) <= ids
