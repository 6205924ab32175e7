"""Numbers of paragraphs in DOC ([MS-DOC], 2.9.131, 2.9.147 and 2.9.150), which are counted as in DOCX."""

from __future__ import annotations

import struct

from hopweave.ingest.deadline import Check
from hopweave.ingest.docx_numbers import Numbering

_MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_LEVELS = 9
_LIST_BYTES, _LEVEL_BYTES, _USE_BYTES, _CHANGE_BYTES = 28, 28, 16, 8
_IS_SIMPLE, _HAS_START, _HAS_LEVEL = 0x01, 0x10, 0x20
_FORMS = {1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 23: "bullet", 255: "none"}
"""All others are in digits."""


def numbering_of(lists: bytes, uses: bytes, check: Check) -> Numbering:
    """The lists of a document, as far as they are not damaged.

    Args:
        lists: their levels, which follow all of the lists themselves.
        uses: by whose numbers paragraphs name the lists.
        check: called for each of them.
    """
    told = _Told(check)
    try:
        (count,) = struct.unpack_from("<H", lists)
        at = 2 + count * _LIST_BYTES
        for number in range(count):
            identity, *_, flags = struct.unpack_from("<lL9HB", lists, 2 + number * _LIST_BYTES)
            told.tell("abstractNum", abstractNumId=str(identity))
            for level in range(1 if flags & _IS_SIMPLE else _LEVELS):
                at = told.tell_level(lists, at, level)
    except struct.error:
        pass  # those that were read are of use
    try:
        (count,) = struct.unpack_from("<L", uses)
        at = 4 + count * _USE_BYTES
        for number in range(count):
            identity, num_changes = struct.unpack_from("<l8xB", uses, 4 + number * _USE_BYTES)
            told.tell("num", numId=str(number + 1))
            told.tell("abstractNumId", val=str(identity))
            at += 4
            for _ in range(num_changes):
                begin, flags = struct.unpack_from("<lL", uses, at)
                at += _CHANGE_BYTES
                if flags & _HAS_LEVEL:
                    at = _end_of_level(uses, at)
                elif flags & _HAS_START:
                    told.tell("lvlOverride", ilvl=str(flags & 0xF))
                    told.tell("startOverride", val=str(begin))
    except struct.error:
        pass
    return told.numbering


class _Told:
    """Lists that are told in the words of DOCX.

    Attributes:
        numbering: what knows them.
    """

    def __init__(self, check: Check) -> None:
        self.numbering = Numbering()
        self._check = check

    def tell(self, name: str, **attributes: str) -> None:
        self._check()
        self.numbering.start(f"{_MAIN} {name}", attributes)

    def tell_level(self, lists: bytes, at: int, level: int) -> int:
        """Tells of a level; returns the place after it."""
        first, form = struct.unpack_from("<lB", lists, at)
        text_at = _text_of_level(lists, at)
        end = _end_of_level(lists, at)
        written = lists[text_at + 2 : end].decode("utf-16-le", "replace")
        self.tell("lvl", ilvl=str(level))
        self.tell("start", val=str(first))
        self.tell("numFmt", val=_FORMS.get(form, "decimal"))
        text = "".join(f"%{ord(character) + 1}" if ord(character) < _LEVELS else character for character in written)
        self.tell("lvlText", val=text)
        return end


def _text_of_level(lists: bytes, at: int) -> int:
    """Where the text of a level begins, with its length: after what says how its paragraphs and numbers look."""
    of_characters, of_paragraphs = struct.unpack_from("<BB", lists, at + 24)
    return at + _LEVEL_BYTES + int(of_characters) + int(of_paragraphs)


def _end_of_level(lists: bytes, at: int) -> int:
    text_at = _text_of_level(lists, at)
    (length,) = struct.unpack_from("<H", lists, text_at)
    return text_at + 2 + 2 * int(length)
