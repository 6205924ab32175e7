"""The final answer: how it is requested according to the question's form, and how it is parsed and forced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Protocol

from hopweave.answering.toolkit.transcript import Transcript
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.options import Count
from hopweave.core.prompt import Prompt
from hopweave.core.protocols import MethodContext
from hopweave.core.types import AnswerForm, Question
from hopweave.text.final import MARKER, final_answer, has_marker, without_reasons
from hopweave.text.quotation import unquoted
from hopweave.text.sentences import first_sentence

_SHORT = Question("", "")
_TITLE = lazy_pattern(r"\b[Aa]nswer Is\b(?!\W*:)")
"""What is written with capitals is no marker but a name: "The Answer Is No"."""

MaxTokensLong = Annotated[Count, "longest explanation, in tokens"]
"""The option for the length of a long answer."""

MARKED = ("marker", "alt-marker")
"""How an answer after a marker was found."""


class AnswerLengths(Protocol):
    """The options of a method that asks for the answer after its other replies."""

    @property
    def max_tokens(self) -> int: ...
    @property
    def max_tokens_answer(self) -> int: ...


def longest_answer(question: Question, options: AnswerLengths) -> int:
    """The maximum length of a reply that gives only the answer, in tokens: an explanation may be as long as any other reply."""
    return options.max_tokens if question.form == "long" else options.max_tokens_answer


def of_form(workbench: MethodContext, prompts: Mapping[str, Prompt], name: str, question: Question) -> str:
    """The prompt `NAME_short`, `NAME_label` (which lists the labels) or `NAME_long`, according to the question's form."""
    labels = {"labels": ", ".join(question.labels)} if question.form == "label" else {}
    return workbench.fill(prompts[f"{name}_{question.form}"], **labels)


def closing_request(workbench: MethodContext, prompts: Mapping[str, Prompt], question: Question) -> tuple[str, str]:
    """The sentence that describes the kind of answer expected, and the line that lists the labels (empty without labels)."""
    ask = workbench.fill(prompts[f"ask_{question.form}"])
    labels = workbench.fill(prompts["labels"], labels=", ".join(question.labels)) if question.labels else ""
    return ask, labels


def bare_answer(workbench: MethodContext, text: str, question: Question) -> tuple[str, str]:
    """The bare answer of a reply that should contain nothing else: without a marker, its list or table, or else its first line.

    Returns:
        The answer and how it was found, as in `text.final.final_answer`. Unparseable output is recorded.
    """
    short, how = final_answer(text, question)
    if how == "full" and question.form == "short":
        short, how = final_answer(without_reasons(text), question)
    if not short:
        file_unanswered(workbench, text)
    return short, how


def after_marker(words: str, question: Question) -> tuple[str, str]:
    """The bare answer in the words that follow the final marker, and how it was found; see `restated_answer`, too."""
    if question.form == "long":
        short, _ = final_answer(words, question)
        return short, "marker" if short else "empty"
    restated = restated_answer(words) if question.form == "short" else ""
    return (restated, "marker") if restated else final_answer(f"{MARKER}: {words}", question)


def restated_answer(words: str) -> str:
    """The short answer of words that should be nothing else but begin with a sentence that has a marker; empty if it has none.

    >>> restated_answer("The answer is **Rome**."), restated_answer("Rome"), restated_answer("The Answer Is No")
    ('Rome', '', '')
    """
    words = unquoted(words.strip("*` "))
    first = first_sentence(next((line for line in words.splitlines() if any(map(str.isalnum, line))), ""))
    if not has_marker(first) or _TITLE.search(first):
        return ""
    answers = (final_answer(part, _SHORT)[0] for part in (first, words))
    return next(filter(None, answers), "")


async def forced(
    transcript: Transcript, question: Question, *, max_tokens: int, next_example: str, words_of: Callable[[str], str]
) -> tuple[str, str]:
    """Has the model continue from a transcript that ends with the final marker: the rule of the authors of Self-Ask.

    Args:
        transcript: the text so far.
        question: the question, which determines the form.
        max_tokens: the maximum length of the reply.
        next_example: the beginning of a demonstration, as a stop string; only a long answer has more than one line.
        words_of: cuts a reply down to the words of the answer.

    Returns:
        The bare answer and `forced`; an empty one and `empty` if there is none, which is recorded.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as in `MethodContext.reply`.
    """
    stop = (next_example,) if question.form == "long" else ("\n",)
    sampling = replace(transcript.workbench.sampling, max_tokens=max_tokens, stop=stop)
    said = (await transcript.go_on("answer", sampling)).text.strip()
    words = words_of(said)
    short, _ = final_answer(words, question) if has_marker(words) else after_marker(words, question)
    if not short:
        file_unanswered(transcript.workbench, said)
    return short, "forced" if short else "empty"


def is_missing(how: str, form: AnswerForm) -> bool:
    """Whether the output lacks a final answer, judging by how `final_answer` found it."""
    return how == "empty" or (how == "full" and form != "long")


def file_missing(workbench: MethodContext, text: str) -> None:
    """Records output that does not name a final answer."""
    workbench.parse_failed("final", "no sentence says what the final answer is" if text.strip() else "the reply is empty", text)


def file_unanswered(workbench: MethodContext, text: str) -> None:
    """Records a reply that should be the final answer but contains none."""
    workbench.parse_failed("final", "no answer is in the reply" if text.strip() else "the reply is empty", text)
