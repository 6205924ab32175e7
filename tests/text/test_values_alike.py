"""The kinds of values: two of the same kind could stand in each other's place."""

import pytest

from hopweave.text.values_alike import values_in


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("within 5 working days", ["time"]),
        ("twenty-one months", ["time"]),
        ("CHF 75,000 or 320 crowns", ["money", "money"]),
        ("5.25% or four per cent", ["%", "%"]),
        ("1 May 2023, May 1, 2023 and 2023-05-01", ["date", "date", "date"]),
        ("3 crates and 1 crate", ["number of crate", "number of crate"]),
        ("31 of 206 patients and 12 of 50", ["number", "number of patie", "number", "number"]),
        ("2.1 ± 0.6 mU/L or 5 to 8 mmol/L", ["U/L", "mol/L"]),
        ("500 kHz, 2.2 MHz, 5 mm, 3 litres, half a litre, 20 millilitres", ["Hz", "Hz", "m", "l", "l", "l"]),
        ("at 17:15, 9 am, from 8:00 to 12:30", ["clock", "clock", "clock"]),
        ("26.06.2024 or 3/4/2024", ["date", "date"]),
        ("twice daily, every 8 h and once per shift", ["time", "time", "time"]),
        ("in 1987 and May 2018, of 1,987", ["date", "date", "number"]),
        ("no value", []),
    ],
)
def test_each_value_has_a_kind(text, kinds):
    assert [value.kind for value in values_in(text)] == kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Die Probezeit dauert sechs Monate oder 30 Arbeitstage.", ["time", "time"]),
        ("geöffnet bis 18 Uhr, ab 1. Juni 2024 bis 17.30 Uhr", ["clock", "date", "clock"]),
        ("Le délai est de trois semaines, jusqu'à 18h30 le 1er février 2024.", ["time", "clock", "date"]),
        ("El plazo es de 20 días hábiles y vence el 5 de mayo de 2024.", ["time", "date"]),
        ("La superficie è di 63,40 m² e costa 1.250 euro in tre mesi.", ["m²", "money", "time"]),
        ("Sie hat drei Türme und 12 Fenster.", ["number of turme", "number of fenst"]),
    ],
)
def test_so_it_has_in_other_languages(text, kinds):
    assert [value.kind for value in values_in(text)] == kinds
