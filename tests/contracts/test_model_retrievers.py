"""What every retriever that asks the model must keep to: a new file is held to this without a list being edited."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.bench import decisions
from support.parts import METHODS, Broken, Nothing, asks_the_model, names_of
from support.rankings import outer, sent
from support.tiers import in_turn

from hopweave.core.catalog import entries, load
from hopweave.core.errors import ModelError
from hopweave.core.protocols import ModelRetriever
from hopweave.core.retries import Retries
from hopweave.core.types import Answer, Passage, Reading, Span
from hopweave.models.llms.scripted import Line, Scripted
from hopweave.record import Record
from hopweave.record.critical_path import critical_path
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.run.components import Components
from hopweave.run.settings import read_settings
from hopweave.run.store.store import Store
from hopweave.run.weaver import Weaver

NAMES = [name for name in names_of("retrievers") if asks_the_model(name)]
QUESTION = "Who designed the light of Carrow Head?"
QUERIES = [QUESTION, "", "\x00 [ ] \" ' AND (", "\ud800", "x" * 9000]
PASSAGES = [Passage(f"p{number}", f"The light of Carrow Head, number {number}, was designed.") for number in range(9)]
SAYINGS = {
    "queries": f"1. {QUESTION}\n2. Where is Carrow Head?",
    "JSON": '{"items": [{"sub_question": "Who designed it?"}], "arrows": [{"from": "1", "to": "Q"}]}',
    "nothing": "",
    "nonsense": "[1] ]]{} [Query [7] %s {question} [2, 3] ``` \x00\n\n[Final Content",
    "none": "None.",
    "a whole context": "word [1] light " * 3000,
    "half of a pair": "\ud800 light",
}


@dataclass(frozen=True)
class Searching:
    """A method that only searches, for all queries in one batch."""

    queries: tuple
    max_hits: int

    async def answer(self, question, workbench):
        found = await workbench.search(self.queries, self.max_hits)
        return Answer("", "", passage_ids=tuple(hit.passage.id for hits in found for hit in hits))


class FirstWord:
    """Takes the first word of any passage for the answer."""

    identity = "first word"

    def read(self, pairs):
        words = [passage.text.split()[0] for _, passage in pairs]
        return [Reading(word, Span(0, len(word)), 5.0) for word in words]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("engine") / "index"
    BM25.build(folder, PASSAGES)
    return folder


async def searched(name, say, engine, queries=(QUESTION,), max_hits=3, store=None, **settings):
    settings = read_settings({"method": "direct", "retriever": name, **settings})
    rewriter = settings.part("retrievers", name)
    reader = settings.part("readers", "llm_reader")
    parts = Components(Scripted([("", say)]), retriever=rewriter, engine=engine, reader=reader, store=store, retries=Retries(1))
    weaver = Weaver(settings, components=parts)
    weaver.method = Searching(tuple(queries), max_hits)
    async with asyncio.timeout(60), weaver:
        record = await weaver.answer(QUESTION)
    assert Record.from_json(record.to_json()).fingerprint == record.fingerprint
    assert len(asyncio.all_tasks()) == 1
    return record


@pytest.mark.parametrize("name", NAMES)
def test_it_fills_the_role_and_names_itself_and_an_engine_that_asks_nothing(name):
    part = load("retrievers", name)
    assert part.__dataclass_params__.frozen
    retriever = part()
    assert isinstance(retriever, ModelRetriever)
    assert retriever.engine in entries("retrievers")
    assert retriever.engine not in NAMES
    assert retriever.identity == part().identity
    assert retriever.identity.startswith(f"{name}(")
    assert "\n" not in retriever.identity


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("saying", SAYINGS)
async def test_it_takes_any_query_whatever_the_model_says_and_keeps_to_the_depth(name, saying, index):
    record = await searched(name, SAYINGS[saying], BM25(index), QUERIES)
    assert record.error is None, record.error
    search = outer(record)
    assert len(search.hits) == len(QUERIES)
    assert len(search.hits[0]) == 3
    for hits in search.hits:
        assert len(hits) <= 3
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize("name", NAMES)
async def test_its_hits_are_ranked_from_1(name, index):
    ranks = []

    class Watching(Searching):
        async def answer(self, question, workbench):
            [hits] = await workbench.search(self.queries, 5)
            ranks.extend(hit.rank for hit in hits)
            return Answer("", "")

    rewriter = load("retrievers", name)()
    weaver = Weaver(
        read_settings({"method": "direct"}),
        components=Components(Scripted([("", SAYINGS["queries"])]), retriever=rewriter, engine=BM25(index)),
    )
    weaver.method = Watching((QUESTION,), 5)
    async with weaver:
        assert (await weaver.answer(QUESTION)).error is None
    assert ranks == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", NAMES)
async def test_where_nothing_is_found_it_finds_nothing(name):
    record = await searched(name, SAYINGS["queries"], Nothing())
    assert record.error is None, record.error
    assert outer(record).hits == ((),)
    assert sent(record) != []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("saying", ["queries", "JSON", "nonsense"])
async def test_it_gives_the_same_record_again_and_in_replay(name, saying, index, tmp_path):
    first = await searched(name, SAYINGS[saying], BM25(index), [QUESTION, "light"], store=Store(tmp_path / "s"))
    again = await searched(name, SAYINGS[saying], BM25(index), [QUESTION, "light"], store=Store(tmp_path / "s", "replay"))
    assert first.error is None, first.error
    assert again.fingerprint == first.fingerprint


@pytest.mark.parametrize("name", NAMES)
async def test_all_that_it_does_is_filed_under_its_search_and_a_decision_for_each_query(name, index):
    record = await searched(name, SAYINGS["queries"], BM25(index), [QUESTION, "light"])
    search = outer(record)
    queries = decisions(record, "query")
    assert [(step.text, step.parent) for step in queries] == [(QUESTION, search.id), ("light", search.id)]
    tops = [step for step in record.steps if step.parent is None]
    assert tops == [search]
    assert {step.parent for step in record.steps if step.kind == "model_call"} - {None, search.id}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("say", "engine", "kind", "message"),
    [
        (ModelError("the model is gone"), "index", "ModelError", "the model is gone"),
        (ValueError("no model"), "index", "ModelError", "Scripted: ValueError: no model"),
        ("1. Who?", "broken", "SearchError", "the index is gone"),
    ],
)
async def test_a_failure_within_is_a_failure_of_the_search(name, say, engine, kind, message, index):
    record = await searched(name, say, BM25(index) if engine == "index" else Broken())
    assert (record.error.kind, record.error.message) == (kind, message)
    assert (outer(record).error.kind, outer(record).error.message) == (kind, message)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("limit", ["max_llm_calls", "max_tokens", "max_searches"])
async def test_a_limit_reached_within_is_passed_on_and_kept_to(name, limit, index):
    for allowed in (1, 2):
        record = await searched(name, SAYINGS["queries"], BM25(index), [QUESTION, "light"], budget={limit: allowed})
        assert record.error is None, record.error
        totals = record.totals()
        assert {"max_llm_calls": totals.llm_calls, "max_searches": totals.queries}.get(limit, 0) <= allowed
        if outer(record).error is not None:
            assert (outer(record).error.kind, record.answer.stopped_because) == ("BudgetReached", limit)


@pytest.mark.parametrize("name", NAMES)
async def test_several_queries_run_side_by_side(name, index):
    llm = Scripted([("", Line(SAYINGS["queries"], delay_seconds=0.01))])
    settings = read_settings({"method": "direct"})
    reader = settings.part("readers", "llm_reader")
    weaver = Weaver(
        settings, components=Components(llm, retriever=load("retrievers", name)(), engine=BM25(index), reader=reader)
    )
    weaver.method = Searching((QUESTION, "light", "Carrow"), 3)
    async with weaver:
        assert (await weaver.answer(QUESTION)).error is None
    assert llm.max_concurrency >= 3


async def test_what_a_retriever_breaks_on_is_a_failure_of_the_search(index):
    class Breaking:
        identity, engine = "breaking", "bm25"

        async def search_with(self, bench, query, max_hits):
            raise TypeError("no such thing")

    weaver = Weaver(
        read_settings({"method": "direct"}), components=Components(Scripted(["x"]), retriever=Breaking(), engine=BM25(index))
    )
    weaver.method = Searching((QUESTION,), 3)
    async with weaver:
        record = await weaver.answer(QUESTION)
    assert (record.error.kind, record.error.message) == ("SearchError", "Breaking: TypeError: no such thing")


async def test_without_an_engine_it_says_that_no_corpus_was_given():
    weaver = Weaver(
        read_settings({"method": "direct"}),
        components=Components(Scripted([("", "x")]), retriever=load("retrievers", "hyde")()),
    )
    weaver.method = Searching((QUESTION,), 3)
    async with weaver:
        record = await weaver.answer(QUESTION)
    assert "no corpus was given" in record.error.message


async def test_calls_within_a_rewritten_search_count_once_in_the_critical_path(index):
    record = await searched("multi_query", Line("1. Who?", delay_seconds=0.05), BM25(index), [QUESTION, "light"])
    path, search = critical_path(record), outer(record)
    assert path.seconds <= search.timing.seconds
    within = [step for step in record.steps if step.kind in ("model_call", "search") and step is not search]
    assert path.total_seconds == pytest.approx(sum(step.timing.seconds for step in within))
    assert path.seconds < path.total_seconds
    inner = [step.timing.seconds for step in within if step.kind == "search"]
    assert record.totals().search_seconds == pytest.approx(sum(inner))


OPTIONS = {"sub_question": {"ranking": "clean"}, "toqd": {}, "untrusted": {}}


@pytest.mark.parametrize(("method", "name"), in_turn(METHODS, list(OPTIONS)))
async def test_every_method_can_use_it(method, name, index, tmp_path):
    settings = read_settings({"method": method, "retriever": name, "retrievers": {name: OPTIONS[name]}})

    async def answered(mode):
        parts = Components(
            Scripted([("", "1. Who was [Query 1]: he?\nSo the final answer is Ines Halloran.")]),
            retriever=settings.part("retrievers", name),
            engine=BM25(index),
            reader=FirstWord(),
            duplicate_detector=load("duplicate_detectors", "normalized")(),
            store=Store(tmp_path / "s", mode),
        )
        async with asyncio.timeout(60), Weaver(settings, components=parts) as weaver:
            record = await weaver.answer(QUESTION)
        assert record.error is None, record.error
        assert Record.from_json(record.to_json()).fingerprint == record.fingerprint
        return record

    first = await answered("on")
    assert (await answered("replay")).fingerprint == first.fingerprint
    assert all(step.is_rewritten for step in first.steps if step.kind == "search" and step.parent is None)


def test_the_docs_tell_of_every_retriever():
    told = (Path(__file__).parents[2] / "docs" / "retrievers.md").read_text(encoding="utf-8")
    assert [name for name in entries("retrievers") if f"| `{name}` |" not in told] == []
