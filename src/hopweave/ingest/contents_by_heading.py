"""Tables of contents of plain text: lists whose entries stand once more further on, in the same order, as headings do.

Unlike those of a PDF, they need no numbers of pages: where the text is not set in pages, they would lead nowhere.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, islice

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.contents_by_page import first_of_contents
from hopweave.ingest.deadline import Check

_LONGEST = 120
"""Characters of an entry."""
_MOST_LINES = 3000
"""From the beginning of a text to the end of its table of contents."""
_FEWEST = 5
_MOST_BETWEEN = 2
"""Lines with text between two entries, such as the end of a long one."""
_LEAST_SHARE = 0.6
"""Of the lines of a list that are entries."""
_LEAST_TEXT = 1.0
"""Lines of text between two of the headings, on average."""
_NUMBER = (
    r"\(?(?:\d{1,3}(?:[.-]\d{1,3}){0,5}[.):]?|[A-Z](?:[.-]\d{1,3}){1,5}[.):]?|(?:[A-Z]|[IVX]{1,5})[.)])\s"
    r"|(?:appendix|annex|chapter|part|section|article)\s\w{1,4}\b"
)
_NUMBERED = lazy_pattern(_NUMBER, re.IGNORECASE)
_BULLET = lazy_pattern(r"[-*+•o]\s+")
_LED = lazy_pattern(r"(?:\s*(?:[.·…]\s?){2,}:?|\s{3,}|\t)\s*(?:\d{1,4}|[ivxlIVXL]{1,7})?\.?$")
"""What leads from an entry to the number of its page."""
_ENDS_OF_PAGE = frozenset("0123456789ivxlIVXL.·…:")
_LEADERS = lazy_pattern(r"(?:[.·…]\s?){3,}:?\s*(?:\d{1,4}|[ivxlIVXL]{1,7})\.?$")
_WORDS_OF_NUMBERED = 4
"""Words of an entry with a number that its heading is known by, with that: it may go on in the next line after any of them."""
_WORD = lazy_pattern(r"[^\W_]+")


def without_contents_by_heading(lines: Sequence[str], check: Check) -> list[str | None]:
    """Lines without those of a table of contents and its heading, for which there is nothing.

    It is a list of five entries or more, each of which has a number or a bullet, dots or space before the number of a page, or
    a question mark, and is a line further on, after a blank one, in the same order, with text in between.

    Args:
        lines: of the whole text.
        check: called for every line.
    """
    entries = {at: key for at, line in enumerate(islice(lines, _MOST_LINES)) if (key := _key_of_entry(line.strip()))}
    if len(entries) < _FEWEST:
        return [*lines]
    sought = set(entries.values())
    places: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        check()
        if (at == 0 or not lines[at - 1].strip()) and not _BULLET.match(said := line.strip()) and (key := _key(said)) in sought:
            places.setdefault(key, []).append(at)
    num_with_text = list(accumulate((bool(line.strip()) for line in lines), initial=0))
    left: list[str | None] = [*lines]
    later = {at: there for at, key in entries.items() if (there := places.get(key)) and there[-1] > at}
    for run in _runs(lines, later):
        if _is_contents(run, lines, later, num_with_text):
            begin, end = _last_led(lines, run[0], -1), _last_led(lines, run[-1], 1) + 1
            begin = first_of_contents(lines, begin)
            left[begin:end] = [None] * (end - begin)
    return left


def _key(said: str) -> str:
    """What an entry and its heading have in common; empty for a line that is neither."""
    if not said or len(said) > _LONGEST:
        return ""
    words = _WORD.findall(said.casefold())
    if not any(map(str.isalpha, "".join(words))):
        return ""
    return " ".join(words[:_WORDS_OF_NUMBERED] if _NUMBERED.match(said) else words)


def _runs(lines: Sequence[str], entries: Collection[int]) -> Iterator[list[int]]:
    """Entries in a row, but for a few lines between them."""
    run: list[int] = []
    between = 0
    for at, line in enumerate(islice(lines, _MOST_LINES)):
        if at in entries:
            if run and between > _MOST_BETWEEN:
                yield run
                run = []
            run.append(at)
            between = 0
        else:
            between += bool(line.strip())
    yield run


def _key_of_entry(said: str) -> str:
    """The key of an entry; empty for a line that has no mark of one."""
    if not said or len(said) > _LONGEST:
        return ""
    name = _name_of(said)
    return _key(name) if name != said or said[-1] == "?" or _NUMBERED.match(said) else ""


def _name_of(said: str) -> str:
    """An entry without a bullet and the number of its page."""
    without_page = _LED.sub("", said) if said[-1] in _ENDS_OF_PAGE else said
    mark = _BULLET.match(without_page)
    return without_page[mark.end() :] if mark is not None else without_page


def _is_contents(
    run: Sequence[int], lines: Sequence[str], entries: Mapping[int, Sequence[int]], num_with_text: Sequence[int]
) -> bool:
    """Whether most lines of a run lead to what comes after it, in order and with text in between."""
    if len(run) < _FEWEST:
        return False
    found = [run[-1]]
    for at in run:
        entry = lines[at].strip()
        there = entries[at]
        later = bisect_right(there, found[-1])
        found += (place for place in there[later : later + 1] if _leads_to(entry, lines[place].strip()))
    _, *found = found
    if len(found) < max(_FEWEST, _LEAST_SHARE * (num_with_text[run[-1] + 1] - num_with_text[run[0]])):
        return False
    num_over = num_with_text[found[-1]] - num_with_text[found[0]]
    return num_over - len(found) >= _LEAST_TEXT * len(found)


def _leads_to(entry: str, heading: str) -> bool:
    """Whether an entry and a heading are the same, as far as both are on the line."""
    pairs = zip(_WORD.findall(_name_of(entry).casefold()), _WORD.findall(heading.casefold()), strict=False)
    return all(word == other for word, other in pairs)


def _last_led(lines: Sequence[str], at: int, step: int) -> int:
    """The last of the lines before or after one that all have dots before the number of a page."""
    last = at
    while 0 <= (at := at + step) < len(lines):
        if said := lines[at].strip():
            if not _LEADERS.search(said):
                break
            last = at
    return last
