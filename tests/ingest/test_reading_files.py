import gzip
import json
import os

import pytest
from support.corpora import read, written

from hopweave.core.errors import DataError
from hopweave.core.types import Passage
from hopweave.ingest.find import find_files
from hopweave.ingest.read import read_corpus
from hopweave.ingest.reasons import Reason
from hopweave.ingest.tally import Tally

DPR = 'id\ttext\ttitle\n1\t"Aaron ( or ; ""Ahärôn"") is a prophet."\tAaron\n2\tPlain text.\tMoses\n'

MARKDOWN = """---
title: From the front
tags: [a]
---
# The *Ulm* minster

It is the [tallest](https://example.org/x) church,
says `spire()`. ![A tower](t.png)

| city | metres |
|------|--------|
| Ulm  | 161    |

```python
height = 161

width = 3
```

<div>In a <b>block</b></div>
"""

HTML = """<!DOCTYPE html><html><head><title> Ulm &amp;
 around </title><style>p {}</style></head><body><nav>Home | About</nav><script>var x = "no";</script>
<h1>The minster</h1><p>It is <b>the</b> tallest
   church.<br>Second line.</p><!-- a comment --><table><tr><td>Ulm</td><td>161</td></tr></table>
<ul><li>one</li><li>two</li></ul><pre>a  b
  c</pre>tail</body></html>"""


LINES = [{"docid": "a", "name": "T", "body": "line\u2028separator"}, {"pid": 3, "paragraph_text": "two"}]
AS_LINES = "\n\n".join(json.dumps(row, ensure_ascii=False) for row in LINES) + "\n"
OF_LINES = [("a", "T", "line\u2028separator"), ("3", "", "two")]
OF_DPR = [("1", "Aaron", 'Aaron ( or ; "Ahärôn") is a prophet.'), ("2", "Moses", "Plain text.")]
READ = {
    # the file, its content, and the id, title and text of each passage
    "a JSON list of objects": (
        "a.json", json.dumps([{"id": 7, "title": "T", "text": "one"}, {"_id": "x", "contents": "two"}]),
        [("7", "T", "one"), ("x", "", "two")],
    ),
    "a JSON object of objects, whose keys are ids": (
        "a.json", json.dumps({"p1": {"title": "T", "text": "one"}, "p2": {"text": "two"}}),
        [("p1", "T", "one"), ("p2", "", "two")],
    ),
    "JSON lines and blank lines": ("a.jsonl", AS_LINES, OF_LINES),
    "JSON lines by their other name": ("a.ndjson", AS_LINES, OF_LINES),
    "the layout of DPR with its quotes": ("psgs_w100.tsv", DPR, OF_DPR),
    "line ends and commas in quotes": ("a.csv", 'id,title,text\r\n1,T,"a, b\nc"\r\n', [("1", "T", "a, b\nc")]),
    "line ends of the classic Mac OS": ("a.csv", 'id,text\r1,one\r\r2,"t\nw\ro"\r', [("1", "", "one"), ("2", "", "t\nw\ro")]),
    "such line ends in a file that was zipped": (
        "a.tsv.gz", gzip.compress(b'"id\r"\ttext\tnote\r1\tone\r'), [("1", "", "one")]
    ),
    "line ends with a carriage return too many": ("a.csv", "id,text\r\r\n1,one\r\r\n", [("1", "", "one")]),
    "carriage returns within quotes": ("a.csv", '"id","te\rxt",text\n1,x,"o\rne"\n', [("1", "", "o\rne")]),
    "semicolons between the columns": (
        "a.csv", 'id;title;text\n1;T;"a, b; c"\n2;U;1,5\n', [("1", "T", "a, b; c"), ("2", "U", "1,5")]
    ),
    "a separator that is named": ("a.csv", '\nsep=;\nid;text, plain;text\n1;x;a, b\n', [("1", "", "a, b")]),
    "tabs in a file named for commas": ("a.csv", "id\ttext\n1\ta, b\n", [("1", "", "a, b")]),
    "commas where a name has a semicolon": ("a.csv", 'id,"title; part",text\n1,x,one\n', [("1", "", "one")]),
    "a text file, which is one document named by its file": (
        "notes.on.ulm.txt", "\ufeffUlm has a minster.\r\nIt is tall.\n",
        [("notes.on.ulm.txt", "notes.on.ulm", "Ulm has a minster.\nIt is tall.")],
    ),
    "Markdown with a title in its front matter": ("a.md", '---\ntitle: "Ulm"\n---\nText.', [("a.md", "Ulm", "Text.")]),
    "Markdown without a title": ("b.md", "Text.", [("b.md", "b", "Text.")]),
    "HTML without a title but a heading": (
        "a.html", '<?xml version="1.0"?><p>x</p><h1>Ulm <i>minster</i></h1>', [("a.html", "Ulm minster", "x\n\nUlm minster")]
    ),
    "HTML that nests deeper than Python calls": (
        "a.html", "<div>" * 3000 + "deep" + "</div>" * 3000, [("a.html", "a", "deep")]
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "expected"), READ.values(), ids=READ)
def test_a_file_is_read_as_passages(tmp_path, name, content, expected):
    path = written(tmp_path, name, content)
    assert read(path) == [Passage(key, text, title, str(path)) for key, title, text in expected]


@pytest.mark.parametrize("suffix", [".md", ".markdown"])
def test_markdown_becomes_the_text_that_a_reader_sees(tmp_path, suffix):
    [passage] = read(written(tmp_path, f"a{suffix}", MARKDOWN))
    assert passage.title == "From the front"
    assert passage.text == (
        "tags: a.\n\nThe Ulm minster\n\nIt is the tallest church,\nsays spire(). A tower\n\ncity: Ulm; metres: 161.\n\n"
        "height = 161\nwidth = 3\n\nIn a block"
    )


@pytest.mark.parametrize("suffix", [".html", ".htm", ".HTML"])
def test_html_becomes_paragraphs_without_scripts_styles_and_navigation(tmp_path, suffix):
    [passage] = read(written(tmp_path, f"a{suffix}", HTML))
    assert passage.title == "Ulm & around"
    assert passage.text == ("The minster\n\nIt is the tallest church.\nSecond line.\n\nUlm 161\n\none\n\ntwo\n\na b\nc\n\ntail")


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.jsonl", '{"id": "1", "text": "one"}'), ("a.json", '[{"id": "1", "text": "one"}]'), ("a.tsv", "id\ttext\n1\tone")],
)
def test_a_zipped_file_is_read_like_the_plain_one(tmp_path, name, content):
    plain = written(tmp_path, name, content)
    zipped = written(tmp_path, f"{name}.gz", gzip.compress(content.encode()))
    assert [(p.id, p.text) for p in read(zipped)] == [(p.id, p.text) for p in read(plain)] == [("1", "one")]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.tsv", "a.txt"])
def test_a_byte_order_mark_is_no_part_of_the_content(tmp_path, name):
    content = {"a.json": '[{"text": "x"}]', "a.jsonl": '{"text": "x"}', "a.tsv": "text\nx", "a.txt": "x"}[name]
    assert [p.text for p in read(written(tmp_path, name, "\ufeff" + content))] == ["x"]


def test_folders_are_walked_in_the_order_of_names_and_hidden_files_left_out(tmp_path):
    for name in ("b/z.txt", "b/a.md", "a.txt", ".hidden.txt", ".git/x.txt", "c.html"):
        written(tmp_path, name, f"<p>{name}</p>")
    assert [p.id for p in read(tmp_path)] == ["a.txt", "b/a.md", "b/z.txt", "c.html"]
    assert [p.source for p in read(tmp_path)] == ["a.txt", "b/a.md", "b/z.txt", "c.html"]


def test_a_link_that_leads_back_up_does_not_loop(tmp_path):
    written(tmp_path, "a/b/x.txt", "text")
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path / "a")
    assert [p.id for p in read(tmp_path)] == ["a/b/x.txt"]


def test_unknown_formats_are_counted_not_silently_dropped(tmp_path):
    for name in ("a.txt", "b.mp3", "c.mp3", "program", "d.MP3"):
        written(tmp_path, name, "text" if name == "a.txt" else b"\x89\x00\x01")
    tally = Tally()
    assert [p.id for p in read(tmp_path, tally=tally)] == ["a.txt"]
    assert tally.skipped == {Reason.UNKNOWN_FORMAT: {".mp3": 3, "no suffix": 1}}
    assert (tally.num_files, tally.num_passages) == (1, 1)


def test_fields_can_be_named(tmp_path):
    path = written(tmp_path, "a.jsonl", '{"key": "k", "head": "H", "text": "wrong", "para": "right"}')
    [passage] = read(path, id_field="key", title_field="head", text_field="para")
    assert (passage.id, passage.title, passage.text) == ("k", "H", "right")


def test_a_record_without_an_id_is_named_by_its_content_and_a_repetition_is_counted(tmp_path):
    rows = [{"title": "T", "text": "x"}, {"title": "T", "text": "x"}, {"title": "U", "text": "x"}, {"id": None, "text": "y"}]
    tally = Tally()
    passages = read(written(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows))), tally=tally)
    assert [(p.title, p.text) for p in passages] == [("T", "x"), ("U", "x"), ("", "y")]
    assert [len(p.id) for p in passages] == [16, 16, 16]
    assert tally.num_duplicates == 1
    assert read(tmp_path / "a.jsonl") == passages


def test_empty_texts_are_counted_and_left_out(tmp_path):
    tally = Tally()
    path = written(tmp_path, "a.jsonl", '{"id": 1, "text": " "}\n{"text": ""}\n{"text": ""}\n{"id": 2, "text": "x"}')
    assert [p.id for p in read(path, tally=tally)] == ["2"]
    assert (tally.num_empty, tally.num_duplicates) == (3, 0)


def test_all_bytes_on_disk_are_told_of_zipped_or_not(tmp_path):
    written(tmp_path, "a.jsonl", '{"text": "x"}\n' * 20_000)
    written(tmp_path, "b.json", json.dumps([{"text": str(n)} for n in range(5000)]))
    written(tmp_path, "c.txt.gz", gzip.compress(b"word " * 1000))
    written(tmp_path, "d.html", "<p>x</p>")
    told: list[int] = []
    list(read_corpus([tmp_path], on_bytes=told.append))
    assert sum(told) == sum(file.num_bytes for file in find_files([tmp_path]))


def test_a_file_name_that_is_not_utf8_still_gives_a_printable_id(tmp_path):
    name = b"caf\xe9.txt"
    try:
        tmp_path.joinpath(os.fsdecode(name)).write_bytes(b"text")
    except OSError:
        pytest.skip("this file system takes no such name")
    [passage] = read(tmp_path)
    assert passage.id.encode() == "caf\ufffd.txt".encode()


def test_nothing_is_read_before_a_passage_is_asked_for(tmp_path):
    passages = read_corpus([tmp_path / "missing.txt"])
    with pytest.raises(DataError):
        next(passages)
