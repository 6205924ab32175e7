"""Text and bytes that mean something to who reads them: terminals, spreadsheets, browsers, Mermaid, parsers, file systems."""

from __future__ import annotations

import gzip
import random as chance
import re
from collections.abc import Callable, Mapping

# Colour, title of the window, C1's own "clear the screen", back to the beginning of the line, directions turned.
ESCAPES = "\x1b[31mred\x1b]0;title\x07\x9b2J\x85\x08\x7f\u202eevil\u2066\u2069\u200f\u061c"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys, but for the end of a line and the tab."""

FORMULAS = ["=HYPERLINK(A1)", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1+1"]

STRANGE_NAMES = [
    "../../../evilm",
    "..",
    ".",
    "",
    "a/b",
    "/etc/passwd",
    "a\\b",
    "a\0b",
    "a\nb",
    ".hidden",
    "a\x1b[31m",
    "x" * 300,
    "\u202ea",
]
"""Names that no file of a run or an index may have."""

CHART_SIGNS = [
    "",
    "   ",
    "end",
    "1. item",
    "- item",
    "a|b|c",
    '"`md`"',
    "subgraph x\nend",
    "%%{init: {}}%%",
    "direction LR",
    "style a:#35;x;",
    "classDef x:#12;",
    "<img src=x onerror=alert(1)>",
    "&lt; #lt; #35;",
    "$$x^2$$",
    "fa:fa-car",
    "a\\nb",
    "\ufb02\u00b0\u00b035\u00b6\u00df",
    "--- title: x ---",
    "\ud800",
    "\u4e2d\u6587 \U0001f600",
]
"""What Mermaid has a meaning for."""

MARKERS = (
    "[Query 77]: where is zebra",
    "[Answer 77]: zebra",
    "[Unsolved Query]: zebra",
    "[Final Content]: zebra",
    "So the final answer is zebra",
    "The answer is zebra",
    "Answer: zebra",
    "Question: zebra",
    "Action 77: Finish[zebra]",
    "Thought 77: zebra",
    "Observation 77: zebra",
    "so Search[zebra]",
    "Follow up: zebra",
    "Intermediate answer: zebra",
    '[WikiSearch("zebra")',
    "QS: [EOQ] zebra",
    "NO! zebra",
    "</passage> zebra",
    '{"action": "answer", "answer": "zebra"}',
    'search("zebra")',
    "<search> zebra",
    "</information> zebra",
    "<answer> zebra",
    "<|begin_search_query|> zebra",
    "<|end_search_result|> zebra",
    "\\boxed{zebra}",
    "Final information: zebra",
)
"""What methods read in replies as a step, with a word that nothing else says."""

_WEB = [
    "<script>alert(1)</script>",
    "</style><style>*{}",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "<![foo bar]>",
    "<!--",
    "-->",
    "]]>",
    "&lt;script&gt;",
    "&#60;",
    "&#x3c",
    "url(http://evil.example)",
    "@import 'x';",
]
_SIGNS = [
    *"[](){}<>|`*_#:;,.?!/\\'\"=+-@%$&^~ \n\t\r\0",
    "\r\n",
    "\u2028",
    "\u2029",
    "\x85",
    "\u200b",
    "\u2060",
    "\ufeff",
    "\ud800",
    "\udfff",
    "\u0301" * 40,
    "\U0001f469\u200d\U0001f4bb",
    "\u05d0\u0628",
    "\ufdd0",
    "\uffff",
    "\U0010ffff",
    "```",
    "---",
    "[1]",
    "[2][3]",
    "[" + "1" * 40 + "]",
    "1. ",
    "- ",
    "NaN",
    "null",
    "{question}",
    "%s",
    "${HOME}",
    "\\u0000",
]
_WORDS = ["Ida Renn", "was born in", "Orlau", "1902", "the", "Who?", "Yes.", "zebra"]


def hostile_text(random: chance.Random, max_pieces: int = 12) -> str:
    """A text of pieces that mean something to somebody, with plain words between; rarely very long, sometimes empty."""
    kinds = (_SIGNS, _WORDS, MARKERS, _WEB, CHART_SIGNS, FORMULAS, STRANGE_NAMES, (ESCAPES,))
    pieces = [random.choice(random.choice(kinds)) for _ in range(random.randint(0, max_pieces))]
    text = random.choice(("", " ", " ")).join(pieces)
    return text * random.randint(50, 400) if random.random() < 0.02 else text


def _flipped(random: chance.Random, content: bytes) -> bytes:
    at = random.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << random.randrange(8)]) + content[at + 1 :]


def _truncated(random: chance.Random, content: bytes) -> bytes:
    return content[: random.randrange(len(content))]


def _swapped(random: chance.Random, content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    random.shuffle(lines)
    return b"".join(lines)


def _doubled(random: chance.Random, content: bytes) -> bytes:
    start, end = sorted(random.randrange(len(content) + 1) for _ in range(2))
    return content[:end] + content[start:]


def _overwritten(random: chance.Random, content: bytes) -> bytes:
    at = random.randrange(len(content))
    return content[:at] + random.randbytes(random.randint(1, 64)) + content[at + 64 :]


def _put_in(random: chance.Random, content: bytes) -> bytes:
    at = random.randrange(len(content) + 1)
    return content[:at] + hostile_text(random).encode("utf-8", "surrogatepass") + content[at:]


DAMAGES: Mapping[str, Callable[[chance.Random, bytes], bytes]] = {
    "a bit turned over": _flipped,
    "the end cut off": _truncated,
    "its lines in another order": _swapped,
    "a part twice": _doubled,
    "bytes written over": _overwritten,
    "text put in": _put_in,
    "nothing left": lambda *_: b"",
    "zeros": lambda _, content: bytes(len(content)),
    "brackets": lambda random, _: random.choice([b"[", b'{"a":', b'[{"\\"":']) * 100_000,
    "a long number": lambda random, content: content + b"9" * random.randint(4_301, 50_000),
    "other letters": lambda _, content: content + b"\xff\xfe\xe9",
    "zipped": lambda _, content: gzip.compress(content),
}
"""Ways to spoil a file, by what is wrong with it then."""


def damaged(random: chance.Random, content: bytes) -> tuple[str, bytes]:
    """The content spoilt in one way, which is named; a file that was empty gets some text."""
    how = random.choice([*DAMAGES])
    return how, DAMAGES[how](random, content or b"x")
