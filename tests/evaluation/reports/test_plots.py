"""The plots of a report: honest axes, every value and name to be seen, and the same bytes each time."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hopweave.evaluation.reports.plots import Dot, Panel, dot_plot, frontier_plot, place_labels
from hopweave.evaluation.reports.svg import distinct_names, scale_over, shortened, tick_text, wrapped
from hopweave.evaluation.scoring import frontier as frontier_module
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.frontier import Planes, frontiers_of
from hopweave.evaluation.scoring.tables import Frontier, Interval, Point
from hopweave.types import Column

SVG = "{http://www.w3.org/2000/svg}"
VALUES = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False).filter(lambda v: v == 0 or abs(v) > 1e-6), min_size=1, max_size=8)


def texts(drawing: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(drawing).iter(f"{SVG}text")]


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


@given(VALUES)
def test_an_axis_reaches_every_value_and_holds_zero(values):
    scale = scale_over(values, 0, 300, 6)

    assert scale.low <= 0 <= scale.high
    assert all(-1e-6 <= scale(value) <= 300 + 1e-6 for value in values)
    assert len(scale.ticks(6)) <= 8
    assert 0 in scale.ticks(6)


@given(st.lists(st.floats(1e-3, 1e7), min_size=2, max_size=8))
def test_a_log_axis_is_taken_only_where_costs_lie_far_apart_and_reaches_every_value(values):
    scale = scale_over(values, 0, 300, 6, may_be_log=True)

    assert scale.is_log == (max(values) / min(values) > 20)
    assert all(-1e-6 <= scale(value) <= 300 + 1e-6 for value in values)
    assert scale.ticks(6)
    if not scale.is_log:
        assert scale.low == 0


def test_an_axis_with_a_cost_of_zero_is_never_a_log_axis():
    assert not scale_over([0.0, 5_000.0], 0, 300, 6, may_be_log=True).is_log


def test_round_values_are_written_without_noise():
    assert [tick_text(value) for value in (0.1 + 0.2, -0.0, 2000.0, -0.25)] == ["0.3", "0", "2,000", "\u22120.25"]


# -- dots ----------------------------------------------------------------------------------------------------------------


def test_a_dot_plot_prints_each_value_and_says_where_there_is_no_data():
    panel = Panel("wiki", (Dot(0.5, "0.500", Interval(0.4, 0.6), Interval(0.3, 0.9)), Dot(None)))
    said = texts(dot_plot("t", ["one", "two"], [panel], "share"))

    assert {"wiki", "one", "two", "0.500", "no data", "share"} <= set(said)


def test_what_may_be_chance_is_hollow():
    panel = Panel("wiki", (Dot(0.5, is_filled=False), Dot(0.2)))
    circles = list(ElementTree.fromstring(dot_plot("t", ["one", "two"], [panel], "share")).iter(f"{SVG}circle"))

    assert [circle.get("class") for circle in circles] == ["d-hollow", "d-full"]
    assert [circle.get("fill") == "#ffffff" for circle in circles] == [True, False]


def test_many_panels_stand_in_several_lines_and_all_within_the_drawing():
    panels = [Panel(f"hops {number}", (Dot(0.5, "0.500"),)) for number in range(7)]
    root = ElementTree.fromstring(dot_plot("t", ["one"], panels, "share"))
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))

    assert width <= 720
    assert all(0 <= float(e.get("x", "0")) <= width and 0 <= float(e.get("y", "0")) <= height for e in root.iter(f"{SVG}text"))
    assert sum(1 for _ in root.iter(f"{SVG}circle")) == 7


def test_hostile_names_are_text_and_no_markup():
    name = '<script>alert(1)</script> & "x" \x1b[31m'
    drawing = dot_plot(name, [name], [Panel(name, (Dot(0.5, name),))], name)

    assert "<script" not in drawing
    assert "\x1b" not in drawing
    ElementTree.fromstring(drawing)


def test_a_long_name_is_broken_where_its_words_part_and_kept_at_both_ends():
    name = "_".join(["searchain", *["without"] * 30, "reader"])
    lines = wrapped(name, 160, 3)

    assert len(lines) <= 3
    assert lines[0].startswith("searchain_")
    assert lines[-1].endswith("reader")
    assert "\u2026" in "".join(lines)
    assert wrapped("direct", 160, 3) == ["direct"]


@given(
    st.lists(st.text(min_size=1, max_size=60).map(lambda text: " ".join(text.split())).filter(bool), max_size=6, unique=True)
)
def test_names_that_differ_never_look_the_same_when_they_are_cut(names):
    from hopweave.render.plain import one_line

    assume(len({one_line(name) for name in names}) == len(names))
    assert len(set(distinct_names(names, 12))) == len(names)


def test_the_middle_is_left_out_of_a_name():
    assert shortened("searchain_without_reader", 11) == "searc\u2026eader"
    assert shortened("ircot", 11) == "ircot"


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
    root = ElementTree.fromstring(frontier_plot("t", frontier, "f1", "tokens"))
    filled = [circle.get("class") == "d-full" for circle in root.iter(f"{SVG}circle")]
    (line,) = root.iter(f"{SVG}path")
    steps = [tuple(map(float, step[1:].split())) for step in line.get("d", "").replace(" L", "|L").split("|")]

    assert filled == [True, True, True, False]  # by cost: direct, cot, searchain, oner
    for (x0, y0), (x1, y1) in pairwise(steps):
        assert x0 == x1 or y0 == y1
        assert x1 >= x0
        assert y1 <= y0


def test_each_method_is_named_once_at_its_dot(frontier):
    said = texts(frontier_plot("t", frontier, "f1", "tokens"))

    # Each name is drawn broad in the colour of the paper first, so that lines do not run through it.
    assert [said.count(point.method) for point in frontier.points] == [2, 2, 2, 2]
    assert "tokens, log scale" in said


def test_a_drawing_is_the_same_each_time(frontier):
    assert frontier_plot("t", frontier, "f1", "tokens") == frontier_plot("t", frontier, "f1", "tokens")


@given(
    st.lists(
        st.tuples(st.text("abcdefgh", min_size=3, max_size=20), st.floats(60, 400), st.floats(40, 260)), min_size=1, max_size=6
    )
)
def test_labels_stand_within_the_drawing_and_do_not_hide_each_other(made):
    points = [(x, y) for _, x, y in made]
    near = any(math.dist(a, b) < 40 for number, a in enumerate(points) for b in points[:number])
    spots = place_labels([label for label, _, _ in made], points)

    for spot in spots:
        assert spot.box[0] >= 39
        assert spot.box[2] <= 449
    if not near:
        for number, spot in enumerate(spots):
            for other in spots[:number]:
                a, b = spot.box, other.box
                assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_a_column_that_is_lower_the_better_turns_the_frontier_around():
    found = frontier_with({"a": (0.1, 1.0), "b": (0.9, 2.0)}, is_higher_better=False)

    assert [point.is_best for point in found.points] == [True, False]
