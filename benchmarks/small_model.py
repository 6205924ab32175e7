"""How often each method answers multi-hop questions rightly with a model at hand, and what that costs: a fixed draw.

The questions are of HotpotQA, 2WikiMultiHopQA and MuSiQue, each searched for in the pooled passages of its own file:

    choose   the first 30 of each file, to choose methods and options by
    confirm  40 others of each, drawn by a fixed seed from those after the 57th, to be asked once a choice is made

The first 50 of each file are those that `weave` and the weights of sentences were fitted to, and numbers 51 to 57 were looked
at while `stitch` was written; so none of these confirms anything.

    python benchmarks/small_model.py --data DATA --out OUT --half choose [--methods direct,stitch] [--questions 10]
        [--without-gold] [--llm NAME] [--retriever weave] [--set KEY=VALUE ...] [--as LABEL] [--baseline direct_retrieval]
        [--outcomes FILE]

`--ground GROUND` in place of `--data DATA` asks all questions of a half of the documentation ground (documentation/README.md),
and `--everyday en-town,de` those of folders of everyday documents (everyday.py).

`--without-gold` shows what is answered without evidence. What is searched is then, of each Wikipedia file, its pooled passages
without the gold ones of all questions of the half; of the documentation ground, the index without the files that any question
names. Every tick counts as wrong there, even one on a right answer: that another passage happens to have the same words.

Each method is a run of its own (OUT/HALF-QUESTIONS/METHOD, or OUT/HALF-QUESTIONS-after-7/METHOD; `documentation-` precedes
HALF and `-without-gold` follows it), which `hopweave score`, `compare`, `report` and `verify` take like any other; `hopweave
show` takes its files of records (RUN/records/DATASET/METHOD.jsonl). A command that was killed goes on where it was when it is
given again. `--questions` takes the first ones of each draw, and `--after 7` those that come after the first 7, for a choice
that was made after the first 7 were looked at. All runs share OUT/store.sqlite, so that more questions, or the same method
with other options under a label of its own (`--as`), cost their own calls alone; seconds are those of the calls when they were
made. Questions are asked one at a time unless `--parallel` says otherwise. Tables hold all finished runs of the half with so
many questions, as Markdown.

`--outcomes FILE` keeps as CSV which questions each method got right, so that what is measured elsewhere or later, with another
model, say, is compared question by question as well. results/small_model_outcomes.csv has what was measured here.

A run is done once it has all its records. After a change of a method's code give it another label, or delete its run: calls
that are as they were come from the store.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import _ticks
from _corpora import FILES, MORE_PASSAGES, passages_of_file
from everyday import asked_of, grounds_named, index_ground

from hopweave.apps.cli._console import console
from hopweave.apps.cli._options import listed
from hopweave.core.catalog import full_name, key_of, load
from hopweave.core.errors import DataError, HopweaveError
from hopweave.core.files import file_name, write_whole
from hopweave.core.part_files import allow
from hopweave.core.types import Example
from hopweave.evaluation.integrity.manifest import Manifest
from hopweave.evaluation.integrity.verify import verify
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder
from hopweave.evaluation.runs.progress_bars import Bars
from hopweave.evaluation.runs.run import RunOptions, evaluate
from hopweave.evaluation.runs.run_plan import in_full
from hopweave.evaluation.runs.sampling import draw
from hopweave.evaluation.scoring.score import open_metrics, score_run, write_scores
from hopweave.evaluation.scoring.statistics import bootstrap_means, mcnemar, mean_interval
from hopweave.evaluation.scoring.summary import scored_datasets, summarize
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.run.nested_settings import assignments, merged
from hopweave.run.settings import read_settings
from hopweave.run.trust import named_files
from hopweave.show.csv_text import csv_text
from hopweave.show.table import NO_DATA, Table, columns, probability, rows
from hopweave.show.table_markdown import table_markdown

METHODS = "direct,direct_retrieval,oner,ircot,searchain,searchain_facts,toqd,toqd_facts,stitch"
NUM_QUESTIONS = {"choose": 30, "confirm": 40}
NUM_LOOKED_AT = 57
SEED = 20261122

METRICS = ("cover_em", "f1", "tokens", "calls", "critical_path_seconds", "supporting_facts")
HEADS = (
    *("questions", "failed", "right %", "F1 %", "processed tokens", "cached tokens", "calls", "seconds"),
    *("right / 1,000 tokens", "gold precision %", "gold recall %", "gold of cited %", "supported", "wrong of supported %"),
)
ALL = "all"
DOCUMENTATION = "documentation"

OUTCOME = ("half", "dataset", "question", "method", "model", "right")
"""The columns of a file of outcomes; `right` is 0 or 1."""

Place = tuple[str, str]
"""A dataset and the id of a question."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A run of a method, scored.

    Attributes:
        label: of the method.
        llm: its model.
        values: by column and question; a failed question counts as the worst value.
        failed: the questions that failed.
        verified: what `verify` said.
        outcomes: whether answers are right and have a tick.
    """

    label: str
    llm: str
    values: Mapping[str, Mapping[Place, float]]
    failed: frozenset[Place]
    verified: str
    outcomes: Sequence[_ticks.Outcome] = ()

    def over(self, column: str, dataset: str) -> list[float]:
        """The values of a column on a dataset, or on all."""
        return [value for (of, _), value in self.values.get(column, {}).items() if dataset in (of, ALL)]

    def mean(self, column: str, dataset: str) -> float | None:
        """Their mean; `None` without any."""
        values = self.over(column, dataset)
        return math.fsum(values) / len(values) if values else None


def main() -> None:
    """Answers what is left to answer, and prints the tables."""
    options = _options()
    try:
        runs = options.out / f"{_half(options)}-{options.questions}{_later(options)}"
        if options.outcomes:
            _outcomes(options.outcomes)  # whether it is one has to be known before hours of work
        plans = _dataset_plans(options)
        labels = [_answered_by(method, plans, runs, options) for method in listed(options.methods)]
        scored = [_scored(RunFolder.open(runs / label)) for label in dict.fromkeys([*labels, *_done(runs)])]
        others = _add_outcomes(options.outcomes, _half(options), scored) if options.outcomes else []
        for table in [*_tables(scored, others, options.baseline, list(plans)), _ticks_table(scored, options)]:
            print("\n".join(table_markdown(table)), end="\n\n")
    except HopweaveError as error:
        sys.exit(f"small_model: {error}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    ground = parser.add_mutually_exclusive_group(required=True)
    ground.add_argument("--data", type=Path, help="folder of the three files and of 2Wiki's further passages")
    ground.add_argument("--ground", type=Path, help="folder that documentation/fetch.py has built")
    ground.add_argument("--everyday", metavar="FOLDERS", help="folders of everyday documents, separated by commas")
    parser.add_argument("--out", type=Path, required=True, help="folder for corpora, replies and runs; the same goes on")
    parser.add_argument("--half", choices=tuple(NUM_QUESTIONS), required=True, help="which questions")
    parser.add_argument("--methods", default=METHODS, help="separated by commas")
    parser.add_argument("--questions", type=int, help="the first so many of each draw; default: all, 30 or 40")
    parser.add_argument("--after", type=int, default=0, metavar="N", help="leave out the first N of each draw")
    parser.add_argument("--without-gold", action="store_true", help="search what is left without the gold passages")
    parser.add_argument("--llm", default="", help="the language model; default: that of the settings")
    parser.add_argument("--retriever", default="weave", help="one that searches the index of bm25")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="any setting; may be repeated")
    parser.add_argument(
        "--as", dest="label", default="", help="label of the one method, with settings that are not its usual ones"
    )
    parser.add_argument("--baseline", default="direct_retrieval", help="the label that the others are compared with")
    parser.add_argument("--outcomes", type=Path, metavar="FILE", help="compare with what the file has as well, and add to it")
    parser.add_argument("--parallel", type=int, default=1, help="questions asked at a time; seconds then say little")
    parser.add_argument("--retry-failed", action="store_true", help="ask failed questions again")
    options = parser.parse_args()
    num = _num_questions(options)
    if not 0 <= options.after < num:
        parser.error(f"--after must be from 0 to {num - 1}")
    most = num - options.after
    options.questions = most if options.questions is None else options.questions
    if not 1 <= options.questions <= most:
        parser.error(f"--questions must be from 1 to {most}, which is all that {options.half} draws of a file")
    if options.everyday and options.without_gold:
        parser.error("--without-gold is for --data and --ground: everyday documents have no gold passages")
    if options.label and len(listed(options.methods)) != 1:
        parser.error("--as is the label of one method; give one with --methods")
    return options


def _num_questions(options: argparse.Namespace) -> int:
    """How many questions a half has of each dataset."""
    if options.everyday:
        return min(len(asked_of(ground, options.half)) for ground in grounds_named(options.everyday))
    if not options.ground:
        return NUM_QUESTIONS[options.half]
    questions = options.ground / options.half / "questions.jsonl"
    if not questions.is_file():
        sys.exit(f"small_model: {questions} is missing; give the folder that documentation/fetch.py has built with --ground")
    return len(questions.read_text("utf-8").splitlines())


def _half(options: argparse.Namespace) -> str:
    """What tells apart the runs of grounds and halves."""
    ground = f"{DOCUMENTATION}-" if options.ground else "everyday-" if options.everyday else ""
    return f"{ground}{options.half}{'-without-gold' if options.without_gold else ''}"


def _dataset_plans(options: argparse.Namespace) -> dict[str, DatasetPlan]:
    """The questions, each dataset in a file of its own layout, and the indexes of their passages."""
    if options.everyday:
        return _everyday_plans(options)
    return _documentation_plans(options) if options.ground else _wikipedia_plans(options)


def _everyday_plans(options: argparse.Namespace) -> dict[str, DatasetPlan]:
    plans = {}
    for ground in grounds_named(options.everyday):
        asked = options.out / f"{_half(options)}{_later(options)}" / f"{ground.name}.jsonl"
        examples = [
            {"id": one["id"], "question": one["question"], "answers": [one["answer"]]}
            for one in asked_of(ground, options.half)[options.after :]
        ]
        asked.parent.mkdir(parents=True, exist_ok=True)
        write_whole(asked, "".join(f"{json.dumps(one)}\n" for one in examples))
        index = options.out / "corpora" / f"everyday-{ground.name}"
        if not (index / "manifest.json").is_file():
            index.parent.mkdir(parents=True, exist_ok=True)
            index_ground(ground, index)
        plans[ground.name] = DatasetPlan("jsonl", {"path": str(asked)}, str(index), options.questions)
    return plans


def _documentation_plans(options: argparse.Namespace) -> dict[str, DatasetPlan]:
    folder = options.ground / options.half
    examples = list(load("datasets", "jsonl")(path=folder / "questions.jsonl").examples())
    asked = options.out / f"{_half(options)}{_later(options)}" / "questions.jsonl"
    _write_rows(folder / "questions.jsonl", examples[options.after :], asked)
    index = folder / ("index-without-gold" if options.without_gold else "index")
    return {DOCUMENTATION: DatasetPlan("jsonl", {"path": str(asked)}, str(index), options.questions)}


def _wikipedia_plans(options: argparse.Namespace) -> dict[str, DatasetPlan]:
    plans = {}
    for name, file in FILES.items():
        for needed in (file, MORE_PASSAGES.get(name, file)):
            if not (options.data / needed).is_file():
                raise DataError(f"{options.data / needed} is missing; give the folder of the files with --data")
        examples = _drawn(options.data, name, options.half)
        drawn = options.out / f"{_half(options)}{_later(options)}" / file
        _write_rows(options.data / file, examples[options.after :], drawn)
        gold = {passage for example in examples for passage in example.gold.passage_ids} if options.without_gold else set()
        index = options.out / "corpora" / (f"{name}-{_half(options)}" if options.without_gold else name)
        if not (index / "manifest.json").is_file():
            index.parent.mkdir(parents=True, exist_ok=True)
            BM25.build(index, [passage for passage in passages_of_file(options.data, name) if passage.id not in gold])
        plans[name] = DatasetPlan(name, {"path": str(drawn)}, str(index), options.questions)
    return plans


def _later(options: argparse.Namespace) -> str:
    """What tells runs on later questions of a draw from those on the first."""
    return f"-after-{options.after}" if options.after else ""


def _drawn(data: Path, name: str, half: str) -> list[Example]:
    examples = list(load("datasets", name)(path=data / FILES[name]).examples())
    num = NUM_QUESTIONS[half]
    drawn = draw(examples, num) if half == "choose" else draw(examples[NUM_LOOKED_AT:], num, SEED)
    if len(drawn) < num:
        raise DataError(f"{data / FILES[name]} has {len(examples)} questions, too few for this draw; give the file of 100")
    return drawn


def _write_rows(source: Path, drawn: Sequence[Example], target: Path) -> None:
    """Writes the rows of the drawn questions, as they are in the source, in the order of the draw."""
    text = source.read_text("utf-8")
    is_list = source.suffix == ".json"
    found = json.loads(text) if is_list else [json.loads(line) for line in text.splitlines()]
    by_id = {row.get("_id", row.get("id")): row for row in found}
    lines = [json.dumps(by_id[example.question.id]) for example in drawn]
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, "[" + ",\n".join(lines) + "]\n" if is_list else "\n".join(lines) + "\n")


def _answered_by(method: str, plans: Mapping[str, DatasetPlan], runs: Path, options: argparse.Namespace) -> str:
    """Has a method answer all questions that it has not answered yet; returns its label."""
    allow(method)
    label = file_name(options.label or key_of("methods", method), "--as")
    given: dict[str, Any] = {"retriever": options.retriever, "store": {"path": str(options.out / "store.sqlite")}}
    if options.llm:
        given["llm"] = options.llm
    asked = Plan(plans, {label: MethodPlan(full_name("methods", method))}, merged(given, assignments(options.set)))
    settings = read_settings(asked.settings, files=named_files(asked.parts))
    print(f"{label}: {options.questions} questions of each dataset", file=sys.stderr)
    work = RunOptions(parallel=options.parallel, retry_failed=options.retry_failed)
    with Bars(console(stderr=True)) as bars:
        outcome = asyncio.run(evaluate(runs / label, in_full(asked, settings), settings, work, bars))
    if not outcome.progress.is_complete:
        raise DataError(f"{label} ended at {outcome.ended_because}; the same command goes on")
    return label


def _done(runs: Path) -> Iterator[str]:
    """The labels of the runs that have all their records."""
    for place in sorted(runs.glob("*/plan.json")):
        known = Manifest.read(place.parent)
        if known is not None and known.is_complete:
            yield place.parent.name


def _scored(run: RunFolder) -> Answered:
    """Scores a run, keeps the scores in it, and holds all of it to its records."""
    (label,) = run.plan.methods
    metrics = open_metrics(METRICS)[0]
    scores = score_run(run, metrics)
    write_scores(run, scores)
    summarize(run, scores, metrics).write(run)
    broken = next((score.error for score in scores if score.error is not None), None)
    if broken is not None:
        raise DataError(f"a metric broke on a record of {run.path}: {broken.message}; see: hopweave score {run.path}")
    values: dict[str, dict[Place, float]] = {"cover_em": {}}
    for found in scored_datasets(run, scores, metrics):
        for column, of_method in found.columns.items():
            of_all = values.setdefault(column, {})
            of_all.update({(found.dataset, asked): value for asked, value in of_method[label].values.items()})
    values["processed"] = {
        place: prompt - values["cached_tokens"][place] + values["completion_tokens"][place]
        for place, prompt in values["prompt_tokens"].items()
    }
    shown = set(_supported(run, label))
    values["wrong_of_supported"] = {place: 1 - right for place, right in values["cover_em"].items() if place in shown}
    failed = frozenset((score.dataset, score.question) for score in scores if score.record == "failed")
    outcomes = [_ticks.outcome(*one) for one in _ticks.answered(run)]
    return Answered(label, _llm(run, label), values, failed, _verified(run), outcomes)


def _supported(run: RunFolder, label: str) -> Iterator[Place]:
    """The questions whose answers are shown as supported by a passage."""
    for dataset in run.plan.datasets:
        for record in run.records(dataset, label):
            if record.answer is not None and record.answer.verdict.support == "supported":
                yield dataset, record.question.id


def _llm(run: RunFolder, label: str) -> str:
    setups = [record.setup for dataset in run.plan.datasets for record in run.records(dataset, label)]
    return "; ".join(dict.fromkeys(setup.llm for setup in setups))


def _verified(run: RunFolder) -> str:
    found = verify(run.path)
    if found.differences:
        return f"differs in {len(found.differences)} places, such as {found.differences[0]}"
    return f"could not check {len(found.unchecked)} things, such as {found.unchecked[0]}" if found.unchecked else "passed"


def _outcomes(file: Path) -> dict[tuple[str, ...], str]:
    """What a file has: `right` by all the other columns; nothing where there is no file."""
    if not file.exists():
        return {}
    with file.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    if any(row.keys() != set(OUTCOME) or row["right"] not in ("0", "1") for row in rows):
        raise DataError(f"{file} is no file of outcomes; --outcomes takes one with the columns {', '.join(OUTCOME)}")
    return {tuple(row[name] for name in OUTCOME[:-1]): row["right"] for row in rows}


def _add_outcomes(file: Path, half: str, runs: Sequence[Answered]) -> list[Answered]:
    """Writes what was measured to a file, and gives what else it has of the half: it may have grown meanwhile."""
    known = _outcomes(file)
    for one in runs:
        for (dataset, asked), right in one.values["cover_em"].items():
            known[half, dataset, asked, one.label, one.llm] = str(round(right))
    write_whole(file, csv_text([OUTCOME, *sorted((*place, right) for place, right in known.items())]))
    others: dict[tuple[str, str], dict[Place, float]] = {}
    for (of_half, dataset, asked, label, llm), is_right in known.items():
        if of_half == half and (label, llm) not in {(one.label, one.llm) for one in runs}:
            others.setdefault((label, llm), {})[dataset, asked] = float(is_right)
    return [Answered(label, llm, {"cover_em": values}, frozenset(), NO_DATA) for (label, llm), values in others.items()]


def _tables(runs: Sequence[Answered], others: Sequence[Answered], baseline: str, datasets: Sequence[str]) -> Iterator[Table]:
    heads = columns(("method",), HEADS)
    shown = [*datasets, ALL] if len(datasets) > 1 else datasets
    for dataset in shown:
        title = "All, over all questions" if dataset == ALL else dataset
        lines = rows([one.label, *_cells(one, dataset)] for one in runs)
        yield Table(heads, lines, title, notes=_NOTES if dataset == shown[-1] else ())
    base = next((one for one in [*runs, *others] if one.label == baseline), runs[0])
    compared = [one for one in [*runs, *others] if one is not base]
    if compared:
        heads = columns(("method",), ("pairs", "difference, points", "95% interval", "wins", "losses", "p (McNemar)"))
        lines = rows([_named(one, base), *_difference(one, base)] for one in compared)
        yield Table(heads, lines, f"Right answers against {base.label}, question by question")
    verified = rows([one.label, one.verified, one.llm] for one in runs)
    yield Table(columns(("method", "verify", "model")), verified, "Runs")


def _ticks_table(runs: Sequence[Answered], options: argparse.Namespace) -> Table:
    lines = [[one.label, name, *_ticks.cells(part)] for one in runs for name, part in _ticks.parts(one.outcomes)]
    title = "Ticks, without the gold passages: every tick is wrong" if options.without_gold else "Ticks"
    return Table(columns(("method", "questions of"), _ticks.HEADS), rows(lines), title, notes=(_ticks.NOTE,))


_NOTES = (
    "right: cover-EM. A failed question counts as wrong. Tokens, calls and seconds are means over the questions.",
    "processed tokens: prompt tokens that were not cached, and completion tokens. seconds: of calls, searches and readings. "
    "What a method does once for all questions is in neither.",
    "gold precision and recall: cited sentences against gold ones, as in HotpotQA's script, where a dataset marks sentences; "
    "an answer that cites nothing has 0. gold of cited: the share of all cited sentences that are gold.",
    "supported: answers shown as supported by a passage. wrong of supported: the share of them that are wrong.",
)


def _cells(one: Answered, dataset: str) -> list[str]:
    supported = one.over("wrong_of_supported", dataset)
    return [
        str(len(one.over("cover_em", dataset))),
        str(sum(dataset in (of, ALL) for of, _ in one.failed)),
        _number(one.mean("cover_em", dataset), 1, 100),
        _number(one.mean("f1", dataset), 1, 100),
        *(_number(one.mean(column, dataset), 0) for column in ("processed", "cached_tokens")),
        *(_number(one.mean(column, dataset), 1) for column in ("llm_calls", "serial_seconds")),
        _number(_right_per_token(one, dataset), 3, 1000),
        *(_number(one.mean(column, dataset), 1, 100) for column in ("supporting_precision", "supporting_recall")),
        _number(_gold_of_cited(one, dataset), 1, 100),
        str(len(supported)),
        _number(_per(math.fsum(supported), len(supported)), 1, 100),
    ]


def _right_per_token(one: Answered, dataset: str) -> float | None:
    processed = {place: num for place, num in one.values["processed"].items() if dataset in (place[0], ALL)}
    right = math.fsum(one.values["cover_em"].get(place, 0.0) for place in processed)
    return _per(right, math.fsum(processed.values()))


def _gold_of_cited(one: Answered, dataset: str) -> float | None:
    cited = one.values.get("sentences_cited", {})
    of_dataset = {place: num for place, num in cited.items() if dataset in (place[0], ALL)}
    gold = math.fsum(num * one.values["supporting_precision"][place] for place, num in of_dataset.items())
    return _per(gold, math.fsum(of_dataset.values()))


def _named(one: Answered, base: Answered) -> str:
    """The label, with the model where it is another one."""
    return one.label if one.llm == base.llm else f"{one.label} ({one.llm})"


def _difference(one: Answered, base: Answered) -> list[str]:
    own, other = one.values["cover_em"], base.values["cover_em"]
    pairs = [own[place] - other[place] for place in other if place in own]
    if not pairs:
        return ["0", *[NO_DATA] * 5]
    [means] = bootstrap_means([pairs])
    ends = mean_interval(pairs, means, low=-1, high=1)
    wins, losses = sum(value > 0 for value in pairs), sum(value < 0 for value in pairs)
    interval = f"{100 * ends.low:+.1f} to {100 * ends.high:+.1f}" if ends is not None else NO_DATA
    mean = f"{100 * math.fsum(pairs) / len(pairs):+.1f}"
    return [str(len(pairs)), mean, interval, str(wins), str(losses), probability(mcnemar(wins, losses)[0])]


def _per(upper: float, lower: float) -> float | None:
    return upper / lower if lower else None


def _number(value: float | None, num_decimals: int, scale: float = 1.0) -> str:
    return NO_DATA if value is None else f"{scale * value:,.{num_decimals}f}"


if __name__ == "__main__":
    main()
