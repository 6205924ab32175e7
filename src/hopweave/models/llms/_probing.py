"""Asks an endpoint what kind of server it is, and what its model can do, where the address does not say.

A listing of the models tells most servers apart: each names itself there as the owner, or in a header. Ollama is also asked for
its version, and for what a model can do. Everything is asked at the address itself, next to which Ollama has its own protocol.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from hopweave.core.errors import HopweaveError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.models.llms._endpoint import Endpoint
from hopweave.models.llms._json import MALFORMED
from hopweave.models.llms._learnt import Learnt
from hopweave.models.llms._servers import KINDS, Server

PROBE_SECONDS = 2.0
"""How long all questions together may take: a probe must not delay the first call."""

_MAX_LISTED = 1000
_VERSION = lazy_pattern(r"/v\d+[a-z0-9]*$")
_CREATED_IN_LITELLM = 1677610602  # in every listing of its proxy


async def find_server(endpoint: Endpoint) -> Server | None:
    """The kind of server at an endpoint; `None` if it does not tell, or not in time. Nothing is raised."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            return await _listed(endpoint) or await _ollama(endpoint)
    except (TimeoutError, HopweaveError, *MALFORMED):
        return None


async def find_abilities(endpoint: Endpoint) -> Learnt:
    """What Ollama says that a model can do; nothing if it does not tell, or not in time. Nothing is raised."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            told, _ = await endpoint.look(_own_url(endpoint, "/api/show"), {"model": endpoint.wire.model})
            able = {one for one in told["capabilities"] if isinstance(one, str)}
    except (TimeoutError, HopweaveError, *MALFORMED):
        return Learnt()
    thinks = frozenset({"on"}) if "thinking" in able else frozenset()
    return Learnt(has_tools="tools" in able, thinks=thinks)


async def _listed(endpoint: Endpoint) -> Server | None:
    try:
        listing, headers = await endpoint.look(endpoint.address.url("/models"))
    except HopweaveError:  # there may be no listing, but a protocol of its own
        return None
    if headers.get("server", "").lower() == "llama.cpp":
        return "llama.cpp"
    if any(name.lower().startswith("x-litellm") for name in headers):
        return "litellm"
    models = listing.get("data") if isinstance(listing, dict) else None
    return _kind_of([one for one in models[:_MAX_LISTED] if isinstance(one, dict)]) if isinstance(models, list) else None


def _kind_of(models: list[Mapping[str, Any]]) -> Server | None:
    owners = {str(one.get("owned_by", "")).lower() for one in models}
    for name, kind in KINDS.items():
        if owners & set(kind.owned_by):
            return name
    if owners == {"openai"} and all(one.get("created") == _CREATED_IN_LITELLM for one in models):
        return "litellm"
    return None


async def _ollama(endpoint: Endpoint) -> Server | None:
    """Ollama lists models of users under the names of their owners. It is asked only where no key would go along."""
    if endpoint.has_key:
        return None
    told, _ = await endpoint.look(_own_url(endpoint, "/api/version"))
    return "ollama" if isinstance(told, dict) and isinstance(told.get("version"), str) else None


def _own_url(endpoint: Endpoint, path: str) -> str:
    """The URL of a path of Ollama's own protocol, which begins where the address has its version."""
    address = endpoint.address
    return address.url(path, path_before=_VERSION.sub("", address.path))
