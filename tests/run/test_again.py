"""Asking again with changes: what is refused, what is said, and what is kept."""

import json
from io import StringIO

import pytest
from rich.console import Console
from support.bench import TableReader, TableRetriever, chain, decisions

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.types import Passage, Question
from hopweave.core.visibility import Visible
from hopweave.models.duplicate_detectors.keywords import KeyWords
from hopweave.models.llms.scripted import Scripted
from hopweave.record import Change, ModelCall, Record, Search, changes_of
from hopweave.run.again import Again
from hopweave.run.components import Components
from hopweave.run.settings import read_settings
from hopweave.run.weaver import Weaver
from hopweave.show.mermaid import draw_mermaid
from hopweave.show.record_html import draw_page
from hopweave.show.terminal import draw_record

LIGHT = "Who designed Carrow Head Light?"
BORN = "Where was Ines Halloran born?"
LAMP = Passage("lamp", "Carrow Head Light was designed by Ines Halloran.", "Carrow Head Light")
ENGINEER = Passage("engineer", "Ines Halloran was born in Port Merrow.", "Ines Halloran", access=("keepers",))
SAID = chain((LIGHT, "Otto Falk"), (BORN, "Port Merrow"), final="So the final answer is Port Merrow.")
FOUND = {LIGHT: [LAMP, ENGINEER], BORN: [ENGINEER], "engineers": [ENGINEER, LAMP]}
CHAIN, SEARCH, FINAL = 0, 2, 11
"""The steps of the record that are changed here."""


def say(messages, sampling):
    return "So the final answer is Port Merrow." if "already settled" in messages[-1].text else SAID


def weaver(found=FOUND, **settings):
    reader = TableReader({BORN: ("Port Merrow", 3.0)})
    parts = Components(Scripted(say), retriever=TableRetriever(found), reader=reader, duplicate_detector=KeyWords())
    return Weaver(read_settings({"method": "searchain", **settings}), components=parts)


@pytest.fixture
async def record():
    async with weaver() as one:
        made = await one.answer(Question("light", "Where was the engineer of Carrow Head Light born?"))
    assert [type(made.steps[step]) for step in (CHAIN, SEARCH, FINAL)] == [ModelCall, Search, ModelCall]
    return made


async def again(record, *changes, found=FOUND, **settings):
    async with weaver(found, **settings) as one:
        return await one.again(record, changes), one.components.llm.calls


async def test_with_no_store_at_all_the_record_itself_answers_for_what_comes_before(record):
    branch, calls = await again(record, {"change": "reply", "step": FINAL, "now": "So the final answer is Ulm."})
    assert calls == []
    assert branch.answer.short == "Ulm"
    assert branch.answer.verdict.support == "unsupported"


async def test_an_edited_answer_is_yours_in_claims_and_in_decisions_and_never_the_models(record):
    edited = record.steps[CHAIN].text.replace("Otto Falk", "Ines Halloran")
    branch, _ = await again(record, {"change": "reply", "step": CHAIN, "now": edited})
    claims = {claim.query: claim for claim in branch.answer.claims}
    assert (claims[LIGHT].text, claims[LIGHT].origin, claims[LIGHT].support) == ("Ines Halloran", "yours", "supported")
    assert claims[BORN].origin == "verified"  # the model's own words, that the edit left alone
    assert [step.data["origin"] for step in decisions(branch, "verdict")] == ["yours", "verified"]


async def test_the_record_says_what_was_changed_and_from_which_one_it_comes(record):
    branch, _ = await again(record, {"change": "query", "step": SEARCH, "was": LIGHT, "now": "engineers"})
    assert branch.branch.of == record.fingerprint
    assert branch.branch.changes == (Change("query", SEARCH, LIGHT, "engineers"),)
    read = json.loads(branch.to_json())
    assert read["branch"]["changes"] == [{"change": "query", "step": SEARCH, "was": LIGHT, "now": "engineers"}]
    page = draw_page(branch)
    assert "Changed from an earlier answer" in page
    assert "engineers" in page


async def test_a_record_that_nobody_changed_has_none_of_the_new_fields(record):
    read = json.loads(record.to_json())
    assert "branch" not in read
    assert not [step for step in read["steps"] if {"was", "forbidden", "pinned"} & step.keys()]


async def test_a_query_that_is_edited_twice_is_found_again_by_what_the_method_asks(record):
    once, _ = await again(record, {"change": "query", "step": SEARCH, "was": LIGHT, "now": "engineers"})
    twice, _ = await again(once, {"change": "query", "step": SEARCH, "was": "engineers", "now": BORN})
    assert twice.steps[SEARCH].queries == (BORN, BORN)
    assert twice.branch.changes == (Change("query", SEARCH, LIGHT, BORN),)


async def test_a_forbidden_passage_stays_forbidden_in_branches_of_the_branch(record):
    once, _ = await again(record, {"change": "forbid", "step": SEARCH, "passage": "lamp"})
    twice, _ = await again(once, {"change": "reply", "step": FINAL, "now": "So the final answer is Ulm."})
    assert "lamp" not in {passage.id for passage in twice.passages}
    assert Change("forbid", SEARCH, passage="lamp") in twice.branch.changes


async def test_that_other_passages_are_found_before_the_change_is_said(record):
    branch, _ = await again(
        record, {"change": "reply", "step": FINAL, "now": "Ulm"}, found={**FOUND, LIGHT: [ENGINEER], BORN: [LAMP]}
    )
    *found, missed = decisions(branch, "drift")
    assert [LIGHT in step.text or BORN in step.text for step in found] == [True, True]
    assert missed.data["step"] == FINAL  # its prompt says which answers a passage confirms, and now none does


async def test_that_the_work_did_not_come_to_the_changed_step_again_is_said(record):
    late = {"change": "reply", "step": FINAL, "now": "So the final answer is Ulm."}
    early = {"change": "reply", "step": CHAIN, "now": SAID.replace("Otto Falk", "Ines Halloran")}
    branch, _ = await again(record, early, late)
    assert [step.data for step in decisions(branch, "drift")] == [{"step": FINAL, "change": "reply"}]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"change": "reply", "step": 99, "now": "Ulm"}, "the record's last step is 12"),
        ({"change": "reply", "step": SEARCH, "now": "Ulm"}, "not a call of the model"),
        ({"change": "query", "step": CHAIN, "now": "Ulm"}, "not a search"),
        ({"change": "query", "step": SEARCH, "now": "Ulm"}, "several queries"),
        ({"change": "reply", "step": CHAIN, "was": "Bonn", "now": "Ulm"}, "not 'Bonn'"),
        ({"change": "reply", "step": CHAIN, "now": "  "}, "has no 'now'"),
        ({"change": "pin", "step": SEARCH}, "has no 'passage'"),
        ({"change": "pin", "step": SEARCH, "passage": "lamp", "now": "x"}, "does not use 'now'"),
        ({"change": "forbid", "step": SEARCH, "passage": "nowhere"}, "no passage 'nowhere'"),
        ({"change": "pin", "step": SEARCH, "passage": "engineer"}, "may not be shown"),
        ({"change": "erase", "step": SEARCH}, "change 1: change:"),
        ({"change": "reply", "step": -1, "now": "Ulm"}, "change 1: step:"),
        ({"change": "reply", "step": CHAIN, "now": "x" * 50_001}, "50,001 characters"),
        ({"change": "reply", "step": CHAIN, "now": "Ulm", "note": "x"}, "change 1: note:"),
        ("reply", "change 1:"),
    ],
)
async def test_a_change_that_does_not_fit_the_record_is_refused_in_one_line(record, change, message):
    with pytest.raises(DataError, match=message) as refused:
        Again(record, [change])
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("changes", [[], "reply", {}, None, [{"change": "forbid", "step": 1, "passage": "x"}] * 101])
def test_what_is_no_list_of_changes_is_refused(changes):
    with pytest.raises(DataError):
        changes_of(changes)


async def test_who_holds_its_label_can_pin_a_passage(record):
    made = Again(record, [{"change": "pin", "step": SEARCH, "was": LIGHT, "passage": "engineer"}], Visible(("keepers",)))
    assert [[one.id for one in of_one] for of_one in made.searching((LIGHT, BORN), 1).pinned] == [["engineer"], []]


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"method": "direct"}, "the method 'searchain'"), ({"methods": {"searchain": {"max_rounds": 2}}}, "max_rounds = ")],
)
async def test_a_record_of_another_setup_is_refused_with_what_differs(record, settings, message):
    with pytest.raises(SettingsError, match=message):
        await again(record, {"change": "reply", "step": CHAIN, "now": "Ulm"}, **settings)


async def test_a_record_that_was_read_from_a_file_is_of_the_same_setup(record):
    read = Record.from_json(record.to_json())
    branch, _ = await again(read, {"change": "reply", "step": FINAL, "now": "Ulm"})
    assert branch.branch.of == read.fingerprint == record.fingerprint


async def test_the_drawing_in_a_terminal_names_the_changes(record):
    branch, _ = await again(record, {"change": "reply", "step": FINAL, "now": "So the final answer is Ulm."})
    shown = Console(width=200, record=True, file=StringIO())
    shown.print(draw_record(branch))
    text = shown.export_text()
    assert 'step 11: answered "So the final answer is Ulm." in place of' in text
    assert "So the final answer is Ulm.  yours" in text


async def test_the_flowchart_and_the_page_say_whose_words_stand_in_place_of_the_models(record):
    branch, _ = await again(record, {"change": "reply", "step": FINAL, "now": "So the final answer is Ulm."})
    assert "<i>yours</i>" in draw_mermaid(branch)
    assert ">yours</span>" in draw_page(branch)
