"""Sentences that state nothing, and sentences that another one repeats, take no room among the facts."""

from __future__ import annotations

import pytest

from hopweave.core.types import Hit, Passage
from hopweave.text.content_words import estimated_tokens
from hopweave.text.evidence import chosen_sentences, condensed_text
from hopweave.text.repetition import Repetitions, Said, lists_meanings

QUESTION = "When was the light of Kerrow Head lit?"
LIT = "Kerrow Head Light was first lit in 1874."
LIGHT = Passage("light", f"{LIT} It stands on a cliff. A road leads to it.", "Kerrow Head Light")
MEANINGS = Passage("meanings", "Kerrow may refer to: Kerrow Head, a cape. Kerrow Light, a light of 1874.", "Kerrow")


def hits(*passages: Passage) -> list[Hit]:
    return [Hit(passage, 1.0 / rank, rank) for rank, passage in enumerate(passages, start=1)]


def chosen(*passages: Passage, max_tokens: int = 10_000) -> list[str]:
    return [one.text for one in chosen_sentences(QUESTION, hits(*passages), max_tokens)]


def stubs(*sentences: str, title: str = "Kerrow Head Light") -> list[str]:
    found = Repetitions([Said(text, title, "p") for text in sentences])
    return [text for number, text in enumerate(sentences) if found.is_stub(number)]


@pytest.mark.parametrize(
    "lead_in",
    [
        "Dinner at Eight may refer to:",
        "Kerf may also refer to:",
        "The Monument may refer to any of the Soldiers' and Sailors' Monuments or to:",
        "A Night at the Movies can be:",
        "Mama's Little Girl can refer to",
        "Mercury may refer to: Mercury (planet), Mercury (element), Mercury (god)",
    ],
)
def test_the_lead_in_of_a_disambiguation_page_is_a_stub_and_so_are_its_entries(lead_in: str):
    assert stubs("A cut of a saw is wide.", lead_in, "Kerf, a film of 1970.") == [lead_in, "Kerf, a film of 1970."]


@pytest.mark.parametrize(
    "fact",
    [
        "Seville can refer to several cities, towns and municipalities.",
        "The name may refer to a river in Wales.",
        "It can be reached by three roads: the old one, the new one and the path.",
        "It rained.",
        "Population: 5,600",
        "He wrote to his sister:",
    ],
)
def test_a_sentence_that_states_something_is_no_stub(fact: str):
    assert stubs("It has a mill.", fact) == []


def test_what_only_repeats_the_title_and_fragments_are_stubs():
    assert stubs("The Kerrow Head Light.", "Kerrow!", "Say what?", "See also", LIT) == [
        "The Kerrow Head Light.",
        "Kerrow!",
        "Say what?",
        "See also",
    ]


def test_questions_state_no_fact_even_long_ones():
    asked = ["1.2 Which of the lamps of Kerrow Head are lit at dusk?", "灯台はいつ点灯されますか？"]
    assert stubs(*asked, LIT, 'He asked: "When is it lit?" and left.') == asked


def test_a_passage_of_two_words_is_no_fragment():
    assert stubs("Port Merrow", title="The capital of Sula") == []
    assert stubs("Say What?", title="Say What?") == ["Say What?"]


def test_stubs_are_passed_over_for_others_and_a_passage_of_stubs_alone_is_not_lost():
    assert chosen(MEANINGS, LIGHT)[1:] == [LIT, "It stands on a cliff.", "A road leads to it."]
    assert chosen(MEANINGS, LIGHT)[0].startswith("Kerrow may refer to:")
    room = sum(map(estimated_tokens, [LIT, LIGHT.title])) + 3
    assert chosen(MEANINGS, LIGHT, max_tokens=room) == [LIT]
    assert chosen(MEANINGS) == ["Kerrow may refer to: Kerrow Head, a cape."]


def test_fragments_are_put_back_into_the_text_around_them_if_there_is_room():
    band = Passage("band", "Wow! Kerrow Light is a band of Sula. It sings well. More?", "Wow! Kerrow Light")
    assert " ".join(chosen(band)) == band.text
    room = sum(map(estimated_tokens, ["Kerrow Light is a band of Sula.", "It sings well.", band.title])) + 3
    assert chosen(band, max_tokens=room) == ["Kerrow Light is a band of Sula.", "It sings well."]


def test_a_sentence_in_two_passages_of_a_title_is_chosen_once_and_a_passage_of_it_alone_is_not_lost():
    again = Passage("again", f"{LIT} It is white.", LIGHT.title)
    assert chosen(LIGHT, again) == [LIT, "It stands on a cliff.", "A road leads to it.", "It is white."]
    alone = Passage("alone", LIT, LIGHT.title)
    assert chosen(LIGHT, alone) == [LIT, "It stands on a cliff.", "A road leads to it.", LIT]
    assert chosen(LIGHT, alone, max_tokens=40) == [LIT, "It stands on a cliff.", "A road leads to it."]


def test_of_a_sentence_and_its_beginning_the_whole_one_is_chosen_if_it_fits():
    whole = "Kerrow Head Light was first lit in 1874 by Ada Finch, whose lamp burned oil."
    longer = Passage("longer", whole, "Kerrow Head Light and its lamp")
    assert whole in chosen(LIGHT, longer)
    assert LIT not in chosen(LIGHT, longer)
    room = sum(map(estimated_tokens, [LIT, LIGHT.title])) + 3
    assert chosen(LIGHT, longer, max_tokens=room) == [LIT]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("He was born in Wales.", "Tom Carey"), ("He was born in Wales.", "Ida Renn")),
        (("The film is a remake of Tide.", "Wave (film)"), ("The film is a remake of Tide.", "Foam (film)")),
        (("Er wurde in Wien geboren.", "Tom Carey"), ("Er wurde in Wien geboren.", "Ida Renn")),
        (("Kerrow Island lies in Lake Orlau.", "Kerrow Island"), ("Little Kerrow Island lies in Lake Orlau.", "Little Kerrow")),
        (("He left Wales.", "Tom Carey"), ("Years before he left Wales he met her.", "Tom Carey")),
        (("He was born in Wales.", ""), ("He was born in Wales.", "")),
    ],
    ids=["pronoun", "the film", "pronoun in German", "part of a name", "a few words", "no titles"],
)
def test_the_same_words_about_something_else_are_no_repetition(one: tuple[str, str], other: tuple[str, str]):
    found = Repetitions([Said(*one, "p1"), Said(*other, "p2")])
    assert (found.saying_as_much(0), found.saying_as_much(1)) == ([], [])
    assert found.same(1) == 1


def test_case_and_punctuation_make_no_difference():
    found = Repetitions([Said(LIT, "Light", "p1"), Said("kerrow head light was first lit, in 1874!", "Light", "p2")])
    assert found.same(1) == 0


def test_a_name_at_the_beginning_makes_sentences_without_titles_comparable():
    found = Repetitions([Said(LIT, "", "p1"), Said(LIT, "", "p2")])
    assert found.saying_as_much(1) == [0]


def test_the_scores_of_other_sentences_do_not_depend_on_stubs():
    scores = {one.text: one.score for one in chosen_sentences(QUESTION, hits(LIGHT, MEANINGS), 10_000)}
    among_all = {one.text: one.score for one in chosen_sentences(QUESTION, hits(LIGHT, MEANINGS), 20)}
    assert among_all == {text: scores[text] for text in among_all}


def test_a_stub_of_a_passage_does_not_keep_its_sentences_from_being_condensed():
    passage = Passage(
        "p", f"Kerrow Head light lit. {LIT} A road leads to it, and a long one at that. It stands.", "Kerrow Head Light Lit"
    )
    assert condensed_text(QUESTION, passage, 20) == LIT


def test_lead_ins_are_told_from_statements():
    assert lists_meanings("Kerrow may variously refer to :")
    assert not lists_meanings("It may refer to the sea. He said: no.")
