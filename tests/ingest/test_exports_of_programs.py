"""Chats, notes and references as programs export them."""

import json

import pytest
from support.corpora import read, refused, written

from hopweave.ingest import pandoc, slack_export
from hopweave.ingest.tally import Tally

needs_pandoc = pytest.mark.skipif(pandoc._converter() is None, reason="pandoc is not installed")


def of_slack(user, text, ts="1709540000.000200", **more):
    blocks = [{"type": "rich_text", "block_id": "x", "elements": [{"type": "text", "text": text}]}]
    return {"type": "message", "user": user, "text": text, "ts": ts, "blocks": blocks, **more}


def test_a_day_of_slack_has_the_names_of_people_channels_and_links(tmp_path):
    written(tmp_path, "users.json", json.dumps([{"id": "U1", "name": "ada", "profile": {"real_name": "Ada Finch"}}]))
    (tmp_path / "crane").mkdir()
    said = [
        of_slack("U1", "The gearbox of Lind &amp; Sons is late, see <https://lind.example/77|tracking> in <#C1|crane>."),
        of_slack("U2", "<@U1> and <@U2>: <!here> look", user_profile={"real_name": "Ben Orlau"}),
    ]
    [passage] = read(written(tmp_path / "crane", "2024-03-04.json", json.dumps(said)))
    assert passage.title == "crane 2024-03-04"
    assert passage.text == (
        "[2024-03-04 08:13] Ada Finch: The gearbox of Lind & Sons is late, see tracking in #crane.\n\n"
        "[2024-03-04 08:13] Ben Orlau: @Ada Finch and @Ben Orlau: @here look"
    )


def test_the_people_of_slack_are_read_once(tmp_path, monkeypatch):
    people = written(tmp_path, "users.json", json.dumps([{"id": "U1", "profile": {"real_name": "Ada Finch"}}]))
    (tmp_path / "crane").mkdir()
    for day in ("2024-03-04", "2024-03-05"):
        written(tmp_path / "crane", f"{day}.json", json.dumps([of_slack("U1", f"It is {day}.")]))
    opened = []
    read_json = slack_export.read_json
    monkeypatch.setattr(slack_export, "read_json", lambda file, *given: opened.append(file.path) or read_json(file, *given))
    found = read(tmp_path / "crane")
    assert [passage.text.split("] ")[1] for passage in found] == [
        "Ada Finch: It is 2024-03-04.",
        "Ada Finch: It is 2024-03-05.",
    ]
    assert opened == [people]


def test_the_only_message_of_a_day_is_one_as_well(tmp_path):
    [passage] = read(written(tmp_path, "2024-03-05.json", json.dumps([of_slack("U1", "The hose burst.")])))
    assert passage.text == "[2024-03-04 08:13] U1: The hose burst."


def test_a_chat_of_telegram_is_one_text_below_its_name(tmp_path):
    chat = {
        "name": "Garden",
        "type": "private_group",
        "messages": [
            {"id": 1, "type": "service", "date": "2024-04-01T09:00:00", "actor": "Ada", "text": ""},
            {"id": 2, "date": "2024-04-01T09:05:00", "from": "Ada", "text": "Copper in April."},
            {"id": 3, "date": "2024-04-01T09:06:00", "from": "Ben", "text": ["I saw ", {"type": "link", "text": "it"}, "."]},
        ],
    }
    tally = Tally()
    [passage] = read(written(tmp_path, "result.json", json.dumps(chat)), tally=tally, lenient=True)
    assert passage.title == "Garden"
    assert passage.text == "[2024-04-01 09:05:00] Ada: Copper in April.\n\n[2024-04-01 09:06:00] Ben: I saw it."


def test_a_chat_of_discord_says_who_by_the_name_that_is_shown(tmp_path):
    message = {
        "id": "3",
        "timestamp": "2024-03-04T10:00:00",
        "content": "Part 21951346.",
        "author": {"name": "ada9", "nickname": "Ada"},
    }
    [passage] = read(written(tmp_path, "chat.json", json.dumps({"channel": {"name": "engines"}, "messages": [message]})))
    assert (passage.title, passage.text) == ("engines", "[2024-03-04 10:00:00] Ada: Part 21951346.")


def test_a_chat_of_teams_has_names_and_html_within_objects(tmp_path):
    said = {
        "createdDateTime": "2024-03-04T10:00:00Z",
        "from": {"user": {"displayName": "Ada"}},
        "body": {"content": "<p>At <b>ten</b>.</p>"},
    }
    [passage] = read(written(tmp_path, "harbour.json", json.dumps({"value": [{"id": "1", **said}]})))
    assert (passage.title, passage.text) == ("harbour", "[2024-03-04 10:00:00Z] Ada: At ten.")


def test_a_chat_of_matrix_has_its_words_within_objects(tmp_path):
    said = {
        "type": "m.room.message",
        "sender": "@ada:x.example",
        "origin_server_ts": 1709540000000,
        "content": {"body": "At ten."},
    }
    [passage] = read(written(tmp_path, "export.json", json.dumps({"room_name": "Harbour", "messages": [said]})))
    assert (passage.title, passage.text) == ("Harbour", "[2024-03-04 08:13] @ada:x.example: At ten.")


def test_a_post_of_a_web_site_is_read_as_it_was_rendered(tmp_path):
    post = {
        "id": 7,
        "title": {"rendered": "Lamps"},
        "content": {"rendered": "<p>They are lit.</p><p>At dusk.</p>", "protected": False},
    }
    [passage] = read(written(tmp_path, "posts.json", json.dumps([post])))
    assert (passage.id, passage.title, passage.text) == ("7", "Lamps", "They are lit.\n\nAt dusk.")


def test_letters_of_facebook_are_put_right(tmp_path):
    message = {
        "sender_name": "Ren\u00c3\u00a9",
        "timestamp_ms": 1709540000000,
        "content": "Na\u00c3\u00afve \u00e2\u0082\u00ac",
    }
    chat = {"title": "Boats", "messages": [message, {"sender_name": "Ada", "timestamp_ms": 1709540000000, "content": "Café"}]}
    [passage] = read(written(tmp_path, "message_1.json", json.dumps(chat)))
    assert passage.text == "[2024-03-04 08:13] René: Naïve €\n\n[2024-03-04 08:13] Ada: Café"


def test_a_conversation_with_a_model_has_the_branch_that_was_shown_last(tmp_path):
    def node(key, parent, role, *parts):
        content = {"content_type": "text", "parts": [*parts]}
        return {
            "id": key,
            "parent": parent,
            "message": {"author": {"role": role}, "create_time": 1709540000.1, "content": content},
        }

    tree = {
        "root": {"id": "root", "parent": None, "message": None},
        "a": node("a", "root", "user", "How thick?"),
        "b": node("b", "a", "assistant", "Twice as thick."),
        "c": node("c", "a", "assistant", "2.5 mm², with a fuse.", {"content_type": "image"}),
    }
    conversation = {"title": "Wiring", "create_time": 1709540000.1, "mapping": tree, "current_node": "c"}
    [passage] = read(written(tmp_path, "conversations.json", json.dumps([conversation])))
    assert passage.title == "Wiring"
    assert passage.text == "[2024-03-04 08:13] user: How thick?\n\n[2024-03-04 08:13] assistant: 2.5 mm², with a fuse."


def test_a_tree_that_leads_to_itself_ends(tmp_path):
    message = {"author": {"role": "user"}, "content": {"parts": ["It is lit."]}}
    record = {"title": "Lamp", "mapping": {"a": {"parent": "a", "message": message}}, "current_node": "a"}
    assert [passage.text for passage in read(written(tmp_path, "c.json", json.dumps([record])))] == ["user: It is lit."]


def test_marks_of_direction_do_not_hide_where_a_message_begins(tmp_path):
    (tmp_path / "Boat club").mkdir()
    text = (
        "[12/03/2024, 18:24:02] Ada: The slipway is booked\n\u200e[12/03/2024, 18:25:11] Ben: \u200eimage omitted\n"
        "[12/03/2024, 18:26:59] Ben: I bring the trailer\n[12/03/2024, 18:33:40] Ada: The key is with Tom"
    )
    [passage] = read(written(tmp_path / "Boat club", "_chat.txt", text))
    assert passage.title == "Boat club"
    assert passage.text.split("\n\n")[1] == "[12/03/2024, 18:25:11] Ben: image omitted"


def test_columns_of_one_name_side_by_side_are_one_field(tmp_path):
    table = "Summary,Key,Labels,Labels,Comment,Comment\nPump leaks,H-1,pump,leak,Seal ordered,\nPaint,H-2,,,,Blue"
    found = read(written(tmp_path, "tracker.csv", table))
    assert [passage.text for passage in found] == [
        "Summary: Pump leaks; Key: H-1; Labels: pump; leak; Comment: Seal ordered.",
        "Summary: Paint; Key: H-2; Comment: Blue.",
    ]


@pytest.mark.parametrize("name", ["Suppliers aa11bb22cc33dd44ee55ff6677889900.md", "Suppliers.md"])
def test_a_page_of_notion_has_its_title_without_its_key(tmp_path, name):
    assert read(written(tmp_path, name, "Lind delivers in eight weeks."))[0].title == "Suppliers"


NOTES = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export export-date="20240402T101010Z" application="Evernote">
  <note><title>Boiler &amp; pump</title><created>20240105T081500Z</created><tag>home</tag><tag>heat</tag>
    <content><![CDATA[<?xml version="1.0"?><!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note>
      <div>The pressure should be 1.4 bar.</div><en-media hash="ab" type="image/png"/>
      <div><en-todo checked="true"/>Order filter</div><div><en-todo/>Bleed</div></en-note>]]></content>
    <resource><data encoding="base64">iVBORw0KGgo=</data><resource-attributes><source-url>en-cache://7</source-url>
    </resource-attributes></resource></note>
  <note><title>Keys</title><content><![CDATA[<en-note>With Tom.</en-note>]]></content></note>
</en-export>"""


def test_each_note_of_evernote_is_a_page_with_its_day_and_its_tags(tmp_path):
    first, second = read(written(tmp_path, "notes.enex", NOTES))
    assert (first.id, first.title) == ("notes.enex/1.html", "Boiler & pump")
    assert first.text == (
        "created: 5 January 2024; tags: home, heat.\n\nThe pressure should be 1.4 bar.\n\n[x] Order filter\n\n[ ] Bleed"
    )
    assert (second.title, second.text) == ("Keys", "With Tom.")


def test_an_export_of_notes_that_is_cut_off_keeps_those_before(tmp_path):
    tally = Tally()
    found = read(written(tmp_path, "notes.enex", NOTES[: NOTES.rindex("<note>") + 20]), lenient=True, tally=tally)
    assert [passage.title for passage in found] == ["Boiler & pump"]
    assert "is no complete export of notes" in tally.unread[0].reason


def test_an_export_of_notes_that_declares_entities_is_refused(tmp_path):
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]><en-export><note><title>&a;</title></note></en-export>'
    assert "declares entities" in refused(written(tmp_path, "notes.enex", bomb), match="entities")


def test_a_note_beyond_the_limit_is_left_out_and_the_others_are_kept(tmp_path):
    tally = Tally()
    long = NOTES.replace("The pressure", "The pressure " * 200_000)
    found = read(written(tmp_path, "notes.enex", long), lenient=True, tally=tally, max_row_mib=1)
    assert [passage.title for passage in found] == ["Keys"]
    assert "longer than 1 MiB" in tally.unread[0].reason


CLIPPINGS = """\ufeffThe Keepers (Mara Holt)
- Your Highlight on page 12 | Location 170-172 | Added on Sunday, 3 March 2024 21:14:05

The lamp burned 2.3 litres each night.
==========
\ufeffThe Keepers (Mara Holt)
- Ihr Lesezeichen auf Seite 13 | Position 180 | Hinzugefügt am Sonntag, 3. März 2024 21:16:05


==========
\ufeffTides (Tom Carey)
- Your Note on page 88 | Added on Monday, 4 March 2024 07:14:05

Spring tides come two days later.
==========
"""


def test_clippings_of_a_kindle_are_below_their_book_and_their_place(tmp_path):
    first, second = read(written(tmp_path, "My Clippings.txt", CLIPPINGS), max_words=40)
    assert first.sections[0] == "The Keepers (Mara Holt)"
    assert first.sections[1].startswith("Your Highlight on page 12")
    assert second.sections == ("Tides (Tom Carey)", "Your Note on page 88 | Added on Monday, 4 March 2024 07:14:05")
    assert "==" not in first.text + second.text


BIBTEX = r"""@article{finch2021, author = {Finch, Ada and van der Berg, Jan},
  title = {Salt Creep in Harbours of Paris and {Rome}}, journal = {Journal of Small Harbours}, volume = {12}, year = {2021},
  abstract = {Creep was 0.8\% a year.}}
@comment{jabref}
@book{tamm1999, author = {Tamm, Kai}, title = {Hoses and \emph{Fittings}}, publisher = {Quay Press}, year = 1999}
"""
RIS = (
    "TY  - JOUR\nAU  - Finch, Ada\nTI  - Salt Creep II\nJO  - Journal of Small Harbours\nPY  - 2022\n"
    "AB  - It was 1.1 mm.\nER  - \n"
)


@needs_pandoc
def test_a_list_of_references_has_a_section_for_each_with_its_authors_and_abstract(tmp_path):
    [passage] = read(written(tmp_path, "refs.bib", BIBTEX))
    assert passage.text.split("\n\n") == [
        "Salt Creep in Harbours of Paris and Rome",
        "title: Salt Creep in Harbours of Paris and Rome; authors: Ada Finch, Jan van der Berg; published: 2021; "
        "in: Journal of Small Harbours; volume: 12; key: finch2021.",
        "Creep was 0.8% a year.",
        "Hoses and Fittings",
        "title: Hoses and Fittings; authors: Kai Tamm; published: 1999; publisher: Quay Press; key: tamm1999.",
    ]


@needs_pandoc
def test_references_in_ris_are_read_as_well(tmp_path):
    [passage] = read(written(tmp_path, "refs.ris", RIS))
    assert passage.sections == ("Salt Creep II",)
    assert "authors: Ada Finch; published: 2022; in: Journal of Small Harbours" in passage.text


def test_references_without_pandoc_are_text(tmp_path, monkeypatch):
    monkeypatch.setattr(pandoc, "_converter", lambda: None)
    assert "Finch, Ada" in read(written(tmp_path, "refs.bib", BIBTEX))[0].text
