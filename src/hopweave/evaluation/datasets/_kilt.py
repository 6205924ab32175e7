"""Rows in the layout of KILT, a benchmark of tasks over one dump of Wikipedia (Petroni et al. 2021, arXiv 2009.02252).

Each output has an answer, or the pages that support an answer, or both. Pages are those of KILT's own knowledge source.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from hopweave.core.types import AnswerForm, Example, Gold, Question
from hopweave.evaluation.datasets._rows import Id, L, Layout, Row, Text
from hopweave.evaluation.datasets._source import Source, distinct, examples_of


class _Provenance(Layout):
    wikipedia_id: Id | None = None
    start_paragraph_id: int | None = None


class _Output(Layout):
    answer: str | None = None
    provenance: tuple[_Provenance, ...] | None = ()


class KiltRow(Layout):
    """A row of a KILT task."""

    marks = ("input", "output")
    id: Id
    input: Text
    output: tuple[_Output, ...]


@dataclass(frozen=True, slots=True)
class KiltSource(Source):
    """A dataset that is part of KILT."""

    passage_ids: Annotated[
        Literal["page", "paragraph"], "form of KILT's gold passage ids: WIKIPEDIA_ID, or WIKIPEDIA_ID-PARAGRAPH"
    ] = "page"

    def kilt_example(
        self,
        row: Row[L],
        values: KiltRow,
        *,
        form: AnswerForm = "short",
        labels: tuple[str, ...] = (),
        family: str = "",
        dataset: str = "",
    ) -> Example:
        """The example of a row; the options are those of `Question`.

        Raises:
            DataError: for a row without an answer, or with an unknown label.
        """
        answers = distinct(output.answer or "" for output in values.output)
        if not answers:
            raise row.error("output: it has no answer", "take a split that has answers, or remove the row")
        if labels and not set(answers) <= set(labels):
            raise row.error(f"output: {answers} is not one of {', '.join(labels)}")
        question = Question(values.id, values.input, form, labels, family, dataset=dataset)
        return Example(question, Gold(answers, distinct(self._gold(values))))

    def _gold(self, values: KiltRow) -> Iterator[str]:
        for output in values.output:
            for one in output.provenance or ():
                if one.wikipedia_id is None:
                    continue
                paragraph = "" if one.start_paragraph_id is None else f"-{one.start_paragraph_id}"
                yield one.wikipedia_id if self.passage_ids == "page" else f"{one.wikipedia_id}{paragraph}"


@dataclass(frozen=True, slots=True)
class SlotFilling(KiltSource):
    """A KILT task that asks for a relation of a subject, separated by `[SEP]`; the trait `type` is the relation."""

    DATASET: ClassVar[str]

    def examples(self) -> Iterator[Example]:
        yield from examples_of(self.rows(KiltRow), lambda row: [self._example(row)])

    def _example(self, row: Row[KiltRow]) -> Example:
        example = self.kilt_example(row, row.values, family="slot_filling", dataset=self.DATASET)
        relation = row.values.input.rpartition("[SEP]")[2].strip()
        return replace(example, traits={"type": relation} if "[SEP]" in row.values.input and relation else {})
