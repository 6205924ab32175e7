"""Texts that do not say their encoding are read in the one that they are probably in, and the summary says so."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import read, refused, written

from hopweave.ingest.encodings import guessed_encoding
from hopweave.ingest.tally import Tally

TEXTS = {
    "cp1252": "Die Mühle gehörte Jörg Weiß. Sie wurde 1893 für 4.000 € verkauft – „günstig“, schrieb der Müller später.",
    "cp1250": "Mlýn patřil Jiřímu Žďárskému. Byl prodán v roce 1893 a město ho potom přestavělo na školu, kde učil Štěpán.",
    "iso8859-2": "Młyn należał do Idy. Został sprzedany w roku 1893, a miasto przebudowało go na szkołę, gdzie uczył Żegota.",
    "cp1251": "Мельница принадлежала Ивану. В 1893 году её продали, и город перестроил её под школу.",
    "koi8-r": "Мельница принадлежала Ивану. В 1893 году её продали, и город перестроил её под школу.",
    "cp866": "Мельница принадлежала Ивану. В 1893 году её продали, и город перестроил её под школу.",
    "cp1253": "Ο μύλος ανήκε στον Γιώργο. Το 1893 πουλήθηκε και η πόλη τον μετέτρεψε σε σχολείο.",
    "cp850": "Die Mühle gehörte Jörg Weiß. Sie wurde 1893 günstig verkauft, schrieb der Müller über die Lage am Fluß.",
    "cp932": "水車はジョルグのものでした。一八九三年に売られ、町はそれを学校に改築しました。",
    "euc_jp": "水車はジョルグのものでした。一八九三年に売られ、町はそれを学校に改築しました。",
    "gb18030": "这座水车属于约尔格。一八九三年它被卖掉，后来城市把它改建成学校。",
    "big5": "這座水車屬於約爾格。一八九三年它被賣掉，後來城市把它改建成學校。",
    "cp949": "물레방아는 요르그의 것이었다. 1893년에 팔렸고, 그 뒤에 도시가 학교로 고쳐 지었다.",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_a_text_without_a_declared_encoding_is_read_as_it_was_written(tmp_path, encoding):
    tally = Tally()
    [passage] = read(written(tmp_path, "notes.txt", TEXTS[encoding].encode(encoding)), tally=tally)
    assert passage.text == TEXTS[encoding]
    assert tally.num_guessed == 1


OF_OLD_SYSTEMS = [
    ("Die Miete für die Wohnung beträgt 1250 Euro. Die Kündigung muss schriftlich erfolgen.", ("cp437", "cp850", "mac-roman")),
    (
        "Le préavis est de trois mois. Le dépôt de garantie est restitué après l'état des lieux.",
        ("cp437", "cp850", "mac-roman"),
    ),
    ("Hyran är 900 kronor. Avgiften höjs i år för att täcka kostnaderna på vägen.", ("cp437", "cp850", "mac-roman")),
    ("Lejen er 900 kroner. Gebyret forhøjes i år, så vi kan dække udgifterne på vejen.", ("cp850", "mac-roman")),
    ("Señor Muñoz: ¿cuándo vendrá usted mañana?", ("cp437", "cp850")),
    ("Czynsz wynosi 1250 złotych miesięcznie, a kaucja będzie zwrócona po opróżnieniu lokalu.", ("cp852",)),
    ("Öffnungszeiten: täglich", ("cp437", "cp850")),
]


@pytest.mark.parametrize(("text", "encoding"), [(text, name) for text, names in OF_OLD_SYSTEMS for name in names])
def test_a_short_text_of_dos_or_the_classic_mac_os_has_its_letters_and_no_control_characters(text, encoding):
    content = text.encode(encoding)
    assert content.decode(guessed_encoding(content)) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("The rôle of the naïve façade in São Paulo.", "cp1252"),
        ("Lamp–café at 5 °C for £5 – “fine”, said René’s friend’s aunt.", "cp1252"),
        ("McÉwan and DeÁngelo met in Málaga.", "cp1252"),
        ("Wi‑Fi-роутер и USB-кабель лежат в коробке.".replace("‑", "-"), "cp1251"),
        ("赤、青、黄、緑、白、黒。", "cp932"),
        ("ราคาต่อเดือนคือห้าร้อยบาท ไม่รวมค่าน้ำ", "cp874"),
    ],
)
def test_a_mark_or_capital_within_a_word_now_and_then_is_in_its_place(text, encoding):
    content = text.encode(encoding)
    assert content.decode(guessed_encoding(content)) == text


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".rst", ".csv", ".tsv", ".srt", ""])
def test_documents_and_tables_of_every_kind_are_read_so(tmp_path, suffix):
    said = TEXTS["cp1252"]
    forms = {
        ".html": f"<html><title>Mühle</title><p>{said}</p></html>",
        ".csv": f"Jahr;Was\n1893;{said}\n1894;nichts\n",
        ".tsv": f"Jahr\tWas\n1893\t{said}\n1894\tnichts\n",
        ".srt": f"1\n00:00:01,000 --> 00:00:04,000\n{said}\n",
    }
    path = written(tmp_path, f"a{suffix}", forms.get(suffix, said).encode("cp1252"))
    text = "\n".join(passage.text for passage in read(path))
    assert "Die Mühle gehörte Jörg Weiß" in text
    assert "für 4.000 € verkauft – „günstig“" in text


def test_a_table_of_prices_from_a_spreadsheet_has_its_signs(tmp_path):
    rows = "".join(f"Lamp {number},£{number}00,20 °C\n" for number in range(1, 20))
    found = read(written(tmp_path, "prices.csv", f"Item,Price,Up to\n{rows}".encode("cp1252")))
    assert found[0].text == "Item: Lamp 1; Price: £100; Up to: 20 °C."


def test_records_of_json_are_never_guessed(tmp_path):
    for suffix, content in ((".json", '[{"text": "Größe und Länge"}]'), (".jsonl", '{"text": "Größe und Länge"}\n')):
        refused(written(tmp_path, f"a{suffix}", content.encode("cp1252")), match=rf"a{suffix} is not UTF-8: byte 0xf6")


def test_utf_8_with_damaged_bytes_is_told_and_not_read_as_something_else(tmp_path):
    refused(
        written(tmp_path, "a.txt", "Größe, Länge, Höhe".encode() + b"\xff und mehr"), match=r"a\.txt is not UTF-8: byte 0xff"
    )


def test_a_text_that_changes_its_encoding_is_told(tmp_path):
    content = TEXTS["cp932"].encode("cp932") * 9_000 + b"\x81 \x81 "
    refused(
        written(tmp_path, "a.txt", content), match=r"a\.txt is not Shift_JIS, as it seems at its beginning; convert the file"
    )


def test_a_summary_counts_the_files_of_each_encoding_and_names_the_first(tmp_path):
    for number in range(5):
        written(tmp_path, f"{number}.txt", f"Nummer {number}. {TEXTS['cp1252']}".encode("cp1252"))
    written(tmp_path, "r.txt", TEXTS["koi8-r"].encode("koi8-r"))
    written(tmp_path, "u.txt", TEXTS["koi8-r"].replace("Ивану", "Петру").encode())
    tally, named = Tally(), Tally(names_all=True)
    assert len(read(tmp_path, tally=tally)) == len(read(tmp_path, tally=named)) == 7
    assert tally.num_guessed == 6
    assert list(tally.guessed_lines()) == [
        "Windows-1252 (5): 0.txt, 1.txt, 2.txt and 2 more",
        "KOI8-R (1): r.txt",
    ]
    assert list(named.guessed_lines()) == [*(f"{number}.txt: Windows-1252" for number in range(5)), "r.txt: KOI8-R"]


@given(st.binary(max_size=300))
def test_any_bytes_are_unicode_or_can_be_read_in_what_is_guessed(content):
    encoding = guessed_encoding(content)
    if encoding:
        assert content.decode(encoding, "ignore")


def test_a_file_of_another_kind_is_no_text(tmp_path):
    path = Path(written(tmp_path, "data", bytes(range(256)) * 40))
    refused(path, match=r"found nothing to index in .*unknown format")


def test_the_body_of_a_message_without_a_charset_is_guessed_as_well(tmp_path):
    said = TEXTS["koi8-r"]
    content = b"From: a@orlau.example\nSubject: Mill\nDate: Mon, 3 Mar 2025 10:00:00 +0000\n\n" + said.encode("koi8-r")
    [passage] = read(written(tmp_path, "a.eml", content))
    assert said in passage.text
