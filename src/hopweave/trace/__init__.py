"""What happened while a question was answered: the trace, and the record made from it.

A `Trace` is written by the workbench, step by step. When the question is done it becomes a `Record`.
"""

from hopweave.trace.changes import Branch, Change, changes_of
from hopweave.trace.json_text import one_line_of_json, whole
from hopweave.trace.record import SCHEMA, Record, Rounds, Setup, Totals, citation_problems
from hopweave.trace.recorder import Trace
from hopweave.trace.steps import (
    OFFLINE,
    READER,
    AnyStep,
    Decision,
    Event,
    Failure,
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
    "OFFLINE",
    "READER",
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
    "one_line_of_json",
    "whole",
]
