"""RTF (Rich Text Format 1.9.1): the visible text of body, notes and text boxes, with changes accepted.

Mail that was written as HTML or as plain text, and is kept as RTF ([MS-OXRTFEX]), is read as what it was.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

from hopweave.core.characters import SURROGATE
from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.code_pages import CODE_PAGES
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import PARAGRAPH, Blocks, Document, heading_at_start
from hopweave.ingest.entries import with_entries
from hopweave.ingest.html_page import read_html
from hopweave.ingest.paragraph_styles import level_of_outline
from hopweave.ingest.plain_text import read_plain
from hopweave.ingest.rtf_rows import RtfRows
from hopweave.ingest.rtf_styles import RtfStyles, Style
from hopweave.ingest.rtf_text import CHARSETS, DEFAULT_PAGES, SYMBOLS, WESTERN, Font, encoding_of, pictures, symbols
from hopweave.ingest.rtf_words import BREAKS, CHARACTERS, SIGNS, is_left_out
from hopweave.ingest.superscripts import raised
from hopweave.ingest.utf_16 import from_units

_START = lazy_pattern(rb"(?:\xef\xbb\xbf)?\s*+(?=\{\\rtf)")
_TOKEN = lazy_pattern(
    rb"(?P<text>[^\\{}]++)|(?P<brace>[{}])|(?P<codes>(?:\\'[0-9A-Fa-f]{2})++)"
    rb"|\\(?P<word>(?P<name>[A-Za-z]++)(?P<number>-?[0-9]++)?) ?|\\(?P<sign>[^A-Za-z]?)"
)
_BRACE = lazy_pattern(rb"[{}]|\\bin(?P<length>[0-9]++) ?|\\.", re.DOTALL)
_NO_TEXT = bytes(code for code in (*range(32), 127) if code != ord("\t"))

_MAX_DEPTH = 10_000
_MAX_DIGITS = 10
_CONTENTS = lazy_pattern(r"(?:toc|contents) ?(?:[1-9]|heading)", re.IGNORECASE)
_SYMBOL_FIELD = lazy_pattern(
    r"\s*+SYMBOL\s++(?:0x(?P<hex>[0-9a-f]{1,4})|(?P<number>[0-9]{1,5}))\b(?P<rest>.{0,200})", re.I | re.S
)
_FONT_OF_FIELD = lazy_pattern(r"\\f\s{0,9}\"?\s{0,9}([^\"\\]{1,50})", re.IGNORECASE)

_HTML, _TEXT = "html", "text"
_FONTS, _STYLES = "fonts", "styles"
_LETTER_AS_BULLET = "o"
"""What stands for a hollow bullet in typewriter type."""


def read_rtf(content: bytes, source: str, check: Check) -> Document:
    """A document of one part, a blank line between paragraphs; a row of a table is one, see `office_tables`.

    The title is the paragraph with the style Title, or that in the properties, or the first main heading. Headings are told by
    their outline level or style, or by bold type if nothing has one; an automatic table of contents is left out. Items of lists
    begin with their numbers. Notes and text boxes follow the paragraph, or the table, that refers to them.

    Args:
        content: the file.
        source: its name in messages.
        check: called for each piece of markup.

    Raises:
        DataError: if it is another format, or nested too deeply.
    """
    start = _START.match(content)
    if not start:
        raise DataError(f"{source} is not RTF; save it again, or leave it out")
    reader = _Reader(content, start.end(), source, check)
    reader.read()
    return reader.document()


@dataclass(slots=True)
class _Group:
    """What holds for the text of a group. The groups in it begin with the same.

    Attributes:
        out: where text goes; `None` if it is left out.
        ends: what is done once the group ends; only for itself.
        table: `_FONTS` or `_STYLES` within these tables.
        unicode_out: where text goes in the second half of a group that says the same twice.
        num_instead: how many characters follow one that is given by its number, for programs that do not know it.
        level: the outline level from 0, if the paragraph says so.
        is_markup: whether text is tags of an HTML page.
        is_rtf: whether it is only for programs that do not know that this is HTML.
    """

    out: list[str] | None
    ends: Callable[[_Group], None] | None = None
    table: str = ""
    unicode_out: list[str] | None = None
    font: int | None = None
    num_instead: int = 1
    style: int = 0
    level: int | None = None
    is_bold: bool = False
    is_raised: bool = False
    is_hidden: bool = False
    is_deleted: bool = False
    is_markup: bool = False
    is_rtf: bool = False


class _Reader:
    """A document being read."""

    def __init__(self, content: bytes, start: int, source: str, check: Check) -> None:
        self._content = content
        self._at = start
        self._source = source
        self._check = check
        self._kind = ""
        self._has_text = False
        self._title = self._styled_title = self._heading = ""
        self._blocks = Blocks()

        self._is_opened = self._is_starred = False  # by the brace, or the asterisk, just before
        self._num_to_skip = 0
        self._bytes = bytearray()  # not yet decoded: a character may take several

        self._default_page = WESTERN
        self._default_font = 0
        self._fonts: dict[int, Font] = {}
        self._font = Font()  # being defined
        self._font_name: list[str] = []
        self._knows_charsets = False
        self._styles = RtfStyles()
        self._based_on: int | None = None

        self._pieces: list[str] = []  # of the paragraph
        self._groups = [_Group(self._pieces)]
        self._number = ""
        self._boldness: set[bool] = set()
        self._said_in = _Group(None)  # the last text of the paragraph
        self._after: list[str] = []  # notes

        self._rows = RtfRows()

    def read(self) -> None:
        """Reads it up to its end, wherever that is."""
        while token := _TOKEN.match(self._content, self._at):
            self._check()
            self._at = token.end()
            kind = token.lastgroup
            if kind == "text":
                self._add_text(token[0].translate(None, _NO_TEXT))
            elif kind == "codes":
                self._is_opened = self._is_starred = False
                self._add_bytes(bytes.fromhex(token[0].replace(b"\\'", b"").decode()))
            elif kind == "brace":
                self._decode()
                self._num_to_skip = 0
                self._is_opened, self._is_starred = token[0] == b"{", False
                if self._is_opened:
                    self._open()
                else:
                    self._close()
            elif kind == "word":
                self._decode()
                self._word(token["name"].decode(), _number(token["number"]))
            else:
                self._sign(token["sign"])
        self._decode()
        while len(self._groups) > 1:
            self._close()
        if not self._kind:
            self._end_paragraph()
            self._end_table()
            self._end_notes()

    def document(self) -> Document:
        """What was read."""
        if not self._kind:
            part = self._blocks.part()
            return Document(self._styled_title or self._title or self._heading or heading_at_start(part), (part,))
        text = _valid("".join(self._pieces))
        read = read_html(text, self._source, self._check) if self._kind == _HTML else read_plain(text, self._check)
        return replace(read, title=read.title or self._title)

    # -- groups ------------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        self._refuse_depth(len(self._groups))
        above = self._groups[-1]
        if above.table == _STYLES:
            self._based_on = None
            self._groups.append(replace(above, out=[], ends=self._end_style, table="", style=0, level=None))
        else:
            self._groups.append(replace(above, ends=None))

    def _close(self) -> None:
        if len(self._groups) > 1:
            group = self._groups.pop()
            if group.ends is not None:
                group.ends(group)

    def _skip(self) -> None:
        """Leaves out the rest of the group."""
        depth = 0
        while found := _BRACE.search(self._content, self._at):
            self._check()
            if found["length"] is not None:
                self._at = found.end() + (_number(found["length"]) or 0)
                continue
            depth += (found[0] == b"{") - (found[0] == b"}")
            if depth < 0:
                self._at = found.start()
                return
            self._refuse_depth(len(self._groups) + depth)
            self._at = found.end()
        self._at = len(self._content)

    def _refuse_depth(self, depth: int) -> None:
        if depth > _MAX_DEPTH:
            what = f"{self._source} is nested too deeply: it has more than {_MAX_DEPTH:,} groups within each other"
            raise DataError(f"{what}; save it again, or leave it out")

    # -- characters --------------------------------------------------------------------------------------------------

    def _add_text(self, raw: bytes) -> None:
        if not raw or raw.isspace():
            self._add_bytes(raw)
            return
        self._is_opened = self._is_starred = False
        if not raw.isascii():
            # No program should write UTF-8, but those that do cannot be mistaken.
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError:
                pass
            else:
                self._decode()
                self._add(text[self._num_to_skip :])
                self._num_to_skip = max(0, self._num_to_skip - len(text))
                return
        self._add_bytes(raw)

    def _add_bytes(self, raw: bytes) -> None:
        if self._num_to_skip:
            self._num_to_skip, raw = max(0, self._num_to_skip - len(raw)), raw[self._num_to_skip :]
        if self._groups[-1].out is not None:
            self._bytes += raw

    def _decode(self) -> None:
        if self._bytes:
            raw = bytes(self._bytes.translate(None, _NO_TEXT))
            self._bytes.clear()
            font = self._font_now()
            self._add(
                symbols(raw, font.name)
                if font.charset == SYMBOLS
                else raw.decode(encoding_of(font, self._default_page, knows_charsets=self._knows_charsets), "replace")
            )

    def _font_now(self) -> Font:
        number = self._groups[-1].font
        return self._fonts.get(self._default_font if number is None else number) or Font()

    def _add(self, text: str) -> None:
        group = self._groups[-1]
        is_hidden = (group.is_hidden or group.is_deleted) and self._kind != _HTML
        if group.out is None or is_hidden or group.is_rtf:
            return
        if group.is_raised:
            text = raised(text, group.out)
        if group.out is not self._pieces:
            group.out.append(text)
            return
        self._pieces.append(escape(text) if self._kind == _HTML and not group.is_markup else text)
        if text.strip():
            self._has_text = True
            self._boldness.add(group.is_bold)
            self._said_in = group

    def _add_character(self, text: str) -> None:
        if self._num_to_skip:
            self._num_to_skip -= 1
        else:
            self._add(text)

    def _sign(self, sign: bytes) -> None:
        is_opened, self._is_opened = self._is_opened, False
        self._is_starred = False
        if sign in {b"\n", b"\r"}:
            self._decode()
            self._break("par", None)
        elif sign == b"*":
            self._is_opened = self._is_starred = is_opened
        elif sign in SIGNS:
            self._decode()
            self._add_character(SIGNS[sign])
        else:
            self._add_bytes(sign)

    # -- words -------------------------------------------------------------------------------------------------------

    def _word(self, name: str, number: int | None) -> None:
        is_opened, is_starred = self._is_opened, self._is_starred
        self._is_opened = self._is_starred = False
        if name in CHARACTERS:
            self._add_character(CHARACTERS[name])
            return
        self._num_to_skip = 0
        if is_opened and name in _DESTINATIONS:
            _DESTINATIONS[name](self, self._groups[-1])
        elif (is_opened and (is_starred or is_left_out(name))) or (name == "pict" and len(self._groups) > 2):
            self._skip()
        elif name in _ACTIONS:
            _ACTIONS[name](self, name, number)

    def _of_document(self, name: str, number: int | None) -> None:
        if name in DEFAULT_PAGES:
            self._default_page = DEFAULT_PAGES[name]
        elif name == "ansicpg":
            self._default_page = number if number is not None and number in CODE_PAGES else self._default_page
        elif name == "deff":
            self._default_font = number or 0
        elif name == "cocoartf":
            self._knows_charsets = True
        elif not self._has_text:
            self._kind = _TEXT if name == "fromtext" else "" if number == 0 else _HTML

    def _of_font(self, name: str, number: int | None) -> None:
        group = self._groups[-1]
        if group.table != _FONTS:
            if name == "f":
                group.font = number or 0
        elif name == "f":
            self._end_font_name()
            self._font = self._fonts.setdefault(number or 0, Font())
        elif name == "fcharset":
            self._font.charset = number
            self._knows_charsets = self._knows_charsets or number in CHARSETS
        elif name == "cpg":
            self._font.code_page = number

    def _of_characters(self, name: str, number: int | None) -> None:
        group, is_on = self._groups[-1], number != 0
        if name == "plain":
            group.font = None
            group.is_bold = group.is_raised = group.is_hidden = group.is_deleted = False
        elif name == "b":
            group.is_bold = is_on
        elif name in {"super", "sub", "nosupersub"}:
            group.is_raised = name == "super" and is_on
        elif name == "v":
            group.is_hidden = is_on
        elif name in {"deleted", "mvf"}:
            group.is_deleted = is_on
        elif name == "htmlrtf":
            group.is_rtf = is_on and self._kind == _HTML
        elif name == "uc":
            group.num_instead = 1 if number is None else max(0, number)

    def _unicode(self, _: str, number: int | None) -> None:
        if number is None:
            return
        code = number + (1 << 16) if number < 0 else number
        font = self._font_now().name
        if 0xF020 <= code <= 0xF0FF and pictures(font):
            self._add(symbols(bytes([code & 0xFF]), font))
        elif code >= 32 or code in {9, 10, 11, 13}:
            self._add(chr(code) if code <= 0x10FFFF else "\ufffd")
        self._num_to_skip = self._groups[-1].num_instead

    def _binary(self, _: str, number: int | None) -> None:
        self._at += max(0, number or 0)

    def _of_paragraph(self, name: str, number: int | None) -> None:
        group = self._groups[-1]
        if name == "pard":
            group.style, group.level = 0, None
            self._rows.is_open = self._rows.is_open and group.out is not self._pieces
        elif name == "s":
            group.style = number or 0
        elif name == "sbasedon":
            self._based_on = number
        elif name == "outlinelevel":
            group.level = number or 0

    def _of_row(self, name: str, number: int | None) -> None:
        if self._groups[-1].out is not self._pieces:
            return
        if name == "trowd" and self._boldness and not self._rows.is_open:
            self._end_paragraph()
        self._rows.define(name, number)

    def _break(self, name: str, _: int | None) -> None:
        group = self._groups[-1]
        if group.out is None or group.is_rtf:
            return
        if self._kind:
            group.out.append("\n")
        elif group.out is not self._pieces or name in {"line", "lbr"}:
            group.out.append(BREAKS[name])
        elif name == "cell":
            self._end_cell()
        elif name == "row":
            self._end_row()
        else:
            self._rows.is_open = self._rows.is_open or name in {"nestcell", "nestrow"}
            self._end_paragraph()

    # -- destinations ------------------------------------------------------------------------------------------------

    def _begin_fonts(self, group: _Group) -> None:
        group.table, group.out, group.ends = _FONTS, self._font_name, lambda _: self._end_font_name()

    def _end_font_name(self) -> None:
        self._font.name = "".join(self._font_name).partition(";")[0].strip()
        self._font_name.clear()

    def _begin_styles(self, group: _Group) -> None:
        group.table, group.out = _STYLES, None

    def _end_style(self, group: _Group) -> None:
        name = "".join(group.out or ()).partition(";")[0].partition(",")[0].strip()
        if name:  # those of characters have been left out
            self._styles.add(group.style, Style(name, self._based_on, group.level))

    def _leave_out(self, group: _Group) -> None:
        """Leaves out text, but not what is in groups of certain kinds within."""
        group.out = None

    def _keep(self, group: _Group) -> None:
        """Reads on, as outside of the group."""

    def _begin_title(self, group: _Group) -> None:
        group.out, group.ends = [], self._end_title

    def _end_title(self, group: _Group) -> None:
        self._title = " ".join(_shown(group.out).split()) or self._title

    def _begin_twice(self, group: _Group) -> None:
        group.unicode_out, group.out = group.out, None

    def _begin_unicode(self, group: _Group) -> None:
        group.out = group.unicode_out

    def _begin_note(self, group: _Group) -> None:
        if group.is_hidden or group.is_deleted:
            self._skip()
        elif not self._kind:
            group.out, group.ends = [], self._end_note

    def _end_note(self, group: _Group) -> None:
        self._after += map(_shown_text, "".join(group.out or ()).split(PARAGRAPH))

    def _begin_number(self, group: _Group) -> None:
        group.out, group.ends = None if group.out is None else [], self._end_number

    def _end_number(self, group: _Group) -> None:
        number = " ".join(_shown(group.out).split())
        if number == _LETTER_AS_BULLET or not any(map(str.isalnum, number)):
            return
        if self._groups[-1].out is self._pieces and not self._kind:
            self._number = number
        else:
            self._add(f"{number} ")

    def _begin_instruction(self, group: _Group) -> None:
        group.out, group.ends = None if group.out is None else [], self._end_instruction

    def _end_instruction(self, group: _Group) -> None:
        """The instruction of a field shows nothing, unless it is for a single character."""
        if found := _SYMBOL_FIELD.match("".join(group.out or ())):
            code = int(found["hex"], 16) if found["hex"] else int(found["number"])
            font = _FONT_OF_FIELD.search(found["rest"])
            self._add(symbols(bytes([code & 0xFF]), font[1] if font else ""))

    def _begin_markup(self, group: _Group) -> None:
        if self._kind == _HTML:
            group.is_markup = True
        else:
            self._skip()

    def _begin_nested_row(self, group: _Group) -> None:
        """A row of a table within a cell ends; what follows in the group says how it looks."""
        if group.out is not None:
            self._break("nestrow", None)
        self._skip()

    def _begin_attachment(self, _: _Group) -> None:
        """A picture's name, which its group repeats as a character."""
        if len(self._groups) > 3:
            self._groups[-2].out = None
        self._skip()

    # -- paragraphs and tables ---------------------------------------------------------------------------------------

    def _end_paragraph(self) -> None:
        now, said_in = self._groups[-1], self._said_in
        text = _shown(self._pieces)
        numbered = f"{self._number} {text}" if self._number and text else text
        is_bold = self._boldness == {True}
        self._pieces.clear()
        self._boldness.clear()
        self._number, self._said_in = "", _Group(None)
        if self._rows.is_open:
            self._rows.add(numbered)
            return
        self._end_table()
        names = {self._styles.name(group.style) for group in (now, said_in)}
        if not any(map(_CONTENTS.fullmatch, names)):
            if "title" in map(str.casefold, names):
                self._styled_title = self._styled_title or " ".join(text.split())
            self._add_paragraph(numbered, self._level(now) or self._level(said_in), is_bold=is_bold)
        self._end_notes()

    def _add_paragraph(self, text: str, level: int, *, is_bold: bool) -> None:
        if not level:
            self._blocks.add(with_entries(text), is_bold=is_bold)
            return
        if level == 1:
            self._heading = self._heading or " ".join(text.split())
        self._blocks.add_heading(text, level)

    def _end_notes(self) -> None:
        for note in self._after:
            self._blocks.add(note)
        self._after.clear()

    def _level(self, group: _Group) -> int:
        """The level of headings that a paragraph in a group is at, from 1; 0 for other text."""
        if group.level is not None:
            return level_of_outline(group.level)
        return self._styles.level(group.style)

    def _end_cell(self) -> None:
        self._rows.is_open = True
        self._end_paragraph()
        self._rows.end_cell()

    def _end_row(self) -> None:
        self._rows.is_open = True
        self._end_paragraph()
        self._rows.end_row(self._after)
        self._after.clear()

    def _end_table(self) -> None:
        """Adds the rows read so far, and the notes in them."""
        if self._rows.is_within_row:
            self._end_row()
        for text in self._rows.end_table(self._check):
            self._blocks.add(text)


_DESTINATIONS: Mapping[str, Callable[[_Reader, _Group], None]] = {
    "fonttbl": _Reader._begin_fonts,
    "stylesheet": _Reader._begin_styles,
    **dict.fromkeys(("info", "shpinst", "do"), _Reader._leave_out),
    "title": _Reader._begin_title,
    "upr": _Reader._begin_twice,
    "ud": _Reader._begin_unicode,
    **dict.fromkeys(("footnote", "shptxt", "dptxbxtext"), _Reader._begin_note),
    **dict.fromkeys(("listtext", "pntext"), _Reader._begin_number),
    "fldinst": _Reader._begin_instruction,
    **dict.fromkeys(("fldrslt", "moMath", "moMathPara"), _Reader._keep),
    "htmltag": _Reader._begin_markup,
    "nesttableprops": _Reader._begin_nested_row,
    "NeXTGraphic": _Reader._begin_attachment,
}
"""What is done with groups by the words that they begin with."""

_ACTIONS: Mapping[str, Callable[[_Reader, str, int | None], None]] = {
    **dict.fromkeys((*DEFAULT_PAGES, "ansicpg", "deff", "cocoartf", "fromhtml", "fromtext"), _Reader._of_document),
    **dict.fromkeys(("f", "fcharset", "cpg"), _Reader._of_font),
    **dict.fromkeys(
        ("plain", "b", "super", "sub", "nosupersub", "v", "deleted", "mvf", "htmlrtf", "uc"), _Reader._of_characters
    ),
    "u": _Reader._unicode,
    "bin": _Reader._binary,
    **dict.fromkeys(("pard", "s", "sbasedon", "outlinelevel"), _Reader._of_paragraph),
    **dict.fromkeys(("trowd", "intbl", "itap", "trhdr", "clmrg", "clvmrg", "cellx"), _Reader._of_row),
    **dict.fromkeys(BREAKS, _Reader._break),
}
"""What is done with other words; those that are not here change how a document looks."""


def _number(written: bytes | None) -> int | None:
    """The number behind a word; of one that is too long to mean anything, the beginning."""
    return None if written is None else int(written[:_MAX_DIGITS])


def _valid(text: str) -> str:
    """Text with characters that were given by two numbers as one."""
    return from_units(text) if SURROGATE.search(text) else text


def _shown(pieces: Sequence[str] | None) -> str:
    return _shown_text("".join(pieces or ()))


def _shown_text(text: str) -> str:
    """The lines of a text that have one, with white space collapsed, and without hyphens that only show in some places."""
    text = unicodedata.normalize("NFC", _valid(text)).replace("\xad", "")
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))
