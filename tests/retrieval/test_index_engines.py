"""What every engine over an index on disk does alike: what it refuses, what an update leaves, and what becomes of vectors."""

import os
import subprocess
import sys
import textwrap
from contextlib import closing

import pytest

pytest.importorskip("faiss", reason="needs the extra dense")

from support.tiny_encoder import TinyEncoder, TinyTokenEncoder
from support.towns import ids, towns

from hopweave.core.errors import DataError, SearchError
from hopweave.core.protocols import Retriever
from hopweave.core.types import Passage
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.dense import Dense
from hopweave.retrieval.engines.late_interaction import LateInteraction
from hopweave.retrieval.engines.linear_rag import LinearRag
from hopweave.retrieval.engines.weave import Weave
from hopweave.retrieval.index.index_folder import read_manifest

VECTORS = {
    "dense": (Dense, TinyEncoder, ("vectors.f32",)),
    "late_interaction": (LateInteraction, TinyTokenEncoder, ("codes.i8", "scales.f32", "ends.i64")),
}
PASSAGES = [Passage(f"p{n}", f"text of {n}") for n in range(1000)]
TOWNS = towns(40)
PIECES = [Passage(f"doc#{n}", f"piece {n}", "Doc", start=n * 10, end=n * 10 + 7) for n in (1, 2, 3)]


class OnDisk:
    """An engine that is given its encoder, if it has one, whenever it writes or opens its index."""

    def __init__(self, kind, new_encoder=None):
        self.kind, self._new_encoder = kind, new_encoder
        self.check = kind.check

    def _with_encoder(self):
        return {} if self._new_encoder is None else {"encoder": self._new_encoder()}

    def build(self, folder, passages):
        return self.kind.build(folder, passages, **self._with_encoder())

    def update(self, folder, **changes):
        return self.kind.update(folder, **changes, **self._with_encoder())

    def open(self, folder):
        return closing(self.kind(folder, **self._with_encoder()))

    def found(self, folder, query, max_hits=5):
        with self.open(folder) as retriever:
            return ids(retriever.search([query], max_hits)[0])


ON_DISK = {"bm25": OnDisk(BM25), "linear_rag": OnDisk(LinearRag)}
ON_DISK |= {name: OnDisk(kind, encoder) for name, (kind, encoder, _) in VECTORS.items()}


@pytest.fixture(params=ON_DISK)
def writer(request):
    """An engine that writes an index of its own."""
    return ON_DISK[request.param]


@pytest.fixture(params=["bm25", "linear_rag", "dense"])
def searcher(request):
    """One that searches its index without another engine, too."""
    return ON_DISK[request.param]


@pytest.fixture
def index(request, tmp_path):
    """An index of some towns, of the engine that the test asks for."""
    engine = request.getfixturevalue("writer" if "writer" in request.fixturenames else "searcher")
    engine.build(tmp_path / "index", TOWNS)
    return tmp_path / "index"


# -- what is refused ---------------------------------------------------------------------------------------------------------

TWICE = [Passage("x", "one", source="a.jsonl"), Passage("y", "two"), Passage("x", "three", source="b.jsonl")]
REFUSED = {
    "an id that occurs twice": (TWICE, r"the id 'x' occurs twice, as passage 1 \(a\.jsonl\) and passage 3 \(b\.jsonl\)"),
    "no id": ([Passage("", "x")], "cannot have the id ''"),
    "a very long id": ([Passage("x" * 10_001, "x")], "give it one of 1 to 10,000 bytes"),
    "half a surrogate pair": ([Passage("x", "a\udfff")], "'x' contains an unpaired surrogate"),
    "an id with half a surrogate pair": ([Passage("x\ud800", "a")], r"'x\\ud800' contains an unpaired surrogate"),
}


@pytest.mark.parametrize(("passages", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_indexed_leaves_the_index_as_it_was(writer, index, passages, said):
    before = read_manifest(index)
    for write in (lambda: writer.update(index, upsert=passages), lambda: writer.build(index, passages)):
        with pytest.raises(DataError, match=said):
            write()
        assert read_manifest(index) == before
    assert writer.check(index).num_passages == 40


def test_no_passage_at_all_or_an_id_that_is_no_text_is_refused_and_leaves_no_folder(writer, tmp_path):
    with pytest.raises(DataError, match="there is no passage to index"):
        writer.build(tmp_path / "index", [])
    with pytest.raises(DataError, match="an unpaired surrogate"):
        writer.build(tmp_path / "index", [Passage("\ud800", "x")])
    assert not (tmp_path / "index").exists()


def test_an_unknown_id_to_delete_is_named_and_nothing_changed(writer, index):
    with pytest.raises(DataError, match=r"has no passage or document 'nobody' to delete; check the id$"):
        writer.update(index, delete=["p1", "nobody"])
    assert writer.check(index).num_passages == 40
    assert writer.update(index, delete=["p1", "nobody", "\ud800"], missing_ok=True).num_deleted == 1


# -- what an update leaves ---------------------------------------------------------------------------------------------------


def test_the_fingerprint_after_updates_is_that_of_a_new_index_of_any_engine(writer, index, tmp_path):
    writer.update(index, upsert=[Passage("p3", "other"), *PIECES], delete=["p6"])
    summary = writer.update(index, upsert=[TOWNS[3], TOWNS[6]], delete=["doc"])
    assert (summary.num_passages, summary.num_added, summary.num_deleted) == (40, 2, 4)
    assert summary.fingerprint == writer.check(index).fingerprint == BM25.build(tmp_path / "new", TOWNS).fingerprint


def test_a_document_is_replaced_and_deleted_as_a_whole(writer, tmp_path):
    writer.build(tmp_path / "index", [*PIECES, Passage("other", "another")])
    assert writer.update(tmp_path / "index", upsert=PIECES[:2]).num_passages == 3
    summary = writer.update(tmp_path / "index", delete=["doc"])
    assert (summary.num_passages, summary.num_deleted) == (1, 2)


def test_everything_may_be_deleted_and_added_again(searcher, index):
    assert searcher.update(index, delete=[one.id for one in TOWNS]).num_passages == 0
    assert searcher.found(index, "Town") == []
    assert searcher.update(index, upsert=TOWNS[:1]).num_passages == 1
    assert searcher.found(index, "Town") == ["p0"]


def test_a_reader_keeps_the_state_that_it_opened(searcher, index):
    with searcher.open(index) as reader:
        searcher.update(index, delete=["p0"])
        searcher.build(index, TOWNS[1:])
        assert "p0" in ids(reader.search([TOWNS[0].text], 5)[0])
        assert reader.passages_of(["p0"]) == TOWNS[:1]
        assert list(reader.all_passages()) == TOWNS
    assert "p0" not in searcher.found(index, TOWNS[0].text)


@pytest.mark.parametrize(("engine", "built_by"), [(BM25, "bm25"), (Weave, "bm25"), (LinearRag, "linear_rag"), (Dense, "dense")])
def test_a_retriever_fills_its_role_until_it_is_closed(engine, built_by, tmp_path):
    ON_DISK[built_by].build(tmp_path / "index", TOWNS)
    retriever = engine(tmp_path / "index", **({"encoder": TinyEncoder()} if engine is Dense else {}))
    assert isinstance(retriever, Retriever)
    retriever.close()
    retriever.close()
    with pytest.raises(SearchError, match="is closed"):
        retriever.search(["Town"], 1)


# -- vectors -----------------------------------------------------------------------------------------------------------------


@pytest.fixture(params=VECTORS)
def engine(request):
    """An engine, its encoder, and the files of its vectors."""
    return VECTORS[request.param]


def test_damage_is_found(engine, tmp_path):
    kind, encoder, names = engine
    kind.build(tmp_path / "index", PASSAGES[:300], encoder=encoder())
    data = tmp_path / "index" / read_manifest(tmp_path / "index").data
    for name in (*names, "passages.sqlite", "numbers.i64"):
        path, content = data / name, (data / name).read_bytes()
        path.write_bytes(content[:-8] + bytes(8 * [0xA5]))
        with pytest.raises(DataError, match=rf"{name} does not match its checksum"):
            kind.check(tmp_path / "index")
        path.write_bytes(content)
    assert kind.check(tmp_path / "index").num_passages == 300


KILLED = """
    import os, sys
    from pathlib import Path
    from retrieval.test_index_engines import VECTORS, PASSAGES

    batches = iter([None, None])

    def kill_in_the_third_batch():
        if next(batches, "end") == "end":
            os._exit(9)

    kind, encoder, _ = VECTORS[sys.argv[2]]
    kind.build(Path(sys.argv[1]), PASSAGES, encoder=encoder(before=kill_in_the_third_batch))
"""


@pytest.mark.parametrize("name", VECTORS)
def test_a_build_that_was_killed_encodes_only_the_rest(name, tmp_path):
    kind, new_encoder, names = VECTORS[name]
    folder = tmp_path / "index"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", textwrap.dedent(KILLED), folder, name]
    assert subprocess.run(command, check=False, env=environment).returncode == 9
    assert not (folder / "manifest.json").exists()
    encoder, told = new_encoder(), []
    kind.build(folder, PASSAGES, encoder=encoder, on_passage=told.append)
    assert encoder.encoded == [f"text of {n}" for n in range(512, 1000)]
    assert told == list(range(1, 1001))
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    assert kind.build(tmp_path / "anew", PASSAGES, encoder=new_encoder()).num_passages == 1000
    resumed, anew = (read_manifest(one).files for one in (folder, tmp_path / "anew"))
    assert {name: resumed[name] for name in names} == {name: anew[name] for name in names}


def test_an_index_of_another_model_is_refused(engine, tmp_path):
    kind, encoder, _ = engine
    kind.build(tmp_path / "index", PASSAGES[:3], encoder=encoder(48))
    there = r"holds vectors of tiny( tokens)?\(48\)"
    with pytest.raises(DataError, match=rf"{there}, and the settings name tiny.*set retrievers\.{kind.engine_name}\.model"):
        kind(index=tmp_path / "index", encoder=encoder(16))
    with pytest.raises(DataError, match=there):
        kind.update(tmp_path / "index", upsert=PASSAGES[:1], encoder=encoder(16))
