from support.hops.plan_and_solve import PLAN, SOLUTION
from support.three_hops import Case

CASE = Case([PLAN, f"{SOLUTION}\nSo the final answer is the Teel."], calls=lambda h: 2, rounds=lambda h: 1)
