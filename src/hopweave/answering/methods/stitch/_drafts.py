"""Parses a reading: an object with steps, what is missing and an answer, or a plain reply instead."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from hopweave.answering.parsing.json_object import JsonObject, parse_json_object
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import unescape
from hopweave.text.evidence import Evidence
from hopweave.text.final import joined, listed
from hopweave.text.matching import is_yes_or_no
from hopweave.text.refusal import is_refusal

_STEP_ALONE = "the field 'steps' is missing"
_FIELDS = {"steps": list, "missing": list, "answer": str}
_ARTICLE = lazy_pattern(r"\A(?:an?|the) (?=[a-z])")
"""Before a kind of thing, which the fact has with another word before it: `a comedy film`, `an American comedy film`."""
_AFTER_YES_OR_NO = lazy_pattern(r"\A(yes|no), (?:at|in|on) (?=[£$€]?\d)", re.IGNORECASE)
"""What leads to an amount or a date that a table has alone: `Yes, at 690 GBP`."""
_NAMED_FACTS = lazy_pattern(r"\s?[\[(](?:see\s)?facts?\s[\d,;&\sand-]{1,60}[\])]", re.IGNORECASE)
"""How a plain reply names facts: `[fact 3]`, `(facts 3 and 4)`."""
_FROM_FACTS = lazy_pattern(
    r"\A(?:based on|according to|from)\s(?:the\s)?(?:[a-z]{1,12}\s)?facts?(?:\s\d{1,3})?,\s{1,9}", re.IGNORECASE
)
"""How it may begin before the answer."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a reading: a question, its answer, and the facts that were named for it.

    Attributes:
        question: a simple question.
        answer: its answer.
        facts: those that were named, or one that states the answer after them.
        together: those that were named, if these are several and one of them states the answer: all of them are cited.
    """

    question: str
    answer: str
    facts: tuple[Evidence, ...]
    together: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A reading: its steps, search queries for what is missing, and the answer, which may be empty.

    Attributes:
        steps: in order.
        missing: the queries.
        answer: to the question.
        is_object: whether the reply was an object, as asked for.
        is_cut: whether the reply was cut off.
    """

    steps: tuple[Step, ...] = ()
    missing: tuple[str, ...] = ()
    answer: str = ""
    is_object: bool = True
    is_cut: bool = False

    @property
    def refuses(self) -> bool:
        """Whether it is a plain reply that says no more than that there will be no answer."""
        said = self.answer
        return bool(said) and not self.is_object and is_refusal(said) and not is_yes_or_no(said)


def object_in(text: str) -> JsonObject:
    """The object in a reply, as far as it can be read; its answer is a text or a list. A step alone is none.

    >>> object_in('{"answer": ["Sula", "Orlau"]}').values["answer"]
    ['Sula', 'Orlau']
    >>> object_in('{"steps": [{"question": "Who?", "answer": "Ida"}, {"question": "Wh').values.keys()
    dict_keys(['steps'])
    """
    read = _read(text)
    if _STEP_ALONE in read.problems and '"steps"' in text:
        read = _read(_closed(text))
        return JsonObject({}, ("the object is not valid JSON",)) if _STEP_ALONE in read.problems else read
    return read


def _read(text: str) -> JsonObject:
    of_list = parse_json_object(text, {**_FIELDS, "answer": list})
    return of_list if "answer" in of_list.values else parse_json_object(text, _FIELDS)


def _closed(text: str) -> str:
    """An object that was cut off, closed where it ends; any other text as it is."""
    try:
        value = from_json(text[max(0, text.find("{")) :].encode("utf-8", "replace"), allow_partial="trailing-strings")
    except ValueError:
        return text
    return json.dumps(value)


def answer_in(value: Any, *, is_explanation: bool = False) -> str:
    r"""The answer that an object has, all of it on one line unless it is an explanation.

    >>> answer_in("- Sula\n- Orlau"), answer_in(["Sula", "Orlau"]), answer_in("Sula\nIt is the oldest lamp.")
    ('Sula, Orlau', 'Sula, Orlau', 'Sula\nIt is the oldest lamp.')
    """
    if isinstance(value, list):
        items = filter(None, map(on_one_line, value))
        return "\n".join(items) if is_explanation else joined(items)
    text = unescape(str(value).strip())
    return text if is_explanation else listed(text, by_line=True) or text


def answer_of_step(value: Any) -> str:
    """The answer of a step as facts have it, without an article, or a preposition after a yes or a no.

    >>> answer_of_step("a comedy film"), answer_of_step("Yes, at 690 GBP"), answer_of_step("in 1902")
    ('comedy film', 'Yes, 690 GBP', 'in 1902')
    """
    return _AFTER_YES_OR_NO.sub(r"\1, ", _ARTICLE.sub("", on_one_line(value)))


def said_plainly(text: str) -> str:
    """A plain reply without emphasis and without the facts that it names.

    >>> said_plainly("Based on the facts, the **lamp** burns oil [fact 3].")
    'the lamp burns oil.'
    """
    return _FROM_FACTS.sub("", _NAMED_FACTS.sub("", text.strip().replace("**", "")))


def on_one_line(value: Any) -> str:
    """A text that the model wrote, on one line; empty for anything else."""
    is_text = isinstance(value, str | int | float) and not isinstance(value, bool)
    return unescape(" ".join(str(value).split())) if is_text else ""
