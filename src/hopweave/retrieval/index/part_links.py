"""References to sections, annexes and tables, and to the definitions of terms, as keys that an index can look up.

See `text.document_parts` and `text.defined_terms`. For each passage, an index stores the terms that it defines, for its
document and its folder, and the parts that it is in: of its document, of whatever has its title, which is how other
documents refer to it, and of its folder if its page is a numbered chapter of what that holds. So a new passage is found by the
references to it, and a deleted one no longer, as with `links`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from hopweave.core.types import Passage
from hopweave.ingest.lookup import document_id_of
from hopweave.retrieval.index.links import title_key
from hopweave.text.defined_terms import definitions
from hopweave.text.document_names import folder_of, folders_around
from hopweave.text.document_parts import label_of, parts_of

DEFINES = "="
"""The label of all definitions."""

_NUM_BYTES = 6


def part_keys(passage: Passage) -> Iterator[str]:
    """The keys of the parts that a passage is in, or has, and of the terms that it defines."""
    headed, listed = parts_of(passage.title, passage.sections, passage.text)
    for whole in _wholes(passage):
        yield from (_key(whole, label) for label in sorted(headed))
    yield from (_key(_document(passage), label, is_listed=True) for label in sorted(listed))
    if defined := definitions(passage.title, passage.sections, passage.text):
        for whole in (_document(passage), *([_folder(passage)] if passage.source else [])):
            yield from (_key(whole, label) for label in sorted({DEFINES, *(one.label for one in defined)}))


def keys_referred_to(passage: Passage, label: str, titles: list[str]) -> Iterator[str]:
    """The keys of the part with a label that a passage refers to, likeliest first.

    Args:
        passage: the passage.
        label: the label.
        titles: the keys of the titles that the words name beside it; if there are none, the part is in what the passage is in.
    """
    if titles:
        yield from (_key(_titled(title), label) for title in titles)
        return
    yield _key(_document(passage), label)
    yield _key(_document(passage), label, is_listed=True)
    if label_of(passage.title):
        yield _key(_folder(passage), label)


def defining(passage: Passage) -> Iterator[str]:
    """What may define the terms that a passage uses: its document, and the folders that it is in, the nearest ones first."""
    yield _document(passage)
    yield from (f"folder {folder}" for folder in folders_around(passage)) if passage.source else ()


def key_of_term(whole: str, label: str) -> str:
    """The key of the definitions of a term, or of all (`DEFINES`), in one of what `defining` says."""
    return _key(whole, label)


def _wholes(passage: Passage) -> Iterator[str]:
    """What a passage is a part of."""
    yield _document(passage)
    if key := title_key(passage.title):
        yield _titled(key)
    if label_of(passage.title):
        yield _folder(passage)


def _document(passage: Passage) -> str:
    return f"document {document_id_of(passage)}"


def _titled(key: str) -> str:
    return f"title {key}"


def _folder(passage: Passage) -> str:
    return f"folder {folder_of(passage)}"


def _key(whole: str, label: str, *, is_listed: bool = False) -> str:
    """A short key, since every passage has several."""
    digest = hashlib.blake2b(f"{whole}\0{is_listed}\0{label}".encode("utf-8", "replace"), digest_size=_NUM_BYTES)
    return digest.hexdigest()
