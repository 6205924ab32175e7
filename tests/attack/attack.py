"""What an attack is, and how its trials are drawn and counted."""

from __future__ import annotations

import asyncio
import inspect
import math
import random
import shutil
import traceback
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MAX_SHOWN = 600


@dataclass
class Trial:
    """One try, which everything that it does is drawn for from the seed, the attack and its number alone.

    Attributes:
        random: the source of all that is drawn.
        folder: an empty folder of its own.
        scene: what the attack prepared once.
        share: how many inputs it is to try, and `tried` how many it did.
        shown: the input, or how it was made, as a report of what broke names it.
    """

    attack: str
    seed: int
    number: int
    folder: Path
    scene: Any = None
    share: int = 1
    tried: int = 0
    shown: str = ""
    random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = random.Random(f"{self.seed}/{self.attack}/{self.number}")

    def shows(self, what: object) -> None:
        """Says what is tried next, before it is."""
        self.tried += 1
        self.shown = repr(what)


@dataclass(frozen=True)
class Break:
    """A promise that did not hold: in which trial, on what input, and how it showed."""

    number: int
    shown: str
    error: str


@dataclass(frozen=True)
class Outcome:
    """What came of a trial."""

    tried: int
    broke: Break | None = None


@dataclass(frozen=True)
class Attack:
    """Inputs of one kind and what must hold of each.

    Attributes:
        name: as it stands in the table.
        promise: what must hold, as a sentence.
        attempt: makes one try and raises whatever it likes if the promise does not hold.
        num: inputs at scale 1, and `num_short` those of the short form; 0 leaves it out.
        parts: into how many trials these are divided, where a trial tries more than one input; else it is one input a trial.
        prepare: makes, in a folder, what all trials share.
    """

    name: str
    promise: str
    attempt: Callable[[Trial], Awaitable[None] | None]
    num: int
    num_short: int
    parts: Callable[[], int] | None = None
    prepare: Callable[[Path], Any] | None = None

    def shares(self, num: int) -> list[int]:
        """How many inputs each trial is to try, of so many in all."""
        if self.parts is None:
            return [1] * num
        num_trials = self.parts()
        return [math.ceil(num / num_trials)] * num_trials

    def prepared(self, folder: Path) -> Any:
        """What all trials share, made in a new folder within this one."""
        scene = folder / "scene"
        scene.mkdir(parents=True)
        return self.prepare(scene) if self.prepare else None

    def trials(self, seed: int, num: int, numbers: Iterable[int], folder: Path) -> Iterator[Outcome]:
        """Makes the trials with these numbers of so many inputs, one after the other, in new folders within this one."""
        scene, shares, own = self.prepared(folder), self.shares(num), folder / "trial"
        for number in numbers:
            own.mkdir()
            yield self._outcome(Trial(self.name, seed, number, own, scene, shares[number]))
            shutil.rmtree(own, ignore_errors=True)

    def make(self, trial: Trial) -> None:
        """Makes a trial, which raises what shows that something broke."""
        done = self.attempt(trial)
        if inspect.isawaitable(done):
            asyncio.run(_awaited(done))

    def _outcome(self, trial: Trial) -> Outcome:
        try:
            self.make(trial)
        except Exception as error:  # noqa: BLE001 - whatever it is, it was not to be
            return Outcome(max(trial.tried, 1), Break(trial.number, cut(trial.shown), told(error)))
        return Outcome(max(trial.tried, 1))


async def _awaited(done: Awaitable[None]) -> None:
    await done


def cut(text: str) -> str:
    """The beginning and the end of a text that may be long."""
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN // 2]} [...] {text[-MAX_SHOWN // 2 :]}"


def told(error: Exception) -> str:
    """The error, and where it was raised."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return cut(f"{type(error).__name__}: {error} ({Path(frame.filename).name}, line {frame.lineno}, in {frame.name})")
