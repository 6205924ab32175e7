"""The pieces of a text that precede its marks: the words for which a human takes a mark `[k]` to vouch.

SearChain counts and judges these pieces (section 4.3, table 5): a mark vouches for the words between it and the preceding mark
or the beginning of the sentence. A mark after the full stop vouches for the sentence that ends there.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from hopweave.text.citation_marks import marks_in, without_marks
from hopweave.text.sentences import sentence_spans


@dataclass(frozen=True, slots=True)
class Fragment:
    """Words of a text and the mark after them; words with two marks are two fragments.

    Attributes:
        text: without marks; empty if a mark precedes any word.
        mark: the k of `[k]`.
        place: the position of the mark in the text.
    """

    text: str
    mark: int
    place: int


def fragments(text: str) -> list[Fragment]:
    """The marked fragments of a text, one for each mark, in order; `[1, 2]` and `[1-2]` are two marks each.

    >>> for fragment in fragments("Ulm is old [1] and on the Danube [1, 2]. So it is Ulm. [2]"):
    ...     print(fragment.mark, fragment.text)
    1 Ulm is old
    1 and on the Danube
    2 and on the Danube
    2 So it is Ulm.
    """
    plain, places = without_marks(text)
    starts = [span.start for span in sentence_spans(plain)]
    found: list[Fragment] = []
    end, words = 0, ""
    for number, place in marks_in(text):
        at = bisect_left(places, place)
        begun = bisect_left(starts, at)
        piece = plain[max(starts[begun - 1] if begun else 0, end) : at].strip()
        # Marks with only punctuation between them follow the same words.
        words, end = (piece if any(map(str.isalnum, piece)) else words), at
        found.append(Fragment(words, number, place))
    return found
