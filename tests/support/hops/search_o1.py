from support.three_hops import HOPS, Case

FOUND = (
    "The light of Carrow Head was designed by Ines Halloran.",
    "Ines Halloran was born in Marlow Cross.",
    "The Teel runs through Marlow Cross.",
)

CASE = Case(
    [
        reply
        for (query, _), found in zip(HOPS, FOUND, strict=True)
        for reply in (
            f"This is needed next.\n<|begin_search_query|>{query}<|end_search_query|>",
            f"The first passage says it.\nFinal information: {found}",
        )
    ]
    + [r"It is the Teel. \boxed{the Teel}"],
    calls=lambda h: 2 * h + 1,
    rounds=lambda h: h,
    prefill=True,
)
