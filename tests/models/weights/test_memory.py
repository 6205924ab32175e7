"""The memory of a machine, what a model needs of it, and which model suits."""

import re
import subprocess
from pathlib import Path

import pytest

from hopweave.models.weights import DEFAULT_MODEL, KNOWN_MODELS, memory
from hopweave.models.weights.memory import Memory, bytes_needed, default_context, known_bytes_needed, of_size, suiting

GIB = 1 << 30


@pytest.mark.parametrize(
    ("gib", "with_gpu", "name"),
    [
        (1, False, "smollm2-135m-instruct"),
        (4, False, DEFAULT_MODEL),
        (8, False, "qwen3-4b-instruct"),
        (16, False, "qwen3-8b"),
        (32, False, "qwen3-30b-a3b-instruct"),
        (8, True, "qwen3-4b-instruct"),
        (16, True, "gpt-oss-20b"),
        (32, True, "qwen3-30b-a3b-instruct"),
    ],
)
def test_the_most_capable_model_that_fits_and_is_quick_enough_suits(gib, with_gpu, name):
    assert suiting(of_size(gib, with_gpu=with_gpu)).name == name


def test_memory_that_a_gpu_shares_holds_a_model_that_is_slow_without_one():
    memory_of_mac = Memory(16 * GIB, None, 16 * GIB, is_shared=True)
    assert suiting(memory_of_mac).billions_active > suiting(Memory(16 * GIB)).billions_active


def test_a_small_gpu_does_not_make_a_model_fit_that_needs_more():
    assert suiting(Memory(32 * GIB, gpu=2 * GIB)) == suiting(Memory(32 * GIB))


def test_what_a_model_needs_grows_with_its_context():
    assert bytes_needed(10**9, 1000, 2000) - bytes_needed(10**9, 1000, 1000) == 10**6
    assert known_bytes_needed(KNOWN_MODELS["qwen3-4b-instruct"]) == pytest.approx(5.3e9, rel=0.1)


@pytest.mark.parametrize(
    ("billions", "trained_for", "tokens"),
    [(None, None, 8192), (1.5, 32768, 8192), (8.0, None, 16384), (8.0, 40960, 16384), (8.0, 4096, 4096), (1.5, 2048, 2048)],
)
def test_a_larger_model_gets_a_longer_context_but_no_longer_one_than_it_was_trained_for(billions, trained_for, tokens):
    assert default_context(billions, trained_for) == tokens


def test_this_machine_has_some_memory():
    found = memory.this_machine()
    assert found.total > 100_000_000
    assert found.free is None or 0 < found.free <= found.total + GIB


@pytest.fixture
def group(tmp_path, monkeypatch):
    """The files of a container's memory limit."""
    monkeypatch.setattr(memory, "_GROUP", tmp_path)
    (tmp_path / "memory").mkdir()

    def put(files):
        for name, text in files.items():
            (tmp_path / name).write_text(text)

    return put


def test_the_limit_of_a_container_counts_and_pages_of_files_are_free(group):
    stat = "anon 5\ninactive_file 500000000\nactive_file 250000000\nmalformed\n"
    group({"memory.max": "4000000000\n", "memory.current": "3000000000\n", "memory.stat": stat})
    assert memory._group_limit() == 4_000_000_000
    assert memory._free_of_group() == 1_750_000_000
    assert memory.free_bytes() <= 1_750_000_000


def test_a_container_without_a_limit_is_no_limit(group):
    group({"memory.max": "max\n", "memory.current": "3000000000\n"})
    assert memory._group_limit() is None
    assert memory._free_of_group() is None


def test_the_memory_of_gpus_is_what_their_driver_says(monkeypatch):
    monkeypatch.setattr(memory, "_amd_memories", list)
    monkeypatch.setattr(memory.shutil, "which", lambda name: f"/bin/{name}")
    for said, found in (("8192\n24576\n", 24576 << 20), ("", 0), ("[N/A]\n", 0)):
        monkeypatch.setattr(memory.subprocess, "run", lambda *_, said=said, **__: subprocess.CompletedProcess([], 0, said))
        assert memory._gpu_memory() == found

    def hangs(*_, **__):
        raise subprocess.TimeoutExpired("nvidia-smi", 5)

    monkeypatch.setattr(memory.subprocess, "run", hangs)
    assert memory._gpu_memory() == 0


def test_the_page_on_models_says_what_suits():
    page = (Path(__file__).parents[3] / "docs" / "start" / "models.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) GB \| `(\S+)` \| `(\S+)` \|$", page, re.MULTILINE)
    assert [int(gib) for gib, *_ in rows] == [8, 16, 32]
    for gib, without, on_gpu in rows:
        assert (without, on_gpu) == tuple(suiting(of_size(int(gib), with_gpu=gpu)).name for gpu in (False, True))


@pytest.mark.parametrize(
    ("missing", "context_tokens", "said"),
    [
        (
            100_000_000,
            16384,
            "close other programs, set llms.llama_cpp.context_tokens = 13312, or take a smaller model, such as",
        ),
        (10**9, 16384, "close other programs, or take a smaller model, such as qwen3-4b-instruct (see: hopweave models list)"),
    ],
)
def test_what_does_not_fit_comes_with_what_to_choose(monkeypatch, missing, context_tokens, said):
    monkeypatch.setattr(memory, "this_machine", lambda: Memory(8 * GIB))
    assert memory.advice_on_memory(5_000_000_000, 40_000, context_tokens, missing).startswith(said)
    smallest = memory.advice_on_memory(1_000_000_000, 40_000, context_tokens, 10**9)
    assert smallest == "close other programs"
