import pytest
from support.dataset_files import json_list
from support.docstring_files import shown_files

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.types import Gold, Passage
from hopweave.evaluation.datasets.multihop_rag import MultiHopRAG


@pytest.fixture
def shown(tmp_path):
    (one,) = shown_files("multihop_rag", tmp_path)
    return one


def test_a_query_has_its_facts_and_the_addresses_of_its_articles(shown):
    asked, _ = MultiHopRAG(shown.path).examples()
    assert asked.gold == Gold(
        ("Ines Halloran",),
        ("https://example.org/1", "https://example.org/2"),
        ("The Carrow Head Light has closed.", "Halloran's light is closed."),
    )
    assert asked.traits == {"type": "inference_query", "hops": 2}


def test_a_null_query_has_an_answer_and_no_evidence(shown):
    _, null = MultiHopRAG(shown.path).examples()
    assert null.gold == Gold(("Insufficient information.",))
    assert null.traits == {"type": "null_query"}


def test_articles_are_passages_under_their_address_and_hold_the_facts(shown):
    first, second = MultiHopRAG(shown.path, **shown.options).passages()
    text = "The Carrow Head Light has closed. It is dark now."
    assert first == Passage("https://example.org/1", text, "Light out")
    (asked, _) = MultiHopRAG(shown.path).examples()
    assert all(fact in passage.text for fact, passage in zip(asked.gold.facts, (first, second), strict=True))


def test_ids_follow_from_the_query_not_from_its_place(shown, tmp_path):
    rows = [
        {"query": text, "answer": "x", "question_type": "null_query", "evidence_list": []} for text in ("One?", "Two?", "One?")
    ]
    there = {one.question.id: one.question.text for one in MultiHopRAG(json_list(tmp_path / "a.json", *rows)).examples()}
    back = {one.question.id: one.question.text for one in MultiHopRAG(json_list(tmp_path / "b.json", *rows[::-1])).examples()}
    assert there == back
    assert len(there) == 3


def test_evidence_that_is_missing_is_refused(tmp_path):
    row = {"query": "One?", "answer": "x", "question_type": "temporal_query", "evidence_list": []}
    with pytest.raises(DataError, match="evidence_list is empty, and its question_type is temporal_query, not null_query"):
        list(MultiHopRAG(json_list(tmp_path / "a.json", row)).examples())


def test_without_the_articles_there_is_no_corpus(shown):
    with pytest.raises(SettingsError, match=r"articles of MultiHop-RAG are in a separate file; give corpus = FILE"):
        list(MultiHopRAG(shown.path).passages())
