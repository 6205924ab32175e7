"""The end of a method that works in steps: the answer is read from sentences of all that was found, with what is settled."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.errors import BudgetReached
from hopweave.facts.comparing import wanted_of
from hopweave.facts.reading import FactReader, facts_of, passages_behind
from hopweave.protocols import MethodContext
from hopweave.toolkit.claims import Assertion, claims_of, concluded
from hopweave.toolkit.final_answer import bare_answer
from hopweave.types import Answer, Hit, Passage, Question

_OF_STEPS = 0.5
"""What a passage that only a step found counts, against the best one that the question found."""


async def answer_from_facts(
    question: Question,
    workbench: MethodContext,
    steps: Sequence[Assertion],
    *,
    num_passages: int,
    max_tokens_facts: int,
    stopped_because: str,
    after: Sequence[Sequence[int]] = (),
) -> Answer | None:
    """The answer to a question with a short answer, read once its steps are done; `None` if nothing can be read.

    The steps that a passage supports count as settled: they are shown before the question, and are claims of the answer. The
    others are left out; what was found for them is read with the rest. A comparison is decided by code.

    Args:
        question: the question.
        workbench: of the question.
        steps: what was answered on the way, each with the passages that were found for it.
        num_passages: retrieved for the question itself.
        max_tokens_facts: tokens of sentences shown, chosen from all passages; 0 shows whole passages.
        stopped_because: for the answer.
        after: for each step the decisions that it comes from.

    Raises:
        ModelError, SearchError, ReplayMiss: as `MethodContext.reply` and `MethodContext.search`.
    """
    reader = FactReader(workbench)
    claims = claims_of(steps, workbench)
    kept = [number for number, claim in enumerate(claims) if claim.support == "supported"]
    settled = [steps[number] for number in kept]
    behind = [after[number] for number in kept] if after else []
    premises: tuple[int, ...] = ()
    try:
        hits = await reader.search(question.text, num_passages)
        facts = facts_of(question.text, _with_those_of(steps, hits), max_tokens_facts)
        known = [(one.query, one.text) for one in settled]
        if wanted_of(question.text) is not None and (made := await reader.compare(question.text, facts, known)).answer:
            said, passages = made.answer, []
            premises = (len(settled) + 1, len(settled) + 2) if len(made.sides) == 2 else ()
            settled, is_doubted = [*settled, *made.sides], not premises
        else:
            reading, problems = await reader.read(question.text, facts, known)
            said, passages, is_doubted = reading.answer, passages_behind(reading), bool(problems)
    except BudgetReached:
        return None
    short, how = bare_answer(workbench, said, question) if said else ("", "empty")
    if not short:
        return None
    shown = list({passage.id: passage for passage in (*passages, *reader.found)}.values())
    final = Assertion(question.text, short, "retrieved", () if premises else shown, premises, is_doubted=is_doubted)
    return concluded(
        question,
        settled,
        short,
        how,
        workbench,
        retrieved=shown,
        stopped_because=stopped_because,
        final=final,
        after=behind,
    )


def _with_those_of(steps: Sequence[Assertion], hits: Sequence[Hit]) -> list[Hit]:
    """The hits of the question, and behind them the first passage of each step that is not among them."""
    best = hits[0].score if hits else 1.0
    known = {hit.passage.id for hit in hits}
    more: dict[str, Passage] = {one.passages[0].id: one.passages[0] for one in steps if one.passages}
    further = [passage for passage in more.values() if passage.id not in known]
    return [*hits, *(Hit(passage, _OF_STEPS * best, len(hits) + rank) for rank, passage in enumerate(further, start=1))]
