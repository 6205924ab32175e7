"""What docs/documents.md shows of `hopweave index` is what the command says."""

import re

import pytest
from support.pages import ROOT

from hopweave.ingest.formats import ARCHIVE_SUFFIXES, DOCUMENT_SUFFIXES, IMAGE_SUFFIXES, RECORD_SUFFIXES, SOURCE_CODE_SUFFIXES
from hopweave.ingest.reasons import Reason

PAGE = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
SAID = PAGE.partition("## What indexing says\n")[2].partition("\n## ")[0]
KNOWN = ARCHIVE_SUFFIXES | DOCUMENT_SUFFIXES | IMAGE_SUFFIXES | RECORD_SUFFIXES | SOURCE_CODE_SUFFIXES


def counted(pattern: str) -> list[int]:
    return [int(number) for number in re.findall(pattern, SAID)]


def test_the_table_of_reasons_has_those_of_the_code_in_their_order():
    rows = SAID.partition("|---|---|\n")[2].partition("\n\n")[0].splitlines()
    assert [row.split(" | ")[0].removeprefix("| ").replace("`", "") for row in rows] == [reason.words for reason in Reason]


def test_the_files_of_the_summary_add_up():
    [read], [found], [skipped] = counted(r"  read (\d+) of"), counted(r" of (\d+) files: "), counted(r"  skipped: (\d+)")
    lines = SAID.partition("  skipped: ")[2].partition("  --verbose")[0].splitlines()[1:]
    assert read + skipped == found
    assert sum(int(number[1]) if (number := re.search(r" \((\d+)\): ", line)) else 1 for line in lines) == skipped


@pytest.mark.parametrize("reason", [Reason.UNKNOWN_FORMAT, Reason.PICTURE, Reason.HIDDEN])
def test_what_the_summary_says_of_skipped_files_can_be_printed(reason):
    [line] = [line.strip() for line in SAID.splitlines() if line.strip().startswith(f"{reason.words} (")]
    what, _, remedy = line.partition("; ")
    names = re.sub(r" \(\d+\)", "", what.partition(": ")[2]).split(", ")
    assert remedy == reason.remedy
    if reason is Reason.UNKNOWN_FORMAT:
        assert [name for name in names if name in KNOWN] == []
    if reason is Reason.PICTURE:
        assert [name for name in names if name not in IMAGE_SUFFIXES] == []
