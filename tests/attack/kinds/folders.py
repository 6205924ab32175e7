"""Folders that are deep, circular, closed or on the move, and disks that drop: before a sync, and in the middle of one."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from hopweave.core.errors import DataError
from hopweave.core.files import FOLDER, refuse_links_out, walk
from hopweave.evaluation.integrity.manifest import hash_source
from hopweave.ingest import intake
from hopweave.ingest.find import find_files
from hopweave.ingest.intake import Intake
from hopweave.ingest.read import CorpusOptions
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.run.staleness import Checked, record_files

from ..attack import Attack, Trial
from .corpora import one_line

MAX_DEPTH = 1200


def tree(random: random.Random, top: Path) -> set[Path]:
    """Makes a tree of folders, files and links; returns the files of it that are reached without a link."""
    made = set()
    for _ in range(random.randint(1, 4)):
        depth = random.choice([0, 1, 3, 40, MAX_DEPTH])
        folder = top
        for _ in range(depth):
            folder /= random.choice("ab")
            folder.mkdir(exist_ok=True)
        for name in random.sample(["x.jsonl", "y.jsonl", "z.jsonl"], random.randint(1, 3)):
            (folder / name).write_text("{}\n")
            made.add(folder / name)
        link = folder / random.choice(["up", "loop", "out"])
        if random.random() < 0.5 and not link.is_symlink():
            link.symlink_to(random.choice([folder, top, folder.parent, Path("/nowhere"), link.name]))
    return made


def walked(trial: Trial) -> None:
    """Every command that walks folders finds the same files, whatever the depth and wherever links lead."""
    top = trial.folder / "top"
    top.mkdir()
    try:
        made = tree(trial.random, top)
        trial.shows(f"{len(made)} files, {max(len(path.parts) for path in made)} deep")
        assert {one.path for one in walk(top) if one.kind != FOLDER and not one.is_link} == made
        assert set(record_files(top, Checked())) == made
        assert made <= {one.path for one in find_files([top]) if not one.path.is_symlink()}
        assert len(hash_source(top).files) == len(made)
        try:
            refuse_links_out(top)
        except DataError as error:
            one_line(error)
    finally:
        subprocess.run(["rm", "-rf", top], check=True)


def removed_while_walked(trial: Trial) -> None:
    """Folders vanish and appear while they are walked: what is left alone is found, once, and nothing is raised."""
    random, top = trial.random, trial.folder / "top"
    for number in range(12):
        folder = top / f"{number:02}" / "below"
        folder.mkdir(parents=True)
        (folder / "f.txt").touch()
    told: list[Path] = []
    met, gone, moves = [], set(), random.sample(range(1, 40), 6)
    trial.shows(moves)
    for number, found in enumerate(walk(top, on_unlisted=lambda folder, _: told.append(folder)), start=1):
        met.append(found.path)
        if number in moves:
            victim = top / f"{random.randrange(12):02}"
            gone.add(victim.name)
            shutil.rmtree(victim, ignore_errors=True)
    assert len(met) == len(set(met))
    left = {folder / "below" / "f.txt" for folder in top.iterdir()}
    assert left <= set(met)
    assert {folder.relative_to(top).parts[0] for folder in told} <= gone


class Disaster:
    """What happens to a folder of files, before a sync or amid one, and what is left to be said of it.

    Attributes:
        may_lose: ids of documents that may be taken out, since they were removed as a user removes them.
    """

    def __init__(self, random: random.Random, folder: Path, elsewhere: Path) -> None:
        self.random, self.folder, self.elsewhere = random, folder, elsewhere
        self.may_lose: set[str] = set()

    def move_away(self) -> None:
        """The folder is not there any more."""
        self.folder.rename(self.elsewhere)

    def unmount(self) -> None:
        """A mount point without its mount."""
        self.folder.rename(self.elsewhere)
        self.folder.mkdir()

    def replace(self) -> None:
        """Another folder is there, with the same names."""
        self.folder.rename(self.elsewhere)
        shutil.copytree(self.elsewhere, self.folder)

    def empty(self) -> None:
        """All files are gone; the folders stay."""
        for path in [one.path for one in walk(self.folder) if one.kind != FOLDER]:
            path.unlink()

    def drop_below(self) -> None:
        """A disk below the folder drops."""
        shutil.rmtree(self.folder / "disk")
        (self.folder / "disk").mkdir()

    def remove_few(self) -> None:
        """Some files are removed by a user."""
        names = sorted(path.name for path in self.folder.glob("*.txt"))
        for name in self.random.sample(names, self.random.randint(1, 5)):
            (self.folder / name).unlink()
            self.may_lose.add(name)


DISASTERS: Mapping[str, Callable[[Disaster], None]] = {
    name: getattr(Disaster, name) for name in ("move_away", "unmount", "replace", "empty", "drop_below", "remove_few")
}


def vanishing(trial: Trial) -> None:
    """A sync over a folder that vanishes in part or as a whole: no document is lost that a user did not remove."""
    random, folder, to = trial.random, trial.folder / "docs", trial.folder / "index"
    (folder / "disk").mkdir(parents=True)
    names = [f"n{n:02}.txt" for n in range(random.randint(10, 30))] + [
        f"disk/n{n:02}.txt" for n in range(random.randint(11, 20))
    ]
    for name in names:
        (folder / name).write_text(f"The first text of {name}.")
    sync(to, folder)
    before = texts(to)
    kind, when = random.choice([*DISASTERS]), random.choice([0, random.randint(1, len(names))])
    trial.shows(f"{kind} {'before the sync' if not when else f'at file {when}'} of {len(names)}")
    for name in names:
        (folder / name).write_text(f"Another text, which is longer, of {name}.")
    disaster = Disaster(random, folder, trial.folder / "elsewhere")
    if not when:
        DISASTERS[kind](disaster)
    try:
        sync(to, folder, when, lambda: DISASTERS[kind](disaster))
    except DataError as error:
        one_line(error)
        assert texts(to) == before, "an error, and a changed index"
        assert not (kind == "remove_few" and not when), "what a user removed was refused"
    else:
        after = texts(to)
        lost = before.keys() - after.keys()
        assert lost <= (disaster.may_lose if not when else set()), f"lost {sorted(lost)[:5]}"
        assert when or kind in ("remove_few", "replace"), "a disk that dropped was taken for a change"
        assert when or lost == disaster.may_lose


def texts(to: Path) -> dict[str, str]:
    """The documents of an index by their ids."""
    return {passage.id: passage.text for passage in BM25(to).all_passages()}


def sync(to: Path, folder: Path, when: int = 0, do: Callable[[], None] = lambda: None) -> None:
    """Brings an index in line with a folder, and does something amid it: when so many of the listed files are read."""
    real, looked_at = intake.hash_of, []

    def hash_of(file: intake.CorpusFile) -> str:
        looked_at.append(file)
        if len(looked_at) == when:
            do()
        return real(file)

    intake.hash_of = hash_of
    try:
        BM25.take_in(to, Intake([folder], sync=True, options=CorpusOptions(lenient=True)), update=to.exists())
    finally:
        intake.hash_of = real


ATTACKS = (
    Attack("folders", "every command finds the same files, however deep", walked, 150, 6),
    Attack("moving", "folders that vanish while they are walked end no walk", removed_while_walked, 2_000, 40),
    Attack("vanishing", "a disk that drops takes no document out of an index", vanishing, 1_200, 30),
)
