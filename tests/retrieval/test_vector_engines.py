"""What every engine over an index of vectors does alike: a damaged index, a killed build, and vectors of another model."""

import os
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("faiss", reason="needs the extra dense")

from support.tiny_encoder import TinyEncoder, TinyTokenEncoder

from hopweave.core.errors import DataError
from hopweave.core.types import Passage
from hopweave.retrieval.engines.dense import Dense
from hopweave.retrieval.engines.late_interaction import LateInteraction
from hopweave.retrieval.index.index_folder import read_manifest

ENGINES = {
    "dense": (Dense, TinyEncoder, ("vectors.f32",)),
    "late_interaction": (LateInteraction, TinyTokenEncoder, ("codes.i8", "scales.f32", "ends.i64")),
}
PASSAGES = [Passage(f"p{n}", f"text of {n}") for n in range(1000)]


@pytest.fixture(params=ENGINES)
def engine(request):
    """An engine, its encoder, and the files of its vectors."""
    return ENGINES[request.param]


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
    from retrieval.test_vector_engines import ENGINES, PASSAGES

    batches = iter([None, None])

    def kill_in_the_third_batch():
        if next(batches, "end") == "end":
            os._exit(9)

    kind, encoder, _ = ENGINES[sys.argv[2]]
    kind.build(Path(sys.argv[1]), PASSAGES, encoder=encoder(before=kill_in_the_third_batch))
"""


@pytest.mark.parametrize("name", ENGINES)
def test_a_build_that_was_killed_encodes_only_the_rest(name, tmp_path):
    kind, new_encoder, names = ENGINES[name]
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
