"""Whole sentences as claims: which sentence of the evidence bears one out, and the answer that they lead to."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.citing import cite
from hopweave.matching import normalize_answer
from hopweave.methods._claims import file_path, marked_answer, on_one_line
from hopweave.methods._closing import one_claim
from hopweave.methods._wiki import Sentence
from hopweave.methods._words import WORD, is_named, words_of
from hopweave.parse.final import MARKER
from hopweave.parse.refusal import does_not_know
from hopweave.prompt import unblunt
from hopweave.types import Answer, Citation, Claim, Question
from hopweave.workbench import Workbench


def borne_out_by(statement: str, query: str, sentences: Sequence[Sentence]) -> Sentence | None:
    """The sentence of the evidence that says what a statement adds to the query that it answers; `None` if none does.

    What it adds are its words that the query does not have. The sentence has to hold every name and number among them and at
    least half of all; of several, the one that holds most counts, the first of those. This is a test of words: a sentence
    that holds them and denies the statement passes it.
    """
    known = set(words_of(query))
    new = {word for word in words_of(statement) if word not in known}
    names = {word.casefold() for word in WORD.findall(statement)[1:] if is_named(word)} & new
    best, most = None, 0
    for sentence in sentences:
        held = new & set(words_of(sentence.text))
        if names <= held and 2 * len(held) >= len(new) and len(held) > most:
            best, most = sentence, len(held)
    return best


def citation_of(mark: int, sentence: Sentence) -> Citation:
    """Cites a sentence of the evidence."""
    return cite(mark, sentence.hit.passage, sentence.span)


def stated_claim(mark: int, query: str, statement: str, sentences: Sequence[Sentence]) -> Claim:
    """A claim that a statement makes: `verified` where the evidence bears it out, `known` where it does not."""
    if not statement or does_not_know(statement):
        return Claim(query, "", "unsupported")
    sentence = borne_out_by(statement, query, sentences)
    return Claim(query, statement, "verified", (citation_of(mark, sentence),)) if sentence else Claim(query, statement, "known")


def stated_answer(
    question: Question,
    claims: Sequence[Claim],
    sentences: Sequence[Sentence],
    short: str,
    how: str,
    bench: Workbench,
    *,
    text: str = "",
    stopped_because: str = "finished",
) -> Answer:
    """The answer that claims lead to, with one more claim for the answer itself.

    Args:
        question: what was asked.
        claims: in the order of the reasoning, each with its number, from 1, as its mark.
        sentences: all evidence that was shown.
        short: the bare answer; empty if there is none.
        how: how it was found.
        bench: is told of each claim and of the end.
        text: the words for a reader; by default the claims, one sentence each.
        stopped_because: goes into the answer.
    """
    words = unblunt(short)
    passages = list({one.hit.passage.id: one.hit.passage for one in sentences}.values())
    every = list(claims)
    if not (every and normalize_answer(every[-1].text) == normalize_answer(words)):
        every.append(one_claim(question, words, passages, mark=len(every) + 1))
    file_path(bench, every, stopped_because, how)
    whole = text or (words if question.form == "long" and words else _written(every, len(claims), words))
    retrieved = (passage.id for passage in passages)
    return marked_answer(whole, words, how, retrieved, tuple(every), stopped_because, add_missing=True)


def _written(every: Sequence[Claim], num_statements: int, words: str) -> str:
    """The statements and the answer, each with the mark of its claim."""
    texts = [*(claim.text for claim in every[:num_statements])]
    if words:
        texts.append(f"{MARKER} {on_one_line(words)}")
    return " ".join(
        f"{text.rstrip('.')}{''.join(f' [{citation.mark}]' for citation in claim.citations)}."
        for text, claim in zip(texts, [*every[:num_statements], every[-1]], strict=False)
        if text
    )
