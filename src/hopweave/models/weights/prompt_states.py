"""What a model computed for the fixed beginnings of prompts, kept on disk so that later processes need not compute it again.

The files are in `prompt_states` of the user's cache folder, in one subfolder for each model. They are written by the inference
library, which trusts what it reads: a damaged file may end its process, or silently change replies. So the name of each file
holds the checksum of its content, and only a file that still matches is used. A file gets its name once it is complete, so that
several processes can write the same state at once. If the folder outgrows its limit, the files that were not used for the
longest time are deleted. Nothing else depends on these files: they may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

_SUFFIX = ".state"
_UNFINISHED = "unfinished-"
_UNFINISHED_SECONDS = 3600.0  # after which nobody is still writing


def states_folder() -> Path:
    """The folder of all models' states."""
    return user_cache_path("hopweave") / "prompt_states"


@dataclass(frozen=True, slots=True)
class PromptStates:
    """The states of one model. Every failure to read or write is a state that is not there.

    Attributes:
        folder: where they are; see `folder_of`.
        max_bytes: the limit on the states of all models together.
    """

    folder: Path
    max_bytes: int

    def made_folder(self) -> str:
        """The folder, which now exists, ending in a separator; empty if nothing is to be kept, or it cannot be made."""
        if not self.max_bytes:
            return ""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            return ""
        return f"{self.folder}{os.sep}"

    def find(self, key: str) -> Path | None:
        """The intact file of a state, which now counts as used; `None` if there is none. Damaged ones are deleted.

        Args:
            key: of the state, or what its key begins with, up to a hyphen.
        """
        for file in self.folder.glob(f"{key}-*{_SUFFIX}"):
            try:
                is_intact = file.name == _name(file.name.rpartition("-")[0], file)
            except OSError:
                continue
            if is_intact:
                with contextlib.suppress(OSError):  # a folder that cannot be written to can still be read
                    file.touch()
                return file
            self.drop(file)
        return None

    def unfinished(self) -> Path:
        """A path that nobody else writes to."""
        return self.folder / f"{_UNFINISHED}{secrets.token_hex(8)}"

    def keep(self, key: str, unfinished: Path, num_bytes: int) -> None:
        """Gives a written file its name, and deletes what exceeds the limit.

        Args:
            key: of the state.
            unfinished: the file.
            num_bytes: how many bytes were written; a file of any other size is incomplete, and is deleted.
        """
        with contextlib.suppress(OSError):
            unfinished.chmod(0o600)
            if 0 < num_bytes == unfinished.stat().st_size <= self.max_bytes:
                unfinished.replace(self.folder / _name(key, unfinished))
        self.drop(unfinished)
        self._delete_surplus()

    def drop(self, file: Path) -> None:
        """Deletes a file, if it is there."""
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)

    def _delete_surplus(self) -> None:
        dated = []
        for file in files_in(self.folder.parent):
            with contextlib.suppress(OSError):
                status = file.stat()
                dated.append((status.st_mtime, status.st_size, file))
        left = self.max_bytes
        for used_at, num_bytes, file in sorted(dated, reverse=True):
            left -= num_bytes
            is_abandoned = file.name.startswith(_UNFINISHED) and used_at < time.time() - _UNFINISHED_SECONDS
            if left < 0 or is_abandoned:
                self.drop(file)


def folder_of(identity: str) -> Path:
    """The folder for the states of the model with this identity."""
    return states_folder() / hashlib.sha256(identity.encode()).hexdigest()[:16]


def delete_states(identity: str) -> int:
    """Deletes the states of the model with this identity; returns the number of bytes freed."""
    freed = 0
    for file in folder_of(identity).glob("*"):
        with contextlib.suppress(OSError):
            num_bytes = file.stat().st_size
            file.unlink()
            freed += num_bytes
    return freed


def files_in(folder: Path) -> Iterator[Path]:
    """The files of all states, complete or not, in a folder of models' folders."""
    for pattern in (f"*/*{_SUFFIX}", f"*/{_UNFINISHED}*"):
        yield from folder.glob(pattern)


def _name(key: str, file: Path) -> str:
    with file.open("rb") as content:
        return f"{key}-{hashlib.file_digest(content, hashlib.blake2b).hexdigest()[:32]}{_SUFFIX}"
