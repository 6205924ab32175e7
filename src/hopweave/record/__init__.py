"""Trace and record: what happened while a question was answered.

A `Trace` is written by the workbench, step by step. When the question is done it becomes a `Record`.
"""

from hopweave.record.changes import Branch, Change, changes_of
from hopweave.record.failures import Failure, failures_in_words, what_failed, what_to_do
from hopweave.record.record import SCHEMA, Record, Rounds, Setup, Totals, citation_problems
from hopweave.record.recorder import Trace
from hopweave.record.steps import (
    CHECK,
    OFFLINE,
    READ_AGAIN,
    READER,
    AnyStep,
    Decision,
    Event,
    Found,
    ModelCall,
    Observer,
    ParseFailure,
    Read,
    Search,
    Started,
    Step,
    TextPiece,
    Timing,
    call_step,
)

__all__ = [
    "CHECK",
    "OFFLINE",
    "READER",
    "READ_AGAIN",
    "SCHEMA",
    "AnyStep",
    "Branch",
    "Change",
    "Decision",
    "Event",
    "Failure",
    "Found",
    "ModelCall",
    "Observer",
    "ParseFailure",
    "Read",
    "Record",
    "Rounds",
    "Search",
    "Setup",
    "Started",
    "Step",
    "TextPiece",
    "Timing",
    "Totals",
    "Trace",
    "call_step",
    "changes_of",
    "citation_problems",
    "failures_in_words",
    "what_failed",
    "what_to_do",
]
