"""`hopweave index` over files that are too deep, too wide or too slow: they are listed, and the index holds the others."""

import pytest
from apps.cli.test_index import all_ids, run
from support.oversized import LONG, NESTED, WIDE, StepClock, inflated_pdf

from hopweave.core.errors import DataError
from hopweave.ingest import deadline
from hopweave.ingest.office_tables import MAX_COLUMNS


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "good.txt").write_text("Ulm is a city.")
    return folder


def test_the_summary_names_each_file_beyond_a_limit_with_the_limit_and_what_to_do(folder, tmp_path):
    (folder / "deep.html").write_text(NESTED["a.html"][1](100_001))
    (folder / "wide.csv").write_text(WIDE["a.csv"][1](MAX_COLUMNS + 1))
    (folder / "bomb.pdf").write_bytes(inflated_pdf(80))
    said = run(folder, "--to", tmp_path / "index")
    assert all_ids(tmp_path / "index") == ["good.txt"]
    assert (
        "  skipped: 3\n"
        "    bomb.pdf is too large to be read: page 1 draws more than the limits allow (75 MB once decompressed); "
        "print it to a new PDF, or leave it out\n"
        "    deep.html is nested too deeply, more than 100,000 elements within each other; close its tags, or leave it out\n"
        "    wide.csv, line 1 has 16,385 columns, more than 16,384; leave out columns that hold no text, or split the table\n"
    ) in said


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in LONG if name != "a.txt"])
def test_no_passage_of_a_document_that_was_stopped_is_in_the_index_and_the_next_sync_with_more_time_reads_it(
    folder, tmp_path, monkeypatch, name
):
    monkeypatch.setattr(deadline, "monotonic", StepClock())
    content = LONG[name](1_000)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    is_records = name.endswith((".json", ".jsonl", ".csv"))
    to = tmp_path / "index"
    options = ("--to", to, "--sync", "--max-words", 5)
    said = run(folder, *options, "--max-seconds", 30)
    assert f"\n    {name} took longer than 30 seconds to read; leave it out, or raise max_seconds (--max-seconds)" in said
    kept = set(all_ids(to)) - {"good.txt"}
    assert len(kept) < 100 if is_records else not kept
    assert f"{name} took longer" in run(folder, *options, "--max-seconds", 30)  # the file is as it was, and still listed
    assert "took longer" not in run(folder, *options, "--max-seconds", 1_000_000)
    assert len(all_ids(to)) > 1_000


def test_a_strict_run_over_such_a_file_leaves_the_index_as_it_was(folder, tmp_path, monkeypatch):
    run(folder, "--to", tmp_path / "index")
    monkeypatch.setattr(deadline, "monotonic", StepClock())
    (folder / "a.md").write_text(LONG["a.md"](1_000))
    with pytest.raises(DataError, match=r"^a\.md took longer than 30 seconds to read"):
        run(folder, "--to", tmp_path / "index", "--strict", "--max-seconds", 30)
    assert all_ids(tmp_path / "index") == ["good.txt"]
