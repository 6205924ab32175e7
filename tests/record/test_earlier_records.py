"""Records of the first schema are read, and say how each claim came to be and how it stands."""

import json
from dataclasses import asdict

import pytest
from test_trace import SETUP, search

from hopweave.core.errors import DataError
from hopweave.core.types import Answer, Citation, Hit, Passage, Question
from hopweave.record import SCHEMA, Record, Trace
from hopweave.record.earlier_schemas import from_first

ULM = Passage("ulm", "Einstein was born in Ulm.")
QUOTE = asdict(Citation(1, "ulm", 0, len(ULM.text), ULM.text))


def first(*claims, short="Ulm", data=None):
    """A record as the first schema had it."""
    trace = Trace()
    search(trace, "q", ULM)
    trace.decide("verdict", "v", data or {"verdict": "corrected", "confidence": 2.0})
    row = json.loads(trace.finish(Question("q", "Where?"), SETUP, "", Answer("In Ulm [1].", short), None).to_json())
    row["schema"] = "hopweave.record/1"
    row["answer"]["claims"] = list(claims)
    for new in ("verdict", "num_marks_misplaced"):
        del row["answer"][new]
    return json.dumps(row)


def claim(verdict, *citations):
    return {"query": "Where was Einstein born?", "text": "Ulm", "verdict": verdict, "citations": list(citations)}


@pytest.mark.parametrize(
    ("verdict", "origin", "support"),
    [
        ("known", "model", "unsupported"),
        ("verified", "verified", "supported"),
        ("corrected", "corrected", "supported"),
        ("completed", "completed", "supported"),
        ("contradicted", "model", "unsupported"),
        ("unsupported", "model", "unsupported"),
    ],
)
def test_the_one_word_of_the_first_schema_becomes_two_facts(verdict, origin, support):
    record = Record.from_json(first(claim(verdict, QUOTE)))
    [read] = record.answer.claims
    assert (read.origin, read.support, read.citations[0].quote) == (origin, support, ULM.text)
    assert record.schema == SCHEMA
    assert (record.answer.verdict.support, record.answer.verdict.carried_by) == (support, 1)
    assert record.answer.text == "In Ulm [1]."
    assert Record.from_json(record.to_json()) == record


def test_what_was_verified_without_a_citation_is_not_supported():
    assert Record.from_json(first(claim("verified"))).answer.claims[0].support == "unsupported"


def test_decisions_hold_both_words_and_others_stay_as_they_were():
    steps = Record.from_json(first(claim("known"))).steps
    assert steps[-1].data == {"origin": "corrected", "support": "supported", "confidence": 2.0}
    other = {"verdict": "of another kind"}
    assert Record.from_json(first(claim("known"), data=other)).steps[-1].data == other


def test_a_first_record_is_still_checked():
    with pytest.raises(DataError, match="does not quote passage"):
        Record.from_json(first(claim("verified", {**QUOTE, "quote": "Bern"})))
    with pytest.raises(DataError, match=r"not a record: answer\.claims\.0"):
        Record.from_json(first(claim("maybe")))


@pytest.mark.parametrize(
    "row", [{}, {"answer": 5}, {"answer": {"claims": 5}, "steps": 5}, {"answer": {"claims": [5]}, "steps": [5]}]
)
def test_what_is_no_record_is_left_to_be_refused(row):
    assert from_first(row, SCHEMA) == {**row, "schema": SCHEMA}


def test_cited_passages_come_in_the_order_of_the_claims():
    record = Record.from_json(first(claim("verified", QUOTE)))
    assert record.cited_passages() == ((record.answer.citations[0], ULM),)
    assert Hit(ULM, 1.0, 1).passage == record.cited_passages()[0][1]
    assert Record.from_json(first(claim("known"))).cited_passages() == ()
