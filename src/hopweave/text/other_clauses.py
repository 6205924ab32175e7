"""Whether a sentence says what a question asks for in another clause than the one with the answer, or that there is none of it.

`Records are kept for six months; samples are destroyed at once` has all words of "How long are samples kept?" and a time, and
tells nothing of the kind. So words of a question that only a later clause has, one with a subject of its own, are not said of
what comes before it. In English alone: that a clause begins is told by its first words.
"""

from __future__ import annotations

import re
from collections.abc import Set

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.answer_kinds import kind_asked
from hopweave.text.clauses import clause_around
from hopweave.text.content_words import anchors
from hopweave.text.wanted import content_stems

_OWN_NOUN = (
    r"(?:the|an?|its|their|his|her|our|your|my|each|all|every|any|this|these|those|some|most)\s[a-z][\w-]*+|[A-Z][\w-]*+"
)
_FINITE = r"(?:is|are|was|were|has|have|had|must|may|can|will|should|shall|does|do|did|[a-z]{2,20}(?:s|ed))\b"
_SUBJECT = rf"(?:it|they|he|she|we|you|{_OWN_NOUN})(?:\s[a-z][\w-]*+){{0,2}}?\s{_FINITE}"
_THE_REST = r"the\s(?:rest|remainder|others?)\b"
_OWN_CLAUSE = lazy_pattern(
    r";\s+(?!otherwise\b|if\b|else\b|so\b|thus\b)(?:(?:and|but|or)\s)?|,?\s(?:while|whereas)\s"
    rf"|,?\s(?:and|but)\s(?={_THE_REST})|,?\s(?P<joins>and|but)\s(?={_SUBJECT}|[a-z]{{2,20}}\s(?:it|them)\b)"
    r"|,\s(?=the\s[a-z][\w-]*+\s(?:only\s)?(?:one|two|three|\d))"
)
"""What stands before a clause of its own: `and the rest in Brno`, `and change it once a year`, `, the pump two`."""
_OF_WHICH = lazy_pattern(rf",\swhich\s(?={_SUBJECT})")
"""What stands before a clause in which somebody else does something: `the budget, which the board approves`."""
_THEN = lazy_pattern(r"[,;]?\s(?:and\s)?then\s(?=[a-z])")
_NONE_OF = lazy_pattern(
    r"\b(?:(?:without|not)\s(?:any|further)|without\san?|never|nor"
    r"|(?<!with\s)no(?!\s(?:more|less|later|longer|earlier|sooner|fewer)\b))\s(?P<what>[a-z-]{2,30}(?:\s[a-z-]{2,30})?)",
    re.IGNORECASE,
)
_NOT = lazy_pattern(r"\b(?:not|no|never|without|nor|neither|cannot|none|nobody|nothing)\b|n['’]t\b", re.IGNORECASE)
_ASKS = lazy_pattern(
    r"\A\s*(?:[a-z]+\s)?(?:who|whom|whose|what|which|when|where|how)\b(?:\s(?:much|many|long|often|far|old)\b)?", re.IGNORECASE
)
_KIND = lazy_pattern(r"\b(?:what|which)\s(?!is\b|are\b|was\b|were\b)[a-z]+", re.IGNORECASE)
"""What is asked for, which no sentence that has it need say: `what time`."""
_ASIDE = lazy_pattern(
    r",|\b(?:if|when|who|that|which|while|after|before|because|as|for|with|of|in|on|at|by|from|to|per|during|until|since|unless"
    r"|where|without)\b",
    re.IGNORECASE,
)


def is_of_another_clause(query: str, sentence: str, focus: Span, beside: str) -> bool:
    """Whether a sentence says what a query asks for elsewhere than where the words of an answer are.

    Args:
        query: the query, in English.
        sentence: the sentence.
        focus: the position of the words in it.
        beside: what is above the sentence: words that are there are said of all of it.

    >>> told = "40 people work in York and the rest in Leeds."
    >>> [is_of_another_clause(f"How many work in {town}?", told, Span(0, 2), "") for town in ("York", "Leeds")]
    [False, True]
    """
    wanted = content_stems(_KIND.sub(" ", query)) - content_stems(beside)
    return (
        _is_told_later(query, wanted, sentence, focus)
        or _is_told_before(wanted, sentence, focus)
        or _is_there_none(query, sentence)
        or _is_denied_elsewhere(query, sentence, focus)
    )


def _mostly(query: str) -> str:
    """What a query asks for, without what that is of, and under which condition: `is the fee` of `what is the fee for dogs`."""
    asks = _ASKS.match(query)
    start = asks.end() if asks else 0
    aside = _ASIDE.search(query, start)
    return query[start : aside.start() if aside else len(query)]


def _is_told_later(query: str, wanted: Set[str], sentence: str, focus: Span) -> bool:
    """Whether a later clause with a subject of its own has words that are wanted, and what precedes it does not.

    Behind `and`, only a name or what is mostly asked for: `Send the form by 5 May and the office confirms it.`
    """
    cuts = list(_OWN_CLAUSE.finditer(sentence, focus.end))
    if kind_asked(query) == "person":
        cuts = sorted([*cuts, *_OF_WHICH.finditer(sentence, focus.end)], key=re.Match.start)
    if not cuts:
        return False
    first = cuts[0]
    if first.groupdict().get("joins"):
        wanted = wanted & content_stems("\n".join([_mostly(query), *anchors(query)]))
    later = sentence[first.end() : cuts[1].start() if len(cuts) > 1 else len(sentence)]
    return bool((wanted & content_stems(later)) - content_stems(sentence[: first.start()]))


def _is_told_before(wanted: Set[str], sentence: str, focus: Span) -> bool:
    """Whether the answer is in a later step, which has nothing of what is wanted: `Run P3, then wait for 20 minutes.`"""
    then = next(reversed(list(_THEN.finditer(sentence, 0, focus.start))), None)
    if then is None:
        return False
    here = sentence[then.end() : focus.start] + sentence[focus.end :]
    return bool(wanted & content_stems(sentence[: then.start()])) and not wanted & content_stems(here)


def _is_there_none(query: str, sentence: str) -> bool:
    """Whether a sentence only says that there is nothing of what a query asks for, or that it is never so."""
    if _NOT.search(query):
        return False
    denied = {stem for match in _NONE_OF.finditer(sentence) for stem in content_stems(match["what"])}
    return bool(denied) and not denied.isdisjoint(content_stems(_mostly(query)) - content_stems(_NONE_OF.sub(" ", sentence)))


def _is_denied_elsewhere(query: str, sentence: str, focus: Span) -> bool:
    """Whether a query asks what is not so, and a sentence says of something else than the answer that it is not."""
    if not _NOT.search(_mostly(query)):
        return False
    clause = clause_around(sentence, focus)
    return _NOT.search(sentence, clause.start, clause.end) is None and _NOT.search(sentence) is not None
