"""The end of an agent's work: the answer in a reply without an action, and the claims that an answer makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hopweave.answering.methods.tool_agent._actions import Final, Statement, statements_in
from hopweave.answering.methods.tool_agent._shelf import Shelf
from hopweave.answering.toolkit.claims import Assertion, answer_from_claims, on_one_line
from hopweave.answering.toolkit.final_answer import MARKED, bare_answer, file_unanswered
from hopweave.citations.support import adds
from hopweave.core.prompt import unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Passage, Question
from hopweave.text.citation_marks import drop_marks
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

    The answer is doubted if the model calls it a guess, or rests it on a statement without a passage.
    """
    final = ending.final or Final("")
    numbers = [number for one in reversed(final.statements) for number in reversed(one.numbers)]
    cited = _passages(shelf, (*reversed(final.numbers), *numbers))
    is_doubted = final.is_guess or any(not _passages(shelf, one.numbers) for one in final.statements)
    words = final.answer or " ".join(one.text for one in final.statements)
    short, how = bare_answer(workbench, words, question) if words else ("", "empty")
    ranked = _first(cited, shelf.passages)
    answer = answer_from_claims(
        question,
        [_assertion(question, shelf, one) for one in final.statements],
        short,
        ending.how if short else how,
        workbench,
        retrieved=ranked,
        text=words if question.form == "long" else "",
        with_queries=False,
        stopped_because=ending.stopped_because,
        final=Assertion(
            question.text,
            unescape(short),
            "retrieved" if ranked else "model",
            () if question.form == "label" else ranked,
            is_doubted=is_doubted,
        ),
        after=[*(_steps(shelf, one) for one in final.statements), [] if ending.step is None else [ending.step]],
    )
    num_invented = sum(shelf.passage(number) is None for number in (*final.numbers, *numbers))
    return replace(answer, num_marks_removed=answer.num_marks_removed + num_invented)


def _assertion(question: Question, shelf: Shelf, one: Statement) -> Assertion:
    text = on_one_line(unescape(one.text))
    cited = _passages(shelf, one.numbers)
    searched = [found_by.query for passage in cited if (found_by := shelf.found_by.get(passage.id)) is not None]
    # The query that it answers is the one that found its passage. If that says it all already (as "Is A in B?" does), the
    # statement still has to be judged: by itself.
    query = next((query for query in (*searched, question.text) if adds(query, text)), "")
    return Assertion(query, text, "retrieved" if cited else "model", _first(cited, shelf.passages))


def _passages(shelf: Shelf, numbers: Iterable[int]) -> list[Passage]:
    return [passage for number in dict.fromkeys(numbers) if (passage := shelf.passage(number)) is not None]


def _first(cited: Sequence[Passage], others: Sequence[Passage]) -> list[Passage]:
    return list({passage.id: passage for passage in (*cited, *others)}.values())


def _steps(shelf: Shelf, one: Statement) -> list[int]:
    """The decisions to search that found what a statement cites."""
    found = (shelf.found_by.get(passage.id) for passage in _passages(shelf, one.numbers))
    return sorted({found_by.step for found_by in found if found_by is not None})
