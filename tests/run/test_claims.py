"""Claims of a store that machines share: a cancelled call holds none, and nothing else waits for the store's server."""

import asyncio
import threading

import pytest

from hopweave.run.model_calls import _claim


class Shared:
    """A store whose server takes its time to give a claim."""

    def __init__(self, *, is_free=True, fails=False):
        self.speaks, self.asked, self.released = threading.Event(), threading.Event(), threading.Event()
        self.given = []
        self._is_free, self._fails = is_free, fails

    def claim(self, key):
        self.asked.set()
        assert self.speaks.wait(30)
        if self._fails:
            raise OSError
        return self._is_free

    def release(self, key):
        self.given.append(key)
        self.released.set()


async def waiting(store):
    """Someone who waits for a claim."""
    taking = asyncio.create_task(_claim(store, "k"))
    await asyncio.to_thread(store.asked.wait, 30)
    return taking


@pytest.mark.parametrize("is_free", [True, False])
async def test_a_claim_is_told_as_it_is_given(is_free):
    store = Shared(is_free=is_free)
    taking = await waiting(store)
    store.speaks.set()
    assert await taking is is_free
    assert store.given == []


async def test_a_claim_that_is_given_to_a_cancelled_call_is_given_back():
    store = Shared()
    taking = await waiting(store)
    taking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taking
    assert store.given == []
    store.speaks.set()
    assert await asyncio.to_thread(store.released.wait, 30)
    assert store.given == ["k"]


@pytest.mark.parametrize("how", [{"is_free": False}, {"fails": True}])
async def test_what_was_not_given_is_not_given_back(how):
    store = Shared(**how)
    taking = await waiting(store)
    taking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taking
    store.speaks.set()
    await asyncio.to_thread(store.released.wait, 0.2)
    assert store.given == []
