"""`hopweave evaluate` as a process that is killed again and again, until it ends."""

from __future__ import annotations

from contextlib import chdir

from support.killed_runs import NUM_QUESTIONS, killed_at_random
from support.questions import put_questions

from ..attack import Attack, Trial
from .settings_files import own_configuration


async def kills(trial: Trial) -> None:
    """One run of three methods, begun as often as it was killed; what is counted are the kills."""
    parallel, max_kills = trial.random.choice([1, 2, 4, 8]), trial.share
    own_configuration(trial.folder)
    with chdir(trial.folder):
        put_questions(NUM_QUESTIONS)
        trial.shown = f"{parallel} at a time, killed up to {max_kills} times"
        trial.tried, _ = await killed_at_random(trial.random, parallel, max_kills)


# The short form is a test of its own, in tests/evaluation/runs/test_run_resumed.py.
ATTACKS = (Attack("kills", "no record lost or doubled, no answered call made again", kills, 24, 0, parts=lambda: 4),)
