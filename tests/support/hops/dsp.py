import re

from support.three_hops import HOPS, Case

CASE = Case(
    [
        (re.compile(r"Rationale: To answer this, the first thing to find out is:$"), f"who.\n\nSearch Query: {HOPS[0][0]}"),
        (re.compile(r"Rationale: What the passages tell so far:$"), f"Ines Halloran.\n\nSearch Query: {HOPS[2][0]}"),
        (re.compile(r"Rationale: Step by step:$"), "It is Marlow Cross, on the Teel.\n\nAnswer: the Teel"),
    ],
    calls=lambda h: 3,
    rounds=lambda h: 2,
    options={"preset": "light"},
)
