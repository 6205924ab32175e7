"""Terms that documents define, and their uses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopweave.citations.support import judge
from hopweave.core.types import Hit, Passage
from hopweave.text.defined_terms import MOST_DEFINED, MOST_USED, definitions, term_label, used_and_defined, uses
from hopweave.text.evidence import chosen_sentences


def defined(text, *sections, title="Agreement"):
    return [text[one.span.start : one.span.end] for one in definitions(title, sections, text)]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ('"Default Rate" means 4% above the base rate.', "Default Rate"),
        ("1.2 Working Hours means the time from 9 to 5.", "Working Hours"),
        ("(a) “Business Day”: a day other than a Sunday.", "Business Day"),
        ('Orlau Ltd (the "Supplier") delivers the boats.', "Supplier"),
        ('Orlau Ltd, hereinafter called "Supplier", delivers the boats.', "Supplier"),
        ("The Latest Check-in Time (LCT) is shown.", "LCT"),
        ("Term: Hood Stroke; Meaning: one opening and one closing.", "Hood Stroke"),
        ("„Ruhezeiten“ sind die Stunden von 13 bis 15 Uhr.", "Ruhezeiten"),
        ("Die Orlau GmbH (nachfolgend „Lieferant“) liefert.", "Lieferant"),
        ("„Werktage“ im Sinne dieses Vertrags sind Montag bis Freitag.", "Werktage"),
        ("« Période d'essai » désigne les trente premiers jours.", "Période d'essai"),
        ("La société Orlau, ci-après le « Prestataire », livre.", "Prestataire"),
        ("«Plazo de gracia» significa cinco días.", "Plazo de gracia"),
        ("“Termijn” betekent vijf dagen.", "Termijn"),
        ("«Срок» означает пять дней.", "Срок"),
    ],
)
def test_a_definition_is_told_by_its_form(text, term):
    assert [one.label for one in definitions("Agreement", [], text)] == [term_label(term)]
    assert defined(text) == [text]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Set-back: the tank is kept 12 K cooler.", "Set-back"),
        ("SLT – Senior Lead Traffic", "SLT"),
        ("Short: LCT; Long: latest check-in time.", "LCT"),
    ],
)
def test_lines_of_a_glossary_define_terms(text, term):
    for passage in (
        ("Glossary", [], text),
        ("Handbook", ["C Abbreviations"], text),
        ("Handbook", [], f"ABBREVIATIONS\n\n{text}"),
    ):
        assert term_label(term) in [one.label for one in definitions(*passage)]
    assert not definitions("Handbook", ["3 Use"], text)


def test_a_heading_that_is_a_name_defines_it_as_far_as_its_text_goes():
    text = "B Conditions\n\nCondition Amber\n    A mean of 36 knots.\n\nCondition Red\n    A mean of 47 knots."
    assert defined(text) == ["Condition Amber\n    A mean of 36 knots.\n\n", "Condition Red\n    A mean of 47 knots."]
    assert not definitions("Manual", [], "Changing the filter\n\nTake it out.")


@pytest.mark.parametrize(
    "text",
    [
        'He said "no" and left.',
        "This means war, and it means that they lose.",
        'print("Default Rate") # a comment',
        'The film ("Low Water") is old; see page (12).',
        "It is a note (see the appendix).",
    ],
)
def test_other_quotes_and_brackets_define_nothing(text):
    labels = [one.label for one in definitions("Agreement", [], text)]
    assert labels in ([], [term_label("Low Water")])


def test_terms_are_compared_without_the_endings_of_plural_and_case():
    assert term_label("Working Days") == term_label("the Working Day")
    assert term_label("Werktage") == term_label("Werktagen")
    assert term_label("Policies") == term_label("Policy")
    assert term_label("Level A Person") != term_label("Level B Person")
    assert term_label("1.2") == term_label("the") == ""


def test_uses_are_words_with_capitals_all_of_a_run_before_parts_of_it():
    labels = [[one.label for one in run] for run in uses("Then each Level B Person pays at the Default Rate.")]
    assert term_label("Level B Person") == labels[0][0]
    assert labels[1][0] == term_label("Default Rate")


def passage(number, text, source="c.md", **more):
    return Passage(f"{source}#{number}", text, "Contract", source, number * 100, number * 100 + 90, **more)


RATE = passage(
    1, '"Base Rate" means that of the bank.\n\n"Default Rate" means 7.1% a year.\n\n"Boats" means those in the list.'
)
LATE = passage(2, "Invoices that are overdue bear interest at the Default Rate.")
ASKED = "What interest do overdue invoices bear?"


def test_a_term_is_defined_for_its_document_and_for_the_folders_below():
    assert [use.label for use, _ in used_and_defined(LATE, RATE)] == [term_label("Default Rate")]
    glossary = passage(1, RATE.text, "plant/glossary.md")
    assert list(used_and_defined(passage(1, LATE.text, "plant/pumps/manual.md"), glossary))
    assert not list(used_and_defined(passage(1, LATE.text, "office/rules.md"), glossary))
    assert not list(used_and_defined(passage(1, LATE.text, ""), passage(2, RATE.text, "")))


def test_what_a_definition_says_is_supported_by_it_and_the_sentence_that_uses_the_term():
    assert judge(ASKED, "7.1%", [RATE]).support == "unsupported"
    judged = judge(ASKED, "7.1%", [RATE, LATE])
    assert judged.support == "supported"
    assert [one.passage_id for one in judged.citations] == [RATE.id, LATE.id]
    assert (
        judge(ASKED, "7.1%", [RATE, passage(3, "Invoices that are overdue bear interest at the Base Rate.")]).support
        == "unsupported"
    )


def test_the_definition_of_a_used_term_comes_before_others_of_its_passage():
    said = " ".join(one.text for one in chosen_sentences(ASKED, [Hit(LATE, 1.0, 1), Hit(RATE, 0.9, 2)], 40))
    assert "7.1%" in said
    assert "Boats" not in said


@given(st.text(alphabet='"“”„«»():;=–-. \nABCabcthe means is\t1', max_size=200))
@settings(max_examples=100)
def test_any_text_has_definitions_and_uses_within_bounds(text):
    found = definitions(text[:40], [text[40:80]], text)
    assert len(found) <= MOST_DEFINED
    assert all(0 <= one.span.start < one.span.end <= len(text) for one in found)
    assert len({one.label for one in found}) == len(found)
    assert len(uses(text)) <= MOST_USED
    assert all(one.label.startswith("= ") and text[one.span.start : one.span.end] for run in uses(text) for one in run)
