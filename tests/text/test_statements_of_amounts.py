"""A statement that adds an amount to its question, and nothing else, is judged as that amount."""

import pytest

from hopweave.citations.rules.statements import amount_added
from hopweave.citations.support import judge
from hopweave.core.types import Passage

ASKED = "What were the sales of Orlau KT-40 in May 2024?"


@pytest.mark.parametrize(
    ("said", "amount"),
    [
        ("The sales of Orlau KT-40 in May 2024 were EUR 8,862 thousand.", "EUR 8,862 thousand"),
        ("In May 2024, the sales of Orlau KT-40 were 8,862.", "8,862"),
        ("The sales of Orlau KT-40 in May 2024 were -7.4%.", "-7.4%"),
        ("The sales of Orlau KT-40 in May 2024 were 9,90 EUR/month.", "9,90 EUR/month"),
        ("The sales of Orlau KT-40 were SEK 76 800 in May 2024.", "SEK 76 800"),
        ("The sales of Orlau KT-40 in May 2023 were 8,862.", ""),  # another year
        ("The costs of Orlau KT-40 in May 2024 were 8,862.", ""),
        ("The sales of Orlau KT-40 in May 2024 were not 8,862.", ""),
        ("The sales of Orlau KT-40 in May 2024 were more than 8,862.", ""),
        ("The sales of Orlau KT-40 were 8,862 or 9,100.", ""),
        ("The sales of Orlau KT-40 were 8,862.", ""),  # of which month is left open
        ("EUR 8,862 thousand", ""),
    ],
)
def test_a_statement_may_add_only_an_amount(said, amount):
    assert amount_added(said, ASKED) == amount


def test_an_amount_that_is_not_of_the_kind_that_is_asked_for_is_not_taken_for_the_answer():
    assert amount_added("Bo Lind was born in 1801.", "Who was born first, Bo Lind or Cy Marr?") == ""
    assert amount_added("Bo Lind was born in 1801.", "Where was Bo Lind born?") == ""
    assert amount_added("Bo Lind was born in 1801.", "When was Bo Lind born?") == "1801"


TABLE = (
    "Sales in EUR thousand\n\nItem: KT-40; May 2024: 8,862; June 2024: 8,540.\n\n"
    "Item: KT-60; May 2024: 9,100; June 2024: 9,212."
)


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        ("EUR 8,862 thousand", "supported"),
        ("8,862", "supported"),
        ("8,540", "unsupported"),  # of another month
        ("9,100", "unsupported"),  # of another thing
        ("EUR 8,862", "unsupported"),  # in another scale
    ],
)
def test_a_row_of_a_table_supports_a_statement_with_its_value(amount, expected):
    said = f"The sales of Orlau KT-40 in May 2024 were {amount}."
    assert judge(ASKED, said, [Passage("a", TABLE, "Orlau report")]).support == expected
