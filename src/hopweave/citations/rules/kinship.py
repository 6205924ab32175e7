"""Who is whose relative: whether a sentence that names two has them the other way round than a question or a statement.

The words `the father of` tell apart the one who is the father and the one whose father he is, in the same words in which a
question asks for him. Only English is understood, and only what stands beside the names: of anything else, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span

Side = Literal["above", "below", "beside", "married", "other"]
Sex = Literal["", "m", "f"]


class _Role(NamedTuple):
    """What one is to a relative."""

    side: Side
    sex: Sex = ""


class _Asked(NamedTuple):
    """Who is said or asked to be whose relative.

    Attributes:
        role: what the one is to the other.
        of: the other.
        who: the one; empty in a question.
    """

    role: _Role
    of: str
    who: str = ""


_ROLES = {
    **dict.fromkeys(("uncle", "aunt", "nephew", "niece", "cousin"), _Role("other")),
    "father": _Role("above", "m"),
    "mother": _Role("above", "f"),
    "parent": _Role("above"),
    "son": _Role("below", "m"),
    "daughter": _Role("below", "f"),
    "child": _Role("below"),
    "children": _Role("below"),
    "brother": _Role("beside", "m"),
    "sister": _Role("beside", "f"),
    "sibling": _Role("beside"),
    "twin": _Role("beside"),
    "wife": _Role("married", "f"),
    "husband": _Role("married", "m"),
    "spouse": _Role("married"),
    "widow": _Role("married", "f"),
    "widower": _Role("married", "m"),
    "consort": _Role("married"),
}
_INVERSE: dict[Side, Side] = {"above": "below", "below": "above"}
_OTHER_SEX: dict[Sex, Sex] = {"m": "f", "f": "m"}

_KIN = rf"(?P<kin>(?:(?:great-?)*grand|step-?|half-?)?(?:{'|'.join(_ROLES)}))s?(?P<law>-in-law)?"
_MORE = r"(?:[\w-]+\s++){0,3}?"
_OF = lazy_pattern(rf"\b{_KIN}\s++of\s", re.IGNORECASE)
_OWN = lazy_pattern(rf"(?:\b(?:his|her|their)|['’]s)\s++{_MORE}{_KIN}(?:,|\s++(?:is|was))?$", re.IGNORECASE)
_AND_OWN = lazy_pattern(rf"(?<!\s),?\s++(?:and|by)\s++(?:his|her)\s++{_MORE}{_KIN},?$", re.IGNORECASE)
_BEHIND = lazy_pattern(
    rf"\s*+(?:\([^()]*+\))?(?:,|\s(?:is|was|became))\s++(?!and\b)(?:the\s++|an?\s++)?{_MORE}{_KIN}\s++of\s", re.IGNORECASE
)
_OWNED = lazy_pattern(rf"['’]s\s++{_MORE}{_KIN}\b", re.IGNORECASE)
_QUESTIONS = tuple(
    lazy_pattern(form, re.IGNORECASE)
    for form in (
        rf"\bwho (?:is|was|are|were) (?:the )?{_MORE}{_KIN} of (?P<of>[^?]+)",
        rf"\bwho (?:is|was|are|were) (?P<of>[^?]+?)['’]s {_MORE}{_KIN}\W*$",
        rf"\bname of (?:the )?{_MORE}{_KIN} of (?P<of>[^?]+)",
    )
)
_STATEMENT = lazy_pattern(rf"(?P<who>[^,.;?]+?) (?:is|was) (?:the |an? )?{_MORE}{_KIN} of (?P<of>[^,.;?]+)", re.IGNORECASE)
_LONGEST = 400
"""How many characters of a question or a statement are looked at."""

_WORD = lazy_pattern(_KIN, re.IGNORECASE)
_MOST_TITLES = 3
"""How many words in small letters may stand before a name, such as `the English painter`."""

_WORDS_BEFORE_NO_NAME = "from in at on to by with for who whom whose which that as was is were are had has his her he she"
_WORDS_IN_A_NAME = "and the of de von van der la le du di i"
_ENDS_A_NAME, _IN_A_NAME = (frozenset(words.split()) for words in (_WORDS_BEFORE_NO_NAME, _WORDS_IN_A_NAME))


def is_kin_asked(asking: str, sentence: str, focus: Span | None) -> bool | None:
    """Whether a sentence has the one who is asked for as that relative; `None` if it says nothing of it.

    Args:
        asking: the question, or a statement.
        sentence: the sentence.
        focus: the position in it of the answer to the question; `None` if the answer is what the sentence is about.

    >>> told = "Ida Renn was the daughter of Otto Renn."
    >>> [is_kin_asked(f"Who was the {kin} of Ida Renn?", told, Span(29, 38)) for kin in ("father", "son", "doctor")]
    [True, False, None]
    """
    asked = _asked(asking)
    if asked is None or _WORD.search(sentence) is None:
        return None
    who = _find(asked.who, sentence) if asked.who else focus
    of = _find(asked.of, sentence)
    roles = list(_roles(sentence, who, of)) if who is not None else []
    if not roles and of is not None and (who is None or who.start < of.start):
        roles = list(_roles_before_of(sentence, of, who))
    return any(_fits(asked.role, role) for role in roles) if roles else None


def relative_asked(query: str) -> str:
    """Whose relative a question asks for; empty if it asks for none.

    >>> relative_asked("Who was the father of Ida Renn?"), relative_asked("Who was Ida Renn?")
    ('Ida Renn', '')
    """
    asked = _asked(query)
    return asked.of if asked is not None and not asked.who else ""


@remembered
def _asked(asking: str) -> _Asked | None:
    asking = " ".join(asking[:_LONGEST].split())
    match = next(filter(None, (form.search(asking) for form in _QUESTIONS)), None)
    if match is None and "?" not in asking:
        match = _STATEMENT.match(asking)
    if match is None or match["law"] or _role(match).side == "other":
        return None
    return _Asked(_role(match), match["of"].strip(), match.groupdict().get("who") or "")


def _roles(sentence: str, who: Span, of: Span | None) -> Iterator[_Role]:
    """What the one whose name stands at a position is to others, by the words beside the name; `of` is where the other is."""
    own = _OWN.search(sentence[: who.start].rstrip())
    if own is not None:
        yield _role(own)
    yield from map(_inverse, _roles_before_of(sentence, who, of))
    if (match := _BEHIND.match(sentence, who.end)) is not None:
        yield _role(match)
    if (match := _OWNED.match(sentence, who.end)) is not None:
        yield _inverse(_role(match))


def _roles_before_of(sentence: str, name: Span, but: Span | None) -> Iterator[_Role]:
    """What somebody is to the one whose name stands at a position, as in `the father of NAME`.

    Of two whose names stand in the same row, such as `the son of Otto and Ida`, nothing is said.
    """
    before = sentence[: name.start].rstrip()
    for text in dict.fromkeys((before, _AND_OWN.sub(" and ", before))):
        ends = [(match.end(), _role(match)) for match in _OF.finditer(f"{text} ")]
        if not ends or (but is not None and ends[-1][0] <= but.start < name.start):
            continue
        if _is_of_names(text[ends[-1][0] :]):
            yield ends[-1][1]


def _is_of_names(text: str) -> bool:
    """Whether a text before a name only consists of other names, and of titles before it."""
    words = [word.strip("(),.'’") for word in text.split()]
    small = [word for word in words if word and word[0].islower() and word not in _IN_A_NAME]
    return len(small) <= _MOST_TITLES and not _ENDS_A_NAME.intersection(small) and not any(map(_ROLES.__contains__, small))


def _role(match: re.Match[str]) -> _Role:
    kin = match["kin"].casefold()
    return _Role("other") if match["law"] else next(role for word, role in _ROLES.items() if kin.endswith(word))


def _inverse(role: _Role) -> _Role:
    sex: Sex = _OTHER_SEX.get(role.sex, "") if role.side == "married" else ""
    return _Role(_INVERSE.get(role.side, role.side), sex)


def _fits(asked: _Role, role: _Role) -> bool:
    return asked.side == role.side and (not asked.sex or not role.sex or asked.sex == role.sex)


def _find(name: str, sentence: str) -> Span | None:
    start = sentence.casefold().find(name.casefold())
    return Span(start, start + len(name)) if name and start >= 0 else None
