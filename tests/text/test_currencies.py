"""Currencies are told in one place, and alike wherever a rule needs them."""

import pytest

from hopweave.citations.rules.scales import places_in_tables
from hopweave.core.types import Span
from hopweave.ingest.table_heads import is_value
from hopweave.text.alike_names import alike_names
from hopweave.text.amounts import is_other_currency, number_and_unit
from hopweave.text.currencies import CODES, code_of_currency
from hopweave.text.values_alike import values_in


@pytest.mark.parametrize("code", CODES)
def test_every_currency_is_known_to_all_rules_by_its_code(code):
    assert [value.kind for value in values_in(f"The fee is {code} 300.")] == ["money"]
    assert [value.kind for value in values_in(f"The fee is 300 {code}.")] == ["money"]
    assert number_and_unit(f"300 {code}") == (300, code)
    assert is_value(f"{code} 300")
    assert alike_names(f"{code} 300") == []
    assert list(places_in_tables(f"{code} 300,000", f"Sales in T{code}\n\nitem: beer; 2023: 300."))


def test_a_code_in_small_letters_is_a_word_unless_it_is_one_of_the_commonest():
    assert [code_of_currency(written) for written in ("sek", "nok", "cad", "eur", "usd")] == [None, None, None, "EUR", "USD"]
    assert [value.kind for value in values_in("Wait 30 sek, then 5 eur.")] == ["number of sek", "money"]


@pytest.mark.parametrize(("written", "code"), [("€", "EUR"), ("us$", "USD"), ("R$", "BRL"), ("zł", "PLN"), ("Rupees", "INR")])
def test_a_sign_or_name_is_as_good_as_a_code(written, code):
    assert code_of_currency(written) == code
    assert number_and_unit(f"300 {written}") == (300, code)


def test_the_sign_of_a_currency_is_not_taken_for_one_that_it_contains():
    assert is_other_currency("$50", Span(13, 15), "The fee is R$50.")
    assert not is_other_currency("50 BRL", Span(13, 15), "The fee is R$50.")
