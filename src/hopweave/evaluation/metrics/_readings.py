"""The reader's confidence in what an answer cites."""

from __future__ import annotations

from hopweave.record import Decision, Read, Record


def reading_confidences(record: Record) -> list[list[float]]:
    """For each claim with citations that were read for its query, the confidences of these readings, on the reader's scale."""
    readings = {
        (step.query, step.passage_id): step.reading.confidence
        for step in record.steps
        if isinstance(step, Read) and step.reading is not None
    }
    claims = record.answer.claims if record.answer is not None else ()
    of_claims = [
        [readings[claim.query, cited.passage_id] for cited in claim.citations if (claim.query, cited.passage_id) in readings]
        for claim in claims
    ]
    return [confidences for confidences in of_claims if confidences]


def theta_of(record: Record) -> float | None:
    """The confidence threshold that the method used, according to its decisions; `None` if there is none."""
    found = (step.data.get("theta") for step in record.steps if isinstance(step, Decision))
    return next((float(theta) for theta in found if isinstance(theta, int | float)), None)
