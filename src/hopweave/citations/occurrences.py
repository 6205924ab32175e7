"""Where a passage has an answer.

- Words of a short answer occur consecutively; those of a short list may be apart, in one sentence. A date or number may have
  another form (`text.values`).
- A sentence is contained if every name and number in it is in the title or the text; if what it adds (the last name or number
  that the query lacks, else the last such word) is in one sentence of the passage; and if that sentence or the title contains
  at least half of the other words of four letters or more, by their first five letters. Without a name it
  needs four such words, nearly all of them there. A conclusion ("Thus ...", a sum) is contained in nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import NamedTuple

from hopweave.citations.about import (
    codes_in,
    is_date_in_place,
    is_relation_stated,
)
from hopweave.citations.citing import cite, locate
from hopweave.citations.places import place_of
from hopweave.citations.rules.scales import is_other_scale, places_in_tables
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.prompt import unescape
from hopweave.core.types import Citation, Passage, Reading, Span
from hopweave.text.amounts import is_amount, is_other_currency, places_of_amount
from hopweave.text.citation_marks import settle_marks
from hopweave.text.content_words import anchors, content_of, is_reasoning, keys_of, numbers_of, stem, stems_of
from hopweave.text.key_terms import FUNCTION_WORDS
from hopweave.text.languages import is_foreign
from hopweave.text.matching import is_contained, is_yes_or_no, without_yes_or_no
from hopweave.text.page_names import page_name, without_manual_section
from hopweave.text.quantities import is_quantity, places_of_quantity
from hopweave.text.refusal import does_not_know, values_of_none
from hopweave.text.sentences import sentence_around, sentence_spans
from hopweave.text.table_rows import is_row
from hopweave.text.values import has_value, places_of_value
from hopweave.text.values_alike import is_number_of_a_clause, values_in, without_numbers_of_clauses

_LISTED = lazy_pattern(r",\s+(?:and\s+|or\s+)?|;\s+|\s+and\s+|\s+or\s+|\s+&\s+")
_MOST_LISTED, _LONGEST_ITEM = 5, 4
"""How many things, of how many words each, an answer may list to be looked for one by one."""
_LEAST_SHARE, _LEAST_SHARE_WITHOUT_NAME = 0.5, 0.85
"""The share of a sentence's content words, names apart, that the sentence which states it must have."""
_FEWEST_WITHOUT_NAME = 4
"""Content words that a sentence without a name needs: fewer are in many sentences."""
_OF_A_MESSAGE = lazy_pattern(r"^Quoted\b|@[\w.-]+>?, .*\d")
"""What stands above the passages of a message: when it was sent says nothing of what it is about."""
_NUMBER_OF_A_SECTION = lazy_pattern(r"\d{1,2}[.)]?\s+(?=[^\W\d_])")
_VERB = r"(?:[a-z]+ly\s)?(?P<verb>[a-z]{3,}(?:s|ed))\b"
_DOES = lazy_pattern(rf"(?P<name>[^\W_a-z]\S*(?:\s[^\W_a-z]\S*)*)\s{_VERB}")
"""What a statement is about, and what that does or did: `Ada Finch designed`."""
_FULL_NAME = lazy_pattern(r"[A-Z][\w'’-]+(?:\s[A-Z][\w'’-]+){0,2}\s[A-Z][\w'’-]{2,}")
_BEHIND_A_NAME = lazy_pattern(r"(?<![.;:]\s)(?<!^)[A-Z][\w'’.-]*\s$")
_LONGEST_WORD = 30
_MOST_PLACES = 8
"""How many of the places where a passage has an answer are looked at."""


@remembered
def asserted(text: str) -> str:
    """What an answer asserts: without marks and without its yes or no, which no passage can confirm; empty if that is all."""
    said = plain(text)
    if is_yes_or_no(said):
        said = without_yes_or_no(said)
    return said if any(map(str.isalnum, said)) and not does_not_know(said) else ""


def plain(text: str) -> str:
    """An answer without marks and escapes."""
    return settle_marks(unescape(text), ())[0].strip()


def none_of(text: str, passages: Iterable[Passage]) -> str:
    """The answer if it is "None" and a passage has that as a value; else empty."""
    said = plain(text)
    return said if any(values_of_none(said, passage.text) for passage in passages) else ""


def occurrences(mark: int, query: str, said: str, passage: Passage, reading: Reading | None) -> Iterator[Citation]:
    """Yields where a passage has an answer, where the reader found it first.

    Args:
        mark: the mark of the citations.
        query: the query.
        said: the answer.
        passage: the passage.
        reading: what the reader extracted from the passage for this query.
    """
    form = _form_of(said)
    if form.is_none:
        yield from (cite(mark, passage, span) for span in values_of_none(said, passage.text))
        return
    spans = list(dict.fromkeys(_in_a_row(said, passage, reading))) or list(_in_a_list(form.items, passage))
    if not spans and form.has_number:
        spans = list(dict.fromkeys(_in_another_form(said, passage, reading)))
    if not spans and form.is_sentence and not is_contained(said, passage.title):
        stated = _around_the_reading(query, said, passage, reading) or _stated(query, said, passage)
        spans = [stated] if stated is not None else []
    for span in spans:
        if is_number_of_a_clause(said, span, passage.text):
            continue
        is_other_unit = is_other_currency(said, span, passage.text, passage.heading)
        if not is_other_unit and not is_other_scale(said, span, passage.text, passage.heading):
            yield cite(mark, passage, span)
    if passage.text.strip() and _is_titled(said, passage):
        yield _about_the_title(mark, query, passage)


class _Form(NamedTuple):
    """What is looked for in every passage.

    Attributes:
        is_none: whether the answer is "None" as a value, which asserts nothing else.
        items: the few things that it lists; none if it does not.
        has_number: whether a passage may have it as another form of a date, a number or a quantity.
        is_sentence: whether it is one sentence, and no quantity alone.
    """

    is_none: bool
    items: tuple[str, ...]
    has_number: bool
    is_sentence: bool


def listed_in(said: str) -> tuple[str, ...]:
    """The few things that an answer lists; none if it does not.

    >>> listed_in("knockd, libpam-shield"), listed_in("a daemon that waits")
    (('knockd', 'libpam-shield'), ())
    """
    items = tuple(item for item in map(str.strip, _LISTED.split(said)) if item)
    is_list = 2 <= len(items) <= _MOST_LISTED and all(len(item.split()) <= _LONGEST_ITEM for item in items)
    return items if is_list else ()


@remembered
def _form_of(said: str) -> _Form:
    is_quantity_alone = is_quantity(said) or is_amount(said)
    return _Form(
        is_none=not asserted(said),
        items=listed_in(said),
        has_number=is_quantity_alone or has_value(said),
        is_sentence=len(sentence_spans(said)) == 1 and not is_quantity_alone,
    )


def _in_a_row(said: str, passage: Passage, reading: Reading | None) -> Iterator[Span]:
    """Yields where the words occur consecutively: where the reader found them, then everywhere else."""
    if reading is not None and reading.span is not None and holds(passage, reading):
        inside = locate(said, reading.text)
        if inside is not None:
            yield Span(reading.span.start + inside.start, reading.span.start + inside.end)
    found = list(islice(_located(said, passage.text), _MOST_PLACES))
    yield from found
    if found:
        yield from islice(_last_name_in(said, passage.text, found[0].end), _MOST_PLACES)


def _in_another_form(said: str, passage: Passage, reading: Reading | None) -> Iterator[Span]:
    """Yields where a passage has a date, a number or a quantity in whatever form: in what the reader found, then elsewhere."""
    if reading is not None and reading.span is not None and holds(passage, reading):
        inside = chain(places_of_value(said, reading.text), places_of_quantity(said, reading.text))
        yield from (Span(reading.span.start + one.start, reading.span.start + one.end) for one in islice(inside, 1))
    text, heading = passage.text, passage.heading
    in_amounts = chain(places_of_amount(said, text, heading), places_in_tables(said, text, heading))
    yield from islice(chain(places_of_value(said, text), places_of_quantity(said, text), in_amounts), _MOST_PLACES)


def _last_name_in(said: str, text: str, start: int) -> Iterator[Span]:
    """Yields where a text has the last name of a person alone behind a place: `Dario Senn ... Senn was sent off.`"""
    last = said.rpartition(" ")[2]
    if _FULL_NAME.fullmatch(said) is None:
        return
    for match in re.finditer(rf"(?<!\w){re.escape(last)}(?!\w|\s[A-Z])", text[start:]):
        before = text[max(0, start + match.start() - _LONGEST_WORD) : start + match.start()]
        if _BEHIND_A_NAME.search(before) is None:
            yield Span(start + match.start(), start + match.end())


def _located(said: str, text: str) -> Iterator[Span]:
    """Yields where a text has some words: as they are, then elsewhere in other letters (`The Tenant`)."""
    pieces = [(0, text)]
    while pieces:
        start, piece = pieces.pop(0)
        found = locate(said, piece)
        if found is not None:
            yield Span(start + found.start, start + found.end)
            pieces[:0] = [(start, piece[: found.start]), (start + found.end, piece[found.end :])]


def _in_a_list(items: Sequence[str], passage: Passage) -> Iterator[Span]:
    """Yields where one sentence has all of the few things that an answer lists, in whatever order."""
    for span in sentence_spans(passage.text) if items else ():
        found = [place for item in items if (place := locate(item, passage.text[span.start : span.end])) is not None]
        if len(found) == len(items):
            yield Span(span.start + min(one.start for one in found), span.start + max(one.end for one in found))


def _around_the_reading(query: str, said: str, passage: Passage, reading: Reading | None) -> Span | None:
    """The reader's words, if they are some of the answer's words and all the others are in the same sentence."""
    if reading is None or reading.span is None or not holds(passage, reading):
        return None
    asked = keys_of(query)
    heard, new = keys_of(reading.text) - asked, keys_of(said) - asked
    around = sentence_around(passage.text, reading.span)
    there = keys_of(passage.text[around.start : around.end]) | keys_of(passage.heading)
    return reading.span if heard and heard <= new <= there else None


@remembered
def _names_and_words(sentence: str) -> tuple[Sequence[str], Sequence[str]]:
    names = list(dict.fromkeys([*anchors(sentence), *codes_in(sentence)]))
    return names, content_of(sentence, names)


def _stated(query: str, sentence: str, passage: Passage) -> Span | None:
    """Where a passage says what a sentence says: the words that the sentence adds to the query."""
    names, words = _names_and_words(sentence)
    whole = without_numbers_of_clauses(passage.text)
    if not all(locate(name, passage.heading) or locate(name, whole) for name in names):
        return None
    if is_reasoning(sentence) or not (names or len(words) >= _FEWEST_WITHOUT_NAME) or not _has_values(sentence, passage):
        return None
    new = [name for name in names if locate(name, query) is None] or [word for word in words if locate(word, query) is None]
    is_number = len(sentence.split()) < _FEWEST_WITHOUT_NAME and not any(map(str.isalpha, "".join(names)))
    added = set() if new and not is_number else keys_of(sentence) - keys_of(query)
    least = _LEAST_SHARE if names else _LEAST_SHARE_WITHOUT_NAME
    best, most, num_left = None, 0, _MOST_PLACES
    for span in sentence_spans(passage.text):
        text = whole[span.start : span.end]
        needed = added | numbers_of(keys_of(sentence)) if is_row(text) else added
        if not needed <= keys_of(text) | keys_of(passage.heading):
            continue
        focus = (new or names)[-1] if names else next((word for word in reversed(new) if locate(word, text)), "")
        place = locate(focus, text) if focus else None
        there = stems_of(f"{text} {passage.heading}")
        known = [word for word in words if stem(word) in there or is_relation_stated(word, text)]
        is_stated_here = place is not None and len(known) >= least * len(words) and is_date_in_place(sentence, sentence, text)
        is_better = is_stated_here and (best is None or len(known) > most)
        if place is None or not is_better or not num_left or _does_something_else(sentence, text):
            continue
        num_left -= 1
        if _has_names(names, passage, span):
            best, most = Span(span.start + place.start, span.start + place.end), len(known)
    return best


def _has_values(sentence: str, passage: Passage) -> bool:
    """Whether a passage has the values of an English sentence with their units, those in words as well.

    Dates are compared elsewhere.
    """
    text, heading = passage.text, passage.heading
    for value in () if is_foreign(sentence) else values_in(sentence):
        said = sentence[value.span.start : value.span.end].strip()
        if value.kind == "date" or said.casefold() in {"", "one"} or locate(said, text) or locate(said, heading):
            continue
        amounts, in_tables = places_of_amount(said, text, heading), places_in_tables(said, text, heading)
        if next(chain(places_of_value(said, text), places_of_quantity(said, text), amounts, in_tables), None) is None:
            return False
    return True


def _does_something_else(sentence: str, text: str) -> bool:
    """Whether what a sentence begins with does something there, and a text that lacks that word has it do something else.

    `IRCoT uses one-step retrieval` is not what `IRCoT outperforms one-step retrieval` says.
    """
    does = _DOES.match(sentence)
    verb = does["verb"] if does is not None else ""
    if does is None or verb in FUNCTION_WORDS or stem(verb) in stems_of(text) or is_relation_stated(verb, text):
        return False
    others = re.finditer(rf"(?<!\w){re.escape(does['name'])}\s{_VERB}", text)
    return any(one["verb"] not in FUNCTION_WORDS for one in others)


def _has_names(names: Sequence[str], passage: Passage, sentence: Span) -> bool:
    """Whether all names are in a sentence, or in what it is read with."""
    text = f"{passage.heading}\n{passage.text[sentence.start : sentence.end]}"
    others = [name for name in names if locate(name, text) is None]
    return not others or all(locate(name, place_of(passage, sentence).words) for name in others)


def in_quote(citation: Citation) -> Span | None:
    """The position of the words of an answer in their quote; `None` if they are in the title only."""
    if citation.focus is None:
        return None
    return Span(citation.focus.start - citation.start, citation.focus.end - citation.start)


def _is_titled(said: str, passage: Passage) -> bool:
    """Whether the title of a passage has an answer that holds for it, or a number is in the heading of its section.

    The number of a title or a heading does not hold below one with another (`Changes > Release 1.2 > Fixed in 1.1`).
    """
    if not numbers_of(keys_of(said)):
        return locate(said, passage.title) is not None
    titles = (without_manual_section(page_name(passage.title)), *passage.sections)
    headings = [heading for heading in titles if not _OF_A_MESSAGE.search(heading)]
    numbered = [heading for heading in map(_without_number_of_section, headings) if numbers_of(keys_of(heading))]
    return bool(numbered) and locate(said, numbered[-1]) is not None


def _without_number_of_section(heading: str) -> str:
    """A heading without the number that only counts it: `4 Results` has no 4. Releases have names like `1.2 (2021)`."""
    return _NUMBER_OF_A_SECTION.sub("", heading)


def _about_the_title(mark: int, query: str, passage: Passage) -> Citation:
    """Cites the sentence most similar to the query if the answer is the title; none of its words are the answer."""
    wanted = {stem(word) for word in keys_of(query)}
    spans = sentence_spans(passage.text)
    best = max(spans, key=lambda span: len(wanted & stems_of(passage.text[span.start : span.end])))
    return replace(cite(mark, passage, best), focus=None)


def holds(passage: Passage, reading: Reading) -> bool:
    """Whether the words of a reading occur in the text, where they can be quoted."""
    span = reading.span
    return span is not None and span.start < span.end and passage.text[span.start : span.end] == reading.text
