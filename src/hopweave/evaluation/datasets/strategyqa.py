"""StrategyQA: yes-or-no questions with implicit reasoning steps.

Address: https://allenai.org/data/strategyqa (Geva et al. 2021, arXiv 2101.02235). Licence: MIT. The BIG-bench task `strategyqa`
(https://github.com/google/BIG-bench, Apache-2.0) has different questions from the same collection; on the hub it is
`tasksource/bigbench`, configuration `strategyqa`.

In a decomposition, `#1` stands for the answer to the first step; the answers of steps are not given. The evidence names
paragraphs of the authors' corpus, per annotator and step; all of them count as gold passages.

One row of `strategyqa_dev.json`:

    [{"qid": "s1", "term": "Carrow Head Light", "description": "a lighthouse",
      "question": "Could a visitor to the Carrow Head Light have met the one who designed it?", "answer": true,
      "facts": ["The lighthouse opened in 1931.", "Ines Halloran, who designed it, lived until 1960."],
      "decomposition": ["When did the Carrow Head Light open?", "Until when did the designer live?", "Is #1 before #2?"],
      "evidence": [[[["Carrow Head Light-1"]], [["Ines Halloran-2"], "no_evidence"], ["operation"]]]}]

its paragraphs, in `strategyqa_paragraphs.json` (option `paragraphs`):

    {"Carrow Head Light-1": {"title": "Carrow Head Light", "section": "", "headers": [], "content": "It opened in 1931.",
                             "para_index": 1},
     "Ines Halloran-2": {"title": "Ines Halloran", "section": "Life", "headers": ["Life"], "content": "She died in 1960.",
                         "para_index": 2}}

or, of BIG-bench, `task.json`:

    {"name": "strategyqa", "examples": [
      {"input": "Could a lighthouse keeper at Carrow Head see the moon?", "target_scores": {"Yes": 1, "No": 0},
       "target": "Yes. The moon can be seen from every coast."}]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from hopweave.core.types import Example, Gold, GoldStep, Passage, Question
from hopweave.evaluation.datasets._hub import HubAddress
from hopweave.evaluation.datasets._rows import Id, Layout, Row, Text, read_members
from hopweave.evaluation.datasets._source import Source, distinct, examples_of, required

_LABELS = ("Yes", "No")


class _Original(Layout):
    marks = ("qid",)
    qid: Id
    question: Text
    answer: bool
    decomposition: tuple[str, ...] = ()
    evidence: tuple[Any, ...] = ()


class _BigBench(Layout):
    marks = ("input",)
    input: Text
    target_scores: Mapping[str, float]


class _OnHub(Layout):
    marks = ("inputs",)
    inputs: Text
    multiple_choice_targets: tuple[str, ...]
    multiple_choice_scores: tuple[float, ...]


class _Paragraph(Layout):
    title: str
    content: str


@dataclass(frozen=True, slots=True)
class StrategyQA(Source):
    """StrategyQA, original or from BIG-bench, as determined by the file. The answer is one of the labels Yes and No."""

    HUB: ClassVar = HubAddress("tasksource/bigbench", "strategyqa")

    paragraphs: Annotated[Path | None, "the paragraphs that the evidence names, needed to build a corpus"] = None

    def examples(self) -> Iterator[Example]:
        yield from examples_of(self.rows(_Original, _BigBench, _OnHub, under=("examples",)), lambda row: [_example(row)])

    def passages(self) -> Iterator[Passage]:
        for key, row in read_members(required(self.paragraphs, "paragraphs", "the paragraphs of StrategyQA"), _Paragraph):
            yield Passage(key, row.values.content, row.values.title)


def _example(row: Row[Layout]) -> Example:
    match row.values:
        case _Original() as values:
            gold = Gold(
                (_LABELS[0] if values.answer else _LABELS[1],),
                distinct(_paragraph_ids(values.evidence)),
                steps=tuple(GoldStep(query, "") for query in values.decomposition),
            )
            traits = {"steps": len(values.decomposition)} if values.decomposition else {}
            return Example(Question(values.qid, values.question, "label", _LABELS, dataset="strategyqa"), gold, traits)
        case _BigBench() as values:
            return _scored(row, values.input, values.target_scores)
        case _OnHub() as values:
            scores = dict(zip(values.multiple_choice_targets, values.multiple_choice_scores, strict=False))
            text = values.inputs.strip().removeprefix("Q:").removesuffix("A:").strip()
            return _scored(row, text, scores)
    raise row.error("its layout is unknown")


def _scored(row: Row[Layout], text: str, scores: Mapping[str, float]) -> Example:
    right = tuple(label for label in _LABELS if scores.get(label) == 1)
    if len(right) != 1:
        raise row.error(f"exactly one of {' and '.join(_LABELS)} must have the score 1, not {dict(scores)}")
    return Example(Question("", text, "label", _LABELS, dataset="strategyqa"), Gold(right))


def _paragraph_ids(evidence: Any) -> Iterator[str]:
    """Ids in lists of any depth; the words `operation` and `no_evidence` among them name no paragraph."""
    for item in evidence:
        if isinstance(item, str):
            if item not in {"operation", "no_evidence"}:
                yield item
        elif isinstance(item, list | tuple):
            yield from _paragraph_ids(item)
