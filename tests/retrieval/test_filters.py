"""Filters of the engines on disk: what is found among the passages that are shown is what would be found without the others."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tiny_encoder import TinyEncoder

from hopweave.core.errors import DataError
from hopweave.core.types import Passage
from hopweave.core.visibility import Visible
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.weave import Weave
from hopweave.retrieval.index import bm25_index as _bm25_index
from hopweave.retrieval.index.index_folder import Fingerprint, read_manifest, write_manifest

WORDS = ["zorb", "quix", "blarn", "vond", "krell", "thrup"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
LABELS = st.lists(st.sampled_from(["a", "b", "c"]), unique=True, max_size=2).map(sorted).map(tuple)
KINDS = st.dictionaries(st.just("kind"), st.sampled_from(["x", "y"]))
CORPORA = st.lists(st.tuples(TEXTS, LABELS, KINDS), min_size=1, max_size=25).map(
    lambda drawn: [
        Passage(f"p{n:02}", text, WORDS[n % 6].title(), metadata=kind, access=access)
        for n, (text, access, kind) in enumerate(drawn)
    ]
)
ASKING = st.builds(Visible, LABELS, st.dictionaries(st.just("kind"), st.sampled_from(["x", "y"])))


def hits(retriever, query, max_hits=50):
    [found] = retriever.search([query], max_hits)
    retriever.close()
    return [(hit.passage, hit.score) for hit in found]


@pytest.mark.slow
@settings(max_examples=25)
@given(CORPORA, TEXTS, ASKING)
def test_bm25_ranks_those_shown_as_it_ranks_them_among_all(tmp_path_factory, passages, query, visible):
    folder = tmp_path_factory.mktemp("filtered") / "index"
    BM25.build(folder, passages)
    everything = hits(BM25(folder, visible=Visible(("a", "b", "c"))), query)
    found = hits(BM25(folder, visible=visible), query)
    assert found == [(passage, score) for passage, score in everything if visible.shows(passage)]
    assert hits(BM25(folder, visible=visible), query, 2) == found[:2]
    assert all(visible.shows(passage) for passage, _ in hits(Weave(folder, visible=visible), query))


@settings(max_examples=25)
@given(CORPORA, TEXTS, ASKING, st.integers(0, 12))
def test_dense_finds_what_an_index_of_those_shown_alone_finds(tmp_path_factory, passages, query, visible, num_first):
    dense = pytest.importorskip("hopweave.retrieval.engines.dense")
    folder = tmp_path_factory.mktemp("filtered")
    shown = [passage for passage in passages if visible.shows(passage)]
    first = passages[:num_first] or passages[:1]
    dense.Dense.build(
        folder / "all", [dataclasses.replace(one, access=(), metadata={}) for one in first], encoder=TinyEncoder()
    )
    dense.Dense.update(folder / "all", upsert=passages, encoder=TinyEncoder())
    found = hits(dense.Dense(folder / "all", encoder=TinyEncoder(), visible=visible), query, 7)
    expected = []
    if shown:
        dense.Dense.build(folder / "shown", shown, encoder=TinyEncoder())
        alone = dense.Dense(folder / "shown", encoder=TinyEncoder(), visible=Visible(("a", "b", "c")))
        expected = hits(alone, query, 7)
    assert found == expected


def test_dense_looks_among_those_shown_alone_in_an_inverted_file_too(tmp_path, monkeypatch):
    dense = pytest.importorskip("hopweave.retrieval.engines.dense")
    from hopweave.retrieval.index import dense_index as _dense_index

    monkeypatch.setattr(_dense_index, "FLAT_MAX", 300)
    passages = [
        Passage(f"p{n}", f"number {n * 7919 % 1000} of the towns", metadata={"half": str(n % 2)}, access=("a",) * (n % 10 == 0))
        for n in range(1000)
    ]
    dense.Dense.build(tmp_path / "index", passages, encoder=TinyEncoder())
    assert "ivf.faiss" in read_manifest(tmp_path / "index").files
    few, many = Visible(("a",), {"half": "0", "none": "x"}), Visible(where={"half": "0"})
    assert hits(dense.Dense(tmp_path / "index", encoder=TinyEncoder(), visible=few), "number 77 of the towns") == []
    for visible in (many, Visible(), Visible(("a",), {"half": "0"})):
        found = hits(dense.Dense(tmp_path / "index", encoder=TinyEncoder(), visible=visible, nprobe=1000), "number 77 of", 40)
        dense.Dense.build(tmp_path / "alone", [one for one in passages if visible.shows(one)], encoder=TinyEncoder())
        alone = dense.Dense(tmp_path / "alone", encoder=TinyEncoder(), visible=Visible(("a",)), nprobe=1000)
        exact = hits(alone, "number 77 of", 40)
        assert [score for _, score in found] == pytest.approx([score for _, score in exact], abs=2e-2)
        assert all(visible.shows(passage) for passage, _ in found)


def test_a_passage_that_gets_or_loses_a_label_is_hidden_or_shown_at_once_and_the_corpus_has_another_fingerprint(tmp_path):
    passage = Passage("p", "zorb")
    before = BM25.build(tmp_path / "index", [passage, Passage("q", "quix")]).fingerprint
    hidden = BM25.update(tmp_path / "index", upsert=[dataclasses.replace(passage, access=("a",))]).fingerprint
    assert hits(BM25(tmp_path / "index"), "zorb") == []
    assert BM25.stats(tmp_path / "index")["labelled"] == 1
    assert read_manifest(tmp_path / "index").format_version == 2  # which a hopweave that knows of no labels refuses
    with pytest.raises(DataError, match="has no passage 'p'"):
        BM25(tmp_path / "index").passages(["p"])
    assert BM25(tmp_path / "index", visible=Visible("a")).passages(["p"])[0].access == ("a",)
    shown = BM25.update(tmp_path / "index", upsert=[passage]).fingerprint
    assert [one.id for one, _ in hits(BM25(tmp_path / "index"), "zorb")] == ["p"]
    assert "labelled" not in BM25.stats(tmp_path / "index")
    assert read_manifest(tmp_path / "index").format_version == 1
    assert before == shown != hidden


def test_labels_and_metadata_cannot_be_mistaken_for_each_other_or_for_text():
    alike = [
        Passage("p", "t"),
        Passage("p", "t", access=("a",)),
        Passage("p", "t", access=("a", "b")),
        Passage("p", "t", metadata={"a": "b"}),
        Passage("p", "t", metadata={"a": "b"}, access=("a",)),
    ]
    prints = set()
    for passage in alike:
        fingerprint = Fingerprint()
        fingerprint.add(passage)
        prints.add(str(fingerprint))
    assert len(prints) == len(alike)


def as_in_layout_2(monkeypatch, folder, passages):
    """An index of the second layout, which had no fields to filter by."""
    with monkeypatch.context() as patch:
        patch.setattr(_bm25_index, "FIELDS", ())
        patch.setattr(_bm25_index, "_NEWEST", 2)
        _bm25_index.schema.cache_clear()
        BM25.build(folder, passages)
    _bm25_index.schema.cache_clear()
    assert read_manifest(folder).state["layout"] == 2


def test_an_index_of_the_layout_before_serves_and_is_updated_and_does_not_take_labels_without_heeding_them(
    tmp_path, monkeypatch
):
    folder = tmp_path / "index"
    as_in_layout_2(
        monkeypatch, folder, [Passage("film", "The film is by Tom Carey.", "Film"), Passage("p", "zorb", "Tom Carey")]
    )
    BM25.update(folder, upsert=[Passage("q", "quix")], delete=["p"])
    assert [one.id for one, _ in hits(BM25(folder, visible=Visible("a")), "quix zorb")] == ["q"]
    assert [one.id for one, _ in hits(Weave(folder, visible=Visible("a")), "film")] == ["film"]
    for passage in (Passage("n", "vond", access=("a",)), Passage("n", "vond", metadata={"k": "v"})):
        with pytest.raises(DataError, match="cannot take those of passage 'n'; rebuild it with: hopweave index"):
            BM25.update(folder, upsert=[passage])
    for retriever in (BM25, Weave):
        with pytest.raises(DataError, match="they cannot be queried; rebuild it with"):
            retriever(folder, visible=Visible(where={"k": "v"}))
    assert read_manifest(folder).num_passages == 2


def test_a_dense_index_from_before_there_were_filters_serves_and_can_be_given_labels(tmp_path):
    dense = pytest.importorskip("hopweave.retrieval.engines.dense")
    import sqlite3

    from hopweave.core.files import sha256_of
    from hopweave.retrieval.index.index_folder import DataFile

    folder = tmp_path / "index"
    dense.Dense.build(folder, [Passage("p", "zorb"), Passage("q", "quix")], encoder=TinyEncoder())
    manifest = read_manifest(folder)
    path = folder / manifest.data / "passages.sqlite"
    with sqlite3.connect(path) as table:
        table.execute("DROP TABLE filters")
    table.close()
    files = {**manifest.files, path.name: DataFile(path.stat().st_size, sha256_of(path))}
    write_manifest(folder, dataclasses.replace(manifest, files=files))
    assert len(hits(dense.Dense(folder, encoder=TinyEncoder()), "zorb")) == 2
    with pytest.raises(DataError, match="they cannot be queried; rebuild it with"):
        dense.Dense(folder, encoder=TinyEncoder(), visible=Visible(where={"k": "v"}))
    dense.Dense.update(folder, upsert=[Passage("p", "zorb", access=("a",))], encoder=TinyEncoder())
    assert [one.id for one, _ in hits(dense.Dense(folder, encoder=TinyEncoder()), "zorb")] == ["q"]
    assert (manifest.format_version, read_manifest(folder).format_version) == (1, 2)


def test_a_hidden_title_makes_no_link_and_leaves_those_to_others_as_they_are(tmp_path):
    passages = [
        Passage("film", "The Long Tide is a film by Tom Carey of Kerrow Hall.", "The Long Tide"),
        Passage("carey", "He painted sheep, and taught.", "Tom Carey"),
        Passage("hidden", "He was a spy.", "Tom Carey of Kerrow Hall", access=("a",)),
        *(Passage(f"noise-{n}", f"A harbour town number {n} of the film.", f"Town {n}") for n in range(20)),
    ]
    BM25.build(tmp_path / "index", passages)
    [found] = Weave(tmp_path / "index").search(["Who made The Long Tide?"], 2)
    assert [(hit.passage.id, hit.via and hit.via.by) for hit in found] == [("film", None), ("carey", "link")]
    [found] = Weave(tmp_path / "index", visible=Visible("a")).search(["Who made The Long Tide?"], 2)
    assert [(hit.passage.id, hit.via and hit.via.by) for hit in found] == [("film", None), ("hidden", "link")]


@pytest.mark.parametrize("num_hidden", [0, 101])
def test_hidden_documents_of_a_title_take_no_link_away_from_the_one_that_is_shown(tmp_path, num_hidden):
    passages = [
        Passage("film", "The Long Tide is a film. Its director is Tom Carey.", "The Long Tide"),
        Passage("carey", "He was born in Kerrow, among sheep.", "Tom Carey"),
        *(Passage(f"hidden-{n}", f"Note {n} on pay.", "Tom Carey", access=("a",)) for n in range(num_hidden)),
        *(Passage(f"noise-{n}", f"Harbour town {n} has a market where films are shown.", f"Town {n}") for n in range(30)),
    ]
    BM25.build(tmp_path / "index", passages)
    [found] = Weave(tmp_path / "index").search(["Where was the director of The Long Tide raised?"], 2)
    assert [(hit.passage.id, hit.via and hit.via.by) for hit in found] == [("film", None), ("carey", "link")]


@pytest.mark.parametrize("num_hidden", [0, 2])
def test_nor_hidden_definitions_of_a_term_the_reference_to_the_one_that_is_shown(tmp_path, num_hidden):
    def defined(n, access=()):
        text = f'"Default Rate" means 4% above the base rate, version {n}.'
        return Passage(f"defined-{n}", text, f"Glossary {n}", source=f"k/{n}.txt", access=access)

    passages = [
        Passage(
            "due", "Interest is due at the Default Rate on late sums.", "Contract", source="k/c.txt", sections=("9 Interest",)
        ),
        defined(0),
        *(defined(n, ("a",)) for n in range(1, num_hidden + 1)),
        *(Passage(f"noise-{n}", f"Harbour town {n} has a market where films are shown.", f"Town {n}") for n in range(30)),
    ]
    BM25.build(tmp_path / "index", passages)
    [found] = Weave(tmp_path / "index").search(["When is interest due on late sums?"], 2)
    assert [(hit.passage.id, hit.via and hit.via.by) for hit in found] == [("due", None), ("defined-0", "reference")]
