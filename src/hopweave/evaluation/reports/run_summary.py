"""The summary of a run: what was run, what failed, and answers to show; read in one pass over its records."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from importlib.util import find_spec
from itertools import chain, count, islice
from pathlib import Path

from hopweave.core.catalog import Role, entries, load
from hopweave.core.errors import HopweaveError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Example
from hopweave.evaluation.runs.folder import DatasetPlan, RunFolder
from hopweave.evaluation.runs.offline import OfflineStage
from hopweave.evaluation.scoring.results import DatasetFacts, ExampleAnswer, FailureKind, MethodFacts, OfflineFacts
from hopweave.evaluation.scoring.ticks import why_no_tick
from hopweave.record import Failure, ModelCall, ParseFailure, Read, Record, Search

MAX_EXAMPLES = 5

WHERES = (
    "questions without an answer",
    "stopped early",
    "calls of the model",
    "searches",
    "reads",
    "words that could not be read",
)
"""What can fail in a record, worst first."""
OF_ERRORS = frozenset({WHERES[0], *WHERES[2:5]})
"""Those of them whose kind is the class of an error; that of the others is a limit, or a parser."""

_ADDRESS = lazy_pattern(r"\bAddress: (\S+)")
_LICENCE = lazy_pattern(r"\bLicence: (.+?)\.(?:\s|$)")


@dataclass(slots=True)
class RunStory:
    """The data gathered from the records of a run.

    Attributes:
        datasets, methods: in the order of the plan.
        facts: name and value of what is common to all records.
        caveats: a sentence each, on what must not be compared with published numbers.
        failures: by cell and kind.
        examples: at most five.
        offline: of the cells that have such a stage.
        why_no_tick: of each question whose answer has none, by dataset and method.
    """

    datasets: tuple[DatasetFacts, ...]
    methods: tuple[MethodFacts, ...]
    facts: tuple[tuple[str, str], ...]
    caveats: tuple[str, ...]
    failures: tuple[FailureKind, ...]
    examples: tuple[ExampleAnswer, ...]
    offline: tuple[OfflineFacts, ...]
    why_no_tick: Mapping[tuple[str, str], Mapping[str, str]]


@dataclass(slots=True)
class _Cell:
    """The data kept from one pass over the records of a cell."""

    options: Mapping[str, object] | None = None
    settings: dict[str, dict[str, None]] = field(default_factory=dict)
    started: list[str] = field(default_factory=list)
    failures: dict[tuple[str, str], tuple[str, dict[str, None]]] = field(default_factory=dict)
    shown: list[tuple[tuple[bool, bool, int], Record]] = field(default_factory=list)
    offline: OfflineStage = field(default_factory=OfflineStage)
    why_no_tick: dict[str, str] = field(default_factory=dict)

    def add(self, record: Record, position: int) -> None:
        """Adds a record; `position` is that of its question in the dataset."""
        setup = record.setup
        self.offline.add(record)
        self.options = setup.options if self.options is None else self.options
        said = {"version": setup.version, "model": setup.llm, "retriever": setup.retriever, "reader": setup.reader}
        said |= {"word vectors": setup.word_vectors} if setup.word_vectors else {}
        said |= {"budget of a question": _listed(setup.budget), "sampling": _listed(setup.settings.get("sampling"))}
        for name, value in said.items():
            self.settings.setdefault(name, {})[value] = None
        self.started = [min([*self.started[:1], record.started_at]), max([*self.started[1:], record.started_at])]
        for where, kind, message in _failures_of(record):
            self.failures.setdefault((where, kind), (message, {}))[1][record.question.id] = None
        if reason := why_no_tick(record):
            self.why_no_tick[record.question.id] = reason
        answer = record.answer
        self.shown.append(((answer is None or not answer.citations, answer is None, position), record))
        self.shown = sorted(self.shown, key=lambda ranked: ranked[0])[:MAX_EXAMPLES]


def _failures_of(record: Record) -> Iterator[tuple[str, str, str]]:
    """Where, kind and message; a failed call that made its question fail is reported once, as the question."""
    unanswered, early, calls, searches, reads, unread = WHERES
    if record.error is not None:
        yield unanswered, record.error.kind, record.error.message
    elif record.answer is not None and record.answer.stopped_because != "finished":
        yield early, record.answer.stopped_because, ""
    for step in record.steps:
        match step:
            case ModelCall(error=Failure() as error) | Search(error=Failure() as error) | Read(error=Failure() as error):
                where = {"model_call": calls, "search": searches, "read": reads}[step.kind]
                if error != record.error:
                    yield where, error.kind, error.message
            case ParseFailure():
                yield unread, step.parser, step.reason
            case _:
                pass


def story_of(run: RunFolder) -> RunStory:
    """Reads the records of a run once.

    Raises:
        DataError: for examples or records that cannot be read.
    """
    plan = run.plan
    examples = {dataset: run.examples(dataset) for dataset in plan.datasets}
    cells: dict[tuple[str, str], _Cell] = {}
    for dataset in plan.datasets:
        positions = {example.question.id: position for position, example in enumerate(examples[dataset])}
        for method in plan.methods:
            cell = cells[dataset, method] = _Cell()
            for record in run.records(dataset, method):
                cell.add(record, positions.get(record.question.id, len(positions)))
    datasets = tuple(
        _dataset_facts(label, of, len(examples[label]), str(plan.settings.get("corpus", "")))
        for label, of in plan.datasets.items()
    )
    methods = []
    for label, of in plan.methods.items():
        options = next(
            (cell.options for (_, method), cell in cells.items() if method == label and cell.options is not None), None
        )
        in_full = options if options is not None else of.options
        methods.append(MethodFacts(label, of.name, _summary("methods", of.name), in_full, _changed(of.name, in_full)))
    facts = _facts(cells.values())
    return RunStory(
        datasets,
        tuple(methods),
        facts,
        tuple(_caveats(datasets, facts)),
        _failures(cells),
        tuple(_chosen(cells, examples)),
        tuple(_offline(cells)),
        {place: cell.why_no_tick for place, cell in cells.items()},
    )


def _dataset_facts(label: str, plan: DatasetPlan, num_questions: int, corpus: str) -> DatasetFacts:
    if plan.limit is None:
        draw = "all"
    elif plan.seed is None:
        draw = f"the first {plan.limit:,}"
    else:
        draw = f"{plan.limit:,} with seed {plan.seed}"
    about = _docstring_of_dataset(plan.name)
    licence, address = _LICENCE.search(about), _ADDRESS.search(about)
    return DatasetFacts(
        label=label,
        name=plan.name,
        summary=_summary("datasets", plan.name),
        licence=licence[1] if licence else "",
        address=address[1] if address else "",
        num_questions=num_questions,
        draw=draw,
        corpus=plan.corpus or corpus or "of the settings",
    )


def _changed(method: str, options: Mapping[str, object]) -> dict[str, object]:
    """The options of a method that differ from the defaults; all of them, if the defaults are not known."""
    try:
        defaults = {field.name: field.default for field in fields(load("methods", method))}
    except (HopweaveError, TypeError):  # from a package that is not installed, or whose method is not a dataclass
        defaults = {}
    return {name: value for name, value in options.items() if name not in defaults or defaults[name] != value}


def _summary(role: Role, name: str) -> str:
    known = entries(role)
    return known[name].summary if name in known else ""


def _docstring_of_dataset(name: str) -> str:
    """The description of a dataset, found without running it, on one line; empty if it cannot be found."""
    known = entries("datasets")
    spec = find_spec(known[name].target.partition(":")[0]) if name in known else None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return ""
    return " ".join((ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or "").split())


def _listed(values: object) -> str:
    if not isinstance(values, Mapping):
        return ""
    return ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False, default=str)}" for key, value in sorted(values.items()))


def _facts(cells: Iterable[_Cell]) -> tuple[tuple[str, str], ...]:
    found: dict[str, dict[str, None]] = {}
    started: list[str] = []
    for cell in cells:
        started += cell.started
        for name, values in cell.settings.items():
            found.setdefault(name, {}).update(values)
    facts = [(name, "\n".join(sorted(filter(None, values)))) for name, values in found.items()]
    if started:
        facts.append(("first and last question taken up", f"{min(started)}\n{max(started)}"))
    return tuple(fact for fact in facts if fact[1])


def _caveats(datasets: Iterable[DatasetFacts], facts: Iterable[tuple[str, str]]) -> Iterator[str]:
    for dataset in datasets:
        drawn = f"{dataset.num_questions:,} questions ({dataset.draw}) over the corpus {dataset.corpus}"
        yield f"{dataset.label}: {drawn}; published numbers are of other samples, corpora and retrievers."
    said = dict(facts)
    if "model" in said:
        yield f"The model is {', '.join(said['model'].splitlines())}; published numbers were measured with other models."
    for name in ("version", "model", "retriever", "reader"):
        if "\n" in said.get(name, ""):
            yield f"The records are not all of one {name}: differences between methods may come of that."


def _failures(cells: Mapping[tuple[str, str], _Cell]) -> tuple[FailureKind, ...]:
    return tuple(
        FailureKind(dataset, method, where, kind, message, tuple(sorted(ids)))
        for (dataset, method), cell in cells.items()
        for (where, kind), (message, ids) in cell.failures.items()
    )


def _offline(cells: Mapping[tuple[str, str], _Cell]) -> Iterator[OfflineFacts]:
    for (dataset, method), cell in cells.items():
        if cell.offline.requests:
            num_calls, num_tokens = (int(cell.offline.spent(name)) for name in ("llm_calls", "tokens"))
            yield OfflineFacts(dataset, method, num_calls, num_tokens)


def _chosen(cells: Mapping[tuple[str, str], _Cell], examples: Mapping[str, list[Example]]) -> Iterator[ExampleAnswer]:
    """Takes methods and datasets in turn, first those that cite, and from each cell a question that was not shown yet."""
    cited = {place: [one for (uncited, *_), one in cell.shown if not uncited] for place, cell in cells.items()}
    others = {place: [one for (uncited, *_), one in cell.shown if uncited] for place, cell in cells.items()}
    seen: set[tuple[str, str]] = set()
    for (dataset, method), record in islice(chain(_in_turn(cited, seen), _in_turn(others, seen)), MAX_EXAMPLES):
        gold = next((e.gold.answers for e in examples[dataset] if e.question.id == record.question.id), ())
        yield ExampleAnswer(dataset, method, record, gold)


def _in_turn(
    waiting: dict[tuple[str, str], list[Record]], seen: set[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], Record]]:
    datasets, methods = (list(dict.fromkeys(place[part] for place in waiting)) for part in (0, 1))
    for turn in count():
        if not any(waiting.values()):
            return
        round_, at = divmod(turn, len(methods))
        place = (datasets[(at + round_) % len(datasets)], methods[at])
        records = waiting[place]
        if records:
            fresh = [record for record in records if (place[0], record.question.id) not in seen]
            record = (fresh or records)[0]
            records.remove(record)
            seen.add((place[0], record.question.id))
            yield place, record
