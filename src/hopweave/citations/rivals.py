"""Sentences that say something else than a cited one in nearly the same words, such as planted or outdated copies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set

from hopweave.citations.about import names_in
from hopweave.citations.cells import is_another_case, is_of_another_row
from hopweave.citations.places import Place
from hopweave.citations.rules.bands import holds_for_others
from hopweave.core.types import Claim, Passage, Span
from hopweave.text.agreement import agree
from hopweave.text.amounts import is_amount
from hopweave.text.content_words import keys_of, named_keys, numbers_of
from hopweave.text.document_names import words_above
from hopweave.text.list_marks import without_mark
from hopweave.text.sentences import sentence_spans

_FEWEST_WORDS = 4
_SHARED = 0.75
_MOST_OTHER_WORDS = 5


def rival_of(
    query: str,
    said: str,
    place: Place,
    passages: Sequence[Passage],
    is_out: Callable[[Passage, Span], bool],
    settled: Sequence[Claim] = (),
) -> tuple[Passage, Span] | None:
    """A sentence that has another value where the cited sentence has the answer; `None` if there is none.

    Of the query, it has the names that the cited sentence has, and the numbers that this or its title has; if that has no name
    of it, all its words that the cited sentence has; a row of a table all those that the cited row has, with what stands above
    them. It has at least three quarters of the other words of the cited sentence, nothing of the answer, and in its place a few
    words of the same make: names for a name, a number for a number.

    Args:
        query: the query.
        said: the answer.
        place: where it stands.
        passages: all that were found.
        is_out: whether a sentence of them no longer holds, and so speaks against nothing.
        settled: earlier claims that a passage supports.
    """
    sentence = without_mark(place.sentence)
    answer = keys_of(said) - keys_of(query) or keys_of(said)
    if (numbers := numbers_of(answer)) and (is_amount(said) or named_keys(said) <= numbers_of(keys_of(said))):
        answer = frozenset(numbers)  # the unit of `38.5 hours` and of `82 °C` is what another value has as well
    around = keys_of(sentence) - answer
    if len(around) < _FEWEST_WORDS:
        return None
    asked = around & keys_of(query)
    named = [keys_of(name) for name in names_in(query) if keys_of(name) <= keys_of(place.words)] or [asked]
    titled = asked | keys_of(words_above(place.passage)) & keys_of(query)
    needed = frozenset[str]().union(*named, filter(_is_number, titled))
    for passage, span in _sentences(passages):
        text = without_mark(passage.text[span.start : span.end])
        there = keys_of(text)
        if len(around & there) < _SHARED * len(around) or answer & there & (named_keys(said) or answer):
            continue
        above = keys_of(words_above(passage))
        instead = there - around - above
        if not 0 < len(instead) <= len(answer) + _MOST_OTHER_WORDS or agree(said, text):
            continue
        is_rival = needed <= there | above and _is_alike(said, instead & (named_keys(text) or instead))
        is_of_another = is_rival and (
            is_another_case(sentence, text, said)
            or holds_for_others(query, text)
            or is_of_another_row(query, said, (place.passage, place.span), (passage, span), settled)
        )
        if is_rival and not is_of_another and not is_out(passage, span):
            return passage, span
    return None


def _is_alike(said: str, instead: Set[str]) -> bool:
    """Whether words could stand in the place of an answer: numbers for one with numbers, others for one without."""
    has_number = any(map(_is_number, keys_of(said)))
    return any(_is_number(key) == has_number for key in instead)


def _is_number(key: str) -> bool:
    return key[0].isdigit()


def _sentences(passages: Sequence[Passage]) -> Iterator[tuple[Passage, Span]]:
    for passage in passages:
        for span in sentence_spans(passage.text):
            yield passage, span
