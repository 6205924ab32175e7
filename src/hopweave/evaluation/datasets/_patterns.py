"""Expands a regular expression into the texts that it matches, if they form a short list."""

from __future__ import annotations

import string

_MAX_TEXTS = 64
_MAX_TIMES = 8
_NOTHING = frozenset("bBAZ")
_QUANTIFIERS = frozenset("?*+{")
_CLASSES = {"s": [" "], "d": list(string.digits), "t": [" "], "n": [" "]}


class TooManyTexts(ValueError):
    """The expression matches too many texts to list, or cannot be parsed."""


def texts_of(pattern: str) -> list[str]:
    """The texts that an expression matches, each once.

    White space and a dot become one space; repetition becomes none or one, or, if at least one is required, one.

    >>> texts_of("(Ines )?Halloran|Tam Orr?e")
    ['Halloran', 'Ines Halloran', 'Tam Ore', 'Tam Orre']

    Raises:
        TooManyTexts: for more than 64 texts, and for anything without a short list (such as a word character).
    """
    reading = _Reading(pattern)
    texts = reading.alternatives()
    if reading.at < len(pattern):
        raise reading.refusal()
    return list(dict.fromkeys(" ".join(text.split()) for text in texts))


class _Reading:
    """One pass over an expression."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.at = 0

    def refusal(self) -> TooManyTexts:
        return TooManyTexts(f"the pattern {self._pattern!r} cannot be expanded into at most {_MAX_TEXTS} texts")

    def alternatives(self) -> list[str]:
        texts = self._sequence()
        while self._peek() == "|":
            self.at += 1
            texts = texts + self._sequence()
        return self._few(texts)

    def _sequence(self) -> list[str]:
        texts = [""]
        while self._peek() not in {"", "|", ")"}:
            more = self._quantified(self._atom())
            texts = self._few([text + end for text in texts for end in more])
        return texts

    def _atom(self) -> list[str]:
        char = self._take()
        if char == "(":
            if self._peek() == "?":
                self._group_prefix()
            texts = self.alternatives()
            if self._take() != ")":
                raise self.refusal()
            return texts
        if char == "[":
            return self._class()
        if char == "\\":
            return self._escaped()
        if char in _QUANTIFIERS:
            raise self.refusal()
        return [" "] if char == "." else [""] if char in "^$" else [char]

    def _group_prefix(self) -> None:
        if not self._pattern.startswith("?:", self.at):
            raise self.refusal()
        self.at += 2

    def _escaped(self) -> list[str]:
        char = self._take()
        if char in _NOTHING:
            return [""]
        if char in _CLASSES:
            return _CLASSES[char]
        if not char or char.isalnum():
            raise self.refusal()
        return [char]

    def _class(self) -> list[str]:
        members: list[str] = []
        if self._peek() == "^":
            raise self.refusal()
        while (char := self._take()) != "]" or not members:
            if char == "\\":
                members += self._escaped()
            elif char == "-" and members and self._peek() not in {"", "]"}:
                last = self._take()
                members += [chr(code) for code in range(ord(members[-1]) + 1, ord(last) + 1)]
            elif not char:
                raise self.refusal()
            else:
                members.append(char)
            self._few(members)
        return members

    def _quantified(self, texts: list[str]) -> list[str]:
        char = self._peek()
        if char not in _QUANTIFIERS or not char:
            return texts
        self.at += 1
        least, most = {"?": (0, 1), "*": (0, 1), "+": (1, 1)}.get(char) or self._times()
        if self._peek() == "?":  # lazy: the same texts
            self.at += 1
        repeated: list[str] = []
        for times in range(least, most + 1):
            some = [""]
            for _ in range(times):
                some = self._few([text + end for text in some for end in texts])
            repeated = self._few(repeated + some)
        return repeated

    def _times(self) -> tuple[int, int]:
        end = self._pattern.find("}", self.at)
        least, comma, most = self._pattern[self.at : max(end, self.at)].partition(",")
        if not least.isdecimal() or not (most.isdecimal() or (comma and not most) or not comma):
            raise self.refusal()
        self.at = end + 1
        low = int(least)
        high = int(most) if most else max(low, 1) if comma else low
        if not low <= high <= _MAX_TIMES:
            raise self.refusal()
        return low, high

    def _few(self, texts: list[str]) -> list[str]:
        texts = list(dict.fromkeys(texts))
        if len(texts) > _MAX_TEXTS:
            raise self.refusal()
        return texts

    def _peek(self) -> str:
        return self._pattern[self.at : self.at + 1]

    def _take(self) -> str:
        char = self._peek()
        self.at += 1
        return char
