"""Differences, times between dates and totals: how questions ask for them, and what code computes."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.citations.rules.calculations_asked import calculation_asked, is_computed, is_value

DATES = st.dates(min_value=date(1000, 1, 1), max_value=date(2999, 12, 31))
AGE, AFTER = "How old was Ida when the light was built?", "How many years after the mill was the light built?"
DAYS, MONTHS = "How many days passed between the two?", "How many months passed between the two?"


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How much more does the insurance cost in 2025 than in 2024?", "difference"),
        ("By how much did the rent of the shed rise?", "difference"),
        ("What is the difference between the two rents?", "difference"),
        ("How many more boats than oars does the club have?", "difference"),
        ("How much longer is the pier than the bridge?", "difference"),
        ("How long before the bridge was the pier built?", "difference"),
        ("How many years lie between the two floods?", "difference"),
        (AGE, "difference"),
        ("What do the oars and the insurance cost in total?", "total"),
        ("How many members do both clubs have altogether?", "total"),
        ("What is the sum of the two fees?", "total"),
        ("How much does the insurance cost in 2025?", None),
        ("How long is the pier?", None),
        ("Which is older, the pier or the bridge?", None),
        ("Wie viel mehr kostet die Versicherung als der Schuppen?", None),
    ],
)
def test_what_is_to_be_computed_is_told_by_the_question(question, wanted):
    assert calculation_asked(question) == wanted


@pytest.mark.parametrize(
    ("question", "said", "values", "holds"),
    [
        ("How much more?", "80", ["560", "480"], True),
        ("How much more?", "80", ["480", "560"], True),
        ("How much more?", "£80", ["£560", "480 pounds"], True),
        ("How much more?", "80", ["£560", "£480"], True),
        ("How much more?", "£80", ["560", "480"], False),
        ("How much more?", "$80", ["£560", "£480"], False),
        ("How much more?", "80", ["£560", "$480"], False),
        ("How much more?", "81", ["560", "480"], False),
        ("How much more?", "300", ["1500", "1200"], True),
        ("How long after it?", "15", ["1887", "1902"], True),
        ("How long after it?", "3 May 1902", ["3 May 1887", "3 May 1902"], False),
        ("How much more?", "1.5 m", ["3.5 m", "2 m"], True),
        ("How much more?", "1,240", ["3,720", "2,480"], True),
        ("How much more?", "80 pounds more", ["560 pounds", "480 pounds"], False),
        (AGE, "38", ["3 May 1901", "2 May 1940"], True),
        (AGE, "39", ["3 May 1901", "3 May 1940"], True),
        (AGE, "39", ["3 May 1901", "2 May 1940"], False),
        (AGE, "39", ["1901", "1940"], False),
        (AFTER, "15", ["1887", "1902"], True),
        (AFTER, "15 years", ["1887", "12 May 1902"], True),
        (AFTER, "14 years", ["12 June 1887", "12 May 1902"], True),
        (AFTER, "15 years", ["12 June 1887", "12 May 1902"], True),
        (AFTER, "16 years", ["12 June 1887", "12 May 1902"], False),
        (AFTER, "15 days", ["1887", "1902"], False),
        (DAYS, "31", ["2 May 2024", "2 June 2024"], True),
        (DAYS, "31 days", ["2 May 2024", "June 2024"], False),
        ("How many weeks passed between the two?", "2 weeks", ["2 May 2024", "16 May 2024"], True),
        ("How many weeks passed between the two?", "2", ["2 May 2024", "17 May 2024"], False),
        (MONTHS, "3 months", ["2 May 2024", "1 August 2024"], True),
        (MONTHS, "2", ["2 May 2024", "1 August 2024"], True),
        (MONTHS, "4", ["May 2024", "August 2024"], False),
        ("How many days passed?", "1", ["30 February 2024", "1 March 2024"], False),
    ],
)
def test_a_difference_is_that_of_two_values_in_one_unit(question, said, values, holds):
    assert is_computed(question, "difference", said, values) is holds


@pytest.mark.parametrize(
    ("said", "values", "holds"),
    [
        ("£45", ["£20", "£25"], True),
        ("60", ["20", "25", "15"], True),
        ("45 kg", ["20 kg", "25 g"], False),
        ("45", ["20", "about 25"], False),
        ("forty-five", ["20", "25"], False),
    ],
)
def test_a_total_is_that_of_all_values_in_one_unit(said, values, holds):
    assert is_computed("What is it in total?", "total", said, values) is holds


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("1887", True),
        ("12 May 1902", True),
        ("£5", True),
        ("560", True),
        ("Ida Renn", False),
        ("from 5 to 7", False),
        ("", False),
    ],
)
def test_a_value_is_a_date_or_a_number_and_nothing_else(text, holds):
    assert is_value(text) is holds


@given(st.text(max_size=20), st.lists(st.text(max_size=20), min_size=2, max_size=2), st.sampled_from(["difference", "total"]))
def test_any_text_is_judged(said, values, wanted):
    assert is_computed("How many years?", wanted, said, values) in (True, False)


@given(DATES, DATES)
def test_the_days_between_two_dates_are_those_of_the_calendar(one, other):
    written = [f"{day.day} {day:%B} {day.year}" for day in (one, other)]
    days = abs((other - one).days)
    assert is_computed(DAYS, "difference", f"{days} days", written)
    assert not is_computed(DAYS, "difference", f"{days + 1} days", written)
