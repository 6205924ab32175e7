"""The sentences of a text with the passages that each of them names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.answering.parsing.marked import MarkedSentence, marked_sentences

BUILT, BORN = "It was built in 1902.", "She was born in Vask."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{BUILT} {BORN}", [(BUILT, ()), (BORN, ())]),
        ("It was built in 1902 [2]. She was born in Vask [1, 3].", [(BUILT, (2,)), (BORN, (1, 3))]),
        ("It was built in 1902. [2] She was born in Vask.[1-3]", [(BUILT, (2,)), (BORN, (1, 2, 3))]),
        ("It was built [1] in 1902 [1][2].", [(BUILT, (1, 2))]),
        (f"[2] {BUILT}\n[3] {BORN}", [(BUILT, (2,)), (BORN, (3,))]),
        (f"- [2] {BUILT}\n- [3] {BORN}", [(BUILT, (2,)), (BORN, (3,))]),
        (f"{BUILT}\n[2]\n{BORN}", [(BUILT, (2,)), (BORN, ())]),
        ("- **It** was built in 1902 [2]\n- She was born in Vask", [("It was built in 1902", (2,)), (BORN[:-1], ())]),
        (f"1. {BUILT} [2]\n2) {BORN}", [(BUILT, (2,)), (BORN, ())]),
        (f"Facts:\n{BUILT}", [(BUILT, ())]),
        ("He said [4]:", [("He said:", (4,))]),
        ("In [1902] it was built.", [("In [1902] it was built.", ())]),
        ("[2]", []),
        ("", []),
        ("... \n - \n", []),
        (
            "| lamp | lit |\n|---|---|\n| Sula | 1887 [2] |\n| Orlau | 1902 | [3]",
            [("lamp: Sula; lit: 1887.", (2,)), ("lamp: Orlau; lit: 1902.", (3,))],
        ),
        (f"{BUILT}\n\n| Sula | 1887 |\n| Orlau | 1902 |", [(BUILT, ()), ("Sula | 1887", ()), ("Orlau | 1902", ())]),
        (f"{BUILT} See section 5 of the handbook.", [(BUILT, ())]),
        ("See section 5 [2].", [("See section 5.", (2,))]),
        ("Dr. Lind built it in no. 5 [1].", [("Dr. Lind built it in no. 5.", (1,))]),
    ],
)
def test_sentences_and_their_marks_are_read(text, found):
    assert marked_sentences(text) == [MarkedSentence(*one) for one in found]


@given(st.text())
def test_any_text_is_accepted_and_no_sentence_has_a_mark_left(text):
    for one in marked_sentences(text):
        assert any(map(str.isalnum, one.text))
        assert one.text.strip() == one.text


@given(st.lists(st.tuples(st.sampled_from([BUILT, BORN]), st.lists(st.integers(1, 999), unique=True, max_size=3)), max_size=5))
def test_what_is_written_with_marks_is_read_back(written):
    text = " ".join(f"{sentence[:-1]}{''.join(f' [{number}]' for number in numbers)}." for sentence, numbers in written)
    assert marked_sentences(text) == [MarkedSentence(sentence, tuple(numbers)) for sentence, numbers in written]
