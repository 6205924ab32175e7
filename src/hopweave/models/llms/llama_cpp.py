"""The embedded model: a GGUF file run on this machine by llama.cpp, with nothing to start or configure."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import secrets
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from hopweave.core.errors import MissingExtra, ModelError, SettingsError
from hopweave.core.protocols import OnText
from hopweave.core.types import Abilities, Message, Reply, Sampling
from hopweave.models.llms import _llama_server
from hopweave.models.llms._address import Wire
from hopweave.models.llms._endpoint import Endpoint
from hopweave.models.weights import DEFAULT_MODEL, KNOWN_MODELS, model_identity, model_path

NEEDS_EXTRA = "local"

_ADVICE = "HOPWEAVE_DEBUG=1 shows what llama.cpp says"
_START_SECONDS = 300.0
_CONNECT_SECONDS = 10.0
_COUNT_SECONDS = 60.0
_MOST_SILENCES = 6  # a whole reply may take this many times the longest silence
_LAST_BREATH_SECONDS = 0.1  # between the loss of a connection and the end of the process that held it
# llama.cpp truncates every distribution by default; replies must be sampled only as `Sampling` says.
_PLAIN_SAMPLING = {"top_k": 0, "min_p": 0.0}


@dataclass
class LlamaCpp:
    """A model file run by llama.cpp in a separate process, started with the first reply.

    Calls are served one at a time: several slots would share the context and lose the prefix cache, which saves more than
    parallelism does on a few cores.

    Raises:
        SettingsError: for an invalid limit.
    """

    model: Annotated[str, "name of a local model (see: hopweave models list), or path to a .gguf file"] = DEFAULT_MODEL
    context_tokens: Annotated[int, "maximum length of prompt and reply together, in tokens"] = 8192
    num_threads: Annotated[int | None, "compute threads; by default one per available core"] = None
    cache_ram_mib: Annotated[int, "memory for prefixes of earlier prompts, in MiB; 0 disables the cache"] = 2048
    timeout_seconds: Annotated[float, "longest silence: while reading the prompt, or between two chunks of a reply"] = 600.0

    def __post_init__(self) -> None:
        for name in ("context_tokens", "num_threads", "timeout_seconds"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise SettingsError(f"{name} = {value} must be above 0")
        self._server: _Server | None = None
        self._turns: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = weakref.WeakKeyDictionary()

    @property
    def identity(self) -> str:
        """The checksum of the weights; for a built-in model, the file is not needed.

        Raises:
            SettingsError: for an unknown model.
            DataError: for a file that cannot be read.
        """
        return model_identity(self.model)

    @property
    def abilities(self) -> Abilities:
        """All of them, one call at a time."""
        return Abilities(prefill=True, logprobs=True, json_schema=True, context_tokens=self.context_tokens, max_parallel=1)

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
            try:
                # Always streamed: when a connection closes, llama.cpp ends a streamed reply at once, others 5 s later.
                return await server.endpoint.reply(messages, sampling, on_text, is_streamed=True)
            except ModelError as error:
                if error.retryable:
                    await asyncio.sleep(_LAST_BREATH_SECONDS)
                raise self._explained(error, server) from None

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
        whole = text.encode("utf-8", "replace").decode()  # an unpaired surrogate is not valid JSON for the server
        body = {"content": whole, "add_special": False}
        try:
            return len((await server.endpoint.fetch(f"{server.address}/tokenize", body, _COUNT_SECONDS))["tokens"])
        except (ModelError, TypeError, KeyError) as error:
            raise ModelError(f"llama.cpp cannot count tokens ({error}); {_ADVICE}", retryable=True) from error

    async def close(self) -> None:
        """Stops the server, and with it whatever it is doing."""
        server, self._server = self._server, None
        if server is not None:
            server.stop()
            if server.is_ready:
                await server.endpoint.close()

    async def _running(self) -> _Server:
        if self._server is None or not self._server.is_alive:
            self._server = _Server(self._options())
        server = self._server
        if not server.is_ready:
            try:
                address = await asyncio.to_thread(server.wait_until_ready)
            except (asyncio.CancelledError, ModelError):
                server.stop()
                self._server = None
                raise
            server.address = address
            server.endpoint = self._endpoint_at(address, server.key)
            server.is_ready = True
        return server

    def _options(self) -> dict[str, object]:
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingExtra("xllamacpp", NEEDS_EXTRA)
        path = model_path(self.model)
        if not path.is_file():
            raise SettingsError(f"{path} is not on this machine; {_how_to_get(self.model)}")
        return {
            "path": str(path),
            "context_tokens": self.context_tokens,
            "num_threads": self.num_threads or num_usable_cores(),
            "cache_ram_mib": self.cache_ram_mib,
            "is_talkative": bool(os.environ.get("HOPWEAVE_DEBUG")),
        }

    def _endpoint_at(self, address: str, key: str) -> Endpoint:
        wire = Wire(
            model=self.model,
            base_url=f"{address}/v1",
            server="llama.cpp",
            prefill=True,
            advice=_ADVICE,
            advice_if_too_long=f"ask for fewer or shorter passages, or raise context_tokens (now {self.context_tokens})",
            extra_body=_PLAIN_SAMPLING,
        )
        return Endpoint(
            wire,
            lambda: key,
            timeout_seconds=self.timeout_seconds,
            connect_timeout_seconds=_CONNECT_SECONDS,
            max_connections=1,
            stream_seconds=_MOST_SILENCES * self.timeout_seconds,
        )

    def _explained(self, error: ModelError, server: _Server) -> ModelError:
        if server.is_alive:
            return error
        said = f"the embedded llama.cpp stopped in the middle of a reply (exit code {server.exit_code})"
        advice = "with too little memory, a smaller context_tokens helps; HOPWEAVE_DEBUG=1 shows what llama.cpp says"
        return ModelError(f"{said}; {advice}", retryable=True)


class _Server:
    """The process that runs the model."""

    address: str
    endpoint: Endpoint

    def __init__(self, options: dict[str, object]) -> None:
        self.key = secrets.token_urlsafe(32)
        self.is_ready = False
        self._path = options["path"]
        self._process = subprocess.Popen(  # noqa: S603 - this Python, and a file of ours
            [sys.executable, "-P", _llama_server.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if options["is_talkative"] else subprocess.DEVNULL,
            env={**os.environ, "OMP_WAIT_POLICY": "passive"},
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
        """
        watchdog = threading.Timer(_START_SECONDS, self.stop)
        watchdog.daemon = True
        watchdog.start()
        try:
            answer = self._answer()
        finally:
            watchdog.cancel()
        if "address" not in answer:
            said = answer.get("error") or f"exit code {self._process.wait()}"
            advice = "is it damaged, too new, or too large for the memory? HOPWEAVE_DEBUG=1 shows what llama.cpp says"
            raise ModelError(f"llama.cpp cannot load {self._path} ({said}); {advice}")
        return answer["address"]

    def _tell(self, options: dict[str, object]) -> None:
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        self._process.stdin.write(json.dumps(options) + "\n")
        self._process.stdin.flush()

    def _answer(self) -> dict[str, str]:
        assert self._process.stdout is not None  # noqa: S101 - a pipe was asked for
        try:
            answer: dict[str, str] = json.loads(self._process.stdout.readline())
        except ValueError:  # it ended without output, or was killed
            return {}
        return answer


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def num_usable_cores() -> int:
    """Cores that this process may use: more threads slow it down badly, and a core's second hardware thread adds nothing."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(usable, _num_physical_cores() or usable, _num_granted_cores() or usable))


def _num_physical_cores() -> int | None:
    siblings = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list")
    return len({_text(file) for file in siblings}) or None


def _num_granted_cores() -> int | None:
    """The number of cores in a container's quota."""
    quota, _, period = _text(Path("/sys/fs/cgroup/cpu.max")).partition(" ")
    return max(1, int(quota) // int(period)) if quota.isdigit() and period.strip().isdigit() else None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _how_to_get(model: str) -> str:
    fetch = f"fetch it with: hopweave models fetch {model}" if model in KNOWN_MODELS else "check the path"
    return f"{fetch}; or use any OpenAI-compatible endpoint: --llm openai_compatible (see: hopweave models fetch --help)"
