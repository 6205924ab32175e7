"""Notes as Evernote exports them (`.enex`): each becomes a web page, with its days, its tags and its origin above the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from xml.parsers import expat

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.calendar_times import day_in_words, moment_of
from hopweave.ingest.formats import Limits
from hopweave.ingest.row_text import row_text

SUFFIX = ".enex"
_NOTE, _CONTENT = "note", "content"
_ATTACHED = "resource"
"""What is attached to a note, which has fields of the same names."""
_FACTS = {"created": "created", "updated": "updated", "tag": "tags", "author": "author", "source-url": "from"}
"""What is shown of a note above its text, by the names of its elements."""
_KEPT = frozenset({"title", _CONTENT, *_FACTS})
_HEAD = lazy_pattern(r"\s*<\?xml[^<>]{0,200}\?>|\s*<!DOCTYPE[^<>]{0,300}>")
_BOX = lazy_pattern(r"<en-todo(?P<with>[^<>]{0,200})/?>(?:</en-todo>)?")
_PICTURE = lazy_pattern(r"<en-media[^<>]{0,2000}/?>")
_CHECKED = 'checked="true"'


def notes_of(pieces: Iterable[bytes], source: str, limits: Limits) -> Iterator[bytes | DataError]:
    """The notes of an export, in order, as web pages; an error for one that is too long.

    Args:
        pieces: of the file.
        source: its name in messages.
        limits: `max_row_mib` applies to each note.

    Raises:
        DataError: if the file is no complete XML, or declares entities, which can grow without limit.
    """
    reader = _Reader(source, limits)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.EntityDeclHandler = reader.refuse_entities
    parser.StartElementHandler = reader.opened
    parser.EndElementHandler = reader.closed
    parser.CharacterDataHandler = reader.text
    try:
        for piece in pieces:
            parser.Parse(piece, False)  # noqa: FBT003 - the library's signature
            yield from reader.taken()
        parser.Parse(b"", True)  # noqa: FBT003 - the library's signature
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise DataError(f"{source} is no complete export of notes ({error}); export it again, or leave it out") from None
    yield from reader.taken()


class _Reader:
    """Puts notes together from the elements of a file."""

    def __init__(self, source: str, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        self._within: list[str] = []
        self._note: dict[str, list[list[str]]] = {}
        self._length = 0
        self._notes: list[bytes | DataError] = []

    def taken(self) -> list[bytes | DataError]:
        """The notes that have ended since the last call."""
        notes, self._notes = self._notes, []
        return notes

    def refuse_entities(self, *_: object) -> None:
        raise DataError(f"{self._source} declares entities of XML, which no such file needs; export it again, or leave it out")

    def opened(self, element: str, _: Mapping[str, str]) -> None:
        self._within.append(element)
        if element == _NOTE:
            self._note, self._length = {}, 0
        elif element in _KEPT and _ATTACHED not in self._within:
            self._note.setdefault(element, []).append([])

    def text(self, text: str) -> None:
        element = self._within[-1]
        if element in self._note and _ATTACHED not in self._within and self._length <= self._limits.max_row_mib << 20:
            self._length += len(text)
            self._note[element][-1].append(text)

    def closed(self, element: str) -> None:
        del self._within[-1]
        if element != _NOTE:
            return
        if self._length > self._limits.max_row_mib << 20:
            self._notes.append(self._limits.too_long(f"a note of {self._source}", "max_row_mib"))
        else:
            self._notes.append(_page(self._note).encode("utf-8", "replace"))


def _page(note: Mapping[str, Sequence[Sequence[str]]]) -> str:
    """A note as a web page."""
    values = {name: ["".join(pieces).strip() for pieces in found] for name, found in note.items()}
    facts = {shown: ", ".join(map(_fact, values.get(name, ()))) for name, shown in _FACTS.items()}
    row = row_text(list(facts), list(facts.values())) if any(facts.values()) else ""
    title, content = (next(iter(values.get(name, ())), "") for name in ("title", _CONTENT))
    content = _BOX.sub(lambda box: "[x] " if _CHECKED in box["with"] else "[ ] ", _HEAD.sub("", content, count=2))
    head = f'<html><head><meta charset="utf-8"><title>{escape(" ".join(title.split()))}</title></head>'
    return f"{head}<body>{f'<p>{escape(row)}</p>' if row else ''}<div>{_PICTURE.sub('', content)}</div></body></html>"


def _fact(value: str) -> str:
    """The value of an element; a day is said in words."""
    moment = moment_of(value)
    return value if moment is None else day_in_words(moment.day)
