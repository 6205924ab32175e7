"""Address books (vCard 2.1, 3.0 and 4.0, RFC 6350): every card becomes a section, with the name as the heading."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.calendar_times import day_in_words, moment_of
from hopweave.ingest.content_lines import (
    SCHEME,
    Line,
    add_section,
    as_lines,
    as_list,
    by_name,
    lines_of,
    on_one_line,
    pieces_of,
    plain,
    text_of,
    title_of,
)
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Blocks, Document
from hopweave.text.values import MONTHS

_APPLE_LABEL = lazy_pattern(r"_\$!<(.*)>!\$_")
_TYPES = {"cell": "mobile", "iphone": "iPhone"}
_USUAL_TYPES = frozenset(
    re.findall(r"\S+", "pref voice internet x400 dom intl postal parcel other quoted-printable base64 8bit 7bit uri text vcard")
)
_IN_ADDRESS = (2, 1, 0, 3, 4, 5, 6)
"""The order in which people write the street, the rest of it, the box, the town, the region, the code and the country."""
_IN_NAME = (3, 1, 2, 0)
"""The same for titles, given names, other names and the family name; what comes after the name stands last."""
_CARD = "Card"
_NAMES = ("FN", "N", "ORG", "NICKNAME", "EMAIL")
"""What may name a card, the best first."""
_PARTIAL_DATE = lazy_pattern(r"--(?P<month>\d\d)-?(?P<day>\d\d)|(?P<year>\d{4})-(?P<month_of_year>\d\d)", re.ASCII)
_WORD = lazy_pattern(r"\w+")
_IDENTIFIER = lazy_pattern(r"(?:urn|data|uid):", re.IGNORECASE)


def read_vcf(content: str, check: Check) -> Document:
    """An address book: each card under the name of the person or the organisation. Pictures, sounds and keys are left out.

    The title is the name on the only card.

    Args:
        content: the file.
        check: called for every line.
    """
    cards: list[list[Line]] = []
    unfinished: list[list[Line]] = []  # cards within each other, as of an agent
    for line in lines_of(content, check):
        if line.name == "BEGIN":
            cards.append([])
            unfinished.append(cards[-1])
        elif line.name == "END":
            del unfinished[-1:]
        elif unfinished:
            unfinished[-1].append(line)
    blocks = Blocks()
    for card in cards:
        check()
        _add_card(blocks, card)
    part = blocks.part()
    return Document(title_of(part, len(cards), [_CARD]), (part,))


def _address_alone(line: Line) -> str:
    """A number or an address of mail without what makes it a link."""
    return SCHEME.sub("", plain(line), count=1)


def _ordered(line: Line, order: Sequence[int], between: str) -> str:
    """The pieces of a value in the order in which they are read."""
    pieces = pieces_of(line.value, ";")
    wanted = [*order, *range(len(order), len(pieces))]
    return between.join(pieces[at] for at in wanted if at < len(pieces) and pieces[at])


def _name(line: Line) -> str:
    return " ".join(_ordered(line, _IN_NAME, " ").replace(",", " ").split())


def _address(line: Line) -> str:
    return _ordered(line, _IN_ADDRESS, ", ") or on_one_line(line.parameter("LABEL"))


def _day(line: Line) -> str:
    """A birthday or the like, whose year may be missing; Apple writes 1604 for that."""
    value = line.value.strip()
    moment = moment_of(value)
    if moment is not None and "X-APPLE-OMIT-YEAR" in line.parameters:
        return day_in_words(moment.day).rpartition(" ")[0]
    if moment is not None:
        return day_in_words(moment.day)
    found = _PARTIAL_DATE.fullmatch(value)
    month = int(found["month"] or found["month_of_year"]) if found is not None else 0
    if found is None or not 0 < month <= len(MONTHS):
        return on_one_line(value)
    said = MONTHS[month - 1].capitalize()
    return f"{said} {found['year']}" if found["year"] else f"{int(found['day'])} {said}"


_CARD_FACTS: Mapping[str, tuple[str, Callable[[Line], str]]] = {
    "FN": ("name", plain),
    "N": ("name", _name),
    "NICKNAME": ("nickname", as_list),
    "TITLE": ("title", plain),
    "ROLE": ("role", plain),
    "ORG": ("organisation", lambda line: _ordered(line, (), ", ")),
    "TEL": ("telephone", _address_alone),
    "EMAIL": ("e-mail", _address_alone),
    "IMPP": ("messenger", plain),
    "ADR": ("address", _address),
    "LABEL": ("address", plain),
    "URL": ("web", plain),
    "X-SOCIALPROFILE": ("profile", plain),
    "SOCIALPROFILE": ("profile", plain),
    "BDAY": ("born", _day),
    "BIRTHPLACE": ("born in", plain),
    "DEATHDATE": ("died", _day),
    "DEATHPLACE": ("died in", plain),
    "ANNIVERSARY": ("anniversary", _day),
    "X-ANNIVERSARY": ("anniversary", _day),
    "X-ABDATE": ("date", _day),
    "RELATED": ("related", plain),
    "X-ABRELATEDNAMES": ("related", plain),
    "MEMBER": ("member", _address_alone),
    "LANG": ("language", plain),
    "TZ": ("time zone", plain),
    "CATEGORIES": ("categories", as_list),
}
"""What is shown of a card, in order, before what has other names."""
_NAMED_BY_A_PROGRAM = lazy_pattern(
    r"X-(?:MS|EVOLUTION|KADDRESSBOOK(?:-X)?)-(?=(?:SPOUSE|MANAGER|ASSISTANT|ANNIVERSARY|PROFESSION|DEPARTMENT|OFFICE|IMADDRESS|TEL))"
)
_OF_PROGRAMS = lazy_pattern(
    r"X-(?:AB(?!OUT)|APPLE|MS|MICROSOFT|EVOLUTION|MOZILLA|GOOGLE|ANDROID|IMAGE|SHARED|ADDRESSBOOKSERVER|NC|SYNTHESIS|PHOTO|UID"
    r"|REV|KADDRESSBOOK|CREATED|CLASS|FAVORITE|WAB|LOTUS|PRODID)[\w-]*"
)
"""Names of what programs keep for themselves; others that begin with `X-` are shown."""
_WITHOUT_PEOPLE = frozenset(
    re.findall(
        r"\S+",
        "VERSION KIND NOTE PHOTO LOGO KEY SOUND UID REV PRODID CLASS SOURCE MAILER SORT-STRING CLIENTPIDMAP CALURI CALADRURI "
        "FBURL CAPURI XML GEO AGENT PROFILE CREATED",
    )
)
"""What is shown elsewhere, or is nothing that people read."""


def _add_card(blocks: Blocks, lines: Sequence[Line]) -> None:
    lines = [line._replace(name=_NAMED_BY_A_PROGRAM.sub("X-", line.name)) for line in lines]
    named = by_name(lines)
    names = (_CARD_FACTS[name][1](line) for name in _NAMES for line in named.get(name, ()))
    heading = next(filter(None, names), "")
    groups = {line.group: _label(plain(line)) for line in named.get("X-ABLABEL", ()) if line.group}
    facts: list[tuple[str, str]] = []
    for name, (label, shown) in _CARD_FACTS.items():
        said = {"N": [heading], "FN": [heading], "LABEL": [value for known, value in facts if known.startswith("address")]}
        seen = _words_in(said.get(name, ()))
        found = ((_labelled(label, line, groups), shown(line)) for line in named.get(name, ()) if not _is_identifier(line))
        facts += [
            (known, value) for known, value in found if value != heading and not (name in said and _words_in([value]) <= seen)
        ]
    facts += [_of_android(line) for line in named.get("X-ANDROID-CUSTOM", ())]
    others = [line for line in lines if line.name not in _CARD_FACTS and line.name not in _WITHOUT_PEOPLE]
    facts += [
        (_labelled(line.name.removeprefix("X-").replace("-", " ").lower(), line, groups), plain(line))
        for line in others
        if not _OF_PROGRAMS.fullmatch(line.name) and not _is_identifier(line)
    ]
    notes = [as_lines([("note", text_of(line.value))]) for line in named.get("NOTE", ())]
    add_section(blocks, heading, _CARD, [as_lines(facts), *notes])


def _label(written: str) -> str:
    """What a user calls a telephone or the like, or Apple's word for it."""
    found = _APPLE_LABEL.fullmatch(written)
    return written if found is None else found[1].lower()


def _words_in(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text.casefold())}


def _is_identifier(line: Line) -> bool:
    """Whether a value names something for programs only, or is a picture."""
    return _IDENTIFIER.match(line.value) is not None


def _labelled(label: str, line: Line, groups: Mapping[str, str]) -> str:
    """A label with what its value is for: as the user calls it, or else such as `work` and `mobile`."""
    types = (kind.strip().lower().removeprefix("x-") for kind in line.parameters.get("TYPE", ()))
    notes = [_TYPES.get(kind, kind) for kind in types if kind not in _USUAL_TYPES]
    own = groups.get(line.group, "")
    service = line.parameter("X-SERVICE-TYPE") or line.parameter("SERVICE-TYPE")
    shown = ", ".join(dict.fromkeys(filter(None, [service, *([own] if own else notes)])))
    return f"{label} ({shown})" if shown else label


def _of_android(line: Line) -> tuple[str, str]:
    """What Android has no property for: its kind, then its value."""
    kind, value, *_ = [*pieces_of(line.value, ";"), "", ""]
    return kind.rpartition("/")[2].replace("_", " "), _day(line._replace(value=value))
