"""Lines that each say something of their own: calendars, opening hours, timelines, bills."""

import pytest
from support.readers import read_document, read_plain

from hopweave.ingest.entries import entries_in, records_in


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "01/05\tThe heron comes\n01/09\tThe ice breaks\n02/07\tMarket day",
            "01/05 The heron comes|01/09 The ice breaks|02/07 Market day",
        ),
        (
            "Monday    8:00 - 12:00\nWednesday closed\nThursday  14:00 - 18:00",
            "Monday 8:00 - 12:00|Wednesday closed|Thursday 14:00 - 18:00",
        ),
        ("12. Mai Probe\n13. Mai Lauf\n2. Juni Fest", "12. Mai Probe|13. Mai Lauf|2. Juni Fest"),
        ("9:00 Doors open\n9:30 Talk\n11:00 Coffee", "9:00 Doors open|9:30 Talk|11:00 Coffee"),
        ("$5 for adults\n$3 for children\n$1 for dogs", "$5 for adults|$3 for children|$1 for dogs"),
        ("Flour 500 g\nSugar 200 g\nEggs 3", "Flour 500 g|Sugar 200 g|Eggs 3"),
        ("For the dough\n  500 g flour\n  3 eggs\n  1 lemon", "For the dough|500 g flour|3 eggs|1 lemon"),
        (
            "Hotel, 2 nights    £208.00\n  Parking            £16.00\n  less advance     -£150.00\n  -----\n  To pay    £74.00",
            "Hotel, 2 nights: £208.00.|Parking: £16.00.|less advance: -£150.00.|To pay: £74.00.",
        ),
        (
            "Term         84 months\nFirst rate   15 May 2023\nRate         8.25%",
            "Term: 84 months.|First rate: 15 May 2023.|Rate: 8.25%.",
        ),
        (
            "2.1 The rate is fixed for the whole of the term, as agreed on the\n15th of May.\n2.2 It is paid.\n2.3 It ends.",
            "2.1 The rate is fixed for the whole of the term, as agreed on the 15th of May.|2.2 It is paid.|2.3 It ends.",
        ),
    ],
)
def test_each_entry_of_a_list_is_a_paragraph(text, said):
    assert entries_in(text.split("\n")) == said.split("|")


@pytest.mark.parametrize(
    "text",
    [
        "It was found by a miller in\n1923, and was sold to the town in\n1951. It\nburned down in 1970.",
        "1. Open the tap.\n2. Close the tap.\n3. Wait.",
        "Name: Anna Berg\nBorn: 4 May 1980\nHouse: 12",
        "Joinery Falk\nMill Lane 3\n31999 Ulm\nUlm, 3 May 2024",
        "Option      A        B\nBoiler      £1,180   £1,340\nLabour      £720     £1,260\nFlue        £145     £145",
        "A = 1\nB = 2\nC = 3",
        "12 14 15\n18 22 25\n31 35 38",
        "Flour 500 g\nSugar 200 g",
    ],
)
def test_prose_steps_letterheads_tables_and_code_are_no_such_list(text):
    assert entries_in(text.split("\n")) == []


def test_entries_of_plain_text_and_of_other_formats_are_paragraphs():
    lines = ["May 3 The pool opens", "May 9 It rains", "June 2 It closes"]
    entries = "\n\n".join(lines)
    assert read_plain("\n".join(lines)).parts[0].text == entries
    page = f"<html><body><p>{'<br>'.join(lines)}</p></body></html>"
    assert read_document(page, ".html").parts[0].text == entries


def test_entries_are_no_headings():
    days = [f"{month:02d}/08 The heron {word}" for month in range(1, 13) for word in ("comes", "goes")]
    document = read_plain("\n".join(["Of herons, and of all the days on which they come and go.", "", *days]))
    assert not document.parts[0].headings
    assert document.parts[0].text.split("\n\n")[1:] == days


def test_records_are_paragraphs_though_no_line_is_empty():
    text = "Ask us:\nQ: When do you open?\nA: At nine,\non Sundays at ten.\nQ: Are dogs allowed?\nA: Yes."
    assert records_in(text.split("\n")) == [
        "Ask us:",
        "Q: When do you open?\nA: At nine,\non Sundays at ten.",
        "Q: Are dogs allowed?\nA: Yes.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "From: Ida\nTo: Otto\nDate: 3 May\nSubject: Oil",
        "Note: the tap is old.\nIt drips, and\nit squeaks.\nNote: it is shut on Sundays.",
        "Name: Ida\nTown: Ulm\nName: Otto",
    ],
)
def test_one_record_and_notes_in_a_text_are_no_records(text):
    assert records_in(text.split("\n")) == []


def test_a_line_of_blanks_is_an_empty_line():
    assert read_plain("The heron comes in May\n \nThe ice breaks in June").parts[0].text.count("\n\n") == 1
