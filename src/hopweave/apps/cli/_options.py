"""Shared by several commands: options, their conversion to settings, and writing output files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopweave.core.errors import DataError, SettingsError

if TYPE_CHECKING:
    from hopweave.run.settings import Settings

RESUMES = "answers so far are kept, run the same command to resume"
"""What a command whose replies are stored says when it is interrupted, as its module's `IF_INTERRUPTED`."""

Run = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, as made by: hopweave evaluate.")]
RecordFile = Annotated[Path, typer.Argument(metavar="FILE", help="A file of records; - reads standard input.", allow_dash=True)]
OfQuestion = Annotated[str | None, typer.Option("--question", metavar="ID", help="The last record of this question.")]
OnLine = Annotated[
    int | None, typer.Option("--line", metavar="N", help="The record on this line, from 1; default: the last.", min=1)
]
Profile = Annotated[str, typer.Option(metavar="NAME", help="Named settings, such as paper_searchain, or a TOML file.")]
Assignments = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Any setting; may be repeated.")]
Config = Annotated[Path | None, typer.Option(metavar="FILE", help="A settings file instead of hopweave.toml.")]
Calls = Annotated[bool, typer.Option("--calls", help="Show model calls, searches and readings in the tree.")]
Thoughts = Annotated[bool, typer.Option("--thoughts", help="Show calls, and what the model thought before each reply.")]
Legend = Annotated[
    bool, typer.Option("--legend", help="Explain all words and signs; else, each is explained once, in a terminal.")
]
MetricAssignments = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="metrics.NAME.OPTION=VALUE", help="An option of a metric; may be repeated."),
]


def flags_of(pairs: Sequence[str] | None, *, replay: bool, store: str = "", **named: Any) -> dict[str, Any]:
    """The settings given by flags.

    Args:
        pairs: of `--set`.
        replay: whether no model may be called.
        store: where replies are kept.
        named: other flags, by their key in the settings; an empty one was not given.

    Raises:
        SettingsError: for a pair that is not KEY=VALUE, or that sets a table, such as `budget`, to a value.
    """
    from hopweave.run.nested_settings import assignments, merged
    from hopweave.run.settings import check_tables

    assigned = assignments(pairs or [])
    check_tables(assigned, "--set")
    flags = {key: value for key, value in named.items() if value}
    of_store = ({"path": store} if store else {}) | ({"mode": "replay"} if replay else {})
    return merged(assigned, flags | ({"store": of_store} if of_store else {}))


def settings_of(pairs: Sequence[str] | None, config: Path | None, *, replay: bool = False, **named: Any) -> Settings:
    """The settings with flags applied. Same arguments as `flags_of`; same errors as `read_settings`."""
    from hopweave.run.settings import read_settings

    return read_settings(flags_of(pairs, replay=replay, **named), config=config)


def named(pairs: Sequence[str]) -> dict[str, str]:
    """Corpora, or other folders, given as NAME=INDEX, or as INDEX alone, whose last folder is then the name.

    Raises:
        SettingsError: for one without a name or an index, or a name that is given twice.
    """
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


def metric_options(pairs: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The options of metrics given by `--set`.

    Raises:
        SettingsError: for a flag that sets anything else.
    """
    from hopweave.run.nested_settings import assignments

    found: dict[str, dict[str, Any]] = {}
    for key, value in assignments(pairs).items():
        if key != "metrics" or not isinstance(value, dict) or not all(isinstance(one, dict) for one in value.values()):
            raise SettingsError(f"--set {key} is not an option of a metric; write it as: --set metrics.NAME.OPTION=value")
        found |= value
    return found


def write_out(path: Path, text: str) -> None:
    """Writes a file that the user named, and its folder.

    Raises:
        DataError: if it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot write to {path}: {error.strerror}; choose another file") from None
