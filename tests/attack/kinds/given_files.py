"""Files that a user names and that are something else: pipes, devices, folders, endless lines, other formats."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager
from pathlib import Path

from support.given_files import LINES, READERS, WHOLE, refusal_of
from support.hostile import damaged, hostile_text

from hopweave.core import files

from ..attack import Attack, Trial
from .corpora import WRITERS, one_line

LIMIT = 1 << 16
"""Instead of the real one, so that what is longer is made soon."""


def _socket(folder: Path) -> None:
    with chdir(folder), socket.socket(socket.AF_UNIX) as server:
        server.bind("given")


NO_FILES: Mapping[str, Callable[[Path], object]] = {
    "FIFO": lambda folder: os.mkfifo(folder / "given"),
    "link to a FIFO": lambda folder: (os.mkfifo(folder / "pipe"), (folder / "given").symlink_to("pipe")),
    "socket": _socket,
    "zeros": lambda folder: (folder / "given").symlink_to("/dev/zero"),
    "random bytes": lambda folder: (folder / "given").symlink_to("/dev/urandom"),
    "nothing": lambda folder: (folder / "given").symlink_to("/dev/null"),
    "loop": lambda folder: (folder / "given").symlink_to("given"),
    "dangling": lambda folder: (folder / "given").symlink_to("nowhere"),
    "folder": lambda folder: (folder / "given").mkdir(),
    "missing": lambda _: None,
}
"""What is not read, whichever reader is given it."""


def _long(random: random.Random) -> bytes:
    """More than is held in memory, in one line or many, of one character or several."""
    line = random.choice([b"x", b"[", b'{"a":', b'"', b"\\", "é".encode(), b"\0"]) * (LIMIT + 1)
    before = random.choice([b"", b"{}\n", b"\xef\xbb\xbf"])
    return before + line + random.choice([b"", b"\n", b"\n{}\n"])


@contextmanager
def _limited() -> Iterator[None]:
    before = files.MAX_HELD_BYTES
    files.MAX_HELD_BYTES = LIMIT
    try:
        yield
    finally:
        files.MAX_HELD_BYTES = before


def given_file(trial: Trial) -> None:
    """A reader is given something: it reads it, or refuses it in one line, and waits for nothing."""
    random = trial.random
    name = random.choice([*READERS])
    kind = random.choice([*NO_FILES, "long", "long", "other", "other", "other"])
    trial.shows(f"{name} of {kind}")
    given = trial.folder / "given"
    if kind in NO_FILES:
        NO_FILES[kind](trial.folder)
    elif kind == "long":
        given.write_bytes(_long(random))
    else:
        content = random.choice([*WRITERS.values()])(random).encode("utf-8", "replace")
        given.write_bytes(damaged(random, content)[1] if random.random() < 0.5 else content)
    with _limited(), chdir(trial.folder):
        error = refusal_of(READERS[name], given)
    if error is not None:
        one_line(error)
    # These begin with no file, so one that is not there is as good as an empty one.
    is_new = name in ("verdicts to go on with", "records of a run") and kind in ("missing", "dangling")
    is_of_any_files = name == "source" and kind == "folder"
    if kind in NO_FILES and not (is_new or is_of_any_files):
        assert error is not None, "it was read"
    if kind == "long" and name in {**LINES, **WHOLE} and name != "part":
        assert error is not None, "it was read"


def line_of_any_length(trial: Trial) -> None:
    """A file is cut into lines: those within the limit are as they were, and all others are told, in their places."""
    random = trial.random
    limit, chunk = random.randint(1, 40), random.randint(1, 40)
    pieces = [hostile_text(random, random.randint(0, 4)).encode("utf-8", "replace") for _ in range(random.randint(0, 12))]
    content = b"\n".join(pieces) + random.choice([b"", b"\n"])
    trial.shows((limit, chunk, content))
    (trial.folder / "given").write_bytes(content)
    before = files.MAX_HELD_BYTES, files._CHUNK_BYTES
    files.MAX_HELD_BYTES, files._CHUNK_BYTES = limit, chunk
    try:
        with files.open_regular(trial.folder / "given") as file:
            found = list(files.lines_within(file))
    finally:
        files.MAX_HELD_BYTES, files._CHUNK_BYTES = before
    lines = [line + b"\n" for line in content.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    assert found == [line if len(line) <= limit else None for line in lines if line]


ATTACKS = (
    Attack("given-files", "a file is read within its limit, or refused in one line", given_file, 4_000, 80),
    Attack("lines", "lines of any length are told, or passed on as they are", line_of_any_length, 4_000, 40),
)
