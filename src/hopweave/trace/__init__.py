"""What happened while a question was answered: the trace, and the record that keeps it.

A `Trace` is written by the workbench, step by step. When the question is done it becomes a `Record`: one line of JSON that
holds everything needed to draw, score, check or replay the run. Clock readings are kept apart in `Timing`, so that two runs
can be compared by `Record.fingerprint`, which is the same exactly when everything but the clock is the same.
"""

from __future__ import annotations

import hashlib
import logging
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Discriminator, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from hopweave.errors import DataError, MethodError, ReplayMiss, RunError
from hopweave.grounding.marking import verdict_of, verdict_problems
from hopweave.trace.earlier_schemas import FIRST, from_first
from hopweave.types import Answer, Citation, Hit, Message, Passage, Question, Reading, Reply, Sampling, Usage

SCHEMA = "hopweave.record/2"

READER = "reader"
"""The purpose of a call that reads a passage."""

OFFLINE = "offline"
"""The label of the decision under which `Workbench.offline` files what a run does once for all its questions."""

Rounds = Literal["block", "per_call"]

_LOG = logging.getLogger(__name__)
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Timing:
    """Circumstances of a call that do not touch its content.

    Attributes:
        started_seconds: since the question was taken up.
        seconds: how long it took, waiting and retries included.
        from_store: answered by the store instead of the endpoint.
        attempts: how often it was tried.
        is_merged: answered by an equal call of another question (or branch), which was under way or, in an offline stage,
            made before; `seconds` are of that call.
    """

    started_seconds: float
    seconds: float
    from_store: bool = False
    attempts: int = 1
    is_merged: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call or a question failed: the name of the error's class, its message, and whether trying again may help."""

    kind: str
    message: str
    retryable: bool = False

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """The failure that an error stands for."""
        return cls(type(error).__name__, whole(str(error)), isinstance(error, RunError) and error.retryable)


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call of the language model.

    Attributes:
        messages: positions in `Record.messages`.
        sample: counts equal calls from 0.
        is_shared: drawn by the same request as the call before it, which holds the usage of that request.
        is_beside: a sample of the same draw as the call before it, which did not wait for that one.
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
    is_beside: bool = False
    kind: Literal["model_call"] = "model_call"


@dataclass(frozen=True, slots=True)
class Found:
    """A hit, by the id of its passage (the passage itself is in `Record.passages`)."""

    passage_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Search:
    """A batch of queries sent to the retriever, with the hits of each query, best first.

    Attributes:
        is_rewritten: the retriever asked the model what to search for. What it then sent to the engine are searches under this
            one, and it is those that are counted.
    """

    id: int
    parent: int | None
    queries: tuple[str, ...]
    max_hits: int
    hits: tuple[tuple[Found, ...], ...]
    error: Failure | None
    timing: Timing
    is_rewritten: bool = False
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
        label: what kind of decision, from the method's own small vocabulary.
        text: one line for people.
        data: the particulars, as JSON.
        after: the decisions that this one had to wait for, where steps form a graph.
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
    """Words of the model that could not be read: which parser, why, and the words."""

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
    """Tells an observer that a step has begun; the finished step follows under the same id."""

    id: int
    parent: int | None
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Tells an observer of a piece of a model's reply as it arrives."""

    id: int
    text: str


Event = Started | TextPiece | AnyStep
Observer = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over a trace. Words are split at white space; `prompt_words` counts all that was sent, each time it was sent.

    `llm_calls` are requests, `completions` the replies that they were for: several samples may come of one request. Words and
    tokens of a prompt are of the same requests. `estimated_tokens` are those, in and out, that no endpoint counted.
    """

    llm_calls: int
    completions: int
    llm_failures: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    estimated_tokens: int
    prompt_words: int
    reply_words: int
    searches: int
    queries: int
    reads: int
    parse_failures: int
    llm_seconds: float
    search_seconds: float


@dataclass(frozen=True, slots=True)
class Setup:
    """All that a run depends on besides the question: enough to run it again.

    Attributes:
        version: of hopweave.
        method: name of the method, and `options` its options in full.
        llm: identity of the model; `retriever` and `reader` likewise, empty if there is none.
        prompts: fingerprint of each prompt that was filled.
        budget: limits of the question; a limit that is absent is not set.
        settings: the settings as given, secrets left out.
    """

    version: str
    method: str
    options: Mapping[str, Any]
    llm: str
    retriever: str = ""
    reader: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict)
    budget: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """One question, answered or failed, with everything that happened.

    Attributes:
        schema: version of this layout; a record of another version is refused by name.
        question: what was asked.
        answer: what came out; `None` exactly when `error` is set.
        error: why there is no answer.
        setup: what the run depends on.
        messages: every distinct message that was sent, once.
        passages: every passage that was found, once.
        steps: in order, parents before children; those of an offline stage are among them, see `offline_steps`.
        started_at: when, as an ISO 8601 time in UTC.
        seconds: how long it took, an offline stage left out.
    """

    # JSON has no word for infinity: a limit or an option that is infinite is written as a string, and read back as a number.
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(ser_json_inf_nan="strings")

    schema: str
    question: Question
    answer: Answer | None
    error: Failure | None
    setup: Setup
    messages: tuple[Message, ...]
    passages: tuple[Passage, ...]
    steps: tuple[Step, ...]
    started_at: str
    seconds: float

    def to_json(self) -> str:
        """The record as one line of JSON."""
        return one_line_of_json(_record_adapter(), self)

    @classmethod
    def from_json(cls, line: str) -> Record:
        """Reads a record back and checks that it holds together: the citations still quote their passages, the verdict follows.

        A record of the first schema is read as `hopweave.trace.earlier_schemas` says.

        Raises:
            DataError: for another schema, a damaged line, steps that do not fit together, a citation that does not hold, or a
                verdict that does not follow from the claims.
        """
        try:
            read = _mapping_adapter().validate_json(line)
            schema = read.get("schema")
            if schema not in (SCHEMA, FIRST):
                raise DataError(
                    f"this record has schema {schema!r}; this version of hopweave reads {SCHEMA!r} and {FIRST!r}: "
                    "update hopweave"
                )
            record = _record_adapter().validate_json(line) if schema == SCHEMA else _of_first_schema(read)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the line"
            raise DataError(f"not a record: {where}: {first['msg']}; restore the file or run the question again") from None
        for problem in (*record._shape_problems(), *record.citation_problems(), *record._verdict_problems()):
            raise DataError(f"the record of question {record.question.id!r} was altered: {problem}; run the question again")
        return record

    def passage(self, passage_id: str) -> Passage:
        """The passage of that id.

        Raises:
            KeyError: if the record holds none.
        """
        for passage in self.passages:
            if passage.id == passage_id:
                return passage
        raise KeyError(passage_id)

    def citation_problems(self) -> Iterator[str]:
        """Yields one line for each citation whose quote is not what stands in its passage."""
        if self.answer is not None:
            yield from citation_problems(self.answer, {passage.id: passage.text for passage in self.passages})

    def cited_passages(self) -> tuple[tuple[Citation, Passage], ...]:
        """Each citation of the answer with the passage that it quotes, in the order of the claims; none without an answer."""
        held = {passage.id: passage for passage in self.passages}
        citations = self.answer.citations if self.answer is not None else ()
        return tuple((citation, held[citation.passage_id]) for citation in citations)

    def _verdict_problems(self) -> Iterator[str]:
        if self.answer is not None:
            yield from verdict_problems(self.answer)

    def _shape_problems(self) -> Iterator[str]:
        if (self.answer is None) == (self.error is None):
            yield "it must hold either an answer or an error"
        known = {passage.id for passage in self.passages}
        for position, step in enumerate(self.steps):
            if step.id != position or not (step.parent is None or 0 <= step.parent < position):
                yield f"step {position} is not in its place"
            if isinstance(step, ModelCall) and not all(0 <= index < len(self.messages) for index in step.messages):
                yield f"step {position} refers to a message that is not in the record"
            if isinstance(step, Decision) and not all(0 <= other < len(self.steps) for other in step.after):
                yield f"step {position} refers to a step that is not in the record"
            if not known.issuperset(_passage_ids(step)):
                yield f"step {position} refers to a passage that is not in the record"

    @property
    def offline_steps(self) -> tuple[AnyStep, ...]:
        """What a run does once and its questions share, such as writing demonstrations; each record tells of it."""
        within = self._offline_ids()
        return tuple(step for step in self.steps if step.id in within)

    @property
    def own_steps(self) -> tuple[AnyStep, ...]:
        """The steps that are of this question alone: all but `offline_steps`."""
        within = self._offline_ids()
        return tuple(step for step in self.steps if step.id not in within) if within else self.steps

    def _offline_ids(self) -> set[int]:
        within: set[int] = set()
        for step in self.steps:
            if step.parent in within or (isinstance(step, Decision) and step.label == OFFLINE):
                within.add(step.id)
        return within

    def totals(self, *, offline: bool = False) -> Totals:
        """Sums over the steps; nothing here is stored, so nothing can disagree with the steps.

        Args:
            offline: over `offline_steps` instead of `own_steps`.
        """
        counts: Counter[str] = Counter()
        seconds = dict.fromkeys(("llm", "search"), 0.0)
        words = [len(message.text.split()) for message in self.messages]
        for step in self.offline_steps if offline else self.own_steps:
            counts[step.kind] += 1
            match step:
                case Search(is_rewritten=True):
                    counts["search"] -= 1
                case ModelCall():
                    counts["llm_calls"] += not step.is_shared
                    counts["llm_failures"] += step.text is None and not step.is_shared
                    counts["prompt_tokens"] += step.usage.prompt_tokens
                    counts["completion_tokens"] += step.usage.completion_tokens
                    counts["cached_tokens"] += step.usage.cached_tokens
                    if step.usage.is_estimated:
                        counts["estimated_tokens"] += step.usage.prompt_tokens + step.usage.completion_tokens
                    counts["prompt_words"] += sum(words[index] for index in step.messages) if _was_sent(step) else 0
                    counts["reply_words"] += len((step.text or "").split())
                    seconds["llm"] += 0.0 if step.is_shared else step.timing.seconds
                case Search():
                    counts["queries"] += len(step.queries)
                    seconds["search"] += step.timing.seconds
                case _:
                    pass
        return Totals(
            llm_calls=counts["llm_calls"],
            completions=counts["model_call"],
            llm_failures=counts["llm_failures"],
            prompt_tokens=counts["prompt_tokens"],
            completion_tokens=counts["completion_tokens"],
            cached_tokens=counts["cached_tokens"],
            estimated_tokens=counts["estimated_tokens"],
            prompt_words=counts["prompt_words"],
            reply_words=counts["reply_words"],
            searches=counts["search"],
            queries=counts["queries"],
            reads=counts["read"],
            parse_failures=counts["parse_failure"],
            llm_seconds=seconds["llm"],
            search_seconds=seconds["search"],
        )

    def num_rounds(self, mode: Rounds = "block") -> int:
        """Rounds of retrieval.

        Args:
            mode: `block` counts each stretch of searches between two calls of the model as one round, however many queries
                it sent; calls of a reader, which belong to a search, part nothing. `per_call` counts every query, as ToQD's
                released code does. Where the model rewrites queries, what is sent to the engine counts. Branches that ran
                side by side count as if they had run one after the other, so that a replay counts the same.
        """
        if mode == "per_call":
            return self.totals().queries
        kinds = [
            step.kind
            for step in self.own_steps
            if (isinstance(step, Search) and not step.is_rewritten) or (isinstance(step, ModelCall) and step.purpose != READER)
        ]
        return sum(kind == "search" and (index == 0 or kinds[index - 1] != "search") for index, kind in enumerate(kinds))

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of everything but the clock: equal for a run and its replay."""
        still = Timing(0.0, 0.0)
        steps = tuple(replace(s, timing=still) if isinstance(s, ModelCall | Search | Read) else s for s in self.steps)
        return hashlib.sha256(replace(self, steps=steps, started_at="", seconds=0.0).to_json().encode()).hexdigest()


class Trace:
    """Gathers the steps of one question and tells observers of each as it happens.

    Steps are numbered as they begin. Where branches ran side by side that order depends on the clock, so `finish` numbers
    steps, messages and passages anew along the tree of parents, which does not: see `under`. What began and never ended (a
    call that was cancelled) is left out, and what was filed under it goes to the step above.

    An observer watches and decides nothing: one that raises is told no more, which is logged, and the question goes on.
    """

    def __init__(self, observers: Sequence[Observer] = ()) -> None:
        self._observers = list(observers)
        self._steps: dict[int, AnyStep] = {}
        self._parents: dict[int, int | None] = {}
        self._num_begun = 0
        self._messages: dict[Message, int] = {}
        self._passages: dict[str, Passage] = {}
        self._parent: ContextVar[int | None] = ContextVar("parent", default=None)
        self._start = time.perf_counter()
        self._seconds_aside = 0.0
        self.prompts: dict[str, str] = {}

    def seconds(self) -> float:
        """Seconds since the question was taken up."""
        return time.perf_counter() - self._start

    def set_aside(self, seconds: float) -> None:
        """Takes seconds that have passed off those that the question took: they were of an offline stage."""
        self._seconds_aside += seconds

    @property
    def is_observed(self) -> bool:
        """Whether anybody listens."""
        return bool(self._observers)

    @property
    def parent(self) -> int | None:
        """The step under which new steps are filed, in the current task."""
        return self._parent.get()

    @contextmanager
    def under(self, parent: int) -> Iterator[None]:
        """Files what begins inside the block under a step. Tasks started inside inherit it.

        Branches that run side by side each need a step of their own to be filed under, decided before the branch first waits:
        that is what makes the record the same whichever finishes first.
        """
        token = self._parent.set(parent)
        try:
            yield
        finally:
            self._parent.reset(token)

    def begin(self, kind: str, label: str) -> int:
        """Numbers a step that begins now."""
        step_id = self._take_id()
        self._tell(Started(step_id, self.parent, kind, label))
        return step_id

    def piece(self, step_id: int, text: str) -> None:
        """Passes a piece of a reply on to the observers."""
        self._tell(TextPiece(step_id, text))

    def end(self, step: ModelCall | Search | Read) -> None:
        """Files a step that has ended."""
        self._steps[step.id] = step
        self._tell(step)

    def decide(self, label: str, text: str, data: Mapping[str, Any], after: Sequence[int] = ()) -> int:
        """Files a decision and returns its id.

        Args:
            label: what kind of decision.
            text: one line for people.
            data: the particulars, kept as JSON keeps them: a number that is none (NaN, infinity) becomes null.
            after: the decisions that this one had to wait for.

        Raises:
            MethodError: if the data cannot be JSON.
        """
        try:
            plain = _mapping_adapter().validate_json(one_line_of_json(_mapping_adapter(), dict(data))) if data else {}
        except PydanticSerializationError as error:
            raise MethodError(f"the data of the decision {label!r} cannot be kept as JSON: {error}") from None
        step = Decision(self._take_id(), self.parent, label, text, plain, tuple(after))
        self._steps[step.id] = step
        self._tell(step)
        return step.id

    def unread(self, parser: str, reason: str, text: str) -> None:
        """Files words of the model that could not be read."""
        step = ParseFailure(self._take_id(), self.parent, parser, reason, text)
        self._steps[step.id] = step
        self._tell(step)

    def keep_messages(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """Positions of the messages in the record, which holds each distinct one once."""
        return tuple(self._messages.setdefault(message, len(self._messages)) for message in messages)

    def keep_hits(self, hits: Sequence[Hit]) -> tuple[Found, ...]:
        """Refers to hits by id; their passages go into the record once."""
        for hit in hits:
            self._passages.setdefault(hit.passage.id, hit.passage)
        return tuple(Found(hit.passage.id, float(hit.score)) for hit in hits)

    def keep_passage(self, passage: Passage) -> None:
        """Puts a passage into the record."""
        self._passages.setdefault(passage.id, passage)

    def passage(self, passage_id: str) -> Passage | None:
        """The passage of that id, if it was found or read."""
        return self._passages.get(passage_id)

    def readings_of(self, query: str) -> dict[str, Reading]:
        """What the reader has made of passages for a query so far, by the id of the passage; of several the surest."""
        found: dict[str, Reading] = {}
        for step in self._steps.values():
            if isinstance(step, Read) and step.query == query and step.reading is not None:
                other = found.get(step.passage_id)
                if other is None or step.reading.confidence > other.confidence:
                    found[step.passage_id] = step.reading
        return found

    def finish(self, question: Question, setup: Setup, started_at: str, answer: Answer | None, error: Failure | None) -> Record:
        """The record of the question; the verdict of its answer is made here, whatever the method says."""
        if answer is not None:
            answer = replace(answer, verdict=verdict_of(answer))
        steps = _along_the_tree(self._steps, self._parents)
        steps, messages = _with_messages_in_order(steps, tuple(self._messages))
        in_steps = dict.fromkeys(passage_id for step in steps for passage_id in _passage_ids(step))
        passage_ids = (*in_steps, *sorted(self._passages.keys() - in_steps.keys()))
        return Record(
            schema=SCHEMA,
            question=question,
            answer=answer,
            error=error,
            setup=replace(setup, prompts=dict(sorted(self.prompts.items()))),
            messages=messages,
            passages=tuple(self._passages[passage_id] for passage_id in passage_ids),
            steps=steps,
            started_at=started_at,
            seconds=self.seconds() - self._seconds_aside,
        )

    def _take_id(self) -> int:
        step_id = self._num_begun
        self._num_begun += 1
        self._parents[step_id] = self.parent
        return step_id

    def _tell(self, event: Event) -> None:
        for observer in tuple(self._observers):
            try:
                observer(event)
            except Exception:  # noqa: BLE001 - whatever is wrong with who watches must not change what is watched
                self._observers.remove(observer)
                _LOG.warning("an observer failed and is told no more", exc_info=True)


def whole(text: str) -> str:
    """The text with each half of a surrogate pair (for which UTF-8 has no bytes) replaced by U+FFFD."""
    return text if text.isascii() else _HALF_A_PAIR.sub("\ufffd", text)


def one_line_of_json(adapter: TypeAdapter[Any], value: Any) -> str:
    """A value as JSON, of the types that the adapter says.

    Raises:
        PydanticSerializationError: if something in it is of another type.
    """
    try:
        return adapter.dump_json(value, warnings="error").decode()
    except PydanticSerializationError:
        # A passage or a path may hold half of a surrogate pair, for which UTF-8 has no bytes. One character for another keeps
        # every offset.
        return _mapping_adapter().dump_json(_with_whole_texts(adapter.dump_python(value, warnings="error"))).decode()


def _with_whole_texts(value: Any) -> Any:
    match value:
        case str():
            return whole(value)
        case float() if not math.isfinite(value):
            return str(value)
        case dict():
            return {_with_whole_texts(key): _with_whole_texts(item) for key, item in value.items()}
        case list() | tuple():
            return [_with_whole_texts(item) for item in value]
        case _:
            return value


def citation_problems(answer: Answer, texts: Mapping[str, str]) -> Iterator[str]:
    """Yields one line for each citation that does not hold.

    Args:
        answer: whose citations to check.
        texts: of the passages, by id.
    """
    against = (claim.contradicted_by for claim in answer.claims)
    for citation in (*answer.citations, *filter(None, against)):
        text, focus = texts.get(citation.passage_id), citation.focus
        if text is None:
            yield f"citation [{citation.mark}] names passage {citation.passage_id!r}, which is not in the record"
        elif not 0 <= citation.start < citation.end <= len(text) or text[citation.start : citation.end] != citation.quote:
            yield f"citation [{citation.mark}] does not quote passage {citation.passage_id!r}"
        elif focus is not None and not citation.start <= focus.start < focus.end <= citation.end:
            yield f"citation [{citation.mark}] has its focus outside of its quote"


def _was_sent(step: ModelCall) -> bool:
    """Whether its prompt was sent, so that words and tokens are of the same requests."""
    is_missed = step.error is not None and step.error.kind == ReplayMiss.__name__
    return step.usage.prompt_tokens > 0 or not (step.is_shared or is_missed)


def _passage_ids(step: AnyStep) -> Iterator[str]:
    match step:
        case Search():
            yield from (found.passage_id for of_one in step.hits for found in of_one)
        case Read():
            yield step.passage_id
        case _:
            pass


def _with_messages_in_order(
    steps: tuple[AnyStep, ...], messages: tuple[Message, ...]
) -> tuple[tuple[AnyStep, ...], tuple[Message, ...]]:
    """Numbers the messages in the order in which the steps refer to them; those of calls that never ended fall out."""
    places: dict[int, int] = {}

    def renumbered(step: AnyStep) -> AnyStep:
        if not isinstance(step, ModelCall):
            return step
        in_order = tuple(places.setdefault(index, len(places)) for index in step.messages)
        return step if in_order == step.messages else replace(step, messages=in_order)

    in_order = tuple(map(renumbered, steps))
    return in_order, tuple(messages[index] for index in places)


def _along_the_tree(steps: Mapping[int, AnyStep], parents: Mapping[int, int | None]) -> tuple[AnyStep, ...]:
    above: dict[int, int | None] = {}
    children: dict[int | None, list[int]] = {}
    for step_id in sorted(steps):
        parent = steps[step_id].parent
        while parent is not None and parent not in steps:
            parent = parents.get(parent)
        above[step_id] = parent
        children.setdefault(parent, []).append(step_id)
    order: list[int] = []
    waiting = list(reversed(children.get(None, [])))
    while waiting:
        step_id = waiting.pop()
        order.append(step_id)
        waiting.extend(reversed(children.get(step_id, [])))
    new_id = {old: new for new, old in enumerate(order)}
    renumbered = []
    for old in order:
        step, above_it = steps[old], above[old]
        parent = None if above_it is None else new_id[above_it]
        if (step.id, step.parent) != (new_id[old], parent):
            step = replace(step, id=new_id[old], parent=parent)
        if isinstance(step, Decision) and step.after:
            step = replace(step, after=tuple(new_id[other] for other in step.after if other in new_id))
        renumbered.append(step)
    return tuple(renumbered)


def _of_first_schema(read: Mapping[str, Any]) -> Record:
    record = _record_adapter().validate_json(_mapping_adapter().dump_json(from_first(read, SCHEMA)))
    answer = record.answer
    return record if answer is None else replace(record, answer=replace(answer, verdict=verdict_of(answer)))


@cache
def _record_adapter() -> TypeAdapter[Record]:
    return TypeAdapter(Record)


@cache
def _mapping_adapter() -> TypeAdapter[dict[str, Any]]:
    return TypeAdapter(dict[str, Any])  # what is no number becomes null


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
    is_beside: bool = False,
) -> ModelCall:
    """A `ModelCall` from what came of it; `lost` is the usage of one that failed."""
    if isinstance(outcome, RunError):
        text, reason, usage, error = None, "error", lost or Usage(), Failure.of(outcome)
    else:
        text, reason, usage, error = outcome.text, outcome.finish_reason, outcome.usage, None
    return ModelCall(
        step_id, parent, purpose, messages, sampling, sample, text, reason, usage, error, timing, is_shared, is_beside
    )
