"""Any OpenAI-compatible endpoint: OpenAI, Azure, vLLM, Ollama, llama.cpp and others."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Any, Literal
from weakref import WeakKeyDictionary

from hopweave.core.catalog import entries
from hopweave.core.errors import HopweaveError, SettingsError
from hopweave.core.protocols import OnText
from hopweave.core.redaction import public, public_address
from hopweave.core.types import Abilities, Message, Reply, Sampling
from hopweave.models.llms._address import Address, Wire, is_loopback, server_at
from hopweave.models.llms._endpoint import NO_KEY, Endpoint
from hopweave.models.llms._learnt import Learnt, Memory
from hopweave.models.llms._probing import find_abilities, find_server
from hopweave.models.llms._scoring import PATH, read_scores, scoring_body
from hopweave.models.llms._servers import KINDS, Level, Server
from hopweave.models.llms._sizes import is_small_name

Switch = Literal["auto", "yes", "no"]

MAX_THINKING_TOKENS = 8192
"""The default of `max_thinking_tokens`."""

_PLACEHOLDER = "your-resource"
"""Part of the host of a preset address that has to be completed."""


@dataclass
class OpenAICompatible:
    """A language model behind an OpenAI-compatible endpoint.

    Proxies come from the environment (`HTTPS_PROXY`, `NO_PROXY`), and trusted certificates from `SSL_CERT_FILE`, if set.
    For Azure the address may contain the version, as in `https://NAME.openai.azure.com/openai/deployments/NAME?api-version=DATE`.

    Raises:
        SettingsError: for an invalid address or limit.
    """

    model: Annotated[str, "name of the model at the endpoint"]
    base_url: Annotated[str, "address of the endpoint, up to and including /v1"] = "https://api.openai.com/v1"
    api_key_env: Annotated[str, "name of the environment variable that holds the key"] = "OPENAI_API_KEY"
    endpoint: Annotated[Literal["chat", "completion"], "completion is for models without a chat template"] = "chat"
    server: Annotated[Literal["auto"] | Server, "server type; auto infers it from the address, or asks the server once"] = (
        "auto"
    )
    thinking: Annotated[Level, "how much the model thinks before it replies; auto leaves it to the endpoint"] = "auto"
    max_thinking_tokens: Annotated[
        int, "maximum tokens of a model's thoughts, on top of those of its reply; 0 for none on top"
    ] = MAX_THINKING_TOKENS
    stream: Annotated[bool, "stream replies even if nobody is watching"] = False
    timeout_seconds: Annotated[float, "for a whole call; between chunks, when streaming"] = 120.0
    stream_seconds: Annotated[float, "for a whole streamed reply"] = 1200.0
    connect_timeout_seconds: Annotated[float, "for opening a connection"] = 5.0
    max_connections: Annotated[int, "maximum number of concurrent calls"] = 64
    prefill: Annotated[Switch, "whether it continues a final assistant turn"] = "auto"
    logprobs: Annotated[Switch, "whether it reports log-probabilities of tokens"] = "auto"
    json_schema: Annotated[Switch, "whether it constrains a reply to a JSON schema"] = "auto"
    samples: Annotated[Switch, "whether it draws several replies in one request"] = "auto"
    scores: Annotated[Switch, "whether it reports log-probabilities of a given text; yes for the llama-cpp-python server"] = (
        "auto"
    )
    tools: Annotated[Switch, "whether it calls tools"] = "auto"
    is_small: Annotated[Switch, "whether methods treat it as a small model; auto infers it from the name"] = "auto"
    max_tokens_field: Annotated[
        Literal["auto", "max_tokens", "max_completion_tokens"], "name of the limit on new tokens, which OpenAI renamed"
    ] = "auto"
    context_tokens: Annotated[int | None, "the model's context length, if known"] = None
    extra_body: Annotated[Mapping[str, Any], "extra fields for every request"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._address = Address.of(self.base_url)
        for name in ("timeout_seconds", "stream_seconds", "connect_timeout_seconds", "max_connections"):
            if getattr(self, name) <= 0:
                raise SettingsError(f"{name} = {getattr(self, name)} must be above 0")
        if self.max_thinking_tokens < 0:
            raise SettingsError(f"max_thinking_tokens = {self.max_thinking_tokens} must be at least 0")
        self.settings_name = "llms.openai_compatible"
        self._endpoint: Endpoint | None = None
        self._probed: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self._is_probed = False
        self._of_address, self._of_model = Memory(self._address.key), Memory(f"{self._address.key}:{self.model}")
        self._server: Server = self._known_server()
        self._abilities = self._known_abilities()
        self._identity = self._own_identity()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self.model!r}, base_url={public_address(self.base_url)!r})"

    @property
    def identity(self) -> str:
        """The address, the model, and everything else that affects its replies."""
        return self._identity

    @property
    def abilities(self) -> Abilities:
        """As known for the server, unless an option overrides them; see `probe`."""
        if self._abilities.tools and self.tools == "auto" and "tools" in self._of_model.known.refused:
            return replace(self._abilities, tools=False)
        return self._abilities

    async def probe(self) -> None:
        """Asks a server of unknown type what it is, once, and Ollama what the model can do; see `Probes.probe`.

        What they say is kept for some days. If they do not say it, or not in time, `abilities` stay as they are.
        """
        if self._is_probed:
            return
        async with self._probed.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            if not self._is_probed:
                await self._ask_what_it_is()
                self._is_probed = True

    async def open(self) -> None:
        """Sets up the client; see `Opens.open`. The endpoint is not called. Same errors as `reply`."""
        await self._opened().open()

    async def reply(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None) -> Reply:
        """Replies once; see `LanguageModel.reply`.

        Raises:
            SettingsError: if there is no key, and the endpoint needs one or a variable is named for it.
            ModelError: with `retryable` set if a retry can help.
        """
        return await self._opened().reply(messages, sampling, on_text, is_streamed=self.stream or on_text is not None)

    async def replies(self, messages: Sequence[Message], sampling: Sampling, num: int) -> list[Reply]:
        """Draws several replies in one request; see `ManyReplies.replies`. They are not streamed.

        Raises:
            SettingsError: if there is no key, and the endpoint needs one or a variable is named for it.
            ModelError: with `retryable` set if a retry can help; also if the endpoint returns fewer.
        """
        return await self._opened().replies(messages, sampling, num)

    async def score_text(self, prompt: str, text: str) -> Reply:
        """Reports how likely a given text is; see `TextScorer.score_text`.

        Raises:
            SettingsError: if there is no key, and the endpoint needs one or a variable is named for it.
            ModelError: with `retryable` set if a retry can help; also if the endpoint cannot score a given text.
        """
        body = scoring_body(self.model, prompt, text, self.extra_body)
        came_back = await self.post(PATH, body)
        return read_scores(came_back, text, public_address(self.base_url), self.settings_name)

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The JSON response to a body that requests something other than replies, such as vectors of texts.

        Raises:
            SettingsError: if there is no key, and the endpoint needs one or a variable is named for it.
            ModelError: with `retryable` set if a retry can help.
        """
        return await self._opened().post(path, body)

    async def close(self) -> None:
        """Closes the connections."""
        if self._endpoint is not None:
            await self._endpoint.close()

    def _own_identity(self) -> str:
        at = self._address
        name = f"{self.endpoint}:{at.key}:{self.model}"
        if self.extra_body:
            extra = json.dumps(public(dict(self.extra_body), "extra_body"), sort_keys=True)
            name += f"+{hashlib.sha256(extra.encode()).hexdigest()[:12]}"
        if self.thinking != "auto":
            name += f"+thinking={self.thinking}"
        if self.max_thinking_tokens != MAX_THINKING_TOKENS:
            name += f"+max_thinking_tokens={self.max_thinking_tokens}"
        return name

    def _known_server(self) -> Server:
        if self.server != "auto":
            return self.server
        server = server_at(self.base_url)
        return server if server != "other" else self._of_address.known.server or "other"

    async def _ask_what_it_is(self) -> None:
        try:
            endpoint = self._opened()
            await endpoint.open()
        except HopweaveError:  # which the first call raises again
            return
        if self.server == "auto" and server_at(self.base_url) == "other" and not self._of_address.is_fresh:
            found = await find_server(endpoint)
            if found is not None:
                self._of_address.learn(Learnt(server=found))
        self._server = self._known_server()
        if self._server == "ollama" and self._of_model.known.has_tools is None:
            found_abilities = await find_abilities(endpoint)
            if found_abilities != Learnt():
                self._of_model.learn(found_abilities)
        self._abilities = self._known_abilities()
        endpoint.wire = replace(self._wire(), secrets=endpoint.wire.secrets)

    def _known_abilities(self) -> Abilities:
        kind, is_chat = KINDS[self._server], self.endpoint == "chat"
        has_tools = self._of_model.known.has_tools if self._server == "ollama" else None
        return Abilities(
            prefill=_decided(self.prefill, kind.prefill or not is_chat),
            logprobs=_decided(self.logprobs, kind.logprobs),
            json_schema=_decided(self.json_schema, kind.json_schema and (is_chat or self._server != "openai")),
            samples=_decided(self.samples, kind.samples),
            scores=_decided(self.scores, kind.scores),
            tools=is_chat and _decided(self.tools, kind.tools if has_tools is None else has_tools),
            is_small=_decided(self.is_small, is_small_name(self.model)),
            context_tokens=self.context_tokens,
            max_parallel=self.max_connections,
        )

    def _opened(self) -> Endpoint:
        if self._endpoint is None:
            self._endpoint = Endpoint(
                self._wire(),
                self._find_key,
                timeout_seconds=self.timeout_seconds,
                connect_timeout_seconds=self.connect_timeout_seconds,
                max_connections=self.max_connections,
                stream_seconds=self.stream_seconds,
            )
        return self._endpoint

    def _wire(self) -> Wire:
        if _PLACEHOLDER in self._address.host:
            raise SettingsError(
                f"{public_address(self.base_url)} only shows what an address looks like; give your own: "
                f"--set {self.settings_name}.base_url=ADDRESS"
            )
        kind = KINDS[self._server]
        usual_limit = kind.limit if self.endpoint == "chat" else "max_tokens"
        start = f"start the server there (such as with: {kind.start})" if kind.start else "start the server there"
        return Wire(
            model=self.model,
            base_url=self.base_url,
            endpoint=self.endpoint,
            server=self._server,
            prefill=self._abilities.prefill,
            json_schema=self._abilities.json_schema,
            tools=self._abilities.tools,
            thinking=self.thinking,
            max_thinking_tokens=self.max_thinking_tokens,
            context_tokens=self.context_tokens,
            max_tokens_field=self.max_tokens_field if self.max_tokens_field != "auto" else usual_limit,
            key_variable=self.api_key_env,
            settings_name=self.settings_name,
            advice=f"{start}, or point elsewhere with --set {self.settings_name}.base_url=ADDRESS",
            extra_body=self.extra_body,
            is_remembered=True,
        )

    def _find_key(self) -> str:
        key = os.environ.get(self.api_key_env, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise SettingsError(
                f"the key in the environment variable {self.api_key_env} contains characters that no key has; copy it again"
            )
        if key:
            return key
        if is_loopback(self.base_url):
            if self.api_key_env in _usual_variables():
                return NO_KEY
            raise SettingsError(
                f"the environment variable {self.api_key_env}, which {self.settings_name}.api_key_env names, is not set: "
                "put the key into it, or leave api_key_env out if the server needs none"
            )
        raise SettingsError(
            f"{public_address(self.base_url)} needs a key: put it in the environment variable {self.api_key_env} (any word, "
            f"if the server needs none), or name another variable with --set {self.settings_name}.api_key_env=NAME"
        )


@cache
def _usual_variables() -> frozenset[str]:
    """The variables that nobody has to name: those of the presets, of which a server on this machine needs none."""
    presets = (one.preset for one in entries("llms").values())
    return frozenset({OpenAICompatible.api_key_env, *(preset["api_key_env"] for preset in presets if preset)})


def _decided(switch: Switch, default: bool) -> bool:  # noqa: FBT001 - the default of the switch next to it
    return default if switch == "auto" else switch == "yes"
