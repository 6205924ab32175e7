"""Questions of a run taken apart."""

import re
from pathlib import Path

import pytest

from hopweave.core.catalog import load
from hopweave.core.types import Example, Gold, GoldStep, Question
from hopweave.evaluation.datasets.gold_steps import GoldSteps
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder

STEPS = (
    GoldStep("Where was Ines Halloran born?", "Carrow"),
    GoldStep("Who designed the lighthouse of #1?", "Tam Orre"),
    GoldStep("Where did #2 live in #1?", "Quay Street"),
)
WHOLE = Example(Question("3hop1__x", "In which street?"), Gold(("Quay Street", "Quay St."), steps=STEPS), {"hops": 3})
SINGLE = Example(Question("one", "Where was she born?"), Gold(("Carrow",), steps=STEPS[:1]))
UNANSWERED = Example(Question("open", "Is it so?"), Gold(("Yes",), steps=(GoldStep("What?", ""), GoldStep("Why?", ""))))


@pytest.fixture
def path(tmp_path):
    run = RunFolder.create(tmp_path / "run", Plan({"own": DatasetPlan("jsonl")}, {"direct": MethodPlan("direct")}))
    run.keep_examples("own", [SINGLE, WHOLE, UNANSWERED])
    return tmp_path / "run" / "examples" / "own.jsonl"


def test_each_hop_becomes_a_question_in_which_earlier_answers_stand(path):
    examples = list(GoldSteps(path=path).examples())
    assert [(one.question.id, one.question.text, one.gold.answers) for one in examples] == [
        ("3hop1__x#1", "Where was Ines Halloran born?", ("Carrow",)),
        ("3hop1__x#2", "Who designed the lighthouse of Carrow?", ("Tam Orre",)),
        ("3hop1__x#3", "Where did Tam Orre live in Carrow?", ("Quay Street", "Quay St.")),
    ]
    assert dict(examples[1].traits) == {"whole": "3hop1__x", "parts": 3, "part": 2}


def test_given_shows_the_first_hops_with_their_answers_and_leaves_the_last_to_the_model(path):
    one, two, three = GoldSteps(path=path, form="given").examples()
    assert one.question.text.splitlines() == [
        "In which street?",
        "What is known:",
        "1. Where was Ines Halloran born? Carrow",
        "2. Who designed the lighthouse of Carrow? Tam Orre",
    ]
    assert two.question.text.splitlines()[2:] == ["1. Where was Ines Halloran born? Carrow"]
    assert three.question.text == "In which street?"
    assert [example.traits["left"] for example in (one, two, three)] == [1, 2, 3]
    assert one.gold.answers == WHOLE.gold.answers


def test_listed_shows_the_same_hops_and_no_answer_anywhere(path):
    one, two, three = GoldSteps(path=path, form="listed").examples()
    assert one.question.text.splitlines()[2:] == ["1. Where was Ines Halloran born?", "2. Who designed the lighthouse of #1?"]
    for example in (one, two, three):
        assert not [step for step in STEPS if step.answer in example.question.text]


def test_musiques_own_questions_are_taken_apart_with_no_reference_left(tmp_path):
    """On the real file, where it is there."""
    file = Path(__file__).parents[3].parent / "shared" / "data" / "musique_dev100.jsonl"
    if not file.is_file():
        pytest.skip(f"{file} is not there")
    wholes = list(load("datasets", "musique")(path=file).examples())
    run = RunFolder.create(tmp_path / "run", Plan({"own": DatasetPlan("musique")}, {"direct": MethodPlan("direct")}))
    run.keep_examples("own", wholes)
    path = tmp_path / "run" / "examples" / "own.jsonl"
    num_hops = sum(len(whole.gold.steps) for whole in wholes)
    parts = list(GoldSteps(path=path).examples())
    assert len(parts) == len(list(GoldSteps(path=path, form="given").examples())) == num_hops
    assert not [part for part in parts if re.search(r"#\d", part.question.text)]
    lasts = {part.traits["whole"]: part for part in parts if part.traits["part"] == part.traits["parts"]}
    assert all(set(whole.gold.answers) <= set(lasts[whole.question.id].gold.answers) for whole in wholes)
