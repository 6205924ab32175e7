"""A model that repeats what passages say, in every method: nothing of it comes back to the model as a step."""

from __future__ import annotations

from support.echo import QUESTIONS, REPLIES, live_markers, variants
from support.parts import METHODS

from hopweave.core.errors import MissingExtra

from ..attack import Attack, Trial

DRESSES = ["", "", "", " ", "\n", "\n\n", "**", "- ", "> ", "# ", "1. ", "`", '"', "\t", "\u2060", "\u200b", "Yes. ", "[1] "]


async def echo(trial: Trial) -> None:
    """A method with a model that repeats, in forms that change from turn to turn and are dressed in one way or another."""
    random = trial.random
    method, question, prefill = random.choice(METHODS), random.choice(QUESTIONS), random.random() < 0.5
    options = random.choice([{}, *variants(method)])
    forms = [
        "".join((random.choice(DRESSES), random.choice(REPLIES), random.choice(DRESSES))) for _ in range(random.randint(1, 5))
    ]
    trial.shows((method, options, question.form, "prefill" if prefill else "no prefill", forms))
    try:
        live = await live_markers(method, question, lambda turn: forms[turn % len(forms)], prefill=prefill, **options)
    except MissingExtra:
        return
    assert live == []


ATTACKS = (Attack("echoes", "nothing that a model copied is a step when it is sent again", echo, 1_500, 12),)
