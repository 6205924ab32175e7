"""The section on ticks says how many there are, how many are right, at what coverage, and why the others have none."""

import csv
import io
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from support.drawings import SVG, plot_texts
from support.report_tables import small_tables

from hopweave.evaluation.reports.plots import RiskCurve, draw_risk_coverage
from hopweave.evaluation.reports.report import make_report
from hopweave.evaluation.scoring.results import Ticks, WithoutTick
from hopweave.evaluation.scoring.statistics import share_interval

RISKS = (0.0, 0.0, 1 / 3, 0.25, 0.4, 0.5, 4 / 7, 0.5)
BELOW = WithoutTick("its confidence is below the threshold", 3, 1, 2)


def ticks(method="direct", **more):
    """Ten questions, of which two failed; four have a tick, of which three are right."""
    fields = {
        "dataset": "wiki", "method": method, "trait": "", "value": "", "num_questions": 10, "num_right": 4, "num_ticks": 4,
        "num_ticks_right": 3, "num_ticks_wrong": 1, "interval": share_interval(3, 4), "risks": RISKS, "without": (BELOW,),
    }  # fmt: skip
    return Ticks(**(fields | more))


@pytest.fixture(scope="module")
def report():
    plain = ticks("searchain", risks=(), num_ticks=0, num_ticks_right=0, num_ticks_wrong=0, interval=None, without=())
    groups = (ticks(trait="type", value="bridge", num_questions=6, risks=()), ticks(trait="type", value="comparison"))
    return make_report(small_tables(ticks=(ticks(), *groups, plain)))


def fields(report, name):
    return list(csv.DictReader(io.StringIO(report.files[name])))


def test_each_method_has_a_row_with_its_counts_shares_and_exact_interval(report):
    text = report.files["report.md"].partition("## Ticks")[2].partition("## By type")[0]
    assert "| direct | 10 | 4 | 4 | 3 | 0.400 | 0.750 | [0.194, 0.994] |" in text
    assert "| searchain | 10 | 4 | 0 | 0 | 0.000 | no data | \u2013 |" in text
    assert "type bridge" in text
    assert "type comparison" in text


def test_the_share_of_right_answers_is_given_at_each_coverage_of_all_questions(report):
    right = [1 - risk for risk in RISKS]
    assert [ticks().right_at(percent) for percent in range(10, 101, 10)] == [*right, None, None]
    assert ticks(num_questions=15).right_at(10) == right[1]  # two of fifteen are the fewest that are a tenth
    assert ticks(risks=()).right_at(10) is None
    row = "| direct | 1.000 | 1.000 | 0.667 | 0.750 | 0.600 | 0.500 | 0.429 | 0.500 | no data | no data |"
    assert row in report.files["report.md"]
    table = report.files["report.md"].partition("| Method | 10% |")[2].partition("Right at each coverage")[0]
    assert "searchain" not in table


def test_answers_without_a_tick_are_listed_by_reason_with_how_many_are_right(report):
    assert "| its confidence is below the threshold | 3 | 1 | 2 |" in report.files["report.md"]
    assert fields(report, "no_tick.csv") == [
        {"dataset": "wiki", "method": "direct", "why": BELOW.why, "answers": "3", "right": "1", "wrong": "2"}
    ]


def test_csv_files_hold_every_group_and_the_points_of_each_curve(report):
    rows = fields(report, "ticks.csv")
    assert [(row["method"], row["trait"], row["value"], row["questions"]) for row in rows] == [
        ("direct", "", "", "10"),
        ("direct", "type", "bridge", "6"),
        ("direct", "type", "comparison", "10"),
        ("searchain", "", "", "10"),
    ]
    assert (rows[0]["share_right"], rows[0]["at_30"], rows[0]["at_90"]) == ("0.75", repr(1 - 1 / 3), "")
    points = fields(report, "risk_coverage.csv")
    assert [(row["answers"], float(row["coverage"]), float(row["risk"])) for row in points] == [
        (str(place), place / 10, risk) for place, risk in enumerate(RISKS, start=1)
    ]


def test_a_report_without_ticks_has_no_section_on_them():
    report = make_report(small_tables())
    assert "## Ticks" not in report.files["report.md"]
    assert not {"ticks.csv", "no_tick.csv", "risk_coverage.csv", "risk_coverage.svg"} & report.files.keys()


def test_without_a_confidence_there_is_no_curve_and_no_share_at_a_coverage():
    report = make_report(small_tables(ticks=(ticks(risks=()),)))
    assert "## Ticks" in report.files["report.md"]
    assert "risk_coverage.svg" not in report.files
    assert "Right at each coverage" not in report.files["report.md"]


# -- the plot ------------------------------------------------------------------------------------------------------------


def looks(drawn):
    """The dashes of each line of the curves, and the number of marks."""
    paths = list(ElementTree.fromstring(drawn).iter(f"{SVG}path"))
    lines = [path.get("stroke-dasharray", "") for path in paths if "stroke-accent" in (path.get("class") or "")]
    return lines, sum("fill-ink" in path.get("class", "") for path in paths)


def test_curves_differ_in_their_dashes_and_marks_and_are_named(report):
    curves = [RiskCurve(name, ((0.25, 0.0), (0.5, 0.5)), (0.3, 0.1)) for name in ("one", "two", "three")]
    drawn = draw_risk_coverage([("wiki", curves)])
    lines, num_marks = looks(drawn)
    assert len(set(lines)) == 3
    assert num_marks == 6  # one for the ticks of each method, and one in the legend
    assert {"wiki", "one", "two", "three", "coverage: share of the questions"} <= set(plot_texts(drawn))
    assert "risk_coverage.svg" in report.files


def test_a_method_looks_the_same_in_every_panel():
    curve = RiskCurve("two", ((0.25, 0.0), (0.5, 0.5)))
    drawn = draw_risk_coverage([("a", [replace(curve, name="one"), curve]), ("b", [curve])])
    lines, _ = looks(drawn)
    first, second, third, *_ = lines
    assert first != second == third
