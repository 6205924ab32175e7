"""Any OpenAI-compatible endpoint: OpenAI, Azure, vLLM, Ollama, llama.cpp and others."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from hopweave.core.errors import SettingsError
from hopweave.core.protocols import OnText
from hopweave.core.redaction import public, public_address
from hopweave.core.types import Abilities, Message, Reply, Sampling
from hopweave.models.llms._address import Address, Server, Wire, is_loopback, server_at
from hopweave.models.llms._endpoint import NO_KEY, Endpoint
from hopweave.models.llms._scoring import PATH, read_scores, scoring_body

Switch = Literal["auto", "yes", "no"]

_HOW_TO_START: Mapping[Server, str] = {
    "ollama": "ollama serve",
    "vllm": "vllm serve MODEL",
    "llama.cpp": "llama-server -m FILE",
}

# Whether a server continues a final assistant turn, reports log-probabilities, constrains a reply to a schema, and draws
# several replies in one request.
_ABLE: Mapping[Server, tuple[bool, bool, bool, bool]] = {
    "openai": (False, True, True, True),
    "vllm": (True, True, True, True),
    "llama.cpp": (True, True, True, False),
    "ollama": (False, False, True, False),
    "other": (False, False, False, False),
}
_SCORES: frozenset[Server] = frozenset({"vllm"})
"""Servers that report log-probabilities of a given text."""


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
    server: Annotated[
        Literal["auto", "openai", "vllm", "llama.cpp", "ollama", "other"],
        "server type; auto infers it from the address",
    ] = "auto"
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
        self.settings_name = "llms.openai_compatible"
        self._server: Server = server_at(self.base_url) if self.server == "auto" else self.server
        self._key: str | None = None
        self._endpoint: Endpoint | None = None
        self._abilities = self._known_abilities()
        self._identity = self._own_identity()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self.model!r}, base_url={public_address(self.base_url)!r})"

    def use_key(self, key: str) -> OpenAICompatible:
        """Takes a key from the program itself. It is not a setting: it is not shown, saved or compared."""
        self._key = key
        return self

    @property
    def identity(self) -> str:
        """The address, the model, and everything else that affects its replies."""
        return self._identity

    @property
    def abilities(self) -> Abilities:
        """As known for the server, unless an option overrides them."""
        return self._abilities

    async def open(self) -> None:
        """Sets up the client; see `Opens.open`. The endpoint is not called. Same errors as `reply`."""
        await self._opened().open()

    async def reply(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None) -> Reply:
        """Replies once; see `LanguageModel.reply`.

        Raises:
            SettingsError: if the endpoint needs a key and there is none.
            ModelError: with `retryable` set if a retry can help.
        """
        return await self._opened().reply(messages, sampling, on_text, is_streamed=self.stream or on_text is not None)

    async def replies(self, messages: Sequence[Message], sampling: Sampling, num: int) -> list[Reply]:
        """Draws several replies in one request; see `ManyReplies.replies`. They are not streamed.

        Raises:
            SettingsError: if the endpoint needs a key and there is none.
            ModelError: with `retryable` set if a retry can help; also if the endpoint returns fewer.
        """
        return await self._opened().replies(messages, sampling, num)

    async def score_text(self, prompt: str, text: str) -> Reply:
        """Reports how likely a given text is; see `TextScorer.score_text`.

        Raises:
            SettingsError: if the endpoint needs a key and there is none.
            ModelError: with `retryable` set if a retry can help; also if the endpoint cannot score a given text.
        """
        body = scoring_body(self.model, prompt, text, self.extra_body)
        came_back = await self.post(PATH, body)
        return read_scores(came_back, text, public_address(self.base_url), self.settings_name)

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The JSON response to a body that requests something other than replies, such as vectors of texts.

        Raises:
            SettingsError: if the endpoint needs a key and there is none.
            ModelError: with `retryable` set if a retry can help.
        """
        return await self._opened().post(path, body)

    async def close(self) -> None:
        """Closes the connections."""
        if self._endpoint is not None:
            await self._endpoint.close()

    def _own_identity(self) -> str:
        at = self._address
        name = f"{self.endpoint}:{at.scheme}://{at.place}{at.path}:{self.model}"
        if not self.extra_body:
            return name
        extra = json.dumps(public(dict(self.extra_body), "extra_body"), sort_keys=True)
        return f"{name}+{hashlib.sha256(extra.encode()).hexdigest()[:12]}"

    def _known_abilities(self) -> Abilities:
        prefill, logprobs, json_schema, samples = _ABLE[self._server]
        is_chat = self.endpoint == "chat"
        return Abilities(
            prefill=_decided(self.prefill, prefill or not is_chat),
            logprobs=_decided(self.logprobs, logprobs),
            json_schema=_decided(self.json_schema, json_schema and (is_chat or self._server != "openai")),
            samples=_decided(self.samples, samples),
            scores=_decided(self.scores, self._server in _SCORES),
            context_tokens=self.context_tokens,
            max_parallel=self.max_connections,
        )

    def _opened(self) -> Endpoint:
        if self._endpoint is None:
            self._endpoint = self._new_endpoint()
        return self._endpoint

    def _new_endpoint(self) -> Endpoint:
        is_openai_chat = self._server == "openai" and self.endpoint == "chat"
        usual_limit = "max_completion_tokens" if is_openai_chat else "max_tokens"
        start = f"start the server there (such as with: {_HOW_TO_START[self._server]})" if self._server in _HOW_TO_START else ""
        wire = Wire(
            model=self.model,
            base_url=self.base_url,
            endpoint=self.endpoint,
            server=self._server,
            prefill=self.abilities.prefill,
            json_schema=self.abilities.json_schema,
            max_tokens_field=self.max_tokens_field if self.max_tokens_field != "auto" else usual_limit,
            key_variable=self.api_key_env,
            settings_name=self.settings_name,
            advice=f"{start or 'start the server there'}, or point elsewhere with --set {self.settings_name}.base_url=ADDRESS",
            extra_body=self.extra_body,
        )
        return Endpoint(
            wire,
            self._find_key,
            timeout_seconds=self.timeout_seconds,
            connect_timeout_seconds=self.connect_timeout_seconds,
            max_connections=self.max_connections,
            stream_seconds=self.stream_seconds,
        )

    def _find_key(self) -> str:
        key = (self._key or os.environ.get(self.api_key_env) or "").strip()
        if not (key.isascii() and key.isprintable()):
            raise SettingsError(
                f"the key in the environment variable {self.api_key_env} contains characters that no key has; copy it again"
            )
        if key:
            return key
        if is_loopback(self.base_url):
            return NO_KEY
        raise SettingsError(
            f"{public_address(self.base_url)} needs a key: put it in the environment variable {self.api_key_env} (any word, "
            f"if the server needs none), or name another variable with --set {self.settings_name}.api_key_env=NAME"
        )


def _decided(switch: Switch, default: bool) -> bool:  # noqa: FBT001 - the default of the switch next to it
    return default if switch == "auto" else switch == "yes"
