from support.three_hops import PASSAGES, QUESTION, Case

_SENTENCES = [
    "The light of Carrow Head was designed by Ines Halloran.",
    "Ines Halloran was born in Marlow Cross.",
    "The river that runs through Marlow Cross is the Teel.",
]
_LAST = "So the answer is: the Teel."

CASE = Case(
    [*_SENTENCES, _LAST, " ".join([*_SENTENCES, _LAST])],
    calls=lambda h: (h + 1) + 1,
    rounds=lambda h: h + 1,
    options={"remove_wh_words": False},
    found={QUESTION: PASSAGES[0], **dict(zip(_SENTENCES, [*PASSAGES[1:], PASSAGES[2]], strict=True))},
    prefill=True,
)
