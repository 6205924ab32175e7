"""`hopweave index --cluster`: workers read documents and encode passages, and the index is that of a single process."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.commands import ran
from support.dask_cluster import dask_cluster
from support.documents import docx, paragraph, pdf
from support.tiny_onnx import tiny_onnx

from hopweave.core.errors import DataError
from hopweave.ingest.cluster_reading import read_here
from hopweave.ingest.formats import CorpusFile, Limits
from hopweave.retrieval.encoders import cluster_encoding as _cluster_encoding
from hopweave.retrieval.encoders.cluster_encoding import encoded
from hopweave.retrieval.encoders.encoders import EncoderOptions, encoder_of

WORDS = {word: [float(number), 1.0, float(number % 3)] for number, word in enumerate(["red", "green", "blue", "old", "oak"])}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with dask_cluster(tmp_path_factory.mktemp("dask") / "cluster", 1) as started:
        yield started


def indexed(*arguments):
    return ran("index", *arguments, exit_code=0, COLUMNS="200").output


def data_of(index):
    """The files of an index's current state."""
    (folder,) = (path for path in Path(index).iterdir() if path.is_dir())
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".sqlite"}


def fingerprint(said):
    return said.rpartition("fingerprint ")[2].strip()


@pytest.mark.slow
def test_workers_encode_and_the_index_is_that_of_one_process(cluster, monkeypatch):
    pytest.importorskip("onnxruntime", reason="needs: pip install 'hopweave[dense]'")
    tiny_onnx(Path("tiny"), WORDS)
    monkeypatch.setenv("HOPWEAVE_RETRIEVERS__DENSE__MODEL", "tiny")
    kinds = list(WORDS)
    rows = [f"p{n}\t{' '.join(kinds[(n * step) % 5] for step in range(1, 2 + n % 7))}\n" for n in range(700)]
    Path("passages.tsv").write_text("id\ttext\n" + "".join(rows))
    here = indexed("passages.tsv", "--to", "here", "--engine", "dense")
    with monkeypatch.context() as patch:
        patch.setattr("hopweave.retrieval.encoders.encoders.OnnxEncoder.encode", None)  # nothing is encoded in this process
        there = indexed("passages.tsv", "--to", "there", "--engine", "dense", "--cluster", cluster.address)
    assert fingerprint(here) == fingerprint(there)
    assert data_of("here") == data_of("there")
    assert not list(Path().glob(".there*encoding"))


def test_what_a_killed_build_has_kept_is_not_encoded_again():
    pytest.importorskip("faiss", reason="needs: pip install 'hopweave[dense]'")
    begun = []

    class Encoder:
        identity, num_ahead = "counting", 2

        def begin(self, texts):
            begun.append(len(texts))

        def encode(self, texts, _):
            return np.ones((len(texts), 2), dtype=np.float32)

    from hopweave.core.types import Passage
    from hopweave.retrieval.engines.dense import Dense

    def passages(num):
        for number in range(num):
            yield Passage(f"p{number}", f"text {number}")
        raise DataError("cut")

    with pytest.raises(DataError, match="cut"):
        Dense.build(Path("index"), passages(256 * 4), encoder=Encoder())
    kept = len(list(Path(".index.encoding").iterdir()))
    assert begun == [256] * 4
    assert 0 < kept < 4
    begun.clear()
    Dense.build(Path("index"), [Passage(f"p{number}", f"text {number}") for number in range(256 * 5)], encoder=Encoder())
    assert len(begun) == 5 - kept


@pytest.mark.slow
def test_workers_read_documents_and_the_index_is_that_of_one_process(cluster, monkeypatch):
    pytest.importorskip("pypdf", reason="needs: pip install 'hopweave[documents]'")
    Path("papers").mkdir()
    for number in range(5):
        Path(f"papers/{number}.pdf").write_bytes(
            pdf(f"The light of town {number}.", "It was lit in 1874.", title=f"Town {number}")
        )
    Path("papers/notes.docx").write_bytes(docx(paragraph("An old oak stands there.")))
    Path("papers/plain.txt").write_text("Some words.")
    Path("papers/torn.pdf").write_bytes(pdf("Torn.")[:40])
    here = indexed("papers", "--to", "here")
    with monkeypatch.context() as patch:
        patch.setattr("hopweave.ingest.pages.read_pages", None)  # nothing is read in this process
        there = indexed("papers", "--to", "there", "--cluster", cluster.address)
        Path("papers/5.pdf").write_bytes(pdf("A new one."))
        synced = indexed("papers", "--to", "there", "--sync", "--cluster", cluster.address)
    assert fingerprint(here) == fingerprint(there)
    assert [line for line in here.splitlines() if "torn.pdf" in line] == [
        line for line in there.splitlines() if "torn.pdf" in line
    ]
    assert "torn.pdf" in here
    assert "skipped: 1" in there
    assert "1 added" in synced


def test_a_file_that_a_worker_does_not_have_as_it_is_here_is_read_here(tmp_path):
    path = tmp_path / "notes.docx"
    file = CorpusFile(path, "notes.docx", "notes")
    assert read_here(file, 5, Limits(), 200) == (None, None)
    content = docx(paragraph("An old oak."))
    path.write_bytes(content)
    assert read_here(file, 5, Limits(), 200) == (None, None)
    whole, error = read_here(file, len(content), Limits(), 200)
    assert ([piece.text for piece in whole.pieces], error) == (["An old oak."], None)
    path.write_bytes(b"x" * len(content))
    assert "notes.docx" in str(read_here(file, len(content), Limits(), 200)[1])


def test_a_worker_with_another_model_is_refused_with_both(tmp_path, monkeypatch):
    pytest.importorskip("onnxruntime", reason="needs: pip install 'hopweave[dense]'")
    monkeypatch.setattr(_cluster_encoding, "_opened", {})
    options = EncoderOptions(model=str(tiny_onnx(tmp_path / "tiny", WORDS)))
    identity = encoder_of(options).identity
    vectors, error = encoded(encoder_of, options, identity, ["red oak"], "passage")
    assert error == ""
    assert np.array_equal(vectors, encoder_of(options).encode(["red oak"], "passage"))
    assert encoded(encoder_of, options, "another", ["red oak"], "passage") == (
        None,
        f"a worker encodes with {identity}, not another; give all workers the same model",
    )
    nothing, error = encoded(encoder_of, replace(options, model=""), identity, ["red oak"], "passage")
    assert nothing is None
    assert "dense needs a model that encodes" in error


def test_a_cluster_without_files_is_refused():
    done = ran("index", "--to", "here", "--stats", "--cluster", "tcp://127.0.0.1:9", exit_code=1)
    assert "give files or folders, or leave it out" in done.output
