"""Options of metrics on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hopweave.core.errors import SettingsError
from hopweave.run.settings import assignments


def options_of(pairs: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The options of metrics given by `--set`.

    Raises:
        SettingsError: for a flag that sets anything else.
    """
    found: dict[str, dict[str, Any]] = {}
    for key, value in assignments(pairs).items():
        if key != "metrics" or not isinstance(value, dict) or not all(isinstance(one, dict) for one in value.values()):
            raise SettingsError(f"--set {key} is not an option of a metric; write it as: --set metrics.NAME.OPTION=value")
        found |= value
    return found
