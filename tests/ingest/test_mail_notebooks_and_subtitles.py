"""Mail, notebooks and subtitles: what people wrote and said, its title, its place, and what is left out."""

import gzip
import json
import mailbox
import time
from email.message import EmailMessage

import pytest
from support.corpora import read, refused, written
from support.readers import read_mail

from hopweave.ingest.recognise import format_of
from hopweave.ingest.tally import Tally


def message(text="The lamp is lit.\n\nOil is dry.", html=None, subject="Oil für Kerrow", **more):
    made = EmailMessage()
    made["From"], made["To"], made["Date"] = (
        "Ada Finch <ada@example.org>",
        "sula@example.org",
        "Fri, 02 Jan 2026 10:00:00 +0000",
    )
    made["Subject"], made["Message-ID"] = subject, "<1@example.org>"
    if text is not None:
        made.set_content(text, **more)
    if html is not None:
        made.add_alternative(html, subtype="html") if text is not None else made.set_content(html, subtype="html")
    return made


HEAD = "From: Ada Finch <ada@example.org>\nTo: sula@example.org\nDate: Fri, 02 Jan 2026 10:00:00 +0000"


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1"])
def test_a_message_is_its_subject_its_head_and_its_text(tmp_path, charset):
    [passage] = read(written(tmp_path, "a.eml", message("Grüße.\n\nOil is dry.", charset=charset).as_bytes()))
    assert (passage.id, passage.title) == ("a.eml", "Oil für Kerrow")
    assert passage.text == f"{HEAD}\n\nGrüße.\n\nOil is dry."


@pytest.mark.parametrize("charset", ["utf-8", "latin-1"])
def test_letters_that_a_head_has_without_encoding_are_read(charset):
    read = read_mail("From: École des Aubépines <ecole@orvanches.example>\nSubject: Réunion\n\nBonjour".encode(charset))
    assert read.title == "Réunion"
    assert read.parts[0].text.startswith("From: École des Aubépines")


def test_plain_text_comes_before_html_and_attachments_are_named(tmp_path):
    both = message(html="<p>Not this.")
    both.add_attachment(b"It is 9.", maintype="application", subtype="octet-stream", filename="bill für oil.txt")
    passage, _ = read(written(tmp_path, "a.eml", both.as_bytes()))
    assert passage.text == f"{HEAD}\n\nThe lamp is lit.\n\nOil is dry.\n\nAttachments: bill für oil.txt"
    page = message(None, "<h1>Oil</h1><p>It is <b>dry</b>.<script>no</script>")
    [passage] = read(written(tmp_path, "b.eml", page.as_bytes()), max_words=0)
    assert passage.text == f"{HEAD}\n\nOil\n\nIt is dry."


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b"Subject: =?x?b?!!!?=\n\n\xff", b"Content-Type: multipart/mixed; boundary=\"\n\n--",
     b"a: b\n" * 99_999]
)  # fmt: skip
def test_a_damaged_message_is_read_as_far_as_it_goes(content):
    read_mail(content)


def test_a_message_of_endless_parts_within_each_other_is_one_line(tmp_path):
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (number, number) for number in range(9_000))
    refused(written(tmp_path, "a.eml", nested), match=r"a\.eml is nested too deeply; leave it out")


@pytest.mark.parametrize("name", ["in.mbox", "Inbox", "in.mbox.gz"])
def test_a_mailbox_is_its_messages(tmp_path, name):
    box = mailbox.mbox(tmp_path / "made")
    for number in range(3):
        box.add(message(f"Lamp {number}.\n\nFrom here on, all is dark.", subject=f"Night {number}"))
    box.close()
    content = (tmp_path / "made").read_bytes()
    tally = Tally()
    found = read(written(tmp_path, name, gzip.compress(content) if name.endswith(".gz") else content), tally=tally)
    assert [(one.id, one.title) for one in found] == [(f"{name}/{number + 1}.eml", f"Night {number}") for number in range(3)]
    assert found[2].text.endswith("Lamp 2.\n\nFrom here on, all is dark.")
    assert tally.num_files == 3


@pytest.mark.parametrize("line", ["From now on, all is dark.", "From 10:00 on, all is dark.", "From here:\nnote: all is dark."])
def test_a_paragraph_that_begins_with_from_belongs_to_its_message(tmp_path, line):
    begins = "From a@b Fri Jan  2 10:00:00 2026\n"
    content = f"{begins}Subject: One\n\n{line}\n\n{line}\n\n{begins}Subject: Two\n\nThe lamp.\n"
    found = read(written(tmp_path, "in.mbox", content))
    assert [(one.title, one.text) for one in found] == [("One", f"{line}\n\n{line}"), ("Two", "The lamp.")]


def test_what_is_no_mailbox_is_told(tmp_path):
    refused(
        written(tmp_path, "a.mbox", "The lamp.\n" * 9), match=r"a\.mbox is not a mailbox: it begins with no line 'From \.\.\.'"
    )


def test_a_message_too_long_to_hold_is_left_out_of_its_mailbox(tmp_path):
    content = (
        b"From a Fri\nSubject: One\n\n" + b"lamp " * 300_000 + b"\n\nFrom b Fri Jan  2 10:00:00 2026\nSubject: Two\n\nlamp\n"
    )
    tally = Tally()
    found = read(written(tmp_path, "a.mbox", content), tally=tally, lenient=True, max_row_mib=1)
    assert [one.title for one in found] == ["Two"]
    assert "1.eml is longer than 1 MiB" in tally.unread[0].reason


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"Return-Path: <a@b>\nReceived: by x\n\ty\nFrom: a@b\nSubject: x\n\nlamp", ".eml"),
        (b"Metadata-Version: 2.1\nName: lamp\nAuthor: Ada\n\nThe lamp.", ".txt"),
        (b"From a@b Fri Jan  2 10:00:00 2026\nReceived: by x\n\nlamp", ".mbox"),
        (b"From here on: all is dark.\n", ".txt"),
    ],
)
def test_mail_without_a_suffix_is_recognised_and_other_fields_are_not_mail(head, expected):
    assert format_of(head) == expected


# -- notebooks ---------------------------------------------------------------------------------------------------------------

CELLS = [
    {"cell_type": "markdown", "source": ["# Lamp\n", "\n", "It is *lit*.\n"]},
    {"cell_type": "code", "source": "light()\n\n\nwait()", "outputs": [
        {"output_type": "stream", "text": ["\x1b[32mlit\x1b[0m\n", "dark\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "42", "image/png": "iVBORw0KGgo="}},
        {"output_type": "error", "traceback": ["no"]},
    ]},
    {"cell_type": "markdown", "source": "## Oil\n```\nnever closed"},
    {"cell_type": "raw", "source": "as it is"},
    "no cell",
]  # fmt: skip


def test_a_notebook_is_its_text_its_code_and_its_output(tmp_path):
    path = written(tmp_path, "a.ipynb", json.dumps({"cells": CELLS, "nbformat": 4}))
    [passage] = read(path, max_words=0)
    assert passage.title == "Lamp"
    assert passage.text == "Lamp\n\nIt is lit.\n\nlight()\nwait()\n\nlit\ndark\n\n42\n\nOil\n\nnever closed\n\nas it is"
    assert read(path, max_words=4)[-1].sections == ("Oil",)


@pytest.mark.parametrize("content", ["{}", "[]", '{"cells": 1}', "{", '{"cells": [', '{"worksheets": [1]}', "7"])
def test_what_is_no_notebook_is_one_line(tmp_path, content):
    refused(written(tmp_path, "a.ipynb", content), match=r"a\.ipynb.* is not (a notebook|JSON)")


# -- subtitles ---------------------------------------------------------------------------------------------------------------


def test_subtitles_are_what_is_said_with_the_time_as_place(tmp_path):
    cues = [
        f"{n + 1}\n00:{n * 10 // 60:02}:{n * 10 % 60:02},500 --> 00:59:59,000\n<i>Lamp</i> {n} {{\\an8}}is lit.\n"
        for n in range(20)
    ]
    found = read(written(tmp_path, "talk.srt", "\r\n".join("\n".join(cues).split("\n"))))
    assert [one.source.partition("#")[2] for one in found] == ["t=00:00:00", "t=00:01:00", "t=00:02:00", "t=00:03:00"]
    assert found[1].text.split("\n") == [f"Lamp {n} is lit." for n in range(6, 12)]
    assert {one.title for one in found} == {"talk"}


def test_web_subtitles_name_who_speaks_and_repeat_nothing(tmp_path):
    content = (
        "WEBVTT - a title\n\nNOTE not\nsaid\n\nSTYLE\n::cue {}\n\nid\n00:03.000 --> 00:05.000 align:start\n"
        "<v Ada>The lamp\n<c.x>is lit</c> &amp; dry."
        "\n\n1:00:05.000 --> 1:00:06.000\n<c.x>is lit</c> &amp; dry.\nGood.\n"
    )  # fmt: skip
    found = read(written(tmp_path, "a.vtt", content))
    assert [(one.source.partition("#")[2], one.text) for one in found] == [
        ("t=00:00:03", "Ada: The lamp\nis lit & dry."),
        ("t=01:00:05", "Good."),
    ]


def test_a_field_of_endless_parameters_takes_no_time():
    begun = time.process_time()
    read_mail(b"Content-Type: multipart/mixed" + b"; a*0=b" * 200_000 + b"\n\nlamp")
    assert time.process_time() - begun < 5
