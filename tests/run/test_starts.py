"""Questions that are asked at the same moment begin a little apart."""

import asyncio
import time

import pytest

from hopweave.run import starts
from hopweave.run.starts import Starts


class Clock:
    """A clock that only sleeping moves on."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        self.slept = []
        monkeypatch.setattr(starts.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(starts.asyncio, "sleep", self.sleep)

    async def sleep(self, seconds):
        self.slept.append(round(seconds, 6))


async def test_the_first_does_not_wait_and_each_other_waits_as_much_longer(monkeypatch):
    clock = Clock(monkeypatch)
    turns = Starts(0.01)
    for _ in range(4):
        await turns.turn()
    assert clock.slept == [0.01, 0.02, 0.03]


async def test_one_that_comes_later_does_not_wait_for_what_is_past(monkeypatch):
    clock = Clock(monkeypatch)
    turns = Starts(0.01)
    await turns.turn()
    clock.now += 5
    await turns.turn()
    assert clock.slept == []


@pytest.mark.parametrize("busy_before", [None, 5])
async def test_they_begin_in_the_order_in_which_they_asked(busy_before):
    turns, begun = Starts(0.001), []

    async def begin(number):
        if number == busy_before:
            time.sleep(0.03)  # noqa: ASYNC251 - a loop that is busy for longer than they are apart
        await turns.turn()
        begun.append(number)

    await asyncio.gather(*map(begin, range(20)))
    assert begun == list(range(20))
