"""hopweave answers questions that need several hops of evidence, and ties every claim to an exact span of a passage."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopweave.errors import HopweaveError
    from hopweave.runtime.budget import Budget
    from hopweave.settings import Settings, read_settings
    from hopweave.trace import Record
    from hopweave.types import Answer, Citation, Claim, Passage, Question, Verdict
    from hopweave.weaver import Weaver, aask, ask

__all__ = [
    "Answer",
    "Budget",
    "Citation",
    "Claim",
    "HopweaveError",
    "Passage",
    "Question",
    "Record",
    "Settings",
    "Verdict",
    "Weaver",
    "aask",
    "ask",
    "read_settings",
]

_HOME = {
    "Answer": "types",
    "Budget": "runtime.budget",
    "Citation": "types",
    "Claim": "types",
    "HopweaveError": "errors",
    "Passage": "types",
    "Question": "types",
    "Record": "trace",
    "Settings": "settings",
    "Verdict": "types",
    "Weaver": "weaver",
    "aask": "weaver",
    "ask": "weaver",
    "read_settings": "settings",
}


def __getattr__(name: str) -> Any:
    # Names are imported when they are first used, so that `import hopweave` costs next to nothing.
    if name in _HOME:
        return getattr(import_module(f"hopweave.{_HOME[name]}"), name)
    raise AttributeError(f"module 'hopweave' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
