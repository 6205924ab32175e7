"""A run of five methods on two datasets of made-up facts, answered by a scripted model that is right, wrong, lost or failing.

What it says depends on the method and the question alone, and the clock is set by what was called, so every run is the same.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from support.bench import Bench, WithoutPrefill, chain

from hopweave.core.errors import ModelError
from hopweave.core.types import Example, Gold, Hit, Message, Passage, Question, Reading, Sampling, Span
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder
from hopweave.record import ModelCall, Read, Record, Search, Timing

LONG_NAME = "searchain_without_completion_theta_1.5_at_most_five_rounds_and_a_reader_that_asks_the_language_model"

METHODS = {
    "direct": MethodPlan("direct"),
    "cot": MethodPlan("cot"),
    "direct_retrieval": MethodPlan("direct_retrieval", {"num_passages": 3}),
    "oner": MethodPlan("oner", {"num_hits": 4}),
    LONG_NAME: MethodPlan("searchain", {"complete": False, "theta": 1.5}),
}
DATASETS = ("harbour_bridges", "harbours_or_not")

_HEADS = ("Carrow", "Bellen", "Tarn", "Osk", "Merrin", "Dunlow", "Sel", "Varde", "Hask", "Quill", "Rona", "Stavel")
_NAMES = ("Ines", "Robert", "Mira", "Tomas", "Edda", "Jonas", "Petra", "Anders", "Lida", "Marten", "Signe", "Olaf")
_FAMILIES = ("Halloran", "Solberg", "Stev", "Marrick", "Odum", "Fells", "Karsk", "Brandt", "Lowe", "Ganner", "Thule", "Vint")
_TOWNS = ("Port Merrow", "Tromvik", "Marlow Cross", "Ellery", "Ostvik", "Sandhey", "Grunne", "Ferrin", "Lynwick", "Holt Sound")
_RIVERS = ("Teel", "Sill", "Arn", "Wend", "Mure", "Osse", "Lathe", "Brin", "Corry", "Dane")

_SKILLS = {"direct": 28, "cot": 41, "direct_retrieval": 47, "oner": 52, LONG_NAME: 68}


@dataclass(frozen=True)
class Light:
    """A lighthouse with the facts that questions are asked about."""

    head: str
    engineer: str
    town: str
    river: str

    @property
    def passages(self) -> tuple[Passage, Passage, Passage]:
        """Of the light, its engineer, and the town."""
        low = self.head.lower()
        light = f"The light of {self.head} was designed by {self.engineer}. It was lit in 18{40 + len(self.engineer)}."
        person = f"{self.engineer} was an engineer of harbours and lights. {self.engineer} was born in {self.town}."
        town = f"{self.town} is a market town. Through {self.town} runs the {self.river}, crossed by two bridges."
        return (
            Passage(f"{low}-light", light, self.head),
            Passage(f"{low}-engineer", person, self.engineer),
            Passage(f"{low}-town", town, self.town),
        )


def lights(num: int) -> list[Light]:
    """So many lights, no two alike."""
    return [
        Light(
            f"{_HEADS[n % 12]} {('Head', 'Point', 'Ness', 'Rock')[n // 12 % 4]}",
            f"{_NAMES[n * 5 % 12]} {_FAMILIES[(n * 7 + n // 12) % 12]}",
            _TOWNS[(n * 3 + n // 10) % 10],
            _RIVERS[(n * 3 + n // 10) % 10],
        )
        for n in range(num)
    ]


def bridge_examples(num: int) -> list[Example]:
    """Questions of two and three hops."""
    found = []
    for number, light in enumerate(lights(num), start=1):
        if number % 3:
            text, answer, hops = f"In which town was the designer of the light of {light.head} born?", light.town, 2
        else:
            text = f"Which river runs through the town in which the designer of the light of {light.head} was born?"
            answer, hops = light.river, 3
        ids = tuple(passage.id for passage in light.passages[:hops])
        traits = {"type": "bridge" if hops == 2 else "composition", "hops": hops, "level": ("easy", "hard")[number % 2]}
        found.append(Example(Question(f"bridge-{number:03}", text), Gold((answer,), ids), traits))
    return found


def yes_or_no_examples(num: int) -> list[Example]:
    """Questions that are answered by yes or no."""
    found = []
    for number, light in enumerate(lights(num), start=1):
        river = light.river if number % 2 else _RIVERS[(number * 3 + 4) % 10]
        answer = "yes" if river == light.river else "no"
        text = f"Does the {river} run through the town in which the designer of the light of {light.head} was born?"
        question = Question(f"or-not-{number:03}", text, "label", ("yes", "no"))
        found.append(Example(question, Gold((answer,)), {"hops": 3}))
    return found


class WordRetriever:
    """Finds the passages that share most words with the query."""

    identity = "words of the query"

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.words = [(passage, set(re.findall(r"\w+", f"{passage.title} {passage.text}"))) for passage in passages]

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        return [self._hits(set(re.findall(r"\w+", query)))[:max_hits] for query in queries]

    def _hits(self, query: set[str]) -> list[Hit]:
        ranked = sorted(((-len(query & words), passage.id, passage) for passage, words in self.words), key=lambda one: one[:2])
        return [Hit(passage, float(-shared), rank) for rank, (shared, _, passage) in enumerate(ranked, 1) if shared]

    def close(self) -> None:
        pass


class FactReader:
    """Reads the facts of a light where they stand."""

    identity = "facts"
    patterns = (r"designed by (\w+ \w+)", r"was born in (\w+(?: [A-Z]\w+)?)", r"runs the (\w+)")

    def read(self, pairs: Sequence[tuple[str, Passage]]) -> list[Reading]:
        return [self._reading(query, passage.text) for query, passage in pairs]

    def _reading(self, query: str, text: str) -> Reading:
        at = 0 if "designed" in query else 1 if "born" in query else 2
        match = re.search(self.patterns[at], text)
        return Reading(match[1], Span(*match.span(1)), 4.0) if match else Reading("", None, -5.0)


def _chance(*words: str) -> int:
    return int.from_bytes(hashlib.sha256("|".join(words).encode()).digest()[:4]) % 100


@dataclass
class Player:
    """What the model says to a method on a question, as luck would have it."""

    method: str
    light: Light
    example: Example

    def __call__(self, messages: Sequence[Message], sampling: Sampling) -> str | Exception:
        asked, (gold, *_) = self.example.question, self.example.gold.answers
        luck = _chance(self.method, asked.id)
        if luck in (7, 57):
            return ModelError("the endpoint said 503: overloaded, and again after 3 tries", retryable=True)
        if luck == 33:
            return ModelError("the reply was cut off by a filter of the endpoint")
        if _chance("unread", self.method, asked.id) < 4:
            return ""
        if _chance("refused", self.method, asked.id) < 4:
            return "I do not know."
        is_right = _chance("right", self.method, asked.id) < _SKILLS[self.method] - 8 * (self.example.traits["hops"] == 3)
        wrong = {"yes": "no", "no": "yes"}.get(gold, _TOWNS[luck % 10] if gold in _TOWNS else _RIVERS[luck % 10])
        return self._said(gold if is_right else wrong, messages)

    def _said(self, answer: str, messages: Sequence[Message]) -> str:
        if self.method == LONG_NAME:
            return self._chain(answer)
        if self.method in ("direct", "direct_retrieval"):
            return answer
        light = self.light
        return f"The light of {light.head} was designed by {light.engineer}. So the answer is: {answer}."

    def _chain(self, answer: str) -> str:
        light = self.light
        hops = [
            (f"Who designed the light of {light.head}?", light.engineer),
            (f"In which town was {light.engineer} born?", light.town),
            (f"Which river runs through {light.town}?", light.river),
        ][: int(self.example.traits["hops"])]
        said = " ".join(f"{reply} answers it [{number}]." for number, (_, reply) in enumerate(hops, start=1))
        return chain(*hops, final=f"{said} So the final answer is {answer}.")


def timed(record: Record) -> Record:
    """The record with a clock that goes by what was called."""
    clock, steps = 0.0, []
    for step in record.steps:
        if isinstance(step, ModelCall | Search | Read):
            match step:
                case ModelCall():
                    seconds = 0.4 + 0.0005 * step.usage.prompt_tokens + 0.03 * step.usage.completion_tokens
                case Search():
                    seconds = 0.02
                case _:
                    seconds = 0.09
            steps.append(replace(step, timing=Timing(round(clock, 4), round(seconds, 4))))
            clock += seconds
        else:
            steps.append(step)
    return replace(record, steps=tuple(steps), seconds=round(clock, 4), started_at="2026-02-03T10:20:30.000+00:00")


async def make_run(path: Path, num: int = 48) -> RunFolder:
    """The run in a folder of its own; the last method has not come to the end of the second dataset."""
    limits = dict(zip(DATASETS, (num, num // 2), strict=True))
    plan = Plan(
        {
            name: DatasetPlan("jsonl", {"path": f"{name}.jsonl"}, "indexes/harbours", limit, 13)
            for name, limit in limits.items()
        },
        METHODS,
        {"llm": "scripted"},
    )
    run = RunFolder.create(path, plan)
    retriever = WordRetriever([passage for light in lights(num) for passage in light.passages])
    for dataset, make in zip(DATASETS, (bridge_examples, yes_or_no_examples), strict=True):
        examples = make(limits[dataset])
        run.keep_examples(dataset, examples)
        for label, method in METHODS.items():
            is_short = (dataset, label) == (DATASETS[1], LONG_NAME)
            for light, example in zip(lights(num), examples[: len(examples) - 4 if is_short else None], strict=False):
                bench = Bench(llm=WithoutPrefill(Player(label, light, example)), reader=FactReader())
                bench.retriever = retriever
                record = await bench.ask(example.question, method.name, **method.options)
                run.add(dataset, label, timed(record))
    return run
