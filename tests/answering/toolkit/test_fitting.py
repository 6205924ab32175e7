"""Passages are shown whole and in order as long as they fit; a first one that does not is cut."""

from __future__ import annotations

import pytest
from support.bench import told
from support.workbench import bench, record_of

from hopweave.answering.toolkit.fitting import fitting
from hopweave.core.types import Passage

PASSAGES = [Passage(f"p{number}", "a b c d e f", f"T{number}") for number in range(1, 4)]
WORDS = 10  # of a passage with its number, its title and its fence


async def fitted(passages, room, max_words=0):
    async with bench() as workbench:
        found = await fitting(workbench, passages, room, max_words)
        return found, told(record_of(workbench), "packed")


@pytest.mark.parametrize(
    ("room", "num", "noted"),
    [
        (3 * WORDS, 3, []),
        (3 * WORDS - 1, 2, ["2 of 3 passages fit"]),
        (WORDS, 1, ["1 of 3 passages fit"]),
        (WORDS - 1, 1, ["the first of 3 passages is cut to 5 of its 6 words"]),
        (0, 1, ["the first of 3 passages is cut to 1 of its 6 words"]),
    ],
)
async def test_as_many_as_fit_are_shown_and_the_record_says_how_many(room, num, noted):
    found, decisions = await fitted(PASSAGES, room)
    assert (found.passages, found.is_full, decisions) == (tuple(PASSAGES[:num]), bool(noted), noted)
    assert [f"[{number}] <passage>\nT{number}\n" in found.text for number in (1, 2, 3)] == [True] * num + [False] * (3 - num)


async def test_a_passage_is_never_shown_longer_than_its_limit_of_words():
    found, decisions = await fitted(PASSAGES[:1], 100, max_words=2)
    assert (found.text, decisions) == ("[1] <passage>\nT1\na b\n</passage>", [])
    assert (await fitted(PASSAGES[:1], 5, max_words=2))[0].text == "[1] <passage>\nT1\na\n</passage>"


async def test_that_there_is_no_passage_is_said():
    found, decisions = await fitted([], 100)
    assert (found.text, found.passages, found.is_full, decisions) == ("(No passage was found.)", (), False, [])
