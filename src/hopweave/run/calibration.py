"""Opens the calibration that settings name, for a model and a method that it was fitted on."""

from __future__ import annotations

import logging
from functools import cache
from importlib.resources import files
from pathlib import Path

from hopweave.core.errors import SettingsError
from hopweave.record.confidence import Calibration
from hopweave.run.settings import Settings

AUTO, OFF = "auto", "off"
_LOG = logging.getLogger(__name__)


def open_calibration(settings: Settings, llm: str, method: str) -> Calibration | None:
    """What the confidence of answers is computed with; `None` if nothing is.

    A calibration says nothing about answers of another model or method than it was fitted on. They get no confidence then, and
    if the settings name its file, a warning says so once.

    Args:
        settings: the settings.
        llm: the identity of the model that answers.
        method: the name of the method that does.

    Raises:
        DataError: if the file cannot be read.
        SettingsError: if `min_confidence` is set and there is no calibration for the model and the method, or if the one of the
            settings needs checks that are not made.
    """
    is_named = settings.calibration not in (AUTO, OFF)
    known = [Calibration.read(Path(settings.calibration))] if is_named else _shipped() if settings.calibration == AUTO else []
    fitting = [one for one in known if one.fits(llm, method)]
    usable = [one for one in fitting if settings.check == "more" or not one.needs_checks]
    if usable:
        return max(usable, key=lambda one: one.needs_checks)
    if is_named and fitting:
        raise SettingsError(
            f"the calibration {settings.calibration} was fitted on answers that were checked, and check = {settings.check!r}: "
            'set check = "more" (--check more), or make a calibration from a run without checks'
        )
    why = f"it was fitted on {_of(known[0], llm)}" if is_named else "none comes with the package for them"
    if settings.min_confidence:
        raise SettingsError(
            f"min_confidence = {settings.min_confidence:g} needs a calibration for this model with {method}, and {why}; make "
            f"one with: hopweave calibrate RUN --out FILE, and set calibration to it"
        )
    if is_named:
        _warn_once(f"answers get no confidence from {settings.calibration}, since {why}, and this is {method} with {llm}")
    return None


def _of(calibration: Calibration, llm: str) -> str:
    model = "this model" if calibration.llm == llm else f"the model {calibration.llm}"
    return f"answers of {model} with {' and '.join(calibration.methods)}"


@cache
def _shipped() -> tuple[Calibration, ...]:
    """The calibrations that come with the package."""
    folder = Path(str(files(__package__) / "calibrations"))
    return tuple(Calibration.read(path) for path in sorted(folder.glob("*.json")))


@cache
def _warn_once(note: str) -> None:
    _LOG.warning(note)
