"""Headings of plain text: underlined, numbered and in capitals are found; prose, lists, tables and logs have none."""

import pytest
from support.corpora import read, written
from support.readers import read_document

from hopweave.ingest.aligned_tables import with_rows
from hopweave.text.sentences import sentence_spans

RENDERED = """LAMP(1)                         User Commands                         LAMP(1)

NAME
       lamp - light the lamp of a lighthouse

WHAT IT DOES
       The lamp is lit at dusk every day.

   A NOTE that is indented
       It is not a heading, as it is hard to tell.

SEE ALSO
       oil(5)
"""
UNDERLINED = """Kerrow Light
============

The lamp is lit at dusk every day of the year.

Oil
---
Oil is kept in the lower store.

Boats
-----

Two boats.
"""
NUMBERED = """The keeper's manual tells how to keep a light.

1. Lamp

It is lit.

1.1 Wicks

They are cut.

2. Oil

It is dry.
"""


PAPER = """What is known of lamps is said here.

1 Introduction

The lamp is lit at dusk every day of the year.

2 Method

It was counted how often.

2.1 Lamps

They are of brass.

3 Results

It was seen that it burns.
"""
AROUND_CHAPTERS = """Old lamps

Abstract

The lamp is lit at dusk every day of the year, and nobody has ever told why that is so, or who was the first to do it.

1. Introduction

It was seen that it burns.

2.1 Lamps of brass

They are of brass, as their name says, and they were made in Orlau.

2.2 Lamps of iron

They are of iron.

3. Conclusion

All of them burn.

References

Ada Finch. 1901. Lamps.

A Tables

Here is how many there are of each kind, by the year in which they were counted by the keeper.

A.1 Brass

There are four.

B Letters

Ada Finch wrote one.
"""

OUTLINE = """Orla NEWS                                    -*- outline -*-

* Noteworthy changes in release 2.1 (2024-03-01) [stable]

** New features

  lamp --dim makes the light weaker at dawn,
  and again at dusk.
  Nobody sees it in between.

* Noteworthy changes in release 2.0 (2023-09-12) [stable]

** Bug fixes

  oil no longer leaks from the lower store at night.
"""
RELEASES = """Orla NEWS - what users see. 2024-03-01

version 1.3 - Ada Finch, 2024-03-01

* The lamp can be made weaker at dawn with --dim

version 1.2, 2023-09-12

* Oil no longer leaks from the lower store at night

version 1.1 - Ada Finch

* The first one that was shown to anybody else
"""
PACKAGED = """orla (1.3-2) unstable; urgency=medium

  * The lamp can be made weaker at dawn with --dim.

 -- Ada Finch <ada@example.org>  Fri, 01 Mar 2024 10:00:00 +0100

orla (1.3-1) experimental; urgency=low

  * New upstream release, with oil.

orla (1.2-1) unstable; urgency=low

  * Initial release.
"""

ARTICLES = """Die Mühle

§ 1 Geltung
Diese Ordnung gilt für alle, die in der Mühle sind.

§ 2 Öffnungszeiten
Dienstag bis Freitag ist offen.

§ 3 Gebühren
Es kostet 5 Euro.
"""
CONTRACT = """Supply agreement of the light and the oil mill, signed in May

1. Subject
The mill delivers oil of rape to the light, which pays for it as is said
below.

2. Prices

Barrels of oil cost 9 pounds each.

4) What if it is late?
The light may buy its oil from another mill.

1. Signed for the mill
Ada Finch, who owns it.
"""
AMENDMENT = """What is said in the agreement changes as follows, from the first of June.

A. Prices (replaces section 2)
Barrels of oil cost 10 pounds each, or 9 if more than twenty
are bought in one month.

B. Term
It ends in 2031.

C. All else
It stays as it is.
"""
RULES = """The rules of the light, which hang in the hall for all to read

A. Before the watch

1. Be in the hall before dusk, and bring the key of the store; whoever has lost it
   says so at once.

B. Lamps
They are lit at dusk.

C. Late arrivals

Nobody waits.
"""
MINUTES = """What was said at the meeting of the ninth of May, in the lower hall

25/09  LAMPS
They are lit at dusk.

25/10  OIL
    It is dry, and none can be bought before June.

25/11  BOATS
Two.
"""
TERMS = """Prices of the mill, as they are from the first of May

Returns
What was bought can be brought back within thirty days, with the slip.

Carriage
Orders over 50 pounds
are brought for nothing.

Repairs at Kerrow
The mill repairs what it has sold for as long as parts can be had.
"""
AGENDA = """Was bei der Versammlung am neunten Mai gesagt wurde, in der Halle

TOP 1  Lampen
Sie werden bei Dämmerung angezündet.

TOP 2  Öl
Es ist aus.

TOP 3  Boote
Es sind zwei.
"""
IN_FRENCH = """Le moulin est ouvert à tous ceux qui viennent à pied.

ACCÈS

On entre par la porte du nord.

HORAIRES D'ÉTÉ

De 9 h à 12 h, sauf le lundi.
"""


def headings(text):
    [part] = read_document(text, ".txt").parts
    assert all(" ".join(part.text[one.start :].split()).startswith(one.text) for one in part.headings)
    return [(one.level, one.text) for one in part.headings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RENDERED, [(1, "NAME"), (1, "WHAT IT DOES"), (1, "SEE ALSO")]),
        (UNDERLINED, [(1, "Kerrow Light"), (2, "Oil"), (2, "Boats")]),
        (NUMBERED, [(1, "1. Lamp"), (2, "1.1 Wicks"), (1, "2. Oil")]),
        (ARTICLES, [(1, "§ 1 Geltung"), (1, "§ 2 Öffnungszeiten"), (1, "§ 3 Gebühren")]),
        (
            ARTICLES.replace("§", "Artikel"),
            [(1, "Artikel 1 Geltung"), (1, "Artikel 2 Öffnungszeiten"), (1, "Artikel 3 Gebühren")],
        ),
        (ARTICLES.replace("\n§ 3 Gebühren", ""), []),
        (CONTRACT, [(1, "1. Subject"), (1, "2. Prices"), (1, "4) What if it is late?"), (1, "1. Signed for the mill")]),
        (AMENDMENT, [(1, "A. Prices (replaces section 2)"), (1, "B. Term"), (1, "C. All else")]),
        (RULES, [(1, "A. Before the watch"), (1, "B. Lamps"), (1, "C. Late arrivals")]),
        (
            RULES.replace("A.", "I.").replace("B.", "II.").replace("C.", "III."),
            [(1, "I. Before the watch"), (1, "II. Lamps"), (1, "III. Late arrivals")],
        ),
        (MINUTES, [(1, "25/09 LAMPS"), (1, "25/10 OIL"), (1, "25/11 BOATS")]),
        (MINUTES.replace("25/09", "25/01"), []),
        (TERMS, [(1, "Returns"), (1, "Carriage"), (1, "Repairs at Kerrow")]),
        (TERMS.replace("Returns\n", "1. Returns\n\n2. Lamps\n\n"), [(1, "1. Returns"), (1, "2. Lamps")]),
        (TERMS.replace("Returns\n", "Returns: "), []),
        (AGENDA, [(1, "TOP 1 Lampen"), (1, "TOP 2 Öl"), (1, "TOP 3 Boote")]),
        (
            AGENDA.replace("TOP 1 ", "Résolution n° I -")
            .replace("TOP 2 ", "Résolution n° II -")
            .replace("TOP 3 ", "Résolution n° V -"),
            [(1, "Résolution n° I - Lampen"), (1, "Résolution n° II - Öl"), (1, "Résolution n° V - Boote")],
        ),
        (IN_FRENCH, [(1, "ACCÈS"), (1, "HORAIRES D'ÉTÉ")]),
        (PAPER, [(1, "1 Introduction"), (1, "2 Method"), (2, "2.1 Lamps"), (1, "3 Results")]),
        (
            AROUND_CHAPTERS,
            [
                (1, "Abstract"),
                (1, "1. Introduction"),
                (1, "2.1 Lamps of brass"),
                (1, "2.2 Lamps of iron"),
                (1, "3. Conclusion"),
                (1, "References"),
                (1, "A Tables"),
                (2, "A.1 Brass"),
                (1, "B Letters"),
            ],
        ),
        (
            OUTLINE,
            [
                (1, "Noteworthy changes in release 2.1 (2024-03-01) [stable]"),
                (2, "New features"),
                (1, "Noteworthy changes in release 2.0 (2023-09-12) [stable]"),
                (2, "Bug fixes"),
            ],
        ),
        (
            RELEASES,
            [(1, "version 1.3 - Ada Finch, 2024-03-01"), (1, "version 1.2, 2023-09-12"), (1, "version 1.1 - Ada Finch")],
        ),
        (
            PACKAGED,
            [
                (1, "orla (1.3-2) unstable; urgency=medium"),
                (1, "orla (1.3-1) experimental; urgency=low"),
                (1, "orla (1.2-1) unstable; urgency=low"),
            ],
        ),
    ],
)
def test_headings_are_found_as_people_mark_them(text, expected):
    assert headings(text) == expected
    assert headings(text.replace("\n", "\r\n")) == expected


NONE = {
    "a word that stands before chapters": "Summary\n\nThe lamp is lit at dusk every day of the year.\n\nReferences\n\nNone.\n",
    "two articles": "A lamp\n\nIt is lit at dusk every day.\n\nB flat\n\nIt is a note that nobody sings here.\n",
    "a long line beside short ones": "The lamp is lit at dusk every day of the year, and nobody has told why that is so.\n\n"
    "Oil\n\n  It is dry.\n\nBoats\n\n  Two.\n\nRope\n\n  None.\n\n"
    "Whoever keeps the light writes down at dawn how much oil was burnt, and whether any ship was seen in that night.\n",
    "prose": "The lamp is lit.\n\nWHO LIT IT? Ada Finch did, as the log of that year says.\n\nNASA\n\nknows it.\n",
    "a list": "What to do today, before the night:\n\n1. Light the lamp.\n\n2. Fill the oil.\n\n3. Write it into the log.\n",
    "a year": "The keepers of that year were many.\n\n1842 Ada Finch came to the light\n\nShe stayed.\n",
    "names in capitals": "ADA FINCH\n\nSULA ORLAU\n\nKERROW LIGHT\n\nMARLOW HALL\n",
    "amounts": "The store has what follows.\n\n3 Lamps of brass\n\nThey are old.\n\n2 Barrels of oil\n\nThey are full.\n",
    "steps": "What to do when it is dark, in this order:\n\n1 Light the lamp\n\n2 Fill the oil\n\nThen write it down.\n",
    "a list of long items": "What to do today, before the night:\n\n1. Light the lamp in the tower that stands on the\n"
    "northern pier\n\n2. Fill the oil into the barrel that stands in the\nlower store, below\n\n"
    "3. Write all that was done into the log\nof the light\n",
    "a list of indented items": "What to do:\n\n1. Light the lamp\n   as soon as it is dark.\n\n2. Fill the oil\n   into it.\n"
    "\n3. Write it down\n   at once, in the log of the light.\n",
    "a list of verses": "1. The lamp is lit\nand it burns all night long.\n\n2. The oil is dry\nand so is the wick.\n\n"
    "3. It goes out\nat dawn.\n",
    "two captions": "1. The lamp\nIt is lit at dusk every day of the year.\n\n2. The oil\nIt is dry in the lower store.\n",
    "questions of an exam": "3. The lamp\nWho lit it in that year, and who put it out?\n\n7. The oil\nWhere was it?\n\n"
    "9. Boats\nHow many?\n",
    "a letter": "Dear Ada\nThe lamp is out again, and nobody knows why that is.\n\nCould you come and see to it?\n"
    "\nKind regards\nSula Renn, who keeps the light of Kerrow.\n",
    "an address": "Ada Finch\nKerrow Light\nOrlau\n\nIda Renn\nMarlow Hall\nOrlau\n\nSula Holt\nPier Road\nBrno\n",
    "wrapped paragraphs": "The lamp is lit at dusk\nevery day of the year, as it is said.\n\n"
    "The oil is dry in the store\nof the light, it is said.\n\nThe boats are two of them\nand nobody has a third one.\n",
    "a list with stars": "What to do today, before the night:\n\n* Light the lamp\n\n* Fill the oil\n\n* Write\n",
    "versions of two things": "The lamp is an old one:\n\nversion 1.3\n\nThe oil is a newer one:\n\nversion 2.0\n\nSo it is.\n",
    "a table": "name      oil\n--------  ---\nlamp one  dry\n\nand a sentence that is long enough\n",
    "a line between paragraphs": "The lamp is lit at dusk every day.\n\n------------\n\nIt is dry in the store below.\n",
    "a log": "2026-01-02 INFO the lamp is lit\n\nERROR\n\n2026-01-02 INFO it is out again now\n",
    "a licence": "A licence of some words for all.\n\nTHE LAMP IS PROVIDED AS IT IS, WITHOUT ANY\nWARRANTY.\n\nand so on.\n",
}


@pytest.mark.parametrize("text", NONE.values(), ids=NONE)
def test_other_lines_are_no_headings(text):
    assert headings(text) == []


def test_a_passage_of_plain_text_has_its_section(tmp_path):
    found = read(written(tmp_path, "README", UNDERLINED), max_words=12)
    assert (found[-1].title, found[-1].sections) == ("Kerrow Light", ("Boats",))


@pytest.mark.parametrize(
    ("text", "heading", "below"),
    [
        (CONTRACT, "1. Subject", "The mill delivers oil"),
        (MINUTES, "25/10  OIL", "It is dry, and none"),
        (ARTICLES, "§ 1 Geltung", "Diese Ordnung gilt"),
        (TERMS, "Returns", "What was bought"),
    ],
)
def test_a_heading_is_no_part_of_the_first_sentence_of_its_section(text, heading, below):
    [part] = read_document(text, ".txt").parts
    [whole] = [
        part.text[span.start : span.end] for span in sentence_spans(part.text) if below in part.text[span.start : span.end]
    ]
    assert whole.startswith(below)
    assert f"{heading}\n\n" in part.text


def test_nothing_else_of_a_text_changes():
    for text in (RENDERED, UNDERLINED, NUMBERED, RELEASES, PACKAGED, IN_FRENCH, *NONE.values()):
        [part] = read_document(text, ".txt").parts
        assert part.text == with_rows(text.strip())


OUTDENTED = """Office of Lights                                      A. Finch

Abstract

   It is told how a light is kept.

Status: draft

   More is to come, of the lamp as well
   as of the oil.

1.  0-RTT lamps

   They are lit at once, before anybody
   comes.

2.  429 lamps of iron

   Nobody has counted them, but for
   those on Carrow.

Appendix A.  Old lamps

A.1.  Of brass

   They burn.

Authors' Addresses

   Ada Finch, Carrow.
"""


def test_lines_that_are_not_indented_are_headings_where_all_else_is():
    [part] = read_document(OUTDENTED, ".txt").parts
    assert [(heading.level, heading.text) for heading in part.headings] == [
        (1, "Abstract"),
        (1, "Status: draft"),
        (1, "1. 0-RTT lamps"),
        (1, "2. 429 lamps of iron"),
        (1, "Appendix A. Old lamps"),
        (2, "A.1. Of brass"),
        (1, "Authors' Addresses"),
    ]


@pytest.mark.parametrize(
    ("found", "instead"),
    [
        (
            "   More is to come, of the lamp as well\n   as of the oil.",
            "More is to come.\nOf the lamp.\nOf the oil.\nOf boats.\nOf rope.",
        ),
        ("Abstract\n", "It is told.\n"),
        ("Abstract\n\n", "Abstract\n"),
        ("Abstract\n", "Abstract            1871\n"),
        ("Abstract\n", "lamp = light()\n"),
        ("Abstract\n", "A list of all that has to be known of the light by anybody who comes\n"),
    ],
)
def test_lines_that_are_not_indented_are_no_headings(found, instead):
    [part] = read_document(OUTDENTED.replace(found, instead), ".txt").parts
    assert instead.split("\n")[0] not in [heading.text for heading in part.headings]


def test_struck_out_letters_of_printed_pages_are_read_once(tmp_path):
    [passage] = read(written(tmp_path, "lamp.0", "N\bNA\bAM\bME\bE\n     _\bl_\ba_\bm_\bp - lights the lamp of all\n"))
    assert passage.text == "NAME\n     lamp - lights the lamp of all"


@pytest.mark.parametrize(
    ("content", "title"),
    [
        (
            "Metadata-Version: 2.4\nName: carrow-lights\nVersion: 1.8.3\nSummary: Lights\n\nName: other\n\nText.",
            "carrow-lights 1.8.3",
        ),
        ("Metadata-Version: 2.4\r\nVersion: 1\r\nName: carrow\r\n", "carrow 1"),
        ("Metadata-Version: 2.4\nName: carrow\n", "carrow"),
        ("Metadata-Version: 2.4\n\nName: carrow\n", ""),
        ("Name: carrow\nVersion: 1\n", ""),
    ],
)
def test_the_metadata_of_a_python_package_have_its_name_and_version_as_title(content, title):
    assert read_document(content, ".txt").title == title


CHAPTERS = {
    "numbered": ("1. Premises", "2. Rent"),
    "clauses": ("Clause 1 - Premises", "Clause 2 - Rent", "Clause 3 - Term"),
    "in capitals": ("PREMISES", "RENT AND COSTS"),
}


@pytest.mark.parametrize("chapters", CHAPTERS.values(), ids=CHAPTERS)
@pytest.mark.parametrize("word", ["Annex", "Annexe", "Schedule", "Exhibit", "Appendix", "Anhang"])
def test_annexes_are_level_with_the_chapters_before_them_and_with_each_other(chapters, word):
    annexes = [f"{kind} {number} - Plan" for kind in (word, "Allegato") for number in (1, 2, 3)]
    below = "The Landlord lets the hall to the Tenant.\n\nThe hall has two doors."
    found = headings("LEASE AGREEMENT\n\n" + "\n\n".join(f"{heading}\n\n{below}" for heading in (*chapters, *annexes)))
    assert found == [(1, heading) for heading in (*chapters, *annexes)]


def test_chapters_of_annexes_are_within_them():
    below = "The Landlord lets the hall to the Tenant.\n\nThe hall has two doors."
    annexes = "\n\n".join(f"Annex {number} - Plan\n\n1. Rooms\n\n{below}\n\n2. Yard\n\n{below}" for number in (1, 2, 3))
    assert headings(annexes) == [(1, "Annex 1 - Plan"), (2, "1. Rooms"), (2, "2. Yard")] + [
        (level, text) for number in (2, 3) for level, text in ((1, f"Annex {number} - Plan"), (2, "1. Rooms"), (2, "2. Yard"))
    ]


def test_annexes_are_level_with_the_parts_that_chapters_are_in():
    below = "The Landlord lets the hall to the Tenant.\n\nThe hall has two doors."
    parts = "\n\n".join(f"Part {n} - Hall\n\n{2 * n - 1}. Rooms\n\n{below}\n\n{2 * n}. Yard\n\n{below}" for n in (1, 2, 3))
    annexes = "\n\n".join(f"Annex {number} - Plan\n\n{below}" for number in (1, 2, 3))
    found = headings(f"{parts}\n\n{annexes}")
    assert [level for level, _ in found] == [1, 2, 2] * 3 + [1, 1, 1]
