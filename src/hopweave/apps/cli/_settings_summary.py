"""One line about what answers: method, model, corpus, and where the settings come from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from hopweave.core.redaction import public_address
from hopweave.run.settings import ENVIRONMENT_PREFIX, NOT_SETTINGS
from hopweave.run.settings_files import toml_path
from hopweave.show.plain import one_line

if TYPE_CHECKING:
    from hopweave.run.settings import Settings


def settings_summary(settings: Settings, config: Path | None = None) -> str:
    """Method, model, retriever, corpus, and the sources of the settings, without secrets.

    Args:
        settings: in force.
        config: the settings file that was named.
    """
    corpus = f"{public_address(settings.corpus)} by {settings.retriever}" if settings.corpus else settings.retriever
    sources = ", ".join(_sources(settings, config)) or "defaults"
    return one_line(f"{settings.method} with {model_in_words(settings)} over {corpus}; settings: {sources}")


def model_in_words(settings: Settings) -> str:
    """The language model, and which model it runs or calls, if the settings say so."""
    options = settings.llms.get(settings.llm, {})
    model = f" ({options['model']})" if isinstance(options.get("model"), str) else ""
    return one_line(f"{settings.llm}{model}")


def _sources(settings: Settings, config: Path | None) -> list[str]:
    """All sources except the defaults, in order of precedence."""
    profile = [f"profile {settings.profile}"] if settings.profile != "default" else []
    path = toml_path(config)
    names = sorted(name for name in os.environ if name.startswith(ENVIRONMENT_PREFIX) and os.environ[name])
    return [*profile, *([str(path)] if path is not None else []), *(name for name in names if name not in NOT_SETTINGS)]
