"""A Dask scheduler and workers as processes, for tests."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

WAIT_SECONDS = 120


class DaskCluster:
    """Processes that run.

    Attributes:
        address: of the scheduler.
        workers: the processes of the workers.
    """

    def __init__(self, folder: Path, num_workers: int) -> None:
        self.workers: list[subprocess.Popen[bytes]] = []
        self._logs = []
        self._place = folder / "scheduler.json"
        self._folder = folder
        self._scheduler = self._started("scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard")
        give_up = time.monotonic() + WAIT_SECONDS
        while not self._place.exists() or not self._place.read_text().strip():
            assert time.monotonic() < give_up, self.said()
            time.sleep(0.05)
        import json

        self.address = json.loads(self._place.read_text())["address"]
        for _ in range(num_workers):
            self.add_worker()

    def add_worker(self) -> None:
        """Starts a worker with two threads."""
        more = ("--nthreads", "2", "--no-nanny", "--no-dashboard", "--local-directory", str(self._folder / "scratch"))
        self.workers.append(self._started("worker", *more))

    def said(self) -> str:
        """What the processes wrote."""
        return "\n".join(Path(log).read_text() for log in self._logs)

    def stop(self) -> None:
        """Ends all processes."""
        for process in (*self.workers, self._scheduler):
            process.kill()
            process.wait()

    def _started(self, command: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = self._folder / f"{command}{len(self._logs)}.log"
        self._logs.append(log)
        with log.open("wb") as file:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", command, "--scheduler-file", str(self._place), *arguments],
                stdout=file, stderr=subprocess.STDOUT, env={**os.environ, "PYTHONWARNINGS": "default"},
            )  # fmt: skip


@contextmanager
def dask_cluster(folder: Path, num_workers: int) -> Iterator[DaskCluster]:
    """Starts a cluster; skips, saying why, where Dask is not installed."""
    pytest.importorskip("distributed", reason="needs: pip install 'hopweave[cluster]'")
    folder.mkdir()
    cluster = DaskCluster(folder, num_workers)
    try:
        yield cluster
    finally:
        cluster.stop()
