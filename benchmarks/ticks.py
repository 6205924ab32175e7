"""Which answers have a tick, how many of these are right, and what each part of the rule and each signal does for that.

    python benchmarks/ticks.py RUN ... [--no-parts] [--fit CHOOSE_RUN ...] [--set KEY=VALUE ...]

RUN is the finished run of one method, as small_model.py makes it. No model is called. It prints, as Markdown:

- for each run, how many questions have a tick, and how many ticks are right, as its records say;
- the same with each part of the support rule switched off in turn, and with the words alone, that is without all of them;
- with `--fit`, what the confidence fitted on CHOOSE_RUNs is worth: there, for answers left out of the fit, and as the threshold
  of a tick in the RUNs; with all signals, without each in turn, and with each alone.

To switch off a part, the function that the rule calls is replaced, and the run's questions are answered again from the replies
that it kept: so a method raises the same doubts and gives the same evidence. Its store and indexes have to be there, and no
method that it uses may have changed. A question that then needs a reply that was not kept, or gets another answer, keeps what
its record says; `otherwise` counts these. `--set calibration=off` leaves the tick to the rule alone.

"The words alone" is close to the rule of version 0.2, which asked for no more than the words.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import _ticks
from _ticks import Outcome

from hopweave.answering.toolkit import claims
from hopweave.citations import candidates, objections, support
from hopweave.core.errors import HopweaveError
from hopweave.core.types import Example, Hit
from hopweave.evaluation.integrity.manifest import Manifest
from hopweave.evaluation.metrics._reliability import Scored, auroc
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.prepare import prepare
from hopweave.evaluation.runs.progress import Cell
from hopweave.evaluation.runs.shared import SharedComponents
from hopweave.evaluation.scoring import calibrating
from hopweave.evaluation.scoring.calibrating import Labelled, fitted, labelled_in
from hopweave.record import Record
from hopweave.record.confidence import Calibration
from hopweave.record.signals import SIGNALS, signals_of
from hopweave.run.components import Components
from hopweave.run.nested_settings import assignments, merged
from hopweave.run.settings import read_settings
from hopweave.show.table import NO_DATA, Table, columns, rows
from hopweave.show.table_markdown import table_markdown

Replaced = tuple[ModuleType, str, object]
"""A module, the name of what is in it, such as a function, and what stands there instead."""


def _no(*_given: object) -> bool:
    return False


def _none(*_given: object) -> None:
    return None


def _no_premises(*_given: object) -> tuple[int, ...]:
    return ()


def _without(shortfall: str) -> tuple[Replaced, ...]:
    """Without the rules that find a shortfall."""
    return ((objections, "RULES", tuple(rule for rule in objections.RULES if rule.shortfall != shortfall)),)


_OTHERS: Mapping[str, tuple[Replaced, ...]] = {
    "rivals": ((support, "rival_of", _none),),
    "comparisons": ((claims, "premises_of", _no_premises),),
    "statements that name their subject": ((candidates, "names_its_subject", _no),),
}
PARTS: Mapping[str, tuple[Replaced, ...]] = {
    **{shortfall: _without(shortfall) for shortfall in dict.fromkeys(rule.shortfall for rule in objections.RULES)},
    **_OTHERS,
}
"""What is replaced to switch off a part of the rule: its rules by the shortfall that they find, and what is no such rule."""

RULES: Mapping[str, tuple[Replaced, ...]] = {
    "the rule": (),
    **{f"without {name}": replaced for name, replaced in PARTS.items()},
    "the words alone": ((objections, "RULES", ()), *(one for replaced in _OTHERS.values() for one in replaced)),
}

_OTHERWISE = "otherwise"
_NOTES = (
    _ticks.NOTE,
    "otherwise: questions that would need replies that were not kept, or get another answer; they count as their records say.",
)
_FIT_NOTES = (
    "AUROC, Brier score and threshold: on the choosing runs, for answers left out of the fit; the AUROC of a signal alone is "
    "that of its values. The rest: on the other runs; a tick needs the rule and a confidence from the threshold on.",
)


@dataclass(slots=True)
class Judged:
    """The outcomes of a run under a rule.

    Attributes:
        outcomes: of all its questions.
        num_otherwise: how many of them keep what their records say.
    """

    outcomes: list[Outcome]
    num_otherwise: int = 0


def main() -> None:
    """Prints the tables."""
    options = _options()
    try:
        given = {_name(path): RunFolder.open(path) for path in options.runs}
        _show(_as_recorded(given))
        for name, run in given.items() if options.parts else ():
            _show(_parts_table(name, asyncio.run(judged(run, options.set))))
        if options.fit:
            _show(_signals_table([RunFolder.open(path) for path in options.fit], list(given.values())))
    except HopweaveError as error:
        sys.exit(f"ticks: {error}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="finished run of one method")
    parser.add_argument("--no-parts", dest="parts", action="store_false", help="leave the parts of the rule as they are")
    parser.add_argument("--fit", type=Path, nargs="+", default=[], metavar="CHOOSE_RUN", help="fit the confidence on these")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="any setting; may be repeated")
    return parser.parse_args()


def _name(path: Path) -> str:
    return "/".join(path.resolve().parts[-2:])


def _show(table: Table) -> None:
    print("\n".join(table_markdown(table)), end="\n\n", flush=True)


def _as_recorded(runs: Mapping[str, RunFolder]) -> Table:
    lines = []
    for name, run in runs.items():
        outcomes = [_ticks.outcome(*one) for one in _ticks.answered(run)]
        lines += [[name, of, *_ticks.cells(part)] for of, part in _ticks.parts(outcomes)]
    return Table(columns(("run", "questions of"), _ticks.HEADS), rows(lines), "As recorded", notes=(_ticks.NOTE,))


def _parts_table(name: str, found: Mapping[str, Judged]) -> Table:
    lines = [
        [rule, of, *_ticks.cells(part), str(one.num_otherwise)]
        for rule, one in found.items()
        for of, part in _ticks.parts(one.outcomes)
    ]
    return Table(columns(("rule", "questions of"), (*_ticks.HEADS, _OTHERWISE)), rows(lines), f"Parts: {name}", notes=_NOTES)


async def judged(run: RunFolder, sets: Sequence[str]) -> dict[str, Judged]:
    """The outcomes of a run under each of `RULES`, from the replies that it kept.

    Args:
        run: the run of one method.
        sets: settings that differ from those of the run, as `KEY=VALUE`.

    Raises:
        DataError: if its store or an index is gone.
    """
    (label,) = run.plan.methods
    found = {rule: Judged([]) for rule in RULES}
    shared = _opened(run, sets)
    try:
        for dataset, record, example in _ticks.answered(run):
            weaver = shared.weavers[Cell(dataset, label)]
            with _searching_once():
                for rule, replaced in RULES.items():
                    with instead(replaced):
                        again = await weaver.answer(record.question)
                    _add(found[rule], dataset, record, again, example)
    finally:
        await shared.close()
    return found


def _opened(run: RunFolder, sets: Sequence[str]) -> SharedComponents:
    """What the run was made with, except that replies come from its store alone."""
    known = Manifest.read(run.path)
    kept_in = [one.store for one in known.sessions if one.store is not None] if known is not None else []
    store = {"path": kept_in[-1] if kept_in and kept_in[-1] else str(run.store_path), "mode": "replay"}
    settings = read_settings(merged(merged(run.plan.settings, assignments(sets)), {"store": store}), files=())
    shared = SharedComponents(prepare(run.plan, settings, run))
    shared.open()
    shared.keep_replies_in(run)
    return shared


@contextmanager
def instead(replaced: Sequence[Replaced]) -> Iterator[None]:
    """Puts other functions and rules in place for a while, as one of `RULES` says."""
    with ExitStack() as stack:
        for module, name, other in replaced:
            stack.enter_context(patch.object(module, name, other))
        yield


@contextmanager
def _searching_once() -> Iterator[None]:
    """Remembers hits for a while: the same question is searched for under each rule."""
    search, known = Components.search, dict[tuple[int, tuple[str, ...], int], list[list[Hit]]]()

    async def once(components: Components, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        key = id(components), tuple(queries), max_hits
        if key not in known:
            known[key] = await search(components, queries, max_hits)
        return [list(hits) for hits in known[key]]

    with patch.object(Components, "search", once):
        yield


def _add(found: Judged, dataset: str, record: Record, again: Record, example: Example) -> None:
    is_same = (again.answer and again.answer.short) == (record.answer and record.answer.short)
    found.outcomes.append(_ticks.outcome(dataset, again if is_same else record, example))
    found.num_otherwise += not is_same


def _signals_table(choosing: Sequence[RunFolder], given: Sequence[RunFolder]) -> Table:
    """What the fitted confidence is worth with all signals, without each, and with each alone."""
    labelled = [one for run in choosing for one in labelled_in(run)]
    asked = [one for run in given for one in _ticks.answered(run)]
    names = calibrating.fitted_signals(labelled)
    used = {
        "all": names,
        **({"without checks": list(SIGNALS)} if len(names) > len(SIGNALS) else {}),
        **{f"without {name}": [other for other in names if other != name] for name in names},
        **{f"{name} alone": [name] for name in names},
    }
    lines = [
        ["none: the rule alone", *[NO_DATA] * 3, *_ticks.cells([_under(None, *one) for one in asked])],
        *([name, *_fit_cells(labelled, asked, names)] for name, names in used.items()),
    ]
    heads = ("AUROC", "Brier", "threshold", *_ticks.HEADS)
    title = f"Signals: fitted on {len(labelled)} answers of {', '.join(_name(run.path) for run in choosing)}"
    return Table(columns(("signals",), heads), rows(lines), title, notes=(_ticks.NOTE, *_FIT_NOTES))


def _fit_cells(labelled: Sequence[Labelled], asked: Sequence[tuple[str, Record, Example]], names: list[str]) -> list[str]:
    with patch.object(calibrating, "fitted_signals", return_value=names):
        made = fitted(labelled, llm="", methods=())
    scored: list[Scored] = [(confidence, one.is_right) for confidence, one in calibrating.predicted_without(labelled, names)]
    if len(names) == 1:  # its values rank answers; fits to the folds differ in the share of right answers, which blurs that
        direction = math.copysign(1, made.weights[names[0]].weight)
        values = [(direction * one.signals[names[0]], one.is_right) for one in labelled]
        scored = [one for one in values if not math.isnan(one[0])]
    area = auroc(scored)
    return [
        NO_DATA if area is None else f"{area:.3f}",
        f"{made.brier:.3f}",
        f"{made.threshold:.2f}",
        *_ticks.cells([_under(made, *one) for one in asked]),
    ]


def _under(made: Calibration | None, dataset: str, record: Record, example: Example) -> Outcome:
    """What became of a question, with a tick if the rule and the confidence give it one."""
    plain = _ticks.outcome(dataset, record, example)
    is_supported = record.answer is not None and record.answer.verdict.support == "supported"
    is_sure = made is None or (is_supported and _confidence(made, record) >= made.threshold)
    return Outcome(dataset, plain.is_right, is_supported and is_sure, plain.is_answerable)


def _confidence(made: Calibration, record: Record) -> float:
    unknown = dict.fromkeys(made.weights, math.nan)  # what a check would have told of an answer that was not checked
    return made.confidence(unknown | signals_of(record))


if __name__ == "__main__":
    main()
