"""A JSON file may be one record, a dictionary of records, or an object around a list of them."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.corpora import read, refused, written

from hopweave.core.errors import DataError

LAMP, OIL = {"name": "Lamp", "price": 5, "stock": "full"}, {"name": "Oil", "price": 7, "stock": "low"}

NAMES = st.sampled_from(
    [
        "id",
        "title",
        "name",
        "text",
        "body",
        "user",
        "ts",
        "type",
        "messages",
        "labels",
        "mapping",
        "current_node",
        "parent",
        "message",
        "content",
        "parts",
        "author",
        "created_at",
        "issued",
        "date-parts",
        "description",
        "family",
        "comments_url",
    ]
)
TEXTS = (
    st.sampled_from(["", "a", "message", "1727860440.000100", "<p>It is <b>lit</b>.</p>", "The lamp is lit at dusk again."])
    | st.text()
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=25,
)


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


def test_an_object_around_several_lists_has_the_records_of_all_each_below_the_name_of_its_list(tmp_path):
    found = passages(tmp_path, {"title": "Store", "lamps": [LAMP], "oils": [OIL]})
    assert [(passage.title, passage.sections) for passage in found] == [
        ("Lamp", ("Store", "lamps")),
        ("Oil", ("Store", "oils")),
    ]


def test_what_an_object_around_lists_says_itself_is_a_record_as_well(tmp_path):
    about = {"title": "Store", "description": "All that burns in the towers of Carrow."}
    first, *others = passages(tmp_path, {**about, "lamps": [{"name": "Tower lamp", "text": "It hangs high."}]})
    assert (first.title, "All that burns" in first.text) == ("Store", True)
    assert [passage.text for passage in others] == ["It hangs high."]


def test_records_within_an_object_name_what_they_refer_to_by_its_id(tmp_path):
    card = {"id": "c1", "name": "Drain the engine", "desc": "Four litres of oil run out.", "idList": "l1", "idMembers": ["m1"]}
    board = {
        "name": "Winter",
        "cards": [card],
        "lists": [{"id": "l1", "name": "To do"}],
        "members": [{"id": "m1", "fullName": "Ada Finch", "username": "ada"}],
    }
    [passage] = passages(tmp_path, board)
    assert passage.text == "idList: To do; idMembers: Ada Finch.\n\nFour litres of oil run out."


def test_the_items_of_one_list_below_a_title_are_one_record(tmp_path):
    note = {"title": "Shopping", "listContent": [{"text": "milk", "isChecked": False}, {"text": "oil", "isChecked": True}]}
    [passage] = passages(tmp_path, note)
    assert (passage.title, passage.text) == ("Shopping", "milk.\n\noil; isChecked: true.")


def test_the_parts_of_a_text_with_a_title_are_one_record(tmp_path):
    paper = {"title": "Salt", "abstract": [], "body": None, "parts": [{"text": "Salt creeps. " * 20, "section": "Method"}]}
    [passage] = passages(tmp_path, paper)
    assert (passage.title, passage.text.count("Salt creeps."), "section: Method" in passage.text) == ("Salt", 20, True)


def test_fields_of_one_value_are_all_shown(tmp_path):
    ticket = {"title": "It hangs", "reporter": "ida", "assignee": "ida", "body": "At night."}
    assert passages(tmp_path, [ticket])[0].text == "reporter: ida; assignee: ida.\n\nAt night."


def test_what_is_deeper_within_the_items_of_a_list_is_shown(tmp_path):
    step = {"step": 1, "of": {"note": "Close the valve of the tank first."}}
    [passage] = passages(tmp_path, [{"title": "Draining it", "steps": [step]}])
    assert passage.text == "steps step: 1.\n\nof note: Close the valve of the tank first."


def test_a_record_without_a_known_text_has_its_short_fields_as_a_row_and_its_longer_ones_below(tmp_path):
    long = "The lamp is lit at dusk. " * 20
    record = {
        "title": "Lamp",
        "story": long,
        "price": 5,
        "tags": ["brass", "oil"],
        "of": {"origin": "It was made in Brno by Ida Renn."},
    }
    [passage] = passages(tmp_path, [record])
    assert passage.text == (f"price: 5; tags: brass, oil.\n\n{long.strip()}\n\nof origin: It was made in Brno by Ida Renn.")


def test_several_longer_fields_keep_their_names(tmp_path):
    record = {
        "title": "Pump",
        "fault": "The pump makes no pressure at all.",
        "remedy": "Clean the filter below the tank.",
        "x": [],
    }
    [passage] = passages(tmp_path, [record])
    assert passage.text == "fault: The pump makes no pressure at all.\n\nremedy: Clean the filter below the tank."


def test_what_only_programs_read_is_left_out(tmp_path):
    issue = {
        "number": 41, "title": "It hangs", "body": "The lamp hangs at night.", "user": {"login": "ada"},
        "comments_url": "https://api.example/41", "node_id": "I_kwDOABCDEF012345678901", "isLocked": False, "draft": False,
        "labels": [{"id": 1, "url": "https://api.example/bug", "name": "bug", "color": "d73a4a", "default": True, "node": "x"}],
    }  # fmt: skip
    [passage] = passages(tmp_path, [issue])
    assert passage.text == "number: 41; user: ada; draft: false; labels: bug.\n\nThe lamp hangs at night."


def test_a_record_with_an_empty_text_among_others_has_its_title_and_its_fields(tmp_path):
    found = passages(
        tmp_path, [{"title": "Read zstd", "body": None, "state": "open", "votes": [1]}, {"title": "It", "body": "It hangs."}]
    )
    assert [(passage.title, passage.text) for passage in found] == [
        ("Read zstd", "state: open; votes: 1."),
        ("It", "It hangs."),
    ]


def test_texts_in_html_are_read_without_markup_and_not_twice(tmp_path):
    record = {
        "title": "Hut",
        "noteHtml": "<p>Only <b>heron-42</b> works near the stove.</p>",
        "note": "Only heron-42 works near the stove.",
    }
    assert passages(tmp_path, [{**record, "x": []}])[0].text == "Only heron-42 works near the stove."
    assert (
        passages(tmp_path, [{"title": "Hut", "body": "<div><p>It is lit.</p><p>At dusk.</p></div>"}])[0].text
        == "It is lit.\n\nAt dusk."
    )


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (["It is lit.", " Oil is dry."], "It is lit. Oil is dry."),
        (["It is lit.\n", "Oil is dry.\n"], "It is lit.\n\nOil is dry."),
        (["See ", {"type": "link", "text": "the lamp"}, " now."], "See the lamp now."),
        ([{"type": "text", "text": "It is lit."}, {"type": "image"}], "It is lit."),
    ],
)
def test_a_text_in_pieces_is_put_together(tmp_path, text, whole):
    assert passages(tmp_path, [{"title": "Lamp", "text": text}])[0].text == whole


def test_settings_of_programs_are_not_read(tmp_path):
    path = written(
        tmp_path, "tsconfig.json", json.dumps({"compilerOptions": {"strict": True, "lib": ["dom"]}, "include": ["src"]})
    )
    assert "has no field text" in refused(path, match="text")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(value=JSON)
def test_any_json_is_read_or_refused_in_one_line(tmp_path, value):
    path = written(tmp_path, "any.json", json.dumps(value))
    said = ""
    try:
        read(path)
    except DataError as error:
        said = str(error)
    assert "\n" not in said


def test_one_record_beyond_the_limit_is_refused(tmp_path):
    text = "It is dry. " * 100_000
    path = written(tmp_path, "light.json", json.dumps({"title": "Oil", "text": text, "more": text}))
    assert "the record of" in refused(path, match="longer than 1 MiB", max_row_mib=1)
