"""The page about confidence names every signal with its meaning, and no other."""

import re

from support.pages import ROOT

from hopweave.evaluation.scoring.calibrating import FEWEST, LEVEL, NUM_FOLDS, WANTED
from hopweave.evaluation.scoring.statistics import least_share
from hopweave.record.signals import CHECKED, SIGNALS

PAGE = (ROOT / "docs" / "confidence.md").read_text(encoding="utf-8")


def test_the_tables_of_signals_are_those_of_the_code():
    _, _, part = PAGE.partition("## The signals")
    found = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", part.partition("\n## ")[0], re.MULTILINE))
    assert found == {name: meaning for name, (meaning, _) in SIGNALS.items()} | CHECKED


def test_the_promises_on_the_page_are_what_the_interval_gives():
    rows = re.findall(r"^\| (\d+) of (\d+) \| (\d+)% \|$", PAGE, re.MULTILINE)
    assert len(rows) == 4
    assert [round(100 * least_share(int(right), int(num), 1 - LEVEL)) for right, num, _ in rows] == [
        int(share) for *_, share in rows
    ]


def test_the_page_says_the_figures_of_the_code():
    assert f"below {FEWEST} nothing is fitted" in PAGE
    assert f"by default {WANTED:.0%}" in PAGE
    assert f"divided into {NUM_FOLDS} folds" in PAGE
