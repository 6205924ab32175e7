"""Parses the answers that a model proposes: a JSON object, a list in any form, or a single answer."""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.answering.parsing.json_object import parse_json_object
from hopweave.answering.parsing.numbered import parse_numbered
from hopweave.core.prompt import unescape
from hopweave.core.types import Question
from hopweave.text.final import final_answer, map_label, short_form
from hopweave.text.matching import normalize_answer
from hopweave.text.refusal import does_not_know


@dataclass(frozen=True, slots=True)
class Proposed:
    """The answers, each once, in the order written, and one line for each thing that could not be read."""

    answers: tuple[str, ...]
    problems: tuple[str, ...] = ()


def parse_candidates(text: str, question: Question, num: int) -> Proposed:
    """Reads up to `num` answers of the form that the question asks for. Any text is accepted.

    Answers that only say that nothing is known are left out, and so is what is no label where one is asked for.

    >>> parse_candidates('{"answers": ["the Teel", "the Orl", "The Teel."]}', Question("1", "Which river?"), 2).answers
    ('the Teel', 'the Orl')
    """
    listed = parse_json_object(text, {"answers": list}).values.get("answers")
    items = [str(item) for item in listed if isinstance(item, str | int | float)] if listed else parse_numbered(text).items
    found = [_answer(item, question) for item in items]
    if not any(found):
        found = [_single(text, question)]
    kept: dict[str, str] = {}
    for one in found:
        if any(map(str.isalnum, one)) and not does_not_know(one):
            kept.setdefault(normalize_answer(one) or one, one)
    if kept:
        return Proposed(tuple(kept.values())[:num])
    return Proposed((), ("no answer is in the reply" if text.strip() else "the reply is empty",))


def _answer(item: str, question: Question) -> str:
    words = unescape(item)
    if question.form == "label":
        return map_label(words, question.labels)
    return " ".join(words.split()) if question.form == "long" else short_form(words)


def _single(text: str, question: Question) -> str:
    """The answer of a reply that lists none: what follows a marker or, for a long answer, the whole reply."""
    short, how = final_answer(text, question)
    return _answer(short, question) if how != "full" or question.form == "long" else ""
