"""The tools `ask`, `search` and `read_passage` over the corpora that the operator named, and no others.

Every failure is an error of the tool whose message ends with what to do, so that the model that called it can.
Cancelling a call cancels the question and its open calls of the language model.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from importlib.metadata import version
from typing import Annotated, Any, Literal, get_args

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from hopweave.apps.mcp_server.replies import AskReply, PassageReply, SearchReply, ask_reply, passage_reply, search_reply
from hopweave.apps.mcp_server.wording import WordedServer, about_failure
from hopweave.core.catalog import entries, load
from hopweave.core.errors import HopweaveError, MissingExtra, suggest
from hopweave.core.protocols import LanguageModel
from hopweave.record import Event, Observer, Step
from hopweave.run.asked import question_asked
from hopweave.run.components import Components
from hopweave.run.corpora import Corpora
from hopweave.run.opening import open_components
from hopweave.run.settings import Settings
from hopweave.run.weaver import Weaver
from hopweave.show.outline import step_line

MAX_HITS = 50
"""Maximum number of hits of a search: a client's model has to read them."""
_LOG = logging.getLogger(__name__)
_STEPS = get_args(get_args(Step)[0])
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_MAX_NAMED = 100

_INSTRUCTIONS = """Tools over the user's own documents. `ask` answers a question that may need several hops of evidence; each
claim of its reply says whether a passage supports it and quotes the exact words. `search` finds passages, `read_passage` reads
one by its id. Corpora: {corpora}."""

CorpusName = Annotated[str, Field(description="name of the corpus; the first one if empty")]


class _Tools:
    """The tools and what they share while the server runs.

    Args:
        corpora: the index of each corpus, by the name that clients use.
        settings: of the components; their corpus is ignored.
        llm: a language model in place of that of the settings; it stays open.
    """

    def __init__(self, corpora: Mapping[str, str], settings: Settings, llm: LanguageModel | None = None) -> None:
        self._indexes = dict(corpora)
        self._settings = settings
        self._llm = llm
        self._parts: Components | None = None
        self._corpora: Corpora | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Opens the corpora and what all questions share, and closes it at the end."""
        async with AsyncExitStack() as stack:
            ready = {"llm": self._llm} if self._llm is not None else {}
            self._parts = open_components(self._settings, ready, with_corpus=False)
            stack.push_async_callback(self._parts.close)
            self._corpora = Corpora(self._settings, self._indexes, self._parts)
            stack.push_async_callback(self._corpora.close)
            for name in self._indexes:
                async with self._corpora.opened(name, self._settings.access, self._settings.where):
                    pass
            yield

    async def ask(
        self,
        question: Annotated[str, Field(description="the question, complete in itself")],
        context: Context[Any, Any],
        corpus: CorpusName = "",
        method: Annotated[str, Field(description="how to answer, such as searchain or ircot; as configured if empty")] = "",
        form: Annotated[
            Literal["auto", "short", "long"],
            Field(description="a few words, or several sentences; auto: as it is asked"),
        ] = "auto",
    ) -> AskReply:
        """Answer a question over a corpus, each claim checked against the exact words of a passage.

        It may take minutes: several searches and calls of a language model. Do not state what is `unsupported` or
        `uncertain` as a fact.
        """
        name = self._named(corpus)
        settings = self._settings.model_copy(update={"corpus": self._indexes[name], "method": self._method(method)})
        with _told():
            asked = question_asked(question, long=None if form == "auto" else form == "long")
            async with _reporting(context) as observer, self._opened().opened(name, settings.access, settings.where) as parts:
                record = await Weaver(settings, components=parts).answer(asked, observers=[observer])
        if record.answer is None:
            raise ToolError(about_failure(record.error))
        return ask_reply(record, record.answer, name)

    async def search(
        self,
        query: Annotated[str, Field(description="what to search for, in the words that a passage would use")],
        corpus: CorpusName = "",
        max_hits: Annotated[int, Field(description="the number of passages, at most", ge=1, le=MAX_HITS)] = 5,
    ) -> SearchReply:
        """Find the best passages of a corpus for a query. No language model is called."""
        name = self._named(corpus)
        if not query.strip():
            raise ToolError("the query is empty; give the words to search for")
        with _told():
            async with self._opened().opened(name, self._settings.access, self._settings.where) as parts:
                [hits] = await parts.search([query], max_hits)
        return search_reply(name, hits)

    async def read_passage(
        self,
        passage_id: Annotated[str, Field(description="the id of a citation or a hit")],
        corpus: CorpusName = "",
    ) -> PassageReply:
        """Read a passage by its id, as search and ask give it."""
        name = self._named(corpus)
        with _told():
            found = await self._opened().passage(name, self._settings.access, self._settings.where, passage_id)
        if found is None:
            named = repr(passage_id[:_MAX_NAMED])
            raise ToolError(f"{name} has no passage {named}; take the id from a hit of search or a citation of ask")
        return passage_reply(found)

    def _opened(self) -> Corpora:
        if self._corpora is None:
            raise ToolError("the server is starting or stopping; call again")
        return self._corpora

    def _named(self, corpus: str) -> str:
        """The name of a corpus, the first if none is named: never a path or an address."""
        name = corpus or next(iter(self._indexes))
        if name not in self._indexes:
            raise ToolError(f"there is no corpus {name[:_MAX_NAMED]!r}; choose one of: {', '.join(self._indexes)}")
        return name

    def _method(self, method: str) -> str:
        """The name of a method that comes with hopweave or is installed; only the operator may choose files of code."""
        if not method or method == self._settings.method:
            return self._settings.method
        known = entries("methods")
        if method not in known:
            raise ToolError(f"there is no method {method[:_MAX_NAMED]!r}; {suggest(method[:_MAX_NAMED], known)}")
        load("methods", method)
        return method


@asynccontextmanager
async def serving(
    corpora: Mapping[str, str], settings: Settings, *, llm: LanguageModel | None = None
) -> AsyncIterator[MCPServer[None]]:
    """The server with its components open; the caller decides what it is connected to.

    Args:
        corpora: the index of each corpus, by the name that clients use; at least one. The first is the default.
        settings: of the components; their corpus is ignored.
        llm: a language model in place of that of the settings; it stays open.

    Raises:
        HopweaveError: for a corpus or a component that cannot be opened.
    """
    tools = _Tools(corpora, settings, llm)
    server = WordedServer(
        "hopweave",
        version=version("hopweave"),
        instructions=_INSTRUCTIONS.format(corpora=", ".join(corpora)),
        log_level="WARNING",
    )
    for tool in (tools.ask, tools.search, tools.read_passage):
        server.add_tool(tool, annotations=_READS, structured_output=True)
    async with tools.running():
        yield server


@contextmanager
def _told() -> Iterator[None]:
    """Turns errors of hopweave into errors of the tool; those that the operator has to fix are also logged."""
    try:
        yield
    except HopweaveError as error:
        if isinstance(error, MissingExtra):
            _LOG.error("%s", error)
        raise ToolError(str(error)) from error


@asynccontextmanager
async def _reporting(context: Context[Any, Any]) -> AsyncIterator[Observer]:
    """An observer that reports each step of the trace as progress, in order; a client that does not listen hears nothing."""
    lines: asyncio.Queue[str | None] = asyncio.Queue()

    def hear(event: Event) -> None:
        if isinstance(event, _STEPS):
            lines.put_nowait(step_line(event))

    async def report() -> None:
        number = 0
        while (line := await lines.get()) is not None:
            number += 1
            await context.report_progress(number, message=line)

    reporter = asyncio.create_task(report())
    try:
        yield hear
        lines.put_nowait(None)
        await asyncio.wait([reporter])  # a client that has disconnected must not fail the question
    finally:
        reporter.cancel()
        await asyncio.gather(reporter, return_exceptions=True)
