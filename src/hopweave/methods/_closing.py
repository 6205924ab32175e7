"""What one-call methods share: how the answer is asked for by the question's form, how it is read, and the claim it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hopweave.citing import add_marks, cite, locate, settle_marks
from hopweave.matching import is_yes_or_no
from hopweave.parse.final import final_answer
from hopweave.prompt import Prompt, unblunt
from hopweave.types import Answer, Citation, Claim, Hit, Passage, Question
from hopweave.workbench import Workbench


def closing_request(workbench: Workbench, prompts: Mapping[str, Prompt], question: Question) -> tuple[str, str]:
    """The sentence that says what kind of answer is wanted, and the line that lists the labels (empty without labels)."""
    ask = workbench.fill(prompts[f"ask_{question.form}"])
    labels = workbench.fill(prompts["labels"], labels=", ".join(question.labels)) if question.labels else ""
    return ask, labels


def bare_answer(workbench: Workbench, text: str, question: Question) -> tuple[str, str]:
    """The bare answer of a reply that was to hold nothing else: without a marker, its first line.

    Returns:
        The answer and how it was found, as `parse.final.final_answer`. What cannot be read is filed.
    """
    short, how = final_answer(text, question)
    if how == "full" and question.form == "short":
        short, how = final_answer(text.strip().split("\n", 1)[0], question)
    if not short:
        workbench.unread("final", "no answer is in the reply" if text.strip() else "the reply is empty", text)
    return short, how


def one_answer(
    question: Question, text: str, short: str, how: str, hits: Sequence[Hit] = (), stopped_because: str = "finished"
) -> Answer:
    """The answer of a method that makes one claim. Its only mark is ours; every other was invented, and is counted."""
    claim = one_claim(question, unblunt(short), [hit.passage for hit in hits])
    kept, num_removed = settle_marks(text.strip(), ())
    marked, _ = add_marks(kept, {citation.mark: short for citation in claim.citations})
    retrieved = tuple(hit.passage.id for hit in hits)
    return Answer(unblunt(marked), claim.text, (claim,), stopped_because, how, num_removed, retrieved)


def one_claim(question: Question, short: str, passages: Sequence[Passage] = (), mark: int = 1) -> Claim:
    """The claim that the bare answer of a question makes.

    It is `verified` with a citation if its words stand in one of the passages that were shown, the first of them that holds
    them; otherwise it is the model's own, `known`. An answer of yes or no, a label or an explanation stands in no passage.
    """
    if not short:
        return Claim(question.text, "", "unsupported")
    citations: tuple[Citation, ...] = ()
    if question.form == "short" and not is_yes_or_no(short):
        for passage in passages:
            span = locate(short, passage.text)
            if span is not None:
                citations = (cite(mark, passage, span),)
                break
    return Claim(question.text, short, "verified" if citations else "known", citations)
