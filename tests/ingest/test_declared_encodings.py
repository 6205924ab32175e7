"""Web pages and manual pages that declare an encoding other than Unicode are read in it."""

import gzip

import pytest
from support.corpora import read, refused, written

PAGES = {
    "iso-8859-1": "Die Mühle gehörte Jörg Weiß.",
    "ISO-8859-2": "Młyn należał do Idy.",
    "windows-1251": "Мельница не работает.",
    "KOI8-R": "Мельница не работает.",
    "Shift_JIS": "水車は廃止されました。",
    "EUC-JP": "水車は廃止されました。",
    "iso-2022-jp": "水車は廃止されました。",
    "gb2312": "这座水车关闭了。",
    "big5": "這座水車關閉了。",
    "euc-kr": "물레방아는 닫혔다.",
}


def page(charset, said, declaration='<meta charset="{}">'):
    return f"<html><head>{declaration.format(charset)}<title>{said[:3]}</title></head><body><p>{said}</p></body></html>"


@pytest.mark.parametrize("charset", PAGES)
def test_a_web_page_is_read_in_the_encoding_that_it_declares(tmp_path, charset):
    said = PAGES[charset]
    [found] = read(written(tmp_path, "a.html", page(charset, said).encode(charset)))
    assert (found.title, found.text) == (said[:3], said)


def test_the_declaration_may_be_the_older_one_and_the_file_compressed_or_of_any_name(tmp_path):
    declaration = '<meta http-equiv="Content-Type" content="text/html; charset={}">'
    content = page("koi8-r", "Мельница.", declaration).encode("koi8-r")
    (tmp_path / "a.html.gz").write_bytes(gzip.compress(content))
    (tmp_path / "page").write_bytes(content.replace("Мельница.".encode("koi8-r"), "Маяк горит.".encode("koi8-r")))
    assert sorted(one.text for one in read(tmp_path)) == ["Маяк горит.", "Мельница."]


def test_a_manual_page_is_read_in_the_encoding_of_its_first_line(tmp_path):
    said = ".TH LAMP 1\n.SH 名前\nlamp - 明かり\n.SH 書式\n.B lamp\n.SH 説明\n水車は廃止されました。\n"
    (tmp_path / "lamp.1").write_bytes(f"'\\\" -*- coding: EUC-JP -*-\n{said}".encode("euc-jp"))
    assert "水車は廃止されました。" in "\n".join(one.text for one in read(tmp_path))


def test_a_page_in_utf_8_is_read_as_that_whatever_it_declares(tmp_path):
    filler = "<p>" + "lamp " * 40_000 + "</p>"
    content = page("iso-8859-1", "Die Mühle.").replace("<p>", f"{filler}<p>", 1)
    found = read(written(tmp_path, "a.html", content.encode()), max_words=0)
    assert found[0].text.endswith("Die Mühle.")


def test_the_encoding_of_a_page_that_declares_nothing_known_is_guessed(tmp_path):
    [found] = read(written(tmp_path, "a.html", page("x-klingon", "Die Mühle gehörte Jörg Weiß.").encode("cp1252")))
    assert found.text == "Die Mühle gehörte Jörg Weiß."


def test_a_page_that_is_not_in_the_encoding_that_it_declares_is_told(tmp_path):
    written(tmp_path, "a.html", page("euc-jp", "x").encode() + b"\xff\xfe\xff")
    refused(tmp_path, match=r"a\.html is not EUC-JP, as it says at its beginning")
