"""Whether a sentence says what a question asks for in another clause than the one with the answer, or that there is none of it.

`Records are kept for six months; samples are destroyed at once` has all words of "How long are samples kept?" and a time, and
tells nothing of the kind. So words of a question that only a later clause has, one with a subject of its own, are not said of
what comes before it. In English alone: that a clause begins is told by its first words.
"""

from __future__ import annotations

import re
from collections.abc import Set

from hopweave.citations.rules.clause_openings import FINITE, NUM, OF_FULL_CLAUSES, OWN_CLAUSE, SUBJECT, WITH_THE_SAME_SUBJECT
from hopweave.citations.rules.clauses import clause_around
from hopweave.citations.rules.contrasts import COLOURS
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.answer_kinds import kind_asked
from hopweave.text.content_words import anchors, keys_of
from hopweave.text.values import DAY_NAMES, MONTH_NAMES, NUMBER_WORDS
from hopweave.text.values_alike import CLOCK, NUMBER, Value, are_alike, value_at, values_in
from hopweave.text.wanted import content_stems, letters_in

_ALL = r"(?:(?:the|our|its|all|these|their)\s)?"
_OF_SO_MANY = lazy_pattern(
    rf"\b(?:[Oo]f\s{_ALL}(?={NUM}\s[a-z]+,)|(?:[Hh]alf|[Mm]ost|[Ss]ome|[Mm]any|[Ff]ew|{NUM})\sof\s{_ALL}(?={NUM}\s))"
)
"""What stands before the number of all, of which a sentence then says how many are so."""
_OF_ALL_THAT = lazy_pattern(
    rf"\b[Oo]f\s{_ALL}(?P<all>{NUM})(?P<what>\s[a-z]+\s(?:that|which|who|in|of|on|at)\s[^,;]{{1,60}}),\s(?P<some>[^,;]*)"
)
"""`Of the 14 wells that were tested, 11 met the standard`."""
_OF_WHICH = lazy_pattern(rf"(?:,\swhich|\sthat)\s(?={SUBJECT})")
"""What stands before a clause in which somebody else does something: `the budget, which the board approves`."""
_SAID_ASIDE = lazy_pattern(r",\s(?:whose|who|which|where)\s[^,;]{2,120}(?:[,;]|[.]?\Z)")
_THAT_SOMEBODY = lazy_pattern(rf"\sthat\s(?={SUBJECT})[^,;]{{2,120}}(?:[,;]|\Z)")
_TIME_OF_YEAR = lazy_pattern(rf"\b(?:{MONTH_NAMES}|{DAY_NAMES}|spring|summer|autumn|winter)\b")
_KINDS_OF_WORDS = (
    _TIME_OF_YEAR,
    lazy_pattern(r"\b(?:(?:hour|dai|week|month|year|quarter)ly|annually)\b"),
    lazy_pattern(r"(?<![\w-])--?[a-z][\w-]*"),
    lazy_pattern(r"(?<![\w/])~?(?:/[\w.-]+)+"),
    lazy_pattern(rf"\b(?:{'|'.join(COLOURS)})\b"),
    lazy_pattern(r"\b[A-Z][A-Z\d]*_[A-Z\d_]+\b"),
)
"""Words of which one could stand in another's place, as values can: days, how often, options, paths, colours, variables."""
_ONE_UNIT = lazy_pattern(r"\b(?:for|within|after|to|in|of)\san?\s(?:minute|hour|day|week|month|year)\b")
_HOW_MUCH = lazy_pattern(r"\bhow (?:much|large|big)\b", re.IGNORECASE)
_OF_THAT = 40
"""Characters before what is said aside that name what it is said of."""
_VERB = lazy_pattern(rf"\b{FINITE}")
_CONDITION = lazy_pattern(r"(?:\d[\d.]*\s)?(?:if|when|where|once|as\ssoon\sas|should|unless)\b[^,;]*", re.IGNORECASE)
"""How a sentence begins that says under which condition the rest of it is so."""
_NEGATIVE = lazy_pattern(
    r"\b(?:except\w*|exclu\w+|omit\w*|lack\w*|fail\w*|refus\w+|prohibit\w*|forbid\w*|forbade|bann?\w*|avoid\w*|abstain\w*|absent|missing"
    r"|den(?:y|ied|ies)|declin\w+|reject\w*|exempt\w*|disabl\w+|unable|impossible|invalid|ineligible|illegal|extra|separate\w*|instead"
    r"|rather|only|free|too|hardly|rarely|against|loses?|lost|un[a-z]{4,}|dis[a-z]{4,})\b",
    re.IGNORECASE,
)
"""What may say what is not so without a "not"."""
_THEN = lazy_pattern(r"[,;]?\s(?:and\s)?then\s(?=[a-z])")
_NONE_OF = lazy_pattern(
    r"\b(?:(?:without|not)\s(?:any|further)|without\san?|never|nor"
    r"|(?<!with\s)no(?!\s(?:more|less|\w+er)\b))\s(?P<what>[a-z-]{2,30}(?:\s[a-z-]{2,30})?)",
    re.IGNORECASE,
)
_BUT_NOT = lazy_pattern(r",?\s(?:but|and)\s(?:not|never)\b")
_PAUSE = lazy_pattern(r"[,;]\s")
_WITH = lazy_pattern(r"\b(?P<with>with(?P<out>out)?)\s(?:(?:the|an?|any)\s)?(?P<what>[a-z][a-z-]+|it\b|them\b)", re.IGNORECASE)
_NOT = lazy_pattern(r"\b(?:not|no|never|without|nor|neither|cannot|none|nobody|nothing)\b|n['’]t\b", re.IGNORECASE)
_ASKS = lazy_pattern(
    r"(?:\A|[,.;:!]\s)\s*(?:[a-z]+\s)?(?:who|whom|whose|what|which|when|where|how)\b(?:\s(?:much|many|long|often|far|old)\b)?",
    re.IGNORECASE,
)
_KIND = lazy_pattern(r"\b(?:what|which|how)\s(?!is\b|are\b|was\b|were\b)[a-z]+", re.IGNORECASE)
"""What is asked for, which no sentence that has it need say: `what time`, `how long`."""
_ASIDE = lazy_pattern(
    r"[,(]|\b(?:if|when|who|that|which|while|after|before|because|as|for|with|of|in|on|at|by|from|to|per|during|until|since|unless"
    r"|where|without)\b",
    re.IGNORECASE,
)


def is_of_another_clause(query: str, sentence: str, focus: Span, beside: str, before: str = "") -> bool:
    """Whether a sentence says what a query asks for elsewhere than where the words of an answer are.

    Args:
        query: the query, in English.
        sentence: the sentence.
        focus: the position of the words in it.
        beside: what is above the sentence: words that are there are said of all of it.
        before: the text before it, which may say of what an amount is that the sentence divides.

    >>> told = "40 people work in York and the rest in Leeds."
    >>> [is_of_another_clause(f"How many work in {town}?", told, Span(0, 2), "") for town in ("York", "Leeds")]
    [False, True]
    """
    return _is_of_another(query, sentence, focus, beside, before, is_who=kind_asked(query) == "person")


def is_stated_of_another_clause(query: str, said: str, sentence: str, beside: str, before: str = "") -> bool:
    """The same for a statement: whether the last name or number that it adds to a query is of another clause than its words.

    >>> told = "Records are kept for six months, 12 of them for 9; samples are destroyed."
    >>> [is_stated_of_another_clause("", f"{what} are kept for 9.", told, "") for what in ("Records", "Samples")]
    [False, True]
    """
    known = keys_of(query)
    values = (said[value.span.start : value.span.end] for value in values_in(said))
    added = [one for one in (*values, *anchors(said)) if not keys_of(one) <= known and sentence.count(one) == 1]
    if not added:
        return False
    start = sentence.find(added[-1])
    rest = said.replace(added[-1], " ")
    return _is_of_another(
        rest, sentence, Span(start, start + len(added[-1])), beside, before, is_who=kind_asked(query) == "person"
    )


def _is_of_another(query: str, sentence: str, focus: Span, beside: str, before: str, *, is_who: bool) -> bool:
    wanted = content_stems(_KIND.sub(" ", query)) - _stems_said(query, beside)
    return (
        _is_number_of_all(wanted, sentence, focus)
        or _is_told_later(query, wanted, sentence, focus, before, is_who=is_who)
        or _is_said_aside(wanted, sentence, focus, is_who=is_who)
        or _is_told_of_before(query, wanted, sentence, focus, is_who=is_who)
        or _is_of_an_earlier_thing(wanted, sentence, focus)
        or _is_of_an_earlier_step(wanted, sentence, focus)
        or _is_there_none(query, sentence, focus)
        or _is_without(query, sentence, focus)
        or _is_denied_elsewhere(query, sentence, focus)
    )


def _stems_said(query: str, beside: str) -> frozenset[str]:
    """The stems of words of a query that are above a sentence as well: a consultancy is no consultant."""
    there = {key.removesuffix("s") for key in keys_of(beside)}
    said = [key for key in keys_of(query) if key.removesuffix("s") in there]
    return frozenset(stem for key in said for stem in content_stems(key)) | (content_stems(query) & letters_in(beside))


def _mostly(query: str) -> str:
    """What a query asks for, without what that is of, and under which condition: `is the fee` of `what is the fee for dogs`."""
    asks = _ASKS.search(query)
    start = asks.end() if asks else 0
    aside = _ASIDE.search(query, start)
    return query[start : aside.start() if aside else len(query)]


def _is_number_of_all(wanted: Set[str], sentence: str, focus: Span) -> bool:
    """Whether the answer is how many there are at all, and the sentence says of some of them what is wanted, or the reverse."""
    for match in _OF_ALL_THAT.finditer(sentence):
        of_all, of_some = content_stems(match["what"]), content_stems(match["some"])
        if match.start("all") <= focus.start < match.end("all"):
            return bool((wanted & of_some) - of_all)
        if match.start("some") <= focus.start < match.end("some"):
            return bool(wanted & of_all) and not wanted & of_some
    if not any(match.end() == focus.start for match in _OF_SO_MANY.finditer(sentence)):
        return False
    rest = sentence[focus.end :].split(maxsplit=1)[1:]  # without what they are
    return bool(rest) and bool(wanted & content_stems(rest[0]))


def _is_told_later(query: str, wanted: Set[str], sentence: str, focus: Span, before: str, *, is_who: bool) -> bool:
    """Whether a later clause with a subject of its own has words that are wanted, and what precedes it does not.

    Behind `and`, only a name or what is mostly asked for: `Send the form by 5 May and the office confirms it.` Not if what
    precedes it is a condition that is asked for: `If it is more than 14 days late, interest is charged.`
    """
    condition = _CONDITION.match(sentence)
    end = condition.end() if condition is not None else 0
    if focus.end <= end and wanted & content_stems(sentence[: focus.start] + sentence[focus.end : end]):
        return False
    # What is said of the same subject as well may be asked of the answer: `The fee is £5 and is paid in May.`
    cuts = [cut for cut in OWN_CLAUSE.finditer(sentence, focus.end) if cut.lastgroup not in WITH_THE_SAME_SUBJECT]
    if is_who:
        cuts = sorted([*cuts, *_OF_WHICH.finditer(sentence, focus.end)], key=re.Match.start)
    if not cuts:
        return False
    first = cuts[0]
    if first.lastgroup == "part":
        wanted = wanted - content_stems(before)
    if first.lastgroup == "joins":
        wanted = wanted & content_stems("\n".join([_mostly(query), *anchors(query)]))
    later = sentence[first.end() : cuts[1].start() if len(cuts) > 1 else len(sentence)]
    if behind := next((cut for cut in cuts[1:] if cut.lastgroup == "semicolon"), None):
        later += f" {sentence[behind.end() :]}"
    return bool((wanted & content_stems(later)) - content_stems(sentence[: first.start()]))


def _is_said_aside(wanted: Set[str], sentence: str, focus: Span, *, is_who: bool) -> bool:
    """Whether the answer is said aside, and what is wanted is not: `Ada Finch, whose sister is Ida Renn, runs the shop.`"""
    found = [*_SAID_ASIDE.finditer(sentence), *(_THAT_SOMEBODY.finditer(sentence) if is_who else ())]
    aside = next((match for match in found if match.start() < focus.start and focus.end < match.end()), None)
    if aside is None:
        return False
    outside = wanted & content_stems(f"{sentence[: aside.start()]} {sentence[aside.end() :]}")
    if _has_alike_outside(sentence, focus, aside) and not wanted & content_stems(aside[0]) and outside:
        return True
    if not is_who and outside <= content_stems(sentence[max(0, aside.start() - _OF_THAT) : aside.start()]):
        return False  # `the trial period, which lasts six months,`
    return not wanted & content_stems(aside[0]) and bool(outside)


def _has_alike_outside(sentence: str, focus: Span, aside: re.Match[str]) -> bool:
    """Whether a value like that of an answer stands in a sentence outside what is said aside."""
    values = values_in(sentence)
    own = value_at(focus, values)
    outside = [one for one in values if not aside.start() <= one.span.start < aside.end()]
    return own is not None and any(are_alike(one.kind, own.kind) for one in outside)


def _is_told_of_before(query: str, wanted: Set[str], sentence: str, focus: Span, *, is_who: bool) -> bool:
    """Whether the answer is in a later clause, and the one before has more of what is wanted, and something that answers it."""
    cuts = [match for match in OWN_CLAUSE.finditer(sentence) if match.end() <= focus.start]
    full = [match for match in cuts if match.lastgroup in OF_FULL_CLAUSES]
    if not full:
        return False
    before = sentence[sentence.rfind(";", 0, full[-1].start()) + 1 : full[-1].start()]
    after = next(OWN_CLAUSE.finditer(sentence, focus.end), None)
    own = sentence[full[-1].end() : focus.start] + sentence[focus.end : after.start() if after else len(sentence)]
    ours, theirs = wanted & content_stems(own), wanted & content_stems(before)
    if not ours < theirs:
        return False
    is_subject = not sentence[full[-1].end() : focus.start].removeprefix("the ").strip()
    if is_subject and not ours and len(wanted) > 1 and wanted <= theirs:
        return True
    if is_who:
        return any(not content_stems(name) <= wanted for name in anchors(before))
    values = [one for one in values_in(sentence) if one.span.start < focus.end and focus.start < one.span.end]
    if not values and sentence[focus.start : focus.end].casefold() in NUMBER_WORDS:  # `for two seconds; if held for ten, ...`
        return bool(values_in(before))
    for kind in _KINDS_OF_WORDS if not values else ():
        if kind.search(sentence, focus.start, focus.end):
            return any(not keys_of(other[0]) <= keys_of(query) for other in kind.finditer(before))
    if any(value.kind == "time" for value in values) and _ONE_UNIT.search(before):
        return True
    is_much = _HOW_MUCH.search(query) is not None
    return any(_are_alike(value, other, is_much=is_much) for value in values for other in values_in(before))


def _are_alike(one: Value, other: Value, *, is_much: bool) -> bool:
    """Whether one value could be meant where another stands; what they count may be a verb: `under six travel free`.

    To a question for how much, not how many, a number of things is one where an amount stands.
    """
    if is_much and one.kind.startswith(NUMBER) and other.kind not in {"date", CLOCK}:
        return True
    return are_alike(one.kind, other.kind, whatever_is_counted=True)


def _is_of_an_earlier_thing(wanted: Set[str], sentence: str, focus: Span) -> bool:
    """Whether the answer is in a clause without a verb, which is about another thing: `The roof is by Ada, the wall by Ida.`"""
    cuts = [
        match
        for match in OWN_CLAUSE.finditer(sentence, 0, focus.end)
        if match.lastgroup == "gap" and match.end() <= focus.start
    ]
    if not cuts or _VERB.search(sentence, cuts[-1].end(), focus.start):
        return False
    own = content_stems(sentence[cuts[-1].end() : focus.start])
    before = content_stems(_VERB.sub(" ", sentence[: cuts[-1].start()]))
    return bool(own - wanted) and bool((wanted & before) - own) and not own & (wanted - before)


def _is_of_an_earlier_step(wanted: Set[str], sentence: str, focus: Span) -> bool:
    """Whether the answer is in a later step, which has nothing of what is wanted: `Run P3, then wait for 20 minutes.`"""
    then = next(reversed(list(_THEN.finditer(sentence, 0, focus.start))), None)
    if then is None:
        return False
    here = sentence[then.end() : focus.start] + sentence[focus.end :]
    return bool(wanted & content_stems(sentence[: then.start()])) and not wanted & content_stems(here)


def _is_there_none(query: str, sentence: str, focus: Span) -> bool:
    """Whether a sentence only says that there is nothing of what a query asks for, or that it is never so.

    Not if that ends before the answer: `No dogs on the beach, but they may be on the dunes.`
    """
    if _NOT.search(query):
        return False
    denied = set[str]()
    for match in _NONE_OF.finditer(sentence):
        if not _PAUSE.search(sentence, match.end(), max(match.end(), focus.start)):
            denied |= content_stems(match["what"])
    return bool(denied) and not denied.isdisjoint(content_stems(_mostly(query)) - content_stems(_NONE_OF.sub(" ", sentence)))


def _is_without(query: str, sentence: str, focus: Span) -> bool:
    """Whether a query asks for something with something, and the answer is directly before `without` that, or the reverse."""
    asked, told = _WITH.search(query), _WITH.match(sentence, focus.end + 1)
    if asked is None or told is None or bool(asked["out"]) == bool(told["out"]):
        return False
    return told["what"].casefold() in {asked["what"].casefold(), "it", "them"}


def _is_denied_elsewhere(query: str, sentence: str, focus: Span) -> bool:
    """Whether a query asks what is not so, and a sentence says that of something else than the answer, or of nothing."""
    if not _NOT.search(_mostly(query)):
        return False
    if not _NOT.search(sentence) and not _NEGATIVE.search(sentence):
        return True
    clause = clause_around(sentence, focus)
    aside = _BUT_NOT.search(sentence, focus.end, clause.end)
    end = aside.start() if aside else clause.end
    return _NOT.search(sentence, clause.start, end) is None and _NOT.search(sentence) is not None
