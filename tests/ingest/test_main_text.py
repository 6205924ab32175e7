"""Plain text that is set in pages runs on over them, and nothing that only shows the way in a text is part of it."""

import pytest
from support.corpora import read, written
from support.readers import main_text_of, read_document

SENTENCES = [
    "The lamp is lit at dusk, and Ada Finch, who keeps the light, notes the hour",
    "Oil is kept dry in the lower store, which nobody but the keeper may enter",
    "Two boats are moored below the light, and one of them is called the Sula",
    "Ropes hang there, and whoever takes one writes down in the book what for",
    "Nobody sees the light by day, when its glass is cleaned with spirit only",
]


def paged(*pages, head="RFC 9999                     Lights of Carrow                  May 1871", author="Finch"):
    """Pages with headers and footers, of which the first has no header."""
    heads = ["", *[f"{head}\n\n\n" for _ in pages[1:]]]
    return "\f".join(
        f"\n{top}{page}\n\n\n\n{author}{'':50}[Page {number}]\n"
        for number, (top, page) in enumerate(zip(heads, pages, strict=True), start=1)
    )


def test_headers_and_footers_are_left_out_but_for_what_the_first_page_lacks():
    text, running = main_text_of(paged("Finch keeps the light.", *(f"   {one}." for one in SENTENCES)))
    assert running == "RFC 9999 Lights of Carrow May 1871"
    assert text.split("\n\n") == ["Finch keeps the light.", *(f"   {one}." for one in SENTENCES)]


def test_what_the_first_page_lacks_comes_first():
    document = read_document(paged("Finch keeps the light.", *(f"   {one}." for one in SENTENCES)), ".txt")
    assert document.parts[0].text.startswith("RFC 9999 Lights of Carrow May 1871\n\nFinch keeps")


def test_a_title_that_all_pages_have_stays_on_the_first():
    pages = [f"Manual of Lights\n\n{one}.\n\n{number}" for number, one in enumerate(SENTENCES, start=1)]
    text, running = main_text_of("\f".join(pages))
    assert text.split("\n\n") == ["Manual of Lights", *(f"{one}." for one in SENTENCES)]
    assert running == ""


@pytest.mark.parametrize(
    ("before", "after", "goes_on"),
    [
        (f"   {SENTENCES[0]}", "   of every day. It burns.", True),
        (f"   {SENTENCES[0]}", "   Sula. It burns.", True),  # the line is full
        (f"   {SENTENCES[0]}.", "   It burns.", False),
        (f"   {SENTENCES[0]}", "      It burns.", False),  # further in
        (f"   {SENTENCES[0]}\n\n   Oil", "   Lamps are lit.", False),  # it ended early
        (f"   {SENTENCES[0]}\n   +--------------------------+", "   | lamp                     |", False),
    ],
)
def test_a_paragraph_that_goes_on_over_a_page_is_whole(before, after, goes_on):
    text, _ = main_text_of(paged("Finch keeps the light.", before, after, *(f"   {one}." for one in SENTENCES[1:4])))
    between = "\n" if goes_on else "\n\n"
    assert before.rpartition("\n")[2] + between + after in text


@pytest.mark.parametrize(
    "text",
    [
        "\f".join(
            f"\n* {name}\n\n{one}.\n" for name, one in zip(["Lamps", "Oil", "Boats", "Ropes", "Glass"], SENTENCES, strict=True)
        ),
        "The lamp is lit.\f",
        "The lamp is lit.",
        "",
    ],
)
def test_form_feeds_without_headers_and_footers_mean_nothing(text):
    assert main_text_of(text) == (text, "")


def test_an_index_at_the_end_is_left_out():
    pages = [f"   {one}." for one in (*SENTENCES, *SENTENCES[::-1])]
    words = ["lamp", "oil", "boats", "ropes", "nobody"]
    index = "\n".join(f"{word}, {at + 2}" for at, word in [*enumerate(words), *enumerate(words), *enumerate(words)])
    text, _ = main_text_of(paged("Finch keeps the light.", *pages, index))
    assert "ropes, 5" not in text
    assert SENTENCES[4] in text


CHAPTERS = {
    "numbers": ["1. Lamps", "2. Oil", "2.1. The lower store", "3. Boats", "Appendix A. Ropes"],
    "questions": ["What is lit?", "Where is oil kept?", "Whose are the boats?", "Who takes ropes?", "When is it seen?"],
    "bullets": ["- Lamps", "- Oil", "- The lower store", "- Boats", "- Ropes"],
}


def listed(entries, heading="Table of Contents", leader=""):
    text = "\n\n".join(f"{entry.removeprefix('- ')}\n\n{one}.\n{one}." for entry, one in zip(entries, SENTENCES, strict=True))
    lines = "\n".join(f"   {entry}{leader and f' {leader} {number}'}" for number, entry in enumerate(entries, start=3))
    return f"The light of Carrow.\n\n{heading}\n\n{lines}\n\n{text}"


@pytest.mark.parametrize("entries", CHAPTERS.values(), ids=CHAPTERS)
@pytest.mark.parametrize("leader", ["", "........", ". . . . ."])
def test_a_list_of_what_follows_as_headings_is_left_out(entries, leader):
    text, _ = main_text_of(listed(entries, leader=leader))
    assert [line for line in text.split("\n") if line][:2] == ["The light of Carrow.", entries[0].removeprefix("- ")]
    assert text.count(entries[3].removeprefix("- ")) == 1


def test_a_long_entry_may_go_on_in_the_next_line():
    entries = [f"{number}. What the keeper of the light writes down of {what}" for number, what in enumerate("abcde", start=1)]
    text, _ = main_text_of(
        listed(entries).replace("   3. What the keeper of the light", "   3. What the keeper of\n      the light")
    )
    assert text.count("keeper of") == 5


@pytest.mark.parametrize(
    "text",
    [
        listed([*CHAPTERS["numbers"][:4], "What else there is"]).replace(
            "\nWhat else there is\n", "\nMore\n"
        ),  # only four follow
        listed(["Lamps", "Oil", "Stores", "Boats", "Ropes"]),  # without a mark
        "Buy:\n\n- oil\n- wicks\n- glass\n- rope\n- bread\n\nBought:\n\noil\n\nwicks\n\nglass\n\nrope\n\nbread",
        listed(CHAPTERS["numbers"][::-1]).replace("3. Boats\n\n", "4. Boats\n\n"),
    ],
)
def test_another_list_stays(text):
    assert main_text_of(text) == (text, "")


def test_a_passage_of_such_a_file_names_its_section_and_cites_whole_sentences(tmp_path):
    names = ["Lamps", "Oil", "Boats", "Ropes", "Glass"]
    pages = [f"{number}. {name}\n\n   {one}" for number, name, one in zip("12345", names, SENTENCES, strict=True)]
    filler = "\n   ".join(["It is written in the book of the light that day."] * 25)
    opened = (f"   of {name.lower()} and days.\n   {filler}\n\n{page}" for name, page in zip(names, pages, strict=True))
    path = written(tmp_path, "light.txt", paged("Finch keeps the light.", *opened, "   and so on."))
    found = [passage for passage in read(path) if "who keeps the light, notes" in passage.text]
    assert [passage.sections for passage in found] == [("1. Lamps",)]
    assert "notes the hour\n   of oil and days." in found[0].text
