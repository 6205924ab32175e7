from __future__ import annotations

import json

from support.three_hops import ANSWER, HOPS, PASSAGES, QUESTION, Case

SAYS = [
    line
    for (query, answer), passage in zip(HOPS, PASSAGES, strict=True)
    for line in (
        f" (select) [retrieve_odqa] {query}",
        f" (select) [retrieve] {query}",
        f" (select) [singlehop_titleqa] Titles: {json.dumps([passage.title])}. Question: {query}",
        json.dumps({"titles": [passage.title], "answer": [answer]}),
        " [EOQ]",
    )
]
ALL = json.dumps([passage.title for passage in PASSAGES])

CASE = Case(
    [*SAYS, f" (select) [multihop_titleqa] Titles: {ALL}. Question: {QUESTION}", f"So the final answer is {ANSWER}.", " [EOQ]"],
    calls=lambda h: 5 * h + 3,
    rounds=lambda h: h,
)
