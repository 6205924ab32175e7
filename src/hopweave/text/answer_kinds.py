"""The kind of answer that a question asks for, and whether an answer is of that kind.

An answer is said to be of another kind only where that is plain: a date in answer to "who", a name in answer to "how many".
English questions are understood best. Of others, those that begin with a word for a person, a place, a time or a number are
(`languages.toml`); of all others, every answer is of the right kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Passage, Span
from hopweave.text.key_terms import FUNCTION_WORDS
from hopweave.text.languages import (
    all_words_for,
    is_foreign,
    language_of,
    months,
    small_words,
    whole_words,
    words_for,
    words_of_all,
)
from hopweave.text.matching import is_contained, is_yes_or_no, normalize_answer
from hopweave.text.scripts import runs_together
from hopweave.text.sentences import first_sentence
from hopweave.text.sizes import measure_of, order_of
from hopweave.text.values import MONTHS, normalize_values
from hopweave.text.values_alike import NUMBER, values_in

Kind = Literal["yes_no", "year", "date", "time", "number", "count", "version", "release", "person", "place", "licence", "any"]

_AUXILIARY = "are|is|was|were|am|do|does|did|have|has|had|can|could|will|would|should|may|must"
_IS_IT = lazy_pattern(rf"\s*(?:{_AUXILIARY})\b", re.IGNORECASE)
_ASKING = lazy_pattern(r"\b(?:who|whom|whose|what|which|where|when|why|how)\b", re.IGNORECASE)
_OF = r"(?= (?:of|where|when|that|(?:in|on|at|from|to) which)\b)"  # unlike `the date format`, `the state bird`
_ASKED: tuple[tuple[Kind, str], ...] = (
    ("year", r"(?:what|which) year"),
    ("version", r"(?:what|which)(?: \w+){0,2} version(?= |\?)"),
    ("release", r"(?:what|which)(?: \w+){0,2} release(?= |\?)"),
    (
        "date",
        rf"when(?= (?:{_AUXILIARY})\b)|(?:what|which)(?: exact)? (?:date|day|month|decade|century)"
        rf"|what (?:is|was) the(?: [a-z]+)? date{_OF}",
    ),
    (
        "number",
        r"how (?:many|much|old|tall|high|long|far|large|big|deep|wide|heavy|fast|often)"
        r"|(?:what|which) (?:number|percentage|age|size|length|height|port|population)|what (?:is|was) the (?:total )?"
        r"(?:number|population|percentage|height|length|size|maximum number|minimum number|default port)",
    ),
    ("licence", r"(?:what|which)(?: \w+)? licen[cs]e"),
    ("person", r"who|whom|whose"),
    (
        "place",
        r"where|(?:what|which)(?: \w+)? (?:city|town|country|county|state|village|place|continent|province|district"
        r"|region|island|nation|municipality|borough)"
        rf"|what (?:is|was) the(?: [a-z]+)? (?:place|birthplace|city|town|country|county|state|village|location){_OF}",
    ),
)
_KINDS = tuple((kind, lazy_pattern(rf"(?:{asked})\b", re.IGNORECASE)) for kind, asked in _ASKED)
_BEGINS_TO_ASK = lazy_pattern(
    r"(?:^|[,;:.]\s|\b(?:in|at|on|from|of|since|by|to|under|with|for|until|before|after)\s)(?=wh|how)", re.IGNORECASE
)
"""Where a question may say what it asks for."""
_ELSEWHERE: tuple[tuple[Kind, str], ...] = (
    ("year", "which_year"),
    ("count", "how_many"),
    ("time", "when"),
    ("person", "who"),
    ("place", "where"),
)
"""The kinds that questions of other languages ask for, and the words in `languages.toml` with which those begin."""
_BEFORE_A_WORD = (
    r"(?:von|mit|für|bei|seit|ab|bis|an|zu|nach|in|und|à|de|pour|avec|depuis|par|et|a|para|con|desde|hasta|por|en|y|di|da|per|e"
    r"|van|met|voor|sinds|tot|op|aan|från|med|för|till|på|av|och|fra|for|til|af|og|z|od|do|dla|po|w|i|za|s|k|v|na|от|с|до|для|к|у"
    r"|по|и|від|з|та|από|για|με|και)"
)
"""What may stand before a word that asks: a preposition, or `and`."""
_HOW_MANY = lazy_pattern(
    r"\bhow many (?:(?:working|business|calendar|consecutive|full|whole|more|extra|additional|free) )?(?P<of>[a-z]+)",
    re.IGNORECASE,
)

_UNIT = lazy_pattern(r"\s?([^\W\d_]+)")
_OF_MONEY = lazy_pattern(r"per|pound|dollar|euro|crown|penc|penn|cent|franc|quid|buck|yen", re.IGNORECASE)
_RELATIVE = lazy_pattern(r",\s+(?:who|whom|whose|where|when)\b", re.IGNORECASE)
_CODE_NAME = lazy_pattern(r"[\"'\u201c]?[A-Z][\w-]+(?: [A-Z][\w-]+)?[\"'\u201d]?")
_FORMULA = lazy_pattern(r"\b[a-z]\s*[-+*/^]\s*\d|\d\s*[-+*/^]\s*[a-z]\b")
_PERIOD = lazy_pattern(
    r"\b(?:century|war|reign|era|age|period|dynasty|spring|summer|autumn|fall|winter|morning|evening|night|noon|dawn|dusk|sunrise|sunset|midnight|today"
    r"|tomorrow|yesterday|day|week|month|year|never|always|before|after|during|while|if|once|until|every|each"
    rf"|mon|tues|wednes|thurs|fri|satur|sun|{'|'.join(MONTHS)})",
    re.IGNORECASE,
)
_AMOUNT = lazy_pattern(
    r"\b(?:no|none|all|both|half|twice|once|dozens?|several|unlimited|infinite|never|always|daily|weekly|monthly|yearly|hourly"
    r"|annually|single|pair|forever|(?:every|each|per|once) (?:an? )?(?:hour|day|week|month|year)"
    r"|an? (?:minute|hour|day|night|week|fortnight|month|quarter|year|decade|century))\b",
    re.IGNORECASE,
)
_LICENCE = lazy_pattern(
    r"[A-Z]{2,}|(?i:licen[cs]e|public domain|apache|artistic|zlib|mozilla|eclipse|creative commons|copyleft|python|free)"
)
_ONE_WORD = lazy_pattern(r"[A-Z]?[a-z]+")
_BEFORE_A_NOUN = (
    r"\b(?:the|an?|this|that|his|her|its|their|our|your|my|each|every|no|in|at|on|by|from|of|for|with|near|behind) (?:[a-z]+ )?"
)
_SUFFIX = lazy_pattern(r"\s*\([^()]*\)$")
_LIFE = lazy_pattern(r"\((?:[^()]*\bborn\b|[^()]*\d{3,4}\)?\s?[–—-]\s?[^()]*\d{3,4})")
_WORK = lazy_pattern(
    r"\b(?:is|was|are)\s+(?:an?|the)\s+(?:[\w'’.-]+\s+){0,6}?"
    r"(?:film|movie|novel|album|song|single|book|magazine|newspaper|series|sitcom"
    r"|opera|play|video game|episode|painting|poem|short story|river|lake|mountain|village|town|city|municipality|county"
    r"|genus|species|award|prize|medal|festival|battle|war|treaty|language|school|university|college|stadium|railway|airport|bridge|building|church)\b",
    re.IGNORECASE,
)
_WORDS_OF_DATES = "in on at the of a st nd rd th bc ad bce ce c circa and to from until"
_DATE_WORDS = frozenset((*_WORDS_OF_DATES.split(), *MONTHS))
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_PERSON = lazy_pattern(r"\bborn\b|\b(?:he|she|his|her)\b|\([^()]*\d{4}[^()]*\)", re.IGNORECASE)


@remembered
def kind_asked(query: str) -> Kind:
    """The kind of answer that a question asks for; `any` if that is not plain.

    >>> kind_asked("In which year was it lit?"), kind_asked("Is it lit?"), kind_asked("Who lit it?"), kind_asked("What lit it?")
    ('year', 'yes_no', 'person', 'any')
    """
    asked = " ".join(query.split())
    code = language_of(asked)
    if code not in {"", "en"}:  # `Was ist das?` has an English word, and asks for no yes
        kind: Kind = next((kind for kind, begins in _kinds_in(code) if begins.search(asked)), "any")
        # With a comma, the word may begin a clause: "Wer zu spät kommt, zahlt was?"
        return "any" if "," in asked and kind in {"person", "place"} else kind
    if _IS_IT.match(asked) and not _ASKING.search(re.split(r"[,;]", asked, maxsplit=1)[0]):
        return "yes_no"
    begun = list(_BEGINS_TO_ASK.finditer(asked))
    # ", who" may begin a clause in the middle of a question that asks for something else.
    found = [
        (_RELATIVE.match(asked, at.start()) is not None, at.start(), kind)
        for kind, pattern in _KINDS
        if (at := next((one for one in begun if pattern.match(asked, one.end())), None))
    ]
    return min(found)[2] if found else "any"


def is_of_kind(answer: str, kind: Kind) -> bool:
    """Whether an answer may be of a kind: `False` only if it plainly is not.

    >>> is_of_kind("1887", "person"), is_of_kind("Ada Finch", "person"), is_of_kind("Ada Finch", "number")
    (False, True, False)
    """
    said = answer.strip()
    if kind not in {"yes_no", "any"} and is_yes_or_no(said) and len(said) <= len("yes."):
        return kind == "number" and said.casefold().startswith("no")
    has_digit, has_letter = any(map(str.isdigit, normalize_values(said))), any(map(str.isalpha, said))
    match kind:
        case "year" | "version":
            return has_digit
        case "release":
            return has_digit or _CODE_NAME.fullmatch(said) is not None
        case "date":
            return has_digit or _PERIOD.search(said) is not None
        case "time":
            return not is_money_or_share(said)
        case "number":
            return (has_digit and not _FORMULA.search(said)) or _AMOUNT.search(said) is not None
        case "count":
            return any(map(str.isnumeric, said)) or _may_say_how_many(said)
        case "licence":
            return _LICENCE.search(said) is not None
        case "person" | "place":
            return has_letter and not is_date(said)
        case _:
            return True


def counts_something_else(query: str, sentence: str, focus: Span) -> bool:
    """Whether a question asks how many of something there are, and a number of a sentence is of another unit, or of money.

    >>> told = "Members of 12 months get 30% off tickets."
    >>> [counts_something_else("How many members are there?", told, Span(start, start + 2)) for start in (11, 25)]
    [True, True]
    >>> counts_something_else("How many months does it take?", told, Span(11, 13))
    False
    """
    asked = _HOW_MANY.search(query)
    if asked is None or _OF_MONEY.match(asked["of"]):
        return False
    unit = _UNIT.match(sentence, focus.end)
    if (
        unit is not None
        and measure_of(asked["of"])
        and measure_of(unit[1])
        and order_of(f"1 {asked['of']}", f"1 {unit[1]}") != 0
    ):
        return True
    value = next((one for one in values_in(sentence) if one.span.start <= focus.start < one.span.end), None)
    if value is None:
        return False
    is_of_things = all(one.kind.startswith(NUMBER) for one in values_in(f"5 {asked['of']}"))
    return value.kind in {"%", "money"} or (is_of_things and not value.kind.startswith((NUMBER, "date")))


def is_something_else(answer: str, kind: Kind, passages: Sequence[Passage]) -> bool:
    """Whether passages show that an answer is nothing of the kind that is asked for.

    Either it is no name, but a common word with which sentences begin (`This`), or it is the title of a passage that says what
    else it is: for "who" a work or a place, for "where" a person.
    """
    if _is_common_word(answer.strip(), kind, passages):
        return True
    named = normalize_answer(answer) if kind in {"person", "place"} else ""
    leads = [first_sentence(one.text) for one in passages if named and normalize_answer(_SUFFIX.sub("", one.title)) == named]
    if kind == "place":
        return any(_LIFE.search(lead) for lead in leads)
    return any(_WORK.search(lead) and not _PERSON.search(lead) for lead in leads)


def _is_common_word(answer: str, kind: Kind, passages: Sequence[Passage]) -> bool:
    """Whether an answer is a function word or, for "who", "where" and "when", a word with which only sentences begin.

    Passages have the latter in small letters, too, and with nothing before it as a noun has. A name is in a title, or somewhere
    has a capital within a sentence.
    """
    if not _ONE_WORD.fullmatch(answer):
        return False
    is_function_word = answer.lower() in FUNCTION_WORDS
    if not is_function_word and (kind not in {"person", "place", "date"} or answer.islower()):
        return False
    capital = re.compile(rf"(?<=[a-z,;] ){answer.capitalize()}(?!\w)")
    if any(capital.search(one.text) or is_contained(answer, one.title) for one in passages):
        return False
    if any(is_foreign(one.text) for one in passages if is_contained(answer, one.text)):  # `to` is two in Danish
        return False
    if is_function_word:
        return True
    small = [
        match for one in passages for match in re.finditer(rf"({_BEFORE_A_NOUN})?(?<![\w-]){answer.lower()}(?![\w-])", one.text)
    ]
    return bool(small) and not any(match[1] for match in small)


def is_money_or_share(answer: str) -> bool:
    """Whether the values in an answer are percentages and sums of money.

    >>> is_money_or_share("£5, or 4%"), is_money_or_share("5 days"), is_money_or_share("the fee")
    (True, False, False)
    """
    kinds = {value.kind for value in values_in(answer)}
    return bool(kinds) and kinds <= {"%", "money"}


def _may_say_how_many(said: str) -> bool:
    """Whether a text without digits may say a number: it has a word for one in some language, or says that there is none."""
    written = {word for words in words_of_all("numbers") for word in words.split()}
    is_counted = any(word in written for word in _LETTERS.findall(said.casefold()))
    return is_counted or re.search(whole_words(all_words_for("denies")), said) is not None


@cache
def _kinds_in(code: str) -> list[tuple[Kind, re.Pattern[str]]]:
    """The kinds that questions of a language ask for, and how they begin; where words run together, the word is anywhere."""
    asked = [(kind, words_for(code, name)) for kind, name in _ELSEWHERE if words_for(code, name)]
    if any(runs_together(words) for _, words in asked):
        return [(kind, re.compile(words)) for kind, words in asked]
    return [
        (kind, re.compile(rf"\A[¿\W]{{0,2}}(?:{_BEFORE_A_WORD}\s)?(?:{words})(?!\w)", re.IGNORECASE)) for kind, words in asked
    ]


def is_date(said: str) -> bool:
    """Whether a text is a date and nothing else.

    >>> is_date("3 May 1887"), is_date("le 12 mars 2024"), is_date("door 3")
    (True, True, False)
    """
    words = set(_LETTERS.findall(said.casefold()))
    beside = small_words() if words & months().keys() else frozenset[str]()
    return any(map(str.isdigit, said)) and words <= _DATE_WORDS | months().keys() | beside
