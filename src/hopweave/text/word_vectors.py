"""How near English texts are in meaning, by vectors of their words: `delete` and `remove` are no stems of each other.

The vectors are those of WordLlama (MIT), of the pieces of a language model's vocabulary. They were trained so that the sum of
those of a text is near that of another text that says the same, and so that the first numbers of each are vectors as well
(Matryoshka). Here the pieces that are whole words are used, and 128 of 256 numbers: names, numbers and identifiers are
hardly ever among them, and are what searching for words is good at. See docs/design/measured.md.

They are fetched, not installed (`hopweave models fetch word-vectors`). Without them, and in other languages, all texts are
equally near.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hopweave.core.errors import DataError
from hopweave.core.files import models_folder, open_regular, read_json, read_whole, sha256_of
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.languages import language_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

VECTORS_FILE = "wordllama-l2-supercat-256.safetensors"
VOCABULARY_FILE = "wordllama-l2-supercat-256.tokenizer.json"
SHA256 = {
    VECTORS_FILE: "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
    VOCABULARY_FILE: "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
}
"""The checksum of each file, which is compared when it is fetched and when it is read."""

_NUMBERS = 128
_MOST_WORDS = 4_000
"""How many words of a text are looked at: a passage of a file of records may have any length."""

_BEGINS_A_WORD = "\u2581"
_TENSOR = "embedding.weight"
_WORD = lazy_pattern(r"[^\W\d_]+")


class Headed(NamedTuple):
    """A text, and the headings above it, which say what it is about as well."""

    headings: str
    text: str


def nearness(query: str, texts: Sequence[Headed], *, window: int = 0, of_headings: float = 1.0) -> list[float]:
    """How near texts are to a query, from 0, the farthest of them, to 1, the nearest.

    Args:
        query: a question.
        texts: what is compared with it.
        window: so many words at a time, and the nearest of these windows counts; 0 for a text as a whole.
        of_headings: how much the words of the headings count.

    Returns:
        A number for each text; 0 for all of them without word vectors, for a query that is not English, or if nothing tells
        them apart.

    Raises:
        DataError: if a file of the vectors was modified or cannot be read, with what to do.
    """
    vectors = _vectors()
    if vectors is None or len(texts) < 2 or language_of(query) != "en":
        return [0.0] * len(texts)
    cosines = vectors.cosines(query, texts, window, of_headings)
    low, high = min(cosines), max(cosines)
    return [(one - low) / (high - low) for one in cosines] if high > low else [0.0] * len(texts)


def word_vectors() -> str:
    """The name of the vectors that are used; empty without any."""
    return Path(VECTORS_FILE).stem if _vectors() is not None else ""


class _WordVectors:
    """The vectors in a folder, which are read when they are first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def cosines(self, query: str, texts: Sequence[Headed], window: int, of_headings: float) -> list[float]:
        """The cosine of each text with the query; 0 for one without a known word."""
        asked = self._sum(query)
        length = math.sqrt(float(asked @ asked))
        above = (of_headings * self._sum(one.headings) for one in texts)
        found = zip(above, texts, strict=True)
        return [self._cosine(asked, over, one.text, window) / length if length else 0.0 for over, one in found]

    def _cosine(self, asked: Vectors, above: Vectors, text: str, window: int) -> float:
        """The highest cosine of a window of a text, times the length of what is asked."""
        import numpy as np

        rows = self._rows(text)
        if not window or len(rows) <= window:
            sums = (above + self._table[rows].sum(axis=0))[None, :]
        else:
            ends = np.cumsum(self._table[rows], axis=0)
            before = np.concatenate([np.zeros_like(ends[:1]), ends])
            starts = np.arange(0, len(rows) - window // 2, max(window // 2, 1))
            sums = above + before[np.minimum(starts + window, len(rows))] - before[starts]
        lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
        products = sums @ asked
        return float(np.max(np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)))

    def _sum(self, text: str) -> Vectors:
        found: Vectors = self._table[self._rows(text)].sum(axis=0)
        return found

    def _rows(self, text: str) -> list[int]:
        rows = self._rows_of_words
        words = (match[0] for match in _WORD.finditer(text))
        known = (row for word in words if (row := rows.get(word, rows.get(word.lower()))) is not None)
        return list(islice(known, _MOST_WORDS))

    @cached_property
    def _table(self) -> Vectors:
        """The vectors of whole words, of shape (words, 128)."""
        import numpy as np

        path = self._checked(VECTORS_FILE)
        with open_regular(path) as file:
            num_bytes = int.from_bytes(file.read(8), "little")
            about = read_json(file.read(num_bytes))[_TENSOR]
        pieces = np.memmap(path, "<f2", "r", 8 + num_bytes, tuple(about["shape"]))
        table: Vectors = pieces[list(self._pieces.values()), :_NUMBERS].astype(np.float32)
        return table

    @cached_property
    def _pieces(self) -> Mapping[str, int]:
        """The number of each piece of the vocabulary that is a whole word."""
        pieces = read_json(read_whole(self._checked(VOCABULARY_FILE)))["model"]["vocab"].items()
        return {piece[1:]: number for piece, number in pieces if piece[:1] == _BEGINS_A_WORD and piece[1:].isalpha()}

    def _checked(self, name: str) -> Path:
        """The path of a file that is the known one.

        Raises:
            DataError: if it is not, or cannot be read.
        """
        path = self._folder / name
        try:
            is_known = sha256_of(path) == SHA256[name]
        except OSError as error:
            raise DataError(f"cannot read the word vectors {path}: {error.strerror}; check its permissions") from None
        if not is_known:
            raise DataError(
                f"{path} is not the file of word vectors that was fetched: it was modified on disk; run hopweave models remove "
                "word-vectors, then hopweave models fetch word-vectors"
            )
        return path

    @cached_property
    def _rows_of_words(self) -> Mapping[str, int]:
        """The row of each word; one that is known only with a capital letter (`Monday`) is found in small letters, too."""
        rows = {word: row for row, word in enumerate(self._pieces)}
        return {word.lower(): row for word, row in rows.items()} | rows


def _vectors() -> _WordVectors | None:
    """The vectors in the folder of models, if they were fetched."""
    folder = models_folder()
    is_here = (folder / VECTORS_FILE).is_file() and (folder / VOCABULARY_FILE).is_file()
    return _opened(folder) if is_here else None


@cache
def _opened(folder: Path) -> _WordVectors:
    return _WordVectors(folder)
