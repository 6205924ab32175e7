"""Claims written out, and the answer whose every mark resolves to a citation of its claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hopweave.citing import add_marks, on_one_line, settle_marks
from hopweave.parse.final import final_answer
from hopweave.prompt import unblunt
from hopweave.types import Answer, Claim, Question
from hopweave.workbench import Workbench

__all__ = ["file_path", "last_answer", "marked_answer", "on_one_line", "text_of"]


def text_of(claims: Iterable[Claim]) -> str:
    """The claims as sentences with marks, for when no model is to be asked any more."""
    return " ".join(
        f"{on_one_line(claim.query)} {on_one_line(claim.text).rstrip('.') or 'Unknown'}"
        f"{''.join(f' [{citation.mark}]' for citation in claim.citations)}."
        for claim in claims
    )


def last_answer(claims: Sequence[Claim], question: Question) -> tuple[str, str]:
    """The bare answer of the last claim that has one (all claims together make a long one), and how it was found."""
    last = next((claim.text for claim in reversed(claims) if claim.text), "")
    short, _ = final_answer(text_of(claims) if question.form == "long" else last, question)
    return (short, "last-claim") if short else ("", "empty")


def file_path(bench: Workbench, claims: Iterable[Claim], stopped_because: str, how: str) -> None:
    """Files what an answer rests on, claim by claim, and the end of the work."""
    for number, claim in enumerate(claims, start=1):
        bench.decide("path", f"[{number}] {claim.query} -> {claim.text or '?'}", verdict=claim.verdict)
    bench.decide("stop", stopped_because, how=how)


def marked_answer(
    text: str,
    short: str,
    how: str,
    retrieved: Iterable[str],
    claims: tuple[Claim, ...],
    stopped_because: str,
    *,
    add_missing: bool,
) -> Answer:
    """An answer whose every mark resolves to a citation of its claims.

    A mark whose number is no claim's was invented, and is counted; that of a claim without a citation is only taken out.
    `retrieved` are the ids of the passages that the method answered from, in the order they count.
    """
    cited = {citation.mark: claim.text for claim in claims for citation in claim.citations}
    numbered, num_invented = settle_marks(text, range(1, len(claims) + 1))
    kept, _ = settle_marks(numbered, cited)
    if add_missing:
        kept, _ = add_marks(kept, cited)
    return Answer(unblunt(kept), unblunt(short), claims, stopped_because, how, num_invented, tuple(dict.fromkeys(retrieved)))
