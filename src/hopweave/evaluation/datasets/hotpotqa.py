"""HotpotQA: two-hop questions over Wikipedia, distractor and fullwiki.

Address: https://hotpotqa.github.io (Yang et al. 2018, arXiv 1809.09600). Licence: CC BY-SA 4.0. On the hub:
`hotpotqa/hotpot_qa`, configuration `distractor` or `fullwiki`.

Both settings share one layout. In the distractor setting the ten paragraphs of a row include the evidence; in fullwiki they are
what a retriever found, and may not.

One row of `hotpot_dev_distractor_v1.json`:

    [{"_id": "c1", "answer": "Ines Halloran", "type": "bridge", "level": "hard",
      "question": "Who designed the lighthouse that guards the harbour of Carrow?",
      "supporting_facts": [["Carrow", 0], ["Carrow Head Light", 1]],
      "context": [["Carrow", ["Carrow is a harbour guarded by the Carrow Head Light.", " It is small."]],
                  ["Carrow Head Light", ["It is a lighthouse.", " It was designed by Ines Halloran."]],
                  ["Port Ellery", ["Port Ellery has no lighthouse."]]]}]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AliasChoices, Field

from hopweave.core.types import Example, Gold, Passage, Question
from hopweave.evaluation.datasets._hub import HubAddress
from hopweave.evaluation.datasets._paragraphs import Paragraphs, SupportingFacts, gold_ids, gold_sentences, passages_of
from hopweave.evaluation.datasets._rows import Id, Layout, Row, Text
from hopweave.evaluation.datasets._source import Source, examples_of


class _HotpotRow(Layout):
    id: Id = Field(validation_alias=AliasChoices("_id", "id"))
    question: Text
    answer: Text
    context: Paragraphs
    supporting_facts: SupportingFacts
    type: str = ""
    level: str = ""


@dataclass(frozen=True, slots=True)
class HotpotQA(Source):
    """HotpotQA, with the titles of the supporting facts as gold passages.

    If a row of fullwiki lacks some of its gold paragraphs, its gold passages are unknown, unless `passage_ids` is
    `title`: then ids are titles, for an index of a corpus with one passage per title (`hopweave index --id-field title`), and
    there are no gold sentences, since such a corpus may join sentences differently.
    """

    HUB: ClassVar = HubAddress("hotpotqa/hotpot_qa", "distractor")
    OFFICIAL: ClassVar[Mapping[str, Mapping[str, Any]]] = {"f1": {"variant": "hotpotqa"}}
    """A yes, no or noanswer only matches itself (`hotpot_evaluate_v1.py`)."""

    setting: Annotated[Literal["distractor", "fullwiki"], "configuration, with hub"] = "distractor"
    passage_ids: Annotated[Literal["content", "title"], "what identifies a passage: its content, or only its title"] = "content"

    def examples(self) -> Iterator[Example]:
        yield from examples_of(self._rows(), self._examples)

    def passages(self) -> Iterator[Passage]:
        for row in self._rows():
            yield from self._passages(row.values)

    def _rows(self) -> Iterator[Row[_HotpotRow]]:
        return self.rows(_HotpotRow, hub=HubAddress(self.HUB.name, self.setting))

    def _passages(self, values: _HotpotRow) -> list[Passage]:
        found = passages_of(values.context)
        return found if self.passage_ids == "content" else [replace(passage, id=passage.title) for passage in found]

    def _examples(self, row: Row[_HotpotRow]) -> Iterator[Example]:
        values = row.values
        titles = tuple(dict.fromkeys(title for title, _ in values.supporting_facts))
        gold = Gold((values.answer,), titles) if self.passage_ids == "title" else self._gold(values)
        traits: dict[str, str | int] = {"type": values.type, "level": values.level, "hops": len(titles)}
        yield Example(
            Question(values.id, values.question, dataset="hotpotqa"),
            gold,
            {name: value for name, value in traits.items() if value},
        )

    def _gold(self, values: _HotpotRow) -> Gold:
        passages, facts = passages_of(values.context), values.supporting_facts
        return Gold((values.answer,), gold_ids(passages, facts), sentences=gold_sentences(passages, values.context, facts))
