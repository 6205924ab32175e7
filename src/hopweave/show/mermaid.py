"""A record as a Mermaid flowchart: solid lines lead from causes to effects, dashed lines show what waited for what.

Mermaid parses its text several times: for directives, by its own grammar, as Markdown, and finally as HTML. So every character
except letters, digits and a short list is written as a numeric entity, which none of these passes interprets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.record import Record
from hopweave.show.legend import banner_of
from hopweave.show.outline import Kind, Node, Tone, make_outline, stands
from hopweave.show.plain import ELLIPSIS, cut, one_line

MAX_NODES = 300

MAX_EDGES = 500
"""Mermaid refuses more. Every node has one solid edge; dashed ones are drawn up to this limit."""

MAX_SOURCE_CHARACTERS = 44_000
"""Mermaid refuses 50,000 characters or more; the difference is left for edges and classes."""

MAX_LABEL_CHARACTERS = 140

_PLAIN = frozenset(" ,.?!'()/+=-")

# Sequences that Mermaid still interprets after decoding the entities (line break, formula, icon) and, in a text of letters
# alone, the one statement that its grammar finds anywhere in a line. An invisible word joiner (U+2060) breaks them up.
_STILL_READ = lazy_pattern(r"(?<=\\)(?=n)|(?<=\$)(?=\$)|(?<=:)(?=fa-)|(?<=direction)(?= )")
_JOINER = "\u2060"
# Mermaid itself encodes entities with this ligature while parsing, and would mistake one in our text for its own.
_LIGATURE = "\ufb02"

_SHAPES: dict[Kind, tuple[str, str]] = {
    "decision": ('["', '"]'),
    "model_call": ('(["', '"])'),
    "search": ('[/"', '"/]'),
    "read": ('("', '")'),
    "parse_failure": ('{{"', '"}}'),
}

# Fill, line and text colour of each tone: pale enough for black text on white paper, with a fixed text colour for dark pages.
_CLASSES: dict[Tone, str] = {
    "plain": "fill:#f6f6f4,stroke:#8a8a84,color:#1c1c1a",
    "good": "fill:#e2f2e4,stroke:#3f8f52,color:#14301b",
    "new": "fill:#e0f0f6,stroke:#2f7f9e,color:#0d2b37",
    "warn": "fill:#fbf0d3,stroke:#b8860b,color:#3a2b03",
    "bad": "fill:#fbe4e1,stroke:#b5483a,color:#3d110b",
    "quiet": "fill:#fafaf9,stroke:#b9b9b4,color:#55554f,stroke-dasharray:3 3",
}


def draw_mermaid(record: Record, *, calls: bool = False) -> str:
    """The decisions of a record as the source of a Mermaid flowchart.

    Args:
        record: what to draw.
        calls: whether to draw calls of the model, searches and reads too.
    """
    drawn = list(make_outline(record, calls=calls).walk())
    kept = drawn[:MAX_NODES]
    question = escape(record.question.text) or ELLIPSIS
    lines = ["flowchart TD", f'  question["{question}"]']
    # An escaped character takes up to 10, so the limit applies to the characters of the source, not to those shown.
    max_written = max(40, MAX_SOURCE_CHARACTERS // max(1, len(kept)) - 60)
    lines += [_node_line(node, max_written) for node, _ in kept]
    if len(drawn) > len(kept):
        lines.append(f'  rest["and {len(drawn) - len(kept)} more steps"]')
    lines += _edges(kept)
    lines += _classes([node for node, _ in kept])
    lines += _answer_lines(record, kept)
    return "\n".join(lines) + "\n"


def _answer_lines(record: Record, kept: Sequence[tuple[Node, Node | None]]) -> Iterator[str]:
    """The answer as the last node, below the last step, in the style of its support."""
    if record.answer is None:
        return
    banner = banner_of(record.answer, record.steps)
    said = escape(record.answer.short) or "(none)"
    yield f'  answer[["<b>{said}</b><br/>{escape(f"{banner.sign} {banner.headline}: {banner.counts}")}"]]'
    tops = [node for node, parent in kept if parent is None]
    yield f"  {f's{tops[-1].id}' if tops else 'question'} ==> answer"
    yield f"  style answer {_CLASSES[banner.tone]}"


def escape(text: str, max_characters: int = MAX_LABEL_CHARACTERS, max_written: int = MAX_SOURCE_CHARACTERS) -> str:
    """Any text, escaped for use between double quotes in a chart.

    Args:
        text: the text to show; line breaks and runs of spaces become one space.
        max_characters: the maximum number of characters shown.
        max_written: the maximum number of characters of source.
    """
    shown = _STILL_READ.sub(_JOINER, cut(one_line(text), max_characters).replace(_LIGATURE, "fl"))
    pieces: list[str] = []
    num_written = 0
    for character in shown:
        piece = character if _is_plain(character) else f"#{ord(character)};"
        num_written += len(piece)
        if num_written > max_written:
            return "".join(pieces) + ELLIPSIS
        pieces.append(piece)
    return "".join(pieces)


def _is_plain(character: str) -> bool:
    return character.isalnum() or character in _PLAIN


def _node_line(node: Node, max_written: int) -> str:
    opening, closing = _SHAPES[node.kind]
    lines = [f"<b>{escape(node.label, 40, max_written // 4)}</b>"]
    if node.text:
        lines.append(escape(node.text, MAX_LABEL_CHARACTERS, max_written // 2))
    if node.verdict:
        confidence = f" ({node.confidence:.2f})" if node.confidence is not None else ""
        verdict = stands(node.verdict, node.origin) + confidence + (f": {node.note}" if node.note else "")
        lines.append(f"<i>{escape(verdict, 60, max_written // 4)}</i>")
    elif node.origin:
        lines.append(f"<i>{escape(node.origin)}</i>")
    return f"  s{node.id}{opening}{'<br/>'.join(lines)}{closing}"


def _edges(kept: Sequence[tuple[Node, Node | None]]) -> Iterator[str]:
    names = {node.id for node, _ in kept}
    for node, parent in kept:
        yield f"  {'question' if parent is None else f's{parent.id}'} --> s{node.id}"
    dashed = [f"  s{other} -.-> s{node.id}" for node, _ in kept for other in node.after if other in names]
    yield from dashed[: MAX_EDGES - len(kept)]


def _classes(nodes: Sequence[Node]) -> Iterator[str]:
    for tone, look in _CLASSES.items():
        names = [f"s{node.id}" for node in nodes if node.tone == tone]
        if names:
            yield f"  classDef {tone} {look}"
            yield f"  class {','.join(names)} {tone}"
