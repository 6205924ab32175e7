from support.three_hops import ANSWER, HOPS, Case

CASE = Case(
    [
        *(f"<think> Now this is needed. </think>\n<search> {query} </search>" for query, _ in HOPS),
        f"<think> That is enough. </think>\n<answer> {ANSWER} </answer>",
    ],
    calls=lambda h: h + 1,
    rounds=lambda h: h,
    prefill=True,
)
