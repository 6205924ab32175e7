import pytest
from support.dataset_files import json_lines, real
from support.docstring_files import shown_files

from hopweave.answering.demonstrations import family_of
from hopweave.core.errors import DataError
from hopweave.core.types import Example, Gold, Question
from hopweave.evaluation.datasets.fever import FEVER

CLAIM = "The Carrow Head Light was designed by a sailor."
OPEN = {"id": 2, "label": "NOT ENOUGH INFO", "claim": "The keeper is tall.", "evidence": [[[7, None, None, None]]]}


def test_the_original_layout_names_pages_of_the_authors_own_dump(tmp_path):
    original, _ = shown_files("fever", tmp_path)
    (example,) = FEVER(original.path).examples()
    assert example == Example(
        Question("1", CLAIM, "label", ("SUPPORTS", "REFUTES"), dataset="fever"),
        Gold(("REFUTES",), ("Carrow_Head_Light", "Ines_Halloran")),
        {"label": "REFUTES"},
    )
    assert family_of(example.question) == "fact_checking"


def test_the_layout_of_kilt_is_the_same_claim_with_pages_of_its_source(tmp_path):
    original, kilt = shown_files("fever", tmp_path)
    (first,), (second,) = FEVER(original.path).examples(), FEVER(kilt.path).examples()
    assert first.question == second.question
    assert second.gold == Gold(("REFUTES",), ("900001",))
    assert second.traits == {"label": "REFUTES"}


def test_claims_without_enough_information_are_asked_with_three_labels_only(tmp_path):
    known = {"id": 3, "label": "SUPPORTS", "claim": "It is a lighthouse.", "evidence": [[[1, 2, "Carrow_Head_Light", 0]]]}
    path = json_lines(tmp_path / "a.jsonl", OPEN, known)
    (two,) = FEVER(path).examples()
    first, second = FEVER(path, labels="three_way").examples()
    assert two.question.labels == ("SUPPORTS", "REFUTES")
    assert first.gold == Gold(("NOT ENOUGH INFO",))
    assert first.question.labels == second.question.labels == ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({**OPEN, "label": "MAYBE"}, "line 1: label: Input should be 'SUPPORTS', 'REFUTES' or 'NOT ENOUGH INFO'"),
        ({"id": 1, "input": CLAIM, "output": [{"answer": "MAYBE"}]}, "line 1: output: .*'MAYBE'.* is not one of SUPPORTS"),
        ({"id": 1, "claim": CLAIM}, "line 1 has no field label"),
    ],
)
def test_a_label_that_is_none_is_refused(tmp_path, row, reason):
    with pytest.raises(DataError, match=reason):
        list(FEVER(json_lines(tmp_path / "a.jsonl", row)).examples())


def test_the_real_file_is_read_whole():
    examples = list(FEVER(real("fever_dev200.jsonl")).examples())
    assert [sum(example.gold.answers == (label,) for example in examples) for label in ("SUPPORTS", "REFUTES")] == [100, 100]
    assert all(example.gold.passage_ids for example in examples)
