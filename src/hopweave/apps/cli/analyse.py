"""Make the papers' tables and figures from runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hopweave.apps.cli._options import write_out
from hopweave.apps.cli._terminal import say, say_entries
from hopweave.core.catalog import entries
from hopweave.core.errors import SettingsError

if TYPE_CHECKING:
    from hopweave.evaluation.reports.analysis_results import AnalysisResult

app = typer.Typer(add_completion=False)

Form = Literal["text", "markdown", "csv", "svg"]
_FORMS: dict[str, Form] = {"": "text", ".txt": "text", ".md": "markdown", ".csv": "csv", ".svg": "svg"}


@app.command()
def analyse(
    run: Annotated[
        Path | None, typer.Argument(metavar="RUN", help="The folder of a run; without one, list the analyses.")
    ] = None,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Analyses; default: all that the run has data for.")
    ] = None,
    *,
    with_: Annotated[
        list[Path] | None, typer.Option("--with", metavar="RUN", help="Another run to use; may be repeated.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME.OPTION=VALUE", help="An option of an analysis; may be repeated."),
    ] = None,
    form: Annotated[
        Form | None, typer.Option("--as", help="The format; default: text, or what the suffix of --out says.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to this file.")] = None,
) -> None:
    """Make tables and figures of the papers from the records of runs. No model is called.

    What a run lacks is written as "no data", with the command that evaluates it. `hopweave list analyses NAME` shows options.
    """
    if run is None:
        _list()
        return
    from hopweave.evaluation.reports.analysis import analyse as make
    from hopweave.evaluation.reports.analysis_results import written
    from hopweave.run.nested_settings import assignments

    results = make([run, *(with_ or [])], names or [], _options(assignments(set_ or [])))
    shown = results if names else [(name, result) for name, result in results if result.has_data]
    chosen = form or (_form_of(out) if out is not None else "text")
    if chosen == "svg" and len(shown) != 1:
        raise SettingsError("a drawing is of one analysis; name the one to draw, such as: hopweave analyse RUN toqd_figure4")
    text = "\n".join(written(result, chosen) for _, result in shown)
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_out(out, text)
    if not names:
        _tell_of_others(results, run)


def _form_of(out: Path) -> Form:
    """The form that the suffix of a file says.

    Raises:
        SettingsError: for one that says none.
    """
    form = _FORMS.get(out.suffix.lower())
    if form is None:
        raise SettingsError(f"cannot tell how to write {out.suffix!r}; use .md, .csv, .svg or .txt, or say --as")
    return form


def _list() -> None:
    say_entries(entries("analyses").values())


def _options(given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Options by analysis.

    Raises:
        SettingsError: for a key that does not name an analysis and an option.
    """
    for name, options in given.items():
        if not isinstance(options, dict):
            raise SettingsError(f"--set {name}=... names no analysis; write it as NAME.OPTION=VALUE")
    return given


def _tell_of_others(results: list[tuple[str, AnalysisResult]], run: Path) -> None:
    with_data = {name for name, result in results if result.has_data}
    others = [name for name in dict.fromkeys(name for name, _ in results) if name not in with_data]
    if others:
        say(f"no data for: {', '.join(others)}; hopweave analyse {run} NAME says what to evaluate", err=True)
