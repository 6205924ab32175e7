"""hopweave answers questions that need several hops of evidence, and ties every claim to an exact span of a passage."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopweave.errors import (
        BudgetReached,
        DataError,
        HopweaveError,
        MethodError,
        MissingExtra,
        ModelError,
        ParseError,
        ReadError,
        RunError,
        SearchError,
        SettingsError,
    )
    from hopweave.protocols import (
        Ask,
        Dataset,
        DuplicateDetector,
        LanguageModel,
        Method,
        MethodContext,
        Metric,
        ModelReader,
        ModelRetriever,
        Reader,
        Retriever,
        Samples,
    )
    from hopweave.runtime.budget import Budget
    from hopweave.runtime.components import Components
    from hopweave.runtime.workbench import Workbench
    from hopweave.settings import Settings, read_settings
    from hopweave.trace import Observer, Record
    from hopweave.types import (
        Abilities,
        Answer,
        Citation,
        Claim,
        Column,
        Example,
        Gold,
        Hit,
        Message,
        Passage,
        Question,
        Reading,
        Reply,
        Sampling,
        Span,
        Usage,
        Verdict,
    )
    from hopweave.weaver import Weaver, aask, ask

__all__ = [
    "Abilities",
    "Answer",
    "Ask",
    "Budget",
    "BudgetReached",
    "Citation",
    "Claim",
    "Column",
    "Components",
    "DataError",
    "Dataset",
    "DuplicateDetector",
    "Example",
    "Gold",
    "Hit",
    "HopweaveError",
    "LanguageModel",
    "Message",
    "Method",
    "MethodContext",
    "MethodError",
    "Metric",
    "MissingExtra",
    "ModelError",
    "ModelReader",
    "ModelRetriever",
    "Observer",
    "OnText",
    "ParseError",
    "Passage",
    "Question",
    "ReadError",
    "Reader",
    "Reading",
    "Record",
    "Reply",
    "Retriever",
    "RunError",
    "Samples",
    "Sampling",
    "SearchError",
    "Settings",
    "SettingsError",
    "Span",
    "Usage",
    "Verdict",
    "Weaver",
    "Workbench",
    "aask",
    "ask",
    "read_settings",
]

_NAMES = {
    "errors": (
        "BudgetReached DataError HopweaveError MethodError MissingExtra ModelError ParseError ReadError RunError "
        "SearchError SettingsError"
    ),
    "protocols": (
        "Ask Dataset DuplicateDetector LanguageModel Method MethodContext Metric ModelReader ModelRetriever OnText "
        "Reader Retriever Samples"
    ),
    "runtime.budget": "Budget",
    "runtime.components": "Components",
    "runtime.workbench": "Workbench",
    "settings": "Settings read_settings",
    "trace": "Observer Record",
    "types": (
        "Abilities Answer Citation Claim Column Example Gold Hit Message Passage Question Reading Reply Sampling Span "
        "Usage Verdict"
    ),
    "weaver": "Weaver aask ask",
}
"""The public names, by the module that they are in."""

_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    # Names are imported when they are first used, so that `import hopweave` costs next to nothing.
    if name in _HOME:
        return getattr(import_module(f"hopweave.{_HOME[name]}"), name)
    raise AttributeError(f"module 'hopweave' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
