"""Values that their own sentence says hold no longer, or never did: rejected, withdrawn, moved `from` them, `(was 600)`, `used to be`.

They answer a question for what was before or what was proposed, and none for what holds. Only English is understood.
"""

from __future__ import annotations

import re

from hopweave.core.types import Span
from hopweave.text.content_words import keys_of
from hopweave.text.languages import is_foreign
from hopweave.text.table_rows import cells_of

_REJECTED = (
    r"rejected|withdrawn|dropped|ruled out|excluded|turned down|declined|abandoned|postponed|cancell?ed|discarded|vetoed|voted down"
    r"|overruled|scrapped|revoked|(?:not|never) (?:\w+ )?(?:approved|adopted|accepted|agreed|chosen|introduced|built|taken up|carried)"
)
_NO_VERB = (
    r"(?:\s(?!(?:who|which|that|until|when|while|after|before|because|and|but|if|was|were|is|are|has|have|had|would|proved|withdrew"
    r"|resigned|stepped|retired|quit|left|no)\b)[\w'’.%/-]+){0,6}"
)
"""What belongs to the subject of a sentence, before its verb."""
_IS_REJECTED = re.compile(
    rf"{_NO_VERB}\s(?:"
    rf"(?:(?:has|have|had)\s[^;:,]{{1,60}}\sbut\s)?(?:was|were|is|are|has been|have been|had been)"
    rf"\s(?:\w+ly\s|considered and\s|then\s|later\s)?(?:{_REJECTED})\b"
    r"|(?:has |had )?(?:withdrew|withdraws|withdrawn|retracted)\s(?:its|his|her|their|the)\b"
    r"|(?:was|were|is|are|would be|proved)\s(?:\w+\s)?too\s\w+"
    r"|(?:has |had )?(?:resigned|stepped down|retired|quit) (?:as|from)\b|(?:has |had )?left the\b|no longer\b"
    r"|(?:is|was|are|were) (?:wrong|incorrect|outdated|obsolete|a (?:mistake|typo|slip))\b)",
    re.IGNORECASE,
)
_BY = re.compile(r"\bby\s$", re.IGNORECASE)
_AFTER_IT = re.compile(
    r"[^;:]{0,60},?\s(?:but|and|which)\s(?:the\s\w+|it|this|they|we|that)\s(?:\w+\s)?(?:did not agree|refused|declined|rejected (?:it|this|that)"
    r"|was (?:never|not) \w+|were (?:never|not) \w+|was rejected|was true (?:before|until))",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(
    r"\((?:it |this )?(?:was|were|formerly|previously|before|earlier|originally|old|until [^:()]{1,30}:|(?:raised|reduced|lowered|increased|cut"
    r"|up|down|moved|changed|extended) from)\b[^()]*$",
    re.IGNORECASE,
)
_CHANGED = (
    r"mov(?:e|es|ed|ing)|chang(?:e|es|ed|ing)|rais(?:e|es|ed|ing)|lower(?:s|ed|ing)?|increas(?:e|es|ed|ing)|reduc(?:e|es|ed|ing)|extend(?:s|ed|ing)?"
    r"|shorten(?:s|ed)?|postpon(?:e|es|ed)|delay(?:s|ed)?|shift(?:s|ed)?|renam(?:e|es|ed)|switch(?:es|ed)?|slip(?:s|ped)?|put back|brought forward|rises|falls|grows"
)
_FROM = re.compile(rf"\b(?:{_CHANGED})\b(?:\s[\w'’.-]+){{0,4}}?\sfrom\s(?:[\w'’.-]+\s){{0,3}}$", re.IGNORECASE)
_TO = re.compile(r"(?:\s[\w'’.-]+){0,2}\s(?:to|until|into)\b", re.IGNORECASE)
_WAS_AND_IS = re.compile(r"\s*,?\s(?:but\s|and\s)?(?:it\s)?(?:is|are)(?:\snow)?\s")
_WAS = re.compile(r"\b(?:was|were)\s(?:[\w'’.-]+\s){0,2}$", re.IGNORECASE)
_USED_TO = re.compile(r"\bused to (?:be|stand|run|lie|live|have|cost|take|go|listen|work)\b[^;:,]*$|\bformerly\b[^;:,]*$", re.IGNORECASE)
_ONCE = re.compile(
    r"^\W*(?:before|until|prior to|up to)\s(?:\w+\s)?\d[\w-]*,?\s[^;:]*$|^\W*(?:it|this|that|they)\s(?:was|were)\s[^;:,]*$", re.IGNORECASE
)
_PREVIOUSLY = re.compile(r"^\W*(?:previously|formerly|originally|initially|at first|in the past)\b[^;:]*$", re.IGNORECASE)
_IN_A_VERSION = re.compile(r"\bin (?:version|release|the (?:old|first|previous|earlier) \w+)\b", re.IGNORECASE)
_EARLIER = re.compile(
    r"\b(?:earlier|original|previous|former|old|initial)\s(?:date|value|deadline|plan|price|limit|version|draft|budget|time|name|figure|number)"
    r"\s(?:of|was|is|said)\s[^;:,]*$|\b(?:the|an?)(?:\s\w+)?\sdraft\b[^;:.]*\b(?:said|says|had|gave|named)\b[^;:,]*$",
    re.IGNORECASE,
)
_I_WROTE = re.compile(r"\b(?:I|we) (?:had )?(?:wrote|said|stated|gave|typed|written)\b[^;.]*$", re.IGNORECASE)
_RIGHT_IS = re.compile(r"\b(?:it (?:is|should)|should (?:be|have been|read)|the (?:right|correct)|in fact|actually|meant)\b", re.IGNORECASE)
_OLD_COLUMN = re.compile(r"\b(?:original|previous|old|former|initial|planned|from|before)\b", re.IGNORECASE)
_NEW_COLUMN = re.compile(r"\b(?:current|new|actual|revised|latest|to|now|after)\b", re.IGNORECASE)

_ASKS_FOR_IT = re.compile(
    r"\b(?:before|original(?:ly)?|former(?:ly)?|previous(?:ly)?|earlier|old|at first|initial(?:ly)?|replace[ds]?|used to|draft|once|drop\w*"
    r"|reject\w*|withdr\w+|postpon\w+|cancel\w*|exclud\w+|declin\w+|abandon\w*|discard\w*|ruled? out|veto\w*|propos\w+|suggest\w*|recommend\w*"
    r"|consider\w*|offer\w*|ask(?:s|ed) for|demand\w*|mistake\w*|wrong\w*|too|no longer|resign\w*|stepped|retire\w*|quit|left|leaves?)\b|\bfrom (?:what|which)\b",
    re.IGNORECASE,
)
_ASKS_FOR_THE_PAST = re.compile(r"\b(?:was|were|did|had)\b", re.IGNORECASE)


def is_given_up(asking: str, sentence: str, focus: Span) -> bool:
    """Whether a sentence says of some words of it that they hold no longer or never did, and what asks for them does not ask that.

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
    if is_foreign(sentence) or _ASKS_FOR_IT.search(asking):
        return False
    before, after = sentence[: focus.start], sentence[focus.end :]
    is_of_the_past = _ASKS_FOR_THE_PAST.search(asking) is not None
    is_value = any(map(str.isdigit, sentence[focus.start : focus.end]))
    if (not _BY.search(before) and _IS_REJECTED.match(after)) or _AFTER_IT.match(after) or _is_old_column(asking, sentence, focus):
        return True
    if (is_value or not is_of_the_past) and (_is_replaced(before, after) or _IN_BRACKETS.search(before)):
        return True
    return not is_of_the_past and _is_past(asking, before, after)


def _is_replaced(before: str, after: str) -> bool:
    if _FROM.search(before) and _TO.match(after):
        return True
    return _EARLIER.search(before) is not None or (_I_WROTE.search(before) is not None and _RIGHT_IS.search(after) is not None)


def _is_past(asking: str, before: str, after: str) -> bool:
    if _WAS.search(before) and _WAS_AND_IS.match(after):
        return True
    if _USED_TO.search(before) or _PREVIOUSLY.search(before):
        return True
    is_once = _ONCE.search(before) is not None and (not before.strip()[:2].casefold().startswith(("it", "th")) or _IN_A_VERSION.search(after))
    return is_once and not any(map(str.isdigit, asking))


def _is_old_column(asking: str, sentence: str, focus: Span) -> bool:
    """Whether some words stand in a column such as `Original date` of a row that has a `Current date` as well."""
    cells = cells_of(sentence)
    own = next((cell for cell in cells if cell.span.start <= focus.start < cell.span.end), None)
    if own is None or not _OLD_COLUMN.search(own.name) or _OLD_COLUMN.search(asking):
        return False
    rest = keys_of(_OLD_COLUMN.sub(" ", own.name))
    return any(_NEW_COLUMN.search(cell.name) and keys_of(_NEW_COLUMN.sub(" ", cell.name)) == rest for cell in cells)
