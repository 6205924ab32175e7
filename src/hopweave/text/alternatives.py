"""The two things that a question compares, or offers to choose between, in the words of the question."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.comparing import wanted_of
from hopweave.text.content_words import anchors
from hopweave.text.key_terms import words_in
from hopweave.text.languages import language_of, words_for
from hopweave.text.quotation import QUOTATION_MARKS

_ASKS = lazy_pattern("[?؟]")
_SENTENCE = lazy_pattern(r"(?<=[.!?])\s+(?=[A-Z])")
_TOKEN = lazy_pattern(r"[^\s,;:?!()—؟،]+|[,;:?!()—؟،]")
_APART = frozenset(",;:?!()—؟،")
_POSSESSIVE = lazy_pattern(r"\w['’]s")
_PAIR = lazy_pattern(r"\b(?:both|which\s+of)\s+(?:the\s+)?$", re.IGNORECASE)
_OF_TWO = lazy_pattern(r"\bbetween\b|\bof the two\b", re.IGNORECASE)
"""Of a comparison; what differs between two things is said of both at once."""
_CLAUSE = "if when while which what who whose whom where how"
"""Words that begin another clause and no alternative: `Is it safe, when tags are pushed or fetched?`."""

_AROUND = """
do does did is are was were be has have had can could may might will would should must which what who whose whom when where
how why between of by with than as for in on at to from it that if unless I you we they and or both my your me more most
less least longer shorter first last earlier later older newer bigger smaller larger higher lower same one there
"""
"""Words with which no short name goes on: it begins after one, or ends before one."""

_VERBS = frozenset(["is", "are", "was", "were", "do", "does", "did", "has", "have", "had"])
_NO_COMPARISON = frozenset(["rather", "other", "different", "else", "no", "not"])
"""Words before `than` that compare no sizes."""

_ENDS_A_NAME = _APART.union(_AROUND.split())
_BETWEEN = lazy_pattern(r",?\s+(?:or|and)\s+", re.IGNORECASE)
_AROUND_A_NAME = f" ,?!.{QUOTATION_MARKS}"
_ARTICLE = lazy_pattern(r"(?:the|an?|its)\s+")
_LONGEST_NAME = 6
_LONGEST_CLAUSE = 12


class Alternative(NamedTuple):
    """One of the two things.

    Attributes:
        words: what the question calls it.
        question: the question about it alone, without the words of the other.
    """

    words: str
    question: str


def alternatives(question: str) -> tuple[Alternative, Alternative] | None:
    """The two things that a question compares; `None` if it compares none, more than two, or not plainly.

    At the end of a question, after a comma or a colon, each may be a clause; elsewhere it is a name of a few words, in English
    alone.

    >>> for one in alternatives("Which aims at a shorter delay, CoDel or PIE?"):
    ...     print(one.question)
    Which aims at a shorter delay, CoDel?
    Which aims at a shorter delay, PIE?
    >>> for one in alternatives("Do Python's gzip and bz2 compress at the same level?"):
    ...     print(one.words, "-", one.question)
    Python's gzip - Do Python's gzip compress at the same level?
    bz2 - Do Python's bz2 compress at the same level?
    >>> for one in alternatives("How much heavier is the WM 60 than the WM 40?"):
    ...     print(one.question)
    How much heavier is the WM 60?
    How much heavier is the WM 40?
    >>> alternatives("How do I list or delete tags?")
    """
    ends = [gap.end() for gap in _SENTENCE.finditer(question)]
    for start, end in zip([0, *ends], [*ends, len(question)], strict=True):
        is_asked = _ASKS.search(question, start, end) is not None or end == len(question)
        than = _than(question, start, end) if is_asked else None
        if than is not None:
            first, second = (question[side.start : side.end] for side in than)
            before, behind = question[: than[0].start], question[than[1].end :]
            asks = question[than[0].end : than[1].start].rstrip().removesuffix("than").rstrip()
            return Alternative(first, f"{before}{first}{asks}{behind}"), Alternative(second, f"{before}{second}{asks}{behind}")
        sides = _sides(question, start, end) if is_asked else None
        if sides is not None:
            first, second = (question[side.start : side.end] for side in sides)
            before, behind = question[: sides[0].start], question[sides[1].end :]
            owner = "" if _POSSESSIVE.search(second) else _owner(first)
            return Alternative(first, before + first + behind), Alternative(second, before + owner + second + behind)
    return None


def sides_of(question: str) -> tuple[str, str] | None:
    """What a question calls the two things that it compares, without an article; `None` if they are not plainly named.

    >>> sides_of("Which film came out first, Low Water or The Long Tide?")
    ('Low Water', 'The Long Tide')
    >>> sides_of("Are Sula and Orlau in the same country?")
    ('Sula', 'Orlau')
    >>> sides_of("Which holds more packets, fq or the fq_codel queue?")
    ('fq', 'fq_codel queue')
    """
    names = anchors(question)
    for between in _BETWEEN.finditer(question):
        before = question[: between.start()].rstrip(_AROUND_A_NAME)
        behind = question[between.end() :].lstrip(_AROUND_A_NAME)
        left = next((name for name in names if before.endswith(name)), "")
        right = next((name for name in names if behind.startswith((name, f"the {name}"))), "")
        if left and right:
            return left, right
    compared = alternatives(question)
    if compared is None:
        return None
    first, second = (_ARTICLE.sub("", one.words) for one in compared)
    return first, second


def _sides(text: str, start: int, end: int) -> tuple[Span, Span] | None:
    """Where the two stand in a sentence of a text."""
    tokens = list(_TOKEN.finditer(text, start, end))
    while tokens and tokens[-1][0] in _APART:
        tokens.pop()
    # In the names of films and books, any word may have a capital letter: it is a part of the name.
    words = [token[0] if token.start() > start else token[0].lower() for token in tokens]
    language = language_of(text)
    is_english = language in {"", "en"}
    either = ["or"] if is_english else words_for(language, "either").split()
    wanted = wanted_of(text[start:end]) if is_english else None
    is_choice = any(word in either for word in words)
    is_compared = wanted == "same" or (wanted is not None and _OF_TWO.search(text, start, end) is not None)
    if not (is_choice or is_compared or is_english):
        return None
    places = [place for place, word in enumerate(words[:-1]) if (word in either if is_choice else word == "and")]
    if not places:
        return None
    found = _clauses(words, places[-1]) if is_choice else None
    if found is None and (wanted is not None or not is_choice):
        found = _names(words, places[-1])
    if found is None or _is_listed(words, found[0].start):
        return None
    spans = [Span(tokens[side.start].start(), tokens[side.end - 1].end()) for side in found]
    if not (is_choice or is_compared or _PAIR.search(text[start : spans[0].start])):
        return None
    return (spans[0], spans[1]) if all(_says_something(text[span.start : span.end]) for span in spans) else None


def _than(text: str, start: int, end: int) -> tuple[Span, Span] | None:
    """Where the two stand in an English sentence that says which one is compared with which: `Is A longer than B?`.

    The first stands behind the verb, and has as many words as the second.
    """
    tokens = list(_TOKEN.finditer(text, start, end))
    while tokens and tokens[-1][0] in _APART:
        tokens.pop()
    words = [token[0] if token.start() > start else token[0].lower() for token in tokens]
    than = next((place for place in range(len(words) - 2, 1, -1) if words[place] == "than"), 0)
    if not than or words[than - 1] in _NO_COMPARISON or language_of(text) not in {"", "en"}:
        return None
    second = list(itertools.takewhile(lambda word: word not in _APART, words[than + 1 :]))
    num_words = sum(map(_says_something, second))
    is_name = num_words > 0 and len(second) < _LONGEST_NAME and _ENDS_A_NAME.isdisjoint(second) and not second[0][0].isdigit()
    verb = next((place for place, word in enumerate(words[:than]) if word in _VERBS), than)
    ending = verb + 1
    while ending < than and num_words and words[ending] not in _ENDS_A_NAME:
        num_words -= _says_something(words[ending])
        ending += 1
    if not is_name or num_words or ending == verb + 1:
        return None
    first = Span(tokens[verb + 1].start(), tokens[ending - 1].end())
    return first, Span(tokens[than + 1].start(), tokens[than + len(second)].end())


def _clauses(words: Sequence[str], between: int) -> tuple[Span, Span] | None:
    """The clauses before and behind a word, up to the end: `..., CoDel or PIE`."""
    last = between - (words[between - 1 : between] == [","])
    start = next((place + 1 for place in range(last - 1, -1, -1) if words[place] in _APART), 0)
    is_long = last - start > _LONGEST_CLAUSE or len(words) - between > _LONGEST_CLAUSE + 1
    if not start or start >= last or is_long or words[start] in _CLAUSE.split() or not _APART.isdisjoint(words[between + 1 :]):
        return None
    return Span(start, last), Span(between + 1, len(words))


def _names(words: Sequence[str], between: int) -> tuple[Span, Span] | None:
    """The short names before and behind a word; the second has as many words as the first, if it does not end earlier."""
    start = between
    while start and between - start < _LONGEST_NAME and words[start - 1] not in _ENDS_A_NAME:
        start -= 1
    if start == between:
        return None
    end = between + 1
    num_words = sum(map(_says_something, words[start:between]))
    if _owner(words[start]) and not any(map(_owner, words[end : end + 1])):
        num_words -= 1
    while end < len(words) and end - between <= _LONGEST_NAME and words[end] not in _ENDS_A_NAME:
        num_words -= _says_something(words[end])
        if num_words < 0:
            break
        end += 1
    return (Span(start, between), Span(between + 1, end)) if between + 1 < end else None


def _is_listed(words: Sequence[str], start: int) -> bool:
    """Whether another thing, between commas, stands before what starts here, so that there are more than two."""
    comma = start - 1
    if start < 2 or words[comma] != ",":
        return False
    begin = comma
    while begin and words[begin - 1] not in _ENDS_A_NAME:
        begin -= 1
    return begin < comma and words[begin - 1] == ","


def _says_something(text: str) -> bool:
    return any(word.says_something for word in words_in(text))


def _owner(name: str) -> str:
    """The owner with which a name begins, such as `Python's `; empty if there is none."""
    word = name.split(maxsplit=1)[0]
    return f"{word} " if _POSSESSIVE.search(word) else ""
