"""A model that repeats what passages say, in the form in which one method or another reads its steps."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

from support.bench import Bench
from support.hostile import MARKERS

from hopweave.core.catalog import load
from hopweave.core.prompt import escape
from hopweave.core.types import Hit, Passage, Question, Reading, Span
from hopweave.models.llms.scripted import Line

PASSAGES = [
    Passage(f"p{number}", f"Aral lies on a hill. {marker}. It is old.", marker) for number, marker in enumerate(MARKERS)
]
LIVE = [re.compile(re.escape(marker).replace(r"\ ", r"\s+")) for marker in MARKERS]

FormOf = Callable[[int], str]
# What models reply in the form of one method or another; {0} is what is copied, {1} something else that is.
REPLIES = (
    "{0}",
    "{0}. {1}. So it is.",
    "[Query 1]: {0}\n[Answer 1]: {1}\n[Query 2]: Where is Aral?\n[Answer 2]: {0}\n[Final Content]: {1}",
    "[Query 1]: Where is {0}?\n[Unsolved Query]: Who is {1}?",
    "Thought: {0}\nAction 1: Search[{1}]",
    "Thought: {0}\nAction 1: Lookup[{1}]",
    "Follow up: {0}?\nIntermediate answer: {1}",
    "Follow up: Where is Aral {0}?",
    "1. Where is {0}?\n2. Who is {1}?\n3. What is #1?",
    "1 -> 2\n2 -> Q",
    "First, {0}. Second, {1}. The answer is {0}.",
    "{0} Rationale: {1}\nSearch Query: {0}\nAnswer: {1}",
    "QS: (select) [retrieve] {0}",
    'QS: (select) [singlehop_titleqa] Titles: ["{0}", "{1}"]. Question: {0}?',
    '{{"titles": ["{0}"], "answer": ["{1}"]}}',
    '{0} [WikiSearch("{1}")',
    'To answer it, we need to know: "Who is {0}?", "Where is {1}?".',
    "Plan:\n1. Who is {0}?\n2. Where is {1}?\nSolution:\n1. {1}\n2. {0}\nSo the final answer is {1}.",
    "Where is {0}?",
    "The best choice is 1. {0}",
    "Yes. {0}",
    '{{"thought": "{0}", "next": {{"action": "search", "queries": ["{1}", "Aral {0}"]}}}}',
    '{{"action": "answer", "statements": [{{"text": "{1}.", "passages": [1]}}], "answer": "{0}"}}',
    "<think> {0} </think>\n<search> {1} </search>",
    "<think> {1} </think>\n<answer> {0} </answer>",
    "{0}\n<|begin_search_query|>{1}<|end_search_query|>",
    "Passage 1: {0}.\nFinal information: {1}",
    "So it is \\boxed{{{0}}}",
)


class FindsAll:
    """Finds the passages in turn, whatever is asked."""

    identity = "finds-all"

    def __init__(self) -> None:
        self.num_searches = 0

    def search(self, queries, max_hits):
        return [self._hits(max_hits) for _ in queries]

    def _hits(self, max_hits):
        self.num_searches += 1
        turned = [PASSAGES[(self.num_searches + place) % len(PASSAGES)] for place in range(min(max_hits, len(PASSAGES)))]
        return [Hit(passage, 1.0 / rank, rank) for rank, passage in enumerate(turned, start=1)]

    def close(self) -> None:
        pass


class ReadsMarkers:
    """Reads the marker of each passage, surely."""

    identity = "reads-markers"

    def read(self, pairs):
        return [self._reading(passage.text) for _, passage in pairs]

    def _reading(self, text):
        start, end = text.find(". ") + 2, text.rfind(". ")
        # A retriever may show less of a passage than there is.
        return Reading(text[start:end], Span(start, end), 4.0) if start < end else Reading("", None, -5.0)


class Echo:
    """Replies in some form, in turn, with what it was shown of passages; before it was shown any, with other words.

    Args:
        form_of: the form of a turn, which counts from 1.
    """

    def __init__(self, form_of: FormOf) -> None:
        self.turn = 0
        self.form_of = form_of

    def __call__(self, messages, sampling):
        shown = "\n".join(message.text for message in messages)
        seen = [copied for copied in map(escape, MARKERS) if copied in shown]
        self.turn += 1
        words = [seen[(self.turn + place) % len(seen)] if seen else f"Aral {self.turn + place}" for place in (0, 5)]
        return Line(self.form_of(self.turn).format(*words), yes_logit=1.0 if sampling.max_tokens == 1 else None)


QUESTIONS = [
    Question("short", "Who designed the light of Aral?"),
    Question("label", "Is the light of Aral lit?", "label", ("Yes", "No")),
    Question("long", "Why was the light of Aral built?", "long"),
]


async def live_markers(
    method: str, question: Question, form_of: FormOf, *, prefill: bool, reads: Any = None, rewrites: Any = None, **options: Any
) -> list[str]:
    """Each marker of a passage that the model was sent unblunted, with the words around it."""
    bench = Bench(Echo(form_of), reader=reads or ReadsMarkers(), prefill=prefill, rewriter=rewrites)
    bench.retriever = FindsAll()
    record = await bench.ask(question, method, {"max_llm_calls": 30}, **options)
    is_refused = getattr(rewrites, "ranking", "") == "faithful"  # an answer cannot rest on such a ranking
    assert record.answer is not None or is_refused, record.error
    texts = [(number, message.text) for number, (messages, _) in enumerate(bench.llm.calls, 1) for message in messages]
    found = [(number, text, match) for number, text in texts for pattern in LIVE for match in pattern.finditer(text)]
    return [f"call {number}: {text[max(0, match.start() - 120) : match.end() + 40]!r}" for number, text, match in found]


def variants(method: str) -> Iterator[dict[str, Any]]:
    """Each option of a method with another value than its default, one at a time: what it may choose of, or yes for no."""
    part = load("methods", method)
    hints = get_type_hints(part)
    for option in dataclasses.fields(part):
        choices = get_args(hints[option.name]) if get_origin(hints[option.name]) is Literal else ()
        choices = (True, False) if hints[option.name] is bool else choices
        yield from ({option.name: value} for value in choices if value != option.default)
