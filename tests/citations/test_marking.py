"""Which sentence states which claim: where marks may stand, what is counted, and the verdict on the whole answer."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.citations.marking import (
    abstention,
    carrier_of,
    settled,
    states,
    validate_marks,
    verdict_of,
    verdict_problems,
)
from hopweave.core.types import Answer, Citation, Claim, Verdict

BORN = "Where was Kurt Gödel born?"
HOUSE = "Which house by Ludwig Mies van der Rohe stands in Brno?"
AGAINST = Citation(0, "p", 0, 1, "x")


def cited(query, text, mark):
    return Claim(query, text, "retrieved", "supported", (Citation(mark, "p", 0, 1, "x"),))


WAS_BORN, STANDS = "Gödel was born in Brno", "The Villa Tugendhat stands in Brno"
GODEL = cited(BORN, "Brno", 1)
VILLA = cited(HOUSE, "the Villa Tugendhat", 2)
NOWHERE = "The house by Ludwig Mies van der Rohe that stands in Brno is the House of Brno"
INVENTED = Claim(HOUSE, f"{NOWHERE}.", "model")


@pytest.mark.parametrize(
    "sentence",
    [
        "Kurt Gödel was born in Brno.",
        "The logician Gödel was born in Brno in 1906, the son of a manager.",
        "Where was Kurt Gödel born? Brno.",
        "Gödel came from Brno.",  # the words of the query, and hardly anything else
        "He was born in Brno.",  # whoever was asked about
        "Brno.",
        "KURT GODEL WAS BORN IN BRNO",
    ],
)
def test_a_sentence_states_a_short_claim_if_it_holds_the_answer_and_enough_of_the_query(sentence):
    assert states(sentence, GODEL)


@pytest.mark.parametrize(
    "sentence",
    [
        "", "...", "Kurt Gödel was born in Vienna.",
        "The house by Ludwig Mies van der Rohe that stands in Brno is the House of Brno.",
        "The Villa Tugendhat stands in Brno.", "Many composers lived in Brno.",
        "In Brno, which Gödel left in 1924, stands the Villa Tugendhat.", "Brno is not known to me.",
        "Brnoers were born where Kurt Gödel was born.",
    ],
)  # fmt: skip
def test_a_name_that_recurs_states_no_claim(sentence):
    assert not states(sentence, GODEL)


def test_a_pronoun_stands_for_the_names_before_it():
    answer = Answer("Kurt Gödel was a logician. He studied in Brno, where he was born.", "Brno", (GODEL,))
    assert validate_marks(answer.text, "Brno", (GODEL,), add_missing=True).text.endswith("where he was born [1].")
    other = "Ida Renn was a logician. She studied in Brno, where she was born."
    assert validate_marks(other, "", (GODEL,), add_missing=True).text == other


@pytest.mark.parametrize(
    ("text", "expected", "num_invented", "num_misplaced"),
    [
        (f"{WAS_BORN} [1]. {STANDS} [2].", None, 0, 0),
        (f"{WAS_BORN} [2]. {STANDS} [1].", f"{WAS_BORN}. {STANDS}.", 0, 2),
        (f"{WAS_BORN} [1, 2, 3, 9].", f"{WAS_BORN} [1].", 1, 2),
        (f"{WAS_BORN}. [1] {STANDS}. [2]", None, 0, 0),
        (f"[1] {WAS_BORN}.", None, 0, 0),
        (f"{NOWHERE} [1] [2] [3].", f"{NOWHERE}.", 0, 3),
        ("So the final answer is the Villa Tugendhat [1] [2].", "So the final answer is the Villa Tugendhat [2].", 0, 1),
        ("Brno [1]\n\nVilla Tugendhat [2]", None, 0, 0),
        ("In 1906 [1906] it was.", None, 0, 0),
    ],
)
def test_a_mark_stays_only_on_the_sentence_that_states_its_claim(text, expected, num_invented, num_misplaced):
    marked = validate_marks(text, "the Villa Tugendhat", (GODEL, VILLA, INVENTED))
    assert marked.text == (expected or text)
    assert (marked.num_invented, marked.num_misplaced) == (num_invented, num_misplaced)


BOTH = f"{WAS_BORN}, where the Villa Tugendhat by Mies stands"
ADDED = {
    "before the full stop": (f"{WAS_BORN}. {STANDS}!", f"{WAS_BORN} [1]. {STANDS} [2]!"),
    "the first sentence only": (f"{WAS_BORN}. So {WAS_BORN}.", f"{WAS_BORN} [1]. So {WAS_BORN}."),
    "marks that are there": (f"It is known. {WAS_BORN}. Born in Brno was Gödel [1].", None),
    "two in one sentence": (BOTH, f"{BOTH} [1] [2]"),
    "nowhere": ("A house in Brno is old.", None),
    "nothing": ("", None),
}


@pytest.mark.parametrize(("text", "expected"), ADDED.values(), ids=ADDED)
def test_a_missing_mark_goes_to_the_first_sentence_that_states_the_claim(text, expected):
    assert validate_marks(text, "", (GODEL, VILLA), add_missing=True).text == (expected or text)


SAID = "Gödel was born in Brno . The Villa Tugendhat stands It ? ! house by Mies answer is: [1] [2] [3] [1,9] [2-4] [7] [1906]"
WORDS = st.sampled_from([*SAID.split(" "), "\n\n"])


@given(st.lists(WORDS, max_size=25).map(" ".join), st.sampled_from(["", "Brno", "the Villa Tugendhat", "House of Brno"]))
def test_whatever_is_said_marks_stand_on_claims_that_are_cited_and_settling_again_changes_nothing(text, short):
    claims = (GODEL, VILLA, INVENTED)
    for add_missing in (False, True):
        marked = validate_marks(text, short, claims, add_missing=add_missing)
        numbers = [int(number) for number in re.findall(r"\[(\d{1,3})\]", marked.text)]
        assert set(numbers) <= {1, 2}
        assert validate_marks(marked.text, short, claims, add_missing=add_missing).text == marked.text
        answer = settled(Answer(marked.text, short, claims))
        assert (answer.text, answer.num_marks_misplaced) == (marked.text, 0)


# -- the verdict -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("short", "number"),
    [
        ("Brno", 1),
        ("in Brno", 1),
        ("Villa Tugendhat.", 2),
        ("Tugendhat", 2),
        ("House of Brno", 3),
        ("Ludwig Mies van der Rohe", None),  # which only the queries say
        ("Villa Savoye", None),
        ("", None),
        ("?!", None),
    ],
)
def test_the_claim_that_carries_the_answer_says_what_it_says(short, number):
    assert carrier_of(short, (GODEL, VILLA, INVENTED)) == number


def test_the_verdict_is_that_of_the_claim_that_carries_the_answer_with_what_the_others_count():
    denied = replace(INVENTED, support="contradicted", contradicted_by=AGAINST)
    text = "Gödel was born in Brno [1]. It rains. So the final answer is the House of Brno."
    answer = Answer(text, "the House of Brno", (GODEL, denied, Claim("Who?", "")))
    assert verdict_of(answer) == Verdict("contradicted", 2, 2, 1, 1, 1)
    assert verdict_of(replace(answer, short="Brno")).support == "supported"
    assert verdict_of(replace(answer, short="Vienna")).support == "unsupported"
    assert verdict_of(Answer("", "")) == Verdict()


def test_a_sentence_of_an_explanation_is_judged_by_its_own_claim_and_not_by_another_that_it_also_states():
    sentences = ("To crop a picture, use the Crop tool.", "This tool crops a picture to a rectangle.")
    claims = tuple(
        Claim("How can I crop a picture?", one, "retrieved", support, (Citation(number, "p", 0, 5, "words"),))
        for number, (one, support) in enumerate(zip(sentences, ("supported", "unsupported"), strict=True), start=1)
    )
    answer = Answer(" ".join(sentences), " ".join(sentences), claims)
    assert verdict_of(answer).support == "unsupported"
    borne_out = tuple(replace(claim, support="supported") for claim in claims)
    assert verdict_of(replace(answer, claims=borne_out)).support == "supported"


def test_numbers_of_steps_and_a_line_that_announces_them_do_not_count():
    steps = ("Open the picture.", "Choose the Crop tool.")
    claims = tuple(
        Claim("How can I crop a picture?", one, "retrieved", "supported", (Citation(number, "p", 0, 5, "words"),))
        for number, one in enumerate(steps, start=1)
    )
    text = "Do the following:\n1. Open the picture.\n2. Choose the Crop tool."
    assert verdict_of(Answer(text, text, claims)) == Verdict("supported", None, 2, 2, 0, 0)
    weaker = (claims[0], replace(claims[1], support="unsupported"))
    assert verdict_of(Answer(text, text, weaker)).support == "unsupported"


def test_marks_of_rows_of_a_table_stand_in_their_last_cells_and_its_header_states_nothing():
    rows = ("lamp: Sula; lit: 1887; by: Ada Finch.", "lamp: Orlau; lit: 1902; by: Tom Carey.")
    claims = tuple(
        Claim("When were the lamps lit?", one, "retrieved", "supported", (Citation(number, "p", 0, 5, "words"),))
        for number, one in enumerate(rows, start=1)
    )
    table = "| lamp | lit | by |\n|---|---|---|\n| Sula | 1887 | Ada Finch{} |\n| Orlau | 1902 | Tom Carey{} |"
    text = f"They were lit early:\n\n{table.format('', '')}\n\nSee section 5 of the handbook."
    marked = validate_marks(text, text, claims, add_missing=True).text
    assert marked == f"They were lit early:\n\n{table.format(' [1]', ' [2]')}\n\nSee section 5 of the handbook."
    assert validate_marks(marked, text, claims, add_missing=True).text == marked
    assert validate_marks(text.replace("Finch |", "Finch | [2]"), text, claims).text == text
    assert verdict_of(Answer(marked, text, claims)) == Verdict("supported", None, 2, 2, 0, 0)


def test_a_long_answer_that_no_single_claim_carries_is_as_good_as_the_weakest_of_its_sentences():
    text = "Gödel was born in Brno [1]. The Villa Tugendhat stands in Brno [2]."
    plain = "Gödel was born in Brno. The Villa Tugendhat stands in Brno."
    assert verdict_of(Answer(text, plain, (GODEL, VILLA))).support == "supported"
    assert verdict_of(Answer(f"{text} It rains.", f"{plain} It rains.", (GODEL, VILLA))).support == "unsupported"
    denied = replace(VILLA, support="contradicted", citations=(), contradicted_by=AGAINST)
    assert verdict_of(Answer(plain, plain, (GODEL, denied))).support == "contradicted"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"support": "supported"}, "its verdict does not follow from its claims"),
        ({"carried_by": 1}, "its verdict does not follow from its claims"),
        ({"num_supported": 3}, "its verdict does not follow from its claims"),
        ({"num_sentences_without_claim": -1}, "its verdict counts more sentences without a claim than it has"),
        ({"num_sentences_without_claim": 99}, "its verdict counts more sentences without a claim than it has"),
    ],
)
def test_a_verdict_that_was_altered_is_named(change, problem):
    answer = Answer("The house is the House of Brno.", "the House of Brno", (GODEL, INVENTED))
    answer = replace(answer, verdict=verdict_of(answer))
    assert list(verdict_problems(answer)) == []
    assert list(verdict_problems(replace(answer, verdict=replace(answer.verdict, **change)))) == [problem]


def test_a_claim_that_is_called_supported_without_a_citation_is_named():
    for claim in (replace(INVENTED, support="supported"), replace(INVENTED, contradicted_by=AGAINST)):
        answer = Answer("", "", (claim,))
        assert any(
            problem.startswith("claim 1 is") for problem in verdict_problems(replace(answer, verdict=verdict_of(answer)))
        )


def test_an_abstention_says_what_was_found_and_nothing_else():
    withheld = abstention(Answer("It is the House of Brno.", "the House of Brno", (GODEL, INVENTED)))
    assert withheld.text == f"No passage bears out the answer. What was found: {BORN} Brno [1]."
    assert (withheld.short, withheld.stopped_because, withheld.how) == ("", "unsupported", "unsupported")
    assert settled(withheld) == withheld
    assert "Nothing was found" in abstention(Answer("x", "x", (INVENTED,))).text


@pytest.mark.parametrize("text", ["Where is it? Brno.", "水車はどこにありますか？ 京都。", "أين هي؟ أورلاو."])
def test_a_question_and_the_answer_behind_it_are_one_sentence_in_whatever_script(text):
    question, answer = text[: text.rindex(" ")], text[text.rindex(" ") + 1 : -1]
    answered = Answer(text, answer, (Claim(question, answer, "retrieved"),))
    assert verdict_of(answered).num_sentences_without_claim == 0
