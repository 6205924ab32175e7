"""The public names as a typed program uses them. mypy checks this file; nothing runs it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, assert_type

import hopweave
from hopweave import (
    Abilities,
    Answer,
    Ask,
    Budget,
    Citation,
    Claim,
    Column,
    Components,
    Dataset,
    DuplicateDetector,
    Example,
    Gold,
    Hit,
    LanguageModel,
    Message,
    Method,
    MethodContext,
    Metric,
    ModelReader,
    ModelRetriever,
    Observer,
    OnText,
    Passage,
    Question,
    Reader,
    Reading,
    Record,
    Reply,
    Retriever,
    Sampling,
    Settings,
    Verdict,
    Weaver,
)


@dataclass(frozen=True)
class Picky:
    theta: float = 0.5

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        reply = await workbench.reply([Message("user", question.text)], purpose="ask")
        assert_type(reply, Reply)
        assert_type(await workbench.search([question.text], 3), list[list[Hit]])
        return Answer(reply.text, reply.text)


@dataclass
class Parrot:
    identity: str = "parrot"
    abilities: Abilities = Abilities()  # noqa: RUF009 - it is frozen

    async def reply(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None) -> Reply:
        return Reply(messages[-1].text)

    async def close(self) -> None:
        pass


class Nothing:
    identity = "nothing"

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        return [[] for _ in queries]

    def close(self) -> None:
        pass


class AsItIs:
    identity = "as it is"
    engine = "bm25"

    async def search_with(self, bench: MethodContext, query: str, max_hits: int) -> list[Hit]:
        [hits] = await bench.search([query], max_hits)
        return hits


class Blind:
    identity = "blind"

    def read(self, pairs: Sequence[tuple[str, Passage]]) -> list[Reading]:
        return [Reading("", None, 0.0) for _ in pairs]


class Asking:
    identity = "asking"

    async def read_with(self, ask: Ask, query: str, passage: Passage) -> Reading:
        reply = await ask([Message("user", f"{passage.text}\n\n{query}")], Sampling())
        return Reading(reply.text if reply.text in passage.text else "", None, 0.0)


class Never:
    def duplicate_of(self, query: str, seen: Sequence[str]) -> int | None:
        return None


@dataclass(frozen=True)
class One:
    def examples(self) -> Iterator[Example]:
        yield Example(Question("q", "Where?"), Gold(("here",)))


@dataclass(frozen=True)
class Length:
    columns: ClassVar[Mapping[str, Column]] = {"length": Column("characters", "")}
    counts_failures: ClassVar[bool] = False

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        return {"length": float(len(record.answer.short))} if record.answer is not None else {}


def watch(event: object) -> None:
    print(event)


method: Method = Picky()
llm: LanguageModel = Parrot()
retriever: Retriever = Nothing()
reader: Reader = Blind()
detector: DuplicateDetector = Never()
dataset: Dataset = One()
metric: Metric = Length()
observer: Observer = watch
rewriting: ModelRetriever = AsItIs()
asking: ModelReader = Asking()


def answers_of_objects_and_names(path: Path) -> None:
    record = hopweave.ask(
        "Where?", method=Picky(0.7), llm=llm, retriever=retriever, reader=reader, budget=Budget(max_llm_calls=3)
    )
    assert_type(record, Record)
    assert_type(record.answer, Answer | None)
    hopweave.ask(Question("q", "Where?"), method="./mine.py:Picky", corpus=path, budget={"max_tokens": 9}, observers=[watch])
    hopweave.ask("Where?", retriever=rewriting, reader=asking, duplicate_detector=detector)
    hopweave.ask("Where?", profile="paper_searchain", methods={"searchain": {"theta": 1.5}})
    hopweave.ask("Where?", method=3)  # type: ignore[arg-type]
    hopweave.ask("Where?", llm=Picky())  # type: ignore[arg-type]
    hopweave.aks("Where?")  # type: ignore[attr-defined]
    assert_type(hopweave.__version__, str)
    for citation, passage in record.cited_passages():
        assert_type(citation, Citation)
        assert_type(passage, Passage)
    if record.answer is not None:
        assert_type(record.answer.claims, tuple[Claim, ...])
        assert_type(record.answer.verdict, Verdict)


async def many_answers() -> list[Record]:
    assert_type(await hopweave.aask("Where?", method=method, corpus="starter"), Record)
    settings = hopweave.read_settings({"method": "direct"})
    assert_type(settings, Settings)
    async with Weaver(settings, method=method, duplicate_detector=detector) as weaver:
        assert_type(weaver.method, Method)
        weaver.method = Picky()
        found = [record async for record in weaver.answer_all([Question("q", "Where?")], show_progress=False)]
    async with Weaver({"method": "direct"}, components=Components(llm, retriever=retriever)) as weaver:
        return [*found, await weaver.answer("Where?", observers=[observer])]
