"""The steps of a trace, and the events that observers receive."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Protocol

from pydantic import AliasChoices, Discriminator, Field

from hopweave.core.errors import RunError
from hopweave.core.types import Reading, Reply, Sampling, ToolCall, Usage, Via
from hopweave.record.failures import Failure

READER = "reader"
"""The purpose of a call that reads a passage."""
OFFLINE = "offline"
"""The label of the decision under which `Workbench.offline` records the work that a run does once for all its questions."""
CHECK = "check"
"""The label of the decision with the outcome of the check of an answer (`check = "more"`)."""
READ_AGAIN = "read_again"
"""The purpose of the calls of that check: the answer does not depend on them."""


Ids = Annotated[tuple[str, ...], Field(exclude_if=operator.not_)]
"""Texts that are left out of the JSON if there are none."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Circumstances of a call that do not affect its content.

    Attributes:
        started_seconds: since the question was started.
        seconds: duration, including waiting and retries.
        from_store: answered by the store instead of the endpoint.
        attempts: the number of attempts.
        is_merged: answered by an identical call of another question (or branch) that was in progress or, in an offline stage,
            already made; `seconds` are those of that call.
    """

    started_seconds: float
    seconds: float
    from_store: bool = False
    attempts: int = 1
    is_merged: bool = False


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call of the language model.

    Attributes:
        messages: positions in `Record.messages`.
        sample: numbers identical calls from 0.
        is_shared: drawn by the same request as the preceding call, which has the usage of that request.
        drawn_concurrently: a sample of the same draw as the preceding call, which did not wait for it.
        was: the model's reply, if it was replaced (`hopweave.record.changes`); `text` is then the replacement. Like the fields
            below, it is left out of the JSON if it is empty.
        thoughts: what the model thought before it replied, if the endpoint shows it; left out of the JSON if empty.
        tool_calls: the tools that it called; left out of the JSON if there are none.
    """

    id: int
    parent: int | None
    purpose: str
    messages: tuple[int, ...]
    sampling: Sampling
    sample: int
    text: str | None
    finish_reason: str
    usage: Usage
    error: Failure | None
    timing: Timing
    is_shared: bool = False
    drawn_concurrently: Annotated[bool, Field(validation_alias=AliasChoices("drawn_concurrently", "is_beside"))] = False
    was: Annotated[str | None, Field(exclude_if=lambda was: was is None)] = None
    thoughts: Annotated[str, Field(exclude_if=operator.not_)] = ""
    tool_calls: Annotated[tuple[ToolCall, ...], Field(exclude_if=operator.not_)] = ()
    kind: Literal["model_call"] = "model_call"


@dataclass(frozen=True, slots=True)
class Found:
    """A hit, by the id of its passage (the passage itself is in `Record.passages`).

    Attributes:
        passage_id: the id of the passage.
        score: higher is better; each retriever has its own scale.
        via: the other passage that led the retriever to it, if any; left out of the JSON if it is `None`.
    """

    passage_id: str
    score: float
    via: Annotated[Via | None, Field(exclude_if=lambda via: via is None)] = None


@dataclass(frozen=True, slots=True)
class Search:
    """A batch of queries sent to the retriever, with the hits of each query, best first.

    Attributes:
        is_rewritten: the retriever asked the model what to search for. Its queries to the engine are searches under this one,
            and those are counted.
        was: the method's queries, if they were replaced.
        forbidden: the passages that were hidden from this search.
        pinned: the passages that were put first.
    """

    id: int
    parent: int | None
    queries: tuple[str, ...]
    max_hits: int
    hits: tuple[tuple[Found, ...], ...]
    error: Failure | None
    timing: Timing
    is_rewritten: bool = False
    was: Ids = ()
    forbidden: Ids = ()
    pinned: Ids = ()
    kind: Literal["search"] = "search"


@dataclass(frozen=True, slots=True)
class Read:
    """A passage read for a query."""

    id: int
    parent: int | None
    query: str
    passage_id: str
    reading: Reading | None
    error: Failure | None
    timing: Timing
    kind: Literal["read"] = "read"


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that the method decided: a node, a branch, a verdict, a stop.

    Attributes:
        label: the kind of decision, from the method's own small vocabulary.
        text: one line for humans.
        data: the details, as JSON.
        after: the decisions that this one depended on, where steps form a graph.
    """

    id: int
    parent: int | None
    label: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    after: tuple[int, ...] = ()
    kind: Literal["decision"] = "decision"


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """Unparseable model output: the parser, the reason, and the text."""

    id: int
    parent: int | None
    parser: str
    reason: str
    text: str
    kind: Literal["parse_failure"] = "parse_failure"


AnyStep = ModelCall | Search | Read | Decision | ParseFailure
Step = Annotated[AnyStep, Discriminator("kind")]


@dataclass(frozen=True, slots=True)
class Started:
    """Notifies an observer that a step has started; the finished step follows under the same id."""

    id: int
    parent: int | None
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Notifies an observer of a piece of a model's reply as it arrives."""

    id: int
    text: str


Event = Started | TextPiece | AnyStep


class Observer(Protocol):
    """Receives each step of a question as it happens; a function with one argument is enough."""

    def __call__(self, event: Event, /) -> None:
        """Handles an event. An observer that raises is not called again, and the question continues."""


def passage_ids_of(step: AnyStep) -> Iterator[str]:
    """The passages that a step refers to."""
    match step:
        case Search():
            yield from (found.passage_id for of_one in step.hits for found in of_one)
        case Read():
            yield step.passage_id
        case _:
            pass


def check_in(steps: Sequence[AnyStep]) -> Mapping[str, Any] | None:
    """What came of the check of an answer (`hopweave.run.answer_check`), if there was one; methods have their own checks."""
    made = (step.data for step in reversed(steps) if isinstance(step, Decision) and step.label == CHECK)
    return next((data for data in made if "agrees_at_once" in data), None)


def call_step(
    step_id: int,
    parent: int | None,
    purpose: str,
    messages: tuple[int, ...],
    sampling: Sampling,
    sample: int,
    outcome: Reply | RunError,
    timing: Timing,
    *,
    lost: Usage | None = None,
    is_shared: bool = False,
    drawn_concurrently: bool = False,
    was: str | None = None,
) -> ModelCall:
    """A `ModelCall` from the result of a call; `lost` is the usage of a failed one, `was` the original of a replaced reply."""
    if isinstance(outcome, RunError):
        text, error, reply = None, Failure.of(outcome), Reply("", "error", lost or Usage())
    else:
        text, error, reply = outcome.text, None, outcome
    return ModelCall(
        step_id,
        parent,
        purpose,
        messages,
        sampling,
        sample,
        text,
        reply.finish_reason,
        reply.usage,
        error,
        timing,
        is_shared,
        drawn_concurrently,
        was,
        reply.thoughts,
        reply.tool_calls,
    )
