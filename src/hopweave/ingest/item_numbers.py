"""The numbers of items of lists, as a reader of the document sees them."""

from __future__ import annotations

from dataclasses import dataclass, field

_ROMAN = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_MOST_ROMAN = 399
_MOST_SHOWN = 10
_MAX_DIGITS = 6
_LONGEST = 40
"""Characters of the numbers of a paragraph that begins several items, each within the one before."""


@dataclass(slots=True)
class _List:
    """An open list.

    Attributes:
        before: the numbers of the item that it begins, if it begins one.
        next: the number of the next item; `None` if items have none.
        style: as for `numeral`.
        step: from a number to the next.
        num_shown: how many levels a number shows.
        written: the number of the item that began last; empty if none did.
    """

    before: str
    next: int | None
    style: str
    step: int
    num_shown: int
    written: str = ""


@dataclass(slots=True)
class ItemNumbers:
    """The numbers of items while a document with lists is read, in order.

    Attributes:
        numbers: those that the next paragraph begins with, such as `3. `; empty if it begins no item.
    """

    numbers: str = ""
    _open: list[_List] = field(default_factory=list)

    def begin_list(self, first: int | None, style: str = "1", step: int = 1, num_shown: int = 1) -> None:
        """A list begins.

        Args:
            first: the number of its first item; `None` if items have none.
            style: as for `numeral`.
            step: from a number to the next.
            num_shown: how many levels a number shows, its own included: 2 for `3.1`.
        """
        self._open.append(_List(self.numbers if len(self.numbers) <= _LONGEST else "", first, style, step, num_shown))
        self.numbers = ""

    def begin_item(self, given: int | None = None) -> None:
        """An item of the innermost list begins.

        Args:
            given: the number that it has instead of the next.
        """
        if not self._open:
            return
        within = self._open[-1]
        self.numbers, within.before = within.before, ""
        if within.next is not None:
            number = within.next if given is None else given
            within.next = number + within.step
            within.written = numeral(number, within.style)
            shown = self._open[-min(within.num_shown, _MOST_SHOWN) :]
            self.numbers += f"{'.'.join(filter(None, (one.written for one in shown)))}. "

    def end_item(self) -> None:
        """An item ends, or goes on with something that is no paragraph."""
        self.numbers = ""

    def end_list(self) -> int | None:
        """The innermost list ends; returns the number that its next item would have had, if it has numbers."""
        self.numbers = ""
        return self._open.pop().next if self._open else None

    def numbered(self, text: str) -> str:
        """A paragraph with the numbers that it begins with; an empty one has none."""
        if not self.numbers or not text.strip():
            return text
        numbers, self.numbers = self.numbers, ""
        return numbers + text


def numeral(number: int, style: str = "1") -> str:
    """A number in a style, in digits if the style has no numeral for it.

    Args:
        number: any.
        style: `1` for digits, `a` or `A` for letters, `i` or `I` for Roman numerals.

    >>> [numeral(3), numeral(28, "a"), numeral(14, "I")]
    ['3', 'ab', 'XIV']
    """
    if style in {"a", "A"} and number > 0:
        written = _letters(number)
    elif style in {"i", "I"} and 0 < number <= _MOST_ROMAN:
        written = _roman(number)
    else:
        return str(number)
    return written.upper() if style.isupper() else written


def given_number(written: str, otherwise: int) -> int:
    """The number that an attribute gives; another one if it gives none of up to six digits."""
    return int(written) if written.isascii() and written.isdigit() and len(written) <= _MAX_DIGITS else otherwise


def _letters(number: int) -> str:
    written = ""
    while number:
        number, letter = divmod(number - 1, 26)
        written = chr(ord("a") + letter) + written
    return written


def _roman(number: int) -> str:
    written = ""
    for value, sign in _ROMAN:
        count, number = divmod(number, value)
        written += sign * count
    return written
