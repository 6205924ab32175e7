"""References to sections, annexes and tables, as keys that an index can look up; see `text.document_parts`.

For each passage, an index stores the parts that it is in: of its document, of whatever has its title, which is how other
documents refer to it, and of its folder if its page is a numbered chapter of what that holds. So a new passage is found by the
references to it, and a deleted one no longer, as with `links`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from hopweave.core.types import Passage
from hopweave.ingest.lookup import document_id_of
from hopweave.retrieval.index.links import title_key
from hopweave.text.document_parts import label_of, parts_of

_NUM_BYTES = 6


def part_keys(passage: Passage) -> Iterator[str]:
    """The keys of the parts that a passage is in, or has."""
    headed, listed = parts_of(passage.title, passage.sections, passage.text)
    for whole in _wholes(passage):
        yield from (_key(whole, label) for label in sorted(headed))
    yield from (_key(_document(passage), label, is_listed=True) for label in sorted(listed))


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
    return f"folder {passage.source.partition('#')[0].rpartition('/')[0]}"


def _key(whole: str, label: str, *, is_listed: bool = False) -> str:
    """A short key, since every passage has several."""
    digest = hashlib.blake2b(f"{whole}\0{is_listed}\0{label}".encode("utf-8", "replace"), digest_size=_NUM_BYTES)
    return digest.hexdigest()
