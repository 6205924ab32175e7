from support.three_hops import HOPS, QUESTION, Case
from support.toqd import Plays

# A chain of sub-questions, of which all but the first are internal, and none is known by heart.
_ASKED = [HOPS[0][0], "In which town was that designer born?", "Which river runs through that town?"]

CASE = Case(
    Plays(
        sub_questions={QUESTION: _ASKED},
        arrows={QUESTION: "1 -> 2 -> 3 -> Q"},
        rewrites={asked: query for asked, (query, _) in zip(_ASKED, HOPS, strict=True)},
        reads=dict(HOPS),
        summary="Through Marlow Cross runs the Teel [3]. So the final answer is the Teel.",
    ),
    calls=lambda h: 1 + h + (h - 1) + h + 1,  # a chain by its wording: neither critique nor construct is asked for
    rounds=lambda h: h,
)
