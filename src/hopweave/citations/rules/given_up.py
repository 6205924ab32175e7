"""Values that their own sentence says hold no longer, or never did: rejected, `moved from` them, `(was 600)`, `used to be`.

They answer a question for what was before or what was proposed, and none for what holds. `citations.rules.formers` is the
same for other languages than English, in part.
"""

from __future__ import annotations

import re

from hopweave.citations.rules.decisions import ASKS_FOR_FORMER, ASKS_FOR_PROPOSED, ASKS_FOR_REJECTED, IS, REJECTED
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.content_words import keys_of
from hopweave.text.languages import is_foreign_beside
from hopweave.text.table_rows import cell_at, cells_of

_NO_VERB = (
    r"(?:\s(?!(?:who|which|that|until|when|while|after|before|because|and|but|if|was|were|is|are|has|have|had|would|proved"
    r"|withdrew|resigned|stepped|retired|quit|left|no)\b)[\w'’.%/-]+){0,6}"
)
"""What belongs to the subject of a sentence, before its verb."""
_IS_REJECTED = lazy_pattern(
    rf"{_NO_VERB}\s(?:"
    rf"(?:(?:has|have|had)\s[^;:,]{{1,60}}\sbut\s)?{IS}\s(?:\w+ly\s|considered and\s|then\s|later\s)?{REJECTED}\b"
    r"|(?:has |had )?(?:withdrew|withdraws|withdrawn|retracted)\s(?:its|his|her|their|the)\b"
    r"|(?:was|were|is|are|would be|proved)\s(?:\w+\s)?too\s\w+"
    r"|(?:has |had )?(?:resigned|stepped down|retired|quit) (?:as|from)\b|(?:has |had )?left the\b|no longer\b"
    r"|(?:is|was|are|were) (?:wrong|incorrect|outdated|obsolete|a (?:mistake|typo|slip))\b)",
    re.IGNORECASE,
)
_BY = lazy_pattern(r"\bby\s$", re.IGNORECASE)
_AFTER_IT = lazy_pattern(
    r"[^;:]{0,60},?\s(?:but|and|which)\s(?:the\s\w+|it|this|they|we|that)\s(?:\w+\s)?"
    r"(?:did not agree|refused|declined|rejected (?:it|this|that)|(?:was|were) (?:never|not) \w+|was rejected"
    r"|was true (?:before|until))",
    re.IGNORECASE,
)
"""`45 euros, but the board did not agree`."""
_IN_BRACKETS = lazy_pattern(
    r"\((?:it |this )?(?:until [^:()]{1,30}:|(?:was|were|formerly|previously|before|earlier|originally|old"
    r"|(?:raised|reduced|lowered|increased|cut|up|down|moved|changed|extended) from)\b)[^()]*$",
    re.IGNORECASE,
)
_CHANGED = (
    r"(?:mov|chang|rais|increas|reduc|postpon|renam)(?:e|es|ed|ing)|(?:lower|extend|shorten|delay|shift)(?:s|ed|ing)?"
    r"|switch(?:es|ed)?|cuts?|slip(?:s|ped)?|put back|put off|brought forward|rises|falls|grows"
)
_FROM = lazy_pattern(rf"\b(?:{_CHANGED})\b(?:\s[\w'’.-]+){{0,4}}?\sfrom\s(?:[\w'’.-]+\s){{0,3}}$", re.IGNORECASE)
_OF_AN_AMOUNT = lazy_pattern(r"[%$£€]|\bper cent\b")
"""What changes `from` this is something else now; `from 1 May` tells since when it does."""
_TAKES_OVER_FROM = lazy_pattern(
    r"\b(?:replac(?:ed|es|ing)|succeed(?:ed|s|ing)|t(?:ook|akes?|aken|aking) over from|follow(?:ed|s))\s"
    r"(?:(?:Mr|Ms|Mrs|Dr)\.?\s)?$"
)
_IN_A_POST = lazy_pattern(r"\sas\s")
"""`replaced Ida Renn as treasurer`."""
_UP_FROM = lazy_pattern(r"(?<!set )\b(?:up|down) from\s(?:[\w'’.-]+\s){0,2}$", re.IGNORECASE)
_CHANGED_TO = lazy_pattern(rf"[^.]{{0,60}}\b(?:{_CHANGED})\s(?:it|this|that|them|the \w+)\s(?:to|until)\b", re.IGNORECASE)
"""`15 May; the board has extended it to 30 June`."""
_TO = lazy_pattern(r"(?:\s[\w'’.-]+){0,2}\s(?:to|until|into)\b", re.IGNORECASE)
_WAS = lazy_pattern(r"\b(?:was|were)\s(?:[\w'’.-]+\s){0,2}$", re.IGNORECASE)
_NOW_AND_WAS = lazy_pattern(r"\bnow\b[^;,]*[;,]\s(?:it|this|they|before,? it)\s(?:was|were)\s[^;:,]*$", re.IGNORECASE)
_LABELLED_WAS = lazy_pattern(r"[^\W\d_]\s?[:;]\s(?:it\s)?was\s$", re.IGNORECASE)
"""`Hotel sheets: was 60 °C for 8 minutes.`"""
_WAS_DONE = lazy_pattern(r"\b(?:was|were)\s(?:[^\s;:.]+\s){1,6}$", re.IGNORECASE)
_UNTIL_A_YEAR = lazy_pattern(r"[^;:.]{0,40}?\b(?:until|till|up to)\s(?:[\w'’]+\s){0,3}[12]\d{3}\b", re.IGNORECASE)
"""`It was managed by Ida Renn until May 2017.`"""
_AND_IS = lazy_pattern(r"\s*,?\s(?:but\s|and\s)?(?:it\s)?(?:is|are)(?:\snow)?\s")
_FORMERLY = lazy_pattern(
    r"\bused to (?:be|stand|run|lie|live|have|cost|take|go|listen|work)\b[^;:,]*$|\bformerly\b[^;:,]*$"
    r"|^\W*(?:previously|originally|initially|at first|in the past)\b[^;:]*$"
    r"|[;,.]\s(?:before (?:that|then)|until then|previously),?\s[^;:,]*$",
    re.IGNORECASE,
)
_ONCE = lazy_pattern(
    r"^\W*(?:(?:before|until|prior to)\s(?:\w+\s)?\d[\w-]*|up to\s(?:\w+\s)?(?:[12]\d{3}|\d+\.\d[\w.]*)),?\s[^;:]*$",
    re.IGNORECASE,
)
_IT_WAS = lazy_pattern(r"^\W*(?:it|this|that|they)\s(?:was|were)\s[^;:,]*$", re.IGNORECASE)
_IN_A_VERSION = lazy_pattern(r"\bin (?:version|release|the (?:old|first|previous|earlier) \w+)\b", re.IGNORECASE)
_EARLIER = lazy_pattern(
    r"\b(?:earlier|original|previous|former|old|initial)"
    r"\s(?:date|value|deadline|plan|price|limit|version|draft|budget|time|name|figure|number)\s(?:of|was|is|said)\s[^;:,]*$"
    r"|\b(?:[Vv]ersion|[Dd]raft|[Ii]ssue|[Ee]dition) \d[\d.]*(?:\s\w+){0,3}"
    r" (?:had|said|gave|spoke of|named|listed|showed)\b[^;:,]*$"
    r"|\bstill (?:gives?|says?|shows?|states?|names?|lists?)\b[^;:,]*$"
    r"|\b(?:the|an?)(?:\s\w+)?\sdraft\b[^;:.]*\b(?:said|says|had|gave|named)\b[^;:,]*$",
    re.IGNORECASE,
)
_I_WROTE = lazy_pattern(r"\b(?:I|we) (?:had )?(?:wrote|said|stated|gave|typed|written)\b[^;.]*$", re.IGNORECASE)
_RIGHT_IS = lazy_pattern(
    r"\b(?:it (?:is|should)|should (?:be|have been|read)|the (?:right|correct)|in fact|actually|meant)\b", re.IGNORECASE
)
_OLD_COLUMN = lazy_pattern(r"\b(?:original|baseline|last|previous|old|former|initial|planned|was|from|before)\b", re.IGNORECASE)
_NEW_COLUMN = lazy_pattern(r"\b(?:current|new|actual|revised|latest|to|now|after)\b", re.IGNORECASE)
_OF_TIME = frozenset(("date", "due", "deadline", "day", "time"))
"""Columns may name a time differently: `Was due`, `New date`."""
_ASKS_FOR_IT = lazy_pattern(rf"\b(?:{ASKS_FOR_FORMER}|{ASKS_FOR_REJECTED}|{ASKS_FOR_PROPOSED})\b", re.IGNORECASE)
_ASKS_FOR_NOW = lazy_pattern(r"\b(?:is|are|does|do|now|currently|today)\b|^\W*who\s(?!was\b)[a-z]+s\b", re.IGNORECASE)
_ASKS_FOR_THE_PAST = lazy_pattern(r"\b(?:was|were|did|had)\b", re.IGNORECASE)


def is_given_up(asking: str, sentence: str, focus: Span) -> bool:
    """Whether a sentence says of some words of it that they hold no longer, or never did; not if that is asked for.

    Args:
        asking: the question, or a statement.
        sentence: the sentence.
        focus: the position of the words in it.

    >>> told = "The window has moved from 18 March to 25 March."
    >>> [is_given_up("When is the window?", told, Span(start, start + 8)) for start in (26, 38)]
    [True, False]
    >>> is_given_up("When was the window before?", told, Span(26, 34))
    False
    """
    if is_foreign_beside(sentence, asking):
        from hopweave.citations.rules.formers import is_given_up_elsewhere  # which few texts need

        return is_given_up_elsewhere(asking, sentence, focus)
    if _ASKS_FOR_IT.search(asking):
        return False
    if _is_rejected(sentence, focus) or _is_old_column(asking, sentence, focus):
        return True
    if _ASKS_FOR_NOW.search(asking) and _was_until_a_year(sentence, focus):
        return True
    if not _ASKS_FOR_THE_PAST.search(asking):
        return _is_replaced(sentence, focus) or _was_so(sentence, focus, is_of_one_time=any(map(str.isdigit, asking)))
    return any(map(str.isdigit, sentence[focus.start : focus.end])) and _is_replaced(sentence, focus)


def _was_until_a_year(sentence: str, focus: Span) -> bool:
    return _WAS_DONE.search(sentence[: focus.start]) is not None and _UNTIL_A_YEAR.match(sentence, focus.end) is not None


@remembered
def _is_rejected(sentence: str, focus: Span) -> bool:
    """Whether a sentence says of some words that they were rejected, or are the amount that something changed from.

    By whom something was done was not rejected.
    """
    before, after = sentence[: focus.start], sentence[focus.end :]
    if _OF_AN_AMOUNT.search(sentence[focus.start : focus.end]) and _FROM.search(before):
        return True
    return _AFTER_IT.match(after) is not None or (_IS_REJECTED.match(after) is not None and not _BY.search(before))


@remembered
def _is_replaced(sentence: str, focus: Span) -> bool:
    before, after = sentence[: focus.start], sentence[focus.end :]
    if _UP_FROM.search(before) or _CHANGED_TO.match(after):
        return True
    if _IN_BRACKETS.search(before) or _EARLIER.search(before) or (_FROM.search(before) and _TO.match(after)):
        return True
    if _TAKES_OVER_FROM.search(before) and _IN_A_POST.match(after):
        return True
    return _I_WROTE.search(before) is not None and _RIGHT_IS.search(after) is not None


@remembered
def _was_so(sentence: str, focus: Span, *, is_of_one_time: bool) -> bool:
    """Whether something was once so: `was 7%, is 8%`, `Previously it was 7%`; in some year or version, if none is asked for."""
    before, after = sentence[: focus.start], sentence[focus.end :]
    if (
        _FORMERLY.search(before)
        or _LABELLED_WAS.search(before)
        or _NOW_AND_WAS.search(before)
        or (_WAS.search(before) and _AND_IS.match(after))
    ):
        return True
    is_once = _ONCE.search(before) is not None or (
        _IT_WAS.search(before) is not None and _IN_A_VERSION.search(after) is not None
    )
    return is_once and not is_of_one_time


def _is_old_column(asking: str, sentence: str, focus: Span) -> bool:
    """Whether some words stand in a column such as `Original date` of a row that has a `Current date` as well."""
    cells = cells_of(sentence)
    own = cell_at(cells, focus.start)
    if own is None or not _OLD_COLUMN.search(own.name) or _OLD_COLUMN.search(asking):
        return False
    rest = keys_of(_OLD_COLUMN.sub(" ", own.name)) - _OF_TIME
    new = (keys_of(_NEW_COLUMN.sub(" ", cell.name)) - _OF_TIME for cell in cells if _NEW_COLUMN.search(cell.name))
    return any(left in (rest, frozenset()) for left in new)
