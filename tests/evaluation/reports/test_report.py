"""A report says the same in Markdown, HTML and CSV, prints no number that it does not keep, and hides nothing that failed."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support.report_tables import COLUMNS, cell, example, small_tables
from support.tiers import first_of

from hopweave.core.errors import DataError
from hopweave.core.types import Column
from hopweave.evaluation.reports.numbers import Style, book, key_of, style_for
from hopweave.evaluation.reports.report import Report, make_report, write_report
from hopweave.evaluation.scoring.results import Comparison, FailureKind, Interval, Mean, OfflineFacts, ScoredColumn
from hopweave.show.plain import one_line
from hopweave.show.table import Number
from hopweave.show.table_markdown import escape

HOSTILE = '<script>alert(1)</script>|*b*_`c`](x) & "d" #1 --> \x1b[31m'


@pytest.fixture(scope="module")
def report() -> Report:
    return make_report(small_tables())


def fields(report: Report, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(report.files[name])))


class Page(HTMLParser):
    """The tags and the visible text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)


# -- numbers -------------------------------------------------------------------------------------------------------------


def test_every_number_of_a_table_stands_under_a_key_with_its_value(report):
    printed = {number.text for number in report.numbers.values()}
    rows = [line for line in report.files["report.md"].splitlines() if line.startswith("|")]
    found = {token for line in rows for token in re.findall(r"[+\u2212]?\b\d+\.\d+\b", line.replace("<br>", " "))}
    assert len(found) > 15
    assert found - printed - {"4.0", "0.1"} == {"0.001"}  # a licence and a version; the last is "< 0.001"


def test_html_and_markdown_print_the_same_numbers(report):
    said = " ".join(Page(report.files["report.html"]).words)
    for number in report.numbers.values():
        if number.key.startswith(("compare/", "wiki/")):
            assert number.text in said, number
            assert number.text in report.files["report.md"], number


def test_a_csv_file_gives_the_same_number_with_all_its_digits():
    tables = small_tables(cells=(cell("direct", 1 / 3, 120.0), cell("searchain", 0.55, 2400.0)))
    report = make_report(tables)
    (row,) = [row for row in fields(report, "results.csv") if (row["method"], row["column"]) == ("direct", "f1")]
    assert float(row["mean"]) == 1 / 3 == report.numbers["wiki/direct/f1/mean"].value
    assert report.numbers["wiki/direct/f1/mean"].text == "0.333"
    assert (row["scored"], row["failed"], row["unparsed"], row["abstained"]) == ("40", "2", "3", "1")


def test_a_mean_over_nothing_is_no_data_everywhere_and_never_0(report):
    (row,) = [row for row in fields(report, "results.csv") if (row["method"], row["column"]) == ("direct", "map")]
    assert row["mean"] == ""
    assert report.numbers["wiki/direct/map/mean"] == Number("wiki/direct/map/mean", None, "no data")
    assert "No data for any method: map." in report.files["report.md"]
    assert "no data" in report.files["groups-wiki-hops.svg"]


def test_failures_unparsed_and_abstained_stand_in_the_row_of_every_mean(report):
    heads = "| Method | Records | Failed | Unparsed | Abstained | f1 |"
    row = "| direct | 40 | 2 | 3 | 1 | 0.300<br>[0.200, 0.400]<br>n 40<br>answered 0.316 |"
    assert heads in report.files["report.md"]
    assert row in report.files["report.md"]
    assert "| direct | 0.300 | [0.200, 0.400] | 0.316 | [0.300, 0.350] | 40 | 2 | 0 | 0 | 3 | 1 |" in report.files["report.md"]


def test_a_report_that_contradicts_itself_is_not_written():
    with pytest.raises(ValueError, match="two values for a: 1 and 2"):
        book([Number("a", 1, "1"), Number("a", 2, "2")])


@given(st.lists(st.text(min_size=1), min_size=1, max_size=3), st.lists(st.text(min_size=1), min_size=1, max_size=3))
def test_no_two_places_share_a_key(one, other):
    assert (key_of(*one) == key_of(*other)) == (one == other)


@given(st.floats(-1e9, 1e9), st.integers(0, 6))
def test_a_printed_number_is_the_value_rounded_and_zero_has_no_sign(value, num_decimals):
    text = Style(num_decimals).text(value, is_signed=True)
    assert float(text.replace(",", "").replace("\u2212", "-")) == float(f"{value:.{num_decimals}f}")
    assert not re.fullmatch(r"[+\u2212][0.]+", text)


@pytest.mark.parametrize(
    ("high", "unit", "values", "printed"),
    [
        (1, "", [0.5], "0.500"),
        (float("inf"), "tokens", [1234.5, None], "1,234"),
        (float("inf"), "seconds", [2.0], "2.00"),
        (float("inf"), "seconds", [0.006279], "0.00628"),
        (float("inf"), "EUR", [0.00012], "0.000120"),
        (float("inf"), "", [0.0], "0"),
    ],
)
def test_a_column_is_printed_with_as_many_digits_as_mean_something(high, unit, values, printed):
    assert style_for(Column("x", high=high, unit=unit), values).text(values[0]) == printed


def test_a_p_that_is_very_small_is_not_printed_as_zero(report):
    start = "compare/wiki/f1/direct/searchain"
    assert report.numbers[f"{start}/p_holm"].text == "< 0.001"
    assert report.numbers[f"{start}/p_holm"].value == 0.0008
    assert report.numbers[f"{start}/difference"].text == "+0.250"


# -- what it says --------------------------------------------------------------------------------------------------------


def test_the_report_has_every_section_in_order(report):
    titles = re.findall(r"^## (.+)$", report.files["report.md"], re.MULTILINE)
    assert titles == [
        "What was run", "Results", "Comparison", "By type, hop and level", "Cost", "Quality against cost", "Failures",
        "Example answers", "How to reproduce",
    ]  # fmt: skip
    assert re.findall(r"<h2>(.+?)</h2>", report.files["report.html"]) == titles


def test_what_was_run_names_licence_options_model_and_what_is_not_comparable(report):
    for words in ("CC BY-SA 4.0", "max_tokens = 64", "small@abc", "Only 40 questions were drawn."):
        assert words in report.files["report.md"]
        assert words in " ".join(Page(report.files["report.html"]).words)


SAYS = {
    "a run that is not done": (
        {"cells": (cell("direct", 0.3, 120.0, num_records=31),)},
        "**Not done: direct on wiki has 31 of 40 records.**",
    ),
    "a licence that nobody stated": (
        {"datasets": (replace(small_tables().datasets[0], licence="", address=""),)},
        "not stated",
    ),
    "a run in which nothing failed": ({"failures": ()}, "Nothing failed"),
    "an example that failed": (
        {"examples": (example(error="the endpoint is gone"),)},
        "**No answer**: the language model failed: the endpoint is gone",
    ),
    "a dataset without records": (
        {"cells": (replace(cell("direct", None, 0.0, num_records=0), means={}),), "frontiers": (), "groups": ()},
        "No data for any method: wiki.",
    ),
    "a mean of what could not be scored": ({}, "no data<br>40 unscored"),
}


@pytest.mark.parametrize("what", first_of(list(SAYS), 2))
def test_the_report_says_what_is_missing_of(what):
    changes, words = SAYS[what]
    assert words in make_report(small_tables(**changes)).files["report.md"]


@pytest.mark.slow
def test_a_comparison_without_pairs_is_no_data():
    empty = Comparison("wiki", "f1", "searchain", "direct", 0, 40, None)
    report = make_report(small_tables(comparisons=(replace(small_tables().comparisons[0], rows=(empty,)),)))
    assert "| searchain | no data |" in report.files["report.md"]
    assert "no data" in report.files["comparison.svg"]


@pytest.mark.slow
def test_a_trait_that_does_not_part_the_questions_is_one_sentence():
    report = make_report(small_tables(groups=tuple(group for group in small_tables().groups if group.value == 2)))
    assert "All questions have the same: hops 2." in report.files["report.md"]
    assert "groups-wiki-hops.svg" not in report.files


@pytest.mark.slow
def test_failures_are_listed_worst_first_with_their_number_and_ids():
    ids = tuple(f"q{number}" for number in range(9))
    more = FailureKind("wiki", "direct", "metric cost", "DataError", "no prices", ids)
    early = FailureKind("wiki", "direct", "stopped early", "max_rounds", "", ("q5",))
    report = make_report(small_tables(failures=(more, early, *small_tables().failures)))
    text = report.files["report.md"]
    assert text.index("questions without an answer") < text.index("metric cost")
    to_do = "see whether it works with: hopweave doctor --llm NAME"
    assert f"| direct | 2 | the language model failed<br>{to_do} | 503 | `q3, q9` |" in text
    assert "| direct | 1 | max_rounds |" in text
    assert "| direct | 9 | something that is needed cannot be read | no prices | `q0, q1, q2, q3, q4, \u2026` |" in text
    assert len(fields(report, "failures.csv")) == 12


def test_an_example_shows_answer_citation_and_gold(report):
    for name in ("report.md", "report.html"):
        assert "It is painted white." in report.files[name]
        assert "1874" in report.files[name]
    page = Page(report.files["report.html"])
    targets = {attributes.get("id") for _, attributes in page.tags}
    links = {(attributes.get("href") or "")[1:] for tag, attributes in page.tags if tag == "a"}
    assert "example-1-cite-1" in targets
    assert links <= targets


@pytest.mark.slow
def test_anchors_of_several_examples_are_kept_apart():
    page = Page(make_report(small_tables(examples=(example(), example(method="direct")))).files["report.html"])
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


@pytest.mark.slow
def test_a_report_without_comparisons_and_groups_has_no_empty_sections():
    report = make_report(small_tables(comparisons=(), groups=(), frontiers=(), examples=()))
    assert "## Comparison" not in report.files["report.md"]
    assert "comparison.csv" not in report.files


@pytest.mark.slow
def test_many_columns_are_parted_into_tables_that_name_the_method_again():
    columns = {f"column_{number}": COLUMNS["f1"] for number in range(12)}
    means = {name: Mean(0.5, 38, 2, 0, Interval(0.4, 0.6)) for name in columns}
    report = make_report(
        small_tables(
            columns=columns, primary={}, cells=(cell("direct", 0.3, 1.0, means=means),), groups=(), frontiers=(), examples=()
        )
    )
    heads = [line for line in report.files["report.md"].splitlines() if line.startswith("| Method | ") and "column" in line]
    assert [head.count("column_") for head in heads] == [3, 7, 2]


# -- the page ------------------------------------------------------------------------------------------------------------


def test_the_page_loads_nothing_and_runs_nothing(report):
    page = Page(report.files["report.html"])
    assert not {"script", "link", "img", "iframe", "object", "embed", "base"} & {tag for tag, _ in page.tags}
    assert not [name for _, attributes in page.tags for name in attributes if name in ("src", "style") or name.startswith("on")]
    assert [
        attributes["href"] for tag, attributes in page.tags if tag == "a" and not (attributes["href"] or "").startswith("#")
    ] == []
    assert "default-src 'none'" in report.files["report.html"]
    assert "url(" not in report.files["report.html"]
    assert "@import" not in report.files["report.html"]


def test_every_table_scrolls_within_its_own_box(report):
    tags = [(tag, attributes.get("class") or "") for tag, attributes in Page(report.files["report.html"]).tags]
    for number, (tag, _) in enumerate(tags):
        if tag == "table":
            assert "wide" in tags[number - 1][1]


def test_the_drawings_stand_in_the_page_as_they_stand_in_their_files(report):
    drawings = [text for name, text in report.files.items() if name.endswith(".svg")]
    assert len(drawings) == 4
    assert all(drawing in report.files["report.html"] for drawing in drawings)
    assert all(f"]({name})" in report.files["report.md"] for name in report.files if name.endswith(".svg"))


def test_hostile_words_stay_words_wherever_they_stand():
    tables = small_tables(
        name=HOSTILE,
        facts=((HOSTILE, HOSTILE),),
        caveats=(HOSTILE,),
        notes=(HOSTILE,),
        cells=tuple(replace(one, dataset="wiki", method=HOSTILE) for one in small_tables().cells[:1]),
        methods=(replace(small_tables().methods[0], label=HOSTILE, options={HOSTILE: HOSTILE}),),
        failures=(FailureKind("wiki", HOSTILE, HOSTILE, HOSTILE, HOSTILE, (HOSTILE,)),),
        groups=(),
        frontiers=(),
    )
    files = make_report(tables).files
    page, written = Page(files["report.html"]), MarkdownIt("commonmark").enable("table").render(files["report.md"])
    assert "script" not in {tag for tag, _ in page.tags}
    assert "<script" not in written
    assert "\x1b" not in files["report.html"] + files["report.md"]
    for table in re.findall(r"<table>(.+?)</table>", written, re.DOTALL):
        widths = {len(re.findall(r"<t[hd][ >]", row)) for row in table.split("</tr>")[:-1]}
        assert len(widths) == 1


@given(st.text())
@hypothesis.example("__0__")
@hypothesis.example("<0@0>")
def test_no_text_is_taken_for_markdown(text):
    page = Page(MarkdownIt("commonmark").enable("table").render(escape(text)))
    assert {tag for tag, _ in page.tags} <= {"p"}
    assert "".join(page.words).split() == one_line(text).split()


# -- the folder ----------------------------------------------------------------------------------------------------------


def test_the_same_tables_give_the_same_bytes():
    one, other = make_report(small_tables()), make_report(small_tables())
    assert (one.files, one.to_json()) == (other.files, other.to_json())


def test_each_file_is_written_with_its_hash(report, tmp_path: Path):
    write_report(report, tmp_path / "a" / "report")
    data = json.loads((tmp_path / "a" / "report" / "numbers.json").read_text())
    assert data["schema"] == "hopweave.report/1"
    assert {path.name for path in (tmp_path / "a" / "report").iterdir()} == {*data["files"], "numbers.json"}
    for name, expected in data["files"].items():
        assert hashlib.sha256((tmp_path / "a" / "report" / name).read_bytes()).hexdigest() == expected
    assert data["numbers"]["wiki/direct/f1/mean"] == {"value": 0.3, "printed": "0.300"}


@pytest.mark.slow
def test_an_older_report_leaves_nothing_behind_and_other_files_stay(tmp_path: Path):
    write_report(make_report(small_tables()), tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    write_report(make_report(small_tables(comparisons=())), tmp_path)
    assert not (tmp_path / "comparison.svg").exists()
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_an_older_report_cannot_have_files_elsewhere_taken_away(tmp_path: Path):
    (tmp_path / "mine.txt").write_text("mine")
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "numbers.json").write_text(json.dumps({"schema": "hopweave.report/1", "files": {"../mine.txt": ""}}))
    write_report(make_report(small_tables()), folder)
    assert (tmp_path / "mine.txt").exists()


def test_a_folder_that_cannot_be_written_is_said_in_one_line(report, tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"cannot write the report to .*; choose another folder with --out"):
        write_report(report, tmp_path / "file" / "report")


@pytest.mark.slow
def test_what_was_done_once_for_all_questions_stands_beside_the_means():
    report = make_report(small_tables(offline=(OfflineFacts("wiki", "searchain", 40, 12345),)))
    assert (
        "searchain did once, for all its questions: 40 calls of the model, 12,345 tokens. They are in no mean"
        in report.files["report.md"]
    )
    assert {report.numbers[key].value for key in report.numbers if key.startswith("offline/")} == {40, 12345}


@pytest.mark.parametrize(("guessed", "is_said"), [(30.0, True), (0.0, False)])
def test_the_share_of_tokens_that_are_estimates_is_told_where_there_are_any(guessed, is_said):
    columns = COLUMNS | {
        name: ScoredColumn(Column("t", better="lower", high=math.inf, unit="tokens"), is_cost=True)
        for name in ("total_tokens", "estimated_tokens")
    }
    means = {"total_tokens": Mean(240.0, 40), "estimated_tokens": Mean(guessed, 40)}
    tables = small_tables(columns=columns, cells=(cell("direct", 0.3, 1.0, means=means),), groups=(), frontiers=())
    report = make_report(tables).files["report.md"]
    assert ("Of the tokens of direct, 12.5% are estimated" in report) == is_said
    assert ("estimated_tokens" in report) == is_said
