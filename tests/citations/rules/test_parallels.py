"""Sentences with several numbers."""

import pytest

from hopweave.citations.rules.parallels import is_of_another
from hopweave.core.types import Span

BYTES = "key: for keyed hashing (up to 64 bytes for TARN2b, up to 32 bytes for TARN2s)."
SHARES = "It took 21 percent at Sula, 25 percent at Brno, and 46 percent at Orlau."
FILMS = "The films are Tides (2001), Low Water (2004) and High Water (2007)."
QUOTED = 'The films are" Tides"( 2001)," Low Water"( 2004).'
LIFE = "Ida Renn was born in Sula in 1887 and died in Graz in 1958."
PORTS = "HTTP uses port 80, HTTPS uses port 443."


@pytest.mark.parametrize(
    ("names", "sentence", "number", "is_anothers"),
    [
        (["TARN2s"], BYTES, "64 bytes", True),
        (["TARN2s"], BYTES, "64", True),
        (["TARN2s"], BYTES, "32 bytes", False),
        (["TARN2b"], BYTES, "32 bytes", True),
        (["TARN3"], BYTES, "32 bytes", False),  # it does not name that
        (["Orlau"], SHARES, "25 percent", True),
        (["Orlau"], SHARES, "46 percent", False),
        (["Low Water"], FILMS, "2001", True),
        (["Low Water"], FILMS, "2004", False),
        (["Low Water"], QUOTED, "2001", True),
        (["Low Water"], QUOTED, "2004", False),
        (["Ida Renn"], LIFE, "1958", False),  # not in the same words
        (["Ida Renn", "Sula"], LIFE, "1958", True),
        (["HTTPS"], PORTS, "80", True),
        (["HTTPS"], PORTS, "443", False),
        (["HTTP", "HTTPS"], PORTS, "80", False),
        (["Sula"], SHARES, "Brno", False),  # no number
    ],
)
def test_a_number_beside_another_name_is_not_that_of_one_with_a_number_in_the_same_words(names, sentence, number, is_anothers):
    start = sentence.index(number)
    assert is_of_another(names, sentence, Span(start, start + len(number))) is is_anothers
