"""The critical path of a record: the steps that no amount of parallelism could have shortened.

Calls recorded under the same step run in sequence, except for the samples of one draw: they come together, in one request or
concurrently, and take as long as the longest of them. The decisions under a decision labelled `graph` run in parallel, except
that each waits for those that it names in `after`. An offline stage does not belong to the question and takes no time.
Everything is computed from the steps, so nothing is stored in the record, and a sequential run has the critical path that it
would have had in parallel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hopweave.record import OFFLINE, Decision, ModelCall, Read, Record, Search, Step

GRAPH = "graph"


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """The longest path through the calls of a record.

    Attributes:
        seconds: duration of the calls on it; anything else is not counted.
        steps: ids of the graph decisions on it, in order; those of a child graph follow the decision it belongs to.
        total_seconds: of all calls, run one after another; here, too, the samples of a draw count once.
    """

    seconds: float
    steps: tuple[int, ...]
    total_seconds: float


def critical_path(record: Record) -> CriticalPath:
    """The critical path of a record."""
    children: dict[int | None, list[int]] = {}
    for step in record.steps:
        children.setdefault(step.parent, []).append(step.id)
    ways: dict[int, CriticalPath] = {}
    # Parents come before children, so in reverse order every child is known before its parent.
    for step in reversed(record.steps):
        below = children.get(step.id, [])
        ways[step.id] = _of_step(step, [record.steps[child] for child in below], ways)
    return _in_a_row(_each([record.steps[top] for top in children.get(None, [])], ways))


def _each(below: Sequence[Step], ways: Mapping[int, CriticalPath]) -> list[CriticalPath]:
    """The paths of steps; consecutive samples of one draw count as one: the longest."""
    found: list[CriticalPath] = []
    for before, step in zip([None, *below], below, strict=False):
        if _is_of_one_draw(before, step):
            found[-1] = max(found[-1], ways[step.id], key=lambda way: way.seconds)
        else:
            found.append(ways[step.id])
    return found


def _is_of_one_draw(before: Step | None, step: Step) -> bool:
    if not isinstance(step, ModelCall) or not isinstance(before, ModelCall):
        return False
    is_next = before.messages == step.messages and before.sample < step.sample  # the first of a draw may have been cancelled
    return is_next and (step.drawn_concurrently or step.is_shared)


def _of_step(step: Step, below: Sequence[Step], ways: Mapping[int, CriticalPath]) -> CriticalPath:
    if isinstance(step, Search) and step.is_rewritten:  # its queries are processed in parallel
        longest = max((ways[other.id] for other in below), key=lambda way: way.seconds, default=_in_a_row([]))
        return CriticalPath(longest.seconds, longest.steps, sum(ways[other.id].total_seconds for other in below))
    if isinstance(step, ModelCall | Search | Read):  # a reader's model calls are part of the reading
        return CriticalPath(step.timing.seconds, (), step.timing.seconds)
    if isinstance(step, Decision) and step.label == OFFLINE:
        return _in_a_row([])
    if isinstance(step, Decision) and step.label == GRAPH:
        return _side_by_side(below, ways)
    return _in_a_row(_each(below, ways))


def _in_a_row(ways: Sequence[CriticalPath]) -> CriticalPath:
    return CriticalPath(
        math.fsum(way.seconds for way in ways),
        tuple(step for way in ways for step in way.steps),
        math.fsum(way.total_seconds for way in ways),
    )


def _side_by_side(below: Sequence[Step], ways: Mapping[int, CriticalPath]) -> CriticalPath:
    """The longest chain of the decisions by `after`; of two equally long ones, the one that was recorded first."""
    best = CriticalPath(0.0, (), 0.0)
    until: dict[int, CriticalPath] = {}
    for step in below:
        own = ways[step.id]
        waited_for = [until[other] for other in step.after if other in until] if isinstance(step, Decision) else []
        before = max(waited_for, key=lambda way: way.seconds, default=CriticalPath(0.0, (), 0.0))
        until[step.id] = CriticalPath(before.seconds + own.seconds, (*before.steps, step.id, *own.steps), 0.0)
        if until[step.id].seconds > best.seconds:
            best = until[step.id]
    return CriticalPath(best.seconds, best.steps, sum(way.total_seconds for way in _each(below, ways)))
