"""Which way something is converted: `num2str` turns a number into a string, and is no answer to what turns a string into one.

Only English is understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.wanted import content_stems

_CONVERSION = lazy_pattern(
    r"\b(?:conver(?:t|sion)|transform|translat|transcod|turn|chang|cast|migrat|decod|encod)\w*\s(?:(?:of|from)\s)?"
    r"(?P<given>[^.,;:?!()]{2,80}?)\s(?:in)?to\s(?P<made>[^.,;:?!()]{2,80})",
    re.IGNORECASE,
)


class _Conversion(NamedTuple):
    """The words for what is converted, and for what it becomes."""

    given: Set[str]
    made: Set[str]


def is_converted_back(asking: str, sentence: str) -> bool:
    """Whether a sentence tells of a conversion the other way than a question asks for, and of none this way.

    >>> told = "Convert a grayscale image to an indexed image."
    >>> [is_converted_back(f"Which function converts {way}?", told) for way in ("indexed to grayscale", "grayscale to indexed")]
    [True, False]
    """
    asked = next(_conversions(asking), None)
    if asked is None:
        return False
    told = [(one.given & asked.made, one.made & asked.made) for one in _conversions(sentence)]
    return any(is_given and not is_made for is_given, is_made in told) and not any(is_made for _, is_made in told)


def _conversions(text: str) -> Iterator[_Conversion]:
    for match in _CONVERSION.finditer(text):
        yield _Conversion(content_stems(match["given"]), content_stems(match["made"]))
