"""Amounts whose unit does not stand beside their number."""

import pytest

from hopweave.citations.support import claim_of
from hopweave.core.types import Passage

ASKED = "What is the list price of the granite 450?"
LIST = (
    "Price list 2025 (net, EUR)\n\n"
    "Art.-No.: G-450; Product: granite 450; List price: 2,824.50; Weight (kg): 214; Lead time (weeks): 6; Pieces: 12."
)


def support(answer, text=LIST, asked=ASKED, title="Price list"):
    return claim_of(1, asked, answer, "retrieved", [Passage("list", text, title)]).support


@pytest.mark.parametrize("answer", ["2,824.50 EUR", "€2,824.50", "EUR 2824.50", "2,824.50 euros"])
def test_an_amount_of_money_is_supported_by_its_number_in_a_list_that_names_its_currency(answer):
    assert support(answer) == "supported"


@pytest.mark.parametrize("answer", ["$2,824.50", "2,824.50 USD", "2,824.50 GBP", "2,824 EUR"])
def test_another_currency_or_number_is_not(answer):
    assert support(answer) == "unsupported"


@pytest.mark.parametrize("text", [LIST.replace("net, EUR", "net"), LIST + "\n\nIn USD on request."])
def test_a_currency_must_be_named_and_be_the_only_one(text):
    assert support("2,824.50 EUR", text) == "unsupported"


def test_the_title_may_name_the_currency():
    assert support("2,824.50 EUR", LIST.replace("net, EUR", "net"), title="Prices in EUR") == "supported"


def test_a_unit_may_stand_in_the_name_of_the_column():
    asked = "What is the weight of the granite 450?"
    assert support("214 kg", asked=asked) == "supported"
    assert support("214 t", asked=asked) == "unsupported"


@pytest.mark.parametrize(
    ("answer", "written", "found"),
    [
        ("1 mg", "1, 8 and 4 mg", "supported"),
        ("1 g", "1, 8 and 4 mg", "unsupported"),
        ("2.1 mU/L", "2.1 ± 0.6 mU/L", "supported"),
        ("2.1 mmol/L", "2.1 ± 0.6 mU/L", "unsupported"),
        ("2 °C", "2 to 8 °C", "supported"),
    ],
)
def test_a_unit_may_stand_behind_a_later_number(answer, written, found):
    assert support(answer, f"The granite 450 has {written}.", "What has the granite 450?") == found


def test_a_unit_may_stand_in_a_column_of_units():
    text = "Product: granite 450; Unit: mmol/L; Potassium: 3.1; Level: 4."
    assert support("3.1 mmol/L", text, "What is the potassium of the granite 450?") == "supported"
    assert support("3.1 mg/L", text, "What is the potassium of the granite 450?") == "unsupported"


@pytest.mark.parametrize("answer", ["12 EUR", "6 EUR", "214 EUR", "450 EUR"])
def test_a_number_of_something_else_is_no_amount_of_money(answer):
    assert support(answer, asked="What does the granite 450 cost?") == "unsupported"


@pytest.mark.parametrize(
    ("answer", "written"), [("$5,460", "€5,460"), ("$5,460", "5,460 EUR, or $6,000"), ("5,460 €", "USD 5,460")]
)
def test_an_amount_in_another_currency_does_not_support_an_answer(answer, written):
    text = f"The monthly rent of the granite hall is {written}."
    assert support(answer, text, "What is the rent of the granite hall?") == "unsupported"


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        ("€5,460.00", "EUR 5,460.00"),
        ("5460 EUR", "€ 5,460"),
        ("$3", "3 dollars"),
        ("25,000 EUR", "EUR 25.000"),
        ("€2,340.50", "2.340,50 €"),
        ("12.50 EUR", "12,50 EUR"),
        ("8.900 €", "8,900 EUR"),
    ],
)
def test_the_sign_of_a_currency_is_as_good_as_its_code(answer, written):
    assert (
        support(answer, f"The monthly rent of the granite hall is {written}.", "What is the rent of the granite hall?")
        == "supported"
    )
