"""A calibration that gives every answer the same confidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from hopweave.record.confidence import SCHEMA, Calibration, Guarantee, Weight
from hopweave.record.signals import SIGNALS

METHODS = ("direct_retrieval",)


def calibration(
    confidence: float, threshold: float, *, llm: str, methods: Sequence[str] = ("direct_retrieval",)
) -> Calibration:
    """One for answers of a model with some methods."""
    return Calibration(
        schema=SCHEMA,
        llm=llm,
        methods=tuple(methods),
        num_labels=60,
        num_right=40,
        intercept=math.log(confidence / (1 - confidence)),
        weights={name: Weight(0.0, 1.0, 0.0) for name in SIGNALS},
        threshold=threshold,
        wanted=0.85,
        guarantee=Guarantee(30, 29, 0.85, 0.95),
        ece=0.0,
        brier=0.0,
    )


def calibration_file(path: Path, confidence: float, threshold: float, *, llm: str) -> str:
    """The file of such a calibration."""
    path.write_text(calibration(confidence, threshold, llm=llm).to_json(), encoding="utf-8")
    return str(path)
