"""Unpaired surrogates: halves of characters, as from a broken escape in JSON, which UTF-8 cannot encode."""

from __future__ import annotations

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern

SURROGATE = lazy_pattern("[\ud800-\udfff]")


def whole(text: str) -> str:
    r"""The text with U+FFFD in place of each unpaired surrogate, as it is kept and shown; offsets stay valid.

    >>> whole("a\ud800b") == "a\ufffdb"
    True
    """
    return text if text.isascii() else SURROGATE.sub("\ufffd", text)


def encodable(text: str) -> str:
    r"""The text with a question mark in place of each unpaired surrogate, as models and engines get it, which accept none.

    >>> encodable("a\ud800b")
    'a?b'
    """
    return text.encode("utf-8", "replace").decode()


def check_whole(text: str, what: str, remedy: str = "remove it") -> None:
    """Refuses a text with an unpaired surrogate.

    Args:
        text: the text.
        what: it is, for the error.
        remedy: what to do about it.

    Raises:
        DataError: if there is one.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DataError(f"{what} contains an unpaired surrogate, which is not a character; {remedy}") from None
