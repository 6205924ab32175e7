"""Of a period, the end answers until when, and the beginning from when."""

import pytest

from hopweave.citations.rules.ends import is_other_end
from hopweave.core.types import Span


def other_end(asking, sentence, words):
    start = sentence.index(words)
    return is_other_end(asking, sentence, Span(start, start + len(words)))


@pytest.mark.parametrize(
    ("until", "since", "sentence", "beginning", "end"),
    [
        ("Until when is it lit?", "From when is it lit?", "It is lit from 1 May to 4 June.", "1 May", "4 June"),
        ("Until when is it open?", "Since when is it open?", "It is open 8:30-17:00 on all days.", "8:30", "17:00"),
        ("Bis wann ist es offen?", "Ab wann ist es offen?", "Das Tor ist von 9 Uhr bis 17 Uhr offen.", "9 Uhr", "17 Uhr"),
        (
            "Jusqu'à quand est-il ouvert ?",
            "À partir de quand est-il ouvert ?",
            "Il est ouvert du 1er mai au 4 juin.",
            "1er mai",
            "4 juin",
        ),
        (
            "¿Hasta cuándo abre?",
            "¿Desde cuándo abre?",
            "El molino abre del 1 de mayo al 4 de junio.",
            "1 de mayo",
            "4 de junio",
        ),
        (
            "Fino a quale giorno è acceso?",
            "Da quale giorno è acceso?",
            "È acceso dal 1° maggio al 4 giugno.",
            "1° maggio",
            "4 giugno",
        ),
    ],
)
def test_each_end_of_a_period_answers_its_question_only(until, since, sentence, beginning, end):
    assert other_end(until, sentence, beginning)
    assert not other_end(until, sentence, end)
    assert other_end(since, sentence, end)
    assert not other_end(since, sentence, beginning)


def test_a_whole_period_is_no_end_and_nothing_is_said_where_no_end_is_asked_for():
    told = "It is open 8:30-17:00 on all days."
    assert not other_end("Until when is it open?", told, "8:30-17:00")
    assert not other_end("When is it open?", told, "8:30")
    assert not other_end("Until when is it open?", "It is open until 17:00.", "17:00")
