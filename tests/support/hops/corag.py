from support.three_hops import ANSWER, HOPS, NUM_HOPS, Case

CASE = Case(
    [*(reply for query, answer in HOPS for reply in (query, answer)), ANSWER],
    calls=lambda h: 2 * h + 1,
    rounds=lambda h: h + 1,
    options={"max_steps": NUM_HOPS},
)
