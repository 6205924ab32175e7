"""Detectors tell a repeated query from a new one, in the words or in the meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.catalog import load
from hopweave.core.errors import MissingExtra, SettingsError
from hopweave.models.duplicate_detectors.keywords import KeyWords
from hopweave.models.duplicate_detectors.normalized import Normalized


def test_case_punctuation_and_articles_do_not_make_a_query_new():
    seen = ["Who directed Alien?", "Where was the director of Alien born?"]
    assert Normalized().duplicate_of("where was director of alien born", seen) == 1


def test_another_name_makes_a_query_new():
    assert Normalized().duplicate_of("Who directed Aliens?", ["Who directed Alien?"]) is None


MAYOR = "Who is the mayor of Orlau?"


@pytest.mark.parametrize(
    ("query", "other"),
    [
        (MAYOR, "Who was the mayor of Orlau?"),
        (MAYOR, "What is the name of the mayor of Orlau?"),
        (MAYOR, "Which person is the mayor of Orlau?"),
        (MAYOR, "Who is Orlau's mayor?"),
        (MAYOR, "who is currently the mayor of orlau"),
        (MAYOR, "WHO IS THE MAYOR OF ORLAU"),
        (MAYOR, "Find the mayor of Orlau."),
        ("When did the Glass Mill open?", "In which year did the Glass Mill open?"),
        ("Where was Ida Renn born?", "In what place was Ida Renn born?"),
        ("Who was the performer of Paper Lanterns?", "Who performed “Paper Lanterns”?"),
        ("By whom was Brutus killed?", "Who killed Brutus?"),
        ("What is it?", "what is IT"),
    ],
)
def test_a_paraphrase_with_the_same_key_words_is_a_duplicate(query, other):
    assert KeyWords().duplicate_of(other, ["Who else?", query]) == 1
    assert KeyWords().duplicate_of(query, [other]) == 0


@pytest.mark.parametrize(
    ("query", "other"),
    [
        ("Who directed Alien?", "Who directed Aliens?"),
        ("Who is William?", "Who is Williams?"),
        ("Who won in 1931?", "Who won in 1932?"),
        ("Who won 1,450 miles?", "Who won 1,451 miles?"),
        (MAYOR, "Who is the mayor of Berlau?"),
        (MAYOR, "Who is the mother of the mayor of Orlau?"),
        (MAYOR, "Is Orlau the mayor?"),
        ("Who killed Brutus?", "Whom did Brutus kill?"),
        ("Who killed Brutus?", "Who was killed by Brutus?"),
        ("Who is the father of Ida's mother?", "Who is the mother of Ida's father?"),
        ("Who is his mother?", "Who is her mother?"),
        ("Is Orlau older than Berlau?", "Is Berlau older than Orlau?"),
        ("When was Ida Renn born?", "Where was Ida Renn born?"),
        ("How many years did she live?", "How many days did she live?"),
        ("Who won before 1931?", "Who won after 1931?"),
        ("Who lives in Orlau?", "Who does not live in Orlau?"),
        ("Who sang It?", "Who sang?"),
        ("What is Orlau known for?", "What is Orlau?"),
        ("Who is it?", "What was that?"),
        ("", ""),
    ],
)
def test_queries_that_differ_in_a_name_a_number_or_what_is_asked_are_no_duplicates(query, other):
    assert KeyWords().duplicate_of(other, [query]) is None
    assert KeyWords().duplicate_of(query, [other]) is None


@given(st.text(), st.lists(st.text(), max_size=3))
def test_any_text_can_be_compared(query, seen):
    assert KeyWords().duplicate_of(query, seen) in {None, *range(len(seen))}


@pytest.mark.parametrize("name", ["cross_encoder", "embedding"])
def test_a_threshold_that_cannot_be_is_refused(name):
    with pytest.raises(SettingsError, match="threshold"):
        load("duplicate_detectors", name)(threshold=2.0)


@pytest.mark.parametrize("name", ["cross_encoder", "embedding"])
def test_a_missing_library_is_named_with_its_extra(name, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"hopweave\[hf\]"):
        load("duplicate_detectors", name)().duplicate_of("b", ["a"])


@pytest.fixture(scope="module")
def tiny_bert(tmp_path_factory):
    """Random weights of a BERT of two layers, with a tokenizer over a few words."""
    pytest.importorskip("sentence_transformers", reason="needs hopweave[hf]")
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("bert")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "who", "directed", "alien", "where", "was", "born", "?"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, num_labels=1
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@pytest.mark.filterwarnings("default")
def test_the_cross_encoder_takes_the_likeliest_earlier_query_above_its_threshold(tiny_bert):
    import torch
    from sentence_transformers import CrossEncoder

    seen = ["who directed alien ?", "where was alien born ?"]
    pairs = [(other, "who was born ?") for other in seen]
    scores = CrossEncoder(str(tiny_bert), num_labels=1, device="cpu").predict(pairs, activation_fn=torch.nn.Sigmoid())
    best = max(range(2), key=lambda index: scores[index])
    detector = load("duplicate_detectors", "cross_encoder")
    below = detector(model=str(tiny_bert), threshold=float(scores[best]) - 0.01, device="cpu")
    above = detector(model=str(tiny_bert), threshold=float(scores[best]) + 0.01, device="cpu")
    assert below.duplicate_of("who was born ?", seen) == best
    assert above.duplicate_of("who was born ?", seen) is None
    assert below.duplicate_of("who was born ?", []) is None


@pytest.mark.filterwarnings("default")
def test_equal_queries_have_equal_embeddings(tiny_bert):
    detector = load("duplicate_detectors", "embedding")(model=str(tiny_bert), threshold=0.9999, device="cpu")
    seen = ["who directed alien ?", "where was alien born ?"]
    assert detector.duplicate_of("where was alien born ?", seen) == 1
    assert detector.duplicate_of("where was alien born ?", []) is None
