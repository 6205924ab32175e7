"""Estimates the calls, tokens and cost of the rest of a run. No model is called.

Where the cell, or else its method on another dataset, has records in the run, their mean is used for the remaining
questions, with the interval that holds the sum in 95 of 100 cases. Otherwise the method is rehearsed on the first questions:
it really searches and really fills its prompts, and stand-ins for the model reply with a word, a sentence, a long text, a
chain of sub-questions, or an object where a JSON schema asks for one. That bounds one-call methods well. For methods whose
rounds depend on the replies it only shows how far these stand-ins drive them; a real model may need more or fewer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any

from hopweave.core.protocols import Calibrated, ModelReader, OnText, Reader
from hopweave.core.types import Abilities, Message, Passage, Question, Reading, Reply, Sampling, Usage
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.prepare import Prepared
from hopweave.evaluation.runs.progress import Cell, CellProgress, Spent
from hopweave.models.prices import Price
from hopweave.run.components import Components
from hopweave.run.opening import open_retriever
from hopweave.run.weaver import Weaver

REHEARSED = 3
"""Questions of a cell that are rehearsed."""

_CHARACTERS_PER_TOKEN = (3.0, 5.0)  # of English, with the usual tokenizers
_NORMAL_95 = 1.96
_LONG = "The passages leave this open, and more has to be looked up before it can be said. "
_CHAIN = "\n".join(f"[Query {n}]: What is known of part {n}?\n[Answer {n}]: part {n} of the whole" for n in range(1, 5))
_VOICES = ("unknown", "So the final answer is: unknown.", _LONG, _CHAIN)


@dataclass(frozen=True, slots=True)
class Range:
    """A number that is not known yet, with its estimated lower and upper bound."""

    low: float
    high: float

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the remaining questions of a cell will take.

    Attributes:
        num_left: questions without a record.
        basis: what the numbers are based on.
        cost: `None` without a price.
        seconds: summed over the questions, so less when they run concurrently; `None` where nothing was measured.
    """

    cell: Cell
    num_left: int
    basis: str
    llm_calls: Range
    prompt_tokens: Range
    completion_tokens: Range
    cost: Range | None
    seconds: Range | None


async def estimate(prepared: Prepared, folder: RunFolder | None, price: Price | None = None) -> list[Estimate]:
    """An estimate for each cell, in the order of the work.

    Args:
        prepared: the plan.
        folder: of the run, if it has started.
        price: of the model, if known.

    Raises:
        SettingsError, DataError, MissingExtra: as `hopweave.evaluation.runs.run.evaluate` would.
    """
    progress_by_cell = {cell: CellProgress(len(prepared.examples[cell.dataset])) for cell in prepared.cells}
    if folder is not None:
        for cell, progress in progress_by_cell.items():
            for record in folder.history(*cell):
                progress.add(record, price)
    found = []
    for cell, progress in progress_by_cell.items():
        num_left = progress.num_planned - len(progress.done)
        others = [one.spent for other, one in progress_by_cell.items() if other.method == cell.method and one.spent.num]
        if num_left == 0:
            found.append(_of_records(cell, 0, progress.spent, "nothing is left", price))
        elif progress.spent.num:
            found.append(_of_records(cell, num_left, progress.spent, f"{progress.spent.num:,} records of it", price))
        elif others:
            most = max(others, key=lambda spent: spent.num)
            found.append(_of_records(cell, num_left, most, f"{most.num:,} records on another dataset", price, is_new=True))
        else:
            found.append(await _rehearsed(prepared, cell, num_left, price))
    return found


def _of_records(cell: Cell, num_left: int, spent: Spent, basis: str, price: Price | None, *, is_new: bool = False) -> Estimate:
    """From what other questions took; if the cell `is_new`, the work done once for all of its questions is still to come."""

    def of(name: str) -> Range:
        mean, num = spent.mean(name), max(1, spent.num)
        spread = spent.spread(name) if num > 1 else mean / 2.0
        around = _NORMAL_95 * spread * math.sqrt(num_left + num_left**2 / num)
        once = spent.offline.spent(name, price) if is_new else 0.0
        return Range(max(0.0, num_left * mean - around) + once, num_left * mean + around + once)

    cost = of("cost") if price is not None else None
    tokens = of("prompt_tokens"), of("completion_tokens")
    return Estimate(cell, num_left, basis, of("llm_calls"), *tokens, cost, of("seconds"))


async def _rehearsed(prepared: Prepared, cell: Cell, num_left: int, price: Price | None) -> Estimate:
    settings = prepared.settings_of(cell)
    questions = [example.question for example in prepared.examples[cell.dataset][: min(REHEARSED, num_left)]]
    abilities = settings.part("llms", settings.llm).abilities
    async with AsyncExitStack() as stack:
        retriever, engine = open_retriever(settings)
        reader = settings.part("readers", settings.reader)
        components = Components(
            _StandIn("", abilities),
            retriever=retriever,
            engine=engine,
            reader=reader if isinstance(reader, ModelReader) else _stand_in_for(reader),
            duplicate_detector=_AllNew(),
            sampling=settings.make_sampling(),
        )
        stack.push_async_callback(components.close)
        # A calibration is for the model itself, and what it withholds costs nothing.
        weaver = Weaver(settings.model_copy(update={"calibration": "off", "min_confidence": 0.0}), components=components)
        spent = []
        for voice in _VOICES:
            components.llm = _StandIn(voice, abilities)
            spent.append(await _spent(weaver, questions))
    least, most = _CHARACTERS_PER_TOKEN[1], _CHARACTERS_PER_TOKEN[0]

    def of(name: str, low: float, high: float) -> Range:
        sums = [num_left * one.mean(name) + one.offline.spent(name) for one in spent]
        return Range(min(sums) * low, max(sums) * high)

    calls, prompt, completion = of("llm_calls", 1, 1), of("prompt_tokens", 1 / least, 1 / most), of("completion_tokens", 1, 1)
    cost = None
    if price is not None:
        cost = Range(price.of(prompt.low, completion.low), price.of(prompt.high, completion.high))
    basis = f"a rehearsal of {len(questions)} with stand-ins for the model"
    return Estimate(cell, num_left, basis, calls, prompt, completion, cost, None)


async def _spent(weaver: Weaver, questions: Sequence[Question]) -> Spent:
    spent = Spent()
    for question in questions:
        spent.add(await weaver.answer(question), None)
    return spent


class _StandIn:
    """Always gives the same reply. Its prompt tokens are characters, which the caller divides."""

    def __init__(self, voice: str, abilities: Abilities) -> None:
        self.identity = f"stand-in: {voice}"  # so that its offline replies are not mistaken for another's
        self.abilities = replace(abilities, samples=False)
        self._voice = voice

    async def reply(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None) -> Reply:
        """Gives the reply; under a JSON schema, an object that has it in every field."""
        is_long = self._voice == _LONG
        if sampling.json_schema is not None:
            text = json.dumps(_made_up(sampling.json_schema, self._voice.splitlines()[0]))
        else:
            text = self._voice * (max(1, 4 * sampling.max_tokens // len(_LONG)) if is_long else 1)
        cuts = [found for stop in sampling.stop if (found := text.find(stop)) >= 0]
        text = text[: min(cuts)] if cuts else text
        num_tokens = sampling.max_tokens if is_long and not cuts else min(sampling.max_tokens, math.ceil(len(text) / 4))
        usage = Usage(sum(len(message.text) for message in messages), num_tokens)
        return Reply(text, usage=usage)

    async def close(self) -> None:
        """Has nothing to release."""


def _made_up(schema: Mapping[str, Any], words: str) -> Any:
    """A value that a JSON schema allows, of the kinds that methods ask for."""
    match schema.get("type"):
        case "object":
            return {name: _made_up(one, words) for name, one in schema.get("properties", {}).items()}
        case "array":
            return [_made_up(schema["items"], words)]
        case "integer":
            return 1
        case _:
            return schema["enum"][0] if "enum" in schema else words


def _stand_in_for(reader: Reader) -> _NothingRead:
    return _NothingReadUnder(reader.identity, reader.theta) if isinstance(reader, Calibrated) else _NothingRead(reader.identity)


class _NothingRead:
    """Stands in for a reader with its own model, under its identity: it finds no answer anywhere."""

    def __init__(self, identity: str) -> None:
        self.identity = identity

    def read(self, pairs: Sequence[tuple[str, Passage]]) -> list[Reading]:
        """Finds nothing."""
        return [Reading("", None, -10.0) for _ in pairs]


class _NothingReadUnder(_NothingRead):
    """The same for a reader with a known threshold, which decides whether a method warns of its own."""

    def __init__(self, identity: str, theta: float) -> None:
        super().__init__(identity)
        self.theta = theta


class _AllNew:
    """Stands in for a duplicate detector: every query is new."""

    def duplicate_of(self, query: str, seen: Sequence[str]) -> int | None:
        """Never."""
        return None
