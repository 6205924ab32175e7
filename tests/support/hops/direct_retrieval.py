from support.three_hops import Case

CASE = Case(["So the final answer is the Teel."], calls=lambda h: 1, rounds=lambda h: 1)
