"""Words by which a sentence states what a question asks for: of being born, directing, writing and so on.

A question names a relation in one word ("Who directed ...?"), and a sentence states it in another ("a film by ..."). Only
English is understood, and only frequent relations are listed: of others, nothing is said.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from hopweave.citations.rules.clauses import clause_around
from hopweave.citations.rules.opening_times import move_asked, opening_or_closing
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.preparation import prepared
from hopweave.core.types import Span
from hopweave.text.languages import is_foreign


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation that questions ask for.

    Attributes:
        name: for messages.
        asked: the words by which a question names it.
        stated: the words of which one occurs where it is stated.
        opposites: the names of relations whose values are not its own, though a sentence may state both.
        only_opposes: whether it is too general to be asked for, and only tells the values of a sentence apart: it has no
            words that state it.
        beginnings: small letters with which the words of `asked` begin; empty for some that begin in several ways.
    """

    name: str
    asked: re.Pattern[str]
    stated: re.Pattern[str]
    opposites: frozenset[str] = frozenset()
    only_opposes: bool = False
    beginnings: tuple[str, ...] = ("",)

    def is_asked_in(self, query: str, folded: str) -> bool:
        """Whether a question names it.

        Args:
            query: the question.
            folded: the same in small letters, in which the beginnings are found faster than the words in the question.
        """
        return any(map(folded.__contains__, self.beginnings)) and self.asked.search(query) is not None


_BEGINNING = lazy_pattern(r"(?:[a-z](?![?*+{]))*")
_BRACKETS = lazy_pattern(r"\([^()]*\)")
_YEARS_OF_A_LIFE = r"\([^()]*\d{3,4}[^()]*\)"


def _relation(name: str, words: Mapping[str, Any]) -> Relation:
    only_opposes = "stated" not in words
    asked, stated = (rf"(?<![^\W_])(?:{'|'.join(words.get(key, ['(?!)']))})(?![^\W_])" for key in ("asked", "stated"))
    stated = f"{stated}|{_YEARS_OF_A_LIFE}" if words.get("years") else stated
    opposites = frozenset(words.get("opposites", ()))
    begun = tuple(dict.fromkeys(found[0] for word in words.get("asked", ()) if (found := _BEGINNING.match(word))))
    return Relation(name, re.compile(asked, re.IGNORECASE), re.compile(stated, re.IGNORECASE), opposites, only_opposes, begun)


@prepared
@cache
def relations() -> tuple[Relation, ...]:
    """The relations that are known, in no particular order."""
    table = tomllib.loads((files(__package__) / "relations.toml").read_text("utf-8"))
    return tuple(_relation(name, words) for name, words in table.items())


@remembered
def relations_asked(query: str) -> tuple[Relation, ...]:
    """The relations that a question names; several if it leads through other things; none if it names none of them.

    >>> [relation.name for relation in relations_asked("Where was the director of Low Water born?")]
    ['birth', 'direction']
    """
    return tuple(relation for relation in _named_in(query) if not relation.only_opposes)


@remembered
def _named_in(query: str) -> tuple[Relation, ...]:
    if is_foreign(query):  # whose words may be English ones of another meaning: `die`, `son`
        return ()
    folded = query.casefold()
    return tuple(relation for relation in relations() if relation.is_asked_in(query, folded))


def tells_of_opposite(asking: str, sentence: str, focus: Span) -> bool:
    """Whether some words of a sentence belong to the opposite of what is asked for: to a death, not to a birth.

    In a sentence that tells of both, words belong to the last of them before, else to the first after them; what is told in
    brackets goes no further. One that tells of the opposite alone, and has no word for what is asked, tells of nothing else.

    Args:
        asking: what names the relation, such as the question.
        sentence: the sentence.
        focus: the position of the words in it.

    >>> told = "She was born in Brno and died in Graz."
    >>> [tells_of_opposite("Where was she born?", told, Span(start, start + 4)) for start in (16, 33)]
    [False, True]
    """
    asked = {relation.name: relation for relation in _named_in(asking)}
    if (move := move_asked(asking)) and (told := opening_or_closing(sentence, focus)):
        return told != move
    for relation in asked.values():
        is_said = relation.asked.search(sentence[focus.start : focus.end]) is not None
        if relation.opposites and not relation.opposites & asked.keys() and not is_said:
            near = _nearest(sentence, focus, {relation.name, *relation.opposites})
            is_told_alone = len({name for _, name in near}) == 1
            nearest = {name for at, name in near if at == near[0][0]}  # both in `turn it on or off`
            clause = clause_around(sentence, focus)
            in_clause = {name for at, name in near if clause.start <= at < clause.end}
            if len(in_clause) == 1:  # `Dogs are forbidden and cats are allowed.`
                nearest = in_clause
            if near and relation.name not in nearest and not (is_told_alone and relation.stated.search(sentence)):
                return True
    return False


def _nearest(sentence: str, focus: Span, names: Set[str]) -> list[tuple[int, str]]:
    """Where a sentence tells of some relations, with their names; first the one that the words at a position belong to."""
    brackets = [match.span() for match in _BRACKETS.finditer(sentence)]
    around = _bracket_of(focus.start, brackets)
    told = [
        (match.start(), relation.name)
        for relation in relations()
        if relation.name in names
        for match in relation.asked.finditer(sentence)
        if not (match.start() < focus.end and focus.start < match.end())
        and _bracket_of(match.start(), brackets) in (None, around)
    ]
    before = sorted((one for one in told if one[0] < focus.start), reverse=True)
    return before + sorted(one for one in told if one[0] >= focus.start)


def _bracket_of(position: int, brackets: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    return next((one for one in brackets if one[0] <= position < one[1]), None)
