"""Reading files as a corpus: their passages, or the one line that says what cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hopweave.core.errors import DataError
from hopweave.core.types import Passage
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.ingest.tally import Tally


def written(folder: Path, name: str, content: str | bytes) -> Path:
    """A file with this content; folders above it are made."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(*paths: Path, tally: Tally | None = None, **options: Any) -> list[Passage]:
    """All passages of files and folders, read with the options of a corpus."""
    return list(read_corpus(paths, options=CorpusOptions(**options), tally=tally))


def refused(*paths: Path, match: str, **options: Any) -> str:
    """The line with which reading the files fails."""
    return one_line_of(lambda: read(*paths, **options), match)


def one_line_of(call: Callable[[], object], match: str) -> str:
    """What the error of a call says, which is one line of a limited length and says what to do."""
    with pytest.raises(DataError, match=match) as caught:
        call()
    said = str(caught.value)
    assert "\n" not in said
    assert "; " in said
    assert len(said) < 5_000
    return said
