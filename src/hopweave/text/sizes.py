"""How much a value says, to compare it with another: `90 seconds` is less than `5 minutes`, but no less than `9 packets`.

Only English is understood. A value is what its first number counts.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.text.key_terms import words_in
from hopweave.text.quantities import UNITS
from hopweave.text.values import NUMBER_WORDS, SCALES, normalize_values
from hopweave.text.values_alike import are_alike

_OTHERS = {
    "time": {"month months": "2629746", "year years yr yrs": "31556952", "decade decades": "315569520"},
    "length": {
        "mm millimetre millimetres millimeter millimeters": "0.001",
        "cm centimetre centimetres centimeter centimeters": "0.01",
        "m metre metres meter meters": "1",
        "km kilometre kilometres kilometer kilometers": "1000",
        "inch inches": "0.0254",
        "ft foot feet": "0.3048",
        "yd yard yards": "0.9144",
        "mi mile miles": "1609.344",
    },
    "mass": {
        "mg milligram milligrams": "0.000001",
        "g gram grams": "0.001",
        "kg kilogram kilograms": "1",
        "t tonne tonnes": "1000",
        "oz ounce ounces": "0.028349523125",
        "lb lbs": "0.45359237",
    },
    "volume": {
        "ml millilitre millilitres milliliter milliliters": "0.001",
        "cl centilitre centilitres": "0.01",
        "l L litre litres liter liters": "1",
        "pt pint pints": "0.473176473 0.56826125",
        "gal gallon gallons": "3.785411784 4.54609",
    },
    "area": {
        "m2 m² sqm": "1",
        "ha hectare hectares": "10000",
        "km2 km²": "1000000",
        "acre acres": "4046.8564224",
    },
    "power": {
        "mW": "0.001",
        "W watt watts": "1",
        "kW kilowatt kilowatts": "1000",
        "MW megawatt megawatts": "1000000",
        "GW": "1e9",
    },
    "energy": {"Wh": "1", "kWh": "1000", "MWh": "1000000", "GWh": "1e9", "TWh": "1e12"},
    "frequency": {"Hz hertz": "1", "kHz": "1000", "MHz": "1000000", "GHz": "1e9"},
    "voltage": {"mV": "0.001", "V volt volts": "1", "kV": "1000"},
    "current": {"mA": "0.001", "A ampere amperes amps": "1"},
    "pressure": {"Pa": "1", "kPa": "1000", "mbar": "100", "bar": "100000", "MPa": "1000000"},
    "rate": {"bit/s bps": "1", "kbit/s kbps": "1000", "Mbit/s Mbps": "1000000", "Gbit/s Gbps": "1e9"},
}
_KNOWN: dict[str, tuple[str, tuple[Decimal, ...]]] = {
    **UNITS,
    **{
        name: (of, tuple(map(Decimal, size.split())))
        for of, units in _OTHERS.items()
        for names, size in units.items()
        for name in names.split()
    },
}
_MEASURES = frozenset({*(of for of, _ in _KNOWN.values()), "%"})
_LONGEST_SIGN = 3
"""Letters of the sign of a unit, in which capitals count: `mW`, `MW`."""
_NUMBER = rf"[-\u2212]?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|[-\u2212]?\d+(?:\.\d+)?|(?i:\b(?:{'|'.join(NUMBER_WORDS)})\b)"
_SIZE = lazy_pattern(
    rf"(?<![\w.,])(?P<money>[$€£¥]\s?)?(?P<number>{_NUMBER})(?![.,]?\d)(?:\s?(?P<scale>{'|'.join(SCALES)})\b)?"
    r"(?:[\s-]?(?P<unit>%|[^\W\d_]+(?:[23²³](?!\w)|/s\b)?))?",
)
_JOINED = lazy_pattern(r"\s?(?:and\s|,\s)?")
_VERSION = lazy_pattern(r"(?<![\w.])\d+(?:\.\d+)+(?![\w.]*\d)")


class _Size(NamedTuple):
    """So much of something.

    Attributes:
        of: what is measured, such as `time`, or what is counted, such as `packet`; empty for a number alone.
        least: how much, in one unit for all that is measured.
        most: the same where a unit has two meanings: `MB`.
    """

    of: str
    least: Decimal
    most: Decimal


def order_of(left: str, right: str) -> int | None:
    """Below 0 if the left value is less, above 0 if it is more, 0 if both are as much; `None` if they cannot be compared.

    >>> order_of("5 minutes", "90 seconds"), order_of("1,500", "900"), order_of("1024 bytes", "1 KiB")
    (1, 1, 0)
    >>> order_of("10 packets", "20 bytes"), order_of("64", "1 MiB"), order_of("none", "3")
    (None, None, None)
    """
    one, other = _size_of(left), _size_of(right)
    if one is None or other is None or not _are_of_one_kind(one.of, other.of):
        return None
    if one.least <= other.most and other.least <= one.most:
        return 0 if (one.least, one.most) == (other.least, other.most) else None
    return 1 if one.least > other.most else -1


def measure_of(unit: str) -> str:
    """What a unit measures, such as `time`; empty for an unknown one. Capitals count in signs, not in words.

    >>> measure_of("kg"), measure_of("Litres"), measure_of("MW"), measure_of("crates")
    ('mass', 'volume', 'power', '')
    """
    known = _KNOWN.get(unit) or (_KNOWN.get(unit.lower()) if len(unit) > _LONGEST_SIGN else None)
    return known[0] if known is not None else ""


def may_say_how_much(one: str, other: str) -> bool:
    """Whether values of two kinds, as `values_alike` names them, may both say how much there is of something.

    >>> may_say_how_much("g", "l"), may_say_how_much("m", "m"), may_say_how_much("g", "m")
    (True, True, False)
    """
    return are_alike(one, other) or {measure_of(one), measure_of(other)} <= {"mass", "volume"}


def units_of(measure: str) -> list[str]:
    """The signs and English names of the units of a measure, longest first; none for an unknown one."""
    return sorted((unit for unit, (of, _) in _KNOWN.items() if of == measure), key=len, reverse=True)


def is_measured(value: str) -> bool:
    """Whether the first number of a value has a known unit: `1500 ms`, which is no year."""
    size = _size_of(value)
    return size is not None and size.of in _MEASURES


def order_of_versions(left: str, right: str) -> int | None:
    """The same for two versions, part by part; `None` unless both values have one.

    >>> order_of_versions("since 3.7", "3.10"), order_of_versions("3.7", "3 days")
    (-1, None)
    """
    found = [_VERSION.search(value) for value in (left, right)]
    if found[0] is None or found[1] is None:
        return None
    one, other = ([int(part) for part in match[0].split(".")] for match in found if match is not None)
    return (one > other) - (one < other)


def _are_of_one_kind(one: str, other: str) -> bool:
    """Whether two may be compared: both measured alike, or counted, where one need not say what."""
    return one == other or (not (one and other) and not {one, other} & _MEASURES)


@remembered
def _size_of(value: str) -> _Size | None:
    match = _SIZE.search(value)
    if match is None:
        return None
    size = _made(match)
    # `1 h 30 min` is one time.
    while size.of in _MEASURES and (joint := _JOINED.match(value, match.end())) is not None:
        after = _SIZE.match(value, joint.end())
        more = _made(after) if after is not None else None
        if after is None or more is None or more.of != size.of or more.most >= size.least or more.least < 0:
            break
        size, match = _Size(size.of, size.least + more.least, size.most + more.most), after
    return size


def _made(match: re.Match[str]) -> _Size:
    number = Decimal(normalize_values(match["number"].lstrip("-\u2212")).replace(",", ""))
    number = -number if match["number"][0] in "-\u2212" else number
    number *= SCALES.get(match["scale"] or "", 1)
    if match["money"]:
        return _Size(match["money"].strip(), number, number)
    unit = match["unit"] or ""
    if measure := measure_of(unit):
        amounts = [number * size for size in (_KNOWN.get(unit) or _KNOWN[unit.lower()])[1]]
        return _Size(measure, min(amounts), max(amounts))
    counted = next((word.stem for word in words_in(unit) if word.says_something), "")
    return _Size("%" if unit == "%" else counted, number, number)
