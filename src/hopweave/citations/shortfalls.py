"""Why a claim is not supported, and that an answer is not certain, in words for users."""

from __future__ import annotations

from collections.abc import Mapping

from hopweave.core.types import Answer, Shortfall, Verdict

IN_WORDS: Mapping[Shortfall, str] = {
    "words": "no passage that was found has its words",
    "bare": "it is a bare yes or no, or repeats the question, and no passage states that as the answer",
    "subject": "the sentence that has its words does not name what was asked about",
    "relation": "the sentence that has its words does not say what was asked",
    "kind": "it is not the kind of answer that was asked for",
    "denial": "the sentence that has its words says so with a “not” where the answer has none, or the other way round",
    "hedge": "the sentence that has its words leaves open whether it is so",
    "rival": "another sentence that was found says something else",
    "premise": "a step that it rests on is not supported",
    "check": "the method's own check of it failed",
}
"""Each reason as the end of a sentence such as "The answer is not supported: ..."."""

UNCERTAIN = "Found in a passage, not certain"
"""What is said of an answer that is supported, but not certain enough for a tick."""
_AGREED = {True: "read once more, the facts gave the same answer", False: "read once more, the facts gave another answer"}


def why_unsupported(answer: Answer) -> str:
    """Why the claim that carries an answer is not supported, in words; empty if it is, or if there is none."""
    carrier = answer.carrier
    if carrier is None or carrier.support == "supported":
        return ""
    return IN_WORDS[carrier.shortfall or ("check" if carrier.citations else "words")]  # records of 0.3.0 have no reason


def certainty_in_words(verdict: Verdict) -> str:
    """How certain an answer is, such as "confidence 0.73", and what came of the check; empty without both."""
    confidence = f"confidence {verdict.confidence:.2f}" if verdict.confidence is not None else ""
    return "; ".join(filter(None, [confidence, _AGREED[verdict.agreed] if verdict.agreed is not None else ""]))
