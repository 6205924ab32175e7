"""Words by which a sentence states what a question asks for: of being born, directing, writing and so on.

A question names a relation in one word ("Who directed ...?"), and a sentence states it in another ("a film by ..."). Only
English is understood, and only frequent relations are listed: of others, nothing is said.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from hopweave.core.memoize import remembered


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation that questions ask for.

    Attributes:
        name: for messages.
        asked: the words by which a question names it.
        stated: the words of which one occurs where it is stated.
    """

    name: str
    asked: re.Pattern[str]
    stated: re.Pattern[str]


_YEARS_OF_A_LIFE = r"\([^()]*\d{3,4}[^()]*\)"


def _relation(name: str, words: Mapping[str, Any]) -> Relation:
    asked, stated = (rf"(?<![^\W_])(?:{'|'.join(words[key])})(?![^\W_])" for key in ("asked", "stated"))
    stated = f"{stated}|{_YEARS_OF_A_LIFE}" if words.get("years") else stated
    return Relation(name, re.compile(asked, re.IGNORECASE), re.compile(stated, re.IGNORECASE))


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
    return tuple(relation for relation in relations() if relation.asked.search(query))
