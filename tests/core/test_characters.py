"""Unpaired surrogates: replaced where text is kept or handed to an engine, refused where it is taken in."""

import pytest

from hopweave.core.characters import check_whole, encodable, whole
from hopweave.core.errors import DataError

HALF = "a\ud83db"


@pytest.mark.parametrize("text", ["", "plain", "école", "🚢", "a\ufffdb"])
def test_whole_text_stays_as_it_is(text):
    assert whole(text) == encodable(text) == text
    check_whole(text, "it")


def test_half_a_character_is_replaced_by_one_so_that_offsets_stay_valid():
    assert (whole(HALF), encodable(HALF)) == ("a\ufffdb", "a?b")


def test_half_a_character_is_refused_with_what_it_is_in_and_what_to_do():
    with pytest.raises(DataError, match=r"^passage 'a' contains an unpaired surrogate, which is not a character; remove it$"):
        check_whole(HALF, "passage 'a'")
    with pytest.raises(DataError, match=r"^row 2 contains an unpaired surrogate, .*; correct the row$"):
        check_whole(HALF, "row 2", "correct the row")
