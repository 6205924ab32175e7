import json

from support.three_hops import ANSWER, HOPS, PASSAGES, QUESTION, Case

SECOND = "Which river runs through the town in which Ines Halloran was born?"
THIRD = HOPS[2][0]
NOTHING = json.dumps({"fact": 0, "answer": ""})

CASE = Case(
    [
        NOTHING,
        json.dumps({"through": "the designer, Ines Halloran", "fact": 1, "ask": SECOND}),
        NOTHING,
        json.dumps({"through": "the town, Marlow Cross", "fact": 2, "ask": THIRD}),
        json.dumps({"fact": 2, "answer": ANSWER}),
    ],
    calls=lambda h: 2 * h - 1,
    rounds=lambda h: h,
    found={QUESTION: PASSAGES[0], SECOND: PASSAGES[1], THIRD: PASSAGES[2]},
)
