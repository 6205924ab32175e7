"""A mark within a name, a title or an address does not end a sentence, and one at the end of a sentence does."""

from __future__ import annotations

import pytest

from hopweave.text.sentences import first_sentence, sentence_spans

ONE_SENTENCE = {
    "a title begins with dots": "...And Justice for All is an album of 1988.",
    "a title begins with dots apart": "... And Justice for All is an album of 1988.",
    "a title in quotation marks begins with dots": '"...And Justice for All" is an album of 1988.',
    "a title ends with dots": "If.... is a 1968 British film.",
    "a pause in a title": "Way ... Way Out is a 1966 comedy film.",
    "a pause in a title of several words": "Nancy Drew... Reporter is a 1939 mystery film.",
    "two pauses in a title": "It's a Bird ... It's a Plane ... It's Superman is a musical.",
    "a pause after an article": "It was the encore of the ... Baby One More Time Tour in 1999.",
    "a title that asks": "Who Killed the Electric Car? is a 2006 documentary film.",
    "a title that asks, within a sentence": "She won Who Wants to Be a Millionaire? in the United Kingdom.",
    "a title that asks, and another": "It ran How Do You Solve a Problem Like Maria? and Any Dream Will Do.",
    "a title that asks, and its translation": "Boy or Girl? (Spanish: Chico o chica?) is a 1962 film.",
    "a title that asks, and its year": "He made Where Are You Going? (1986) in Sofia.",
    "a title that exclaims, and another form of it": "Mother! (stylized as mother!) is a 2017 film.",
    "a quotation, and its meaning": '"Das kann ich auch!" (I can do that too!) was his remark.',
    "a company": "Yahoo! was founded in 1994.",
    "a show and its host": "Jeopardy! host Alex Trebek died in 2020.",
    "a channel": "He starred in the E! channel series of 2013.",
    "a band": "Panic! at the Disco is a band.",
    "a party": "Emmanuel Macron of En Marche! and Marine Le Pen of the National Front won.",
    "the number of a section": "8.4.1. Loans from a friend are told here.",
    "the number of a caption": "Table 8.1. What is paid for the house.",
    "the number of a chapter": "Chapter 8. Loans are told here.",
    "an address": "The choir is at www.Example.com and at https://Example.org/A?B=C in the net.",
    "an address with a space": "Write to www. example.com for more.",
    "a name with a full stop": "It runs on ASP.NET and on Node.js today.",
    "a saint": "St. Elmo's Fire is a film of Ste. Anne and Ft. Worth.",
    "an initial after a year": "It was in 1987 J. Smith who met group leader B. Brandt.",
    "initials": "J. R. R. Tolkien and George W. Bush met E. T. there.",
    "a person whose name is a common word": "Peter Cushing played Dr. Who and Mr. Right in the films of Dr. No.",
    "an abbreviation before a verb": "Tibouchina Aubl. is a flowering plant of the family.",
    "the number of an item": "1.   The size of the file in bytes",
    "the number of an item on a line of its own": "12.\nThe size of the file in bytes",
    "an initial that is not ASCII": "On call are Ö. Aydın, Å. Berg and É. Zola, not T. Niehaus.",
    "the name of a column": "Art.-No.: AQ-300-2; Tel.-Nr.: 0431 55",
    "a street and its number": "Object: Warehouse 7, Kanalstr. 88, 24159 Kiel.",
    "an abbreviation before what it takes in": "Prices acc. to Annex A are incl. VAT and resp. postage.",
    "a reference": "See Par. 3.2 and Rev. 4 of Ref. 12, or call Tel. 110.",
    "the day of a date in short": "He left on 31 dec. 2024 at night, or on 5 déc. 2025 by train.",
    "no mark at all": "Director Screenwriter (s) Story by Producer (s) The Lego Movie (2014 - 02 - 07)",
}

SEVERAL_SENTENCES = {
    "the number of a chapter at the end": ["It is told in Chapter 8.", "Loans are another thing."],
    "the number of a release at the end": ["The last release is 8.4.", "It came in May."],
    "questions": ["Is it?", "It is!", "He knew."],
    "a question and a reply in lower case": ["Is it in Ulm?", "yes, it is."],
    "all in lower case": ["is it in ulm?", "we think so."],
    "an exclamation and a name": ["What a day!", "Tom Carey left."],
    "a question that ends with a name": ["Who is Ida Renn?", "Paris is a town."],
    "a month at the end": ["It ended on 5 March.", "2025 was worse."],
    "dots": ["He waited...", "She came."],
    "dots apart": ["He waited ...", "She came."],
    "a quotation that ends with dots": ['He "served on the vestry ..."', "Kowalski was born in 1951."],
    "brackets that are a sentence": ["He left!", "(He came back.)"],
    "a street": ["He lived on Main St.", "The end was near."],
    "a letter that is not ASCII": ["The last letter is Ö.", "The first is A."],
    "a command with a colon": ["Leave it.", ":wq saves the file."],
    "a dash without spaces": ["He left.", "-- She stayed."],
    "no space": ["He left.", "She stayed."],
    "an address": ["See www.example.com.", "It is good."],
    "a number at the end": ["It is on page 1.", "The rest is lost."],
    "a number": ["It is in Ulm.", "2019 was better."],
    "a name in lower case": ["The ratings fell.", "iTunes sponsored the show."],
    "a unit of one letter": ["It is taken every 8 h.", "Children take half."],
    "a unit of one letter behind a stroke": ["The rate is 5 ml/h.", "The bolus is larger.", "It has 3 mU/L.", "It fell."],
    "a group with a letter": ["It was seen in group B.", "Mean age was 49."],
    "a company": ["He works for Nike, Inc.", "He likes it."],
    "a country": ["He moved to the U.S.", "He stayed."],
    "an item with a bullet": ["• Open the lid.", "It is heavy."],
    "an item with a letter": ["(a) The tenant pays on the 1st.", "It is the landlord who mends it.", "(ii) Keys are returned."],
    "an item with two marks": ["(1) ■ Open it.", "Close it."],
    "an item that goes on in the next line": ["(1) The loss of a key is told to the\nManager at once.", "She is in."],
    "a question with a mark that is doubled": ["They changed the name to What Is This ?.", "Slovak left."],
}


def sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentence_spans(text)]


@pytest.mark.parametrize("text", ONE_SENTENCE.values(), ids=ONE_SENTENCE)
def test_a_mark_within_a_name_does_not_end_a_sentence(text: str):
    assert sentences(f"{text} It is good.") == [text, "It is good."] if text.endswith(".") else sentences(text) == [text]
    assert first_sentence(text) == text


@pytest.mark.parametrize("said", SEVERAL_SENTENCES.values(), ids=SEVERAL_SENTENCES)
def test_a_mark_at_the_end_of_a_sentence_ends_it(said: list[str]):
    between = "" if said == SEVERAL_SENTENCES["no space"] else " "
    assert sentences(between.join(said)) == said


@pytest.mark.parametrize(
    "mark", ["- ", "* ", "+ ", "• ", "– ", "1. ", "2) ", "a) ", "(1) ", "(b) ", "(iv) ", "ii) ", "-\t", "  - "]
)
def test_sentences_end_within_the_items_of_a_list(mark: str):
    items = [f"{mark}Open the lid.", "It is heavy.", f"{mark}Wipe it.", "It is dry then."]
    assert sentences("{} {}\n{} {}".format(*items)) == [item.strip() for item in items]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- Wipe the lid\n- Dry it\nThen close it.", ["- Wipe the lid", "- Dry it", "Then close it."]),
        ("- Wipe the lid of\n  Orlau\n- Dry it", ["- Wipe the lid of\n  Orlau", "- Dry it"]),
        ("- Wipe it with\nsoap.\n- Dry it", ["- Wipe it with\nsoap.", "- Dry it"]),
    ],
)
def test_a_short_item_ends_with_its_line(text: str, expected: list[str]):
    assert sentences(text) == expected


@pytest.mark.parametrize("between", ["\n\n", "\r\n\r\n"])
@pytest.mark.parametrize("title", ["...", "Who Killed It?", "A title", "Vol."])
def test_an_empty_line_ends_whatever_is_before_it(title: str, between: str):
    assert sentences(f"{title}{between}is a film.") == [title, "is a film."]
