"""Reads a Chain-of-Query (SearChain, section 3.2) however the model lays it out.

The form asked for is

    [Query 1]: a query
    [Answer 1]: its answer
    [Unsolved Query]: a query without an answer
    [Final Content]: the whole answer

Models write `[Query 1] :`, `**Query 1:**`, an answer on its query's line, all queries before all answers, an unsolved query
after the same query, brackets inside a query. Each query is paired with its own answer and flag all the same. What could not
be read is reported in `Chain.problems`, never dropped in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from hopweave.matching import normalize_answer

_DECORATION = r"[ \t>*_#`•-]*"
_WORD = r"(?P<{0}>unsolved\s+query|unsolved\s+question|unsolved|final\s+content|final\s+answer|query|answer|question)"
_MARKER = re.compile(
    # At the start of a line brackets may lack, the colon may lack after brackets, and Markdown may surround it all.
    rf"(?:^{_DECORATION}(?:\d+[.)][ \t]*)?{_DECORATION}"
    rf"(?:\[[ \t]*{_WORD.format('a')}[ \t]*(?P<na>\d+)?[ \t]*:?[ \t]*\]{_DECORATION}[ \t]*:?"
    rf"|{_WORD.format('b')}[ \t]*(?P<nb>\d+)?{_DECORATION}[ \t]*:)"
    # Inside a line it takes brackets and a colon, or else it is a word of the text.
    rf"|\[[ \t]*{_WORD.format('c')}[ \t]*(?P<nc>\d+)?[ \t]*\]\**[ \t]*:)"
    rf"[ \t]*\**[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_ECHO = re.compile(
    r"^\W*(?:if you (?:don.t|do not|are not|aren.t|know)\b.*|instruction\s*:.*|please stop\b.*|and stop there\.?)$", re.I
)
_REFERENCE = re.compile(r"\[\s*answer\s*(\d+)\s*\]", re.IGNORECASE)
_DOES_NOT_KNOW = re.compile(
    r"^(?:(?:i|we)(?: am| are|'m|'re)? (?:do not|don't|cannot|can't|not sure|unsure|unable).*"
    r"|(?:it is |it's |this is |the answer is |answer )?(?:unknown|unsolved|unsure|not known|not sure|not available"
    r"|not provided|not specified|not mentioned|not found|unanswered|unclear|n/?a|none|no answer|no information.*|\?+|-+|\.+)"
    r"(?:\W.*)?)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ChainNode:
    """One node: a query, the answer that the model gave to it, and whether it flagged the query as unsolved."""

    number: int
    query: str
    answer: str
    is_unsolved: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """A Chain-of-Query as read.

    Attributes:
        nodes: in the order written.
        final: the text of `[Final Content]`; empty if there is none.
        problems: one line for each thing that could not be read.
    """

    nodes: tuple[ChainNode, ...]
    final: str
    problems: tuple[str, ...]


@dataclass(slots=True)
class _Draft:
    number: int | None
    query: str
    answer: str = ""
    is_unsolved: bool = False


def parse_chain(text: str) -> Chain:
    """Reads a chain. Any text is accepted; one without a query gives a chain without nodes, and says so."""
    drafts: list[_Draft] = []
    problems: list[str] = []
    final = ""
    pieces = list(_pieces(text))
    if not pieces:
        problems.append("no marker such as [Query 1]: was found" if text.strip() else "the reply is empty")
    for kind, number, body in pieces:
        if kind == "question":
            if drafts:
                break  # the model has begun another example of its own
        elif kind == "final":
            final = body
            break
        elif kind == "query":
            _add_query(drafts, number, body, problems)
        elif kind == "unsolved":
            _add_unsolved(drafts, number, body, problems)
        else:
            _add_answer(drafts, number, body, problems)
    if pieces and not drafts:
        problems.append("no query was found")
    return Chain(tuple(_finished(drafts, problems)), final, tuple(problems))


def render_nodes(nodes: Iterable[ChainNode]) -> str:
    """Nodes in the form asked for, as `parse_chain` reads them back."""
    lines = []
    for node in nodes:
        if node.is_unsolved:
            lines.append(f"[Unsolved Query]: {node.query}")
        else:
            lines += [f"[Query {node.number}]: {node.query}", f"[Answer {node.number}]: {node.answer}"]
    return "\n".join(lines)


def _pieces(text: str) -> Iterable[tuple[str, int | None, str]]:
    found = list(_MARKER.finditer(text))
    for index, match in enumerate(found):
        word = (match["a"] or match["b"] or match["c"]).lower()
        digits = match["na"] or match["nb"] or match["nc"]
        kind = "unsolved" if word.startswith("unsolved") else "final" if word.startswith("final") else word
        # What follows the final content belongs to it, marks and all, unless a new line starts a marker.
        end = found[index + 1].start() if index + 1 < len(found) else len(text)
        if kind == "final":
            end = next((m.start() for m in found[index + 1 :] if m["c"] is None), len(text))
        number = int(digits) if digits and len(digits) < 6 else None
        yield kind, number, _cleaned(text[match.end() : end], keep_lines=kind == "final")
        if kind == "final":
            return


def _cleaned(body: str, *, keep_lines: bool) -> str:
    lines = [line.strip() for line in body.strip().split("\n") if not _ECHO.match(line.strip())]
    if not keep_lines:
        lines = lines[: lines.index("")] if "" in lines[1:] and lines[0] else lines
    joined = ("\n" if keep_lines else " ").join(line for line in lines if line)
    return joined.strip().strip("*`").strip()


def _unquoted(text: str) -> str:
    stripped = text.strip()
    if len(stripped) > 1 and stripped[0] in "\"'“‘" and stripped[-1] in "\"'”’":
        return stripped[1:-1].strip()
    return stripped


def _add_query(drafts: list[_Draft], number: int | None, body: str, problems: list[str]) -> None:
    query = _unquoted(body)
    if query:
        drafts.append(_Draft(number, query))
    else:
        problems.append(f"query {number or len(drafts) + 1} has no words")


def _add_unsolved(drafts: list[_Draft], number: int | None, body: str, problems: list[str]) -> None:
    query = _unquoted(body)
    last = drafts[-1] if drafts else None
    if last is not None and not last.answer and not last.is_unsolved:
        # The flag belongs to the query just written, whose words it may sharpen.
        last.is_unsolved = True
        last.query = query or last.query
    elif query and any(normalize_answer(draft.query) == normalize_answer(query) for draft in drafts):
        next(draft for draft in drafts if normalize_answer(draft.query) == normalize_answer(query)).is_unsolved = True
    elif query:
        drafts.append(_Draft(number, query, is_unsolved=True))
    else:
        problems.append("an unsolved query has no words")


def _add_answer(drafts: list[_Draft], number: int | None, body: str, problems: list[str]) -> None:
    open_drafts = [draft for draft in drafts if not draft.answer]
    named = [draft for draft in open_drafts if number is not None and draft.number == number]
    owner = named[0] if named else open_drafts[-1] if open_drafts else None
    if owner is None:
        problems.append(f"answer {number or ''} belongs to no query".replace("  ", " "))
    else:
        owner.answer = _unquoted(body)


def _finished(drafts: list[_Draft], problems: list[str]) -> Iterable[ChainNode]:
    nodes: list[ChainNode] = []
    for position, draft in enumerate(drafts, start=1):
        answer = "" if _DOES_NOT_KNOW.match(draft.answer) else draft.answer
        if not draft.answer and not draft.is_unsolved:
            problems.append(f"query {position} has neither an answer nor a flag; it counts as unsolved")
        node = ChainNode(position, draft.query, answer, draft.is_unsolved or not answer)
        nodes.append(replace(node, query=_with_answers(node.query, drafts)))
    return nodes


def _with_answers(query: str, drafts: list[_Draft]) -> str:
    """A query that says `[Answer 1]` is only self-contained with that answer in its place."""

    def answer(match: re.Match[str]) -> str:
        number = int(match[1]) if len(match[1]) < 6 else 0
        for position, draft in enumerate(drafts, start=1):
            if (draft.number or position) == number and draft.answer:
                return draft.answer
        return match[0]

    return _REFERENCE.sub(answer, query)
