"""The marks of an answer as the model wrote them, before any was removed or added (`citations.marking`).

A record keeps the answer with only its valid marks, and every reply of the model verbatim. An answer's text is found in those
replies by its characters other than marks and white space, which never change. So the marks in the reply are those that the
model wrote, and those at the same position in the answer were kept. This works for records of every version.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hopweave.citations.fragments import fragments
from hopweave.core.prompt import unescape
from hopweave.core.types import Answer
from hopweave.record.record import Record
from hopweave.record.steps import READ_AGAIN, READER, ModelCall
from hopweave.text.citation_marks import marks_in, without_marks
from hopweave.text.final import MARKER

Fate = Literal["kept", "misplaced", "invented"]

_ADDED = (MARKER, "So the answer is:", "")
"""The texts that methods insert between the reasoning and an answer that they had to ask for."""


@dataclass(frozen=True, slots=True)
class WrittenMark:
    """A mark that the model wrote, with the words that it vouches for.

    Attributes:
        fragment: these words, without marks; see `citations.fragments`.
        number: the k of `[k]`.
        fate: `kept` if it is in the answer; `misplaced` if it was removed because its sentence does not state claim k, or
            because claim k cites nothing; `invented` if there is no claim k, or the model was given no numbers of claims.
    """

    fragment: str
    number: int
    fate: Fate


def written_marks(record: Record) -> list[WrittenMark]:
    """The marks that the model wrote into the answer, in order, each pair of fragment and number once.

    There are none if the model wrote none, or did not write the text: some methods compose it of claims, and its marks are then
    hopweave's own, as are those added where the model forgot them.
    """
    answer, text = record.answer, written_text(record)
    if answer is None or not text:
        return []
    written, letters = fragments(text), _squeezed(text)
    known = {*range(1, len(answer.claims) + 1), *(citation.mark for citation in answer.citations)}
    num_strange = sum(one.mark not in known for one in written)
    # If more were counted as invented than have a number without a claim, the model was given no numbers of claims.
    has_numbers = not num_strange < len(written) <= answer.num_marks_removed
    kept = _places_of_marks(answer) if has_numbers else set()
    found: dict[tuple[str, int], WrittenMark] = {}
    for one in written:
        is_kept = (letters.num_before(one.place), one.mark) in kept
        fate: Fate = "kept" if is_kept else "misplaced" if has_numbers and one.mark in known else "invented"
        if is_kept or (one.text, one.mark) not in found:
            found[one.text, one.mark] = WrittenMark(one.text, one.mark, fate)
    return list(found.values())


def written_text(record: Record) -> str:
    """The text of the answer with the marks that the model wrote; empty if the model did not write the text.

    The last reply is searched first, and then the last two: the reasoning, and the ending that the model had to be asked for.
    """
    wanted = _squeezed(record.answer.text).letters if record.answer is not None else ""
    calls = [step for step in record.own_steps if isinstance(step, ModelCall) and step.purpose not in (READER, READ_AGAIN)]
    replies = [unescape(call.text) for call in calls if call.text]
    if not wanted or not replies:
        return ""
    if whole := _found_in(replies, wanted):
        return whole
    *earlier, last = replies
    end = _squeezed(last).letters
    if end and wanted.endswith(end):
        begun = wanted.removesuffix(end)
        for added in _ADDED:
            squeezed = _squeezed(added).letters
            if begun.endswith(squeezed) and (first := _found_in(earlier, begun.removesuffix(squeezed))):
                return f"{first} {added} {last}"
    return ""


@dataclass(frozen=True, slots=True)
class _Squeezed:
    """The characters of a text other than marks and white space, and the position of each in the text."""

    letters: str
    places: Sequence[int]

    def num_before(self, place: int) -> int:
        """How many of them precede a position in the text."""
        return bisect_left(self.places, place)


def _squeezed(text: str) -> _Squeezed:
    plain, places = without_marks(text)
    kept = [(letter, place) for letter, place in zip(plain, places, strict=True) if not letter.isspace()]
    return _Squeezed("".join(letter for letter, _ in kept), array("L", (place for _, place in kept)))


def _found_in(replies: Sequence[str], wanted: str) -> str:
    """The stretch of the last reply with these characters, including the marks in it and directly after it."""
    for reply in reversed(replies) if wanted else ():
        squeezed = _squeezed(reply)
        first = squeezed.letters.rfind(wanted)
        if first >= 0:
            behind = first + len(wanted)
            end = squeezed.places[behind] if behind < len(squeezed.places) else len(reply)
            return reply[_start(reply, squeezed, first) : end]
    return ""


def _start(reply: str, squeezed: _Squeezed, first: int) -> int:
    """The start, in a reply, of the text whose first character is given: at a mark before it, if that mark begins a line.

    Elsewhere, such a mark belongs to the preceding text. A heading may precede it, as in `[Final Content]: [1] Ulm`.
    """
    start = squeezed.places[first]
    for _, place in marks_in(reply):
        if squeezed.num_before(place) == first and place < start:
            before = reply[:place].rstrip(" \t")
            return place if not before or before[-1] in ":]*\n" else start
    return start


def _places_of_marks(answer: Answer) -> set[tuple[int, int]]:
    """The marks of an answer: how many characters other than marks and white space precede each, and its number."""
    squeezed = _squeezed(answer.text)
    return {(squeezed.num_before(place), number) for number, place in marks_in(answer.text)}
