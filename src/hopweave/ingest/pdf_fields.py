"""What is filled in a form of a PDF, typed onto its pages, and noted on them; part of the separate program `pdf_process`.

It is not in the text of a page, but in boxes that lie on it. A value goes behind the words that it stands beside or below, so
that `Name:` becomes `Name: Ada Finch`; a box that can be ticked, before or behind its words (`[x] Diesel`). Where a field is
described for readers who do not see it, or has no words close to it, its value stands below the page: `Enter city: Orlau`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopweave.core.lazy_pattern import lazy_pattern

_MAX_BOXES = 2_000
"""Maximum number of boxes of a page that are looked at."""
_MAX_PARENTS = 20
_NO_WORD = lazy_pattern(r"\[[^\[\]]{1,6}\]|_|(?<=[a-z])(?=[A-Z])")
_MAX_CHARACTERS = 20_000
_HIDDEN = 0x02
_PASSWORD, _PUSH_BUTTON = 1 << 13, 1 << 16
_NOTES = frozenset({"/Text", "/Highlight", "/Underline", "/StrikeOut", "/Squiggly", "/Caret", "/Square", "/Circle", "/Ink"})
_FEWEST_MARKED = 12
"""Letters of marked words that are told apart from a short comment, which may be part of some word."""
_TICKED, _NOT_TICKED = "[x]", "[ ]"
_LINE = 14.0
"""Points from one line to the next, about."""
_BESIDE, _ABOVE, _BELOW = 4.0, 2.2, 1.6
"""How far words are from the box that they name: points by which they may reach into it; lines above and below it."""
_WIDE_GAP = "   "
_CLOSE = 30.0
"""Points between a box that is ticked and the words behind it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of a page: where they begin and end in its text, and where they are drawn, in points from the lower left."""

    begin: int
    end: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Box:
    """A box with something filled in: its text, the name of the field, whether that describes it in words, and its place."""

    text: str
    name: str
    is_described: bool
    left: float
    bottom: float
    right: float
    top: float

    @property
    def is_tick(self) -> bool:
        """Whether it is one that can be ticked."""
        return self.text in {_TICKED, _NOT_TICKED}


class Pieces:
    """The pieces of the text of a page: what pypdf calls for each of them, in order."""

    def __init__(self) -> None:
        self.found: list[Piece] = []
        self._length = 0

    def __call__(self, text: str, drawn: Any, written: Any, *_: Any) -> None:
        """Takes in a piece of text; see `pdf_process._Letters`."""
        begin, self._length = self._length, self._length + len(text)
        stripped = text.strip()
        if not stripped:
            return
        begin += len(text) - len(text.lstrip())
        try:
            x = written[4] * drawn[0] + written[5] * drawn[2] + drawn[4]
            y = written[4] * drawn[1] + written[5] * drawn[3] + drawn[5]
        except (TypeError, IndexError):
            return
        if math.isfinite(x) and math.isfinite(y):
            self.found.append(Piece(begin, begin + len(stripped), x, y))


def filled_in(page: Any) -> list[Box]:
    """The boxes of a page with something filled in or typed, from top to bottom; none if none is filled in or ticked."""
    boxes = [box for entry in _boxes(page) if (box := _box(entry)) is not None]
    if all(box.text == _NOT_TICKED for box in boxes):
        return []
    return sorted(boxes, key=lambda box: (-box.top, box.left))


def notes_on(page: Any, text: str) -> list[tuple[str, str]]:
    """What readers have noted on a page: who wrote each comment, and what it says.

    Args:
        page: the page.
        text: what it says; some programs have what is marked as a comment on it, which is no other one.
    """
    noted = []
    said = "".join(text.split())
    for entry in _boxes(page):
        words = _words(entry.get("/Contents")) if entry.get("/Subtype") in _NOTES else ""
        letters = "".join(words.split())
        if words and (len(letters) < _FEWEST_MARKED or letters not in said):
            noted.append((_words(entry.get("/T")), words))
    return noted


def with_values(text: str, pieces: Sequence[Piece], boxes: Sequence[Box]) -> str:
    """The text of a page with what is filled in.

    Args:
        text: as pypdf reads it.
        pieces: of the text.
        boxes: from `filled_in`.
    """
    at: dict[int, list[Box]] = {}
    alone = []
    for box in boxes:
        place = None if box.is_described and not box.is_tick else _place_of(box, text, pieces)
        if place is not None:
            at.setdefault(place, []).append(box)
        elif box.text != _NOT_TICKED:
            alone.append(f"{box.name}: {box.text}" if box.name else box.text)
    begins = {piece.begin for piece in pieces}
    waiting = deque(sorted(at))
    lines, begin = [], 0
    for line in text.split("\n"):
        end = begin + len(line)
        made, done, is_filled_in = "", begin, False
        while waiting and waiting[0] <= end:
            place = waiting.popleft()
            values = " ".join(box.text for box in sorted(at[place], key=lambda box: box.left))
            made += text[done:place] + (f"{values} " if place in begins else f" {values}")
            done, is_filled_in = place, True
        # What is filled in is cited with its own line.
        lines.append(f"\n{made}{text[done:end]}\n" if is_filled_in else line)
        begin = end + 1
    return "\n\n".join(filter(None, ["\n".join(lines), *alone]))


def _place_of(box: Box, text: str, pieces: Sequence[Piece]) -> int | None:
    """Where in the text something belongs: behind the words to its left, or above or below it; else nowhere."""
    first = max(box.bottom - _BESIDE, box.top - 1.5 * _LINE)  # of a tall box, what is filled in begins at its top
    beside = [piece for piece in pieces if first <= piece.y <= box.top + 1]
    if box.is_tick:
        behind = [piece for piece in beside if 0 <= piece.x - box.right + _BESIDE <= _CLOSE]
        if behind:
            return min(behind, key=lambda piece: piece.x).begin
    before = [piece for piece in beside if piece.x <= box.left + _BESIDE]
    if before:
        nearest = max(before, key=lambda piece: piece.x)
        return None if _WIDE_GAP in text[nearest.begin : nearest.end] else nearest.end  # such words may name several boxes
    across = [piece for piece in pieces if box.left - _LINE <= piece.x <= box.right]
    above = [piece for piece in across if 0 <= piece.y - box.top <= _ABOVE * _LINE]
    if above:
        return min(above, key=lambda piece: piece.y).end
    below = [piece for piece in across if 0 <= box.bottom - piece.y <= _BELOW * _LINE]
    return max(below, key=lambda piece: piece.y).begin if below else None


def _boxes(page: Any) -> Iterator[Mapping[str, Any]]:
    try:
        entries = list(page.get("/Annots") or ())[:_MAX_BOXES]
    except Exception:  # noqa: BLE001 - a list that is damaged, in any way, has no boxes
        return
    for reference in entries:
        entry = _followed(reference)
        if isinstance(entry, Mapping) and not _number(entry.get("/F")) & _HIDDEN:
            yield entry


def _followed(reference: Any) -> Any:
    try:
        return reference.get_object()
    except Exception:  # noqa: BLE001 - of a damaged one, the others stay
        return None


def _box(entry: Mapping[str, Any]) -> Box | None:
    try:
        left, bottom, right, top = (float(place) for place in entry["/Rect"])
        kind = entry.get("/Subtype")
        text = _words(entry.get("/Contents")) if kind == "/FreeText" else _value(entry) if kind == "/Widget" else ""
        described = "" if kind == "/FreeText" else _words(_inherited(entry, "/TU")).rstrip(".:")
        name = described or _in_words(_words(_inherited(entry, "/T")))
    except Exception:  # noqa: BLE001 - a box that is damaged, in any way, leaves the others readable
        return None
    if not text or not all(map(math.isfinite, (left, bottom, right, top))):
        return None
    is_described = " " in described
    return Box(text, name, is_described, min(left, right), min(bottom, top), max(left, right), max(bottom, top))


def _in_words(name: str) -> str:
    """The name of a field that a program gave it, such as `form1[0].Home_Port[0]`, as words."""
    return " ".join(_NO_WORD.sub(" ", name.rpartition(".")[2]).split())


def _value(field: Mapping[str, Any]) -> str:
    """What is filled in a field of a form; empty if nothing is."""
    kind, flags = _inherited(field, "/FT"), _number(_inherited(field, "/Ff"))
    value = _inherited(field, "/V")
    if kind == "/Btn":
        if flags & _PUSH_BUTTON:
            return ""
        state = field.get("/AS", value)
        return _TICKED if state not in (None, "/Off") else _NOT_TICKED
    if kind == "/Sig":
        who = _words(value.get("/Name")) if isinstance(value, Mapping) else ""
        return f"signed by {who}" if who else ""
    if kind not in {"/Tx", "/Ch"} or (kind == "/Tx" and flags & _PASSWORD):
        return ""
    if kind == "/Ch":
        options = (one for one in _inherited(field, "/Opt") or () if isinstance(one, list) and len(one) > 1)
        shown = {str(one[0]): str(one[1]) for one in options}
        chosen = value if isinstance(value, list) else [value]
        return ", ".join(filter(None, (shown.get(str(one), _words(one)) for one in chosen)))
    return _words(value)


def _inherited(field: Any, name: str) -> Any:
    """An entry of a field, or of the field that it is part of."""
    for _ in range(_MAX_PARENTS):
        if not isinstance(field, Mapping):
            return None
        if name in field:
            return field[name]
        field = field.get("/Parent")
        field = field.get_object() if field is not None else None
    return None


def _words(value: Any) -> str:
    if hasattr(value, "get_data"):  # a long value is a stream
        value = value.get_data().decode("utf-8", "replace")
    return " ".join(value.split())[:_MAX_CHARACTERS] if isinstance(value, str) and not value.startswith("/Off") else ""


def _number(value: Any) -> int:
    return int(value) if isinstance(value, int | float) else 0
