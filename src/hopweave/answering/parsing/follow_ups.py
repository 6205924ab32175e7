"""Parses the follow-up questions of Self-Ask (Press et al. 2023), however the model decorates them.

The requested form is

    Follow up: a question
    Intermediate answer: its answer
    So the final answer is: the answer

Models write `**Follow up:**`, `Follow-up question 2:`, `1. Follow up:`, an answer on its question's line, a question on the
line below. A marker with a word joiner in it, as in passages in prompts (`prompt.escape`), is not a marker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from hopweave.answering.parsing.lines import with_line_feeds
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import LINE_OPENING
from hopweave.text.final import short_form
from hopweave.text.quotation import unquoted

Kind = Literal["follow_up", "intermediate", "final", "question"]

_EMPHASIS = r"[ \t*_`]*+"
_MARKER = lazy_pattern(
    # At the start of a line, decorated or not, or after the end of a sentence.
    rf"(?:^{LINE_OPENING}(?:\d++[.)]{LINE_OPENING})?+|(?<=[.?!:][ \t])[*_`]*+)"
    rf"(?:(?:(?P<follow_up>follow[ \t-]++up(?:[ \t]++questions?+)?+)|(?P<intermediate>intermediate[ \t]++answer)"
    rf"|(?P<question>question))[ \t#_-]*+\d*+{_EMPHASIS}:"
    rf"|(?P<final>(?:so,?+[ \t]++)?+(?:the[ \t]++)?+final[ \t]++answer(?:[ \t]++is\b{_EMPHASIS}:?+|{_EMPHASIS}:)))"
    r"[*_`]*+",
    re.IGNORECASE | re.MULTILINE,
)
_NEEDED = lazy_pattern(
    r"^[^\S\n]*+(?:are\s+follow[\s-]+up\s+questions\s+needed(?:\s+here)?\W*+)?+(?:yes|no)\b[.,:]?+", re.IGNORECASE
)
_NONE = lazy_pattern(
    r"\W*(?:none|n/?a|nothing|no(?:t)?(?: (?:more|further|needed|necessary|follow.{0,40}))?)\W*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A follow-up question and the intermediate answer that the model gave to it; empty if it gave none."""

    query: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class FollowUps:
    """What the model wrote, as read.

    Attributes:
        pairs: the follow-ups, in the order written.
        final: the words after the first `So the final answer is:` that has any; empty if none has.
        resumed: an intermediate answer before any follow-up: it belongs to a follow-up of an earlier reply.
        rest: all other lines.
        problems: one line for each thing that could not be read.
    """

    pairs: tuple[FollowUp, ...] = ()
    final: str = ""
    resumed: str = ""
    rest: str = ""
    problems: tuple[str, ...] = ()


def parse_follow_ups(text: str) -> FollowUps:
    """Reads follow-ups and their answers. Any text is accepted.

    - A question or an intermediate answer is one line, after its marker or on the next line that is not empty.
    - A follow-up that says that there is none is ignored.
    - `Question:` after anything else begins another example, and ends the parsing; before that it repeats the question.
    """
    draft = _Draft()
    for piece in _pieces(with_line_feeds(text)):
        if piece.kind == "question" and draft.has_begun:
            break
        draft.add(piece.kind, piece.body)
    return draft.finished()


def cut_before(text: str, *kinds: Kind, behind: Kind | None = None) -> str:
    """A text up to the first marker of some kinds: the effect of a stop string, but for decorated markers, too.

    Args:
        text: the model's words.
        kinds: the kinds of markers.
        behind: only markers after one of this kind are considered.
    """
    text = with_line_feeds(text)
    counts = behind is None
    for match in _MARKER.finditer(text):
        if counts and match.lastgroup in kinds:
            return text[: match.start()]
        counts = counts or match.lastgroup == behind
    return text


# -- pieces ------------------------------------------------------------------------------------------------------------


class _Piece(NamedTuple):
    kind: Kind | Literal["lead"]
    body: str


def _pieces(text: str) -> Iterator[_Piece]:
    matches = list(_MARKER.finditer(text))
    starts = [*(match.start() for match in matches), len(text)]
    yield _Piece("lead", text[: starts[0]])
    for match, end in zip(matches, starts[1:], strict=True):
        kind: Kind = match.lastgroup  # type: ignore[assignment]  # every match is of one of the named groups
        yield _Piece(kind, text[match.end() : end])


@dataclass(slots=True)
class _Draft:
    pairs: list[FollowUp] = field(default_factory=list)
    final: str = ""
    resumed: str = ""
    rest: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def has_begun(self) -> bool:
        return bool(self.pairs or self.final or self.resumed)

    def add(self, kind: Kind | Literal["lead"], body: str) -> None:
        if kind == "lead":
            self.rest.append(_NEEDED.sub("", body, count=1))
        elif kind == "final":
            self.final = self.final or body.strip()
        else:
            line, rest = _first_line(body)
            self.rest.append(rest)
            if kind == "follow_up":
                self._ask(line)
            elif kind == "intermediate":
                self._answer(short_form(line))

    def finished(self) -> FollowUps:
        rest = "\n".join(filter(None, (part.strip() for part in self.rest)))
        return FollowUps(tuple(self.pairs), self.final, self.resumed, rest, tuple(self.problems))

    def _ask(self, line: str) -> None:
        query = unquoted(" ".join(line.strip(" \t*_`").split()))
        if not query:
            self.problems.append("a follow-up holds no question")
        elif not _NONE.fullmatch(query):
            self.pairs.append(FollowUp(query))

    def _answer(self, answer: str) -> None:
        if not self.pairs:
            self.resumed = self.resumed or answer
        elif self.pairs[-1].answer:
            self.problems.append("a second intermediate answer to a follow-up is left out")
        else:
            self.pairs[-1] = FollowUp(self.pairs[-1].query, answer)


def _first_line(body: str) -> tuple[str, str]:
    """The first line that is not empty, and the text after it."""
    line, _, rest = body.lstrip().partition("\n")
    return line.strip(), rest
