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
        ("Vakuus on 2 500 euroa ja vuokra 1\u00a0250,50 € tai 900€.", ["money", "money", "money"]),
        ("Huslejen er 12.500 kr. den 1. maj, før 9000kr og 40 kroner.", ["money", "date", "money", "money"]),
        ("Czynsz wynosi 2 mln zł, kaucja 2500 złotych.", ["money", "money"]),
        ("Залог составляет 2 500 рублей, бак весит 35 кг.", ["money", "g"]),
        ("Chiria este de 900 de lei pe trei luni.", ["money", "time"]),
        ("A kaució 250 000 Ft, a határidő 2025. április 3. vagy két hónap.", ["money", "date", "time"]),
        ("Kira 9.000 TL, indirim %5 ve süre üç ay olarak belirlenmiştir.", ["money", "%", "time"]),
        ("Το ενοίκιο είναι 900 ευρώ για τρεις μήνες.", ["money", "time"]),
        ("يبلغ الإيجار ١٬٢٥٠ ريالا لمدة ثلاثة أشهر", ["money", "time"]),
        ("שכר הדירה הוא 900 שקל או 40 ₪ בשלושה חודשים או 5 שנים.", ["money", "money", "time"]),
        ("Der Rabatt ist 5 Prozent oder fünf Prozent, nicht 7%.", ["%", "%", "%"]),
        ("Uimahalli avataan klo 8.00, ja se on auki kuusi tuntia.", ["clock", "time"]),
    ],
)
def test_so_it_has_in_other_languages(text, kinds):
    assert [value.kind for value in values_in(text)] == kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("家賃は900円で、敷金は12万5千円です。", ["money", "money"]),
        ("8時から20時30分まで、24時間ではない。", ["clock", "clock", "time"]),
        ("期間は3か月、二年間または10営業日間です。", ["time", "time", "time"]),
        ("重さは35キロ、長さは12メートル、割引は5パーセントです。", ["g", "m", "%"]),
        ("租金为每月12万元，押金为2500元。", ["money", "money"]),
        ("2025年3月12日上午8点30分，为期6个月，保修两年。", ["date", "clock", "time", "time"]),
        ("管道长12公里，水泵重35公斤，共3个房间。", ["m", "g", "number of 个"]),
        ("보증금은 3천 원, 임대료는 12만 원이다.", ["money", "money"]),
        ("8시에 열고 20시 30분에 닫으며 3시간 또는 두 달이다.", ["clock", "clock", "time", "time"]),
        ("2025년 3월 12일, 무게는 12킬로그램, 할인율은 5퍼센트이다.", ["date", "g", "%"]),
        ("十分な説明、三分の一、第三条、一部の人", []),
    ],
)
def test_so_it_has_where_words_are_not_separated(text, kinds):
    assert [value.kind for value in values_in(text)] == kinds


@pytest.mark.parametrize(
    ("text", "language", "kinds"),
    [
        ("Takuuvuokra: 5 000 euroa", "", ["number", "number of euroa"]),
        ("Takuuvuokra: 5 000 euroa", "fi", ["money"]),
        ("Kaution: 900 Euro, zwei Monate", "de", ["money", "time"]),
        ("In 2024 300 people paid 40 lei, 5 ft apart.", "", ["date", "number of peopl", "number of lei", "number"]),
    ],
)
def test_a_language_that_is_known_better_than_by_the_text_decides(text, language, kinds):
    assert [value.kind for value in values_in(text, language)] == kinds
