"""The roles that parts play: one verb each, so that a newcomer adds a part with one file.

Engines (retrievers, readers) are plain functions over batches: the workbench gathers what waiting coroutines ask for and runs
it off the event loop. A part that itself reasons with a language model is handed the `Ask` of the workbench, or a workbench,
instead, so that its calls are recorded, cached and counted like any other.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, runtime_checkable
from weakref import WeakKeyDictionary

from hopweave.errors import BudgetReached
from hopweave.types import Abilities, Answer, Column, Example, Hit, Message, Passage, Question, Reading, Reply, Sampling

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from hopweave.prompting.prompt import Prompt
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

    async def search_with(self, workbench: MethodContext, query: str, max_hits: int) -> list[Hit]:
        """Finds the best passages for one query, as `Retriever.search` does.

        Args:
            workbench: whose `search` goes to the engine underneath. It files all that is done here under the search.
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


@dataclass(frozen=True, slots=True)
class Samples:
    """Replies that were drawn for the same messages, in order; fewer than asked for where a limit was `reached`."""

    replies: tuple[Reply, ...]
    reached: BudgetReached | None = None


class MethodContext(Protocol):
    """All that a method, or a retriever that asks the model, may touch while it answers a question.

    Whatever it calls is recorded, kept in the store, counted against the budget and retried where that may help.
    """

    @property
    def abilities(self) -> Abilities:
        """What the model's endpoint can do."""

    @property
    def sampling(self) -> Sampling:
        """The sampling to start from: temperature, top_p and seed as the user set them."""

    @property
    def limits(self) -> Mapping[str, float]:
        """The limits of the question that are set, by name: `max_llm_calls`, `max_tokens`, `max_searches`, `max_seconds`."""

    @property
    def num_searches_left(self) -> int | None:
        """How many queries the budget still allows; `None` if any number."""

    @property
    def has_retriever(self) -> bool:
        """Whether there is a corpus to search."""

    @property
    def reader(self) -> Reader | ModelReader | None:
        """The reader, for what it says of itself, such as its threshold (`Calibrated`); `read` is how it is asked."""

    async def reply(
        self, messages: Sequence[Message], *, purpose: str, sampling: Sampling | None = None, sample: int = 0
    ) -> Reply:
        """Asks the language model.

        Args:
            messages: the conversation; a last turn of the assistant is a prefill.
            purpose: what the call is for, in a word or two; goes into the trace.
            sampling: defaults to `self.sampling`.
            sample: counts draws of the same call, so that each is its own entry in the store.

        Raises:
            ModelError: once retries are spent.
            BudgetReached: if the question may not make this call, or ran out of time during it.
            ReplayMiss: in replay, if the store does not hold it.
        """

    async def samples(
        self, messages: Sequence[Message], num: int, *, purpose: str, sampling: Sampling | None = None
    ) -> Samples:
        """Draws several replies to the same messages: in one request where the endpoint can, else in requests side by side.

        Every sample is its own entry in the store and its own step. With a seed, each is drawn under a seed of its own.

        Args:
            messages: as for `reply`.
            num: how many.
            purpose: as for `reply`.
            sampling: as for `reply`.

        Returns:
            All of them, or as many as the budget allows.

        Raises:
            ModelError, ReplayMiss: as `reply`, if any sample fails.
            BudgetReached: if the question may not draw a single one.
        """

    async def score_text(self, prompt: str, text: str, *, purpose: str) -> Reply:
        """Asks how likely given words are, where `abilities.scores` says that the model can; see `TextScorer.score_text`.

        It is a call of the model like any other: recorded with prompt and text as its messages, kept, counted and retried.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as `reply`.
        """

    async def count_tokens(self, text: str) -> int:
        """How many tokens of the model a text has. It is no call of the model: it costs no budget and leaves no step.

        A model that can count (`TokenCounter`) is asked, once for each text: the store keeps the count, so that a replay needs
        no model. For any other it is estimated: a token for every 3 characters, rounded up.

        Raises:
            ModelError: once retries are spent.
            BudgetReached: if the question ran out of time.
            ReplayMiss: in replay, if the store does not hold the count.
        """

    async def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """Searches for several queries in one batch; one list of hits a query, best first.

        A retriever that asks the model works on each query side by side; what it does is filed under the search.

        Raises:
            SearchError: if the engine fails; ModelError if a retriever that asks the model cannot.
            BudgetReached: if the question may not send so many queries.
        """

    async def read(self, query: str, passage: Passage) -> Reading:
        """Reads the answer to a query out of a passage.

        Raises:
            ReadError: if the reader fails; ModelError if a reader that asks the model cannot.
            BudgetReached: if the question's time, or its calls, are spent.
        """

    def readings_of(self, query: str) -> list[tuple[Passage, Reading]]:
        """What the reader has made of passages for a query so far; of several readings of a passage the surest."""

    async def duplicate_of(self, query: str, seen: Sequence[str]) -> int | None:
        """Position in `seen` of the query that this one repeats, or `None`.

        Raises:
            RunError: if the detector fails.
        """

    async def side_by_side(self, work: Sequence[Callable[[], Coroutine[Any, Any, T]]], *, in_turn: bool = False) -> list[T]:
        """Does several things side by side and hands back what each came to, in order.

        Where calls, tokens or searches are limited, which of them the limit cuts off must not hang on the clock: they then
        take turns, as they do `in_turn`. So what waits for another has to stand behind it.

        Raises:
            Exception: of several that fail side by side, what broke before what a call could not do.
        """

    def fill(self, prompt: Prompt, **values: str) -> str:
        """Fills a prompt and notes its fingerprint in the record."""

    def written_once(self, key: Hashable, write: Callable[[], T]) -> T:
        """What was written out of prompts, such as demonstrations, once for all questions.

        The prompts that it was filled from are noted in the record of every question.

        Args:
            key: all that the result hangs on.
            write: writes it with `fill`, and does nothing else. What it hands back is shared, and so must not change.
        """

    def decide(self, label: str, text: str, *, after: Sequence[int] = (), **data: Any) -> int:
        """Files a decision; the id that comes back can be a parent for `under`."""

    def under(self, step_id: int) -> AbstractContextManager[None]:
        """Files what begins inside the block under a step."""

    def parse_failed(self, parser: str, reason: str | Sequence[str], text: str) -> None:
        """Records model output that could not be parsed, each reason by itself; it is counted, never scored as an answer."""

    def keep_passage(self, passage: Passage) -> None:
        """Puts a passage into the record that was given with the question, and so neither found nor read."""

    def offline(self, text: str) -> AbstractContextManager[MethodContext]:
        """A workbench for what a method does once for all questions of a run, such as writing demonstrations.

        Every question goes through it, and its record tells of it, under a decision `offline`. But an equal call of another
        question, or an equal search, is not made again, whether or not there is a store. It is counted apart: in no total, no
        limit and no second of the question. The stage has the limits of a question for itself.

        Args:
            text: what is done, in one line.
        """


@runtime_checkable
class Method(Protocol):
    """Answers a question. A method is a frozen dataclass whose fields are its options."""

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        """Answers the question with what the workbench offers, within its budget."""


@runtime_checkable
class Noting(Protocol):
    """A method that can tell where its options and the parts do not fit. It is optional: whoever opens it says so once."""

    def notes_on(self, workbench: MethodContext) -> Sequence[str]:
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

    What `Metric.score` returns for each record then holds all that the figures are made of, so that they can be computed again
    for any part of the records, as a bootstrap needs it.
    """

    combined: ClassVar[Mapping[str, Column]]

    def combine(self, values: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
        """The figures of a set of records.

        A figure that cannot be computed is left out: there is no data, which is never 0.

        Args:
            values: what `score` returned, a mapping a record; records without data may be among them, as empty mappings.
        """
