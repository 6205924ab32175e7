"""Settings: the default profile < a chosen profile < hopweave.toml < the environment < flags. An unknown key is an error.

The keys are the fields of `Settings`. Which part plays a role is said by name (`llm = "llama_cpp"`); the options of a part
stand under its role and name (`[llms.llama_cpp]`), and are the fields of its class. Secrets are never settings: an option
such as `api_key_env` names the environment variable that holds one.
"""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from platformdirs import user_cache_path, user_config_path
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from hopweave.catalog import Role, load
from hopweave.errors import SettingsError, suggest
from hopweave.store import Mode
from hopweave.types import Sampling
from hopweave.workbench import Budget, Retries

Part = TypeVar("Part")

_PREFIX = "HOPWEAVE_"
_NOT_SETTINGS = {"HOPWEAVE_MODELS", "HOPWEAVE_DEBUG"}
_SECRET = re.compile(r"(?:^|_)(?:api_?key|secret|password|authorization)$", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+@")

Options = dict[str, dict[str, Any]]


class StoreSettings(BaseModel):
    """Where replies are kept and how the store is used."""

    model_config = ConfigDict(extra="forbid")

    path: Path = Field(default_factory=lambda: user_cache_path("hopweave") / "store.sqlite")
    mode: Mode = "on"


class Settings(BaseSettings):
    """All settings of a run.

    Attributes:
        profile: a file of `hopweave/profiles`, or the path of one.
        method, llm, retriever, reader, duplicate_detector: names of parts; `hopweave names` lists them.
        corpus: an index folder made by `hopweave index`, or `starter` for the corpus that ships with the package.
        budget, sampling, retries, store: see the classes of those names.
        methods, llms, retrievers, readers, duplicate_detectors: options of parts, by name.
    """

    model_config = SettingsConfigDict(env_prefix=_PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `read_settings` has merged; it reads the environment itself, to set it between files and flags."""
        return (init_settings,)

    profile: str = "default"
    method: str
    llm: str
    retriever: str
    reader: str
    duplicate_detector: str
    corpus: str
    budget: dict[str, Any] = Field(default_factory=dict)
    sampling: dict[str, Any] = Field(default_factory=dict)
    retries: dict[str, Any] = Field(default_factory=dict)
    store: StoreSettings = Field(default_factory=StoreSettings)
    methods: Options = Field(default_factory=dict)
    llms: Options = Field(default_factory=dict)
    retrievers: Options = Field(default_factory=dict)
    readers: Options = Field(default_factory=dict)
    duplicate_detectors: Options = Field(default_factory=dict)

    def part(self, role: Role, name: str, **more: Any) -> Any:
        """Makes a part with its options.

        Args:
            role: which folder.
            name: which file.
            more: options that count where the settings do not say otherwise, and only if the part has them.

        Raises:
            SettingsError: for an unknown name or option, or a value that cannot be.
            MissingExtra: if a library that the part needs is not installed.
        """
        part = load(role, name)
        given: Options = getattr(self, role)
        known = {field.name for field in dataclasses.fields(part) if field.init}
        values = {key: value for key, value in more.items() if key in known} | given.get(name, {})
        return build(part, values, f"{role}.{name}")

    def make_budget(self) -> Budget:
        """The limits for one question."""
        return build(Budget, self.budget, "budget")

    def make_sampling(self) -> Sampling:
        """What methods start from."""
        return build(Sampling, self.sampling, "sampling")

    def make_retries(self) -> Retries:
        """How calls are tried again."""
        return build(Retries, self.retries, "retries")

    def public(self) -> dict[str, Any]:
        """The settings that touch the content of a record: without secrets, and without where replies are kept."""
        return {key: _without_secrets(value, key) for key, value in self.model_dump(mode="json", exclude={"store"}).items()}


def read_settings(flags: Mapping[str, Any] | None = None, *, config: Path | None = None) -> Settings:
    """Reads the settings from all sources.

    Args:
        flags: keys and values from the command line or the caller; nested keys as nested mappings.
        config: a TOML file to read instead of `hopweave.toml` in the working directory or the user's configuration folder.

    Raises:
        SettingsError: for a file that cannot be read, an unknown key (with the nearest one), or a value that cannot be.
    """
    given = dict(flags or {})
    _check_environment()
    from_file = _read_toml(config) if config is not None else _own_toml()
    profile = str(given.get("profile") or os.environ.get(f"{_PREFIX}PROFILE") or from_file.get("profile") or "default")
    layers = [_profile("default"), *([_profile(profile)] if profile != "default" else []), from_file]
    merged: dict[str, Any] = {"profile": profile}
    for layer in [*layers, EnvSettingsSource(Settings)(), given]:
        merged = _merged(merged, layer)
    try:
        return Settings(**merged)
    except ValidationError as error:
        raise SettingsError(_explained(error, "settings", Settings.model_fields)) from None


def build(part: type[Part], values: Mapping[str, Any], where: str) -> Part:
    """Makes a dataclass from plain values (strings are converted), or says which key is wrong and how.

    Raises:
        SettingsError: see above.
    """
    known = [field.name for field in dataclasses.fields(part) if field.init]  # type: ignore[arg-type]
    for key in values:
        if key not in known:
            raise SettingsError(f"{where} has no option {key!r}; {suggest(key, known)}")
    hints = get_type_hints(part)
    converted = {}
    for key, value in values.items():
        try:
            converted[key] = TypeAdapter(hints[key]).validate_python(value)
        except ValidationError as error:
            raise SettingsError(_explained(error, f"{where}.{key}", known)) from None
    try:
        return part(**converted)
    except TypeError as error:
        raise SettingsError(f"{where} cannot be made: {error}; set the option in the settings") from None


def assignments(pairs: Sequence[str]) -> dict[str, Any]:
    """Reads `--set a.b=c` flags: dots nest, and a value is TOML if it can be, else a string.

    Raises:
        SettingsError: for a flag without an equals sign.
    """
    flags: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip():
            raise SettingsError(f"--set wants key=value, not {pair!r}; for example: --set methods.searchain.theta=1.5")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text
        for part in reversed(key.strip().split(".")):
            value = {part: value}
        flags = _merged(flags, value)
    return flags


def _check_environment() -> None:
    for name in os.environ:
        if name.startswith(_PREFIX) and name not in _NOT_SETTINGS:
            key = name.removeprefix(_PREFIX).split("__")[0].lower()
            if key not in Settings.model_fields:
                raise SettingsError(f"the environment variable {name} is not a setting; {suggest(key, Settings.model_fields)}")


def _own_toml() -> dict[str, Any]:
    for path in (Path("hopweave.toml"), user_config_path("hopweave") / "hopweave.toml"):
        if path.is_file():
            return _read_toml(path)
    return {}


def _profile(name: str) -> dict[str, Any]:
    folder = Path(__file__).parent / "profiles"
    if name.endswith(".toml"):
        return _read_toml(Path(name))
    path = folder / f"{name}.toml"
    if not path.is_file():
        raise SettingsError(f"there is no profile {name!r}; {suggest(name, [p.stem for p in folder.glob('*.toml')])}")
    return _read_toml(path)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"cannot read the settings file {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"the settings file {path} is not TOML: {error}") from None


def _merged(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(lower)
    for key, value in upper.items():
        below = merged.get(key)
        merged[key] = _merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _explained(error: ValidationError, where: str, known: Any) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join([where, *(str(part) for part in first["loc"])])
    if first["type"] == "extra_forbidden":
        return f"{place} is not a setting; {suggest(str(first['loc'][-1]), known)}"
    return f"{place}: {first['msg']}, not {first.get('input')!r}"


def _without_secrets(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return {inner: _without_secrets(item, inner) for inner, item in value.items()}
    if isinstance(value, str):
        return "(left out)" if _SECRET.search(key) else _USER_INFO.sub("", value)
    return value
