"""The passages that a record retrieved, and which of them were relevant."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Literal

from hopweave.core.errors import DataError
from hopweave.core.types import Gold, Passage
from hopweave.record import Record, Search
from hopweave.text.quotation import PLAIN

WithoutSearch = Literal["no_data", "zero"]


def retrieved_ids(record: Record, without_search: WithoutSearch) -> tuple[str, ...] | None:
    """The passages that the answer was based on, best or earliest first, each once; `None` if there is nothing to score.

    That is the case for a failed record and, with `no_data`, for one that never searched: without retrieval there is no recall.
    """
    if record.answer is None:
        return None
    if not any(isinstance(step, Search) for step in record.own_steps) and without_search == "no_data":
        return None
    return tuple(dict.fromkeys(record.answer.passage_ids))


def retrieved_passages(record: Record, ids: Sequence[str]) -> list[Passage]:
    """The passages with these ids.

    Raises:
        DataError: if one is not in the record.
    """
    held = {passage.id: passage for passage in record.passages}
    missing = [passage_id for passage_id in ids if passage_id not in held]
    if missing:
        raise DataError(f"the record of question {record.question.id!r} lacks the passage {missing[0]!r}; answer it again")
    return [held[passage_id] for passage_id in ids]


def plain_id(passage_id: str) -> str:
    """An id in the form compared by IRCoT's evaluation: lower case, without spaces."""
    return passage_id.lower().replace(" ", "")


def relevance(record: Record, ids: Sequence[str], gold: Gold, *, by_facts: bool, folds: bool) -> list[frozenset[int]]:
    """For each retrieved passage, the golds it contains: facts as MultiHop-RAG matches them in its text, or passage ids."""
    if not by_facts:
        wanted = [plain_id(passage_id) for passage_id in gold.passage_ids]
        return [frozenset(place for place, one in enumerate(wanted) if one == plain_id(other)) for other in ids]
    facts = [_squeezed(fact, folds=folds) for fact in gold.facts]
    texts = [_squeezed(passage.text, folds=folds) for passage in retrieved_passages(record, ids)]
    return [frozenset(place for place, fact in enumerate(facts) if fact and fact in text) for text in texts]


def _squeezed(text: str, *, folds: bool) -> str:
    if folds:
        text = unicodedata.normalize("NFKC", text.translate(PLAIN)).replace("-", "")
    return text.replace(" ", "").replace("\n", "")
