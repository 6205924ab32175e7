import json
from dataclasses import replace

import pytest
from support.dataset_files import json_list, real
from support.docstring_files import shown_files

from hopweave.core.errors import DataError
from hopweave.core.types import Example, Gold, GoldSentence, Question
from hopweave.evaluation.datasets.hotpotqa import HotpotQA
from hopweave.ingest.lookup import content_id

CARROW = content_id("Carrow", "Carrow is a harbour guarded by the Carrow Head Light.  It is small.")
LIGHT = content_id("Carrow Head Light", "It is a lighthouse.  It was designed by Ines Halloran.")
ROW = {
    "_id": "f1", "answer": "yes", "question": "Is it?", "type": "comparison", "level": "medium",
    "supporting_facts": [["A", 0], ["B", 1]], "context": [["B", ["One.", " Two."]], ["C", ["Three."]]],
}  # fmt: skip


def test_a_row_becomes_an_example_with_its_gold_paragraphs_and_traits(tmp_path):
    (shown,) = shown_files("hotpotqa", tmp_path)
    assert list(HotpotQA(shown.path).examples()) == [
        Example(
            Question("c1", "Who designed the lighthouse that guards the harbour of Carrow?", dataset="hotpotqa"),
            Gold(("Ines Halloran",), (CARROW, LIGHT), sentences=(GoldSentence(CARROW, 0, 53), GoldSentence(LIGHT, 21, 54))),
            {"type": "bridge", "level": "hard", "hops": 2},
        )
    ]
    assert [passage.id for passage in HotpotQA(shown.path).passages()][:2] == [CARROW, LIGHT]


def test_in_fullwiki_gold_is_unknown_where_a_paragraph_is_missing_and_known_by_title_on_demand(tmp_path):
    path = json_list(tmp_path / "hotpot_dev_fullwiki_v1.json", ROW)
    (by_content,) = HotpotQA(path).examples()
    (by_title,) = HotpotQA(path, passage_ids="title").examples()
    assert by_content.gold.passage_ids == by_content.gold.sentences == ()
    assert by_title == replace(by_content, gold=Gold(("yes",), ("A", "B")))
    assert [passage.id for passage in HotpotQA(path, passage_ids="title").passages()] == ["B", "C"]


def test_a_gold_sentence_is_itself_in_the_passage_whatever_white_space_is_around_it(tmp_path):
    sentences = ["  One.\u00a0", "", " Two is it. ", "Three."]
    row = ROW | {
        "context": [["A", sentences], ["A", ["Another."]]],
        "supporting_facts": [["A", 2], ["A", 0], ["A", 2], ["A", 1]],
    }
    dataset = HotpotQA(json_list(tmp_path / "a.json", row))
    (example,) = dataset.examples()
    texts = {passage.id: passage.text for passage in dataset.passages()}
    assert [texts[one.passage_id][one.start : one.end] for one in example.gold.sentences] == ["Two is it.", "One.", ""]


@pytest.mark.parametrize("field", ["context", "supporting_facts"])
@pytest.mark.parametrize("value", [3, {"a": 1}, {"title": "AB", "sentences": "CD"}, {"title": ["A"], "sentences": 3}])
def test_a_table_that_is_neither_rows_nor_columns_is_refused_with_its_field(tmp_path, field, value):
    path = json_list(tmp_path / "a.json", ROW, ROW | {"_id": "f2", field: value})
    with pytest.raises(DataError, match=rf"line 1 \(record 2\): {field}: Input should be a valid tuple"):
        list(HotpotQA(path).examples())


def test_a_fact_without_a_sentence_in_the_data_is_an_empty_gold_sentence(tmp_path):
    row = ROW | {"supporting_facts": [["B", 1], ["B", 7], ["B", -1], ["B", 7]]}
    (example,) = HotpotQA(json_list(tmp_path / "a.json", row)).examples()
    (passage_id,) = example.gold.passage_ids
    assert example.gold.sentences == (GoldSentence(passage_id, 6, 10), *[GoldSentence(passage_id, 10, 10)] * 2)


def test_the_columns_of_the_hub_give_the_same_as_the_official_file(tmp_path):
    columns = {
        **{key: value for key, value in ROW.items() if key != "_id"},
        "id": "f1",
        "supporting_facts": {"title": ["A", "B"], "sent_id": [0, 1]},
        "context": {"title": ["B", "C"], "sentences": [["One.", " Two."], ["Three."]]},
    }
    official = HotpotQA(json_list(tmp_path / "a.json", ROW))
    on_hub = HotpotQA(json_list(tmp_path / "b.json", columns))
    assert list(official.examples()) == list(on_hub.examples())
    assert list(official.passages()) == list(on_hub.passages())


def test_a_file_without_answers_is_refused(tmp_path):
    row = {key: value for key, value in ROW.items() if key not in {"answer", "supporting_facts"}}
    with pytest.raises(DataError, match=r"line 1 \(record 1\) has no field answer \(its fields: _id, question"):
        list(HotpotQA(json_list(tmp_path / "hotpot_test_fullwiki_v1.json", row)).examples())


def test_the_real_file_is_read_whole():
    examples = list(HotpotQA(real("hotpotqa_dev100.json")).examples())
    passages = {passage.id: passage.text for passage in HotpotQA(real("hotpotqa_dev100.json")).passages()}
    ids = passages.keys()
    assert len(examples) == 100
    assert all(len(example.gold.passage_ids) == 2 and set(example.gold.passage_ids) <= ids for example in examples)
    assert {example.traits["type"] for example in examples} == {"bridge", "comparison"}
    rows = {row["_id"]: row for row in json.loads(real("hotpotqa_dev100.json").read_text("utf-8"))}
    for example in examples:
        row = rows[example.question.id]
        written = [dict(row["context"])[title][number].strip() for title, number in row["supporting_facts"]]
        assert [passages[one.passage_id][one.start : one.end] for one in example.gold.sentences] == written
