from support.three_hops import PASSAGES, QUESTION, Case

CASE = Case(
    ["So the answer is: the Teel."],
    calls=lambda h: 1,
    rounds=lambda h: 1,
    options={"remove_wh_words": False},
    found={QUESTION: PASSAGES},
)
