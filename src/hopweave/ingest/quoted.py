"""Quotes of earlier messages within a message: what the sender wrote is told from what others had written before.

Quotes at the end become parts of their own, each with the line or head that says whose they are as its heading; the same text
as in the earlier message can then be left out as a copy. Quotes between which the sender answers stay where they are, since an
answer is not understood without them, with a `>` before each paragraph.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.copies import FEWEST_LETTERS
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import PARAGRAPH
from hopweave.text.matching import letters_of

QUOTE = "quote="
"""How the place of a quote in its message begins."""

_MARKS = lazy_pattern(r"(?:>[ \t]?)+")
_LINE = lazy_pattern(r"[-_]{3,}[ \t]*(?:[^\W\d_][^-_\n]{0,60}[ \t]*[-_]{3,})?[ \t]*")
"""`-----Original Message-----`, or a line alone."""
_FIELD = lazy_pattern(
    r"\W{0,3}(?P<name>From|Sent|Date|To|Cc|Subject|Reply-To|Von|Gesendet|Datum|An|Betreff|De|Envoyé|Enviado(?: el)?"
    r"|À|Para|Objet|Asunto)"
    r"\W{0,2}[ \t]?:\W{0,3}[ \t]*(?P<value>\S.*)",
    re.IGNORECASE,
)
_FROM = frozenset({"from", "von", "de"})
_FEWEST_FIELDS = 3
_MOST_DEPTH = 20
_LONGEST_OPENING = 200
_OPENING = lazy_pattern(r"(?!>)[^\n]*\w[^\n]*(?:\n(?!>)[^\n]+)?:[ \t]*")
"""`On Monday, Ada Finch wrote:`, which may go on in a second line."""


_MOST_MESSAGES = 200
"""Messages of a mailbox that a later one is compared with."""


class Quote(NamedTuple):
    """A quote of an earlier message: the line or head that says whose it is, on one line, and its text."""

    whose: str
    text: str


class Mailbox:
    """The messages of a mailbox that were read before, to leave out what later ones only quote of them, or attach again."""

    def __init__(self) -> None:
        self._letters: deque[str] = deque(maxlen=_MOST_MESSAGES)
        self._attached: set[bytes] = set()

    def attaches_again(self, content: bytes) -> bool:
        """Whether the same file, to the last byte, was attached to an earlier message, or to this one."""
        key = hashlib.sha256(content).digest()
        is_again = key in self._attached
        self._attached.add(key)
        return is_again

    def quotes_again(self, pieces: Sequence[tuple[str, str]]) -> list[bool]:
        """Which pieces of the next message are quotes whose text, of 100 letters or more, an earlier message has.

        Args:
            pieces: the place and the text of each.
        """
        letters = [letters_of(text) for _, text in pieces]
        again = [
            place.startswith(QUOTE) and len(one) >= FEWEST_LETTERS and any(one in earlier for earlier in self._letters)
            for (place, _), one in zip(pieces, letters, strict=True)
        ]
        self._letters.append("".join(letters))
        return again


def without_quotes(text: str, check: Check) -> tuple[str, list[Quote]]:
    r"""The text of a message, and the quotes with which it ends, from the latest message to the earliest.

    Args:
        text: with `\n` at the ends of lines.
        check: called for every line.

    >>> without_quotes("No, 9.\n\nOn Monday, Ada wrote:\n> Is it 8?\n", lambda: None)
    ('No, 9.', [Quote(whose='On Monday, Ada wrote', text='Is it 8?')])
    """
    own, quotes, rest = text, list[Quote](), text
    for depth in range(_MOST_DEPTH):
        said, whose, rest = _last_quote(rest)
        if depth == 0:
            own = said
        elif said.strip():
            quotes[-1] = quotes[-1]._replace(text=_unwrapped(said, check))
        elif rest:  # nothing but another quote, such as a head with marks above a text with marks
            whose = whose or quotes[-1].whose
            quotes.pop()
        if not rest:
            break
        quotes.append(Quote(whose, _unwrapped(rest, check)))
    return _unwrapped(own, check), [quote for quote in quotes if quote.text.strip()]


def _last_quote(text: str) -> tuple[str, str, str]:
    """A text up to the quote with which it ends, whose that is, and the quote; an empty quote if there is none."""
    lines = text.split("\n")
    forwarded = next(_heads(lines), None)
    quoted = _quoted_end(lines)
    if quoted is not None and (forwarded is None or quoted < forwarded[0]):
        start, whose = _opening(lines, quoted)
        return "\n".join(lines[:start]), whose, "\n".join(map(_one_mark_less, lines[quoted:]))
    if forwarded is not None:
        start, begun, whose = forwarded
        return "\n".join(lines[:start]), whose, "\n".join(lines[begun:])
    return text, "", ""


def _quoted_end(lines: Sequence[str]) -> int | None:
    """The first of the lines with `>` with which a text ends, blank ones among them; `None` if it does not."""
    first = None
    for at in range(len(lines) - 1, -1, -1):
        if lines[at].startswith(">"):
            first = at
        elif lines[at].strip():
            break
    return first


def _opening(lines: Sequence[str], at: int) -> tuple[int, str]:
    """Where the line begins that says whose a quote is, if there is one above it, and that line."""
    end = at
    while end and not lines[end - 1].strip():
        end -= 1
    for num_lines in (1, 2):
        above = "\n".join(lines[max(0, end - num_lines) : end])
        is_first = end - num_lines <= 0 or not lines[end - num_lines - 1].strip()
        if is_first and len(above) <= _LONGEST_OPENING and _OPENING.fullmatch(above):
            return max(0, end - num_lines), _on_one_line(above)
    return at, ""


def _heads(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """The heads of messages that follow in a text: where each begins, where the text below it does, and whose it is."""
    at = 0
    while at < len(lines):
        fields = [match for line in lines[at : at + 8] if (match := _FIELD.fullmatch(line.strip()))]
        num_fields = next((n for n in range(8) if at + n >= len(lines) or not _FIELD.fullmatch(lines[at + n].strip())), 8)
        is_below_blank = at == 0 or not lines[at - 1].strip() or _LINE.fullmatch(lines[at - 1].strip()) is not None
        is_head = num_fields >= _FEWEST_FIELDS and fields[0]["name"].casefold() in _FROM
        if is_head and is_below_blank and not lines[at].startswith(">"):
            start = at - 1 if at and lines[at - 1].strip() else at
            while start > 0 and not lines[start - 1].strip():
                start -= 1
            if start and _LINE.fullmatch(lines[start - 1].strip()):
                start -= 1
            yield start, at + num_fields, _on_one_line("; ".join(lines[at : at + num_fields]))
        at += max(1, num_fields)


def _one_mark_less(line: str) -> str:
    return line[1:].removeprefix(" ") if line.startswith(">") else line


def _on_one_line(text: str) -> str:
    return " ".join(text.split()).rstrip(":").strip()


def _unwrapped(text: str, check: Check) -> str:
    """A text in which each paragraph of a quote is one line that begins with its marks."""
    done: list[list[str]] = []
    marks = ""
    for line in text.split("\n"):
        check()
        found = _MARKS.match(line)
        now = "".join(found[0].split()) if found is not None else ""
        said = line[found.end() :].strip() if found is not None else line
        is_apart = bool(done and done[-1][0].strip())
        if now and now == marks and said:
            done[-1].append(said)
        elif now and said:
            done += [[""], [now, said]] if is_apart else [[now, said]]
        elif not now:
            done += [[""], [said]] if marks and said.strip() else [[said]]
        marks = now if said else ""
    return re.sub(r"\n{3,}", PARAGRAPH, "\n".join(map(" ".join, done))).strip("\n")
