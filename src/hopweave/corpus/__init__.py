"""Reads a corpus: files and folders in, passages out, as a stream, so that memory does not grow with it."""

from __future__ import annotations

from hopweave.corpus.files import CorpusFile
from hopweave.corpus.find import find_files
from hopweave.corpus.intake import Intake
from hopweave.corpus.read import CorpusOptions, TakenId, content_id, read_corpus
from hopweave.corpus.split import split_spans
from hopweave.corpus.tally import Tally, Unread

__all__ = [
    "CorpusFile",
    "CorpusOptions",
    "Intake",
    "TakenId",
    "Tally",
    "Unread",
    "content_id",
    "find_files",
    "read_corpus",
    "split_spans",
]
