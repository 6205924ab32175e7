"""Where an answer stands: a sentence with what it is read with, and the document that it is in.

A sentence is read with the title and file of its passage, the heading above it, and the sentence before it, with those before
that as long as they begin with a pronoun. A question that is a paragraph of its own is a heading of what answers it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hopweave.core.memoize import remembered
from hopweave.core.types import Passage, Span
from hopweave.text.key_terms import words_in
from hopweave.text.languages import is_foreign, language_of, words_for
from hopweave.text.parties import Party, parties_in
from hopweave.text.scripts import runs_together
from hopweave.text.sentences import sentence_around, sentence_spans
from hopweave.text.table_rows import is_row
from hopweave.text.tables_in_text import is_heading

_SUFFIXES = re.compile(r"(?:\.[a-z]\w{0,8}){1,2}$", re.IGNORECASE)
_PAGE = re.compile(r"\.x?html?(?:\.\w{2,4})?$", re.IGNORECASE)
_BETWEEN_WORDS = re.compile(r"[\s_-]+")
_HEADED = re.compile(r"[A-Z][A-Z \t,/&'():_-]{3,60}\n\s*\S")
"""A sentence that begins with a heading in capitals: what is before it belongs to another section."""
_MOST_HEADINGS = 8
_PRONOUN = re.compile(r"\W*(?:he|she|it|they|his|her|its|their)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence of a passage, with what it is read with.

    Attributes:
        passage: the passage.
        span: the sentence.
        text: the sentence, with the heading above it and what is before it that its pronouns may refer to.
        heading: the heading above it in the passage, or the question that it answers; empty if there is none.
    """

    passage: Passage
    span: Span
    text: str
    heading: str = ""

    @property
    def headings(self) -> list[str]:
        """All headings above it, from the nearest."""
        return list(filter(None, [self.heading, *reversed(self.passage.sections), self.passage.title]))

    @property
    def words(self) -> str:
        """All words of the place, those above its passage included."""
        return "\n".join(filter(None, [words_above(self.passage), self.text]))

    @property
    def sentence(self) -> str:
        """The sentence alone."""
        return self.passage.text[self.span.start : self.span.end]


def words_above(passage: Passage) -> str:
    """What says of a whole passage what it is about: its title and sections, and the name of its file."""
    return "\n".join(filter(None, [passage.heading, _file_name(passage.source)]))


def names_the_document(passage: Passage) -> str:
    """What all passages of a document have above them: its title, and the name of its file."""
    return "\n".join(filter(None, [passage.title, _file_name(passage.source)]))


def are_of_one_document(one: Passage, other: Passage) -> bool:
    """Whether two passages are of the same document of a file, or are the same."""
    if one.id == other.id:
        return True
    return bool(one.source) and (one.source.partition("#")[0], one.title) == (other.source.partition("#")[0], other.title)


def parties_of_document(passage: Passage, found: Iterable[Passage]) -> list[Party]:
    """The parties that the document of a passage names, as far as its passages were found."""
    document = {one.id: one for one in (passage, *found) if are_of_one_document(passage, one)}
    return [party for one in document.values() for party in parties_in(one.text)]


def place_of(passage: Passage, focus: Span) -> Place:
    """The place of some words of a passage."""
    span = sentence_around(passage.text, focus)
    spans = [one for one in sentence_spans(passage.text) if one.end <= span.start]
    before = [passage.text[one.start : one.end] for one in spans]
    quote = passage.text[span.start : span.end]
    is_alone = bool(before) and (
        (is_row(quote) and not before[-1].endswith(":")) or is_row(before[-1]) or _HEADED.match(quote) is not None
    )
    num_read = 0 if is_alone else min(len(before), 1)
    while num_read and num_read < len(before) and begins_with_pronoun(before[-num_read]):
        num_read += 1
    read = before[len(before) - num_read :]
    heading = _heading_above(passage.text, spans)
    above = [line for line in heading.split("\n") if line not in read]
    return Place(passage, span, "\n".join(filter(None, [*above, *read, quote])), heading)


def _heading_above(text: str, before: Sequence[Span]) -> str:
    """The nearest heading at the end of some sentences of a text; of several that follow each other, the first and the last.

    What follows a heading looks like one if it is a list, such as of ingredients.
    """
    last = next((at for at in range(len(before) - 1, -1, -1) if _heads(text, before[at])), -1)
    first = last
    while first > 0 and last - first < _MOST_HEADINGS and _heads(text, before[first - 1]):
        first -= 1
    return "\n".join(dict.fromkeys(text[before[at].start : before[at].end] for at in (first, last) if at >= 0))


def _heads(text: str, span: Span) -> bool:
    sentence = text[span.start : span.end]
    if not sentence.endswith("?"):
        return is_heading(sentence)
    is_own_paragraph = (not span.start or text.endswith("\n\n", 0, span.start)) and text.startswith("\n\n", span.end)
    return is_own_paragraph and is_heading(sentence.rstrip("?"))


def begins_with_pronoun(text: str) -> bool:
    """Whether a text begins with a pronoun, which stands for something named before."""
    if not is_foreign(text):
        return _PRONOUN.match(text) is not None
    pronouns = words_for(language_of(text), "pronouns").split()
    if runs_together(text):
        return text.lstrip(" \n「『（(").startswith(tuple(pronouns))
    first = next(iter(words_in(text)), None)
    return first is not None and first.written.casefold() in pronouns


@remembered
def _file_name(source: str) -> str:
    """The words of the name of a file, which often says what a document with a general title is about.

    Web pages are named as addresses, by rules of their own (`sql-dropdatabase.html`), and have titles.

    >>> _file_name("contracts/Orlau_Supply-Agreement_v2.docx#page=3"), _file_name("sql-dropdatabase.html")
    ('Orlau Supply Agreement v2', '')
    """
    name = source.partition("#")[0].replace("\\", "/").rpartition("/")[2]
    if _PAGE.search(name):
        return ""
    return " ".join(_BETWEEN_WORDS.split(_SUFFIXES.sub("", name))).strip()
