"""A folder in BEIR's layout: a corpus, queries, and judgements of which passages are relevant.

Address: https://github.com/beir-cellar/beir (Thakur et al. 2021, arXiv 2104.08663). Licence: that of the dataset in the folder.

The folder contains `corpus.jsonl`, `queries.jsonl` and `qrels/SPLIT.tsv`, each optionally as `.gz`. The questions are the
queries with judgements in the split; passages with a score above 0 are gold. Answers exist only if a query's metadata has an
`answer`: answer metrics have no data for the others. Ids are those of the folder, so its corpus can be indexed as it is.

The files `FOLDER/corpus.jsonl`:

    {"_id": "d1", "title": "Carrow", "text": "Its lighthouse is the Carrow Head Light.", "metadata": {}}
    {"_id": "d2", "title": "Carrow Head Light", "text": "It was designed by Ines Halloran."}

`FOLDER/queries.jsonl`:

    {"_id": "q1", "text": "Who designed the lighthouse of Carrow?", "metadata": {"answer": "Ines Halloran"}}
    {"_id": "q2", "text": "Which lighthouse is in Carrow?", "metadata": {}}

and, tab-separated, `FOLDER/qrels/test.tsv`:

    query-id  corpus-id  score
    q1        d1         1
    q1        d2         2
    q2        d1         1
    q2        d2         0
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, Field

from hopweave.core.errors import DataError
from hopweave.core.files import file_name
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Example, Gold, Passage, Question
from hopweave.evaluation.datasets._rows import Id, Layout, Row, Text, read_rows
from hopweave.evaluation.datasets._source import distinct, examples_of
from hopweave.ingest.file_bytes import open_text
from hopweave.ingest.formats import CorpusFile

_HEADER = ["query-id", "corpus-id", "score"]
_SCORE = lazy_pattern(r"\s*-?\d{1,9}\s*")


class _Document(Layout):
    id: Id = Field(validation_alias=AliasChoices("_id", "id"))
    title: str | None = None
    text: str


class _Query(Layout):
    id: Id = Field(validation_alias=AliasChoices("_id", "id"))
    text: Text
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class BEIR:
    """A BEIR folder; `hops` counts the relevant passages of a query."""

    path: Annotated[Path, "the folder with corpus.jsonl, queries.jsonl and qrels"]
    split: Annotated[str, "which judgements: the file qrels/SPLIT.tsv"] = "test"

    def examples(self) -> Iterator[Example]:
        judged = self._judged()
        rows: Iterator[Row[_Query]] = read_rows(self._file("queries.jsonl"), (_Query,))
        seen = set()

        def make(row: Row[_Query]) -> Iterator[Example]:
            if row.values.id in judged:
                seen.add(row.values.id)
                yield _example(row.values, judged[row.values.id])

        yield from examples_of(rows, make)
        unknown = [query for query in judged if query not in seen]
        if unknown:
            where = self._qrels()
            raise DataError(f"{where} judges the query {unknown[0]!r}, which queries.jsonl lacks; fetch the folder again")

    def passages(self) -> Iterator[Passage]:
        rows: Iterator[Row[_Document]] = read_rows(self._file("corpus.jsonl"), (_Document,))
        for row in rows:
            yield Passage(row.values.id, row.values.text, row.values.title or "")

    def _qrels(self) -> Path:
        return self._file(f"qrels/{file_name(self.split, 'the option split')}.tsv")

    def _file(self, name: str) -> Path:
        plain = self.path / name
        zipped = plain.with_name(plain.name + ".gz")
        return zipped if zipped.is_file() and not plain.is_file() else plain

    def _judged(self) -> dict[str, list[str]]:
        """Ids of the relevant passages of each query with judgements."""
        path = self._qrels()
        judged: dict[str, list[str]] = {}
        with open_text(CorpusFile(path, path.as_posix(), path.name)) as lines:
            for number, line in enumerate(lines, start=1):
                cells = line.rstrip("\r\n").split("\t")
                if cells == _HEADER or not line.strip():
                    continue
                if len(cells) != len(_HEADER) or not _SCORE.fullmatch(cells[2]):
                    what = "is not a tab-separated query, passage and integer"
                    raise DataError(f"{path.as_posix()}, line {number} {what}; correct the line")
                relevant = judged.setdefault(cells[0], [])
                if int(cells[2]) > 0:
                    relevant.append(cells[1])
        return judged


def _example(values: _Query, relevant: list[str]) -> Example:
    answer = (values.metadata or {}).get("answer")
    answers = answer if isinstance(answer, list) else [answer]
    gold = Gold(distinct(str(one) for one in answers if one), distinct(relevant))
    return Example(Question(values.id, values.text), gold, {"hops": len(gold.passage_ids)} if gold.passage_ids else {})
