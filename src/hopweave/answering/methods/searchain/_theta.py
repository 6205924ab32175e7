"""The threshold of a reader's confidence: the scale depends on the reader, and so does a threshold on it."""

from __future__ import annotations

from hopweave.core.protocols import Calibrated, ModelReader, Reader

_EVEN = 0.0


def theta_for(reader: Reader | ModelReader | None, chosen: float | None) -> float:
    """The threshold as chosen, else that of the reader; 0 if it has none."""
    if chosen is not None:
        return chosen
    return reader.theta if isinstance(reader, Calibrated) else _EVEN


def theta_note(method: str, reader: Reader | ModelReader | None, chosen: float | None) -> str:
    """A warning if threshold and reader do not match; otherwise empty."""
    if reader is None:
        return ""
    name = reader.identity.partition("(")[0]
    if not isinstance(reader, Calibrated):
        if chosen is not None:
            return ""
        return (
            f"the reader {name} does not say which theta belongs to its f, so {_EVEN:g} is taken; "
            f"choose one with hopweave calibrate, and set methods.{method}.theta"
        )
    if chosen is None or chosen == reader.theta:
        return ""
    return (
        f"theta = {chosen:g} is not the threshold of the reader {name}, which is {reader.theta:g} on another scale of f: "
        f"answers may never be corrected, or always; leave methods.{method}.theta out or, if it was chosen for this reader, "
        f"set readers.{name}.theta = {chosen:g}"
    )
