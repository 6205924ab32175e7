"""What pages are called, and which of them a question names.

The title of a page has more in it than its name: the website, an explanation, the section of a manual page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.text.key_terms import words_in

_SEPARATOR = lazy_pattern(r"\s+[—–|·-]\s+")
_SITE = lazy_pattern(
    r"\b(?:documentation|docs?|manuals?|handbook|wiki|reference|guide|help|version|website|homepage)\b|\d\.\d", re.IGNORECASE
)
_SECTION = lazy_pattern(r"(?<=[^\W\d_])\.[1-9][a-z]?$")
_DESIGNATION = lazy_pattern(r"(?P<name>[A-Z]{2,8}[ -]?\d[\w./-]*)(?::|\s+[—–-])\s+\S")
"""What texts call a document of a series by: `RFC 7636: Proof Key for Code Exchange`."""
_CODE_NAME = lazy_pattern(r"[\w.+-]+")
MANUAL_SECTION = r"\([1-9][a-z]?\)"
"""How the section of a manual page is written behind its name: `git-log(1)`, `printf(3p)`."""
_ENDS_IN_SECTION = lazy_pattern(rf"{MANUAL_SECTION}$")


def page_name(title: str) -> str:
    """The part of a title that names its page: without the website, an explanation, and the section of a manual page.

    >>> page_name("glob — Names of files — Orla 3.1 documentation"), page_name("git-log.1"), page_name("Mad Max - Fury Road")
    ('glob', 'git-log', 'Mad Max - Fury Road')
    >>> page_name("PEP 8: Style Guide for Python Code")
    'PEP 8'
    """
    if (designation := _DESIGNATION.match(title)) is not None:
        return designation["name"]
    *before, last = _SEPARATOR.split(title)
    if before and _SITE.search(last):
        name, explained, _ = before[0].partition(": ")
        title = name if explained and _CODE_NAME.fullmatch(name) else before[0]
    return _SECTION.sub("", title) or title


def without_manual_section(title: str) -> str:
    """A title without the section of a manual page at its end, which says nothing about what the page has.

    >>> without_manual_section("git-log(1)"), without_manual_section("git-log.1"), without_manual_section("Release 1.2")
    ('git-log', 'git-log', 'Release 1.2')
    """
    return _ENDS_IN_SECTION.sub("", _SECTION.sub("", title))


def pages_named_small(text: str, titles: Iterable[str]) -> list[str]:
    """The names of pages that a text has, of those in small letters: names of programs and modules.

    A title counts if it has more than the name, such as the section of a manual page; else it may be a common word (`prices`).
    A hyphen may be a space in the text; anything else is as in the name.

    >>> pages_named_small("What does git stage do?", ["git-stage(1)", "git-add(1)", "Stage"])
    ['git-stage']
    """
    return list(dict.fromkeys(name for title in titles if (name := _small_name(title)) and _is_written(name, text)))


@remembered
def _small_name(title: str) -> str:
    """The name of a page of which the title says more, if it is in small letters and no function word; else nothing."""
    name = without_manual_section(page_name(title))
    return name if name != title and name.islower() and any(word.says_something for word in words_in(name)) else ""


def _is_written(name: str, text: str) -> bool:
    return name.partition("-")[0] in text and _written(name).search(text) is not None


@lru_cache(4096)
def _written(name: str) -> re.Pattern[str]:
    parts = "[ -]".join(map(re.escape, name.split("-")))
    return re.compile(rf"(?<![\w.-]){parts}(?![\w-])")
