"""Work up to the limits of a question's budget."""

import pytest

from hopweave.answering.toolkit.concurrency import why_stopped
from hopweave.core.errors import BudgetReached, ModelError


async def coming_to(outcome):
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        ("repeated_query", "repeated_query"),
        (None, "earlier"),
        ("", "earlier"),
        (BudgetReached("max_searches", 2), "max_searches"),
    ],
)
async def test_work_says_why_it_stopped_or_the_limit_does_or_the_reason_before_it_stands(outcome, why):
    assert await why_stopped(coming_to(outcome), "earlier") == why


async def test_work_that_fails_is_no_limit():
    with pytest.raises(ModelError, match="gone"):
        await why_stopped(coming_to(ModelError("gone")))
