"""What every part of the catalog must keep to, whoever wrote it: a new file is held to this without a list being edited."""

import asyncio
import dataclasses
import functools
import inspect
import re
import tomllib
from pathlib import Path
from typing import Annotated, get_args, get_origin, get_type_hints

import pytest
from support.parts import FORMS, METHODS, Broken, Nothing, asks_the_model
from support.tiers import in_turn

from hopweave.core import catalog, protocols
from hopweave.core.catalog import ROLES, entries, load
from hopweave.core.errors import HopweaveError, MissingExtra, SettingsError
from hopweave.core.prompt import Prompts
from hopweave.core.retries import Retries
from hopweave.core.types import Reading
from hopweave.models.llms.scripted import Scripted
from hopweave.record import Record
from hopweave.run.components import Components
from hopweave.run.opening import index_folder
from hopweave.run.settings import read_settings
from hopweave.run.store.store import Store
from hopweave.run.weaver import Weaver

PACKAGE = Path(catalog.__file__).parents[1]
ALL = [(role, name) for role in ROLES for name, one in entries(role).items() if ":" not in one.target]
PROMPTS = sorted(PACKAGE.rglob("*.prompts.toml"))


@pytest.fixture(autouse=True)
def own_folders(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "config"))


def loaded(role, name):
    """The class, or a skip that says which library is missing."""
    try:
        return load(role, name)
    except MissingExtra as error:
        pytest.skip(str(error))


def made(role, name):
    """The part with its defaults, or a skip that says what it needs."""
    part = loaded(role, name)
    settings = read_settings()
    more = {"index": index_folder(settings, name)} if "index" in {field.name for field in dataclasses.fields(part)} else {}
    try:
        return settings.part(role, name, **more)
    except HopweaveError as error:
        pytest.skip(f"{role} {name}: {error}")


def options_of(part):
    return [field for field in dataclasses.fields(part) if field.init]


def is_needed(option):
    return option.default is option.default_factory is dataclasses.MISSING


# -- options ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("role", "name"), ALL)
def test_every_part_is_a_documented_dataclass_whose_options_say_what_they_are(role, name):
    part = loaded(role, name)
    assert inspect.isclass(part)
    assert dataclasses.is_dataclass(part)
    assert not (part.__doc__ or "").startswith(f"{part.__name__}("), "the docstring is the one that dataclass makes"
    hints = get_type_hints(part, include_extras=True)
    for option in options_of(part):
        assert re.fullmatch(r"[a-z][a-z0-9_]*", option.name), option.name
        assert get_origin(hints[option.name]) is Annotated, f"{option.name} has no help"
        (help_text,) = [note for note in get_args(hints[option.name])[1:] if isinstance(note, str)]
        assert len(help_text) > 5


def is_number(hint):
    return hint in (int, float) or any(is_number(inner) for inner in get_args(hint))


def numbers_of(part):
    """The options of a part that count or limit something."""
    hints = get_type_hints(part, include_extras=True)
    names = [option.name for option in options_of(part) if option.name.startswith(("max_", "num_", "n_"))]
    return [name for name in names if is_number(hints[name])]


@pytest.mark.parametrize(("role", "name"), ALL)
def test_every_option_that_counts_or_limits_something_is_refused_below_zero(role, name):
    part = loaded(role, name)
    needed = [option.name for option in options_of(part) if is_needed(option)]
    given = {option: Path("nowhere") if option in {"index", "path"} else "none" for option in needed}
    for option in numbers_of(part):
        with pytest.raises(SettingsError, match=rf"\b{option}\b"):
            part(**given, **{option: -1})


def test_options_that_count_or_limit_something_are_found_in_every_role_of_a_question():
    assert numbers_of(load("llms", "openai")) == ["max_thinking_tokens", "max_connections"]
    assert numbers_of(load("retrievers", "hyde")) == ["num_documents", "max_tokens"]
    assert numbers_of(load("readers", "dpr")) == ["max_span_tokens", "max_tokens"]
    assert [name for name in METHODS if not numbers_of(loaded("methods", name))] == ["adaptive_rag"]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_frozen_and_runs_with_its_defaults(name):
    part = loaded("methods", name)
    assert part.__dataclass_params__.frozen
    assert [option.name for option in options_of(part) if is_needed(option)] == []
    assert inspect.iscoroutinefunction(part.answer)
    assert list(inspect.signature(part.answer).parameters) == ["self", "question", "workbench"]
    method = part()
    assert isinstance(method, protocols.Method)
    for option in options_of(part):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(method, option.name, None)


@pytest.mark.parametrize("name", METHODS)
def test_an_unknown_option_of_a_method_is_refused(name):
    loaded("methods", name)
    with pytest.raises(HopweaveError, match=rf"methods\.{name} has no option 'no_such_option'"):
        read_settings({"methods": {name: {"no_such_option": 1}}})


# -- roles -----------------------------------------------------------------------------------------------------------------

PROTOCOLS = {
    "llms": (protocols.LanguageModel,),
    "retrievers": (protocols.Retriever, protocols.ModelRetriever),
    "readers": (protocols.Reader, protocols.ModelReader),
    "duplicate_detectors": (protocols.DuplicateDetector,),
}


@pytest.mark.parametrize(("role", "name"), [(role, name) for role, name in ALL if role in PROTOCOLS])
def test_every_part_plays_its_role_and_names_itself(role, name):
    part = made(role, name)
    assert isinstance(part, PROTOCOLS[role])
    if role != "duplicate_detectors":  # which has no identity: its name and options are in the settings of the record
        assert isinstance(part.identity, str)
        assert part.identity
        assert part.identity == made(role, name).identity
        assert "\n" not in part.identity


@pytest.mark.parametrize("name", [name for role, name in ALL if role == "retrievers" and not asks_the_model(name)])
def test_every_engine_takes_any_query_and_keeps_to_the_depth(name):
    retriever = made("retrievers", name)
    queries = ["Which amusement park opened in Copenhagen in 1843?", "", "\x00 [ ] \" ' AND (", "\ud800", "x" * 9000]
    found = retriever.search(queries, 3)
    assert len(found) == len(queries)
    assert len(found[0]) == 3
    for hits in found:
        assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1)) == list(range(1, min(3, len(hits)) + 1))
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert all(type(hit.score) is float for hit in hits)
    assert retriever.search([], 3) == []
    assert retriever.search(queries[:1], 1)[0] == found[0][:1]
    retriever.close()


@pytest.mark.parametrize("name", [name for role, name in ALL if role == "duplicate_detectors"])
def test_every_duplicate_detector_knows_a_query_again(name):
    detector = made("duplicate_detectors", name)
    try:
        assert detector.duplicate_of("Who was the first?", []) is None
        assert detector.duplicate_of("Who was the first?", ["Where is Ulm?", "Who was the first?"]) == 1
    except MissingExtra as error:
        pytest.skip(str(error))


# -- methods under all conditions ------------------------------------------------------------------------------------------


class BlindReader:
    """Finds no answer in any passage."""

    identity = "blind"

    def read(self, pairs):
        return [Reading("", None, -5.0) for _ in pairs]


async def run(name, question, say, retriever, **more):
    loaded("methods", name)
    parts = Components(
        Scripted([("", say)]), retriever=retriever, reader=BlindReader(), duplicate_detector=detector(), retries=Retries(1)
    )
    parts.store = more.pop("store", None)
    async with asyncio.timeout(30), Weaver(read_settings({"method": name, **more}), components=parts) as weaver:
        record = await weaver.answer(question)
    again = Record.from_json(record.to_json())
    assert again.fingerprint == record.fingerprint
    assert len(asyncio.all_tasks()) == 1
    return record


def detector():
    return load("duplicate_detectors", "normalized")()


SAYINGS = {
    "an answer": "So the final answer is Ines Halloran.",
    "a chain": ("[Query 1]: Who designed it?\n[Answer 1]: Ines Halloran\n[Unsolved Query]: Who is she?"),
    "nothing": "",
    "nonsense with marks": "[1] ]]{} [Query [7] %s {question} [2, 3] ``` \x00\n\n[Final Content",
    "a whole context": "word [1] " * 3000,
}


@pytest.mark.parametrize(("name", "saying", "question"), in_turn(METHODS, list(SAYINGS), FORMS))
async def test_every_method_answers_whatever_the_model_says_where_nothing_is_found(name, saying, question):
    record = await run(name, question, SAYINGS[saying], Nothing())
    assert record.error is None, record.error
    assert record.answer.citations == ()
    assert record.setup.method == name


@pytest.mark.parametrize("name", METHODS)
async def test_every_method_that_searches_fails_as_a_record_where_the_retriever_fails(name):
    record = await run(name, FORMS[0], SAYINGS["a chain"], Broken())
    searches = [step for step in record.steps if step.kind == "search"]
    if searches:
        assert (record.error.kind, record.error.message) == ("SearchError", "the index is gone")
        assert searches[-1].error.kind == "SearchError"
    else:
        assert record.error is None


@pytest.mark.parametrize(("name", "limit"), in_turn(METHODS, ["max_llm_calls", "max_tokens", "max_searches"]))
async def test_every_method_ends_in_an_answer_when_a_limit_is_reached(name, limit):
    for allowed in (1, 2, 3):
        record = await run(name, FORMS[0], SAYINGS["a chain"], Nothing(), budget={limit: allowed})
        assert record.error is None, record.error
        totals = record.totals()
        assert {"max_llm_calls": totals.llm_calls, "max_searches": totals.queries}.get(limit, 0) <= allowed


@pytest.mark.parametrize("name", METHODS)
async def test_every_method_gives_the_same_record_again_and_in_replay(name, tmp_path):
    first = await run(name, FORMS[0], SAYINGS["a chain"], Nothing(), store=Store(tmp_path / "s"))
    again = await run(name, FORMS[0], SAYINGS["a chain"], Nothing(), store=Store(tmp_path / "s", "replay"))
    assert again.fingerprint == first.fingerprint


@pytest.mark.parametrize("name", METHODS)
async def test_every_method_passes_a_failure_of_the_model_on(name):
    record = await run(name, FORMS[0], ValueError("the model is gone"), Nothing())
    assert (record.error.kind, record.error.message) == ("ModelError", "Scripted: ValueError: the model is gone")


# -- prompts ---------------------------------------------------------------------------------------------------------------


def code_beside(prompts: Path) -> Path | None:
    stem = prompts.name.removesuffix(".prompts.toml")
    return next((path for path in (prompts.with_name(f"{stem}.py"), prompts.with_name(f"_{stem}.py")) if path.is_file()), None)


@functools.cache
def _sources() -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}


def users_of(prompts: Path) -> list[Path]:
    """The code that may use a prompt: the file of the same name, what its folder shares, what imports it, and the toolkit."""
    code = code_beside(prompts)
    name = ".".join(code.relative_to(PACKAGE.parent).with_suffix("").parts)
    importers = (path for path, text in _sources().items() if f"from {name} import" in text)
    shared = prompts.parent.glob("*.py" if prompts.parent.name.startswith("_") else "_*.py")
    return [
        code,
        *shared,
        *prompts.parent.glob(f"_{code.stem}/*.py"),
        *importers,
        *(PACKAGE / "answering/toolkit").glob("*.py"),
    ]


@pytest.mark.parametrize("prompts", PROMPTS, ids=lambda path: path.name)
def test_every_prompts_file_belongs_to_a_file_of_code(prompts):
    assert code_beside(prompts) is not None


@pytest.mark.parametrize("prompts", PROMPTS, ids=lambda path: path.name)
def test_every_prompt_is_used_by_its_code(prompts):
    code = "\n".join(path.read_text(encoding="utf-8") for path in users_of(prompts))
    names = set(re.findall(r"""["']([a-z][a-z0-9_]*)["']""", code))
    prefixes = set(re.findall(r"""f["']([a-z][a-z0-9_]*_)\{[^}]+\}["']""", code))
    by_form = {f"{name}_{form}" for name in names for form in ("short", "label", "long")} if "of_form(" in code else set()
    unused = [
        name for name in tomllib.loads(prompts.read_text(encoding="utf-8"))
        if name not in names | by_form and not any(name.startswith(prefix) for prefix in prefixes)
    ]  # fmt: skip
    assert unused == []


@pytest.mark.parametrize("prompts", PROMPTS, ids=lambda path: path.name)
def test_every_prompt_can_be_filled_and_ends_without_white_space(prompts):
    for name, prompt in Prompts(prompts).items():
        assert prompt.name == f"{prompts.name.removesuffix('.prompts.toml')}.{name}"
        assert prompt.text == prompt.text.strip("\n")
        filled = prompt.fill(**dict.fromkeys(prompt.fields, "{question}"))
        assert filled.count("{question}") >= len(prompt.fields)
