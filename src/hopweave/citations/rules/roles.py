"""Who does something, and to whom: `Ada Finch reports to Ida Renn` does not tell to whom Ida Renn reports.

In English alone, and for a verb that the question and the sentence share.
"""

from __future__ import annotations

import re
from itertools import islice

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.content_words import keys_of, stem
from hopweave.text.irregular_verbs import present_of
from hopweave.text.values import NUMBER_WORDS

_TO_WHOM = lazy_pattern(
    r"\bwhom?\s(?:does|do|did|will|must|should|may|can)\s(?P<other>(?:[\w.'’-]{1,30}\s){1,5}?)(?P<verb>[a-z]{3,20})"
    r"(?=\s(?:to|for|with)\b|\s*\?|\s*\Z)",
    re.IGNORECASE,
)
"""`Who does Ada Finch report to?`"""
_DONE_TO = lazy_pattern(
    r"\bwhom?\s(?:is|are|was|were|gets?|got)\s(?P<verb>[a-z]{2,20}(?:ed|en|id|nt|ught)|met|told|sold|held|shot|hurt|built)\b(?!\sby\b)(?P<other>)",
    re.IGNORECASE,
)
"""`Who is paid?`"""
_WHO_DOES = lazy_pattern(
    r"\bwho\s(?!(?:is|was|has|does)\b)(?P<verb>[a-z]{2,20}(?:s|ed|ught)|sold|lent|paid|sent|gave|met|led|held)\s(?:(?:to|for|with)\s)?(?P<other>[^?,;]{2,60})",
    re.IGNORECASE,
)
"""`Who reports to Ada Finch?`"""
_I_ASK = lazy_pattern(
    r"\b(?:can|may|must|do|should|could|shall|will|did)\s(?:I|we)\s(?:[a-z]{2,20}\s){0,2}?(?P<verb>[a-z]{3,20})\b",
    re.IGNORECASE,
)
_WE_DO = lazy_pattern(r"\bwe\s(?:may|can|must|shall)\s(?:also\s)?(?P<verb>[a-z]{3,20})\b", re.IGNORECASE)
_YOU = lazy_pattern(r"\byou(?:rs?)?\b", re.IGNORECASE)
_WORD = lazy_pattern(r"[A-Za-z]+")
_IS = lazy_pattern(r"\b(?:is|are|was|were|be|been|being|gets?|got)\s(?:[a-z]{1,20}ly\s)?\Z", re.IGNORECASE)
_BY = lazy_pattern(r"\bby\s(?:[\w'’.-]{1,30}\s){0,3}\Z", re.IGNORECASE)
_BEFORE_A_NOUN = lazy_pattern(
    r"\b(?:the|an?|each|every|no|of|to|in|on|at|by|for|with|its|their|his|her|our|your|my|all|some|many|only|\d[\d,.]*"
    rf"|{'|'.join(NUMBER_WORDS)})\s\Z",
    re.IGNORECASE,
)
_BEHIND_A_NOUN = lazy_pattern(r"\s(?:is|are|was|were|has|have|had|must|may|can|will|shall|should)\b")
_AUXILIARY = frozenset(["is", "are", "was", "were", "has", "have", "had", "does", "did"])
_FINITE = lazy_pattern(r"(?:s|ed|ought|old|ent|aid|ave|et)\Z")
_MOST_WORDS, _MOST_BEFORE = 3, 12
"""Of a subject: words that say something, and words of a statement among which its verb is looked for."""
_FARTHEST = 120
_CONVERSE = {"buy": "sell", "borrow": "lend", "learn": "teach", "receive": "give", "rent": "let"}
_CONVERSES = {stem(one): stem(other) for pair in _CONVERSE.items() for one, other in (pair, pair[::-1])}
"""Whoever buys is the one to whom somebody sells."""


def is_in_other_role(query: str, sentence: str, focus: Span) -> bool:
    """Whether the answer to a question about who does something to whom has the other one of the two roles in a sentence.

    >>> told = "Ada Finch reports to Ida Renn."
    >>> [is_in_other_role(asked, told, Span(0, 9)) for asked in ("Who reports to Ida Renn?", "Who does Ida Renn report to?")]
    [False, True]
    """
    if _is_of_the_other_side(query, sentence, focus):
        return True
    to_whom = _TO_WHOM.search(query) or _DONE_TO.search(query)
    asked = to_whom or _WHO_DOES.search(query)
    if asked is None:
        return False
    base = _base(asked["verb"])
    verb = _only(base, sentence)
    converse = _only(_CONVERSES.get(base, ""), sentence) if verb is None else None
    here = verb or converse
    if here is None or (here.start() < focus.end and focus.start < here.end()):
        return False
    is_passive = _IS.search(sentence, max(0, here.start() - _FARTHEST), here.start()) is not None
    is_before = focus.end <= here.start()
    is_by = _BY.search(sentence, max(0, focus.start - _FARTHEST), focus.start) is not None
    does_it = is_by or (is_before and not is_passive)
    others = sentence[here.end() :] if is_before else sentence[: here.start()]
    has_other = set(map(stem, keys_of(asked["other"]))) <= set(map(stem, keys_of(others)))
    if verb is None:  # whoever does the converse
        return does_it and to_whom is None
    if to_whom is not None:
        return does_it and has_other
    return not does_it and not (is_passive and not is_before) and bool(asked["other"].strip()) and has_other


def is_stated_in_other_role(said: str, sentence: str) -> bool:
    """The same for a statement, in which somebody does what a sentence says is done to them.

    >>> told = "The tenant pays the landlord £40."
    >>> [is_stated_in_other_role(f"The {who} pays £40.", told) for who in ("tenant", "landlord")]
    [False, True]
    """
    for verb in islice(_WORD.finditer(said), 1, _MOST_BEFORE):
        if not _may_be_verb(said, verb) or _BEHIND_A_NOUN.match(said, verb.end()):
            continue
        base = _base(verb[0])
        same = _only(base, sentence)
        here = same or _only(_CONVERSES.get(base, ""), sentence)
        if here is None or not _may_be_verb(sentence, here) or not (_FINITE.search(verb[0]) or _FINITE.search(here[0])):
            continue
        subject = set(map(stem, keys_of(said[: verb.start()])))
        before, after = (set(map(stem, keys_of(part))) for part in (sentence[: here.start()], sentence[here.end() :]))
        if 0 < len(subject) <= _MOST_WORDS and subject <= (before if same is None else after - before):
            return True
    return False


def _may_be_verb(text: str, word: re.Match[str]) -> bool:
    """Whether a word of a text may be a verb in the active voice, by its form and by what is before it."""
    is_full = word[0].islower() and word[0] not in _AUXILIARY
    start = max(0, word.start() - _FARTHEST)
    return is_full and not _BEFORE_A_NOUN.search(text, start, word.start()) and not _IS.search(text, start, word.start())


def _is_of_the_other_side(query: str, sentence: str, focus: Span) -> bool:
    """Whether the asker wants to do something, and a sentence that says "you" tells when those do it who wrote it.

    `We may cancel at 14 days' notice to you.`
    """
    asked = _I_ASK.search(query)
    told = None if asked is None else _WE_DO.search(sentence, 0, focus.start)
    if asked is None or told is None or not _YOU.search(sentence, told.end()) or _YOU.search(sentence, 0, told.start()):
        return False
    return any(_base(match[0]) == _base(told["verb"]) for match in _WORD.finditer(query, asked.start("verb")))


def _only(base: str, sentence: str) -> re.Match[str] | None:
    """The only verb of a sentence with a base; `None` if there is none, or several."""
    found = [match for match in _WORD.finditer(sentence) if base and _base(match[0]) == base]
    return found[0] if len(found) == 1 else None


def _base(verb: str) -> str:
    """The stem of a verb, the same for its forms that are asked with."""
    small = verb.casefold()
    present = present_of(small)
    return stem(present if present != small else small.removesuffix("s"))
