from support.three_hops import HOPS, Case

REASONED = "First, somebody designed it. Second, she was born somewhere. Third, a river runs there."
GUESSES = [f"{REASONED} So the final answer is river {letter}." for letter in "abcde"]
EDITS = [reply for query, answer in HOPS for reply in (query, f"It is {answer}.")]

# In turn, as the replies are.
CASE = Case([*GUESSES, *EDITS, "the Teel."], calls=lambda h: 5 + 2 * h + 1, rounds=lambda h: h, options={"parallel": False})
