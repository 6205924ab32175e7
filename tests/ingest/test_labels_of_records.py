"""Where metadata and access labels come from, and what becomes of those that cannot be kept."""

import json

import pytest

from hopweave.core.errors import DataError, SettingsError
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
