"""How many questions a run asked concurrently, and what that means for its seconds."""

from __future__ import annotations

from hopweave.evaluation.integrity.manifest import Manifest
from hopweave.evaluation.runs.folder import RunFolder


def questions_at_a_time(run: RunFolder) -> int | None:
    """The most questions that any session asked concurrently; `None` where that is not recorded.

    Shards may have run at the same time, so their numbers are added up.

    Raises:
        DataError: if the manifest cannot be read.
    """
    manifest = Manifest.read(run.path)
    most: dict[str, int] = {}
    for session in manifest.sessions if manifest is not None else ():
        if session.parallel is None:
            return None
        most[session.shard] = max(most.get(session.shard, 0), session.parallel)
    return sum(most.values()) if most else None


def caveat_of_seconds(run: RunFolder) -> str:
    """The caveat on the seconds of a run; empty where each question was asked alone.

    Raises:
        DataError: if the manifest cannot be read.
    """
    number = questions_at_a_time(run)
    if number is not None and number <= 1:
        return ""
    if number is None:
        said = "How many questions were asked at a time is not recorded, so seconds may include queueing time"
    else:
        said = f"Seconds were measured with up to {number:,} questions at a time and include queueing time"
    return f"{said}; measure with --parallel 1 for comparable seconds."
