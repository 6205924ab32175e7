"""The embedded model: a GGUF file run on this machine by llama.cpp, with nothing to start or configure."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from platform import machine
from typing import Annotated, Any, Literal

from hopweave.core.characters import encodable
from hopweave.core.cores import num_usable_cores
from hopweave.core.errors import MissingExtra, ModelError, SettingsError
from hopweave.core.files import OnProgress
from hopweave.core.protocols import OnText
from hopweave.core.types import Abilities, Message, Reply, Sampling
from hopweave.models.llms import _llama_server
from hopweave.models.llms._address import Wire
from hopweave.models.llms._endpoint import Endpoint
from hopweave.models.llms._learnt import Learnt
from hopweave.models.llms._prompt_heads import PromptHeads, unsaved_heads
from hopweave.models.llms._servers import Level
from hopweave.models.llms._sizes import is_small_name
from hopweave.models.llms._thinking_budget import MAX_THINKING_TOKENS, thinking_budget
from hopweave.models.weights import DEFAULT_MODEL, how_to_get, model_identity, model_path, parts_beside
from hopweave.models.weights.gguf import Header, header_of
from hopweave.models.weights.known import SMALL_BELOW, Thinking
from hopweave.models.weights.memory import advice_on_memory, bytes_needed, default_context, free_bytes
from hopweave.models.weights.prompt_states import PromptStates, folder_of, states_folder

NEEDS_EXTRA = "local"

Switch = Literal["auto", "yes", "no"]

_ADVICE = "HOPWEAVE_DEBUG=1 shows what llama.cpp says"
_IF_KILLED = f"with too little memory, a smaller context_tokens helps; {_ADVICE}"
_KILLED = frozenset(-number for name in ("SIGKILL", "SIGTERM") if (number := getattr(signal, name, 0)))
"""Exit codes of a process that was ended from outside, as a system without memory does; on Windows there are none."""
_START_SECONDS = 300.0
_CONNECT_SECONDS = 10.0
_COUNT_SECONDS = 60.0
_MOST_SILENCES = 6  # a whole reply may take this many times the longest silence
_LAST_BREATH_SECONDS = 0.1  # between the loss of a connection and the end of the process that held it
# llama.cpp truncates every distribution by default; replies must be sampled only as `Sampling` says.
_PLAIN_SAMPLING = {"top_k": 0, "min_p": 0.0}
# Between two operations a thread spins for some microseconds before it sleeps. If each wait were a sleep, a token would take a
# quarter longer; with OpenMP's own, longer spin a process that waits for prompts would keep the cores busy.
_WAITING = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "1000"}
_CLOSED_AT_ONCE = 1  # tokens of thoughts; to llama.cpp, 0 is no limit


@dataclass
class LlamaCpp:
    """A model file run by llama.cpp in a separate process, started with the first reply.

    Calls are served one at a time: several slots would share the context and lose the prefix cache, which saves more than
    parallelism does on a few cores.

    Raises:
        SettingsError: for an invalid limit.
    """

    model: Annotated[
        str, "name of a local model (see: hopweave models list), a file on the hub (hf:OWNER/REPO/FILE.gguf), or a path to one"
    ] = DEFAULT_MODEL
    context_tokens: Annotated[
        int | None, "maximum length of prompt, thoughts and reply together; by default 8192, or 16384 for larger models"
    ] = None
    thinking: Annotated[Level, "how much a model that can think does so before it replies; auto leaves it to the model"] = (
        "auto"
    )
    max_thinking_tokens: Annotated[int, "maximum tokens of a model's thoughts, on top of those of its reply"] = (
        MAX_THINKING_TOKENS
    )
    is_small: Annotated[Switch, "whether methods treat it as a small model; auto: below 4 billion parameters"] = "auto"
    tools: Annotated[Switch, "whether it calls tools; auto: if it is not small, and its chat template has a place for them"] = (
        "auto"
    )
    checks_memory: Annotated[bool, "refuse a model that does not fit into the free memory"] = True
    num_threads: Annotated[int | None, "compute threads; by default one per available core"] = None
    cache_ram_mib: Annotated[int, "memory for prefixes of earlier prompts, in MiB; 0 disables the cache"] = 2048
    cache_disk_mib: Annotated[
        int, "space in the cache folder for what was computed for the fixed beginnings of prompts, in MiB; 0 saves nothing"
    ] = 1024
    timeout_seconds: Annotated[float, "longest silence: while reading the prompt, or between two chunks of a reply"] = 600.0

    def __post_init__(self) -> None:
        for name in ("context_tokens", "max_thinking_tokens", "num_threads", "timeout_seconds"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise SettingsError(f"{name} = {value} must be above 0")
        self._server: _Server | None = None
        self._header: Header | None = None
        self._turns: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = weakref.WeakKeyDictionary()

    @property
    def identity(self) -> str:
        """The checksum of the weights, and how much they think if that is set; the default model's file is not needed.

        Raises:
            SettingsError: for an unknown model.
            DataError: for a file that cannot be read.
        """
        how = "" if self.thinking == "auto" else f"+thinking={self.thinking}"
        if self.max_thinking_tokens != MAX_THINKING_TOKENS:
            how += f"+max_thinking_tokens={self.max_thinking_tokens}"
        return f"{model_identity(self.model)}{how}"

    @property
    def abilities(self) -> Abilities:
        """All of them, one call at a time; the context is what prompt and reply have left if the model thinks."""
        is_small = self._is_small
        takes_tools = self._facts.takes_tools and not is_small
        return Abilities(
            prefill=True,
            logprobs=True,
            json_schema=True,
            tools=takes_tools if self.tools == "auto" else self.tools == "yes",
            is_small=is_small,
            context_tokens=self._context_tokens - (self._max_thinking_tokens if self._may_think else 0),
            max_parallel=1,
            loads_weights=True,
        )

    @property
    def _facts(self) -> Header:
        """What is known of the model; nothing if its file is not here, or says nothing."""
        if self._header is None:
            try:
                header = header_of(self.model)
            except SettingsError:  # an unknown name, which the first reply reports
                return Header()
            if header == Header():
                return header
            self._header = header
        return self._header

    @property
    def _is_small(self) -> bool:
        if self.is_small != "auto":
            return self.is_small == "yes"
        billions = self._billions
        return billions < SMALL_BELOW if billions is not None else is_small_name(Path(self.model).name)

    @property
    def _billions(self) -> float | None:
        count = self._facts.num_parameters
        return None if count is None else count / 1e9

    @property
    def _context_tokens(self) -> int:
        return self.context_tokens or default_context(self._billions, self._facts.context_tokens)

    @property
    def _max_thinking_tokens(self) -> int:
        """At most half of the context, so that a prompt fits as well."""
        return min(self.max_thinking_tokens, self._context_tokens // 2)

    @property
    def _may_think(self) -> bool:
        return self._facts.thinking != "no" and self.thinking != "off"

    async def open(self) -> None:
        """Starts the server; see `Opens.open`. Same errors as `reply`."""
        async with self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            await self._running()

    async def reply(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None) -> Reply:
        """Replies once; see `LanguageModel.reply`. The first reply starts the server.

        Raises:
            MissingExtra: if xllamacpp is not installed.
            SettingsError: if the model file is not on this machine.
            ModelError: if it cannot be loaded, or as in `LanguageModel.reply`.
        """
        turn = self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())
        async with turn:
            server = await self._running()
            endpoint = server.without_thoughts if sampling.thinking == "off" else server.endpoint
            num_computed = await server.heads.prepare(messages, partial(endpoint.templated, sampling=sampling))
            try:
                # Always streamed: when a connection closes, llama.cpp ends a streamed reply at once, others 5 s later.
                reply = await endpoint.reply(messages, sampling, on_text, is_streamed=True)
            except ModelError as error:
                if error.retryable:
                    await asyncio.sleep(_LAST_BREATH_SECONDS)
                raise self._explained(error, server) from None
        usage = reply.usage
        return replace(reply, usage=replace(usage, cached_tokens=max(0, usage.cached_tokens - num_computed)))

    async def count_tokens(self, text: str) -> int:
        """The number of tokens in a text, by llama.cpp's tokenizer, even during a reply. The first count starts the server.

        Raises:
            MissingExtra: if xllamacpp is not installed.
            SettingsError: if the model file is not on this machine.
            ModelError: if the model cannot be loaded, or the process ends.
        """
        server = self._server
        if server is None or not (server.is_ready and server.is_alive):
            async with self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
                server = await self._running()
        body = {"content": encodable(text), "add_special": False}
        try:
            return len((await server.endpoint.fetch(f"{server.address}/tokenize", body, _COUNT_SECONDS))["tokens"])
        except (ModelError, TypeError, KeyError) as error:
            raise ModelError(f"llama.cpp cannot count tokens ({error}); {_ADVICE}", retryable=True) from error

    async def save_beginnings(self, beginnings: Sequence[Sequence[Message]], on_progress: OnProgress) -> None:
        """Saves what prompts begin with, as the first reply to each would; does nothing if it is saved, or is not to be.

        Args:
            beginnings: the turns before the last one of the user in each prompt.
            on_progress: called with how many are done, and how many there are to do, if any.

        Raises:
            MissingExtra, SettingsError, ModelError: as in `reply`; also if they cannot be saved.
        """
        states = self._states
        if not states.max_bytes:
            return
        self._check_library()
        heads = unsaved_heads(states, self._conditions, beginnings)
        if not heads:
            return
        on_progress(0, len(heads))
        async with self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            server = await self._running()
            for number, head in enumerate(heads, start=1):
                await server.heads.prepare(head, partial(server.endpoint.templated, sampling=Sampling()))
                on_progress(number, len(heads))
        if unsaved_heads(states, self._conditions, beginnings):
            advice = "check its space and permissions, and raise cache_disk_mib if it is too low"
            raise ModelError(f"not all could be computed and saved in {states.folder}; {advice}")

    async def close(self) -> None:
        """Stops the server, and with it whatever it is doing."""
        server, self._server = self._server, None
        if server is not None:
            server.stop()
            if server.is_ready:
                await server.endpoint.close()
                await server.without_thoughts.close()

    async def _running(self) -> _Server:
        if self._server is not None and not self._server.is_alive:
            await self.close()
        if self._server is None:
            self._server = _Server(self._options())
        server = self._server
        if not server.is_ready:
            try:
                address = await asyncio.to_thread(server.wait_until_ready)
            except _TooLarge as error:
                server.stop()
                self._server = None
                raise SettingsError(self._too_large(error.num_bytes_elsewhere)) from None
            except (asyncio.CancelledError, ModelError):
                server.stop()
                self._server = None
                raise
            server.address = address
            server.endpoint = self._endpoint_at(address, server.key, self.thinking)
            server.without_thoughts = self._without_thoughts(server)
            server.heads = self._heads_of(server)
            server.is_ready = True
        return server

    def _heads_of(self, server: _Server) -> PromptHeads:
        async def post(path: str, body: Mapping[str, object]) -> Any:
            return await server.endpoint.fetch(f"{server.address}{path}", body, self.timeout_seconds)

        return PromptHeads(self._states, self._conditions, post, keeps_prompts=self.cache_ram_mib > 0)

    @property
    def _conditions(self) -> Sequence[object]:
        return [version("hopweave"), version("xllamacpp"), machine(), self._context_tokens]

    @property
    def _states(self) -> PromptStates:
        max_bytes = max(0, self.cache_disk_mib) << 20
        return PromptStates(folder_of(model_identity(self.model)) if max_bytes else states_folder(), max_bytes)

    def _check_library(self) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingExtra("xllamacpp", NEEDS_EXTRA)

    def _options(self) -> dict[str, object]:
        self._check_library()
        path = model_path(self.model)
        missing = [part for part in parts_beside(path) if not part.is_file()]
        if missing:
            raise SettingsError(f"{missing[0]} is not on this machine; {how_to_get(self.model)}")
        return {
            "path": str(path),
            "context_tokens": self._context_tokens,
            "num_threads": self.num_threads or num_usable_cores(),
            "cache_ram_mib": self.cache_ram_mib,
            "states_folder": self._states.made_folder(),
            "is_talkative": bool(os.environ.get("HOPWEAVE_DEBUG")),
            "num_bytes_elsewhere": self._num_bytes_elsewhere() if self.checks_memory else 0,
        }

    def _num_bytes_elsewhere(self) -> int:
        """How much of the weights and the context does not fit into the free memory, so that a GPU has to hold it."""
        free = free_bytes()
        return 0 if free is None else max(0, self._num_bytes + self._facts.cache_bytes_per_token * self._context_tokens - free)

    @property
    def _num_bytes(self) -> int:
        return sum(part.stat().st_size for part in parts_beside(model_path(self.model)))

    def _too_large(self, num_bytes_elsewhere: int) -> str:
        per_token = self._facts.cache_bytes_per_token
        needed = bytes_needed(self._num_bytes, per_token, self._context_tokens)
        advice = advice_on_memory(self._num_bytes, per_token, self._context_tokens, num_bytes_elsewhere)
        return (
            f"{self.model} needs about {needed / 1e9:.1f} GB of memory, {num_bytes_elsewhere / 1e9:.1f} GB more than is free; "
            f"{advice} (to load it all the same: --set llms.llama_cpp.checks_memory=no)"
        )

    def _endpoint_at(self, address: str, key: str, thinking: Level) -> Endpoint:
        wire = Wire(
            model=self.model,
            base_url=f"{address}/v1",
            server="llama.cpp",
            prefill=True,
            tools=self.abilities.tools,
            thinking=thinking,
            max_thinking_tokens=self._max_thinking_tokens,
            context_tokens=self._context_tokens,
            settings_name="llms.llama_cpp",
            seconds_option="timeout_seconds",
            advice=_ADVICE,
            advice_if_too_long=f"ask for fewer or shorter passages, or raise context_tokens (now {self._context_tokens})",
            extra_body=_PLAIN_SAMPLING | self._thinking_limit(thinking),
        )
        return Endpoint(
            wire,
            lambda: key,
            timeout_seconds=self.timeout_seconds,
            connect_timeout_seconds=_CONNECT_SECONDS,
            max_connections=1,
            stream_seconds=_MOST_SILENCES * self.timeout_seconds,
            known=_known(self._facts.thinking),
        )

    def _without_thoughts(self, server: _Server) -> Endpoint:
        """What to ask in steps that need no thought: the same, unless thoughts can only be cut short."""
        if self._facts.thinking != "always" or self.thinking == "off":
            return server.endpoint
        return self._endpoint_at(server.address, server.key, "off")

    def _thinking_limit(self, thinking: Level) -> dict[str, int]:
        """The field with which llama.cpp closes thoughts that get too long, so that a reply follows."""
        budget = thinking_budget(self._facts.thinking, thinking, self._max_thinking_tokens)
        if not budget and self._facts.thinking != "always":
            return {}
        return {"thinking_budget_tokens": budget or _CLOSED_AT_ONCE}

    def _explained(self, error: ModelError, server: _Server) -> ModelError:
        if server.is_alive:
            return error
        said = f"the embedded llama.cpp stopped in the middle of a reply (exit code {server.exit_code})"
        return ModelError(f"{said}; {_IF_KILLED}", retryable=True)


class _TooLarge(Exception):
    """The model needs more memory than there is; `num_bytes_elsewhere` is how much more."""

    def __init__(self, num_bytes_elsewhere: int) -> None:
        super().__init__(num_bytes_elsewhere)
        self.num_bytes_elsewhere = num_bytes_elsewhere


class _Server:
    """The process that runs the model.

    Attributes:
        address: where it listens.
        endpoint: calls it.
        without_thoughts: calls it in steps that need no thought.
        heads: the fixed beginnings of prompts that it holds.
    """

    address: str
    endpoint: Endpoint
    without_thoughts: Endpoint
    heads: PromptHeads

    def __init__(self, options: dict[str, object]) -> None:
        self.key = secrets.token_urlsafe(32)
        self.is_ready = False
        self._path = options["path"]
        self._process = subprocess.Popen(  # noqa: S603 - this Python, and a file of ours
            [sys.executable, "-P", _llama_server.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if options["is_talkative"] else subprocess.DEVNULL,
            env={**_WAITING, **os.environ},
            text=True,
            encoding="utf-8",
        )
        self._finalizer = weakref.finalize(self, _end, self._process)
        self._tell({**options, "key": self.key})

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        return self._process.poll()

    def stop(self) -> None:
        """Ends the process; the system reclaims its memory."""
        self._finalizer()

    def wait_until_ready(self) -> str:
        """Blocks until the model is loaded; returns the server's address.

        Raises:
            ModelError: if it cannot be loaded.
            _TooLarge: if there is too little memory for it.
        """
        is_too_slow = threading.Event()

        def give_up() -> None:
            is_too_slow.set()
            self.stop()

        watchdog = threading.Timer(_START_SECONDS, give_up)
        watchdog.daemon = True
        watchdog.start()
        try:
            answer = self._answer()
        finally:
            watchdog.cancel()
        if "num_bytes_elsewhere" in answer:
            raise _TooLarge(int(answer["num_bytes_elsewhere"]))
        if "address" not in answer:
            exit_code = None if "error" in answer else self._process.wait()
            if exit_code in _KILLED and not is_too_slow.is_set():
                said = f"llama.cpp was killed while it loaded {self._path} (exit code {exit_code})"
                raise ModelError(f"{said}; {_IF_KILLED}", retryable=True)
            said = answer.get("error") or f"exit code {exit_code}"
            advice = "is it damaged, too new, or too large for the memory? HOPWEAVE_DEBUG=1 shows what llama.cpp says"
            raise ModelError(f"llama.cpp cannot load {self._path} ({said}); {advice}")
        return str(answer["address"])

    def _tell(self, options: dict[str, object]) -> None:
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        self._process.stdin.write(json.dumps(options) + "\n")
        self._process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101 - a pipe was asked for
        try:
            answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        except ValueError:  # it ended without output, or was killed
            return {}
        return answer


def _known(thinking: Thinking) -> Learnt:
    """What the chat template says about when a model thinks."""
    if thinking == "no":
        return Learnt()
    if thinking == "effort":  # it has levels, of which the lowest stands for none
        return Learnt(thinks=frozenset({"on", "off"}))
    return Learnt(thinks=frozenset({"on"}), is_quiet_when_off=True)


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
