"""Dates with full stops in short texts, whose language cannot be told, end no sentence."""

import pytest

from hopweave.text.sentences import sentence_spans


@pytest.mark.parametrize(
    "text",
    [
        "Cena do 31. 3. 2024: 180; Cena od 1. 4. 2024: 220.",
        "Pris: 80 kr. (før: 75 kr.); Fra 1. januar 2026: 90 kr.",
        "Leje ekskl. moms: 900.",
        "Od 5. 7. 2024: 12.",
    ],
)
def test_a_row_with_a_date_or_a_sum_is_one_sentence(text):
    assert [text[span.start : span.end] for span in sentence_spans(text)] == [text]


def test_a_number_at_the_end_of_a_sentence_ends_it():
    text = "It has 3. The other has 5. In 2024 it had 7."
    assert len(sentence_spans(text)) == 3
