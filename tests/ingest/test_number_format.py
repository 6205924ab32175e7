"""Numbers and dates as a sheet shows them."""

import pytest

from hopweave.ingest.number_format import BUILT_IN, GENERAL, shown


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        ("41", GENERAL, "41"),
        ("41.0", GENERAL, "41"),
        ("0.1", GENERAL, "0.1"),
        ("0.30000000000000004", GENERAL, "0.3"),
        ("-12.5", GENERAL, "-12.5"),
        ("1234567.891", "#,##0.00", "1,234,567.89"),
        ("1234.5", "0", "1234"),
        ("0.256", BUILT_IN[9], "26%"),
        ("0.256", BUILT_IN[10], "25.60%"),
        ("7", "00000", "00007"),
        ("3.1", "0.##", "3.1"),
        ("1500000", '0.0,,"M"', "1.5M"),
        ("12", '"EUR" 0.00', "EUR 12.00"),
        ("12", "[$€-407]#,##0.00", "€12.00"),
        ("-3", "#,##0_);(#,##0)", "-3"),
        ("0.001", "0.00;[Red]-0.00", "0.00"),
        ("-0.001", "0.00", "0.00"),
        ("5", '0" m"', "5 m"),
        ("0.5", "# ?/?", "0.5"),
        ("123456", "0.00E+00", "123456"),
        ("text", "0.00", "text"),
        ("nan", "0", "nan"),
        ("1e300", "yyyy", "1e300"),
        ("45292", BUILT_IN[14], "2024-01-01"),
        ("45292.75", BUILT_IN[22], "2024-01-01 18:00"),
        ("45292", "d mmmm yyyy", "1 January 2024"),
        ("45292", "dddd, dd/mm/yy", "Monday, 01/01/24"),
        ("45292", "[$-409]mmm-yy;@", "Jan-24"),
        ("0.75", "h:mm AM/PM", "6:00 PM"),
        ("0.5", "hh:mm:ss", "12:00:00"),
        ("1.5", "[h]:mm", "36:00"),
        ("0.0104166666666667", "mm:ss", "15:00"),
        ("1", "yyyy-mm-dd", "1900-01-01"),
        ("61", "yyyy-mm-dd", "1900-03-01"),
    ],
)
def test_a_number_is_as_it_is_shown(value, code, text):
    assert shown(value, code) == text


def test_dates_may_count_from_1904():
    assert shown("0", "yyyy-mm-dd", is_1904=True) == "1904-01-01"


def test_a_long_format_takes_no_time():
    assert shown("1", "0" * 1_000_000) == "1".zfill(17)
    assert shown("1", "0." + "0" * 1_000_000) == "1." + "0" * 30
