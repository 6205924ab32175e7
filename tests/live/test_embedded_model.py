"""The whole way on real parts: the embedded model, the starter corpus, methods, the store."""

from __future__ import annotations

import asyncio

import pytest

from hopweave.models.weights import DEFAULT_MODEL, is_present
from hopweave.record import Record
from hopweave.run.settings import read_settings
from hopweave.run.weaver import Weaver

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not is_present(DEFAULT_MODEL), reason="the embedded model is not here: hopweave models fetch"),
]

OF_THE_README = "In which city was the author of the novel behind the film Barry Lyndon born?"
QUESTION = "Which house by Ludwig Mies van der Rohe stands in the city where the logician Kurt Gödel was born?"


def answer(store, mode: str, question: str = QUESTION, **chosen: str) -> Record:
    async def run() -> Record:
        settings = read_settings({**chosen, "store": {"path": str(store), "mode": mode}, "budget": {"max_llm_calls": 12}})
        async with Weaver(settings) as weaver:
            return await weaver.answer(question)

    return asyncio.run(run())


@pytest.mark.slow
def test_searchain_answers_a_multi_hop_question_with_citations_that_hold_and_replays_the_same(tmp_path):
    record = answer(tmp_path / "store.sqlite", "on", method="searchain")
    assert record.error is None
    assert record.answer is not None
    assert record.answer.short
    assert record.answer.citations
    assert list(record.citation_problems()) == []
    assert record.totals().completion_tokens > 0
    again = answer(tmp_path / "store.sqlite", "replay", method="searchain")
    assert again.fingerprint == record.fingerprint


def test_direct_retrieval_reads_the_answer_off_real_passages(tmp_path):
    record = answer(tmp_path / "store.sqlite", "on", method="direct_retrieval")
    assert record.error is None
    assert record.answer is not None
    assert "Tugendhat" in record.answer.short


@pytest.mark.slow
def test_the_defaults_answer_the_first_question_of_the_readme_rightly_and_rest_it_on_passages(tmp_path):
    record = answer(tmp_path / "store.sqlite", "on", OF_THE_README)
    assert (record.setup.method, record.answer.short) == ("stitch", "Calcutta")
    assert record.answer.verdict.support == "supported"
    assert list(record.citation_problems()) == []
