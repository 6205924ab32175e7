"""Independent pieces of work, done concurrently; each has its own place in the record and handles its own limit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from hopweave.core.errors import BudgetReached
from hopweave.core.protocols import MethodContext

T = TypeVar("T")


async def side_by_side(
    workbench: MethodContext, works: Sequence[tuple[int, Callable[[], Awaitable[T]]]]
) -> list[T | BudgetReached]:
    """Runs pieces of work as in `MethodContext.side_by_side`, each recorded under its own decision.

    Args:
        workbench: the question's workbench.
        works: the decision of each, made beforehand, and the work itself.

    Returns:
        The result of each, in order, or the limit of the budget that ended it.

    Raises:
        Exception: any other error that a piece raises.
    """

    async def done(step: int, work: Callable[[], Awaitable[T]]) -> T | BudgetReached:
        with workbench.under(step):
            try:
                return await work()
            except BudgetReached as reached:
                return reached

    return await workbench.side_by_side([partial(done, *one) for one in works])


async def why_stopped(work: Awaitable[str | None], otherwise: str = "finished") -> str:
    """Does work up to the budget; returns why it stopped: the limit that ended it, else its own reason, else `otherwise`."""
    try:
        return await work or otherwise
    except BudgetReached as reached:
        return reached.limit


def all_of(outcomes: Sequence[T | BudgetReached]) -> list[T]:
    """The results of pieces of work, if none reached a limit.

    Raises:
        BudgetReached: the first of them.
    """
    for outcome in outcomes:
        if isinstance(outcome, BudgetReached):
            raise outcome
    return [outcome for outcome in outcomes if not isinstance(outcome, BudgetReached)]
