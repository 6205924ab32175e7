"""Long passages and long answers: each is worked on a few times, however long it is, and as far as it decides something."""

from __future__ import annotations

import pytest

from hopweave.citations import support
from hopweave.core.types import Passage
from hopweave.text import sentences

QUERY = "Who designed the light of Carrow Head?"
STATED = "Ines Halloran designed the light of Carrow Head."
FILLER = "Robert Dane opened the market of Ulm in {}. The river Teel was bridged near the school in that year."


def long_text(num_characters: int) -> str:
    """A text with the sentence in its middle, and everywhere else other sentences."""
    parts = [FILLER.format(1_000 + number) for number in range(num_characters // len(FILLER) + 1)]
    parts.insert(len(parts) // 2, STATED)
    return " ".join(parts)


@pytest.mark.parametrize("num_passages", [1, 5])
def test_a_long_passage_is_split_into_sentences_once(num_passages, monkeypatch):
    texts = [f"{long_text(60_000)} Number {number} of {num_passages}." for number in range(num_passages)]
    split, seen = sentences.sentence_spans_of_long, []

    def noted(text, language=""):
        seen.append(text)
        return split(text, language)

    monkeypatch.setattr(sentences, "sentence_spans_of_long", noted)
    passages = [Passage(str(number), text, "Carrow Head") for number, text in enumerate(texts)]
    assert support.judge(QUERY, "Ines Halloran", passages).support == "supported"
    assert [seen.count(text) for text in texts] == [1] * num_passages


def looked_for(said: str, passage: Passage, monkeypatch) -> tuple[str, int]:
    """The support of an answer, and how often a part of it was looked for."""
    cited, seen = support._Case._cited, []

    def noted(case, part):
        seen.append(part)
        return cited(case, part)

    monkeypatch.setattr(support._Case, "_cited", noted)
    return support.judge(QUERY, said, [passage]).support, len(seen)


def test_the_first_sentence_that_no_passage_has_ends_the_judging_of_an_answer(monkeypatch):
    said = long_text(3_000)
    assert looked_for(said, Passage("p", STATED, "Carrow Head"), monkeypatch) == ("unsupported", 2)


@pytest.mark.parametrize(("num", "found"), [(2, "supported"), (100, "supported"), (101, "unsupported")])
def test_an_answer_of_more_than_a_hundred_sentences_is_not_judged(num, found, monkeypatch):
    said = " ".join([STATED] * num)
    num_looked_for = 1 + (num if found == "supported" else 0)
    passage = Passage("p", STATED, "Carrow Head")
    assert looked_for(said, passage, monkeypatch) == (found, num_looked_for)
