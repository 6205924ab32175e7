"""Dense retrieval: what is nearest is found, and the index on disk survives whatever happens to it."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("faiss", reason="needs the extra dense")

from support.tiny_encoder import TinyEncoder
from support.towns import PLACES, ids, towns

from hopweave.core import catalog
from hopweave.core.errors import DataError, MissingExtra, SearchError, SettingsError
from hopweave.core.ranking import APART
from hopweave.core.types import Passage
from hopweave.retrieval.encoders.encoders import EncoderOptions
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.dense import Dense
from hopweave.retrieval.index import dense_index as _dense_index
from hopweave.retrieval.index.index_folder import read_manifest
from hopweave.retrieval.index.vector_source import encoded_text

PASSAGES = towns(600)


@pytest.fixture
def index(tmp_path):
    Dense.build(tmp_path / "index", PASSAGES, encoder=TinyEncoder())
    return tmp_path / "index"


def opened(folder, **options):
    return Dense(folder, encoder=options.pop("encoder", TinyEncoder()), **options)


def found(folder, query, max_hits=5, **options):
    retriever = opened(folder, **options)
    [hits] = retriever.search([query], max_hits)
    retriever.close()
    return hits


def exact(passages, query, max_hits):
    vectors = TinyEncoder().encode([encoded_text(one) for one in passages], "passage")
    [asked] = TinyEncoder().encode([query], "query")
    scores = (vectors.astype(np.float64) @ asked.astype(np.float64)).round(6)
    order = sorted(range(len(passages)), key=lambda at: (-scores[at], passages[at].id))[:max_hits]
    return [(passages[at].id, scores[at]) for at in order]


# -- what is found -----------------------------------------------------------------------------------------------------------


def test_the_hits_are_the_exact_nearest_with_their_scores_in_order(index):
    for query in ("a town with an observatory", "Number 77", "sheep and a lighthouse", "xyz"):
        expected = exact(PASSAGES, query, 10)
        hits = found(index, query, 10)
        assert ids(hits) == [key for key, _ in expected]
        assert [hit.score for hit in hits] == pytest.approx([score for _, score in expected], abs=2e-6)
        assert [hit.rank for hit in hits] == list(range(1, 11))


def test_a_hit_holds_the_passage_whole(tmp_path):
    whole = Passage("doc#2", "Ein Satz über Ulm.\nZwei.", "Ulm", "dir/ulm.txt", 10, 34)
    Dense.build(tmp_path / "index", [whole], encoder=TinyEncoder())
    assert found(tmp_path / "index", "Ulm")[0].passage == whole


def test_a_query_is_scored_the_same_whatever_is_asked_beside_it(index):
    queries = [f"a town with {place}" for place in PLACES] * 5
    together = opened(index).search(queries, 7)
    assert together == [opened(index).search([query], 7)[0] for query in queries]


def test_equal_scores_are_ordered_by_id(tmp_path):
    Dense.build(tmp_path / "index", [Passage(key, "the same text") for key in "dacb"], encoder=TinyEncoder())
    assert ids(found(tmp_path / "index", "the same text", 3)) == ["a", "b", "c"]


def test_so_are_those_of_many_of_which_few_are_wanted(tmp_path):
    Dense.build(tmp_path / "index", [Passage(f"d{key:02}", "the same text") for key in range(40, 0, -1)], encoder=TinyEncoder())
    assert ids(found(tmp_path / "index", "the same text", 2)) == ["d01", "d02"]


def test_a_query_of_white_space_finds_nothing(index):
    assert opened(index).search([" \n", "mill", ""], 2)[::2] == [[], []]
    assert opened(index).search(["mill"], 0) == [[]]


def test_the_mean_of_several_texts_is_searched_for(index):
    texts = ["an observatory", "two churches and a mill", "sheep"]
    vectors = TinyEncoder().encode([encoded_text(one) for one in PASSAGES], "passage").astype(np.float64)
    mean = TinyEncoder().encode(texts, "query").mean(axis=0)
    hits = opened(index).search(["a mill", APART.join(texts)], 5)[1]
    assert [hit.score for hit in hits] == pytest.approx(sorted(vectors @ mean, reverse=True)[:5], abs=2e-6)
    [without_query] = opened(index).search([APART.join(["", *texts])], 5)
    assert without_query == hits


# -- the inverted file -------------------------------------------------------------------------------------------------------


class Given:
    """Vectors by a text that is a number."""

    identity = "given by number"

    def __init__(self, vectors):
        self.vectors = vectors

    def encode(self, texts, kind):
        return np.array([self.vectors[int(text)] for text in texts], dtype=np.float32)


def mixture(num, dimension, seed):
    draw = np.random.default_rng(seed)
    centres = draw.normal(size=(200, dimension))
    vectors = centres[draw.integers(200, size=num)] + 0.5 * draw.normal(size=(num, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.slow
def test_above_the_size_an_inverted_file_finds_nine_in_ten_of_the_exact_nearest(tmp_path):
    vectors = mixture(60_000, 16, seed=3)
    Dense.build(tmp_path / "index", (Passage(f"p{n}", str(n)) for n in range(60_000)), encoder=Given(vectors))
    assert "ivf.faiss" in read_manifest(tmp_path / "index").files
    asked = vectors[::600] + 0.05 * np.random.default_rng(4).normal(size=(100, 16)).astype(np.float32)
    retriever = Dense(tmp_path / "index", encoder=Given(asked))
    hits = retriever.search([str(n) for n in range(100)], 10)
    truth = np.argsort(-(asked @ vectors.T), axis=1)[:, :10]
    recall = np.mean([len({int(key[1:]) for key in ids(of_one)} & set(best)) for of_one, best in zip(hits, truth, strict=True)])
    assert recall >= 9.0
    assert hits[0][0].score == pytest.approx(float(asked[0] @ vectors[int(hits[0][0].passage.id[1:])]), abs=2e-6)


def test_an_update_keeps_the_inverted_file_in_step(tmp_path, monkeypatch):
    monkeypatch.setattr(_dense_index, "FLAT_MAX", 300)
    folder = tmp_path / "index"
    Dense.build(folder, PASSAGES[:500], encoder=TinyEncoder())
    trained = read_manifest(folder).state["trained_on"]
    Dense.update(folder, upsert=PASSAGES[500:], delete=["p7"], encoder=TinyEncoder())
    assert read_manifest(folder).state["trained_on"] == trained == 500
    left = [one for one in PASSAGES if one.id != "p7"]
    for query in ("Number 7 of towns", "Number 577"):
        hits = found(folder, query, 10, nprobe=1000)
        assert ids(hits) == [key for key, _ in exact(left, query, 10)]
    Dense.update(folder, delete=[f"p{n}" for n in range(100, 600)], encoder=TinyEncoder())
    assert "ivf.faiss" not in read_manifest(folder).files
    assert len(found(folder, "Number", 200)) == 99


# -- building and updating ---------------------------------------------------------------------------------------------------


def test_passages_are_added_replaced_and_deleted_and_only_the_new_ones_are_encoded(index):
    encoder = TinyEncoder()
    summary = Dense.update(
        index, upsert=[Passage("p5", "a glacier"), Passage("new", "a volcano")], delete=["p6"], encoder=encoder
    )
    assert (summary.num_passages, summary.num_added, summary.num_deleted) == (600, 2, 2)
    assert encoder.encoded == ["a glacier", "a volcano"]
    now = [one for one in PASSAGES if one.id not in ("p5", "p6")] + [Passage("p5", "a glacier"), Passage("new", "a volcano")]
    for query in ("a volcano", "a glacier", "Number 6 of towns"):
        assert ids(found(index, query, 10)) == [key for key, _ in exact(now, query, 10)]
    assert list(opened(index).all_passages()) == now
    assert summary.fingerprint == Dense.build(index.with_name("anew"), now, encoder=TinyEncoder()).fingerprint


def test_a_piece_that_was_cut_off_with_the_power_is_encoded_again(tmp_path):
    class Broken(TinyEncoder):
        def encode(self, texts, kind):
            if self.encoded:
                raise SearchError("the endpoint is down")
            return super().encode(texts, kind)

    folder = tmp_path / "index"
    with pytest.raises(SearchError, match="is down"):
        Dense.build(folder, PASSAGES, encoder=Broken())
    [piece] = (tmp_path / ".index.encoding").iterdir()
    piece.write_bytes(piece.read_bytes()[:1000])
    encoder = TinyEncoder()
    Dense.build(folder, PASSAGES, encoder=encoder)
    assert len(encoder.encoded) == 600
    assert ids(found(folder, "Number 77")) == [key for key, _ in exact(PASSAGES, "Number 77", 5)]


# -- whose vectors -----------------------------------------------------------------------------------------------------------


def test_without_a_model_it_says_what_to_set(index):
    with pytest.raises(SettingsError, match="HOPWEAVE_RETRIEVERS__DENSE__MODEL"):
        Dense(index)


def test_vectors_made_elsewhere_are_taken_by_id_and_searched_with_given_ones(tmp_path):
    encoder = TinyEncoder()
    shuffled = PASSAGES[::-1]
    np.save(tmp_path / "vectors.npy", encoder.encode([encoded_text(one) for one in shuffled], "passage"))
    (tmp_path / "vectors.txt").write_text("\n".join(one.id for one in shuffled))
    np.save(tmp_path / "queries.npy", encoder.encode(["a town with a mill"], "query"))
    (tmp_path / "queries.txt").write_text("a town with a mill\n")
    folder = tmp_path / "index"
    Dense.build(folder, PASSAGES, options=EncoderOptions(vectors=tmp_path / "vectors.npy"))
    given = Dense(folder, query_vectors=tmp_path / "queries.npy")
    assert ids(given.search(["a town  with a mill"], 10)[0]) == [key for key, _ in exact(PASSAGES, "a town with a mill", 10)]
    with pytest.raises(SearchError, match="there is no vector of 'other'"):
        given.search(["other"], 3)
    assert ids(found(folder, "Number 9", 10)) == [key for key, _ in exact(PASSAGES, "Number 9", 10)]
    with pytest.raises(DataError, match="has no vector of passage 'stranger'"):
        Dense.update(folder, upsert=[Passage("stranger", "")], options=EncoderOptions(vectors=tmp_path / "vectors.npy"))
    with pytest.raises(SearchError, match=r"vectors of 8 numbers, and index .* has 64"):
        found(folder, "x", encoder=TinyEncoder(8))


NO_NUMBERS = r"vectors\.npy contains NaN or infinity; regenerate the vectors"
UNFIT = {
    "fewer ids": (np.zeros((3, 4)), "p0\np1", r"vectors\.npy"),
    "no ids": (np.zeros((3, 4)), None, r"vectors\.npy"),
    "NaN": (np.array([[1.0, 0.0], [np.nan, 0.0]]), "p0\np1", NO_NUMBERS),
    "infinity": (np.array([[1.0, 0.0], [np.inf, 0.0]]), "p0\np1", NO_NUMBERS),
}


@pytest.mark.parametrize(("vectors", "lines", "said"), UNFIT.values(), ids=UNFIT)
def test_vectors_that_do_not_fit_their_ids_or_are_no_numbers_are_refused(tmp_path, vectors, lines, said):
    np.save(tmp_path / "vectors.npy", vectors.astype(np.float32))
    if lines is not None:
        (tmp_path / "vectors.txt").write_text(lines)
    with pytest.raises(DataError, match=said):
        Dense.build(tmp_path / "index", PASSAGES[: len(vectors)], options=EncoderOptions(vectors=tmp_path / "vectors.npy"))


def test_an_encoder_that_leaves_a_text_out_is_an_error(tmp_path):
    class Forgetful(TinyEncoder):
        def encode(self, texts, kind):
            return super().encode(texts, kind)[1:]

    with pytest.raises(SearchError, match="the encoder returned vectors of 4 texts, not of 5; check the model"):
        Dense.build(tmp_path / "index", PASSAGES[:5], encoder=Forgetful())
    assert not (tmp_path / "index").exists()


# -- where the index is ------------------------------------------------------------------------------------------------------


def test_the_index_lies_inside_that_of_bm25_under_its_name(tmp_path):
    folder = tmp_path / "corpus"
    BM25.build(folder, PASSAGES)
    with pytest.raises(DataError, match=r"no index of dense in .*; make one with: hopweave index PATH\.\.\. --engine dense"):
        opened(folder)
    Dense.build(folder / "dense", PASSAGES, encoder=TinyEncoder())
    assert opened(folder).index == folder / "dense"
    BM25.update(folder, delete=["p0"])
    assert Dense.check(folder / "dense").num_passages == BM25.check(folder).num_passages + 1 == 600


def test_without_its_library_it_says_which_extra_brings_it(index, monkeypatch):
    def missing(module, extra):
        raise MissingExtra(module, extra)

    monkeypatch.setattr(_dense_index, "require", missing)
    with pytest.raises(MissingExtra, match=r"faiss is not installed; it comes with: pip install 'hopweave\[dense\]'"):
        opened(index)
    assert catalog.entry("retrievers", "dense").extra == "dense"


def test_the_identity_names_encoder_options_and_corpus(index):
    identity = opened(index, nprobe=7).identity
    assert "tiny(64)" in identity
    assert "nprobe=7" in identity
    assert json.loads(Path(index, "manifest.json").read_text())["fingerprint"] in identity


def test_passages_are_given_by_their_ids_and_by_those_of_their_documents(tmp_path):
    cut = [Passage("oak#1", "An old oak.", start=0, end=11), Passage("oak#2", "It stands.", start=12, end=22)]
    Dense.build(tmp_path / "index", [*PASSAGES[:3], *cut, Passage("s", "Hidden.", access=("board",))], encoder=TinyEncoder())
    retriever = opened(tmp_path / "index")
    assert retriever.passages_of(["oak", "p2", "p2", "s", "\ud800", "gone"]) == [PASSAGES[2], *cut]
    retriever.close()
