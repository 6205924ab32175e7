"""Why a claim is not supported, and that an answer is not certain, in words for users."""

from __future__ import annotations

from collections.abc import Mapping

from hopweave.core.types import Answer, Claim, Shortfall, Standing, Verdict

IN_WORDS: Mapping[Shortfall, str] = {
    "words": "no passage that was found has its words",
    "bare": "it is a bare yes or no, or repeats the question, and no passage states that as the answer",
    "subject": "the sentence that has its words does not name what was asked about",
    "relation": "the sentence that has its words does not say what was asked",
    "kind": "it is not the kind of answer that was asked for",
    "denial": "the sentence that has its words says so with a “not” where the answer has none, or the other way round",
    "hedge": "the sentence that has its words leaves open whether it is so",
    "replaced": "what has its words was replaced, rejected or withdrawn, as the text itself says",
    "rival": "another sentence that was found says something else",
    "premise": "a step that it rests on is not supported",
    "check": "the method's own check of it failed",
}
"""Each reason as the end of a sentence such as "The answer is not supported: ..."."""

CHECK_FOUND = "check_found"
"""What a method's own check found against a claim, as a clause: its key in the data of the decision about the claim."""

UNCERTAIN = "Found in a passage, not certain"
"""What is said of an answer that is supported, but not certain enough for a tick."""
_STANDING: Mapping[Standing, str] = {
    "supported": "A passage supports it",
    "uncertain": UNCERTAIN,
    "contradicted": "A passage says otherwise",
    "unsupported": "No passage supports it",
}
_AGREED = {True: "read once more, the facts gave the same answer", False: "read once more, the facts gave another answer"}


def why_unsupported(answer: Answer, found: Mapping[int, str] | None = None) -> str:
    """Why the claim that carries an answer is not supported, in words; empty if it is, or if there is none.

    Args:
        answer: the answer.
        found: what the method's own checks found, by the number of the claim, from 1; see `hopweave.show.own_checks`.
    """
    shortfall = shortfall_of(answer)
    if answer.carrier is None or not answer.carrier.shortfall:
        return IN_WORDS[shortfall] if shortfall else ""
    return shortfall_in_words(answer.carrier, (found or {}).get(answer.verdict.carried_by or 0, ""))


def shortfall_of(answer: Answer) -> Shortfall:
    """Why the claim that carries an answer is not supported; empty if it is, or if there is none."""
    carrier = answer.carrier
    if carrier is None or carrier.support == "supported":
        return ""
    return carrier.shortfall or ("check" if carrier.citations else "words")  # records of 0.3.0 have no reason


def shortfall_in_words(claim: Claim, found: str = "") -> str:
    """Why a claim is not supported, in words; empty if there is no reason.

    Args:
        claim: the claim.
        found: what the method's own check found; empty if it is not known.
    """
    if not claim.shortfall:
        return ""
    said = IN_WORDS[claim.shortfall]
    if claim.shortfall == "check" and found:
        return f"{said}: {found}"
    return f"{said}; {claim.rule}" if claim.rule else said


def standing_in_words(answer: Answer, found: Mapping[int, str] | None = None) -> str:
    """How an answer stands, as a sentence without its full stop, such as "A passage supports it".

    Args:
        answer: an answer that claims something.
        found: see `why_unsupported`.
    """
    if answer.cites_without_support:
        return f"The passage that is cited does not settle it: {why_unsupported(answer, found)}"
    return "Passages disagree" if answer.is_disputed else _STANDING[answer.verdict.standing]


def certainty_in_words(verdict: Verdict) -> str:
    """How certain an answer is, such as "confidence 0.73", and what came of the check; empty without both."""
    confidence = f"confidence {verdict.confidence:.2f}" if verdict.confidence is not None else ""
    return "; ".join(filter(None, [confidence, _AGREED[verdict.agreed] if verdict.agreed is not None else ""]))
