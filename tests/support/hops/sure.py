import json

from support.three_hops import ANSWER, Case

_TEEL = "Ines Halloran was born in Marlow Cross. The Teel runs through Marlow Cross."
_ORL = "Nothing is said of the Orl."

CASE = Case(
    [
        ("likeliest first", json.dumps({"answers": ["the Orl", ANSWER]})),
        ("answer: the Orl\n\nWrite", _ORL),
        (f"answer: {ANSWER}\n\nWrite", _TEEL),
        (f"answer: {ANSWER}\n<passage>", json.dumps({"valid": "yes"})),
        ("answer: the Orl\n<passage>", json.dumps({"valid": "no"})),
        (f"Text 1:\n<passage>\n{_TEEL}", json.dumps({"text": "1"})),
        (f"Text 2:\n<passage>\n{_TEEL}", json.dumps({"text": "2"})),
    ],
    calls=lambda h: 7,
    rounds=lambda h: 1,
)
