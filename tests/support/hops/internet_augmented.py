from support.three_hops import Case

CASE = Case([("", "the Teel")], calls=lambda h: 4 * h, rounds=lambda h: 1)  # a paragraph for each of the h passages
