"""The roles that components play: one verb each, so that a newcomer can add a component with a single file.

Engines (retrievers, readers) are plain functions over batches: the workbench collects requests from waiting coroutines and runs
them off the event loop. A component that itself uses a language model is instead given the workbench, or its `Ask`, so that its
calls are recorded, cached and counted like any other.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, runtime_checkable
from weakref import WeakKeyDictionary

from hopweave.core.errors import BudgetReached
from hopweave.core.types import Abilities, Answer, Example, Hit, Message, Passage, Question, Reading, Reply, Sampling, Span

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from hopweave.core.prompt import Prompt

OnText = Callable[[str], None]
"""Called with each piece of a reply as it arrives."""

Ask = Callable[[Sequence[Message], Sampling], Awaitable[Reply]]
"""A model call that is already recorded, cached and within the budget."""

T = TypeVar("T")

_KINDS: WeakKeyDictionary[type, dict[object, bool]] = WeakKeyDictionary()


def is_part(part: object, protocol: Callable[..., T]) -> TypeIs[T]:
    """`isinstance` for a protocol, cached per class: a check takes 20 microseconds and is made for every text.

    Args:
        part: the object that may implement it.
        protocol: the protocol class; mypy does not accept a protocol as `type[T]`.
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
        """Names the weights or the endpoint: equal identities give interchangeable replies. It never contains a secret."""

    @property
    def abilities(self) -> Abilities:
        """What this endpoint can do."""

    async def reply(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None) -> Reply:
        """Replies once.

        Args:
            messages: the conversation; a final assistant message is a prefill to continue.
            sampling: the decoding parameters.
            on_text: if given, called with each piece as it arrives.

        Raises:
            ModelError: with `retryable` set if a retry can help. Retrying is the workbench's job.
        """

    async def close(self) -> None:
        """Releases connections, processes and memory."""


@runtime_checkable
class Opens(Protocol):
    """A language model that takes a while to start. Optional: callers that time replies open the model before the first."""

    async def open(self) -> None:
        """Loads weights or sets up connections, so that the first reply is no slower than later ones; idempotent.

        Raises:
            HopweaveError: what the first reply would raise.
        """


@runtime_checkable
class Probes(Protocol):
    """A language model whose abilities are fully known only once its endpoint was asked. Optional: see `Weaver.answer`."""

    async def probe(self) -> None:
        """Finds out what is unknown about the abilities, within seconds and at most once; without an answer, they stay.

        Callers await it before a method reads `abilities`. It raises nothing: what is wrong, the first reply says.
        """


@runtime_checkable
class ManyReplies(Protocol):
    """A language model that can draw several replies in one request. Optional: see `Workbench.samples`."""

    async def replies(self, messages: Sequence[Message], sampling: Sampling, num: int) -> list[Reply]:
        """Draws `num` replies to the same conversation. The first reply's usage covers the whole request.

        Raises:
            ModelError: with `retryable` set if a retry can help; also if the endpoint returns fewer.
        """


@runtime_checkable
class TokenCounter(Protocol):
    """A language model that can count tokens. Optional: see `Workbench.count_tokens`."""

    async def count_tokens(self, text: str) -> int:
        """The number of this model's tokens in a text, excluding chat markup.

        Raises:
            ModelError: with `retryable` set if a retry can help.
        """


@runtime_checkable
class TextScorer(Protocol):
    """A language model that can score a given text. Optional: see `Workbench.score_text`."""

    async def score_text(self, prompt: str, text: str) -> Reply:
        """The log-probability of each token of a text that directly follows a prompt.

        Both are read verbatim, without chat markup. A token that spans both counts as part of the text.

        Args:
            prompt: at least one character.
            text: at least one character; where words are separated by spaces, it starts with the space.

        Returns:
            A reply with empty text and the `logprobs` of the text's tokens, whose concatenation contains the text.

        Raises:
            ModelError: with `retryable` set if a retry can help; also if the endpoint cannot score a given text.
        """


@runtime_checkable
class Retriever(Protocol):
    """Finds passages."""

    @property
    def identity(self) -> str:
        """Names the engine, its options and the fingerprint of its corpus."""

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """Finds the best passages for each query, best first; fewer than `max_hits`, or none, if there are no more.

        Raises:
            SearchError: when the engine fails. A query without hits gives an empty list.
        """

    def close(self) -> None:
        """Releases files and memory."""


@runtime_checkable
class WordSearcher(Retriever, Protocol):
    """A retriever that searches for words. Optional: if nothing is found, the record says whether the query had any words."""

    def has_terms(self, query: str) -> bool:
        """Whether a query contains more than stop words and punctuation. Called after a search has succeeded."""


@runtime_checkable
class ModelRetriever(Protocol):
    """A retriever that asks the language model what to search for, and searches with an underlying plain retriever."""

    @property
    def identity(self) -> str:
        """Names its options and its prompts; the underlying engine has its own identity."""

    @property
    def engine(self) -> str:
        """The name of the underlying plain retriever."""

    async def search_with(self, workbench: MethodContext, query: str, max_hits: int) -> list[Hit]:
        """Finds the best passages for one query, as `Retriever.search` does.

        Args:
            workbench: its `search` goes to the underlying engine. Everything done here is recorded under the search.
            query: the original query.
            max_hits: the maximum number of passages.

        Raises:
            RunError: whatever a call raises, `BudgetReached` included, is passed on.
        """


@runtime_checkable
class Reader(Protocol):
    """Extracts the answer to a query from a passage."""

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
        """Reads one passage for a query. Same errors as in `Reader.read`."""


@runtime_checkable
class ExcerptReader(ModelReader, Protocol):
    """A model reader that shows the model an excerpt of a long passage. Optional."""

    async def check_with(self, ask: Ask, query: str, passage: Passage, answer: str, *, is_small: bool) -> Reading:
        """As `ModelReader.read_with`; the arguments beyond those are as in `excerpt`, with which the model is asked."""

    def excerpt(self, query: str, passage: Passage, answer: str = "", words: Span | None = None, *, is_small: bool) -> str:
        """The text that the model is shown: part of the passage, or all of it.

        Args:
            query: the query.
            passage: the passage.
            answer: the answer that is to be checked, if there is one; the sentence with its words is in the excerpt.
            words: a position in the passage's text that must be in the excerpt, such as that of a reading.
            is_small: whether the model is small (`Abilities.is_small`).
        """


@runtime_checkable
class Calibrated(Protocol):
    """A reader with a known confidence threshold. Optional; methods without a `theta` of their own use it."""

    @property
    def theta(self) -> float:
        """The threshold that was tuned for it: f above it counts as confident."""


@runtime_checkable
class DuplicateDetector(Protocol):
    """Decides whether a query was asked before in other words."""

    def duplicate_of(self, query: str, seen: Sequence[str]) -> int | None:
        """Position in `seen` of the query that this one repeats, or `None`."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Replies that were drawn for the same messages, in order; fewer than requested if a limit was `reached`."""

    replies: tuple[Reply, ...]
    reached: BudgetReached | None = None


class MethodContext(Protocol):
    """Everything that a method, or a retriever that asks the model, may use while answering a question.

    All calls are recorded, stored, counted against the budget and retried where that may help.
    """

    @property
    def abilities(self) -> Abilities:
        """What the model's endpoint can do."""

    @property
    def sampling(self) -> Sampling:
        """The sampling to start from: temperature, top_p and seed as the user set them."""

    @property
    def limits(self) -> Mapping[str, float]:
        """The question's limits that are set, by name: `max_llm_calls`, `max_tokens`, `max_searches`, `max_seconds`."""

    @property
    def num_searches_left(self) -> int | None:
        """The number of queries that the budget still allows; `None` if unlimited."""

    @property
    def has_retriever(self) -> bool:
        """Whether there is a corpus to search."""

    @property
    def reader(self) -> Reader | ModelReader | None:
        """The reader, for its own properties, such as its threshold (`Calibrated`); use `read` to call it."""

    async def reply(
        self, messages: Sequence[Message], *, purpose: str, sampling: Sampling | None = None, sample: int = 0
    ) -> Reply:
        """Asks the language model.

        Args:
            messages: the conversation; a final assistant message is a prefill.
            purpose: the purpose of the call, in a word or two; recorded in the trace.
            sampling: defaults to `self.sampling`.
            sample: numbers repeated draws of the same call, from 0, so that each has its own entry in the store.

        Raises:
            ModelError: once retries are exhausted.
            BudgetReached: if the question may not make this call, or ran out of time during it.
            ReplayMiss: in replay, if it is not in the store.
        """

    async def samples(
        self, messages: Sequence[Message], num: int, *, purpose: str, sampling: Sampling | None = None
    ) -> Samples:
        """Draws several replies to the same messages: in one request if the endpoint can, else in concurrent requests.

        Every sample has its own entry in the store and its own step. With a seed, each is drawn with a different seed.

        Args:
            messages: as for `reply`.
            num: the number of replies.
            purpose: as for `reply`.
            sampling: as for `reply`.

        Returns:
            All of them, or as many as the budget allows.

        Raises:
            ModelError, ReplayMiss: as in `reply`, if any sample fails.
            BudgetReached: if the question may not draw a single one.
        """

    async def score_text(self, prompt: str, text: str, *, purpose: str) -> Reply:
        """Asks how likely a given text is, if `abilities.scores` says that the model can tell; see `TextScorer.score_text`.

        It is a model call like any other: recorded with prompt and text as its messages, stored, counted and retried.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as in `reply`.
        """

    async def count_tokens(self, text: str) -> int:
        """The number of the model's tokens in a text. It is not a model call: it costs no budget and adds no step.

        A model that can count (`TokenCounter`) is asked once per text: the store keeps the count, so that a replay needs no
        model. For any other model it is estimated: one token per 3 characters, rounded up.

        Raises:
            ModelError: once retries are exhausted.
            BudgetReached: if the question ran out of time.
            ReplayMiss: in replay, if the count is not in the store.
        """

    async def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """Searches for several queries in one batch; one list of hits per query, best first.

        A retriever that asks the model handles the queries concurrently; what it does is recorded under the search.

        Raises:
            SearchError: if the engine fails; ModelError if a retriever that asks the model cannot.
            BudgetReached: if the question may not send that many queries.
        """

    async def read(self, query: str, passage: Passage, *, answer: str = "") -> Reading:
        """Extracts the answer to a query from a passage.

        Args:
            query: the query.
            passage: the passage.
            answer: the answer that is to be checked against the reading, if there is one. It only decides which part of a long
                passage an `ExcerptReader` shows.

        Raises:
            ReadError: if the reader fails; ModelError if a reader that asks the model cannot.
            BudgetReached: if the question's time or calls are used up.
        """

    def readings_of(self, query: str) -> list[tuple[Passage, Reading]]:
        """What the reader has extracted for a query so far; for repeated readings of a passage, the most confident one."""

    async def duplicate_of(self, query: str, seen: Sequence[str]) -> int | None:
        """Position in `seen` of the query that this one repeats, or `None`.

        Raises:
            RunError: if the detector fails.
            SettingsError: if there is no detector.
        """

    async def side_by_side(self, work: Sequence[Callable[[], Coroutine[Any, Any, T]]], *, in_turn: bool = False) -> list[T]:
        """Runs several coroutines concurrently and returns their results, in order.

        If calls, tokens or searches are limited, which of them are cut off must not depend on timing: they then run one at a
        time, as with `in_turn`. So anything that depends on another must come after it.

        Raises:
            Exception: if several fail, bugs take precedence over failed calls.
        """

    def fill(self, prompt: Prompt, **values: str) -> str:
        """Fills a prompt and notes its fingerprint in the record.

        Raises:
            SettingsError: as in `Prompt.fill`.
        """

    def written_once(self, key: Hashable, write: Callable[[], T]) -> T:
        """Text built from prompts, such as demonstrations, built once for all questions.

        The prompts that it was filled from are noted in the record of every question.

        Args:
            key: everything that the result depends on.
            write: builds it with `fill`, and does nothing else. Its result is shared, so it must not be modified.
        """

    def decide(self, label: str, text: str, *, after: Sequence[int] = (), **data: Any) -> int:
        """Records a decision; the returned id can be a parent for `under`."""

    def under(self, step_id: int) -> AbstractContextManager[None]:
        """Records what starts inside the block under a step."""

    def parse_failed(self, parser: str, reason: str | Sequence[str], text: str) -> None:
        """Records model output that could not be parsed, each reason separately; it is counted, never scored as an answer."""

    def keep_passage(self, passage: Passage) -> None:
        """Adds to the record a passage that came with the question, and so was neither found nor read."""

    def offline(self, text: str) -> AbstractContextManager[MethodContext]:
        """A workbench for work that a method does once for all questions of a run, such as writing demonstrations.

        Every question runs this code, and its record includes it, under a decision `offline`. But a call or search that another
        question has already made is not repeated, whether or not there is a store. It is counted separately, in none of a
        question's totals, limits or timings. The stage has its own budget, equal to a question's limits.

        Args:
            text: the work, described in one line.
        """


@runtime_checkable
class Method(Protocol):
    """Answers a question. A method is a frozen dataclass whose fields are its options."""

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        """Answers the question with what the workbench offers, within its budget.

        Raises:
            RunError: whatever a call raises, `BudgetReached` included, may be passed on. `Weaver.answer` puts it in the record;
                a limit that was reached ends the question with an empty answer.
        """


@runtime_checkable
class Begins(Protocol):
    """A method whose prompts begin with turns that are the same for every question. Optional: see `hopweave models fetch`."""

    def beginnings(self, workbench: MethodContext) -> Sequence[Sequence[Message]]:
        """The turns before the last one of each of its prompts, for the model of the workbench, which is not called."""


@runtime_checkable
class Noting(Protocol):
    """A method that can detect options that do not suit the components. Optional: the caller warns about them once."""

    def notes_on(self, workbench: MethodContext) -> Sequence[str]:
        """One line for each mismatch, ending with what to do."""


@runtime_checkable
class Dataset(Protocol):
    """A source of questions with gold answers. A frozen dataclass whose fields are its options, including `path`."""

    def examples(self) -> Iterator[Example]:
        """Yields the examples in their fixed order.

        Raises:
            DataError: for an unusable row, with its file, line and reason; nothing is skipped silently.
            MissingExtra: if they come from a hub, without the library that loads them.
        """


@runtime_checkable
class OfficiallyScored(Protocol):
    """A dataset whose official script scores differently from the defaults of a metric. Optional."""

    OFFICIAL: ClassVar[Mapping[str, Mapping[str, Any]]]
    """The options with which a metric computes what the script does, by the name of the metric."""


@runtime_checkable
class PassageSource(Protocol):
    """A dataset whose rows include passages. Optional: see `hopweave corpus`."""

    def passages(self) -> Iterator[Passage]:
        """Yields every passage of every row, including duplicates, under the ids used in `Gold.passage_ids`.

        Raises:
            DataError: as in `Dataset.examples`.
            MissingExtra: as in `Dataset.examples`.
            SettingsError: if they are in a file of their own, and the options do not name it.
        """
