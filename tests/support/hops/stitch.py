import json

from support.three_hops import HOPS, Case

UNNAMED = ("the designer of the light of Carrow Head", "the town in which the designer was born")

CASE = Case(
    [
        json.dumps({"unnamed": UNNAMED, "steps": [HOPS[0][0], "In which town was #1 born?", "Which river runs through #2?"]}),
        *(json.dumps({"fact": fact, "answer": answer}) for fact, (_, answer) in zip((1, 2, 2), HOPS, strict=True)),
    ],
    calls=lambda h: h + 1,
    rounds=lambda h: h + 1,
    options={"approach": "plan_first"},
)
