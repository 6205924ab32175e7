"""The questions that come with the package, as a dataset."""

from pathlib import Path

from hopweave.core.building import build
from hopweave.evaluation.datasets.starter import Starter
from hopweave.ingest.read import read_corpus


def test_the_questions_that_come_with_hopweave_need_no_path():
    examples = list(build(Starter, {}, "datasets.starter").examples())
    assert len(examples) == 40
    assert {example.traits["hops"] for example in examples} == {2, 3, 4}
    assert all(len(example.gold.steps) >= 2 for example in examples)


def test_their_gold_passages_are_those_of_the_starter_corpus():
    corpus = {passage.id for passage in read_corpus([Starter().path.with_name("passages.jsonl")])}
    assert all(example.gold.passage_ids for example in Starter().examples())
    assert {one for example in Starter().examples() for one in example.gold.passage_ids} <= corpus


def test_others_in_the_same_layout_can_be_read_instead(tmp_path):
    place = tmp_path / "mine.jsonl"
    place.write_text('{"question": "Who lit the light?", "answer": "Ines Halloran"}')
    (example,) = build(Starter, {"path": str(place)}, "datasets.starter").examples()
    assert example.gold.answers == ("Ines Halloran",)
    assert Path(Starter().path) != place
