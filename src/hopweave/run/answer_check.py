"""Checks an answer with up to two more calls, if `check = "more"`: read differently, it has no tick (`Verdict.agreed`).

The sentences that the answer may rest on are read again for the question, all at once, without the method's steps and with the
passages in the opposite order. The answer that is read then has to agree. After that they are read without those that state the
answer: what is cited for it, and any other that names it. An answer that rests on its citation is found the first time and not
the second. If it is found the second time as well, the model may have remembered or guessed it, and its citation was fitted to
it afterwards (arXiv 2412.18004).

Both outcomes are signals of the confidence. The calls go through the workbench of the question, so they are recorded, counted,
kept in the store and replayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hopweave.answering.reading.reading import FactReader, facts_of
from hopweave.citations.citing import NOT_IN_CORPUS
from hopweave.citations.marking import carrier_of
from hopweave.citations.support import is_conclusion
from hopweave.core.errors import BudgetReached, RunError
from hopweave.core.prompt import unescape
from hopweave.core.types import Abilities, Answer, Claim, Hit, Passage, Question, Span
from hopweave.record import CHECK, READ_AGAIN
from hopweave.run.workbench import Workbench
from hopweave.text.agreement import agree
from hopweave.text.content_words import estimated_tokens
from hopweave.text.evidence import Evidence
from hopweave.text.matching import is_contained, is_yes_or_no
from hopweave.text.sentences import sentence_around

_MAX_PASSAGES = 10
_MAX_TOKENS_SMALL, _MAX_TOKENS = 350, 3000
"""Of sentences shown, as `stitch` shows a small model and any other; cited ones are shown even if they are longer."""
_SHARE = 3
"""A third of the model's context, if it is known, is for sentences."""


async def check_answer(question: Question, answer: Answer, workbench: Workbench) -> None:
    """Checks an answer, and records the outcome as a decision. The answer stays as it is.

    Only a short answer is checked, and only if a passage of the corpus is cited for it. What code concludes from the values of
    other claims is not: small models mostly read comparisons wrongly where they have to make them at once. If a limit of the
    budget is reached, a call fails or a reply cannot be parsed, the check ends there, and the decision says why. There is none
    for an empty answer.

    Args:
        question: the question as the method was asked.
        answer: what the method returned.
        workbench: the workbench of the question, which has the passages.
    """
    if not answer.short.strip():
        return
    number = carrier_of(answer.short, answer.claims)
    carrier = answer.claims[number - 1] if number is not None else None
    facts, others = _facts(question, answer, carrier, workbench)
    reader, at_once, without, problem = FactReader(workbench), None, None, ""
    try:
        if is_conclusion(carrier, answer.claims):
            problem = "it is concluded from the other claims without the model"
        elif facts:
            at_once = await reader.read_again(question.text, facts, purpose=READ_AGAIN)
            without = await reader.read_again(question.text, others, purpose=READ_AGAIN)
        else:
            problem = "only a short answer with a cited passage can be"
    except RunError as error:
        problem = error.limit if isinstance(error, BudgetReached) else str(error)
    _file(workbench, unescape(answer.short), at_once, without, problem)


def _file(workbench: Workbench, short: str, at_once: str | None, without: str | None, problem: str) -> None:
    """Records the outcome: what the readings said, and why one was not made."""
    told = [f"not checked: {problem}"]
    if at_once is not None:
        told = [f"read again, all at once: {_told(at_once, short, 'the same answer')}"]
        last = "the same answer, so it may not come from them"
        outcome = _told(without, short, last) if without is not None else f"not checked: {problem}"
        told.append(f"without the sentences that state it: {outcome}")
    workbench.decide(
        CHECK,
        "; ".join(told),
        agrees_at_once=agree(at_once, short) if at_once is not None else None,
        changes_without=not agree(without, short) if without is not None else None,
        at_once=at_once,
        without=without,
        problem=problem,
    )


def _told(said: str, short: str, if_same: str) -> str:
    return "no answer" if not said else if_same if agree(said, short) else f"another answer: {said}"


def _facts(
    question: Question, answer: Answer, carrier: Claim | None, workbench: Workbench
) -> tuple[tuple[Evidence, ...], tuple[Evidence, ...]]:
    """The sentences to read, and those of them that do not state the answer; none if the answer is not to be checked."""
    passages = _passages(answer, workbench)
    carried = list(_cited([carrier], passages)) if carrier is not None else []
    if not carried or question.form != "short":
        return (), ()
    cited = _apart([*carried, *_cited(answer.claims, passages)])
    room = _room(workbench.abilities) - sum(estimated_tokens(fact.text) for fact in cited)
    hits = [Hit(passage, 1.0, rank) for rank, passage in enumerate(passages.values(), start=1)]
    place = {passage_id: -rank for rank, passage_id in enumerate(passages)}
    shown = _apart([*cited, *facts_of(question.text, hits, max(1, room))])
    facts = sorted(shown, key=lambda fact: (place[fact.passage.id], fact.span.start))
    short = unescape(answer.short)
    others = [fact for fact in facts if not _names(fact, short) and not any(_overlap(fact, one) for one in carried)]
    return tuple(facts), tuple(others)


def _passages(answer: Answer, workbench: Workbench) -> Mapping[str, Passage]:
    """The best passages of the answer by id, best first, and then the others that it cites."""
    ids = dict.fromkeys((*answer.passage_ids[:_MAX_PASSAGES], *(citation.passage_id for citation in answer.citations)))
    found = ((one, workbench.trace.passage(one)) for one in ids if not one.startswith(NOT_IN_CORPUS))
    return {passage_id: passage for passage_id, passage in found if passage is not None}


def _cited(claims: Iterable[Claim], passages: Mapping[str, Passage]) -> Iterator[Evidence]:
    """Yields the sentences that claims cite."""
    for claim in claims:
        for citation in claim.citations:
            if passage := passages.get(citation.passage_id):
                span = citation.focus or Span(citation.start, citation.end)
                yield Evidence(passage, sentence_around(passage.text, span), 0.0)


def _room(abilities: Abilities) -> int:
    most = _MAX_TOKENS_SMALL if abilities.is_small else _MAX_TOKENS
    return min(most, abilities.context_tokens // _SHARE) if abilities.context_tokens else most


def _apart(facts: Iterable[Evidence]) -> list[Evidence]:
    """The facts without those that overlap an earlier one."""
    kept: list[Evidence] = []
    for fact in facts:
        if not any(_overlap(fact, one) for one in kept):
            kept.append(fact)
    return kept


def _overlap(one: Evidence, other: Evidence) -> bool:
    return one.passage.id == other.passage.id and one.span.start < other.span.end and other.span.start < one.span.end


def _names(fact: Evidence, short: str) -> bool:
    """Whether a sentence, or the title above it, has the words of an answer; a yes or a no says nothing."""
    return not is_yes_or_no(short) and is_contained(short, f"{fact.passage.title}\n{fact.text}")
