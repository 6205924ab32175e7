"""What the pages say to do can be done: every code block is run, or says why it is not."""

from __future__ import annotations

import re

import pytest
from support.pages import ROOT, Reader, Readers, blocks, is_like, pages

# These have tests of their own, which put the files into a copy of the package: tests/test_add_a_*.py.
_TESTED_ELSEWHERE = "docs/add_a_"

FIRST_READ = {"README.md"}
PAGES = [page for page in pages() if not page.startswith(_TESTED_ELSEWHERE)]


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Readers:
    return Readers(lambda: tmp_path_factory.mktemp("reader"))


@pytest.mark.parametrize(
    "page",
    [
        page if page in FIRST_READ else pytest.param(page, marks=pytest.mark.slow)
        for page in PAGES
        if any(block.kind not in ("not run", "shown") for block in blocks(page))
    ],
)
def test_what_a_page_says_to_do_can_be_done_in_an_empty_folder(page: str, readers: Readers):
    readers.done(page)


def test_the_variables_that_choose_the_scripted_model_for_a_reader_are_on_its_page(tmp_path):
    environment = Reader(tmp_path).environment
    chosen = {name: value.replace(str(ROOT), "CHECKOUT") for name, value in environment.items() if name.startswith("HOPWEAVE_")}
    section = (ROOT / "docs" / "start" / "models.md").read_text(encoding="utf-8").partition("\n## Without a model\n")[2]
    assert dict(re.findall(r"^export (\w+)=(\S+)", section, re.MULTILINE)) == chosen


def test_every_code_block_is_run_or_says_why_it_is_not():
    assert [str(block) for page in PAGES for block in blocks(page) if not block.kind] == []


def test_lists_within_lists_are_indented_by_four_as_the_site_reads_them():
    found = []
    for page in PAGES:
        text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        found += [f"{page}: {line}" for line in text.splitlines() if re.match(r" {1,3}(?:[-*]|\d+\.) ", line)]
    assert found == []


def test_every_row_of_a_table_has_as_many_cells_as_its_head():
    found = []
    for page in PAGES:
        text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
            # GitHub ends a cell at a bar in code, too, unless a backslash is before it.
            head, *rows = (line for line in table.splitlines() if not re.fullmatch(r"[|:\s-]+", line))
            num_bars = [len(re.findall(r"(?<!\\)\|", line)) for line in (head, *rows)]
            found += [f"{page}: {row}" for row, num in zip(rows, num_bars[1:], strict=True) if num != num_bars[0]]
    assert found == []


def test_a_reason_is_a_few_words():
    short = [str(block) for page in PAGES for block in blocks(page) if block.kind == "not run" and len(block.why_not) < 12]
    assert short == []


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("a\nb\n", ["a", "b"]),
        ("a\n\nb  \n", ["a", "b"]),
        ("took 0.25 s\n", ["took 3.1 s"]),
        ("a\nx\ny\nb\n", ["a", "...", "b"]),
        ("a\nx\n", ["a", "..."]),
    ],
)
def test_a_console_is_right_where_it_shows_what_is_printed(printed: str, expected: list[str]):
    assert is_like(printed, expected)


@pytest.mark.parametrize(("printed", "expected"), [("a\nb\n", ["a"]), ("a.b\n", ["a-b"]), ("", ["a"])])
def test_a_console_is_wrong_where_it_shows_something_else(printed: str, expected: list[str]):
    assert not is_like(printed, expected)
