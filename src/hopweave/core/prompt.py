"""Prompts are data: a TOML file next to the code that sends them, filled in one pass.

A prompt file is a table of named texts. A placeholder is `{name}`; every placeholder must be filled, and nothing else may be
given, so a renamed field is an error and never leaves a gap in a prompt. Filled-in text is not scanned again: braces in a
passage are just braces. The fingerprint of a prompt changes with its wording, and is stored in the record.

External text (passages) is data too: `fence` puts it between tags and escapes every marker in it that a method would parse in
the model's own output, so that a passage cannot answer, end a chain or name an action by being repeated.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from hopweave.core.errors import SettingsError, suggest
from hopweave.core.files import read_toml, read_whole
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered

_PLACEHOLDER = lazy_pattern(r"\{([a-z][a-z0-9_]*)\}")

_BEGINNINGS: set[str] = set()
"""What all prompts that were read begin with, up to the first placeholder. A model gets bare texts, since that is all that its
replies may depend on, so what is fixed in a text is looked up here."""

_JOINER = "\u2060"
_NAMES = (
    r"unsolved(?:\s+(?:query|question))?|final\s+(?:content|answer|information)|query|question|answer|thought|action|observation"
    r"|follow[\s-]+up(?:\s+questions?)?|intermediate\s+answer"
)
_ACTION_KEYS = (
    r"thoughts?|reasoning|why|next|action|actions|name|type|tool|tool_name|tool_calls?|tool_uses|calls?|function"
    r"|arguments|parameters|query|queries|search|read_passage|answer|statements"
)
LINE_OPENING = r"[ \t>*_#`•·+|-]*+"
"""A pattern for the Markdown that may stand before a marker at the start of a line."""

# They must match everything that a parser accepts as a marker, decorated or not (tests/core/test_prompt.py compares the two).
# The joiner is inserted after the match, so no second joiner is added where one exists. Next to each pattern is a
# character that it requires: the pattern is only tried on texts with that character, since most passages have no marker.
_MARKERS = (
    ("[", rf"\[(?=[\s*_`]*+(?:{_NAMES}|wikisearch|eoq)(?![^\W\d_]))"),
    (":", rf"(?<![^\W_])(?:{_NAMES})[ \t#_-]*+\d*+(?=[^\w\n:{_JOINER}]*+(?:_++[^\w\n:{_JOINER}]*+)*+:)"),
    ("", rf"(?:^|(?<=\r)){LINE_OPENING}(?:\d++[.)]{LINE_OPENING})?+(?:{_NAMES})[ \t#_-]*+\d++(?=[ \t*_`]*+(?:$|\r))"),
    ("answer", r"\banswer(?=\s+is\b)"),
    ("[", r"\b(?:search|lookup|finish)(?=[ \t]*+\[)"),
    ("!", r"\bno(?=\s*+!)"),
    # What a model that calls tools writes: JSON objects, calls, and the tags that chat templates put around both.
    ("{", rf'\{{(?=\s*+"(?:(?:{_ACTION_KEYS})"|\w*+\\))'),
    ("(", r"\b(?:search|read_passage|answer)(?=\((?:\w++[ \t]*+=[ \t]*+)?+[\"'“‘\d])"),
    ("<", r"<(?=\||/?(?:tool|function)(?:_calls?|_responses?|_results?)?\b)"),
    ("<", r"<(?=\s*+/?\s*+(?:passage\b|(?:search|answer|think|information)\s*+>))"),
    ("_search_", r"<(?=\s*+\|?\s*+(?:begin|end)_search_(?:query|result))"),
    ("\\boxed", r"\\(?=boxed\b)"),
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text with placeholders.

    Attributes:
        name: of its file and its section, `FILE.SECTION`, as it appears in records.
        text: the wording.
        fields: names of its placeholders.
        fingerprint: the first 16 hex digits of the wording's SHA-256.
    """

    name: str
    text: str
    fields: frozenset[str] = field(init=False)
    fingerprint: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", frozenset(_PLACEHOLDER.findall(self.text)))
        object.__setattr__(self, "fingerprint", hashlib.sha256(self.text.encode()).hexdigest()[:16])

    def fill(self, /, **values: str) -> str:
        """Fills every placeholder in one pass.

        Raises:
            SettingsError: for a placeholder without a value, or a value without a placeholder.
        """
        missing, extra = self.fields - values.keys(), values.keys() - self.fields
        if missing:
            raise SettingsError(f"prompt {self.name} was not given {', '.join(sorted(missing))}")
        if extra:
            raise SettingsError(f"prompt {self.name} has no placeholder {', '.join(sorted(extra))}")
        return _PLACEHOLDER.sub(lambda match: values[match[1]], self.text)


class _NoSuchPrompt(SettingsError, KeyError):
    """Also a `KeyError`, so that `in` and `get` work as for any mapping."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError would put it in quotation marks


class Prompts(Mapping[str, Prompt]):
    """The prompts of one file, by name.

    Raises:
        SettingsError: for a file that cannot be read, is not TOML, or contains anything but texts; and for a name that is not
            among them, which is then also a `KeyError`.
    """

    def __init__(self, path: Path) -> None:
        try:
            tables = read_toml(read_whole(path))
        except OSError as error:
            raise SettingsError(f"cannot read the prompt file {path}: {error.strerror}") from None
        except ValueError as error:
            raise SettingsError(f"the prompt file {path} is not TOML: {error}") from None
        stem = path.name.removesuffix(".toml").removesuffix(".prompts")
        bad = [name for name, text in tables.items() if not isinstance(text, str)]
        if bad:
            raise SettingsError(f"the prompt file {path} must contain only texts; {', '.join(bad)} is something else")
        self._prompts = {name: Prompt(f"{stem}.{name}", text.strip("\n")) for name, text in tables.items()}
        _BEGINNINGS.update(
            prompt.text[: found.start()] for prompt in self.values() if (found := _PLACEHOLDER.search(prompt.text))
        )

    def __getitem__(self, name: str) -> Prompt:
        if name not in self._prompts:
            raise _NoSuchPrompt(f"there is no prompt {name!r}; {suggest(name, self._prompts)}")
        return self._prompts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._prompts)

    def __len__(self) -> int:
        return len(self._prompts)


@cache
def prompts_beside(code_file: str) -> Prompts:
    """The prompts of `X.prompts.toml` next to `X.py`; pass `__file__`.

    Raises:
        SettingsError: as in `Prompts`.
    """
    path = Path(code_file)
    return Prompts(path.with_name(path.stem.lstrip("_") + ".prompts.toml"))


def fixed_beginning(filled: str) -> str:
    """How far a filled prompt is the same for all values: the text before the first placeholder of the prompt that it is from.

    Empty if it is from no prompt file that was read, or that prompt begins with a placeholder.
    """
    known = tuple(_BEGINNINGS)  # another thread may be reading a prompt file
    return max((beginning for beginning in known if filled.startswith(beginning)), key=len, default="")


def fence(text: str, title: str = "") -> str:
    """A passage as the model sees it: between tags, on its own lines, with its markers escaped.

    Escaping inserts an invisible word joiner (U+2060), which none of our parsers treats as white space, so that the text still
    reads the same.
    """
    body = f"{title}\n{text}" if title else text
    return f"<passage>\n{escape(body).strip()}\n</passage>"


@remembered
def escape(text: str) -> str:
    """The text with every marker made unrecognisable to our parsers."""
    folded = text.casefold()
    return _any_of(tuple(needed in folded for needed, _ in _MARKERS)).sub(lambda match: match[0] + _JOINER, text)


@cache
def _any_of(are_looked_for: tuple[bool, ...]) -> re.Pattern[str]:
    wanted = (pattern for (_, pattern), is_looked_for in zip(_MARKERS, are_looked_for, strict=True) if is_looked_for)
    return re.compile("|".join(wanted), re.IGNORECASE | re.MULTILINE)


def unescape(text: str) -> str:
    """Removes the joiners again, for example from words that the model copied."""
    return text.replace(_JOINER, "")
