"""What a folder's settings may say before the user trusts them, and what the user's own words need no trust for."""

import json
import os
import shutil
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import get_args

import pytest
from support.commands import assert_one_line, ran
from support.parts import look_for_parts_again

from hopweave.core.catalog import Role, entries, load
from hopweave.core.errors import MissingExtra, SettingsError
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder
from hopweave.run.settings import read_settings
from hopweave.run.settings_files import found_toml
from hopweave.run.trust import _FREE_TEXTS, _texts_of, guarded, is_trusted, trusted

ADDRESS = 'llm = "openai_compatible"\n[llms.openai_compatible]\nmodel = "m"\nbase_url = "http://evil.example/v1"\n'
LEAK = f'{ADDRESS}api_key_env = "AWS_SECRET_ACCESS_KEY"\n'


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, own_folders):
    """An empty working directory, and a configuration of its own."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def trust(*arguments):
    return ran("trust", *arguments, exit_code=0).stdout


def of_endpoint(settings):
    return settings.llms["openai_compatible"]


# -- the working directory ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (ADDRESS, "llms.openai_compatible.base_url"),
        ('[llms.openai_compatible]\napi_key_env = "AWS_SECRET_ACCESS_KEY"', "llms.openai_compatible.api_key_env"),
        ('[llms.openai_compatible.extra_body]\nuser = "x"', "llms.openai_compatible.extra_body"),
        ('[llms.openai_compatible.headers]\nAuthorization = "x"', "llms.openai_compatible.headers"),
        ("[llms.openai_compatible]\nverify_tls = false", "llms.openai_compatible.verify_tls"),
        ('[llms.openai_compatible]\nproxy = "http://evil.example"', "llms.openai_compatible.proxy"),
        ('[llms.llama_cpp]\nmodel = "weights.gguf"', "llms.llama_cpp.model"),
        *(
            (f"[llms.llama_cpp]\nmodel = {value}", "llms.llama_cpp.model")
            for value in ('["qwen2.5-coder-1.5b-instruct"]', "{a = 1}", "3")
        ),
        ('[readers.span_model]\nmodel = "./weights"', "readers.span_model.model"),
        ('[duplicate_detectors.embedding]\nmodel = "./weights"', "duplicate_detectors.embedding.model"),
        ('[retrievers.bm25]\nserver_url = "http://evil.example"', "retrievers.bm25.server_url"),
        ('[methods.auto_cot]\nencoder_model = "./weights"', "methods.auto_cot.encoder_model"),
        ('[methods.auto_cot]\npool = "/etc/passwd"', "methods.auto_cot.pool"),
        ('[methods.dsp]\ntrain = "/etc/passwd"', "methods.dsp.train"),
        ('[methods.verify_and_edit]\nembedding_model = ["./weights"]', "methods.verify_and_edit.embedding_model"),
        (
            '[methods.adaptive_rag.method_options.auto_cot]\nencoder_model = "./weights"',
            "methods.adaptive_rag.method_options.auto_cot.encoder_model",
        ),
        (
            '[methods.adaptive_rag.method_options."./mine.py:Mine"]\nn_demos = 1',
            "methods.adaptive_rag.method_options../mine.py:Mine",
        ),
        ('[retrievers.bm25.visible]\naccess = ["board"]', "retrievers.bm25.visible"),
        ('[store]\npath = "/tmp/elsewhere.sqlite"', "store.path"),
    ],
)
def test_a_file_in_the_working_directory_may_not_say_where_keys_go_or_what_is_loaded(folder, text, key):
    Path("hopweave.toml").write_text(text)
    with pytest.raises(SettingsError, match="and you have not trusted it") as caught:
        read_settings()
    assert key in str(caught.value)
    assert str(caught.value).endswith(f"hopweave trust {folder}")


def test_the_command_is_refused_in_one_line_before_anything_is_sent():
    Path("hopweave.toml").write_text(LEAK)
    result = ran("ask", "Where?")
    assert_one_line(result, "llms.openai_compatible.base_url, llms.openai_compatible.api_key_env")
    assert "hopweave trust" in result.stderr


def test_what_touches_neither_keys_nor_code_needs_no_trust():
    Path("hopweave.toml").write_text(
        'method = "direct"\ncorpus = "starter"\n[budget]\nmax_llm_calls = 3\n[llms.openai_compatible]\nmodel = "m"\n'
        '[llms.llama_cpp]\nmodel = "qwen2.5-coder-1.5b-instruct"\n[methods.searchain]\nverify = false\n[store]\nmode = "off"\n'
    )
    assert read_settings().budget == {"max_llm_calls": 3}


def test_numbers_choices_and_harmless_texts_need_no_trust():
    options = {
        "methods": {
            "auto_cot": {"encoder": "sentence_bert", "n_demos": 4},
            "toqd": {"temperature": "0.1"},
            "adaptive_rag": {"many_steps": "searchain", "method_options": {"searchain": {"match": "words", "verify": False}}},
            "no_such_method": {"a": "b"},
            "react": {"no_such_option": "b"},
        },
        "retrievers": {"weave": {"first": "dense", "depth": 2}, "dense": {"query_prefix": "query: ", "pooling": "cls"}},
        "datasets": {"jsonl": {"path": "questions.jsonl"}},
        "metrics": {"f1": {"variant": "hotpotqa", "separator": "|"}},
    }
    assert guarded(options) == {}


def test_a_text_for_a_method_whose_library_is_not_installed_needs_trust_unless_it_is_known_to_be_harmless(monkeypatch):
    def without_library(*_):
        raise MissingExtra("numpy", "dense")

    _texts_of.cache_clear()
    monkeypatch.setattr("hopweave.run.trust.load", without_library)
    options = {"ranking": "words", "device": "cpu", "num_passages": 3}
    assert guarded({"methods": {"verify_and_edit": options}}) == {"methods.verify_and_edit.ranking": "words"}
    _texts_of.cache_clear()


def test_a_part_of_another_package_is_chosen_by_the_user_alone(monkeypatch):
    point = EntryPoint("theirs", "their.module:Part", "hopweave.methods")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda: EntryPoints([point]))
    look_for_parts_again()
    try:
        Path("hopweave.toml").write_text('method = "theirs"')
        with pytest.raises(SettingsError, match="sets method, which could"):
            read_settings()
        assert read_settings({"method": "theirs"}).method == "theirs"
    finally:
        look_for_parts_again()


# -- the user's own words ----------------------------------------------------------------------------------------------------


def test_the_users_own_configuration_environment_flags_and_named_files_need_no_trust(tmp_path, monkeypatch):
    Path("named.toml").write_text(LEAK)
    assert of_endpoint(read_settings(config=Path("named.toml")))["api_key_env"] == "AWS_SECRET_ACCESS_KEY"
    assert of_endpoint(read_settings({"profile": "named.toml"}))["api_key_env"] == "AWS_SECRET_ACCESS_KEY"
    monkeypatch.setenv("HOPWEAVE_LLMS__OPENAI_COMPATIBLE__BASE_URL", "http://mine/v1")
    assert of_endpoint(read_settings())["base_url"] == "http://mine/v1"
    monkeypatch.delenv("HOPWEAVE_LLMS__OPENAI_COMPATIBLE__BASE_URL")
    (tmp_path / "config" / "hopweave").mkdir(parents=True)
    (tmp_path / "config" / "hopweave" / "hopweave.toml").write_text(LEAK)
    assert of_endpoint(read_settings())["base_url"] == "http://evil.example/v1"
    monkeypatch.chdir(tmp_path / "config" / "hopweave")
    assert of_endpoint(read_settings())["base_url"] == "http://evil.example/v1"


def test_what_the_users_own_words_overrule_or_say_as_well_is_no_matter(monkeypatch):
    Path("hopweave.toml").write_text(ADDRESS)
    flags = {"llms": {"openai_compatible": {"base_url": "http://mine/v1"}}}
    assert of_endpoint(read_settings(flags))["base_url"] == "http://mine/v1"
    monkeypatch.setenv("HOPWEAVE_LLMS__OPENAI_COMPATIBLE__BASE_URL", "http://evil.example/v1")
    assert of_endpoint(read_settings())["base_url"] == "http://evil.example/v1"


def test_a_profile_that_an_untrusted_file_names_is_as_strange_as_the_file(folder):
    Path("hopweave.toml").write_text('profile = "profile.toml"')
    Path("profile.toml").write_text(LEAK)
    with pytest.raises(SettingsError, match=r"hopweave trust .*/profile\.toml$"):
        read_settings()
    trust("profile.toml")
    assert of_endpoint(read_settings())["base_url"] == "http://evil.example/v1"


def test_a_pipe_in_the_place_of_a_profile_is_not_waited_for():
    Path("hopweave.toml").write_text('profile = "profile.toml"')
    os.mkfifo("profile.toml")
    with pytest.raises(SettingsError, match=r"there is no profile file profile\.toml"):
        read_settings()


# -- trusting ----------------------------------------------------------------------------------------------------------------


def test_a_trusted_folder_counts_until_its_file_changes(folder):
    Path("hopweave.toml").write_text(LEAK)
    said = trust()
    assert f"{folder}/hopweave.toml sets:\n" in said
    assert '  llms.openai_compatible.base_url = "http://evil.example/v1"\n' in said
    assert of_endpoint(read_settings())["base_url"] == "http://evil.example/v1"
    Path("hopweave.toml").write_text(LEAK.replace("evil", "worse"))
    with pytest.raises(SettingsError, match="it has changed since you trusted it"):
        read_settings()
    assert trust("--list") == f"{folder}/hopweave.toml  (changed or gone)\n"


def test_trust_ends_when_it_is_taken_back(folder):
    Path("hopweave.toml").write_text(LEAK)
    trust(folder)
    assert trust("--list") == f"{folder}/hopweave.toml\n"
    assert trust("--remove", folder) == f"trusted no longer: {folder}/hopweave.toml\n"
    assert trust("--list") == "nothing is trusted\n"
    with pytest.raises(SettingsError, match="you have not trusted it"):
        read_settings()


def test_trust_is_of_the_place_that_a_link_leads_to_and_of_no_other(folder, tmp_path, monkeypatch):
    Path("hopweave.toml").write_text(LEAK)
    trust()
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(tmp_path / "link")
    assert is_trusted(found_toml(Path("hopweave.toml")))
    (tmp_path / "copy").mkdir()
    shutil.copy(folder / "hopweave.toml", tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    assert not is_trusted(found_toml(Path("hopweave.toml")))


def test_a_list_that_others_may_write_to_is_not_believed(tmp_path):
    Path("hopweave.toml").write_text(LEAK)
    trust()
    place = tmp_path / "config" / "hopweave" / "trusted.json"
    assert place.stat().st_mode & 0o777 == 0o600
    place.chmod(0o666)
    with pytest.raises(SettingsError, match="others may write to"):
        read_settings()


@pytest.mark.parametrize("content", [b"[]", b"{}", b"\xff", b"[" * 200_000])
def test_a_damaged_list_is_one_line(tmp_path, content):
    place = tmp_path / "config" / "hopweave" / "trusted.json"
    place.parent.mkdir(parents=True)
    place.touch(0o600)
    place.write_bytes(content)
    with pytest.raises(SettingsError, match="cannot be read; delete it"):
        trusted()


def test_a_folder_with_nothing_to_trust_says_so(folder):
    assert "has no hopweave.toml and no plan.json" in ran("trust", exit_code=1).stderr
    Path("hopweave.toml").write_text('method = "direct"')
    assert trust() == f"{folder}/hopweave.toml sets nothing that needs trust\n"
    assert trusted() == {}


# -- runs --------------------------------------------------------------------------------------------------------------------

SETTINGS = {"llm": "openai_compatible", "llms": {"openai_compatible": {"model": "m", "base_url": "http://evil.example/v1"}}}
PLAN = Plan({"jsonl": DatasetPlan("jsonl", {"path": "q.jsonl"})}, {"direct": MethodPlan("direct")}, SETTINGS)


def test_the_plan_of_a_run_that_was_not_begun_here_may_not_say_where_keys_go(folder):
    Path("run").mkdir()
    Path("run/plan.json").write_text(PLAN.to_json())
    said = ran("evaluate", "--out", "run", "--dry-run", exit_code=1).stderr
    assert "plan.json sets llms.openai_compatible.base_url" in said
    assert f"hopweave trust {folder / 'run'}" in said
    assert trust("run").endswith("  trusted in its current state\n")
    assert of_endpoint(read_settings(plan=RunFolder.open(Path("run")).found))["base_url"] == "http://evil.example/v1"


def test_the_plan_of_ones_own_run_is_trusted_as_it_was_written(folder):
    RunFolder.create(Path("run"), PLAN)
    found = RunFolder.open(Path("run")).found
    assert of_endpoint(read_settings(plan=found))["base_url"] == "http://evil.example/v1"
    Path("run/plan.json").write_text(PLAN.to_json().replace("evil", "worse"))
    with pytest.raises(SettingsError, match="it has changed since you trusted it"):
        read_settings(plan=RunFolder.open(Path("run")).found)


def test_a_run_without_anything_to_guard_leaves_no_trace_in_the_list():
    RunFolder.create(Path("run"), Plan(PLAN.datasets, PLAN.methods, {"llm": "scripted"}))
    assert trusted() == {}
    read_settings(plan=RunFolder.open(Path("run")).found)


def test_a_run_goes_on_where_the_list_cannot_be_kept(tmp_path):
    (tmp_path / "config").write_text("no folder")
    assert RunFolder.create(Path("run"), PLAN).plan == PLAN


# -- every option is looked at -----------------------------------------------------------------------------------------------

GUARDED = {
    "llms.llama_cpp.cache_disk_mib",
    "llms.llama_cpp.model",
    "llms.openai_compatible.api_key_env",
    "llms.openai_compatible.base_url",
    "llms.openai_compatible.extra_body",
    "llms.transformers_local.model",
    "llms.transformers_local.revision",
    "methods.auto_cot.encoder_model",
    "methods.auto_cot.pool",
    "methods.dsp.train",
    "methods.verify_and_edit.embedding_model",
    "readers.dpr.model",
    "readers.dpr.revision",
    "readers.span_model.model",
    "readers.span_model.revision",
    "retrievers.dense.api_key_env",
    "retrievers.dense.base_url",
    "retrievers.dense.model",
    "retrievers.hybrid.engine_options",
    "retrievers.late_interaction.engine_options",
    "retrievers.late_interaction.model",
    "retrievers.reranked.api_key_env",
    "retrievers.reranked.base_url",
    "retrievers.reranked.engine_options",
    "retrievers.reranked.model",
    "retrievers.untrusted.withhold_commands",
    "retrievers.weave.engine_options",
    *(
        f"retrievers.{engine}.{option}"
        for engine in ("postgres", "qdrant", "milvus", "elasticsearch")
        for option in ("address", "password_env", "tls", "ca_certificate")
    ),
    *(
        f"retrievers.{engine}.visible"
        for engine in ("bm25", "dense", "elasticsearch", "hybrid", "late_interaction", "linear_rag", "milvus", "postgres")
    ),
    *(f"retrievers.{engine}.visible" for engine in ("qdrant", "reranked", "weave")),
    "duplicate_detectors.cross_encoder.model",
    "duplicate_detectors.embedding.model",
}


def test_labels_are_not_granted_by_a_file_that_is_not_trusted(folder):
    assert guarded({"access": ["board"], "where": {"year": "1999"}}) == {"access": ["board"]}
    Path("hopweave.toml").write_text('access = ["board"]\n')
    with pytest.raises(SettingsError, match="sets access, which would show you passages with these labels, and you have not"):
        read_settings()
    assert read_settings({"access": ["staff"]}).access == ("staff",)
    Path("hopweave.toml").write_text(f'access = ["board"]\n{ADDRESS}')
    with pytest.raises(SettingsError, match="keys elsewhere, load arbitrary code or show you passages with these labels"):
        read_settings()


def test_the_model_of_an_engine_and_engines_of_strangers_are_guarded():
    dense = {"model": "m", "base_url": "u", "api_key_env": "K", "nprobe": 4, "query_prefix": "q"}
    assert set(guarded({"retrievers": {"dense": dense}})) == {
        f"retrievers.dense.{name}" for name in ("model", "base_url", "api_key_env")
    }
    own = {"hybrid": {"engines": ["bm25", "dense"]}, "weave": {"first": "dense"}}
    assert guarded({"retrievers": own}) == {}
    foreign = {"hybrid": {"engines": ["bm25", "./mine.py"]}, "weave": {"first": "./mine.py"}}
    assert set(guarded({"retrievers": foreign})) == {"retrievers.hybrid.engines", "retrievers.weave.first"}


def test_every_option_of_every_part_is_known_to_be_guarded_or_free():
    """An option that is new fails here until somebody decides whether strangers may set it."""
    found = set()
    for role in get_args(Role):
        # A part may stand under further names, with other defaults and the same options.
        for name in (name for name, entry in entries(role).items() if entry.target.endswith(f".{name}")):
            options = _options_of(role, name)
            found |= set(guarded({role: {name: dict.fromkeys(options, "x")}}))
    assert found == GUARDED


@pytest.mark.parametrize(("role", "option"), [(role, name) for role, names in _FREE_TEXTS.items() for name in sorted(names)])
def test_every_text_that_is_listed_as_free_is_an_option_that_could_be_any_text(role, option):
    assert any(option in _texts_of(role, name) for name, entry in entries(role).items() if not entry.is_foreign)


def _options_of(role, name):
    import ast
    import dataclasses
    import importlib.util

    source = Path(importlib.util.find_spec(entries(role)[name].target).origin).read_text(encoding="utf-8")
    part = load(role, name)
    public = part.__name__
    inherited = [field.name for field in dataclasses.fields(part) if field.init] if dataclasses.is_dataclass(part) else []
    chosen = next(node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == public)
    own = [node.target.id for node in chosen.body if isinstance(node, ast.AnnAssign) and not node.target.id.startswith("_")]
    return [*own, *inherited]


def test_the_list_is_json_that_people_can_read(tmp_path, folder):
    Path("hopweave.toml").write_text(LEAK)
    trust()
    held = json.loads((tmp_path / "config" / "hopweave" / "trusted.json").read_text())
    assert held["schema"] == "hopweave.trusted/1"
    assert list(held["files"]) == [f"{folder}/hopweave.toml"]
