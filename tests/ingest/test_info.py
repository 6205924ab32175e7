"""Manuals in GNU's Info format: sections of their nodes, without menus and indexes."""

import gzip

from hypothesis import given
from hypothesis import strategies as st
from support.corpora import read, written
from support.readers import read_info

MANUAL = """This is lamp.info, produced by makeinfo version 6.7 from lamp.texi.

INFO-DIR-SECTION Lights
START-INFO-DIR-ENTRY
* Lamp: (lamp).       Lights a lamp.
END-INFO-DIR-ENTRY

\x1f
File: lamp.info,  Node: Top,  Next: Oil,  Up: (dir)

The Lamp of Orlau
*****************

This manual is about the lamp.

* Menu:

* Oil::     What it burns.
\x1f
File: lamp.info,  Node: Oil,  Next: Options,  Prev: Top,  Up: Top

1 Oil
*****

   The lamp burns rape oil.  See also *note Common
options::.  How it is bought: *note The shop: (shop)Oil.

   * Pour it in
     slowly.
   * Close the lid.

* Menu:

* Options::

\x1f
File: lamp.info,  Node: Options,  Prev: Oil,  Up: Oil

1.1 Options
===========

\u2018-w\u2019
\u2018--wick\u2019
     How long the wick is.

\x1f
File: lamp.info,  Node: Notes,  Prev: Options,  Up: Top

Whale oil smells.
\x1f
File: lamp.info,  Node: Index,  Prev: Notes,  Up: Top

Index
*****

\0\b[index\0\b]
* Menu:

* oil:                                  Oil.                   (line  6)

\x1f
Tag Table:
Node: Top\x7f190
\x1f
End Tag Table
"""


def test_a_manual_has_its_title_and_sections_and_no_menus():
    document = read_info(MANUAL)
    [part] = document.parts
    assert document.title == "The Lamp of Orlau"
    assert [(heading.level, heading.text) for heading in part.headings] == [
        (1, "1 Oil"),
        (2, "1.1 Options"),
        (4, "Notes"),
    ]
    assert part.text.split("\n\n") == [
        "This manual is about the lamp.",
        "1 Oil",
        "The lamp burns rape oil.  See also Common options.  How it is bought: The shop.",
        "* Pour it in\n  slowly.\n* Close the lid.",
        "1.1 Options",
        "\u2018-w\u2019\n\u2018--wick\u2019\n     How long the wick is.",
        "Whale oil smells.",
    ]


def test_passages_of_a_compressed_manual_and_of_its_numbered_files_have_their_sections(tmp_path):
    for name in ("lamp.info.gz", "lamp.info-2.gz"):
        (tmp_path / name).write_bytes(gzip.compress(MANUAL.replace("rape oil", name).encode()))
    for passage in read(tmp_path):
        assert passage.title == "The Lamp of Orlau"
        assert passage.source in {"lamp.info.gz", "lamp.info-2.gz"}
    assert ("1 Oil",) in {passage.sections for passage in read(tmp_path, max_words=12)}


def test_a_manual_without_a_heading_at_its_top_is_named_by_its_file():
    assert read_info(MANUAL.replace("*****************\n", "")).title == "lamp"


def test_the_beginning_of_a_manual_in_several_files_is_what_it_says_of_itself(tmp_path):
    begun = MANUAL.split("\x1f", 1)[0] + "\x1f\nIndirect:\nlamp.info-1: 300\n\x1f\nTag Table:\nNode: Top\x7f190\n"
    [passage] = read(written(tmp_path, "lamp.info", begun))
    assert passage.text == "This is lamp.info, produced by makeinfo version 6.7 from lamp.texi."


def test_another_file_of_that_name_is_plain_text(tmp_path):
    [passage] = read(written(tmp_path, "site.info", "The lamp of Orlau is lit at dusk."))
    assert passage.text == "The lamp of Orlau is lit at dusk."


PIECES = [
    "\x1f",
    "\n",
    "File: a.info, Node: B,",
    "***",
    "===",
    "* Menu:",
    "*note ",
    "::",
    ": ",
    "lamp ",
    "(x)",
    ".",
    ",",
    "\0\b[image",
    "\0\b]",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_any_mixture_is_read(content):
    assert read_info(content).parts is not None
