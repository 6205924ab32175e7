"""Answer questions over HTTP, with an explorer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.apps.cli._asking_options import AskingOptions
from hopweave.apps.cli._declared import with_options
from hopweave.apps.cli._options import named
from hopweave.apps.cli._terminal import say
from hopweave.core.errors import MissingExtra

if TYPE_CHECKING:
    from hopweave.apps.server.service import Service

app = typer.Typer(add_completion=False)


Answers = Annotated[
    str,
    typer.Option(
        metavar="PLACE", help="Where answers are kept: a folder, or a database; default: answers, or the database of --store."
    ),
]
Runs = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=RUN", help="A run for the explorer; may be repeated. Only without keys."),
]
Cors = Annotated[
    list[str] | None, typer.Option(metavar="ORIGIN", help="Pages of this origin may call the server; may be repeated.")
]
Telemetry = Annotated[
    str, typer.Option(help="OpenTelemetry spans: times, or texts, which sends questions and passages, too.", metavar="WHAT")
]


@app.command()
@with_options(AskingOptions, "corpus", "where", method="How to answer unless a client chooses a method.")
def serve(
    corpora: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=INDEX", help="A corpus and its index; default: the starter corpus.")
    ] = None,
    *,
    server: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A TOML file of corpora, keys and limits (docs/server.md).")
    ] = None,
    asking: AskingOptions,
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Where to listen; default: 127.0.0.1, which only this machine can reach.")
    ] = "",
    port: Annotated[int | None, typer.Option(help="The port to listen at; default: 8000.", min=0, max=65_535)] = None,
    answers: Answers = "",
    run: Runs = None,
    cors: Cors = None,
    is_open: Annotated[bool, typer.Option("--open", help="Listen at a public address without keys.")] = False,
    new_key: Annotated[str, typer.Option(metavar="NAME", help="Print a new key, with its lines for --server, and end.")] = "",
    telemetry: Telemetry = "",
) -> None:
    """Answer questions over HTTP: /v1/answers, /v1/search, and OpenAI's /v1/chat/completions. Ctrl-C ends it.

    Without keys everyone who reaches the server may ask, so it listens only at a loopback address.
    """
    try:
        from hopweave.apps.server.app import create_app
        from hopweave.apps.server.listening import listen
        from hopweave.apps.server.server_settings import new_key as made_key
        from hopweave.apps.server.server_settings import read_server_settings
        from hopweave.core.postgres_connection import is_address
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "fastapi", "server") from None
    if new_key:
        _say_key(*made_key(new_key))
        return
    # Servers that share replies share answers, too, unless told otherwise.
    usual = {"answers": asking.store} if is_address(asking.store) else {}
    given = {
        "host": host,
        "port": port,
        "answers": answers,
        "cors": tuple(cors or ()),
        "telemetry": telemetry,
        "corpora": named(corpora or []),
        "runs": named(run or []),
    }
    offered = read_server_settings(server, given, usual=usual, is_open=is_open)
    made = create_app(offered, asking.settings(corpus=next(iter(offered.corpora.values()))))
    service: Service = made.state.service
    listen(made, lambda: say(_said(service), err=True))


def _say_key(key: str, lines: str) -> None:
    for line in (f"the key, which is shown this once: {key}", "", "for the file of --server:", "", *lines.splitlines()):
        say(line)


def _said(service: Service) -> str:
    from hopweave.core.redaction import public_address

    offered = service.server
    keys = f"{len(offered.keys)} keys" if len(offered.keys) != 1 else "1 key"
    who = keys if offered.keys else "no keys, so anyone who can reach it may ask"
    return (
        f"hopweave serves {service.choices.default_method} with {service.model_name} over {', '.join(offered.corpora)} at "
        f"http://{offered.host}:{offered.port} ({who}); answers are kept in {public_address(offered.answers)}"
    )
