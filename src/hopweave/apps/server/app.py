"""The application: every route behind one gate, and an OpenAPI document that says what may be sent and refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from hopweave.apps.server import explorer, refusals, reports
from hopweave.apps.server.gate import Gate
from hopweave.apps.server.routes import answers, chat, corpora, pages, state
from hopweave.apps.server.server_settings import ServerSettings
from hopweave.apps.server.service import Service
from hopweave.core.protocols import LanguageModel
from hopweave.run.settings import Settings, read_settings

_DESCRIPTION = """Answers questions that need several hops of evidence over your own corpora, each claim tied to the exact
words of a passage. Errors have one shape everywhere: `{"error": {"message", "type", "code", "param"}}`."""


def create_app(server: ServerSettings, settings: Settings | None = None, *, llm: LanguageModel | None = None) -> FastAPI:
    """The application, whose components are opened when it starts.

    Args:
        server: what it offers to whom.
        settings: of the components; those of the files and the environment if absent.
        llm: a language model to use instead of the one of the settings; it stays open when the server stops.

    Raises:
        HopweaveError: for invalid settings.
    """
    service = Service(server, settings or read_settings(), llm)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with service.started():
            yield

    # The framework's documentation pages load scripts from elsewhere, so they are off.
    app = FastAPI(
        title="hopweave",
        version=version("hopweave"),
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.service = service
    for family in (answers, corpora, pages, chat, state, explorer, reports):
        app.include_router(family.router)
    refusals.install(app)
    app.add_middleware(Gate, service=service)
    if server.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(server.cors),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],  # clients send many of their own, such as x-stainless-os; the origin is what is checked
            expose_headers=["Retry-After"],
        )
    return app
