"""A JSON file may be one record, a dictionary of records, or an object around a list of them."""

import json

import pytest
from support.corpora import read, refused, written

LAMP, OIL = {"name": "Lamp", "price": 5, "stock": "full"}, {"name": "Oil", "price": 7, "stock": "low"}


def passages(tmp_path, value, **options):
    return read(written(tmp_path, "light.json", json.dumps(value)), **options)


def test_an_object_with_a_text_is_one_record(tmp_path):
    [passage] = passages(tmp_path, {"title": " Oil ", "text": "Oil is kept dry.", "year": 1871, "tags": ["oil", "store"]})
    assert (passage.title, passage.text) == ("Oil", "Oil is kept dry.")


def test_an_object_of_objects_is_a_record_for_each_key(tmp_path):
    found = passages(tmp_path, {"a": {"text": "The lamp is lit."}, "b": {"text": "Oil is dry."}})
    assert [(passage.id, passage.text) for passage in found] == [("a", "The lamp is lit."), ("b", "Oil is dry.")]


@pytest.mark.parametrize("around", [{"count": 2, "next": None}, {"page": {"of": 3}}, {}])
def test_an_object_around_a_list_has_the_records_of_that(tmp_path, around):
    found = passages(tmp_path, {**around, "results": [LAMP, OIL]})
    assert [passage.text for passage in found] == ["name: Lamp; price: 5; stock: full.", "name: Oil; price: 7; stock: low."]


def test_the_title_of_an_object_around_a_list_is_above_its_records(tmp_path):
    found = passages(tmp_path, {"title": "Store of Carrow ", "results": [LAMP, OIL]})
    assert [(passage.title, passage.sections) for passage in found] == [
        ("Lamp", ("Store of Carrow",)),
        ("Oil", ("Store of Carrow",)),
    ]


def test_messages_within_an_object_become_one_text(tmp_path):
    said = [{"user": "ida", "text": "It hangs."}, {"user": "ada", "text": "Try rope."}]
    [passage] = passages(tmp_path, {"channel": "keepers", "messages": said})
    assert passage.text == "ida: It hangs.\n\nada: Try rope."


@pytest.mark.parametrize("name", ["abstract", "description", "summary"])
def test_a_record_without_a_text_has_its_description_with_its_other_fields(tmp_path, name):
    record = {
        "title": "Oil",
        "authors": ["A. Finch", "I. Renn"],
        "year": 1871,
        "of": {"no": "use"},
        name: "How oil is kept dry.",
    }
    [passage] = passages(tmp_path, record)
    assert (passage.title, passage.text) == ("Oil", "authors: A. Finch, I. Renn; year: 1871.\n\nHow oil is kept dry.")


def test_a_description_in_a_table_is_a_cell(tmp_path):
    [passage] = passages(tmp_path, [{"name": "Lamp", "price": 5, "description": "Of brass."}])
    assert passage.text == "name: Lamp; price: 5; description: Of brass."


def test_a_text_that_is_named_is_needed_though_there_is_a_description(tmp_path):
    path = written(tmp_path, "light.json", json.dumps({"title": "Oil", "abstract": "It is dry.", "of": []}))
    assert "has no field said" in refused(path, match="said", text_field="said")


def test_an_object_of_two_lists_is_one_record(tmp_path):
    path = written(tmp_path, "light.json", json.dumps({"lamps": [LAMP], "oils": [OIL]}))
    assert "the record has no field text" in refused(path, match="text")


def test_one_record_beyond_the_limit_is_refused(tmp_path):
    text = "It is dry. " * 100_000
    path = written(tmp_path, "light.json", json.dumps({"title": "Oil", "text": text, "more": text}))
    assert "the record of" in refused(path, match="longer than 1 MiB", max_row_mib=1)
