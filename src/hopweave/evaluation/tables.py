"""What a report prints: cells with their means, comparisons, groups, frontiers, failures and examples, as plain data.

Scores and comparisons are handed over in these types; whoever draws them computes nothing anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hopweave.trace import Record
from hopweave.types import Column


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`, both included."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a column over the records of a cell, with all that was left out of it.

    Attributes:
        value: `None` if there is no data.
        num_scored: records that it is the mean of.
        num_failed: records left out since their question failed, or scoring them did.
        num_no_data: records left out since the column does not apply to them.
        interval: 95%, of the bootstrap.
        bounds: the mean if every failed record were the worst, and if every one were the best that the column can be.
    """

    value: float | None
    num_scored: int
    num_failed: int = 0
    num_no_data: int = 0
    interval: Interval | None = None
    bounds: Interval | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A method on a dataset.

    Attributes:
        num_questions: that were drawn.
        num_records: that were written; fewer where the run is not done.
        num_failed: records with an error.
        num_unparsed: records with an answer that could not be read off the model's words.
        num_abstained: records whose answer is that it does not know.
        means: by column.
    """

    dataset: str
    method: str
    num_questions: int
    num_records: int
    num_failed: int
    num_unparsed: int
    num_abstained: int
    means: Mapping[str, Mean]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A method against the baseline, question by question.

    Attributes:
        column: what is compared.
        num_pairs: questions that both have a value for.
        num_left_out: questions that one of them has none for.
        difference: the method's mean less the baseline's over the pairs; `None` if there are none.
        interval: 95%, of the paired bootstrap.
        test: which one gave `p`.
        p: uncorrected, two-sided.
        p_holm: corrected by Holm's method over the methods that are compared.
        minimum_detectable: the least difference that would be found with a power of 80%.
        says: what the numbers say, in a few words.
    """

    dataset: str
    column: str
    method: str
    baseline: str
    num_pairs: int
    num_left_out: int
    difference: float | None
    interval: Interval | None = None
    test: str = ""
    p: float | None = None
    p_holm: float | None = None
    minimum_detectable: float | None = None
    says: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonTable:
    """Comparisons that are corrected together: of one column on one dataset with one baseline.

    Attributes:
        name: of the column, with what sets it apart from other tables of it (such as options of the metric).
        how: how it was computed, in a sentence.
        is_primary: of the primary column of the dataset, with the first baseline.
    """

    dataset: str
    name: str
    baseline: str
    rows: tuple[Comparison, ...]
    how: str = ""
    is_primary: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A cell cut down to the questions that share the value of a trait."""

    trait: str
    value: str | int
    cell: Cell


@dataclass(frozen=True, slots=True)
class Point:
    """A method in the plane of what it costs and how good it is.

    Attributes:
        is_best: no other method is at least as good for at most the cost, and better in one of the two.
    """

    method: str
    cost: float
    quality: float
    interval: Interval | None = None
    is_best: bool = False


@dataclass(frozen=True, slots=True)
class Frontier:
    """Quality against a cost on a dataset; `absent` are the methods that have no data for one of the two."""

    dataset: str
    quality: str
    cost: str
    points: tuple[Point, ...]
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoredColumn:
    """A column of a metric as a table needs it.

    Attributes:
        column: its meaning, direction, range and unit.
        is_cost: it counts what was spent, so failed records have it too.
    """

    column: Column
    is_cost: bool = False


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """A dataset of the run, as the report names it."""

    label: str
    name: str
    summary: str
    licence: str
    address: str
    num_questions: int
    draw: str
    corpus: str


@dataclass(frozen=True, slots=True)
class MethodFacts:
    """A method of the run, with its options in full, and those of them that are not as they come."""

    label: str
    name: str
    summary: str
    options: Mapping[str, object]
    changed: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class FailureKind:
    """Failures of one kind in one cell: of questions, of a metric, or of words that could not be read.

    Attributes:
        where: `question`, `parse`, or what else failed, such as `metric f1`.
        kind: the name of the error, or of the parser.
        message: of the first.
        question_ids: all of them, in order.
    """

    dataset: str
    method: str
    where: str
    kind: str
    message: str
    question_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExampleAnswer:
    """A record to show, with the gold that it is judged by and its scores."""

    dataset: str
    method: str
    record: Record
    gold: tuple[str, ...]
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OfflineFacts:
    """What a method did once for all questions of a dataset: requests to the model, and their tokens in and out."""

    dataset: str
    method: str
    num_calls: int
    num_tokens: int


@dataclass(frozen=True, slots=True)
class Tables:
    """All that a report says.

    Attributes:
        name: of the run.
        datasets, methods: in the order of the plan; so are the rows of every table.
        facts: name and value of what else was set: model, retriever, reader, version, budget.
        caveats: a sentence each, on what must not be compared with published numbers, and why.
        columns: of all metrics, in the order in which they are printed.
        primary: the column by which methods are compared, for each dataset that has one.
        notes: how the means were computed, and what was left out, a sentence each.
        commands: that make this report anew.
        plan: of the run, as the file that the commands read; empty if there is none.
        offline: of the methods that have such a stage.
        caveat_of_seconds: what must be said of every column of seconds; empty if nothing.
    """

    name: str
    datasets: tuple[DatasetFacts, ...]
    methods: tuple[MethodFacts, ...]
    facts: tuple[tuple[str, str], ...]
    caveats: tuple[str, ...]
    columns: Mapping[str, ScoredColumn]
    primary: Mapping[str, str]
    cells: tuple[Cell, ...]
    comparisons: tuple[ComparisonTable, ...] = ()
    groups: tuple[Group, ...] = ()
    frontiers: tuple[Frontier, ...] = ()
    failures: tuple[FailureKind, ...] = ()
    examples: tuple[ExampleAnswer, ...] = ()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    plan: str = ""
    offline: tuple[OfflineFacts, ...] = ()
    caveat_of_seconds: str = ""

    def cell(self, dataset: str, method: str) -> Cell | None:
        """The cell of that dataset and method, or `None`."""
        return next((cell for cell in self.cells if (cell.dataset, cell.method) == (dataset, method)), None)

    def cells_of(self, dataset: str) -> list[Cell]:
        """The cells of a dataset in the order of the methods."""
        found = (self.cell(dataset, method.label) for method in self.methods)
        return [cell for cell in found if cell is not None]


def frontier_of(dataset: str, quality: str, cost: str, cells: Sequence[Cell], *, is_higher_better: bool = True) -> Frontier:
    """The plane of a quality and a cost, with the best methods marked.

    Args:
        dataset: of the cells.
        quality: its column.
        cost: its column; lower is better.
        cells: of the dataset.
        is_higher_better: of the quality.
    """
    points, absent = [], []
    for cell in cells:
        good, spent = cell.means.get(quality), cell.means.get(cost)
        if good is None or spent is None or good.value is None or spent.value is None:
            absent.append(cell.method)
        else:
            points.append(Point(cell.method, spent.value, good.value, good.interval))
    sign = 1.0 if is_higher_better else -1.0
    marked = (
        Point(point.method, point.cost, point.quality, point.interval, not _is_beaten(point, points, sign)) for point in points
    )
    return Frontier(dataset, quality, cost, tuple(marked), tuple(absent))


def _is_beaten(point: Point, others: Iterable[Point], sign: float) -> bool:
    for other in others:
        gain, saving = sign * (other.quality - point.quality), point.cost - other.cost
        if gain >= 0 and saving >= 0 and (gain > 0 or saving > 0):
            return True
    return False
