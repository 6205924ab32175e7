"""Offer ask, search and read_passage over MCP."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.apps.cli._asking_options import AskingOptions
from hopweave.apps.cli._declared import with_options
from hopweave.apps.cli._options import named
from hopweave.apps.cli._terminal import say, unfiltered
from hopweave.core.catalog import require
from hopweave.core.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hopweave.run.settings import Settings

app = typer.Typer(add_completion=False)

_HOST = "127.0.0.1"
_END_SECONDS = 5


@app.command()
@with_options(AskingOptions, "corpus", "store", method="How to answer unless a client chooses a method.")
def mcp(
    corpora: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=INDEX", help="A corpus and its index; default: the corpus of the settings."),
    ] = None,
    *,
    http: Annotated[bool, typer.Option("--http", help="Listen for streamable HTTP on this machine instead of stdio.")] = False,
    port: Annotated[int, typer.Option(help="The port to listen at with --http.", min=1, max=65_535)] = 8765,
    asking: AskingOptions,
) -> None:
    """Serve as an MCP server, which a client starts by itself, or with --http at http://127.0.0.1:PORT/mcp.

    Clients see only the named corpora, and can choose only methods by name. docs/mcp.md has configurations for desktop clients.
    Over HTTP no key is needed, and only this machine is served; to serve others, use `hopweave serve`.
    """
    require("mcp", "mcp")
    settings = asking.settings()
    offered = named(corpora or []) or named([settings.corpus])
    settings = settings.model_copy(update={"corpus": next(iter(offered.values()))})
    try:
        asyncio.run(_listening(offered, settings, port) if http else _talking(offered, settings))
    except KeyboardInterrupt:
        say("stopped", err=True)


async def _talking(offered: Mapping[str, str], settings: Settings) -> None:
    """Serves the program at the other end of standard input and output until it closes them."""
    from hopweave.apps.mcp_server.tools import serving

    async with serving(offered, settings) as server:
        with unfiltered():
            await server.run_stdio_async()


async def _listening(offered: Mapping[str, str], settings: Settings, port: int) -> None:
    """Serves clients of the port until Ctrl-C."""
    import uvicorn

    from hopweave.apps.mcp_server.tools import serving

    async with serving(offered, settings) as server:
        app = server.streamable_http_app(host=_HOST)
        config = uvicorn.Config(
            app, host=_HOST, port=port, log_level="warning", timeout_graceful_shutdown=_END_SECONDS, log_config=None
        )
        listener = uvicorn.Server(config)
        say(f"hopweave offers {', '.join(offered)} to MCP clients at http://{_HOST}:{port}/mcp; Ctrl-C ends it", err=True)
        try:
            await listener.serve()
        except SystemExit:  # uvicorn's way to say that it cannot listen
            raise SettingsError(f"cannot listen at port {port}; choose another with --port") from None
