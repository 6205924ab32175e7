"""The pieces of an answer that precede its marks: what a human takes a mark `[k]` to vouch for.

SearChain counts and judges these pieces (section 4.3, table 5): a mark vouches for the words between it and the preceding mark
or the beginning of the sentence. A mark after the full stop vouches for the sentence that ends there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hopweave.grounding.citing import settle_marks
from hopweave.text.sentences import sentence_spans
from hopweave.types import Answer

_MARKS = re.compile(r"(?<![ \t])[ \t]*+((?:\[\d{1,3}\][ \t]*+)++)")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Fragment:
    """Words of an answer and the mark after them; words with two marks are two fragments.

    Attributes:
        text: without marks; empty if a mark precedes any word.
        mark: the k of `[k]`.
    """

    text: str
    mark: int


def fragments(answer: Answer) -> list[Fragment]:
    """The marked fragments of an answer in order, each pair of words and mark once; only marks that resolve to a citation.

    >>> from hopweave.types import Claim, Citation
    >>> claim = Claim("", "", "verified", "supported", tuple(Citation(mark, "p", 0, 1, "x") for mark in (1, 2)))
    >>> for fragment in fragments(Answer("Ulm is old [1] and on the Danube [1] [2]. So it is Ulm. [2]", "Ulm", (claim,))):
    ...     print(fragment.mark, fragment.text)
    1 Ulm is old
    1 and on the Danube
    2 and on the Danube
    2 So it is Ulm.
    """
    plain, places = _parted(settle_marks(answer.text, {citation.mark for citation in answer.citations})[0])
    sentences = sentence_spans(plain)
    found: list[Fragment] = []
    end, words = 0, ""
    for place, marks in places:
        start = max((span.start for span in sentences if span.start < place), default=0)
        piece = plain[max(start, end) : place].strip()
        # Marks with only punctuation between them follow the same words.
        words, end = (piece if any(map(str.isalnum, piece)) else words), place
        found += [Fragment(words, mark) for mark in marks]
    return list(dict.fromkeys(found))


def _parted(text: str) -> tuple[str, list[tuple[int, list[int]]]]:
    """A text without marks, and the positions of its marks."""
    plain, places, position = "", [], 0
    for match in _MARKS.finditer(text):
        plain += text[position : match.start()]
        places.append((len(plain), [int(number) for number in _NUMBER.findall(match[1])]))
        blank_follows = match[0][-1] in " \t" and match.end() < len(text)
        plain += " " if blank_follows else ""
        position = match.end()
    return plain + text[position:], places
