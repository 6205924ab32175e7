"""What is attached to messages, as files of the corpus: each is read as if it lay in a folder named like its message."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import BinaryIO, cast

from hopweave.core.errors import DataError
from hopweave.ingest.ahead import Pieces
from hopweave.ingest.archive import member_of, not_nested
from hopweave.ingest.document import Attachment
from hopweave.ingest.file_bytes import decompressed
from hopweave.ingest.formats import CorpusFile
from hopweave.ingest.recognise import HEAD_BYTES, TEXT, is_left_closed, told_by

_TOO_DEEP = "attached to an attached message"


def attached_files(message: CorpusFile, attached: Sequence[Attachment]) -> Iterator[tuple[CorpusFile, bytes]]:
    """The files that are attached to a message, in order, including those that cannot be read, and the bytes of each.

    Args:
        message: as a file of the corpus.
        attached: to it; those without content are left out.
    """
    taken: set[str] = set()
    for one in attached:
        if one.content:
            name = _new_name(one.name.replace("\\", "/").rstrip("/").rpartition("/")[2], taken)
            file = member_of(message, name, _TOO_DEEP if message.within else "")
            file = replace(file, at=message.at, within=(one.within,))
            content = Pieces(decompressed(file, io.BytesIO(one.content)))
            yield replace(_recognised(file, one.content), content=cast("BinaryIO", content)), one.content


def _new_name(name: str, taken: set[str]) -> str:
    """The name, with a number before it if another file of the message has it."""
    name = " ".join(name.split()).strip(". ") or "attachment"
    number, new = 1, name
    while new in taken:
        number += 1
        new = f"{number}-{name}"
    taken.add(new)
    return new


def _recognised(file: CorpusFile, content: bytes) -> CorpusFile:
    """The same file; if its name does not say its format, with what it looks like."""
    if is_left_closed(file):
        return file
    try:
        with closing(decompressed(file, io.BytesIO(content))) as pieces:
            head = next(pieces, b"")
    except DataError:  # reading it says why
        return file if file.is_readable else replace(file, looks=TEXT)
    return not_nested(told_by(head[:HEAD_BYTES], file))
