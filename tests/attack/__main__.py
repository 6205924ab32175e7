"""`make attack`: every attack in a process of its own, and a table of what was tried, held and broke.

    make attack                                         all of them, under a seed that is printed
    make attack ARGS="--seed 7 --scale 0.1"             a tenth of it, under this seed
    make attack ARGS="--only corpora --only settings"   these alone
    make attack ARGS="--only corpora --seed 7 --number 12"   one trial of one attack, here, with its traceback

A process that dies or hangs takes no other along: the trial that it was at is what broke, and the next goes on behind it.
The exit status is 1 if anything broke.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import secrets
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from attack.attack import Attack, Break, Trial, cut
from attack.kinds import all_attacks

MAX_MEMORY_BYTES = 6 << 30
MAX_SECONDS_OF_A_TRIAL = 300
MAX_BREAKS = 50
"""After so many an attack is ended: what broke is broken."""
MAX_SHOWN = 10


@dataclass
class Tally:
    """What came of an attack."""

    num_tried: int = 0
    breaks: list[Break] = field(default_factory=list)
    seconds: float = 0.0


def attacked(attack: Attack, seed: int, scale: float) -> Tally:
    """Makes the trials of an attack in processes, one after the other as they die."""
    tally, began = Tally(), time.monotonic()
    num = round(attack.num * scale) or 1
    position, num_trials = 0, len(attack.shares(num))
    while position < num_trials and len(tally.breaks) < MAX_BREAKS:
        command = [sys.executable, "-m", "attack", "--child", attack.name, str(seed), str(num), str(position)]
        with tempfile.TemporaryFile() as said, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said) as process:
            progress = Progress(position)
            how = progress.follow(process, tally)
            process.kill()
            said.seek(0)
            last = said.read().decode(errors="replace").strip().rpartition("\n")[2]
        position = progress.current + 1
        if how:
            tally.num_tried += 1
            tally.breaks.append(Break(progress.current, "see the number of the trial", cut(f"{how}: {last}")))
            if not progress.is_prepared:
                break
    tally.seconds = time.monotonic() - began
    return tally


@dataclass
class Progress:
    """The trial that a process is at, and whether it got so far as to make one."""

    current: int
    is_prepared: bool = False

    def follow(self, process: subprocess.Popen[bytes], tally: Tally) -> str:
        """Counts what a process says until it ends; returns how it died, if it did."""
        for line in _lines(process):
            if line is None:
                return f"no end after {MAX_SECONDS_OF_A_TRIAL} s"
            said = json.loads(line)
            self.current, self.is_prepared = said["number"], True
            if "tried" in said:
                tally.num_tried += said["tried"]
                tally.breaks += [Break(**said["broke"])] if said["broke"] else []
            if len(tally.breaks) >= MAX_BREAKS:
                return ""
        process.wait()
        return "" if process.returncode == 0 else f"the process ended with status {process.returncode}"


def _lines(process: subprocess.Popen[bytes]) -> Iterator[bytes | None]:
    """The lines of a process; `None` when it says nothing for too long."""
    assert process.stdout is not None
    rest = b""
    while True:
        if not select.select([process.stdout], [], [], MAX_SECONDS_OF_A_TRIAL)[0]:
            yield None
            return
        read = os.read(process.stdout.fileno(), 1 << 16)
        if not read:
            return
        *lines, rest = (rest + read).split(b"\n")
        yield from lines


def child(name: str, seed: int, num: int, position: int) -> None:
    """The trials of an attack from one on, each of which is told before and after it is made."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    out = os.dup(1)
    os.dup2(2, 1)  # what is printed by what is attacked goes nowhere

    def say(**what: object) -> None:
        os.write(out, json.dumps(what).encode() + b"\n")

    attack = all_attacks()[name]
    num_trials = len(attack.shares(num))
    with tempfile.TemporaryDirectory(prefix="attack-", ignore_cleanup_errors=True) as folder:
        for number, outcome in enumerate(attack.trials(seed, num, _told(position, num_trials, say), Path(folder)), position):
            say(number=number, tried=outcome.tried, broke=outcome.broke and vars(outcome.broke))


def _told(position: int, num_trials: int, say: Callable[..., None]) -> Iterator[int]:
    """The numbers of the trials, each told before it is made."""
    for number in range(position, num_trials):
        say(number=number)
        yield number


def again(attack: Attack, seed: int, scale: float, number: int) -> None:
    """One trial, here."""
    num = round(attack.num * scale) or 1
    with tempfile.TemporaryDirectory(prefix="attack-", ignore_cleanup_errors=True) as folder:
        own = Path(folder, "trial")
        own.mkdir()
        trial = Trial(attack.name, seed, number, own, attack.prepared(Path(folder)), attack.shares(num)[number])
        try:
            attack.make(trial)
        finally:
            print(f"{attack.name} {number}: tried {trial.tried}, last {trial.shown}")


def table(tallies: dict[str, Tally]) -> str:
    """The table: a line an attack, and one for all of them."""
    attacks = all_attacks()
    rows = [
        (name, attacks[name].promise, one.num_tried, len(one.breaks), f"{one.seconds:,.0f} s") for name, one in tallies.items()
    ]
    total = (sum(row[2] for row in rows), sum(row[3] for row in rows))
    rows.append(("all", "", *total, f"{sum(one.seconds for one in tallies.values()):,.0f} s"))
    wide = max(len(row[1]) for row in rows)
    lines = [f"{'attack':<13} {'what must hold':<{wide}} {'tried':>9} {'held':>9} {'broke':>7} {'took':>8}"]
    lines += [
        f"{name:<13} {promise:<{wide}} {tried:>9,} {tried - broke:>9,} {broke:>7,} {took:>8}"
        for name, promise, tried, broke, took in rows
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what was asked for; returns the exit status."""
    parser = argparse.ArgumentParser(prog="make attack", description="Inputs that mean harm, by chance: tried, held, broke.")
    parser.add_argument("--only", action="append", choices=[*all_attacks()], metavar="ATTACK", help="this one; may be repeated")
    parser.add_argument("--seed", type=int, help="of all that is drawn; by default another one each time")
    parser.add_argument("--scale", type=float, default=1.0, help="how many times the usual number of inputs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="attacks side by side; by default one a core")
    parser.add_argument("--number", type=int, help="one trial of one attack, with its traceback")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        child(options.child[0], *map(int, options.child[1:]))
        return 0
    seed = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    chosen = {name: attack for name, attack in all_attacks().items() if options.only is None or name in options.only}
    if options.number is not None:
        if len(chosen) != 1:
            parser.error("--number is of one attack; name it with --only")
        again(*chosen.values(), seed, options.scale, options.number)
        return 0
    print(f"seed {seed}, scale {options.scale:g}", flush=True)
    tallies: dict[str, Tally] = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        made = pool.map(lambda attack: attacked(attack, seed, options.scale), chosen.values())
        for name, tally in zip(chosen, made, strict=True):
            tallies[name] = tally
            print(f"{name}: {tally.num_tried:,} tried, {len(tally.breaks):,} broke", flush=True)
            _tell(name, tally, seed, options.scale)
    print(f"\n{table(tallies)}")
    return 1 if any(one.breaks for one in tallies.values()) else 0


def _tell(name: str, tally: Tally, seed: int, scale: float) -> None:
    """Prints what broke, on what, and how to draw it again."""
    for broke in tally.breaks[:MAX_SHOWN]:
        print(f"{name}, trial {broke.number}: {broke.error}\n  on {broke.shown}")
        print(f'  again: make attack ARGS="--only {name} --seed {seed} --scale {scale:g} --number {broke.number}"', flush=True)


if __name__ == "__main__":
    sys.exit(main())
