"""What Markdown is in notes, wikis and repositories: footnotes, links by name, callouts, and titles."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import read, written
from support.readers import read_markdown

from hopweave.core.errors import DataError


def text_of(page):
    return read_markdown(page).parts[0].text


def headings_of(page):
    return [(heading.text, heading.level) for heading in read_markdown(page).parts[0].headings]


# -- links around the document -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "row",
    [
        "[‹ The oil](oil.md) [up](index.md) [The wick ›](wick.md)",
        '[‹ The oil](oil.md "Go to\nprevious page") [up](index.md "Go to parent\npage") [The\nwick ›](wick.md)',
        "[Previous](oil.md) | [Next](wick.md)",
        "[« The oil](oil.md) · [The wick »](wick.md)",
        "[English](en.md) | [Deutsch](de.md) | [Français](fr.md)",
    ],
)
def test_a_row_of_links_to_the_pages_around_is_left_out(row):
    assert text_of(f"The lamp is lit at dusk.\n\n{row}\n") == "The lamp is lit at dusk."


@pytest.mark.parametrize(
    "line", ["See [the oil](oil.md) and [the wick](wick.md).", "[The oil](oil.md)", "- [Oil](o.md)\n- [Wick](w.md)"]
)
def test_other_links_are_text(line):
    assert "oil" in text_of(f"The lamp is lit at dusk.\n\n{line}\n").lower()


@pytest.mark.parametrize(
    "heading", ["## [4.2 Which lamps are\nlit?](lamps.md)", "> ## [4.2 Which lamps are\n> lit?](lamps.md#lit)"]
)
def test_a_heading_that_is_a_link_over_two_lines_is_one_heading(heading):
    assert ("4.2 Which lamps are lit?", 2) in headings_of(f"# Lamps\n\nText.\n\n{heading}\n\nAll of them.\n")


# -- titles -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("---\ntitle: Ferry handbook\n---\n\n# Tickets\n\nText.\n\n# Sailings\n", "Ferry handbook"),
        ("# Ferry handbook\n\n## Tickets\n", "Ferry handbook"),
        ("Draft of May.\n\n# Ferry handbook\n", "Ferry handbook"),
        ("## Ferry handbook\n\n### Tickets\n\n### Sailings\n", "Ferry handbook"),
        ("## Tickets\n\nText.\n\n## Sailings\n\nText.\n", ""),
        ("Some words.\n\n## Tickets\n\nText.\n", ""),
        ("### Tickets\n\n## Sailings\n", ""),
        ("**Tickets**\n\nText.\n\n**Sailings**\n\nText.\n", "Tickets"),
    ],
)
def test_a_section_of_a_note_is_not_its_title(page, title):
    assert read_markdown(page).title == title


# -- footnotes ----------------------------------------------------------------------------------------------------------


def test_a_footnote_follows_the_paragraph_that_refers_to_it():
    page = """## Fares

A ticket costs €4.80.[^1] It is valid all day.[^long]

## Sailings

The first ferry leaves at six.

[^1]: Children pay half,
on Sundays nothing.
[^long]: Until midnight.

    In winter until ten.
"""
    assert text_of(page) == (
        "Fares\n\nA ticket costs €4.80. It is valid all day.\n\nChildren pay half,\non Sundays nothing.\n\n"
        "Until midnight.\n\nIn winter until ten.\n\nSailings\n\nThe first ferry leaves at six."
    )


@pytest.mark.parametrize("note", ["https://example.org/fares", "Holt2019", "*Half*"])
def test_a_footnote_of_one_word_is_no_address_of_a_link(note):
    assert text_of(f"Costs.[^a]\n\n[^a]: {note}\n") == f"Costs.\n\n{note.strip('*')}"


def test_a_footnote_that_nothing_refers_to_stays_where_it_is():
    assert text_of("One.\n\n[^x]: Alone.\n\nTwo.") == "One.\n\nAlone.\n\nTwo."


def test_a_footnote_of_a_table_follows_it_and_one_of_a_heading_the_heading():
    page = "# Fares[^h]\n\n| class | price[^p] |\n|---|---|\n| adult | 4.80[^p] |\n\nText.\n\n[^p]: In euros.\n[^h]: Of 2025.\n"
    assert text_of(page) == "Fares\n\nOf 2025.\n\nclass: adult; price: 4.80.\n\nIn euros.\n\nText."


def test_two_footnotes_of_one_name_are_both_kept():
    assert text_of("Costs.[^1]\n\n[^1]: Half.\n\n[^1]: Nothing.\n") == "Costs.\n\nHalf.\n\nNothing."


def test_a_footnote_to_which_only_a_footnote_refers_is_kept():
    assert text_of("Costs.[^1]\n\n[^1]: Half.[^2]\n\n[^2]: On Sundays.\n") == "Costs.\n\nHalf.\n\nOn Sundays."


def test_a_reference_without_a_footnote_stays():
    assert text_of("Costs.[^1]") == "Costs.[^1]"


def test_no_footnote_is_in_code():
    assert text_of("Text.\n\n    [^1]: code\n\n```\n[^2]: more\n```\n") == "Text.\n\n[^1]: code\n\n[^2]: more"


# -- links by name ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[[Bilge pump]]", "Bilge pump"),
        ("[[Bilge pump|the pump]]", "the pump"),
        ("[[engine/Bilge pump.md|]]", "Bilge pump"),
        ("[[Budget 2025#Maintenance]]", "Budget 2025 > Maintenance"),
        ("[[#Maintenance]]", "Maintenance"),
        ("![[Bilge pump]]", "Bilge pump"),
        ("![[pump.png]]", ""),
        ("![[pump.png|300x200]]", ""),
        ("![[pump.png|The pump]]", "The pump"),
        ("`[[Bilge pump]]`", "[[Bilge pump]]"),
        ("[[1]](https://example.org)", "[1]"),
        ("[[ -f pump ]]", "[[ -f pump ]]"),
        ("[[1, 2], [3]]", "[[1, 2], [3]]"),
        ("[[1, 2]]", "[[1, 2]]"),
    ],
)
def test_a_link_by_name_is_shown_as_readers_see_it(written, shown):
    assert text_of(f"See {written} now.") == f"See {shown} now."


def test_a_link_by_name_may_stand_in_a_table():
    assert text_of("| part | of |\n|---|---|\n| seal | [[Bilge pump\\|pump]] |\n") == "part: seal; of: pump."


# -- callouts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("> [!WARNING]\n> The seal burns.", "Warning: The seal burns."),
        ("> [!note]- Never run dry\n> The seal burns.", "Note: Never run dry\nThe seal burns."),
        ("> A quote.", "A quote."),
        ("[!]", "[!]"),
    ],
)
def test_a_callout_says_what_it_is(written, shown):
    assert text_of(written) == shown


# -- hostile ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "piece",
    [
        "[[",
        "[[a",
        "![[a|",
        "[^a]: b\n",
        "[^a]: b\n\n",
        "[^a]",
        "[^a]:\n\n    c\n",
        "[^a]: b\n    c\n",
        "> [!a]\n",
        "[[a]]",
        "[^",
    ],
)
def test_time_grows_with_the_length_and_not_faster(piece):
    def seconds(number: int) -> float:
        began = time.process_time()
        read_markdown(f"[^a]: x\n\n{piece * number}")
        return time.process_time() - began

    assert any(seconds(16_000) < 32 * max(seconds(2_000), 0.002) for _ in range(3))


KEPT = ["[^a]", "[^a]: ", "\n", "\n\n", "    ", "> ", "- ", "#", "text", "[!note]", "\t", "]]"]
PIECES = [*KEPT, "`", "[[", "![[", "|", "```", "x.png", "# ", "---\n"]


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_any_mixture_is_read_or_refused(pieces):
    try:
        document = read_markdown("".join(pieces))
    except DataError:
        return
    assert len(document.parts) == 1


@given(st.lists(st.sampled_from(KEPT), max_size=60))
def test_no_word_is_lost_or_repeated(pieces):
    page = "".join(pieces)
    try:
        document = read_markdown(page)
    except DataError:
        return
    assert document.parts[0].text.count("text") == page.count("text")


SECTIONS = "\n".join(
    f"# {n} {title}\n" + "**Oil** is kept dry.\n" * 8 for n, title in enumerate(("Lamps", "Oil", "Boats"), start=1)
)


def test_a_text_that_is_markdown_is_read_as_that_whatever_its_name_says(tmp_path):
    passages = read(written(tmp_path, "lamps.txt", f"# Keeping the lamps\nAda Finch\n{SECTIONS}"), max_words=30)
    assert {passage.title for passage in passages} == {"Keeping the lamps"}
    assert ("2 Oil",) in {passage.sections for passage in passages}
    assert not any("#" in passage.text or "*" in passage.text for passage in passages)


@pytest.mark.parametrize(
    "text",
    [
        SECTIONS.replace("**", ""),  # nothing but headings
        SECTIONS.replace("# ", "#"),
        "\n".join(f"# Set it to **{n}**\nlamp = {n}" for n in range(9)),  # comments
        "# Lamps\n" + "**Oil** is kept dry.\n" * 20,
    ],
)
def test_a_text_with_some_of_its_signs_is_no_markdown(tmp_path, text):
    [passage] = read(written(tmp_path, "lamps.txt", text), max_words=1000)
    assert passage.text == text.strip()
