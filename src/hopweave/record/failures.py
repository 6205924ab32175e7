"""Failures of calls and questions: what failed and what to do, in the same words wherever they are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hopweave.core.characters import whole
from hopweave.core.errors import RunError


class _Said(NamedTuple):
    """What is said of a class of errors.

    Attributes:
        what: failed, as a clause.
        to_do: an imperative; empty if the messages of these errors end with it.
        is_in_message: whether the messages already say what failed.
    """

    what: str
    to_do: str = ""
    is_in_message: bool = True


_SAID: Mapping[str, _Said] = {
    "ModelError": _Said(
        "the language model failed", "see whether it works with: hopweave doctor --llm NAME", is_in_message=False
    ),
    "SearchError": _Said("the search failed", "try the same query alone with: hopweave search", is_in_message=False),
    "ReadError": _Said("reading the passages failed", "check the reader, or name another with --reader", is_in_message=False),
    "ParseError": _Said(
        "the reply of the language model could not be read",
        "look at the reply with: hopweave show; a larger model keeps to the form more often",
        is_in_message=False,
    ),
    "ReplayMiss": _Said("a reply is not in the store, and no model may be called", "run it once without --replay"),
    "MethodError": _Said("the method broke", "correct the method if it is your own; otherwise report it"),
    "BudgetReached": _Said("a limit of the budget was reached", "allow more, for example with --max-llm-calls"),
    "DatabaseError": _Said("a database that is needed cannot be used"),
    "DataError": _Said("something that is needed cannot be read"),
    "SettingsError": _Said("a setting does not fit"),
    "MissingExtra": _Said("an optional library is not installed"),
    "RunError": _Said("the question could not be answered"),
    "HopweaveError": _Said("the question could not be answered"),
}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call or a question failed: the name of the error's class, its message, and whether a retry may help."""

    kind: str
    message: str
    retryable: bool = False

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """The failure that an error represents."""
        return cls(type(error).__name__, whole(str(error)), isinstance(error, RunError) and error.retryable)

    @property
    def in_words(self) -> str:
        """What failed, and how, for a person; the class is named only if it is none of hopweave's."""
        said = _SAID.get(self.kind, _Said(self.kind, is_in_message=False))
        return self.message if said.is_in_message else f"{said.what}: {self.message}"


def what_failed(kind: str) -> str:
    """What failed, as a clause, by the name of the error's class; it is named only if it is none of hopweave's."""
    return _SAID[kind].what if kind in _SAID else f"an unexpected error came up ({kind})"


def what_to_do(kind: str) -> str:
    """What to do about errors of a class, as an imperative; empty if their messages say it, or nobody knows."""
    return _SAID[kind].to_do if kind in _SAID else ""


def failures_in_words() -> dict[str, dict[str, str]]:
    """For each of hopweave's errors, by the name of its class, `what` failed and what `to_do`."""
    return {kind: {"what": said.what, "to_do": said.to_do} for kind, said in _SAID.items()}
