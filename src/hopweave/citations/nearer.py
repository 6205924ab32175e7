"""Another value than an answer may be what a query asks for: one among more of its words, in the sentence or elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace

from hopweave.citations.about import is_english, is_named_in, names_in, names_its_subject, telling
from hopweave.citations.places import (
    Place,
    begins_with_pronoun,
    parties_of_document,
    sentences_of,
)
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage, Span
from hopweave.text.agreement import is_spelled_out
from hopweave.text.answer_kinds import kind_asked
from hopweave.text.bounds import bounds_asked, is_bound_asked
from hopweave.text.cases import is_of_another_case
from hopweave.text.changes import is_difference, is_earlier_asked
from hopweave.text.content_words import keys_of, named_keys, numbers_of
from hopweave.text.contrasts import is_of_another_of_a_kind
from hopweave.text.document_names import are_of_one_document, names_the_document, words_above
from hopweave.text.ends import is_other_end
from hopweave.text.enumerations import is_one_of_a_row
from hopweave.text.explanations import explains
from hopweave.text.how_often import is_other_use_of_a_time
from hopweave.text.languages import is_foreign
from hopweave.text.list_marks import MARKS_OF_ITEM
from hopweave.text.other_clauses import is_of_another_clause, is_stated_of_another_clause
from hopweave.text.own_words import is_of_less_fitting_words
from hopweave.text.parties import Party, is_party
from hopweave.text.parts import is_in_other_part, is_unchosen, parts_with
from hopweave.text.relations import relations_asked
from hopweave.text.segments import is_in_another_segment
from hopweave.text.sentences import sentence_spans, sentences_in
from hopweave.text.sizes import may_say_how_much
from hopweave.text.succession import is_on_other_side
from hopweave.text.superlatives import is_one_of_a_list
from hopweave.text.table_rows import is_row
from hopweave.text.values import MONTHS
from hopweave.text.values_alike import CLOCK, COUNTED, NUMBER, Value, are_alike, value_at, values_in
from hopweave.text.values_asked import counts_what_is_measured
from hopweave.text.wanted import Wanted, content_stems

_KIND_ASKED = lazy_pattern(r"\b(?:which|what)\s+(?!is\b|are\b|was\b|were\b)[a-z]+", re.IGNORECASE)
_NO_THING = (
    "does did do is are was were can could may must will would should have has had more less longer of time money people"
    " persons times days hours weeks months years minutes seconds percent units pieces items things"
)
_AMOUNT_ASKED = lazy_pattern(
    rf"\bhow (?P<how>much|many) (?!(?:{'|'.join(_NO_THING.split())})\b)(?P<what>[a-z]{{3,}})", re.IGNORECASE
)
"""`How much lime`, `how many lamps`."""
_OF_WHAT = lazy_pattern(r"\sof\s(?P<what>[a-z]{3,})")
_FEWEST_BESIDE = 2
"""Words of a query that a sentence has if another one of its passage that has all of them is compared with it."""
_CLEARLY_MORE, _FEWEST_OWN = 0.2, 2
"""Of the words of a query; chosen on documents of sixteen kinds (docs/design/measured.md)."""
_BEFORE = 200
"""How many characters before a sentence may say of what the amount is that it divides."""
_OF_MONEY = content_stems("charge charged cost fee paid pay price")
_LITTLE = 0.5
"""A sentence with at most this share of the words that a query wants says little of what is asked."""


def is_nearer_another(query: str, said: str, place: Place, focus: Span, passages: Sequence[Passage]) -> bool:
    """Whether another value than the answer is what a query asks for, in a language that is known.

    It is if it is of the same kind, such as a time or a sum of money, and stands with all the words of the query that the
    answer stands with, and more: in another part of the sentence, or in another sentence of the document. The day of a date is
    no number of things.

    Args:
        query: the query. If the answer is a statement that names its own subject, that is read instead.
        said: the answer.
        place: where it stands.
        focus: the position of its words in the text of the passage.
        passages: all that were found.
    """
    is_statement = names_its_subject(said)
    asking = said if is_statement else query
    place, is_item = _without_mark(place, focus)
    inside = Span(focus.start - place.span.start, focus.end - place.span.start)
    if (
        not (is_english(asking) or is_foreign(asking))
        or is_row(place.sentence)
        or is_spelled_out(asking, said, place.sentence)
        or is_earlier_asked(asking, place.sentence, inside)
    ):
        return False
    parties = parties_of_document(place.passage, passages)
    values = _values(place.sentence, parties)
    own = value_at(inside, values)
    if own is not None and own.kind == "date" and said.strip().isdigit() and kind_asked(query) == "number":
        return True
    if own is not None and not is_statement and _is_amount_of_something_else(query, place, own, passages):
        return True
    if is_other_end(asking, place.sentence, inside) or (is_english(asking) and is_difference(asking, place.sentence, inside)):
        return True
    if not is_statement and is_one_of_a_row(query, place.sentence, inside):
        return True
    if _is_of_another_part(query, said, asking, place, inside):
        return True
    if not is_statement and _is_said_of_another(query, place.sentence, inside, values):
        return True
    terms = _terms_asked(asking, parties)
    # Words that all of the document is about tell its parts apart only where nothing else does.
    beside = content_stems("\n".join([names_the_document(place.passage), *terms]))
    words = telling(content_stems(asking) - beside, asking)
    if any(
        is_in_other_part(Wanted(asking, some, terms), place.sentence, inside, values) for some in (words, content_stems(asking))
    ):
        return True
    if not is_statement and is_unchosen(Wanted(asking, content_stems(asking), terms), place.sentence, inside, values):
        return True
    wanted = Wanted(asking, words, terms)
    if is_of_another_case(wanted, _read_with(place), place.sentence, inside, place.following):
        return True
    if is_statement or explains(query, said):
        return False
    kind = own.kind if own else ""
    return _is_in_another_sentence(_unnamed(wanted, said), said, place, kind, passages, is_item=is_item) or _is_told_better(
        query, said, place, kind, passages
    )


def _without_mark(place: Place, focus: Span) -> tuple[Place, bool]:
    """A place without the mark of the item that it begins, whose number is no value of it, and whether it begins one.

    Nothing is left out if some words are the mark itself, as the day of `4. Mai` may be.
    """
    mark = MARKS_OF_ITEM.match(place.sentence)
    if mark is None or focus.start < place.span.start + mark.end():
        return place, mark is not None
    return replace(place, span=Span(place.span.start + mark.end(), place.span.end)), True


def _is_said_of_another(query: str, sentence: str, inside: Span, values: Sequence[Value]) -> bool:
    """Whether the words that a sentence has for another value, or another segment of it, fit a question better."""
    if is_english(query):
        return is_of_less_fitting_words(content_stems(query), sentence, inside, values)
    return is_in_another_segment(query, sentence, inside)


def _is_of_another_part(query: str, said: str, asking: str, place: Place, inside: Span) -> bool:
    """Whether the sentence says what is asked for elsewhere: of the other side, of one of a list, in another clause."""
    if is_on_other_side(asking, place.sentence, place.following, inside):
        return True
    if is_one_of_a_list(asking, place.sentence, "\n".join(place.headings), inside):
        return True
    if not is_english(asking):
        return False
    if is_of_another_of_a_kind(asking, place.sentence, inside) or is_other_use_of_a_time(asking, place.sentence, inside):
        return True
    above, before = _read_with(place), place.passage.text[max(0, place.span.start - _BEFORE) : place.span.start]
    if asking == said:
        return is_stated_of_another_clause(query, said, place.sentence, above, before)
    return is_of_another_clause(query, place.sentence, inside, above, before)


def _read_with(place: Place) -> str:
    """What a sentence is read with: what is above it, and what its pronouns may refer to."""
    return "\n".join([words_above(place.passage), place.heading, place.item, place.text.removesuffix(place.sentence)])


def _is_amount_of_something_else(query: str, place: Place, own: Value, passages: Sequence[Passage]) -> bool:
    """Whether a query asks how much there is of something that the place does not name, but another sentence with an amount."""
    if counts_what_is_measured(query, place.sentence, own):
        return True
    asked = _AMOUNT_ASKED.search(query)
    if asked is None:
        return False
    what = content_stems(asked["what"])
    if (
        asked["how"].casefold() == "many"
        and own.kind in {"time", "money", "%", CLOCK}
        and not what & content_stems(place.sentence)
    ):
        return True
    values: Sequence[Value] = values_in(place.sentence)
    if is_bound_asked(query):
        values = bounds_asked(query, place.sentence, values)
    counted = {value.kind.removeprefix(COUNTED) for value in values if value.kind.startswith(COUNTED)}
    if own.kind.startswith(COUNTED) and what & counted and own.kind.removeprefix(COUNTED) not in what:
        return True
    named = "\n".join([place.words if begins_with_pronoun(place.sentence) else place.sentence, *place.headings, place.item])
    stuff = _of_what(place.sentence, own)
    if (
        stuff
        and not stuff & what
        and any(_of_what(place.sentence, one) & what for one in values if are_alike(one.kind, own.kind))
    ):
        return True
    if own.kind == NUMBER or what & content_stems(named):
        return False
    others = (sentence for one in passages for sentence in sentences_in(one.text))
    return any(
        may_say_how_much(value.kind, own.kind) for other in others if what & content_stems(other) for value in values_in(other)
    )


def _of_what(sentence: str, value: Value) -> Set[str]:
    """The stem of what an amount is of: `100 ml of water`."""
    found = _OF_WHAT.match(sentence, value.span.end)
    return content_stems(found["what"]) if found is not None else frozenset()


def _terms_asked(asking: str, parties: Iterable[Party]) -> frozenset[str]:
    """The terms of a contract, as keys, for the parties that a query names or has as they are: `the Supplier`."""
    asked, names = keys_of(asking), names_in(asking)
    meant = {one.term for one in parties if keys_of(one.term) <= asked or any(is_party(name, one) for name in names)}
    return frozenset(key for term in meant for key in keys_of(term))


def _unnamed(wanted: Wanted, said: str) -> Wanted:
    """What is wanted without the answer, its kind, and names, for which other sentences have a pronoun or a term."""
    of_no_kind = content_stems(_KIND_ASKED.sub(" ", wanted.query))
    others = {word for word in wanted.words if word.isupper() or word not in of_no_kind}
    names = [name for name in names_in(wanted.query) if not any(map(str.isdigit, name))]
    return wanted.without(others | content_stems("\n".join([said, *names])))


def _is_in_another_sentence(
    wanted: Wanted, said: str, place: Place, kind: str, passages: Sequence[Passage], *, is_item: bool
) -> bool:
    is_read_on = begins_with_pronoun(place.sentence) or place.heading.endswith("?")
    if is_read_on and not place.referring and _is_said_before(wanted, said, place):
        return True
    if any(relation.stated.search(place.sentence) for relation in relations_asked(wanted.query)):
        return False
    read = "\n".join(filter(None, [place.referring, place.text if is_read_on else place.sentence]))
    if kind == "money":
        wanted = wanted.without(_OF_MONEY)
    num_here = len(wanted.words & content_stems(read))
    if wanted.words and num_here <= _LITTLE * len(wanted.words) and _is_all_said(wanted, said, place.passage):
        return True
    here = wanted.among("\n".join([*place.passage.sections, place.heading, place.item, read]))
    if not here and not is_item and len(wanted.words) >= _FEWEST_BESIDE and _is_said_instead(wanted, said, place.passage):
        return True
    if not kind:
        return _is_said_beside(wanted, said, place.passage, here)
    if kind == NUMBER:
        return False
    parties = parties_of_document(place.passage, passages)
    # Headings tell the parts of a document apart also by words that all of it is about.
    headed = replace(wanted, words=content_stems(wanted.query))
    above = headed.among(place.heading)
    for one in passages:
        for heading, *other in _others_alike(said, kind, one.text, parties) if are_of_one_document(place.passage, one) else ():
            there = wanted.among("\n".join([*one.sections, heading, *other]))
            if here < there or (here == there and above < headed.among(heading)):
                return True
    return False


def _is_said_before(wanted: Wanted, said: str, place: Place) -> bool:
    """Whether the sentence before has all that is wanted, and something that could be the answer, and the place none of it.

    `It was founded by Ada Finch in 1987. Her son has run it since 2011.`
    """
    if not wanted.words or telling(content_stems(wanted.query), wanted.query) & content_stems(place.sentence):
        return False
    text = place.passage.text
    before = next((text[one.start : one.end] for one in reversed(sentence_spans(text)) if one.end <= place.span.start), "")
    is_number, known = bool(numbers_of(keys_of(said))), keys_of(wanted.query) | keys_of(said) | frozenset(MONTHS)
    has_other = any(key[0].isdigit() == is_number for key in named_keys(before) - known)
    return has_other and wanted.words <= content_stems(before)


def _is_said_beside(wanted: Wanted, said: str, passage: Passage, here: Set[str]) -> bool:
    """Whether a sentence of a passage has all that is wanted, of which that with the answer has a part, and says more.

    `The red lamp means that the tank is empty. The blue lamp means that the pump runs.`
    """
    if not _FEWEST_BESIDE <= len(here) < len(wanted.words):
        return False
    answer = content_stems(said)
    others = (content_stems(one) for one in sentences_in(passage.text) if not is_row(one) and not one.endswith("?"))
    return any(wanted.words < other and not answer <= other for other in others)


def _is_told_better(query: str, said: str, place: Place, kind: str, passages: Sequence[Passage]) -> bool:
    """Whether another sentence that was found has clearly more of a query's words, and something that could be its answer.

    Nothing is said of a query that leads through something else: the place itself has to name what it names; nor of a sentence
    that has hardly a word besides the answer, as "New in version 3.6."
    """
    own = telling(content_stems(place.sentence) - content_stems(said), place.sentence)
    if len(own) < _FEWEST_OWN or not all(is_named_in(place.words, name) for name in names_in(query)):
        return False
    asked = telling(content_stems(query), query)
    least = len(asked & content_stems(f"{place.words}\n{place.item}")) + _CLEARLY_MORE * len(asked)
    answer, known = keys_of(said), keys_of(query) | frozenset(MONTHS)
    for one in passages:
        above = words_above(one)
        if len(asked & content_stems(f"{above}\n{one.text}")) <= least:
            continue
        for span, heading, item, _ in sentences_of(one.text):
            sentence = one.text[span.start : span.end]
            if len(asked & content_stems("\n".join([above, heading, item, sentence]))) <= least or answer <= keys_of(sentence):
                continue
            if any(are_alike(value.kind, kind) for value in values_in(sentence)) if kind else named_keys(sentence) - known:
                return True
    return False


def _is_all_said(wanted: Wanted, said: str, passage: Passage) -> bool:
    """Whether a sentence of a passage has all that is wanted, and something that could be the answer: a number, or a name."""
    is_number, known = bool(numbers_of(keys_of(said))), keys_of(wanted.query) | keys_of(said) | frozenset(MONTHS)
    return any(key[0].isdigit() == is_number for one in _all_said(wanted, passage) for key in named_keys(one) - known)


def _is_said_instead(wanted: Wanted, said: str, passage: Passage) -> bool:
    """Whether a sentence of a passage has all that is wanted, of which that with the answer has nothing, and says more."""
    is_number = bool(numbers_of(keys_of(said)))
    told = (one for one in _all_said(wanted, passage) if not one.endswith("?"))
    others = (one for one in told if not is_number or values_in(one))
    return any(wanted.words < content_stems(one) for one in others)


def _all_said(wanted: Wanted, passage: Passage) -> list[str]:
    """The sentences of a passage that have all that is wanted, together with what a pronoun at their beginning stands for."""
    found = []
    before = ""
    for one in sentences_in(passage.text):
        read = f"{before} {one}" if begins_with_pronoun(one) else one
        found += [one] if wanted.words <= content_stems(read) and not is_row(one) else []
        before = read
    return found


def _others_alike(said: str, kind: str, text: str, parties: Sequence[Party]) -> Iterator[tuple[str, ...]]:
    """Yields the sentences of a text with a value of a kind; of one that has the answer, the parts with another value.

    With each comes what it stands under.
    """
    answer = keys_of(said)
    for span, heading, item, _ in sentences_of(text):
        sentence = text[span.start : span.end]
        alike = [value for value in _values(sentence, parties) if value.kind == kind]
        if not alike or is_row(sentence):
            continue
        if not answer <= keys_of(sentence):
            yield heading, item, sentence
            continue
        parts = (sentence[part.span.start : part.span.end] for part in parts_with(sentence, alike))
        yield from ((heading, item, part) for part in parts if not answer <= keys_of(part))


def _values(text: str, parties: Iterable[Party]) -> list[Value]:
    """The values of a text, and where it has the terms for parties of a contract, which are values of one kind."""
    found = [
        Value("party", Span(*match.span()))
        for term in {party.term for party in parties}
        for match in re.finditer(rf"\b{re.escape(term)}\b(?!['’])", text)
    ]
    return sorted([*values_in(text), *found], key=lambda value: value.span.start)
