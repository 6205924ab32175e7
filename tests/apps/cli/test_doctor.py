"""`hopweave doctor`: what works here, what the settings need and do not have, and what to do."""

from pathlib import Path

import pytest
from support.commands import ran

from hopweave.core import catalog
from hopweave.core.errors import MissingExtra
from hopweave.models.weights import DEFAULT_MODEL


@pytest.fixture(autouse=True)
def own_models(tmp_path, monkeypatch):
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path / "models"))


def doctor(exit_code=None, **environment):
    return ran("doctor", exit_code=exit_code, **environment)


def lines(result, sign):
    return [line[9:] for line in result.stdout.splitlines() if line.startswith(sign)]


def test_without_a_model_file_the_default_settings_cannot_work_and_it_says_what_to_do():
    result = doctor()
    assert result.exit_code == 1
    assert lines(result, "missing") == [f"embedded model {DEFAULT_MODEL}: fetch it with: hopweave models fetch"]
    assert any(line.startswith("Python 3.") for line in lines(result, "ok"))
    assert "settings: profile default, method stitch, llm llama_cpp" in lines(result, "ok")
    assert "corpus starter: comes with the package" in lines(result, "ok")


def test_a_model_that_has_no_name_key_or_address_is_missing_and_one_that_has_them_is_not_asked():
    chosen = {"HOPWEAVE_LLM": "openai", "OPENAI_API_KEY": ""}
    [said] = lines(doctor(1, **chosen), "missing")
    assert said.startswith("llms openai: llms.openai needs model (name of the model at the endpoint); give it with --set")
    chosen["HOPWEAVE_LLMS__OPENAI__MODEL"] = "some-model"
    [said] = lines(doctor(1, **chosen), "missing")
    assert "needs a key: put it in the environment variable OPENAI_API_KEY" in said
    chosen["OPENAI_API_KEY"] = "abcdefgh"
    result = doctor(0, **chosen)
    assert "llm openai (some-model): not asked; see: hopweave doctor --llm openai" in lines(result, "ok")
    [said] = lines(doctor(1, **chosen, HOPWEAVE_LLMS__OPENAI__BASE_URL="nowhere"), "missing")
    assert said.startswith("llms openai: ")


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("HOPWEAVE_METHODS__STITCH__MAX_TOKENS", "x", "methods stitch: methods.stitch.max_tokens: must be a whole number"),
        ("HOPWEAVE_RETRIEVERS__WEAVE__DEPTH", "-1", "retrievers weave: weave depth must be 0 or more, not -1"),
        (
            "HOPWEAVE_READERS__LLM_READER__MAX_TOKENS",
            "1",
            "readers llm_reader: llm_reader max_tokens must be at least 4, not 1",
        ),
        ("HOPWEAVE_LLMS__SCRIPTED__RULES_FILE", "no.toml", "llms scripted: cannot read the rules file no.toml"),
    ],
)
def test_options_that_the_chosen_parts_cannot_have_are_found(variable, value, said):
    [found] = lines(doctor(1, **{"HOPWEAVE_LLM": "scripted", variable: value}), "missing")
    assert found.startswith(said)


def test_an_index_that_the_chosen_retriever_cannot_search_is_found(tmp_path):
    (tmp_path / "notes.txt").write_text("Carrow Head has a light.", encoding="utf-8")
    ran("index", tmp_path / "notes.txt", "--to", tmp_path / "index", exit_code=0)
    chosen = {"HOPWEAVE_LLM": "scripted", "HOPWEAVE_CORPUS": str(tmp_path / "index")}
    assert lines(doctor(0, **chosen), "missing") == []
    [said] = lines(doctor(1, **chosen, HOPWEAVE_RETRIEVER="linear_rag"), "missing")
    assert said.startswith("retrievers linear_rag: ")
    assert "was built by bm25" in said


def test_looking_at_the_starter_corpus_builds_no_index(tmp_path):
    doctor(0, HOPWEAVE_LLM="scripted")
    assert not list(tmp_path.rglob("manifest.json"))


def test_what_the_settings_do_not_need_is_told_and_no_fault():
    result = doctor(0, HOPWEAVE_LLM="scripted")
    assert lines(result, "missing") == []
    assert any(line.startswith("embedded model") for line in lines(result, "-"))


def test_every_part_is_checked_and_those_that_work_are_counted(broken):
    broken("scripted", MissingExtra("torch", "hf"))
    result = doctor()
    told = [line for sign in ("ok", "missing", "-") for line in lines(result, sign)]
    for role in catalog.ROLES:
        failed = [name for line in told if line.startswith(f"{role} ") for name in line[len(role) :].split(":")[0].split(",")]
        assert f"{role}: {len(catalog.entries(role)) - len(failed)} of {len(catalog.entries(role))} work" in told
    assert any(line.startswith("llms ") and "scripted" in line for line in lines(result, "-"))


def test_what_the_extras_add_to_no_component_is_told_with_what_installs_it(monkeypatch):
    missing_from = catalog.missing_from
    monkeypatch.setattr(
        "hopweave.apps.cli.doctor.missing_from", lambda extra: ["pypdf"] if extra == "documents" else missing_from(extra)
    )
    said = lines(doctor(0, HOPWEAVE_LLM="scripted"), "-")
    assert "PDF, old Office and Outlook files: pypdf is not installed; it comes with: pip install 'hopweave[documents]'" in said


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("HOPWEAVE_METHOD", "serchain", "'serchain' is not one of the methods; did you mean 'searchain'?"),
        (
            "HOPWEAVE_CORPUS",
            "nowhere",
            "corpus: there is no index at nowhere; make one with: hopweave index PATH... --to nowhere",
        ),
        ("HOPWEAVE_RETRIEVERS__HYDE__ENGINE", "toqd", "retrievers.hyde.engine = 'toqd' asks the language model itself"),
        ("HOPWEAVE_METOD", "cot", "settings: the environment variable HOPWEAVE_METOD is not a setting; did you mean 'method'?"),
        ("HOPWEAVE_BUDGET__MAX_TOKENS", "x", "settings: budget.max_tokens: must be a whole number, not 'x'"),
    ],
)
def test_settings_that_cannot_work_are_found(variable, value, said):
    chosen = {"HOPWEAVE_LLM": "scripted", "HOPWEAVE_RETRIEVER": "hyde", variable: value}
    assert any(line.startswith(said) for line in lines(doctor(1, **chosen), "missing"))


@pytest.fixture
def broken(monkeypatch):
    """A function: a part of that name cannot be loaded, as of an error."""
    load = catalog.load

    def of(broken_name, error):
        def loads(role, name):
            if name == broken_name:
                raise error
            return load(role, name)

        monkeypatch.setattr("hopweave.apps.cli.doctor.load", loads)

    return of


def test_the_engine_underneath_a_retriever_that_asks_the_model_is_needed_too(broken):
    broken("bm25", OSError("no tantivy"))
    result = doctor(1, HOPWEAVE_LLM="scripted", HOPWEAVE_RETRIEVER="hyde")
    assert lines(result, "missing") == ["retrievers bm25: OSError: no tantivy"]


@pytest.mark.parametrize(("model", "exit_code", "sign"), [("mine.gguf", 0, "ok"), ("no-such-model", 1, "missing")])
def test_the_model_of_the_settings_is_the_one_that_is_checked(model, exit_code, sign):
    Path("mine.gguf").write_bytes(b"GGUF")
    result = doctor(exit_code, HOPWEAVE_LLMS__LLAMA_CPP__MODEL=model)
    assert any(line.startswith(f"embedded model {model}: ") for line in lines(result, sign))


def test_a_store_that_cannot_be_is_found(tmp_path):
    (tmp_path / "file").touch()
    result = doctor(1, HOPWEAVE_LLM="scripted", HOPWEAVE_STORE__PATH=str(tmp_path / "file" / "store.sqlite"))
    assert lines(result, "missing") == [f"cache folder {tmp_path / 'file'}: no folder can be made there"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MissingExtra("torch", "hf"), "readers llm_reader: torch is not installed; it comes with: pip install 'hopweave[hf]'"),
        (OSError("libx.so:\n cannot open"), "readers llm_reader: OSError: libx.so: cannot open"),
    ],
)
def test_a_part_whose_library_is_missing_or_broken_is_told_and_the_rest_is_checked(broken, error, said):
    broken("llm_reader", error)
    result = doctor(1, HOPWEAVE_LLM="scripted")
    assert lines(result, "missing") == [said]
    assert any(line.startswith("cache folder") for line in lines(result, "ok"))
