"""Late interaction: candidates come in the order of MaxSim, and the index on disk survives whatever happens to it."""

import json
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("numpy", reason="needs the extra dense")

from support.commands import ran
from support.tiny_encoder import TinyTokenEncoder
from support.towns import PLACES, ids, towns

from hopweave.core import catalog
from hopweave.core.errors import DataError, SearchError, SettingsError
from hopweave.core.protocols import Retriever
from hopweave.core.types import Passage
from hopweave.retrieval.encoders.token_encoders import TokenEncoderOptions
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.hybrid import Hybrid
from hopweave.retrieval.engines.late_interaction import LateInteraction
from hopweave.retrieval.engines.weave import Weave
from hopweave.retrieval.index.index_folder import read_manifest
from hopweave.retrieval.index.late_index import coded, maxsim
from hopweave.retrieval.index.vector_index import encoded_text
from hopweave.run.opening import open_retriever
from hopweave.run.settings import read_settings

PASSAGES = towns(300)
QUERY = "a town that has an observatory and sheep"


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """The model `tiny` is the tests' own."""
    monkeypatch.setattr(LateInteraction, "kind", replace(LateInteraction.kind, encoder_of=lambda _: TinyTokenEncoder()))


@pytest.fixture
def index(tmp_path):
    folder = tmp_path / "corpus"
    BM25.build(folder, PASSAGES)
    LateInteraction.build(folder / "late_interaction", PASSAGES, encoder=TinyTokenEncoder())
    return folder


def opened(folder, **options):
    return LateInteraction(index=folder, **options)


def exact(query, passages):
    """MaxSim as its formula has it, over vectors that nobody rounded."""
    [asked] = TinyTokenEncoder().encode([query], "query")
    vectors = TinyTokenEncoder().encode([encoded_text(one) for one in passages], "passage")
    return [sum(max(float(mine @ theirs) for theirs in of_one) for mine in asked) for of_one in vectors]


# -- the score ---------------------------------------------------------------------------------------------------------------


def test_maxsim_is_the_published_formula_within_the_rounding_of_eight_bits():
    draw = np.random.default_rng(5)
    passages = [draw.normal(size=(size, 128)).astype(np.float32) for size in (1, 7, 40)]
    passages = [one / np.linalg.norm(one, axis=1, keepdims=True) for one in passages]
    query = draw.normal(size=(32, 128)).astype(np.float32)
    query /= np.linalg.norm(query, axis=1, keepdims=True)
    of_all = coded(passages)
    found = maxsim(query, of_all["codes"], of_all["scales"], np.array([0, 1, 8]))
    expected = [(query @ one.T).max(axis=1).sum() for one in passages]
    assert found == pytest.approx(expected, abs=0.03)
    assert len(set(of_all["counts"])) == 3


def test_a_passage_scores_the_same_to_the_last_bit_whatever_is_scored_beside_it():
    draw = np.random.default_rng(6)
    passages = [draw.normal(size=(size, 384)).astype(np.float32) for size in range(1, 60)]
    query = draw.normal(size=(9, 384)).astype(np.float32)
    of_all = coded(passages)
    starts = np.cumsum([0, *of_all["counts"][:-1]])
    together = maxsim(query, of_all["codes"], of_all["scales"], starts)
    for one, score in zip(passages, together, strict=True):
        alone = coded([one])
        assert maxsim(query, alone["codes"], alone["scales"], np.array([0]))[0] == score


def test_vectors_of_nothing_but_zeros_score_nothing():
    of_all = coded([np.zeros((3, 8), dtype=np.float32)])
    assert maxsim(np.zeros((2, 8), dtype=np.float32), of_all["codes"], of_all["scales"], np.array([0])).tolist() == [0.0]


# -- what is found -----------------------------------------------------------------------------------------------------------


def test_the_candidates_of_the_engine_come_in_the_order_of_maxsim(index):
    retriever = opened(index, candidates=40)
    assert isinstance(retriever, Retriever)
    [hits] = retriever.search([QUERY], 10)
    candidates = [hit.passage for hit in BM25(index).search([QUERY], 40)[0]]
    scores = dict(zip([one.id for one in candidates], exact(QUERY, candidates), strict=True))
    assert set(ids(hits)) <= set(scores)
    assert [hit.score for hit in hits] == pytest.approx([scores[key] for key in ids(hits)], abs=0.02)
    assert hits[0].score >= max(scores.values()) - 0.02
    assert [hit.rank for hit in hits] == list(range(1, 11))
    assert ids(hits) != ids(BM25(index).search([QUERY], 10)[0])


def test_more_hits_than_candidates_may_be_wanted(index):
    assert len(opened(index, candidates=3).search([QUERY], 20)[0]) == 20


def test_a_query_is_scored_the_same_whatever_is_asked_beside_it(index):
    queries = [f"a town with {place}" for place in PLACES]
    together = opened(index).search(queries, 7)
    assert together == [opened(index).search([query], 7)[0] for query in queries]


def test_a_query_that_the_engine_finds_nothing_for_is_not_encoded(index):
    encoder = TinyTokenEncoder()
    retriever = opened(index, encoder=encoder)
    assert retriever.search(["", "zzzz", "mill"], 1)[:2] == [[], []]
    assert encoder.encoded == ["mill"]
    assert retriever.search(["mill"], 0) == [[]]


def test_a_hit_keeps_how_the_engine_came_to_it(index):
    [hits] = opened(index, engine="weave").search(["Is the mill of Town 7 older than the bridge of Town 80?"], 20)
    [woven] = Weave(index).search(["Is the mill of Town 7 older than the bridge of Town 80?"], 100)
    assert {hit.passage.id: hit.via for hit in hits}.items() <= {hit.passage.id: hit.via for hit in woven}.items()
    assert any(hit.via is not None for hit in hits)


def test_other_engines_stand_on_it(index):
    options = {"late_interaction": {"model": "tiny"}}
    weave = Weave(index, first="late_interaction", engine_options=options)
    assert len(weave.search([QUERY], 5)[0]) == 5
    assert "first=late_interaction" in weave.identity
    weave.close()
    hybrid = Hybrid(index, engines=("bm25", "late_interaction"), engine_options=options)
    assert len(hybrid.search([QUERY], 5)[0]) == 5
    hybrid.close()


def test_from_settings_it_takes_its_options_and_those_of_the_engine(index):
    own = {"late_interaction": {"model": "tiny", "candidates": 7}, "bm25": {"title_weight": 0.0}}
    retriever, _ = open_retriever(read_settings({"corpus": str(index), "retriever": "late_interaction", "retrievers": own}))
    assert "candidates=7" in retriever.identity
    assert "title_weight=0 " in retriever.identity
    assert "tiny tokens(32)" in retriever.identity
    assert json.loads((index / "late_interaction" / "manifest.json").read_text())["fingerprint"] in retriever.identity
    assert retriever.index == index / "late_interaction"
    retriever.close()
    retriever.close()
    with pytest.raises(SearchError, match="is closed"):
        retriever.search([QUERY], 1)


# -- building and updating ---------------------------------------------------------------------------------------------------


def test_passages_are_added_replaced_and_deleted_and_only_the_new_ones_are_encoded(index, tmp_path):
    new = [Passage("p5", "a glacier"), Passage("new", "a volcano above a town")]
    encoder = TinyTokenEncoder()
    folder = index / "late_interaction"
    summary = LateInteraction.update(folder, upsert=new, delete=["p6"], encoder=encoder)
    assert (summary.num_passages, summary.num_added, summary.num_deleted) == (300, 2, 2)
    assert encoder.encoded == ["a glacier", "a volcano above a town"]
    BM25.update(index, upsert=new, delete=["p6"])
    now = [one for one in PASSAGES if one.id not in ("p5", "p6")] + new
    anew = tmp_path / "anew"
    BM25.build(anew, now)
    assert summary.fingerprint == LateInteraction.build(anew / "late_interaction", now, encoder=TinyTokenEncoder()).fingerprint
    for query in ("a volcano", "a glacier and a mill", QUERY):
        assert opened(index).search([query], 50) == opened(anew).search([query], 50)
    assert list(opened(index).all_passages()) == now
    assert LateInteraction.check(folder).num_passages == opened(index).num_passages == 300


def test_everything_may_be_deleted_and_added_again(index):
    folder = index / "late_interaction"
    assert LateInteraction.update(folder, delete=[one.id for one in PASSAGES], encoder=TinyTokenEncoder()).num_passages == 0
    with pytest.raises(SearchError, match="has no vectors of passage"):
        opened(index).search([QUERY], 3)
    LateInteraction.update(folder, upsert=PASSAGES, encoder=TinyTokenEncoder())
    assert len(opened(index).search([QUERY], 3)[0]) == 3


def test_vectors_of_a_passage_that_has_changed_since_are_not_taken_for_its_own(index):
    BM25.update(index, upsert=[Passage("p3", "an observatory with sheep and sheep", "Town 3")])
    with pytest.raises(SearchError, match=r"no vectors of passage 'p3' as bm25 finds it; .*--engine late_interaction --add"):
        opened(index).search(["an observatory with sheep"], 3)


def test_vectors_of_other_lengths_are_refused(index):
    class Longer(TinyTokenEncoder):
        identity = "tiny tokens(32)"

        def __init__(self):
            super().__init__(48)
            self.identity = "tiny tokens(32)"

    with pytest.raises(DataError, match="vectors of 48 numbers do not match those"):
        LateInteraction.update(index / "late_interaction", upsert=[Passage("x", "y")], encoder=Longer())
    with pytest.raises(SearchError, match=r"vectors of 48 numbers, and index .* has 32"):
        opened(index, encoder=Longer()).search([QUERY], 1)
    assert LateInteraction.check(index / "late_interaction").num_passages == 300


# -- whose vectors, and where ------------------------------------------------------------------------------------------------


def test_vectors_made_elsewhere_are_taken_by_id(index, tmp_path):
    vectors = TinyTokenEncoder().encode([encoded_text(one) for one in PASSAGES[::-1]], "passage")
    np.save(tmp_path / "tokens.npy", np.concatenate(vectors))
    lines = [f"{len(rows)}\t{one.id}" for rows, one in zip(vectors, PASSAGES[::-1], strict=True)]
    (tmp_path / "tokens.txt").write_text("\n".join(lines))
    [asked] = TinyTokenEncoder().encode([QUERY], "query")
    np.save(tmp_path / "queries.npy", asked)
    (tmp_path / "queries.txt").write_text(f"{len(asked)}\t{QUERY}\n")
    other = tmp_path / "other"
    BM25.build(other, PASSAGES)
    options = TokenEncoderOptions(vectors=tmp_path / "tokens.npy")
    LateInteraction.build(other / "late_interaction", PASSAGES, options=options)
    assert read_manifest(other / "late_interaction").analyzer == "given"
    assert opened(other).search([QUERY], 20) == opened(index).search([QUERY], 20)
    with pytest.raises(DataError, match="has no vector of passage 'stranger'"):
        LateInteraction.update(other / "late_interaction", upsert=[Passage("stranger", "")], options=options)


def test_it_lies_in_an_index_of_the_engine_or_is_told_where_that_is(tmp_path):
    BM25.build(tmp_path / "corpus", PASSAGES)
    with pytest.raises(DataError, match=r"no index of late_interaction in .*--engine late_interaction"):
        opened(tmp_path / "corpus")
    LateInteraction.build(tmp_path / "alone", PASSAGES, encoder=TinyTokenEncoder())
    with pytest.raises(DataError, match=r"lies in no index of another engine; .*--set retrievers\.bm25\.index=FOLDER"):
        opened(tmp_path / "alone")
    told = opened(tmp_path / "alone", engine_options={"bm25": {"index": tmp_path / "corpus"}})
    assert len(told.search([QUERY], 4)[0]) == 4
    LateInteraction.build(tmp_path / "corpus" / "late_interaction", PASSAGES, encoder=TinyTokenEncoder())
    inner = opened(tmp_path / "corpus" / "late_interaction")
    assert inner.search([QUERY], 4) == told.search([QUERY], 4)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"engine": "late_interaction"}, "orders what another engine finds"),
        ({"engine": "hyde"}, "cannot use 'hyde', which asks the language model"),
        ({"candidates": 0}, "candidates must be at least 1"),
    ],
)
def test_options_that_cannot_be_are_refused(index, options, said):
    with pytest.raises(SettingsError, match=said):
        opened(index, **options)


def test_the_command_line_builds_checks_and_searches_it(tmp_path, monkeypatch):
    monkeypatch.setenv("HOPWEAVE_RETRIEVERS__LATE_INTERACTION__MODEL", "tiny")
    rows, folder = tmp_path / "rows.jsonl", tmp_path / "corpus"
    rows.write_text("\n".join(json.dumps({"id": one.id, "title": one.title, "text": one.text}) for one in PASSAGES[:50]))
    of_tokens = ("--to", folder / "late_interaction", "--engine", "late_interaction")
    assert ran("index", rows, "--to", folder).exit_code == 0
    assert "50 passages" in ran("index", rows, *of_tokens).output
    assert "50 passages" in ran("index", "--verify", *of_tokens).output
    assert "mill" in ran("search", "a mill", "--corpus", folder, "--retriever", "late_interaction").output


def test_the_extra_is_that_of_vectors():
    assert catalog.entry("retrievers", "late_interaction").extra == "dense"


def test_passages_are_given_by_their_ids(index):
    with closing(LateInteraction(index)) as retriever:
        assert retriever.passages_of(["p7", "gone", "p2"]) == [PASSAGES[2], PASSAGES[7]]
