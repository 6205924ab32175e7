"""What an answer cost is said in one line, and whether it was paid again."""

from __future__ import annotations

from dataclasses import replace

from support.sample_records import failed, graph, searchain

from hopweave.record import ModelCall, Record
from hopweave.show.cost_line import from_store, tally_line, tally_list


def half_replayed() -> Record:
    record, replayed = searchain(), searchain(from_store=True)
    calls = [step.id for step in record.steps if isinstance(step, ModelCall)][:1]
    return replace(record, steps=tuple(replayed.steps[step.id] if step.id in calls else step for step in record.steps))


def test_the_line_names_calls_tokens_words_searches_failures_and_seconds():
    assert tally_line(searchain()) == (
        "4 calls \u00b7 77 + 32 tokens \u00b7 49 + 25 words \u00b7 2 searches \u00b7 0 parse failures \u00b7 14.2 s"
    )


def test_calls_that_failed_are_counted_apart():
    assert tally_line(failed()).startswith("1 call (1 failed) \u00b7")


def test_a_replayed_record_says_that_it_came_from_the_store():
    assert tally_line(searchain(from_store=True)).endswith(" \u00b7 from the store")
    assert ("replayed", "from the store") in tally_list(searchain(from_store=True))


def test_a_record_partly_from_the_store_says_how_much():
    assert from_store(half_replayed()) == "1 of 4 calls from the store"


def test_a_record_without_calls_does_not_claim_the_store():
    assert from_store(graph()) == ""


def test_the_list_agrees_with_the_totals():
    rows = dict(tally_list(searchain()))
    assert (rows["calls of the model"], rows["queries"], rows["reads"]) == ("4", "3", "4")
