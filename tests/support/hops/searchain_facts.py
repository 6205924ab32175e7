import json

from support.bench import chain
from support.three_hops import HOPS, NUM_HOPS, Case

# As searchain, but for the end: the last fact of those that are shown answers.
_CHAINS = [chain(*HOPS[:known], (HOPS[known][0], None)) for known in range(NUM_HOPS)]

CASE = Case(
    [*_CHAINS, chain(*HOPS), json.dumps({"fact": 2, "answer": "the Teel"})],
    calls=lambda h: (h + 1) + 1,
    rounds=lambda h: h + 1,
    read={query: (answer, 4.0) for query, answer in HOPS},
)
