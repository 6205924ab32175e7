"""Selects the passages of an index that have to be rewritten, so that the engine no longer counts deleted ones.

The engine marks deleted passages, and counts them in document frequencies, mean lengths and the number of passages until it
merges their segment, which may never happen. So segments with many of them, or with few passages at all, are rewritten
whenever a state is published: of what the engine counts, at most one in `LIVE_PER_DELETED` is deleted, and none where
no segment with deletions has more than `FEW` passages.
"""

from __future__ import annotations

from pathlib import Path

from hopweave.core.files import read_json, read_whole

LIVE_PER_DELETED = 20
"""The maximum number of passages that are rewritten for a deleted one."""

FEW = 2_000
"""Up to this many passages of a segment are always rewritten: it takes about half a second."""


def worn_segments(data: Path) -> set[int]:
    """The segments whose passages have to be rewritten, by their numbers in the addresses of passages.

    Args:
        data: folder of the engine's files, as of its last commit.
    """
    worn = set()
    for place, segment in enumerate(read_json(read_whole(data / "meta.json"))["segments"]):
        num_deleted = segment["deletes"]["num_deleted_docs"] if segment["deletes"] else 0
        num_live = segment["max_doc"] - num_deleted
        if num_deleted and num_live <= max(FEW, LIVE_PER_DELETED * num_deleted):
            worn.add(place)
    return worn
