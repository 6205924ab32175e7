"""2WikiMultiHopQA: questions of two to four hops built from Wikidata and Wikipedia.

Address: https://github.com/Alab-NII/2wikimultihop (Ho et al. 2020, arXiv 2011.01060). Licence: Apache-2.0. On the hub a
third-party copy: `framolfese/2WikiMultihopQA`.

The authors' archive of April 2021 also contains aliases of the answer entities; their scorer accepts an alias or a demonym.
Give that file as `aliases`; otherwise only the answer's own spelling counts.

One row of `dev.json`:

    [{"_id": "w1", "type": "compositional", "question": "Where was the director of the film Carrow Nights born?",
      "context": [["Carrow Nights", ["Carrow Nights is a film by Ines Halloran."]],
                  ["Ines Halloran", ["Ines Halloran directs films.", "She was born in Port Ellery."]],
                  ["Grey Water", ["Grey Water is a film by nobody in particular."]]],
      "entity_ids": "Q1_Q2", "supporting_facts": [["Carrow Nights", 0], ["Ines Halloran", 1]],
      "evidences": [["Carrow Nights", "director", "Ines Halloran"], ["Ines Halloran", "place of birth", "Port Ellery"]],
      "evidences_id": [], "answer": "Port Ellery", "answer_id": "Q900000003"}]

and its aliases, one entity per line, in `id_aliases.json` (option `aliases`):

    {"Q_id": "Q900000003", "aliases": ["Ellery", "Ellery Harbour"], "demonyms": ["Ellerian"]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AliasChoices, Field

from hopweave.core.types import Example, Gold, GoldStep, Passage, Question
from hopweave.evaluation.datasets._hub import HubAddress
from hopweave.evaluation.datasets._paragraphs import (
    Evidences,
    Paragraphs,
    SupportingFacts,
    gold_ids,
    gold_sentences,
    passages_of,
)
from hopweave.evaluation.datasets._rows import Id, Layout, Row, Text, read_rows
from hopweave.evaluation.datasets._source import Source, distinct, examples_of


class _WikiRow(Layout):
    id: Id = Field(validation_alias=AliasChoices("_id", "id"))
    type: str = ""
    question: Text
    context: Paragraphs
    supporting_facts: SupportingFacts
    evidences: Evidences = ()
    answer: Text
    answer_id: str | None = None


class _Aliases(Layout):
    entity: Id = Field(alias="Q_id")
    aliases: tuple[str, ...]
    demonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TwoWikiMultiHopQA(Source):
    """2WikiMultiHopQA. Its evidence triples are the steps; `hops` counts the gold paragraphs."""

    HUB: ClassVar = HubAddress("framolfese/2WikiMultihopQA")
    OFFICIAL: ClassVar[Mapping[str, Mapping[str, Any]]] = {"f1": {"variant": "hotpotqa"}}
    """Its script is adapted from HotpotQA's (`2wikimultihop_evaluate_v1.1.py`)."""

    aliases: Annotated[Path | None, "the file id_aliases.json; without it there are no aliases"] = None

    def examples(self) -> Iterator[Example]:
        known = {} if self.aliases is None else _read_aliases(self.aliases)
        yield from examples_of(self.rows(_WikiRow), lambda row: [_example(row.values, known)])

    def passages(self) -> Iterator[Passage]:
        for row in self.rows(_WikiRow):
            yield from passages_of(row.values.context)


def _read_aliases(path: Path) -> Mapping[str, tuple[str, ...]]:
    rows: Iterator[Row[_Aliases]] = read_rows(path, (_Aliases,))
    return {row.values.entity: row.values.aliases + row.values.demonyms for row in rows}


def _example(values: _WikiRow, known: Mapping[str, tuple[str, ...]]) -> Example:
    passages = passages_of(values.context)
    by_title = {passage.title: passage.id for passage in reversed(passages)}
    gold = gold_ids(passages, values.supporting_facts)
    steps = tuple(
        GoldStep(f"{subject} >> {relation}", answer, by_title[subject] if by_title.get(subject) in gold else "")
        for subject, relation, answer in values.evidences
    )
    traits: dict[str, str | int] = {"hops": len({title for title, _ in values.supporting_facts})}
    if values.type:
        traits["type"] = values.type
    answers = distinct((values.answer, *known.get(values.answer_id or "", ())))
    sentences = gold_sentences(passages, values.context, values.supporting_facts)
    told = Gold(answers, gold, steps=steps, sentences=sentences)
    return Example(Question(values.id, values.question, dataset="2wikimultihopqa"), told, traits)
