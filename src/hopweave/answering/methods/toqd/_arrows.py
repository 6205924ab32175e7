"""Parses the arrows of a topology graph (ToQD's Construct) in any layout, and repairs invalid graphs.

`1 -> 2 -> Q` says that the answer to sub-question 1 helps with 2, and that with the main question Q, which is node 0.

Models write `1, 2 -> 3`, `1 and 2 -> 3`, `Q1 → Q2`, `2 <- 1`, arrows between the words of the questions, JSON. The result is
always a graph without cycles in which every sub-question leads to Q; repairs are reported, never raised.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hopweave.answering.parsing.numbered import json_values
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.matching import normalize_answer

MAIN = 0

_ARROW = r"(?:<?[-–—=~]{1,4}(?:>|&gt;)|[→⇒⟶⟹➔➜➝➞➡↦]\ufe0f?|\\(?:right|Right|long)?(?:rightarrow|to)\b|(?<!-)-++\|[^|\n]*+\|>?)"
_BACK = r"(?:<[-–—=]{1,4}(?!>)|[←⇐⟵]\ufe0f?)"
_ARROWS = lazy_pattern(rf" ?(?:(?P<back>{_BACK})|{_ARROW}) ?")  # on lines whose white space is folded
_WRAPPED = lazy_pattern(rf"\n(?={_ARROW}|{_BACK})|(?<=[>→⇒])\n")
_DOWN = lazy_pattern(r"\n[↓⇓]\n")
_ASIDE = lazy_pattern(r"[(\[{]([^()\[\]{}\n]{3,400})[)\]}]")
_DRESS = lazy_pattern(r"[*`\"“”'{}()\[\]<>$\\]|__")

_MAIN_NAME = (
    r"(?:the\s+)?(?:main|original|final|overall|root)\s+(?:question|answer|query|problem|q)\b|\bQ\b(?![\s_.#-]*\d)|\bmain\b"
)
_LABEL = r"(?:(?:the\s+)?(?:answers?\s+(?:to|of)\s+)?(?:sub[\s-]?)?(?:questions?|quer(?:y|ies)|nodes?|steps?)|sub|sq|q|s|n)"
_ONE = rf"(?:{_MAIN_NAME}|{_LABEL}?[\s_.#-]*+(?<!\d)\d{{1,4}}(?!\d)(?:\s*[-–]\s*\d{{1,4}}(?!\d))?)"
_JOIN = r"\s*(?:,?\s*(?:and|or)\b|[,&+/])\s*"
_LIST = lazy_pattern(rf"(?:{_ONE})(?:{_JOIN}(?:{_ONE}))*", re.IGNORECASE)
_LIST_WITHIN = lazy_pattern(
    # It begins with a number or a word for one, not with the text between the two, so a long run of that is scanned once.
    rf"(?<![^\W_])(?<!\.)(?=\d|{_LABEL}|{_MAIN_NAME})(?:{_ONE})(?:{_JOIN}(?:{_ONE}))*",
    re.IGNORECASE,
)
_MEMBER = lazy_pattern(rf"(?P<main>{_MAIN_NAME})|(?P<first>\d{{1,4}})(?:\s*[-–]\s*(?P<last>\d{{1,4}}))?", re.IGNORECASE)
_ENUMERATED = lazy_pattern(rf"^(?:[-*•·+–][ \t]+)?(?:\d{{1,2}}[.)]\s+(?=(?:{_ONE})(?:{_JOIN}(?:{_ONE}))*\s*$))?", re.IGNORECASE)
_COMMA = lazy_pattern(r"\s*,\s*|\s+(?:and|&)\s+", re.IGNORECASE)

_NUMBERS = r"\d{1,2}(?!\d)(?:(?:\s*,\s*|\s*,?\s*(?:and|or|&)\s+)#?\d{1,2}(?![\w.]\w))*"
_REFERENCE = lazy_pattern(
    rf"\b(?:answers?|results?)\s+(?:(?:to|of|from|for|in)\s+)?(?:the\s+)?(?:(?:sub[\s-]?)?(?:questions?|quer(?:y|ies))|steps?|nodes?)?"
    rf"\s*[#(\[]?{_NUMBERS}(?!\w|[.,]\d)|\bsub[\s-]?questions?\s+#?{_NUMBERS}(?!\w)|\b(?:from|in|of|by|to)\s+(?:question|step|node)s?\s+#?{_NUMBERS}(?!\w)"
    rf"|(?<!\w)#{_NUMBERS}(?!\w)|\[\s*(?:answer|query|question|q)?\s*#?{_NUMBERS}\s*\]|\bQ\d{{1,2}}(?!\w|\s+(?:of\s+)?[12]\d{{3}})",
    re.IGNORECASE,
)

_FROM_KEYS = ("from", "source", "src", "start", "tail", "before")
_TO_KEYS = ("to", "target", "dst", "end", "head", "after")


@dataclass(frozen=True, slots=True)
class Arrows:
    """A graph over the sub-questions 1 to n and the main question, 0.

    Attributes:
        edges: from, to; sorted. Without cycles, and every sub-question leads to 0.
        repairs: one line for each thing that was repaired, in the order of the rules.
        problems: one line for each thing that could not be read.
    """

    edges: tuple[tuple[int, int], ...]
    repairs: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def parse_arrows(text: str, sub_questions: Sequence[str], question: str = "") -> Arrows:
    """Reads a graph. Any text is accepted.

    Args:
        text: the model's words.
        sub_questions: the sub-questions, numbered from 1 in this order; a node may be named by its words.
        question: the main question, which may also be named by its words.

    The rules by which it is repaired, in this order:

    1. A sub-question that refers to another ("the answer to 1", `#1`) has an arrow from it, whether or not one was drawn.
    2. An arrow to or from an unknown number, or words that are not a question, is dropped.
    3. An arrow out of the main question, or from a node to itself, is dropped.
    4. An arrow that would close a cycle with earlier ones is dropped.
    5. If no arrow was drawn, the sub-questions form a chain, 1 -> 2 -> ... -> Q, unless one refers to a later one.
    6. A node that leads nowhere, or is in no arrow, gets an arrow to Q.
    """
    repairing = _Repairing(len(sub_questions))
    for end, sub_question in enumerate(sub_questions, start=1):
        for start in references_in(sub_question, len(sub_questions)):
            repairing.refer(start, end)
    names = {normalize_answer(name): number for number, name in enumerate(sub_questions, start=1)}
    names.setdefault(normalize_answer(question), MAIN)
    names.pop("", None)
    found = list(_json_pairs(text)) or list(_written_pairs(text))
    for lefts, rights in found:
        starts, ends = repairing.nodes(lefts, names), repairing.nodes(rights, names)
        for start in starts:
            for end in ends:
                repairing.add(start, end)
    return repairing.finished(was_read=bool(found), is_empty=not text.strip())


def references_in(sub_question: str, num: int) -> tuple[int, ...]:
    """The numbers, from 1 to `num`, of other sub-questions whose answers a sub-question refers to.

    >>> references_in("Who is the mother of the answer to 1, and of #2?", 3)
    (1, 2)
    """
    line = " ".join(sub_question.split())  # long runs of white space would be read over and over
    found = [int(number) for match in _REFERENCE.finditer(line) for number in re.findall(r"\d+", match[0])]
    return tuple(sorted({number for number in found if 1 <= number <= num}))


def chain_of(num_nodes: int) -> tuple[tuple[int, int], ...]:
    """The edges of a chain, 1 -> 2 -> ... -> Q."""
    return tuple((node, node + 1 if node < num_nodes else MAIN) for node in range(1, num_nodes + 1))


def edges_text(edges: Iterable[tuple[int, int]]) -> str:
    """Edges on one line, such as `1 -> 2, 2 -> Q`."""
    return ", ".join(f"{start} -> {end or 'Q'}" for start, end in edges)


# -- repairing -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Repairing:
    num_nodes: int
    after: dict[int, set[int]] = field(default_factory=dict)
    referred: list[tuple[int, int]] = field(default_factory=list)
    drawn: set[tuple[int, int]] = field(default_factory=set)
    repairs: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def nodes(self, words: str, names: dict[str, int]) -> list[int]:
        read = _endpoint(words, names)
        if read is None:
            self._note(self.problems, f"{' '.join(words.split())[:80]!r} names no sub-question")
            return []
        for number in read:
            if number > self.num_nodes:
                self._note(self.repairs, f"there is no sub-question {number}")
        return [number for number in read if number <= self.num_nodes]

    def refer(self, start: int, end: int) -> None:
        """Adds the arrow that a reference implies, unless it is to itself or closes a cycle of references."""
        if start != end and not self._leads(end, start):
            self.after.setdefault(start, set()).add(end)
            self.referred.append((start, end))

    def add(self, start: int, end: int) -> None:
        arrow = f"{start or 'Q'} -> {end or 'Q'}"
        if start == MAIN:
            self._note(self.repairs, f"{arrow} leads out of the main question")
        elif start == end:
            self._note(self.repairs, f"{arrow} leads back to itself")
        elif end != MAIN and self._leads(end, start):
            self._note(self.repairs, f"{arrow} would close a cycle")
        else:
            self.after.setdefault(start, set()).add(end)
            self.drawn.add((start, end))

    def finished(self, *, was_read: bool, is_empty: bool) -> Arrows:
        if not was_read:
            self.problems.append("the reply is empty" if is_empty else "no arrow was found")
        if not self.drawn and self.num_nodes and all(start < end for start, end in self.referred):
            if self.num_nodes > 1:
                self.repairs.append("no arrow is left; the sub-questions form a chain")
            return Arrows(tuple(sorted(chain_of(self.num_nodes))), tuple(self.repairs), tuple(self.problems))
        for start, end in self.referred:
            if (start, end) not in self.drawn and self._leads_otherwise(start, end):
                self.after[start].discard(end)
            elif (start, end) not in self.drawn:
                self.repairs.append(f"{end} refers to the answer of {start}")
        pointed = {end for ends in self.after.values() for end in ends}
        for node in range(1, self.num_nodes + 1):
            if node not in self.after:
                self.repairs.append(f"{node} leads nowhere" if node in pointed else f"{node} stands in no arrow")
                self.after[node] = {MAIN}
        edges = sorted((start, end) for start, ends in self.after.items() for end in ends)
        return Arrows(tuple(edges), tuple(self.repairs), tuple(self.problems))

    def _leads(self, start: int, goal: int) -> bool:
        waiting, seen = [start], {start}
        while waiting:
            node = waiting.pop()
            if node == goal:
                return True
            fresh = self.after.get(node, set()) - seen
            seen |= fresh
            waiting += fresh
        return False

    def _leads_otherwise(self, start: int, goal: int) -> bool:
        """Whether another path leads there, without the arrow itself."""
        return any(
            other == goal or self._leads(other, goal) for other in self.after.get(start, set()) - {goal} if other != MAIN
        )

    @staticmethod
    def _note(where: list[str], line: str) -> None:
        if line not in where and len(where) < 20:
            where.append(line)


# -- reading what is written -------------------------------------------------------------------------------------------

_Pair = tuple[str, str]


def _written_pairs(text: str) -> Iterator[_Pair]:
    lines = "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
    text = _ASIDE.sub(_without_aside, _WRAPPED.sub(" ", _DOWN.sub(" -> ", lines)))
    for line in re.split(r"[\n;]", text):
        if _ARROWS.search(line):
            yield from _pairs_of(line)


def _without_aside(match: re.Match[str]) -> str:
    """Brackets with words in them explain a node, and are removed; those around a list of nodes are kept."""
    inner = match[1].strip()
    return match[0] if _LIST.fullmatch(inner) or not re.search(r"[^\W\d_]{2}", inner) else " "


def _pairs_of(line: str) -> Iterator[_Pair]:
    """The arrows of a line. A comma joins nodes if possible, and separates arrows if that reading makes no sense."""
    pieces = _COMMA.split(line)
    nums_arrows = [len(_ARROWS.findall(piece)) for piece in pieces]
    is_list = len(pieces) > 1 and all(num == 1 for num in nums_arrows)
    whole = list(_linked(line))
    if is_list and (len(pieces) > 2 or _contradicts_itself(whole)):
        for piece in pieces:
            yield from _linked(piece)
    else:
        yield from whole


def _linked(statement: str) -> Iterator[_Pair]:
    """The pairs along `a -> b -> c`. Since nothing leads out of Q, a new statement begins after a Q in the list."""
    matches = list(_ARROWS.finditer(statement))
    ends = [0, *(match.end() for match in matches)]
    starts = [*(match.start() for match in matches), len(statement)]
    parts = [statement[start:end] for start, end in zip(ends, starts, strict=True)]
    for position, match in enumerate(matches):
        left, right = parts[position], parts[position + 1]
        is_first, is_last = position == 0, position == len(matches) - 1
        left = left if is_first else _behind_main(left)
        right = right if is_last else _up_to_main(right)
        yield (right, left) if match["back"] else (left, right)


def _up_to_main(words: str) -> str:
    match = re.match(rf".*?(?:{_MAIN_NAME})", words, re.IGNORECASE)
    return match[0] if match and words[match.end() :].strip(" ,;.") else words


def _behind_main(words: str) -> str:
    match = re.match(rf".*?(?:{_MAIN_NAME})", words, re.IGNORECASE)
    rest = words[match.end() :].strip(" ,;.") if match else ""
    return rest or words


def _contradicts_itself(pairs: Sequence[_Pair]) -> bool:
    """Whether a pair leads from a node to itself."""
    for left, right in pairs:
        starts, ends = _endpoint(left, {}), _endpoint(right, {})
        if starts and ends and set(starts) & set(ends):
            return True
    return False


def _endpoint(words: str, names: dict[str, int]) -> list[int] | None:
    """The nodes that some words name, each once; `None` if they name none.

    These are a list of numbers at the beginning (the rest explains it), else the words of a question, else a list of numbers
    at the end.
    """
    plain = " ".join(_DRESS.sub(" ", words).split()).strip(" .:;,-|")
    named = names.get(normalize_answer(plain))
    if named is not None:
        return [named]
    plain = _ENUMERATED.sub("", plain, count=1)
    match = _LIST.match(plain)
    if match is not None and not re.match(r"[\w%]|[.,]\d", plain[match.end() :]):
        return _members(match[0])
    alike = _by_words(plain, names)
    if alike is not None:
        return [alike]
    last = max(_LIST_WITHIN.finditer(plain), key=lambda match: match.end(), default=None)
    return _members(last[0]) if last and not plain[last.end() :].strip(" .:;,") else None


def _members(listed: str) -> list[int]:
    found: list[int] = []
    for match in _MEMBER.finditer(listed):
        if match["main"]:
            found.append(MAIN)
        else:
            first, last = int(match["first"]), int(match["last"] or match["first"])
            found += range(first, last + 1) if first <= last <= first + 99 else (first, last)
    return list(dict.fromkeys(found))


def _by_words(plain: str, names: dict[str, int]) -> int | None:
    """The question that contains these words, or that they contain, if there is only one; three words at least."""
    words = f" {normalize_answer(plain)} "
    if len(words.split()) < 3:
        return None
    alike = {
        number for name, number in names.items() if len(name.split()) > 2 and (f" {name} " in words or words in f" {name} ")
    }
    return alike.pop() if len(alike) == 1 else None


# -- reading JSON ------------------------------------------------------------------------------------------------------


def _json_pairs(text: str) -> Iterator[_Pair]:
    for value in json_values(text):
        yield from _pairs_in(value, 0)


def _pairs_in(value: Any, depth: int) -> Iterator[_Pair]:
    if depth > 6:
        return
    match value:
        case str() if _ARROWS.search(value):
            yield from _written_pairs(value)
        case [str() | int() as left, str() | int() as right] if not _ARROWS.search(f"{left}{right}"):
            yield str(left), str(right)
        case list():
            for item in value:
                yield from _pairs_in(item, depth + 1)
        case dict():
            yield from _pairs_of_object(value, depth)
        case _:
            pass


def _pairs_of_object(value: dict[str, Any], depth: int) -> Iterator[_Pair]:
    lower = {str(key).lower(): item for key, item in value.items()}
    left = next((lower[key] for key in _FROM_KEYS if key in lower), None)
    right = next((lower[key] for key in _TO_KEYS if key in lower), None)
    if left is not None and right is not None:
        yield _joined(left), _joined(right)
        return
    for key, item in value.items():
        if _LIST.fullmatch(key.strip()) and isinstance(item, str | int | list):
            yield from ((key, _joined(end)) for end in (item if isinstance(item, list) else [item]) if end != [])
        else:
            yield from _pairs_in(item, depth + 1)


def _joined(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
