"""When two texts say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.text.matching import is_contained, is_yes_or_no, normalize_answer, num_in_common, rouge_l

TEXTS = st.one_of(
    st.text(max_size=30), st.lists(st.sampled_from(["a", "the", "no", "not", "known", "184", "1844", "U.S."])).map(" ".join)
)


# The vectors of the specification (M2): exact match and raw cover.
@pytest.mark.parametrize(
    ("gold", "said", "is_equal", "is_covered"),
    [
        ("The Toronto Coach Terminal.", "Toronto Coach Terminal", True, True),
        ("Toronto", "Toronto, Ontario", False, True),
        ("National Book Award", "U.S. National Book Award", False, True),
        ("not known", "no", False, False),
        ("no", "not known", False, True),
        ("1450 miles", "1,450 miles", True, True),
        ("June July 1863", "June-July 1863", False, False),
    ],
)
def test_the_normaliser_gives_the_vectors_of_the_specification(gold, said, is_equal, is_covered):
    assert (normalize_answer(gold) == normalize_answer(said)) is is_equal
    assert is_contained(gold, said, "characters") is is_covered


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The  Cat\tand AN Apple, a Day", "cat and apple day"),
        ("A.", ""),
        ("theatre another", "theatre another"),
        ("it's", "its"),
        ("“Łódź” – naïve", "“łódź” – naïve"),  # only ASCII punctuation goes, as in the official script
        ("a-b", "ab"),
        ("a_b", "ab"),
        ("", ""),
    ],
)
def test_the_normaliser_keeps_to_the_official_rules(text, normal):
    assert normalize_answer(text) == normal


@given(TEXTS)
def test_what_is_normalised_holds_no_capitals_articles_or_double_blanks(text):
    normal = normalize_answer(text)
    assert normal == " ".join(normal.split())
    assert not {"a", "an", "the"} & set(normal.split())


@pytest.mark.parametrize(
    ("span", "answer", "as_words", "as_characters"),
    [
        ("no", "not known", False, True),
        ("no", "No, it was not.", True, True),
        ("184", "1844", False, True),
        ("1844", "in 1844.", True, True),
        ("", "anything", False, False),
        ("...", "anything", False, False),
        ("the", "the cat", False, False),
        ("Paris", "", False, False),
        ("the Black Sea", "It is the black sea!", True, True),
        ("Black Sea", "Black and white Sea", False, False),
        ("Bronte", "Brontës", False, False),
    ],
)
def test_a_span_is_contained_as_words_or_as_characters(span, answer, as_words, as_characters):
    assert is_contained(span, answer) is as_words
    assert is_contained(span, answer, "characters") is as_characters


@given(TEXTS, TEXTS)
def test_what_is_contained_as_words_is_contained_as_characters(span, answer):
    assert is_contained(span, answer, "characters") or not is_contained(span, answer)


@given(TEXTS, TEXTS)
def test_containment_both_ways_is_equality(left, right):
    both = is_contained(left, right, "characters") and is_contained(right, left, "characters")
    assert both == (normalize_answer(left) == normalize_answer(right) != "")


@pytest.mark.parametrize(
    ("said", "reference", "f1"),
    [  # the vectors of the specification (M3), column seq
        ("the cat sat on the mat", "the cat lay on the mat", 0.8333),
        ("Paris", "The capital of France is Paris", 0.2857),
        ("a b c d. a b", "a b. c d", 0.8),
        (
            "Contrails form when hot exhaust meets cold air. The water freezes.",
            "Hot exhaust gas meets cold air. Water vapour freezes into ice.",
            0.6364,
        ),
        ("", "x", 0.0),
        ("x", "", 0.0),
        ("", "", 0.0),
        ("...", "...", 0.0),
        ("x", "y", 0.0),
        ("It's Łódź", "it s d", 1.0),  # other letters split words, as in rouge_score
    ],
)
def test_rouge_l_gives_the_vectors_of_the_specification(said, reference, f1):
    assert rouge_l(said, reference)[2] == pytest.approx(f1, abs=5e-5)


@given(TEXTS, TEXTS)
def test_rouge_l_swaps_precision_and_recall_with_its_texts(left, right):
    precision, recall, f1 = rouge_l(left, right)
    assert (recall, precision) == rouge_l(right, left)[:2]
    assert f1 == pytest.approx(rouge_l(right, left)[2])
    assert 0 <= min(precision, recall) <= f1 + 1e-12
    assert f1 <= max(precision, recall) + 1e-12 <= 1 + 2e-12


@given(st.text("ab c", min_size=1).filter(str.strip))
def test_a_text_has_rouge_l_of_one_with_itself(text):
    assert rouge_l(text, text) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    "text", ["yes", "No", "**Yes**", "no.", '"No."', "Yes, it was.", "No; never", "no – as in 1931", "Yes. It was.", " yes\n"]
)
def test_a_yes_or_no_may_go_on_after_punctuation(text):
    assert is_yes_or_no(text)


@pytest.mark.parametrize(
    "text",
    [
        "No Country for Old Men", "No Doubt", "Yes (band)", "Yes Minister", "No. 5", "No. 10 Downing Street", "no one",
        "Norway", "not", "no-no", "known", "",
    ],
)  # fmt: skip
def test_a_name_that_begins_with_yes_or_no_is_neither(text):
    assert not is_yes_or_no(text)


@given(
    st.lists(st.sampled_from(["a", "the", "cat", "é", "日本", "x1"])),
    st.lists(st.sampled_from(["a", "the", "é", "dog", "日本"])),
)
def test_the_longest_common_subsequence_is_that_of_the_textbook_for_words_and_for_letters(left, right):
    for one, other in ((left, right), ("".join(left), "".join(right))):
        row = [0] * (len(other) + 1)
        for item in one:
            diagonal = 0
            for column, wanted in enumerate(other, start=1):
                above = row[column]
                row[column] = diagonal + 1 if item == wanted else max(above, row[column - 1])
                diagonal = above
        assert num_in_common(one, other) == row[-1]
