import time
from pathlib import Path

import pytest
from support.readers import read_rst

from hopweave.ingest.read import read_corpus

PAGE = """.. _top:

==========
The |Ulm| minster
==========

It is the `tallest <https://example.org/x>`_ church, says :meth:`~spire.build`, *very* **tall** and ``a_b``.
See also `the town`__ and Ulm_.

.. note:: Closed on Mondays.

   Ring twice.

.. toctree::
   :maxdepth: 2

   hidden/page

.. A comment
   of two lines.

Heights
-------

===== ======
city  metres
===== ======
Ulm   161
===== ======

.. image:: t.png
   :alt: A tower

Then::

   height = 161

.. include:: /etc/passwd

.. [1] A footnote.
"""


def test_restructured_text_becomes_what_a_reader_sees():
    document = read_rst(PAGE)
    title, text = document.title, document.parts[0].text
    assert title == "The Ulm minster"
    assert text == (
        "The Ulm minster\n\n"
        "It is the tallest church, says spire.build, very tall and a_b.\nSee also the town and Ulm.\n\n"
        "Closed on Mondays.\n\nRing twice.\n\nHeights\n\ncity: Ulm; metres: 161.\n\nThen:\n\nheight = 161\n\nA footnote."
    )


def test_a_page_without_a_section_has_the_name_of_its_file(tmp_path):
    (tmp_path / "a.rst").write_text("Only text.")
    assert [(p.id, p.title, p.text) for p in read_corpus([tmp_path])] == [("a.rst", "a", "Only text.")]


@pytest.mark.parametrize("piece", ["`", "``", "*a", ":a:", "a_", "<", ".. a\n", "|a|", "=== ", "[a]", "`a<", ":a:`b"])
def test_time_grows_with_the_length_and_not_faster(piece):
    def seconds(number: int) -> float:
        began = time.process_time()
        read_rst(piece * number)
        return time.process_time() - began

    # A bound that time that grows with the square, 64 times as much, would break by far.
    assert any(
        seconds(40_000) < 32 * max(seconds(5_000), 0.002) for _ in range(3)
    )  # garbage of other tests may be collected meanwhile


def test_nothing_that_is_named_is_opened(tmp_path, monkeypatch):
    (tmp_path / "secret.txt").write_text("secret")
    monkeypatch.setattr(Path, "open", None)
    assert "secret" not in read_rst(f".. include:: {tmp_path}/secret.txt\n\nText.\n").parts[0].text.split()


def text_of(page):
    return read_rst(page).parts[0].text


def test_what_describes_a_function_or_an_option_is_part_of_the_page():
    page = """.. py:function:: ring(times, *, loud=False)
                 ring()
   :noindex:

   Rings the *bell*.

   It may be heard in Ulm.

.. some-extension:: --quiet

   Rings no bell.
"""
    assert text_of(page) == (
        "ring(times, *, loud=False)\nring()\nRings the bell.\n\nIt may be heard in Ulm.\n\n--quiet\nRings no bell."
    )


def test_a_change_names_the_version_as_readers_see_it():
    page = """.. versionadded:: 3.5

.. versionchanged:: 3.6
   Louder.

.. deprecated:: 3.7 Use the horn.
"""
    expected = "New in version 3.5.\n\nChanged in version 3.6:\nLouder.\n\nDeprecated since version 3.7: Use the horn."
    assert text_of(page) == expected


def test_nothing_is_markup_in_code():
    page = """Write::

  x_ = *y* | z

    ``w``

Or:

.. code-block:: c
   :linenos:

   int *a, *b;

.. math:: a_1

   b_2 = |c|

and *no* more.
"""
    assert text_of(page) == ("Write:\n\nx_ = *y* | z\n  ``w``\n\nOr:\n\nint *a, *b;\n\na_1\n\nb_2 = |c|\n\nand no more.")


def test_two_dots_alone_end_a_list_and_leave_out_nothing():
    assert text_of("- Bells\n\n..\n\n   A quote.\n\nText.") == "- Bells\n\nA quote.\n\nText."


def test_a_footnote_whose_text_begins_below_its_number_is_kept():
    assert text_of("Text [1]_.\n\n.. [1]\n   The note\n   goes on.") == "Text [1]_.\n\nThe note\ngoes on."


def test_comma_separated_values_are_rows_of_a_table():
    page = """.. csv-table:: Heights
   :header: "city", "metres"
   :widths: 1, 2

   "Ulm", 161
   "Bonn, on the Rhine", 82
"""
    assert text_of(page) == "Heights\n\ncity: Ulm; metres: 161.\n\ncity: Bonn, on the Rhine; metres: 82."


@pytest.mark.parametrize("delimiter", ["", "::"])
def test_values_whose_delimiter_is_none_are_read_line_by_line(delimiter):
    assert text_of(f".. csv-table::\n   :delim: {delimiter}\n\n   Ulm, 161\n") == "Ulm, 161"


@pytest.mark.parametrize(
    "directive",
    [
        "toctree::",
        "raw:: html",
        "index::",
        "automodule:: bells",
        "|x| replace::",
        "module:: bells",
        "_target: x",
        "include:: x",
    ],
)
def test_what_is_for_programs_is_left_out(directive):
    assert text_of(f"Before.\n\n.. {directive}\n\n   hidden\n\nAfter.") == "Before.\n\nAfter."


@pytest.mark.parametrize(
    "piece", [".. x:: y\n\n", ".. versionadded:: 1\n\n", "::\n\n", ".. csv-table::\n", "..\n\n", ".. code::\n\n  a\n"]
)
def test_time_for_directives_grows_with_their_number(piece):
    def seconds(number: int) -> float:
        began = time.process_time()
        read_rst(piece * number)
        return time.process_time() - began

    assert any(seconds(16_000) < 32 * max(seconds(2_000), 0.002) for _ in range(3))
