"""Whether what is supported decides a comparison: the values of both sides, each with the claims that lead to it.

A comparison ("Which is older, A or B?") is answered with words of the query, which no passage states as the answer. It is
supported if earlier claims that passages support state both values, and the values compared by code give that answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.citations.about import leads_from
from hopweave.citations.rules.relations import relations_asked
from hopweave.core.types import Claim
from hopweave.text.alternatives import sides_of
from hopweave.text.comparing import Side, Wanted, compared, life_date, wanted_of
from hopweave.text.matching import is_contained, is_yes_or_no, normalize_answer


@dataclass(frozen=True, slots=True)
class _Way:
    """From the name of a side to its value.

    Attributes:
        value: as a claim states it.
        claims: the numbers, from 1, of the claims that lead to it.
    """

    value: str
    claims: tuple[int, ...]


def premises_of(question: str, short: str, claims: Sequence[Claim]) -> tuple[int, ...]:
    """The numbers, from 1, of the claims that bear out an answer to a comparison; none if they do not, or it is none.

    Args:
        question: the question.
        short: the bare answer.
        claims: all claims so far.
    """
    made, numbers = _decided(question, claims)
    said = short.split(maxsplit=1)[0] if is_yes_or_no(short) else short
    return numbers if made and normalize_answer(made) == normalize_answer(said) else ()


def decided_otherwise(question: str, short: str, claims: Sequence[Claim]) -> str:
    """The side that supported values give as the answer to a comparison, if the answer names the other side alone; else empty.

    >>> built = [("When was Sula built?", "1902"), ("When was Orlau built?", "1887")]
    >>> claims = [Claim(query, text, support="supported") for query, text in built]
    >>> [decided_otherwise("Which was built first, Sula or Orlau?", side, claims) for side in ("Sula", "Orlau")]
    ['Orlau', '']
    """
    made, _ = _decided(question, claims)
    names = sides_of(question)
    if not made or names is None or made not in names:
        return ""
    other = names[1] if made == names[0] else names[0]
    return made if is_contained(other, short) and not is_contained(made, short) else ""


def _decided(question: str, claims: Sequence[Claim]) -> tuple[str, tuple[int, ...]]:
    """The answer that supported claims give to a comparison, and the numbers of those that lead to it; empty if they do not."""
    wanted, names = wanted_of(question), sides_of(question)
    if wanted is None or names is None:
        return "", ()
    one, other = names
    first, second = _way(question, wanted, one, other, claims), _way(question, wanted, other, one, claims)
    if first is None or second is None:
        return "", ()
    made = compared(question, wanted, Side(one, "", "", first.value, 1), Side(other, "", "", second.value, 1))
    return made, tuple(sorted({number for way in (first, second) for number in way.claims}))


def _way(question: str, wanted: Wanted, name: str, other: str, claims: Sequence[Claim]) -> _Way | None:
    """The way from a side to its value: the supported claims that lead on from its name, and not from the other side's."""
    path = leads_from(name, claims, but=other)
    for number in reversed(path):
        claim = claims[number - 1]
        value = _value(question, wanted, claim)
        if value:
            return _Way(value, tuple(path[: path.index(number) + 1]))
    return None


def _value(question: str, wanted: Wanted, claim: Claim) -> str:
    if wanted != "same":
        value = life_date(question, claim.text) or claim.text
        return value if any(map(str.isdigit, value)) else ""
    asked = {relation.name for relation in relations_asked(claim.query)}
    wanted_here = {relation.name for relation in relations_asked(question)}
    return claim.text if not wanted_here or asked & wanted_here or not asked else ""
