from support.three_hops import ANSWER, HOPS, Case

CASE = Case(
    [*(f'[WikiSearch("{query}")' for query, _ in HOPS), f"It is {ANSWER}. So the final answer is {ANSWER}."],
    calls=lambda h: h + 1,
    rounds=lambda h: h,
)
