from support.three_hops import Case

CASE = Case(["the Teel"], calls=lambda h: 1, rounds=lambda h: 0)
