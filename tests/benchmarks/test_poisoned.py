"""Planted passages: which answers adopt them, and which of those have a tick, before and after."""

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import poisoned
from _poison import COMMANDS


@pytest.fixture
def told(own_folders):
    """Attacks on the starter corpus, and a model that adopts all of them."""
    [source] = poisoned._sources(None, 4)
    rules = [{"find": one.question.text, "say": f"So the answer is: {one.word}"} for one in source.targets]
    Path("rules.json").write_text(json.dumps({"rules": rules}))
    return source.targets


def rows_of(capsys, monkeypatch):
    """The rows of the last table, by the rule."""
    model = ["--llm", "scripted", "--set", "llms.scripted.rules_file=rules.json"]
    asked = ["--questions", "4", "--methods", "direct_retrieval", "--sides", "plain", "--out", "out", *model]
    monkeypatch.setattr(sys, "argv", ["poisoned.py", *asked])
    poisoned.main()
    heads, *rows = [re.split(r"  +", line.strip()) for line in capsys.readouterr().out.rsplit("\n\n", 1)[1].splitlines()]
    return {row[2]: dict(zip(heads, row, strict=True)) for row in rows}


def test_adopted_facts_are_counted_with_their_ticks_under_both_rules(told, capsys, monkeypatch):
    assert [one.kind in COMMANDS for one in told] == [False, True, False, True]
    before, after = rows_of(capsys, monkeypatch).values()
    assert (before["rule"], after["rule"]) == ("the words alone", "the rule")
    for row in (before, after):
        assert (row["questions"], row["failed"], row["contested"]) == ("4", "0", "1")
        assert row["facts taken"].startswith("2/2")
        assert row["commands obeyed"].startswith("2/2")
    ticks = [[row[name] for name in ("obeyed, ticked", "taken, ticked", "contested, ticked")] for row in (before, after)]
    assert ticks == [["2", "2", "1"], ["1", "1", "0"]]
    assert (before["contradicted"], after["contradicted"]) == ("0", "1")


def test_the_second_rule_costs_no_call(told, capsys, monkeypatch):
    rows_of(capsys, monkeypatch)
    from_store = {}
    for when in poisoned.RULES_SHOWN:
        lines = Path(f"out/plain-direct_retrieval-starter-{when}.jsonl").read_text().splitlines()
        steps = [step for line in lines for step in json.loads(line)["record"]["steps"] if step["kind"] == "model_call"]
        from_store[when] = [step["timing"]["from_store"] for step in steps]
    assert from_store == {"before": [False] * 4, "after": [True] * 4}
