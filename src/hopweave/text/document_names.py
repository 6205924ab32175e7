"""What says of a whole passage what it is about: its title and sections, and the name of its file."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Passage

_SUFFIXES = lazy_pattern(r"(?:\.[a-z]\w{0,8}){1,2}$", re.IGNORECASE)
_UNTELLING = lazy_pattern(r"\.(?:x?html?|jsonl?|ndjson)(?:\.\w{2,4})?$", re.IGNORECASE)
_BETWEEN_WORDS = lazy_pattern(r"(?:(?<!\d)-|-(?!\d)|[\s_()\[\]{}])+")
"""A date such as `2025-04-07` is one word."""

_MOST_FOLDERS = 4
_WORD = lazy_pattern(r"[^\W_]+")
_IDENTIFIER = lazy_pattern(
    r"\b[0-9a-f]{8}(?:[ -][0-9a-f]{4}){3}[ -][0-9a-f]{12}\b|\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{8,}\b|\b\d{11,}\b", re.IGNORECASE
)
"""A name that a program gives to a file, which tells a model nothing."""


def words_above(passage: Passage) -> str:
    """Its title and sections, and those words of the name of its file that they do not have, on a line of their own.

    >>> passage = Passage("1", "Notice is 30 days.", title="Supply Agreement", source="Orlau_Supply-Agreement_v2.docx")
    >>> words_above(passage).splitlines()
    ['Supply Agreement', 'Orlau v2']
    """
    return "\n".join(filter(None, [passage.heading, _more_of_file_name(passage)]))


def full_heading(passage: Passage) -> str:
    """Its heading as a model sees it: its sections below `full_title`.

    >>> named = "Orlau_Supply-Agreement_v2.docx"
    >>> full_heading(Passage("1", "Notice is 30 days.", "Supply Agreement", named, sections=("4. Term",)))
    'Supply Agreement (Orlau v2) > 4. Term'
    """
    return " > ".join(filter(None, (full_title(passage), *passage.sections)))


def full_title(passage: Passage) -> str:
    """Its title with those words of the name of its file that its heading lacks: often they tell editions apart.

    >>> [full_title(Passage("1", "", "Fees", name)) for name in ("fees_2024.pdf", "3f2b8c1e-9d4a-4b7e-8f1a-2c3d4e5f6a7b.pdf")]
    ['Fees (2024)', 'Fees']
    """
    more = " ".join(_IDENTIFIER.sub(" ", _more_of_file_name(passage)).split())
    return f"{passage.title} ({more})" if passage.title and more else passage.title or more


def names_the_document(passage: Passage) -> str:
    """What all passages of a document have above them: its title, and the name of its file."""
    return "\n".join(filter(None, [passage.title, words_of_file_name(passage.source)]))


def are_of_one_document(one: Passage, other: Passage) -> bool:
    """Whether two passages are of the same document of a file, or are the same."""
    if one.id == other.id:
        return True
    return bool(one.source) and (one.source.partition("#")[0], one.title) == (other.source.partition("#")[0], other.title)


def folder_of(passage: Passage) -> str:
    """The folder that the file of a passage is in; empty if it is in none."""
    return passage.source.partition("#")[0].rpartition("/")[0]


def folders_around(passage: Passage) -> list[str]:
    """The folders that the file of a passage is in, the nearest ones first."""
    folder = folder_of(passage)
    names = folder.split("/") if folder else []
    return ["/".join(names[:num]) for num in range(len(names), -1, -1)][:_MOST_FOLDERS]


def file_name_of(source: str) -> str:
    """The name of a file without its folders, and without the place in it."""
    return source.partition("#")[0].replace("\\", "/").rpartition("/")[2]


def _more_of_file_name(passage: Passage) -> str:
    """The words of the name of a file that title and sections lack."""
    return _more_than(words_of_file_name(passage.source), passage.heading) if passage.source else ""


@remembered
def _more_than(named: str, heading: str) -> str:
    """The words of a name that a heading lacks."""
    known = {word.casefold() for word in _WORD.findall(heading)} if named else set[str]()
    return " ".join(word for word in named.split() if not known.issuperset(one.casefold() for one in _WORD.findall(word)))


@remembered
def words_of_file_name(source: str) -> str:
    """The words of the name of a file, which often says what a document with a general title is about.

    Web pages are named as addresses, by rules of their own (`sql-dropdatabase.html`), and have titles; a file of many records
    is not what one of them is about.

    >>> words_of_file_name("contracts/Orlau_Supply-Agreement_v2.docx#page=3"), words_of_file_name("sql-dropdatabase.html")
    ('Orlau Supply Agreement v2', '')
    >>> words_of_file_name("Letter 2025-04-07 (copy).txt")
    'Letter 2025-04-07 copy'
    """
    name = file_name_of(source)
    if "://" in source or _UNTELLING.search(name):
        return ""
    return " ".join(_BETWEEN_WORDS.split(_SUFFIXES.sub("", name))).strip()


@remembered
def folders_of(source: str) -> tuple[str, ...]:
    """The names of the folders that a file is in, from the outermost, as words; a web address has none.

    >>> folders_of("manuals/gnucash_guide-en/ch_basics.html#accounts"), folders_of("https://orlau.example/fees/2024.html")
    (('manuals', 'gnucash guide en'), ())
    """
    if "://" in source:
        return ()
    folders = source.partition("#")[0].replace("\\", "/").split("/")[:-1]
    return tuple(" ".join(_BETWEEN_WORDS.split(folder)).strip() for folder in folders)
