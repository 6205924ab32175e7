"""Calendars and address books: what each entry and card says, in words, whichever program wrote it."""

import time
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.readers import read_ics, read_vcf

from hopweave.core.errors import DataError
from hopweave.ingest.split import cut_part


def said_of(*lines, before=""):
    """What the only event of a calendar says below its summary."""
    written = "\n".join(["BEGIN:VCALENDAR", *before, "BEGIN:VEVENT", "SUMMARY:x", *lines, "END:VEVENT", "END:VCALENDAR"])
    return read_ics(written).parts[0].text[3:]


def card_of(*lines, version="3.0"):
    """What the only card says below its name."""
    return read_vcf("\n".join(["BEGIN:VCARD", f"VERSION:{version}", "FN:x", *lines, "END:VCARD"])).parts[0].text[3:]


# -- calendars ---------------------------------------------------------------------------------------------------------------

GOOGLE = """BEGIN:VCALENDAR
PRODID:-//Google Inc//Google Calendar 70.9054//EN
VERSION:2.0
METHOD:PUBLISH
X-WR-CALNAME:Orlau Harbour
X-WR-TIMEZONE:Europe/Oslo
X-WR-CALDESC:Shifts and drills of the harbour office.
BEGIN:VTIMEZONE
TZID:Europe/Oslo
BEGIN:DAYLIGHT
TZNAME:CEST
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
DTSTART;TZID=Europe/Oslo:20250314T090000
DTEND;TZID=Europe/Oslo:20250314T103000
RRULE:FREQ=WEEKLY;WKST=MO;UNTIL=20250630T215959Z;INTERVAL=2;BYDAY=FR
EXDATE;TZID=Europe/Oslo:20250328T090000
DTSTAMP:20250201T101010Z
ORGANIZER;CN=Orlau Harbour:mailto:abc123@group.calendar.example
UID:7b2@calendar.example
ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;CN=Li
 na Holt;X-NUM-GUESTS=0:mailto:lina.holt@harbour.example
ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=OPT-PARTICIPANT;PARTSTAT=DECLINED;X-NUM-GUEST
 S=0:mailto:sula@harbour.example
ATTENDEE;CUTYPE=RESOURCE;PARTSTAT=ACCEPTED;CN="Room 4, u
 pper floor":mailto:room4@resource.example
X-GOOGLE-CONFERENCE:https://meet.example/abc-defg-hij
DESCRIPTION:<p>Agenda:</p><ul><li>vests</li><li>pump keys</li></ul>Bring <b>
 both</b>.
LOCATION:Pier 3\\, Holmby\\nGate B
SEQUENCE:1
STATUS:CONFIRMED
SUMMARY:Safety drill on the Holmby pier
TRANSP:OPAQUE
ATTACH;FILENAME=plan.pdf;FMTTYPE=application/pdf:https://drive.example/1
BEGIN:VALARM
ACTION:DISPLAY
DESCRIPTION:This is an event reminder
TRIGGER:-P0DT0H30M0S
END:VALARM
END:VEVENT
BEGIN:VEVENT
DTSTART;VALUE=DATE:20250417
DTEND;VALUE=DATE:20250422
SUMMARY:Easter closing
STATUS:CANCELLED
DESCRIPTION:
END:VEVENT
END:VCALENDAR
"""


def test_a_calendar_is_its_events_in_words():
    document = read_ics(GOOGLE.replace("\n", "\r\n"))
    assert document.title == "Orlau Harbour"
    assert document.parts[0].text == (
        "Shifts and drills of the harbour office.\n\n"
        "Safety drill on the Holmby pier\n\n"
        "when: Friday 14 March 2025, 09:00 to 10:30 Europe/Oslo\n"
        "repeats: every 2 weeks on Friday, until Monday 30 June 2025, 21:59:59 UTC\n"
        "except: Friday 28 March 2025, 09:00 Europe/Oslo\n"
        "where: Pier 3, Holmby, Gate B\n"
        "organiser: Orlau Harbour\n"
        "participants: Lina Holt; sula@harbour.example (optional, declined); Room 4, upper floor (resource)\n"
        "conference: https://meet.example/abc-defg-hij\n"
        "attachments: plan.pdf\n\n"
        "Agenda:\n\nvests\n\npump keys\n\nBring both.\n\n"
        "Easter closing\n\n"
        "when: Thursday 17 April 2025 to Monday 21 April 2025\n"
        "status: cancelled"
    )
    assert [(heading.text, heading.level) for heading in document.parts[0].headings] == [
        ("Safety drill on the Holmby pier", 1),
        ("Easter closing", 1),
    ]


def test_a_long_event_has_its_summary_above_each_of_its_passages():
    document = read_ics(GOOGLE.replace("DESCRIPTION:\n", f"DESCRIPTION:{'The office is closed. ' * 60}\n"))
    assert [*cut_part(document.parts[0], 50)][-1].sections == ("Easter closing",)


@pytest.mark.parametrize(
    ("lines", "when"),
    [
        (["DTSTART:20250314T090000Z", "DTEND:20250314T103000Z"], "Friday 14 March 2025, 09:00 to 10:30 UTC"),
        (["DTSTART:20250314T090000", "DTEND:20250314T103015"], "Friday 14 March 2025, 09:00 to 10:30:15"),
        (["DTSTART:20250314T220000", "DTEND:20250315T020000"], "Friday 14 March 2025, 22:00 to Saturday 15 March 2025, 02:00"),
        (["DTSTART:20250314T090000", "DTEND:20250314T090000"], "Friday 14 March 2025, 09:00"),
        (["DTSTART;VALUE=DATE:20240229"], "Thursday 29 February 2024"),
        (["DTSTART;VALUE=DATE:20240229", "DTEND;VALUE=DATE:20240301"], "Thursday 29 February 2024"),
        (["DTSTART;VALUE=DATE:20240229", "DURATION:P1D"], "Thursday 29 February 2024"),
        (["DTSTART;VALUE=DATE:20240229", "DURATION:P3D"], "Thursday 29 February 2024, for 3 days"),
        (["DTSTART:20250314T090000", "DURATION:PT1H30M"], "Friday 14 March 2025, 09:00, for 1 hour and 30 minutes"),
        (["DTSTART:20250314T090000", "DURATION:soon"], "Friday 14 March 2025, 09:00, soon"),
        (["DTSTART:20250314T090000", "DURATION:PT0S"], "Friday 14 March 2025, 09:00"),
        (
            ['DTSTART;TZID="W. Europe Standard Time":20250314T090000', "DTEND;TZID=Asia/Tokyo:20250314T180000"],
            "Friday 14 March 2025, 09:00 W. Europe Standard Time to Friday 14 March 2025, 18:00 Asia/Tokyo",
        ),
        (["DTSTART:2025-03-14T09:00:00+01:00"], "Friday 14 March 2025, 09:00 +01:00"),
        (["DTSTART:next week", "DTEND:20250314"], "next week to Friday 14 March 2025"),
        (["DTSTART;TZID=Europe/Oslo:20250231T090000"], "20250231T090000 Europe/Oslo"),
        (["DTSTART:20250314T250000"], "20250314T250000"),
        (["DTSTART:00000101"], "00000101"),
        (["DTSTART:٢٠٢٥٠٣١٤"], "٢٠٢٥٠٣١٤"),
    ],
)
def test_when_an_event_is_stands_in_words_or_as_it_is_written(lines, when):
    assert said_of(*lines) == f"when: {when}"


@pytest.mark.parametrize(
    ("rule", "repeats"),
    [
        ("FREQ=DAILY", "every day"),
        ("FREQ=DAILY;COUNT=10", "every day, 10 times"),
        ("FREQ=DAILY;COUNT=1", "every day, once"),
        ("freq=weekly;interval=3;byday=MO, WE,FR;", "every 3 weeks on Monday, Wednesday and Friday"),
        ("FREQ=WEEKLY;UNTIL=20250630", "every week, until Monday 30 June 2025"),
        ("FREQ=MONTHLY;BYDAY=1MO,-1FR", "every month on the first Monday and the last Friday"),
        ("FREQ=MONTHLY;BYDAY=TU;BYSETPOS=2;COUNT=4", "every month on the second Tuesday, 4 times"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,15", "every month on days 1 and 15"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day"),
        ("FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=14", "every year on day 14 in March"),
        *(
            (rule, rule)
            for rule in (
                "FREQ=SECONDLY",
                "FREQ=DAILY;BYHOUR=9",
                "FREQ=DAILY;INTERVAL=0",
                "FREQ=DAILY;COUNT=many",
                "FREQ=MONTHLY;BYDAY=MO",
                "FREQ=MONTHLY;BYDAY=-2MO",
                "FREQ=MONTHLY;BYMONTHDAY=-3",
                "FREQ=WEEKLY;BYDAY=XX",
                "FREQ=YEARLY;BYMONTHDAY=14",
                "FREQ=YEARLY;BYMONTH=13",
                "W1 MO #10",
            )
        ),
    ],
)
def test_simple_rules_stand_in_words_and_others_as_they_are_written(rule, repeats):
    assert said_of(f"RRULE:{rule}") == f"repeats: {repeats}"


def test_further_and_changed_days_of_an_event_that_repeats_are_told():
    lines = ["RDATE;VALUE=PERIOD:20250314T090000Z/PT2H,20250315T090000Z/20250315T100000Z", "EXDATE:20250321,20250328"]
    assert said_of(*lines, "RECURRENCE-ID:20250307T090000Z") == (
        "instead of: Friday 7 March 2025, 09:00 UTC\n"
        "also: Friday 14 March 2025, 09:00 UTC, for 2 hours; Saturday 15 March 2025, 09:00 to 10:00 UTC\n"
        "except: Friday 21 March 2025; Friday 28 March 2025"
    )


def test_to_dos_and_entries_of_a_journal_say_what_they_are():
    document = read_ics("""BEGIN:VCALENDAR
BEGIN:VTODO
SUMMARY:Order lamp oil
DUE:20250320T120000
PRIORITY:1
PERCENT-COMPLETE:40
STATUS:IN-PROCESS
CATEGORIES:oil,winter\\, 2025
DESCRIPTION:Rape oil\\, 40 litres.\\n\\n\\nAsk for the old price.
END:VTODO
BEGIN:VJOURNAL
DTSTART;VALUE=DATE:20250302
DESCRIPTION:Fog all day.
END:VJOURNAL
END:VCALENDAR""")
    assert document.parts[0].text == (
        "Order lamp oil\n\nkind: to-do\ndue: Thursday 20 March 2025, 12:00\nstatus: in process\npriority: high\ndone: 40 %\n"
        "categories: oil, winter, 2025\n\nRape oil, 40 litres.\n\nAsk for the old price.\n\n"
        "Journal entry\n\nwhen: Sunday 2 March 2025\n\nFog all day."
    )
    assert document.title == ""


def test_people_are_named_by_their_names_or_else_by_their_addresses():
    lines = [
        'ORGANIZER;CN="Holt, Lina":MAILTO:lina@x.example',
        "ATTENDEE;CN=George ^'Babe^' Renn;PARTSTAT=TENTATIVE:mailto:g@x.example",
        'ATTENDEE;DELEGATED-FROM="mailto:a@x.example":mailto:b@x.example',
        "ATTENDEE;EMAIL=c@x.example:mailto:",
        'ATTENDEE;CN="never closed:mailto:d@x.example',
    ]
    assert said_of(*lines) == (
        'organiser: Holt, Lina\nparticipants: George "Babe" Renn (tentative); b@x.example; c@x.example; never closed'
    )


def test_escapes_and_folds_are_undone():
    lines = ["DESCRIPTION:Bring oil\\, salt\\; and C:\\\\keys.\\NAsk", "  Lina", "\t.", "LOCATION:Pi", " er 3"]
    assert said_of(*lines) == "where: Pier 3\n\nBring oil, salt; and C:\\keys.\nAsk Lina."


def test_a_description_that_is_not_folded_is_kept():
    lines = ["DESCRIPTION:The pumps are old", "and loud, see", "https://x.example/a", "", "Ask: Lina", "UID:1"]
    assert said_of(*lines) == "ask: Lina\n\nThe pumps are old\nand loud, see\nhttps://x.example/a"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("DESCRIPTION:One <b>and</b>\\ntwo.", "One and\ntwo."),
        ("DESCRIPTION:3 < 4 and <ulm@x.example>", "3 < 4 and <ulm@x.example>"),
        ("X-ALT-DESC;FMTTYPE=text/html:<html>\\n<body><p>Bring the\\nfigures.</p></body></html>", "Bring the figures."),
    ],
)
def test_a_description_that_is_a_page_is_read_as_one(line, said):
    assert said_of(line) == said


def test_the_page_of_a_description_is_left_out_beside_its_text():
    assert said_of("DESCRIPTION:Bring oil.", "X-ALT-DESC;FMTTYPE=text/html:<p>Bring <b>oil</b>.</p>") == "Bring oil."


def test_a_message_that_cancels_says_so():
    assert said_of("DTSTART:20250314", before=["METHOD:CANCEL"]).endswith("status: cancelled")


def test_properties_that_are_not_known_are_shown_and_those_of_programs_are_not():
    assert said_of("TRAVEL-NOTE:Take the ferry", "X-MOZ-GENERATION:4", "X-APPLE-TRAVEL:9") == "travel-note: Take the ferry"


def test_an_old_calendar_in_quoted_printable_is_read():
    lines = ["VERSION:1.0", "DESCRIPTION;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:=C3=96l,=0D=0Aviel =", "davon", "AALARM:x"]
    assert said_of(*lines) == "version: 1.0\n\nÖl,\nviel davon"


def test_the_only_event_of_a_calendar_without_a_name_is_its_title():
    assert read_ics("BEGIN:VEVENT\nSUMMARY:Oil\nEND:VEVENT").title == "Oil"
    assert read_ics("BEGIN:VEVENT\nDTSTART:20250314\nEND:VEVENT").title == ""
    assert read_ics("BEGIN:VEVENT\nSUMMARY:Oil\nEND:VEVENT\nBEGIN:VEVENT\nSUMMARY:Oil\nEND:VEVENT").title == ""


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n\n",
        "no calendar",
        "BEGIN:VEVENT\nEND:VEVENT",
        "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:x\nEND:VTIMEZONE",
        "\ufeff:",
    ],
)
def test_what_holds_no_entry_has_no_text(content):
    assert read_ics(content).parts[0].text == ""


@pytest.mark.parametrize("end", ["", "END:VALARM\n", "END:VCALENDAR\n"])
def test_a_calendar_that_is_cut_off_is_read_as_far_as_it_goes(end):
    assert read_ics(f"BEGIN:VEVENT\nSUMMARY:Oil\nLOCATION:Pi\n{end}").parts[0].text == "Oil\n\nwhere: Pi"


# -- cards -------------------------------------------------------------------------------------------------------------------

PICTURE = b64encode(b"\xff\xd8\xff\xe0 a picture of Lina" * 9).decode()

APPLE = f"""BEGIN:VCARD
VERSION:3.0
PRODID:-//Apple Inc.//macOS 14.4//EN
N:Holt;Lina;Marie,Sofie;Dr.;PhD
FN:Dr. Lina Marie Sofie Holt PhD
ORG:Harbour Office;Pumps;
TITLE:Chief engineer\\, pumps
NICKNAME:Lee,Linny
EMAIL;type=INTERNET;type=WORK;type=pref:lina.holt@harbour.example
TEL;type=CELL;type=VOICE;type=pref:+47 555 01 22
item1.TEL:+47 555 99 00
item1.X-ABLabel:Mountain hut
item2.ADR;type=HOME;type=pref:;;Pier Road 3\\nHouse B;Holmby;;4010;Norway
item2.X-ABADR:no
item3.URL;type=pref:https\\://holt.example
item3.X-ABLabel:_$!<HomePage>!$_
item4.X-ABRELATEDNAMES;type=pref:Sula Renn
item4.X-ABLabel:_$!<Spouse>!$_
item5.X-ABDATE:2011-06-04
item5.X-ABLabel:_$!<Anniversary>!$_
BDAY;X-APPLE-OMIT-YEAR=1604:1604-03-14
NOTE:Knows the old pumps.\\n\\nCalls back after nine.
IMPP;X-SERVICE-TYPE=Skype;type=HOME;type=pref:skype:lina.holt
X-SOCIALPROFILE;type=twitter;x-user=linaholt:http://twitter.example/linaholt
X-PHONETIC-LAST-NAME:Hollt
PHOTO;ENCODING=b;TYPE=JPEG:{PICTURE[:60]}
 {PICTURE[60:]}
CATEGORIES:crew,pumps
UID:1234-ABCD
X-ABUID:1234:ABPerson
END:VCARD
BEGIN:VCARD
VERSION:3.0
N:;;;;
FN:Orlau Lamp Oil Ltd
ORG:Orlau Lamp Oil Ltd;
X-ABShowAs:COMPANY
TEL;type=WORK;type=VOICE;type=MAIN:+47 555 77 00
END:VCARD
"""


def test_an_address_book_is_a_section_for_each_card():
    document = read_vcf(APPLE)
    assert document.title == ""
    assert document.parts[0].text == (
        "Dr. Lina Marie Sofie Holt PhD\n\n"
        "nickname: Lee, Linny\n"
        "title: Chief engineer, pumps\n"
        "organisation: Harbour Office, Pumps\n"
        "telephone (mobile): +47 555 01 22\n"
        "telephone (Mountain hut): +47 555 99 00\n"
        "e-mail (work): lina.holt@harbour.example\n"
        "messenger (Skype, home): skype:lina.holt\n"
        "address (home): Pier Road 3, House B, Holmby, 4010, Norway\n"
        "web (homepage): https://holt.example\n"
        "profile (twitter): http://twitter.example/linaholt\n"
        "born: 14 March\n"
        "date (anniversary): 4 June 2011\n"
        "related (spouse): Sula Renn\n"
        "categories: crew, pumps\n"
        "phonetic last name: Hollt\n\n"
        "note: Knows the old pumps.\n\nCalls back after nine.\n\n"
        "Orlau Lamp Oil Ltd\n\n"
        "telephone (work, main): +47 555 77 00"
    )
    assert [heading.text for heading in document.parts[0].headings] == ["Dr. Lina Marie Sofie Holt PhD", "Orlau Lamp Oil Ltd"]


def test_an_old_card_of_outlook_is_read():
    card = (
        "BEGIN:VCARD\nVERSION:2.1\n"
        "N;LANGUAGE=de;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;J=F6rg;;Herr;Jr.\n"
        "FN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:J=F6rg M=FCller\n"
        "ORG:Lampen\\; Oel GmbH;Einkauf\n"
        "NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Erste Zeile=0D=0A=\nZweite Zeile mit =C3=9C=\nberhang\n"
        "TEL;WORK;VOICE:+49 555 1\nTEL;CELL;VOICE:+49 555 2\nTEL;WORK;FAX:+49 555 3\n"
        "ADR;WORK;PREF;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:;;Hafenstra=C3=9Fe 4;Orlau;;12345;Deutschland\n"
        "LABEL;WORK;PREF;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Hafenstra=C3=9Fe 4=0D=0A=\n12345 Orlau=0D=0A=\nDeutschland\n"
        "LABEL;HOME:Am Deich 9\n"
        "X-MS-OL-DEFAULT-POSTAL-ADDRESS:2\nBDAY:19800314\nEMAIL;PREF;INTERNET:joerg@lampen.example\nX-MS-MANAGER:Ida Renn\n"
        f"X-MS-CARDPICTURE;TYPE=JPEG;ENCODING=BASE64:\n {PICTURE}\n\n"
        "X-ANDROID-CUSTOM:vnd.android.cursor.item/nickname;Joe;1;;;;;;;;;;;;;\nEND:VCARD\n"
    )
    document = read_vcf(card.replace("\n", "\r\n"))
    assert document.title == "Jörg Müller"
    assert document.parts[0].text == (
        "Jörg Müller\n\nname: Herr Jörg Müller Jr.\norganisation: Lampen; Oel GmbH, Einkauf\ntelephone (work): +49 555 1\n"
        "telephone (mobile): +49 555 2\ntelephone (work, fax): +49 555 3\ne-mail: joerg@lampen.example\n"
        "address (work): Hafenstraße 4, Orlau, 12345, Deutschland\naddress (home): Am Deich 9\nborn: 14 March 1980\n"
        "nickname: Joe\nmanager: Ida Renn\n\nnote: Erste Zeile\nZweite Zeile mit Überhang"
    )


def test_a_card_of_the_newest_version_is_read():
    said = card_of(
        'TEL;VALUE=uri;TYPE="voice,home":tel:+46-555-0101;ext=5',
        'ADR;TYPE=WORK;LABEL="Box 12^nHamn 3":;;;;;;',
        "ANNIVERSARY:20090808T1430-0500",
        "RELATED;TYPE=friend:urn:uuid:f81d4fae",
        "RELATED;TYPE=contact;VALUE=text:Please ask Sula",
        f"PHOTO:data:image/jpeg;base64,{PICTURE}",
        "MEMBER:mailto:x@y.example",
        "PRONOUNS:she/her",
        version="4.0",
    )
    assert said == (
        "telephone (home): +46-555-0101;ext=5\naddress (work): Box 12, Hamn 3\nanniversary: 8 August 2009\n"
        "related (contact): Please ask Sula\nmember: x@y.example\npronouns: she/her"
    )


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("1980-03-14", "14 March 1980"),
        ("19800314T103000Z", "14 March 1980"),
        ("--0314", "14 March"),
        ("1980-03", "March 1980"),
        ("1980", "1980"),
        ("--1399", "--1399"),
        ("1980-02-31", "1980-02-31"),
        ("circa 1800", "circa 1800"),
    ],
)
def test_birthdays_stand_in_words_or_as_they_are_written(written, shown):
    assert card_of(f"BDAY:{written}") == f"born: {shown}"


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ("N:Holt;Lina;;;\nORG:Office", "Lina Holt"),
        ("FN:\nN:;;;;\nORG:Office;Pumps", "Office, Pumps"),
        ("NICKNAME:Lee", "Lee"),
        ("EMAIL:lina@holt.example", "lina@holt.example"),
        ("TEL:5", "Card"),
    ],
)
def test_a_card_without_a_full_name_is_called_by_what_it_has(lines, name):
    assert read_vcf(f"BEGIN:VCARD\n{lines}\nEND:VCARD").parts[0].headings[0].text == name


def test_a_nickname_of_signs_is_kept():
    assert card_of("NICKNAME:★") == "nickname: ★"


def test_cards_within_a_card_and_cards_without_an_end_are_sections_of_their_own():
    document = read_vcf("BEGIN:VCARD\nFN:Ada\nAGENT:\nBEGIN:VCARD\nFN:Bo\nTEL:1\nEND:VCARD\nTEL:2\nBEGIN:VCARD\nFN:Cy\nTEL:3")
    assert document.parts[0].text == "Ada\n\ntelephone: 2\n\nBo\n\ntelephone: 1\n\nCy\n\ntelephone: 3"


def test_long_cards_are_not_mixed_in_a_passage_without_their_names():
    cards = "".join(f"BEGIN:VCARD\nFN:{name}\nNOTE:{'Keeps a lamp. ' * 90}\nEND:VCARD\n" for name in ("Ada", "Bo"))
    assert {cut.sections for cut in cut_part(read_vcf(cards).parts[0], 60)} == {("Ada",), ("Bo",)}


@pytest.mark.parametrize("charset", ["no such charset", "punycode", "unicode_escape", "utf-7", "base64", "\0"])
def test_an_impossible_charset_does_no_harm(charset):
    assert card_of(f"ROLE;CHARSET={charset};ENCODING=QUOTED-PRINTABLE:Oil =5C =C3=96") in {"role: Oil \\ Ö", "role: Oil \\ Ã–"}


# -- what is hostile ---------------------------------------------------------------------------------------------------------

PIECES = [
    *("BEGIN:VEVENT\n", "END:VEVENT\n", "BEGIN:VALARM\n", "BEGIN:VCARD\n", "END:VCARD\n", "VERSION:2.1\n", "SUMMARY:", "FN:"),
    *("RRULE:FREQ=MONTHLY;", "BYDAY=-1MO", "DTSTART:", "DTEND;TZID=x:", "EXDATE:", "DURATION:", "P1D", "20250314", "T090000Z"),
    *("99991231", "00010101", "--03", "٣", "N:", "ORG:", "BDAY:", "LABEL:", "item1.", "X-ABLabel:", "_$!<", "TEL;TYPE=", "\0"),
    *("ATTENDEE;CN=", "X-ANDROID-CUSTOM:a/b;", "DESCRIPTION:", "<p>", ";ENCODING=QUOTED-PRINTABLE:", ";CHARSET=punycode"),
    *(";ENCODING=b", "\n", "\n ", "\r", '"', "=\n", "\\n", "\ud800", *",;:\\=/ 1"),
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_no_mixture_of_pieces_does_harm(content):
    for read in (read_ics, read_vcf):
        for begun in ("", "BEGIN:VEVENT\n"):
            document = read(begun + content)
            assert all(heading.start <= len(document.parts[0].text) for heading in document.parts[0].headings)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_damaged_file_is_read_as_far_as_it_goes(data):
    content, read = data.draw(st.sampled_from([(GOOGLE, read_ics), (APPLE, read_vcf)]))
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 40)))
    read(content[:start] + data.draw(st.text(max_size=5)) + content[end:])


BEGUN = [
    *((read_ics, begun) for begun in ("", "DESCRIPTION:", "RRULE:FREQ=DAILY;BYDAY=", "EXDATE:")),
    *((read_vcf, begun) for begun in ("", "N:", "TEL", "NOTE;CHARSET=punycode;QUOTED-PRINTABLE:")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("read", "begun"), BEGUN)
@pytest.mark.parametrize(
    "piece",
    [*"a\n;\\,:\"=<-", "\n ", "\\n", "\n\\n", "=\n", "BEGIN:VEVENT\n", "BEGIN:VCARD\nN:a;b\n", "LABEL:a b\n", ";a=\"", "MO,"],
)  # fmt: skip
def test_time_grows_with_the_length_and_not_faster(read, begun, piece):
    start = f"BEGIN:{'VEVENT' if read is read_ics else 'VCARD'}\n{begun}"

    def seconds(number: int) -> float:
        began = time.process_time()
        read(start + piece * number)
        return time.process_time() - began

    # A bound that time that grows with the square, 64 times as much, would break by far.
    assert any(seconds(16_000) < 32 * max(seconds(2_000), 0.002) for _ in range(3))  # garbage may be collected meanwhile


def test_reading_stops_when_its_time_is_up():
    def check():
        raise DataError("too slow; leave it out")

    for read in (read_ics, read_vcf):
        with pytest.raises(DataError, match="too slow"):
            read("BEGIN:VEVENT\n", check)
