"""Hub models run in this process with transformers: decoder-only, and encoder-decoder such as Flan-T5"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Literal

from hopweave.core.catalog import require
from hopweave.core.errors import MissingExtra, ModelError, SettingsError
from hopweave.core.files import digest_of, read_json, read_whole
from hopweave.core.protocols import OnText
from hopweave.core.types import Abilities, Message, Reply, Sampling
from hopweave.models.batching import Batcher
from hopweave.models.llms._forced import score
from hopweave.models.llms._generation import Call, Loaded, Row, generate, row_of
from hopweave.models.llms._parameter_counts import parameters_in
from hopweave.models.llms._servers import Level
from hopweave.models.llms._sizes import is_small_name
from hopweave.models.llms._thinking_budget import MAX_THINKING_TOKENS
from hopweave.models.weights import KNOWN_MODELS, is_hub_name, model_identity, model_path
from hopweave.models.weights.gguf import header_of, thinking_of
from hopweave.models.weights.known import SMALL_BELOW

NEEDS_EXTRA = "hf"

_DESCRIBING = (".json", ".jinja", ".model", ".txt")
_WEIGHTS = (".safetensors", ".bin")


@dataclass
class TransformersLocal:
    """A model from the hub or a folder, run by PyTorch in this process and loaded with the first reply.

    Concurrent calls are generated in one batch, off the event loop, each with its own sampling; those that arrive meanwhile
    form the next batch. A greedy reply does not depend on the rest of its batch, as far as padding and rounding allow. A
    cancelled call ends with the next token. Conversations use the tokenizer's chat template; if it has none, the turns are
    joined by blank lines. A GGUF file is first expanded to full precision (needs the packages `gguf` and `accelerate`);
    `llama_cpp` runs it directly, and faster.

    Raises:
        SettingsError: for an invalid limit.
    """

    model: Annotated[str, "a hub model, a folder, a .gguf file, or the name of a local model (hopweave models list)"]
    revision: Annotated[str | None, "hub branch, tag or commit; the newest by default"] = None
    chat: Annotated[Literal["auto", "no"], "auto uses the tokenizer's chat template, if it has one"] = "auto"
    context_tokens: Annotated[int | None, "maximum length of prompt and reply together; defaults to the model's own"] = None
    thinking: Annotated[Level, "how much a model that can think does so before it replies; auto leaves it to the model"] = (
        "auto"
    )
    max_thinking_tokens: Annotated[int, "maximum tokens of a model's thoughts, on top of those of its reply"] = (
        MAX_THINKING_TOKENS
    )
    is_small: Annotated[
        Literal["auto", "yes", "no"], "whether methods treat it as a small model; auto: below 4 billion parameters"
    ] = "auto"
    max_batch: Annotated[int, "maximum number of calls in a batch"] = 8
    dtype: Annotated[Literal["auto", "float32", "bfloat16", "float16"], "compute precision; auto uses that of the weights"] = (
        "auto"
    )
    device: Annotated[str | None, "device such as cpu or cuda; chosen automatically by default"] = None

    def __post_init__(self) -> None:
        for name in ("context_tokens", "max_thinking_tokens", "max_batch"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise SettingsError(f"{name} = {value} must be above 0")
        self._loaded: Loaded | None = None
        self._batcher: Batcher[Call, Reply] | None = None
        self._open: list[Call] = []
        self._scoring = threading.Lock()
        self._num_parameters_in_folder: int | None = None

    @property
    def identity(self) -> str:
        """The weights and how they are used: a hub model by name and revision, a GGUF file by its checksum.

        A folder is identified by a hash of its small files (configuration, tokenizer) and the names and sizes of its weights,
        not by its path: this is fast, but blind to weights modified without changing their size.

        Raises:
            SettingsError, DataError: for a GGUF file, as in `model_identity`.
        """
        options = (("dtype", self.dtype), ("chat", self.chat), ("thinking", self.thinking))
        how = "".join(f"+{name}={value}" for name, value in options if value != "auto")
        if self.max_thinking_tokens != MAX_THINKING_TOKENS:
            how += f"+max_thinking_tokens={self.max_thinking_tokens}"
        if self._is_gguf:
            return f"transformers:{model_identity(self.model)}{how}"
        folder = Path(self.model).expanduser()
        if folder.is_dir():
            return f"transformers:{folder.name}@{_fingerprint(folder)}{how}"
        return f"transformers:{self.model}@{self.revision or 'main'}{how}"

    @property
    def abilities(self) -> Abilities:
        """Prefill and log-probabilities, also of a given text. The context of a folder is known at once, others once loaded."""
        return Abilities(
            prefill=True,
            logprobs=True,
            scores=True,
            is_small=self._is_small(),
            context_tokens=self._known_context(),
            max_parallel=self.max_batch,
            loads_weights=True,
            json_schema=False,
        )

    async def open(self) -> None:
        """Loads the model; see `Opens.open`. Same errors as `reply`."""
        if self._loaded is None:
            self._loaded = await asyncio.to_thread(self._load)

    async def reply(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None) -> Reply:
        """Replies once; see `LanguageModel.reply`. The first reply loads the model.

        Raises:
            MissingExtra: without `transformers` and `torch`.
            SettingsError: if the model cannot be loaded.
            ModelError: if the prompt is too long for the model, or it fails.
        """
        call = Call(tuple(messages), sampling, _shown_in_loop(on_text))
        if self._batcher is None:
            self._batcher = Batcher(self._replies, "transformers")
        self._open.append(call)
        try:
            [reply] = await self._batcher.ask([call])
        except asyncio.CancelledError:
            call.is_cancelled = True
            raise
        finally:
            self._open.remove(call)
        return reply

    async def score_text(self, prompt: str, text: str) -> Reply:
        """Reports how likely a given text is; see `TextScorer.score_text`. Texts are scored one at a time.

        Raises:
            MissingExtra: without `transformers` and `torch`.
            SettingsError: if the model cannot be loaded.
            ModelError: if prompt and text are too long for the model, or it fails.
        """
        await self.open()
        if self._loaded is None:
            raise ModelError(f"{self.model} was closed while it was asked", retryable=True)
        loaded = self._loaded

        def scored() -> Reply:
            with self._scoring:
                return score(loaded, prompt, text)

        return await asyncio.to_thread(scored)

    async def close(self) -> None:
        """Stops generation and releases the model."""
        for call in self._open:
            call.is_cancelled = True
        batcher, self._batcher = self._batcher, None
        if batcher is not None:
            await batcher.close()
        self._loaded = None

    def _replies(self, calls: Sequence[Call]) -> list[Any]:
        """A reply for each call; a call that cannot be made gets its error, which is raised only to its own caller."""
        if self._loaded is None:
            self._loaded = self._load()
        rows: list[Row | ModelError] = [_row_or_error(self._loaded, call) for call in calls]
        ready = sorted((row for row in rows if isinstance(row, Row)), key=lambda row: (len(row.prefill), len(row.prompt)))
        for _, alike in groupby(ready, key=lambda row: len(row.prefill)):
            group = list(alike)
            for first in range(0, len(group), self.max_batch):
                batch = [row for row in group[first : first + self.max_batch] if not row.is_done]
                if batch:
                    generate(batch)
        return [_reply_or_error(row) if isinstance(row, Row) else row for row in rows]

    @property
    def _is_gguf(self) -> bool:
        return self.model in KNOWN_MODELS or is_hub_name(self.model) or self.model.endswith(".gguf")

    def _is_small(self) -> bool:
        """Whether it has few parameters: by its weights if they are in a folder or a GGUF file, else by its name."""
        if self.is_small != "auto":
            return self.is_small == "yes"
        count = self._num_parameters()
        return count < SMALL_BELOW * 1e9 if count is not None else is_small_name(self.model)

    def _num_parameters(self) -> float | None:
        if self._is_gguf:
            try:
                return header_of(self.model).num_parameters
            except SettingsError:  # an invalid name, which the first reply reports
                return None
        if self._num_parameters_in_folder is None:
            self._num_parameters_in_folder = parameters_in(Path(self.model).expanduser()) or 0
        return self._num_parameters_in_folder or None

    def _known_context(self) -> int | None:
        if self.context_tokens is not None or self._loaded is not None:
            return self.context_tokens or (self._loaded.context_tokens if self._loaded else None)
        try:
            config = read_json(read_whole(Path(self.model).expanduser() / "config.json"))
        except (OSError, ValueError):
            return None
        return config.get("max_position_embeddings") or (config.get("n_positions") if config.get("n_embd") else None)

    def _load(self) -> Loaded:
        library, torch = require("transformers", "hf"), require("torch", "hf")
        try:
            tokenizer, config, model = self._fetched(library)
        except ImportError as error:
            raise MissingExtra(error.name or "a library that this model needs", NEEDS_EXTRA) from error
        except (OSError, ValueError, KeyError) as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise SettingsError(
                f"cannot load the model {self.model!r}: {reason}; name a folder with its files, or a model of a hub that can "
                "be reached"
            ) from error
        own = model.generation_config
        eos = _ids(own.eos_token_id) | _ids(tokenizer.eos_token_id)
        model.generation_config = library.GenerationConfig(
            bos_token_id=own.bos_token_id,
            eos_token_id=sorted(eos) or None,
            decoder_start_token_id=_decoder_start(own, tokenizer) if config.is_encoder_decoder else None,
            forced_bos_token_id=own.forced_bos_token_id,
        )
        context = self.context_tokens or getattr(config.get_text_config(), "max_position_embeddings", None)
        is_chat = self.chat == "auto" and tokenizer.chat_template is not None
        device = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
        thinking = thinking_of(_template(tokenizer)) if is_chat and not config.is_encoder_decoder else "no"
        return Loaded(
            self.model,
            model.to(device).eval(),
            tokenizer,
            context,
            eos,
            is_chat,
            thinking=thinking,
            level=self.thinking,
            max_thinking_tokens=self.max_thinking_tokens,
        )

    def _fetched(self, library: Any) -> tuple[Any, Any, Any]:
        """Tokenizer, configuration and model: from disk if they were downloaded before, else from the hub."""
        place = self._place()

        def load(**more: Any) -> tuple[Any, Any, Any]:
            tokenizer = library.AutoTokenizer.from_pretrained(**place, **more)
            config = library.AutoConfig.from_pretrained(**place, **more)
            kind = library.AutoModelForSeq2SeqLM if config.is_encoder_decoder else library.AutoModelForCausalLM
            return tokenizer, config, kind.from_pretrained(**place, **more, dtype=self.dtype)

        try:
            return load(local_files_only=True)
        except (OSError, ValueError):
            if self._is_gguf or Path(self.model).expanduser().exists():
                raise
        # If the hub cannot be reached, this reports it after the retries for a single file.
        library.AutoConfig.from_pretrained(**place)
        return load()

    def _place(self) -> dict[str, Any]:
        """The arguments with which `from_pretrained` finds the model."""
        if not self._is_gguf:
            return {"pretrained_model_name_or_path": self.model, "revision": self.revision or "main"}
        path = model_path(self.model)
        if not path.is_file():
            raise SettingsError(f"{path} is not on this machine; fetch it with: hopweave models fetch {self.model}")
        for package in ("gguf", "accelerate"):
            if importlib.util.find_spec(package) is None:
                raise SettingsError(f"a GGUF file needs {package}: pip install gguf accelerate; or run it with llm = llama_cpp")
        return {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}


def _shown_in_loop(on_text: OnText | None) -> OnText | None:
    """The listener, callable from another thread."""
    if on_text is None:
        return None
    loop = asyncio.get_running_loop()

    def show(piece: str) -> None:
        loop.call_soon_threadsafe(on_text, piece)

    return show


def _row_or_error(loaded: Loaded, call: Call) -> Row | ModelError:
    try:
        return row_of(loaded, call)
    except ModelError as error:
        return error


def _reply_or_error(row: Row) -> Reply | ModelError:
    try:
        return row.reply()
    except ModelError as error:
        return error


def _template(tokenizer: Any) -> str:
    """The chat template, or all of them if there are several."""
    template = tokenizer.chat_template
    return "\n".join(map(str, template.values())) if isinstance(template, dict) else str(template)


def _ids(given: int | Sequence[int] | None) -> frozenset[int]:
    if given is None:
        return frozenset()
    return frozenset([given] if isinstance(given, int) else given)


def _decoder_start(own: Any, tokenizer: Any) -> int:
    """The token with which the decoder starts."""
    known = (own.decoder_start_token_id, own.bos_token_id, tokenizer.pad_token_id, 0)
    return int(next(token for token in known if token is not None))


def _fingerprint(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in _WEIGHTS:
            digest.update(f"{path.name}:{path.stat().st_size};".encode())
        elif path.suffix in _DESCRIBING:
            digest.update(path.name.encode() + b":" + digest_of(path).digest())
    return digest.hexdigest()[:16]
