"""When a sentence of a reasoning counts as held by a passage."""

from __future__ import annotations

import pytest

from hopweave.support import Standing, judge
from hopweave.types import Passage, Question
from hopweave.words import anchors

ASKED = Question("q", "Where was Mira Solberg born?")
SOLBERG = Passage(
    "solberg",
    "Mira Solberg is a singer. She was born in Tromvik in 1981, the daughter of a sailor. "
    "She moved to Westmark and plays the harp.",
    "Mira Solberg",
)


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("The Planets was composed by Gustav Holst.", ["Planets", "Gustav Holst"]),
        ("Edward, Duke of Kent, died in 1820.", ["Edward", "Duke of Kent", "1820"]),
        ("It has 5,895 metres and 3.5 miles.", ["5,895", "3.5"]),
        ("Frida Kahlo's father met J. R. R. Tolkien.", ["Frida Kahlo", "J. R. R. Tolkien"]),
        ("Museo Reina Sofía is in Madrid.", ["Museo Reina Sofía", "Madrid"]),
        ("He plays the violin.", []),
        ("Ada and Grace met in Paris and in Rome.", ["Ada", "Grace", "Paris", "Rome"]),
        ("", []),
    ],
)
def test_names_and_numbers(sentence, found):
    assert anchors(sentence) == found


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("Mira Solberg was born in Tromvik.", "She was born in Tromvik in 1981, the daughter of a sailor."),
        ("Mira Solberg was born in 1981.", "She was born in Tromvik in 1981, the daughter of a sailor."),
        ("Mira Solberg plays the harp.", "She moved to Westmark and plays the harp."),
        ("The singer is Mira Solberg.", "Mira Solberg is a singer."),
    ],
)
def test_a_sentence_whose_words_stand_together_is_verified_by_that_sentence(sentence, quote):
    [citation] = judge(ASKED.text, sentence, [SOLBERG]).citations
    assert citation.quote == quote
    assert SOLBERG.text[citation.focus.start : citation.focus.end].lower() in sentence.lower()


@pytest.mark.parametrize(
    "sentence",
    [
        "Mira Solberg was born in Westmark.",  # where she moved: the names are there, and not together with the birth
        "Mira Solberg was born in Ostvik.",  # a name that is not there
        "Mira Solberg was born in 198.",  # no number inside a larger one
        "Mira Solberg plays the drums.",  # a word that is not there
        "Jonas Hale was born in Tromvik.",  # of somebody else
        "She was born there.",  # no name
        "Thus, Mira Solberg was born in Tromvik.",  # a conclusion
        "",
    ],
)
def test_a_sentence_that_no_passage_holds_is_not(sentence):
    assert judge(ASKED.text, sentence, [SOLBERG]) == Standing()


def test_the_first_passage_that_holds_it_counts():
    copy = Passage("copy", SOLBERG.text, SOLBERG.title)
    other = Passage("other", "Tromvik is a town.", "Tromvik")
    assert judge(ASKED.text, "Mira Solberg was born in Tromvik.", [other, copy, SOLBERG]).citations[0].passage_id == "copy"
