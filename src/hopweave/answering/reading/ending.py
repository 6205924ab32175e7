"""The end of a method that works in steps: reads the answer from sentences of all passages found, with the settled steps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from hopweave.answering.reading.checking import ONE_SIDED, Reading, does_hold, problems_in_words, weight
from hopweave.answering.reading.hops import way_of
from hopweave.answering.reading.reading import FactReader, facts_of, passages_behind
from hopweave.answering.toolkit.claims import Assertion, answer_from_claims, claims_of
from hopweave.answering.toolkit.final_answer import bare_answer
from hopweave.citations.support import has_words
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Count, Whole
from hopweave.core.prompt import unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Passage, Question
from hopweave.text.comparing import wanted_of

QuestionPassages = Annotated[Count, "passages retrieved for the question itself, which is read from facts at the end"]
FactTokens = Annotated[Whole, "tokens of sentences shown then, from all passages found; 0 shows entire passages"]

_OF_STEPS = 0.5
"""The weight of a passage that only a step found, relative to the best one that the question found."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a method in steps reads its answer at the end; see the options of `searchain_facts` and `toqd_facts`."""

    use_retrieval: bool
    num_question_passages: int
    max_tokens_facts: int

    async def answer(
        self,
        question: Question,
        workbench: MethodContext,
        steps: Sequence[Assertion],
        stopped_because: str,
        after: Sequence[Sequence[int]] = (),
    ) -> tuple[Answer | None, str]:
        """The answer read from facts, or `None` if it is to be written from the steps; and why the work ended.

        The steps that a passage supports are settled: they are shown before the question, and are claims of the answer. The
        others are left out; the passages found for them are read with the rest. If the reading fails its checks, the question
        is read without the settled steps and, if it leads through a settled name, the hop from there is read separately; the
        reading with the least severe problems is used, and marked as doubted. A comparison is decided by code. Labels and
        explanations are not read; nothing is returned if the model gives no answer, or if a limit is reached before.

        Args:
            question: the question.
            workbench: the question's workbench.
            steps: the answers so far, each with the passages that were found for it.
            stopped_because: why the steps ended.
            after: for each step, the decisions that it comes from.

        Raises:
            ModelError, SearchError, ReplayMiss: as in `MethodContext.reply` and `MethodContext.search`.
        """
        if not self.use_retrieval or question.form != "short":
            return None, stopped_because
        claims = claims_of(steps, workbench)
        kept = [number for number, claim in enumerate(claims) if has_words(claim)]
        reader = FactReader(workbench)
        try:
            settled, final, limit = await self._read(question, reader, steps, [steps[number] for number in kept])
        except BudgetReached as reached:
            return None, _because(stopped_because, reached.limit)
        stopped_because = _because(stopped_because, limit)
        short, how = bare_answer(workbench, final.text, question) if final.text else ("", "empty")
        if not short:
            return None, stopped_because
        answer = answer_from_claims(
            question,
            settled,
            short,
            how,
            workbench,
            retrieved=[*final.passages, *reader.found],
            stopped_because=stopped_because,
            final=replace(final, text=unescape(short)),
            after=[after[number] for number in kept] if after else (),
        )
        return answer, stopped_because

    async def _read(
        self, question: Question, reader: FactReader, steps: Sequence[Assertion], settled: Sequence[Assertion]
    ) -> tuple[Sequence[Assertion], Assertion, str]:
        """The settled steps and the sides of a comparison; the answer; and the limit that was reached, if any."""
        hits = await reader.search(question.text, self.num_question_passages)
        facts = facts_of(question.text, _with_those_of(steps, hits), self.max_tokens_facts)
        known = [(one.query, one.text) for one in settled]
        if wanted_of(question.text) is not None and (made := await reader.compare(question.text, facts, known)).answer:
            both = (len(settled) + 1, len(settled) + 2) if len(made.sides) == 2 else ()
            found = () if both else reader.found
            final = Assertion(question.text, made.answer, "retrieved", found, both, "" if both else ONE_SIDED)
            return [*settled, *made.sides], final, ""
        way = way_of(question.text, known)
        reads = [partial(reader.read, question.text, facts, known, way)]
        reads += [partial(reader.read, question.text, facts, (), way)] if known else []
        reads += [partial(reader.read_hop, way.rest, hits, way)] if way.through else []
        reading, doubt, limit = await _first_that_holds(reads)
        found = [*passages_behind(reading), *reader.found]
        return settled, Assertion(question.text, reading.answer, "retrieved", found, doubt=doubt), limit


async def _first_that_holds(reads: Sequence[Callable[[], Awaitable[tuple[Reading, list[str]]]]]) -> tuple[Reading, str, str]:
    """The first reading that is accepted, else the best one; the doubt about it; and the limit that was reached, if any.

    A reading after one that was not accepted is doubted, too.

    Raises:
        BudgetReached: before there is a reading.
    """
    readings: list[tuple[Reading, list[str]]] = []
    limit = ""
    for read in reads:
        try:
            readings.append(await read())
        except BudgetReached as reached:
            if not readings:
                raise
            limit = reached.limit
            break
        if does_hold(readings[-1][1]):
            break
    best, problems = min(readings, key=lambda reading: (not does_hold(reading[1]), weight(reading[1])))
    against = problems or (readings[0][1] if len(readings) > 1 else [])
    return best, problems_in_words(against, (best if problems else readings[0][0]).asked), limit


def _because(stopped_because: str, limit: str) -> str:
    return limit if limit and stopped_because == "finished" else stopped_because


def _with_those_of(steps: Sequence[Assertion], hits: Sequence[Hit]) -> list[Hit]:
    """The hits of the question, followed by the first passage of each step that is not among them."""
    best = hits[0].score if hits else 1.0
    known = {hit.passage.id for hit in hits}
    more: dict[str, Passage] = {one.passages[0].id: one.passages[0] for one in steps if one.passages}
    further = [passage for passage in more.values() if passage.id not in known]
    return [*hits, *(Hit(passage, _OF_STEPS * best, len(hits) + rank) for rank, passage in enumerate(further, start=1))]
