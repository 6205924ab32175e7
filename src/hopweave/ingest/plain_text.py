"""Plain text and its headings: underlined, numbered, in capitals, of an outline or of a release, each on a line of its own.

The rule is conservative, since a line that is taken for a heading is shown above all that follows: a heading stands after a
blank line, is short, does not end like a sentence, and has text of its own below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from hopweave.ingest.aligned_tables import with_rows
from hopweave.ingest.deadline import Check, no_check
from hopweave.ingest.document import Document, Heading, Part
from hopweave.ingest.log_lines import log_of

_UNDERLINE = re.compile(r"([=\-~^*#+])\1{2,199}")
_NUMBERED = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,4})(?P<dot>\.?)[ \t]{1,4}(?P<said>[A-Z][^\n]{1,80})")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9]*(?:[ \t,/&'():_-]+[A-Z0-9]+\)?)*")
_LETTERS = re.compile(r"[A-Z]")
_OUTLINE = re.compile(r"(?P<stars>\*{1,4}) (?P<said>\S.*)")
_RELEASE = re.compile(
    r"(?:(?:[\w.+-]+ ){0,2}(?:version|release|changes (?:in|since|for|from)|news for)\s[^.!?]{0,30}?\d\S*(?:\s.*)?"
    r"|v?\d+(?:[.-]\d+)+(?:\s.*)?"
    r"|[\w.+-]+ \(\S*\d\S*\) [\w -]+; urgency=\w+)",
    re.IGNORECASE,
)
"""What a list of changes begins a section with: `version 1.2 - 3 May 2021`, `orla (1.2-1) unstable; urgency=low`."""
_OVERSTRUCK = re.compile(r".\x08")

_LONGEST = 80
_MOST_TITLE_WORDS = 14
_MIN_CAPITALS = 4
"""Letters; fewer are an abbreviation."""
_MIN_SHARE_OF_TEXT = 0.5
"""If more than half of the lines look like headings, they are a list."""
_FIRST_NUMBER = re.compile(r"[012]\b")
_CAPITAL, _OUTLINED, _RELEASED, _NUMBER_ALONE = "capitals", "outline", "release", "number alone"
_MIN_RELEASES = 3
_MIN_COUNTED = 3
"""Headings such as `2 Results`, without a dot: fewer may be items of a list, or amounts."""


class _Found(NamedTuple):
    """A line that looks like a heading: its number, how it is marked, its depth if it is numbered, and its text."""

    line: int
    style: str
    depth: int
    text: str


def read_plain(content: str, check: Check = no_check) -> Document:
    """A text with its headings, and rows of tables as `aligned_tables` has them.

    Its title is a first line in capitals, or that of a Python package's metadata: `Name Version`.

    Args:
        content: the text.
        check: called for every line.
    """
    text = _OVERSTRUCK.sub("", content).strip()
    if (log := log_of(text, check)) is not None:
        return Document(_title(text), (log,))
    lines = with_rows(text).split("\n")
    found = _consistent(_candidates(lines, check), lines)
    for one in found:
        if one.style == _OUTLINED:
            lines[one.line] = one.text
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    levels = _levels(found)
    headings = (Heading(starts[one.line], level, one.text) for one, level in zip(found, levels, strict=True))
    text = "\n".join(lines)
    return Document(_title(text), (Part(text, tuple(headings)),))


def _title(text: str) -> str:
    r"""The package that core metadata (`METADATA`, `PKG-INFO`) are about, else a first line in capitals; empty without one.

    >>> _title("TRAVEL POLICY OF ORLAU LTD\nValid from May."), _title("Travel policy.")
    ('TRAVEL POLICY OF ORLAU LTD', '')
    """
    if text.startswith("Metadata-Version:"):
        head = text.partition("\n\n")[0]
        found = (re.search(rf"^{field}: *(\S{{1,{_LONGEST}}})$", head, re.MULTILINE) for field in ("Name", "Version"))
        return " ".join(match[1] for match in found if match)
    first, _, rest = text.partition("\n")
    said = " ".join(first.split())
    is_title = 1 < len(said.split()) <= _MOST_TITLE_WORDS and len(said) <= _LONGEST and _CAPITALS.fullmatch(said)
    return said if is_title and any(map(str.islower, rest)) else ""


def _candidates(lines: Sequence[str], check: Check) -> list[_Found]:
    found = []
    for at, line in enumerate(lines):
        check()
        is_first = at == 0 or not lines[at - 1].strip()
        if not is_first or not line.strip() or len(line) > _LONGEST:
            continue
        below = lines[at + 1] if at + 1 < len(lines) else ""
        said = " ".join(line.split())
        if _is_underline(below, line):
            found.append(_Found(at, below.strip()[0], 0, said))
        elif line[0] in " \t":
            continue
        elif not below.strip() and (match := _OUTLINE.fullmatch(line.rstrip())):
            found.append(_Found(at, _OUTLINED, len(match["stars"]), " ".join(match["said"].split())))
        elif not below.strip() and (match := _NUMBERED.fullmatch(line.rstrip())) and _is_title(match):
            depth = match["number"].count(".")
            style = "numbered" if depth or match["dot"] else _NUMBER_ALONE
            found.append(_Found(at, style, depth + 1, said))
        elif not below.strip() and said[-1] not in ".,;:!?" and _RELEASE.fullmatch(said):
            found.append(_Found(at, _RELEASED, 0, said))
        elif _is_in_capitals(said) and _is_above_text(lines, at):
            found.append(_Found(at, _CAPITAL, 0, said))
    return found


def _is_underline(line: str, above: str) -> bool:
    """Whether a line of signs is about as long as the text above it, and begins below it."""
    if not _UNDERLINE.fullmatch(line.strip()) or not any(map(str.isalpha, above)):
        return False
    indents = abs(len(line) - len(line.lstrip()) - (len(above) - len(above.lstrip())))
    return indents <= 1 and abs(len(line.strip()) - len(above.strip())) <= 3


def _is_title(match: re.Match[str]) -> bool:
    """Whether a numbered line does not read like an item of a list, which is a sentence."""
    return match["said"][-1] not in ".,;:!?" and len(match["said"].split()) <= 10


def _is_in_capitals(said: str) -> bool:
    words = said.split()
    are_words = len(words) <= 8 and sum(map(str.isdigit, words)) <= 1  # several numbers are those of a row
    return are_words and len(_LETTERS.findall(said)) >= _MIN_CAPITALS and _CAPITALS.fullmatch(said) is not None


def _is_above_text(lines: Sequence[str], at: int) -> bool:
    """Whether the next line with text is indented, as in manual pages, or follows a blank one; and is text."""
    below = next((line for line in lines[at + 1 : at + 4] if line.strip()), "")
    is_apart = at + 1 < len(lines) and not lines[at + 1].strip()
    return bool(below) and (below[0] in " \t" or is_apart) and any(map(str.islower, below))


def _consistent(found: Sequence[_Found], lines: Sequence[str]) -> list[_Found]:
    """Those that are not all there is: numbers begin at the beginning, and a single line in capitals is a cry or a name.

    Items of a list begin with one star as well, and a single line with a version says something of it.
    """
    num_lines = sum(1 for line in lines if line.strip())
    counted = {one.line: one._replace(style="numbered") for one in _counted(found)}
    found = [counted.get(one.line, one) for one in found if one.style != _NUMBER_ALONE or one.line in counted]
    numbered = [one for one in found if one.style == "numbered"]
    is_counted = len(numbered) > 1 and bool(_FIRST_NUMBER.match(numbered[0].text))
    are_several = sum(1 for one in found if one.style == _CAPITAL) > 1
    depths = {one.depth for one in found if one.style == _OUTLINED}
    are_releases = sum(1 for one in found if one.style == _RELEASED) >= _MIN_RELEASES
    says = {"numbered": is_counted, _CAPITAL: are_several, _OUTLINED: {1, 2} <= depths, _RELEASED: are_releases}
    kept = [one for one in found if says.get(one.style, True)]
    return kept if len(kept) <= _MIN_SHARE_OF_TEXT * num_lines and any(len(line.split()) > 5 for line in lines) else []


def _counted(found: Sequence[_Found]) -> list[_Found]:
    """Those without a dot behind their number if these count up, which amounts and the numbers of lines do not."""
    counted: list[_Found] = []
    for one in found:
        if one.style == _NUMBER_ALONE and one.text.split()[0] == str(len(counted) + 1):
            counted.append(one)
    return counted if len(counted) >= _MIN_COUNTED else []


def _levels(found: Sequence[_Found]) -> list[int]:
    """The level of each: by its number, or by the order in which the styles appear."""
    styles = list(dict.fromkeys(one.style for one in found))
    return [styles.index(one.style) + max(one.depth, 1) for one in found]
