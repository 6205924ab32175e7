"""Stores, indexes and runs of which a file was spoilt: it is noticed, or it changes nothing."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Mapping, Sequence
from contextlib import chdir, closing
from pathlib import Path

from support.commands import ended_in_one_line, made_run
from support.hostile import damaged

from hopweave.core.errors import DataError
from hopweave.core.types import Hit, Passage, Reply, TokenLogprob, Usage
from hopweave.record import Failure
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.run.store.store import Store, Stored

from ..attack import Attack, Trial
from .corpora import one_line


def spoil(random: random.Random, folder: Path, files: Sequence[Path]) -> str:
    """Spoils one of the files of a folder in one way, and says which and how."""
    place = random.choice(sorted(files))
    name, before = place.relative_to(folder), place.read_bytes()
    if random.random() < 0.1:
        place.unlink()
        return f"{name}: deleted"
    how, content = damaged(random, before)
    place.write_bytes(content)
    return f"{name}: {how}" if content != before else ""


def one_line_of(error: DataError) -> None:
    """Checks that an error is one line that says what to do."""
    one_line(error, 2_000)
    assert "; " in str(error) or ": hopweave" in str(error), str(error)


# -- stores ----------------------------------------------------------------------------------------------------------------


def kept(number: int) -> Stored:
    """What the store holds under a number; every fifth is a failure."""
    if number % 5 == 4:
        return Stored(None, Failure("ModelError", f"gone {number}", retryable=True), 1.0 + number, 2)
    tokens = (TokenLogprob("a", -0.25, (("a", -0.25), ("b", -1.5))),) if number % 3 == 0 else ()
    return Stored(Reply(f"The answer is Orlau {number}. " * (1 + number % 40), "stop", Usage(number, 3), tokens), None, 0.5, 1)


def made_store(folder: Path) -> Path:
    """A store of 60 calls, of which the last lie in the write-ahead log, as a process that was killed leaves it."""
    store = Store(folder / "open" / "store.sqlite")
    for number in range(60):
        store.put(f"key {number}", kept(number))
        if number == 40:
            store._file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copytree(folder / "open", folder / "killed")
    store.close()
    return folder / "killed"


def store(trial: Trial) -> None:
    """A store with a spoilt file gives what was put, or nothing, or one line."""
    folder = trial.folder / "store"
    shutil.copytree(trial.scene, folder)
    files = [path for path in folder.iterdir() if path.suffix != ".sqlite-shm" and path.stat().st_size]
    trial.shows(spoil(trial.random, folder, files))
    mode = trial.random.choice(["on", "replay"])
    try:
        with closing(Store(folder / "store.sqlite", mode)) as opened:
            for number in range(60):
                found = opened.get(f"key {number}")
                expected = kept(number) if mode == "replay" or number % 5 != 4 else None
                assert found in (None, expected), f"key {number}: {found}"
                if mode == "on":
                    now = opened.put(f"key {number}", kept(number))
                    assert now == kept(number) or number % 5 == 4, f"key {number}: {now}"
    except DataError as error:
        one_line_of(error)


# -- indexes ---------------------------------------------------------------------------------------------------------------

QUERIES = ["Which river runs through Orlau?", "lamp keeper", "1874", "town 7", "nothing of the kind"]


def made_index(folder: Path) -> tuple[Path, list[list[Hit]]]:
    """An index, and what it finds."""
    passages = [
        Passage(f"p{n}", f"Town {n} lies on the river Nith. Its lamp keeper came from Orlau in {1850 + n}.", f"Town {n}")
        for n in range(60)
    ]
    BM25.build(folder / "index", passages)
    return folder / "index", found_in(folder / "index")


def found_in(folder: Path) -> list[list[Hit]]:
    """What an index finds for the queries."""
    with closing(BM25(folder)) as retriever:
        return retriever.search(QUERIES, 5)


def index(trial: Trial) -> None:
    """An index with a spoilt file finds the same, or is refused."""
    source, expected = trial.scene
    folder = trial.folder / "index"
    shutil.copytree(source, folder)
    trial.shows(spoil(trial.random, folder, [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size]))
    try:
        assert found_in(folder) == expected
    except DataError as error:
        one_line_of(error)


# -- runs ------------------------------------------------------------------------------------------------------------------

# What `hopweave verify` does not hold to anything: replies are held by the store itself, the plan's copies by their hashes.
UNPROVED = ("store.sqlite", "manifest.json", ".lock")
COMMANDS: Mapping[str, Sequence[str]] = {
    "evaluate": ("evaluate", "--out", "run"),
    "retry": ("evaluate", "--out", "run", "--retry-failed"),
    "score": ("score", "run"),
    "compare": ("compare", "run"),
    "report": ("report", "run"),
    "annotate": ("annotate", "run", "--out", "sheet.csv"),
    "analyse": ("analyse", "run"),
    "trust": ("trust", "run"),
    "show": ("show", "run/records/jsonl/direct.jsonl", "--list"),
    "draw": ("show", "run/records/jsonl/cot.jsonl", "--as", "html"),
}


def made_scene(folder: Path) -> Path:
    """A run that was scored, compared and reported."""
    made_run(folder, "score", "compare", "report")
    return folder


def run(trial: Trial) -> None:
    """A run with a spoilt file: `verify` notices, and no command ends in more than one line."""
    scene = trial.folder / "scene"
    shutil.copytree(trial.scene, scene)
    folder = scene / "run"
    files = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size]
    name = trial.random.choice([*COMMANDS])
    what = spoil(trial.random, folder, files)
    trial.shows(f"{what}, then {name}")
    os.environ["HOPWEAVE_MODELS"] = str(trial.folder / "models")
    with chdir(scene):
        noticed = ended_in_one_line("verify", "run") == 1
        assert noticed or not what or what.startswith(UNPROVED), "verify holds it for whole"
        ended_in_one_line(*COMMANDS[name])


ATTACKS = (
    Attack("stores", "a spoilt store gives what was put, or nothing, or one line", store, 3_000, 25, prepare=made_store),
    Attack("indexes", "a spoilt index finds the same, or is refused in one line", index, 1_500, 12, prepare=made_index),
    Attack("runs", "a spoilt run is noticed, and no command ends in more than one line", run, 120, 3, prepare=made_scene),
)
