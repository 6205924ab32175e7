"""How many questions a run asked at a time, and what its seconds are worth for that."""

from __future__ import annotations

from hopweave.evaluation.integrity.manifest import Manifest
from hopweave.evaluation.runs.folder import RunFolder


def questions_at_a_time(run: RunFolder) -> int | None:
    """The most questions that any session asked at a time; `None` where that is not recorded.

    Shards may have been worked at the same time, so their numbers are added up.

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
    """What must be said of the seconds of a run; empty where each question was asked alone.

    Raises:
        DataError: if the manifest cannot be read.
    """
    number = questions_at_a_time(run)
    if number is not None and number <= 1:
        return ""
    if number is None:
        said = "How many questions were asked at a time is not recorded, so seconds may hold waiting for one another"
    else:
        said = f"Seconds were measured with up to {number:,} questions at a time, and waiting for one another is in them"
    return f"{said}; seconds to compare are measured with --parallel 1."
