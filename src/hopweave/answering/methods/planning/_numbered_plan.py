"""Parses plans: the sub-questions that a decomposition names, and the answers in a solved plan.

A decomposition names its sub-questions in quotation marks (least-to-most), or as a list. A solved plan (plan-and-solve) is

    Plan:
    1. a sub-question
    Solution:
    1. its answer
    So the final answer is ...

Models number the two lists in various ways, repeat the sub-question before its answer, or omit a heading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.answering.parsing.numbered import Numbered, parse_numbered
from hopweave.core.lazy_pattern import lazy_pattern

_OPENS = lazy_pattern(
    r'(?:^|[:,;\[(]|[.?][ \t]|\band\b)[ \t]*+(?:(?:[-*•]|\d{1,2}[.)])[ \t]*+)?"', re.IGNORECASE | re.MULTILINE
)
# After a closing mark the list continues or ends; a mark around a title inside a sub-question is not one.
_CLOSES = lazy_pattern(r'"(?=[ \t]*+(?:[.,;\])]*+[ \t]*+(?:and[ \t]++)?(?:$|")|\.[ \t]|\())', re.IGNORECASE | re.MULTILINE)
_OPENS_AT_ONCE = lazy_pattern(r'[ \t]*+"')
_CURLY = str.maketrans("“”„‟", '""""')
_LEADS_IN = lazy_pattern(r"\bneed(?:s|ed)?\s+to\s+(?:know|ask|find\s+out)\b", re.IGNORECASE)

_DRESS = r"[ \t>*_#`]*+"
_PLAN = lazy_pattern(rf"^{_DRESS}plan{_DRESS}:{_DRESS}", re.IGNORECASE | re.MULTILINE)
_SOLUTION = lazy_pattern(rf"^{_DRESS}solutions?{_DRESS}:{_DRESS}", re.IGNORECASE | re.MULTILINE)
_FINAL = lazy_pattern(r"(?:\bso[ \t,]++)?\bthe[ \t]++final[ \t]++answer[ \t]++is\b", re.IGNORECASE)
_NUMBERED = lazy_pattern(
    r"^[ \t>*_#`•+-]*+(?:(?:step|answer|(?:sub[ \t-]?)?question)[ \t#]*+)?\(?(?P<number>\d{1,2})(?!\d)"
    r"[*_`]*+(?:[.):\]]++|[ \t]++[-–—](?=[ \t]))[*_`]*+(?:[ \t]++(?P<text>.*)|(?P<close>\D.*)?)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan as read.

    Attributes:
        items: its sub-questions; none if there is no plan.
        solution: the text after it, without the heading.
        problems: one line for each thing that could not be read.
    """

    items: tuple[str, ...]
    solution: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Solution:
    """The answers to a plan.

    Attributes:
        answers: one for each item of the plan, on one line; empty if there is none.
        closing: the text after the last of them.
        problems: one line for each thing that could not be read.
    """

    answers: tuple[str, ...]
    closing: str
    problems: tuple[str, ...]


def parse_sub_questions(text: str) -> Numbered:
    """Reads the sub-questions of a decomposition: the texts in quotation marks, else the items of a list.

    A quotation within a sub-question is part of it. If a reply repeats the question before it says what has to be known, only
    the rest is read.

    >>> parse_sub_questions('To answer it, we need to know: "Who wrote "Emma"?", "Where was she born?".').items
    ('Who wrote "Emma"?', 'Where was she born?')
    """
    behind = [match.end() for match in _LEADS_IN.finditer(text)]
    plain = text.translate(_CURLY)[behind[-1] if behind else 0 :]
    quoted = tuple(item for item in _quoted(plain) if any(char.isalnum() for char in item))
    return Numbered(quoted, ()) if quoted else parse_numbered(text[behind[-1] if behind else 0 :])


def parse_plan(text: str) -> Plan:
    """Reads a plan that is followed by its solution. Any text is accepted.

    Without a heading before the solution, the items of a list are a plan only if they are questions: a list of statements is
    reasoning.
    """
    heading = _SOLUTION.search(text)
    if heading is not None:
        items = parse_numbered(_PLAN.sub("", text[: heading.start()], count=1)).items
        solution = text[heading.end() :]
    else:
        end = _FINAL.search(text)
        cut = end.start() if end is not None else len(text)
        items = tuple(item for item in parse_numbered(_PLAN.sub("", text[:cut], count=1)).items if item.endswith("?"))
        solution = text[cut:]
    if items:
        return Plan(items, solution.strip(), ())
    return Plan((), text.strip(), ("no plan was written" if text.strip() else "the reply is empty",))


def parse_solution(text: str, items: Sequence[str]) -> Solution:
    """Reads the numbered answers to the items of a plan. Any text is accepted.

    An answer continues in lines without a number until the next number. The first answer under a number is used. An item that
    is repeated before its answer is ignored.
    """
    heading = _SOLUTION.match(text.strip())
    body = text.strip()[heading.end() if heading is not None else 0 :]
    final = _FINAL.search(body)
    end = final.start() if final is not None else len(body)
    found: dict[int, list[str]] = {}
    behind: list[str] = []
    last: list[str] | None = None
    number = 0
    for line in body[:end].splitlines():
        match = _NUMBERED.match(line)
        if match is not None:
            if last is not None:
                last += behind
            number, behind, last = int(match["number"]), [], [match["text"] or match["close"] or ""]
            found.setdefault(number, last)
        elif line.strip():
            behind.append(line.strip())
    if last is not None and behind and not _bare(last[0], items[number - 1] if 1 <= number <= len(items) else ""):
        last.append(behind.pop(0))  # the number, or the item, has a line of its own
    closing = " ".join([*behind, body[end:].strip()]).strip()
    answers = tuple(_bare(" ".join(found.get(number, ())), item) for number, item in enumerate(items, start=1))
    problems = [f"step {number} has no answer" for number, answer in enumerate(answers, start=1) if not answer]
    problems += [f"there is no step {number}" for number in sorted(found) if not 1 <= number <= len(items)]
    return Solution(answers, closing, tuple(problems))


def _quoted(text: str) -> list[str]:
    items: list[str] = []
    position = 0
    while (start := (items and _OPENS_AT_ONCE.match(text, position)) or _OPENS.search(text, position)) is not None:
        end = _CLOSES.search(text, start.end())
        if end is None:
            break
        items.append(" ".join(text[start.end() : end.start()].split()))
        position = end.end()
    return items


def _bare(answer: str, item: str) -> str:
    """An answer on one line, without emphasis and without the item that it answers."""
    line = " ".join(answer.replace("**", "").replace("__", "").split()).strip("*_` ")
    if line.casefold().startswith(item.casefold()):
        line = line[len(item) :].lstrip(" :=>–—-").strip("*_` ")
    return line if any(char.isalnum() for char in line) else ""
