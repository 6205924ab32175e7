"""The numbers by which programs of Microsoft call encodings."""

from __future__ import annotations

from collections.abc import Mapping

CODE_PAGES: Mapping[int, str] = {
    **{number: f"cp{number}" for number in (437, 720, 737, 775, 850, 852, 855, 857, 858, *range(860, 867), 869, 874)},
    **{number: f"cp{number}" for number in (932, 949, 950, *range(1250, 1259))},
    **{28590 + number: f"iso8859_{number}" for number in (*range(1, 12), *range(13, 17))},
    936: "gbk", 1361: "johab", 20866: "koi8_r", 21866: "koi8_u", 51932: "euc_jp", 51949: "euc_kr", 54936: "gb18030",
    65001: "utf_8", 10000: "mac_roman", 10001: "cp932", 10002: "cp950", 10003: "cp949", 10004: "mac_arabic", 10005: "cp1255",
    10006: "mac_greek", 10007: "mac_cyrillic", 10008: "gbk", 10010: "mac_romanian", 10017: "mac_cyrillic", 10021: "cp874",
    10029: "mac_latin2", 10079: "mac_iceland", 10081: "mac_turkish", 10082: "mac_croatian",
}  # fmt: skip
