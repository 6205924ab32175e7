"""Where rows come from: the forms of files, the places in errors, the hub."""

import gzip
import json
import sys
from types import SimpleNamespace

import pytest

from hopweave.core.errors import DataError, MissingExtra, SettingsError
from hopweave.evaluation.datasets._hub import HubAddress, hub_rows
from hopweave.evaluation.datasets._rows import Id, Layout, Text, read_members, read_rows
from hopweave.evaluation.datasets.hotpotqa import HotpotQA
from hopweave.evaluation.datasets.multihop_rag import MultiHopRAG
from hopweave.evaluation.datasets.musique import MuSiQue


class Plain(Layout):
    marks = ("name",)
    name: Text
    number: Id = "0"


class Other(Layout):
    marks = ("label", "size")
    label: Text


ROWS = [{"name": "a", "number": 1}, {"name": "b"}, {"label": "c", "size": 2, "more": [{"name": "inner"}]}]


def read(path, **more):
    return [type(row.values).__name__ + ":" + str(row.values) for row in read_rows(path, (Plain, Other), **more)]


@pytest.mark.parametrize("indent", [None, 1])
def test_all_forms_of_a_file_give_the_same_rows(tmp_path, indent):
    whole = json.dumps(ROWS, indent=indent)
    forms = {
        "list.json": whole,
        "lines.jsonl": "\n".join(map(json.dumps, ROWS)),
        "lines.txt": "\n\n" + "\r\n".join(map(json.dumps, ROWS)) + "\n",
        "under.json": json.dumps({"version": {"rows": [1]}, "rows": ROWS}, indent=indent),
        "mark.json": "\ufeff" + whole,
    }
    expected = ["Plain:name='a' number='1'", "Plain:name='b' number='0'", "Other:label='c'"]
    for name, text in forms.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        assert read(tmp_path / name, under=("rows",)) == expected, name
        assert read(tmp_path / f"{name}.gz", under=("rows",)) == expected, name


@pytest.mark.parametrize("broken", range(1, 6))
@pytest.mark.parametrize("under", [False, True])
def test_the_line_of_a_record_in_a_list_is_the_one_where_it_begins(tmp_path, broken, under):
    rows = [{"name": str(number), "list": [{"name": 1}, [1, 2]]} for number in range(1, 6)]
    rows[broken - 1]["name"] = ""
    text = json.dumps({"rows": rows} if under else rows, indent=2)
    (tmp_path / "a.json").write_text(text)
    line = [at for at, line in enumerate(text.splitlines(), 1) if line == ("    {" if under else "  {")][broken - 1]
    with pytest.raises(DataError, match=rf"a\.json, line {line} \(record {broken}\): name: is empty; correct the row"):
        read(tmp_path / "a.json", under=("rows",))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[{"name": "a"},\n{"name" "b"}]', r"line 2 \(record 2\) is not JSON"),
        ('[{"name": "a"},\n', r"\(record 2\) is not JSON"),
        ('[{"name": "a"}]\n[', r"is not JSON"),
        ('{"name": "a"}\n{"name": ', r"line 2 is not JSON: .*\(column 10\)"),
        ('{"name": "a"}\n"b"', r"line 2 is not an object with fields"),
        ('{"size": 1}', r"line 1 has no field name or label, size \(its fields: size\)"),
        ("[" * 3000, "is not JSON|is nested too deeply"),
        ('{"a":' * 100000, "line 1 (is not JSON|is nested too deeply)"),
        ("  \n", "is empty; fetch the file again"),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_why(tmp_path, text, reason):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(DataError, match=rf"a\.json.*{reason}"):
        read(tmp_path / "a.json")


def test_bytes_that_are_not_utf_8_and_a_torn_zip_are_named(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b'{"name": "\xff"}')
    with pytest.raises(DataError, match=r"a\.jsonl is not UTF-8"):
        read(tmp_path / "a.jsonl")
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"name": "a"}\n' * 99)[:-9])
    with pytest.raises(DataError, match="is not a complete gzip file"):
        read(tmp_path / "a.jsonl.gz")


def test_members_of_a_large_object_come_with_their_keys(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"x": ROWS[0], "y": ROWS[1]}))
    assert [(key, row.values.name) for key, row in read_members(tmp_path / "a.json", Plain)] == [("x", "a"), ("y", "b")]
    (tmp_path / "a.json").write_text('{"x": {"name": "a"}, "y": ')
    with pytest.raises(DataError, match="is not JSON"):
        list(read_members(tmp_path / "a.json", Plain))


# -- the hub ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def library(monkeypatch):
    """A stand-in for the `datasets` library: what it is asked for, and the tables that it has."""
    asked, tables = [], {}

    def load_dataset(path, name=None, *, split=None):
        asked.append((path, name, split))
        if (path, name, split) not in tables:
            raise FileNotFoundError(f"no {path}\n in the hub")
        return tables[path, name, split]

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    return SimpleNamespace(asked=asked, tables=tables)


def test_with_hub_the_rows_come_through_the_library(library):
    row = {
        "id": "1", "question": "Who?", "answer": "Tam", "type": "bridge", "level": "easy",
        "supporting_facts": {"title": ["A"], "sent_id": [0]}, "context": {"title": ["A"], "sentences": [["Tam."]]},
    }  # fmt: skip
    library.tables["hotpotqa/hotpot_qa", "fullwiki", "train"] = [row]
    (example,) = HotpotQA(hub=True, setting="fullwiki", split="train").examples()
    assert example.gold.answers == ("Tam",)
    assert len(example.gold.passage_ids) == 1
    assert library.asked == [("hotpotqa/hotpot_qa", "fullwiki", "train")]


def test_the_articles_of_multihop_rag_come_from_the_hub_too(library):
    library.tables["yixuantt/MultiHopRAG", "corpus", "train"] = [{"url": "u", "title": "t", "body": "b"}]
    assert [passage.id for passage in MultiHopRAG(hub=True).passages()] == ["u"]


def test_a_broken_row_of_the_hub_is_named(library):
    library.tables["dgslibisey/MuSiQue", None, "validation"] = [{"id": "2hop__1"}]
    with pytest.raises(DataError, match="dgslibisey/MuSiQue, split validation, row 1 has no field question"):
        list(MuSiQue(hub=True).examples())


def test_a_hub_that_cannot_be_reached_says_to_fetch_the_file(library):
    with pytest.raises(DataError, match=r"cannot load a/b \(c\), split d from the hub: no a/b in the hub; fetch its file"):
        list(hub_rows(HubAddress("a/b", "c"), "d", (Plain,)))


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtra, match=r"pip install 'hopweave\[data\]'"):
        list(MuSiQue(hub=True).examples())


def test_either_a_path_or_the_hub_must_be_given(tmp_path):
    with pytest.raises(SettingsError, match="MuSiQue: there is nothing to read; give either path = FILE or hub = true"):
        MuSiQue()
    with pytest.raises(SettingsError, match="both path and hub are given"):
        MuSiQue(tmp_path, hub=True)
