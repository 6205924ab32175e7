"""The data sent to an engine on a server: passages as rows with their terms, and the state of a collection."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from typing import Any

from hopweave.core.characters import check_whole
from hopweave.core.errors import DataError
from hopweave.core.types import Hit, Passage
from hopweave.core.visibility import filter_values
from hopweave.ingest.lookup import document_id_of
from hopweave.retrieval.index.analysis import ENGLISH, Analysis
from hopweave.retrieval.index.bm25_search import MAX_QUERY_TERMS, SCORE_DECIMALS
from hopweave.retrieval.index.index_folder import Fingerprint
from hopweave.retrieval.index.passage_rows import passage_of_row, row_of_passage
from hopweave.text.document_names import words_above
from hopweave.text.scripts import runs_together

BATCH = 500
"""The number of passages in one request of a bulk load."""

NOT_CUT = -1

Vectors = Iterable[Sequence[float]]


@dataclass(frozen=True, slots=True)
class State:
    """The state of a collection.

    Attributes:
        data: name of the data set with its passages.
        number: the number of the data set, which increases with each build.
        is_ready: whether no update is in progress or was interrupted.
        analyzer: the analyzer of the terms.
        num_passages: the number of passages.
        fingerprint: the fingerprint of the corpus.
        num_terms: the number of terms of all passages, title and text.
        num_title_terms: the number of terms of all titles.
        usual_length: mean number of terms of the first passages that were loaded, for engines that weigh terms when loading.
        usual_title_length: the same for titles.
        dimensions: the dimension of the vectors; 0 if there are none.
        num_cut: passages with letters of scripts that are cut into pairs; `NOT_CUT` if nothing is, as in earlier versions.
        has_filters: whether the data set has the fields for filters; one of an earlier version does not.
        num_labelled: how many passages have access labels.
    """

    data: str
    number: int = 1
    is_ready: bool = False
    analyzer: str = ENGLISH.tokenizer
    num_passages: int = 0
    fingerprint: str = "0"
    num_terms: int = 0
    num_title_terms: int = 0
    usual_length: float = 1.0
    usual_title_length: float = 1.0
    dimensions: int = 0
    num_cut: int = NOT_CUT
    has_filters: bool = False
    num_labelled: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A passage as an engine stores it.

    Attributes:
        key: the key of its id; 32 hexadecimal digits.
        document: the key of the id of its document.
        content: the passage, as JSON.
        terms: the terms of title and text, with counts.
        title_terms: the terms of the title, with counts.
        filters: the values for filters; see `visibility.filter_values`.
        vector: its vector; empty if there is none.
    """

    key: str
    document: str
    content: str
    terms: Counter[str]
    title_terms: Counter[str]
    filters: Mapping[str, Sequence[str]]
    vector: Sequence[float] = ()


Found = list[tuple[float, str]]
"""Scores and contents of hits."""


class Sums:
    """The sums of a write: numbers, the fingerprint, and the documents so far."""

    def __init__(self, check_vector: Callable[[Sequence[float], int], None], analysis: Analysis) -> None:
        self.num_passages = self.num_added = self.num_deleted = 0
        self._check_vector = check_vector
        self._analysis = analysis
        self._num_cut = 0
        self._fingerprint = Fingerprint()
        self._num_terms = self._num_title_terms = self._num_labelled = 0
        self._keys: set[str] | None = None
        self._documents: set[str] = set()

    def start(self, state: State) -> None:
        """Starts from a state, and notes each id from here on."""
        self.num_passages, self._fingerprint = state.num_passages, Fingerprint(state.fingerprint)
        self._num_terms, self._num_title_terms = state.num_terms, state.num_title_terms
        self._num_cut = state.num_cut
        self._num_labelled = state.num_labelled
        self._keys = set()

    def batches(
        self, passages: Iterable[Passage], vectors: Vectors | None, dimensions: int | None = None
    ) -> Iterator[list[Row]]:
        """Rows of passages and their vectors, for one request each.

        Args:
            passages: consumed one by one.
            vectors: one for each passage.
            dimensions: the dimension of the vectors; by default, that of the first.

        Raises:
            DataError: if the numbers of passages and vectors differ, or vectors have different lengths.
        """
        left, given = iter(passages), iter(vectors) if vectors is not None else None
        while batch := list(islice(left, BATCH)):
            own = [plain_vector(vector) for vector in islice(given, len(batch))] if given is not None else [()] * len(batch)
            if len(own) < len(batch):
                raise DataError("there are fewer vectors than passages; give one for each")
            dimensions = len(own[0]) if dimensions is None else dimensions
            for vector in own:
                self._check_vector(vector, dimensions)
            rows = [row_of(*pair, self._analysis) for pair in zip(batch, own, strict=True)]
            self._check_ids(batch, rows)
            yield rows
        if given is not None and next(given, None) is not None:
            raise DataError("there are more vectors than passages; give one for each")

    def new_documents(self, rows: Iterable[Row]) -> list[str]:
        """The documents that are new in this write."""
        new = {row.document for row in rows} - self._documents
        self._documents |= new
        return sorted(new)

    def add(self, rows: Sequence[Row], on_passage: Callable[[int], None] | None) -> None:
        """Counts rows that were written."""
        for row in rows:
            passage = passage_of(row.content)
            self._fingerprint.add(passage)
            self._num_cut += _has_cuts(passage)
            self._num_labelled += bool(passage.access)
            self._num_terms += row.terms.total()
            self._num_title_terms += row.title_terms.total()
        self.num_added += len(rows)
        self.num_passages += len(rows)
        if on_passage is not None:
            on_passage(self.num_added)

    def remove(self, passages: Iterable[Passage]) -> None:
        """Counts passages that were deleted.

        Raises:
            DataError: as in `row_of`.
        """
        for passage in passages:
            self._fingerprint.remove(passage)
            self._num_cut -= _has_cuts(passage)
            row = row_of(passage, (), self._analysis)
            self._num_terms -= row.terms.total()
            self._num_title_terms -= row.title_terms.total()
            self._num_labelled -= bool(passage.access)
            self.num_deleted += 1
            self.num_passages -= 1

    def over(self, state: State) -> State:
        """A state that is ready, with these sums."""
        return replace(
            state,
            is_ready=True,
            num_passages=self.num_passages,
            fingerprint=str(self._fingerprint),
            num_terms=self._num_terms,
            num_title_terms=self._num_title_terms,
            num_cut=self._num_cut if self._analysis.cuts else NOT_CUT,
            num_labelled=self._num_labelled,
        )

    def _check_ids(self, passages: Sequence[Passage], rows: Sequence[Row]) -> None:
        met: set[str] = self._keys if self._keys is not None else set()
        for passage, row in zip(passages, rows, strict=True):
            if row.key in met:
                raise DataError(f"the id {passage.id!r} occurs twice; make the ids unique")
            met.add(row.key)


def _has_cuts(passage: Passage) -> bool:
    return runs_together(f"{words_above(passage)}\n{passage.text}")


def average(total: int, number: int) -> float:
    """A mean length, which is never 0."""
    return total / number if total and number else 1.0


def usual_lengths(rows: Sequence[Row]) -> Mapping[str, Any]:
    """The mean number of terms of texts and titles, which the state of a collection keeps."""
    return {
        "usual_length": average(sum(row.terms.total() for row in rows), len(rows)),
        "usual_title_length": average(sum(row.title_terms.total() for row in rows), len(rows)),
    }


def key_of(any_id: str) -> str:
    """An id as a key of fixed length: 32 hexadecimal digits."""
    return blake2b(any_id.encode("utf-8", "replace"), digest_size=16).hexdigest()


def row_of(passage: Passage, vector: Sequence[float], analysis: Analysis) -> Row:
    """A passage as it is sent to an engine.

    Raises:
        DataError: for a passage without an id, or with an unpaired surrogate.
    """
    content = json.dumps(row_of_passage(passage), ensure_ascii=False)
    check_whole(content, f"passage {passage.id!r}")
    if not passage.id:
        raise DataError(f"a passage of {passage.source or 'the corpus'} has no id; give it one")
    terms = Counter(analysis.terms_of(f"{words_above(passage)}\n{passage.text}"))
    title_terms = Counter(analysis.terms_of(words_above(passage)))
    document = key_of(document_id_of(passage))
    return Row(key_of(passage.id), document, content, terms, title_terms, filter_values(passage), vector)


def passage_of(content: str) -> Passage:
    """The passage in a row."""
    return passage_of_row(json.loads(content))


def plain_vector(vector: Sequence[float]) -> Sequence[float]:
    """A vector as plain numbers, for JSON."""
    return [float(value) for value in vector]


def query_terms(query: str, analysis: Analysis) -> Counter[str]:
    """The terms of a query with their counts, the first `MAX_QUERY_TERMS` of them."""
    terms = Counter(analysis.terms_of(query))
    return Counter(dict(islice(terms.items(), MAX_QUERY_TERMS)))


def hits_of(found: Found, max_hits: int) -> list[Hit]:
    """Hits, best first; among equal scores, the smaller id comes first."""
    scored = [(round(score, SCORE_DECIMALS), passage_of(content)) for score, content in found]
    best = sorted(scored, key=lambda hit: (-hit[0], hit[1].id))[:max_hits]
    return [Hit(passage, score, rank) for rank, (score, passage) in enumerate(best, start=1)]
