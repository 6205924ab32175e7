"""What one-call methods share: how the answer is asked for by the question's form, and the claim that it makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hopweave.citing import cite, locate
from hopweave.matching import is_yes_or_no
from hopweave.prompt import Prompt
from hopweave.types import Citation, Claim, Hit, Question
from hopweave.workbench import Workbench


def closing_request(workbench: Workbench, prompts: Mapping[str, Prompt], question: Question) -> tuple[str, str]:
    """The sentence that says what kind of answer is wanted, and the line that lists the labels (empty without labels)."""
    ask = workbench.fill(prompts[f"ask_{question.form}"])
    labels = workbench.fill(prompts["labels"], labels=", ".join(question.labels)) if question.labels else ""
    return ask, labels


def one_claim(question: Question, short: str, hits: Iterable[Hit] = ()) -> tuple[Claim, ...]:
    """The single claim of an answer that was given in one go.

    It is `verified` with a citation if its words stand in one of the passages that were shown, the best-ranked one first;
    otherwise it is the model's own, `known`. An answer of yes or no, a label or an explanation stands in no passage.
    """
    if not short:
        return (Claim(question.text, "", "unsupported"),)
    citations: tuple[Citation, ...] = ()
    if question.form == "short" and not is_yes_or_no(short):
        for hit in hits:
            span = locate(short, hit.passage.text)
            if span is not None:
                citations = (cite(1, hit.passage, span),)
                break
    return (Claim(question.text, short, "verified" if citations else "known", citations),)
