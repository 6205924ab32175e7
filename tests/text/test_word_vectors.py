"""Nearness in meaning, by vectors of words."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.word_vectors import write_word_vectors

from hopweave.core.errors import DataError
from hopweave.text.word_vectors import VECTORS_FILE, VOCABULARY_FILE, Headed, nearness, word_vectors

QUESTION = "How do the sailors delete a folder?"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def vectors(folder, monkeypatch):
    write_word_vectors(folder, monkeypatch)
    return folder


def near(*texts, question=QUESTION, **how):
    return nearness(question, [Headed("", text) for text in texts], **how)


def test_a_text_that_says_the_same_in_other_words_is_nearer_than_one_that_does_not(vectors):
    assert near("Wages of a mariner.", "To erase the directory, ask.", "The harbour.")[1] == 1.0
    assert near("To erase the directory, ask.", "Wages.") == [1.0, 0.0]


def test_words_are_known_in_small_letters_and_in_capitals(vectors):
    assert near("ERASE THE DIRECTORY", "Wages") == [1.0, 0.0]
    assert near("a port", "a folder", question="What is the Harbour?") == [1.0, 0.0]


def test_headings_count_as_much_as_is_said(vectors):
    texts = [Headed("Wages", "Erase the directory"), Headed("", "Erase the directory, wages")]
    assert nearness(QUESTION, texts, of_headings=2.0) == [0.0, 1.0]
    assert nearness(QUESTION, texts, of_headings=0.5) == [1.0, 0.0]


def test_of_a_long_text_the_nearest_words_count_where_they_are_looked_at_a_few_at_a_time(vectors):
    long = f"{'The wages of the harbour. ' * 20} Erase the directory. {'The wages of the harbour. ' * 20}"
    other = "The directory of wages."
    assert near(long, other) == [0.0, 1.0]
    assert near(long, other, window=3) == [1.0, 0.0]


def test_the_last_words_of_a_text_are_looked_at(vectors):
    for before in range(1, 9):
        assert near(f"{'wages ' * before} erase directory", "wages salary erase", window=4) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Wie heißt der Ordner, den ich delete?", ("delete", "wages")),  # of another language
        ("Xyzzy?", ("delete", "wages")),  # without a word that is known
        (QUESTION, ("Xyzzy plugh", "Quux")),
        (QUESTION, ("delete", "delete")),
        (QUESTION, ("delete",)),
        (QUESTION, ()),
        ("", ("delete", "wages")),
    ],
)
def test_where_nothing_tells_texts_apart_all_are_equally_near(vectors, question, texts):
    assert near(*texts, question=question) == [0.0] * len(texts)


def test_without_the_files_all_are_equally_near(folder, monkeypatch):
    assert near("erase the directory", "wages") == [0.0, 0.0]
    assert word_vectors() == ""
    write_word_vectors(folder, monkeypatch)
    assert near("erase the directory", "wages") == [1.0, 0.0]
    assert word_vectors() == "wordllama-l2-supercat-256"
    (folder / VOCABULARY_FILE).unlink()
    assert word_vectors() == ""


def test_pieces_of_words_and_signs_are_no_words(vectors):
    assert near("ing % ing", "wages") == [0.0, 0.0]


@pytest.mark.parametrize("name", [VECTORS_FILE, VOCABULARY_FILE])
def test_a_file_that_was_modified_is_refused_with_what_to_do(vectors, name):
    path = vectors / name
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DataError, match=rf"{name} is not .* hopweave models fetch word-vectors"):
        near("erase", "wages")


@given(st.lists(st.text("delrmov wagesfolder.\n", max_size=60), min_size=2, max_size=6), st.integers(0, 5))
@example(["a", "a.a"], 1)  # a window of one word
def test_the_farthest_is_0_and_the_nearest_1(tmp_path_factory, texts, window):
    folder = tmp_path_factory.getbasetemp() / "word-vectors-of-all"
    with pytest.MonkeyPatch.context() as patch:
        write_word_vectors(folder, patch)
        patch.setenv("HOPWEAVE_MODELS", str(folder))
        found = near(*texts, window=window)
    assert len(found) == len(texts)
    assert all(0 <= one <= 1 for one in found)
    assert not any(found) or (min(found), max(found)) == (0.0, 1.0)


def test_of_a_text_without_end_only_the_beginning_is_looked_at(vectors):
    wages = "wages " * 4_000
    assert near(f"{wages}erase directory", f"erase directory {wages}", "harbour", window=4) == [0.0, 1.0, 0.0]
