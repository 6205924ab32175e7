"""Reads a corpus: files and folders in, passages out, as a stream, so that memory does not grow with it."""
