"""Sentences that were named together for one answer: what one of them says of that which another one has.

That they were named proves nothing. A sentence counts with another one only if the text ties them: it stands below it, as below
the heading that is the answer; it leads to it, and the other one speaks of nothing else; or it has a part of a name of which
the other one has all, in the same document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hopweave.citations.about import telling
from hopweave.citations.citing import cite, locate
from hopweave.citations.places import Place, begins_with_pronoun, sentences_of
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Claim, Passage, Span
from hopweave.text.content_words import anchors, keys_of, stems_of
from hopweave.text.sentences import sentence_around, sentence_spans

Named = tuple[Passage, Span]
"""A sentence of a passage, or a part of one."""

_OF_ANOTHER = lazy_pattern(r"\W{0,3}(?:for|of|per|from|on|in|to)\s(?:(?:the|an?|its|their|our|your)\s)?(?P<what>\w{1,60})")
"""What follows an answer if that is one of something else: `9,000 pounds for the roof`."""


def said_with(query: str, place: Place, focus: Span, together: Iterable[Named]) -> Iterator[Named]:
    """Yields the sentences of the passage of a place that state what is asked of it, of those named together with it.

    Args:
        query: the query.
        place: where the answer stands.
        focus: the position of its words in the text of the passage.
        together: the sentences that were named.
    """
    text = place.passage.text
    for passage, part in together:
        if passage.id != place.passage.id:
            continue
        sentence = sentence_around(text, part)
        if sentence == place.span or _is_told_better(query, text, sentence):
            continue
        is_led = _leads_to(place, sentence) and _speaks_of_nothing_else(query, place, focus, sentence)
        if is_led or _is_below(place, sentence):
            yield passage, sentence


def parts_of_name(said: str, sentence: str, found: Iterable[Passage]) -> list[str]:
    """The words of a name that a sentence has which lacks the whole name, without those of other names that were found.

    >>> parts_of_name("Ada Finch", "Ada suggested May.", [Passage("a", "Ada Finch was there, and Tom Finch.")])
    ['Ada']
    >>> parts_of_name("Ada Finch", "Finch suggested May.", [Passage("a", "Ada Finch was there, and Tom Finch.")])
    []
    """
    words = said.split()
    if len(words) < 2 or not all(word[0].isupper() and word.isalpha() for word in words) or locate(said, sentence) is not None:
        return []
    there = [word for word in words if locate(word, sentence) is not None]
    names = {frozenset(keys_of(name)) for passage in found for name in anchors(f"{passage.title}\n{passage.text}") if there}
    others = [name for name in names if name - keys_of(said)]
    return [word for word in there if not any(keys_of(word) == name & keys_of(said) for name in others)]


def citing_all(claim: Claim, together: Iterable[Named]) -> Claim:
    """A claim that cites also the other sentences that were named for it, if it cites any and they share a word with it."""
    words = telling(stems_of(f"{claim.query} {claim.text}"), claim.query) if claim.citations else frozenset()
    there = [(passage, span) for passage, span in together if words & stems_of(passage.text[span.start : span.end])]
    known = {(one.passage_id, one.start, one.end) for one in claim.citations}
    found = [cite(claim.citations[0].mark, passage, span) for passage, span in there]
    others = {(one.passage_id, one.start, one.end): one for one in found}
    return replace(claim, citations=(*claim.citations, *(one for place, one in others.items() if place not in known)))


def _is_told_better(query: str, text: str, sentence: Span) -> bool:
    """Whether another sentence of a text has all words of a query that a sentence has, and more."""
    asked = stems_of(query)
    here = asked & stems_of(text[sentence.start : sentence.end])
    return any(here < asked & stems_of(text[one.start : one.end]) for one in sentence_spans(text))


def _is_below(place: Place, sentence: Span) -> bool:
    """Whether a place is the nearest heading above a sentence."""
    own = next((one for one in sentences_of(place.passage.text) if one.span == sentence), None)
    return own is not None and place.span.end <= sentence.start and own.heading.split("\n")[-1] == place.sentence


def _leads_to(place: Place, sentence: Span) -> bool:
    """Whether a place directly follows a sentence, and is read with it."""
    text = place.passage.text
    is_next = sentence.end <= place.span.start and not text[sentence.end : place.span.start].strip()
    return is_next and text[sentence.start : sentence.end] in place.text


def _speaks_of_nothing_else(query: str, place: Place, focus: Span, sentence: Span) -> bool:
    """Whether a place names no subject of its own: before the answer it has a pronoun, or only words of the query."""
    text, known = place.passage.text, stems_of(query) | stems_of(place.passage.text[sentence.start : sentence.end])
    before = telling(stems_of(text[place.span.start : focus.start]), query)
    of_another = _OF_ANOTHER.match(text, focus.end, place.span.end)
    if of_another is not None and not stems_of(of_another["what"]) <= known:
        return False
    return before <= known and (bool(before) or begins_with_pronoun(place.sentence))
