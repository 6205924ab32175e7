"""Records that version 0.2.0 made with the embedded model are read, and today's methods ask and answer the same.

`records_of_0.2.0.jsonl` holds one record of each of six methods, of questions about the starter corpus. What is worded or shown
otherwise since then is listed in `REWORDED`. What supports a claim is judged by today's rule (tests/citations). Nothing else
may differ.
"""

import re
from collections import defaultdict, deque
from dataclasses import replace
from pathlib import Path

import pytest

from hopweave import Weaver
from hopweave.core.types import Abilities, Claim, Hit, Reply, Verdict
from hopweave.record import Record
from hopweave.record.steps import ModelCall, ParseFailure, Read, Search

RECORDS = [
    Record.from_json(line) for line in Path(__file__).with_name("records_of_0.2.0.jsonl").read_text("utf-8").splitlines()
]
BY_METHOD = pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.setup.method)

REWORDED = (
    # A worked example gave the city near the place that its passage names.
    (r"Frida Kahlo was born in Mexico City(?=\.| \[1\])", "Frida Kahlo was born in Coyoacán"),
    (r"(nswer(?: \d\])?): Mexico City", r"\1: Coyoacán"),
    # IRCoT
    (
        r"(without what stands there already\.)\)",
        r"\1 If it only concludes from the others, write the sentence with the answer after it.)",
    ),
    # SearChain: final content that is cut off is not asked for, and feedback shows what the reader was shown.
    (
        r"finish with:\n\[Final Content\]: one sentence for each step.*",
        "end the chain with this line:\n[Final Content]:",
    ),
    (
        r"(?s)(?<=^Answer a complex question by planning)(.*)",
        lambda match: re.sub(r"(\n\[Final Content\]:) .+", r"\1", match[0]),
    ),
    (r"Then go on with the chain for", "Write the chain from this query on (the steps before it stay as they are) for"),
    (
        r"(?s)(?<=^For your query \")(.*among the oldest in the world\. )Since 2000 [^\n]*",
        r"\1A small bronze statue of the Little Mermaid, after the tale by Hans Christian Andersen, sits on a rock in the "
        "harbour.",
    ),
    # ToQD
    (
        r"Give an arrow from each one whose answer is needed .* have no arrow to them\.",
        'If 2 can only be asked once 1 is answered, give the arrow "1 -> 2". No arrow leads to a sub-question that can be '
        "asked at once.",
    ),
)


class Recorded:
    """A model that replies as a record says. It can do what the embedded model can."""

    identity = "recorded"
    abilities = Abilities(prefill=True, logprobs=True, json_schema=True, is_small=True, context_tokens=8192, max_parallel=1)

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


class Searched:
    """Finds what the record says was found, since how the retriever ranks has changed, and not what a method makes of it."""

    identity = "recorded"

    def __init__(self, record):
        passages = {passage.id: passage for passage in record.passages}
        self.found = defaultdict(deque)
        for step in record.steps:
            if isinstance(step, Search):
                for query, found in zip(step.queries, step.hits, strict=True):
                    hits = [Hit(passages[one.passage_id], one.score, rank, one.via) for rank, one in enumerate(found, start=1)]
                    self.found[query, step.max_hits].append(hits)

    def search(self, queries, max_hits):
        return [self.found[query, max_hits].popleft() for query in queries]

    def close(self):
        pass


def told(record):
    """The steps, without times, support, and confidence, which comes of log-probabilities that no record holds."""
    for step in record.steps:
        match step:
            case ModelCall():
                sampling = replace(step.sampling, thinking="auto")  # which that version could not say
                if sampling.stop == ("\nQ:", "\n<passage>"):  # a sentence that is asked for may stand below an announcement
                    sampling = replace(sampling, stop=("\n",))
                yield step.purpose, [record.messages[one] for one in step.messages], sampling, step.text
            case Search():
                yield step.queries, step.max_hits, [[found.passage_id for found in hits] for hits in step.hits]
            case Read():
                yield step.query, step.passage_id, step.reading and replace(step.reading, confidence=0.0)
            case ParseFailure():
                yield step.parser, step.text, step.reason
            case _:
                yield (
                    step.label,
                    step.text,
                    {key: value for key, value in step.data.items() if key not in {"confidence", "support"}},
                )


@BY_METHOD
def test_a_record_is_of_that_version_and_can_be_written_and_read_again(record):
    assert record.setup.version == "0.2.0"
    assert Record.from_json(record.to_json()) == record


def reworded(record):
    """The record as it would be with today's wording."""
    return replace(record, messages=tuple(replace(message, text=_reworded(message.text)) for message in record.messages))


def _reworded(text):
    for was, now in REWORDED:
        text = re.sub(was, now, text)
    return text


def unjudged(answer):
    """An answer without what the rule of support decides."""
    claims = tuple(Claim(claim.query, claim.text, claim.origin) for claim in answer.claims)
    return replace(answer, claims=claims, verdict=Verdict())


@BY_METHOD
async def test_the_method_asks_and_answers_as_it_did(record):
    record = reworded(record)
    settings = {"method": record.setup.method, "store": {"mode": "off"}}
    async with Weaver(settings, llm=Recorded(record), retriever=Searched(record)) as weaver:
        again = await weaver.answer(record.question)
    assert again.error is None
    assert unjudged(again.answer) == unjudged(record.answer)
    assert list(told(again)) == list(told(record))
    assert [replace(one, source="") for one in again.passages] == [replace(one, source="") for one in record.passages]
