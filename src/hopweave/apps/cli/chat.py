"""Ask questions in turn, with follow-ups."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.apps.cli._asking_options import AskingOptions
from hopweave.apps.cli._declared import with_options
from hopweave.apps.cli._terminal import say
from hopweave.core.catalog import entries
from hopweave.core.errors import DataError, HopweaveError
from hopweave.show.plain import one_line

if TYPE_CHECKING:
    from hopweave.record import Record
    from hopweave.run.conversation import Turn
    from hopweave.run.settings import Settings
    from hopweave.run.weaver import Weaver

app = typer.Typer(add_completion=False)

_PROMPT = "> "
_HELP = """/method NAME   answer by another method; without a name, say which there are
/corpus INDEX  search another corpus; without one, say which it is
/sources       the passages that the last answer cites, and what contradicts it
/new           forget the conversation so far
/quit          end"""


@app.command()
@with_options(AskingOptions, "store")
def chat(
    *,
    asking: AskingOptions,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append each record to this JSONL file; else nothing is kept.")
    ] = None,
) -> None:
    """Ask questions in turn, in a terminal or from a pipe, one per line; /help lists the commands.

    A follow-up such as "and when did she die?" is rewritten from the conversation before it is answered. Ctrl-C ends a running
    question, or the conversation if none is running.
    """
    from hopweave.apps.cli._record_files import append

    settings = asking.settings()
    if out is not None:
        append(out, "")
    with asyncio.Runner() as runner:
        conversation = _Conversation(runner, settings, asking.config, out)
        try:
            for line in _lines():
                if not conversation.take(line):
                    break
        except KeyboardInterrupt:
            say(err=True)
        finally:
            conversation.close()


def _lines() -> Iterator[str]:
    """What is typed or piped in, line by line, without blank ones.

    Raises:
        DataError: if it is not text.
    """
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        _edit_lines()
    while True:
        try:
            line = input(_PROMPT) if is_terminal else typer.get_binary_stream("stdin").readline().decode("utf-8-sig")
        except EOFError:
            return
        except UnicodeDecodeError as error:
            raise DataError(f"standard input is not UTF-8 text ({error.reason}); convert it first") from None
        if not line and not is_terminal:
            return
        if line.strip():
            yield line.strip()


def _edit_lines() -> None:
    """Makes the arrow keys work in a prompt, if the system supports it; lines are remembered only until the end."""
    from contextlib import suppress

    with suppress(ImportError):
        import readline  # noqa: F401 - importing it is what does it


class _Conversation:
    """The turns so far, and the weaver that answers."""

    def __init__(self, runner: asyncio.Runner, settings: Settings, config: Path | None, out: Path | None) -> None:
        from hopweave.run.weaver import Weaver

        self._runner = runner
        self._config = config
        self._out = out
        self._turns: list[Turn] = []
        self._last: Record | None = None
        self._explained: set[str] = set()
        self._weaver: Weaver = runner.run(_made(Weaver, settings))
        self._say_settings()

    def take(self, line: str) -> bool:
        """Answers a question or obeys a command; returns whether the conversation continues. Errors are printed, not raised."""
        command, _, rest = line.partition(" ")
        try:
            if command in ("/quit", "/exit"):
                return False
            if command.startswith("/"):
                self._obey(command, rest.strip())
            else:
                self._ask(line)
        except HopweaveError as error:
            say(f"hopweave: {one_line(str(error))}", err=True)
        return True

    def close(self) -> None:
        """Closes what answers."""
        self._runner.run(self._weaver.close())

    def _obey(self, command: str, given: str) -> None:
        match command:
            case "/method":
                self._choose_method(given)
            case "/corpus":
                self._choose_corpus(given)
            case "/sources":
                self._show_sources()
            case "/new":
                self._turns.clear()
                say("the conversation so far is forgotten", err=True)
            case "/help":
                for line in _HELP.split("\n"):
                    say(line)
            case _:
                say(f"hopweave: there is no command {command}; /help lists them", err=True)

    def _ask(self, question: str) -> None:
        from hopweave.apps.cli._live import LiveTree
        from hopweave.apps.cli._record_files import append
        from hopweave.run.conversation import turn_of

        try:
            with LiveTree(question) as live:
                record = self._runner.run(self._weaver.answer(question, observers=[live], earlier=tuple(self._turns)))
        except KeyboardInterrupt:
            say("the question was ended; ask another, or /quit", err=True)
            return
        if self._out is not None:
            append(self._out, record.to_json() + "\n")
        self._last = record
        self._turns.append(turn_of(record))
        if record.question.text != question:
            say(f"asked as: {record.question.text}")
        self._show(record)

    def _show(self, record: Record) -> None:
        """Prints a reply; in a terminal, with the meaning of each sign that occurs for the first time in this conversation."""
        from hopweave.apps.cli._console import console
        from hopweave.apps.cli._record_files import tell_why
        from hopweave.show.legend import legend_of_reply
        from hopweave.show.terminal import draw_legend, draw_reply

        screen = console(highlight=False)
        screen.print(draw_reply(record))
        if record.answer is not None and not record.answer.short.strip():
            tell_why(record)
        entries = legend_of_reply(record.answer) if record.answer is not None and screen.is_terminal else []
        fresh = [entry for entry in entries if entry.word not in self._explained]
        if fresh:
            self._explained |= {entry.word for entry in fresh}
            screen.print("", draw_legend(fresh), sep="\n")
        say()

    def _choose_method(self, name: str) -> None:
        if not name:
            say(f"{self._weaver.settings.method}; there are: {', '.join(entries('methods'))}")
            return
        self._change(method=name)

    def _choose_corpus(self, index: str) -> None:
        from hopweave.run.opening import open_retriever

        if not index:
            say(self._weaver.settings.corpus)
            return
        settings = self._weaver.settings.with_changes({"corpus": index})
        before = self._weaver.components
        parts = before.over(*open_retriever(settings))
        self._change(corpus=index, components=parts)
        self._runner.run(before.close_engine())

    def _change(self, *, components: object = None, **changes: str) -> None:
        """Continues with other settings; everything else stays open."""
        from hopweave.run.weaver import Weaver

        settings = self._weaver.settings.with_changes(changes)
        self._weaver = self._runner.run(_made(Weaver, settings, components=components or self._weaver.components))
        self._say_settings()

    def _show_sources(self) -> None:
        from hopweave.apps.cli._console import console
        from hopweave.show.terminal import draw_sources

        if self._last is None:
            say("hopweave: there is no answer yet; ask something", err=True)
        elif self._last.answer is None or not self._last.answer.citations:
            say("the last answer cites nothing")
        if self._last is not None:
            console(highlight=False).print(draw_sources(self._last))

    def _say_settings(self) -> None:
        from hopweave.apps.cli._settings_summary import settings_summary

        say(settings_summary(self._weaver.settings, self._config), err=True)


async def _made(kind: type[Weaver], settings: Settings, **more: object) -> Weaver:
    """A weaver, created within its event loop."""
    return kind(settings, **more)  # type: ignore[arg-type]
