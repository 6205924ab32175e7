"""Answers the question of an earlier record again with changes: steps before them are replayed, later ones are run again.

This works below the methods, by matching calls. A call that the earlier record contains before the first changed step gets the
recorded reply, without a model and regardless of the store; only a call that needs log-probabilities, which records leave out,
is answered by the store. A changed call gets the new words, a changed search the new query. Identical calls are told apart by
counting them. If the work diverges from the earlier record, that is noted in the trace as a `drift`.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.json_text import mapping_adapter, one_line_of_json
from hopweave.core.types import Answer, Claim, Hit, Message, Origin, Passage, Reply, Sampling, TokenLogprob, Usage
from hopweave.core.visibility import Visible
from hopweave.record import (
    AnyStep,
    Branch,
    Change,
    ModelCall,
    Read,
    Record,
    Search,
    Setup,
    changes_of,
)
from hopweave.run.store.store import Stored, key_of
from hopweave.text.matching import is_contained, normalize_answer

DRIFT = "drift"
"""The label of a decision that notes an unexpected divergence from the earlier record."""

_SHOWN = 80
_OF_THE_MODEL: tuple[Origin, ...] = ("model", "verified", "retrieved")

_INFINITE = {"Infinity": "inf", "-Infinity": "-inf", "NaN": "nan"}

Key = str | tuple[tuple[str, ...], int]
"""Identifies a call: the hash of a model's input; or the queries and the number of hits of a search."""


@dataclass(frozen=True, slots=True)
class Given:
    """The outcome of a call that is made without a model.

    Attributes:
        stored: the outcome, as if it came from the store.
        was: the words that were replaced, if the reply is not the model's.
    """

    stored: Stored
    was: str | None = None


@dataclass(frozen=True, slots=True)
class Searching:
    """A search with its changes applied.

    Attributes:
        queries: the queries to search for.
        was: the method's queries, if they differ.
        forbidden: ids of passages that are hidden.
        pinned: for each query, the passages that are put first.
        found_before: for each query, the ids that the earlier record found; `None` if different hits are expected.
    """

    queries: tuple[str, ...]
    was: tuple[str, ...] = ()
    forbidden: frozenset[str] = frozenset()
    pinned: tuple[tuple[Passage, ...], ...] = ()
    found_before: tuple[tuple[str, ...], ...] | None = None

    def depth(self, max_hits: int) -> int:
        """How many hits to request, so that enough remain."""
        return max_hits + len(self.forbidden)

    def shown(self, hits: Sequence[Sequence[Hit]], max_hits: int) -> list[list[Hit]]:
        """The hits that the method gets to see, at most `max_hits` for each query."""
        if not self.forbidden and not self.pinned:
            return [list(of_one) for of_one in hits]
        first = self.pinned or ((),) * len(hits)
        return [self._shown(of_one, pinned)[:max_hits] for of_one, pinned in zip(hits, first, strict=True)]

    def _shown(self, hits: Sequence[Hit], pinned: Sequence[Passage]) -> list[Hit]:
        best = max((hit.score for hit in hits), default=0.0)
        hidden = {*self.forbidden, *(passage.id for passage in pinned)}
        kept = [Hit(passage, best, 1) for passage in pinned] + [hit for hit in hits if hit.passage.id not in hidden]
        return [replace(hit, rank=rank) for rank, hit in enumerate(kept, start=1)]

    def ids_of(self, found: Sequence[Sequence[Hit]]) -> tuple[str, ...]:
        """The pinned passages that are among the hits."""
        shown = {hit.passage.id for hits in found for hit in hits}
        wanted = dict.fromkeys(passage.id for of_one in self.pinned for passage in of_one)
        return tuple(one for one in wanted if one in shown)


@dataclass(slots=True)
class _Held:
    """A change with its call and the number of identical calls before it; for `forbid`, the numbers of all earlier calls."""

    change: Change
    step: AnyStep
    key: Key | None
    before: Mapping[Key, int]
    has_taken_hold: bool = False

    def holds(self, key: Key, number: int) -> bool:
        """Whether the change applies to the `number`th call with that key, from 0."""
        return (self.key is None or self.key == key) and number >= self.before.get(key, 0)


@dataclass(slots=True)
class _Earlier:
    """The calls and searches of the record before the first change, by key, in order."""

    calls: dict[Key, list[ModelCall]] = field(default_factory=lambda: defaultdict(list))
    searches: dict[Key, list[Search]] = field(default_factory=lambda: defaultdict(list))


class Again:
    """An earlier record while its question is answered again.

    Args:
        record: the earlier record.
        changes: the changes, as in `hopweave.record.changes`. Changes that produced the record itself still apply.
        visible: the passages that the user may see; no others can be pinned.

    Raises:
        DataError: for a change that does not fit the record.
    """

    def __init__(self, record: Record, changes: Sequence[Change | Mapping[str, Any]], visible: Visible | None = None) -> None:
        self._record = record
        self._passages = {passage.id: passage for passage in record.passages}
        wanted = tuple(_checked(number, one, record) for number, one in enumerate(changes_of(changes), start=1))
        for change in wanted:
            self._check_passage(change, visible or Visible())
        kept = tuple(one for one in _carried(record) if not any(_same_place(one, other) for other in wanted))
        self.branch = Branch(record.fingerprint, (*kept, *wanted))
        self._keys = [_key(step, record) for step in record.steps]
        self._in_time = sorted((_started(step, record), step.id) for step in record.steps if self._keys[step.id] is not None)
        self._held = [self._hold(change) for change in self.branch.changes]
        self._earlier = _Earlier()
        for step in self._before(min(map(self._time_of, wanted))):
            key = self._keys[step.id]
            if isinstance(step, ModelCall) and key is not None:
                self._earlier.calls[key].append(step)
            elif isinstance(step, Search) and key is not None:
                self._earlier.searches[key].append(step)
        self._num_asked: Counter[Key] = Counter()
        self._put_in: list[tuple[str, str]] = []

    def given(self, messages: Sequence[Message], sampling: Sampling, sample: int) -> Given | None:
        """The outcome of a call if the model need not be asked; else `None`. It must be called exactly once per model call."""
        key = key_of("", messages, sampling, sample)
        number = self._count(key)
        earlier = self._earlier.calls.get(key, [])
        was = earlier[number] if number < len(earlier) else None
        held = self._last("reply", key, number)
        if held is not None:
            return self._edited(held, sampling)
        return None if was is None else _replayed(was)

    def searching(self, queries: Sequence[str], max_hits: int) -> Searching:
        """A search with its changes applied. It must be called exactly once per search."""
        key: Key = (tuple(queries), max_hits)
        number = self._count(key)
        forbidden = frozenset(held.change.passage for held in self._that_hold("forbid", key, number))
        edits = {held.change.was: held.change.now for held in self._that_hold("query", key, number)}
        asked = tuple(edits.get(query, query) for query in queries)
        pins = [held.change for held in self._that_hold("pin", key, number)]
        pinned = tuple(
            tuple(
                self._passages[pin.passage] for pin in pins if pin.was in ("", query, as_asked) and pin.passage not in forbidden
            )
            for query, as_asked in zip(asked, queries, strict=True)
        )
        earlier = self._earlier.searches.get(key, [])
        before = earlier[number] if number < len(earlier) else None
        return Searching(
            asked,
            tuple(queries) if asked != tuple(queries) else (),
            forbidden,
            pinned if any(pinned) else (),
            None if before is None or before.error else tuple(tuple(hit.passage_id for hit in of) for of in before.hits),
        )

    def missed(self) -> Iterator[tuple[Change, str]]:
        """Yields each change that was never applied, with a line that says so."""
        for held in self._held:
            if not held.has_taken_hold:
                change = held.change
                yield change, f"step {change.step} was not come to again, so its change ({change.change}) is not made"

    def origin_of(self, origin: str, said: str) -> str:
        """The origin of a statement, which is `yours` if its words replaced the model's."""
        is_yours = origin in _OF_THE_MODEL and said.strip() and any(_is_new(said, *words) for words in self._put_in)
        return "yours" if is_yours else origin

    def with_origins(self, answer: Answer) -> Answer:
        """The answer, with `yours` as the origin of claims whose words replaced the model's."""

        def settled(claim: Claim) -> Claim:
            return replace(claim, origin="yours") if self.origin_of(claim.origin, claim.text) == "yours" else claim

        return replace(answer, claims=tuple(map(settled, answer.claims)))

    def _edited(self, held: _Held, sampling: Sampling) -> Given:
        """The new words. The cost of the call stays the same, as for everything else that is replayed."""
        step, now, was = held.step, held.change.now, held.change.was
        usage, seconds = Usage(), 0.0
        if isinstance(step, ModelCall):
            usage, seconds, was = step.usage, step.timing.seconds, was if step.was is None else step.was
        self._put_in.append((now, was))
        return Given(Stored(Reply(now, usage=usage, logprobs=_sure(now, sampling)), None, seconds, 1), was)

    def _count(self, key: Key) -> int:
        self._num_asked[key] += 1
        return self._num_asked[key] - 1

    def _that_hold(self, change: str, key: Key, number: int) -> list[_Held]:
        found = [held for held in self._held if held.change.change == change and held.holds(key, number)]
        for held in found:
            held.has_taken_hold = True
        return found

    def _last(self, change: str, key: Key, number: int) -> _Held | None:
        return max(self._that_hold(change, key, number), key=lambda held: held.change.step, default=None)

    def _hold(self, change: Change) -> _Held:
        keys = (self._keys[step.id] for step in self._before(self._time_of(change)))
        before = Counter(key for key in keys if key is not None)
        step = self._record.steps[change.step]
        return _Held(change, step, None if change.change == "forbid" else self._keys[change.step], before)

    def _time_of(self, change: Change) -> tuple[float, int]:
        return _started(self._record.steps[change.step], self._record), change.step

    def _before(self, time: tuple[float, int]) -> Iterator[AnyStep]:
        """The steps that began earlier; step numbers do not show that, as branches may run concurrently."""
        return (self._record.steps[step_id] for started, step_id in self._in_time if (started, step_id) < time)

    def _check_passage(self, change: Change, visible: Visible) -> None:
        if not change.passage:
            return
        passage = self._passages.get(change.passage)
        if passage is None:
            raise DataError(f"the record has no passage {change.passage!r}; name one that one of its steps found")
        if change.change == "pin" and not visible.shows(passage):
            raise DataError(f"passage {change.passage!r} cannot be pinned, since it may not be shown to you; name another")


def check_same_setup(earlier: Setup, now: Setup) -> None:
    """Checks that an earlier record was made with the current setup, so that its calls can be replayed.

    Raises:
        SettingsError: if not, with what differs.
    """
    for name in ("method", "llm", "retriever", "reader"):
        was, here = getattr(earlier, name), getattr(now, name)
        if was != here:
            raise SettingsError(f"the record was made with the {name} {was!r}, not {here!r}; choose the same one")
    # In the form that JSON gives them, since the record may have been read from JSON.
    was, here = _plain(earlier.options), _plain(now.options)
    for name in sorted(was.keys() | here.keys()):
        if was.get(name) != here.get(name):
            raise SettingsError(
                f"the record was made with {name} = {was.get(name)!r} of {now.method}, and here it is {here.get(name)!r}; "
                f"set methods.{now.method}.{name}"
            )


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options in the form that they have in a record read from JSON, which has no infinity."""
    finite = {key: str(one) if isinstance(one, float) and not math.isfinite(one) else one for key, one in options.items()}
    shown = {key: _INFINITE.get(str(one), one) for key, one in finite.items()}
    return mapping_adapter().validate_json(one_line_of_json(mapping_adapter(), shown))


def _checked(number: int, change: Change, record: Record) -> Change:
    """A change that fits the record, with the original words filled in.

    Raises:
        DataError: if it does not.
    """
    if change.step >= len(record.steps):
        raise DataError(
            f"change {number} names step {change.step}, but the record's last step is {len(record.steps) - 1}; name another"
        )
    step = record.steps[change.step]
    if not _fits(change, step):
        needed = "a call of the model that was answered" if change.change == "reply" else "a search"
        raise DataError(f"change {number} ({change.change}) names step {change.step}, which is not {needed}; name another step")
    said = _said_at(step)
    if change.was and change.was not in said:
        there = " | ".join(said)[:_SHOWN]
        raise DataError(
            f"change {number}: at step {change.step} the record has {there!r}, not {change.was[:_SHOWN]!r}; look again"
        )
    if change.change == "query" and not change.was and len(said) > 1:
        raise DataError(f"change {number}: step {change.step} searched for several queries; say with 'was' which one is meant")
    return replace(change, was=_as_asked(change, step, said)) if change.change in ("reply", "query") else change


def _as_asked(change: Change, step: AnyStep, said: Sequence[str]) -> str:
    """The original words; for a query that was changed before, those of the method, by which the change is matched again."""
    was = change.was or said[0]
    return step.was[step.queries.index(was)] if isinstance(step, Search) and step.was else was


def _fits(change: Change, step: AnyStep) -> bool:
    match change.change:
        case "reply":
            return isinstance(step, ModelCall) and step.text is not None and step.sampling.max_tokens > 0
        case "query" | "pin":
            return isinstance(step, Search)
        case "forbid":
            return True


def _said_at(step: AnyStep) -> tuple[str, ...]:
    match step:
        case ModelCall():
            return (step.text or "",)
        case Search():
            return step.queries
        case Read():
            return (step.query,)
        case _:
            return (step.text,)


def _carried(record: Record) -> Iterator[Change]:
    """Yields the changes that produced the record itself, with its own step numbers."""
    forbidden: set[str] = set()
    for step in sorted(record.steps, key=lambda step: (_started(step, record), step.id)):
        match step:
            case ModelCall(was=str(was)):
                yield Change("reply", step.id, was, step.text or "")
            case Search():
                edits = zip(step.was, step.queries, strict=bool(step.was))
                yield from (Change("query", step.id, was, now) for was, now in edits if was != now)
                yield from (Change("pin", step.id, passage=passage_id) for passage_id in step.pinned)
                yield from (Change("forbid", step.id, passage=one) for one in step.forbidden if one not in forbidden)
                forbidden |= {*step.forbidden}
            case _:
                pass


def _started(step: AnyStep, record: Record) -> float:
    """When a step began; a decision, which takes no time, begins with the next call."""
    later = (one for one in record.steps[step.id :] if isinstance(one, ModelCall | Search | Read))
    call = next(later, None)
    return call.timing.started_seconds if call is not None else math.inf


def _same_place(one: Change, other: Change) -> bool:
    """Whether the later of two changes replaces the earlier one."""
    if (one.change, one.step) != (other.change, other.step):
        return False
    return one.passage == other.passage and (one.was == other.was or one.change == "reply")


def _key(step: AnyStep, record: Record) -> Key | None:
    match step:
        case ModelCall():
            return key_of("", [record.messages[index] for index in step.messages], step.sampling, step.sample)
        case Search():
            return step.was or step.queries, step.max_hits
        case _:
            return None


def _replayed(step: ModelCall) -> Given | None:
    """The outcome of a call of the earlier record; `None` if the record lacks part of it."""
    if step.error is not None:
        return Given(Stored(None, step.error, step.timing.seconds, step.timing.attempts))
    if step.sampling.top_logprobs and step.was is None:
        return None
    reply = Reply(
        step.text or "",
        step.finish_reason,
        step.usage,
        _sure(step.text or "", step.sampling),
        step.thoughts,
        step.tool_calls,
    )
    return Given(Stored(reply, None, step.timing.seconds, step.timing.attempts), step.was)


def _sure(text: str, sampling: Sampling) -> tuple[TokenLogprob, ...]:
    """Log-probabilities of 0 for each word of a text, if any are requested."""
    words = text.split() if sampling.top_logprobs else ()
    return tuple(TokenLogprob(word, 0.0, ((word, 0.0),)) for word in words)


def _is_new(said: str, now: str, was: str) -> bool:
    """Whether a statement occurs in the new words more often than in the old ones: then it may not be the model's."""
    needle = normalize_answer(said)
    return bool(needle) and _num_in(needle, now) > _num_in(needle, was)


def _num_in(needle: str, text: str) -> int:
    found = re.findall(rf"(?<!\w){re.escape(needle)}(?!\w)", normalize_answer(text))
    return len(found) or int(is_contained(needle, text))
