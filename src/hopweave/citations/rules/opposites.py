"""Words that say the opposite of each other, of which a statement may have one and the sentence behind it the other."""

from __future__ import annotations

import re
from functools import cache

from hopweave.core.memoize import remembered
from hopweave.text.languages import is_foreign

_PAIRS = (
    (
        "grant(?:s|ed|ing)?|approv(?:e|es|ed|ing)|allow(?:s|ed|ing)?|accept(?:s|ed|ing)?|upheld|upholds?|adopt(?:s|ed)?",
        "refus(?:e|es|ed|ing)|reject(?:s|ed|ing)?|dismiss(?:es|ed|ing)?|den(?:y|ies|ied)|declin(?:e|es|ed)|turned down|quashed",
    ),
    (
        "ris(?:e|es|en|ing)|rose|increas(?:e|es|ed|ing)|gr(?:ow|ows|ew|own|owing)|climb(?:s|ed|ing)?|rais(?:e|es|ed|ing)",
        "fall(?:s|en|ing)?|fell|decreas(?:e|es|ed|ing)|dropp?(?:s|ed|ing)?|shrank|shrunk|reduc(?:e|es|ed|ing)|lower(?:s|ed|ing)",
    ),
    (
        "more|greater|larger|bigger|higher|over|above|at least|longer|exceed(?:s|ed|ing)?",
        "less|fewer|smaller|lower|under|below|at most|shorter",
    ),
    ("earlier|before", "later|after"),
    ("first", "last"),
    ("maxim(?:um|al)|longest|largest|highest|biggest|most", "minim(?:um|al)|shortest|smallest|lowest|least|fewest"),
    ("w(?:in|ins|on)|beat(?:s|en)?", "los(?:e|es|t)"),
    ("pass(?:es|ed)?", "fail(?:s|ed)?"),
    ("includ(?:e|es|ed|ing)", "exclud(?:e|es|ed|ing)"),
    ("enabl(?:e|es|ed|ing)|(?:switched|turned) on", "disabl(?:e|es|ed|ing)|(?:switched|turned) off"),
    ("mandatory|compulsory|required|obligatory", "optional|voluntary"),
    ("open(?:s|ed|ing)?", "clos(?:e|es|ed|ing)"),
    ("arriv(?:e|es|ed|ing)|arrival", "depart(?:s|ed|ing|ure)?|leav(?:e|es|ing)"),
    ("b(?:uy|uys|ought)", "s(?:ell|ells|old)"),
    ("upper", "lower"),
    ("north(?:ern)?", "south(?:ern)?"),
    ("east(?:ern)?", "west(?:ern)?"),
    ("left", "right"),
)
"""Words, and those that say the opposite."""


@remembered
def says_the_opposite(statement: str, sentence: str) -> bool:
    """Whether a sentence has, for a word of a statement that it lacks, one that says the opposite.

    >>> told = "The court dismissed the appeal after two hours."
    >>> says_the_opposite("The court allowed the appeal.", told), says_the_opposite("The court dismissed the appeal.", told)
    (True, False)
    """
    if is_foreign(sentence):
        return False
    for one, other in _patterns():
        said, told = (one.search(text) is not None for text in (statement, sentence))
        said_other, told_other = (other.search(text) is not None for text in (statement, sentence))
        if (said and not told and told_other and not said_other) or (said_other and not told_other and told and not said):
            return True
    return False


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    return tuple((_pattern(one), _pattern(other)) for one, other in _PAIRS)


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
