"""What the tables and figures of the papers have in common: their descriptions, and how their rows are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, ClassVar, Literal

from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import Variant, answered_cells, datasets_of, published, variants
from hopweave.evaluation.papers._scores import PERCENT, answered, is_long, percent, quality, with_counts
from hopweave.evaluation.reports.analysis_results import AnalysisResult, FigureColumn, MeasuredRow, PublishedRow
from hopweave.evaluation.reports.plots import CurvePlot
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_SCOPES = {"answer": "the bare answer", "full": "the whole text"}


@dataclass(slots=True)
class Draft:
    """A result under construction; repeated notes and missing runs appear once."""

    runs: LoadedRuns
    rows: list[MeasuredRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def scored(self, *all_scores: Counted) -> None:
        """Notes the problems of scoring."""
        self.notes += (line for scores in all_scores for line in scores.problems)

    def lacks(self, dataset: DatasetCells, *ones: Variant, **more: Any) -> None:
        """Notes how to evaluate variants on a dataset; see `how_to_evaluate`."""
        self.missing += [how_to_evaluate(dataset, one, **more) for one in ones]

    def short_answer_datasets(self) -> Iterator[DatasetCells]:
        """The datasets that ask for short answers, for tables of right and wrong; the others are noted as left out."""
        for dataset in self.runs.datasets:
            if not any(map(is_long, dataset.cells)):
                yield dataset
            else:
                why = "asks for long answers, which are neither right nor wrong; evaluate another dataset"
                self.missing.append(f"{dataset.label} {why}")


@dataclass(frozen=True, slots=True)
class Table:
    """A table or figure, made from records; its fields are its options.

    Attributes:
        title: what it shows, and which table or figure it reproduces.
        tables: the keys of the published ones.
        labels: names of the columns of labels; `heads` are the columns of figures.
        counted: what the figures are computed from.
        notes: written below it, with options in braces; `last_notes` likewise, after those on the rows.
        to_evaluate: what to evaluate if there is no row.
    """

    title: ClassVar[str]
    tables: ClassVar[tuple[str, ...]] = ()
    labels: ClassVar[tuple[str, ...]] = ("dataset", "method")
    heads: ClassVar[tuple[FigureColumn, ...]] = ()
    counted: ClassVar[str] = "questions"
    notes: ClassVar[tuple[str, ...]] = ()
    last_notes: ClassVar[tuple[str, ...]] = ()
    to_evaluate: ClassVar[str] = ""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `evaluation.reports.analysis.Analysis`."""
        draft, options = Draft(runs), {one.name: getattr(self, one.name) for one in fields(self)}
        draft.notes += [note.format(**options) for note in self.notes]
        self.fill(draft)
        draft.notes += [note.format(**options) for note in self.last_notes]
        if not draft.rows and self.to_evaluate:
            draft.missing.append(self.to_evaluate)
        notes, missing = tuple(dict.fromkeys(draft.notes)), tuple(dict.fromkeys(draft.missing))
        heads, plot = self.columns(draft), self.plot(draft)
        return AnalysisResult(self.title, self.labels, heads, tuple(draft.rows), self.counted, notes, missing, plot)

    def fill(self, draft: Draft) -> None:
        """Adds the rows, the notes and what is missing."""
        raise NotImplementedError

    def columns(self, draft: Draft) -> tuple[FigureColumn, ...]:
        """The columns of figures, where they depend on the rows."""
        return self.heads

    def plot(self, draft: Draft) -> CurvePlot | None:
        """The drawing of a figure."""
        return None

    def published(
        self, key: str, dataset: str, *cells: AnsweredCell, num: int | None = None, why: Iterable[str] = (), model: str = ""
    ) -> tuple[PublishedRow, ...]:
        """What the published tables have in a row for a dataset; see the function of that name.

        Args:
            key: of the row.
            dataset: the name of its file, or `ALL`.
            cells: that the measured row is made from; the row is of the first.
            num: how many questions were scored.
            why: further reasons why the two cannot be compared.
            model: see there.
        """
        setups = [cell.setup for cell in cells]
        found = (published(table, key, dataset, setups, num=num, more=why, model=model) for table in self.tables)
        return tuple(row for rows in found for row in rows)

    def unmeasured(self, draft: Draft, dataset: DatasetCells, one: Variant, *lacking: Variant, name: str = "") -> None:
        """Adds the row of a variant without figures, and notes what to evaluate.

        Args:
            draft: to add it to.
            dataset: of the row.
            one: whose row it is.
            lacking: what to evaluate; by default the variant.
            name: shown in the row; by default the title of the variant.
        """
        labels = (dataset.label, name or one.title, "-")[: len(self.labels)]
        draft.rows.append(MeasuredRow(labels, published=self.published(one.key, dataset.plan.name)))
        draft.lacks(dataset, *(lacking or [one]))


class MethodTable(Table):
    """A table with a row for each dataset and each cell of each method that the published tables have, and the runs too.

    Attributes:
        needed: keys of rows that are present even if nothing was measured.
    """

    needed: ClassVar[tuple[str, ...]] = ()

    def fill(self, draft: Draft) -> None:
        for dataset in draft.runs.datasets:
            for one in self.variants():
                cells = self.cells(one, dataset)
                draft.rows += [self.row(draft, dataset, one, cell) for cell in cells]
                if not cells and not one.is_ours and self.is_needed(one, dataset):
                    self.unmeasured(draft, dataset, one)

    def variants(self) -> list[Variant]:
        """The variants that are rows."""
        return variants(*self.tables)

    def cells(self, one: Variant, dataset: DatasetCells) -> list[AnsweredCell]:
        """The cells of a variant that rows are made from."""
        return answered_cells(one, dataset)

    def is_needed(self, one: Variant, dataset: DatasetCells) -> bool:
        """Whether a row is present even if nothing was measured."""
        return one.key in self.needed

    def row(self, draft: Draft, dataset: DatasetCells, one: Variant, cell: AnsweredCell) -> MeasuredRow:
        """The row of a cell."""
        raise NotImplementedError


class MeanTable(MethodTable):
    """A table of the mean of one measure, in percent. Failed questions are wrong."""

    def measure(self, runs: LoadedRuns, cell: AnsweredCell) -> Counted:
        """The values that are averaged."""
        raise NotImplementedError

    def why(self) -> tuple[str, ...]:
        """Further reasons why the published figures cannot be compared."""
        return ()

    def row(self, draft: Draft, dataset: DatasetCells, one: Variant, cell: AnsweredCell) -> MeasuredRow:
        scores = self.measure(draft.runs, cell)
        draft.scored(scores)
        key = self.heads[0].key
        bounds = scores.bounds if scores.values else None
        row = MeasuredRow(
            (dataset.label, name_of(one, cell)),
            {key: percent(scores.mean)},
            bounds={} if bounds is None else {key: (PERCENT * bounds[0], PERCENT * bounds[1])},
            published=self.published(one.key, dataset.plan.name, cell, num=len(scores.values), why=self.why()),
            answered=answered({key: scores}),
        )
        return with_counts(row, scores)


@dataclass(frozen=True, slots=True)
class AccuracyTable(MeanTable):
    """A table of accuracy; rows that are `needed` are so on the datasets of the published table."""

    heads = (FigureColumn("accuracy", "accuracy %"),)

    scope: Annotated[Literal["answer", "full"], "look for the right answer in the bare answer, or in the whole text"] = "answer"

    def fill(self, draft: Draft) -> None:
        about = f"cover-EM of {_SCOPES[self.scope]}; ROUGE-L as KILT computes it where a long answer is asked for"
        draft.notes.insert(0, about)
        MethodTable.fill(self, draft)

    def is_needed(self, one: Variant, dataset: DatasetCells) -> bool:
        return one.key in self.needed and dataset.plan.name in datasets_of(*self.tables)

    def measure(self, runs: LoadedRuns, cell: AnsweredCell) -> Counted:
        return quality(runs, cell, scope=self.scope)


def name_of(one: Variant, cell: AnsweredCell) -> str:
    """The published name of a variant, with the label of the cell and its further run, where they add information."""
    more = [*([cell.method] if cell.method != cell.name else []), *([cell.further] if cell.further else [])]
    return f"{one.title} ({', '.join(more)})" if more else one.title


def label_of(cell: AnsweredCell) -> str:
    """The label of a cell, with its further run if it is of one."""
    return f"{cell.method} ({cell.further})" if cell.further else cell.method


def hop_columns(rows: Iterable[MeasuredRow], unit: str = "hops", digits: int = 2) -> tuple[FigureColumn, ...]:
    """A column for each number of hops that rows have figures for under `hops_NUMBER`, and for 2, 3 and 4."""
    keys = (key.partition("hops_")[2] for row in rows for key in row.values)
    numbers = {2, 3, 4, *map(int, filter(None, keys))}
    return tuple(FigureColumn(f"hops_{number}", f"{number} {unit}", digits) for number in sorted(numbers))
