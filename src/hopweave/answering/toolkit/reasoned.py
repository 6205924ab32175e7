"""Reading an answer from passages with or without reasoning (IRCoT, section 3.2), and answers built from sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from hopweave.answering.toolkit.claims import Assertion, claims_of, concluded, file_claims, final_assertion, marked_answer
from hopweave.answering.toolkit.few_shot import PROMPTS, Packer, Style
from hopweave.answering.toolkit.final_answer import bare_answer, file_missing, is_missing
from hopweave.core.errors import BudgetReached
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Message, Origin, Passage, Question, Span
from hopweave.text.citation_marks import settle_marks
from hopweave.text.final import SAYS_ANSWER, final_answer, map_label
from hopweave.text.sentences import first_sentence, sentence_spans

Marker = Annotated[
    Literal["tolerant", "authors"],
    "what marks the answer; tolerant: 'answer is' in any case; authors: the regular expression of their code",
]

_GIVES_ANSWER = {"tolerant": SAYS_ANSWER, "authors": lazy_pattern(r".* answer is:? (.*)\.?")}
_ONE_LINE = ("\n",)
_NEXT_EXAMPLE = ("\nQ:", "\n<passage>")
_MAX_TOKENS_DIRECT = 64
_ANSWER = "So the answer is:"


@dataclass(frozen=True, slots=True)
class Said:
    """An answer: the sentences before the one that gives it, that sentence, and the bare answer.

    Attributes:
        how: as in `text.final.final_answer`.
    """

    sentences: tuple[str, ...]
    closing: str
    short: str
    how: str


def says_answer(sentence: str, marker: Marker) -> bool:
    """Whether a sentence gives the answer.

    `tolerant` looks for "answer is" in any case, with any white space. `authors` is the regular expression of their code, which
    requires a word and a space before it, lower case, and a space after it or its colon.
    """
    pattern = _GIVES_ANSWER[marker]
    return (pattern.match(sentence) if marker == "authors" else pattern.search(sentence)) is not None


def plain(text: str) -> str:
    """A sentence of the model without marks, and without the escapes of passage markers."""
    return unescape(settle_marks(text, ())[0]).strip()


def first_with_words(text: str) -> str:
    """The first sentence of a text that has a word; empty if there is none.

    Dots before a word do not end it, as in a title.

    >>> first_with_words("...And Justice for All is an album. It came out in 1988.")
    '...And Justice for All is an album.'
    """
    end = 0
    while sentence := first_sentence(text[end:]):
        end = text.index(sentence, end) + len(sentence)
        if _has_words(text[:end]) and not _begins_a_title(text, end):
            return text[:end].strip()
    return ""


def _begins_a_title(text: str, end: int) -> bool:
    """Whether the dots before a position belong to the word after it."""
    return text[:end].endswith(("...", "…")) and text[end : end + 1].isalnum()


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, plain(text)))


def bare_answer_of(text: str, question: Question, marker: Marker) -> tuple[str, str]:
    """The bare answer of a reasoning, and how it was found; without a marker, the entire text is the answer (section 3.2)."""
    if marker == "authors" and question.form != "long":
        found = _GIVES_ANSWER[marker].match(" ".join(text.split()))
        short = found[1].removesuffix(".") if found else " ".join(text.split())
        if question.form == "label":
            short = map_label(short, question.labels)
        return short, ("marker" if found else "full") if short else "empty"
    short, how = final_answer(text, question)
    return short, "marker" if how == "alt-marker" else how


def said_in(workbench: MethodContext, text: str, question: Question, marker: Marker) -> Said:
    """Splits a reasoning into its parts; a missing answer is recorded."""
    said = _taken_apart(text, question, marker)
    if not text.strip() or is_missing(said.how, question.form):
        file_missing(workbench, text)
    return said


async def read(
    packer: Packer,
    style: Style,
    found: Sequence[Passage],
    *,
    marker: Marker,
    max_tokens: int,
    force: bool,
    purpose: str = "reader",
    note: str = "",
    sample: int = 0,
) -> Said:
    """Asks the original question once more with all passages (section 3.2): with reasoning, or for the bare answer.

    Args:
        packer: writes the prompt.
        style: with reasoning, or directly.
        found: the passages, in order.
        marker: what marks the answer.
        max_tokens: the limit for the reply.
        force: ask once more if a reasoning does not state the answer.
        purpose: the purpose of the call. A call of a reader does not end a round of retrieval (`Record.num_rounds`).
        note: a text on the question's line, such as permission to say that the passages do not tell.
        sample: tells apart calls whose prompts may be the same, as in `MethodContext.reply`.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as in the calls of the workbench.
    """
    workbench, question = packer.workbench, packer.question
    is_long = style == "cot" or question.form == "long"
    longest = max_tokens if is_long else min(max_tokens, _MAX_TOKENS_DIRECT)
    prompt = await packer.prompt(style, found, max_tokens=longest + _MAX_TOKENS_DIRECT * force, note=note)
    sampling = replace(workbench.sampling, max_tokens=longest, stop=_NEXT_EXAMPLE if is_long else _ONE_LINE)
    reply = await workbench.reply([Message("user", prompt)], purpose=purpose, sampling=sampling, sample=sample)
    text = " ".join(reply.text.split()).removeprefix("A: ")
    if style == "direct":
        short, how = bare_answer(workbench, text, question)
        return Said((), text, short, how)
    if force and text and is_missing(_taken_apart(text, question, marker).how, question.form):
        return await _forced(workbench, prompt, text, question)
    return said_in(workbench, text, question, marker)


async def _forced(workbench: MethodContext, prompt: str, text: str, question: Question) -> Said:
    """A reasoning completed with its missing answer: the model is made to begin the sentence that gives it."""
    begun = f"{text} {_ANSWER}"
    turns = [Message("user", prompt), Message("assistant", begun if workbench.abilities.prefill else text)]
    if not workbench.abilities.prefill:
        turns.append(Message("user", workbench.fill(PROMPTS["finish"])))
    sampling = replace(workbench.sampling, max_tokens=_MAX_TOKENS_DIRECT, stop=_ONE_LINE, thinking="off")
    try:
        reply = await workbench.reply(turns, purpose="finish", sampling=sampling)
    except BudgetReached:  # the reasoning so far is kept
        return said_in(workbench, text, question, "tolerant")
    answer = " ".join(reply.text.split())
    whole = f"{text} {answer}" if says_answer(answer, "tolerant") else f"{begun} {answer}"
    said = said_in(workbench, whole if answer else text, question, "tolerant")
    return replace(said, how="forced") if said.how == "marker" else said


def _taken_apart(text: str, question: Question, marker: Marker) -> Said:
    spans = _spans_with_words(text)
    at = next((span.start for span in reversed(spans) if says_answer(text[span.start : span.end], marker)), len(text))
    sentences = tuple(text[span.start : span.end] for span in spans if span.start < at)
    if question.form == "long":
        whole = " ".join(sentences) or text
        return Said(sentences, "", *bare_answer_of(whole, question, marker))
    return Said(sentences, first_with_words(text[at:]), *bare_answer_of(text, question, marker))


def _spans_with_words(text: str) -> list[Span]:
    """The sentences of a text; dots without a word, as at the beginning of a title, belong to the next one."""
    spans: list[Span] = []
    start: int | None = None
    for span in sentence_spans(text):
        start = span.start if start is None else start
        if _has_words(text[start : span.end]) and not _begins_a_title(text, span.end):
            spans.append(Span(start, span.end))
            start = None
    return spans


def answer_of(
    question: Question,
    said: Said,
    reasoned: Sequence[str],
    found: Sequence[Passage],
    workbench: MethodContext,
    stopped_because: str,
) -> Answer:
    """The answer, its claims and its marks.

    Args:
        question: the question.
        said: the answer; its sentences are the claims and the text.
        reasoned: the sentences that are the claims if `said` has none (a direct reader after a chain).
        found: the passages that were retrieved, in order.
        workbench: records each claim.
        stopped_because: for the answer.
    """
    for passage in question.pinned:
        workbench.keep_passage(passage)
    evidence = [*question.pinned, *found]
    plain, num_removed = _without_marks([*said.sentences, said.closing])
    sentences, closing = plain[:-1], plain[-1]
    origin: Origin = "retrieved" if evidence else "model"
    steps = [Assertion(question.text, text, origin, evidence) for text in sentences or _without_marks(reasoned)[0]]
    final = final_assertion(question, unescape(said.short), evidence)
    is_whole = question.form == "long" or not closing  # the sentences themselves are the answer
    if is_whole and steps:
        claims = claims_of(steps, workbench)
    else:
        claims = concluded(question, final.text, claims_of([*steps, final], workbench))
    file_claims(workbench, question, claims)
    retrieved = (passage.id for passage in found)
    text = " ".join(filter(None, plain))
    answer = marked_answer(text, final.text, said.how, retrieved, claims, stopped_because, workbench=workbench)
    return replace(answer, num_marks_removed=num_removed)


def _without_marks(texts: Iterable[str]) -> tuple[list[str], int]:
    settled = [settle_marks(text, ()) for text in texts]
    return [unescape(text).strip() for text, _ in settled], sum(number for _, number in settled)
