"""The command line: one file per command, named after the command. A file is imported only when its command runs."""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from hopweave.apps.cli._terminal import make_plain, plain, say
from hopweave.core.catalog import summary_of
from hopweave.core.errors import HopweaveError
from hopweave.show.plain import one_line

_FOLDER = Path(__file__).parent
OBJECTS_PER_COLLECTION = 50_000
"""How many new objects the garbage collector waits for: with Python's 700, it takes 7% of a start, and a tenth of a run."""
_INSTEAD = {
    ("compare", "--metric"): "--metric is now --metrics, which takes several, separated by commas",
    ("index", "--check"): "--check is now --verify",
    ("report", "--to"): "--to is now --out",
    ("serve", "--corpus"): "a corpus is given without a flag: hopweave serve NAME=INDEX",
    ("mcp", "--corpus"): "a corpus is given without a flag: hopweave mcp NAME=INDEX",
}
"""What to write instead of an option that a command does not have: the names of 0.3, and what is an option elsewhere."""


class _Commands(TyperGroup):
    """Lists the folder. Until a command is run, only the first line of its file is read."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(path.stem for path in _FOLDER.glob("*.py") if not path.name.startswith("_"))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.list_commands(ctx):
            return None
        return TyperCommand(cmd_name, short_help=summary_of(_FOLDER / f"{cmd_name}.py"))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        if name is None:
            return None, None, rest
        command = typer.main.get_command(import_module(f"hopweave.apps.cli.{name}").app)
        command.name = name
        return name, _plainly(command), rest

    def main(self, *args: Any, **options: Any) -> Any:
        """Runs the command line with all output filtered, including messages about invalid flags."""
        with plain():
            return super().main(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        """Runs the command: one clear line for errors that the user can fix, and a matching exit status."""
        known: dict[str, Any] = dict.fromkeys(self.list_commands(ctx))
        self.commands = known  # for suggestions on mistyped names
        try:
            return super().invoke(ctx)
        except HopweaveError as error:
            say(f"hopweave: {one_line(str(error))}", err=True)
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            module = sys.modules.get(f"{__name__}.{ctx.invoked_subcommand}")
            say(f"hopweave: interrupted; {getattr(module, 'IF_INTERRUPTED', 'run the same command again')}", err=True)
            raise typer.Exit(130) from None
        except Exception as error:
            _say_more(error)
            raise


def _say_more(error: Any) -> None:
    """Lets the message about invalid arguments say what is possible.

    About an unknown flag it says what to write instead, or names those that the command has if it names no similar ones. About
    one argument too many it says how a question and an index are given, about a value that is no number which number is meant.
    """
    context = getattr(error, "ctx", None)
    if context is None:
        return
    flags = [flag for given in context.command.params for flag in given.opts if flag.startswith("--")]
    if instead := _INSTEAD.get((context.command.name, getattr(error, "option_name", ""))):
        error.message, error.possibilities = instead, None
    elif hasattr(error, "option_name") and not getattr(error, "possibilities", True):
        error.possibilities = flags
    elif "unexpected extra argument" in getattr(error, "message", "") and "--corpus" in flags:
        error.message += "; put what you ask in quotation marks, and name an index with --corpus"
    elif hasattr(error.__cause__, "errors"):  # the library validates values with pydantic, whose words are for programmers
        from hopweave.core.building import NO_NUMBER

        first = error.__cause__.errors()[0]
        if first["type"] in NO_NUMBER:
            error.message = f"{NO_NUMBER[first['type']]}, not {first['input']!r}"


def _plainly(command: Any) -> Any:
    """The command with its help in plain text: rendering it with rich would double the time of --help."""
    command.rich_markup_mode = None
    for inner in getattr(command, "commands", {}).values():
        _plainly(inner)
    return command


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(*, value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(f"hopweave {version('hopweave')}")
        raise typer.Exit


@app.callback()
def _hopweave(
    *, version: Annotated[bool, typer.Option("--version", help="Print the version.", callback=_show_version)] = False
) -> None:
    """Answers questions that need several hops of evidence, every claim tied to an exact span of a passage."""


def main() -> None:
    """The entry point of the `hopweave` command."""
    gc.set_threshold(OBJECTS_PER_COLLECTION)
    make_plain()
    app()
