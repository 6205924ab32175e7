"""Values of the same kind among which a query means one: those of other clauses, other sentences, and bounds."""

import pytest

from hopweave.citations.nearer import NEARER
from hopweave.citations.support import judge
from hopweave.core.types import Passage

TERMS = Passage(
    "terms#1",
    "We keep orders for seven years and marketing preferences for three years. The excess is £250, but for subsidence the "
    "excess is £1,000. The agent shall pay damages of 0.5% of the price for each week of delay, not exceeding 10% of the "
    "price. The rules come into force on 1 May 2023, except rule 9, which comes into force on 1 July 2024. The lamp is lit "
    "within 4 hours. The agent shall maintain product cover of at least £5,000 a claim and public cover of at least £2,000 a "
    "claim. Interest is payable at 5.25% until 31 July 2025 and at 6.1% after that date.",
    "Terms of Carrow",
    "terms.txt",
)
MORE = Passage("terms#2", "Carrow shall pay an invoice within 40 days of receipt.", "Terms of Carrow", "terms.txt")
OTHER = Passage(
    "other", "After a storm it takes the keepers of Carrow some 9 hours until the lamp is lit.", "Terms of Orlau", "other.txt"
)


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("What is the excess for subsidence under the terms of Carrow?", "£1,000", "£250"),
        ("What is the maximum of the damages for delay under the terms of Carrow?", "10%", "0.5%"),
        ("What damages for each week of delay does the agent pay under the terms of Carrow?", "0.5%", "10%"),
        ("When did rule 9 of the terms of Carrow come into force?", "1 July 2024", "1 May 2023"),
        ("What is the minimum product cover under the terms of Carrow?", "£5,000", "£2,000"),
        ("Within what time must Carrow pay an invoice under its terms?", "40 days", "4 hours"),
    ],
)
def test_of_values_of_the_same_kind_the_one_among_more_words_of_the_query_is_meant(query, right, wrong):
    assert judge(query, right, [TERMS, MORE]).support == "supported"
    found = judge(query, wrong, [TERMS, MORE])
    assert (found.support, found.shortfall) == ("unsupported", "relation")


def test_a_value_of_another_document_is_not_nearer():
    asked = "Within what time is the lamp of Carrow lit after a storm?"
    assert judge(asked, "4 hours", [TERMS, OTHER]).support == "supported"


def test_a_clause_that_refers_back_is_read_with_what_is_before_it():
    assert (
        judge("What interest is payable after 31 July 2025 under the terms of Carrow?", "6.1%", [TERMS]).support == "supported"
    )


def test_the_number_of_a_clause_is_no_answer():
    told = Passage("a", "4. Interest of Carrow\n4.1 Interest is payable on each loan. 5% is payable on late rent.", "Rent")
    for query, answer, support in (
        ("What interest is payable in Carrow?", "4%", "unsupported"),
        ("What is payable on late rent in Carrow?", "5%", "supported"),
    ):
        assert judge(query, answer, [told]).support == support


@pytest.mark.parametrize(
    ("query", "answer", "support"),
    [
        ("What is the cap in clause 6.1 of the Orlau Agreement?", "£320", "supported"),
        ("What is the cap in clause 6.1 of the Orlau Agreement?", "£250", "unsupported"),
        ("What was the original cap in clause 6.1 of the Orlau Agreement?", "£250", "supported"),
        ("Where is the depot of the Orlau Agreement?", "Sula", "supported"),
        ("Where is the depot of the Orlau Agreement?", "Brno", "unsupported"),
    ],
)
def test_what_a_text_replaces_or_leaves_out_is_no_answer(query, answer, support):
    told = (
        'In clause 6.1, on the cap, "£250" is replaced by "£320". The depot is the works in Sula, not the head office in Brno.'
    )
    assert judge(query, answer, [Passage("a", told, "Amendment of the Orlau Agreement")]).support == support


def test_a_bound_that_is_not_asked_for_is_not_nearer():
    told = Passage("a", "For keys of Orlau, the minimum size is 1024 bits and the default is 3072 bits.", "Keys")
    assert judge("How many bits has a key of Orlau without a size?", "3072", [told]).support == "supported"


def test_a_sentence_that_names_what_the_query_leads_through_is_not_nearer():
    told = "Otto Renn (5 May 1871 – 2 June 1940) was an engineer. Ida Renn of Orlau was his daughter, and left on 3 July 1950."
    asked = "When was the father of Ida Renn born?"
    passages = [Passage("a", told, "Otto Renn"), Passage("b", "Ida Renn is the daughter of Otto Renn.", "Ida Renn")]
    assert judge(asked, "5 May 1871", passages).support == "supported"


def test_values_that_nothing_separates_share_their_words():
    told = Passage(
        "a", "Ida Renn (1 May 1902 – 4 June 1971) died in Orlau, where an engineer has a week of 5 days.", "Ida Renn"
    )
    assert judge("When was Ida Renn born?", "1 May 1902", [told]).support == "supported"
    assert judge("When did Ida Renn die?", "4 June 1971", [told]).support == "supported"


@pytest.mark.parametrize(("answer", "support"), [("Ida Renn", "unsupported"), ("Ada Finch", "supported")])
def test_a_place_has_a_word_of_the_query_that_the_title_of_its_document_lacks(answer, support):
    told = Passage(
        "a",
        "Ida Renn hears complaints from visitors. Oil is dear. Ada Finch stores the spare wicks.",
        "Handbook of lamps at Carrow",
    )
    assert judge("Who stores the wicks for lamps in the handbook of Carrow?", answer, [told]).support == support


CONTRACT = Passage(
    "contract",
    'This contract is made between Orlau Ltd (the "Employer") and Ada Finch (the "Employee").\n\nNotice\n\nThe Employee '
    "shall give two months' notice and the Employer shall give three months' notice. The place of work is Sula.",
    "Contract",
    "contract.txt",
)


@pytest.mark.parametrize(
    ("query", "answer", "support"),
    [
        ("What notice must Ada Finch give?", "two months", "supported"),
        ("What notice must Ada Finch give?", "three months", "unsupported"),
        ("What notice must Orlau Ltd give?", "three months", "supported"),
        ("What notice must Orlau Ltd give?", "two months", "unsupported"),
        ("What notice must the Employer of Ada Finch give?", "two weeks", "unsupported"),
        ("Where is the place of work of Ada Finch?", "Sula", "supported"),
        ("Where is the place of work of Ida Renn?", "Sula", "unsupported"),
    ],
)
def test_what_a_contract_says_of_a_term_it_says_of_the_party_that_the_term_stands_for(query, answer, support):
    assert judge(query, answer, [CONTRACT]).support == support


LEASE = Passage(
    "lease",
    "Landlord: Ida Renn\nTenant: Ada Finch\nGuarantor: Bo Sand\nRent: £900\n\nRepairs\n\nThe Tenant shall keep the interior in "
    "repair and the Landlord shall keep the roof in repair. The Tenant shall pay for gas. The Landlord shall pay for council "
    "tax. The lease begins on 15 June 2024.",
    "Lease of Orlau House",
    "lease.txt",
)


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("Who must keep the roof of Orlau House in repair?", "The Landlord", "The Tenant"),
        ("Who must keep the interior of Orlau House in repair?", "The Tenant", "The Landlord"),
        ("Who pays for council tax of Orlau House?", "The Landlord", "The Tenant"),
        ("Who guarantees the lease of Orlau House?", "Bo Sand", "Ada Finch"),
    ],
)
def test_a_duty_is_that_of_the_party_and_a_name_that_of_the_label_it_stands_with(query, right, wrong):
    assert judge(query, right, [LEASE]).support == "supported"
    assert judge(query, wrong, [LEASE]).support == "unsupported"


def test_the_day_of_a_date_is_no_number_of_things():
    assert judge("How many tenants has Orlau House?", "15", [LEASE]).support == "unsupported"


LEAFLET = Passage(
    "leaflet",
    "This leaflet was last revised in June 2021. The medicine was first authorised in November 2009. "
    "It was founded on work of Ada Finch. It may be taken with Brnovax.",
    "Suladin",
)


@pytest.mark.parametrize(
    ("query", "answer", "is_elsewhere"),
    [
        ("When was Suladin first authorised?", "June 2021", True),
        ("When was Suladin first authorised?", "November 2009", False),
        ("When was Suladin withdrawn?", "June 2021", False),  # nothing says it
        ("Who first authorised Suladin?", "Ada Finch", False),  # the sentence that has the words has no name
        ("When was the leaflet of Suladin revised?", "June 2021", False),
        ("When was the leaflet of Suladin revised?", "November 2009", True),
        ("Which medicine may be taken with Suladin?", "Brnovax", False),
    ],
)
def test_a_sentence_is_no_evidence_if_another_of_its_passage_says_all_that_is_asked(query, answer, is_elsewhere):
    assert (judge(query, answer, [LEAFLET]).rule in {rule.says for rule in NEARER}) is is_elsewhere


def test_the_number_of_an_item_is_no_value_beside_the_answer():
    asked = "What is the room of Ida Renn?"
    assert judge(asked, "B-214", [Passage("list", "4. Ida Renn, room B-214")]).support == "supported"
    lifts = Passage("lifts", "1. Lift 1: Ascom, serial 77-1042\n\n2. Lift 2: Cimolai, serial C-3391", "Lifts")
    found = [judge("What is the serial number of Lift 2?", one, [lifts]).support for one in ("C-3391", "77-1042")]
    assert found == ["supported", "unsupported"]


def test_a_number_behind_the_mark_of_an_item_is_compared_with_the_answer():
    two = Passage("two", "4. Ida Renn has room 214 and Ada Finch has room 7.")
    found = [judge("Which room has Ida Renn?", one, [two]).support for one in ("214", "7")]
    assert found == ["supported", "unsupported"]
