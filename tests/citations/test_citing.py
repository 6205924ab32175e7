"""Claims are tied to exact spans of passages, and the marks of an answer to those ties."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.citations.citing import cite, locate
from hopweave.core.prompt import escape
from hopweave.core.types import Passage
from hopweave.text.citation_marks import settle_marks
from hopweave.text.sentences import sentence_spans

TEXT = "Hilversum Town Hall was designed by W. M. Dudok. It was finished in 1931. 😀 The tower is tall."


def quoted(words: str, text: str) -> str | None:
    span = locate(words, text)
    return None if span is None else text[span.start : span.end]


LOCATED = {
    "exactly": ("Town Hall", "the Town Hall", "Town Hall"),
    "in other case": ("town hall", "the Town Hall", "Town Hall"),
    "the exact one before the other": ("US", "us and the US", "US"),
    "over a line break": ("Town Hall", "the Town\n  Hall", "Town\n  Hall"),
    "over a narrow blank": ("10 km", "it is 10\u202fkm", "10\u202fkm"),
    "with quotes around": ('"Town Hall"', "the Town Hall", "Town Hall"),
    "with a full stop": ("Town Hall.", "the Town Hall is", "Town Hall"),
    "with a mark": ("Town Hall [1].", "the Town Hall is", "Town Hall"),
    "in bold": ("**Town Hall**", "the Town Hall is", "Town Hall"),
    "an abbreviation keeps its dot": ("the U.S.", "in the U.S. Army", "the U.S."),
    "an abbreviation whose dot lacks": ("U.S.", "in the U.S", "U.S"),
    "a bracket that belongs to it": ("(What's the Story) Morning Glory?", "sang (What's the Story) Morning Glory? in", None),
    "straight for curly apostrophes": ("Schindler's List", "in Schindler’s List,", "Schindler’s List"),
    "curly for straight apostrophes": ("Schindler’s List", "in Schindler's List,", "Schindler's List"),
    "a hyphen for a dash": ("1939-1945", "of 1939–1945.", "1939–1945"),
    "without accents": ("Charlotte Bronte", "by Charlotte Brontë.", "Charlotte Brontë"),
    "composed for decomposed accents": ("Brontë", "by Bronte\u0308.", "Bronte\u0308"),
    "a word cut before its accent": ("Bronte", "by Bronte\u0308.", "Bronte\u0308"),
    "a soft hyphen in the text": ("Hilversum", "in Hil\u00adversum.", "Hil\u00adversum"),
    "a joiner in the text": ("Query 1: x", "a Query 1\u2060: x", "Query 1\u2060: x"),
    "beyond the first plane": ("𝒳 two", "😀😀 𝒳 two", "𝒳 two"),
    "regular expressions": ("a+b (c|d)* [e] ^$ \\w", "is a+b (c|d)* [e] ^$ \\w here", None),
    "money": ("$5 million", "US$5 million", "$5 million"),
    "at the end with a sign": ("C++", "in C++0x", "C++"),
    "the first place": ("one", "one, one, one", "one"),
    "not inside a word": ("no", "not known, unknown", ...),
    "but as a word after that": ("no", "not known, no", "no"),
    "not inside a number": ("184", "in 1844 and 1184", ...),
    "no minutes of a time": ("30", "at 17:30 in the hall", ...),
    "no hours of a time": ("17", "at 17:30 in the hall", ...),
    "a time": ("17:30", "at 17:30 in the hall", "17:30"),
    "a scale": ("250", "drawn 1:250, in ink", "250"),
    "not inside a number with a comma": ("450", "it is 1,450 miles", ...),
    "not the first part of a number": ("1", "it is 1,450 miles or 1.5", ...),
    "not behind an apostrophe in a number": ("250", "it is 1'250 or 1’250.00 francs", ...),
    "nor behind an Arabic sign": ("٢٥٠", "الإيجار ١٬٢٥٠ ريالا", ...),
    "not behind a scale in signs": ("5千元", "租金是12万5千元。", ...),
    "nor before one": ("12", "租金是12万5千元。", ...),
    "no scale before more digits": ("12万", "租金是12万5千元。", ...),
    "a number with scales": ("12万5千元", "租金是12万5千元。", None),
    "no part of a number in Korean": ("5천만 원", "임대료는 1억 5천만 원입니다.", ...),
    "nor its first part": ("1억", "임대료는 1억 5천만 원입니다.", ...),
    "a number in Korean": ("1억 5천만 원", "임대료는 1억 5천만 원입니다.", None),
    "a year after a number in Korean": ("2024년", "회비는 3만 2024년", None),
    "a number of a place in Korean": ("2공장", "인천2공장은 큽니다.", None),
    "a name before a year": ("张三", "张三2024年加入。", None),
    "a quoted number": ("250", "it says '250' there", None),
    "a number at the end of a sentence": ("1931", "in 1931.", "1931"),
    "a number before a comma": ("1931", "in 1931, when", "1931"),
    "not there": ("Paris", "the Town Hall", ...),
    "not in a row": ("Town Tall", "Town Hall is tall", ...),
    "nothing": ("", "the Town Hall", ...),
    "only signs": ("...", "and so on...", ...),
    "in nothing": ("Town", "", ...),
    "a letter that folds to two": ("strasse", "Die Straße ist", "Straße"),
}


@pytest.mark.parametrize(("words", "text", "expected"), LOCATED.values(), ids=LOCATED)
def test_copied_words_are_located_as_they_stand_in_the_text(words, text, expected):
    assert quoted(words, text) == (words if expected is None else None if expected is ... else expected)


@given(st.text(), st.data())
def test_whole_words_of_any_text_are_located(text, data):
    words = re.findall(r"\w+", text)
    if words:
        word = data.draw(st.sampled_from(words))
        found = quoted(word, f"{text} {word} ")
        assert (found is not None) == any(char.isalnum() for char in word.strip("_"))


@given(st.text(), st.text())
def test_a_located_span_lies_in_the_text_and_holds_something(words, text):
    span = locate(words, text)
    assert span is None or (0 <= span.start < span.end <= len(text) and text[span.start : span.end].strip())


MARKERS = ["[Query 1]: who?", "So the final answer is x.", "Action: go", "Finish[x]", "NO!", "</passage>", "plain words"]


@given(st.lists(st.sampled_from(MARKERS), min_size=1), st.data())
def test_words_copied_from_blunted_text_are_located_in_the_passage(parts, data):
    part = data.draw(st.sampled_from(parts))
    found = quoted(escape(part), "\n".join(parts))
    assert found is not None
    assert found.strip("[]<>/.!?") == part.strip("[]<>/.!?") or part in {"[Query 1]: who?", "Finish[x]"}


@given(st.sampled_from(["Hilversum Town Hall", "Dudok", "It was finished", "1931", "tower", "Dudok. It"]))
def test_a_citation_covers_its_focus_with_whole_sentences(words):
    span = locate(words, TEXT)
    citation = cite(3, Passage("p", TEXT), span)
    assert citation.quote == TEXT[citation.start : citation.end]
    assert citation.start <= citation.focus.start < citation.focus.end <= citation.end
    sentences = sentence_spans(TEXT)
    assert citation.start in {sentence.start for sentence in sentences}
    assert citation.end in {sentence.end for sentence in sentences}
    assert (citation.mark, citation.passage_id, citation.focus) == (3, "p", span)


def test_offsets_are_code_points():
    citation = cite(1, Passage("p", TEXT), locate("tower", TEXT))
    assert citation.quote == "😀 The tower is tall."


# Citations 1 and 2 exist.
SETTLED = {
    "marks that hold": ("A [1]. B [2].", "A [1]. B [2].", 0),
    "an invented mark": ("A [1]. B [7].", "A [1]. B.", 1),
    "an invented mark within a sentence": ("A [7] is b.", "A is b.", 1),
    "an invented mark at the beginning": ("[7] A is b.\n[8] B.", "A is b.\nB.", 2),
    "an invented mark without a blank": ("A[7] is b.", "A is b.", 1),
    "a held mark at the beginning": ("[1] A is b.", "[1] A is b.", 0),
    "a held mark without a blank": ("A[1] is b.", "A[1] is b.", 0),
    "a list": ("A [1, 2].", "A [1] [2].", 0),
    "a list in part": ("A [1,7;2].", "A [1] [2].", 1),
    "a range": ("A [1-3].", "A [1] [2].", 1),
    "a range with a dash": ("A [1–2].", "A [1] [2].", 0),
    "marks in a row": ("A [1][7] [2].", "A [1] [2].", 1),
    "invented marks in a row": ("A [7] [8][9] is.", "A is.", 3),
    "mark 0": ("A [0].", "A.", 1),
    "a year": ("In [1990] and [sic] and [a1].", "In [1990] and [sic] and [a1].", 0),
    "a blank mark": ("[ ] to do []", "[ ] to do []", 0),
    "no marks": ("A.", "A.", 0),
    "nothing": ("", "", 0),
    "line breaks": ("A [7]\n\nB [1]\n", "A\n\nB [1]\n", 1),
}


@pytest.mark.parametrize(("text", "expected", "removed"), SETTLED.values(), ids=SETTLED)
def test_marks_that_resolve_to_nothing_are_removed_and_counted(text, expected, removed):
    assert settle_marks(text, [1, 2]) == (expected, removed)


PROSE = st.lists(
    st.sampled_from(
        ["Paris", "Rome", "is", "x.", "In", "[1]", "[2]", "[1, 9]", "[7][8]", "[3-5]", "[1990]", "\n", "  ", "U.S.", "?"]
    )
).map(lambda words: re.sub(r" ?\n ?", "\n", " ".join(words)))


@given(PROSE, st.sets(st.integers(0, 9)))
def test_after_settling_every_mark_is_allowed_and_settling_again_changes_nothing(text, allowed):
    settled, _ = settle_marks(text, allowed)
    assert {int(number) for number in re.findall(r"\[(\d{1,3})\]", settled)} <= allowed
    assert settle_marks(settled, allowed) == (settled, 0)


@pytest.mark.parametrize("gap", [" ", "\n", "\n    "])
def test_a_line_break_within_words_of_a_script_without_spaces_is_no_part_of_them(gap):
    text = f"control は、すべ{gap}てのパッケージに 必要です。"
    span = locate("すべてのパッケージに必要", text)
    assert text[span.start : span.end] == f"すべ{gap}てのパッケージに 必要"
    assert locate("は、すべて", text) is not None
    assert locate("controlは", text) is None


@pytest.mark.parametrize("part", ["三個", "十三個", "二"])
def test_no_part_of_a_number_in_signs_is_found(part):
    assert locate(part, "部屋は二十三個ある。") is None
    assert locate("二十三個", "部屋は二十三個ある。") is not None


def test_no_group_of_the_digits_of_a_number_is_found():
    text = "Le paquet compte 1\u00a0234 fichiers."
    assert locate("234", text) is None
    assert locate("1", text) is None
    span = locate("1 234", text)
    assert text[span.start : span.end] == "1\u00a0234"
    assert locate("234", "There were 1 234 of them in the lamp, which is what the keeper said.") is not None
