"""Where a method's own check speaks against a claim, whoever reads the record is told what was checked and what it found."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from rich.console import Console
from support.bench import Bench, Capable

from hopweave.core.types import Passage
from hopweave.record import Record
from hopweave.show.browser import support_summary
from hopweave.show.legend import banner_of
from hopweave.show.own_checks import own_checks
from hopweave.show.record_html import draw_page
from hopweave.show.terminal import draw_record

ASKED = "In which town was the designer of Orla Bridge born?"
BRIDGE = Passage("bridge", "Orla Bridge is a bridge of 1902. It was designed by Mara Lind.", "Orla Bridge")
LIND = Passage("lind", "Mara Lind was an engineer. She was born in Vask.", "Mara Lind")
DESIGNER = {"question": "Who designed Orla Bridge?", "answer": "Mara Lind", "facts": [2]}
BORN = {"question": "In which town was Mara Lind born?", "answer": "Vask", "facts": [4]}
WRONG = {"question": "Who designed Orla Bridge?", "answer": "Tove Falk", "facts": [2]}
CHECKED = "the method's own check of it failed"


def reading(*steps: dict[str, object], missing: tuple[str, ...] = ()) -> str:
    return json.dumps({"steps": steps, "missing": missing, "answer": "Vask"})


async def asked(said: str, **options: object) -> Record:
    return await Bench(llm=Capable([said, said]), found={ASKED: [BRIDGE, LIND]}).ask(ASKED, "stitch", max_readings=2, **options)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (reading(DESIGNER, missing=("her town",)), "the reading says what is missing for it: her town"),
        (reading(), "the reading gives no step that leads to it"),
        (reading(WRONG, BORN), 'what was read for "Who designed Orla Bridge?" is not in the words of the fact that was named'),
    ],
)
async def test_what_the_check_found_is_told_beside_the_claim_and_above_it(said: str, found: str):
    record = await asked(said)
    number = record.answer.verdict.carried_by
    assert record.answer.carrier.shortfall == "check"
    assert own_checks(record.steps) == {number: found}
    assert support_summary(record)["own_checks"] == {number: found}
    assert banner_of(record.answer, record.steps).headline.endswith(f"{CHECKED}: {found}")
    console = Console(file=StringIO(), width=400)
    console.print(draw_record(record))
    assert f"({CHECKED}: {found})" in console.file.getvalue()
    assert f"{CHECKED}: {found}".replace('"', "&quot;").replace("'", "&#x27;") in draw_page(record)


async def test_a_record_that_does_not_say_what_was_found_is_shown_as_before():
    record = await asked(reading())
    assert banner_of(record.answer).headline.endswith(CHECKED)


async def test_nothing_is_told_of_a_check_that_found_nothing():
    assert own_checks((await asked(reading(DESIGNER, BORN))).steps) == {}
