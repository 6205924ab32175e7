"""Who the parties of a contract are: `Orlau Ltd ("the Supplier")` and lines such as `Landlord: Ida Renn`.

What a contract says of the Supplier, it says of Orlau. English is understood.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.text.content_words import keys_of

_DEFINED = lazy_pattern(
    r"\(\s*(?:hereinafter\s+|hereafter\s+)?(?:referred to as\s+|called\s+)?(?:the\s+)?[\"“”'‘](?:the\s+)?"
    r"(?P<term>[A-Z][a-z]+(?:\s[A-Z][a-z]+){0,2})[\"“”'’]\s*\)"
)
_LABELLED = lazy_pattern(r"^(?P<term>[A-Z][a-z]+): +(?P<name>[A-Z0-9][^\n]*)$", re.MULTILINE)
_USED = lazy_pattern(r"\b[Tt]he (?P<term>[A-Z][a-z]+)\b")
_FEWEST_LABELLED, _MOST_PARTIES = 2, 20
_SENTENCE_END = lazy_pattern(r"[.:;]\s|\n")
_LONGEST_NAME = 200


class Party(NamedTuple):
    """A party: the words in which it is named, and the term that stands for it."""

    name: str
    term: str


@remembered
def parties_in(text: str) -> tuple[Party, ...]:
    r"""The parties that a text names with the terms for them.

    A line with a label names one if there are several such lines, and the text has the label with an article.

    >>> parties_in('It is made between Orlau Ltd (the "Seller") and Sula plc (the "Buyer").')
    (Party(name='It is made between Orlau Ltd', term='Seller'), Party(name='and Sula plc', term='Buyer'))
    >>> parties_in("Landlord: Ida Renn\nTenant: Ada Finch\n\nThe Tenant shall pay the Landlord.")
    (Party(name='Ida Renn', term='Landlord'), Party(name='Ada Finch', term='Tenant'))
    """
    found, start = [], 0
    for match in _DEFINED.finditer(text):
        said = text[max(start, match.start() - _LONGEST_NAME) : match.start()]
        begun = max((end.end() for end in _SENTENCE_END.finditer(said)), default=0)
        found.append(Party(said[begun:].strip(" ,;"), match["term"]))
        start = match.end()
    terms = {match["term"] for match in _USED.finditer(text)}
    used = [one for one in _LABELLED.finditer(text) if one["term"] in terms]
    if len(used) >= _FEWEST_LABELLED:
        found += [Party(one["name"].strip(), one["term"]) for one in used]
    return tuple(found[:_MOST_PARTIES])


def is_party(name: str, party: Party) -> bool:
    """Whether a name is that of a party.

    >>> is_party("Orlau", Party("Orlau Ltd, a company of Sula", "Seller"))
    True
    """
    return bool(keys_of(name)) and keys_of(name) <= keys_of(party.name)
