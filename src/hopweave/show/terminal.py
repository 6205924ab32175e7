"""A record in a terminal: the tree of decisions, and the answer with its citations.

This module creates renderables for rich, which is imported only when one is drawn. No meaning depends on colour alone: verdicts
have signs, and without colour a quote is put between guillemets and its focus between asterisks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hopweave.citations.shortfalls import shortfall_in_words
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Answer, Claim
from hopweave.record import Failure, Record, Step
from hopweave.show.branch import change_lines
from hopweave.show.cost_line import tally_line
from hopweave.show.legend import Banner, Entry, banner_of, is_explanation, legend_of
from hopweave.show.outline import (
    ARROW,
    SIGNS,
    TONES,
    Node,
    Outline,
    Tone,
    failure_text,
    make_outline,
    remarks_of,
    signed,
    small_print,
)
from hopweave.show.own_checks import own_checks
from hopweave.show.plain import cut, one_line, visible
from hopweave.show.quoting import Piece, Source, contradictions_of, pieces_of, sources_of, split_at_marks

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.text import Text

STYLES: dict[Tone, str] = {
    "plain": "",
    "good": "green",
    "new": "cyan",
    "warn": "yellow",
    "bad": "red",
    "quiet": "dim",
}

MAX_AROUND = 320
"""Characters of the passage shown before and after a quote."""

MAX_DETAIL_CHARACTERS = 200
_BLANKS = lazy_pattern(r"\s+")


def draw_record(
    record: Record,
    *,
    calls: bool = False,
    thoughts: bool = False,
    legend: Sequence[Entry] | None = None,
    failure: bool = True,
) -> RenderableType:
    """The tree, then the answer with its claims and citations, then the meaning of words and signs.

    Args:
        record: the record to draw.
        calls: as for `draw_tree`.
        thoughts: as for `draw_tree`.
        legend: the words and signs to explain; by default, all that are drawn.
        failure: whether to say how the question failed, if it did; without it, only that it has no answer.
    """
    from rich.console import Group

    # The failure that ended it is shown once: after the tree.
    told = {failure_text(record.error): "failed, see below" if failure else "failed"} if record.error is not None else {}
    calls = calls or thoughts
    outline = make_outline(record, calls=calls)
    tree = _Tree(outline, calls, told, with_thoughts=thoughts)
    explained = legend_of(record, outline) if legend is None else legend
    return Group(tree, "", _AnswerView(record, with_failure=failure), *(["", draw_legend(explained)] if explained else []))


def draw_tree(record: Record, *, calls: bool = False, thoughts: bool = False) -> RenderableType:
    """The question, and under it the tree of decisions.

    Args:
        record: the record to draw.
        calls: whether to show calls of the model, searches, reads, and the details of each step.
        thoughts: whether to show as well what the model thought before each reply; without it, a line says how much.
    """
    calls = calls or thoughts
    return _Tree(make_outline(record, calls=calls), with_details=calls, with_thoughts=thoughts)


def draw_outline(outline: Outline) -> RenderableType:
    """The tree of an outline, such as that of a question that is still being answered."""
    return _Tree(outline, with_details=False)


def draw_reply(record: Record) -> RenderableType:
    """The answer and its support, without claims and citations: for a conversation."""
    return _ReplyView(record)


def draw_sources(record: Record) -> RenderableType:
    """Each citation within its passage, and the passages that contradict a claim."""
    return _SourcesView(record)


def draw_answer(record: Record) -> RenderableType:
    """The answer, its claims, each citation within its passage, and the totals."""
    return _AnswerView(record)


def draw_legend(entries: Sequence[Entry]) -> RenderableType:
    """The meaning of words and signs, a line each."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for entry in entries:
        table.add_row(Text(entry.word, "bold"), Text(entry.meaning, "dim"))
    return Group(Text("What the words mean", "bold"), Padding(table, (0, 0, 0, 2)))


@dataclass(frozen=True, slots=True)
class _Tree:
    """The tree; `told` maps texts that are shown elsewhere to their replacements."""

    outline: Outline
    with_details: bool
    told: Mapping[str, str] = field(default_factory=dict)
    with_thoughts: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        width = options.max_width
        yield from Text(self.outline.question, "bold").wrap(console, width)
        indent = 3 if width >= 100 else 2
        for node, rails, is_last in _with_rails(self.outline.nodes):
            head = "".join(_rail("\u2502" if goes_on else " ", indent) for goes_on in rails)
            first = head + _rail("\u2514" if is_last else "\u251c", indent, "\u2500")
            rest = head + _rail(" " if is_last else "\u2502", indent)
            below = rest + (_rail("\u2502", indent) if node.children else "")
            yield from _hung(console, width, first, rest, _node_line(node, self.outline.awaited, self.told))
            for line in self._below(node) if self.with_details else ():
                yield from _hung(console, width, below, below, Text(line, "dim"))

    def _below(self, node: Node) -> Iterator[str]:
        """The lines under a node: its details, how much the model thought, and what if that is asked for."""
        for detail in node.details:
            yield f"{detail.name}: {cut(one_line(detail.text), MAX_DETAIL_CHARACTERS)}"
        if node.thinking:
            yield node.thinking
        if self.with_thoughts:
            yield from (f"  {one_line(line)}" for line in node.thoughts.split("\n") if line.strip())


@dataclass(frozen=True, slots=True)
class _AnswerView:
    record: Record
    with_failure: bool = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.padding import Padding
        from rich.text import Text

        record = self.record
        if record.error is not None:
            yield _no_answer(record.error if self.with_failure else None)
        if record.answer is not None:
            yield from _answer_lines(record.answer, record.steps)
        yield _SourcesView(record)
        changes = change_lines(record)
        if changes:
            yield ""
            yield Text("Changed from an earlier answer", "bold")
            yield from (Padding(Text(line), (0, 0, 0, 2)) for line in changes)
        yield ""
        yield Text(tally_line(record), "dim")


@dataclass(frozen=True, slots=True)
class _SourcesView:
    record: Record

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.padding import Padding
        from rich.text import Text

        record, with_signs = self.record, console.color_system is None or console.no_color
        for source in sources_of(record):
            yield ""
            yield _source_title(f"[{source.citation.mark}]", source)
            yield Padding(_passage_text(source, with_signs=with_signs), (0, 0, 0, 4))
        against = contradictions_of(record)
        if against:
            yield ""
            yield Text("Says otherwise", f"bold {STYLES['bad']}")
        for number, source in against:
            yield ""
            yield _source_title(f"against claim {number}:", source)
            yield Padding(_passage_text(source, with_signs=with_signs), (0, 0, 0, 4))


@dataclass(frozen=True, slots=True)
class _ReplyView:
    record: Record

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.record.error is not None:
            yield _no_answer(self.record.error)
        if self.record.answer is not None:
            yield from _reply_lines(self.record.answer, self.record.steps)


def _no_answer(failure: Failure | None) -> Text:
    from rich.text import Text

    return Text("No answer." if failure is None else f"No answer: {failure_text(failure)}", "bold red")


def _reply_lines(answer: Answer, steps: Sequence[Step]) -> Iterator[RenderableType]:
    from rich.text import Text

    banner = banner_of(answer, steps)
    is_said = is_explanation(answer)
    if is_said:
        yield Text("Answer", "dim")
        yield _marked_text(answer)
    else:
        yield Text.assemble(("Answer  ", "dim"), (one_line(answer.short) or "(none)", _answer_style(banner)))
    yield Text.assemble((f"{banner.sign} {banner.headline}", f"bold {STYLES[banner.tone]}"), f": {banner.counts}.")
    if not is_said and answer.text.strip() and one_line(answer.text) != one_line(answer.short):
        yield ""
        yield _marked_text(answer)
    for remark in remarks_of(answer):
        yield Text(remark, "yellow")


def _answer_lines(answer: Answer, steps: Sequence[Step]) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    yield from _reply_lines(answer, steps)
    if answer.claims:
        yield ""
        yield Text("Claims", "bold")
        found = own_checks(steps)
        with_query = len(answer.claims) == 1 or len({claim.query for claim in answer.claims}) > 1
        for number, claim in enumerate(answer.claims, start=1):
            yield Padding(_claim_text(number, claim, found.get(number, ""), with_query=with_query), (0, 0, 0, 2))
    if answer.citations:
        yield ""
        yield Text("Citations", "bold")


def _answer_style(banner: Banner) -> str:
    """Only an answer that rests on a passage is bold, so that an unsupported one never looks like it."""
    return f"bold {STYLES['good']}" if banner.tone == "good" else STYLES[banner.tone]


def _marked_text(answer: Answer) -> Text:
    from rich.text import Text

    text = Text()
    for piece, mark in split_at_marks(answer.text, answer):
        text.append(visible(piece), "" if mark is None else "bold cyan")
    return text


def _claim_text(number: int, claim: Claim, found: str, *, with_query: bool) -> Text:
    from rich.text import Text

    style = STYLES[TONES.get(claim.support, "plain")]
    text = Text.assemble((f"{number}  ", "dim"), (f"{SIGNS.get(claim.support, '-')} {claim.support:<12}  ", style))
    text.append(f"{claim.origin:<9}  ", "dim")
    if with_query:
        text.append(f"{one_line(claim.query)} ", "dim")
    text.append(f"{ARROW} {one_line(claim.text) or '(open)'}")
    for mark in dict.fromkeys(citation.mark for citation in claim.citations):
        text.append(f" [{mark}]", "bold cyan")
    if claim.text and claim.shortfall:
        text.append(f"  ({shortfall_in_words(claim, found)})", "dim")
    return text


def _source_title(name: str, source: Source) -> Text:
    from rich.text import Text

    text = Text.assemble((f"{name} ", "bold cyan"), (one_line(source.title), "bold"))
    if source.passage and source.passage.source:
        text.append(f"  {one_line(source.passage.source)}", "dim")
    return text


def _passage_text(source: Source, *, with_signs: bool) -> Text:
    from rich.text import Text

    text, is_open = Text(), False
    for piece in pieces_of(source, MAX_AROUND):
        is_quoted = piece.role != "passage"
        if with_signs and is_quoted != is_open:
            text.append("\u00ab" if is_quoted else "\u00bb")
        is_open = is_quoted
        text.append_text(_piece_text(piece, with_signs=with_signs))
    return text.append("\u00bb" if with_signs and is_open else "")


def _piece_text(piece: Piece, *, with_signs: bool) -> Text:
    from rich.text import Text

    # Line breaks and indents of the source are not shown: the passage is displayed as prose, its paragraphs two blanks apart.
    shown = _BLANKS.sub(lambda blanks: "  " if blanks[0].count("\n") > 1 else " ", visible(piece.text))
    match piece.role:
        case "passage":
            return Text(shown, "dim")
        case "quote":
            return Text(shown, "yellow")
        case "focus":
            return Text(f"*{shown}*" if with_signs else shown, "bold yellow underline")


def _node_line(node: Node, awaited: frozenset[int], told: Mapping[str, str]) -> Text:
    from rich.text import Text

    style = STYLES[node.tone]
    text = Text(f"#{node.id} " if node.id in awaited else "", "cyan")
    text.append(
        node.label, "red" if node.tone == "bad" and not node.verdict else "dim" if node.tone == "quiet" else "bold blue"
    )
    if node.text:
        text.append(f"  {told.get(node.text, node.text)}", style if not node.verdict else "")
    if node.called:
        text.append(f"  {ARROW} {node.called}", style)
    if node.verdict:
        text.append(f"  {signed(node)}", style or "bold")
    elif node.origin:
        text.append(f"  {node.origin}", "bold cyan")
    if node.note:
        text.append(f": {node.note}", style)
    if small := small_print(node):
        text.append(f"  ({', '.join(small)})", "dim")
    if node.after:
        text.append(f"  after {', '.join(f'#{other}' for other in node.after)}", "cyan")
    return text


def _with_rails(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, tuple[bool, ...], bool]]:
    """Yields each node with whether each level above it continues below, and whether the node is the last of its level."""
    waiting: list[tuple[Node, tuple[bool, ...], bool]] = [(node, (), node is nodes[-1]) for node in reversed(nodes)]
    while waiting:
        node, rails, is_last = waiting.pop()
        yield node, rails, is_last
        under = (*rails, not is_last)
        waiting.extend((child, under, child is node.children[-1]) for child in reversed(node.children))


def _rail(sign: str, indent: int, fill: str = " ") -> str:
    return sign + fill * (indent - 2) + " "


def _hung(console: Console, width: int, first: str, rest: str, text: Text) -> Iterator[Text]:
    """The text wrapped next to its rails; at deep levels, rails are cut off at the left to leave half of the width for text."""
    from rich.text import Text

    room = width // 2
    first, rest = (rails if len(rails) <= room else "\u2026" + rails[len(rails) - room + 1 :] for rails in (first, rest))
    for number, line in enumerate(text.wrap(console, width - len(first))):
        line.rstrip()
        yield Text.assemble((rest if number else first, "dim"), line)
