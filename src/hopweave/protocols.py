"""The roles that parts play: one verb each, so that a newcomer adds a part with one file.

Engines (retrievers, readers) are plain functions over batches: the workbench gathers what waiting coroutines ask for and runs
it off the event loop. A part that itself reasons with a language model is handed the `Ask` of the workbench, or a workbench,
instead, so that its calls are recorded, cached and counted like any other.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar, runtime_checkable
from weakref import WeakKeyDictionary

from hopweave.types import Abilities, Answer, Column, Example, Hit, Message, Passage, Question, Reading, Reply, Sampling

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from hopweave.runtime.components import Parts
    from hopweave.runtime.workbench import Workbench
    from hopweave.trace import Record

OnText = Callable[[str], None]
"""Told of each piece of a reply as it arrives."""

Ask = Callable[[Sequence[Message], Sampling], Awaitable[Reply]]
"""A model call that is already recorded, cached and within the budget."""

T = TypeVar("T")

_KINDS: WeakKeyDictionary[type, dict[object, bool]] = WeakKeyDictionary()


def is_part(part: object, protocol: Callable[..., T]) -> TypeIs[T]:
    """`isinstance` for a protocol, looked up once for each class: it takes 20 microseconds, and is asked for every text.

    Args:
        part: that may keep it.
        protocol: the class itself; mypy takes no protocol for a `type[T]`.
    """
    known = _KINDS.setdefault(type(part), {})
    if protocol not in known:
        known[protocol] = isinstance(part, protocol)  # type: ignore[arg-type]
    return known[protocol]


@runtime_checkable
class LanguageModel(Protocol):
    """Replies to a conversation."""

    @property
    def identity(self) -> str:
        """Names the weights or the endpoint: equal identities give exchangeable replies. It never holds a secret."""

    @property
    def abilities(self) -> Abilities:
        """What this endpoint can do."""

    async def reply(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None) -> Reply:
        """Replies once.

        Args:
            messages: the conversation; a last turn of the assistant is a prefill to go on from.
            sampling: how to draw the reply.
            on_text: if given, told of each piece as it arrives.

        Raises:
            ModelError: with `retryable` set where trying again can help. Retrying is the workbench's business.
        """

    async def close(self) -> None:
        """Lets go of connections, processes and memory."""


@runtime_checkable
class Opens(Protocol):
    """A language model that takes a while to get ready. It is optional: who times replies opens the model before the first."""

    async def open(self) -> None:
        """Loads weights or sets up connections, so that the first reply takes no longer than others; twice is as once.

        Raises:
            HopweaveError: what the first reply would raise.
        """


@runtime_checkable
class ManyReplies(Protocol):
    """A language model that draws several replies in one request. It is optional: see `Workbench.samples`."""

    async def replies(self, messages: Sequence[Message], sampling: Sampling, num: int) -> list[Reply]:
        """Draws `num` replies to the same conversation. The first reply's usage is that of the whole request.

        Raises:
            ModelError: with `retryable` set where trying again can help; also if the endpoint sends fewer.
        """


@runtime_checkable
class TokenCounter(Protocol):
    """A language model that can say how long a text is. It is optional: see `Workbench.count_tokens`."""

    async def count_tokens(self, text: str) -> int:
        """How many tokens of this model a text has, without those that a conversation adds around it.

        Raises:
            ModelError: with `retryable` set where trying again can help.
        """


@runtime_checkable
class TextScorer(Protocol):
    """A language model that says how likely given words are. It is optional: see `Workbench.score_text`."""

    async def score_text(self, prompt: str, text: str) -> Reply:
        """The log-probability of each token of a text that stands right behind a prompt.

        Both are read as they stand, without the frame of a conversation. A token that belongs to both counts to the text.

        Args:
            prompt: at least one character.
            text: at least one character; where words are parted by blanks, it begins with the blank.

        Returns:
            A reply that says nothing, with `logprobs` of the tokens of the text, whose words put together hold the text.

        Raises:
            ModelError: with `retryable` set where trying again can help; also if the endpoint does not score given text.
        """


@runtime_checkable
class Retriever(Protocol):
    """Finds passages."""

    @property
    def identity(self) -> str:
        """Names the engine, its options and the fingerprint of its corpus."""

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """Finds the best passages for each query, best first; fewer than `max_hits`, or none, where there are no more.

        Raises:
            SearchError: when the engine fails. A query without a hit is an empty list.
        """

    def close(self) -> None:
        """Lets go of files and memory."""


@runtime_checkable
class ModelRetriever(Protocol):
    """A retriever that asks the language model what to search for, and searches with a plain retriever underneath."""

    @property
    def identity(self) -> str:
        """Names its options and its wording; the engine underneath names itself."""

    @property
    def engine(self) -> str:
        """The name of the plain retriever underneath."""

    async def search_with(self, bench: Workbench, query: str, max_hits: int) -> list[Hit]:
        """Finds the best passages for one query, as `Retriever.search` does.

        Args:
            bench: whose `search` goes to the engine underneath. It files all that is done here under the search.
            query: as it came.
            max_hits: how many passages at most.

        Raises:
            RunError: whatever a call raises, `BudgetReached` included, is passed on.
        """


@runtime_checkable
class Reader(Protocol):
    """Reads the answer to a query out of a passage."""

    @property
    def identity(self) -> str:
        """Names the reader and its options."""

    def read(self, pairs: Sequence[tuple[str, Passage]]) -> list[Reading]:
        """Reads each passage for its query.

        Raises:
            ReadError: when the reader fails. A passage without an answer is a `Reading` without a span.
        """


@runtime_checkable
class ModelReader(Protocol):
    """A reader that asks the language model."""

    @property
    def identity(self) -> str:
        """Names the reader and its options."""

    async def read_with(self, ask: Ask, query: str, passage: Passage) -> Reading:
        """Reads one passage for a query. Same errors as `Reader.read`."""


@runtime_checkable
class Calibrated(Protocol):
    """A reader that says from which f on it is to be believed. It is optional: see `methods._theta`."""

    @property
    def theta(self) -> float:
        """The threshold that was chosen for it: f above it counts as sure."""


@runtime_checkable
class DuplicateDetector(Protocol):
    """Tells whether a query was asked before in other words."""

    def duplicate_of(self, query: str, seen: Sequence[str]) -> int | None:
        """Position in `seen` of the query that this one repeats, or `None`."""


@runtime_checkable
class Method(Protocol):
    """Answers a question. A method is a frozen dataclass whose fields are its options."""

    async def answer(self, question: Question, workbench: Workbench) -> Answer:
        """Answers the question with what the workbench offers, within its budget."""


@runtime_checkable
class Noting(Protocol):
    """A method that can tell where its options and the parts do not fit. It is optional: whoever opens it says so once."""

    def notes_on(self, parts: Parts) -> Sequence[str]:
        """One line for each thing that does not fit, which ends with what to do."""


@runtime_checkable
class Dataset(Protocol):
    """A source of questions with gold. A dataset is a frozen dataclass whose fields are its options, `path` among them.

    Where its official script scores otherwise than the defaults of a metric, a class variable `OFFICIAL` gives the options that
    do, by name of the metric.
    """

    def examples(self) -> Iterator[Example]:
        """Yields the examples in their fixed order.

        Raises:
            DataError: for a row that cannot be used, with its file, line and reason; nothing is skipped silently.
        """


@runtime_checkable
class PassageSource(Protocol):
    """A dataset whose rows bring passages of their own. It is optional: see `hopweave corpus`."""

    def passages(self) -> Iterator[Passage]:
        """Yields every passage of every row, repetitions included, under the ids that `Gold.passage_ids` names.

        Raises:
            DataError: as `Dataset.examples`.
        """


@runtime_checkable
class Metric(Protocol):
    """Scores one record. A metric is a frozen dataclass whose fields are its options."""

    columns: ClassVar[Mapping[str, Column]]
    counts_failures: ClassVar[bool]

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        """The values of its columns for a record.

        A column that does not apply is left out: there is no data, which is never 0. Records that failed are scored only by
        metrics that count what was spent (`counts_failures`); for all others they count as the worst value of each column,
        without asking, unless the metric is `Selective` and does not apply to the question.

        Args:
            record: of the question.
            example: the question with its gold.

        Raises:
            DataError: where what it needs is there and cannot be used.
        """


@runtime_checkable
class Selective(Protocol):
    """A metric that needs something of the gold which not every question has. It is optional: others apply to all questions."""

    def applies_to(self, example: Example) -> bool:
        """Whether the gold of a question has what every value of the metric needs.

        Asked where the question failed, so that there is nothing to score: a question to which the metric does not apply is
        then no data, any other is wrong.
        """


@runtime_checkable
class Combining(Protocol):
    """A metric with figures of a whole cell that are no mean over its records, such as an AUROC or a baseline. It is optional.

    What `Metric.score` returns for each record then holds all that the figures are made of, so that they can be had again for
    any part of the records, as a bootstrap needs it.
    """

    combined: ClassVar[Mapping[str, Column]]

    def combine(self, values: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
        """The figures of a set of records.

        A figure that cannot be had is left out: there is no data, which is never 0.

        Args:
            values: what `score` returned, a mapping a record; records without data may be among them, as empty mappings.
        """
