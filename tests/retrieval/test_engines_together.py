"""Engines that stand on other engines: fused by rank, reranked, and followed by `weave`."""

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("faiss", reason="needs the extra dense")

from support.scripted_server import Behaviour
from support.served import Served
from support.tiny_encoder import TinyEncoder
from support.towns import ids

from hopweave.core.errors import DataError, SearchError, SettingsError
from hopweave.core.protocols import Retriever
from hopweave.core.types import Hit, Passage
from hopweave.retrieval.encoders.cross_encoders import OnnxReranker
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.dense import Dense
from hopweave.retrieval.engines.hybrid import Hybrid
from hopweave.retrieval.engines.reranked import Reranked
from hopweave.retrieval.engines.weave import Weave
from hopweave.run.opening import open_retriever
from hopweave.run.settings import read_settings

PASSAGES = [
    Passage("film", "The Long Tide is a 1971 drama film directed by Tom Carey. It was shot in Wales.", "The Long Tide"),
    Passage("carey", "Tom Carey was a Welsh painter and teacher. He married Lina Holt in 1964.", "Tom Carey (painter)"),
    Passage("holt", "Lina Holt grew up on a farm at Kerrow, among sheep.", "Lina Holt"),
    *(
        Passage(f"noise-{n}", f"A harbour town number {n} has a church, a market and a club of the film.", f"Town {n}")
        for n in range(40)
    ),
]
QUESTION = "Who is the wife of the director of the film The Long Tide?"
OF_DENSE = {"dense": {"model": "tiny"}}


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """The model `tiny` is the tests' own."""
    monkeypatch.setattr(Dense, "kind", replace(Dense.kind, encoder_of=lambda _: TinyEncoder()))


@pytest.fixture
def index(tmp_path):
    folder = tmp_path / "corpus"
    BM25.build(folder, PASSAGES)
    Dense.build(folder / "dense", PASSAGES, encoder=TinyEncoder())
    return folder


# -- hybrid ------------------------------------------------------------------------------------------------------------------


def test_it_fuses_by_reciprocal_rank_as_published(index):
    hybrid = Hybrid(index, engine_options=OF_DENSE, weights=(2.0, 1.0), k=10)
    assert isinstance(hybrid, Retriever)
    lists = [BM25(index).search([QUESTION], 100)[0], Dense(index).search([QUESTION], 100)[0]]
    expected = {}
    for weight, hits in zip((2.0, 1.0), lists, strict=True):
        for hit in hits:
            expected[hit.passage.id] = expected.get(hit.passage.id, 0) + weight / (10 + hit.rank)
    best = sorted(expected.items(), key=lambda pair: (-pair[1], pair[0]))[:7]
    [hits] = hybrid.search([QUESTION], 7)
    assert [(hit.passage.id, hit.score) for hit in hits] == best
    assert [hit.rank for hit in hits] == list(range(1, 8))


def test_only_so_many_hits_of_each_engine_count(index):
    [hits] = Hybrid(index, engine_options=OF_DENSE, depth=1).search([QUESTION], 1)
    best = [engine(index).search([QUESTION], 1)[0][0].passage.id for engine in (BM25, Dense)]
    assert ids(hits)[0] in best
    assert len(Hybrid(index, engine_options=OF_DENSE, depth=2).search([QUESTION], 30)[0]) == 30


def test_engines_with_indexes_elsewhere_are_opened_there(index, tmp_path):
    Dense.build(tmp_path / "other", PASSAGES[:3], encoder=TinyEncoder())
    [hits] = Hybrid(index, indexes={"dense": tmp_path / "other"}, engine_options=OF_DENSE).search([QUESTION], 3)
    assert hits
    with pytest.raises(DataError, match=r"no index of bm25 in .*--engine bm25 --to"):
        Hybrid(tmp_path / "other", engines=("dense", "bm25"), engine_options=OF_DENSE)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"engines": ("bm25",)}, "two or more different ones, not bm25"),
        ({"engines": ("bm25", "bm25")}, "two or more different ones"),
        ({"engines": ("bm25", "hyde")}, "cannot use 'hyde', which asks the language model"),
        ({"weights": (1.0,)}, "must be 2 numbers above 0"),
        ({"weights": (1.0, -1.0)}, "must be 2 numbers above 0"),
        ({"k": 0}, "hybrid k must be at least 1"),
    ],
)
def test_options_that_cannot_be_are_refused(index, options, said):
    with pytest.raises(SettingsError, match=said):
        Hybrid(index, **{"engine_options": OF_DENSE, **options})


def test_from_settings_the_engines_take_their_own_options(index):
    flags = {"corpus": str(index), "retriever": "hybrid", "retrievers": {"bm25": {"title_weight": 0.0}, **OF_DENSE}}
    retriever, engine = open_retriever(read_settings(flags))
    assert retriever is engine
    assert "title_weight=0 " in engine.identity
    assert "tiny(64)" in engine.identity
    plain = open_retriever(read_settings({**flags, "retriever": "dense"}))[0]
    assert plain.index == index / "dense"
    assert ids(plain.search([QUESTION], 5)[0]) == ids(Dense(index).search([QUESTION], 5)[0])
    engine.close()
    with pytest.raises(SearchError, match="is closed"):
        engine.search([QUESTION], 1)


# -- weave over them ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["dense", "hybrid"])
def test_weave_follows_what_another_engine_found_first(index, first):
    weave = Weave(index, first=first, engine_options=OF_DENSE)
    [hits] = weave.search([QUESTION], 4)
    assert {"film", "carey"} <= set(ids(hits))
    via = {hit.passage.id: hit.via for hit in hits}
    assert via["carey"].by == "link"
    assert f"first={first}" in weave.identity
    weave.close()


def test_what_searches_first_is_asked_for_each_of_two_things_that_are_compared(index):
    each = ["Which is older, the drama?", "Which is older, the painter?"]
    weave = Weave(index, first="dense", engine_options=OF_DENSE)
    compared, other = weave.search(["Which is older, the drama or the painter?", QUESTION], 4)
    one, two = Weave(index, first="dense", engine_options=OF_DENSE, residual=False).search(each, 4)
    assert ids(compared)[:2] == [one[0].passage.id, next(hit.passage.id for hit in two if hit.passage.id != one[0].passage.id)]
    assert [other] == weave.search([QUESTION], 4)


def test_weave_over_bm25_named_is_weave(index):
    assert Weave(index, first="bm25", engine_options=OF_DENSE).search([QUESTION], 9) == Weave(index).search([QUESTION], 9)
    assert Weave(index, first="bm25").identity == Weave(index).identity


class Finds:
    """An engine that finds the same one passage for every query."""

    identity = "finds"

    def __init__(self, passage_id):
        self.hit = Hit(next(one for one in PASSAGES if one.id == passage_id), 7.0, 1)

    def search(self, queries, max_hits):
        return [[self.hit] for _ in queries]

    def close(self):
        self.hit = None


def test_weave_takes_what_another_engine_finds_in_the_place_of_what_shares_words(index):
    question = "Whom did the painter wed?"
    assert ids(Weave(index, depth=0).search([question], 3)[0]) == ["carey"]
    weave = Weave(index, depth=0)
    weave._first = engine = Finds("noise-7")
    [hit] = weave.search([question], 3)[0]
    assert (hit.passage.id, hit.score) == ("noise-7", 1.0)
    weave.close()
    assert engine.hit is None


# -- reranked ----------------------------------------------------------------------------------------------------------------


def by_length(request):
    documents = request.body["documents"]
    results = [{"index": at, "relevance_score": -len(text) / 100} for at, text in enumerate(documents)]
    return Behaviour(raw=json.dumps({"results": results[::-1]}))


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("RERANK_KEY", "secret-of-rerank")


def reranked(index, server, **options):
    return Reranked(index, model="r", base_url=server.base_url, api_key_env="RERANK_KEY", **options)


def test_candidates_come_in_the_order_of_the_endpoint(index, key):
    with Served(by_length) as server:
        retriever = reranked(index, server, candidates=10)
        [hits] = retriever.search([QUESTION], 3)
        asked = server.requests[0]
    candidates = BM25(index).search([QUESTION], 10)[0]
    lengths = [len(f"{hit.passage.title}. {hit.passage.text}") for hit in candidates]
    order = sorted(range(10), key=lambda at: lengths[at])[:3]
    assert ids(hits) == [candidates[at].passage.id for at in order]
    assert [hit.score for hit in hits] == [-lengths[at] / 100 for at in order]
    assert asked.path == "/v1/rerank"
    assert (asked.body["query"], asked.body["model"], asked.body["top_n"]) == (QUESTION, "r", 10)
    assert asked.headers["authorization"] == "Bearer secret-of-rerank"
    assert retriever.search(["zzz"], 3) == [[]]
    assert "candidates=10 over bm25" in retriever.identity


def test_an_endpoint_that_is_down_for_a_moment_is_asked_again(index, key):
    script = [Behaviour(status=503, text="busy", headers={"Retry-After": "0"}), by_length]

    def answer(request):
        one = script[min(request.number, 1)]
        return one(request) if callable(one) else one

    with Served(answer) as server:
        assert len(reranked(index, server).search([QUESTION], 2)[0]) == 2
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (Behaviour(status=400, text="bad secret-of-rerank"), "bad"),
        (Behaviour(raw='{"results": []}'), "sent no scores of"),
        (Behaviour(raw='{"results": [{"index": 0, "relevance_score": NaN}]}'), "no"),
        (Behaviour(raw='{"results": [{"index": 1e999, "relevance_score": 1}]}'), "sent no scores of"),
    ],
)
def test_what_an_endpoint_sends_amiss_is_a_search_error_without_the_key(index, key, behaviour, said):
    with Served([behaviour]) as server, pytest.raises(SearchError, match=said) as caught:
        reranked(index, server).search([QUESTION], 2)
    assert "secret-of-rerank" not in str(caught.value)


@pytest.mark.parametrize("num_extra", [0, 1])
def test_two_scores_of_one_passage_are_refused(index, key, num_extra):
    def scored(request):
        places = [*range(len(request.body["documents"])), *range(num_extra)]
        return Behaviour(raw=json.dumps({"results": [{"index": place, "relevance_score": -place} for place in places]}))

    with Served(scored) as server:
        if num_extra == 0:
            assert len(reranked(index, server).search([QUESTION], 2)[0]) == 2
            return
        with pytest.raises(SearchError, match="sent no scores of"):
            reranked(index, server).search([QUESTION], 2)


def test_a_cross_encoder_of_several_outputs_is_refused(tmp_path, monkeypatch):
    reranker = OnnxReranker(tmp_path, 128, 2)
    outputs = iter([np.array([[0.5], [0.25]]), np.array([[2.0]]), np.zeros((1, 3))])
    monkeypatch.setattr(reranker._model, "run", lambda _: (next(outputs), None))
    assert reranker.scores("q", ["a", "b", "c"]) == [0.5, 0.25, 2.0]
    with pytest.raises(SearchError, match="name a cross-encoder"):
        reranker.scores("q", ["a"])


def test_without_a_model_it_says_what_to_set(index):
    with pytest.raises(SettingsError, match=r"retrievers\.reranked\.model"):
        Reranked(index)
