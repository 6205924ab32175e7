"""Numbered parts of documents, and the words that refer to them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopweave.text.document_parts import label_of, parts_of
from hopweave.text.part_references import MAX_REFERENCES, references


def referred(text):
    """The labels that a text refers to, the narrowest of each."""
    return [one.labels[0] for one in references(text)]


@pytest.mark.parametrize(
    ("heading", "label"),
    [
        ("4.2 Late payment", "4.2"),
        ("4.2. Late payment", "4.2"),
        ("Section 4.2: Late payment", "4.2"),
        ("Chapter 48 - Processing of mail", "48"),
        ("§ 8 Fristen", "8"),
        ("IV. Funds", "iv"),
        ("B. Format of files", "b"),
        ("C.8 Warning", "c.8"),
        ("Annex B: Service levels", "annex b"),
        ("Appendix A", "annex a"),
        ("Anlage 2: Preise", "annex 2"),
        ("Table 2: Highest speeds", "table 2"),
        ("第3条 定義", "3"),
        ("附录A 价格", "annex a"),
        ("4. fejezet: Díjak", "4"),
        ("2. melléklet", "annex 2"),
        ("A new day", ""),
        ("2024 in figures", ""),
        ("Section", ""),
        ("I went home", ""),
    ],
)
def test_a_heading_begins_with_the_label_of_its_part(heading, label):
    assert label_of(heading) == label


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Interest is due at the Default Rate (see clause 1.3) until it is paid.", ["1.3"]),
        ("See Figure 4 and Tables 2, 3 and 5.", ["figure 4", "table 2", "table 3", "table 5"]),
        ("Described in sections 44.27–44.37.", ["44.27", "44.37"]),
        ("The limit is in Annex D, paragraph 4.", ["annex d.4"]),
        ("In accordance with Article 5(3), it lapses.", ["5.3"]),
        ("As laid down in paragraph (2) of Article 5.", ["5.2"]),
        ("Bei Verzug fallen Zinsen nach § 8 Abs. 3 Satz 1 an.", ["8.3.1"]),
        ("Siehe Kapitel 6 und Anlage 1.", ["6", "annex 1"]),
        ("Selon l'article 12, alinéa 3, le tableau 4 s'applique.", ["12.3", "table 4"]),
        ("Według art. 7 ust. 2.", ["7.2"]),
        ("Согласно пункту 4.1 и приложению 2.", ["4.1", "annex 2"]),
        ("依照第4.2条的规定 (见附录B、表3)。", ["4.2", "annex b", "table 3"]),
        ("第5条に定める。", ["5"]),
        ("제7조에 따른다.", ["7"]),
        ("A díj nem ismert, és a feltételekről lásd a 4. fejezetet.", ["4"]),
        ("The Section of this agreement has 4 clauses.", []),
        ("The part is black, and section 4-beta is another one.", []),
        ("A subsection is 12 lines long.", []),
    ],
)
def test_a_text_refers_to_parts_by_their_numbers(text, labels):
    assert referred(text) == labels


def test_a_reference_names_the_parts_around_its_own_as_well():
    assert references("See Annex D, paragraph 4.")[0].labels == ("annex d.4", "annex d")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Described in Section 4.1 of RFC 7636.", "RFC 7636"),
        ("As in RFC 4422 Appendix A.", "RFC 4422"),
        ("Zulässig nach § 276 BGB.", "BGB"),
        ("Lawful by Article 6(1)(b) of Regulation (EU) 2016/679.", "Regulation (EU) 2016/679"),
    ],
)
def test_what_is_called_by_a_number_or_is_a_law_is_another_document(text, named):
    [reference] = references(text)
    assert (reference.elsewhere, reference.is_elsewhere) == (named, True)


@pytest.mark.parametrize("text", ["As in clause 4 of this agreement.", "See Section 4 in the manual.", "See section 4."])
def test_another_reference_is_to_the_document_itself(text):
    assert not references(text)[0].is_elsewhere


def test_a_passage_is_in_the_parts_of_its_sections_and_has_those_that_begin_in_it():
    parts = parts_of(
        "Pump manual", ["5 Maintenance"], "5.2 Shaft seal\n\nReplace the ring.\n\n5.3 Bearing\n\n1. Check the oil."
    )
    assert parts.headed == {"5", ": maintenance", "5.2", "5.3"}
    assert parts.listed == {"5.3.1"}


def test_a_number_in_a_section_counts_within_that():
    assert "48.2" in parts_of("48. Processing of mail", ["2. Errors"], "It is refused.").headed
    assert "8.1" in parts_of("Contract", ["§ 8 Fristen"], "(1) Die Frist beträgt 21 Tage.").listed
    assert "annex d.4" in parts_of("Contract", ["Annex D: Charges"], "4. The limit is 3.5%.").listed


def test_a_section_of_an_annex_may_repeat_its_letter():
    assert "annex a.1" in parts_of("RFC 9999", ["Appendix A. Examples", "A.1. Requests"], "Text.").headed
    assert "annex a.1.2" in parts_of("RFC 9999", ["Appendix A. Examples"], "A.1.2. Errors" + "\n\n" + "Text.").headed
    assert "annex 1.1.2" in parts_of("Contract", ["Annex 1", "1.2 Fees"], "Text.").headed


def test_headings_within_a_passage_are_told_from_items_of_a_list():
    headed = parts_of("Manual", [], "6 Frost\n\nOpen the plugs.\n\n7 Annex\n\n7.1 Disposal\n\nTake the oil away.").headed
    assert headed == {"6", "7", "7.1"}
    eggs = "3 eggs are enough for two, if they are large, and otherwise take four or five of them."
    assert parts_of("Shopping", ["Food"], eggs).headed == {": food"}


@given(st.text(alphabet="§ (). 123abcABCIVsectionAbs,–\n第条", max_size=200))
@settings(max_examples=100)
def test_any_text_has_references_and_parts_within_bounds(text):
    found = references(text)
    assert len(found) <= MAX_REFERENCES
    assert all(label for one in found for label in one.labels)
    assert all(0 <= one.start < len(text) for one in found)
    parts = parts_of(text[:60], [text[60:120]], text)
    assert all(parts.headed | parts.listed)
    assert not parts.headed & parts.listed
