"""Settings: where a value comes from, which one counts, and what is said of one that cannot be."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

import hopweave
from hopweave.core.building import build
from hopweave.core.errors import SettingsError
from hopweave.core.retries import Retries
from hopweave.core.types import Sampling
from hopweave.run.budget import Budget
from hopweave.run.nested_settings import assignments
from hopweave.run.settings import Settings, read_settings


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path, own_folders):
    """A working directory without a file of settings."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def toml(text: str, path: str = "hopweave.toml") -> Path:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
    return Path(path)


# -- which one counts ------------------------------------------------------------------------------------------------------


def give(level: str, value: str, monkeypatch, key: str = "corpus") -> dict:
    """Says at one level that the corpus, or something else, is `value`; returns the flags for it."""
    match level:
        case "profile":
            return {"profile": str(toml(f"{key} = '{value}'", "my-profile.toml"))}
        case "toml":
            toml(f"{key} = '{value}'")
        case "environment":
            monkeypatch.setenv(f"HOPWEAVE_{key.upper()}", value)
        case "flags":
            return {key: value}
    return {}


LEVELS = ["default", "profile", "toml", "environment", "flags"]


@pytest.mark.parametrize(("lower", "upper"), [(a, b) for i, a in enumerate(LEVELS) for b in LEVELS[i + 1 :]])
def test_of_two_levels_the_upper_counts(lower, upper, monkeypatch):
    flags = give(lower, "lower", monkeypatch) | give(upper, "upper", monkeypatch)
    assert read_settings(flags).corpus == "upper"


def test_levels_are_merged_key_by_key(monkeypatch):
    profile = toml("[methods.searchain]\ntheta = 1\nalpha = 0.1\nmax_nodes = 1\nmax_rounds = 1", "p.toml")
    toml("[methods.searchain]\nalpha = 0.2\nmax_nodes = 2\nmax_rounds = 2\n[budget]\nmax_tokens = 2")
    monkeypatch.setenv("HOPWEAVE_METHODS__SEARCHAIN__MAX_NODES", "3")
    monkeypatch.setenv("HOPWEAVE_METHODS__SEARCHAIN__MAX_ROUNDS", "3")
    settings = read_settings({"profile": str(profile), "methods": {"searchain": {"max_rounds": 4}}})
    assert settings.methods["searchain"] == {"theta": 1, "alpha": 0.2, "max_nodes": 3, "max_rounds": 4}
    assert settings.make_budget() == Budget(max_tokens=2)


def test_without_a_word_the_default_profile_is_used():
    settings = read_settings()
    assert (settings.profile, settings.method, settings.corpus) == ("default", "stitch", "starter")


@pytest.mark.parametrize("level", ["toml", "environment", "flags"])
def test_a_profile_can_be_named_at_each_level(level, monkeypatch):
    settings = read_settings(give(level, "paper_searchain", monkeypatch, key="profile"))
    assert settings.profile == "paper_searchain"
    assert settings.methods["searchain"]["theta"] == 1.5


def test_the_profile_that_counts_is_the_one_in_the_settings(monkeypatch):
    toml("profile = 'paper_searchain'")
    monkeypatch.setenv("HOPWEAVE_PROFILE", str(toml("profile = 'nonsense'\ncorpus = 'c'", "p.toml")))
    settings = read_settings()
    assert (settings.profile, settings.corpus, settings.methods) == ("p.toml", "c", {})


def test_the_file_of_this_folder_comes_before_that_of_the_user(tmp_path):
    toml("corpus = 'users'", str(tmp_path / "config" / "hopweave" / "hopweave.toml"))
    assert read_settings().corpus == "users"
    toml("corpus = 'here'")
    assert read_settings().corpus == "here"
    assert read_settings(config=toml("corpus = 'named'", "other.toml")).corpus == "named"


# -- the environment -------------------------------------------------------------------------------------------------------


def test_two_underscores_are_a_dot(monkeypatch):
    for name, value in {
        "STORE__MODE": "off",
        "STORE__PATH": "/somewhere/store.sqlite",
        "BUDGET__MAX_SECONDS": "1.5",
        "SAMPLING__STOP": '["a", "b"]',
        "RETRIES": "{max_attempts = 2}",
        "METHODS__COT__ZERO_SHOT": "true",
        "LLMS__LLAMA_CPP__MODEL": "some.gguf",
    }.items():
        monkeypatch.setenv(f"HOPWEAVE_{name}", value)
    settings = read_settings()
    assert (settings.store.mode, settings.store.path) == ("off", Path("/somewhere/store.sqlite"))
    assert settings.make_budget() == Budget(max_seconds=1.5)
    assert settings.make_sampling() == Sampling(stop=("a", "b"))
    assert settings.make_retries() == Retries(max_attempts=2)
    assert settings.part("methods", "cot").zero_shot is True
    assert settings.part("llms", "llama_cpp").model == "some.gguf"


def test_empty_variables_and_those_of_other_purposes_say_nothing(monkeypatch):
    for name in ("HOPWEAVE_CORPUS", "HOPWEAVE_PROFILE"):
        monkeypatch.setenv(name, "")
    for name in ("HOPWEAVE_MODELS", "HOPWEAVE_DEBUG", "HOPWEAVER_X"):
        monkeypatch.setenv(name, "1")
    assert read_settings().corpus == "starter"


# -- what cannot be --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"metod": "cot"}, "settings.metod is not a setting; did you mean 'method'?"),
        ({"max_seconds": 3}, "settings.max_seconds is not a setting; did you mean budget.max_seconds?"),
        ({"store": {"mod": "on"}}, "settings.store.mod is not a setting; did you mean 'mode'?"),
        ({"store": {"mode": "of"}}, "settings.store.mode: Input should be 'on', 'off' or 'replay', not 'of'"),
        ({"budget": {"max_tokns": 1}}, "budget has no option 'max_tokns'; did you mean 'max_tokens'?"),
        ({"budget": {"max_tokens": "many"}}, "budget.max_tokens: must be a whole number, not 'many'"),
        ({"budget": {"max_tokens": 1.5}}, "budget.max_tokens: must be a whole number, not 1.5"),
        ({"budget": {"max_seconds": "long"}}, "budget.max_seconds: must be a number, not 'long'"),
        ({"budget": {"max_tokens": -1}}, "budget max_tokens must be a number above 0, or 0 for no limit, not -1"),
        ({"budget": 5}, "budget must be a table, such as [budget], not 5"),
        ({"store": "mine.sqlite"}, "store must be a table, such as [store], not 'mine.sqlite'; did you mean store.path?"),
        ({"llms": {"api_key": "SECRET"}}, "llms.api_key must be a table, such as [llms.api_key], not '(left out)'"),
        ({"sampling": {"temprature": 1}}, "sampling has no option 'temprature'; did you mean 'temperature'?"),
        ({"sampling": {"temperature": -1}}, "sampling.temperature must be a number from 0 up, not -1.0"),
        ({"sampling": {"temperature": "nan"}}, "sampling.temperature must be a number from 0 up, not nan"),
        ({"sampling": {"top_p": 0}}, "sampling.top_p must be above 0 and at most 1, not 0.0"),
        ({"sampling": {"max_tokens": 0}}, "sampling.max_tokens must be at least 1, not 0"),
        ({"retries": {"attempts": 1}}, "retries has no option 'attempts'; did you mean 'max_attempts'?"),
        ({"methods": {"serchain": {}}}, "'serchain' is not one of the methods; did you mean 'searchain'?"),
        ({"llms": {"lama_cpp": {}}}, "'lama_cpp' is not one of the llms; did you mean 'llama_cpp'?"),
        ({"methods": {"cot": 5}}, "methods.cot must be a table, such as [methods.cot], not 5"),
        ({"profile": "paper_serchain"}, "there is no profile 'paper_serchain'; did you mean 'paper_searchain'?"),
        ({"profile": "no/such.toml"}, "cannot read the settings file no/such.toml: No such file or directory; check the path"),
        ({"search_workers": -1}, "settings.search_workers: must be a number from 0 to 256, or 'auto', not -1"),
        ({"method": ["cot"]}, "settings.method: Input should be a valid string, not ['cot']"),
    ],
)
def test_what_cannot_be_is_said_with_its_place_and_the_nearest_that_can(flags, said):
    with pytest.raises(SettingsError, match="^" + re.escape(said)):
        read_settings(flags)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("HOPWEAVE_METOD", "the environment variable HOPWEAVE_METOD is not a setting; did you mean 'method'?"),
        ("HOPWEAVE_STORE__MOD", "settings.store.mod is not a setting; did you mean 'mode'?"),
        ("HOPWEAVE_BUDGET__MAX_TOKNS", "budget has no option 'max_tokns'; did you mean 'max_tokens'?"),
        ("HOPWEAVE_METHODS__SERCHAIN__THETA", "'serchain' is not one of the methods; did you mean 'searchain'?"),
        ("HOPWEAVE_METHOD__THETA", "settings.method: Input should be a valid string, not {'theta': 1}"),
        ("HOPWEAVE_BUDGET", "the environment variable HOPWEAVE_BUDGET: budget must be a table, such as [budget], not 1"),
    ],
)
def test_an_unknown_variable_is_an_error_at_every_depth(name, said, monkeypatch):
    monkeypatch.setenv(name, "1")
    with pytest.raises(SettingsError, match="^" + re.escape(said)):
        read_settings()


@pytest.mark.parametrize(
    ("role", "name", "options", "said"),
    [
        ("methods", "searchain", {"theta": "high"}, "methods.searchain.theta: must be a number, not 'high'"),
        ("methods", "searchain", {"match": "letters"}, "methods.searchain.match: Input should be 'words' or 'characters'"),
        ("retrievers", "bm25", {}, "retrievers.bm25 needs index (folder of the index, as built by: hopweave index); give "),
    ],
)
def test_an_option_that_cannot_be_is_said_at_the_latest_when_the_part_is_made(role, name, options, said):
    with pytest.raises(SettingsError, match="^" + re.escape(said)):
        read_settings({role: {name: options}}).part(role, name)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("methods.searchain.thetta", "methods.searchain has no option 'thetta'; did you mean 'theta'?"),
        ("llms.ollama.modle", "llms.ollama has no option 'modle'; did you mean 'model'?"),
        ("retrievers.hyde.num_docs", "retrievers.hyde has no option 'num_docs'; did you mean 'num_documents'?"),
    ],
)
def test_a_misspelt_option_is_said_also_where_another_component_is_chosen(key, said):
    with pytest.raises(SettingsError, match="^" + re.escape(said)):
        read_settings(assignments([f"{key}=1"]))


def test_a_part_that_does_not_exist_is_said_with_the_nearest():
    with pytest.raises(SettingsError, match=r"'serchain' is not one of the methods; did you mean 'searchain'\?"):
        read_settings({"method": "serchain"}).part("methods", "serchain")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"method = ", "is not TOML"),
        (b"\xff\xfe", "is not TOML"),
        (b"method = 'a'\nmethod = 'b'", "is not TOML"),
        (b"metod = 'cot'", "bad.toml: settings.metod is not a setting; did you mean 'method'?"),
        (b"budget = 5", "bad.toml: budget must be a table, such as [budget], not 5"),
        (b"methods = {cot = 5}", "bad.toml: methods.cot must be a table, such as [methods.cot], not 5"),
        (b"[budget]\nmax_tokns = 1", "bad.toml: budget has no option 'max_tokns'; did you mean 'max_tokens'?"),
        (b"[methods.cot]\nsede = 1", "bad.toml: methods.cot has no option 'sede'; did you mean 'seed'?"),
    ],
)
def test_a_bad_file_is_named(content, said):
    Path("bad.toml").write_bytes(content)
    with pytest.raises(SettingsError, match=re.escape(said)) as caught:
        read_settings(config=Path("bad.toml"))
    assert "bad.toml" in str(caught.value)


def test_the_file_that_an_error_is_in_is_named_wherever_it_is(tmp_path):
    def said(**flags):
        with pytest.raises(SettingsError) as caught:
            read_settings(flags)
        return str(caught.value)

    toml("profile = 'mine.toml'")
    toml("metod = 'cot'", "mine.toml")
    assert said().startswith("mine.toml: settings.metod is not a setting")
    toml("metod = 'cot'")
    assert said().startswith("hopweave.toml: settings.metod is not a setting")
    Path("hopweave.toml").unlink()
    own = toml("metod = 'cot'", str(tmp_path / "config" / "hopweave" / "hopweave.toml"))
    assert said().startswith(f"{own}: settings.metod is not a setting")


def test_no_file_is_named_for_what_is_in_the_environment_or_a_flag(monkeypatch):
    toml("method = 'cot'\n[budget]\nmax_tokens = 5")
    with pytest.raises(SettingsError, match=r"^settings\.metod is not a setting"):
        read_settings({"metod": "cot"})
    monkeypatch.setenv("HOPWEAVE_BUDGET__MAX_TOKNS", "1")
    with pytest.raises(SettingsError, match=r"^budget has no option 'max_tokns'"):
        read_settings()


def test_naming_the_file_runs_no_code_of_a_file_that_is_not_trusted():
    toml("raise SystemExit('it was run')", "theirs.py")
    toml("method = './theirs.py:Theirs'\nmetod = 'cot'")
    with pytest.raises(SettingsError, match=r"^hopweave\.toml: settings\.metod is not a setting"):
        read_settings({"method": "cot"})


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        ("budget = 5", {"budget": {"max_llm_calls": 3}}, "hopweave.toml: budget must be a table"),
        ("store = 'mine.sqlite'", {"store": {"mode": "replay"}}, "hopweave.toml: store must be a table"),
        ("[methods]\ncot = 5", {"methods": {"cot": {"seed": 1}}}, "hopweave.toml: methods.cot must be a table"),
        ("[budget]\nmax_llm_calls = 3", {"budget": 5}, "budget must be a table"),
    ],
)
def test_a_value_in_the_place_of_a_table_is_an_error_also_where_another_level_sets_a_key_of_it(lower, upper, said):
    toml(lower)
    with pytest.raises(SettingsError, match="^" + re.escape(said)):
        read_settings(upper)


def test_a_limit_of_0_is_no_limit_wherever_it_is_set():
    toml("[budget]\nmax_llm_calls = 5\nmax_tokens = 7")
    settings = read_settings(assignments(["budget.max_llm_calls=0"]))
    assert settings.make_budget() == Budget(max_tokens=7)
    assert Budget(max_seconds=0).limits() == {}


def test_a_folder_in_place_of_a_file_is_named():
    with pytest.raises(SettingsError, match=r"cannot read the settings file \.: Is a directory"):
        read_settings(config=Path())


def test_a_file_that_begins_with_the_mark_of_an_editor_is_read():
    Path("hopweave.toml").write_bytes(b"\xef\xbb\xbfcorpus = 'c'")
    assert read_settings().corpus == "c"


# -- secrets and what goes into a record -----------------------------------------------------------------------------------


def test_secrets_are_left_out_of_what_goes_into_a_record():
    settings = Settings(
        **read_settings().model_dump(exclude={"llms"}),
        llms={
            "openai_compatible": {
                "api_key": "SECRET",
                "api_key_env": "MY_KEY",
                "base_url": "https://user:SECRET@host:8000/v1?api-key=SECRET&version=2",
                "max_tokens": 5,
                "headers": {"Authorization": "Bearer SECRET", "X-Api-Key": "SECRET", "Cookie": ["SECRET"], "Accept": "json"},
                "mirrors": ["http://SECRET@mirror/", {"password": "SECRET", "port": 1}],
                "hf_token": 12345,
            }
        },
    )
    public = settings.public()
    assert "SECRET" not in json.dumps(public)
    assert public["llms"]["openai_compatible"] == {
        "api_key": "(left out)",
        "api_key_env": "MY_KEY",
        "base_url": "https://host:8000/v1?api-key=(left out)&version=2",
        "max_tokens": 5,
        "headers": {"Authorization": "(left out)", "X-Api-Key": "(left out)", "Cookie": "(left out)", "Accept": "json"},
        "mirrors": ["http://mirror/", {"password": "(left out)", "port": 1}],
        "hf_token": "(left out)",
    }


def test_a_secret_is_not_in_an_error_either():
    @dataclass
    class Part:
        api_key: int = 0

    with pytest.raises(SettingsError) as caught:
        build(Part, {"api_key": "SECRET"}, "llms.part")
    assert "SECRET" not in str(caught.value)


def test_where_replies_are_kept_does_not_go_into_a_record():
    on, replay = read_settings({"store": {"path": "a"}}), read_settings({"store": {"path": "b", "mode": "replay"}})
    assert on.public() == replay.public()
    assert "store" not in on.public()


def test_what_only_a_program_can_give_goes_into_a_record_by_its_class():
    rules = [("find", "say"), re.compile("x"), ValueError("x"), lambda messages, sampling: "x", Path("p")]
    settings = read_settings({"llm": "scripted", "llms": {"scripted": {"rules": rules}}})
    told = [["find", "say"], "(Pattern)", "(ValueError)", "(function)", "p"]
    assert settings.public()["llms"]["scripted"]["rules"] == told
    assert settings.part("llms", "scripted").rules is not None


def test_settings_cannot_be_changed_once_read():
    settings = read_settings()
    for change in (lambda: setattr(settings, "method", "cot"), lambda: setattr(settings.store, "mode", "off")):
        with pytest.raises(ValueError, match="frozen"):
            change()


def test_settings_can_be_made_by_hand():
    made = Settings(method="cot", llm="a", retriever="b", reader="c", duplicate_detector="d", corpus="e")
    assert made.store.mode == "on"


# -- --set -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-2", -2),
        ("1.5", 1.5),
        ("true", True),
        ("inf", float("inf")),
        ('"quoted words"', "quoted words"),
        ("[1, 'a']", [1, "a"]),
        ("{max_tokens = 3}", {"max_tokens": 3}),
        ("plain words", "plain words"),
        ("", ""),
        ("a=b", "a=b"),
        ("007", "007"),
        ("1e3", "1e3"),
        ("1_000", "1_000"),
        ("2024-01-01", "2024-01-01"),
        ("1 # one", "1 # one"),
        ("1\nx = 2", "1\nx = 2"),
        ("C:\\data", "C:\\data"),
    ],
)
def test_a_value_is_toml_if_it_can_be_and_else_the_text(text, value, monkeypatch):
    assert assignments([f"a.b={text}"]) == {"a": {"b": value}}
    if text and "\0" not in text:
        monkeypatch.setenv("HOPWEAVE_METHODS__COT__SEED", text)
        assert read_settings().methods["cot"]["seed"] == value


def test_every_profile_that_ships_can_be_read_and_its_method_made():
    profiles = sorted((Path(hopweave.__file__).parent / "profiles").glob("*.toml"))
    assert profiles
    for path in profiles:
        settings = read_settings({"profile": path.stem})
        settings.part("methods", settings.method)
        assert settings.profile == path.stem


def test_a_number_may_be_given_for_a_text_and_a_text_for_a_number():
    flags = ["corpus=2024", "llms.llama_cpp.model=7", "methods.searchain.theta=1e-3", "methods.searchain.max_rounds=+3"]
    settings = read_settings(assignments(flags))
    method = settings.part("methods", "searchain")
    assert (settings.corpus, settings.part("llms", "llama_cpp").model) == ("2024", "7")
    assert (method.theta, method.max_rounds) == (0.001, 3)


def test_a_value_in_the_place_of_a_table_is_an_error_also_if_another_argument_of_a_weaver_sets_a_key_of_it():
    for settings, budget in (({"budget": 5}, {"max_llm_calls": 3}), ({"budget": {"max_llm_calls": 3}}, 5)):
        with pytest.raises(SettingsError, match=r"^budget must be a (?:table|mapping)"):
            hopweave.Weaver(settings, budget=budget)
