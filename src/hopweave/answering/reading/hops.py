"""Splits a question that refers to somebody or something unnamed into questions with one hop each.

A small model finds the unnamed part ("the county where Kerrow lies") far better than it writes the rest of the question, so it
is only asked for the former: the rest is the question itself, with `#1` in place of those words. If they do not occur in it,
or do not describe a definite thing by its relation to a name, the question is not changed.

Words for relatives that take two steps ("father-in-law", "maternal grandmother") are spelled out first, and so is `#1`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.content_words import anchors, keys_of
from hopweave.text.key_terms import Word, words_in

MAX_STEPS = 3
_REFERENCE = lazy_pattern(r"#(\d)")
_NUMBER_SIGN = lazy_pattern(r"#(?=\d)")
_ASKING = frozenset(
    {*("who", "whom", "whose", "what", "which", "where", "when", "how", "in", "of")}
    | {*("did", "do", "does", "is", "was", "are", "were", "has", "have", "had")}
)
_ARTICLES = frozenset({"the", "a", "an"})
_WIDER = 3
"""How many more words than the model's the matching words of the question may have."""

_LEAST_HELD = 0.6
"""The share of the model's words that must be among the question's."""

_WINDOW = 4
"""How many words of the question are searched for each word of the model's: function words may come between."""

_LEFT_OUT = 2
"""How many words for the kind of a name the model's own question may leave out: `the newspaper The North Star`."""

_LONG = 80
"""A question of more words may split for all that is known: it has too many stretches of words to look at."""

_HEAD = 3
"""How many words after the article are searched for a common noun."""

_CLAUSE = lazy_pattern(r"\s*,?\s*(?:who|that|which|whose|where)\b", re.IGNORECASE)
_DEFINITE = lazy_pattern(r"[Tt]he\s+(?!\d)")
_NAMING = lazy_pattern(r"\s*(?:who|what|which|where)\s+(?:is|was|are|were)\s+(?:the\s+names?\s+of\s+)?", re.IGNORECASE)
_WHO = lazy_pattern(r"who\b", re.IGNORECASE)
_LEADING = lazy_pattern(r"^The\b ")
_POSSESSED = lazy_pattern(r"(?:['\u2019]s|s['\u2019])\s+[a-z]")
_RELATIVES = {
    "father-in-law": ("father", "spouse"),
    "mother-in-law": ("mother", "spouse"),
    "son-in-law": ("husband", "daughter"),
    "daughter-in-law": ("wife", "son"),
    "child-in-law": ("spouse", "child"),
    "sibling-in-law": ("sibling", "spouse"),
    "paternal grandfather": ("father", "father"),
    "paternal grandmother": ("mother", "father"),
    "maternal grandfather": ("father", "mother"),
    "maternal grandmother": ("mother", "mother"),
    "stepfather": ("husband", "mother"),
    "stepmother": ("wife", "father"),
    "stepchild": ("child", "spouse"),
    "stepson": ("son", "spouse"),
    "stepdaughter": ("daughter", "spouse"),
}
_OF_RELATIVE = lazy_pattern(rf"\bthe\s+({'|'.join(_RELATIVES)})\s+of\b", re.IGNORECASE)
_POSSESSED_RELATIVE = lazy_pattern(rf"['\u2019]s\s+({'|'.join(_RELATIVES)})\b", re.IGNORECASE)


def spelled_out(question: str) -> str:
    """The question with relatives of two steps spelled out, and without `#` before a digit, which would refer to an answer.

    >>> spelled_out("Who is the maternal grandfather of Ada Finch?"), spelled_out("When did Ada Finch's mother-in-law die?")
    ('Who is the father of the mother of Ada Finch?', "When did Ada Finch's spouse's mother die?")
    >>> spelled_out("Who wrote the #1 hit of the singer from Kerrow?")
    'Who wrote the number 1 hit of the singer from Kerrow?'
    """

    def of_relative(found: re.Match[str]) -> str:
        outer, inner = _RELATIVES[found[1].casefold()]
        return f"the {outer} of the {inner} of"

    def possessed(found: re.Match[str]) -> str:
        outer, inner = _RELATIVES[found[1].casefold()]
        return f"'s {inner}'s {outer}"

    return _POSSESSED_RELATIVE.sub(possessed, _OF_RELATIVE.sub(of_relative, _NUMBER_SIGN.sub("number ", question)))


def steps_of(question: str, unnamed: Sequence[str], asked: Sequence[str]) -> tuple[str, ...]:
    """The questions that lead to the answer, with `#1` for the answer of the first, and so on; empty if there is only one.

    Args:
        question: the question to split.
        unnamed: the unnamed things that the model found in the question, innermost first, roughly in its words.
        asked: the model's own question for each of these.

    >>> steps_of("What is the seat of the county where Kerrow lies?", ["the county where Kerrow lies"],
    ...          ["In which county lies Kerrow?"])
    ('In which county lies Kerrow?', 'What is the seat of #1?')
    >>> steps_of("When did Ada Finch's father die?", ["the father of Ada Finch"], ["Who is he?"])
    ("Who is Ada Finch's father?", 'When did #1 die?')
    >>> steps_of("Who built Kerrow Light?", ["Kerrow Light"], ["Who built Kerrow Light?"])
    ()
    """
    rest, steps = question, list[str]()
    for index, phrase in enumerate(unnamed):
        found = _replaced(rest, phrase, len(steps) + 1)
        if found is not None and len(steps) < MAX_STEPS - 1:
            rest, words = found
            own = asked[index] if index < len(asked) and asked[index] != question else ""
            who = "Who" if _WHO.match(own) else "What"
            steps.append(own if _asks_for(own, words) else f"{who} is {_LEADING.sub('the ', words)}?")
    return (*steps, rest) if steps else ()


def may_split(question: str) -> bool:
    """Whether any words of a question could be unnamed as `steps_of` understands it; if none could, no plan splits it.

    >>> may_split("What is the seat of the county where Kerrow lies?"), may_split("What is the default port of Kerrow?")
    (True, False)
    """
    words = words_in(question)
    if len(words) > _LONG:
        return True
    spans = ((first, last) for first in range(len(words)) for last in range(first + 1, len(words)))
    return any(_without(question, *_span(question, words, *span), 1) is not None for span in spans)


def own_steps(question: str, asked: Sequence[str]) -> tuple[str, ...]:
    """The questions of a plan as the model wrote them, if they are well formed; empty if they are not, or there is only one.

    They are if each but the first builds on an earlier answer, none builds on a later one, and every name and number of the
    question occurs in one of them.

    >>> own_steps("In which city did the author of Tides die?", ["Who is the author of Tides?", "In which city did #1 die?"])
    ('Who is the author of Tides?', 'In which city did #1 die?')
    >>> own_steps("In which city did the author of Tides die?", ["Who is the author?", "In which city did #1 die?"])
    ()
    """
    if not 2 <= len(asked) <= MAX_STEPS or not all(step.strip() for step in asked):
        return ()
    for number, step in enumerate(asked, start=1):
        built_on = {int(reference) for reference in _REFERENCE.findall(step)}
        if (number > 1) != bool(built_on) or not built_on <= set(range(1, number)):
            return ()
    told = keys_of(" ".join(asked))
    return tuple(asked) if all(keys_of(name) <= told for name in anchors(question)) else ()


def answered(step: str, answers: Sequence[str]) -> str:
    """A step with the answers of earlier ones in their places."""
    return _REFERENCE.sub(lambda found: answers[int(found[1]) - 1] if 0 < int(found[1]) <= len(answers) else found[0], step)


@dataclass(frozen=True, slots=True)
class Way:
    """How a question leads through settled answers.

    Attributes:
        rest: the question with descriptions replaced by the settled names.
        through: these names.
        besides: all other settled answers.
    """

    rest: str = ""
    through: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()


NOTHING_SETTLED = Way()


def way_of(question: str, settled: Sequence[tuple[str, str]]) -> Way:
    """How a question leads through settled answers.

    Args:
        question: the question to be answered.
        settled: other questions with their answers, in the order in which they were answered.

    >>> way_of("What is the seat of the county where Kerrow lies?",
    ...        [("What is the county where Kerrow lies?", "Moor County"), ("Who lives in Kerrow?", "Ada Finch")])
    Way(rest='What is the seat of Moor County?', through=('Moor County',), besides=('Ada Finch',))
    """
    rest, through, besides = spelled_out(question), list[str](), list[str]()
    for query, answer in settled:
        if (opening := _NAMING.match(query)) and (steps := steps_of(rest, [query[opening.end() :].rstrip("? ")], [query])):
            rest = spelled_out(answered(steps[-1], [answer]))
            through.append(answer)
        else:
            besides.append(answer)
    return Way(rest, tuple(through), tuple(besides))


def _replaced(question: str, phrase: str, number: int) -> tuple[str, str] | None:
    """The question with `#number` for a phrase, and the replaced words; `None` if it has no such phrase, or it is empty."""
    for form in _forms(phrase, number):
        span = _standing(question, form)
        if span is not None and (found := _without(question, *span, number)) is not None:
            return found
    return None


def _without(question: str, start: int, end: int, number: int) -> tuple[str, str] | None:
    """The question with `#number` for some of its words, and these; `None` if they name what they mean, or it is empty then."""
    rest, words = f"{question[:start]}#{number}{question[end:]}", question[start:end]
    is_fit = _is_unnamed(words) and not _CLAUSE.match(question, end) and _asks_more(rest, words)
    return (rest, words) if is_fit else None


def _is_unnamed(words: str) -> bool:
    """Whether words describe one thing by its relation to a name: `the county where Kerrow lies`, `Ada's father`."""
    if not any(any(map(str.isalpha, name)) for name in anchors(words)) and not _REFERENCE.search(words):
        return False
    if _POSSESSED.search(words):
        return True
    return _DEFINITE.match(words) is not None and any(word.written[0].islower() for word in _head(words))


def _head(words: str) -> list[Word]:
    """The first content words, one of which is the kind of thing: `Danish plant ecologist`."""
    return [word for word in words_in(words)[1:] if word.says_something][:_HEAD]


def _forms(phrase: str, number: int) -> Iterator[str]:
    """Yields forms of a phrase: itself; `Ada's father` for `the father of Ada`; without an outer relation; with `#1`."""
    yield phrase
    parts = phrase.split(" of ")
    for cut in range(1, len(parts)):
        relation, name = " of ".join(parts[:cut]), " of ".join(parts[cut:])
        yield f"{name}'s {_DEFINITE.sub('', relation)}"
        if number > 1:
            yield f"{relation} of #{number - 1}"
    for cut in range(1, len(parts)):
        yield " of ".join(parts[cut:])


def _standing(question: str, phrase: str) -> tuple[int, int] | None:
    """The position of a phrase in a question: from its first content word to its last, with a preceding article."""
    asked = words_in(question)
    wanted = [word.key for word in words_in(phrase) if word.says_something]
    window = _WINDOW * (len(wanted) + _WIDER)
    spans = [
        (held, asked[last].end - word.start, index, last)
        for index, word in enumerate(asked)
        if wanted and word.key == wanted[0]
        for last in range(index + 1, min(len(asked), index + window))
        if asked[last].key == wanted[-1] and (held := _held(asked[index : last + 1], wanted))
    ]
    if not spans:
        return None
    _, _, first, last = max(spans, key=lambda span: (span[0], -span[1]))
    return _span(question, asked, first, last)


def _span(question: str, words: Sequence[Word], first: int, last: int) -> tuple[int, int]:
    """The position of some words of a question, with a preceding article."""
    before = words[first - 1] if first else None
    start = before.start if before is not None and before.key in _ARTICLES else words[first].start
    return start, _past_brackets(question, start, words[last].end)


def _held(words: Sequence[Word], wanted: Sequence[str]) -> float:
    """The share of the wanted words among some words; 0 if there are too few, or too many others."""
    held = Counter(word.key for word in words if word.says_something)
    share = (held & Counter(wanted)).total() / len(wanted)
    return share if share >= _LEAST_HELD and held.total() <= len(wanted) + _WIDER else 0.0


def _past_brackets(question: str, start: int, end: int) -> int:
    """The end, moved past a bracket and a quotation mark that were opened inside."""
    for opening, closing in ("()", "[]", '""', "\u201c\u201d"):
        within = question[start:end]
        is_open = within.count(opening) % 2 == 1 if opening == closing else within.count(opening) > within.count(closing)
        if is_open and question[end : end + 1] == closing:
            end += 1
    return end


def _asks_more(rest: str, words: str) -> bool:
    """Whether the rest of the question still asks for something."""
    asked = {word.key for word in words_in(_REFERENCE.sub("", rest))} - _ASKING
    return bool(asked - keys_of(words)) or bool(asked and re.search(r"\bof #\d", rest))


def _asks_for(step: str, words: str) -> bool:
    """Whether a question says the same as the words, except for kinds of names, and builds on the same answer."""
    wanted, said = ({word.stem for word in words_in(text) if word.says_something} for text in (words, step))
    names = {word.stem for word in words_in(words) if word.is_named and word.says_something}
    is_as_much = names <= said - _ASKING <= wanted and len(wanted - said) <= _LEFT_OUT
    return bool(said) and is_as_much and set(_REFERENCE.findall(words)) == set(_REFERENCE.findall(step))
