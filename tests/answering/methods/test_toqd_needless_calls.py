"""What ToQD does not ask the model, since the wording of the sub-questions says it; and what it does not ask twice."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bench import Bench, WithoutPrefill, calls, decisions, purposes, queries, told, verdicts
from support.toqd import Plays, bench

from hopweave.answering.methods.toqd._arrows import MAIN, parse_arrows
from hopweave.answering.methods.toqd._dependence import all_are_needed, points_back, settled_edges, stands_by_itself
from hopweave.core.types import Passage, Question
from hopweave.evaluation.scoring.score import became
from hopweave.models.llms.scripted import Scripted
from hopweave.run.settings import read_settings

MAIN_QUESTION = "In which country was the director of Cold Harbour born?"
DIRECTOR = "Who directed Cold Harbour?"
BORN, BORN_OF_LIV = "Where was the director born?", "Where was Liv Aas born?"
LAND, LAND_OF_NES = "In which country is that town?", "In which country is Nesbyen?"
CHAIN = Plays(
    sub_questions={MAIN_QUESTION: [DIRECTOR, BORN, LAND]},
    arrows={MAIN_QUESTION: "1 -> 2 -> 3 -> Q"},
    rewrites={BORN: BORN_OF_LIV, LAND: LAND_OF_NES},
    knows={DIRECTOR: "Liv Aas", BORN_OF_LIV: "Nesbyen", LAND_OF_NES: "Norway"},
    summary="So the final answer is Norway.",
)
MEMBERS = "Which band has more members, Bleek or Brack?"
BLEEK, BRACK = "How many members has Bleek?", "How many members has Brack?"
TWO = Plays(
    sub_questions={MEMBERS: [BLEEK, BRACK]},
    arrows={MEMBERS: "1 -> 2 -> Q"},
    knows={BLEEK: "Four", BRACK: "Three"},
    summary="So the final answer is Bleek.",
)


async def ask(plays, question=MAIN_QUESTION, found=None, **options):
    return await Bench(found=found, llm=WithoutPrefill(plays)).ask(question, "toqd", **options)


# -- what the wording says ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sub_question", "stands", "points"),
    [
        ("When was Liv Aas born?", True, False),
        ("In which country is Nesbyen?", True, False),
        ("What is the capital of Norway?", True, False),
        ("Who is Liv Aas's mother?", True, False),
        ("In which year was the film Cold Harbour released?", True, False),
        ("When was she born?", False, True),
        ("Where was the director born?", False, True),
        ("In which country is that town?", False, True),
        ("What is the capital of the answer to 1?", False, True),
        ("What is the capital of #1?", False, True),
        ("Where was the director of Cold Harbour born?", False, False),  # to be rewritten with the director's name
        ("Where was Cold Harbour's director born?", False, False),
        ("Who is the mother of the director of the film Cold Harbour?", False, False),
        ("Which film that was shot in Oslo came first?", False, False),
        ("What is named after the city where the park opened?", False, False),  # it says itself which city
        ("Find the mayor of Orlau", False, False),
        ("", False, False),
    ],
)
def test_a_sub_question_stands_by_itself_or_points_back_or_leaves_it_open(sub_question, stands, points):
    assert (stands_by_itself(sub_question), points_back(sub_question)) == (stands, points)


@pytest.mark.parametrize(
    ("sub_questions", "edges", "are_needed"),
    [
        ([DIRECTOR, BORN, LAND], ((1, 2), (2, 3), (3, 0)), True),
        ([DIRECTOR, "Where was the answer to 1 born?"], ((1, 2), (2, 0)), True),
        ([DIRECTOR, BLEEK, "Who is #1?", "Who is #2?"], ((1, 3), (2, 4), (3, 0), (4, 0)), False),
        ([BLEEK, BRACK], ((1, 0), (2, 0)), False),
        ([DIRECTOR], ((1, 0),), False),
        ([DIRECTOR, "How can that be verified?"], ((1, 2), (2, 0)), False),
        ([DIRECTOR, "Where was the director of Cold Harbour born?"], None, False),
        ([BLEEK, BRACK, "How can they be compared?"], None, False),  # which of the two it needs is open
        (["Who is she?", "Where is it?"], None, False),
        (["Where was #2 born?", DIRECTOR], None, False),
        ([], None, False),
    ],
)  # fmt: skip
def test_arrows_follow_from_the_wording_or_are_left_to_the_model(sub_questions, edges, are_needed):
    assert settled_edges(sub_questions) == edges
    assert all_are_needed(sub_questions) == are_needed


@given(
    st.lists(
        st.sampled_from([DIRECTOR, BORN, LAND, BLEEK, BRACK, "Who is #1?", "Who is #2?", "Hm", "", "Is it #9?"]), max_size=6
    )
)
def test_settled_arrows_are_always_a_graph_in_which_all_leads_to_the_question(sub_questions):
    edges = settled_edges(sub_questions)
    if edges is not None:
        drawn = ", ".join(f"{start} -> {end or 'Q'}" for start, end in edges)
        assert parse_arrows(drawn, sub_questions).edges == edges
        assert all(start < end or end == MAIN for start, end in edges)


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(text):
    assert not (stands_by_itself(text) and points_back(text))


# -- calls that are not made -------------------------------------------------------------------------------------------


async def test_a_plain_chain_is_neither_criticised_nor_constructed():
    record = await ask(CHAIN)
    assert purposes(record) == ["decompose", "self_verify", *["rewrite", "self_verify"] * 2, "summary"]
    assert told(record, "graph") == ["1 -> 2, 2 -> 3, 3 -> Q"]
    assert len(told(record, "kept")) == 2
    assert [text for _, text, _ in verdicts(record)] == ["Liv Aas", "Nesbyen", "Norway"]


async def test_two_that_stand_by_themselves_need_no_arrows_and_no_rewriting_and_run_side_by_side():
    record = await ask(TWO, MEMBERS)
    assert purposes(record) == ["decompose", "critique", "self_verify", "self_verify", "summary"]
    assert told(record, "graph") == ["1 -> Q, 2 -> Q"]


async def test_a_sub_question_that_stands_by_itself_is_not_rewritten_even_where_an_arrow_leads_to_it():
    sub_questions = [BLEEK, BRACK, "Which of Bleek and Brack has more?"]
    plays = dataclasses.replace(TWO, sub_questions={MEMBERS: sub_questions}, arrows={MEMBERS: "1 -> 2 -> 3 -> Q"})
    assert purposes(await ask(plays, MEMBERS)).count("rewrite") == 0
    papers = await ask(plays, MEMBERS, skip_needless=False)
    assert purposes(papers).count("rewrite") == 2


async def test_what_the_wording_leaves_open_is_asked():
    plays = dataclasses.replace(
        CHAIN, sub_questions={MAIN_QUESTION: [DIRECTOR, "Where was the director of Cold Harbour born?"]}
    )
    assert purposes(await ask(plays, found={}, max_graphs=1))[:3] == ["decompose", "critique", "construct"]


async def test_the_papers_profile_makes_every_call():
    assert not read_settings({"profile": "paper_toqd"}).part("methods", "toqd").skip_needless
    record = await ask(CHAIN, skip_needless=False)
    assert purposes(record)[:3] == ["decompose", "critique", "construct"]


# -- what is known is passed on ----------------------------------------------------------------------------------------

SCHOOL = "Which school did she attend there?"
SCHOOL_OF_LIV = "Which school did Liv Aas attend in Nesbyen?"
BELOW = Plays(
    sub_questions={MAIN_QUESTION: [DIRECTOR, BORN]},
    further={BORN_OF_LIV: [SCHOOL]},
    rewrites={BORN: BORN_OF_LIV, SCHOOL: SCHOOL_OF_LIV},
    knows={DIRECTOR: "Liv Aas", SCHOOL_OF_LIV: "The school of Nes"},
    sums_up={BORN_OF_LIV: "Nesbyen"},
)


async def test_what_the_model_knew_is_passed_on_to_the_nodes_below_and_to_their_summary():
    record = await ask(BELOW, found={})
    known = f"[1] {DIRECTOR} Liv Aas\n"
    rewriting, below = [call[0].text for call in calls(record, "rewrite")]
    assert known in rewriting
    assert known in below
    assert below.endswith(f"Sub-question: {SCHOOL}\nRewritten sub-question:")
    assert f"{known}[2] {SCHOOL_OF_LIV} The school of Nes\n" in calls(record, "summary_of_node")[0][0].text
    assert queries(record) == [BORN_OF_LIV]


async def test_what_it_knew_and_what_it_read_reach_a_later_node_alike():
    for plays, found in (
        (CHAIN, {}),
        (dataclasses.replace(CHAIN, knows={}, reads=CHAIN.knows), {DIRECTOR: Passage("film", "By Liv Aas.")}),
    ):
        first = calls(await ask(plays, found=found), "rewrite")[0][0].text
        assert f"[1] {DIRECTOR} Liv Aas\n" in first


async def test_a_child_graph_asks_nothing_that_is_asked_elsewhere_or_is_the_question_itself():
    plays = dataclasses.replace(
        BELOW,
        sub_questions={MAIN_QUESTION: [DIRECTOR, BORN, LAND]},
        further={BORN_OF_LIV: [LAND, MAIN_QUESTION, DIRECTOR.upper(), SCHOOL]},
        rewrites={**BELOW.rewrites, LAND: LAND_OF_NES},
        knows={**BELOW.knows, LAND_OF_NES: "Norway"},
    )
    record = await ask(plays, found={})
    assert [node.data["query"] for node in decisions(record, "node")] == [DIRECTOR, BORN, SCHOOL, LAND]
    assert "3 repeated sub-questions are left out" in told(record, "repair")


async def test_what_stays_open_is_asked_in_one_sub_question_unless_two_things_are_open():
    record = await ask(BELOW, found={})
    assert "in one simple sub-question, or in two if two things are open" in calls(record, "decompose")[1][0].text
    assert told(record, "graph") == ["1 -> 2, 2 -> Q", "1 -> Q"]


# -- a summary of what is known in part --------------------------------------------------------------------------------

OPEN = dataclasses.replace(TWO, knows={BLEEK: "Four"}, summary="Bleek has four [1]. So the final answer is unknown.")
WAY_OUT = 'write "So the final answer is unknown."'


async def test_a_summary_with_open_parts_may_say_that_the_answer_is_unknown():
    record = await ask(OPEN, MEMBERS, found={}, max_graphs=1)
    prompt = calls(record, "summary")[0][0].text
    assert 'answered as far as they could be, each with its number in brackets ("unknown": no answer was found)' in prompt
    assert f"[2] {BRACK} unknown" in prompt
    assert WAY_OUT in prompt
    assert (record.answer.short, record.answer.how) == ("unknown", "marker")
    assert became(record) == "abstained"


@pytest.mark.parametrize(
    ("is_small", "option", "may"), [(True, None, False), (True, True, True), (False, None, True), (False, False, False)]
)
async def test_a_small_model_must_answer_unless_told_otherwise(is_small, option, may):
    record = await Bench(found={}, llm=Scripted(OPEN, is_small=is_small)).ask(MEMBERS, "toqd", max_graphs=1, may_abstain=option)
    assert (WAY_OUT in calls(record, "summary")[0][0].text) == may


@pytest.mark.parametrize(
    ("plays", "question"),
    [(TWO, MEMBERS), (OPEN, Question("q", MEMBERS, "label", ("Yes", "No"))), (OPEN, Question("q", MEMBERS, "long"))],
)
async def test_where_all_is_answered_or_the_form_has_no_unknown_an_answer_is_demanded(plays, question):
    record = await ask(plays, question, found={}, max_graphs=1)
    assert WAY_OUT not in calls(record, "summary")[0][0].text


# -- thought -----------------------------------------------------------------------------------------------------------


async def test_only_what_takes_reasoning_is_left_to_the_thoughts_of_a_thinking_model():
    plays = dataclasses.replace(CHAIN, knows={}, reads={DIRECTOR: "Liv Aas"})
    made = bench(plays, {DIRECTOR: [Passage("film", "By Liv Aas.")]})
    record = await made.ask(MAIN_QUESTION, "toqd")
    seen = dict(zip(purposes(record), (sampling.thinking for _, sampling in made.llm.calls), strict=True))
    assert seen == {
        "decompose": "auto",
        "critique": "off",
        "construct": "off",
        "rewrite": "off",
        "self_verify": "off",
        "self_verify_with_passages": "off",
        "summary": "auto",
    }


async def test_a_comparison_is_supported_by_the_values_of_both_sides_and_cites_both():
    main, lind, marr = "Who was born first, Bo Lind or Cy Marr?", "When was Bo Lind born?", "When was Cy Marr born?"
    found = {
        lind: [Passage("lind", "Bo Lind was born in 1801 in Orlau.", "Bo Lind")],
        marr: [Passage("marr", "Cy Marr was born in 1822 in Orlau.", "Cy Marr")],
    }
    for said, support in {"Bo Lind": "supported", "Cy Marr": "unsupported"}.items():
        plays = Plays(
            sub_questions={main: [lind, marr]},
            arrows={main: "1 -> Q, 2 -> Q"},
            reads={lind: "1801", marr: "1822"},
            summary=f"So the final answer is {said}.",
        )
        answer = (await ask(plays, main, found)).answer
        assert (answer.short, answer.verdict.support) == (said, support)
        if support == "supported":
            assert [one.passage_id for one in answer.carrier.citations] == ["lind", "marr"]
            assert answer.text.endswith("Bo Lind [3].")
