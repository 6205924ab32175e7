"""Files that were made to hurt: each is one line that names it, or is left out with a note; none takes memory or time."""

from __future__ import annotations

import gzip
import json
import os
import resource
import socket
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from support.corpora import one_line_of, read, refused
from support.readers import read_document
from support.tiers import first_of

from hopweave.core.catalog import load
from hopweave.core.errors import DataError, SettingsError
from hopweave.evaluation.datasets._rows import Layout, Text, read_members, read_rows
from hopweave.ingest.find import find_files
from hopweave.ingest.json_stream import MAX_DEPTH
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.ingest.reasons import Reason
from hopweave.ingest.tally import Tally

LONG = "7" * 5_000
MEMORY = 1 << 30


class Named(Layout):
    marks = ("text",)
    text: Text


def in_a_process(code: str, *arguments: Path) -> subprocess.CompletedProcess[str]:
    """Runs code apart, with little memory: what segfaults or eats memory does not take the tests along."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, preexec_fn=limit, check=False)


READ_ALL = """
import sys
from pathlib import Path
from hopweave.ingest.read import read_corpus
from hopweave.core.errors import DataError
try:
    print(len(list(read_corpus([Path(sys.argv[1])]))))
except DataError as error:
    print("DataError:", error)
"""

# -- JSON --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", first_of([5_000, 1_000_000]))
@pytest.mark.parametrize(
    "form", first_of(['[{{"id": {}, "text": "x"}}]', '{{"a": {{"id": {}, "text": "x"}}}}', "[{}]", '[{{"text": [-{}]}}]'], 2)
)
def test_a_whole_number_of_thousands_of_digits_is_one_line(tmp_path, form, digits):
    (tmp_path / "a.json").write_text(form.format("7" * digits))
    ran = in_a_process(READ_ALL, tmp_path / "a.json")
    assert ran.returncode == 0, ran.stderr[-300:]
    assert ran.stdout.startswith(f"DataError: {tmp_path}/a.json, line 1")
    assert "thousands of digits; write it as a string" in ran.stdout


def test_so_it_is_in_json_lines_and_in_datasets(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "x"}\n{"text": "y", "n": ' + LONG + "}\n")
    refused(path, match=r"a\.jsonl, line 2 contains an integer with thousands of digits")
    for text in (path.read_text(), f'[{{"text": "x"}},\n{{"text": {LONG}}}]'):
        path.write_text(text)
        with pytest.raises(DataError, match=r"a\.jsonl, line 2.* contains an integer with thousands of digits"):
            list(read_rows(path, (Named,)))
    path.write_text(f'{{"a": {{"text": {LONG}}}}}')
    with pytest.raises(DataError, match="integer with thousands of digits"):
        list(read_members(path, Named))


@pytest.mark.parametrize("form", ["{}", '[{{"text": "x"}},\n{}', '{{"a": {}', '[{{"text": {}', '{{"a":\n{{"text": {}'])
@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
@pytest.mark.parametrize("brackets", ["[", '{"a":', '[{"\\\\\\"[":'])
def test_a_hundred_thousand_brackets_are_one_line_and_take_no_memory(tmp_path, form, suffix, brackets):
    path = tmp_path / f"a{suffix}"
    path.write_text(form.format(brackets * 100_000))
    tracemalloc.start()
    refused(path, match=rf"a{suffix}, line [12]( \(record [12]\))? (is nested too deeply|is not JSON)")
    assert tracemalloc.get_traced_memory()[1] < 12 * path.stat().st_size
    tracemalloc.stop()


@pytest.mark.parametrize("write", [json.dumps, lambda rows: "\n".join(map(json.dumps, rows))])
def test_rows_nest_up_to_the_limit_and_no_deeper_in_every_form(tmp_path, write):
    def nested(depth):
        value = "x"
        for _ in range(depth - 1):
            value = [value]
        return {"text": '[[[{{{"', "more": value}

    path = tmp_path / "a.jsonl"
    path.write_text(write([nested(MAX_DEPTH), nested(1)]))
    assert len(list(read_rows(path, (Named,)))) == 2
    path.write_text(write([nested(1), nested(MAX_DEPTH + 1)]))
    with pytest.raises(DataError, match=r"is nested too deeply, more than 100 levels; flatten the row"):
        list(read_rows(path, (Named,)))


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("a.jsonl", '{"text": "y"}\n{"text": "%s"}\n', "line 2"),
        ("a.json", '[{"text": "y"},\n{"text": "%s"}]', r"line 2 \(record 2\)"),
        ("a.json", '["%s', r"line 1 \(record 1\)"),
        ("a.json", '{"%s', r"line 1 \(record 1\)"),
        ("a.json", "[%s", r"line 1 \(record 1\)"),
        ("a.csv", "text\ny\n%s\n", "line 3"),
        ("a.csv", "text\ry\r%s\r", "line 3"),
        ("a.csv", "%s", "line 1"),
        ("a.txt", "%s", ""),
        ("a.html", "%s", ""),
        ("a.md", "%s", ""),
    ],
)
@pytest.mark.parametrize("is_zipped", first_of([False, True]))
def test_a_row_or_a_document_is_held_to_a_length_that_can_be_raised(tmp_path, name, content, place, is_zipped):
    written = (content % ("7" * (3 << 20))).encode()
    path = tmp_path / (f"{name}.gz" if is_zipped else name)
    path.write_bytes(gzip.compress(written) if is_zipped else written)
    refused(path, max_row_mib=1, match=rf"{name}.*{place} is longer than 1 MiB; .*raise max_row_mib \(--max-row-mib\)$")
    assert not _is_too_long(path)


def _is_too_long(path):
    try:
        read(path, max_row_mib=4, max_words=0)
    except DataError as error:
        return "is longer than" in str(error)
    return False


def test_quoted_cells_that_go_on_over_lines_are_held_to_it_too(tmp_path):
    (tmp_path / "a.csv").write_text("id,text\n1," + '"' + ("x" * 999 + "\n") * 3_000)
    refused(tmp_path, max_row_mib=1, match=r"a\.csv, the row up to line \d+ is longer than 1 MiB")


def test_a_table_with_line_ends_of_the_classic_mac_os_may_be_longer_than_a_row(tmp_path):
    (tmp_path / "a.csv").write_text("id,text\r" + "".join(f"{number},{'x' * 999}\r" for number in range(1_100)))
    assert len(read(tmp_path, max_row_mib=1)) == 1_100


def test_unzipped_bytes_count_and_a_bomb_is_stopped_before_it_is_unzipped(tmp_path):
    row = b'{"text": "' + b"x" * 1000 + b'"}\n'
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(row * (1 << 12)))
    assert (tmp_path / "a.jsonl.gz").stat().st_size < 1 << 20
    refused(tmp_path, max_file_mib=3, match=r"a\.jsonl\.gz is longer than 3 MiB; .*raise max_file_mib \(--max-file-mib\)$")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(bytes(64 << 20)))
    tracemalloc.start()
    refused(tmp_path / "b.txt.gz", max_row_mib=2, match=r"b\.txt\.gz is longer than 2 MiB")
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("option", ["max_row_mib", "max_file_mib"])
def test_a_limit_below_one_is_refused(option):
    with pytest.raises(SettingsError, match=f"{option} = 0 is below 1; give a number of MiB"):
        CorpusOptions(**{option: 0})


def test_a_list_is_parted_into_rows_wherever_its_pieces_end(tmp_path):
    rows = [{"id": str(number), "text": 'q\\"[{,]}\u2028 ' * (number % 4_000) + "é"} for number in range(0, 40_000, 999)]
    path = tmp_path / "a.json"
    for indent in (None, 2):
        path.write_text("\ufeff \n" + json.dumps(rows, indent=indent, ensure_ascii=False) + "\n \t")
        assert [(p.id, p.text) for p in read(path, max_words=0)] == [(row["id"], row["text"]) for row in rows]
    path.write_text(json.dumps({row["id"]: {"text": row["text"]} for row in rows}))
    assert [(p.id, p.text) for p in read(path, max_words=0)] == [(row["id"], row["text"]) for row in rows]


@pytest.mark.parametrize(
    "text", ["[1 2]", "[,]", '[{"text": "a"} {"text": "b"}]', '{"a" {"text": "b"}}', "{1: 2}", '{"a": }', "[}"]
)
def test_what_is_no_list_or_object_is_not_json(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    refused(tmp_path, match=r"a\.json, (line 1 \(record [12]\) is not JSON|record 1 is a number)")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("Who?\t[" + LONG + "]", "its answers are not a list of texts"),
        ("Who?\t" + "[" * 100_000, "its answers are not a list of texts"),
        (
            'Who?\t"' + "x" * 200_000 + '"',
            "(cannot be split into columns: field larger than field limit|its answers are not a list of texts)",
        ),
    ],
)
def test_a_table_of_questions_that_hurts_is_one_line(tmp_path, row, reason):
    path = tmp_path / "a.tsv"
    path.write_text(f"Who?\t['x']\n{row}\n")
    one_line_of(
        lambda: list(load("datasets", "natural_questions")(path).examples()), rf"a\.tsv, line 2:? {reason}.*; correct the line"
    )


def test_a_judgement_of_thousands_of_digits_is_one_line(tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(f"q1\td1\t{LONG}\n")
    one_line_of(
        lambda: list(load("datasets", "beir")(tmp_path).examples()),
        r"test\.tsv, line 1 is not a tab-separated query, passage and integer",
    )


# -- files that are none -----------------------------------------------------------------------------------------------


@pytest.fixture
def special(tmp_path):
    """A folder with a FIFO, a socket, links to them and to a device, and one good file."""
    folder = tmp_path / "in"
    folder.mkdir()
    os.mkfifo(folder / "a.txt")
    (folder / "b.jsonl").symlink_to(folder / "a.txt")
    (folder / "c.json").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(folder / "d.md"))
        (folder / "e.txt").write_text("good")
        yield folder


def test_what_is_no_regular_file_is_left_out_with_a_note(special):
    tally = Tally()
    assert [passage.id for passage in read(special, tally=tally)] == ["e.txt"]
    assert list(tally.skipped[Reason.SPECIAL]) == ["a.txt (FIFO)", "b.jsonl (FIFO)", "c.json (device)", "d.md (socket)"]
    assert [file.source for file in find_files([special]) if file.is_readable] == ["e.txt"]


@pytest.mark.parametrize("name", ["a.txt", "b.jsonl", "c.json"])
def test_one_that_is_named_is_not_waited_for(special, name):
    refused(special / name, match=r"found nothing to index in .*\((FIFO|device)\); give regular files")
    with pytest.raises(DataError, match=r"is a (FIFO|device), not a regular file; give a file"):
        list(read_rows(special / name, (Named,)))


def test_a_file_that_becomes_a_fifo_behind_its_listing_is_not_waited_for(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "b.txt").write_text("y")
    passages = read_corpus([tmp_path])
    next(passages)
    (tmp_path / "b.txt").unlink()
    os.mkfifo(tmp_path / "b.txt")
    with pytest.raises(DataError, match=r"b\.txt is a FIFO, not a regular file"):
        list(passages)


@pytest.mark.slow
def test_the_index_command_notes_what_it_left_out_and_takes_the_limits(special, tmp_path):
    command = [
        sys.executable,
        "-c",
        "from hopweave.apps.cli import main; main()",
        "index",
        str(special),
        "--to",
        str(tmp_path / "index"),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "not a regular file (4): a.txt (FIFO), b.jsonl (FIFO), c.json (device) and 1 more; give regular" in ran.stdout
    (special / "e.txt").write_text("word " * 300_000)
    for limit, code in (("1", 1), ("2", 0)):
        ran = subprocess.run([*command, "--max-row-mib", limit], capture_output=True, text=True, timeout=120, check=False)
        assert ran.returncode == code, ran.stderr
        assert ran.stderr.count("\n") == code
        assert ("e.txt is longer than 1 MiB" in ran.stderr) == (limit == "1")


# -- folders and names -------------------------------------------------------------------------------------------------


@pytest.fixture
def deep(tmp_path):
    """A folder that is taken away again without recursion, which pytest's own way of doing it would not survive."""
    yield tmp_path / "deep"
    subprocess.run(["rm", "-rf", tmp_path / "deep"], check=True)


@pytest.mark.slow
def test_a_folder_1200_deep_is_walked(deep):
    deep.mkdir()
    here = os.open(deep, os.O_RDONLY)
    for _ in range(1_200):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    with open("a.txt", "w", opener=lambda name, flags: os.open(name, flags, 0o600, dir_fd=here)) as file:
        file.write("deep")
    os.close(here)
    (deep / "z.txt").write_text("flat")
    assert [passage.text for passage in read(deep)] == ["deep", "flat"]


def test_a_path_that_is_too_long_and_a_link_to_itself_are_named(tmp_path):
    refused(Path("x" * 3_000), match=r"cannot read x+: File name too long; check the file and the disk")
    (tmp_path / "good.txt").write_text("good")
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    refused(tmp_path, match=r"^cannot read loop\.txt: Too many levels of symbolic links")


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".jsonl", ".xyz"])
def test_a_file_name_with_invalid_bytes_gives_whole_characters_everywhere(tmp_path, suffix):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9\n" + suffix.encode()))
    try:
        path.write_text('{"text": "x"}')
    except OSError:
        pytest.skip("this file system takes no such name")
    (tmp_path / "z.txt").write_text("good")
    for passage in read(tmp_path):
        f"{passage.id}{passage.title}{passage.source}{passage.text}".encode()
    path.write_bytes(b"\x00\xff")
    for asked in (path, path.with_name(f"{path.stem}-gone{suffix}")):
        with pytest.raises(DataError) as caught:
            read(asked)
        str(caught.value).encode()


# -- documents ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "title", "text"),
    [
        ("<title>T</title><![foo bar]><p>a</p>", "T", "a"),
        ("<![if !IE]><p>a<![endif]></p>", "", "a"),
        ("<p>a<!-- b --!>c<!-->d<!--->e</p>", "", "acde"),
        ("<p>a<!-- never closed <p>b", "", "a"),
        ("<p>a<!DOCTYPE x [<!ENTITY b 'c'>]>d</p>", "", "a]>d"),
        ("<p>a<![CDATA[ b > c ]]>d</p>", "", "ad"),
        ("<p>a < b <3 c</p", "", "a < b <3 c"),
        ("<p title='<b>x</b>'>a</p>", "", "a"),
        ("<p>a</ b>c</>d</p>", "", "acd"),
        ("<script>if (a < b) { '</p>' }</script ><p>a", "", "a"),
        ("<script>never closed<p>a", "", ""),
        ("<script src=x /><p>a", "", "a"),
        ("<head><title>T</title><body>a", "T", "a"),
        ("<p>&#65;&amp;lt;&#x1F600;&#" + "7" * 9_000 + ";</p>", "", "A&lt;\U0001f600\ufffd"),
        ("<svg><title>Icon</title></svg><h1>H</h1>", "H", "H"),
        ("<title> </title><h1>A <b>b</b></h1>", "A b", "A b"),
        ("<nav>x<p>y</nav>a", "", "a"),
    ],
)
def test_broken_html_is_read_as_browsers_read_it(page, title, text):
    document = read_document(page, ".html")
    assert (document.title, document.parts[0].text) == (title, text)


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".json", ".jsonl", ".csv"])
@pytest.mark.parametrize(
    "content",
    ["Grüße".encode("utf-16-le"), "Öö, Ää".encode("latin-1"), b"a\x00\xff", b"\xed\xa0\x80", "Größe".encode() + b"\xff"],
)
def test_a_bad_file_among_many_is_named_in_one_line(tmp_path, suffix, content):
    for number in range(3):
        (tmp_path / f"a{number}.txt").write_text("good")
    (tmp_path / f"m{suffix}").write_bytes(content)
    (tmp_path / "z.txt").write_text("good")
    refused(tmp_path, match=rf"^m{suffix} is not UTF-8: byte 0x.. at offset \d+; convert the file to UTF-8")


def test_names_of_fields_with_line_ends_and_without_end_leave_the_message_one_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"a\nb": 1, "x" * 9_000: 2} | {f"n{number}": [3] for number in range(999)}) + "\n")
    for tried in (lambda: read(path), lambda: list(read_rows(path, (Named,)))):
        one_line_of(tried, r"its fields: a b, x+, n0, .* and 981 more")
