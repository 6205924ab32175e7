"""Questions whose replies arrive at the same moment go on one by one."""

from __future__ import annotations

import asyncio

from hopweave.run.one_by_one import one_by_one


async def test_between_two_that_go_on_the_event_loop_does_whatever_else_there_is_to_do():
    seen: list[str] = []
    arrived = asyncio.Event()

    async def question(number: int) -> None:
        await arrived.wait()
        await one_by_one()
        seen.append(f"question {number}")
        asyncio.get_running_loop().call_soon(seen.append, f"request {number}")

    questions = [asyncio.create_task(question(number)) for number in range(3)]
    await asyncio.sleep(0)
    arrived.set()
    await asyncio.gather(*questions)
    await asyncio.sleep(0)
    assert seen == [f"{what} {number}" for number in range(3) for what in ("question", "request")]


async def test_one_that_is_cancelled_while_it_waits_leaves_its_turn_to_the_next():
    first, second, third = (asyncio.create_task(one_by_one()) for _ in range(3))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.wait_for(asyncio.gather(first, third), 30)
    assert second.cancelled()


def test_each_event_loop_has_its_own_turns():
    async def several() -> None:
        await asyncio.gather(*(one_by_one() for _ in range(3)))

    for _ in range(2):
        asyncio.run(several())
