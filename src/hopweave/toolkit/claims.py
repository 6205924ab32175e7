"""From what a method says to its answer: the claims as they stand, the text with its marks, and what is filed about both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hopweave.grounding.citing import on_one_line, settle_marks
from hopweave.grounding.marking import text_of, well_marked
from hopweave.grounding.support import claim_of
from hopweave.parse.final import MARKER, final_answer
from hopweave.prompting.prompt import unescape
from hopweave.protocols import MethodContext
from hopweave.text.matching import normalize_answer
from hopweave.types import Answer, Claim, Hit, Origin, Passage, Question

__all__ = [
    "Assertion",
    "claims_of",
    "concluded",
    "file_claims",
    "last_answer",
    "marked_answer",
    "on_one_line",
    "one_answer",
    "passages_of",
    "text_of",
]


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a method says at a step, before it is judged.

    Attributes:
        query: what it answers.
        text: what it says; empty if the query stayed open.
        origin: how it came to be.
        passages: what it may rest on, best first.
    """

    query: str
    text: str
    origin: Origin = "model"
    passages: Sequence[Passage] = ()


def claims_of(assertions: Iterable[Assertion], workbench: MethodContext | None = None) -> list[Claim]:
    """The claim of each assertion as it stands; the number of a claim, from 1, is the mark of its citations.

    Args:
        assertions: in the order of the reasoning.
        workbench: of the question, if a reader may have read passages for these queries: its readings count, and what it read.
    """
    return [_judged(number, one, workbench) for number, one in enumerate(assertions, start=1)]


def _judged(number: int, one: Assertion, workbench: MethodContext | None) -> Claim:
    if workbench is None:
        return claim_of(number, one.query, one.text, one.origin, one.passages)
    read = workbench.readings_of(one.query)
    readings = {passage.id: reading for passage, reading in read}
    return claim_of(number, one.query, one.text, one.origin, (*one.passages, *(passage for passage, _ in read)), readings)


def passages_of(hits: Iterable[Hit]) -> list[Passage]:
    """The passages of hits, each once."""
    return list({hit.passage.id: hit.passage for hit in hits}.values())


def last_answer(claims: Sequence[Claim], question: Question) -> tuple[str, str]:
    """The bare answer of the last claim that has one (all claims together make a long one), and how it was found."""
    last = next((claim.text for claim in reversed(claims) if claim.text), "")
    short, _ = final_answer(text_of(claims) if question.form == "long" else last, question)
    return (short, "last-claim") if short else ("", "empty")


def file_claims(
    workbench: MethodContext, question: Question, claims: Iterable[Claim], after: Sequence[Sequence[int]] = ()
) -> None:
    """Files what an answer rests on, claim by claim.

    Args:
        workbench: of the question.
        question: what was asked; a claim that answers it is filed without it.
        claims: in order.
        after: for each claim the decisions that it comes from, if any do.
    """
    for number, claim in enumerate(claims, start=1):
        query = "" if claim.query == question.text else f"{claim.query} -> "
        behind = after[number - 1] if after else ()
        text = f"[{number}] {query}{claim.text or '?'}"
        workbench.decide("path", text, after=behind, origin=claim.origin, support=claim.support)


def final_assertion(question: Question, short: str, passages: Sequence[Passage] = ()) -> Assertion:
    """What the bare answer of a question asserts. A label is no word of a passage, so it rests on none."""
    origin: Origin = "retrieved" if passages else "model"
    return Assertion(question.text, short, origin, () if question.form == "label" else passages)


def one_answer(
    question: Question, text: str, short: str, how: str, hits: Sequence[Hit] = (), stopped_because: str = "finished"
) -> Answer:
    """The answer of a method that makes one claim. Its only mark is ours; every other was invented, and is counted."""
    claims = claims_of([final_assertion(question, unescape(short), passages_of(hits))])
    retrieved = [hit.passage.id for hit in hits]
    return marked_answer(text.strip(), short, how, retrieved, claims, stopped_because, has_own_marks=False)


def concluded(
    question: Question,
    assertions: Sequence[Assertion],
    short: str,
    how: str,
    workbench: MethodContext,
    *,
    retrieved: Sequence[Passage],
    text: str = "",
    with_queries: bool = True,
    stopped_because: str = "finished",
) -> Answer:
    """The answer that assertions lead to, with one more claim for the answer itself where the last one does not make it.

    Args:
        question: what was asked.
        assertions: in the order of the reasoning.
        short: the bare answer; empty if there is none.
        how: how it was found.
        workbench: is told of each claim and of the end.
        retrieved: all passages that were shown, in the order in which they count.
        text: the words for a reader; by default the claims and the answer, a sentence each.
        with_queries: whether that shows the queries, too.
        stopped_because: goes into the answer.
    """
    words = unescape(short)
    passages = list({passage.id: passage for passage in retrieved}.values())
    steps = list(assertions)
    is_said = bool(steps) and question.form == "short" and normalize_answer(steps[-1].text) == normalize_answer(words)
    claims = claims_of(steps if is_said else [*steps, final_assertion(question, words, passages)], workbench)
    file_claims(workbench, question, claims)
    if not text:
        end = f"{MARKER} {on_one_line(words).rstrip('.')}." if words else ""
        text = " ".join(filter(None, [text_of(claims[: len(steps)], with_queries=with_queries), end]))
    return marked_answer(text, short, how, [passage.id for passage in passages], claims, stopped_because, workbench=workbench)


def marked_answer(
    text: str,
    short: str,
    how: str,
    retrieved: Iterable[str],
    claims: Sequence[Claim],
    stopped_because: str,
    *,
    workbench: MethodContext | None = None,
    add_missing: bool = True,
    has_own_marks: bool = True,
) -> Answer:
    """An answer whose every mark stands on a sentence that states its claim.

    Args:
        text: the words for a reader.
        short: the bare answer.
        how: how it was found.
        retrieved: the ids of the passages that the method answered from, in the order they count.
        claims: their numbers are the marks.
        stopped_because: what ended the work.
        workbench: is told of the end, if several steps led to it.
        add_missing: mark a claim that is stated and not marked.
        has_own_marks: whether the model was told of the numbers of claims; else every mark in the text was invented.
    """
    if workbench is not None:
        workbench.decide("stop", stopped_because, how=how)
    num_invented = 0
    if not has_own_marks:
        text, num_invented = settle_marks(text, ())
    bare = unescape(short)
    marked = well_marked(unescape(text), bare, claims, add_missing=add_missing)
    return Answer(
        text=marked.text,
        short=bare,
        claims=tuple(claims),
        stopped_because=stopped_because,
        how=how,
        num_marks_removed=num_invented + marked.num_invented,
        passage_ids=tuple(dict.fromkeys(retrieved)),
        num_marks_misplaced=marked.num_misplaced,
    )
