"""Whether an answer comes from no passage at all."""

from __future__ import annotations

from collections.abc import Iterable

from hopweave.citations.citing import locate
from hopweave.citations.occurrences import asserted, listed_in
from hopweave.citations.support import judge
from hopweave.core.types import Passage
from hopweave.text.nations import nations_in


def is_made_up(query: str, text: str, passages: Iterable[Passage]) -> bool:
    """Whether no passage has the words of an answer, nor the nation that it names ("Dutch" where a passage has "Netherlands").

    Of an answer that lists a few things, each may be in another sentence or passage, as for "Which is the one, and which the
    other?". A yes or a no, and an answer that only repeats the query, has no words of its own, and is not made up.

    Args:
        query: the query.
        text: the answer.
        passages: all that were found.
    """
    found = list(passages)
    if not asserted(text) or judge(query, text, found).shortfall != "words":
        return False
    items = listed_in(asserted(text))
    if items and all(any(locate(item, passage.text) for passage in found) for item in items):
        return False
    named = nations_in(text)
    return not named or not any(named <= nations_in(passage.text) for passage in found)
