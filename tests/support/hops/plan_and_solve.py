from support.three_hops import HOPS, Case

PLAN = "\n".join(f"{number}. {query}" for number, (query, _) in enumerate(HOPS, start=1))
SOLUTION = "\n".join(f"{number}. {answer}" for number, (_, answer) in enumerate(HOPS, start=1))

CASE = Case([f"{PLAN}\nSolution:\n{SOLUTION}\nSo the final answer is the Teel."], calls=lambda h: 1, rounds=lambda h: 0)
