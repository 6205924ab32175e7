"""Whether two sentences deny the same things."""

import pytest

from hopweave.text.negation import deny_alike

ALIKE = [
    ("The bridge was built in 1848.", "It was built in 1848, after the flood."),
    ("Files are not removed.", "By default, no files are removed."),
    ("It doesn't remove files.", "Files are never really removed."),
    ("It removes files that are not on the sending side.", "Removes files which are not on the sending side."),
    ("It is not only old but also long.", "It is old and long."),
    ("The tool copies files.", "The tool copies files, but does not follow links."),
    ("1990", "He did not win the prize until 1990."),
    ("No", "It is not known."),
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
]


@pytest.mark.parametrize(("left", "right"), ALIKE)
def test_what_one_denies_the_other_denies_or_does_not_mention(left, right):
    assert deny_alike(left, right)
    assert deny_alike(right, left)


@pytest.mark.parametrize(("left", "right"), OPPOSED)
def test_what_one_denies_the_other_says(left, right):
    assert not deny_alike(left, right)
    assert not deny_alike(right, left)
