"""Lists of references (BibTeX, RIS): every reference becomes a section, with its title as the heading.

Pandoc reads them into the format of the Citation Style Language, in which the fields have the same names whatever the list is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.content_lines import add_section
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Blocks, Document
from hopweave.ingest.record_fields import cell_of, names_of
from hopweave.ingest.row import is_list_of_objects
from hopweave.ingest.row_text import row_text

_SHOWN: Mapping[str, str] = {
    "title": "title", "author": "authors", "editor": "editors", "translator": "translators", "issued": "published",
    "container-title": "in",
    "collection-title": "series", "event-title": "event", "edition": "edition", "volume": "volume", "issue": "issue",
    "number": "number", "page": "pages", "publisher": "publisher", "publisher-place": "place", "keyword": "keywords",
    "DOI": "DOI", "ISBN": "ISBN", "URL": "URL", "id": "key",
}  # fmt: skip
"""What is shown of a reference as a row, in order."""
_TEXTS = ("abstract", "annote", "note")
_TAG = lazy_pattern(r"</?(?:i|b|sub|sup|span)\b[^<>]{0,200}>")
_REFERENCE = "Reference"
_BIBTEX_ENTRY = lazy_pattern(r"(?m)^([ \t]{0,20}@(?!comment|string|preamble)[A-Za-z]{1,40}[ \t]{0,20}\{[^\s,{}]{1,500},)")
_AS_WRITTEN = r"\1 langid = {german},"
"""What keeps pandoc from writing a title in small letters, as it does in English, where names of places would lose theirs."""


def as_written(content: str) -> str:
    """A list in BibTeX whose titles keep their capitals when pandoc reads it."""
    return _BIBTEX_ENTRY.sub(_AS_WRITTEN, content)


def read_references(content: str, check: Check) -> Document:
    """A list of references as a document without a title.

    Args:
        content: the list, in the JSON of the Citation Style Language as pandoc writes it.
        check: called for every reference.
    """
    blocks = Blocks()
    for reference in json.loads(content):
        check()
        cells = {shown: cell for name, shown in _SHOWN.items() if (cell := _plain(_cell(name, reference.get(name), check)))}
        texts = [_plain(text) for name in _TEXTS if isinstance(text := reference.get(name), str)]
        row = row_text(list(cells), list(cells.values())) if cells else ""
        add_section(blocks, _plain(str(reference.get("title", ""))), _REFERENCE, [row, *texts])
    return Document("", (blocks.part(),))


def _cell(name: str, value: object, check: Check) -> str:
    return names_of(value, check) if is_list_of_objects(value) else cell_of(name, value)


def _plain(text: str) -> str:
    return " ".join(_TAG.sub("", text).split())
