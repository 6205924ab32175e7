"""Work that does not depend on other work, done at the same time, and recorded the same whichever ends first."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from hopweave.errors import BudgetReached
from hopweave.workbench import Workbench

T = TypeVar("T")

_COUNTED = ("max_llm_calls", "max_tokens", "max_searches")


async def side_by_side(bench: Workbench, works: Sequence[tuple[int, Callable[[], Awaitable[T]]]]) -> list[T | BudgetReached]:
    """Does pieces of work, each filed under a decision of its own.

    Where calls are counted, which of them a limit cuts off must not hang on the clock: the pieces then take turns.

    Args:
        bench: of the question.
        works: the decision of each, made before, and what is to be done.

    Returns:
        What came of each, in order; the limit of the budget that ended it, if one did.

    Raises:
        ExceptionGroup: of whatever else the pieces raise.
    """

    async def done(step: int, work: Callable[[], Awaitable[T]]) -> T | BudgetReached:
        with bench.under(step):
            try:
                return await work()
            except BudgetReached as reached:
                return reached

    if any(limit in bench.budget.limits() for limit in _COUNTED):
        return [await done(step, work) for step, work in works]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(done(step, work)) for step, work in works]
    return [task.result() for task in tasks]
