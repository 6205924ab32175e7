"""Converts records of earlier schemas, as dictionaries, to the current one.

`hopweave.record/1` (up to version 0.1) had one `verdict` per claim, which combined its origin and its support, and none for the
answer. It becomes:

    known         origin model,     unsupported
    verified      origin verified,  supported if it has a citation, else unsupported
    corrected     origin corrected, likewise
    completed     origin completed, likewise
    contradicted  origin model,     unsupported (the contradicting passage was not stored)
    unsupported   origin model,     unsupported

The texts and their marks are kept, and claims that the method's own rule supported stay supported: nothing is judged again.
The verdict of the answer is computed from these claims. Decisions that had a verdict get both fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hopweave.core.types import Origin

FIRST = "hopweave.record/1"

_ORIGINS: Mapping[str, Origin] = {
    "known": "model",
    "verified": "verified",
    "corrected": "corrected",
    "completed": "completed",
    "contradicted": "model",
    "unsupported": "model",
}
_CHECKED = {"verified", "corrected", "completed"}


def from_first(record: Mapping[str, Any], schema: str) -> dict[str, Any]:
    """A record of the first schema in the layout of the current one, `schema`, except for the verdict of its answer."""
    answer = record.get("answer")
    changed: dict[str, Any] = {"schema": schema}
    if isinstance(answer, Mapping) and isinstance(answer.get("claims"), list):
        changed["answer"] = {**answer, "claims": [_claim(claim) for claim in answer["claims"]]}
    if isinstance(record.get("steps"), list):
        changed["steps"] = [_step(step) for step in record["steps"]]
    return {**record, **changed}


def _claim(claim: Any) -> Any:
    if not isinstance(claim, Mapping):
        return claim
    verdict = str(claim.get("verdict"))
    if verdict not in _ORIGINS:
        return {**claim, "origin": verdict}  # not a valid origin, so validation refuses it
    kept = {key: value for key, value in claim.items() if key != "verdict"}
    is_supported = verdict in _CHECKED and bool(claim.get("citations"))
    return {**kept, "origin": _ORIGINS[verdict], "support": "supported" if is_supported else "unsupported"}


def _step(step: Any) -> Any:
    data = step.get("data") if isinstance(step, Mapping) else None
    if not isinstance(data, Mapping) or data.get("verdict") not in _ORIGINS:
        return step
    verdict = data["verdict"]
    kept = {key: value for key, value in data.items() if key != "verdict"}
    both = {"origin": _ORIGINS[verdict], "support": "supported" if verdict in _CHECKED else "unsupported"}
    return {**step, "data": {**both, **kept}}
