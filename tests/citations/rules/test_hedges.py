"""What a sentence leaves open."""

import pytest

from hopweave.citations.rules.hedges import is_left_open, leaves_open
from hopweave.core.types import Span


@pytest.mark.parametrize(
    ("asking", "sentence", "words", "is_open"),
    [
        ("Who is the girl of the song?", "The girl is rumoured to be Ida Renn, a singer.", "Ida Renn", True),
        ("Who is the girl of the song?", "The girl is Ida Renn, rumoured to be a singer.", "Ida Renn", False),
        ("Who is rumoured to be the girl?", "The girl is rumoured to be Ida Renn.", "Ida Renn", False),
        ("Who is the girl? Possibly Ida Renn", "The girl is rumoured to be Ida Renn.", "Ida Renn", False),
        ("Where does the shrub grow?", "It grows in Sula, possibly also in Brno.", "Sula", False),
        ("Where does the shrub grow?", "It grows in Sula, possibly also in Brno.", "Brno", True),
        ("Who was his son?", "It was made for his alleged son Otto Renn in 1513.", "Otto Renn", True),
        ("When is the fifth film out?", "The last was in 2010, with a fifth film planned for 2019.", "2019", True),
        ("When was the last film out?", "The last was in 2010, with a fifth film planned for 2019.", "2010", False),
        ("Which prize did it win?", "It was nominated for the Sula Prize.", "Sula Prize", True),
        ("Who named it?", "The name was proposed by Ada Finch.", "Ada Finch", True),
        ("Who proposed the name?", "The name was proposed by Ada Finch.", "Ada Finch", False),
        ("Whom did he marry?", "There he proposed marriage to Ada Finch.", "Ada Finch", False),
        ("Which option keeps files?", "With tarn you may keep files by --keep.", "--keep", False),  # as manuals speak
        ("Which file should be read?", "You should read the file NEWS first.", "NEWS", False),
    ],
)
def test_words_after_a_hedge_in_their_clause_are_left_open_unless_they_are_asked_for_so(asking, sentence, words, is_open):
    start = sentence.index(words)
    assert is_left_open(asking, sentence, Span(start, start + len(words))) is is_open


@pytest.mark.parametrize(
    ("sentence", "statement", "is_open"),
    [
        (
            "The girl is rumoured to be Ida Renn, one of the heirs of Otto Falk.",
            "The girl is Ida Renn, an heir of Otto Falk.",
            True,
        ),
        ("It was led by Otto Falk, who tried to defeat Karl Renn.", "Otto Falk defeated Karl Renn.", True),
        ("It was led by Otto Falk, who tried to defeat Karl Renn.", "Otto Falk tried to defeat Karl Renn.", False),
        ("It was led by Otto Falk, who tried to defeat Karl Renn.", "It was led by Otto Falk against Karl Renn.", False),
        ("It was led by Otto Falk and defeated Karl Renn.", "Otto Falk defeated Karl Renn.", False),
    ],
)
def test_a_sentence_leaves_a_statement_open_that_has_the_first_word_after_its_hedge(sentence, statement, is_open):
    assert leaves_open(sentence, statement) is is_open
