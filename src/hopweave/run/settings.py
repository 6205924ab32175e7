"""Settings: the default profile < a chosen profile < hopweave.toml < the environment < flags. An unknown key is an error.

The keys are the fields of `Settings`. A component is chosen by name (`llm = "llama_cpp"`); its options, which are the fields of
its class, go under its role and name (`[llms.llama_cpp]`). A component in the user's own file is given by path
(`method = "./mine.py:Picky"`), and its options go under the name of its class (`[methods.Picky]`). Secrets are never settings:
an option such as `api_key_env` names the environment variable that holds one. Settings found in a folder (`hopweave.toml` in
the working directory, the plan of a run) may set where questions and keys are sent, and which files are run as code, only if
the user trusts them; see `hopweave.run.trust`.

An environment variable is a key in capitals after `HOPWEAVE_`, with two underscores for each dot. There and in `--set`, a value
is parsed as TOML if possible (`[1, 2]`, `{max_llm_calls = 3}`), else taken as text. Empty variables are ignored.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from platformdirs import user_cache_path
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
)

from hopweave.core.building import build, check_names, explained
from hopweave.core.catalog import Role, entries, entry, full_name, key_of, lacking, load
from hopweave.core.errors import MissingExtra, SettingsError, suggest
from hopweave.core.indexing import OnServer
from hopweave.core.part_files import allow, part_file
from hopweave.core.postgres_connection import place_of
from hopweave.core.redaction import FOREIGN, public
from hopweave.core.retries import Retries
from hopweave.core.types import Sampling
from hopweave.core.visibility import OPTION, Visible
from hopweave.run.budget import Budget
from hopweave.run.nested_settings import merged, nested, value_of
from hopweave.run.settings_files import Layer, read_profile, user_file
from hopweave.run.store.store import Mode
from hopweave.run.trust import SELECTED, Found, check_trust, named_files

ENVIRONMENT_PREFIX = "HOPWEAVE_"
MAX_SEARCH_WORKERS = 256
NOT_SETTINGS = {"HOPWEAVE_MODELS", "HOPWEAVE_DEBUG", "HOPWEAVE_SERVER_KEYS"}

Options = dict[str, dict[str, Any]]


class StoreSettings(BaseModel):
    """Where replies are kept and how the store is used.

    Attributes:
        path: a file, or the address of a PostgreSQL database.
        mode: `on`; `off`, which neither reads nor keeps replies; or `replay`, which answers from stored replies alone.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Path | str = Field(default_factory=lambda: user_cache_path("hopweave") / "store.sqlite")
    mode: Mode = "on"

    @field_validator("path", mode="before")
    @classmethod
    def _place(cls, given: Any) -> Any:
        return place_of(given) if isinstance(given, str) else given


class Settings(BaseModel):
    """All settings of a run.

    Attributes:
        profile: the settings that these are laid over: a file of `hopweave/profiles`, or the path of one.
        method: how to answer: a name that `hopweave list` lists, or the path of the user's own file, such as
            `./mine.py:Picky`; likewise for those that follow.
        llm: the language model.
        retriever: what finds passages.
        reader: what extracts answers from passages.
        duplicate_detector: what decides whether a query was asked before.
        corpus: an index folder built by `hopweave index`, or `starter` for the corpus that comes with the package.
        access: the access labels that the user holds; a passage with labels is shown only to users who hold one of them.
        where: the values of metadata to filter by, by key; of several for a key, one is enough.
        require_support: return an answer only if a passage supports it, and otherwise say what was found.
        check: how answers are checked: without a call (`free`), or with up to two more (`more`), which may cost the tick and
            are signals of the confidence; see `hopweave.run.answer_check`.
        calibration: what the confidence of answers is computed with: a file that `hopweave calibrate` wrote; `auto` for what
            comes with the package for the model, if anything does; or `off`.
        min_confidence: return an answer only if its confidence is as high, 0 to 1, and otherwise say what was found.
        whole_corpus: who answers questions about the documents as a whole: search, without a model (`listing`), or the method;
            see `hopweave.run.whole_corpus`. Runs of `hopweave evaluate` always ask the method.
        search_workers: how many processes may search for this one, as far as the retriever allows it: 0 to 256, or as many as
            there are cores (`auto`). They are only started once searches wait for one another.
        budget, sampling, retries, store: see the classes of those names.
        methods, llms, retrievers, readers, duplicate_detectors: options of components, by name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)

    profile: str = "default"
    method: str
    llm: str
    retriever: str
    reader: str
    duplicate_detector: str
    corpus: str
    access: tuple[str, ...] = ()
    where: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    require_support: bool = False
    check: Literal["free", "more"] = "free"
    calibration: str = "auto"
    min_confidence: Annotated[float, Field(ge=0, le=1)] = 0.0
    whole_corpus: Literal["listing", "method"] = "listing"
    search_workers: int | Literal["auto"] = "auto"
    budget: dict[str, Any] = Field(default_factory=dict)
    sampling: dict[str, Any] = Field(default_factory=dict)
    retries: dict[str, Any] = Field(default_factory=dict)
    store: StoreSettings = Field(default_factory=StoreSettings)
    methods: Options = Field(default_factory=dict)
    llms: Options = Field(default_factory=dict)
    retrievers: Options = Field(default_factory=dict)
    readers: Options = Field(default_factory=dict)
    duplicate_detectors: Options = Field(default_factory=dict)

    @field_validator("access", mode="before")
    @classmethod
    def _labels(cls, given: Any) -> Any:
        return Visible(access=given).access

    @field_validator("where", mode="before")
    @classmethod
    def _wanted(cls, given: Any) -> Any:
        return dict(Visible(where=given).where)

    @field_validator("search_workers", mode="before")
    @classmethod
    def _number_of_workers(cls, given: Any) -> Any:
        if given != "auto" and not (type(given) is int and 0 <= given <= MAX_SEARCH_WORKERS):
            raise ValueError(f"must be a number from 0 to {MAX_SEARCH_WORKERS}, or 'auto'")
        return given

    def part(self, role: Role, name: str, **more: Any) -> Any:
        """Creates a component with its options.

        Args:
            role: which folder.
            name: which file in it, or the path of the user's own file.
            more: options that apply unless the settings override them, and only if the component has them.

        Raises:
            SettingsError: for an unknown name or option, or an invalid value.
            MissingExtra: if a library that the component needs is not installed.
        """
        part = load(role, name)
        given: Options = getattr(self, role)
        key = key_of(role, name)
        preset = entry(role, name).preset
        if role == "methods":  # for a method that has others answer
            more = {"method_options": {other: options for other, options in given.items() if other != key}} | more
        if isinstance(part, type) and dataclasses.is_dataclass(part):
            known = {field.name for field in dataclasses.fields(part) if field.init}
            values = {key: value for key, value in more.items() if key in known} | {**preset, **given.get(key, {})}
            made: Any = build(part, values, f"{role}.{key}")
        elif given.get(key):
            raise SettingsError(f"{name!r} of the {role} takes no options, as it is not a dataclass; write @dataclass above it")
        else:
            made = _made_without_options(part, f"{name!r} of the {role}")
        if problem := lacking(role, made) if part_file(name) is not None else "":
            raise SettingsError(f"{key} in {name} {problem}")
        if preset:
            made.settings_name = f"{role}.{key}"  # for messages about its settings
        return made

    def with_changes(self, flags: Mapping[str, Any]) -> Settings:
        """These settings with the caller's flags applied over them.

        Raises:
            SettingsError: as in `read_settings`.
        """
        values = merged(self.model_dump(), flags)
        if "corpus" in flags and "retriever" not in flags and self.retriever == _usual_retriever(self.corpus):
            values["retriever"] = _usual_retriever(str(flags["corpus"]))
        return _checked(values)

    def make_budget(self) -> Budget:
        """The limits for each question.

        Raises:
            SettingsError: for an unknown key or an invalid value.
        """
        return build(Budget, self.budget, "budget")

    def make_sampling(self) -> Sampling:
        """The sampling that methods start from.

        Raises:
            SettingsError: for an unknown key or an invalid value.
        """
        sampling = build(Sampling, self.sampling, "sampling")
        if not 0 <= sampling.temperature < math.inf:
            raise SettingsError(f"sampling.temperature must be a number from 0 up, not {sampling.temperature}")
        if not 0 < sampling.top_p <= 1:
            raise SettingsError(f"sampling.top_p must be above 0 and at most 1, not {sampling.top_p}")
        if sampling.max_tokens < 1:
            raise SettingsError(f"sampling.max_tokens must be at least 1, not {sampling.max_tokens}")
        return sampling

    @property
    def visible(self) -> Visible:
        """The filter for passages that may be shown."""
        return Visible(self.access, self.where)

    def make_retries(self) -> Retries:
        """The retry policy.

        Raises:
            SettingsError: for an unknown key or an invalid value.
        """
        return build(Retries, self.retries, "retries")

    def public(self) -> dict[str, Any]:
        """The settings that affect the content of a record: without secrets, and without the location of the store
        and the number of search workers.

        `access` and `where` are left out if they are empty, and `whole_corpus` if it is "method", so that such records are the
        same as before these settings existed.
        """
        unsaid = {"access": (), "where": {}, "whole_corpus": "method"}
        keys = [key for key in type(self).model_fields if key not in ("store", "search_workers")]
        return {key: public(getattr(self, key), key) for key in keys if getattr(self, key) != unsaid.get(key)}


TABLES: Mapping[str, type[Any]] = {"budget": Budget, "sampling": Sampling, "retries": Retries, "store": StoreSettings}
"""The classes of those settings that are tables of further ones, except `where`, which `Visible` checks."""
_OF_COMPONENTS = frozenset(SELECTED.values())


def _made_without_options(part: Any, named: str) -> Any:
    try:
        return part()
    except TypeError as error:
        raise SettingsError(f"{named} cannot be made without arguments: {error}; write @dataclass above its class") from None


def read_settings(
    flags: Mapping[str, Any] | None = None,
    *,
    config: Path | None = None,
    plan: Found | None = None,
    files: Iterable[tuple[Role, str]] = (),
) -> Settings:
    """Reads the settings from all sources.

    Args:
        flags: keys and values from the command line or the caller; nested keys as nested mappings.
        config: a TOML file to read instead of `hopweave.toml` in the working directory or the user's configuration folder.
        plan: the settings in the plan of an existing run, which override the environment but not the flags.
        files: components in files that the user names elsewhere, whose options may be in the settings.

    Raises:
        SettingsError: for an unreadable file, an unknown key (with the closest one), an invalid value, one that the user must
            trust before a file may set it, or a component in a file that cannot be imported.
    """
    above = [Layer(plan.settings, str(plan.path), plan)] if plan is not None else []
    layers = _layers(user_file(config), [Layer(_environment()), *above], Layer(dict(flags or {})))
    of_files = [*files, *(named_files(plan.parts) if plan is not None else ())]
    values = _laid_over(layers)
    try:
        return _checked(values, of_files)
    except SettingsError as error:
        file = _file_of(error, layers, of_files)
        raise SettingsError(f"{file}: {error}" if file else str(error)) from None


def _checked(values: dict[str, Any], files: Iterable[tuple[Role, str]] = ()) -> Settings:
    """The settings from values that the user gave or trusts. Errors as in `read_settings`."""
    check_tables(values)
    of_files = [*files, *named_files(values)]
    for _, name in of_files:
        allow(name)
    values = values | {
        key: full_name(SELECTED[key], name) for key, name in values.items() if key in SELECTED and part_file(name)
    }
    try:
        settings = Settings(**values)
    except ValidationError as error:
        place = error.errors()[0]["loc"]
        limit = next((field.name for field in dataclasses.fields(Budget) if place == (field.name,)), "")
        if limit:
            raise SettingsError(f"settings.{limit} is not a setting; did you mean budget.{limit}?") from None
        raise SettingsError(explained(error, "settings", _keys_at(place))) from None
    for check in (settings.make_budget, settings.make_sampling, settings.make_retries):
        check()
    for name, options in settings.retrievers.items():
        if OPTION in options:
            raise SettingsError(f"retrievers.{name}.{OPTION} follows from access and where; set those instead")
    keys = {(role, key_of(role, name)) for role, name in of_files}
    for role in get_args(Role):
        for name, options in getattr(settings, role, {}).items():
            if (role, name) not in keys:
                _check_options(role, name, options)
    return settings


def _check_options(role: Role, name: str, options: Mapping[str, Any]) -> None:
    """Checks the names of a component's options, even if another one is chosen, so that nothing is ignored.

    Raises:
        SettingsError: for an unknown component or option.
    """
    if entry(role, name).is_foreign or not options:  # code of other packages is only run if the user chose it
        return
    with suppress(MissingExtra):  # its options are only known once its libraries are installed
        part = load(role, name)
        if isinstance(part, type) and dataclasses.is_dataclass(part):
            check_names(part, options, f"{role}.{name}")


def _layers(file: Layer, above: Sequence[Layer], given: Layer) -> list[Layer]:
    """All layers in order: the default profile, the chosen one, the file, the layers above it, and the explicit values.

    Raises:
        SettingsError: for a profile that there is not, or a value in the place of a table.
    """
    named = ((layer, layer.values.get("profile")) for layer in (given, *reversed(above), file))
    by, name = next(((layer, str(value)) for layer, value in named if value), (given, "default"))
    chosen = [read_profile(name, is_found=by.found is not None)] if name != "default" else []
    layers = [read_profile("default"), *chosen, file, *above, given, Layer({"profile": name})]
    for layer in layers:
        check_tables(layer.values, layer.file)
    return layers


def _laid_over(layers: Sequence[Layer]) -> dict[str, Any]:
    """The values of all layers, each over those before it.

    Raises:
        SettingsError: for anything that an untrusted file may not set.
    """
    strange = [layer for layer in layers if layer.is_strange]
    values = _merge(layers)
    if not any("retriever" in layer.values for layer in layers[1:]):
        values["retriever"] = _usual_retriever(str(values["corpus"]))
    if strange:
        found = [layer.found for layer in strange if layer.found is not None]
        check_trust(found, _merge(layer for layer in layers if layer not in strange), values)
    return values


def _file_of(error: SettingsError, layers: Sequence[Layer], files: Iterable[tuple[Role, str]]) -> str:
    """The file with the setting that an error is about, which does not occur without it; empty if it is in no file."""
    rest, named = list(layers), list(files)
    for layer in [layer for layer in reversed(layers) if layer.file]:
        rest = [other for other in rest if other is not layer]
        try:
            _checked(_laid_over(rest), named)  # which runs no code of a file that is not trusted
        except SettingsError as other:
            if str(other) == str(error):
                continue
        return layer.file
    return ""


def server_of(corpus: str) -> str:
    """The retriever that a corpus on a server names by its scheme, as in `postgres://`; empty for any other corpus.

    Raises:
        SettingsError: for a retriever of another package that cannot be imported.
    """
    scheme, sign, _ = corpus.partition("://")
    if not sign or scheme not in entries("retrievers"):
        return ""
    return scheme if isinstance(load("retrievers", scheme), OnServer) else ""


def _usual_retriever(corpus: str) -> str:
    """The retriever for a corpus if none is chosen: on a server, the server's own engine."""
    return server_of(corpus) or str(read_profile("default").values["retriever"])


def _merge(layers: Iterable[Layer]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for layer in layers:
        values = merged(values, layer.values)
    return values


def _environment() -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, text in sorted(os.environ.items()):
        if not name.startswith(ENVIRONMENT_PREFIX) or name in NOT_SETTINGS or not text:
            continue
        keys = name.removeprefix(ENVIRONMENT_PREFIX).lower().split("__")
        if keys[0] not in Settings.model_fields:
            raise SettingsError(f"the environment variable {name} is not a setting; {suggest(keys[0], Settings.model_fields)}")
        given = nested(keys, value_of(text))
        check_tables(given, f"the environment variable {name}")
        values = merged(values, given)
    return values


def check_tables(values: Mapping[str, Any], source: str = "") -> None:
    """Checks that no value stands in the place of a table, such as `budget`.

    Args:
        values: settings, nested by key.
        source: where they come from, for the message.

    Raises:
        SettingsError: for the first one that does.
    """
    for key in sorted((TABLES.keys() | _OF_COMPONENTS) & values.keys()):
        _check_table((key,), values[key], source)
        if key in _OF_COMPONENTS:
            for name, options in values[key].items():
                _check_table((key, name), options, source)


def _check_table(place: tuple[str, ...], value: Any, source: str = "") -> None:
    if isinstance(value, Mapping | StoreSettings):
        return
    key = ".".join(place)
    hint = "; did you mean store.path?" if key == "store" else ""
    said = f"{key} must be a table, such as [{key}], not {public(value, place[-1])!r}{hint}"
    raise SettingsError(f"{source}: {said}" if source else said)


def _keys_at(place: Sequence[int | str]) -> Iterable[str]:
    """The valid keys at the location of an error."""
    return StoreSettings.model_fields if len(place) > 1 and place[0] == "store" else Settings.model_fields


def without_secrets(key: str, value: Any) -> Any:
    """The value of a setting in a form that may be shown."""
    *above, name = key.split(".")
    return public(value, name, is_foreign=not FOREIGN.isdisjoint(above))
