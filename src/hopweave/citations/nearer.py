"""Another value than an answer may be what a query asks for: one among more of its words, in the sentence or elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace

from hopweave.citations.about import is_english, is_named_in, may_be_a_noun, names_in, telling
from hopweave.citations.candidates import Candidate, Rule
from hopweave.citations.places import (
    Place,
    begins_with_pronoun,
    parties_of_document,
    sentences_of,
)
from hopweave.citations.rules.bounds import bounds_asked, is_bound_asked
from hopweave.citations.rules.cases import is_of_another_case
from hopweave.citations.rules.changes import is_difference
from hopweave.citations.rules.contrasts import is_of_another_of_a_kind
from hopweave.citations.rules.ends import is_other_end
from hopweave.citations.rules.enumerations import is_one_of_a_row
from hopweave.citations.rules.how_often import is_other_use_of_a_time
from hopweave.citations.rules.other_clauses import is_of_another_clause, is_stated_of_another_clause
from hopweave.citations.rules.own_words import is_of_less_fitting_words
from hopweave.citations.rules.parties import Party
from hopweave.citations.rules.parts import is_in_other_part, is_unchosen, parts_with
from hopweave.citations.rules.relations import relations_asked
from hopweave.citations.rules.segments import is_in_another_segment
from hopweave.citations.rules.succession import is_on_other_side
from hopweave.citations.rules.superlatives import is_one_of_a_list
from hopweave.citations.weighed import Weighed, values_with
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage
from hopweave.text.answer_kinds import kind_asked
from hopweave.text.content_words import keys_of, named_keys, numbers_of
from hopweave.text.document_names import are_of_one_document, words_above
from hopweave.text.explanations import explains
from hopweave.text.languages import language_beside
from hopweave.text.sentences import sentence_spans, sentences_in
from hopweave.text.sizes import may_say_how_much
from hopweave.text.table_rows import is_row
from hopweave.text.values import MONTHS
from hopweave.text.values_alike import CLOCK, COUNTED, NUMBER, Value, are_alike, values_in
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


def _is_day_of_a_date(one: Weighed) -> bool:
    """Whether an answer is the day of a date, which is no number of things."""
    is_in_date = one.own is not None and one.own.kind == "date"
    return is_in_date and one.said.strip().isdigit() and kind_asked(one.query) == "number"


def _is_of_another_amount(one: Weighed) -> bool:
    if one.own is None or one.is_statement:
        return False
    return _is_amount_of_something_else(one.query, one.place, one.own, one.passages)


def _is_difference(one: Weighed) -> bool:
    return is_english(one.asking) and is_difference(one.asking, one.sentence, one.inside)


def _is_of_another_part(one: Weighed) -> bool:
    return any(
        is_in_other_part(wanted, one.sentence, one.inside, one.values, one.language) for wanted in (one.wanted, one.all_wanted)
    )


def _is_of_another_clause(one: Weighed) -> bool:
    """Whether another clause of the sentence says what is asked for."""
    asking, said, place = one.asking, one.said, one.place
    if not is_english(asking):
        return False
    above, before = _read_with(place), place.passage.text[max(0, place.span.start - _BEFORE) : place.span.start]
    if asking == said:
        return is_stated_of_another_clause(one.query, said, one.sentence, above, before)
    return is_of_another_clause(one.query, one.sentence, one.inside, above, before)


def _is_said_elsewhere(one: Weighed) -> bool:
    """Whether another sentence says what is asked for, of an answer that is no statement and explains nothing."""
    if one.is_statement or explains(one.query, one.said):
        return False
    kind = one.own.kind if one.own else ""
    wanted = _unnamed(one.wanted, one.said)
    return _is_in_another_sentence(wanted, one.said, one.place, kind, one.passages, is_item=one.is_item) or _is_told_better(
        one.query, one.said, one.place, kind, one.passages
    )


def _is_said_of_another(one: Weighed) -> bool:
    """Whether the words that a sentence has for another value, or another segment of it, fit a question better."""
    if one.is_statement:
        return False
    if is_english(one.query):
        return is_of_less_fitting_words(content_stems(one.query), one.sentence, one.inside, one.values)
    return is_in_another_segment(one.query, one.sentence, one.inside)


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


def _unnamed(wanted: Wanted, said: str) -> Wanted:
    """What is wanted without the answer, its kind, and names, for which other sentences have a pronoun or a term.

    German nouns behind an article are no names.
    """
    of_no_kind = content_stems(_KIND_ASKED.sub(" ", wanted.query))
    others = {word for word in wanted.words if word.isupper() or word not in of_no_kind}
    named = (name for name in names_in(wanted.query) if not may_be_a_noun(name, wanted.query))
    names = [name for name in named if not any(map(str.isdigit, name))]
    return wanted.without(others | content_stems("\n".join([said, *names])))


def _is_in_another_sentence(
    wanted: Wanted, said: str, place: Place, kind: str, passages: Sequence[Passage], *, is_item: bool
) -> bool:
    is_read_on = begins_with_pronoun(place.sentence, place.passage.text, wanted.query) or place.heading.endswith("?")
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
        if not are_of_one_document(place.passage, one):
            continue
        for heading, *other in _others_alike(wanted.query, said, kind, one.text, parties):
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
            values = values_in(sentence, language_beside(sentence, one.text, query))
            if any(are_alike(value.kind, kind) for value in values) if kind else named_keys(sentence) - known:
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


def _others_alike(query: str, said: str, kind: str, text: str, parties: Sequence[Party]) -> Iterator[tuple[str, ...]]:
    """Yields the sentences of a text with a value of a kind; of one that has an answer, the parts with another value.

    With each comes what it stands under.
    """
    answer = keys_of(said)
    for span, heading, item, _ in sentences_of(text):
        sentence = text[span.start : span.end]
        language = language_beside(sentence, text, query)
        values = values_with(sentence, parties, language)
        alike = [value for value in values if value.kind == kind]
        if not alike or is_row(sentence):
            continue
        if not answer <= keys_of(sentence):
            yield heading, item, sentence
            continue
        parts = (sentence[part.span.start : part.span.end] for part in parts_with(sentence, alike, language))
        yield from ((heading, item, part) for part in parts if not answer <= keys_of(part))


def _of_weighed(holds: Callable[[Weighed], bool]) -> Callable[[Candidate], bool]:
    """A rule about a candidate that is weighed."""
    return lambda one: one.weighed is not None and holds(one.weighed)


def _is_one_of_a_row(one: Weighed) -> bool:
    return not one.is_statement and is_one_of_a_row(one.query, one.sentence, one.inside)


def _is_on_other_side(one: Weighed) -> bool:
    return is_on_other_side(one.asking, one.sentence, one.place.following, one.inside)


def _is_one_of_a_list(one: Weighed) -> bool:
    return is_one_of_a_list(one.asking, one.sentence, "\n".join(one.place.headings), one.inside)


def _is_of_another_of_a_kind(one: Weighed) -> bool:
    return is_english(one.asking) and is_of_another_of_a_kind(one.asking, one.sentence, one.inside)


def _is_other_use_of_a_time(one: Weighed) -> bool:
    return is_english(one.asking) and is_other_use_of_a_time(one.asking, one.sentence, one.inside)


def _is_unchosen(one: Weighed) -> bool:
    return not one.is_statement and is_unchosen(one.all_wanted, one.sentence, one.inside, one.values, one.language)


def _is_of_another_case(one: Weighed) -> bool:
    return is_of_another_case(one.wanted, _read_with(one.place), one.sentence, one.inside, one.place.following)


_RULES: tuple[tuple[str, Callable[[Weighed], bool]], ...] = (
    ("it is the day of a date", _is_day_of_a_date),
    ("it is how much there is of something else", _is_of_another_amount),
    ("it is the other end of a range", lambda one: is_other_end(one.asking, one.sentence, one.inside)),
    ("it is how much more or less something is", _is_difference),
    ("it is one name of a row", _is_one_of_a_row),
    ("it is who came before, not after, or the reverse", _is_on_other_side),
    ("it is one of a list that does not say which is the most", _is_one_of_a_list),
    ("it is of another thing of the kind", _is_of_another_of_a_kind),
    ("it is how often, not for how long, or the reverse", _is_other_use_of_a_time),
    ("another clause of the sentence says what is asked for", _is_of_another_clause),
    ("another value of the sentence has more of the words of the question", _is_said_of_another),
    ("it is in another part of the sentence", _is_of_another_part),
    ("the sentence has several such values and does not say which is asked for", _is_unchosen),
    ("it is another case", _is_of_another_case),
    ("another sentence says what is asked for", _is_said_elsewhere),
)
NEARER: tuple[Rule, ...] = tuple(Rule("relation", says, _of_weighed(holds)) for says, holds in _RULES)
"""Another value than the answer is what is asked for, in a language that is known.

It is if it is of the same kind, such as a time or a sum of money, and stands with all the words of the query that the answer
stands with, and more: in another part of the sentence, or in another sentence of the document.
"""
