"""Text in UTF-16 as the formats count it that were made when a character had two bytes."""

from __future__ import annotations


def utf_16_units(written: bytes) -> str:
    """Text in UTF-16 as one character for each unit, since that is how the formats count: those of two units stay two."""
    wide = bytearray(2 * (len(written) & ~1))
    wide[::4], wide[1::4] = written[: len(written) & ~1 : 2], written[1::2]
    return wide.decode("utf-32-le", "surrogatepass")


def from_units(units: str) -> str:
    """The same text, with characters of two units as one."""
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
