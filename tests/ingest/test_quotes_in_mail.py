"""Quotes of earlier messages: told from what the sender wrote, and read once."""

import pytest
from support.corpora import read, written
from support.readers import without_quotes

from hopweave.ingest.tally import Tally

EARLIER = (
    "The lamp of Orlau needs a fixed oil before the winter begins. Should we take rape oil? It is what the old lamp burned "
    "until last year, and the keeper liked it."
)


def mail(text, subject="Oil", sender="Ada Finch <ada@lamps.example>", kind="plain"):
    head = f"From: {sender}\nTo: keepers@lamps.example\nDate: Mon, 4 Mar 2024 09:12:00 +0000\nSubject: {subject}"
    return f"{head}\nContent-Type: text/{kind}; charset=utf-8\n\n{text}\n"


@pytest.mark.parametrize(
    ("end", "whose"),
    [
        (f"On Mon, Ada Finch <ada@lamps.example> wrote:\n> {EARLIER}", "On Mon, Ada Finch <ada@lamps.example> wrote"),
        (f"On Mon, Ada Finch\n<ada@lamps.example> wrote:\n> {EARLIER}", "On Mon, Ada Finch <ada@lamps.example> wrote"),
        (f"> {EARLIER}", ""),
        (
            f"-----Original Message-----\nFrom: Ada Finch\nSent: Monday\nTo: Keepers\n\n{EARLIER}",
            "From: Ada Finch; Sent: Monday; To: Keepers",
        ),
        (f"{'_' * 32}\nVon: Ada Finch\nGesendet: Montag\nAn: alle\n\n{EARLIER}", "Von: Ada Finch; Gesendet: Montag; An: alle"),
    ],
)
def test_what_a_message_quotes_at_its_end_is_told_from_what_it_says(end, whose):
    own, [quote] = without_quotes(f"No, whale oil.\n\n{end}")
    assert own == "No, whale oil."
    assert (quote.whose, quote.text) == (whose, EARLIER)


def test_quotes_within_quotes_are_each_told_whose_they_are():
    text = "Yes.\n\nIda wrote:\n> No.\n>\n> Ada wrote:\n>> Is it oil?"
    own, quotes = without_quotes(text)
    assert own == "Yes."
    assert [tuple(quote) for quote in quotes] == [("Ida wrote", "No."), ("Ada wrote", "Is it oil?")]


def test_a_quote_that_is_answered_below_it_stays_above_its_answer():
    own, quotes = without_quotes("> Which oil\n> is it?\nRape oil.\n\n> Until when?\nUntil May.")
    assert own == "> Which oil is it?\n\nRape oil.\n\n> Until when?\n\nUntil May."
    assert not quotes


def test_a_message_without_a_quote_is_left_as_it_is():
    text = "From: the harbour\nthe ship leaves at 9.\n\nPrices:\n5 > 4"
    assert without_quotes(text) == (text, [])


def test_passages_of_a_message_have_its_sender_and_date_above_them_and_quotes_whoever_wrote_those(tmp_path):
    text = f"{'The keeper lights the lamp at nine. ' * 40}\n\nOn Mon, Ida Renn wrote:\n> {EARLIER}"
    passages = read(written(tmp_path, "a.eml", mail(text)), max_words=100)
    assert {passage.sections for passage in passages[:-1]} == {
        ("Ada Finch <ada@lamps.example>, Mon, 4 Mar 2024 09:12:00 +0000",)
    }
    assert passages[-1].sections == ("Quoted: On Mon, Ida Renn wrote",)
    assert (passages[-1].text, passages[-1].source.rpartition("#")[2]) == (EARLIER, "quote=1")


def test_quotes_of_an_html_message_are_told_as_those_of_plain_text(tmp_path):
    page = f"<h1>Oil</h1><p>No, whale oil.</p><div>Ida Renn wrote:</div><blockquote><p>{EARLIER}</p></blockquote>"
    own, quote = read(written(tmp_path, "a.eml", mail(page, kind="html")))
    assert own.text.endswith("\n\nOil\n\nNo, whale oil.")
    assert (quote.text, quote.sections) == (EARLIER, ("Quoted: Ida Renn wrote",))


def test_a_quote_of_a_message_that_was_read_is_left_out_as_a_copy(tmp_path):
    first = written(tmp_path, "1.eml", mail(EARLIER))
    second = written(tmp_path, "2.eml", mail(f"No, whale oil.\n\nAda wrote:\n> {EARLIER}"))
    tally = Tally()
    passages = read(first, second, tally=tally)
    assert [passage.text.count("rape oil") for passage in passages] == [1, 0]
    assert tally.num_copies == 1


def test_a_quote_of_an_earlier_message_of_a_mailbox_is_left_out(tmp_path):
    box = "".join(
        f"From ada Mon Mar 04 09:1{number}:00 2024\n{mail(text)}\n"
        for number, text in enumerate((EARLIER, f"No, whale oil.\n\nAda wrote:\n> {EARLIER}"))
    )
    path = written(tmp_path, "box.mbox", box)
    assert [passage.text.count("rape oil") for passage in read(path)] == [1, 0]
    assert [passage.text.count("rape oil") for passage in read(path, keep_copies=True)] == [1, 0, 1]


def test_a_quote_with_marks_whose_head_has_marks_too_is_read_once():
    text = """We use 36.

> From: f@orlau.example
> Date: Tue, 11 Jun 2024
> Subject: Cores
>
> The other 36 are fine.

>> From: n@orlau.example
>> Date: Sun, 9 Jun 2024
>> Subject: Cores
>>
>> Twelve of 48 are warm.
"""
    own, quotes = without_quotes(text)
    assert own == "We use 36."
    assert [quote.text for quote in quotes] == ["The other 36 are fine.", "Twelve of 48 are warm."]
    assert [quote.whose.partition(";")[0] for quote in quotes] == ["From: f@orlau.example", "From: n@orlau.example"]
