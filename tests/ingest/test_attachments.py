"""What is attached to messages: read as files of their own, cited under their message, and never taken for anything else."""

import gzip
import mailbox
from email.message import EmailMessage
from pathlib import PurePosixPath

import pytest
from apps.cli.test_index_of_folders import put, sync, texts
from hypothesis import given
from hypothesis import strategies as st
from ingest.test_copies import prose
from ingest.test_outlook import ordinary
from support.corpora import read, refused, written
from support.documents import pdf, zipped

from hopweave.ingest.attachments import attached_files
from hopweave.ingest.document import Attachment
from hopweave.ingest.formats import CorpusFile
from hopweave.ingest.process_reading import ProcessReading
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.ingest.reasons import Reason
from hopweave.ingest.tally import Tally
from hopweave.retrieval.engines.bm25 import BM25

WHOSE = "Ada Finch <ada@example.org>, Fri, 02 Jan 2026 10:00:00 +0000"
WITHIN = f"Attached to: Oil, {WHOSE}"
PRICES = b"item,price\nOil,4 pounds\nWick,2 pounds\n"


def message(*attached, subject="Oil"):
    """A message; each attachment is a name, its content, and further arguments of `add_attachment`."""
    made = EmailMessage()
    made["From"], made["Date"] = WHOSE.split(", ", 1)
    made["Subject"], made["Message-ID"] = subject, "<1@example.org>"
    made.set_content("The bill is attached.")
    for name, content, *more in attached:
        kinds = {"maintype": "application", "subtype": "octet-stream", **(more[0] if more else {})}
        made.add_attachment(content, filename=name, **kinds)
    return made


def saved(folder, name, *attached, **more):
    return written(folder, name, message(*attached, **more).as_bytes())


def mailbox_of(folder, *messages):
    box = mailbox.mbox(folder / "in.mbox")
    for one in messages:
        box.add(one)
    box.close()
    return folder / "in.mbox"


def test_an_attachment_is_a_document_below_its_message(tmp_path):
    tally = Tally()
    page = b"# Lamp\n\n## Oil\n\nThe lamp burns two litres a night."
    found = read(saved(tmp_path, "a.eml", ("bill.pdf", pdf("It costs 9 pounds.")), ("lamp.md", page)), tally=tally)
    assert [(one.id, one.title, one.sections) for one in found] == [
        ("a.eml", "Oil", (WHOSE,)),
        ("a.eml/bill.pdf#1", "bill", (WITHIN,)),
        ("a.eml/lamp.md", "Lamp", (WITHIN, "Oil")),
    ]
    assert found[1].source.endswith("/a.eml/bill.pdf#page=1")
    assert found[0].text.endswith("Attachments: bill.pdf, lamp.md")
    assert (tally.num_found, dict(tally.read), tally.num_skipped) == (3, {".eml": 1, ".pdf": 1, ".md": 1}, 0)


def test_rows_of_an_attached_table_are_records_below_their_message(tmp_path):
    _, oil, wick = read(saved(tmp_path, "a.eml", ("prices.csv", PRICES)))
    assert (oil.title, oil.text, oil.sections) == ("Oil", "item: Oil; price: 4 pounds.", (WITHIN,))
    assert wick.source.endswith("/a.eml/prices.csv")
    named = b'{"id": "7", "title": "Wick", "text": "It is nine metres long."}\n'
    [_, record] = read(saved(tmp_path, "b.eml", ("wicks.jsonl", named)))
    assert (record.id, record.sections) == ("7", (WITHIN,))


def test_attachments_are_read_compressed_and_without_a_suffix(tmp_path):
    text = b"The wick is nine metres long, and the lamp burns two litres a night."
    found = read(saved(tmp_path, "a.eml", ("notes.txt.gz", gzip.compress(text)), ("NOTES", text), ("page", pdf("Nine."))))
    assert [(one.id, one.text) for one in found[1:3]] == [("a.eml/notes.txt.gz", text.decode()), ("a.eml/NOTES", text.decode())]
    assert found[3].text == "Nine."


def test_an_attached_text_is_no_text_of_the_message(tmp_path):
    own, attached = read(saved(tmp_path, "a.eml", ("note.txt", b"Nine.", {"maintype": "text", "subtype": "plain"})))
    assert "Nine" not in own.text
    assert attached.text == "Nine."


def test_what_is_attached_to_a_message_of_outlook_is_read(tmp_path):
    attached = [{"3707": "bill.txt", "3701": b"It costs 9 pounds."}, "Night watch", {"3704": "OLD.TXT", "3701": b"It was 8."}]
    own, bill, old = read(written(tmp_path, "a.msg", ordinary(attached=attached)))
    assert own.text.endswith("Attachments: bill.txt, Night watch, OLD.TXT")
    assert [(one.id, one.text) for one in (bill, old)] == [
        ("a.msg/bill.txt", "It costs 9 pounds."),
        ("a.msg/OLD.TXT", "It was 8."),
    ]
    assert bill.sections == (f"Attached to: Oil für Kerrow, {WHOSE}",)


def test_pictures_that_the_page_of_a_message_shows_are_not_attached(tmp_path):
    kind = {"maintype": "image", "subtype": "png", "cid": "<logo>"}
    tally = Tally()
    shown, sent = ("logo.png", b"\x89PNG", {**kind, "disposition": "inline"}), ("scan.gif", b"GIF89a\0\1", kind)
    [own] = read(saved(tmp_path, "a.eml", shown, sent), tally=tally)
    assert own.text.endswith("Attachments: scan.gif")
    assert tally.skipped == {Reason.UNKNOWN_FORMAT: {".gif": 1}}
    on_page = {"3707": "logo.png", "3701": b"\x89PNG", "flags": 4}
    [own] = read(written(tmp_path, "a.msg", ordinary(attached=[on_page])))
    assert "logo" not in own.text


def test_what_cannot_be_read_is_listed_and_the_message_is_kept(tmp_path):
    tally = Tally()
    cut = gzip.compress(b"The wick is nine metres long. " * 99)[:-20]
    path = saved(tmp_path, "a.eml", ("bill.pdf", b"%PDF-1.7 no"), ("notes.txt.gz", cut), ("x.zip", zipped({"a.txt": "a"})))
    [own] = read(path, tally=tally, lenient=True)
    assert own.text.startswith("From: Ada Finch")
    assert [one.source.rpartition("/a.eml/")[2] for one in tally.unread] == ["bill.pdf", "notes.txt.gz"]
    assert [*tally.skipped[Reason.SPECIAL]] == [f"{path.as_posix()}/x.zip (.zip to be unpacked first)"]
    assert tally.num_found == tally.num_files + tally.num_skipped == 4
    refused(path, match=r"a\.eml/bill\.pdf ")


def test_source_code_and_mailboxes_that_are_attached_are_not_read(tmp_path):
    box = mailbox_of(tmp_path, message(subject="Wick")).read_bytes()
    (tmp_path / "in.mbox").unlink()
    tally = Tally()
    code = b"The lamp is lit here, as every night of the year.\n"
    [own] = read(saved(tmp_path, "a.eml", ("lamp.py", code), ("lamp.css", code), ("box", box)), tally=tally)
    assert own.text.endswith("Attachments: lamp.py, lamp.css, box")
    assert tally.skipped[Reason.SOURCE_CODE] == {".py": 1, ".css": 1}
    [name] = tally.skipped[Reason.SPECIAL]
    assert name.endswith("/a.eml/box (.mbox to be unpacked first)")


def test_a_message_that_is_attached_is_read_without_what_is_attached_to_it(tmp_path):
    inner = message(("deep.txt", b"Nine."), subject="Wick")
    outer = message(("forwarded.eml", inner.as_bytes()))
    tally = Tally()
    [_, forwarded] = read(written(tmp_path, "a.eml", outer.as_bytes()), tally=tally)
    assert (forwarded.id, forwarded.title, forwarded.sections) == ("a.eml/forwarded.eml", "Wick", (WITHIN, WHOSE))
    [(name, number)] = tally.skipped[Reason.SPECIAL].items()
    assert (name.rpartition("/a.eml/")[2], number) == ("forwarded.eml/deep.txt (attached to an attached message)", 1)


def test_a_mailbox_has_what_is_attached_again_only_once(tmp_path):
    other = (("prices.csv", PRICES), ("wick.txt", b"Nine metres."))
    path = mailbox_of(tmp_path, message(("prices.csv", PRICES)), message(*other), message(("prices.csv", PRICES + b"Ink,1\n")))
    tally = Tally()
    found = read(path, tally=tally)
    assert [one.source.rpartition("/in.mbox/")[2] for one in found] == [
        *("1.eml", "1.eml/prices.csv", "1.eml/prices.csv", "2.eml", "2.eml/wick.txt"),
        *("3.eml", "3.eml/prices.csv", "3.eml/prices.csv", "3.eml/prices.csv"),
    ]
    [name] = tally.skipped[Reason.ATTACHED_AGAIN]
    assert name.endswith("/in.mbox/2.eml/prices.csv")
    assert tally.num_found == tally.num_files + tally.num_skipped
    kept = read(path, keep_copies=True)
    assert [one.id for one in kept if "wick" in one.id] == ["in.mbox/2.eml/wick.txt"]


def test_a_file_that_is_also_attached_is_one_passage_and_comes_back_when_the_file_goes(tmp_path):
    to, text = tmp_path / "index", prose(1)
    folder = put(tmp_path / "x", a_txt=text)
    saved(folder, "b.eml", ("report.txt", text.encode()), ("again.md", text.encode()))
    sync(to, folder)
    assert set(texts(to)) == {"a.txt", "b.eml"}
    origin = BM25(to).origin_of("a.txt")
    assert origin is not None
    assert origin.also_in == ("b.eml/again.md", "b.eml/report.txt")
    (folder / "a.txt").unlink()
    sync(to, folder)
    assert set(texts(to)) == {"b.eml", "b.eml/report.txt"}
    assert sync(to, folder).synced.unchanged == 1
    saved(folder, "b.eml", ("other.txt", prose(2).encode()))
    sync(to, folder)
    assert set(texts(to)) == {"b.eml", "b.eml/other.txt"}
    (folder / "b.eml").unlink()
    sync(to, put(folder, c_txt="Something else."))
    assert set(texts(to)) == {"c.txt"}


def test_other_processes_read_the_same(tmp_path):
    for number in range(5):
        saved(tmp_path, f"{number}.eml", ("bill.pdf", pdf(f"It costs {number} pounds.")), ("prices.csv", PRICES))
    elsewhere = ProcessReading(2)
    try:
        there = list(read_corpus([tmp_path], elsewhere=elsewhere))
    finally:
        elsewhere.close()
    assert there == read(tmp_path)
    assert len(there) == 5 + 5 + 10


@pytest.mark.parametrize(
    ("name", "below"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\bills\\oil.txt", "oil.txt"),
        ("..", "attachment"),
        (" .txt ", "txt"),
        ("/", "attachment"),
        ("a\nb.txt", "a b.txt"),
    ],
)
def test_a_name_never_leads_out_of_the_message(tmp_path, name, below):
    file = CorpusFile(tmp_path / "a.eml", "a.eml", "a.eml")
    [(found, _)] = attached_files(file, [Attachment(name, b"Nine metres of wick.", "")])
    assert found.document_id == f"a.eml/{below}"


@given(st.lists(st.text(max_size=12), max_size=12))
def test_every_attachment_has_an_id_of_its_own(names):
    file = CorpusFile(PurePosixPath("a.eml"), "a.eml", "a.eml")
    found = [one for one, _ in attached_files(file, [Attachment(name, b"Nine.", "") for name in names])]
    assert len({one.document_id for one in found}) == len(found) == len(names)
    assert all(one.document_id.startswith("a.eml/") and len(one.document_id) > len("a.eml/") for one in found)


def test_labels_apply_to_what_is_attached(tmp_path):
    path = saved(tmp_path, "a.eml", ("bill.txt", b"It costs 9 pounds."), ("prices.csv", PRICES))
    found = read_corpus([path], options=CorpusOptions(access=("crew",)))
    assert {one.access for one in found} == {("crew",)}


EVENT = (
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20240312T090000Z\nSUMMARY:Inspection\nLOCATION:Dock 3\nEND:VEVENT\n"
    "END:VCALENDAR\n"
)


@pytest.mark.parametrize("is_attached_as_well", [False, True])
def test_an_invitation_without_a_name_is_read_once(tmp_path, is_attached_as_well):
    sent = EmailMessage()
    sent["Subject"], sent["From"] = "Inspection", "Ada <ada@x.example>"
    sent.set_content("You are invited.")
    sent.add_alternative(EVENT, subtype="calendar", params={"method": "REQUEST"})
    if is_attached_as_well:
        sent.add_attachment(EVENT, subtype="calendar", filename="invite.ics")
    (tmp_path / "a.eml").write_bytes(sent.as_bytes())
    letter, event = read(tmp_path)
    assert "You are invited." in letter.text
    assert event.id == f"a.eml/{'invite' if is_attached_as_well else 'invitation'}.ics"
    assert "where: Dock 3" in event.text


def test_an_attached_message_has_its_subject_and_its_sender_above_its_text(tmp_path):
    inner = EmailMessage()
    inner["Subject"], inner["From"], inner["Date"] = "Seals", "Tamm <t@x.example>", "Mon, 04 Mar 2024 09:00:00 +0000"
    inner.set_content("Ten seals cost 88 euros.")
    outer = EmailMessage()
    outer["Subject"], outer["From"] = "Fwd", "Ada <ada@x.example>"
    outer.set_content("<p>See below.</p>", subtype="html")
    outer.add_attachment(inner)
    (tmp_path / "a.eml").write_bytes(outer.as_bytes())
    [passage] = read(tmp_path)
    assert passage.text.split("\n\n")[1:] == [
        "See below.",
        "Subject: Seals\nFrom: Tamm <t@x.example>\nDate: Mon, 04 Mar 2024 09:00:00 +0000",
        "Ten seals cost 88 euros.",
    ]
