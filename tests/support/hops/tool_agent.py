import json

from support.three_hops import ANSWER, HOPS, Case

SEARCHES = [json.dumps({"thought": "", "next": {"action": "search", "queries": [query]}}) for query, _ in HOPS]
STATEMENTS = [
    {"text": "The light of Carrow Head was designed by Ines Halloran.", "passages": [1]},
    {"text": "Ines Halloran was born in Marlow Cross.", "passages": [2]},
    {"text": "The Teel runs through Marlow Cross.", "passages": [3]},
]
FINAL = json.dumps({"thought": "", "next": {"action": "answer", "statements": STATEMENTS, "answer": ANSWER, "is_guess": False}})

CASE = Case([*SEARCHES, FINAL], calls=lambda h: h + 1, rounds=lambda h: h)
