"""Whether two sentences deny the same things."""

import pytest

from hopweave.citations.rules.negation import denies_there, deny_alike
from hopweave.core.types import Span

ALIKE = [
    ("The bridge was built in 1848.", "It was built in 1848, after the flood."),
    ("Files are not removed.", "By default, no files are removed."),
    ("It doesn't remove files.", "Files are never really removed."),
    ("It removes files that are not on the sending side.", "Removes files which are not on the sending side."),
    ("It is not only old but also long.", "It is old and long."),
    ("The tool copies files.", "The tool copies files, but does not follow links."),
    ("1990", "He did not win the prize until 1990."),
    ("No", "It is not known."),
    ("The customer has the number 10040.", "Customer No: 10040; Name: Lumitek."),
    ("Art.-No. 5 is a filter.", "Art.-No.: 5; Product: filter, No. 5 of the list."),
    ("", "It is not known."),
    ("The option --no-proxy is new.", "The option --no-proxy was added."),
]
OPPOSED = [
    ("The bridge was not built in 1848.", "The bridge was built in 1848."),
    ("The option never removes files.", "The option removes files."),
    ("It removes files on the sending side that are not on the other.", "It removes files that are not on the sending side."),
    ("The index can't be compressed.", "The index can be compressed."),
    ("It works without a key.", "It works with a key of the provider."),
    ("Ulm", "He was born not in Ulm but in Bonn."),
    ("It isn\u2019t encrypted by default.", "It is encrypted by default."),
    ("It does not currently encrypt files.", "It encrypts files."),
    ("The fort no longer exists.", "The fort exists today."),
    ("The daemon refuses to export a folder.", "The daemon exports a folder."),
    ("She failed to finish the bridge.", "She finished the bridge."),
    ("She did not win the prize.", "She won the prize."),
]


@pytest.mark.parametrize(("left", "right"), ALIKE)
def test_what_one_denies_the_other_denies_or_does_not_mention(left, right):
    assert deny_alike(left, right)
    assert deny_alike(right, left)


@pytest.mark.parametrize(("left", "right"), OPPOSED)
def test_what_one_denies_the_other_says(left, right):
    assert not deny_alike(left, right)
    assert not deny_alike(right, left)


CAST = "The first cast did not reprise their roles in the third film, but Ada Finch sang."
ENGINES = "It uses Brno engines instead of Sula ones, without the Orlau gearbox."
LATE = "The film was not released in Sula until 1961."
ALL_BUT = "It never keeps files except NEWS."
PORT = "--port PORT Another port to listen on rather than the default of 873."
OPTION = "The reuse parameter of tarn_open() is no longer supported."
FOLDER = "Use DIR for temporaries, not $TMPDIR."


@pytest.mark.parametrize(
    ("query", "sentence", "words", "is_denied"),
    [
        ("Who reprised their roles in the third film?", CAST, "The first cast", True),
        ("Who did not reprise their roles in the third film?", CAST, "The first cast", False),
        ("Who sang in the third film?", CAST, "Ada Finch", False),  # in another clause
        ("Which engines does it use?", ENGINES, "Brno", False),
        ("Which engines does it use?", ENGINES, "Sula", True),
        ("Which engines does it use instead of Brno ones?", ENGINES, "Sula", False),
        ("Which gearbox does it use?", ENGINES, "Orlau", True),
        ("When was the film released?", LATE, "1961", False),
        ("Where was the film released?", LATE, "Sula", True),
        ("Which file does it keep?", ALL_BUT, "NEWS", False),  # two of them, so it is kept
        ("Which port does it listen on by default?", PORT, "873", False),
        ("Which port does it listen on with --port PORT?", PORT, "873", True),
        ("Which parameter of tarn_open() is supported?", OPTION, "reuse", True),
        ("Which folder is used for temporaries with DIR?", FOLDER, "$TMPDIR", True),
        ("What is the default port?", "The rationale for not using the default port 5684 is this.", "5684", True),
        ("What is the port?", "It runs over port 4646, to avoid port 5684.", "5684", True),
        ("What is the port?", "It runs over port 4646 as opposed to 5684.", "5684", True),
        ("What is the port?", "It runs over port 4646 as opposed to 5684.", "4646", False),
        ("What is the port?", "It never actually uses the old port 5684.", "5684", True),
        ("How many ports are there?", "It cannot use more than 12 ports.", "12", False),
        ("Since when are there ports?", "It did not support ports before version 4.", "version 4", False),
    ],
)
def test_words_are_denied_by_their_clause_if_it_denies_what_is_asked_or_leaves_them_out(query, sentence, words, is_denied):
    start = sentence.index(words)
    assert denies_there(f"{query} {words}", sentence, Span(start, start + len(words))) is is_denied
