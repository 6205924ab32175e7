"""The protocol of analyses, and how to open one by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from hopweave.core.building import build
from hopweave.core.catalog import entries, entry, load
from hopweave.core.errors import SettingsError, suggest
from hopweave.evaluation.reports.analysis_results import AnalysisResult
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.loaded_runs import LoadedRuns


@runtime_checkable
class Analysis(Protocol):
    """A table or figure, made from records. An analysis is a frozen dataclass whose fields are its options."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """Computes the result. If the runs lack something, the result says what, and how to get it; no model is called.

        Args:
            runs: the cells of one or several runs.
        """


def analyse(
    folders: Sequence[Path], names: Sequence[str] = (), options: Mapping[str, Mapping[str, Any]] | None = None
) -> list[tuple[str, AnalysisResult]]:
    """The results of analyses, by name.

    Args:
        folders: of the runs; labels are taken from the first.
        names: of the analyses; all of them if empty.
        options: of analyses, by name.

    Raises:
        SettingsError: for an unknown name or option, or options of an analysis that was not requested.
        DataError: for a run that cannot be read.
        MissingExtra: if a library that an analysis needs is not installed.
    """
    chosen = [entry("analyses", name).name for name in names] or list(entries("analyses"))
    given = options or {}
    for name in given:
        if name not in chosen:
            raise SettingsError(
                f"there are options of {name!r}, which is not among the analyses asked for; {suggest(name, chosen)}"
            )
    made = [(name, opened(name, given.get(name, {}))) for name in chosen]
    runs = LoadedRuns([RunFolder.open(folder) for folder in folders])
    return [(name, analysis.result(runs)) for name, analysis in made]


def opened(name: str, options: Mapping[str, Any]) -> Analysis:
    """The analysis of that name, with options.

    Raises:
        SettingsError: for an unknown name or option, or an invalid value.
        MissingExtra: if a library that it needs is not installed.
    """
    return cast("Analysis", build(load("analyses", name), options, f"analyses.{name}"))
