"""Where an answer stands: a sentence with what it is read with, and the document that it is in.

A sentence is read with the title and file of its passage, the heading above it, and the sentence before it if it goes on from
that, with those before that as long as they begin with a pronoun; an item of a list also with the sentence that leads to it. A
question that is a paragraph of its own is a heading of what answers it. The entries of a schedule or a log, which begin with a
date or a time, stand beside each other: none is a heading of the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from hopweave.citations.rules.clause_openings import FINITE
from hopweave.citations.rules.parties import Party, parties_in
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Passage, Span
from hopweave.text.defined_terms import definitions, used_and_defined
from hopweave.text.document_names import are_of_one_document, words_above
from hopweave.text.document_parts import label_of, spans_of_part
from hopweave.text.key_terms import words_in
from hopweave.text.languages import is_foreign, language_beside, words_for
from hopweave.text.list_marks import BULLET, MARKS_OF_ITEM
from hopweave.text.part_references import references, sentence_of
from hopweave.text.scripts import STOPS, runs_together
from hopweave.text.sentences import sentence_around, sentence_spans
from hopweave.text.table_rows import is_row
from hopweave.text.tables_in_text import is_heading, row_at
from hopweave.text.values_alike import CLOCK, values_in

_HEADED = lazy_pattern(r"[A-Z][A-Z \t,/&'():_-]{3,60}\n\s*\S")
"""A sentence that begins with a heading in capitals: what is before it belongs to another section."""
_STEP = lazy_pattern(r"[A-Z][A-Za-z]+ \d{1,2}[:.]\s")
"""How an item of a list may begin as well: `Step 3: Switch it on.`"""
_LEADS = lazy_pattern(r":$|\b(?:following|as follows|these|steps)\b", re.IGNORECASE)
"""In a sentence that leads to a list."""
_SHORT = 3
"""Sentences of a part that is referred to as a whole."""
_BEGINNING = 400
"""Characters with which a document begins."""
_REFERS_BACK = lazy_pattern(
    r"\b(?:it|its|they|them|their|he|him|she|his|her|this|these|those|such|there|then)\b", re.IGNORECASE
)
_BEHIND_AN_ORDER = r"(?:the|an?|to|your|all|both|each|with|in|into|on|at|by|for|from|up|down|off|out)\b"
_NO_SUBJECT = (
    r"(?:The|Both|Each|All|Yes|No|We|You|I|Here|But|And|Otherwise|After|If|In|On|At|By|For|From|To|With|As|When|While|Press|Hold)"
    r"\b"
)
_OF_ITS_OWN = lazy_pattern(
    rf"\W*(?!{_NO_SUBJECT})(?:[\w.-]{{1,40}}[_.:/-][\w.-]{{0,40}}\w"
    rf"|(?:An?\s)?[\w'’-]++(?:\s(?!{_BEHIND_AN_ORDER})[\w'’-]++){{0,3}}?\s{FINITE})"
)
"""How a sentence begins that names its own subject: a code, or words before a verb. An order has none: `Tighten the nuts.`"""
_BEFORE_A_DATE = lazy_pattern(r"\W?(?:\d{1,2}\.?\s)?(?:[^\W\d_]{2,10}[.,]?\s{1,2}(?:\d{1,2}\s)?)?")
"""What an entry may have before its date or time: a bracket, the day of the week, or day and month: `Apr  9 03:15:09`."""
_LATEST_DATE = 16
"""Characters of a sentence before the first digit of its date or time, at most."""
_LETTERS, _DIGITS = lazy_pattern(r"[^\W\d_]+"), lazy_pattern(r"\d+")
_PRONOUN = lazy_pattern(r"\W*(?:he|she|it|they|his|her|its|their)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Place:
    """A sentence of a passage, with what it is read with.

    Attributes:
        passage: the passage.
        span: the sentence.
        text: the sentence, with the heading above it and what is before it that its pronouns may refer to.
        heading: as of `Sentence`.
        item: as of `Sentence`.
        referring: a sentence elsewhere that refers to it, if it is read with that, as its text is, too.
    """

    passage: Passage
    span: Span
    text: str
    heading: str = ""
    item: str = ""
    referring: str = ""

    @property
    def headings(self) -> list[str]:
        """All headings above it, from the nearest."""
        return list(filter(None, [self.heading, *reversed(self.passage.sections), self.passage.title]))

    @cached_property
    def words(self) -> str:
        """All words of the place, those above its passage included."""
        return "\n".join(filter(None, [words_above(self.passage), self.text]))

    @cached_property
    def sentence(self) -> str:
        """The sentence alone."""
        return self.passage.text[self.span.start : self.span.end]

    @property
    def following(self) -> str:
        """The sentence after it; empty if there is none."""
        text = self.passage.text
        return next((text[span.start : span.end] for span in sentence_spans(text) if span.start >= self.span.end), "")


def parties_of_document(passage: Passage, found: Iterable[Passage]) -> list[Party]:
    """The parties that the document of a passage names, as far as its passages were found."""
    document = {one.id: one for one in (passage, *found) if are_of_one_document(passage, one)}
    return [party for one in document.values() for party in parties_in(one.text)]


def beginning_of_document(passage: Passage, found: Iterable[Passage]) -> str:
    """How the document of a passage begins: what all of it is about stands there, but for rows of a table.

    It is empty if that was not found, or nothing else of the document, which then may be no longer than this.
    """
    document = {one.id: one for one in (passage, *found) if are_of_one_document(passage, one)}
    return "\n".join(_beginning_of(one.text) for one in document.values() if not one.start) if len(document) > 1 else ""


@remembered
def _beginning_of(text: str) -> str:
    begun = text[:_BEGINNING]
    sentences = (begun[span.start : span.end] for span in sentence_spans(begun))
    return "\n".join(takewhile(lambda sentence: not is_row(sentence), sentences))


def place_of(passage: Passage, focus: Span) -> Place:
    """The place of some words of a passage."""
    span = sentence_around(passage.text, focus)
    sentences = sentences_of(passage.text)
    before = [passage.text[one.span.start : one.span.end] for one in sentences if one.span.end <= span.start]
    quote = passage.text[span.start : span.end]
    is_alone = bool(before) and (
        (is_row(quote) and not before[-1].endswith(":")) or is_row(before[-1]) or _HEADED.match(quote) is not None
    )
    num_read = 1 if before and not is_alone and _goes_on(passage.text, span, quote, before[-1]) else 0
    while num_read and num_read < len(before) and begins_with_pronoun(before[-num_read], passage.text):
        num_read += 1
    read = before[len(before) - num_read :]
    own = next((one for one in sentences if one.span.start <= span.start < one.span.end), Sentence(span, "", "", ""))
    row = row_at(passage.text, span)
    heads = (own.heading if row is None else f"{own.heading}\n{row.above}").split("\n")
    above = [line for line in dict.fromkeys([*heads, own.lead]) if line not in read]
    return Place(passage, span, "\n".join(filter(None, [*above, *read, quote])), own.heading, own.item)


def _goes_on(text: str, span: Span, sentence: str, above: str) -> bool:
    """Whether a sentence may go on from the one before: it refers back, has no subject, is a line of its own, or answers.

    What is not English always may, but for an entry below another one, which is read alone unless it refers back or answers.
    """
    if _is_entry_below(above, sentence):
        return _REFERS_BACK.search(sentence) is not None
    if is_foreign(sentence) or is_row(sentence) or _REFERS_BACK.search(sentence) or not _OF_ITS_OWN.match(sentence):
        return True
    before = text[: span.start].rstrip()
    return before.endswith(("?", ":")) or "\n" in text[len(before) : span.start]


def referring_to_place(place: Place, focus: Span, found: Iterable[Passage]) -> Iterator[tuple[Passage, Span]]:
    """The sentences in other passages that refer to the very part of it in which some words of a place are.

    They refer to a part of their document, or use a term that is defined there.
    """
    passage = place.passage
    for other in found if definitions(passage.title, passage.sections, passage.text) else ():
        if other.id != passage.id:
            for use, definition in used_and_defined(other, passage):
                if definition.span.start <= focus.start < definition.span.end and _is_short(passage.text, definition.span):
                    yield other, sentence_around(other.text, use.span)
    others = [one for one in found if one.id != passage.id and are_of_one_document(passage, one)]
    for other in others:
        for reference in references(other.text):
            if not reference.is_elsewhere and _is_in_short_part(passage, reference.labels[0], focus):
                yield other, sentence_of(reference, other.text)


def _is_in_short_part(passage: Passage, label: str, focus: Span) -> bool:
    """Whether some words of a passage are in the part with a label, which begins in it or is all of it, and is short.

    What refers to a longer one means something in it, and not all of it.
    """
    spans = spans_of_part(passage.title, passage.sections, passage.text, label)
    if passage.sections and label_of(passage.sections[-1]) == label:
        spans.append(Span(0, len(passage.text)))
    part = next((span for span in spans if span.start <= focus.start < span.end), None)
    return part is not None and _is_short(passage.text, part)


def _is_short(text: str, part: Span) -> bool:
    """Whether a part of a text has few sentences besides headings."""
    said = (one for one in sentence_spans(text) if part.start <= one.start < part.end)
    return sum(not is_heading(text[one.start : one.end]) for one in said) <= _SHORT


class Sentence(NamedTuple):
    """A sentence of a text.

    Attributes:
        span: where it is.
        heading: the nearest heading above it; of several that follow each other, the first and the last: what follows a heading
            looks like one if it is a list, such as of ingredients.
        item: what is before it in its item of a list; empty if it is in none.
        lead: the sentence that leads to this list; empty if none does.
    """

    span: Span
    heading: str
    item: str
    lead: str


@remembered
def sentences_of(text: str) -> tuple[Sentence, ...]:
    r"""The sentences of a text, each with what it stands under.

    >>> for sentence in sentences_of("Care\n\n1. Open the lid. Wipe it.\n\nNotes\n\nKeep it dry."):
    ...     print([sentence.heading, sentence.item])
    ['', '']
    ['Care', '']
    ['Care', '1. Open the lid.']
    ['Care', '']
    ['Notes', '']
    """
    found: list[Sentence] = []
    run: list[str] = []
    is_open = False  # whether the run goes on
    item, lead, before = -1, "", ""
    for span in sentence_spans(text):
        sentence = text[span.start : span.end]
        run = [one for one in run if not _is_entry_below(one, sentence)]
        is_on_line = bool(found) and "\n" not in text[found[-1].span.end : span.start]
        if MARKS_OF_ITEM.match(sentence) or _STEP.match(sentence):
            lead = lead if item >= 0 else before
            item = span.start
        elif not is_on_line:
            item = -1
        lead = lead if item >= 0 else ""
        begun = item if 0 <= item < span.start else span.start
        found.append(Sentence(span, "\n".join(run), text[begun : span.start].strip(), lead))
        heads = _heads(text, span)
        before = sentence if not heads and _LEADS.search(sentence) else ""
        if heads:
            run = [*run[:1], sentence] if is_open else [sentence]
        is_open = heads
    return tuple(found)


def _heads(text: str, span: Span) -> bool:
    sentence = text[span.start : span.end]
    if BULLET.match(sentence) or sentence.endswith(STOPS):
        return False
    if not sentence.endswith("?"):
        return is_heading(sentence)
    is_own_paragraph = (not span.start or text.endswith("\n\n", 0, span.start)) and text.startswith("\n\n", span.end)
    return is_own_paragraph and is_heading(sentence.rstrip("?"))


def _is_entry_below(above: str, sentence: str) -> bool:
    """Whether two sentences are entries of one schedule or log: both begin with a date, or a time, in the same form.

    One that asks, or ends with a colon, leads to the next.
    """
    form = _form_of_date(above)
    return bool(form) and form == _form_of_date(sentence) and not above.endswith(("?", ":"))


@remembered
def _form_of_date(sentence: str) -> str:
    """The form of the date or time that a sentence begins with, such as `0 a 0`; empty if it begins with none."""
    if not any(map(str.isdigit, sentence[:_LATEST_DATE])):
        return ""
    found = next((value for value in values_in(sentence) if value.kind in {"date", CLOCK}), None)
    if found is None or _BEFORE_A_DATE.fullmatch(sentence, 0, found.span.start) is None:
        return ""
    written = sentence[: found.span.start if found.kind == CLOCK else found.span.end]
    return f"{found.kind} {' '.join(_DIGITS.sub('0', _LETTERS.sub('a', written)).split())}"


def begins_with_pronoun(text: str, *others: str) -> bool:
    """Whether a text begins with a pronoun, which stands for something named before.

    Args:
        text: the text.
        others: those beside it, the nearest first, by which its language is told.
    """
    code = language_beside(text, *others)
    if code in {"", "en"}:
        return _PRONOUN.match(text) is not None
    pronouns = words_for(code, "pronouns").split()
    if runs_together(text):
        return text.lstrip(" \n「『（(").startswith(tuple(pronouns))
    first = next(iter(words_in(text)), None)
    return first is not None and first.written.casefold() in pronouns
