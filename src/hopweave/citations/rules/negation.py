"""Whether two sentences deny the same things: words that match say nothing if one of the sentences has a "not" before them."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from hopweave.citations.rules.clauses import clause_around
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.content_words import stem, words_of
from hopweave.text.defaults import asks_for_default
from hopweave.text.irregular_verbs import present_of
from hopweave.text.languages import is_foreign, is_foreign_beside

_WORD = lazy_pattern(r"\d+(?:[.,]\d+)+(?!\w)|[^\W_]+(?:['’-][^\W_]+)*")
_OF_VERBS = frozenset({"not", "never", "nor", "neither", "cannot", "nobody", "nothing"})
_FAILING = frozenset({"fail", "fails", "failed", "refuse", "refuses", "refused", "declined", "unable"})
"""With `to`, these deny a verb as well."""

_OF_NOUNS = frozenset({"no", "without"})
_NO_DENIAL = frozenset({"only", "just", "merely", "least", "sooner", "but", "except"})
"""After these, `not` and `no` deny nothing: `not only`, `no sooner`."""

_LEAVING_OUT = lazy_pattern(
    r"\b(?:instead of|rather than|other than|as opposed to|apart from|except(?: for)?|excluding|unlike|without"
    r"|(?:(?:but|and)\s|,\s)not)\s",
    re.IGNORECASE,
)
_NOT_THAT = lazy_pattern(r"not\s(?:(?:at|by|from|in|of|on|to)\s)?(?:the|an?)\s", re.IGNORECASE)
"""How a clause begins that has no verb, and leaves out what it names: `in Sula, not the office in Brno`."""

_NOT_SO = lazy_pattern(
    r"\s(?:[a-z]+\s){0,3}(?:(?:never|not)\s(?:is|are|was|were|do|does|did|has|have|can|will|must)"
    r"|(?:is|are|was|were|do|does|did|has|have|could|would|must)(?:n['’]t|\s(?:not|never))|can(?:['’]t|not|\snot)|won['’]t)\W*",
    re.IGNORECASE,
)
"""What follows words of which a sentence denies what it says of others: `Letters are read, but files never are.`"""
_NOT_USED = lazy_pattern(
    r"(?:(?:\b(?:not|never|cannot)|n['’]t)\s(?:\w+ly\s)?"
    r"(?:us(?:es?|ed|ing)|includ(?:es?|ed|ing)|(?:support|accept|offer)(?:s|ed|ing)?)"
    r"|\bavoid(?:s|ed|ing)?(?:\susing)?|\bwithout\susing"
    r"|(?:^\W*|[.;:,]\s|\bplease\s)(?:do\snot|don['’]t|never)\s(?:\w+ly\s)?"
    r"(?:promis|mention|tell|say|writ|quot|stat|record|enter|nam|giv|announc)e?)\s"
    r"(?:(?!(?:than|before|until|after|over|above|below|more|less|only|just|but|except|unless|if|when|with|without"
    r"|by|to|for|and|or)\b)[^\s,;]+\s+){0,4}[\"'`“‘(\[]?$",
    re.IGNORECASE,
)
"""What stands before what is not used, whatever the question calls that: `for not using the default port 5684`."""

_REPLACED = lazy_pattern(
    r"(?:\s?%|\s\w+){0,3}[\"”'’]{0,2},?\s(?:is|are|was|were|(?:has|have) been|shall be)\s(?:hereby\s)?"
    r"(?:(?:(?:deleted|removed|struck out) and\s)?(?:replaced|substituted|superseded)\s(?:by|with)\b"
    r"|(?:raised|increased|reduced|lowered|cut|extended|shortened|corrected|changed)\sto\s[^\s\w]{0,2}\d)",
    re.IGNORECASE,
)
_NOT_FOR = lazy_pattern(
    r"[^().;\n]{0,30}\((?:but )?(?:not|never|except(?: for)?|excluding|excl\.?)\s(?P<what>[^()]{1,60})\)", re.IGNORECASE
)
"""`17:30 to 18:30 (not on Fridays)`."""
_QUOTED = lazy_pattern(r"[\"”'’]")
_BEFORE = lazy_pattern(
    r"\b(?:before|original(?:ly)?|former(?:ly)?|previous(?:ly)?|first|old|replace[ds]?|until)\b", re.IGNORECASE
)
_UP_TO = lazy_pattern(r"(?:[^\s,]+\s+){0,4}")
"""What may stand between these and the name of what they leave out."""

_ANY = lazy_pattern(rf"n['’]t\b|\bavoid|\b(?:{'|'.join(sorted(_OF_VERBS | _OF_NOUNS | _FAILING))})\b", re.IGNORECASE)
_NUMBER_SIGN = lazy_pattern(r"(?<=\w\s)[Nn]o(?=\.?:)|(?<=[.-])[Nn]o(?=\.?:)|\b[Nn]o(?=\.\s?\d)")
"""`Part no.: 10040`, `Art.-No.: 5`, `No. 7`, which deny nothing."""

_UNTIL = lazy_pattern(r"\b(?:until|till|before)\b", re.IGNORECASE)

_WITHIN, _LOOKED_AT = 3, 12
"""A word is denied in one sentence if it is among the first three after a `not` that say something, since an adverb may come
between; these are looked for among so many."""


class _Denied(NamedTuple):
    """Roots of the words of a sentence.

    Attributes:
        there: all that say something.
        first: the first after each `not`.
        nouns: the first after each `no`: `no files are removed` denies the removal, so it may be said with `not` as well.
        soon: the first few after each of both.
    """

    there: frozenset[str]
    first: frozenset[str]
    nouns: frozenset[str]
    soon: frozenset[str]


def deny_alike(left: str, right: str) -> bool:
    """Whether what one sentence denies is denied by the other as well, if that has the word at all.

    >>> deny_alike("The bridge was not built in 1848.", "The bridge was built in 1848 by Ada Finch.")
    False
    >>> deny_alike("It doesn't remove files.", "Files are never really removed.")
    True
    """
    if is_foreign(left) or is_foreign(right):
        from hopweave.citations.rules.denials import deny_alike_elsewhere  # which few texts need

        return deny_alike_elsewhere(left, right)
    if not (_may_deny(left) or _may_deny(right)):
        return True
    one, other = _denied(left), _denied(right)
    return not _is_said(one, other) and not _is_said(other, one)


def denies_there(asking: str, sentence: str, focus: Span) -> bool:
    """Whether the clause of some words of a sentence denies what asks for them, or leaves the words themselves out.

    Nothing is denied if what asks for the words has a "not" itself.

    >>> told = "Used in Sula instead of Brno, but not sold there."
    >>> [denies_there("Where is it used?", told, Span(start, start + 4)) for start in (8, 24)]
    [False, True]
    """
    if is_foreign_beside(sentence, asking):
        from hopweave.citations.rules.denials import denies_there_elsewhere  # which few texts need

        return denies_there_elsewhere(asking, sentence, focus)
    if is_replaced(asking, sentence, focus):
        return True
    if not (_may_deny(sentence) or _LEAVING_OUT.search(sentence)) or _denied(asking).soon:
        return False
    excluded = _NOT_FOR.match(sentence, focus.end)
    if excluded is not None and _denied(asking).there & set(map(root, words_of(excluded["what"]))):
        return True
    clause = clause_around(sentence, focus)
    if _NOT_THAT.match(sentence, clause.start, focus.start):
        return True
    if _NOT_USED.search(sentence[clause.start : focus.start]) or _NOT_SO.fullmatch(sentence, focus.end, clause.end):
        return True
    denied = _denied(sentence[clause.start : clause.end])
    if _leaves_out(asking, sentence, Span(clause.start, focus.start)):
        return not denied.first
    return bool(denied.first & _denied(asking).there) and _UNTIL.search(sentence, clause.start, focus.start) is None


def is_replaced(asking: str, sentence: str, focus: Span) -> bool:
    """Whether a sentence says that a number or quoted words are replaced, and what asks for them does not ask what was before.

    Of people, it says who came after them.

    >>> told = 'In clause 6, "£250" is replaced by "£320".'
    >>> [is_replaced("What is the cap?", told, Span(start, start + 4)) for start in (14, 35)]
    [True, False]
    >>> is_replaced("How many may board?", "The number, being 96, is reduced to 72.", Span(18, 20))
    True
    """
    found = _REPLACED.match(sentence, focus.end)
    if found is None or _BEFORE.search(asking):
        return False
    return bool(_QUOTED.search(found[0])) or any(map(str.isdigit, sentence[focus.start : focus.end]))


def is_left_out(asking: str, sentence: str, focus: Span) -> bool:
    """Whether a sentence has something else instead of some words: `on 4 November instead of 21 October`, `90, not 60`.

    >>> told = "It is on 4 November instead of 21 October."
    >>> [is_left_out("When is it?", told, Span(start, start + 4)) for start in (9, 31)]
    [False, True]
    """
    if is_foreign_beside(sentence, asking) or not _LEAVING_OUT.search(sentence, 0, focus.start):
        return False
    clause = clause_around(sentence, focus)
    return _NOT_THAT.match(sentence, clause.start, focus.start) is not None or _leaves_out(
        asking, sentence, Span(clause.start, focus.start)
    )


def _leaves_out(asking: str, sentence: str, before: Span) -> bool:
    """Whether the end of the words before others leaves these out.

    What is used `instead of the default` is not left out where a default is asked for, nor is what follows a word of what
    asks: `rather than port 80`.
    """
    if asks_for_default(asking) or _LEAVING_OUT.search(asking) is not None:
        return False
    for match in _LEAVING_OUT.finditer(sentence, before.start, before.end):
        between = _UP_TO.fullmatch(sentence, match.end(), before.end)
        if between is not None and _denied(asking).there.isdisjoint(map(root, words_of(between[0]))):
            return True
    return False


@remembered
def _may_deny(text: str) -> bool:
    """Whether a text has a word that may deny another; most have none, which is found out fast."""
    return _ANY.search(text) is not None


def _is_said(one: _Denied, other: _Denied) -> bool:
    """Whether one sentence denies what the other says."""
    denied = one.first if other.soon else one.first | one.nouns
    return bool(denied & other.there - other.soon)


@remembered
def _denied(sentence: str) -> _Denied:
    words = [match[0].casefold() for match in _WORD.finditer(_NUMBER_SIGN.sub("nr", sentence))]
    first, nouns, soon = set[str](), set[str](), set[str]()
    for index, (word, following) in enumerate(pairwise(words)):
        is_of_two = (word in _FAILING and following == "to") or (word == "no" and following == "longer")
        is_of_verb = is_of_two or word in _OF_VERBS or word.endswith(("n't", "n’t"))
        if (is_of_verb or word in _OF_NOUNS) and following not in _NO_DENIAL:
            begun = index + 1 + is_of_two
            rest = words[begun : begun + _LOOKED_AT]
            after = [root(one) for one in rest if words_of(one) and not one.endswith("ly")][:_WITHIN]
            (first if is_of_verb else nouns).update(after[:1])
            soon.update(after)
    return _Denied(
        frozenset(root(word) for word in words if words_of(word)), frozenset(first), frozenset(nouns), frozenset(soon)
    )


def root(word: str) -> str:
    """The stem of a word, the same for its plural, its third person and its past: `won`, `did not win`."""
    return re.sub("ie$|y$", "i", stem(present_of(word)).removesuffix("s"))
