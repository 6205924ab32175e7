"""Where metadata and access labels come from, and what becomes of those that cannot be kept."""

import json

import pytest

from hopweave.core.errors import DataError, SettingsError
from hopweave.ingest.lookup import content_id
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.ingest.tally import Tally

LINES = [
    {"id": "a", "text": "One.", "metadata": {"year": 1999, "kind": " a \n letter ", "none": None, "empty": "", "is": True}},
    {"id": "b", "text": "Two.", "access": "staff, board"},
    {"id": "c", "text": "Three.", "access": ["board"], "metadata.year": 2000},
    {"id": "d", "text": "Four.", "access": None, "metadata": ""},
]


def read(folder, content, name="corpus.jsonl", **options):
    path = folder / name
    path.write_text(content if isinstance(content, str) else "".join(f"{json.dumps(row)}\n" for row in content))
    tally = Tally()
    return list(read_corpus([path], options=CorpusOptions(**options), tally=tally)), tally


def test_records_bring_metadata_and_labels(tmp_path):
    passages, tally = read(tmp_path, LINES)
    assert [dict(one.metadata) for one in passages] == [
        {"year": "1999", "kind": "a letter", "is": "true"},
        {},
        {"year": "2000"},
        {},
    ]
    assert [one.access for one in passages] == [(), ("board", "staff"), ("board",), ()]
    assert tally.labels == {"board": 2, "staff": 1}
    assert not tally.no_metadata


@pytest.mark.parametrize("separator", [",", "\t"])
def test_columns_of_a_table_bring_them_with_a_column_for_the_text_and_without(tmp_path, separator):
    name = "table.csv" if separator == "," else "table.tsv"
    rows = ["id,text,access,metadata.year", 'a,One.,"staff, board",1999', "b,Two.,,"]
    [first, second], _ = read(tmp_path, "\n".join(rows).replace(",", separator).replace(f"{separator} ", ", "), name)
    assert (first.access, dict(first.metadata)) == (("board", "staff"), {"year": "1999"})
    assert (second.access, dict(second.metadata)) == ((), {})
    rows = ["name,town,access,metadata.year", "Ann,Ulm,staff,1999"]
    [cells], _ = read(tmp_path, "\n".join(rows).replace(",", separator), name)
    assert (cells.text, cells.access, dict(cells.metadata)) == ("name: Ann; town: Ulm.", ("staff",), {"year": "1999"})


def test_what_metadata_cannot_hold_is_left_out_and_counted_by_its_key(tmp_path):
    odd = {"tags": ["a"], "nested": {"a": 1}, "long": "x" * 1001, "a=b": "c", "fine": "yes", "\x00": "nul"}
    [first, second], tally = read(tmp_path, [{"text": "One.", "metadata": odd}, {"text": "Two.", "metadata": ["x"]}])
    assert (dict(first.metadata), dict(second.metadata)) == ({"fine": "yes"}, {})
    assert tally.no_metadata == {"tags": 1, "nested": 1, "long": 1, "a=b": 1, "metadata": 1, "\x00": 1}


@pytest.mark.parametrize("access", [3, True, ["a", 1], {"a": 1}, "a,,b", ["a,b"], [""], "a\u0000b", "x" * 101])
def test_a_passage_whose_labels_cannot_be_read_is_never_taken_to_be_for_everyone(tmp_path, access):
    lines = [{"id": "a", "text": "One."}, {"id": "b", "text": "Two.", "access": access}]
    with pytest.raises(DataError, match=r"corpus\.jsonl, line 2: its access .*label.*; correct it"):
        read(tmp_path, lines)
    passages, tally = read(tmp_path, lines, lenient=True)
    assert [one.id for one in passages] == ["a"]
    assert "line 2: its access" in tally.unread[0].reason


def test_every_part_of_a_text_has_the_labels_and_the_metadata_of_the_whole(tmp_path):
    text = "This is a sentence. " * 9
    passages, _ = read(tmp_path, [{"text": text, "access": "staff", "metadata": {"year": 1}}], max_words=10)
    assert len(passages) > 3
    assert {(one.access, one.metadata["year"]) for one in passages} == {(("staff",), "1")}


def test_labels_of_the_call_are_for_what_brings_none_of_its_own(tmp_path):
    (tmp_path / "note.txt").write_text("A note.")
    (tmp_path / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in LINES))
    passages = read_corpus([tmp_path], options=CorpusOptions(access=("team", "all")))
    assert {one.id: one.access for one in passages} == {
        "note.txt": ("all", "team"),
        "a": ("all", "team"),
        "b": ("board", "staff"),
        "c": ("board",),
        "d": ("all", "team"),
    }
    with pytest.raises(SettingsError, match="access has 'a,b'"):
        CorpusOptions(access=("a,b",))


def test_files_are_read_again_when_their_labels_change(tmp_path):
    assert CorpusOptions().reading != CorpusOptions(access=("a",)).reading


def saved(folder, **files):
    """A folder of JSON files, and of CSV files given as text."""
    folder.mkdir()
    for name, content in files.items():
        is_text = isinstance(content, str)
        folder.joinpath(f"{name}.{'csv' if is_text else 'json'}").write_text(content if is_text else json.dumps(content))
    return folder


def test_records_without_an_id_are_left_out_only_if_they_repeat_all_that_another_of_their_file_says(tmp_path):
    text, row = "The lamp is lit at dusk.", {"metadata": {"year": 1}, "access": ["board"]}
    lines = [
        {"text": text, **row},
        {"text": text, "metadata": {"year": 2}},
        {"text": text, **row},
        {"text": text},
        {"text": text},
    ]
    passages, tally = read(tmp_path, lines)
    key = content_id("", text)
    assert [(one.id, one.access, dict(one.metadata)) for one in passages] == [
        (key, ("board",), {"year": "1"}),
        (f"{key}~2", (), {"year": "2"}),
        (f"{key}~3", (), {}),
    ]
    assert tally.num_duplicates == 2


def test_rows_without_an_id_are_kept_for_each_file_and_title(tmp_path):
    prices = {year: f"Prices {year}, EUR,,\nname,price,unit\nlamp oil,4,litre\nwick,{year},metre\n" for year in (2023, 2024)}
    folder = saved(
        tmp_path / "x", a=prices[2023], b=prices[2024], c="name,price,unit\nink,1,bottle\n", d="name,price,unit\nink,1,bottle\n"
    )
    found = [(one.source, one.title) for one in read_corpus([folder])]
    names = ("a.csv", "a.csv", "b.csv", "b.csv", "c.csv", "d.csv")
    assert found == list(zip(names, ("lamp oil", "wick", "lamp oil", "wick", "ink", "ink"), strict=True))


def test_parts_of_a_long_record_without_an_id_have_the_number_of_their_record(tmp_path):
    text = "This is a sentence. " * 9
    passages, _ = read(tmp_path, [{"text": text}, {"text": text, "access": "board"}], max_words=20)
    key = content_id("", text)
    assert [one.id for one in passages] == [*(f"{key}#{n}" for n in (1, 2)), *(f"{key}~2#{n}" for n in (1, 2))]


AROUND = {"name": "Board chat", "access": ["board", "works"], "metadata": {"year": 1874, "pages": [1], "kind": "chat"}}
MESSAGES = [{"user": "ida", "text": "The secret is blue."}, {"user": "nils", "text": "So be it."}]


@pytest.mark.parametrize(
    "of_export",
    [
        {"messages": MESSAGES},
        {"results": [{"id": "1", "title": "The blue one", "text": "The secret is blue."}]},
        {
            "lists": [{"id": "l", "name": "To do"}],
            "cards": [{"name": "The secret is blue", "desc": "Paint it.", "idList": "l"}],
        },
        {"description": "All of this is secret until the end of the year.", "results": [{"id": "1", "text": "It is blue."}]},
    ],
    ids=["messages", "results", "a board of cards", "a record around records"],
)
def test_records_have_the_labels_and_the_metadata_of_the_object_around_them(tmp_path, of_export):
    passages, tally = read(tmp_path, json.dumps({**AROUND, **of_export}), "a.json")
    assert "blue" in " ".join(f"{one.title} {one.text}" for one in passages)
    assert {one.access for one in passages} == {("board", "works")}
    assert {(one.metadata["year"], one.metadata["kind"]) for one in passages} == {("1874", "chat")}
    assert set(tally.no_metadata) <= {"pages"}


def test_a_record_is_for_those_who_may_see_it_and_the_object_around_it_and_its_own_metadata_come_first(tmp_path):
    own = [{"access": "works, crew", "metadata": {"year": 1875}}, {"access": []}, {"metadata.kind": "letter"}]
    rows = [{"id": str(number), "text": f"Record {number}.", **one} for number, one in enumerate(own)]
    passages, _ = read(tmp_path, json.dumps({**AROUND, "results": rows}), "a.json")
    assert [one.access for one in passages] == [("works",), ("board", "works"), ("board", "works")]
    assert [dict(one.metadata) for one in passages] == [
        {"year": "1875", "kind": "chat"},
        {"year": "1874", "kind": "chat"},
        {"year": "1874", "kind": "letter"},
    ]


@pytest.mark.parametrize(
    "export",
    [
        {"access": ["board"], "results": [{"id": "1", "text": "Secret.", "access": ["works"]}]},
        {"access": {"of": "board"}, "results": [{"id": "1", "text": "Secret."}]},
        {"access": [{"label": "board"}], "results": [{"id": "1", "text": "Secret."}]},
        {"text": "Public.", "comments": [{"user": "ida", "text": "Secret.", "access": 7}]},
        {"title": "Minutes", "paragraphs": [{"text": "Secret.", "access": "board"}, {"text": "Secret.", "access": "works"}]},
    ],
)
def test_where_no_label_is_right_for_all_of_a_record_it_is_not_read(tmp_path, export):
    with pytest.raises(DataError, match=r"a\.json, (?:the )?record.*: its access .*"):
        read(tmp_path, json.dumps(export), "a.json")


@pytest.mark.parametrize(
    "record",
    [
        {"title": "Minutes", "paragraphs": [{"text": "All may know."}, {"text": "The board met.", "access": "board"}]},
        {
            "id": "1",
            "title": "A",
            "text": "It leaks.",
            "reporter": "ida",
            "comments": [{"user": "x", "text": "So it does.", "access": "board"}],
        },
    ],
)
def test_a_record_is_only_for_those_who_may_see_all_that_it_consists_of(tmp_path, record):
    [passage], _ = read(tmp_path, [record])
    assert passage.access == ("board",)
    [passage], _ = read(tmp_path, json.dumps(record), "a.json")
    assert passage.access == ("board",)


def test_what_is_called_access_and_holds_no_labels_stays_what_it_is(tmp_path):
    by_bus, by_boat = {"id": "1", "text": "Take the bus to the harbour."}, {"id": "2", "text": "The ferry sails at noon."}
    passages, _ = read(tmp_path, json.dumps({"count": 2, "access": [by_bus], "ferries": [by_boat]}), "a.json")
    assert [(one.id, one.access) for one in passages] == [("1", ()), ("2", ())]
    repository = {
        "id": "1",
        "text": "It holds plans.",
        "members": [{"name": "Ida", "access": "write"}],
        "owner": {"access": "all"},
    }
    [passage], _ = read(tmp_path, [repository])
    assert passage.access == ()


def test_what_an_object_gives_to_each_of_many_records_is_limited(tmp_path):
    rows = [{"id": str(number), "text": f"Record {number}."} for number in range(3)]
    export = {"metadata": {f"k{number}": number for number in range(200)}, "results": rows}
    passages, _ = read(tmp_path, json.dumps(export), "a.json")
    assert [len(one.metadata) for one in passages] == [100, 100, 100]
    with pytest.raises(DataError, match=r"a\.json, the record: its access has 101 labels, more than 100"):
        read(tmp_path, json.dumps({**export, "access": [f"team-{number}" for number in range(101)]}), "a.json")


def test_messages_of_one_text_are_for_the_same_people(tmp_path):
    messages = [*MESSAGES, {"user": "ida", "text": "For the works alone.", "access": ["works"]}]
    passages, _ = read(tmp_path, json.dumps({**AROUND, "messages": messages}), "a.json")
    assert [(one.access, "alone" in one.text) for one in passages] == [(("board", "works"), False), (("works",), True)]


def test_what_cannot_be_stored_above_a_record_or_in_its_cells_is_one_line(tmp_path):
    for content in ({"name": "\ud800", "rows": [{"id": "1", "text": "One."}], "n": 1}, [{"\ud800": "a", "b": "c"}]):
        with pytest.raises(DataError, match=r"a\.json, record 1.* contains an unpaired surrogate"):
            read(tmp_path, json.dumps(content), "a.json")
