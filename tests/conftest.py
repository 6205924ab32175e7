"""What holds for every test: nothing of the user's is read or written, and what is drawn alike is drawn once."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings
from support.drawn_once import draw_once
from support.postgres_server import postgres_server

from hopweave.core.files import models_folder
from hopweave.models.llms import _learnt

draw_once()

# Tests with a number of examples of their own keep it. Machines differ, so no example has a deadline.
settings.register_profile("default", max_examples=25, deadline=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile("default")

_MODELS = "HOPWEAVE_MODELS"
_USERS_MODELS = str(models_folder())
"""Weights are too large to be fetched anew: tests marked `live` read those of the user."""

_own = Path(tempfile.mkdtemp(prefix="hopweave-tests-"))
for _name in [name for name in os.environ if name.startswith(("HOPWEAVE_", "PG", "DASK_"))]:
    del os.environ[_name]
os.environ |= {"HOME": str(_own), "XDG_CACHE_HOME": str(_own / "cache"), "XDG_CONFIG_HOME": str(_own / "config")}
os.environ |= {"XDG_DATA_HOME": str(_own / "data"), "XDG_STATE_HOME": str(_own / "state")}
os.environ[_MODELS] = _USERS_MODELS  # while tests are collected, and in processes of xdist, which find it here


@pytest.fixture(autouse=True)
def _nothing_learnt():
    """No test knows what another has learnt about an endpoint: two servers may get the same port, one after the other."""
    _learnt.forget_all()
    _learnt.path_of_file().unlink(missing_ok=True)


@pytest.fixture
def own_folders(tmp_path, monkeypatch):
    """Folders of the user, and a working directory, that no other test has."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL that runs, one for all tests of a process; each test takes an empty place of its own from it."""
    with postgres_server() as started:
        yield started


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Shows the user's weights to tests that run the embedded model, and to no other."""
    if item.get_closest_marker("live") is not None:
        os.environ[_MODELS] = _USERS_MODELS
    else:
        os.environ.pop(_MODELS, None)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Searches for no garbage while tests are collected, nor ever after in what was collected: it stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    """Removes what was written in place of the user's folders."""
    shutil.rmtree(_own, ignore_errors=True)
