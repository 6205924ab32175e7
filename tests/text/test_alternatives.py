"""The two things that a question compares."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.text.alternatives import alternatives

COMPARED = [
    ("Which makes wider lines by default, fold or fmt?", "fold", "fmt"),
    ("Which is harder: rsync with zlib compression or the gzip module?", "rsync with zlib compression", "the gzip module"),
    ("Do head and tail print the same number of lines?", "head", "tail"),
    ("Did Kerrow 3.2.4 and Orlau 9.1 come out on the same day?", "Kerrow 3.2.4", "Orlau 9.1"),
    ("Do kerrow diff and Orlau's unified_diff show the same number of lines?", "kerrow diff", "Orlau's unified_diff"),
    ("Could I use window functions or UPSERT first?", "use window functions", "UPSERT"),
    ("A message may be routed in two ways. Which of lookup and program gives up sooner?", "lookup", "program"),
    ("Which came out first, The Boat Of The Sea or A Map In The Rain?", "The Boat Of The Sea", "A Map In The Rain"),
    ("Was The Boat Of The Sea or A Map In The Rain shot earlier?", "The Boat Of The Sea", "A Map In The Rain"),
    ("Was ist älter, das Buch oder der Film?", "das Buch", "der Film"),
    ("Qu'est-ce qui est plus ancien : le pont de Sula ou le phare de Kerrow ?", "le pont de Sula", "le phare de Kerrow"),
    ("¿Qué es más antiguo, el puente o el faro?", "el puente", "el faro"),
    ("Что было построено раньше, мост или маяк?", "мост", "маяк"),
    ("Co jest starsze, most czy latarnia?", "most", "latarnia"),
    ("Between gzip and bz2, which is older?", "gzip", "bz2"),
    ("which is older, bz2 or gzip", "bz2", "gzip"),
    ("How many kg heavier is the H6 than the H4?", "the H6", "the H4"),
    ("How many kg heavier is the H6 than the H4 (not Plus)", "the H6", "the H4"),
    ("Is the WM 60 heavier than the WM 40?", "the WM 60", "the WM 40"),
    ("Does Orlau use more water than Kerrow", "Orlau", "Kerrow"),
]
NOT_COMPARED = [
    "How do I list or delete tags?",
    "Which of the teams that he led was sold and renamed?",
    "What is the difference between gzip and bz2?",
    "Who wrote calls such as poll and epoll?",
    "Which is the oldest, gzip, bz2 or xz?",
    "I want an alias that turns off both spelling and globbing. Which of them goes first?",
    "Is it safe, if I push or fetch?",
    "Wie lösche oder verschiebe ich ein Buch?",
    "or",
    "or?",
    "Which is older, the or a?",
    "Is a stay of more than 30 days paid for?",
    "Do I pay less than the members?",
    "Is it cheaper than the ferry?",
    "Does it use a file rather than a pipe?",
    "Which model has more nozzles than the H4?",
    "Are there more rooms than the plan shows?",
    "Is A longer than, say, B?",
    "Is it longer than",
    "",
]


@pytest.mark.parametrize(("question", "first", "second"), COMPARED)
def test_both_things_are_found_in_the_words_of_the_question(question, first, second):
    assert [one.words for one in alternatives(question)] == [first, second]


@pytest.mark.parametrize("question", NOT_COMPARED)
def test_a_question_that_compares_no_two_things_has_none(question):
    assert alternatives(question) is None


def test_the_question_about_each_has_no_word_of_the_other():
    asked = [one.question for one in alternatives("Without a limit, which holds more packets: fq or fq_codel?")]
    assert asked == ["Without a limit, which holds more packets: fq?", "Without a limit, which holds more packets: fq_codel?"]


def test_an_owner_that_is_named_once_owns_both():
    asked = [one.question for one in alternatives("Do Orlau's gzip and bz2 modules compress at the same level?")]
    assert asked == [
        "Do Orlau's gzip modules compress at the same level?",
        "Do Orlau's bz2 modules compress at the same level?",
    ]
    assert alternatives("Which is longer, Orlau's pipe or Kerrow's exec?")[1].question == "Which is longer, Kerrow's exec?"


WORDS = "which is older than same both , : ? or and the Kerrow's gzip Boat of 3.2 - ' ."


@given(st.lists(st.sampled_from(WORDS.split()), max_size=14))
def test_any_words_are_read_and_each_question_has_what_it_is_about(words):
    found = alternatives(" ".join(words))
    for one in found or ():
        assert one.words in one.question
        assert one.words.strip()


def test_the_question_for_each_of_two_that_one_is_compared_with_leaves_out_the_other():
    asked = [one.question for one in alternatives("Does the H6 use more water in a year than the H4?")]
    assert asked == ["Does the H6 use more water in a year?", "Does the H4 use more water in a year?"]
