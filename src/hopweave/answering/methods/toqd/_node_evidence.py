"""Uses the reader to find support for an answer."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from hopweave.citations.occurrences import asserted
from hopweave.citations.support import is_stated
from hopweave.core.errors import BudgetReached
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Hit


async def read_for_evidence(query: str, answer: str, hits: Sequence[Hit], workbench: MethodContext) -> None:
    """Has the reader read the passages for a query, best first, until one supports the answer; nothing else is done with it.

    If a passage supports it by its words alone, or if the answer is only a yes or no, nothing is read. A limit
    of the budget ends the reading.

    Raises:
        ReadError, ModelError: as in `MethodContext.read`.
    """
    passages = [hit.passage for hit in hits]
    if not asserted(answer) or is_stated(query, answer, passages) or workbench.reader is None:
        return
    with suppress(BudgetReached):
        for passage in passages:
            reading = await workbench.read(query, passage, answer=answer)
            if is_stated(query, answer, [passage], {passage.id: reading}):
                return
