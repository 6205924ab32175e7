from support.three_hops import HOPS, Case

CASE = Case(
    [
        ", ".join(f'"{query}"' for query, _ in HOPS),
        *(answer for _, answer in HOPS),
        "It is on the Teel. So the final answer is the Teel.",
    ],
    calls=lambda h: h + 2,
    rounds=lambda h: 0,
)
