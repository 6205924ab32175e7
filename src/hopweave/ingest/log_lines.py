"""Logs and exported chats in plain text: each entry, which begins with a time, becomes a paragraph of its own.

    [09:02] <ida> who deploys today?            2024-09-10 02:14  Alert: the queue is long.
    12/06/2024, 09:14 - Ida: who deploys?       [12.06.24, 09:14:33] Ida: who deploys?

So that no sentence goes on from one speaker to the next, and what is cited has its time and its speaker. Lines without a time
belong to the entry before them. A line that says which day begins (`--- Day changed Wed Jun 12 2024`) is a heading.
"""

from __future__ import annotations

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Blocks, Part

_DATE = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|[A-Z][a-z]{2} [ \d]?\d|\d{1,2} [A-Z][a-z]{2,8} \d{4})"
)
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?(?:\s?[AaPp]\.?[Mm]\.?)?(?:Z|\s?[+-]\d{2}:?\d{2})?"
_ENTRY = lazy_pattern(rf"[\[(<]?(?:{_DATE}(?:[T, ]|, )\s?)?{_TIME}[\])>]?(?=[\s:,-])[^\n]*\S")
_DIRECTION = lazy_pattern("[\u200e\u200f\u202a-\u202e]")
"""Marks for the direction of letters, which programs for chats write before times."""
_DAY = lazy_pattern(
    r"(?:-{2,}|\*{2,}|={2,})\s*(?:Log opened|Day changed|Beginning of day|Session Start:?)?\s*(?P<day>\S.*?)[-*=\s]*"
)
_LONGEST_DAY = 200
"""Characters of a line that says which day begins."""
_FEWEST_ENTRIES = 4
_LEAST_SHARE = 0.5
"""Of the lines with text, those that begin an entry."""
_LEAST_WORDS = 3
"""Of an entry, on average: fewer are a table of times."""


def log_of(text: str, check: Check) -> Part | None:
    """A text as entries, each a paragraph; `None` if it is no log.

    Args:
        text: the text.
        check: called for every line.
    """
    lines = _DIRECTION.sub("", text).split("\n")
    entries = [line for line in lines if _ENTRY.fullmatch(line.rstrip())]
    num_lines = sum(1 for line in lines if line.strip())
    num_words = sum(len(line.split()) for line in entries)
    if len(entries) < max(_FEWEST_ENTRIES, _LEAST_SHARE * num_lines) or num_words < _LEAST_WORDS * len(entries):
        return None
    blocks, held = Blocks(), list[str]()
    for line in [*lines, ""]:
        check()
        is_entry = _ENTRY.fullmatch(line.rstrip()) is not None
        day = _DAY.fullmatch(line.strip()) if len(line) <= _LONGEST_DAY else None
        if is_entry or day is not None or not line.strip():
            blocks.add("\n".join(held))
            held = []
        if day is not None and any(map(str.isdigit, day["day"])):
            blocks.add_heading(day["day"], 1)
        elif line.strip():
            held.append(line.rstrip())
    blocks.add("\n".join(held))
    return blocks.part()
