"""What sentences of other languages than English deny or leave open, by the words of `languages.toml`.

Where a "not" stands, and how far it reaches, differs from language to language, so here it denies all of its clause. A clause
ends where punctuation says so; what stands between commas is one of its own only if it begins with a word such as "if" or
"but", or has a few words. So more is withheld than in English, where the word that is denied is known
(`citations.rules.negation`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.content_words import stem
from hopweave.text.languages import NOTHING, language_beside, language_of, small_words, whole_words, words_for
from hopweave.text.scripts import content_apart

_FEWEST_WORDS = 3
"""Words that say something, of what stands between commas, to be a clause."""

_LEAST_SHARE = 0.5
"""The share of the words of a clause that another text has if it speaks of the same."""

_UNSPACED = frozenset({"ja", "zh", "ko", "th"})
_STRONG = lazy_pattern(r"[;:؛()\[\]…]|[.!?؟](?=\s)")
_COMMA = lazy_pattern(r"[,،](?=\s)")
_WORD = lazy_pattern(r"[^\W_]+")
_TO_DO = lazy_pattern(r"\bzu \w+n\b|\b\w+zu\w+en\b")  # a German infinitive clause, which the one before it may deny
_CHINESE = lazy_pattern(r"[，；。！？：（）()「」『』“”《》;]|[,:](?=\s)")
_JAPANESE = lazy_pattern(
    r"[。；！？：（）()「」『』;]|(?:場合|とき|時)(?:には|には|に|は)?[、,]?|(?:れば|たら|なら|ても|ので|から|ため|ますが|ですが|るが|たが|けど|し|て)[、,]"
)
_KOREAN = lazy_pattern(r"[;:()「」『』]|[,.](?=\s)|(?:면|지만|는데)\s")
_NEGATED = lazy_pattern(r"[不非未無无没沒]$")
_HAN = lazy_pattern(r"[\u3400-\u9fff]")


class _Rules(NamedTuple):
    """The words of a language, as patterns; one that has none matches nothing."""

    denies: re.Pattern[str]
    allows: re.Pattern[str]
    leaves_out: re.Pattern[str]
    leaves_out_after: re.Pattern[str]
    hedges: re.Pattern[str]
    ifs: re.Pattern[str]
    begins: frozenset[str]
    governed: frozenset[str]


class _Clause(NamedTuple):
    """A clause.

    Attributes:
        span: where it is in its text.
        denies: whether it denies what it says: 1 by a "not", 2 by a "without" or "except", 3 by both, which is neither.
        said: the stems of its words that say something.
    """

    span: Span
    denies: int
    said: frozenset[str]


def deny_alike_elsewhere(left: str, right: str) -> bool:
    """Whether what a clause of one text denies is denied by the other as well, if that speaks of it at all.

    >>> deny_alike_elsewhere("Archive können verkettet werden.", "Komprimierte Archive können nicht verkettet werden.")
    False
    """
    one, other = _clauses(left), _clauses(right)
    return not _is_said(one, other) and not _is_said(other, one)


def denies_there_elsewhere(asking: str, sentence: str, focus: Span) -> bool:
    """Whether the clause of some words of a sentence denies what asks for them, or does not deny what that denies.

    Args:
        asking: the question and the answer.
        sentence: the sentence.
        focus: the position of the words in it.

    >>> told = "Es wirkt auf das Lesen, jedoch nicht auf das Schreiben."
    >>> [denies_there_elsewhere("Worauf wirkt es?", told, Span(start, start + 5)) for start in (17, 45)]
    [False, True]
    """
    asked, code = _clauses(asking), language_beside(sentence, asking)
    clauses = _clauses(sentence, code)
    around = [clause for clause in clauses if clause.span.start < focus.end and focus.start < clause.span.end]
    if any(clause.denies for clause in around) or _is_left_out(sentence, code, focus):
        words = _clauses(sentence[focus.start : focus.end], code)
        rest = [clause._replace(said=clause.said.difference(*(one.said for one in words))) for clause in around]
        return not any(clause.denies for clause in asked) or _is_said(rest, asked, fewest=2)
    return _is_said(asked, around, fewest=2)


def is_left_open_elsewhere(asking: str, sentence: str, focus: Span) -> bool:
    """Whether the clause of some words of a sentence has a hedge, and what asks for them has none.

    >>> is_left_open_elsewhere("Wer baute sie?", "Möglicherweise wurde sie von Karl Huber gebaut.", Span(30, 40))
    True
    """
    code = language_beside(sentence, asking)
    hedges = _rules(code).hedges
    if not hedges.search(sentence) or _rules(language_of(asking)).hedges.search(asking):
        return False
    spans = (clause.span for clause in _clauses(sentence, code))
    around = (span for span in spans if span.start < focus.end and focus.start < span.end)
    return any(hedges.search(sentence, span.start, span.end) for span in around)


def _is_said(denying: Sequence[_Clause], other: Sequence[_Clause], *, fewest: int = 1) -> bool:
    """Whether another text says what a clause denies: no clause of it that has most of the words denies them.

    Args:
        denying: the clauses of the one text.
        other: those of the other.
        fewest: the number of words that both have to have.
    """
    for clause in denying:
        shared = [len(clause.said & one.said) for one in other]
        most = max(shared, default=0)
        if not clause.denies or not clause.said or most < max(fewest, _LEAST_SHARE * min(len(clause.said), _most_said(other))):
            continue
        if not any(one.denies == clause.denies for one, num in zip(other, shared, strict=True) if num == most):
            return True
    return False


def _most_said(clauses: Sequence[_Clause]) -> int:
    return max((len(clause.said) for clause in clauses), default=0)


def _is_left_out(sentence: str, code: str, focus: Span) -> bool:
    """Whether what stands directly around some words leaves them out, in scripts without spaces: `X以外`, `不可能`."""
    after = _rules(code).leaves_out_after
    is_prefixed = _HAN.match(sentence, focus.start) and _NEGATED.search(sentence[: focus.start])
    return bool(is_prefixed) or after.match(sentence[focus.end :].lstrip()) is not None


@remembered
def _clauses(text: str, code: str = "") -> tuple[_Clause, ...]:
    code = code or language_of(text)
    rules = _rules(code)
    return tuple(_clause(text, span, rules) for span in _spans(text, code, rules))


def _clause(text: str, span: Span, rules: _Rules) -> _Clause:
    words = rules.allows.sub(" ", text[span.start : span.end])
    denies = (rules.denies.search(words) is not None) + 2 * (rules.leaves_out.match(words.strip()) is not None)
    said = content_apart(rules.leaves_out.sub(" ", rules.denies.sub(" ", words)))
    small = small_words()
    return _Clause(span, denies, frozenset(stem(word) for word in _WORD.findall(said) if word.casefold() not in small))


def _spans(text: str, code: str, rules: _Rules) -> list[Span]:
    if code in _UNSPACED:
        ends = {"zh": _CHINESE, "ja": _JAPANESE}.get(code, _KOREAN)
        return _between(text, Span(0, len(text)), [match.end() for match in ends.finditer(text)])
    found: list[Span] = []
    for block in _between(text, Span(0, len(text)), [match.start() for match in _STRONG.finditer(text)]):
        commas = [match.end() for match in _COMMA.finditer(text, block.start, block.end)]
        for part in _joined(text, _between(text, block, commas), rules):
            cuts = (rules.leaves_out.finditer(text, part.start, part.end), rules.ifs.finditer(text, part.start, part.end))
            found += _between(text, part, sorted(match.start() for matches in cuts for match in matches))
    return found


def _between(text: str, whole: Span, cuts: Sequence[int]) -> list[Span]:
    """The parts of a text between some positions that have a letter or digit."""
    places = [whole.start, *cuts, whole.end]
    spans = (Span(start, end) for start, end in pairwise(places) if start < end)
    return [span for span in spans if any(map(str.isalnum, text[span.start : span.end]))]


def _joined(text: str, parts: Sequence[Span], rules: _Rules) -> list[Span]:
    """The parts between commas, joined where one is no clause of its own."""
    joined: list[Span] = []
    for part in parts:
        is_own = not joined or (
            not _is_governed(text, part, rules)
            and (
                _begins(text, part, rules)
                or rules.ifs.match(text[joined[-1].start :].lstrip()) is not None
                or (_is_long(text, part) and (len(joined) > 1 or _is_long(text, joined[-1])))
            )
        )
        joined[-1:] = [*joined[-1:], part] if is_own else [Span(joined[-1].start, part.end)]
    return joined


def _is_governed(text: str, part: Span, rules: _Rules) -> bool:
    """Whether what comes before a part between commas may deny it as well."""
    first = _WORD.search(text, part.start, part.end)
    return (first is not None and first[0].casefold() in rules.governed) or _TO_DO.search(
        text, part.start, part.end
    ) is not None


def _begins(text: str, part: Span, rules: _Rules) -> bool:
    """Whether a part between commas begins with a word such as "but", or denies something itself."""
    first = _WORD.search(text, part.start, part.end)
    return first is not None and (first[0].casefold() in rules.begins or rules.denies.match(text, first.start()) is not None)


def _is_long(text: str, part: Span) -> bool:
    said = [word for word in _WORD.findall(text, part.start, part.end) if word.casefold() not in small_words()]
    return len(said) >= _FEWEST_WORDS


@cache
def _rules(code: str) -> _Rules:
    is_spaced = code not in _UNSPACED
    return _Rules(
        denies=_pattern("|".join(filter(None, (words_for(one, "denies") for one in (code, "en")))), is_spaced=is_spaced),
        allows=_pattern(words_for(code, "allows"), is_spaced=is_spaced),
        leaves_out=_pattern(words_for(code, "leaves_out"), is_spaced=is_spaced),
        leaves_out_after=_pattern(words_for(code, "leaves_out_after"), is_spaced=is_spaced),
        hedges=_pattern(words_for(code, "hedges"), is_spaced=is_spaced),
        ifs=_pattern("|".join(words_for(code, "if").split()), is_spaced=is_spaced),
        begins=frozenset(words_for(code, "begins").split()),
        governed=frozenset(words_for(code, "governed").split()),
    )


def _pattern(words: str, *, is_spaced: bool) -> re.Pattern[str]:
    return whole_words(words) if is_spaced else re.compile(words or NOTHING, re.IGNORECASE)
