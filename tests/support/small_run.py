"""A small run on disk, of made-up questions, whose every value a test can say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from support.worked import claimed, quoted, worked

from hopweave.core.types import Column, Example, Passage, Reply
from hopweave.evaluation.integrity.manifest import (
    DrawnExamples,
    KeptRecords,
    Manifest,
    RunSession,
    hash_code,
    hash_file,
    hash_source,
)
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder
from hopweave.evaluation.runs.paths import base_of
from hopweave.evaluation.scoring.score import OpenMetric
from hopweave.record import ModelCall, Record
from hopweave.run.store.store import Store, Stored, key_of

LIGHT = Passage("light", "The light of Carrow Head was lit in 1874. It is painted white.", "Carrow Head")


def example(number: int, gold: str = "1874", **traits: str | int) -> Example:
    """A question about a lighthouse."""
    _, made = worked(golds=[gold], question=f"When was light {number} lit?")
    return replace(made, question=replace(made.question, id=f"q{number}"), traits=traits)


def record(asked: Example, answer: str = "1874", *, error: str = "", **more: Any) -> Record:
    """Its record, which cites a passage."""
    claims = () if error else (claimed("When was it lit?", f"In {answer}.", quoted(1, LIGHT, "It is painted white.")),)
    made, _ = worked(answer, error=error, claims=claims, passages=[LIGHT], **more)
    return replace(made, question=asked.question)


def make_run(
    path: Path,
    answers: Mapping[str, Sequence[str | None]],
    *,
    traits: Callable[[int], Mapping[str, str | int]] = lambda _: {},
    dataset: str = "lights",
    calls: bool = False,
) -> RunFolder:
    """A run of one dataset.

    Args:
        path: of its folder.
        answers: of each method, question by question; `None` failed; `-` was not asked yet.
        traits: of a question, by its number.
        dataset: its label.
        calls: whether each answer comes of a call of the model.
    """
    num = max(map(len, answers.values()))
    plan = Plan({dataset: DatasetPlan("jsonl")}, {method: MethodPlan("direct") for method in answers})
    run = RunFolder.create(path, plan)
    examples = [example(number, **traits(number)) for number in range(num)]
    run.keep_examples(dataset, examples)
    for method, said in answers.items():
        for asked, answer in zip(examples, said, strict=False):
            if answer != "-":
                made = record(asked, error="the endpoint is gone")
                if answer is not None:
                    asking = [(f"{method}: {asked.question.text}", answer)] if calls else []
                    made = record(asked, answer, calls=asking)
                run.add(dataset, method, made)
    return run


def with_replies(run: RunFolder) -> None:
    """Keeps every reply in the records of a run in its store."""
    store = Store(run.store_path)
    for dataset in run.plan.datasets:
        for method in run.plan.methods:
            for made in run.records(dataset, method):
                for call in made.steps:
                    if isinstance(call, ModelCall):
                        messages = [made.messages[place] for place in call.messages]
                        key = key_of(made.setup.llm, messages, call.sampling, call.sample)
                        store.put(key, Stored(Reply(call.text or "", usage=call.usage), None, 0.1, 1))
    store.close()


def with_manifest(run: RunFolder, *, data: Path, index: Path | None = None, store: str | None = None) -> Manifest:
    """Writes the manifest that the end of a run writes; paths in it are relative to the working directory."""
    (dataset,) = run.plan.datasets
    first = next(run.records(dataset, next(iter(run.plan.methods))))
    made = Manifest(
        plan=hash_file(run.path / "plan.json"),
        datasets={
            dataset: DrawnExamples((hash_source(data),), len(run.examples(dataset)), hash_file(run.examples_path(dataset)))
        },
        indexes={"lights": hash_source(index)} if index is not None else {},
        llm=first.setup.llm,
        reader="",
        retrievers={"lights": "bm25 fields=text"} if index is not None else {},
        methods={},
        settings={},
        records={
            f"{dataset}/{method}": KeptRecords(hash_file(run.records_path(dataset, method)), 0, 0)
            for method in run.plan.methods
        },
        sessions=(RunSession("2026-01-01T00:00:00+00:00", "0", hash_code(), "2026-01-01T00:01:00+00:00", "finished", store),),
        base=base_of(run.path),
    )
    made.write(run.path)
    return made


@dataclass(frozen=True, slots=True)
class Told:
    """A metric whose values a test tells, by the bare answer."""

    columns: ClassVar[Mapping[str, Column]] = {"told": Column("what the test says", high=10.0)}
    counts_failures: ClassVar[bool] = False

    values: Mapping[str, Any] = field(default_factory=dict)

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        assert record.answer is not None
        value = self.values.get(record.answer.short)
        if isinstance(value, Exception):
            raise value
        return {} if value is None else {"told": value} if not isinstance(value, Mapping) else value


@dataclass(frozen=True, slots=True)
class Spent:
    """A metric that failed records have, too."""

    columns: ClassVar[Mapping[str, Column]] = {"spent": Column("one a record", "lower", high=float("inf"))}
    counts_failures: ClassVar[bool] = True

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        return {"spent": 1.0}


def told(**values: Any) -> OpenMetric:
    """`Told`, in use."""
    return OpenMetric("told", metric=Told(values))
