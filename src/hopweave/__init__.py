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

_HOME = {
    "Abilities": "types",
    "Answer": "types",
    "Ask": "protocols",
    "Budget": "runtime.budget",
    "BudgetReached": "errors",
    "Citation": "types",
    "Claim": "types",
    "Column": "types",
    "Components": "runtime.components",
    "DataError": "errors",
    "Dataset": "protocols",
    "DuplicateDetector": "protocols",
    "Example": "types",
    "Gold": "types",
    "Hit": "types",
    "HopweaveError": "errors",
    "LanguageModel": "protocols",
    "Message": "types",
    "Method": "protocols",
    "MethodContext": "protocols",
    "MethodError": "errors",
    "Metric": "protocols",
    "MissingExtra": "errors",
    "ModelError": "errors",
    "ModelReader": "protocols",
    "ModelRetriever": "protocols",
    "Observer": "trace",
    "OnText": "protocols",
    "ParseError": "errors",
    "Passage": "types",
    "Question": "types",
    "ReadError": "errors",
    "Reader": "protocols",
    "Reading": "types",
    "Record": "trace",
    "Reply": "types",
    "Retriever": "protocols",
    "RunError": "errors",
    "Samples": "protocols",
    "Sampling": "types",
    "SearchError": "errors",
    "Settings": "settings",
    "SettingsError": "errors",
    "Span": "types",
    "Usage": "types",
    "Verdict": "types",
    "Weaver": "weaver",
    "Workbench": "runtime.workbench",
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
