"""The kind of answer that a question asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.types import Passage, Span
from hopweave.text.answer_kinds import counts_something_else, is_of_kind, is_something_else, kind_asked


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When was it lit?", "date"),
        ("In what year was it lit?", "year"),
        ("Since which version is it lit?", "version"),
        ("Which Debian release is dedicated to Ada Finch?", "release"),
        ("How many lamps does it have?", "number"),
        ("How long does it wait?", "number"),
        ("Who lit it?", "person"),
        ("Under which licence is it?", "licence"),
        ("In which town does it stand?", "place"),
        ("Where does it stand?", "place"),
        ("What is the place of birth of Ada Finch?", "place"),
        ("What was the home town of Ada Finch?", "place"),
        ("What is the town hall of Sula called?", "any"),
        ("What is the date of birth of Ada Finch?", "date"),
        ("What was the opening date of the light?", "date"),
        ("What is the date format of the log?", "any"),
        ("Does it stand in Sula?", "yes_no"),
        ("Is Ada or Ida older?", "yes_no"),
        ("What lit it?", "any"),
        ("Which is lit first?", "any"),
        ("Which file is it written to when I run it?", "any"),
        ("If it was lit in May, when was it built?", "date"),
        ("Ada Finch, who lit it, was born in which town?", "place"),
        ("Of the two, who lit it?", "person"),
        ("The light that Ada Finch lit is in what country?", "place"),
    ],
)
def test_what_a_question_asks_for(question, kind):
    assert kind_asked(question) == kind


@pytest.mark.parametrize(
    ("answer", "kind", "is_right"),
    [
        ("3 May 1887", "date", True),
        ("the nineteenth century", "date", True),
        ("Ada Finch", "date", False),
        ("1887", "year", True),
        ("a long time ago", "year", False),
        ("twelve", "number", True),
        ("unlimited", "number", True),
        ("every hour", "number", True),
        ("each server", "number", False),
        ("p + 1", "number", False),
        ("1-5", "number", True),
        ("Ada Finch", "number", False),
        ("3.11", "version", True),
        ("the newest", "version", False),
        ("3.11", "release", True),
        ("Lenny", "release", True),
        ("Mountain Lion", "release", True),
        ("the newest", "release", False),
        ("Ada Finch", "person", True),
        ("1887", "person", False),
        ("May 1887", "person", False),
        ("Sula", "place", True),
        ("3 May 1887", "place", False),
        ("GPL-2+", "licence", True),
        ("a public domain dedication", "licence", True),
        ("3 May 1887", "licence", False),
        ("yes", "person", False),
        ("yes", "yes_no", True),
        ("anything", "any", True),
    ],
)
def test_whether_an_answer_is_of_a_kind(answer, kind, is_right):
    assert is_of_kind(answer, kind) is is_right


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Wer leitet die Abnahme?", "person"),
        ("Seit wann gilt die Ordnung?", "time"),
        ("Combien de jours a-t-on ?", "count"),
        ("¿Dónde está la oficina?", "place"),
        ("In welk jaar is het gebouwd?", "year"),
        ("Кто директор?", "person"),
        ("誰が担当者ですか", "person"),
        ("Wie hoch ist die Provision?", "any"),
        ("Vad var rabatten?", "any"),
        ("Wer zu spät kommt, zahlt was?", "any"),
        ("Was ist das?", "any"),
        ("Hvor mye koster det?", "any"),
    ],
)
def test_what_a_question_of_another_language_asks_for_if_it_begins_with_that(question, kind):
    assert kind_asked(question) == kind


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("person", "Frau Berger", "2%"),
        ("person", "der Vorstand", "14. Mai 2023"),
        ("time", "am 3. März", "30 Euro"),
        ("time", "unbefristet", "5 %"),
        ("count", "vierzehn", "Frau Berger"),
        ("count", "keine", "der Vorstand"),
        ("count", "三人", "田中"),
        ("count", "12", "le maire"),
    ],
)
def test_an_answer_in_another_language_is_of_another_kind_only_if_that_is_plain(kind, right, wrong):
    assert is_of_kind(right, kind)
    assert not is_of_kind(wrong, kind)


@pytest.mark.parametrize(
    ("question", "counts_else"),
    [
        ("How many minutes before the boat must I be there?", True),
        ("How many per cent off is it?", False),
        ("How many pounds do I save?", False),
        ("What is taken off?", False),
    ],
)
def test_a_percentage_is_no_number_of_things(question, counts_else):
    assert counts_something_else(question, "There are 30% off adult tickets.", Span(10, 12)) is counts_else


@pytest.mark.parametrize(
    ("question", "counts_else"),
    [("How many members are there?", True), ("How many months do I wait?", False), ("How many hours do I wait?", True)],
)
def test_a_number_with_a_unit_is_no_number_of_things(question, counts_else):
    assert counts_something_else(question, "You join after 12 months.", Span(15, 17)) is counts_else


def test_a_title_whose_page_is_of_a_work_is_no_person():
    film = Passage("f", "Low Water is a film of 1958.", "Low Water")
    person = Passage("p", "Ada Finch (born 1961) is a painter and the mayor of a town.", "Ada Finch")
    assert is_something_else("Low Water", "person", [film, person])
    assert not is_something_else("Low Water", "any", [film, person])
    assert not is_something_else("Ada Finch", "person", [film, person])
    assert not is_something_else("Otto Falk", "person", [film, person])


@given(st.text(), st.text())
def test_any_texts_are_taken(question, answer):
    assert is_of_kind(answer, kind_asked(question)) in (True, False)


def test_a_word_with_which_only_sentences_begin_is_no_name():
    told = Passage("mill", "See the mill at Sula. This mill was built by Will, as you can see. Ask in the kitchen.", "Mill")
    assert is_something_else("This", "any", [told])
    assert is_something_else("See", "person", [told])
    assert not is_something_else("See", "any", [told])
    assert not is_something_else("Will", "person", [told])  # it has a capital within a sentence
    assert not is_something_else("Kitchen", "place", [told])  # a noun
    assert not is_something_else("This", "any", [told, Passage("this", "It is a song.", "This (song)")])
    assert not is_something_else("to", "any", [Passage("da", "Der er to lamper i huset, og de er ikke tændt.", "Lamper")])


def test_a_person_is_no_place():
    person = Passage("finch", "Ada Finch (1861-1930) was a builder of lamps.", "Ada Finch (engineer)")
    assert is_something_else("Ada Finch", "place", [person])
    assert not is_something_else("Ada Finch", "person", [person])
    assert not is_something_else("Sula", "place", [Passage("sula", "Sula is a town, built (as told) in 1210.", "Sula")])
