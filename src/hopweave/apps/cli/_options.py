"""Shared by several commands: options, their conversion to settings, and writing output files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from hopweave.run.settings import Settings

Run = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, as made by: hopweave evaluate.")]
Corpus = Annotated[
    str, typer.Option(help="An index built by `hopweave index`, in a folder or on a server; default: the starter corpus.")
]
LLM = Annotated[str, typer.Option(help="The language model; `hopweave list llms` lists them; or FILE.py:CLASS.")]
Retriever = Annotated[str, typer.Option(help="Finds passages; `hopweave list retrievers` lists them; or FILE.py:CLASS.")]
Reader = Annotated[
    str, typer.Option(help="Extracts answers from passages; `hopweave list readers` lists them; or FILE.py:CLASS.")
]
Profile = Annotated[str, typer.Option(help="Named settings, such as paper_searchain, or a TOML file.")]
Assignments = Annotated[list[str] | None, typer.Option("--set", help="Any setting, as key=value; may be repeated.")]
Access = Annotated[list[str] | None, typer.Option(metavar="LABEL", help="An access label that you hold; may be repeated.")]
Where = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=VALUE", help="Search only passages with this in their metadata; may be repeated."),
]
Config = Annotated[Path | None, typer.Option(help="A settings file instead of hopweave.toml.")]
Replay = Annotated[bool, typer.Option("--replay", help="Answer from the store alone, without calling a model.")]
Store = Annotated[
    str,
    typer.Option(
        help="Where replies of the model are kept: a file, or a database that several machines share.", metavar="PLACE"
    ),
]
MetricAssignments = Annotated[
    list[str] | None, typer.Option("--set", help="An option, as metrics.NAME.OPTION=value; may be repeated.")
]


def flags_of(pairs: Sequence[str] | None, *, replay: bool, store: str = "", **named: Any) -> dict[str, Any]:
    """The settings given by flags.

    Args:
        pairs: of `--set`.
        replay: whether no model may be called.
        store: where replies are kept.
        named: other flags, by their key in the settings; an empty one was not given.

    Raises:
        SettingsError: for a pair that is not KEY=VALUE.
    """
    from hopweave.run.settings import assignments, merged

    flags = {key: value for key, value in named.items() if value}
    of_store = ({"path": store} if store else {}) | ({"mode": "replay"} if replay else {})
    return merged(assignments(pairs or []), flags | ({"store": of_store} if of_store else {}))


def visible_of(access: Sequence[str] | None, where: Sequence[str] | None) -> dict[str, Any]:
    """The settings `access` and `where` that flags give; values of one key are alternatives.

    Raises:
        SettingsError: for a pair that is not KEY=VALUE.
    """
    from hopweave.core.errors import SettingsError

    wanted: dict[str, list[str]] = {}
    for pair in where or ():
        key, equals, value = pair.partition("=")
        if not equals:
            raise SettingsError(f"--where expects KEY=VALUE, not {pair!r}; for example: --where year=1999")
        wanted.setdefault(key.strip(), []).append(value)
    return {"access": list(access or ()), "where": wanted}


def settings_of(pairs: Sequence[str] | None, config: Path | None, *, replay: bool, **named: Any) -> Settings:
    """The settings with flags applied. Same arguments as `flags_of`; same errors as `read_settings`."""
    from hopweave.run.settings import read_settings

    return read_settings(flags_of(pairs, replay=replay, **named), config=config)


def named(pairs: Sequence[str]) -> dict[str, str]:
    """Corpora, or other folders, given as NAME=INDEX, or as INDEX alone, whose last folder is then the name.

    Raises:
        SettingsError: for one without a name or an index, or a name that is given twice.
    """
    from hopweave.core.errors import SettingsError

    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, index = pair.partition("=")
        if not equals or "://" in name:  # an address may hold an equals sign
            name, index = Path(pair.rpartition("#")[2]).name.lower().removesuffix("-index"), pair
        if not name or not index:
            raise SettingsError(f"a corpus is given as NAME=INDEX, not {pair!r}; for example: papers=papers-index")
        if name in found:
            raise SettingsError(f"two are named {name!r}; give one of them another name, as {name}-2={index}")
        found[name] = index
    return found


def listed(names: str) -> list[str]:
    """The comma-separated parts of a text."""
    return [name.strip() for name in names.split(",") if name.strip()]


def write_out(path: Path, text: str) -> None:
    """Writes a file that the user named, and its folder.

    Raises:
        DataError: if it cannot be written.
    """
    from hopweave.core.errors import DataError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot write to {path}: {error.strerror}; choose another file") from None
