"""Text from outside is shown, never obeyed."""

from __future__ import annotations

import pytest

from hopweave.show.plain import counted, cut, one_line, seconds_text, visible


def test_control_characters_become_signs():
    assert visible("a\x1b[31mb\x07\x7f\x9b") == "a\u241b[31mb\u2407\u2421\ufffd"


def test_line_ends_of_every_system_become_one():
    assert visible("a\r\nb\rc\nd\te") == "a\nb\nc\nd\te"


def test_a_text_cannot_turn_the_direction_of_what_follows():
    assert visible("a\u202eb\u2066c") == "a\ufffdb\ufffdc"


def test_half_a_surrogate_pair_does_not_prevent_writing():
    assert visible("a\ud800b").encode() == "a\ufffdb".encode()


def test_letters_of_all_scripts_stay():
    text = "Caf\u00e9 \u4e2d\u6587 \u0639\u0631\u0628\u064a \U0001f600"
    assert visible(text) == text


def test_one_line_has_no_line_end_and_single_spaces():
    assert one_line("  a\n\n b\t c\u2028d ") == "a b c d"


def test_a_cut_text_is_never_longer_than_allowed():
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abc defg", 5) == "abc\u2026"


def test_one_of_a_thing_is_singular():
    assert (counted(1, "call"), counted(0, "call"), counted(1200, "search", "searches")) == (
        "1 call",
        "0 calls",
        "1,200 searches",
    )


@pytest.mark.parametrize(("seconds", "text"), [(0.0, "0.00 s"), (0.304, "0.30 s"), (14.25, "14.2 s"), (312.6, "313 s")])
def test_seconds_show_the_digits_that_mean_something(seconds: float, text: str):
    assert seconds_text(seconds) == text
