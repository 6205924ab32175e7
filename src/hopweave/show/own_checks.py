"""What a method's own checks found against its claims, from the steps of its record."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.citations.shortfalls import CHECK_FOUND
from hopweave.record import Decision, Step
from hopweave.show.plain import one_line
from hopweave.text.citation_marks import leading_mark


def own_checks(steps: Sequence[Step]) -> dict[int, str]:
    """What the checks found, on one line each, by the number of the claim; records up to 0.3.0 do not say it."""
    found: dict[int, str] = {}
    for step in steps:
        if isinstance(step, Decision) and step.label == "path" and (said := step.data.get(CHECK_FOUND)):
            number = leading_mark(step.text)
            if number is not None:
                found[number] = one_line(str(said))
    return found
