"""The scripted model's replies for each method, so that each takes its usual path over three hops.

Every question ends in `case N`, which identifies it to the model; the position of a call within its question is counted, or
inferred from the prompt. The same requests, sent again in the same order, get the same replies.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Turns = Sequence[Mapping[str, Any]]

QUESTION = "Into which sea flows the river of the city of Chopin's heart, case {n}?"
HOPS = (
    ("In which city was Frederic Chopin's heart buried, case {n}?", "Warsaw"),
    ("Which river runs through Warsaw, case {n}?", "the Vistula"),
    ("Into which sea does the Vistula flow, case {n}?", "the Baltic Sea"),
)
CALLS: Mapping[str, int] = {"stitch": 3, "searchain": 6, "ircot": 5, "toqd": 17, "react": 4, "self_ask": 4, "dsp": 3}
"""Sequential calls of each method for one question."""
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "dsp": {"preset": "light"},
    "toqd": {"skip_needless": False},
}
"""Non-default options of a method: one completion per template, as the others have, and every call of the paper's algorithm."""

_CASE = re.compile(r"case (\d+)")


def _chain(known: int, end: str) -> str:
    lines = [f"[Query {k}]: {query}\n[Answer {k}]: {answer}" for k, (query, answer) in enumerate(HOPS[:known], start=1)]
    return "\n".join([*lines, end])


_FIRST_CHAIN = _chain(1, f"[Unsolved Query]: {HOPS[1][0]}")
_SECOND_CHAIN = _chain(
    3,
    "[Final Content]: His heart is in Warsaw [1]. The Vistula runs through it [2]. So the final answer is the Baltic Sea.",
)
_TRACED = (
    "His heart is in Warsaw [1]. The Vistula runs through it [2]. It flows into the Baltic Sea [3]. So the final answer is it."
)
_SENTENCES = [
    "In case {n}, the heart of Frederic Chopin is in a pillar of a church in Warsaw.",
    "In case {n}, the river that runs through Warsaw is the Vistula.",
    "In case {n}, the Vistula flows into the Baltic Sea.",
]


def _reading(known: int) -> str:
    """The reading of `stitch` that knows so many hops, and the next is missing."""
    steps = [{"question": query, "answer": answer, "facts": [k]} for k, (query, answer) in enumerate(HOPS[:known], start=1)]
    missing = [query for query, _ in HOPS[known : known + 1]]
    return json.dumps({"steps": steps, "missing": missing, "answer": "" if missing else HOPS[-1][1]})


_IN_TURN: Mapping[str, Sequence[str]] = {
    "stitch": [_reading(known) for known in (1, 2, 3)],
    "ircot": [*_SENTENCES, "So the answer is: the Baltic Sea.", f"{' '.join(_SENTENCES)} So the answer is: the Baltic Sea."],
    "react": [
        f" I have to find out: {HOPS[0][0]}\nAction 1: Search[{HOPS[0][0]}]",
        f" It is Warsaw. I have to find out: {HOPS[1][0]}\nAction 2: Search[{HOPS[1][0]}]",
        f" It is the Vistula. I have to find out: {HOPS[2][0]}\nAction 3: Search[{HOPS[2][0]}]",
        " It is the Baltic Sea. That is enough.\nAction 4: Finish[the Baltic Sea]",
    ],
    "self_ask": [*(f"Follow up: {query}" for query, _ in HOPS), "So the final answer is: the Baltic Sea."],
    "dsp": [
        f"the city of his heart.\n\nSearch Query: {HOPS[0][0]}",
        f"It is Warsaw.\n\nSearch Query: {HOPS[1][0]}",
        "It is the Vistula, which flows into the Baltic Sea.\n\nAnswer: the Baltic Sea",
    ],
}
_TOQD = {
    "Break the question down": "\n".join(f"{k}. {query}" for k, (query, _) in enumerate(HOPS, start=1)),
    "should be dropped?": "Drop: none",
    "Which answers are needed for which?": "1 -> 2 -> 3 -> Q",
    "If you know the answer to the question for certain": "NO!",
    "These sub-questions are answered": _TRACED,
}


def play(method: str) -> Callable[[Turns], str]:
    """The model's reply to a method's request."""
    match method:
        case "searchain":
            return _searchain
        case "toqd":
            return _toqd
        case _:
            return _Counting(_IN_TURN[method])


class _Counting:
    """Gives each question the replies of a list in turn, starting over after the last."""

    def __init__(self, replies: Sequence[str]) -> None:
        self._replies = replies
        self._counts: Counter[str] = Counter()

    def __call__(self, turns: Turns) -> str:
        number = _number(turns)
        count = self._counts[number]
        self._counts[number] += 1
        return self._replies[count % len(self._replies)].replace("{n}", number)


def _searchain(turns: Turns) -> str:
    last = turns[-1]["content"]
    if "Does the passage state the answer" in last or "[Question]" not in last:
        return "no"
    if "Use nothing else" in last:
        return _TRACED
    return (_FIRST_CHAIN if len(turns) == 1 else _SECOND_CHAIN).replace("{n}", _number(turns))


def _toqd(turns: Turns) -> str:
    number, text = _number(turns), turns[-1]["content"]
    for words, reply in _TOQD.items():
        if words in text:
            return reply.replace("{n}", number)
    asked = re.findall(r"^(?:Sub-question|Question): (.*)$", text, re.MULTILINE)[-1]
    if "Rewrite the sub-question" in text:
        return str(asked)
    return next((answer for query, answer in HOPS if query.replace("{n}", number) == asked), "NO!")


def _number(turns: Turns) -> str:
    return next((found[-1] for turn in reversed(turns) if (found := _CASE.findall(turn["content"]))), "0")
