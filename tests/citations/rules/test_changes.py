"""Values that changed: which of them a question asks for."""

import pytest

from hopweave.citations.rules.changes import is_other_figure
from hopweave.citations.rules.conditions import is_under_other_condition
from hopweave.citations.support import judge
from hopweave.core.types import Passage, Span

SALES = "Sales of Orlau rose by 8.4% to £512 million, while the margin improved from 6.1% to 7.3%."
DIVIDEND = "The board of Orlau proposes a dividend of £1.15 per share, up from £0.95 for 2022."
DEBT = "The debt of Orlau fell to £88 million at the end of 2023 from £104 million a year earlier."
BUDGET = (
    "In the first half of 2024 sales of Orlau were £541 million against a budget of £548 million, and £527 million in 2023."
)
EXPENSE = "The expense of Orlau was £98 million, an increase of £11 million."
MARGIN = "The gross margin of Orlau was 38.4%, compared with 37.9% in the previous quarter."
STAFF = "The average number of employees of Orlau was 4,870, against 5,012 in the previous year."
LINES = "Turnover of Orlau up 5.2% to £731 million (2024: £695 million)\nFinal dividend of Orlau 9.4p (2024: 8.9p)"
SHARE = "The north of Orlau had 41% of sales (2022: 44%), and the south 33%."


@pytest.mark.parametrize(
    ("asked", "told", "right", "wrong"),
    [
        ("What were the sales of Orlau?", SALES, "£512 million", ["8.4%"]),
        ("By how much did the sales of Orlau rise?", SALES, "8.4%", ["£512 million"]),
        ("What was the margin of Orlau?", SALES, "7.3%", ["6.1%"]),
        ("What dividend does the board of Orlau propose?", DIVIDEND, "£1.15", ["£0.95"]),
        ("What dividend did Orlau propose for 2022?", DIVIDEND, "£0.95", []),
        ("What was the debt of Orlau at the end of 2023?", DEBT, "£88 million", []),
        ("What was the debt of Orlau at the end of 2022?", DEBT, "£104 million", ["£88 million"]),
        ("What was the budget of Orlau for the first half of 2024?", BUDGET, "£548 million", ["£527 million"]),
        ("What were the sales of Orlau in the first half of 2024?", BUDGET, "£541 million", ["£527 million"]),
        ("How much did the expense of Orlau increase?", EXPENSE, "£11 million", ["£98 million"]),
        ("What was the expense of Orlau?", EXPENSE, "£98 million", ["£11 million"]),
        ("What was the gross margin of Orlau?", MARGIN, "38.4%", ["37.9%"]),
        ("What was the gross margin of Orlau in the previous quarter?", MARGIN, "37.9%", []),
        ("How many employees did Orlau have on average in the previous year?", STAFF, "5,012", ["4,870"]),
        ("How many employees did Orlau have on average?", STAFF, "4,870", ["5,012"]),
        ("What was the turnover of Orlau?", LINES, "£731 million", ["5.2%", "£695 million"]),
        ("What was the final dividend of Orlau?", LINES, "9.4p", ["8.9p"]),
        ("What share of sales did the north of Orlau have in 2022?", SHARE, "44%", ["41%"]),
    ],
)
def test_the_value_of_the_year_that_is_asked_for_is_meant_and_a_change_only_if_one_is(asked, told, right, wrong):
    passages = [Passage("a", told, "Orlau")]
    assert judge(asked, right, passages).support == "supported"
    assert [judge(asked, one, passages).support for one in wrong] == ["unsupported"] * len(wrong)


@pytest.mark.parametrize(
    ("asked", "told", "said"),
    [
        (
            "By how much did it fall with the small dose?",
            "It fell by 8 g with the large dose and by 5 g with the small one.",
            "5 g",
        ),
        ("What was it in the controls?", "It was 6.1 g vs. 9.8 g.", "9.8 g"),
        ("What interest is payable after 31 July 2025?", "It is 5.2% until 31 July 2025 and 6.1% after that date.", "6.1%"),
        ("What is the effect on the cholesterol?", "It reduced cholesterol by 1.1 mmol/L and weight by 3 kg.", "1.1 mmol/L"),
        ("What were the sales in 2021?", "year: 2021; sales: 5; change: 4%.", "5"),  # a row
    ],
)
def test_a_value_that_is_compared_with_no_earlier_one_is_left_alone(asked, told, said):
    start = told.index(said)
    assert not is_other_figure(asked, told, Span(start, start + len(said)))


@pytest.mark.parametrize(
    ("asked", "others"),
    [
        ("By how much did the turnover of the dairy fall?", [True, False]),
        ("By how much did the turnover of the bakery grow?", [False, True]),
        ("By how much did the turnover change?", [False, False]),
    ],
)
def test_a_fall_is_no_rise(asked, others):
    told = "The bakery increased turnover by 7.9% to £312 million, while the dairy fell 1.4% to £268 million."
    assert [is_other_figure(asked, told, Span(start, start + 4)) for start in map(told.index, ("7.9%", "1.4%"))] == others


BONUS = "Customers above EUR 20,000 receive a bonus of 3%; above EUR 50,000 the bonus is 5%."


@pytest.mark.parametrize(
    ("asked", "said", "is_other"),
    [
        ("Which bonus does a customer above EUR 50,000 receive?", "3%", True),
        ("Which bonus does a customer above EUR 50,000 receive?", "5%", False),
        ("Which bonus does a customer above EUR 20,000 receive?", "5%", True),
        ("Which bonus does a customer above EUR 30,000 receive?", "3%", False),  # which is in no part
        ("Which bonus does a customer receive?", "3%", False),
    ],
)
def test_a_value_on_the_condition_of_another_number_than_the_question_names_is_not_meant(asked, said, is_other):
    start = BONUS.index(said)
    assert is_under_other_condition(asked, BONUS, Span(start, start + len(said))) is is_other


def test_the_days_of_a_time_from_one_to_another_are_no_earlier_value():
    told = "1. The dates change: the fair is now from 19 to 21 June."
    start = told.index("19")
    assert not is_other_figure("When is the fair?", told, Span(start, start + len("19 to 21 June")))
