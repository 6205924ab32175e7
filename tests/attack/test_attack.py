"""The short form of `make attack`, under a seed that stays the same, and what the suite itself must do."""

from __future__ import annotations

import os
import random
import re
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from support.hostile import DAMAGES, damaged, hostile_text

from attack import __main__ as runner
from attack.attack import Attack, Trial
from attack.kinds import all_attacks

SEED = 11


@pytest.fixture(autouse=True)
def own_environment(monkeypatch, tmp_path):
    """What an attack changes of the environment and the folder is taken back."""
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "HOPWEAVE_MODELS", "ATTACK_KEY"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.chdir(tmp_path)


LONG = {"corpora", "strangers", "vanishing", "spreadsheets", "runs", "inflated", "pages", "wide", "terminal", "folders"}
LONG |= {"parsers", "texts", "nested", "budgets"}
SHORT = [
    pytest.param(one, marks=[pytest.mark.slow] if one.name in LONG else [], id=one.name)
    for one in all_attacks().values()
    if one.num_short
]


@pytest.mark.parametrize("attack", SHORT)
def test_what_every_attack_promises_holds(attack, tmp_path):
    num = attack.num_short
    outcomes = list(attack.trials(SEED, num, range(len(attack.shares(num))), tmp_path / "attack"))
    assert [outcome.broke for outcome in outcomes if outcome.broke] == []
    assert sum(outcome.tried for outcome in outcomes) >= num


# -- the suite itself ------------------------------------------------------------------------------------------------------


def odd(trial: Trial) -> None:
    """Breaks on every odd number that is drawn."""
    drawn = trial.random.randrange(1_000)
    trial.shows(drawn)
    assert drawn % 2 == 0, "odd"


def dying(trial: Trial) -> None:
    """Dies in the third trial."""
    trial.shows(trial.number)
    if trial.number == 2:
        os.kill(os.getpid(), signal.SIGSEGV)


ODD = Attack("odd", "every number is even", odd, 40, 40)


def test_what_broke_is_counted_and_named_with_its_input_and_can_be_drawn_again(tmp_path):
    outcomes = list(ODD.trials(7, 40, range(40), tmp_path / "all"))
    broke = [outcome.broke for outcome in outcomes if outcome.broke]
    assert 5 < len(broke) < 35
    one = broke[3]
    assert "AssertionError: odd" in one.error
    assert int(one.shown) % 2 == 1
    assert next(ODD.trials(7, 40, [one.number], tmp_path / "again")).broke == one
    assert [o.broke for o in ODD.trials(8, 40, range(40), tmp_path / "other")] != [outcome.broke for outcome in outcomes]


def children_of(monkeypatch, attack):
    """Gives the runner one attack only, which its processes find beside this file."""
    monkeypatch.setattr(runner, "all_attacks", lambda: {attack.name: attack})
    here = Path(__file__).parents[1]
    code = f"import sys; sys.path.insert(0, {str(here)!r}); from attack import __main__ as runner, test_attack as tests; "
    code += f"runner.all_attacks = lambda: {{{attack.name!r}: tests.{attack.name.upper()}}}; runner.main(sys.argv[1:])"
    popen = runner.subprocess.Popen

    def started(command, **more):
        return popen([command[0], "-c", code, *command[3:]], **more)

    monkeypatch.setattr(runner.subprocess, "Popen", started)


@pytest.mark.slow
def test_the_table_counts_and_the_exit_status_tells(monkeypatch, capsys):
    children_of(monkeypatch, ODD)
    assert runner.main(["--seed", "7"]) == 1
    said = capsys.readouterr().out
    tried, held, broke = map(int, re.search(r"^odd +every number is even +(\d+) +(\d+) +(\d+)", said, re.MULTILINE).groups())
    assert (tried, held + broke) == (40, 40)
    assert 5 < broke < 35
    number = re.search(r'again: make attack ARGS="--only odd --seed 7 --scale 1 --number (\d+)"', said)[1]
    with pytest.raises(AssertionError, match="odd"):
        runner.main(["--only", "odd", "--seed", "7", "--number", number])


DYING = Attack("dying", "nobody dies", dying, 5, 5)


@pytest.mark.slow
def test_a_process_that_dies_is_a_break_of_the_trial_that_it_was_at_and_ends_nothing_else(monkeypatch, capsys):
    children_of(monkeypatch, DYING)
    assert runner.main(["--seed", "7"]) == 1
    said = capsys.readouterr().out
    assert "dying, trial 2: the process ended with status -11" in said
    assert re.search(r"^dying +nobody dies +5 +4 +1 ", said, re.MULTILINE)


def unready(_: Path) -> None:
    """Fails before any trial."""
    raise OSError("no room")


UNREADY = replace(DYING, name="unready", prepare=unready)


@pytest.mark.slow
def test_an_attack_that_cannot_be_prepared_has_broken_and_is_not_begun_again_and_again(monkeypatch, capsys):
    children_of(monkeypatch, UNREADY)
    assert runner.main(["--seed", "7"]) == 1
    assert "unready, trial 0: the process ended with status 1: OSError: no room" in capsys.readouterr().out


def test_hostile_texts_hold_what_the_attacks_are_about_and_differ():
    texts = [hostile_text(random.Random(number)) for number in range(300)]
    assert len(set(texts)) > 250
    joined = "".join(texts)
    assert all(
        sign in joined for sign in ("\x1b[31m", "<script>", "=HYPERLINK", "[Query 77]", "../..", "\ud800", "\u202e", "subgraph")
    )


@pytest.mark.parametrize("how", DAMAGES)
def test_every_way_to_spoil_a_file_changes_it(how):
    content = b'{"a": 1}\n{"b": 2}\n{"c": [3, 4]}\n' * 3
    assert any(DAMAGES[how](random.Random(number), content) != content for number in range(5))
    assert damaged(random.Random(1), b"")[1] is not None
