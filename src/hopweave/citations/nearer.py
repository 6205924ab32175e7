"""Values of the same make as an answer, in the same document, that stand among more of the words of a query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from hopweave.citations.about import (
    Place,
    are_of_one_document,
    begins_with_pronoun,
    is_english,
    names_in,
    names_the_document,
    parties_of_document,
    stems_asked,
)
from hopweave.core.types import Passage, Span
from hopweave.text.answer_kinds import kind_asked
from hopweave.text.content_words import keys_of, stems_of
from hopweave.text.parties import is_party
from hopweave.text.sentences import sentence_spans
from hopweave.text.table_rows import is_row
from hopweave.text.values_alike import Value, values_in

_BETWEEN = re.compile(r"[;:]\s|,\s|\s(?:and|or|but|save|except|unless|while|whereas|plus)\s")
_REFERS_BACK = re.compile(r"\b(?:(?:that|this|such|those|these)\s\w+|thereafter|then|afterwards)\b", re.IGNORECASE)
_NEAR = r"\W*(?:[\w-]+\s){0,4}\W*$"
_BOUNDS = tuple(
    (re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), re.compile(rf"\b(?:{stated})\b{_NEAR}", re.IGNORECASE))
    for asked, stated in (
        (
            r"max(?:imum)?|at most|no more than|cap(?:ped)?|ceiling|upper limit",
            r"exceed(?:ing)?|up to|at most|(?:no|not) more than|max(?:imum)?(?: of)?|capped at|limited to|cap of",
        ),
        (
            r"min(?:imum)?|at least|no less than|floor|lower limit",
            r"at least|(?:no|not) (?:less|fewer) than|min(?:imum)?(?: of)?",
        ),
    )
)
"""How a query asks for an upper or a lower bound, and what stands before one."""


def is_nearer_another(query: str, said: str, place: Place, focus: Span, passages: Sequence[Passage]) -> bool:
    """Whether another value than the answer is what an English query asks for.

    It is if it is of the same make, such as a time or a sum of money, and stands with all the words of the query that the
    answer stands with, and more: in another clause of the sentence, or in another sentence of the document. If the query asks
    for a maximum or a minimum, it is if it is one, and the answer is none. The day of a date is no number of things.

    Args:
        query: the query.
        said: the answer.
        place: where it stands.
        focus: the position of its words in the text of the passage.
        passages: all that were found.
    """
    sentence = place.passage.text[place.span.start : place.span.end]
    if not is_english(query) or is_row(sentence):
        return False
    parties = {party.term for party in parties_of_document(place.passage, passages)}
    values = _values(sentence, parties)
    start, end = focus.start - place.span.start, focus.end - place.span.start
    own = next((value for value in values if value.span.start < end and start < value.span.end), None)
    if own is None:
        return False
    if own.make == "date" and said.strip().isdigit() and kind_asked(query) == "number":
        return True
    alike = [value for value in values if value.make == own.make]
    terms = _terms_asked(query, place.passage, passages)
    beside = stems_of("\n".join([names_the_document(place.passage), *terms]))
    wanted = (stems_asked(query, said) - beside) | {f"={term}" for term in terms}
    unnamed = wanted - stems_of("\n".join(names_in(query)))  # what a query names, other sentences have by a pronoun or a term
    return _is_in_another_clause(query, wanted, terms, sentence, own, alike) or _is_in_another_sentence(
        unnamed, terms, said, place, own.make, parties, passages
    )


def _is_in_another_clause(
    query: str, wanted: Set[str], terms: Set[str], sentence: str, own: Value, alike: Sequence[Value]
) -> bool:
    for asked, stated in _BOUNDS:
        bounds = [value for value in alike if stated.search(sentence[: value.span.start])] if asked.search(query) else []
        if len(alike) > len(bounds) > 0:
            return own not in bounds
    bounds = [value for value in alike if any(stated.search(sentence[: value.span.start]) for _, stated in _BOUNDS)]
    if own not in bounds and not any(asked.search(query) for asked, _ in _BOUNDS):
        alike = [value for value in alike if value not in bounds]
    clauses = list(_clauses(sentence, alike))
    [here] = [wanted & _words(said, terms) for values, said in clauses if own in values]
    return any(here < wanted & _words(said, terms) for values, said in clauses if own not in values)


def _clauses(sentence: str, values: Sequence[Value]) -> Iterator[tuple[list[Value], str]]:
    """Yields the parts of a sentence that end behind values, with these: several if nothing separates them.

    One that refers back ("after that date") is read with all before it.
    """
    start, together = 0, list[Value]()
    for value, after in zip(values, [*values[1:], None], strict=True):
        together.append(value)
        cut = _BETWEEN.search(sentence, value.span.end, after.span.start) if after else None
        if cut is not None or after is None:
            end = cut.start() if cut else len(sentence)
            refers_back = _REFERS_BACK.search(sentence, start, end)
            yield together, sentence[0 if refers_back else start : end]
            start, together = end, []


def _is_in_another_sentence(
    wanted: Set[str], terms: Set[str], said: str, place: Place, make: str, parties: Set[str], passages: Sequence[Passage]
) -> bool:
    passage = place.passage
    sentence = passage.text[place.span.start : place.span.end]
    read = place.text if begins_with_pronoun(sentence) else sentence
    here = wanted & _words("\n".join([*passage.sections, read]), terms)
    answer = keys_of(said)
    for other in passages:
        if not are_of_one_document(passage, other):
            continue
        above = "\n".join(other.sections)
        for span in sentence_spans(other.text):
            text = other.text[span.start : span.end]
            alike = [value for value in _values(text, parties) if value.make == make]
            if not alike or is_row(text):
                continue
            parts = [part for _, part in _clauses(text, alike)] if answer <= keys_of(text) else [text]
            if any(here < wanted & _words(f"{above}\n{part}", terms) and not answer <= keys_of(part) for part in parts):
                return True
    return False


def _terms_asked(query: str, passage: Passage, passages: Sequence[Passage]) -> set[str]:
    """The terms of a contract, as keys, for the parties that a query names or has as they are: `the Supplier`."""
    parties = parties_of_document(passage, passages)
    named = [party.term for name in names_in(query) for party in parties if is_party(name, party)]
    asked = keys_of(query)
    return {
        key for term in {party.term for party in parties} if term in named or keys_of(term) <= asked for key in keys_of(term)
    }


def _values(text: str, parties: Set[str]) -> list[Value]:
    """The values of a text, and where it has the terms for parties of a contract, which are values of one make."""
    found = [
        Value("party", Span(*match.span()))
        for term in parties
        for match in re.finditer(rf"\b{re.escape(term)}\b(?!['’])", text)
    ]
    return sorted([*values_in(text), *found], key=lambda value: value.span.start)


def _words(text: str, terms: Set[str]) -> set[str]:
    """The stems of the words of a text, and such terms as it has, whose stems may be the same: `Employer`, `Employee`."""
    return {*stems_of(text), *(f"={term}" for term in terms & keys_of(text))}
