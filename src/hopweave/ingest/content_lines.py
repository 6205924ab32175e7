"""The lines of calendars (iCalendar, RFC 5545) and of address books (vCard, RFC 6350), which have one form."""

from __future__ import annotations

import re
from binascii import a2b_qp
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Blocks, Part, heading_at_start
from hopweave.ingest.mail import as_text

SCHEME = lazy_pattern(r"(?:mailto|tel|invalid):", re.IGNORECASE)
_FOLD = (" ", "\t")
_OLD_VERSIONS = frozenset({"1.0", "2.1"})
"""Of both formats. In these, the blank with which a folded line goes on is part of the text."""
_HEAD = lazy_pattern(
    r"(?:(?P<group>[\w-]++)\.)?+(?P<name>[A-Za-z][\w-]*+)[ \t]*+(?P<parameters>(?:;(?:\"[^\"]*+\"|[^:])*+)?+):(?!//)"
)
_PARAMETER = lazy_pattern(r";\s*+(?P<name>[\w-]++)\s*+(?:=(?P<value>(?:\"[^\"]*+\"|[^;])*+))?+")
_QUOTED_PRINTABLE = lazy_pattern(r"[^:]{0,300}?;(?:ENCODING=)?\"?QUOTED-PRINTABLE[\";:]", re.IGNORECASE)
_BINARY = lazy_pattern(r";(?:ENCODING=)?\"?(?:B|BASE64)(?:[\";]|\Z)", re.IGNORECASE)
_ESCAPE = lazy_pattern(r"\\([nN\\,;:\"])")
_CARET = lazy_pattern(r"\^([n'^])")
_CARETS = {"n": "\n", "'": '"', "^": "^"}
_BLANK_LINES = lazy_pattern(r"\n(?:[^\S\n]*+\n)++")


class Line(NamedTuple):
    """A line, unfolded.

    Attributes:
        group: what it shares with lines that say more of the same, such as `item1`.
        name: in capitals.
        parameters: by their names in capitals; a value without a name is one of `TYPE`.
        value: decoded if it is quoted-printable; other escapes are as written.
    """

    group: str
    name: str
    parameters: Mapping[str, Sequence[str]]
    value: str

    def parameter(self, name: str) -> str:
        """The values of a parameter; empty if it has none."""
        return ", ".join(self.parameters.get(name, ()))


def lines_of(content: str, check: Check) -> Iterator[Line]:
    """The lines of a file; what is not in their form belongs to the line above, as where a program does not fold."""
    head: re.Match[str] | None = None
    rest: list[str] = []
    for written in _unfolded(content, check):
        if found := _HEAD.match(written):
            if head is not None:
                yield _line(head, rest)
            head, rest = found, [written[found.end() :]]
        elif head is not None and written.strip():
            rest += ["\\n", written]
    if head is not None:
        yield _line(head, rest)


def _unfolded(content: str, check: Check) -> Iterator[str]:
    pieces: list[str] = []
    is_quoted = is_old = False
    for line in content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        check()
        if is_quoted and pieces[-1].endswith("="):
            pieces[-1] = pieces[-1][:-1]
            pieces.append(line)
        elif pieces and line.startswith(_FOLD):
            pieces.append(line if is_old else line[1:])
        else:
            if pieces:
                yield "".join(pieces)
            pieces = [line]
            is_quoted = _QUOTED_PRINTABLE.match(line) is not None
            name, _, version = line.partition(":") if len(line) < 20 else ("", "", "")
            if name.upper() == "VERSION":
                is_old = version.strip() in _OLD_VERSIONS
    if pieces:
        yield "".join(pieces)


def _line(head: re.Match[str], rest: Sequence[str]) -> Line:
    parameters: dict[str, list[str]] = {}
    for found in _PARAMETER.finditer(head["parameters"]):
        name, value = ("TYPE", found["name"]) if found["value"] is None else (found["name"].upper(), found["value"])
        value = _CARET.sub(lambda caret: _CARETS[caret[1]], value.replace('"', "")).strip()
        parameters.setdefault(name, []).extend(value.split(",") if name == "TYPE" else [value])
    value = "".join(rest)
    if _QUOTED_PRINTABLE.match(head[0]):
        charset = parameters.get("CHARSET", ["utf-8"])[0]
        value = as_text(a2b_qp(value.encode("utf-8", "replace")), charset).replace("\r\n", "\n")
    elif _BINARY.search(head["parameters"]):
        value = ""
    return Line(head["group"] or "", head["name"].upper(), parameters, value)


def text_of(value: str) -> str:
    """A value without escapes."""
    plain = _ESCAPE.sub(lambda escape: "\n" if escape[1] in "nN" else escape[1], value)
    return _BLANK_LINES.sub("\n\n", plain).strip()


def on_one_line(value: str) -> str:
    """A value whose lines are joined by commas, as those of an address."""
    return ", ".join(" ".join(line.split()).rstrip(",") for line in text_of(value).split("\n") if line.strip())


def pieces_of(value: str, separator: str) -> list[str]:
    """The pieces of a value, without escapes and on one line each."""
    found = re.finditer(rf"(?P<piece>(?:[^\\{separator}]++|\\.?)*+)(?:[{separator}]|\Z)", value, re.DOTALL)
    return [on_one_line(piece["piece"]) for piece in found]


def plain(line: Line) -> str:
    """The value of a line, without escapes and on one line."""
    return on_one_line(line.value)


def as_list(line: Line) -> str:
    """The value of a line that is a list."""
    return ", ".join(filter(None, pieces_of(line.value, ",")))


def in_words(names: Sequence[str]) -> str:
    """Some names as people list them: `a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def by_name(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """Lines by their names."""
    named: dict[str, list[Line]] = {}
    for line in lines:
        named.setdefault(line.name, []).append(line)
    return named


def as_lines(facts: Iterable[tuple[str, str]]) -> str:
    """What is known, a line each; what has no value is left out."""
    return "\n".join(f"{label}: {value}" for label, value in facts if value)


def add_section(blocks: Blocks, heading: str, otherwise: str, paragraphs: Sequence[str]) -> None:
    """Adds a section, unless it says nothing; one without a heading has another one."""
    if heading or any(paragraphs):
        blocks.add_heading(heading or otherwise, 1)
    for paragraph in paragraphs:
        blocks.add(paragraph)


def title_of(part: Part, num_sections: int, unnamed: Collection[str]) -> str:
    """The name of the only section, if it has one.

    Args:
        part: all of them.
        num_sections: how many there are.
        unnamed: the headings of those without a name.
    """
    heading = heading_at_start(part)
    return heading if num_sections == 1 and heading not in unnamed else ""
