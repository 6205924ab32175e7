"""Search an index, and see what is found and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.apps.cli._asking_options import AskingOptions
from hopweave.apps.cli._declared import with_options
from hopweave.apps.cli._terminal import say, standard_input
from hopweave.core.errors import DataError, SettingsError
from hopweave.show.plain import plain_json

if TYPE_CHECKING:
    from hopweave.core.types import Hit

app = typer.Typer(add_completion=False)

_OF_ANSWERS = (
    *("method", "llm", "reader", "store", "replay"),
    *("require_support", "min_confidence", "calibration", "check"),
)


@app.command()
@with_options(AskingOptions, *_OF_ANSWERS)
def search(
    query: Annotated[str, typer.Argument(help="What to search for; - reads it from standard input.")],
    *,
    asking: AskingOptions,
    max_hits: Annotated[int, typer.Option(help="At most this many passages.", min=1)] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each hit and nothing else.")] = False,
) -> None:
    """Search an index: rank, score and title of each passage, what led to it, and the words it shares with the query.

    No model is called, so a retriever that asks one cannot be used here.
    """
    from hopweave.core.protocols import WordSearcher
    from hopweave.core.visibility import PUBLIC
    from hopweave.run.opening import open_retriever

    settings = asking.settings()
    opened, engine = open_retriever(settings)
    if opened is not engine:
        raise SettingsError(
            f"the retriever {settings.retriever!r} asks the language model; search with one that does not, such as bm25 or "
            f"weave, or use: hopweave ask QUESTION --retriever {settings.retriever} --calls"
        )
    asked = standard_input() if query == "-" else query
    try:
        [hits] = engine.search([asked], max_hits)
        is_searchable = bool(hits) or not isinstance(engine, WordSearcher) or engine.has_terms(asked)
    finally:
        engine.close()
    also_in = {} if as_json else _also_in(settings.corpus, hits)
    _print(asked, hits, also_in, is_limited=settings.visible != PUBLIC, as_json=as_json, is_searchable=is_searchable)


def _also_in(corpus: str, hits: list[Hit]) -> dict[str, tuple[str, ...]]:
    """The sources of other documents with the text of some hits; none if the index does not know them."""
    from hopweave.retrieval.index.bm25_intake import copies_of

    try:
        return copies_of(Path(corpus), [hit.passage.id for hit in hits])
    except DataError:  # an index of another engine
        return {}


def _print(
    query: str, hits: list[Hit], also_in: dict[str, tuple[str, ...]], *, is_limited: bool, as_json: bool, is_searchable: bool
) -> None:
    from pydantic import TypeAdapter

    from hopweave.core.json_text import one_line_of_json
    from hopweave.core.types import Hit
    from hopweave.show.hits import hit_lines

    if as_json:
        of_hit = TypeAdapter(Hit)
        for hit in hits:
            typer.echo(plain_json(one_line_of_json(of_hit, hit)))
    elif not hits:
        passage = "passage that access and where let through" if is_limited else "passage"
        why = (
            f"no {passage} contains a word of the query"
            if is_searchable
            else "the query contains no word to search for; name something"
        )
        say(f"nothing found: {why}")
    else:
        for line in hit_lines(query, hits, also_in):
            say(line)
