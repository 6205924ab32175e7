"""`hopweave models`: what it prints, and where."""

from pathlib import Path

import pytest
from support.word_vectors import write_word_vectors
from typer.testing import CliRunner

from hopweave.apps.cli.models import app
from hopweave.core.errors import DataError, ModelError, SettingsError
from hopweave.models import weights as models
from hopweave.models.llms.llama_cpp import LlamaCpp
from hopweave.models.weights import DEFAULT_MODEL, KNOWN_MODELS, WORD_VECTOR_FILES, memory
from hopweave.models.weights.memory import Memory
from hopweave.models.weights.prompt_states import PromptStates, folder_of


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("HOPWEAVE_LLMS__LLAMA_CPP__CACHE_DISK_MIB", "0")  # these models cannot be loaded
    (tmp_path / "models").mkdir()
    return tmp_path / "models"


def run(*arguments):
    return CliRunner().invoke(app, arguments, catch_exceptions=True)


def listed():
    """The lines of the list about each model, joined."""
    tables, _, suits = run("list").stdout.partition("what suits")
    found = {}
    for line in tables.splitlines():
        if line:
            found[line.split()[0]] = f"{found.get(line.split()[0], '')} {line}"
    return found, suits


def test_the_list_names_every_known_model_and_every_file_that_is_there(folder):
    (folder / "mine.gguf").write_bytes(b"GGUF")
    (folder / KNOWN_MODELS[DEFAULT_MODEL].file_name).write_bytes(b"GGUF")
    lines, _ = listed()
    assert lines.keys() == {"name", "mine", *KNOWN_MODELS}
    assert " yes " in lines[DEFAULT_MODEL]
    assert " no " in lines["smollm2-135m-instruct"]
    assert str(folder / "mine.gguf") in lines["mine"]


def test_a_larger_model_is_listed_with_all_that_one_chooses_by(folder):
    lines, _ = listed()
    for told in ("about 5.0 GB", " 7.8 GB", "Apache-2.0", "thinks", " no ", "Qwen/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf"):
        assert told in lines["qwen3-8b"]
    assert "  98 MB" in lines["smollm2-135m-instruct"]  # exact
    path = models.model_path("qwen3-8b")
    path.write_bytes(bytes(2_000_000))
    lines, _ = listed()
    assert " 2 MB " in lines["qwen3-8b"]
    assert str(path) in lines["qwen3-8b"]


def test_the_list_ends_with_what_suits(folder, monkeypatch):
    monkeypatch.setattr(memory, "this_machine", lambda: Memory(16 << 30, 9 << 30))
    _, suits = listed()
    assert [line.split()[-2:] for line in suits.splitlines()[1:4]] == [
        ["qwen3-4b-instruct", "qwen3-4b-instruct"],
        ["qwen3-8b", "gpt-oss-20b"],
        ["qwen3-30b-a3b-instruct", "qwen3-30b-a3b-instruct"],
    ]
    assert "17.2 GB of memory, about 9.7 GB of it free, and no GPU that could be found: qwen3-8b" in suits
    assert "hopweave models fetch qwen3-8b; use it with: --set llms.llama_cpp.model=qwen3-8b" in suits


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Memory(16 << 30, None, 16 << 30, is_shared=True), "17.2 GB of memory, which the GPU shares: qwen3-14b"),
        (Memory(16 << 30, None, 24 << 30), "17.2 GB of memory, and a GPU of 25.8 GB: qwen3-30b-a3b-instruct"),
    ],
)
def test_a_gpu_counts(folder, monkeypatch, found, said):
    monkeypatch.setattr(memory, "this_machine", lambda: found)
    assert said in listed()[1]


def test_files_of_the_hub_are_listed_by_their_names_and_removed_by_them(folder, tmp_path):
    name, split = "hf:me/Tiny/tiny.gguf", "hf:me/Tiny/big-00001-of-00002.gguf"
    for file in ("mine.gguf", "two-00001-of-00002.gguf", "two-00002-of-00002.gguf"):
        (tmp_path / file).write_bytes(b"GGUF" + bytes(1_000_000))
    run("fetch", name, "--from", str(tmp_path / "mine.gguf"))
    run("fetch", split, "--from", str(tmp_path / "two-00001-of-00002.gguf"))
    run("fetch", "own", "--from", str(tmp_path / "two-00001-of-00002.gguf"))
    lines, _ = listed()
    assert lines.keys() == {"name", name, split, "own", *KNOWN_MODELS}
    assert " 2 MB " in lines[split]
    models.parts_beside(models.model_path(split))[1].unlink()
    assert " in part " in listed()[0][split]
    for one in (name, split, "own"):
        assert run("remove", one).exit_code == 0
    assert listed()[0].keys() == {"name", *KNOWN_MODELS}


def test_a_file_without_a_note_is_listed_by_a_name_that_finds_it(folder, tmp_path):
    (tmp_path / "mine.gguf").write_bytes(b"GGUF")
    run("fetch", "hf:me/Tiny/tiny.gguf", "--from", str(tmp_path / "mine.gguf"))
    path = models.model_path("hf:me/Tiny/tiny.gguf")
    for note in ("{}", '{"source": "hf:me/Other/tiny.gguf"}', '{"source": "hf:../x"}', "no JSON"):
        path.with_name(f"{path.name}.json").write_text(note)
        assert path.stem in listed()[0]
        assert models.model_path(path.stem) == path


def test_what_a_model_computed_is_listed_and_removed_with_it(folder, tmp_path, own_folders):
    (tmp_path / "mine.gguf").write_bytes(b"GGUF")
    run("fetch", "own", "--from", str(tmp_path / "mine.gguf"))
    assert "beginnings of prompts" not in run("list").stdout
    states = PromptStates(folder_of(models.model_identity("own")), 10_000_000)
    file = Path(states.made_folder()) / "a-b.state"
    file.write_bytes(bytes(2_000_000))
    assert "have computed: 2 MB in" in run("list").stdout
    assert run("remove", "own").stdout == "2 MB freed\n"
    assert not file.exists()


def test_fetch_prints_the_path_on_stdout_and_what_it_does_on_stderr(folder, monkeypatch):
    def fetch(name, *, from_path, on_progress, on_note):
        on_note("downloading 1 MB from [somewhere]")
        on_progress(500_000, 1_000_000)
        on_progress(1_000_000, 1_000_000)
        return folder / f"{name}.gguf"

    monkeypatch.setattr(models, "fetch", fetch)
    result = run("fetch")
    assert result.stdout == f"{folder / DEFAULT_MODEL}.gguf\n"
    assert "downloading 1 MB from [somewhere]" in result.stderr
    assert "1.0/1.0 MB" in result.stderr


def test_fetch_takes_a_file(folder, tmp_path):
    (tmp_path / "mine.gguf").write_bytes(b"GGUF of mine")
    result = run("fetch", "mine", "--from", str(tmp_path / "mine.gguf"))
    assert result.exit_code == 0
    assert (folder / "mine.gguf").is_file()


@pytest.fixture
def warmed(folder, tmp_path, own_folders, monkeypatch):
    """Fetches a model, and notes what it was to compute; `prevented` is raised in the middle of it."""
    (tmp_path / "mine.gguf").write_bytes(b"GGUF")
    asked = []

    def fetch(*arguments, prevented=None):
        async def save(llm, beginnings, on_progress):
            asked.append((llm.model, beginnings))
            on_progress(1, len(beginnings))
            if prevented is not None:
                raise prevented

        monkeypatch.setattr(LlamaCpp, "save_beginnings", save)
        return run("fetch", "mine", "--from", str(tmp_path / "mine.gguf"), *arguments), asked

    return fetch


def test_fetch_ends_by_computing_what_prompts_of_the_default_method_begin_with(warmed):
    result, [(name, beginnings)] = warmed()
    assert name == "mine"
    assert [turns[0].text.split()[0] for turns in beginnings] == ["Answer"]
    assert "computing what prompts begin with" in result.stderr
    assert "1/1" in result.stderr


def test_fetch_computes_nothing_if_told_so_or_for_a_method_that_does_not_say_what_its_prompts_begin_with(warmed, monkeypatch):
    assert warmed("--no-warm")[1] == []
    monkeypatch.setenv("HOPWEAVE_METHOD", "searchain")
    assert warmed()[1] == []


@pytest.mark.parametrize(
    ("prevented", "said"),
    [
        (SettingsError("mine needs about 20 GB of memory"), "left to the first answer: mine needs about 20 GB of memory"),
        (ModelError("llama.cpp cannot load it"), "left to the first answer: llama.cpp cannot load it"),
        (KeyboardInterrupt(), "stopped; what prompts begin with is left to the first answer"),
    ],
)
def test_a_model_that_cannot_compute_it_now_is_fetched_all_the_same(warmed, folder, prevented, said):
    result, _ = warmed(prevented=prevented)
    assert result.exit_code == 0
    assert result.stdout == f"{folder / 'mine.gguf'}\n"
    assert result.stderr.splitlines()[-1].endswith(said)


def test_remove_says_how_much_it_freed(folder):
    (folder / "mine.gguf").write_bytes(b"GGUF" + bytes(3_000_000))
    assert run("remove", "mine").stdout == "3 MB freed\n"
    assert not (folder / "mine.gguf").exists()


def test_mistakes_are_left_to_the_caller_to_print(folder, tmp_path):
    refused = run("remove", "none").exception
    assert isinstance(refused, SettingsError)
    assert str(refused) == "no local model is called 'none'; hopweave models list shows which are here"
    (tmp_path / "page.gguf").write_bytes(b"<html>")
    assert isinstance(run("fetch", "mine", "--from", str(tmp_path / "page.gguf")).exception, DataError)


def test_both_files_of_the_word_vectors_are_fetched_by_the_name_of_either(folder, monkeypatch):
    names = []

    def fetch(name, **_more):
        names.append(name)
        return models.model_path(name)

    monkeypatch.setattr(models, "fetch", fetch)
    paths = [str(models.model_path(name)) for name in WORD_VECTOR_FILES]
    for name in WORD_VECTOR_FILES:
        names.clear()
        assert run("fetch", name).stdout.splitlines() == paths
        assert names == list(WORD_VECTOR_FILES)
    names.clear()
    assert run("fetch", "--no-warm").exit_code == 0
    assert run("fetch", "word-vectors", "--from", "mine").exit_code == 0
    assert names == [DEFAULT_MODEL, "word-vectors"]


def test_the_list_says_where_word_vectors_are_or_how_to_get_them_and_they_are_removed_by_name(folder):
    assert "(18 MB): hopweave models fetch word-vectors" in run("list").stdout
    write_word_vectors(folder)
    assert f"other words: {models.model_path('word-vectors')}" in run("list").stdout
    assert run("remove", "word-vectors").exit_code == 0
    assert not any(models.model_path(name).exists() for name in WORD_VECTOR_FILES)
