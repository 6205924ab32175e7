"""Parses a Chain-of-Query (SearChain, section 3.2) in any layout that models use.

The requested form is

    [Query 1]: a query
    [Answer 1]: its answer
    [Unsolved Query]: a query without an answer
    [Final Content]: the whole answer

Models write `[Query 1] :`, `**Query 1:**`, `### Final Content`, an answer on its query's line, all queries before all answers,
an unsolved query after the same query, brackets inside a query. Each query is still paired with its own answer and flag.
Anything that could not be parsed is reported in `Chain.problems`, never dropped silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, takewhile
from typing import NamedTuple

from hopweave.answering.methods.searchain._restated import unstated
from hopweave.answering.parsing.lines import with_line_feeds
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import LINE_OPENING
from hopweave.text.matching import normalize_answer
from hopweave.text.quotation import QUOTATION_MARKS, unquoted
from hopweave.text.refusal import does_not_know

# Every repetition is possessive (`*+`): a run of blanks, stars or digits is read once, so no text takes more than linear time.
_EMPHASIS = r"[ \t*_`]*+"
_FINAL_NAME = r"final[ \t]++(?:content|answer)"
_NAME = (
    rf"(?P<word_{{0}}>unsolved(?:[ \t]++(?:query|question))?+|{_FINAL_NAME}|query|question|answer)"
    r"[ \t#_-]*+(?P<number_{0}>\d++)?+"
)
# A name that fills its line needs neither brackets nor a colon. In small letters and without Markdown, the line is part of a
# sentence that is wrapped there.
_HEADING = (
    rf"^{LINE_OPENING}(?:\d++[.)]{LINE_OPENING})?+(?:(?<=[#*_])|(?<=[#*_][ \t])|(?=(?-i:[A-Z])))(?:{{0}})[ \t\r*_`#|-]*+$"
)
FINAL_HEADING = _HEADING.format(_FINAL_NAME)
"""Such as `### Final Content`; for a pattern that ignores case and in which `^` begins a line."""
_FINAL_ALONE = lazy_pattern(FINAL_HEADING, re.IGNORECASE | re.MULTILINE)
_MARKER = lazy_pattern(
    _HEADING.format(rf"(?P<word_alone>unsolved[ \t]++(?:query|question)|{_FINAL_NAME})") + "|"
    # At the start of a line, brackets are optional, and so is the colon after brackets or after a number that ends the line.
    rf"(?:^{LINE_OPENING}(?:\d++[.)]{LINE_OPENING})?+(?P<bracket>\[)?+{_EMPHASIS}{_NAME.format('line')}{_EMPHASIS}"
    rf"(?(bracket)(?::?+{_EMPHASIS}\][*_`]*+(?:[ \t]*+:|[ \t]++[-–—]++(?=\s))?+|:)|(?::|(?(number_line)$|(?!))))"
    # Inside a line, brackets and a colon are required; otherwise it is a word of the text.
    rf"|(?<!\*)\**+\[{_EMPHASIS}{_NAME.format('inner')}{_EMPHASIS}(?::{_EMPHASIS}\]|\][*_`]*+[ \t]*+:))"
    r"[*_`]*+",
    re.IGNORECASE | re.MULTILINE,
)
_ECHO = lazy_pattern(
    r"\W*+(?:if you (?:don.t|do not|are not|aren.t|know)\b.*|instruction\s*+:.*|please stop\b.*|and stop there\.?"
    r"|example\s*+\d*+\s*+:?)",
    re.IGNORECASE,
)
_PARAGRAPHS = lazy_pattern(r"\n[ \t]*+\n\s*+")
_LISTED = lazy_pattern(r"\s*+(?:[-*•]|\d{1,2}[.)])\s")
_SENTENCE_ENDS = (".", "!", "?", ":", ";", '."', ".”", ".)")
_FEWEST_WORDS = 4
_TALK = lazy_pattern(
    r"(?:i|we)\s+(?:hope|think|am|have|will|can|need|would)\b|i['’](?:m|ve|ll|d)\b|let(?:['’]s|\s+(?:me|us))\b|note\b|please\b|if\s+you\b"
    r"|(?:now|next|then|finally|so|thus|therefore)\b|feel\s+free\b|would\s+you\b|do\s+you\b|is\s+there\b|sure\b|okay\b|thank"
    r"|(?:this|that|the)\s+(?:is\s+the\s+(?:end|chain|final)|chain|concludes|completes|next\s+(?:query|step))",
    re.IGNORECASE,
)
_QUESTION_MARKS = ("?", "？", "؟")
_WORD = lazy_pattern(r"[^\W_]")
_FLAG = lazy_pattern(r"[\[(][ \t*_`]*+unsolved(?:[ \t]++(?:query|question))?+[ \t*_`]*+[\])][*_`.]*+$", re.IGNORECASE)
_CUT_MARKER = lazy_pattern(rf"\n{LINE_OPENING}\[(?:(?=\D)|\Z)[^\]:\n]*+\Z")
_CUT = {"answer": "the last answer", "final": "the final content", "marker": "the last marker"}
_MARKS_AROUND = "*_`[]() \n" + QUOTATION_MARKS
_MOST_QUERIES = 200  # of a chain; each answer is compared with all of them
_REFERENCE = lazy_pattern(r"\[\s*+answer\s*+(\d++)\s*+\]", re.IGNORECASE)


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
        nodes: in the order written, numbered from 1.
        final: the text of `[Final Content]`; empty if there is none.
        problems: one line for each thing that could not be read.
        is_ended: whether it has a `[Final Content]`, with or without a text, or is nothing but one under a heading.
    """

    nodes: tuple[ChainNode, ...]
    final: str
    problems: tuple[str, ...]
    is_ended: bool = False


def parse_chain(text: str, *, is_whole: bool = True) -> Chain:
    """Reads a chain. Any text is accepted; one without a query gives a chain without nodes, and a problem.

    - A query ends with the first line that ends with a question mark, else before a line of talk such as "I do not know ...".
      Whatever else its paragraph says is left out, which is a problem.
    - A flag `[Unsolved Query]` marks the query with the same words or the same number if there is one, else it is a new query.
      At the end of a query, it marks that one.
    - An answer goes to the open query of its number; without a number, a row of answers goes to the last open queries in
      order; with a number that no open query has, to the query just before it. It never goes to another query.
    - An answer that only says that the model does not know is ignored, and its query is unsolved.
    - The text after `[Final Content]` belongs to it, up to a line that begins a query or an example.
    - An answer that consists of sentences continues in the next paragraph, up to talk such as "I hope ...".
    - `[Answer 1]` inside a later query is replaced by what that answer adds to its own query (`_restated`), since a query
      goes to a search engine.

    Args:
        text: a reply, with what it continues.
        is_whole: whether the model ended it. What was cut off is a problem; a query of which only a part is there is left out.
    """
    plain = with_line_feeds(text)
    pieces = _pieces(plain) if is_whole else _cut_pieces(plain)
    draft = _Drafts()
    if not pieces:
        draft.problems.append("no marker such as [Query 1]: was found" if text.strip() else "the reply is empty")
    final = ""
    for piece, num_alike in zip(pieces, _nums_alike(pieces), strict=True):
        if len(draft.queries) >= _MOST_QUERIES and piece.kind in {"query", "unsolved"}:
            draft.problems.append(f"there are more than {_MOST_QUERIES} queries; the rest is left out")
            break
        if piece.kind == "end" and (draft.queries or final):
            draft.problems.append("another example or chain begins; the rest is left out")
            break
        if piece.kind == "final":
            final = piece.body
        draft.add(piece, num_alike)
    nodes = draft.finished()
    if pieces and not nodes:
        draft.problems.append("no query was found")
    is_ended = any(piece.kind == "final" for piece in pieces) or (not pieces and _FINAL_ALONE.search(plain) is not None)
    return Chain(nodes, final, tuple(draft.problems), is_ended)


def render_nodes(nodes: Iterable[ChainNode]) -> str:
    """Nodes in the requested form, a line each for a query and an answer, as `parse_chain` reads them back."""
    lines = []
    for node in nodes:
        query, answer = (" ".join(text.split()) for text in (node.query, node.answer))
        if node.is_unsolved:
            lines.append(f"[Unsolved Query]: {query}")
        else:
            lines += [f"[Query {node.number}]: {query}", f"[Answer {node.number}]: {answer}"]
    return "\n".join(lines)


# -- finding the pieces ------------------------------------------------------------------------------------------------


class _Piece(NamedTuple):
    """A marker and the text after it.

    Attributes:
        kind: `query`, `unsolved`, `answer`, `final`, `end` where an example begins, and `marker` where the reply ends in one.
        number: of the marker.
        body: the text, as far as it belongs to the marker.
        is_flagged: whether a query ends with `[Unsolved Query]`.
        has_more: whether a query's paragraph says more.
        is_cut: whether the reply was cut off in it.
    """

    kind: str
    number: int | None = None
    body: str = ""
    is_flagged: bool = False
    has_more: bool = False
    is_cut: bool = False


def _pieces(text: str) -> list[_Piece]:
    # Before the chain has begun, a name alone on its line heads something else, such as a passage that the model repeats.
    found = list(dropwhile(lambda match: match["word_alone"], _MARKER.finditer(text)))
    kinds = [_kind(match) for match in found]
    pieces: list[_Piece] = []
    for index, (match, kind) in enumerate(zip(found, kinds, strict=True)):
        if kind == "final":
            later = zip(found[index + 1 :], kinds[index + 1 :], strict=True)
            after = next((other for other, begins in later if other["word_line"] and begins not in {"answer", "final"}), None)
            pieces.append(_Piece(kind, None, _lines_of(text[match.end() : after.start() if after else len(text)])))
            if after:
                pieces.append(_Piece("end"))
            break
        end = found[index + 1].start() if index + 1 < len(found) else len(text)
        digits = match["number_line"] or match["number_inner"] or ""
        number = int(digits) if 0 < len(digits) < 6 else None
        body = text[match.end() : end]
        pieces.append(_Piece(kind, number, _answer_in(body)) if kind == "answer" else _Piece(kind, number, *_query_in(body)))
    return pieces


def _cut_pieces(text: str) -> list[_Piece]:
    """The pieces of a reply that was cut off: in its last marker, in what that stands before, or in what belongs to neither."""
    cut = _CUT_MARKER.search(text)
    if cut:
        return [*_pieces(text[: cut.start()]), _Piece("marker", is_cut=True)]
    pieces = _pieces(text)
    if pieces and not pieces[-1].has_more and _is_at_end(pieces[-1].body, text):
        pieces[-1] = pieces[-1]._replace(is_cut=pieces[-1].kind != "end")
    return pieces


def _is_at_end(body: str, text: str) -> bool:
    """Whether a body ends where the text ends, or is empty."""
    words = body.rstrip(_MARKS_AROUND).split()
    return not words or text.rstrip(_MARKS_AROUND).endswith(words[-1])


def _kind(match: re.Match[str]) -> str:
    word = (match["word_alone"] or match["word_line"] or match["word_inner"]).lower()
    if word == "question":  # the task's own question has no number
        return "query" if match["number_line"] or match["number_inner"] else "end"
    return word.split()[0]


def _nums_alike(pieces: Sequence[_Piece]) -> list[int]:
    """For each piece, how many consecutive pieces from it on are answers with the same number."""
    nums = [1] * len(pieces)
    for index in range(len(pieces) - 2, -1, -1):
        if pieces[index].kind == pieces[index + 1].kind == "answer" and pieces[index].number == pieces[index + 1].number:
            nums[index] += nums[index + 1]
    return nums


def _lines_of(body: str) -> str:
    return _plain("\n".join(line for line in (line.strip() for line in body.split("\n")) if not _is_no_content(line)))


def _first_paragraph(body: str) -> list[str]:
    """The lines of the first paragraph: anything after an empty line, or the echo of an instruction, is talk."""
    lines = dropwhile(_is_no_content, (line.strip() for line in body.split("\n")))
    return list(takewhile(lambda line: not _is_no_content(line), lines))


def _first_lines(body: str) -> str:
    return _bare(" ".join(_first_paragraph(body)))


def _bare(joined: str) -> str:
    """Joined lines without marks around all of them."""
    if joined.endswith("]") and joined.count("[") < joined.count("]"):  # [Query 1: the query]
        joined = joined[:-1]
    return unquoted(_plain(joined))


def _query_in(body: str) -> tuple[str, bool, bool]:
    """The query in the first paragraph, whether a flag ends it, and whether the paragraph says more.

    A query that is wrapped goes on in the next line, up to a question mark or a line of talk.
    """
    lines = _first_paragraph(body)
    kept: list[str] = []
    flag = None
    for line in lines:
        if kept and _is_talk(line):
            break
        flag = _FLAG.search(line)
        kept.append(line[: flag.start()].rstrip() if flag else line)
        if flag or _bare(line).rstrip("_").endswith(_QUESTION_MARKS):
            break
    return _bare(" ".join(kept)), flag is not None, any(map(_WORD.search, lines[len(kept) :]))


def _is_talk(line: str) -> bool:
    """Whether a line below a query is about the chain. One in small letters, or with a question mark, is the query's rest."""
    said = line.lstrip("(-*•–— ")
    is_rest = said[:1].islower() or line.endswith(_QUESTION_MARKS)
    return not is_rest and (_TALK.match(said) is not None or does_not_know(said))


def _answer_in(body: str) -> str:
    """The first paragraph and, if it consists of sentences, those after it, up to an echo or talk."""
    first, *others = _PARAGRAPHS.split(body.strip())
    said = _first_lines(first)
    for paragraph in others:
        is_listed = _LISTED.match(paragraph) is not None
        goes_on = is_listed or (said.endswith(_SENTENCE_ENDS) and len(said.split()) >= _FEWEST_WORDS)
        more = _first_lines(paragraph)
        if said and (not goes_on or not more or _TALK.match(more)):
            break
        said = f"{said} {more}".strip()
        if any(map(_is_no_content, paragraph.split("\n"))):
            break
    return said


def _plain(text: str) -> str:
    """The text without emphasis around all of it (or only one of the two signs, if the other is at the marker)."""
    inner = text.strip("*` \n")
    return text.strip() if "*" in inner or "`" in inner else inner


def _is_no_content(line: str) -> bool:
    return not line or _ECHO.fullmatch(line) is not None


# -- pairing queries with answers --------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Draft:
    number: int
    query: str
    answer: str = ""
    is_unsolved: bool = False


@dataclass(slots=True)
class _Drafts:
    """The nodes as they grow. A query without words keeps its place, so that its answer goes to no other query."""

    queries: list[_Draft] = field(default_factory=list)
    by_words: dict[str, _Draft] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def add(self, piece: _Piece, num_alike: int) -> None:
        """Adds a piece; a query that was cut off is only reported, since a part of one would be searched for."""
        if piece.is_cut:
            self.problems.append(f"{_CUT.get(piece.kind, 'the last query')} is cut off at max_tokens")
        if piece.kind == "answer":
            self.add_answer(piece.number, piece.body, num_alike)
        elif piece.kind == "query" and not piece.is_cut:
            self.add_query(piece.number, piece.body, is_unsolved=piece.is_flagged)
        elif piece.kind == "unsolved" and not piece.is_cut:
            self.add_unsolved(piece.number, piece.body)
        if piece.has_more:
            what = f"query {self.queries[-1].number}" if piece.kind == "query" else "an unsolved query"
            self.problems.append(f"what stands below {what} is no part of it, and is left out")

    def add_query(self, number: int | None, query: str, *, is_unsolved: bool = False) -> None:
        draft = _Draft(len(self.queries) + 1 if number is None else number, query, is_unsolved=is_unsolved)
        self.queries.append(draft)
        if words := normalize_answer(query):
            self.by_words[words] = draft
        if not query:
            self.problems.append(f"query {draft.number} has no words")

    def add_unsolved(self, number: int | None, query: str) -> None:
        last = self.queries[-1] if self.queries else None
        same = self.by_words.get(normalize_answer(query))
        if same is None and last is not None and not last.answer and (not query or last.number == number):
            same = last
            same.query = query or same.query
        if same is not None:
            same.is_unsolved = True
        elif query:
            self.add_query(number, query, is_unsolved=True)
        else:
            self.problems.append("an unsolved query has no words")

    def add_answer(self, number: int | None, answer: str, num_alike: int) -> None:
        owner = self._owner(number, num_alike)
        if owner is not None:
            owner.answer = answer
        else:
            self.problems.append(f"{'an answer' if number is None else f'answer {number}'} belongs to no query")

    def _owner(self, number: int | None, num_alike: int) -> _Draft | None:
        alike = [draft for draft in self.queries if not draft.answer and number in {None, draft.number}]
        if alike:
            return alike[-min(num_alike, len(alike))]
        last = self.queries[-1] if self.queries else None
        return last if last is not None and not last.answer else None

    def finished(self) -> tuple[ChainNode, ...]:
        nodes: list[ChainNode] = []
        answered: dict[int, _Draft] = {}
        for draft in self.queries:
            if not draft.query:
                continue
            answer = "" if does_not_know(draft.answer) else draft.answer
            if not draft.answer and not draft.is_unsolved:
                self.problems.append(f"query {draft.number} has neither an answer nor a flag; it counts as unsolved")
            query = _with_answers(draft.query, answered)
            nodes.append(ChainNode(len(nodes) + 1, query, answer, draft.is_unsolved or not answer))
            if answer:
                answered[draft.number] = draft
        return tuple(nodes)


def _with_answers(query: str, answered: Mapping[int, _Draft]) -> str:
    """Replaces `[Answer 1]` in a query by what that answer says, since the query is incomplete without it."""
    said: dict[int, str] = {}

    def answer(match: re.Match[str]) -> str:
        number = int(match[1][:6])
        if number in answered and number not in said:
            said[number] = unstated(answered[number].answer, answered[number].query)
        return said.get(number, match[0])

    return _REFERENCE.sub(answer, query)
