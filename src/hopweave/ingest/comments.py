"""Comments of readers in documents, sheets and slides: each is a paragraph that says who wrote it.

Workbooks and presentations of Office Open XML keep them in parts of their own, in an older and a newer form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from hopweave.ingest.ooxml import Relation
from hopweave.ingest.zipped import Archive

_COMMENTS = frozenset({"comment", "threadedComment", "cm", "reply"})
_PEOPLE = frozenset({"cmAuthor", "author", "person"})
_TEXTS = frozenset({"t", "text"})
_SIGNS = frozenset({"p", "br"})
"""What ends a word: a paragraph and a line of it."""
_KINDS = frozenset({"comments", "threadedComment"})
_KINDS_OF_PEOPLE = frozenset({"commentAuthors", "authors", "person"})
_FOR_OLDER_PROGRAMS = "[Threaded comment]"
"""How a comment begins that only says that newer programs show another one."""


class Comment(NamedTuple):
    """A comment.

    Attributes:
        who: wrote it; empty if that is not known.
        text: what it says.
        place: the cell that it is on, such as `B2`; empty if that is known otherwise.
    """

    who: str
    text: str
    place: str = ""

    def shown(self, on: str = "") -> str:
        """It as a paragraph; empty without a text.

        Args:
            on: what it is about; empty if that stands above it.
        """
        said, who = " ".join(self.text.split()), " ".join(self.who.split())
        about = (f" by {who}" if who else "") + (f" on {on}" if on else "")
        return f"Note{about}: {said}" if said else ""


def comments_on(archive: Archive, own: Iterable[Relation], known: Iterable[Relation]) -> list[Comment]:
    """The comments on a sheet or a slide, in order; those that a newer form repeats once.

    Args:
        archive: the file.
        own: the parts that the sheet or the slide refers to.
        known: the parts that the file as a whole refers to, among them lists of people.

    Raises:
        DataError: as `Archive.parse`.
    """
    targets = [one.target for one in own if one.kind in _KINDS and one.target in archive]
    if not targets:
        return []
    reader = _Reader()
    for one in known:
        if one.kind in _KINDS_OF_PEOPLE and one.target in archive:
            archive.parse(one.target, reader.start, reader.end, reader.add)
    for target in targets:
        archive.parse(target, reader.start, reader.end, reader.add)
    return reader.found()


class _Reader:
    """Reads comments, and lists of the people who wrote them."""

    def __init__(self) -> None:
        self._read: list[tuple[str, str, list[str]]] = []
        self._open: list[list[str]] = []
        self._people: dict[str, str] = {}
        self._listed: list[str] = []  # the people that a part begins with, who go by their numbers
        self._within = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._within = _local(name)
        if self._within == "authors":
            self._listed.clear()
        elif self._within in _COMMENTS:
            who = attributes.get("authorId") or attributes.get("personId", "")
            number = int(who) if who.isdecimal() and len(who) < 6 else len(self._listed)
            known = self._people.get(who) or (self._listed[number] if number < len(self._listed) else "")
            self._open.append([])
            self._read.append((known, attributes.get("ref", ""), self._open[-1]))
        elif self._within in _PEOPLE:
            named = attributes.get("displayName") or attributes.get("name", "")
            self._people[attributes.get("id", "")] = named
            self._listed += [] if named else [""]

    def end(self, name: str) -> None:
        element, self._within = _local(name), ""
        if element in _COMMENTS:
            del self._open[-1]
        elif element in _SIGNS and self._open:
            self._open[-1].append(" ")

    def add(self, text: str) -> None:
        if self._within in _TEXTS and self._open:
            self._open[-1].append(text)
        elif self._within == "author" and self._listed:
            self._listed[-1] += text

    def found(self) -> list[Comment]:
        """The comments, in the order in which they begin."""
        told = ((who, "".join(pieces).strip(), place) for who, place, pieces in self._read)
        return [Comment(who, text, place) for who, text, place in told if text and not text.startswith(_FOR_OLDER_PROGRAMS)]


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
