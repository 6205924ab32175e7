"""A model that plays ToQD's part by tables: what it decomposes, knows, reads and rewrites, whatever the order of the calls."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from support.bench import Bench, WithoutPrefill

from hopweave.core.types import Message, Passage, Question, Sampling
from hopweave.models.llms.scripted import Line
from hopweave.record import Record

KINDS = {
    "decompose": "Break the question down",
    "again": "That did not help",
    "further": "Find what is still open",
    "critique": "should be dropped?",
    "construct": "Which answers are needed for which?",
    "rewrite": "Rewrite the sub-question",
    "self_verify": "If you know the answer to the question for certain",
    "self_verify_with_passages": "If the passages above answer the question",
    "answer_with_passages": "Answer the question from the passages above",
    "summary_of_node": "If the answers above answer the question",
    "summary": "These sub-questions are answered",
    "answer_with_pairs": "Already answered:",
    "answer_simply": "Answer the question. Reply",
}


@dataclass
class Plays:
    """What the model says, by the question that it is asked.

    Attributes:
        sub_questions: of a question, in its first decomposition.
        further: sub-questions of a question that stayed open; else two made-up ones.
        arrows: of the graph of a question.
        dropped: what the critique of a question says.
        again: sub-questions where it is asked once more.
        knows, reads, sums_up: answers by itself, from passages, and from the nodes of a child graph; else NO!
        rewrites: a sub-question with the answers in it; else it says it again.
        summary: the last reply.
        raw: a whole reply by kind and question, before anything else.
        delay: the longest time that a reply takes, drawn each time.
    """

    sub_questions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    further: Mapping[str, Sequence[str]] = field(default_factory=dict)
    arrows: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, str] = field(default_factory=dict)
    again: Mapping[str, Sequence[str]] = field(default_factory=dict)
    knows: Mapping[str, str] = field(default_factory=dict)
    reads: Mapping[str, str] = field(default_factory=dict)
    sums_up: Mapping[str, str] = field(default_factory=dict)
    rewrites: Mapping[str, str] = field(default_factory=dict)
    summary: str = "So the final answer is unknown to me."
    raw: Mapping[tuple[str, str], str | Exception | Line] = field(default_factory=dict)
    delay: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def __call__(self, messages: Sequence[Message], sampling: Sampling) -> str | Exception | Line:
        kind, question = asked(messages)
        said = self.raw.get((kind, question))
        text = self._text(kind, question) if said is None else said
        return Line(text, delay_seconds=self.random.uniform(0, self.delay)) if isinstance(text, str) and self.delay else text

    def _text(self, kind: str, question: str) -> str:
        match kind:
            case "decompose":
                return listed(self.sub_questions[question])
            case "again":
                return listed(self.again[question])
            case "further":
                return listed(self.further.get(question, [f"{question[:-1]} a?", f"{question[:-1]} b?"]))
            case "critique":
                return self.dropped.get(question, "Drop: none")
            case "construct":
                return self.arrows.get(question, "")
            case "rewrite":
                return self.rewrites.get(question, question)
            case "self_verify":
                return self.knows.get(question, "NO!")
            case "self_verify_with_passages" | "answer_with_passages":
                return self.reads.get(question, "NO!" if kind.startswith("self") else "No idea at all")
            case "summary_of_node":
                return self.sums_up.get(question, "NO!")
            case "summary":
                return self.summary
            case _:
                return self.knows.get(question, "something")


class AskingForAll(Bench):
    """A bench on which ToQD makes every call of its algorithms, as in the paper, unless an option says otherwise."""

    async def ask(
        self, question: str | Question, method: str = "toqd", budget: Mapping[str, float] | None = None, **options: Any
    ) -> Record:
        return await super().ask(question, method, budget, **({"skip_needless": False} | options))


def bench(plays: Any, found: Mapping[str, str | Passage | Sequence[Passage]] | None = None, **more) -> Bench:
    """A bench whose model plays."""
    return AskingForAll(found=found, llm=WithoutPrefill(plays), **more)


def listed(items: Sequence[str]) -> str:
    """Items as a numbered list."""
    return "\n".join(f"{number}. {item}" for number, item in enumerate(items, start=1))


def asked(messages: Sequence[Message]) -> tuple[str, str]:
    """What kind of prompt the last message is, and about which question."""
    text = messages[-1].text
    kind = next(kind for kind, words in KINDS.items() if words in text)
    if kind == "again":
        return kind, text.rsplit("for the question: ", 1)[1]
    if kind in {"critique", "construct"}:
        return kind, text.split("\n", 1)[0].removeprefix("Question: ")
    return kind, re.findall(r"^(?:Sub-question|Question): (.*)$", text, re.MULTILINE)[-1]
