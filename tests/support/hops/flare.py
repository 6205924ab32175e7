import math

from support.three_hops import PASSAGES, QUESTION, Case

from hopweave.models.llms.scripted import Line


def draft(known: str, guessed: str) -> Line:
    """A sentence of which the model is sure but for some words."""
    sure = [{f"{' ' * (number > 0)}{word}": 0.0} for number, word in enumerate(known.split())]
    return Line(f"{known} {guessed}.", logprobs=(*sure, {f" {guessed}": math.log(0.1)}, {".": 0.0}))


_DRAFTS = (
    ("The light of Carrow Head was designed by", "Max Orr"),
    ("Ines Halloran was born in", "Ulm"),
    ("The river that runs through Marlow Cross is the", "Orr"),
)
_SENTENCES = (
    "The light of Carrow Head was designed by Ines Halloran.",
    "Ines Halloran was born in Marlow Cross.",
    "The river that runs through Marlow Cross is the Teel.",
)

# The last sentence, which gives the answer, is sure, and so it is written only once.
CASE = Case(
    [
        reply
        for (known, guessed), sentence in zip(_DRAFTS, _SENTENCES, strict=True)
        for reply in (draft(known, guessed), sentence)
    ]
    + ["So the answer is: the Teel."],
    calls=lambda h: 2 * h + 1,
    rounds=lambda h: h + 1,
    found={
        QUESTION: PASSAGES[0],
        **{f"{known} .": passage for (known, _), passage in zip(_DRAFTS, [PASSAGES[0], *PASSAGES[1:]], strict=True)},
    },
    options={"draft_sees": "nothing"},
    prefill=True,
)
