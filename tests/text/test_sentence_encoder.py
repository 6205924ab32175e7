"""Sentence embeddings: one loaded model for whichever part asks."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from hopweave.core import sentence_encoder
from hopweave.core.catalog import load
from hopweave.core.errors import MissingExtra


class Vector(tuple):
    def __matmul__(self, other):
        return sum(one * two for one, two in zip(self, other, strict=True))


@pytest.fixture
def loaded(monkeypatch):
    """The models that were loaded; vectors are of length 1 and say whether a text has a question mark."""
    models = []

    class Encoder:
        def __init__(self, name, device):
            models.append((name, device))

        def encode(self, texts, *, normalize_embeddings):
            length = 1.0 if normalize_embeddings else 3.0
            return [Vector((length, 0.0) if "?" in text else (0.0, length)) for text in texts]

    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=Encoder))
    monkeypatch.setattr(sentence_encoder, "_ENCODERS", {})
    return models


def test_a_model_is_loaded_once_for_each_device(loaded):
    assert sentence_encoder.cosines_with("a?", ["b?", "c"], "small") == [1.0, 0.0]
    assert list(sentence_encoder.embeddings(["a?"], "small")) == [(3.0, 0.0)]
    sentence_encoder.embeddings(["a?"], "small", "cpu")
    assert loaded == [("small", None), ("small", "cpu")]


def test_without_texts_no_model_is_loaded(loaded):
    assert sentence_encoder.cosines_with("a?", [], "small") == []
    assert loaded == []


def test_without_its_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"hopweave\[hf\]"):
        sentence_encoder.embeddings(["a"], "not loaded before")


def test_the_detector_of_duplicates_takes_the_nearest_earlier_query_above_its_threshold(loaded):
    detector = load("duplicate_detectors", "embedding")(model="small")
    assert detector.duplicate_of("a?", ["b", "c?"]) == 1
    assert detector.duplicate_of("a?", ["b"]) is None
    assert detector.duplicate_of("a?", []) is None
    assert loaded == [("small", None)]
