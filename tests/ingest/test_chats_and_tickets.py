"""Records and logs of what people said: who said it, and when."""

import json

import pytest
from support.corpora import read, written

from hopweave.ingest.tally import Tally


def chat(*said, **more):
    return [{"user": user, "ts": ts, "text": text, "channel": "lamps", **more} for user, ts, text in said]


SAID = chat(("ada", "2024-10-02T09:14:00Z", "The lamp is out."), ("ida", "2024-10-02T09:16:00Z", "Which one?"))


def test_messages_of_a_chat_are_one_text_with_who_said_what_and_when(tmp_path):
    tally = Tally()
    [passage] = read(written(tmp_path, "chat.json", json.dumps(SAID)), tally=tally)
    assert passage.text == "[2024-10-02 09:14:00Z] ada: The lamp is out.\n\n[2024-10-02 09:16:00Z] ida: Which one?"
    assert passage.title == "lamps"
    assert tally.num_records == 2


def test_a_text_of_messages_ends_before_it_is_too_long_and_where_another_channel_begins(tmp_path):
    many = chat(*[("ada", f"2024-10-02T09:{minute}:00Z", "The lamp is out again.") for minute in range(10, 40)])
    long = read(written(tmp_path, "long.json", json.dumps(many)), max_words=50)
    assert len(long) > 1
    assert all(len(passage.text.split()) <= 50 for passage in long)
    two = read(written(tmp_path, "two.json", json.dumps([SAID[0], {**SAID[1], "channel": "oil"}])))
    assert [passage.title for passage in two] == ["lamps", "oil"]


@pytest.mark.parametrize(
    ("ts", "shown"), [("1727860440.000100", "[2024-10-02 09:14] "), (1727860440000, "[2024-10-02 09:14] "), (None, "")]
)
def test_times_in_seconds_or_milliseconds_are_shown_as_dates(tmp_path, ts, shown):
    one = {"user_profile": {"real_name": "Ada Finch"}, "user": "U1", "ts": ts, "text": "The lamp is out."}
    [passage] = read(written(tmp_path, "chat.json", json.dumps([one])))
    assert passage.text == f"{shown}Ada Finch: The lamp is out."


def test_messages_before_a_damaged_line_are_kept(tmp_path):
    lines = "\n".join([*map(json.dumps, SAID), "{"])
    [passage] = read(written(tmp_path, "chat.jsonl", lines), lenient=True)
    assert "Which one?" in passage.text


def test_a_ticket_has_its_fields_before_its_text_and_its_comments_below_it(tmp_path):
    ticket = {
        "id": "LAMP-7",
        "title": "Lamp goes out",
        "status": "Closed",
        "assignee": {"name": "Ida Renn"},
        "body": "It goes out at night.",
        "history": [{"at": "2024-07-01", "status": "Open"}],
        "comments": [{"author": "Ada Finch", "at": "2024-07-04", "text": "It is the wick."}],
    }
    [passage] = read(written(tmp_path, "tickets.json", json.dumps([ticket])))
    assert (passage.id, passage.title) == ("LAMP-7", "Lamp goes out")
    assert passage.text == (
        "id: LAMP-7; status: Closed; assignee: Ida Renn.\n\nIt goes out at night.\n\nhistory at: 2024-07-01; status: Open.\n\n"
        "[2024-07-04] Ada Finch: It is the wick."
    )


def test_records_that_do_not_say_who_have_their_text_alone(tmp_path):
    record = {"id": "1", "title": "Lamp", "text": "It is lit.", "url": "https://lamps.example", "date": "2024-07-01"}
    [passage] = read(written(tmp_path, "pages.json", json.dumps([record])))
    assert passage.text == "It is lit."


@pytest.mark.parametrize(
    "text",
    [
        "[09:02] <ada> who lights it today?\n[09:03] <ida> I do\n[09:04] <ada> thank you, Ida\n[09:09] <ida> it is lit",
        "03/05/2024, 18:22 - Ada: who?\n03/05/2024, 18:25 - Ida: I do\n3/5/24, 18:26 - Ada: ok\n3/5/24, 19:00 - Ida: lit",
        "2024-09-10 02:14  It is out.\n2024-09-10 02:21  Ada saw.\n2024-09-10 02:40  Now cut.\n2024-09-10 03:00  It is lit.",
    ],
)
def test_each_entry_of_a_log_is_a_paragraph_of_its_own(tmp_path, text):
    text = f"LOG OF THE LAMP\n{text}"
    [passage] = read(written(tmp_path, "chat.txt", text))
    assert passage.text.split("\n\n") == text.split("\n")
    assert passage.title == "LOG OF THE LAMP"


def test_lines_without_a_time_belong_to_the_entry_before_them_and_a_day_is_a_heading(tmp_path):
    said = "[09:02] <ada> two things:\noil and wicks\n[09:03] <ida> yes, both\n[09:04] <ada> good then\n[09:05] <ida> see you"
    text = f"--- Day changed Wed Jun 12 2024\n{said}"
    [passage] = read(written(tmp_path, "chat.log", text))
    assert passage.sections == ("Wed Jun 12 2024",)
    assert passage.text.split("\n\n")[1] == "[09:02] <ada> two things:\noil and wicks"


def test_a_text_that_only_has_some_times_is_no_log(tmp_path):
    times = "10:00 Brno\n10:30 Graz\n11:00 Sula\n12:00 Orlau"
    text = f"The ferry leaves at nine.\n{times}\nIt is back at five.\nNo ferry runs on Sunday.\nAsk Ada."
    [passage] = read(written(tmp_path, "ferry.txt", text))
    assert passage.text == text


def test_a_first_line_in_capitals_is_the_title_of_a_text(tmp_path):
    [passage] = read(
        written(tmp_path, "policy_v2.txt", "TRAVEL POLICY OF ORLAU LTD\nValid from May.\n\n1. Hotels\nA night costs 90 euros.")
    )
    assert passage.title == "TRAVEL POLICY OF ORLAU LTD"
