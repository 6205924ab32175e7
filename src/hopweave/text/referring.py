"""Answers that only say where the answer stands, such as "the amount stated in clause 13.1", or "the Default Rate"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage, Span
from hopweave.text.answer_kinds import kind_asked
from hopweave.text.content_words import stems_of
from hopweave.text.defined_terms import term_label, used_and_defined
from hopweave.text.document_parts import names_a_part
from hopweave.text.key_terms import FUNCTION_WORDS
from hopweave.text.languages import small_words
from hopweave.text.part_references import numbered_references

_FEW = 5
"""An answer of more words beside a reference says something by itself."""
_SMALL = frozenset(
    ("a", "an", "the", "of", "in", "on", "at", "by", "to", "as", "and", "or", "is", "are", "be", "under", "see", "per")
)
"""Those of English that are no `FUNCTION_WORDS`."""
_WORD = lazy_pattern(r"[^\W\d_]+")
_SAYS = (
    r"(?:stated|named|given|set (?:out|forth|down)|defined|listed|described|laid down|specified|mentioned|shown|provided"
    r"|contained|found"
    r"|genannt\w{0,2}|bestimmt\w{0,2}|aufgeführt\w{0,2}|angegeben\w{0,2}|geregelt\w{0,2}|festgelegt\w{0,2}|beschrieben\w{0,2}|vorgesehen\w{0,2}"
    r"|indiqué\w{0,2}|prévu\w{0,2}|énoncé\w{0,2}|défini\w{0,2}|fixé\w{0,2}|mentionné\w{0,2}|indicad\w{1,2}|establecid\w{1,2}"
    r"|previst\w{1,2}|definid\w{1,2}|indicat\w{1,2}|stabilit\w{1,2}|definit\w{1,2}|genoemd\w?|vermeld\w?|bepaald\w?|beschreven)"
)
_ASIDE = lazy_pattern(rf"(?:\([^()]*\Z|,?\s*\bas\s(?:{_SAYS}\s)?(?:in|by|under)\s*\Z)", re.IGNORECASE)
"""What precedes a reference that is no part of what is said: a bracket, or `as laid down in`."""
_POINTING_BEFORE = lazy_pattern(
    rf"(?:{_SAYS}(?:\s[\w'’]{{1,6}}){{0,2}}|\b(?:in|under|by|of|per|from|see|to|nach|gemäß|laut|siehe|im|der|des|voir|selon|à|según|en|secondo"
    r"|volgens|zie)(?:\s(?:the|der|dem|den|la|le|l['’]|el|il|de))?)\s*\Z",
    re.IGNORECASE,
)
_POINTING_AFTER = lazy_pattern(rf"\s{_SAYS}\b", re.IGNORECASE)
_ASKS_FOR_A_NAME = lazy_pattern(
    r"\b(?:abbreviat\w*|acronym\w*|call(?:s|ed)?|names?|named|terms?|stands? for|short for)\b", re.IGNORECASE
)
_ASKS_WHERE = lazy_pattern(
    r"\b(?:where|wo|worin|où|dónde|dove|onde|waar|var|hvor|gdzie|kde|missä|hol|nerede|unde|где|де|που)\b", re.IGNORECASE
)


def only_refers(query: str, said: str) -> bool:
    """Whether an answer says no more than where the answer stands, if the query does not ask for that.

    >>> asked = "What is the most that the Supplier is liable for?"
    >>> [only_refers(asked, one) for one in ("the amount stated in clause 13.1", "1.8 million crowns (clause 13.1)", "§ 12")]
    [True, False, True]
    """
    found = numbered_references(said)
    if not found or _asks_for_a_part(query):
        return False
    before, after = said[: found[0].start], said[found[-1].end :]
    rest = f"{before} {after}"
    words = [word for word in _WORD.findall(rest) if word.casefold() not in FUNCTION_WORDS | small_words() | _SMALL]
    if not words:
        return not any(map(str.isdigit, rest))
    is_aside = _ASIDE.search(before) is not None
    points = _POINTING_BEFORE.search(before) is not None or _POINTING_AFTER.match(after) is not None
    return points and not is_aside and len(words) <= _FEW and not any(map(str.isdigit, rest)) and not _names_else(query, before)


def is_only_a_term(query: str, said: str, using: Passage, found: Iterable[Passage]) -> bool:
    """Whether an answer is no more than a term that is defined elsewhere, such as `the Default Rate`.

    In answer to "who", it names a party; and "Condition Amber" is the condition that a query for one asks for.

    Args:
        query: the query.
        said: the answer.
        using: the passage that it is from.
        found: all that were found.
    """
    words = said.split()
    if not 0 < len(words) <= _FEW or any(map(str.isdigit, said)) or said.islower() or kind_asked(query) == "person":
        return False
    labels = {term_label(said), term_label(" ".join(words[1:]))} - {""}
    if not labels or _ASKS_FOR_A_NAME.search(query) or not stems_of(said).isdisjoint(stems_of(query)):
        return False
    return any(use.label in labels for one in found for use, _ in used_and_defined(using, one))


def is_in_a_reference(query: str, sentence: str, focus: Span) -> bool:
    """Whether some words of a sentence are part of a reference that a query does not ask for.

    >>> sentence = "Invoices are paid within the period laid down in clause 12.4."
    >>> is_in_a_reference("Within how many days are invoices paid?", sentence, Span(56, 60))
    True
    """
    if _asks_for_a_part(query):
        return False
    return any(one.start <= focus.start and focus.end <= one.end for one in numbered_references(sentence))


def _asks_for_a_part(query: str) -> bool:
    """Whether a query asks where something stands."""
    return names_a_part(query) or _ASKS_WHERE.search(query) is not None


def _names_else(query: str, before: str) -> bool:
    """Whether an English answer has a name, within it, that the query lacks."""
    named = [match[0] for match in _WORD.finditer(before) if match[0][0].isupper() and match.start() > 0]
    return bool(named) and before.isascii() and any(word.casefold() not in query.casefold() for word in named)
