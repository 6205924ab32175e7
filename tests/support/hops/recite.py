from support.three_hops import Case

NUM = 3

CASE = Case(
    [
        ("write out from memory", " 1: Ines Halloran designed the light.\nAnswer 2: The Teel runs through Marlow Cross."),
        ("from the paragraphs above", ["The answer is the Teel.", "The answer is the Orr.", "The answer is the Teel."]),
    ],
    calls=lambda h: 2 * NUM,
    rounds=lambda h: 0,
    options={"n_recitations": NUM},
)
