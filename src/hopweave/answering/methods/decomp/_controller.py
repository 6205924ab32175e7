"""Parses the output of a controller of sub-modules (DecomP): its calls, their arguments, and JSON answers.

A call is a line `QS: (select) [module] argument`, the last one `QS: [EOQ]`. An answer is JSON: a list of texts, or an object
with `titles` and `answer`. Models decorate both with Markdown, omit parts, use other quotation marks and stop inside a list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hopweave.answering.parsing.numbered import json_values
from hopweave.core.characters import whole
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.final import short_form
from hopweave.text.quotation import QUOTATION_MARKS

_DRESS = r"[\s>*_`#•·+-]*+"
_CALL = lazy_pattern(
    rf"^{_DRESS}(?:QS{_DRESS}:{_DRESS})?(?:\([^\W\d]{{1,20}}+\){_DRESS})?\[\s*+(?P<module>[^\W\d]\w{{0,40}}+)\s*+\]"
    rf"[*_`:]*+(?P<argument>.*)$",
    re.IGNORECASE,
)
_END = "eoq"
# The lookbehind for the start of the preceding run keeps long runs linear.
_QUESTION = lazy_pattern(r"(?:(?<![\s.,;*_`])[\s.,;*_`]++)?+question[\s*_`]*+:", re.IGNORECASE)
_KEY = lazy_pattern(r"(?<!\w)(?P<key>titles?|answers?)[\"'”’`*]*+\s*+[:=]", re.IGNORECASE)
_QUOTED = lazy_pattern(r'"((?:[^"\\]|\\.)*+)"|“([^”]*+)”|\'(.*?)\'(?=\s*+(?:[,;\]}]|$))|\b(?:None|null)\b')
_BARE_LIST = lazy_pattern(r"[\s*_`>]*+(?:json\s*+)?(?:A\s*+:\s*+)?\[", re.IGNORECASE)
_SEPARATOR = lazy_pattern(r"\s*+[,;]\s*+")
_LONGEST = 2000  # characters of a list that is not JSON; real replies are shorter


@dataclass(frozen=True, slots=True)
class Call:
    """A line of a controller.

    Attributes:
        module: in lower case; empty if none is named, and at the end.
        argument: the argument of the call.
        is_end: whether the line says that nothing is left to do (`[EOQ]`).
        problems: a line for each thing that could not be read.
    """

    module: str = ""
    argument: str = ""
    is_end: bool = False
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Titled:
    """The argument of a module that reads pages: the titles of the pages, and the question."""

    titles: tuple[str, ...]
    question: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of a module that reads pages: answers, and the titles of the pages that they are from."""

    titles: tuple[str, ...]
    answers: tuple[str, ...]
    problems: tuple[str, ...] = ()


def parse_call(text: str) -> Call:
    """The first call in a reply; any text before it, and everything after its line, is ignored.

    >>> parse_call("QS: (select) [retrieve] Who was it?")
    Call(module='retrieve', argument='Who was it?', is_end=False, problems=())
    """
    for line in text.splitlines():
        match = _CALL.match(line)
        if match is None:
            continue
        module, argument = match["module"].lower(), match["argument"].strip(" \t*_`")
        if module == _END:
            return Call(is_end=True)
        return Call(module, argument, problems=() if argument else (f"[{module}] is called with nothing",))
    return Call(problems=("no [module] is called" if text.strip() else "the reply is empty",))


def parse_titled(argument: str) -> Titled:
    """Reads `Titles: ["A", "B"]. Question: Who?`; the list need not be JSON, and may be empty.

    >>> parse_titled("Titles: ['A', 'B']. Question: Who?")
    Titled(titles=('A', 'B'), question='Who?', problems=())
    """
    start = argument.find("[")
    if start < 0:
        return Titled((), _behind(argument), ("no list of titles is given",))
    end = _end_of_list(argument, start)
    return Titled(tuple(_distinct(_items(argument[start:end]))), _behind(argument[end:]))


def parse_answers(text: str) -> Answered:
    """Reads a JSON answer in any layout: an object or a bare list, in text or a fence, with other quotation marks, or cut off.

    An empty answer is valid (the module found nothing). A reply without a list and without a key is a problem.

    >>> parse_answers('{"titles": ["Vienna"], "answer": ["the Danube"]}')
    Answered(titles=('Vienna',), answers=('the Danube',), problems=())
    """
    values = list(json_values(text))
    for value in values:
        if isinstance(value, dict):
            read = {key.lower().rstrip("s"): tuple(_distinct(_texts(inner))) for key, inner in value.items()}
            if "answer" in read:
                return Answered(read.get("title", ()), read["answer"])
    begun = _BARE_LIST.match(text)
    if begun is not None:
        start = begun.end() - 1
        return Answered((), tuple(_distinct(_items(text[start : _end_of_list(text, start)]))))
    keyed = _by_keys(text[:_LONGEST])
    if "answer" in keyed:
        return Answered(keyed.get("title", ()), keyed["answer"])
    for value in values:
        if "title" not in keyed and isinstance(value, list) and any(isinstance(item, str) for item in value):
            return Answered((), tuple(_distinct(_texts(value))))
    return Answered((), (), ("no JSON with an answer is in the reply" if text.strip() else "the reply is empty",))


def _by_keys(text: str) -> dict[str, tuple[str, ...]]:
    """The values of a text that looks like an object but is not JSON."""
    found: dict[str, tuple[str, ...]] = {}
    for match in _KEY.finditer(text):
        rest = text[match.end() :].lstrip(" \t\n*_`")
        found.setdefault(match["key"].lower().rstrip("s"), tuple(_distinct(_value(rest))))
    return found


def _value(text: str) -> Iterator[str]:
    """Yields the texts of the value at the start of a text: a list, a quotation, or words up to the end of the line."""
    if text.startswith("["):
        yield from _items(text[: _end_of_list(text, 0)])
    elif match := _QUOTED.match(text):
        yield next(filter(None, match.groups()), "")
    else:
        yield re.split(r"[\n}]", text, maxsplit=1)[0].strip(" ,\"'`*")


def _end_of_list(text: str, start: int) -> int:
    """The end of the list that starts at a position, one past its bracket; the end of the text if the list was cut off."""
    for value, length in _json_list(text[start:]):
        if isinstance(value, list):
            return start + length
    position = start + 1
    while position < min(len(text), start + _LONGEST):
        quoted = _QUOTED.match(text, position, start + _LONGEST)
        if quoted is not None:
            position = quoted.end()
        elif text[position] == "]":
            return position + 1
        else:
            position += 1
    # A quotation mark that is never closed hides the bracket: then the first bracket before the question ends the list.
    question = _QUESTION.search(text, start)
    closed = text.find("]", start, question.start() + 1 if question else len(text))
    return closed + 1 if closed >= 0 else question.start() if question else len(text)


def _json_list(text: str) -> Iterator[tuple[Any, int]]:
    try:
        yield json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return


def _items(text: str) -> Iterator[str]:
    """Yields the texts of a list with its brackets: from JSON, else its quotations, else the parts between its commas."""
    for value, _ in _json_list(text):
        yield from _texts(value)
        return
    inner = text[:_LONGEST].strip().removeprefix("[").removesuffix("]")
    quoted = list(_QUOTED.finditer(inner))
    if quoted:
        for match in quoted:
            yield next(filter(None, match.groups()), "")
    else:
        yield from (part.strip(f" \t{QUOTATION_MARKS}") for part in _SEPARATOR.split(inner))


def _texts(value: Any, depth: int = 2) -> Iterator[str]:
    match value:
        case bool():
            yield "yes" if value else "no"
        case str():
            yield value
        case int() | float():
            yield str(value)
        case list() if depth:
            for item in value:
                yield from _texts(item, depth - 1)
        case _:
            pass


def _distinct(texts: Iterator[str]) -> Iterator[str]:
    """The non-empty texts, each once, on one line."""
    seen: set[str] = set()
    for text in texts:
        line = " ".join(whole(text).split())
        if any(char.isalnum() for char in line) and line not in seen:
            seen.add(line)
            yield line


def _behind(text: str) -> str:
    match = _QUESTION.search(text)
    return short_form(text[match.end() :]) if match else ""
