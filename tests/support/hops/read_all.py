from support.three_hops import Case

CASE = Case(
    [
        "The light of Carrow Head was designed by Ines Halloran [1]. Ines Halloran was born in Marlow Cross [2]. "
        "The Teel runs through Marlow Cross [3]. So the final answer is the Teel."
    ],
    calls=lambda h: 1,
    rounds=lambda h: 1,
)
