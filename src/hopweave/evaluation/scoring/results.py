"""What a report prints: cells with their means, comparisons, groups, frontiers, failures and examples, as plain data.

Scores and comparisons are passed on in these types; the code that draws them computes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hopweave.core.types import Column
from hopweave.record import Record


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`, inclusive."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a column over the questions of a cell that were asked, with everything left out of it.

    Attributes:
        value: with the worst value for each failed question; `None` if there is no data.
        num_scored: questions that it is the mean of, including failed ones.
        num_failed: those of them that failed; a figure of a whole cell leaves them out.
        num_no_data: records left out since the column does not apply to them.
        interval: 95%, of the bootstrap.
        bounds: the mean if every failed or unscored record had the least value of the column, and if every one had the
            greatest.
        num_unscored: records left out since scoring them failed.
        answered: the mean over the answered questions alone.
    """

    value: float | None
    num_scored: int
    num_failed: int = 0
    num_no_data: int = 0
    interval: Interval | None = None
    bounds: Interval | None = None
    num_unscored: int = 0
    answered: float | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A method on a dataset.

    Attributes:
        num_questions: drawn.
        num_records: written; fewer if the run is not finished.
        num_failed: records with an error.
        num_unparsed: records with an answer that could not be parsed from the reply.
        num_abstained: records that answer that the answer is not known.
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


NO_PAIRS = "no pairs, so no data"
NO_DIFFERENCE = "no difference was seen"
TOO_FEW_PAIRS = "too few pairs"
NOT_TOLD_APART = "not told apart"
"""What a comparison says, or how that begins, if it does not show which is better."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A method against the baseline, question by question.

    Attributes:
        column: what is compared.
        num_pairs: questions that count for both, failed ones with the worst value.
        num_left_out: questions that do not count for one of them.
        difference: the method's mean minus the baseline's over the pairs; `None` if there are none.
        interval: 95%, of the paired bootstrap.
        test: the test that gave `p`.
        p: uncorrected, two-sided.
        p_holm: corrected by Holm's method over the methods that are compared.
        minimum_detectable: the smallest difference that would be found with a power of 80%.
        says: the conclusion, in a few words.
        num_failed: pairs in which one of the two failed.
        difference_answered: over the pairs that both answered; `None` if there are none.
        bounds: the difference if everything failed or unscored were the least for one and the most for the other.
        mean: of the method over the pairs, and `baseline_mean` that of the baseline.
        num_wins: pairs where the method's value is better (higher, if the column has no direction), and `num_losses` where it
            is worse; the rest are ties.
        percentile_interval: 95%, in addition to the BCa one of `interval`.
        p_mid: the mid-p of McNemar's test.
        effect_size: Cohen's d_z of the differences.
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
    num_failed: int = 0
    difference_answered: float | None = None
    bounds: Interval | None = None
    mean: float | None = None
    baseline_mean: float | None = None
    num_wins: int = 0
    num_losses: int = 0
    percentile_interval: Interval | None = None
    p_mid: float | None = None
    effect_size: float | None = None

    @property
    def has_too_few(self) -> bool:
        """Whether so few pairs could not tell the two apart, whatever their answers."""
        return self.says.startswith(TOO_FEW_PAIRS)

    @property
    def is_certain(self) -> bool:
        """Whether the difference is hardly chance."""
        return self.says not in (NO_PAIRS, NO_DIFFERENCE, NOT_TOLD_APART) and not self.has_too_few


@dataclass(frozen=True, slots=True)
class Ranked:
    """A method and its mean in a `Ranking`.

    Attributes:
        mean: over the questions that count, failed ones with the worst value.
        num_questions: that it is the mean of, and `num_failed` those of them that failed.
        num_missing: drawn questions without a record, as in a run that is not finished.
        interval: 95%, of the bootstrap.
    """

    method: str
    mean: float
    num_questions: int
    num_failed: int = 0
    num_missing: int = 0
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The methods on a dataset by the column that they are compared by, and whether the best is better than the others.

    Attributes:
        column: with `meaning`, its meaning, `unit`, its unit, and `better`, its better direction.
        methods: those that have data, the best first.
        rows: each of the others against the best. The best was chosen by its mean, so `p_holm` is corrected for all pairs of
            methods.
    """

    dataset: str
    column: str
    meaning: str
    unit: str
    better: str
    methods: tuple[Ranked, ...]
    rows: tuple[Comparison, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportedComparisons:
    """Comparisons that are corrected together: of one column on one dataset with one baseline.

    Attributes:
        name: of the column, with what distinguishes it from other tables of it (such as options of the metric).
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
    """A cell restricted to the questions that share the value of a trait."""

    trait: str
    value: str | int
    cell: Cell


@dataclass(frozen=True, slots=True)
class Point:
    """A method in the plane of cost and quality.

    Attributes:
        is_best: on the frontier: no other method is at least as good for at most the cost, and better in one of the two, with
            the required support.
        support: the share of paired bootstrap draws in which it is on the frontier; `None` if it cannot be.
        why_off: why it can be on no frontier; empty if it can.
    """

    method: str
    cost: float
    quality: float
    interval: Interval | None = None
    is_best: bool = False
    support: float | None = None
    why_off: str = ""


@dataclass(frozen=True, slots=True)
class Frontier:
    """Quality against a cost on a dataset; `absent` are the methods without data for one of the two."""

    dataset: str
    quality: str
    cost: str
    points: tuple[Point, ...]
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WithoutTick:
    """The answers that have no tick for one reason; those that cannot be scored by words are neither right nor wrong."""

    why: str
    num_answers: int
    num_right: int
    num_wrong: int


@dataclass(frozen=True, slots=True)
class Ticks:
    """The ticks of a method on a dataset, or on those of its questions that share the value of a trait.

    Attributes:
        trait, value: empty for the whole dataset.
        num_questions: that were asked, including failed ones.
        num_right: right answers.
        num_ticks: answers with a tick.
        num_ticks_right: those of them that are right.
        num_ticks_wrong: those that are wrong; answers to questions that cannot be scored by words are neither.
        interval: 95%, of the share of ticks that are right: the exact one (Clopper-Pearson).
        risks: the share of wrong answers among the 1, 2, 3 ... most confident ones; empty if no confidence was estimated.
        without: the answers without a tick, by reason, most frequent first.
    """

    dataset: str
    method: str
    trait: str
    value: str | int
    num_questions: int
    num_right: int
    num_ticks: int
    num_ticks_right: int
    num_ticks_wrong: int
    interval: Interval | None = None
    risks: tuple[float, ...] = ()
    without: tuple[WithoutTick, ...] = ()

    @property
    def coverage(self) -> float | None:
        """The share of questions with a tick."""
        return self.num_ticks / self.num_questions if self.num_questions else None

    @property
    def share_right(self) -> float | None:
        """The share of ticks that are right."""
        num = self.num_ticks_right + self.num_ticks_wrong
        return self.num_ticks_right / num if num else None

    def right_at(self, percent: int) -> float | None:
        """The share of right answers among the most confident ones, as many as that part of all questions.

        `None` if fewer answers have a confidence.
        """
        num = -(-percent * self.num_questions // 100)
        return 1 - self.risks[num - 1] if 0 < num <= len(self.risks) else None


@dataclass(frozen=True, slots=True)
class Spread:
    """The means of a column under several seeds.

    Attributes:
        mean: over the seeds.
        standard_deviation: of the means of the seeds (n - 1); `None` of one alone.
        lowest, highest: of these means.
        num_seeds: seeds that have a mean.
    """

    mean: float
    standard_deviation: float | None
    lowest: float
    highest: float
    num_seeds: int


@dataclass(frozen=True, slots=True)
class OverSeeds:
    """A method on a dataset over the seeds that it was run under; `spreads` by column."""

    dataset: str
    method: str
    seeds: tuple[int, ...]
    spreads: Mapping[str, Spread]


@dataclass(frozen=True, slots=True)
class MacroMean:
    """The unweighted mean of a method over datasets.

    Attributes:
        value: `None` if it has no data on one of them.
        datasets: the averaged datasets, and `columns` the column of each.
        interval: 95%, of a bootstrap within each dataset.
        missing: datasets without data.
    """

    method: str
    value: float | None
    datasets: tuple[str, ...]
    columns: tuple[str, ...]
    interval: Interval | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoredColumn:
    """A column of a metric as a table needs it.

    Attributes:
        column: its meaning, direction, range and unit.
        is_cost: it measures spending, so failed records have it too.
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
    """A method of the run, with its options in full, and those that differ from the defaults."""

    label: str
    name: str
    summary: str
    options: Mapping[str, object]
    changed: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class FailureKind:
    """Failures of one kind in one cell: of questions, of a metric, or of parsing.

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
    """A record to show, with the gold that it is scored against and its scores."""

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
class ReportData:
    """The contents of a report.

    Attributes:
        name: of the run.
        datasets, methods: in the order of the plan; so are the rows of every table.
        facts: name and value of the other settings: model, retriever, reader, version, budget.
        caveats: a sentence each, on what cannot be compared with published numbers, and why.
        columns: of all metrics, in the order of printing.
        primary: the column by which methods are compared, for each dataset that has one.
        rankings: of the methods by that column, for each dataset that has one.
        notes: how the means were computed, and what was left out, a sentence each.
        commands: that reproduce this report.
        plan: of the run, as the file that the commands read; empty if there is none.
        made_of: SHA-256 of the files that all this was read from, except the records.
        offline: of the methods that have such a stage.
        ticks: of each cell, and of each of its groups; none if `risk_coverage` was not computed.
        caveat_of_seconds: the caveat for every column of seconds; empty if there is none.
    """

    name: str
    datasets: tuple[DatasetFacts, ...]
    methods: tuple[MethodFacts, ...]
    facts: tuple[tuple[str, str], ...]
    caveats: tuple[str, ...]
    columns: Mapping[str, ScoredColumn]
    primary: Mapping[str, str]
    cells: tuple[Cell, ...]
    rankings: tuple[Ranking, ...] = ()
    comparisons: tuple[ReportedComparisons, ...] = ()
    groups: tuple[Group, ...] = ()
    frontiers: tuple[Frontier, ...] = ()
    macro: tuple[MacroMean, ...] = ()
    seeds: tuple[OverSeeds, ...] = ()
    failures: tuple[FailureKind, ...] = ()
    examples: tuple[ExampleAnswer, ...] = ()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    plan: str = ""
    made_of: Mapping[str, str] = field(default_factory=dict)
    offline: tuple[OfflineFacts, ...] = ()
    caveat_of_seconds: str = ""
    ticks: tuple[Ticks, ...] = ()

    def cell(self, dataset: str, method: str) -> Cell | None:
        """The cell of that dataset and method, or `None`."""
        return next((cell for cell in self.cells if (cell.dataset, cell.method) == (dataset, method)), None)

    def cells_of(self, dataset: str) -> list[Cell]:
        """The cells of a dataset in the order of the methods."""
        found = (self.cell(dataset, method.label) for method in self.methods)
        return [cell for cell in found if cell is not None]
