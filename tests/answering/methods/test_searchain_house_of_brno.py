"""A question that a small model got wrong, with its own replies: what it made up must not look as if a passage said it.

The replies are those of the embedded model, over the starter corpus; the reader's confidence is what it gave them then. They
belong to a walk in which "Brno" was taken for an answer to "In which city is Brno?" (`ignore_echoes = false`).
"""

from __future__ import annotations

import pytest
from support.bench import Bench, told

from hopweave.core.types import Passage

ASKED = "Which house by Ludwig Mies van der Rohe stands in the city where the logician Kurt Gödel was born?"
SAYS = [
    "[Query 1]: Where was Kurt Gödel born?\n[Answer 1]: Vienna\n[Query 2]: In which city is Vienna?\n[Answer 2]: Austria\n"
    "[Query 3]: Who was the architect who designed the house by Ludwig Mies van der Rohe that stands in Vienna?\n"
    "[Answer 3]: Ludwig Mies van der Rohe",
    "\n[Query 2]: In which city is Brno?\n[Answer 2]: Austria\n"
    "[Query 3]: Which house by Ludwig Mies van der Rohe stands in Austria?\n"
    "[Answer 3]: The house by Ludwig Mies van der Rohe that stands in Austria is the House of Brno, designed by Ludwig Mies "
    "van der Rohe.",
    "\n[Query 3]: Which house by Ludwig Mies van der Rohe stands in Brno?\n"
    "[Answer 3]: The house by Ludwig Mies van der Rohe that stands in Brno is the House of Brno, designed by Ludwig Mies "
    "van der Rohe.",
]
INVENTED = (
    "The house by Ludwig Mies van der Rohe that stands in Brno is the House of Brno, designed by Ludwig Mies van der Rohe{}. "
    "So the final answer is the House of Brno."
)
GODEL = Passage(
    "kurt-godel",
    "Kurt Gödel was a logician born in 1906 in Brno, which was then called Brünn. He studied in Vienna and in 1931 published "
    "the incompleteness theorems.",
    "Kurt Gödel",
)
MIES = Passage(
    "ludwig-mies-van-der-rohe",
    "Ludwig Mies van der Rohe was an architect born in Aachen in 1886. His German pavilion for the Barcelona exhibition of "
    "1929 and the Villa Tugendhat in Brno made him a leader of the modern movement.",
    "Ludwig Mies van der Rohe",
)
BRNO = Passage("brno", "Brno is the second largest city of the Czech Republic and the historical centre of Moravia.", "Brno")
BORN, CITY, HOUSE = (
    "Where was Kurt Gödel born?",
    "In which city is Brno?",
    "Which house by Ludwig Mies van der Rohe stands in Brno?",
)
FOUND = {BORN: GODEL, CITY: BRNO, HOUSE: MIES}
READ = {BORN: ("Brno", 0.998), CITY: ("Brno", 1.095), HOUSE: ("Villa Tugendhat", 0.131)}


@pytest.mark.parametrize("marks", ["", " [1] [2]", " [1] [2] [3]", " [1, 2]"])
async def test_the_invented_house_rests_on_no_passage_and_looks_like_it(marks):
    final = INVENTED.format(marks)
    record = await Bench([*SAYS, f" {final}"], FOUND, READ, prefill=True).ask(ASKED, ignore_echoes=False)
    answer = record.answer
    assert answer.short == "the House of Brno"
    assert answer.text == INVENTED.format("")
    assert answer.verdict.support in {"unsupported", "contradicted"}
    carrying = answer.claims[answer.verdict.carried_by - 1]
    assert "House of Brno" in carrying.text
    assert carrying.citations == ()


@pytest.mark.parametrize("marks", ["", " [1] [2] [3]"])
async def test_by_default_the_echo_corrects_nothing_and_the_invented_house_still_rests_on_no_passage(marks):
    record = await Bench([*SAYS[:2], f" {INVENTED.format(marks)}"], FOUND, READ, prefill=True).ask(ASKED)
    assert told(record, "verdict") == ["corrected", "model", "model"]
    assert record.answer.text == INVENTED.format("")
    assert record.answer.verdict.support == "unsupported"


async def test_the_passage_that_says_otherwise_is_held_against_it():
    record = await Bench([*SAYS, f" {INVENTED.format('')}"], FOUND, READ, prefill=True).ask(ASKED, ignore_echoes=False)
    assert record.answer.verdict.support == "contradicted"
    against = record.answer.claims[-1].contradicted_by
    assert MIES.text[against.focus.start : against.focus.end] == "Villa Tugendhat"


async def test_where_support_is_required_it_is_withheld_and_what_was_found_is_said(monkeypatch):
    monkeypatch.setenv("HOPWEAVE_REQUIRE_SUPPORT", "true")
    record = await Bench([*SAYS, f" {INVENTED.format('')}"], FOUND, READ, prefill=True).ask(ASKED, ignore_echoes=False)
    answer = record.answer
    assert (answer.short, answer.stopped_because, answer.how) == ("", "unsupported", "unsupported")
    assert answer.text.startswith("A passage contradicts the answer that was reached. What was found: ")
    assert "Where was Kurt Gödel born? Brno [1]." in answer.text
    assert "House of Brno" not in answer.text
    [withheld] = [step for step in record.steps if step.kind == "decision" and step.label == "withheld"]
    assert withheld.text == "the House of Brno"
    assert withheld.data["was"] == INVENTED.format("")
