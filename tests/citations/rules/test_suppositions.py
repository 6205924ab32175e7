"""What a sentence only asks, proposes, believes or supposes."""

import pytest

from hopweave.citations.rules.suppositions import is_only_supposed, is_question
from hopweave.core.types import Span


def supposed(asking, sentence, words):
    start = sentence.index(words)
    return is_only_supposed(asking, sentence, Span(start, start + len(words)))


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("Should we use port 8081?", "8081"),
        ("[09:14] ida: would it help to use port 8081?", "8081"),
        ("8081?", "8081"),
        ("My suggestion is 8081.", "8081"),
        ("Ada Finch suggested port 8081.", "8081"),
        ("The residents had asked for port 8081.", "8081"),
        ("Ida Renn thinks that it is port 8081.", "8081"),
        ("Suspected cause: a clash on port 8081.", "8081"),
        ("The keeper had promised to use port 8081.", "8081"),
        ("If we chose the other lamp, it would use port 8081.", "8081"),
        ("If the road is closed, it will use port 8081.", "8081"),
        ("Otto asked whether it was port 8081.", "8081"),
        ("Ada Finch mentioned 8081 as a possibility.", "8081"),
        ("We could use 8081.", "8081"),
        ("I propose that it uses 8081.", "8081"),
        ("There were five votes for 8081.", "8081"),
    ],
)
def test_what_is_asked_proposed_believed_or_supposed_does_not_hold(sentence, words):
    assert supposed("Which port does the lamp use?", sentence, words)


@pytest.mark.parametrize(
    ("asking", "sentence", "words"),
    [
        ("What is the dose?", "The recommended dose is 10 mg.", "10 mg"),
        ("Which port is it?", "It is suggested that it listens on 8081.", "8081"),
        ("Whom did he marry?", "In Sula he proposed marriage to Ada Finch.", "Ada Finch"),
        ("Where was he born?", "Bob Hope was born in Sula.", "Sula"),
        ("What became of her?", "She would later become mayor.", "mayor"),
        ("When does it leave?", "Whether in summer or winter, it leaves at 08:30.", "08:30"),
        ("How large is the buffer?", "If the file is missing, a buffer of 64 KiB is used.", "64 KiB"),
        ("Until when is it open?", "Ada proposed to open until 20:00; this was agreed.", "20:00"),
        ("Who made it?", "Who Killed the Lamp? is a film by Ada Finch.", "Ada Finch"),
    ],
)
def test_what_is_stated_is_not_taken_for_a_supposition(asking, sentence, words):
    assert not supposed(asking, sentence, words)


@pytest.mark.parametrize(
    ("asking", "sentence", "words"),
    [
        ("Which port did Ada Finch suggest?", "Ada Finch suggested port 8081.", "8081"),
        ("What does Ida Renn think it is?", "Ida Renn thinks that it is port 8081.", "8081"),
        ("What would the other lamp cost?", "The other lamp would cost 40 euros.", "40 euros"),
        ("Who asked about port 8081?", "Otto asked whether it was port 8081.", "Otto"),
    ],
)
def test_who_asks_for_a_proposal_a_belief_or_a_supposition_gets_it(asking, sentence, words):
    assert not supposed(asking, sentence, words)


def test_who_stands_for_an_office_does_not_hold_it():
    assert supposed("Who is the mayor?", "Ada Finch will stand for election as mayor.", "Ada Finch")
    assert not supposed("Who stands for mayor?", "Ada Finch will stand for election as mayor.", "Ada Finch")


def test_a_title_with_a_question_mark_at_the_end_of_a_sentence_is_no_question():
    assert not is_question("She played the girl in Who's Afraid of the Lamp?")
