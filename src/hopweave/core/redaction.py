"""Removes keys, passwords and tokens from settings and from any text, in this one place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hopweave.core.lazy_pattern import lazy_pattern

LEFT_OUT = "(left out)"
"""Replaces the secret of a setting or an address."""
HIDDEN = "***"
"""Replaces a secret in a text."""

# A key such as `x` or `none`, which a local server may be given, is not a secret, and hiding it would garble texts.
_MIN_SECRET = 4
_MIN_SECRET_IN_REPLY = 8

_SECRET_NAME = lazy_pattern(
    r"(?:^|[_-])(?:api[_-]?key|secret|password|(?:proxy-)?authorization|cookie|(?:access|auth|bearer|hf)[_-]?token)$",
    re.IGNORECASE,
)
FOREIGN = frozenset({"extra_body", "extra_headers", "headers", "extra_query"})
"""Settings that are sent to an endpoint unchanged: the names in them are defined by the endpoint."""

# There, and in the query of a URL, the last word of a name decides. Those of a tokenizer or a cache are not secrets.
_SECRET_WORD = lazy_pattern(
    r"api_?key|auth|authentication|authorization|bearer|cookie|credentials?|jwt|keys?|passphrase|passw(?:or)?d|pat|pwd|sas|secrets?"
    r"|sig|signature|tokens?",
    re.IGNORECASE,
)
_NO_SECRET = lazy_pattern(
    r"(?:^|[_-])(?:eos|bos|pad|unk|sep|cls|mask|stop|start|end|max|min|num|new|cache)[_-]?(?:tokens?|keys?)$", re.IGNORECASE
)
_WORD = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_USER_INFO = lazy_pattern(r"(?<=://)[^/@\s]+@")
_QUERY_FIELD = lazy_pattern(r"(?<=[?&])([^=&#\s]+)=([^&#\s]*)")
_MAYBE_ESCAPED = lazy_pattern(r"\\|%[0-9A-Fa-f]{2}|&#")


def is_secret_name(name: str, *, is_foreign: bool = False) -> bool:
    """Whether the value of a name is a secret; a foreign name was not chosen by us, so its last word decides."""
    if _SECRET_NAME.search(name):
        return True
    words = [] if not is_foreign or _NO_SECRET.search(name) else _WORD.findall(name)
    return bool(words) and bool(_SECRET_WORD.fullmatch(words[-1]))


def public(value: Any, name: str, *, is_foreign: bool = False) -> Any:
    """A setting as JSON, without secrets; an object that only a program can pass is replaced by its class name."""
    is_secret = is_secret_name(name, is_foreign=is_foreign)
    is_foreign = is_foreign or name in FOREIGN
    match value:
        case None | bool() | int() | float() if value is None or not is_secret:
            return value
        case dict() if not is_secret or not is_foreign:
            return {str(inner): public(item, str(inner), is_foreign=is_foreign) for inner, item in value.items()}
        case _ if is_secret:
            return LEFT_OUT
        case list() | tuple():
            return [public(item, name, is_foreign=is_foreign) for item in value]
        case str() | Path():
            return public_address(str(value))
        case _:
            return f"({type(value).__name__})"


def public_address(text: str) -> str:
    """A text with the user names, passwords and keys removed from its addresses."""
    return _QUERY_FIELD.sub(_public_field, _USER_INFO.sub("", text))


def is_secret_field(name: str) -> bool:
    """Whether a query parameter of a URL is a secret."""
    return name.lower() == "code" or is_secret_name(name, is_foreign=True)


def _public_field(field: re.Match[str]) -> str:
    return f"{field[1]}={LEFT_OUT}" if field[2] and is_secret_field(field[1]) else field[0]


def secrets_of(value: Any, name: str, *, is_foreign: bool = False) -> list[str]:
    """The texts that `public` removes from a setting because of their names."""
    is_secret = is_secret_name(name, is_foreign=is_foreign)
    is_foreign = is_foreign or name in FOREIGN
    if isinstance(value, dict):
        under = "password" if is_secret else ""  # everything under a secret name is secret
        return [text for inner, item in value.items() for text in secrets_of(item, under or str(inner), is_foreign=is_foreign)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in secrets_of(item, name, is_foreign=is_foreign)]
    return [str(value)] if is_secret and isinstance(value, str | int | float) and not isinstance(value, bool) else []


class Secrets:
    """Known secrets, and how to remove them from texts.

    Args:
        values: the secrets. Those shorter than 4 characters are ignored; those shorter than 8 are not hidden in model replies.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        longest_first = sorted(set(values), key=lambda value: (-len(value), value))
        self._all = _Hiding([value for value in longest_first if len(value) >= _MIN_SECRET])
        self._long = _Hiding([value for value in longest_first if len(value) >= _MIN_SECRET_IN_REPLY])

    def out_of(self, text: str) -> str:
        """A text from an endpoint, or about it, with every secret hidden, however its characters are escaped."""
        return self._all.out_of(text)

    def out_of_reply(self, text: str) -> str:
        """A model's reply, with every secret hidden that is too long to be a word."""
        return self._long.out_of(text)

    def veil(self) -> Veil:
        """Hides secrets in a streamed reply."""
        return Veil(self._long.values)


class _Hiding:
    """Removes some values from texts."""

    def __init__(self, values: list[str]) -> None:
        self.values = tuple(values)
        self._pattern: re.Pattern[str] | None = None

    def out_of(self, text: str) -> str:
        for value in self.values:
            if value in text:
                text = text.replace(value, HIDDEN)
        if not self.values or not _MAYBE_ESCAPED.search(text):
            return text
        if self._pattern is None:
            self._pattern = re.compile("|".join("".join(map(_in_any_spelling, value)) for value in self.values))
        return self._pattern.sub(HIDDEN, text)


def _in_any_spelling(character: str) -> str:
    """A pattern for a character as itself or as escaped in JSON, Python, a URL or HTML."""
    code = ord(character)
    spellings = [re.escape(character), rf"u(?i:{code:04x})", rf"x(?i:{code:02x})"]
    plain = rf"\\*(?:{'|'.join(spellings[:1])})" if not character.isalnum() else spellings[0]
    escaped = rf"\\+(?:{'|'.join(spellings[1:])})"
    in_address = "".join(f"%(?i:{byte:02x})" for byte in character.encode("utf-8", "replace"))
    return rf"(?:{plain}|{escaped}|{in_address}|&#0*{code};|&#[xX]0*(?i:{code:x});)"


class Veil:
    """Passes a text through piece by piece with secrets hidden. A possible beginning of a secret is held back."""

    def __init__(self, values: tuple[str, ...]) -> None:
        self._values = values
        self._held = ""

    def push(self, piece: str) -> str:
        """Takes a piece and returns what can be shown now."""
        if not self._values:
            return piece
        text = self._held + piece
        for value in self._values:
            text = text.replace(value, HIDDEN)
        kept = max((_overlap(text, value) for value in self._values), default=0)
        self._held = text[len(text) - kept :]
        return text[: len(text) - kept]

    def rest(self) -> str:
        """What was held back, at the end of the text."""
        text, self._held = self._held, ""
        return text


def _overlap(text: str, value: str) -> int:
    """The length of the longest end of a text that is the beginning of a value."""
    return next((n for n in range(min(len(text), len(value) - 1), 0, -1) if value.startswith(text[-n:])), 0)
