"""Lists without an empty line between their parts: entries of a line each, and records of several lines.

An entry is a day and what happens on it, an hour, a year, an amount of something; a record begins with the label that the
others begin with, too, such as `Q:`.

    01/05  The Fellowship enters Moria        Monday     8:00 - 12:00        500 g flour
    01/09  The Fellowship reaches Lorien      Wednesday  closed              3 eggs

Each becomes a paragraph, so that what is cited is the entry or record, and no sentence goes on from one to the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.document import PARAGRAPH
from hopweave.ingest.indents import indent_of
from hopweave.ingest.placed_tables import is_of_code
from hopweave.ingest.row_text import row_text
from hopweave.text.languages import months
from hopweave.text.list_marks import MARKS_OF_ITEM
from hopweave.text.values import MONTHS
from hopweave.text.wanted import is_weekday

_FEWEST = 3
"""Entries that begin, or end, in the same way."""
_MOST_OTHERS = 1 / 4
"""Lines that are no entries and not indented, as a share of those that are."""
_LONGEST = 60
"""Characters of an entry that only its end shows to be one, and of a line that may be too short to go on in the next."""
_FEW = 1 / 8
"""Of the lines of a list, those that may look like a row of a table or like code."""
_LONGEST_LINE = 2_000
"""Characters: no entry is longer, and the time of the patterns grows faster than a line."""
_LEAST_LETTERS = 3
"""Of an entry, on average: fewer are columns of numbers."""
_NUMBER = lazy_pattern(r"[\[(*~<]?(?:[€$£]\s?)?\d")
_VALUE = r"[-–]?(?:[€$£]\s?)?\d[\d.,:/–-]*+(?:\s?[^\W\d_]{1,10}[.²³]?|\s?[%€$£])?"
_AMOUNT = lazy_pattern(rf"[^\W\d_a-z].*?[\s:]{_VALUE}")
_SET_APART = lazy_pattern(rf"(?P<label>\S.*?)(?:\s{{2,}}|\t)(?P<value>{_VALUE}(?: \w++){{0,2}})")
"""An amount that stands in a column of its own, as on a bill."""
_FEWEST_LABELLED = 4
_LEAST_LABELLED = 2 / 3
"""Of the lines from the first record to the last, those that begin with a label."""
_GAP = lazy_pattern(r"\s{2,}|\t")
_LABEL = lazy_pattern(r"[^\W\d_][^:\n]{0,30}:\s")
_ENDS = (".", "!", "?", ":", ";")
_DIGITS = lazy_pattern(r"\d+")
_AROUND = ".,:;()[]*-–"


def with_entries(text: str) -> str:
    """A text in which each entry and each record is a paragraph; all other lines are as they were.

    It is for text, not for code, whose lines may begin with numbers, too.
    """
    if "\n" not in text:
        return text
    blocks = ([*lines] for _, lines in groupby(text.split("\n"), key=lambda line: bool(line.strip())))
    return "\n".join(PARAGRAPH.join(paragraphs_of(block)) for block in blocks)


def paragraphs_of(lines: Sequence[str]) -> Sequence[str]:
    """What lines without an empty one between them are made of: entries, records and the text around them, or one paragraph."""
    return entries_in(lines) or records_in(lines) or ["\n".join(lines)]


def records_in(lines: Sequence[str]) -> list[str]:
    r"""The records among some lines, each of which begins with the same label, and the lines around them; none without them.

    >>> records_in(["Options:", "Name: -i", "Means: input", "Name: -f", "Means: file", "They may", "be repeated."])
    ['Options:', 'Name: -i\nMeans: input', 'Name: -f\nMeans: file', 'They may\nbe repeated.']
    """
    found = [_LABEL.match(line.strip()) for line in lines]
    labelled = {at: label[0].strip() for at, label in enumerate(found) if label is not None}
    counts = Counter(labelled.values())
    first = next((at for at, label in labelled.items() if counts[label] > 1), None)
    if first is None or len(labelled) < _FEWEST_LABELLED or 2 * len(counts) > len(labelled):
        return []
    last = max(labelled)
    if len(labelled) < _LEAST_LABELLED * (last + 1 - first):
        return []
    starts = [at for at, label in labelled.items() if label == labelled[first]]
    cuts = [0, *starts, last + 1, len(lines)]
    return ["\n".join(lines[start:end]) for start, end in pairwise(cuts) if start < end]


def entries_in(lines: Sequence[str]) -> list[str]:
    """The entries of a list whose lines begin with a day, a time or a number, or end with an amount; none if lines are no list.

    A line that is indented further goes on from the one above. The first line may be the title of the list. Tables of several
    columns are none, nor are letterheads and records, each line of which begins with what it tells.

    >>> entries_in(["1923 founded in Ulm", "1940 moved to Brno,", "  by train", "1951 closed"])
    ['1923 founded in Ulm', '1940 moved to Brno, by train', '1951 closed']
    >>> entries_in(["Rent        742 EUR", "Heating      87 EUR", "All         829 EUR"])
    ['Rent: 742 EUR.', 'Heating: 87 EUR.', 'All: 829 EUR.']
    >>> entries_in(["In 1923 it was founded in Ulm, and in", "1940 it moved to Brno, where it was", "closed in 1951."])
    []
    """
    said = [line for line in lines if any(map(str.isalnum, line))]
    if len(said) < _FEWEST or max(map(len, said)) > _LONGEST_LINE or _are_something_else(said):
        return []
    entries = _joined(said)
    are_entries = [(_begins_an_entry(first), _ends_an_entry(first)) for first, *_ in entries]
    num = max(map(sum, zip(*are_entries, strict=True)))
    num_others = len(entries) - num - (not any(are_entries[0]))
    if num < _FEWEST or num_others > _MOST_OTHERS * num:
        return []
    told = [*map(_told, entries)]
    return told if sum(map(_num_letters, told)) >= _LEAST_LETTERS * len(told) else []


def _are_something_else(lines: Sequence[str]) -> bool:
    """Whether lines are a table of several columns, a record, or code."""
    num_with_columns = sum(len(_GAP.findall(line.strip())) > 1 for line in lines)
    num_labelled = sum(_LABEL.match(line.strip()) is not None for line in lines)
    num_of_code = sum("=" in line or is_of_code(line.strip()) for line in lines)
    few = _FEW * len(lines)
    return num_with_columns > max(1, few) or 2 * num_labelled > len(lines) or num_of_code > few


def _joined(lines: Sequence[str]) -> list[list[str]]:
    """The lines, each with those that go on from it."""
    indent = min(map(indent_of, lines[1:]))  # what is above the first line may have taken its blanks
    shape = next((_shape_of(line) for line in lines if _begins_an_entry(line)), "")
    entries = [[lines[0]]]
    for above, line in pairwise(lines):
        is_further_in = indent_of(line) > indent and _SET_APART.fullmatch(line.strip()) is None
        # As where a sentence goes on with "15th".
        is_begun_otherwise = _is_full(above) and _begins_an_entry(line) and _shape_of(line) != shape
        if is_further_in or is_begun_otherwise:
            entries[-1].append(line)
        else:
            entries.append([line])
    return entries


def _told(lines: Sequence[str]) -> str:
    """An entry on one line; an amount that is set apart with what it is of, as in other tables."""
    row = _SET_APART.fullmatch(lines[0].strip()) if len(lines) == 1 else None
    return row_text([row["label"]], [row["value"]]) if row is not None else " ".join(" ".join(lines).split())


def _is_full(line: str) -> bool:
    """Whether a line is so long, and ends so, that its sentence may go on in the next."""
    said = line.strip()
    return len(said) > _LONGEST and not said.endswith(_ENDS)


def _shape_of(line: str) -> str:
    """How the first word of a line is written: `0/0` for a date, `0.0` for the number of a clause."""
    return _DIGITS.sub("0", line.split(None, 1)[0])


def _ends_an_entry(line: str) -> bool:
    said = line.strip()
    return (len(said) <= _LONGEST and _AMOUNT.fullmatch(said) is not None) or _SET_APART.fullmatch(said) is not None


def _begins_an_entry(line: str) -> bool:
    """Whether a line begins with a day, a time or a number, and says more; not with the number of an item, as in `2. Stir.`"""
    words = line.split(None, 2)
    if len(words) < 2:
        return False
    first, second = (word.strip(_AROUND) for word in words[:2])
    if MARKS_OF_ITEM.match(line):
        return first.isdigit() and _is_month(second)
    return _NUMBER.match(words[0]) is not None or is_weekday(first) or (_is_month(first) and second[:1].isdigit())


def _is_month(word: str) -> bool:
    name = word.casefold()
    is_english = len(name) >= 3 and any(month.startswith(name) for month in MONTHS)
    return is_english or name in months() or f"{name}." in months()


def _num_letters(text: str) -> int:
    return sum(map(str.isalpha, text))
