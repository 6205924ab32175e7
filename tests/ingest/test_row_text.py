"""A row of a table as text of its own."""

import pytest

from hopweave.ingest.document import row_text


@pytest.mark.parametrize(
    ("names", "cells", "text"),
    [
        (["city", "river"], ["Ulm", "Danube"], "city: Ulm. river: Danube."),
        (["city", "note"], ["Ulm", "Tall, is it?"], "city: Ulm. note: Tall, is it?"),
        (["city", "river", "lake"], ["Ulm", " ", "none"], "city: Ulm. lake: none."),
        (["city", ""], ["Ulm", "161"], "city: Ulm. 161."),
        (["city"], ["Ulm", "161"], "city: Ulm. 161."),
        (["city", "river"], ["Ulm"], "city: Ulm."),
        (["the\n city"], [" Ulm\nminster\n"], "the city: Ulm\nminster."),
        (["city"], [""], ""),
        ([], [], ""),
    ],
)
def test_each_cell_stands_with_the_name_of_its_column(names, cells, text):
    assert row_text(names, cells) == text
