"""Decompositions, plans and their solutions are read however models lay them out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.answering.methods.planning._numbered_plan import parse_plan, parse_solution, parse_sub_questions

WHO, WHEN = "Who directed Cold Harbour?", "When was Liv Aas born?"
WORDS = st.text("abc é'?", min_size=1, max_size=20).filter(lambda text: any(map(str.isalnum, text)))


# -- decompositions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f'"{WHO}", "{WHEN}"',
        f'"{WHO}", "{WHEN}".',
        f' "{WHO}" and "{WHEN}"',
        f'"{WHO}", and "{WHEN}".',
        f'"{WHO}" "{WHEN}"',
        f'"{WHO}"; "{WHEN}"',
        f"“{WHO}”, “{WHEN}”",
        f'["{WHO}", "{WHEN}"]',
        f'1. "{WHO}"\n2. "{WHEN}"',
        f'- "{WHO}"\n- "{WHEN}"',
        f'"{WHO}"\n"{WHEN}"',
        f'To answer the question "When was the director born?", we need to know: "{WHO}", "{WHEN}".',
        f'"{WHO}" (for the name), "{WHEN}" (for the date)',
        f'"{WHO}", "{WHEN}". These two lead to the answer.',
        f"1. {WHO}\n2. {WHEN}",
        f"- {WHO}\n- {WHEN}",
        f'To answer the question "When was the director born?", we need to know:\n1. {WHO}\n2. {WHEN}',
    ],
)
def test_sub_questions_are_read_from_quotation_marks_or_else_from_a_list(text):
    assert parse_sub_questions(text).items == (WHO, WHEN)
    assert parse_sub_questions(text).problems == ()


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ('"Who wrote "Emma"?", "When was she born?"', ('Who wrote "Emma"?', "When was she born?")),
        ('"Which is older, "Emma" or "Persuasion"?"', ('Which is older, "Emma" or "Persuasion"?',)),
        ('1. Who wrote "Emma"?\n2. When was she born?', ('Who wrote "Emma"?', "When was she born?")),
        ('"the director", "the birth date"', ("the director", "the birth date")),
        ('"Who?", "When was', ("Who?",)),
        ('"...", "Who?"', ("Who?",)),
    ],
)
def test_a_quotation_within_a_sub_question_is_a_part_of_it_and_what_is_cut_off_does_not_count(text, items):
    assert parse_sub_questions(text).items == items


@pytest.mark.parametrize(
    ("text", "problem"),
    [("", "the reply is empty"), ("I cannot.", "no item of a list was found"), ('""', "no item of a list was found")],
)
def test_a_reply_without_sub_questions_says_so(text, problem):
    assert parse_sub_questions(text).items == ()
    assert parse_sub_questions(text).problems == (problem,)


@given(st.lists(WORDS.map(lambda text: " ".join(text.split())), min_size=1, max_size=6))
def test_whatever_is_put_between_quotation_marks_comes_back(items):
    text = "To answer it, we need to know: " + ", ".join(f'"{item}"' for item in items) + "."
    assert parse_sub_questions(text).items == tuple(items)


# -- plans and solutions -----------------------------------------------------------------------------------------------

ITEMS = (WHO, WHEN)
LIST = f"1. {WHO}\n2. {WHEN}"
FINAL = "So the final answer is 1931."


@pytest.mark.parametrize(
    "text",
    [
        f"{LIST}\nSolution:\n1. Liv Aas\n2. 1931\n{FINAL}",
        f"Plan:\n{LIST}\n\nSolution:\n\n1. Liv Aas\n2. 1931\n\n{FINAL}",
        f"**Plan:**\n{LIST}\n**Solution:**\n1. **Liv Aas**\n2. 1931\n{FINAL}",
        f"### Plan:\n{LIST}\n### Solution:\n1) Liv Aas\n2) 1931\n{FINAL}",
        f"{LIST}\nSolution:\n1. {WHO} Liv Aas\n2. {WHEN} 1931\n{FINAL}",
        f"{LIST}\nSolution:\n1. {WHO} - Liv Aas\n2. {WHEN}: 1931\n{FINAL}",
        f"{LIST}\nSolution:\n1. {WHO}\n   Liv Aas\n2. {WHEN}\n   1931\n{FINAL}",
        f"{LIST}\nSolution:\nStep 1: Liv Aas\nStep 2: 1931\n{FINAL}",
        f"{LIST}\nSolution:\nAnswer 1: Liv Aas\nAnswer 2: 1931\n{FINAL}",
        f"{LIST}\nSolution:\n**1.**\nLiv Aas\n**2.**\n1931\n{FINAL}",
        f"{LIST}\nSolution:\n1.Liv Aas\n2. 1931 {FINAL}",
        f"{LIST}\nSolution: \n1. Liv Aas\r\n2. 1931\r\n{FINAL}",
        f"Plan: {LIST}\nSolution:\n2. 1931\n1. Liv Aas\n{FINAL}",
    ],
)
def test_each_item_of_a_plan_gets_its_own_answer(text):
    plan = parse_plan(text)
    assert plan.items == ITEMS
    solution = parse_solution(plan.solution, plan.items)
    assert solution.answers == ("Liv Aas", "1931")
    assert solution.closing.endswith(FINAL)
    assert (plan.problems, solution.problems) == ((), ())


@pytest.mark.parametrize("text", ["1. Liv Aas directed it.\n2. She was born in 1931.", "She was born in 1931.", FINAL])
def test_statements_without_a_heading_are_no_plan(text):
    plan = parse_plan(text)
    assert (plan.items, plan.solution) == ((), text)
    assert plan.problems == ("no plan was written",)


def test_questions_without_a_heading_behind_them_are_a_plan_without_answers():
    plan = parse_plan(f"{LIST}\n{FINAL}")
    assert (plan.items, plan.solution, plan.problems) == (ITEMS, FINAL, ())


def test_items_that_are_no_questions_count_before_a_heading():
    assert parse_plan("1. Find the director\n2. Find her birth\nSolution:\n1. x").items == (
        "Find the director",
        "Find her birth",
    )


def test_what_is_missing_or_too_much_in_a_solution_is_said():
    solution = parse_solution("1. Liv Aas\n3. 1931", ITEMS)
    assert solution.answers == ("Liv Aas", "")
    assert solution.problems == ("step 2 has no answer", "there is no step 3")
    assert parse_solution("", ITEMS).problems == ("step 1 has no answer", "step 2 has no answer")


def test_the_first_answer_under_a_number_counts():
    assert parse_solution("1. Liv Aas\n2. 1931\n1. Somebody", ITEMS).answers == ("Liv Aas", "1931")


def test_an_explanation_behind_the_answers_is_the_closing():
    solution = parse_solution("1. Liv Aas\n2. 1931\n\nShe was born in 1931.\nSo it is.", ITEMS)
    assert solution.answers == ("Liv Aas", "1931")
    assert solution.closing == "She was born in 1931. So it is."


def test_a_number_that_is_an_answer_is_not_taken_for_that_of_a_step():
    assert parse_solution("1. 86\n2. 1931.5 metres", ITEMS).answers == ("86", "1931.5 metres")


def test_an_empty_reply_is_no_plan():
    assert parse_plan(" \n").problems == ("the reply is empty",)


@given(st.text())
def test_any_text_is_read(text):
    for item in parse_sub_questions(text).items:
        assert any(map(str.isalnum, item))
    plan = parse_plan(text)
    assert bool(plan.items) != bool(plan.problems)
    solution = parse_solution(text, ITEMS)
    assert len(solution.answers) == len(ITEMS)
    assert not any("\n" in answer for answer in solution.answers)


@given(
    st.lists(WORDS.map(lambda text: f"{' '.join(text.replace('?', ' ').split())}?"), min_size=1, max_size=6, unique=True),
    st.data(),
)
def test_a_plan_and_its_solution_come_back_as_they_were_written(items, data):
    items = [item.replace("?", "x?") for item in items]
    answers = data.draw(
        st.lists(st.from_regex(r"[A-Z][a-z]{1,8}( [A-Z][a-z]{1,8})?", fullmatch=True), min_size=len(items), max_size=len(items))
    )
    plan_text = "\n".join(f"{number}. {item}" for number, item in enumerate(items, start=1))
    solution_text = "\n".join(f"{number}. {answer}" for number, answer in enumerate(answers, start=1))
    plan = parse_plan(f"{plan_text}\nSolution:\n{solution_text}\n{FINAL}")
    assert plan.items == tuple(items)
    solution = parse_solution(plan.solution, plan.items)
    assert (solution.answers, solution.closing) == (tuple(answers), FINAL)
