from support.three_hops import PASSAGES, QUESTION, Case

_CHAINS = [
    "The light of Carrow Head was designed by Ines Halloran. So the answer is: unknown.",
    "Ines Halloran was born in Marlow Cross. So the answer is: unknown.",
    "Ines Halloran was born in Marlow Cross. The river that runs through Marlow Cross is the Teel. So the answer is: the Teel.",
]

CASE = Case(
    _CHAINS,
    calls=lambda h: 3,
    rounds=lambda h: 3,
    found={QUESTION: PASSAGES[:1], **{f"{chain} {QUESTION}": PASSAGES for chain in _CHAINS}},
)
