"""Which questions ask for an explanation: how something is done or works, and why something is so."""

from __future__ import annotations

import re
from functools import cache

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.text.content_words import content_of
from hopweave.text.languages import NOTHING, language_of, words_for

# Each repetition is bounded or tried in one place only: people who mean harm send texts of nothing but beginnings.
_BEGINS = r"(?:^\W*+|[.,:;!?¿¡]\s\W{0,9}+)"
_LEADS_IN = r"(?:(?:and|but|so|or|also|then|now|ok|okay|please|(?:can|could|would)\syou)\b[\s,]{0,9}+){0,9}+"
_DOER = r"(?:i|we|you|one|people|users?|someone|somebody|anyone|anybody)"
_ENGLISH = lazy_pattern(
    rf"{_BEGINS}{_LEADS_IN}(?:how\sto\b"
    rf"|how\s(?:do|does|can|could|should|would|must|may|might|did)\s{_DOER}\s(?!(?:say|spell|call|pronounce|know)\b)"
    r"|how\s(?:do|does|did)\s[^.?!]{0,400}\bwork\b\W{0,20}+$"
    r"|why\b(?!\snot\b)|explain\b|describe\b|(?:walk|guide|talk)\s(?:me|us)\sthrough\b|(?:tell|show)\s(?:me|us)\s(?:how|why)\b"
    rf"|what\sare\sthe\ssteps\b|what\s(?:do|should|must)\s{_DOER}\s(?:(?:have|need)\sto\s)?do\b)",
    re.IGNORECASE,
)
_FEWEST_WORDS = 4
_WITHOUT_BLANKS = frozenset({"ja", "ko", "zh"})


@remembered
def asks_to_explain(text: str) -> bool:
    """Whether a question asks for an explanation of several sentences rather than for a few words.

    >>> [asks_to_explain(one) for one in ("How do I crop an image?", "Why is the lamp red?", "How many lamps are red?")]
    [True, True, False]
    >>> [asks_to_explain(one) for one in ("Wie lösche ich ein Konto?", "Pourquoi le voyant est-il rouge ?", "Wie heißt sie?")]
    [True, True, False]
    """
    asked, code = " ".join(text.split()), language_of(text)
    is_english = code in {"", "en"} and _ENGLISH.search(asked) is not None
    return is_english or _elsewhere(code).search(asked) is not None


def explains(query: str, said: str) -> bool:
    """Whether an answer is a step or a reason of some words that a query asks for, and no value that another one could replace.

    >>> asked = "How do I reset the lamp?"
    >>> explains(asked, "Take the wick out of the lamp and wait."), explains(asked, "hold it for 9 s")
    (True, False)
    """
    return len(content_of(said, ())) >= _FEWEST_WORDS and asks_to_explain(query)


@cache
def _elsewhere(code: str) -> re.Pattern[str]:
    words = words_for(code, "explains")
    begins = "" if code in _WITHOUT_BLANKS else rf"{_BEGINS}(?:\w{{1,4}}\s)?"  # "Und wie ..."
    return re.compile(rf"{begins}(?:{words})" if words else NOTHING, re.IGNORECASE)
