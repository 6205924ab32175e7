"""A client of OpenAI-compatible endpoints at a server that follows a script."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from support.scripted_server import Behaviour, ScriptedServer

from hopweave.models.llms.openai_compatible import OpenAICompatible


@asynccontextmanager
async def served(*script: Any, **options: Any) -> AsyncIterator[tuple[OpenAICompatible, ScriptedServer]]:
    """A model and its server while the `async with` lasts.

    Args:
        script: what the server does with each request, or one function that decides; "ok" by default.
        options: of the model.
    """
    given = script[0] if len(script) == 1 and callable(script[0]) else script or (Behaviour(),)
    async with ScriptedServer(given) as server:
        llm = OpenAICompatible(**{"model": "m", "base_url": server.base_url, **options})
        try:
            yield llm, server
        finally:
            await llm.close()
