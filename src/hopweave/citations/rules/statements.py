"""Statements that only add an amount to their question: `The sales of Orlau in May were EUR 8,862 thousand.`"""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.text.amounts import CURRENCY
from hopweave.text.answer_kinds import is_of_kind, kind_asked
from hopweave.text.content_words import keys_of, named_keys, stem, stems_of
from hopweave.text.key_terms import FUNCTION_WORDS

_AMOUNT = lazy_pattern(
    rf"(?:(?:{CURRENCY}|(?-i:\b[A-Z]{{3}}))\s?)?(?<![\w.,−–-])[-−–(]?\d+(?:[.,:]\d+|[ \u00a0\u202f]\d{{3}}(?!\d))*\)?"
    rf"(?:\s?(?:thousand|million|billion))?(?:\s?(?:%|{CURRENCY}|°\s?[CF]|[^\W\d_]{{1,8}}(?:\([A-Z]\))?(?:/[^\W\d_]{{1,8}})*)(?:/\w+)?)?",
    re.IGNORECASE,
)
_NOT = lazy_pattern(r"\b(?:not|no|never|none|neither|nor|without|less|more|most|least)\b|n['’]t\b", re.IGNORECASE)
_FEWEST_WORDS = 4


@remembered
def amount_added(said: str, query: str) -> str:
    """The amount that a statement adds to its question, if it names all that this names and adds nothing else; else empty.

    >>> asked = "What were the sales of Orlau in May 2024?"
    >>> amount_added("The sales of Orlau in May 2024 were EUR 8,862 thousand.", asked)
    'EUR 8,862 thousand'
    >>> amount_added("The sales of Orlau in May 2023 were EUR 8,862 thousand.", asked), amount_added("8,862", asked)
    ('', '')
    """
    if len(said.split()) < _FEWEST_WORDS or _NOT.search(said) or not named_keys(query) <= keys_of(said):
        return ""
    asked, known = keys_of(query), stems_of(query) | set(map(stem, FUNCTION_WORDS))
    new = [found for found in _AMOUNT.finditer(said) if not keys_of(found[0]) <= asked]
    if len(new) != 1:
        return ""
    amount = new[0][0].strip()
    last = amount.rpartition(" ")[2]
    if last.isalpha() and stems_of(last) <= known:  # `5 in`
        amount = amount.rpartition(" ")[0]
    rest = said[: new[0].start()] + " " + said[new[0].start() + len(new[0][0].rstrip()[: len(amount)]) :]
    adds_nothing_else = stems_of(rest) <= known and keys_of(amount) - asked
    return amount if adds_nothing_else and is_of_kind(amount, kind_asked(query)) else ""
