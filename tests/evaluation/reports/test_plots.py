"""The plots of a report: honest axes, every value and name to be seen, and the same bytes each time."""

from __future__ import annotations

import math
import random
import re
from functools import partial
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.drawings import SVG, plot_dots, plot_lines, plot_texts
from support.report_tables import small_tables
from support.tiers import first_of

from hopweave.core.errors import MissingExtra
from hopweave.core.types import Column
from hopweave.evaluation.reports.plots import (
    Curve,
    CurvePanel,
    CurvePlot,
    Dot,
    Panel,
    _set_level_limits,
    _set_limits,
    distinct_names,
    draw_curves,
    draw_dots,
    draw_frontier,
    shortened,
    tick_text,
)
from hopweave.evaluation.reports.report import make_report
from hopweave.evaluation.scoring import frontier as frontier_module
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.frontier import Planes, frontiers_of
from hopweave.evaluation.scoring.results import Frontier, Interval, Point
from hopweave.show.svg import drawing

VALUES = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False).filter(lambda v: v == 0 or abs(v) > 1e-6), min_size=1, max_size=8)


@pytest.fixture(scope="module")
def few_draws():
    """Fewer than are usual; here all draws are the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frontier_module, "resampled_means", partial(frontier_module.resampled_means, num_resamples=20))
        yield


def frontier_with(pairs: dict[str, tuple[float | None, float | None]], *, is_higher_better: bool = True) -> Frontier:
    """The frontier of methods that had the same quality and cost on each of three questions."""
    order = ["q0", "q1", "q2"]
    about = Column("q", "higher" if is_higher_better else "lower")

    def counted(value: float | None, column: Column) -> Counted:
        return Counted(dict.fromkeys(order, value) if value is not None else {}, column=column)

    qualities = {name: counted(quality, about) for name, (quality, _) in pairs.items()}
    costs = {name: counted(cost, Column("c", "lower", high=math.inf)) for name, (_, cost) in pairs.items()}
    (found,) = frontiers_of(Planes("d", order, list(pairs), "q", qualities, {"c": costs}))
    return found


# -- axes ----------------------------------------------------------------------------------------------------------------


def limits_and_ticks(set_limits, values):
    with drawing(300, 200) as figure:
        axes = figure.subplots()
        is_log = set_limits(axes, values)
        return axes.get_xlim(), list(axes.get_xticks()), is_log


@settings(max_examples=25, deadline=None)
@given(VALUES)
def test_an_axis_reaches_every_value_and_holds_zero(values):
    (low, high), ticks, _ = limits_and_ticks(lambda axes, values: _set_limits(axes, "x", values, num_ticks=6), values)
    assert low <= 0 <= high
    assert all(low - 1e-9 * (high - low) <= value <= high + 1e-9 * (high - low) for value in values)
    assert len(ticks) <= 8
    assert min(map(abs, ticks)) < 1e-9 * (high - low)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(1e-3, 1e7), min_size=2, max_size=8))
def test_a_log_axis_is_taken_only_where_costs_lie_far_apart_and_reaches_every_value(values):
    (low, high), ticks, is_log = limits_and_ticks(lambda axes, values: _set_level_limits(axes, values, num_ticks=6), values)
    assert is_log == (max(values) / min(values) > 20)
    assert all(low * (1 - 1e-9) <= value <= high * (1 + 1e-9) for value in values)
    assert ticks
    if not is_log:
        assert low == 0


def test_an_axis_with_a_cost_of_zero_is_never_a_log_axis():
    assert not limits_and_ticks(lambda axes, values: _set_level_limits(axes, values, num_ticks=6), [0.0, 5_000.0])[2]


def test_round_values_are_written_without_noise():
    assert [tick_text(value) for value in (0.1 + 0.2, -0.0, 2000.0, -0.25)] == ["0.3", "0", "2,000", "\u22120.25"]


# -- dots ----------------------------------------------------------------------------------------------------------------


def test_a_dot_plot_prints_each_value_and_says_where_there_is_no_data():
    panel = Panel("wiki", (Dot(0.5, "0.500", Interval(0.4, 0.6), Interval(0.3, 0.9)), Dot(None)))
    said = plot_texts(draw_dots("t", ["one", "two"], [panel], "share"))
    assert {"wiki", "one", "two", "0.500", "no data", "share"} <= set(said)


def test_what_may_be_chance_is_hollow():
    panel = Panel("wiki", (Dot(0.5, is_filled=False), Dot(0.2)))
    assert plot_dots(draw_dots("t", ["one", "two"], [panel], "share")) == [False, True]


@pytest.mark.slow
def test_many_panels_stand_in_several_lines_and_all_within_the_drawing():
    panels = [Panel(f"hops {number}", (Dot(0.5, "0.500"),)) for number in range(7)]
    drawn = draw_dots("t", ["one"], panels, "share")
    root = ElementTree.fromstring(drawn)
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    assert width <= 720
    for x, y in places_of_texts(root):
        assert 0 <= x <= width
        assert 0 <= y <= height
    assert len(plot_dots(drawn)) == 7


def places_of_texts(root):
    """Where each text begins: matplotlib gives a place, or moves it there."""
    for text in root.iter(f"{SVG}text"):
        moved = re.match(r"translate\((\S+) (\S+)\)", text.get("transform", ""))
        yield tuple(map(float, moved.groups() if moved else (text.get("x"), text.get("y"))))


@pytest.mark.parametrize(
    "name", ['<script>alert(1)</script> & "x" \x1b[31m', "$\\frac{1}{2}$", "$$$ _a_ {", "\u6f22\u5b57 \u0645"]
)
def test_hostile_names_are_text_and_no_markup(name):
    drawn = draw_dots(name, [name], [Panel(name, (Dot(0.5, name),))], name)
    assert "<script" not in drawn
    assert "\x1b" not in drawn
    assert shortened(name, 26) in plot_texts(drawn)
    assert_is_inert(drawn)


def assert_is_inert(drawn):
    """Nothing in a drawing runs, loads, styles the page around it, or has a name that could clash."""
    for element in ElementTree.fromstring(drawn).iter():
        assert element.tag.removeprefix(SVG) in {"svg", "title", "path", "text"}
        assert not {"id", "style", "href"} & element.attrib.keys()
        assert not [name for name in element.attrib if name.startswith(("on", "{"))]
        assert not [value for value in element.attrib.values() if "url(" in value]


@given(
    st.lists(st.text(min_size=1, max_size=60).map(lambda text: " ".join(text.split())).filter(bool), max_size=6, unique=True)
)
def test_names_that_differ_never_look_the_same_when_they_are_cut(names):
    from hopweave.show.plain import one_line

    assume(len({one_line(name) for name in names}) == len(names))
    assert len(set(distinct_names(names, 12))) == len(names)


def test_the_middle_is_left_out_of_a_name():
    assert shortened("searchain_without_reader", 11) == "searc\u2026eader"
    assert shortened("ircot", 11) == "ircot"


def test_a_setting_of_the_user_changes_no_drawing(monkeypatch):
    import matplotlib as mpl

    plot = ("t", ["one"], [Panel("wiki", (Dot(0.5, "$0.5$"),))], "share")
    before = draw_dots(*plot)
    monkeypatch.setitem(mpl.rcParams, "font.size", 30.0)
    monkeypatch.setitem(mpl.rcParams, "svg.fonttype", "path")
    assert draw_dots(*plot) == before
    assert mpl.rcParams["font.size"] == 30.0


def test_without_matplotlib_a_report_is_whole_but_for_its_plots_and_says_what_to_install(monkeypatch):
    monkeypatch.setattr("hopweave.show.svg.find_spec", lambda _: None)
    report = make_report(small_tables())
    assert not [name for name in report.files if name.endswith(".svg")]
    assert "<svg" not in report.files["report.html"]
    assert "![" not in report.files["report.md"]
    assert "pip install 'hopweave[eval]'" in report.files["report.md"]
    assert report.numbers.keys() == make_report(small_tables()).numbers.keys()
    with pytest.raises(MissingExtra, match=r"pip install 'hopweave\[eval\]'"):
        draw_curves("t", CurvePlot((CurvePanel("wiki", (Curve("one", ((1.0, 2.0),)),)),), "size", "share"))


# -- the frontier --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("few_draws")
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.sampled_from([1.0, 2.0, 3.0])), max_size=7), st.booleans())
def test_the_frontier_holds_exactly_the_methods_that_none_beats_nor_silence(pairs, is_higher_better):
    assume(pairs)
    found = frontier_with({str(number): pair for number, pair in enumerate(pairs)}, is_higher_better=is_higher_better)
    sign, worst = (1, 0.0) if is_higher_better else (-1, 1.0)
    for point in found.points:
        beaten = any(
            sign * other.quality >= sign * point.quality
            and other.cost <= point.cost
            and (other.quality, other.cost) != (point.quality, point.cost)
            for other in found.points
        )
        assert point.is_best == (not beaten and point.quality != worst)
    assert all(point.quality == worst for point in found.points) or any(point.is_best for point in found.points)


def test_a_method_without_one_of_the_two_is_named_as_absent():
    found = frontier_with({"a": (0.5, 2.0), "b": (None, 2.0), "c": (0.5, None)})
    assert [point.method for point in found.points] == ["a"]
    assert found.absent == ("b", "c")


@pytest.fixture
def frontier() -> Frontier:
    made = [("direct", 30.0, 0.28), ("cot", 220.0, 0.48), ("oner", 870.0, 0.47), ("searchain", 640.0, 0.64)]
    best = {"direct", "cot", "searchain"}
    points = tuple(Point(name, cost, value, Interval(value - 0.1, value + 0.1), name in best) for name, cost, value in made)
    return Frontier("wiki", "f1", "tokens", points)


def test_the_best_are_filled_and_joined_by_a_line_that_never_promises_more_than_they_gave(frontier):
    drawn = draw_frontier("t", frontier, "f1", "tokens")
    (steps,) = plot_lines(drawn)
    assert plot_dots(drawn) == [True, True, True, False]  # by cost: direct, cot, searchain, oner
    for (x0, y0), (x1, y1) in pairwise(steps):
        assert x0 == x1 or y0 == y1
        assert x1 >= x0
        assert y1 <= y0


def test_each_method_is_named_once_at_its_dot(frontier):
    said = plot_texts(draw_frontier("t", frontier, "f1", "tokens"))
    assert [said.count(point.method) for point in frontier.points] == [1, 1, 1, 1]
    assert "tokens, log scale" in said


@pytest.mark.parametrize("seed", first_of(range(4)))
def test_names_stand_within_the_drawing_and_hide_no_other(seed):
    draw = random.Random(seed)
    points = tuple(
        Point("abcdefghijklmnop"[: draw.randint(3, 16)] + str(number), draw.uniform(10, 5_000), draw.random())
        for number in range(6)
    )
    root = ElementTree.fromstring(draw_frontier("t", Frontier("wiki", "f1", "tokens", points), "f1", "tokens"))
    backs = [path for path in root.iter(f"{SVG}path") if path.get("class") == "fill-paper"]
    boxes = []
    for back in backs:
        corners = [(float(x), float(y)) for x, y in re.findall(r"[ML] (\S+) (\S+)", back.get("d", ""))]
        boxes.append(
            (min(x for x, _ in corners), min(y for _, y in corners), max(x for x, _ in corners), max(y for _, y in corners))
        )
    assert len(boxes) == 6
    for number, a in enumerate(boxes):
        assert a[0] >= -1
        assert a[1] >= -1
        assert a[2] <= 451
        assert a[3] <= 311
        for b in boxes[:number]:
            assert a[2] <= b[0] + 2 or b[2] <= a[0] + 2 or a[3] <= b[1] + 2 or b[3] <= a[1] + 2
