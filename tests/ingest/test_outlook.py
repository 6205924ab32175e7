"""Messages as Outlook saves them: read as the same message of e-mail, whatever strings, texts and attachments they have."""

import struct
import time
from datetime import UTC, datetime
from email.message import EmailMessage
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.compound_files import compound_file
from support.corpora import one_line_of
from support.readers import read_mail, read_msg

from hopweave.core.errors import DataError
from hopweave.ingest import compound_file as opening
from hopweave.ingest import outlook
from hopweave.ingest.reasons import Reason, Unreadable

SENT = datetime(2026, 1, 2, 10, 0, tzinfo=UTC)
DATE = "Fri, 02 Jan 2026 10:00:00 +0000"
HEAD = f"From: Ada Finch <ada@example.org>\nTo: Sula Renn <sula@example.org>\nCc: ida@example.org\nDate: {DATE}"
TEXT = "The lamp is lit.\r\n\r\nOil is dry."
SENDER = {"0C1A": "Ada Finch", "5D01": "ada@example.org"}
RECIPIENTS = (("Sula Renn", "sula@example.org", 1), ("'ida@example.org'", "ida@example.org", 2), ("Bo", "bo@example.org", 3))
DICTIONARY = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans SerifSymbolArial"
    rb"Times New RomanCourier{\colortbl\red0\green0\blue0" + b"\r\n" + rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)


def streams(texts, code_page=None, within=""):
    """The streams of some texts, in Unicode or in a code page; bytes are as they are."""
    kind = "001E" if code_page else "001F"
    encoding = f"cp{code_page}" if code_page else "utf-16-le"
    return {
        f"{within}__substg1.0_{tag}{'0102' if isinstance(text, bytes) else kind}": text
        if isinstance(text, bytes)
        else text.encode(encoding)
        for tag, text in texts.items()
    }


def properties(values, num_head):
    kinds = {datetime: 0x40, int: 3, bool: 11}
    return bytes(num_head) + b"".join(
        struct.pack("<HHLQ", kinds[type(value)], int(tag, 16), 6, filetime(value) if isinstance(value, datetime) else value)
        for tag, value in values.items()
    )


def filetime(moment):
    return int((moment - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000


def saved(texts, *, recipients=RECIPIENTS, attached=(), values=None, code_page=None, named=()):
    """A message; `attached` are the texts of attachments, and a string stands for an attached message with that subject."""
    own = {"0E06": SENT} | (values or {}) | ({"3FFD": code_page} if code_page else {})
    made = {"__properties_version1.0": properties(own, 32)} | streams(texts, code_page)
    for number, (name, address, kind) in enumerate(recipients):
        storage = f"__recip_version1.0_#{number:08X}/"
        made[f"{storage}__properties_version1.0"] = properties({"0C15": kind}, 8)
        made |= streams({"3001": name, "39FE": address}, code_page, storage)
    for number, one in enumerate(attached):
        storage = f"__attach_version1.0_#{number:08X}/"
        flags = one.get("flags", 0) if not isinstance(one, str) else 0
        made[f"{storage}__properties_version1.0"] = properties({"3705": 1, "3714": flags}, 8)
        inner = f"{storage}__substg1.0_3701000D/"
        made |= streams({"0037": one, "1000": "Within."}, code_page, inner) if isinstance(one, str) else {}
        texts_of_it = {tag: text for tag, text in one.items() if tag != "flags"} if not isinstance(one, str) else {}
        made |= streams(texts_of_it, code_page, storage)
    if named:
        sets = [*dict.fromkeys(which for which, _ in named)]
        entries = (struct.pack("<LHH", number, 2 * (3 + sets.index(which)), at) for at, (which, number) in enumerate(named))
        made["__nameid_version1.0/__substg1.0_00020102"] = b"".join(UUID(which).bytes_le for which in sets)
        made["__nameid_version1.0/__substg1.0_00030102"] = b"".join(entries)
    return compound_file(made)


def ordinary(**more):
    return saved({"0037": "Oil für Kerrow", "1000": TEXT} | SENDER, **more)


def packed(rtf):
    """RTF as it is compressed, with references to what was written before."""
    written, out, at = bytearray(DICTIONARY), bytearray(), 0
    while True:
        control, pieces = 0, b""
        for bit in range(8):
            start = max(0, len(written) - 4000)
            length = next((n for n in range(17, 1, -1) if at + n <= len(rtf) and written.find(rtf[at : at + n], start) >= 0), 0)
            if length or at == len(rtf):
                where = written.find(rtf[at : at + length], start) if length else len(written)
                control |= 1 << bit
                pieces += struct.pack(">H", (where % 4096) << 4 | max(0, length - 2))
                if not length:
                    body = bytes(out) + bytes([control]) + pieces
                    return struct.pack("<LL4sL", len(body) + 12, len(rtf), b"LZFu", 0) + body
            pieces += b"" if length else rtf[at : at + 1]
            written += rtf[at : at + max(1, length)]
            at += max(1, length)
        out += bytes([control]) + pieces


def text_of(message, **more):
    return read_msg(message, "a.msg", **more).parts[0].text


# -- what a message says -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code_page", [None, 1252])
def test_a_message_is_its_subject_its_head_and_its_text(code_page):
    document = read_msg(ordinary(code_page=code_page))
    assert document.title == "Oil für Kerrow"
    assert document.parts[0].text == f"{HEAD}\n\nThe lamp is lit.\n\nOil is dry."
    assert document.parts[0].within == (f"Ada Finch <ada@example.org>, {DATE}",)


def test_a_message_is_read_as_the_same_one_of_mail():
    text = (
        "No, whale oil.\r\n\r\nPier   2021   2024\r\nP1     0.12   0.15\r\nP2     0.26   0.31\r\n\r\n"
        "-----Original Message-----\r\nFrom: Ida Renn\r\nSent: Monday\r\nTo: Ada\r\nSubject: Oil\r\n\r\nIs it rape oil?\r\n"
    )
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Cc"], mail["Date"], mail["Subject"] = (
        *(line.partition(": ")[2] for line in HEAD.split("\n")),
        "Öl",
    )
    mail.set_content(text)
    mail.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="bill für oil.pdf")
    read = read_msg(saved({"0037": "Öl", "1000": text} | SENDER, attached=[{"3707": "bill für oil.pdf", "3701": b"%PDF"}]))
    assert read == read_mail(mail.as_bytes())
    assert "Pier: P1; 2021: 0.12; 2024: 0.15." in read.parts[0].text
    assert (read.parts[1].text, read.parts[1].place) == ("Is it rape oil?", "quote=1")


def test_the_plain_text_comes_before_the_page_and_the_page_before_the_rtf():
    page, rtf = b"<h1>Oil</h1><p>It is <b>dry</b>.<script>no</script>", packed(rb"{\rtf1 It is rich.\par}")
    assert "The lamp is lit." in text_of(saved({"1000": TEXT, "1013": page, "1009": rtf}))
    assert text_of(saved({"1000": " \r\n", "1013": page, "1009": rtf}, recipients=())) == f"Date: {DATE}\n\nOil\n\nIt is dry."
    assert text_of(saved({"1013": b" ", "1009": rtf}, recipients=())) == f"Date: {DATE}\n\nIt is rich."


@pytest.mark.parametrize(
    ("page", "values"),
    [
        ("<p>лампа".encode("koi8-r"), {"3FDE": 20866}),
        ("<meta charset=koi8-r><p>лампа".encode("koi8-r"), {}),
        ("<p>лампа".encode(), {}),
        ("<p>лампа".encode(), {"3FDE": 65001}),
        ("<p>лампа".encode(), {"3FDE": 99999}),
        ("<p>лампа".encode("cp1251"), {"3FDE": 1251}),
        ("<p>лампа", {}),
    ],
)
def test_a_page_is_read_in_the_charset_that_its_message_names(page, values):
    assert text_of(saved({"1013": page}, values=values)).endswith("\n\nлампа")


RTF = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}\pard Gr\'fc\'dfe. It is lit, lit, lit, litlitlitlitlit.\par
\par From:\tab Ida Renn\par Sent:\tab Monday\par To:\tab Ada Finch\par Subject:\tab Oil\par\par Is it oil?\par}"""


@pytest.mark.parametrize("content", [packed(RTF), struct.pack("<LL4sL", len(RTF) + 12, len(RTF), b"MELA", 0) + RTF])
def test_a_message_in_rtf_is_read_with_what_it_quotes(content):
    own, quote = read_msg(saved({"1009": content})).parts
    assert own.text.endswith("\n\nGrüße. It is lit, lit, lit, litlitlitlitlit.")
    assert (quote.text, quote.within) == ("Is it oil?", ("Quoted: From: Ida Renn; Sent: Monday; To: Ada Finch; Subject: Oil",))


def test_a_page_that_is_kept_as_rtf_is_read_as_a_page():
    rtf = (
        rb"{\rtf1\ansi\fromhtml1{\*\htmltag96 <div>}\htmlrtf {\htmlrtf0 It is <lit>.{\*\htmltag104 </div>}\htmlrtf }\htmlrtf0}"
    )
    assert text_of(saved({"1009": packed(rtf)})).endswith("\n\nIt is <lit>.")


def test_rtf_longer_than_what_its_compression_looks_back_to_is_unpacked():
    words = " ".join(f"lamp {number} of {number * 7919 % 9973}" for number in range(900))
    assert text_of(saved({"1009": packed(rb"{\rtf1 " + words.encode() + rb"\par}")})).endswith(words)


# -- the head ----------------------------------------------------------------------------------------------------------------


def test_the_head_as_it_was_sent_comes_first():
    sent = (
        "Microsoft Mail Internet Headers Version 2.0\r\nReceived: by x\r\n\ty\r\nFrom: =?utf-8?q?J=C3=B6rg?= <j@x.example>\r\n"
        "To: all@x.example\r\nDate: Fri, 2 Jan 2026 11:00:00 +0100\r\n\r\nCc: no@x.example\r\n"
    )
    assert text_of(saved({"007D": sent, "1000": "Hi."} | SENDER)) == (
        "From: Jörg <j@x.example>\nTo: all@x.example\nCc: ida@example.org\nDate: Fri, 2 Jan 2026 11:00:00 +0100\n\nHi."
    )


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        ({"0C1A": "Ada"}, "Ada"),
        ({"0042": "Ada", "0C1F": "/O=ORLAU/OU=X/CN=ADA"}, "Ada"),
        ({"0C1A": "Ada", "0C1F": "/O=ORLAU/CN=ADA", "5D01": "ada@x.example"}, "Ada <ada@x.example>"),
        ({"0C1F": "ada@x.example"}, "ada@x.example"),
        ({"0C1A": "ADA@x.example", "0C1F": "ada@x.example"}, "ADA@x.example"),
        ({"0C1A": "Finch, Ada", "0C1F": "ada@x.example"}, '"Finch, Ada" <ada@x.example>'),
    ],
)
def test_the_sender_is_shown_without_addresses_of_exchange(texts, shown):
    assert text_of(saved(texts, recipients=())) == f"From: {shown}\nDate: {DATE}"


def test_without_recipients_those_that_outlook_shows_are_named():
    assert text_of(saved({"0E04": "Ada; Bo", "0E03": "Cy"}, recipients=())) == f"To: Ada; Bo\nCc: Cy\nDate: {DATE}"


def test_a_message_that_was_not_sent_has_no_date():
    assert text_of(saved({"1000": "Hi."}, recipients=(), values={"0E06": 0})) == "Hi."


def test_a_date_beyond_the_calendar_is_left_out():
    message = saved({"1000": "Hi."}, recipients=())
    assert text_of(message.replace(struct.pack("<Q", filetime(SENT)), b"\xff" * 8)) == "Hi."


def test_a_message_with_nothing_in_it_has_no_text():
    document = read_msg(saved({}, recipients=(), values={"0E06": 0}))
    assert (document.title, document.parts[0].text) == ("", "")


def test_attachments_are_named():
    attached = [{"3707": f"bill {number}.pdf", "3704": "BILL~1.PDF"} for number in range(30)]
    shown = ", ".join(f"bill {number}.pdf" for number in range(30))
    text = text_of(ordinary(attached=[*attached, {"3704": "OLD.DOC"}, {"3001": "A picture"}, {}, "Night watch"]))
    assert text.endswith(f"\n\nOil is dry.\n\nAttachments: {shown}, OLD.DOC, A picture, Night watch")


def test_an_appointment_says_when_it_begins_and_where_it_is():
    which = "00062002-0000-0000-C000-000000000046"
    named = [("00062003-0000-0000-C000-000000000046", 0x8105), (which, 0x820E), (which, 0x820D), (which, 0x8208)]
    values = {"0E06": 0, "8002": SENT, "8001": SENT.replace(hour=11)}
    texts = {"001A": "IPM.Appointment", "0037": "Drill", "8003": "Pier 3", "1000": "Bring oil."} | SENDER
    assert text_of(saved(texts, recipients=(), values=values, named=named)) == (
        f"From: Ada Finch <ada@example.org>\nStart: {DATE}\nEnd: {DATE.replace('10:', '11:')}\nLocation: Pier 3\n\nBring oil."
    )


def test_a_contact_says_how_it_is_reached():
    texts = {
        "001A": "IPM.Contact",
        "0037": "Lina Holt",
        "3A16": "Harbour Office",
        "3A08": "+47 555 01 22",
        "8000": "lina@x.example",
    }
    named = [("00062004-0000-0000-C000-000000000046", 0x8083)]
    document = read_msg(saved(texts, recipients=(), values={"0E06": 0}, named=named))
    assert document.title == "Lina Holt"
    assert document.parts[0].text == "E-mail: lina@x.example\nCompany: Harbour Office\nBusiness telephone: +47 555 01 22"


# -- what is no message, damaged or hostile ----------------------------------------------------------------------------------


UNPACKED, REFERS = "its text is compressed in an unknown way", "its text refers to what is not there"
NO_RTF, BROKEN_RTF = bytes(8) + b"ZIPs" + bytes(4), bytes(8) + b"LZFu" + bytes(4) + b"\xff\xff\xf0"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", r"is damaged .*; save it again"),
        (b"\0\1\2", r"is damaged .*; save it again"),
        (b"From: Ada\n\nHi.", r"is plain text by its content; rename it to NAME\.txt"),
        (compound_file({"WordDocument": b"1"}), r"is a document of Word by its content; rename it to NAME\.doc"),
        (ordinary()[:700], r"is damaged .*; save it again"),
        (saved({"1009": b"short"}), rf"is damaged \({UNPACKED}\); save it again"),
        (saved({"1009": NO_RTF}), rf"is damaged \({UNPACKED}\); save it again"),
        (saved({"1009": BROKEN_RTF}), rf"is damaged \({REFERS}\); save it again"),
    ],
)
def test_what_is_no_message_is_one_line(content, said):
    one_line_of(lambda: read_msg(content, "a.msg"), rf"^a\.msg {said}, or leave it out$")


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setattr(opening, "find_spec", lambda _: None)
    with pytest.raises(
        Unreadable, match=r"^a\.msg needs the library olefile .*; install it with: pip install 'hopweave\[documents\]'$"
    ) as caught:
        read_msg(ordinary(), "a.msg")
    assert caught.value.kind is Reason.NEEDS_LIBRARY


def test_compressed_rtf_that_is_cut_off_is_read_as_far_as_it_goes():
    content = packed(RTF)
    assert "It is lit" in text_of(saved({"1009": content[:120]}))


def test_compressed_rtf_that_grows_beyond_all_bounds_is_refused(monkeypatch):
    monkeypatch.setattr(outlook, "_MOST_UNPACKED", 1 << 20)
    content = saved({"1009": bytes(8) + b"LZFu" + bytes(4) + (b"\xff" + b"\x00\x0e" * 8) * 10_000})
    one_line_of(lambda: read_msg(content, "a.msg"), r"^the text of a\.msg is longer than 1 MiB; leave it out$")


def test_reading_stops_when_its_time_is_up():
    num_left = 300

    def check():
        nonlocal num_left
        num_left -= 1
        if not num_left:
            raise DataError("too slow; leave it out")

    with pytest.raises(DataError, match="too slow"):
        read_msg(ordinary(attached=[{"3707": "a"}] * 300), "a.msg", check)


MESSAGES = [
    ordinary(),
    ordinary(code_page=1252),
    saved({"1009": packed(RTF)}),
    saved(
        {"1013": b"<p>lit<table><tr><td>a</table>" * 300},
        values={"3FDE": 65001},
        attached=[{"3707": "a"}, "Night watch"],
        named=[("00062002-0000-0000-C000-000000000046", 0x820D)],
    ),
]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_messages_raise_nothing_but_a_line_that_says_so(data):
    content = bytearray(data.draw(st.sampled_from(MESSAGES)))
    for _ in range(data.draw(st.integers(0, 12))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.sampled_from([0, 1, 2, 254, 255]))
    end = data.draw(st.one_of(st.just(len(content)), st.integers(0, len(content))))
    said = ""
    try:
        read_msg(bytes(content[:end]), "a.msg")
    except DataError as error:
        said = str(error)
    assert not said or (said.startswith("a.msg ") and "; " in said and said.endswith("leave it out") and "\n" not in said)


@pytest.mark.slow
@pytest.mark.parametrize("tag", ["007D", "0037", "1000", "1013", "1009", "0E04"])
@pytest.mark.parametrize("piece", ["a", "\n", ":", "> ", "<p>", "=?", "From: a\n"])
def test_time_grows_with_the_length_and_not_faster(tag, piece):
    def seconds(number: int) -> float:
        rtf = b"{\\rtf1 " + piece.encode() * number
        literal = b"".join(b"\0" + rtf[at : at + 8] for at in range(0, len(rtf), 8))
        content = {"1013": (piece * number).encode(), "1009": bytes(8) + b"LZFu" + bytes(4) + literal}.get(tag, piece * number)
        message = saved({tag: content})
        began = time.process_time()
        read_msg(message)
        return time.process_time() - began

    # A bound that time that grows with the square, 64 times as much, would break by far.
    assert any(seconds(40_000) < 32 * max(seconds(5_000), 0.002) for _ in range(3))  # garbage may be collected meanwhile
