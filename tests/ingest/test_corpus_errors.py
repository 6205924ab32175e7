import gzip
import json
import os

import pytest
from support.corpora import refused

from hopweave.core.errors import SettingsError
from hopweave.ingest.read import CorpusOptions

BAD = {
    "no text field": (
        "a.jsonl",
        b'{"text": "x"}\n{"id": 1, "words": "y"}\n',
        r"a\.jsonl, line 2 .*its fields: id, words.*--text-field$",
    ),
    "text of another type": (
        "a.jsonl",
        b'{"text": {"a": 1}}',
        r"a\.jsonl, line 1: its text is of type dict; make it a single text$",
    ),
    "title of another type": ("a.jsonl", b'{"title": {"a": 1}, "text": "x"}', r"line 1: its title is of type dict"),
    "id of another type": ("a.jsonl", b'{"id": 1.5, "text": "x"}', r"line 1: its id is of type float"),
    "truth value as id": ("a.jsonl", b'{"id": true, "text": "x"}', r"line 1: its id is of type bool"),
    "half a surrogate pair": ("a.jsonl", b'{"text": "a\\ud800"}', r"line 1: its text contains an unpaired surrogate"),
    "line that is not JSON": (
        "a.jsonl",
        b'{"text": "x"}\n{"text": }\n',
        r"a\.jsonl, line 2 is not JSON: .*column 10.*remove it$",
    ),
    "line that is no object": ("a.jsonl", b'["x"]', r"a\.jsonl, line 1 is a list, not an object"),
    "deep nesting": ("a.jsonl", b"[" * 200_000, r"a\.jsonl, line 1 (is nested too deeply|is not JSON)"),
    "bad bytes in lines": (
        "a.jsonl",
        b'{"text": "x"}\n{"text": "\xff"}',
        r"a\.jsonl is not UTF-8: byte 0xff at offset 24; .*iconv$",
    ),
    "bad bytes in JSON": ("a.json", b'[{"text": "x\xc3(y"}]', r"a\.json is not UTF-8: byte 0xc3 at offset 12"),
    "bad bytes in text": ("a.txt", b"x" * 300_000 + b"\x00\x80", r"a\.txt is not UTF-8: byte 0x80 at offset 300001"),
    "damaged characters": ("a.txt", "ö".encode() * 150_000 + b"\x80", r"a\.txt is not UTF-8: byte 0x80 at offset 300000"),
    "cut character at the end": ("a.txt", b"ab\xe2\x82", r"a\.txt is not UTF-8: byte 0xe2 at offset 2"),
    "JSON that breaks off": (
        "a.json",
        b'[{"text": "x"},\n{"text": "y"',
        r"a\.json, line 2 \(record 2\) is not JSON: .*correct the file$",
    ),
    "JSON with an error": ("a.json", b'[\n{"text": "x"},\n{"text" "y"}\n]', r"a\.json, line 3 \(record 2\) is not JSON"),
    "JSON lines named json": (
        "a.json",
        b'{"a": {"text": "x"}}\n{"b": {"text": "y"}}',
        r"a\.json, line 2 .*name the file \.jsonl$",
    ),
    "JSON of numbers": ("a.json", b"[1, 2]", r"a\.json, record 1 is a number, not an object"),
    "JSON that is one record without a text": (
        "a.json",
        b'{"title": "T", "year": [1871]}',
        r"a\.json, the record has no field text",
    ),
    "a list within JSON without texts": (
        "a.json",
        b'{"n": 1, "rows": [{"of": {}}]}',
        r"a\.json, the record has no field text",
    ),
    "JSON that is one text": ("a.json", b'"x"', r"a\.json is neither a list nor an object"),
    "empty text file": ("a.txt", b" \n", r"a\.txt is empty; remove it or leave it out$"),
    "empty lines": ("a.jsonl", b"\n\n", r"a\.jsonl is empty: it has no records"),
    "empty JSON": ("a.json", b"", r"a\.json is empty"),
    "empty list": ("a.json", b"[]", r"a\.json is empty"),
    "header alone": ("a.tsv", b"id\ttext\n", r"a\.tsv is empty"),
    "missing column": ("a.tsv", b"id\ttext\n1\tx\n2\n", r"a\.tsv, line 3 has 1 columns and the header has 2"),
    "more cells than columns": ("a.csv", b"id,text\n1,x,y\n", r"a\.csv, line 2 has 3 columns and the header has 2"),
    "no header": ("a.tsv", b"7\tsome words\n8\tmore words\n", r"a\.tsv, line 2 has no field text or .*--text-field$"),
    "stray quote": ("a.tsv", b'id\ttext\n1\t"Hi" she said\n', r"a\.tsv, line 2 cannot be split into columns.*marks doubled$"),
    "open quote": ("a.tsv", b'id\ttext\n1\t"Hi she said\n', r"a\.tsv, line 2 cannot be split into columns"),
    "carriage return within a line": (
        "a.csv",
        b"id,text\n1,x\ry\n",
        r"a\.csv, line 2 cannot be split into columns: a carriage return stands in it; remove it, or quote the text .*it$",
    ),
    "carriage return within the first line": ("a.csv", b"id,te\rxt\n1,x\n", r"a\.csv, line 2 cannot be split into columns"),
    "no zip": ("a.txt.gz", b"plain", r"a\.txt\.gz is not a complete gzip file"),
    "zip that breaks off": (
        "a.txt.gz",
        gzip.compress(os.urandom(5000).hex().encode())[:-900],
        r"a\.txt\.gz is not a complete gzip file",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_is_one_line_that_names_file_place_and_remedy(tmp_path, case):
    name, content, message = BAD[case]
    (tmp_path / name).write_bytes(content)
    refused(tmp_path, match=message)


@pytest.mark.parametrize(("option", "field"), [("text_field", "body_text"), ("id_field", "key")])
def test_a_field_that_was_asked_for_by_name_must_be_there(tmp_path, option, field):
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "x"}')
    refused(
        tmp_path,
        **{option: field},
        match=rf"line 1 has no field {field} .*name the right one with --{option.replace('_', '-')}$",
    )


def test_a_path_that_does_not_exist_is_named(tmp_path):
    refused(tmp_path / "nowhere", match=r"there is no file or folder .*/nowhere; check the path$")


def test_a_link_to_nothing_is_named(tmp_path):
    (tmp_path / "a.txt").symlink_to(tmp_path / "gone")
    refused(tmp_path, match=r"a\.txt does not exist, or is a dangling link")


def test_a_folder_with_nothing_to_index_says_what_there_is(tmp_path):
    refused(tmp_path, match=r"nothing to index in .*; give files of these formats: \.adoc ")
    (tmp_path / "a.mp3").write_bytes(b"\x89\x00")
    refused(tmp_path, match=r"nothing to index in .*: unknown format \(1\): \.mp3; convert those")
    (tmp_path / "b.jsonl").write_text(json.dumps({"text": " "}))
    (tmp_path / "a.mp3").unlink()
    refused(tmp_path, match=r"all 1 texts are empty")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything, so nothing is refused")
@pytest.mark.parametrize("name", ["a.txt", "folder"])
def test_what_may_not_be_read_is_named(tmp_path, name):
    path = tmp_path / name
    path.write_text("x") if name == "a.txt" else path.mkdir()
    path.chmod(0)
    try:
        refused(tmp_path, match=r"no permission to read .*; change its mode or leave it out$")
    finally:
        path.chmod(0o700)


def test_a_negative_length_is_refused():
    with pytest.raises(SettingsError, match="max_words = -1 is below 0"):
        CorpusOptions(max_words=-1)
