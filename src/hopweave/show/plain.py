"""Makes external text safe to display: on one line, cut to a length, and without terminal control sequences."""

from __future__ import annotations

from hopweave.core.characters import whole
from hopweave.core.lazy_pattern import lazy_pattern

ELLIPSIS = "\u2026"

_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"} | {0x7F: "\u2421"}
_CONTROLS |= dict.fromkeys(range(0x80, 0xA0), "\ufffd")
# These change the direction of all the text that follows, so that it could be made to read differently.
_DIRECTIONS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\ufffd")
# These only give a position a direction; Arabic and Hebrew texts contain them, and lose little if they are made visible.
_DIRECTIONS |= dict.fromkeys([0x061C, 0x200E, 0x200F], "\u2060")
_LINE_ENDS = {0x09: "\u2409", 0x0A: "\u240a", 0x2028: "\ufffd", 0x2029: "\ufffd"}
_IN_JSON = lazy_pattern("[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """The text with carriage returns as line ends and every other control character as a harmless visible sign."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return whole(lines).translate(_CONTROLS | _DIRECTIONS)


def flat(text: str) -> str:
    """The visible text with line ends and tabs as visible signs, too, so that it always stays on one line."""
    return visible(text).translate(_LINE_ENDS)


def plain_json(text: str) -> str:
    """The same JSON with terminal control characters escaped; JSON itself does so only up to U+001F."""
    return _IN_JSON.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def one_line(text: str) -> str:
    """The visible text with every run of white space as one space."""
    return " ".join(visible(text).split())


def cut(text: str, max_characters: int) -> str:
    """The text, or as much of it as fits with an ellipsis."""
    return text if len(text) <= max_characters else text[: max_characters - 1].rstrip() + ELLIPSIS


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 search`, `1,204 searches`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def seconds_text(seconds: float) -> str:
    """Seconds with a meaningful number of digits."""
    return f"{seconds:.0f} s" if seconds >= 100 else f"{seconds:.1f} s" if seconds >= 1 else f"{seconds:.2f} s"
