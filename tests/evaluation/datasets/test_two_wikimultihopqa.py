import json

import pytest
from support.dataset_files import json_lines, real
from support.docstring_files import shown_files

from hopweave.core.errors import DataError
from hopweave.core.types import Example, Gold, GoldSentence, GoldStep, Question
from hopweave.evaluation.datasets.two_wikimultihopqa import TwoWikiMultiHopQA
from hopweave.ingest.lookup import content_id

FILM = content_id("Carrow Nights", "Carrow Nights is a film by Ines Halloran.")
PERSON = content_id("Ines Halloran", "Ines Halloran directs films. She was born in Port Ellery.")


@pytest.fixture
def shown(tmp_path):
    (one,) = shown_files("two_wikimultihopqa", tmp_path)
    return one


def test_a_row_becomes_an_example_with_the_aliases_and_demonyms_of_its_answer(shown):
    assert list(TwoWikiMultiHopQA(shown.path, **shown.options).examples()) == [
        Example(
            Question("w1", "Where was the director of the film Carrow Nights born?", dataset="2wikimultihopqa"),
            Gold(
                ("Port Ellery", "Ellery", "Ellery Harbour", "Ellerian"),
                (FILM, PERSON),
                steps=(
                    GoldStep("Carrow Nights >> director", "Ines Halloran", FILM),
                    GoldStep("Ines Halloran >> place of birth", "Port Ellery", PERSON),
                ),
                sentences=(GoldSentence(FILM, 0, 41), GoldSentence(PERSON, 29, 57)),
            ),
            {"hops": 2, "type": "compositional"},
        )
    ]


def test_without_the_file_of_aliases_only_the_answer_itself_counts(shown):
    (example,) = TwoWikiMultiHopQA(shown.path).examples()
    assert example.gold.answers == ("Port Ellery",)


def test_a_broken_line_of_the_aliases_is_named(shown, tmp_path):
    aliases = json_lines(tmp_path / "id_aliases.json", {"Q_id": "Q1", "aliases": []}, {"Q_id": "Q2", "aliases": "one"})
    with pytest.raises(DataError, match=r"id_aliases\.json, line 2: aliases: Input should be a valid tuple"):
        list(TwoWikiMultiHopQA(shown.path, aliases=aliases).examples())


def test_the_real_file_is_read_whole():
    path = real("2wikimultihopqa_dev100.json")
    examples = list(TwoWikiMultiHopQA(path).examples())
    ids = {passage.id for passage in TwoWikiMultiHopQA(path).passages()}
    assert len(examples) == 100
    assert {example.traits["type"] for example in examples} == {
        "compositional", "comparison", "bridge_comparison", "inference"
    }  # fmt: skip
    assert all(example.gold.passage_ids and set(example.gold.passage_ids) <= ids for example in examples)
    assert all(len(example.gold.passage_ids) == example.traits["hops"] for example in examples)
    assert all({one.passage_id for one in example.gold.sentences} <= set(example.gold.passage_ids) for example in examples)
    assert all(one.start < one.end for example in examples for one in example.gold.sentences)


@pytest.mark.parametrize("field", ["context", "supporting_facts", "evidences"])
def test_a_table_that_is_neither_rows_nor_columns_is_refused_with_its_field(shown, tmp_path, field):
    (row,) = json.loads(shown.path.read_text())
    path = json_lines(tmp_path / "a.jsonl", row | {field: {"a": 1}})
    with pytest.raises(DataError, match=rf"line 1: {field}: Input should be a valid tuple"):
        list(TwoWikiMultiHopQA(path).examples())
