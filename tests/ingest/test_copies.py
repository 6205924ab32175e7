"""The same text in several documents is one passage with several origins, and nothing is lost by that."""

import os
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from apps.cli.test_index import run
from apps.cli.test_index_of_folders import put, sync, texts
from support.documents import epub, pdf
from typer.testing import CliRunner

from hopweave.apps.cli.search import app as search
from hopweave.core.errors import DataError
from hopweave.core.files import sha256_of
from hopweave.ingest.copies import _BLOCK, Copies, Holder
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.ingest.tally import Tally
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.index.index_folder import DataFile, read_manifest, write_manifest
from hopweave.text.matching import letters_of

WORDS = ("harbour", "light", "keeper", "lens", "tower", "coast", "engineer", "signal", "winter", "lamp", "tide", "ferry")


def prose(seed: int, num_words: int = 60) -> str:
    """Sentences of words in an order that no other seed has."""
    choose = random.Random(seed)
    return " ".join(f"{choose.choice(WORDS)} {choose.randrange(1000)}" for _ in range(num_words // 2)).capitalize() + "."


def also_in(to: Path, passage_id: str) -> tuple[str, ...]:
    origin = BM25(to).origin_of(passage_id)
    assert origin is not None
    return origin.also_in


def manual(folder: Path) -> Path:
    """A manual in four formats, and another text."""
    pages = [prose(1), prose(2)]
    put(folder, manual_html=f"<title>Manual</title><h1>Manual</h1><p>{pages[0]}<p>{pages[1]}", other_txt=prose(3))
    put(folder, manual_txt=f"{pages[0].upper()}\n\n{pages[1]}\n")
    (folder / "manual.pdf").write_bytes(pdf(*pages))
    (folder / "manual.epub").write_bytes(epub("Manual", *(f"<html><body><p>{page}</p></body></html>" for page in pages)))
    return folder


def test_the_same_text_in_four_formats_is_one_passage_with_four_origins(tmp_path):
    to = tmp_path / "index"
    said = run(manual(tmp_path / "x"), "--to", to)
    assert sorted(texts(to)) == ["manual.epub#1", "manual.epub#2", "manual.html", "other.txt"]
    # The first page of the EPUB is found first; the HTML page has a heading more.
    assert also_in(to, "manual.epub#1") == ("manual.pdf#page=1", "manual.txt")
    assert also_in(to, "other.txt") == ()
    said_of = CliRunner().invoke(search, [prose(1), "--corpus", str(to)], catch_exceptions=False).stdout
    assert "     also in manual.pdf#page=1, manual.txt\n" in said_of
    assert "passages left out, since another document has their text: 3 (--keep-copies keeps them)" in said
    assert "read 5 files" in said
    assert "manual.epub\t2\tManual\talso in manual.pdf, manual.txt\n" in run("--to", to, "--list")


def test_with_keep_copies_every_document_has_its_passages(tmp_path):
    to = tmp_path / "index"
    run(manual(tmp_path / "x"), "--to", to, "--keep-copies")
    assert len(texts(to)) == 7
    assert also_in(to, "manual.epub#1") == ()


def test_versions_that_differ_in_a_digit_are_all_kept(tmp_path):
    text = prose(1)
    put(tmp_path, a_txt=f"{text} It holds 12 lamps.", b_txt=f"{text} It holds 13 lamps.", c_txt=f"{text} It holds 12 lamps.")
    assert [passage.id for passage in read_corpus([tmp_path])] == ["a.txt", "b.txt"]


def test_what_the_manuals_of_several_models_share_is_kept_for_each_but_not_for_each_format(tmp_path):
    for number, model in enumerate(("X4", "X6", "X6 Plus")):
        own, shared = prose(number, 100), prose(9, 100)
        (tmp_path / f"{number}.txt").write_text(f"MANUAL OF THE {model}\n\n{own}\n\n{shared}\n")
        (tmp_path / f"{number}.html").write_text(f"<title>Manual of the {model}</title><p>{own}<h2>Care</h2><p>{shared}")
    assert [one.id for one in read_corpus([tmp_path]) if prose(9, 100) in one.text] == ["0.html#2", "1.html#2", "2.html#2"]


def test_of_what_many_issues_of_a_newsletter_share_a_few_are_kept(tmp_path):
    for number in range(20):
        (tmp_path / f"{number:02}.md").write_text(
            f"# Newsletter {number}\n\n{prose(number, 100)}\n\n## Imprint\n\n{prose(99, 100)}\n"
        )
    assert [one.id for one in read_corpus([tmp_path]) if "Imprint" in one.text] == [f"0{number}.md#2" for number in range(5)]


def test_short_texts_and_records_are_never_left_out(tmp_path):
    put(tmp_path, a_txt="A short note.", b_txt="A short note.", c_jsonl=f'{{"id": "1", "text": "{prose(1)}"}}')
    put(tmp_path, d_jsonl=f'{{"id": "2", "text": "{prose(1)}"}}', e_txt=prose(1))
    assert [passage.id for passage in read_corpus([tmp_path])] == ["a.txt", "b.txt", "1", "2", "e.txt"]


def test_no_letter_of_any_document_is_lost(tmp_path):
    """Documents made of shared sentences: each one's text stands in the passages that were kept and those they name."""
    choose = random.Random(5)
    pool = [prose(number, 24) for number in range(12)]
    for number in range(30):
        (tmp_path / f"{number:02}.txt").write_text(" ".join(choose.choices(pool, k=choose.randrange(1, 9))))
    tally = Tally()
    options = CorpusOptions(max_words=40)
    kept = letters_of(" ".join(passage.text for passage in read_corpus([tmp_path], options=options, tally=tally)))
    assert tally.num_copies > 10
    for path in tmp_path.iterdir():
        whole = CorpusOptions(max_words=40, keep_copies=True)
        for passage in read_corpus([path], options=whole):
            assert letters_of(passage.text) in kept


@pytest.mark.parametrize("length", [100, 101, 150, 3 * _BLOCK])
def test_a_text_within_another_is_found_wherever_it_stands(length):
    choose = random.Random(length)
    text = "".join(choose.choices("abcdefgh\U00010400", k=4 * _BLOCK))
    with_texts = Copies(sqlite3.connect(""))
    with_texts.add("Manual", [text[:1000], text[1000:]], [[Holder("a#1", "/a")], [Holder("a#2", "/a")]])
    for start in (0, 1, 950, 1000, _BLOCK - 50, _BLOCK, len(text) - length):
        found = [one.passage_id for one in with_texts.holders_of(text[start : start + length], "Manual")]
        assert found == (["a#1"] if start + length <= 1000 else ["a#2"] if start >= 1000 else ["a#1", "a#2"])
    changed = text[:50] + "z" + text[51 : length + 1]
    assert with_texts.holders_of(changed, "Manual") == with_texts.holders_of(text[:99], "Manual") == ()


def test_with_sync_a_copy_is_read_again_when_the_file_with_its_text_changes_or_goes(tmp_path):
    to, text = tmp_path / "index", prose(1)
    folder = put(tmp_path / "x", a_txt=text, b_txt=text, c_txt=text, d_txt=prose(2))
    sync(to, folder)
    assert set(texts(to)) == {"a.txt", "d.txt"}
    assert sync(to, folder).synced.unchanged == 4

    put(folder, a_txt=prose(4))
    done = sync(to, folder)
    assert (done.synced.replaced, done.synced.unchanged) == (3, 1)
    assert texts(to) == {"a.txt": prose(4), "b.txt": text, "d.txt": prose(2)}
    assert also_in(to, "b.txt") == ("c.txt",)

    (folder / "b.txt").unlink()
    sync(to, folder)
    assert texts(to) == {"a.txt": prose(4), "c.txt": text, "d.txt": prose(2)}
    assert also_in(to, "c.txt") == ()


def test_a_copy_that_changes_or_goes_leaves_the_passage_and_its_list_right(tmp_path):
    to, text = tmp_path / "index", prose(1)
    folder = put(tmp_path / "x", a_txt=text, b_txt=text, c_txt=text)
    sync(to, folder)
    assert also_in(to, "a.txt") == ("b.txt", "c.txt")
    put(folder, b_txt=prose(2))
    (folder / "c.txt").unlink()
    sync(to, folder)
    assert texts(to) == {"a.txt": text, "b.txt": prose(2)}
    assert also_in(to, "a.txt") == ()


def test_a_new_file_with_the_text_of_an_unchanged_one_is_read_in_full(tmp_path):
    to = tmp_path / "index"
    folder = put(tmp_path / "x", a_txt=prose(1))
    sync(to, folder)
    put(folder, b_txt=prose(1))
    sync(to, folder)
    assert set(texts(to)) == {"a.txt", "b.txt"}


SALARY = "The salary of the harbour master Ida Renn is 91,250 pounds a year, as the board decided in March."


def labels(to: Path) -> dict[str, tuple[str, ...]]:
    return {passage.id: passage.access for passage in BM25(to).all_passages()}


@pytest.mark.parametrize("option", ["--add", "--sync"])
def test_a_copy_that_was_not_given_keeps_its_labels_when_the_file_with_its_text_becomes_public(tmp_path, option):
    to, text = tmp_path / "index", prose(1, 40)
    folder = put(tmp_path / "secret", a_txt=text, b_txt=f"{text}\n\n{SALARY}")
    run(folder, "--to", to, "--access", "board", "--max-words", "45")
    assert labels(to) == {"a.txt": ("board",), "b.txt#2": ("board",)}

    run(folder / "a.txt", "--to", to, option, "--max-words", "45")
    assert labels(to) == {"a.txt": (), "b.txt#1": ("board",), "b.txt#2": ("board",)}
    assert "nothing found" in CliRunner().invoke(search, ["salary", "--corpus", str(to)]).stdout
    assert also_in(to, "a.txt") == ()  # which would name what is hidden

    run(folder / "a.txt", "--to", to, option, "--max-words", "45", "--access", "works")
    assert labels(to) == {"a.txt": ("works",), "b.txt#1": ("board",), "b.txt#2": ("board",)}


@pytest.mark.parametrize("option", ["--add", "--sync"])
def test_a_public_copy_stays_public_when_the_file_with_its_text_gets_a_label(tmp_path, option):
    to, text = tmp_path / "index", prose(1, 40)
    folder = put(tmp_path / "x", a_txt=text, b_txt=text)
    run(folder, "--to", to)
    run(folder / "a.txt", "--to", to, option, "--access", "board")
    assert labels(to) == {"a.txt": ("board",), "b.txt": ()}


def test_a_copy_that_was_not_given_is_read_again_with_the_options_it_was_read_with(tmp_path):
    to, text = tmp_path / "index", prose(1, 40)
    folder = put(tmp_path / "x", a_txt=text, b_txt=f"{text} {prose(2, 40)}")
    run(folder, "--to", to, "--max-words", "40")
    assert set(texts(to)) == {"a.txt", "b.txt#2"}
    put(folder, a_txt=prose(3, 40))
    run(folder / "a.txt", "--to", to, "--sync")
    assert set(texts(to)) == {"a.txt", "b.txt#1", "b.txt#2"}
    assert sync(to, folder / "b.txt", max_words=40).synced.unchanged == 1


def test_of_a_copy_that_an_earlier_version_read_the_index_keeps_what_it_has_until_it_is_given(tmp_path):
    to, text = tmp_path / "index", prose(1, 40)
    folder = put(tmp_path / "secret", a_txt=text, b_txt=f"{text}\n\n{SALARY}", c_txt=text)
    run(folder, "--to", to, "--access", "board", "--max-words", "45")
    manifest = read_manifest(to)
    path = to / manifest.data / "files.sqlite"
    with closing(sqlite3.connect(path)) as table, table:
        table.execute("UPDATE files SET reading = ?", ["34 (45, None, None, None, 32, 65536, None, ('board',), False)"])
    file = DataFile(path.stat().st_size, sha256_of(path))
    write_manifest(to, replace(manifest, files={**manifest.files, path.name: file}))

    said = run(folder / "a.txt", "--to", to, "--add", "--max-words", "45")
    assert labels(to) == {"a.txt": (), "b.txt#2": ("board",)}
    assert "b.txt has text of a file that was read again, and was read by an earlier version" in said
    assert "c.txt has text of a file that was read again, and was read by an earlier version" in said
    run(folder / "b.txt", "--to", to, "--sync", "--access", "board", "--max-words", "45")
    assert labels(to) == {"a.txt": (), "b.txt#1": ("board",), "b.txt#2": ("board",)}


def test_copies_known_by_their_content_and_source_code_that_was_asked_for_are_read_again_too(tmp_path):
    to, text = tmp_path / "index", prose(1)
    folder = put(tmp_path / "docs", A_txt=text, tool_py=f"# {text}\nlight(7)\n")
    (folder / "NOTICE").write_text(f"{text}\n\n{prose(2)}\n")
    run(folder, folder / "tool.py", "--to", to, "--max-words", "65")
    put(folder, A_txt=prose(3))
    run(folder / "A.txt", "--to", to, "--sync", "--max-words", "65")
    found = texts(to)
    assert found["A.txt"] == prose(3)
    assert letters_of(text + prose(2)) == letters_of(" ".join(found[f"NOTICE#{number}"] for number in (1, 2)))
    assert "light(7)" in "".join(found[key] for key in found if key.startswith("tool.py"))


@pytest.mark.parametrize("how", ["damaged", "gone"])
def test_of_a_copy_that_cannot_be_read_again_the_index_keeps_what_it_has_until_it_can(tmp_path, how):
    to, text = tmp_path / "index", prose(1)
    folder = put(tmp_path / "x", a_txt=text, b_txt=f"{text}\n\n{prose(2)}")
    run(folder, "--to", to, "--max-words", "65")
    kept = {key: value for key, value in texts(to).items() if key.startswith("b.txt")}
    before, times = (folder / "b.txt").read_bytes(), (folder / "b.txt").stat()
    (folder / "b.txt").unlink() if how == "gone" else (folder / "b.txt").write_bytes(b"\xff\xfe" + b"\x00\xd8" * 40)
    put(folder, a_txt=prose(3))
    said = run(folder / "a.txt", "--to", to, "--sync", "--max-words", "65")
    assert "read in part: 1" in said
    assert texts(to) == {"a.txt": prose(3), **kept}

    (folder / "b.txt").write_bytes(before)
    os.utime(folder / "b.txt", ns=(times.st_atime_ns, times.st_mtime_ns))
    run(folder / "b.txt", "--to", to, "--sync", "--max-words", "65")
    assert letters_of(" ".join(texts(to).values())).count(letters_of(text)) == 1


@pytest.mark.parametrize("option", ["--add", "--sync"])
def test_a_copy_outside_the_given_paths_is_read_again_too(tmp_path, option):
    to, text = tmp_path / "index", prose(1)
    folder = put(tmp_path / "x", html__a_txt=text, pdf__b_txt=text)
    run(folder, "--to", to)
    assert set(texts(to)) == {"html/a.txt"}
    put(folder, html__a_txt=prose(2))
    run(folder / "html", "--to", to, option)
    assert texts(to) == {"html/a.txt": prose(2), "pdf/b.txt": text}


def test_what_is_deleted_comes_back_from_its_copy_with_the_next_sync(tmp_path):
    to, text = tmp_path / "index", prose(1)
    folder = put(tmp_path / "x", a_txt=text, b_txt=text)
    run(folder, "--to", to)
    run("--to", to, "--delete", "a.txt")
    run(folder, "--to", to, "--sync", "--exclude", "a.txt")
    assert texts(to) == {"b.txt": text}


def test_the_result_depends_on_the_files_and_their_order_alone(tmp_path):
    folder = manual(tmp_path / "x")
    assert run(folder, "--to", tmp_path / "a").splitlines()[-1] == run(folder, "--to", tmp_path / "b").splitlines()[-1]
    with pytest.raises(DataError):
        BM25(tmp_path / "a").origin_of("manual.txt")
