"""A question of three hops, which every method is asked: how many calls and rounds it takes is in `tests/support/hops/`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hopweave.core.types import Passage

QUESTION = "Which river runs through the town in which the designer of the light of Carrow Head was born?"
ANSWER = "the Teel"
HOPS = (
    ("Who designed the light of Carrow Head?", "Ines Halloran"),
    ("In which town was Ines Halloran born?", "Marlow Cross"),
    ("Which river runs through Marlow Cross?", "the Teel"),
)
PASSAGES = (
    Passage("carrow", "The light of Carrow Head was designed by Ines Halloran. It was lit in 1871.", "Carrow Head"),
    Passage("halloran", "Ines Halloran was an engineer. She was born in Marlow Cross in 1833.", "Ines Halloran"),
    Passage("marlow", "Marlow Cross is a market town. Through it runs the Teel, crossed by two bridges.", "Marlow Cross"),
)
NUM_HOPS = len(HOPS)


@dataclass(frozen=True)
class Case:
    """How a method answers the question, and what that must cost.

    Attributes:
        says: rules or replies for `Scripted`, so written that the method goes its usual way and answers rightly.
        calls: requests to the model, by the formula of the method's section in the specification, from the number of hops.
        rounds: rounds of retrieval, likewise.
        options: of the method.
        found: passages for queries; by default each hop's own, and all three for the question itself.
        read: what a reader finds; see `Bench`.
        prefill: whether the endpoint goes on from a last turn of the assistant.
        completions: replies in all, where several come of one request; by default as many as `calls`.
        offline_calls: requests of what a run does once for all its questions.
    """

    says: Any
    calls: Callable[[int], int]
    rounds: Callable[[int], int]
    options: Mapping[str, Any] = field(default_factory=dict)
    found: Mapping[str, Passage | Sequence[Passage]] = field(
        default_factory=lambda: {QUESTION: PASSAGES, **{query: one for (query, _), one in zip(HOPS, PASSAGES, strict=True)}}
    )
    read: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    prefill: bool = False
    completions: Callable[[int], int] | None = None
    offline_calls: int = 0
