from support.bench import chain
from support.three_hops import HOPS, NUM_HOPS, Case

# Each chain comes one query further, which the model does not know, and which a passage completes; the last one passes whole.
_CHAINS = [chain(*HOPS[:known], (HOPS[known][0], None)) for known in range(NUM_HOPS)]

CASE = Case(
    [*_CHAINS, chain(*HOPS), "[Final Content]: The Teel runs through it [3]. So the final answer is the Teel."],
    calls=lambda h: (h + 1) + 1,
    rounds=lambda h: h,
    read={query: (answer, 4.0) for query, answer in HOPS},
)
