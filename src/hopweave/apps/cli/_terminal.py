"""Terminal input and output: output cannot control the terminal, and input is decoded text.

Anything that a command prints may contain external text: ids, paths, labels, replies. So every stream of the process is
filtered, and only what `_console` draws, with its text filtered piece by piece, may send control sequences.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any, BinaryIO, TextIO

import typer

from hopweave.core.catalog import Entry
from hopweave.core.errors import DataError
from hopweave.core.files import MAX_HELD_BYTES
from hopweave.show.plain import flat, visible
from hopweave.show.table import Column, Table, rows
from hopweave.show.table_text import TERMINAL_WIDTH, table_lines


class PlainStream:
    """A text stream that makes any text safe for a terminal.

    Args:
        under: the underlying stream; everything but writing is delegated to it.
    """

    def __init__(self, under: TextIO) -> None:
        self.under = under

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":  # typer uses it to bypass a text stream whose encoding it does not like
            raise AttributeError(name)
        return getattr(self.under, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.under)

    def write(self, text: str) -> int:
        """Writes a text with control characters made visible."""
        if not isinstance(text, str):  # as text streams do: callers use this to detect the kind of stream
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.under.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Writes several texts."""
        for line in lines:
            self.write(line)


def make_plain() -> None:
    """Filters standard output and standard error from now on."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None or isinstance(stream, PlainStream):
            continue
        if isinstance(stream, TextIOWrapper):
            # If the terminal cannot show a character, a question mark replaces it instead of losing the answer.
            stream.reconfigure(errors="replace")
        setattr(sys, name, PlainStream(stream))


@contextmanager
def plain() -> Iterator[None]:
    """Like `make_plain`, temporarily."""
    before = sys.stdout, sys.stderr
    make_plain()
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


@contextmanager
def unfiltered() -> Iterator[None]:
    """Unfiltered standard output, for a protocol that another program reads; the text in it is JSON."""
    before = sys.stdout
    sys.stdout = before.under if isinstance(before, PlainStream) else before
    try:
        yield
    finally:
        sys.stdout = before


def say(line: str = "", *, err: bool = False) -> None:
    """Prints a text on a single line, whatever it contains."""
    typer.echo(flat(line), err=err)


def say_table(table: Table, *, indent: str = "") -> None:
    """Prints a table within the width of a terminal; see `table_lines`."""
    for line in table_lines(table, indent=indent, max_width=TERMINAL_WIDTH):
        say(line)


def say_entries(found: Iterable[Entry]) -> None:
    """Prints components, one per line."""
    lines = rows([one.name, f"{one.summary}  (needs hopweave[{one.extra}])" if one.extra else one.summary] for one in found)
    say_table(Table((Column(), Column()), lines), indent="  ")


def standard_output() -> BinaryIO:
    """Standard output for bytes, which are not filtered: callers that write JSON to it use `plain_json`."""
    stream = sys.stdout
    return stream.under.buffer if isinstance(stream, PlainStream) else stream.buffer


def standard_input() -> str:
    """All of standard input.

    Raises:
        DataError: if it is not UTF-8, or too long.
    """
    content = typer.get_binary_stream("stdin").read(MAX_HELD_BYTES + 1)
    if len(content) > MAX_HELD_BYTES:
        raise DataError(f"standard input is longer than {MAX_HELD_BYTES >> 20} MiB; give less")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"standard input is not UTF-8 text ({error.reason} at byte {error.start}); convert it first") from None
