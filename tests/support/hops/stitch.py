from support.three_hops import Case

CASE = Case(['{"fact": 1, "answer": "the Teel"}'], calls=lambda h: 1, rounds=lambda h: 1)
