"""Sentences that say something else in nearly the same words."""

import pytest

from hopweave.citations.support import claim_of
from hopweave.core.types import Passage

ASKED = "Who designed the light of Carrow Head?"
RIGHT = Passage("right", "The light of Carrow Head was designed by Ines Halloran in 1874.", "Carrow Head")


def found(*others, answer="Ines Halloran", asked=ASKED):
    return claim_of(1, asked, answer, "retrieved", [RIGHT, *others])


@pytest.mark.parametrize(
    "planted",
    [
        "The light of Carrow Head was designed by Otto Falk in 1874.",
        "Who designed the light of Carrow Head? The light of Carrow Head was designed by Otto Falk in 1874.",
    ],
)
def test_a_planted_copy_with_another_name_is_shown_and_no_answer_is_supported(planted):
    copy = Passage("planted", planted, "Carrow Head, a study")
    for claim in (found(copy), found(copy, answer="Otto Falk")):
        assert (claim.support, claim.shortfall) == ("contradicted", "rival")
        assert claim.citations
        assert claim.contradicted_by is not None
        assert claim.contradicted_by.passage_id != claim.citations[0].passage_id


def test_another_year_in_the_same_words_is_a_rival():
    copy = Passage("old", "The light of Carrow Head was designed by Ines Halloran in 1901.", "Carrow Head")
    asked = "When was the light of Carrow Head designed?"
    assert found(copy, answer="1874", asked=asked).shortfall == "rival"


@pytest.mark.parametrize("answer", ["38.5", "38.5 hours"])
def test_another_number_of_the_same_unit_is_a_rival_whether_or_not_the_answer_has_the_unit(answer):
    new, old = (
        Passage(name, f"The weekly working time is {value} hours.", name) for name, value in (("new", 38.5), ("old", 40))
    )
    claim = claim_of(1, "What is the weekly working time?", answer, "retrieved", [new, old])
    assert (claim.support, claim.shortfall) == ("contradicted", "rival")


@pytest.mark.parametrize(
    "other",
    [
        "The light of Carrow Head was designed by Ines Halloran in 1874, says the almanac.",  # the same
        "The light of Orla Bridge was designed by Otto Falk in 1874.",  # of something else
        "Ines Halloran, born in Orlau, designed many lights.",
        "The light of Carrow Head stands on a rock.",
    ],
)
def test_what_says_the_same_or_is_about_something_else_is_no_rival(other):
    assert found(Passage("other", other, "A list")).support == "supported"


HOSTS = Passage(
    "hosts",
    "host: granite; owner: Mira Castellan; size of last archive: 812 GiB.\n"
    "host: pebble; owner: Ola Lind; size of last archive: 3 GiB.",
    "Review",
)
CUPS = Passage("cups", "year: 2019; winner: Ada Finch; points: 31. year: 2020; winner: Ida Renn; points: 31.", "Orla Cup")


@pytest.mark.parametrize(
    ("asked", "answer", "table"),
    [
        ("Who owns pebble?", "Ola Lind", HOSTS),
        ("Who is the owner of the host granite?", "Mira Castellan", HOSTS),
        ("Who was the winner of the Orla Cup in 2019?", "Ada Finch", CUPS),
    ],
)
def test_another_row_of_a_table_is_no_rival_of_the_row_that_was_asked_for(asked, answer, table):
    claim = claim_of(1, asked, answer, "retrieved", [table])
    assert (claim.support, claim.contradicted_by) == ("supported", None)


def test_a_row_about_the_same_that_says_something_else_is_a_rival():
    outdated = Passage("old", "host: pebble; owner: Otto Falk; size of last archive: 3 GiB.", "Review of last year")
    claim = claim_of(1, "Who owns pebble?", "Ola Lind", "retrieved", [HOSTS, outdated])
    assert (claim.support, claim.shortfall) == ("contradicted", "rival")


def test_a_row_of_the_list_of_another_year_is_no_rival_if_the_year_is_asked_for():
    row = "Product: granite 450; Unit: piece; List price: {}; Lead time: 6 weeks."
    new = Passage("new", row.format("2,824"), "Price list 2025")
    old = Passage("old", row.format("2,690"), "Price list 2024")
    asked = "What is the list price of granite 450{}?"
    assert claim_of(1, asked.format(" in 2025"), "2,824", "retrieved", [new, old]).support == "supported"
    assert claim_of(1, asked.format(""), "2,824", "retrieved", [new, old]).support == "contradicted"


def test_the_same_clause_of_an_earlier_version_of_a_document_is_a_rival_though_only_its_file_names_the_subject():
    clause = "2.2 Invoices are payable within {} days of receipt."
    passages = [Passage(v, clause.format(days), "Supply Agreement", f"Orlau_{v}.docx") for v, days in (("v2", 45), ("v1", 30))]
    other = Passage("other", clause.format(14), "Supply Agreement", "Sula_v1.docx")
    asked = "Within how many days are invoices payable under the agreement with Orlau?"
    assert claim_of(1, asked, "45 days", "retrieved", passages).support == "contradicted"
    assert claim_of(1, asked, "45 days", "retrieved", [passages[0], other]).support == "supported"


def test_the_number_of_an_item_is_no_word_that_two_sentences_share():
    text = "1. The mayor is elected by the divers.\n2. This is in May.\n\nThe divers may:\n\n1. Appoint or recall the mayor."
    claim = claim_of(1, "How is the mayor elected?", "by the divers", "retrieved", [Passage("a", text, "Constitution")])
    assert claim.support == "supported"


def test_another_temperature_in_the_manual_of_another_model_is_a_rival():
    row = "Item: Boiler safety thermostat, trip temperature; Value: {} °C."
    manuals = [Passage(model, row.format(value), f"Manual of the {model}") for model, value in (("H4", 110), ("H6", 108))]
    asked = "What is the trip temperature of the boiler safety thermostat"
    assert claim_of(1, f"{asked}?", "110 °C", "retrieved", manuals).shortfall == "rival"
    assert claim_of(1, f"{asked} of the H4?", "110 °C", "retrieved", manuals).support == "supported"
