"""Answers that the model wrote in sentences: each of them is a claim, and so is the bare answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hopweave.answering.parsing.marked import MarkedSentence
from hopweave.answering.toolkit.claims import Assertion, answer_from_claims, final_assertion
from hopweave.core.prompt import unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Origin, Passage, Question


def answer_in_sentences(
    question: Question,
    sentences: Sequence[MarkedSentence],
    short: str,
    how: str,
    workbench: MethodContext,
    *,
    passages: Sequence[Passage],
    closing: MarkedSentence | None = None,
    doubt: str = "",
    stopped_because: str = "finished",
) -> Answer:
    """The answer that sentences lead to. An explanation, or a text without a closing sentence, consists of its sentences alone.

    A sentence is compared with the passages that its marks name first, and then with the others. A mark that names none is
    counted as invented.

    Args:
        question: the question, which is the query of each claim.
        sentences: those before the closing one, as the model wrote them.
        short: the bare answer; empty if there is none.
        how: how it was found.
        workbench: records each claim and the end.
        passages: all passages that were shown, in the order of their numbers, from 1, including the question's pinned ones.
        closing: the sentence that gives the answer. If it has no marks, those of the sentence before it count.
        doubt: what the method's own check found against the answer, as a clause; empty if nothing.
        stopped_because: for the answer.
    """
    for passage in question.pinned:
        workbench.keep_passage(passage)
    steps = [_assertion(question, one, passages) for one in sentences]
    if steps and (question.form == "long" or closing is None):
        *before, final = [replace(step, doubt=doubt) for step in steps]
    else:
        numbers = next((one.numbers for one in (closing, *sentences[-1:]) if one is not None and one.numbers), ())
        last = final_assertion(question, unescape(short), _named_first(numbers, passages))
        before, final = steps, replace(last, doubt=doubt)
    said = [*sentences, *([closing] if closing is not None else [])]
    answer = answer_from_claims(
        question,
        before,
        short,
        how,
        workbench,
        retrieved=[passage for passage in passages if passage not in question.pinned],
        text=" ".join(one.text for one in said) or short,
        stopped_because=stopped_because,
        final=final,
    )
    num_invented = sum(not 1 <= number <= len(passages) for one in said for number in one.numbers)
    return replace(answer, num_marks_removed=num_invented)


def _assertion(question: Question, sentence: MarkedSentence, passages: Sequence[Passage]) -> Assertion:
    origin: Origin = "retrieved" if passages else "model"
    return Assertion(question.text, unescape(sentence.text), origin, _named_first(sentence.numbers, passages))


def _named_first(numbers: Iterable[int], passages: Sequence[Passage]) -> list[Passage]:
    named = [passages[number - 1] for number in numbers if 1 <= number <= len(passages)]
    return list({passage.id: passage for passage in (*named, *passages)}.values())
