import time
from pathlib import Path

import pytest

from hopweave.ingest.read import read_corpus
from hopweave.ingest.rst import read_rst

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
