"""The changes by which a record branches from an earlier one, and the steps of a record that can be changed."""

from __future__ import annotations

from collections.abc import Iterator

from hopweave.record import Change, ModelCall, Record, Search
from hopweave.show.plain import cut, one_line

MAX_CHARACTERS = 160


def change_lines(record: Record) -> list[str]:
    """A line for each change, in the order in which they were made; none for a record that is not a branch."""
    titles = {passage.id: passage.title or passage.id for passage in record.passages}
    return [_line(change, titles) for change in record.branch.changes] if record.branch is not None else []


def _line(change: Change, titles: dict[str, str]) -> str:
    title = f'"{_short(titles.get(change.passage, change.passage))}"'
    match change.change:
        case "reply":
            said = f'answered "{_short(change.now)}" in place of "{_short(change.was)}"'
        case "query":
            said = f'searched for "{_short(change.now)}" in place of "{_short(change.was)}"'
        case "forbid":
            said = f"{title} forbidden from there on"
        case "pin":
            said = f"{title} pinned as the first hit"
    return f"step {change.step}: {said}"


def changeable_steps(record: Record) -> Iterator[tuple[int, str, str]]:
    """Yields the number, kind and text of each step that a change can name."""
    for step in record.steps:
        if isinstance(step, ModelCall) and step.text is not None:
            yield step.id, "answer", _short(step.text)
        elif isinstance(step, Search):
            yield step.id, "search", _short(" | ".join(step.queries))
            for passage_id in dict.fromkeys(hit.passage_id for hits in step.hits for hit in hits):
                yield step.id, "passage", _short(passage_id)


def _short(text: str) -> str:
    return cut(one_line(text), MAX_CHARACTERS)
