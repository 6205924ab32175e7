"""Words of a text: which there are, which of them say something, and which name something."""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")
_SMALL_WORDS = """
a an and are as at be been but by did do does for from had has have he her his in is it its of on or she so than that the their
there they this thus to was were what when where which who whom whose with how why"""
_SMALL = frozenset(_SMALL_WORDS.split())


def words_of(text: str) -> list[str]:
    """The words of a text that say something, in small letters."""
    return [word for word in map(str.casefold, WORD.findall(text)) if word not in _SMALL]


def is_named(word: str) -> bool:
    """Whether a word looks like a name or a number."""
    return word[0].isupper() or word[0].isdigit()
