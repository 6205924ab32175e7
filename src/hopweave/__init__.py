"""hopweave answers questions that need several hops of evidence, and ties every claim to an exact span of a passage."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopweave.core.errors import (
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
    from hopweave.core.protocols import (
        Ask,
        Dataset,
        DuplicateDetector,
        LanguageModel,
        Method,
        MethodContext,
        ModelReader,
        ModelRetriever,
        OnText,
        Reader,
        Retriever,
        Samples,
    )
    from hopweave.core.types import (
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
    from hopweave.evaluation.metric import Metric
    from hopweave.record import Observer, Record
    from hopweave.run.budget import Budget
    from hopweave.run.components import Components
    from hopweave.run.conversation import Turn, turn_of
    from hopweave.run.settings import Settings, read_settings
    from hopweave.run.weaver import Weaver, aask, ask
    from hopweave.run.workbench import Workbench

    __version__: str
else:

    def __getattr__(name: str) -> Any:
        # Names are imported when they are first used, so that `import hopweave` costs next to nothing. A type checker does not
        # see this, so it knows a name that is not there.
        if name in _HOME:
            return getattr(import_module(f"hopweave.{_HOME[name]}"), name)
        if name == "__version__":
            return import_module("importlib.metadata").version("hopweave")
        raise AttributeError(f"module 'hopweave' has no attribute {name!r}")


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
    "Turn",
    "Usage",
    "Verdict",
    "Weaver",
    "Workbench",
    "aask",
    "ask",
    "read_settings",
    "turn_of",
]

_NAMES = {
    "core.errors": (
        "BudgetReached DataError HopweaveError MethodError MissingExtra ModelError ParseError ReadError RunError "
        "SearchError SettingsError"
    ),
    "core.protocols": (
        "Ask Dataset DuplicateDetector LanguageModel Method MethodContext ModelReader ModelRetriever OnText "
        "Reader Retriever Samples"
    ),
    "run.budget": "Budget",
    "run.components": "Components",
    "run.workbench": "Workbench",
    "run.conversation": "Turn turn_of",
    "run.settings": "Settings read_settings",
    "evaluation.metric": "Metric",
    "record": "Observer Record",
    "core.types": (
        "Abilities Answer Citation Claim Column Example Gold Hit Message Passage Question Reading Reply Sampling Span "
        "Usage Verdict"
    ),
    "run.weaver": "Weaver aask ask",
}
"""The public names, by the module that they are in."""

_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}


def __dir__() -> list[str]:
    return sorted(__all__)
