"""The options of every command that asks questions, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hopweave.apps.cli._options import Assignments, Config, Profile, flags_of
from hopweave.core.errors import SettingsError

if TYPE_CHECKING:
    from hopweave.run.settings import Settings


_KEYS = (
    *("corpus", "method", "llm", "retriever", "reader", "profile"),
    *("require_support", "min_confidence", "calibration", "check"),
)
"""Options that are keys of the settings as they are."""


@dataclass(frozen=True, slots=True)
class AskingOptions:
    """The settings given by the options of a command. A field that is not an option of the command has its default."""

    corpus: Annotated[
        str,
        typer.Option(
            metavar="INDEX", help="An index built by `hopweave index`, in a folder or on a server; default: the starter corpus."
        ),
    ] = ""
    method: Annotated[
        str, typer.Option(metavar="NAME", help="How to answer; `hopweave list methods` lists them; or FILE.py:CLASS.")
    ] = ""
    llm: Annotated[
        str, typer.Option(metavar="NAME", help="The language model; `hopweave list llms` lists them; or FILE.py:CLASS.")
    ] = ""
    retriever: Annotated[
        str, typer.Option(metavar="NAME", help="Finds the passages; `hopweave list retrievers` lists them; or FILE.py:CLASS.")
    ] = ""
    reader: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Extracts answers from passages; `hopweave list readers` lists them; or FILE.py:CLASS."
        ),
    ] = ""
    profile: Profile = ""
    access: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="An access label that you hold; may be repeated.")
    ] = None
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Search only passages with this in their metadata; may be repeated."),
    ] = None
    require_support: Annotated[
        bool, typer.Option("--require-support", help="Answer only if a passage supports it; else say what was found.")
    ] = False
    min_confidence: Annotated[
        float, typer.Option(metavar="P", help="Answer only if it is right with at least this probability, 0 to 1.")
    ] = 0.0
    calibration: Annotated[
        str, typer.Option(metavar="FILE", help="What confidence is computed with, by `hopweave calibrate`; or auto, or off.")
    ] = ""
    check: Annotated[
        Literal["free", "more"] | None,
        typer.Option(
            help="How answers are checked: without a call, or with up to two more; one that then reads differently has no tick."
        ),
    ] = None
    store: Annotated[
        str,
        typer.Option(
            help="Where replies of the model are kept: a file, or a database that several machines share.", metavar="PLACE"
        ),
    ] = ""
    replay: Annotated[bool, typer.Option("--replay", help="Answer from the store alone, without calling a model.")] = False
    set_: Assignments = None
    config: Config = None

    def flags(self, **more: Any) -> dict[str, Any]:
        """The options as keys and values of the settings.

        Args:
            more: other settings; they replace those of the options.

        Raises:
            SettingsError: for a pair that is not KEY=VALUE.
        """
        named = {key: getattr(self, key) for key in _KEYS}
        named |= {"access": self.access, "where": self._where()}
        return flags_of(self.set_, replay=self.replay, store=self.store, **named | more)

    def settings(self, **more: Any) -> Settings:
        """The settings with the options applied. Same arguments as `flags`; same errors as `read_settings`."""
        from hopweave.run.settings import read_settings

        return read_settings(self.flags(**more), config=self.config)

    def _where(self) -> dict[str, list[str]]:
        """What `--where` asks for; values of one key are alternatives."""
        wanted: dict[str, list[str]] = {}
        for pair in self.where or ():
            key, equals, value = pair.partition("=")
            if not equals:
                raise SettingsError(f"--where expects KEY=VALUE, not {pair!r}; for example: --where year=1999")
            wanted.setdefault(key.strip(), []).append(value)
        return wanted
