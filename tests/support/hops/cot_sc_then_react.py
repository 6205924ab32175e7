from support.hops.react import turns
from support.three_hops import Case

GUESSES = [f"So the final answer is river {letter}." for letter in "abcdefghijklmnopqrstu"]
CASE = Case([*GUESSES, *turns()], calls=lambda h: 21 + h + 1, rounds=lambda h: h)
