from support.three_hops import ANSWER, HOPS, Case

CHAIN = "".join(f"\nFollow up: {query}\nIntermediate answer: {answer}." for query, answer in HOPS)

CASE = Case([f" Yes.{CHAIN}\nSo the final answer is: {ANSWER}."], calls=lambda h: 1, rounds=lambda h: 0)
