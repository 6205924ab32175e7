"""From a method's statements to its answer: the judged claims, the text with its marks, and the decisions about both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from hopweave.answering.parsing.marked import marked_sentences
from hopweave.citations.calculations import calculated_from
from hopweave.citations.citing import on_one_line
from hopweave.citations.comparisons import premises_of
from hopweave.citations.marking import text_of, validate_marks
from hopweave.citations.shortfalls import CHECK_FOUND
from hopweave.citations.support import claim_of, conclusion_of
from hopweave.citations.together import Named, citing_all
from hopweave.core.prompt import unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Claim, Hit, Origin, Passage, Question, Reading, Span
from hopweave.text.citation_marks import settle_marks
from hopweave.text.final import MARKER, final_answer
from hopweave.text.matching import normalize_answer


@dataclass(frozen=True, slots=True)
class Assertion:
    """A statement that a method makes at a step, before it is judged.

    Attributes:
        query: the query that it answers.
        text: the statement; empty if the query stayed open.
        origin: where it came from.
        passages: the candidate evidence, best first.
        premises: the numbers, from 1, of the earlier assertions that code concluded it from; it then needs no passages.
        doubt: what the method's own check found against it, as a clause; empty if nothing. Otherwise it is unsupported even if
            a passage has its words, which are still cited.
        read_from: the sentence that it was read from, by passage id: if that has the words, it is what is cited.
        beside: further passages that were found: they may say something else, but are not cited for it.
        together: the sentences that were named for it, if these are several: all of them are cited where one has the words.
    """

    query: str
    text: str
    origin: Origin = "model"
    passages: Sequence[Passage] = ()
    premises: Sequence[int] = ()
    doubt: str = ""
    read_from: Mapping[str, Span] = field(default_factory=dict)
    beside: Sequence[Passage] = ()
    together: Sequence[Named] = ()


def claims_of(
    assertions: Iterable[Assertion], workbench: MethodContext | None = None, judged: Sequence[Claim] = ()
) -> list[Claim]:
    """The judged claim of each assertion; the number of a claim, from 1, is the mark of its citations.

    Args:
        assertions: in the order of the reasoning.
        workbench: the question's workbench, if a reader may have read passages for these queries: its readings are considered.
        judged: the claims of the first assertions, if they were judged before.
    """
    claims = list(judged)
    for number, one in enumerate(islice(assertions, len(judged), None), start=len(judged) + 1):
        if one.premises:
            claim = conclusion_of(number, one.query, one.text, [claims[premise - 1] for premise in one.premises])
        else:
            judged_now = _judged(number, one, workbench, [earlier for earlier in claims if earlier.support == "supported"])
            claim = citing_all(judged_now, one.together)
        is_lowered = one.doubt and claim.support == "supported"
        claims.append(replace(claim, support="unsupported", shortfall="check", rule="") if is_lowered else claim)
    return claims


def _judged(number: int, one: Assertion, workbench: MethodContext | None, settled: Sequence[Claim]) -> Claim:
    # Without confidence they deny nothing: they only say where to look first.
    readings = {
        passage.id: Reading(passage.text[span.start : span.end], span, 0.0)
        for passage in one.passages
        if (span := one.read_from.get(passage.id))
    }
    if workbench is None:
        return claim_of(number, one.query, one.text, one.origin, one.passages, readings, settled, one.beside, one.together)
    read = workbench.readings_of(one.query)
    readings |= {passage.id: reading for passage, reading in read}
    evidence = (*one.passages, *(passage for passage, _ in read))
    return claim_of(number, one.query, one.text, one.origin, evidence, readings, settled, one.beside, one.together)


def passages_of(hits: Iterable[Hit]) -> list[Passage]:
    """The passages of hits, each once."""
    return list({hit.passage.id: hit.passage for hit in hits}.values())


def last_answer(claims: Sequence[Claim], question: Question) -> tuple[str, str]:
    """The bare answer of the last claim that has one (for a long answer, all claims together), and how it was found."""
    last = next((claim.text for claim in reversed(claims) if claim.text), "")
    short, _ = final_answer(text_of(claims) if question.form == "long" else last, question)
    return (short, "last-claim") if short else ("", "empty")


def file_claims(
    workbench: MethodContext,
    question: Question,
    claims: Iterable[Claim],
    after: Sequence[Sequence[int]] = (),
    doubts: Sequence[str] = (),
) -> None:
    """Records the evidence for an answer, claim by claim.

    Args:
        workbench: the question's workbench.
        question: the question; a claim that answers it directly is recorded without it.
        claims: in order.
        after: for each claim the decisions that it comes from; claims beyond these have none.
        doubts: for each claim the doubt of its assertion, which is recorded if it is why the claim is unsupported.
    """
    for number, claim in enumerate(claims, start=1):
        query = "" if claim.query == question.text else f"{claim.query} -> "
        behind = after[number - 1] if number <= len(after) else ()
        text = f"[{number}] {query}{claim.text or '?'}"
        doubt = doubts[number - 1] if claim.shortfall == "check" and number <= len(doubts) else ""
        told = {CHECK_FOUND: doubt} if doubt else {}
        workbench.decide("path", text, after=behind, origin=claim.origin, support=claim.support, **told)


def final_assertion(question: Question, short: str, passages: Sequence[Passage] = ()) -> Assertion:
    """The assertion made by the bare answer to a question. A label occurs in no passage, so it has no evidence."""
    origin: Origin = "retrieved" if passages else "model"
    return Assertion(question.text, short, origin, () if question.form == "label" else passages)


def one_answer(
    question: Question, text: str, short: str, how: str, hits: Sequence[Hit] = (), stopped_because: str = "finished"
) -> Answer:
    """The answer of a method that makes no claim before it: one claim, or one for each sentence of an explanation.

    The only valid marks are ours; all others are invented, and counted.
    """
    passages = passages_of(hits)
    said = [one.text for one in marked_sentences(short)] if question.form == "long" else []
    parts = said or [short]
    claims = claims_of(final_assertion(question, unescape(part), passages) for part in parts)
    retrieved = [hit.passage.id for hit in hits]
    return marked_answer(text.strip(), short, how, retrieved, claims, stopped_because, has_own_marks=False)


def answer_from_claims(
    question: Question,
    assertions: Sequence[Assertion],
    short: str,
    how: str,
    workbench: MethodContext,
    *,
    retrieved: Sequence[Passage],
    text: str = "",
    ending: str = "",
    with_queries: bool = True,
    stopped_because: str = "finished",
    final: Assertion | None = None,
    after: Sequence[Sequence[int]] = (),
    judged: Sequence[Claim] = (),
) -> Answer:
    """The answer that assertions lead to, with a claim for the answer itself unless the last one states it as surely.

    Args:
        question: the question.
        assertions: in the order of the reasoning.
        short: the bare answer; empty if there is none.
        how: how it was found.
        workbench: records each claim and the end.
        retrieved: all passages that were shown, in ranked order.
        text: the text for the user; by default the claims and the answer, one sentence each.
        ending: the last sentences of that text, on one line; by default one that says what the final answer is.
        with_queries: whether that text includes the queries.
        stopped_because: for the answer.
        final: the claim for the answer itself; by default that some retrieved passage has its words.
        after: as for `file_claims`.
        judged: the claims of all assertions, if they were judged before.
    """
    words = unescape(short)
    passages = list({passage.id: passage for passage in retrieved}.values())
    steps = list(assertions)
    is_said = bool(steps) and question.form == "short" and normalize_answer(steps[-1].text) == normalize_answer(words)
    is_asked = bool(steps) and normalize_answer(steps[-1].query) == normalize_answer(question.text)
    if is_said and is_asked and final is not None and not final.premises:
        steps[-1] = replace(steps[-1], doubt=steps[-1].doubt or final.doubt)  # one claim, with all that is against it
        judged = judged[:-1]
        final = None
    # A step may be right for its own query without answering the question.
    is_said = is_said and (final is None or not final.doubt or bool(steps[-1].doubt))
    made = steps if is_said else [*steps, final or final_assertion(question, words, passages)]
    claims = concluded(question, words, claims_of(made, workbench, judged))
    file_claims(workbench, question, claims, after, [one.doubt for one in made])
    if not text:
        end = on_one_line(ending) or (f"{MARKER} {on_one_line(words).rstrip('.')}." if words else "")
        text = " ".join(filter(None, [text_of(claims[: len(steps)], with_queries=with_queries), end]))
    return marked_answer(text, short, how, [passage.id for passage in passages], claims, stopped_because, workbench=workbench)


def concluded(question: Question, short: str, claims: list[Claim]) -> list[Claim]:
    """The claims, with an answer that is compared or computed concluded from those of the steps, if passages support them."""
    last = claims[-1]
    is_answer = last.query == question.text or normalize_answer(last.text) == normalize_answer(short)
    if last.support == "supported" or not is_answer:
        return claims
    made = _conclusion(question, short, last.text, claims[:-1])
    return [*claims[:-1], replace(made, query=last.query)] if made is not None else claims


def with_conclusion(workbench: MethodContext, question: Question, short: str, claims: Sequence[Claim]) -> Sequence[Claim]:
    """The claims of the steps, followed by an answer that is compared or computed, if they bear it out."""
    made = _conclusion(question, short, unescape(short), claims)
    if made is None:
        return claims
    workbench.decide("path", f"[{len(claims) + 1}] {made.text}", origin=made.origin, support=made.support)
    return [*claims, made]


def _conclusion(question: Question, short: str, text: str, steps: Sequence[Claim]) -> Claim | None:
    """The claim that an answer that is compared or computed makes after those of the steps, if they bear it out."""
    said = unescape(short)
    premises = premises_of(question.text, said, steps) or calculated_from(question.text, said, steps)
    behind = [steps[number - 1] for number in premises]
    return conclusion_of(len(steps) + 1, question.text, text, behind) if behind else None


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
    """An answer in which every mark is on a sentence that states its claim.

    Args:
        text: the text for the user.
        short: the bare answer.
        how: how it was found.
        retrieved: the ids of the passages that the method answered from, in ranked order.
        claims: their numbers are the marks.
        stopped_because: what ended the work.
        workbench: records the end, if several steps led to it.
        add_missing: mark a claim that is stated but not marked.
        has_own_marks: whether the model was given the numbers of the claims; otherwise every mark in the text is invented.
    """
    if workbench is not None:
        workbench.decide("stop", stopped_because, how=how)
    num_invented = 0
    if not has_own_marks:
        text, num_invented = settle_marks(text, ())
    bare = unescape(short)
    marked = validate_marks(unescape(text), bare, claims, add_missing=add_missing)
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
