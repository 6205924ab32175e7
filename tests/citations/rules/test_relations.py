"""The relations that questions ask for."""

import pytest

from hopweave.citations.rules.relations import relations, relations_asked, tells_of_opposite
from hopweave.core.types import Span


def test_no_relation_is_asked_for_or_stated_where_nothing_is_said():
    assert len({relation.name for relation in relations()}) == len(relations()) > 20
    for relation in relations():
        assert not relation.asked.search("Which colour is it?"), relation.name
        assert not relation.stated.search("It is green."), relation.name


LEASE = "The lease begins on 1 July 2022 and ends on 30 June 2027."


@pytest.mark.parametrize(
    ("asked", "wrong", "right"),
    [
        ("When does the lease begin?", "30 June 2027", "1 July 2022"),
        ("When does the lease end?", "1 July 2022", "30 June 2027"),
    ],
)
def test_a_beginning_and_an_end_are_told_apart_but_never_asked_for(asked, wrong, right):
    places = [Span(LEASE.index(said), LEASE.index(said) + len(said)) for said in (wrong, right)]
    assert [tells_of_opposite(asked, LEASE, place) for place in places] == [True, False]
    assert relations_asked(asked) == ()


def test_a_question_may_ask_for_several_or_for_none():
    assert [one.name for one in relations_asked("Who is the mother of the director of Low Water?")] == ["parents", "direction"]
    assert relations_asked("Which colour is it?") == ()


def test_an_opposite_is_a_known_relation_and_the_other_way_round():
    known = {relation.name: relation for relation in relations()}
    pairs = {(name, other) for name, relation in known.items() for other in relation.opposites}
    assert ("birth", "death") in pairs
    assert all(other in known and (other, name) in pairs for name, other in pairs)


LIFE = "Ida Renn was born in Sula, grew up in Graz, and died in Brno."
SHORT_LIFE = "Ida Renn (b. Sula, d. Brno) was a judge in Orlau."
MODULE = "Deprecated since version 3.4, will be removed in version 3.12: The tarn module is deprecated."
HOUSE = "It was founded in 1901 and dissolved in 1950."


@pytest.mark.parametrize(
    ("asking", "sentence", "words", "is_of_opposite"),
    [
        ("Where was Ida Renn born?", LIFE, "Sula", False),
        ("Where was Ida Renn born?", LIFE, "Graz", False),  # it tells of no death before
        ("Where was Ida Renn born?", LIFE, "Brno", True),
        ("Where did Ida Renn die?", LIFE, "Sula", True),
        ("Where did Ida Renn die?", LIFE, "Brno", False),
        ("Where did Ida Renn work?", LIFE, "Brno", False),
        ("Was Ida Renn born where she died?", LIFE, "Brno", False),  # it asks for both
        ("Where was Ida Renn born?", SHORT_LIFE, "Sula", False),
        ("Where was Ida Renn born?", SHORT_LIFE, "Brno", True),
        ("Where was Ida Renn born?", SHORT_LIFE, "Orlau", False),  # what is told in brackets goes no further
        ("Where was Ida Renn born?", "Ida Renn died in Brno.", "Brno", True),  # of the opposite alone
        ("Where was Ida Renn born?", "A native of Brno, Ida Renn died there.", "Brno", False),  # it has a word for a birth
        ("In which version will tarn be removed?", MODULE, "3.12", False),
        ("In which version will tarn be removed?", MODULE, "3.4", True),
        ("Since which version is tarn deprecated?", MODULE, "3.4", False),
        ("Since which version is tarn deprecated?", MODULE, "3.12", True),
        ("When was the house founded?", HOUSE, "1950", True),
        ("When was the house founded?", HOUSE, "1901", False),
    ],
)
def test_of_two_opposites_words_belong_to_the_one_before_them_or_to_the_only_one(asking, sentence, words, is_of_opposite):
    start = sentence.index(words)
    assert tells_of_opposite(asking, sentence, Span(start, start + len(words))) is is_of_opposite
