"""The relations that questions ask for."""

from hopweave.text.relations import relations, relations_asked


def test_no_relation_is_asked_for_or_stated_where_nothing_is_said():
    assert len({relation.name for relation in relations()}) == len(relations()) > 20
    for relation in relations():
        assert not relation.asked.search("Which colour is it?"), relation.name
        assert not relation.stated.search("It is green."), relation.name


def test_a_question_may_ask_for_several_or_for_none():
    assert [one.name for one in relations_asked("Who is the mother of the director of Low Water?")] == ["parents", "direction"]
    assert relations_asked("Which colour is it?") == ()
