"""A cross-encoder trained on duplicate questions reads both queries at once, as SearChain's authors did"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from hopweave.core.catalog import require
from hopweave.core.errors import SettingsError

NEEDS_EXTRA = "hf"


@dataclass(frozen=True, slots=True)
class CrossEncoderDuplicates:
    """Scores the new query against every earlier one, in one batch; the most likely one above the threshold is its duplicate.

    SearChain's released server uses a cross-encoder for Quora's duplicate questions with a threshold of 0.5.

    Raises:
        SettingsError: for a threshold that is not from 0 to 1.
    """

    model: Annotated[str, "a cross-encoder on the hub, or a folder: one output, a probability"] = (
        "cross-encoder/quora-distilroberta-base"
    )
    threshold: Annotated[float, "probability above which two queries are the same, 0 to 1"] = 0.5
    device: Annotated[str | None, "device such as cpu or cuda; chosen automatically by default"] = None
    _loaded: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise SettingsError(f"cross_encoder threshold is a probability from 0 to 1, not {self.threshold}")

    def duplicate_of(self, query: str, seen: Sequence[str]) -> int | None:
        if not seen:
            return None
        torch = require("torch", "hf")
        # The probability, whatever final activation the model's own configuration sets.
        scores = self._encoder().predict([(other, query) for other in seen], activation_fn=torch.nn.Sigmoid())
        best = max(range(len(seen)), key=lambda index: float(scores[index]))
        return best if float(scores[best]) > self.threshold else None

    def _encoder(self) -> Any:
        if "encoder" not in self._loaded:
            library = require("sentence_transformers", "hf")
            self._loaded["encoder"] = library.CrossEncoder(self.model, device=self.device, num_labels=1)
        return self._loaded["encoder"]
