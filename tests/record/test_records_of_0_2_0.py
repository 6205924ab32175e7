"""Records that version 0.2.0 made with the embedded model are read, and today's methods ask and answer the same.

`records_of_0.2.0.jsonl` holds one record of each of five methods, of questions about the starter corpus.
"""

from collections import defaultdict, deque
from dataclasses import replace
from pathlib import Path

import pytest

from hopweave import Weaver
from hopweave.core.types import Abilities, Reply
from hopweave.record import Record
from hopweave.record.steps import ModelCall, ParseFailure, Read, Search

RECORDS = [
    Record.from_json(line) for line in Path(__file__).with_name("records_of_0.2.0.jsonl").read_text("utf-8").splitlines()
]
BY_METHOD = pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.setup.method)


class Recorded:
    """A model that replies as a record says. It can do what the embedded model can."""

    identity = "recorded"
    abilities = Abilities(prefill=True, logprobs=True, json_schema=True, context_tokens=8192, max_parallel=1)

    def __init__(self, record):
        self.replies = defaultdict(deque)
        for step in record.steps:
            if isinstance(step, ModelCall):
                self.replies[tuple(record.messages[one] for one in step.messages)].append(step)

    async def reply(self, messages, sampling, on_text=None):
        step = self.replies[tuple(messages)].popleft()
        return Reply(step.text, step.finish_reason, step.usage)

    async def close(self):
        assert not any(self.replies.values())


def told(record):
    """The steps, without times, and without confidence, which comes of log-probabilities that no record holds."""
    for step in record.steps:
        match step:
            case ModelCall():
                yield step.purpose, [record.messages[one] for one in step.messages], step.sampling, step.text
            case Search():
                yield step.queries, step.max_hits, [[found.passage_id for found in hits] for hits in step.hits]
            case Read():
                yield step.query, step.passage_id, step.reading and replace(step.reading, confidence=0.0)
            case ParseFailure():
                yield step.parser, step.text, step.reason
            case _:
                yield step.label, step.text, {key: value for key, value in step.data.items() if key != "confidence"}


@BY_METHOD
def test_a_record_is_of_that_version_and_can_be_written_and_read_again(record):
    assert record.setup.version == "0.2.0"
    assert Record.from_json(record.to_json()) == record


@BY_METHOD
async def test_the_method_asks_and_answers_as_it_did(record):
    settings = {"method": record.setup.method, "store": {"mode": "off"}}
    async with Weaver(settings, llm=Recorded(record)) as weaver:
        again = await weaver.answer(record.question)
    assert again.error is None
    assert again.answer == record.answer
    assert list(told(again)) == list(told(record))
    assert [replace(one, source="") for one in again.passages] == [replace(one, source="") for one in record.passages]
