"""The end of an agent's work: the answer in a reply without an action, and the claims that an answer makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hopweave.answering.methods.tool_agent._actions import Final, Statement, statements_in
from hopweave.answering.methods.tool_agent._shelf import Shelf
from hopweave.answering.toolkit.claims import (
    Assertion,
    answer_from_claims,
    claims_of,
    file_claims,
    final_assertion,
    marked_answer,
)
from hopweave.answering.toolkit.final_answer import MARKED, bare_answer, file_unanswered
from hopweave.citations.citing import on_one_line
from hopweave.citations.support import adds
from hopweave.core.prompt import unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Passage, Question
from hopweave.text.citation_marks import drop_marks
from hopweave.text.content_words import keys_of, named_keys, stems_of
from hopweave.text.final import final_answer, has_marker
from hopweave.text.refusal import does_not_know


@dataclass(frozen=True, slots=True)
class Ending:
    """How the work ended.

    Attributes:
        final: the answer; `None` if there is none.
        how: how it was found.
        step: the decision to answer.
        stopped_because: for the answer.
    """

    final: Final | None
    how: str
    step: int | None
    stopped_because: str


def volunteered(text: str, question: Question) -> Final | None:
    """The answer in a reply without an action; `None` if it does not say that it is one.

    A few words or a label are an answer after a marker such as "Answer:"; an explanation is one if it cites passages.
    """
    if question.form == "long":
        return said_plainly(text, drop_marks(text).strip()) if statements_in(text) else None
    short, how = final_answer(text, question)
    return said_plainly(text, short) if how in MARKED and not does_not_know(short) else None


def demanded(workbench: MethodContext, text: str, question: Question) -> Final | None:
    """The answer in a reply without an action that should be nothing but an answer; `None`, recorded, if there is none."""
    if text.lstrip("` \n").removeprefix("json").lstrip().startswith("{"):  # an object that has no answer
        file_unanswered(workbench, text)
        return None
    if question.form == "long":
        return said_plainly(text, drop_marks(text).strip()) if text.strip() else None
    short, _ = bare_answer(workbench, text, question)
    return said_plainly(text, short) if short else None


def said_plainly(text: str, answer: str) -> Final:
    """An answer with the statements in the text around it. What is cited for the answer itself is no statement."""
    statements = statements_in(text)
    numbers = tuple(number for one in statements if has_marker(one.text) for number in one.numbers)
    return Final(answer, tuple(one for one in statements if not has_marker(one.text)), numbers=numbers)


def concluded(workbench: MethodContext, question: Question, shelf: Shelf, ending: Ending) -> Answer:
    """The answer: a claim for each statement that it rests on, judged first by the passages that it cites, and one for itself.

    The answer is doubted if the model calls it a guess, or rests it on a statement without a passage. An explanation is its
    statements, and makes no further claim.
    """
    final = ending.final or Final("")
    statements = [_assertion(question, shelf, one) for one in final.statements]
    numbers = [*reversed(final.numbers), *(number for one in reversed(final.statements) for number in reversed(one.numbers))]
    ranked = _first(_passages(shelf, numbers), shelf.passages)
    words = final.answer or " ".join(one.text for one in final.statements)
    short, how = bare_answer(workbench, words, question) if words else ("", "empty")
    how = ending.how if short else how
    steps = [*(_steps(shelf, one) for one in final.statements), [] if ending.step is None else [ending.step]]
    if question.form == "long" and statements:
        claims = claims_of(statements, workbench)
        file_claims(workbench, question, claims, steps)
        ids = [passage.id for passage in ranked]
        answer = marked_answer(words, short, how, ids, claims, ending.stopped_because, workbench=workbench)
    else:
        answer = answer_from_claims(
            question,
            statements,
            short,
            how,
            workbench,
            retrieved=ranked,
            text=words if question.form == "long" else "",
            with_queries=False,
            stopped_because=ending.stopped_because,
            final=_itself(question, short, shelf, final, ranked),
            after=steps,
        )
    num_invented = sum(shelf.passage(number) is None for number in numbers)
    return replace(answer, num_marks_removed=answer.num_marks_removed + num_invented)


def _itself(question: Question, short: str, shelf: Shelf, final: Final, ranked: Sequence[Passage]) -> Assertion:
    return replace(final_assertion(question, unescape(short), ranked), doubt=_doubt(shelf, final))


def _doubt(shelf: Shelf, final: Final) -> str:
    if final.is_guess:
        return "the model calls the answer a guess"
    unread = next((one for one in final.statements if not _passages(shelf, one.numbers)), None)
    if unread is None:
        return ""
    return f'the model rests it on "{on_one_line(unescape(unread.text))}", for which it names no passage'


def _assertion(question: Question, shelf: Shelf, one: Statement) -> Assertion:
    text = on_one_line(unescape(one.text))
    cited = _passages(shelf, one.numbers)
    searched = [found_by.query for passage in cited for found_by in shelf.found_by.get(passage.id, ())]
    query = _query_of(text, [*searched, question.text])
    return Assertion(query, text, "retrieved" if cited else "model", _first(cited, shelf.passages))


def _query_of(text: str, queries: Sequence[str]) -> str:
    """The query that a statement answers: of those that found its passages and the question, the one most like it.

    A query that has all its names already, because the model guessed them, comes last. One that says all of it, as "Is A in
    B?" does, is left out: there the statement is judged by itself.
    """
    said, names = stems_of(text), named_keys(text)
    return max(
        (query for query in queries if adds(query, text)),
        key=lambda query: (bool(names - keys_of(query)), len(said & stems_of(query))),
        default="",
    )


def _passages(shelf: Shelf, numbers: Iterable[int]) -> list[Passage]:
    return [passage for number in dict.fromkeys(numbers) if (passage := shelf.passage(number)) is not None]


def _first(cited: Sequence[Passage], others: Sequence[Passage]) -> list[Passage]:
    return list({passage.id: passage for passage in (*cited, *others)}.values())


def _steps(shelf: Shelf, one: Statement) -> list[int]:
    """The decisions to search that first found what a statement cites."""
    found = (shelf.found_by.get(passage.id) for passage in _passages(shelf, one.numbers))
    return sorted({searches[0].step for searches in found if searches})
