"""The lines of a manual page without the markup of troff: escapes are replaced, and definitions of macros left out.

What troff(7) calls requests is followed only as far as it decides what is read: conditions are those of a terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check

_ESCAPE = lazy_pattern(
    r"\\(?:"
    r"(?P<comment>[\"#].*)"
    r"|(?P<font>[fFmMgksYn](?:\[[^\]\n]*\]|\([^\n]{2}|[-+]?[^\n]))"
    r"|\*(?:\[(?P<long>[^\]\n]*)\]|\((?P<two>[^\n]{2})|(?P<one>[^\n]))"
    r"|\[(?P<name>[^\]\n]*)\]|\((?P<pair>[^\n]{2})"
    r"|C'(?P<called>[^'\n]*)'|N'(?P<number>\d{1,7})'"
    r"|(?P<drawn>[bDhlLoRSvwxXZAB]'[^'\n]*'|[hv]\"[^\"\n]*\")"
    r"|(?P<plain>.)|$)"
)
_SIGNS = {
    "em": "—", "en": "–", "hy": "-", "-": "-", "bu": "•", "sq": "□", "lq": "“", "rq": "”", "oq": "‘", "cq": "’", "aq": "'",
    "dq": '"', "Bq": "„", "bq": "‚", "Fo": "«", "Fc": "»", "fo": "‹", "fc": "›", "ga": "`", "ha": "^", "ti": "~", "rs": "\\",
    "sl": "/", "at": "@", "sh": "#", "Do": "$", "ul": "_", "ru": "_", "br": "|", "ba": "|", "bb": "¦", "or": "|", "co": "©",
    "rg": "®", "tm": "™", "de": "°", "lB": "[", "rB": "]", "lC": "{", "rC": "}", "la": "<", "ra": ">", "<-": "←", "->": "→",
    "<>": "↔", "ua": "↑", "da": "↓", "lA": "⇐", "rA": "⇒", "+-": "±", "mu": "×", "di": "÷", "<=": "≤", ">=": "≥", "!=": "≠",
    "==": "≡", "~=": "≅", "ap": "∼", "no": "¬", "if": "∞", "mi": "-", "pl": "+", "eq": "=", "**": "*", "fm": "′", "sd": "″",
    "dg": "†", "dd": "‡", "sc": "§", "ps": "¶", "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "/o": "ø", "/O": "Ø",
    "Po": "£", "Eu": "€", "Ye": "¥", "ct": "¢", "12": "½", "14": "¼", "34": "¾", "S1": "¹", "S2": "²", "S3": "³", "*a": "α",
    "*b": "β", "*g": "γ", "*d": "δ", "*e": "ε", "*l": "λ", "*m": "μ", "*p": "π", "*s": "σ", "*W": "Ω", "mc": "µ", "lh": "☜",
    "rh": "☞", "OK": "✓", "sp": " ", "hA": "⇔", "an": "-", "pd": "∂", "sr": "√", "es": "∅", "mo": "∈",
}  # fmt: skip
"""Special characters by their names in groff_char(7)."""
_ACCENTS = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    "~": "\u0303",
    ":": "\u0308",
    "o": "\u030a",
    ",": "\u0327",
    "v": "\u030c",
}
_PLAIN = {
    "-": "-",
    "e": "\\",
    "\\": "\\",
    " ": " ",
    "~": " ",
    "0": " ",
    "t": "\t",
    "'": "´",
    "`": "`",
    "_": "_",
    ".": ".",
    "E": "\\",
}
_STRINGS = {
    "lq": "“",
    "rq": "”",
    "R": "®",
    "Tm": "™",
    "Lq": "“",
    "Rq": "”",
    "Ba": "|",
    "Le": "≤",
    "Ge": "≥",
    "q": '"',
    "C`": "",
    "C'": "",
}
_MAX_STRINGS = 1_000
_MAX_STRING = 200
_MAX_CONDITIONS = 20
"""Within each other in a line."""

_CONDITION = lazy_pattern(r"(?P<not>!?)\s*(?P<test>[a-zA-Z](?![a-zA-Z])|[^\s\\]*(?:\\[^\s{][^\s\\]*)*)\s*(?P<then>.*)")
_CONTROL = lazy_pattern(r"[.']\s*(?P<name>[^\s\\]*)[ \t]*(?P<rest>.*)")
_ARGUMENT = lazy_pattern(r'"((?:[^"]|"")*)(?:"|$)|((?:\\ |\S)+)')


class Line(NamedTuple):
    """A line of a manual page: the name of its request or macro with what follows it, or text if the name is empty."""

    name: str
    rest: str


def arguments(rest: str) -> list[str]:
    """The arguments of a macro: words, or quoted texts."""
    return [match[1].replace('""', '"') if match[1] is not None else match[2] for match in _ARGUMENT.finditer(rest)]


class Troff:
    """Reads the lines of a manual page.

    Args:
        content: the page.
        check: called for every line.
    """

    def __init__(self, content: str, check: Check) -> None:
        self._lines = content.split("\n")
        self._check = check
        self._at = 0
        self._strings = dict(_STRINGS)
        self._was_true = True
        self._num_skipped = 0  # blocks that are open and not read

    def lines(self) -> Iterator[Line]:
        """Its lines, in order, without definitions and without what is not for terminals."""
        while self._at < len(self._lines):
            yield from self._line(self._next())

    def _next(self) -> str:
        """A line with those that continue it."""
        self._check()
        pieces = [self._lines[self._at]]
        self._at += 1
        while _is_continued(pieces[-1]) and self._at < len(self._lines):
            pieces[-1] = pieces[-1][:-1]
            pieces.append(self._lines[self._at])
            self._at += 1
        return "".join(pieces)

    def _line(self, line: str) -> Iterator[Line]:
        if self._num_skipped:
            self._num_skipped += line.count("\\{") - line.count("\\}")
            return
        line = line.replace("\\}", "")
        match = _CONTROL.fullmatch(line)
        for _ in range(_MAX_CONDITIONS):
            if match is None or match["name"] not in {"if", "ie", "el"}:
                break
            line = self._then(match["name"], match["rest"])
            if not line:
                return
            match = _CONTROL.fullmatch(line)
        if match is None:
            yield Line("", line)
        elif match["name"] in {"de", "de1", "am", "ig"}:
            self._skip_definition(match["rest"])
        elif match["name"] in {"ds", "ds1", "as"}:
            self._define(match["rest"])
        elif match["name"]:
            yield Line(match["name"], match["rest"])

    def _then(self, request: str, rest: str) -> str:
        """What a condition leaves of its line; a block that is not read is skipped."""
        if request == "el":
            is_true, then = not self._was_true, rest
        else:
            match = _CONDITION.match(rest)
            is_true, then = (match["test"] == "n") is not bool(match["not"]) if match else False, match["then"] if match else ""
            self._was_true = is_true
        if not is_true:
            self._num_skipped = max(0, rest.count("\\{") - rest.count("\\}"))
            return ""
        return then.strip().removeprefix("\\{").strip()

    def _skip_definition(self, rest: str) -> None:
        words = rest.partition('\\"')[0].split()
        end = "." + (words[-1] if len(words) > 1 else ".")
        while self._at < len(self._lines):
            self._check()
            self._at += 1
            if "".join(self._lines[self._at - 1].split()) in {end, end.replace(".", "'", 1)}:
                return

    def _define(self, rest: str) -> None:
        name, _, value = rest.partition(" ")
        if len(self._strings) < _MAX_STRINGS:
            self._strings[name] = self.text(value.strip().removeprefix('"'))[:_MAX_STRING]

    def text(self, written: str) -> str:
        """What is shown of a piece of text."""
        return _ESCAPE.sub(self._shown, written) if "\\" in written else written

    def _shown(self, match: re.Match[str]) -> str:
        if (string := match["long"] or match["two"] or match["one"]) is not None:
            return self._strings.get(string, "")
        if (name := match["name"] or match["pair"] or match["called"]) is not None:
            return _sign(name)
        if match["number"] is not None:
            return _character(int(match["number"]))
        return _PLAIN.get(match["plain"] or "", "")


def _is_continued(line: str) -> bool:
    return line.endswith("\\") and (len(line) - len(line.rstrip("\\"))) % 2 == 1 and '\\"' not in line


def _sign(name: str) -> str:
    if name in _SIGNS:
        return _SIGNS[name]
    if re.fullmatch(r"u[0-9A-Fa-f]{4,6}(?:_[0-9A-Fa-f]{4,6})*", name):
        return "".join(_character(int(code, 16)) for code in name[1:].split("_"))
    return name[1] + _ACCENTS[name[0]] if len(name) == 2 and name[0] in _ACCENTS else ""


def _character(code: int) -> str:
    return chr(code) if 31 < code < 0xD800 or 0xDFFF < code < 0x110000 else ""
