"""What takes a while is made while a first question waits for its model, or when it is needed."""

from __future__ import annotations

import threading
from functools import cache

import pytest

from hopweave.core import preparation
from hopweave.core.preparation import prepare_soon, prepared


@pytest.fixture
def made(monkeypatch):
    """What has been made, by two functions of which the first was needed before."""
    found: list[str] = []
    is_done = threading.Event()
    monkeypatch.setattr(preparation, "_WAITING", [])
    monkeypatch.setattr(preparation, "_BEFORE_SECONDS", 0.0)

    @prepared
    @cache
    def needed() -> None:
        found.append("needed")

    @prepared
    @cache
    def other() -> None:
        found.append("other")
        is_done.set()

    needed()
    prepare_soon.__wrapped__()
    assert is_done.wait(30)
    other()
    return found


def test_everything_is_made_once_whoever_needs_it_first(made):
    assert made == ["needed", "other"]


def test_a_process_prepares_once(monkeypatch):
    begun: list[float] = []
    monkeypatch.setattr(preparation.threading, "Timer", lambda seconds, make: begun.append(seconds) or threading.Thread())
    prepare_soon.cache_clear()
    for _ in range(3):
        prepare_soon()
    assert begun == [0.5]
