"""Groups of questions that are alike."""

import math

import pytest

from hopweave.answering.methods.chain_of_thought import _clusters
from hopweave.answering.methods.chain_of_thought._clusters import clusters
from hopweave.core import sentence_encoder
from hopweave.core.errors import MissingExtra
from hopweave.text.tfidf import word_vectors

RIVERS = ("Which river runs through Orlau?", "Which river runs through Ulm?", "Which river runs through Bonn and Ulm?")
BRIDGES = ("Who built the old bridge?", "Who built the new bridge?")


def test_questions_with_the_same_words_come_into_one_cluster():
    found = clusters((RIVERS[0], BRIDGES[0], RIVERS[1], BRIDGES[1], RIVERS[2]), 2, seed=192)
    assert {frozenset(one) for one in found} == {frozenset({0, 2, 4}), frozenset({1, 3})}


def test_the_nearest_to_its_own_centroid_stands_first():
    # Centroids: 1 and 11. Distances: 1, 0.5, 1.5 and 1, 0, 1.
    found = clusters_of([0.0, 1.5, 2.5, 20.0, 21.0, 22.0])
    assert sorted(found) == [(1, 2, 0), (4, 3, 5)]


def clusters_of(numbers, num=2):
    """Clusters of points on a line."""
    vectors = {str(number): {"x": number} for number in numbers}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_clusters, "word_vectors", lambda texts: [vectors[text] for text in texts])
        return clusters.__wrapped__(tuple(vectors), num, 192)


def test_every_text_is_in_one_cluster_and_a_seed_gives_the_same_again():
    texts = tuple(f"{a} {b} {c}" for a in "pqr" for b in "stu" for c in "vwx")
    found = clusters.__wrapped__(texts, 5, 192)
    assert sorted(index for one in found for index in one) == list(range(27))
    assert clusters.__wrapped__(texts, 5, 192) == found
    assert any(clusters.__wrapped__(texts, 5, seed) != found for seed in range(5))


@pytest.mark.parametrize(("texts", "num", "sizes"), [((), 3, []), (("a",), 3, [1]), (("a", "b"), 0, []), (("", "?"), 1, [2])])
def test_there_are_no_more_clusters_than_texts(texts, num, sizes):
    assert [len(one) for one in clusters(texts, num, seed=1)] == sizes


def test_of_texts_that_are_all_the_same_one_cluster_holds_all_and_the_others_none():
    assert sorted(map(len, clusters(("a b", "b a", "A, b!"), 2, seed=1))) == [0, 3]


def test_the_vectors_are_tf_idf_weights_of_length_one():
    rare, common = math.log(3 / 2) + 1, 1.0  # two texts; "b" stands in one of them, "a" in both
    length = math.hypot(2 * common, rare)
    first, second = word_vectors(["a B a", "A"])
    assert first == pytest.approx({"a": 2 * common / length, "b": rare / length})
    assert second == {"a": 1.0}


def test_a_sentence_encoder_makes_the_vectors_if_one_is_named(monkeypatch):
    class Library:
        class SentenceTransformer:
            def __init__(self, model, device):
                assert (model, device) == ("tiny", None)

            def encode(self, texts, *, normalize_embeddings):
                assert not normalize_embeddings
                return [[float(len(text)), 1.0] for text in texts]

    monkeypatch.setattr(sentence_encoder, "_ENCODERS", {})
    monkeypatch.setattr(
        sentence_encoder, "require", lambda module, extra: {("sentence_transformers", "hf"): Library}[module, extra]
    )
    found = clusters(("long ago", "a", "long hair", "b"), 2, seed=1, model="tiny")
    assert {frozenset(one) for one in found} == {frozenset({0, 2}), frozenset({1, 3})}


def test_without_its_library_a_sentence_encoder_says_what_to_install(monkeypatch):
    def missing(module, extra):
        raise MissingExtra(module, extra)

    monkeypatch.setattr(sentence_encoder, "require", missing)
    with pytest.raises(MissingExtra, match="hf"):
        clusters(("a",), 1, seed=1, model="other")
