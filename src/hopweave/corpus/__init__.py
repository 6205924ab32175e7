"""Reads a corpus: files and folders in, passages out, as a stream, so that memory does not grow with it."""

from __future__ import annotations

from hopweave.corpus.files import CorpusFile, find_files
from hopweave.corpus.read import CorpusOptions, Tally, content_id, read_corpus
from hopweave.corpus.split import split_spans

__all__ = ["CorpusFile", "CorpusOptions", "Tally", "content_id", "find_files", "read_corpus", "split_spans"]
