from support.hops.react import turns
from support.three_hops import Case

CASE = Case(list(turns()), calls=lambda h: h + 1, rounds=lambda h: h)
