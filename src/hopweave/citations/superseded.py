"""Whether what was found says elsewhere that a cited sentence no longer holds: the next sentence, its document, or another one.

- The next sentence takes it back: `The proposal was rejected.`, `The ministry denies this.`
- It stands under a heading such as `Rejected alternatives`, or its document says at its beginning that it is outdated.
- Another sentence on the same subject says what is so now, or says of the answer that something else replaced it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from hopweave.citations.about import is_english, telling
from hopweave.citations.occurrences import in_quote, occurrences
from hopweave.citations.places import Place, place_of
from hopweave.citations.rules.decisions import AGREED, IS, ITSELF, REJECTED
from hopweave.citations.rules.given_up import is_given_up
from hopweave.citations.rules.negation import is_left_out, is_replaced
from hopweave.citations.rules.suppositions import asks_for_supposed
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Passage, Span
from hopweave.text.content_words import keys_of, numbers_of
from hopweave.text.document_names import are_of_one_document, names_the_document
from hopweave.text.document_parts import parts_of
from hopweave.text.key_terms import FUNCTION_WORDS
from hopweave.text.part_references import numbered_references
from hopweave.text.sentences import sentence_spans
from hopweave.text.tables_in_text import is_heading
from hopweave.text.values_alike import NUMBER, values_in
from hopweave.text.wanted import content_stems

_REJECTED = lazy_pattern(
    rf"^\W*{ITSELF}\s{IS}\s(?:\w+ly\s|later\s|then\s)?{REJECTED}\b"
    r"|^[^.;:]{0,60}\b(?:withdrew|retracted|rejects|rejected) (?:it|this|that|the (?:proposal|motion|request|suggestion))\b",
    re.IGNORECASE,
)
_AGREED = lazy_pattern(rf"^\W*{ITSELF}\s{IS}\s(?:\w+ly\s|then\s)?{AGREED}\b", re.IGNORECASE)
_DENIED = lazy_pattern(
    r"^\W*(?:this|that|it)\s(?:was|were|is)"
    r"\s(?:not\s(?:true|so|correct|the case)|wrong|false|untrue|incorrect|a (?:mistake|typo))\b"
    r"|^[^.;:]{0,60}\b(?:denies|denied|disputes|disputed|contradicts|contradicted)\s(?:this|that|it)\b"
    r"|^[^.;:]{0,60}\bnever (?:said|promised|agreed to|claimed) (?:this|that|so|it)\b",
    re.IGNORECASE,
)
_MAY_BE_REJECTED = lazy_pattern(
    r"\b(?:propos|suggest|recommend|motion|mov|ask|demand|want|request|offer|could|should|would|plan|idea)\w*\b", re.IGNORECASE
)
_NOW = lazy_pattern(
    r"\b(?:is|are|was|were|has|have|will be)\s(?:\w+\s)?now\b|\bnow\s(?:is|are|has|in|at|on|from|to|set|takes?|starts?|\d)",
    re.IGNORECASE,
)
_OUT = r"(?:outdated|obsolete|superseded|replaced|withdrawn|rejected|abandoned|declined|archived|out of date)"
_OF_ITSELF = r"this\s(?:page|document|policy|version|draft|article|procedure|guide|proposal|plan|note|specification|manual)"
_OUTDATED = lazy_pattern(
    r"(?:^|\n)\W*(?:outdated|obsolete|superseded|withdrawn|out of date)\W{0,3}(?:[.:!\n]|$)"
    rf"|(?:^|\n|\.\s)\W*status\W{{1,5}}{_OUT}\b|\b{_OF_ITSELF}\s(?:is|was|has been)\s(?:now\s|since\s)?(?:{_OUT}|no longer)\b"
    rf"|\b{_OF_ITSELF}\s(?:describes|covers)\sthe\s(?:old|former|previous)\b|(?:^|[.\n]\s*)(?:replaced|superseded)\sby\s",
    re.IGNORECASE,
)
_OF_THE_REJECTED = lazy_pattern(
    r"^\W*(?:\d+[.)]\s*)?(?:(?:rejected|discarded|dismissed|withdrawn|abandoned|unused)\b|(?:alternatives?|options?|proposals?|ideas)"
    r"\s(?:that were\s)?(?:considered|rejected|discarded|not (?:chosen|taken|adopted))\b"
    r"|not (?:adopted|chosen|approved|taken up)\b|out of scope\b)",
    re.IGNORECASE,
)
"""Headings of what was not chosen."""
_HOW_FAR = 400
"""Characters from the beginning of a document in which it says that of itself."""
_AS_IT_IS = lazy_pattern(r"\b(?:at present|the present|current(?:ly)?|existing|today's)\b", re.IGNORECASE)
"""In what is outdated or was never adopted, what is said of how things are holds all the same."""
_OF_AN_OPTION = lazy_pattern(r"(?<![\w-])--?[A-Za-z][\w-]*")
"""What an option does `instead of` something leaves that as it is without the option."""
_WORD = lazy_pattern(r"[^\W_]+")
_FEWEST_OF_A_TITLE, _FEWEST_AMENDED = 3, 2
"""Words of a title by which a document that changes another one names that, and behind a word such as `amendment`."""
_AMENDS = lazy_pattern(
    r" (?:amend\w*|variations?|addendum|addenda|supplement\w*|corrigend\w+|errat\w+|revis\w+)(?: \w+){0,4}? (?:to|of|for)(?= )"
)
_OF_AN_AMENDMENT = 80
"""Characters behind such a word in which the other document is named."""

_ONE_NUMBER = lazy_pattern(r"\W*(\d[\d.,]*)\s?\D{1,15}")
_ASKS_FOR_OLD = lazy_pattern(
    r"\b(?:old|former|previous|original|earlier|outdated|obsolete|withdrawn|rejected|superseded|propos\w+|version|draft|before"
    r"|until (?!when)|history)\b",
    re.IGNORECASE,
)


def _amends(other: Place, place: Place) -> bool:
    """Whether a place is of a document that names that of another place, and of the clause that it is in, if it names one."""
    title = _WORD.findall(place.passage.title.casefold())
    flat = _flat(other.passage.text)
    is_named = len(title) >= _FEWEST_OF_A_TITLE and f" {' '.join(title)} " in flat
    is_named = is_named or _is_amended(set(title) - FUNCTION_WORDS, flat)
    if not is_named or are_of_one_document(place.passage, other.passage):
        return False
    text = other.passage.text
    line = text[text.rfind("\n", 0, other.span.start) + 1 : other.span.end]
    clauses = {reference.labels[0] for reference in numbered_references(line)}
    parts = parts_of(place.passage.title, place.passage.sections, place.passage.text)
    return not clauses or not clauses.isdisjoint(parts.headed | parts.listed)


def _is_amended(title: Set[str], flat: str) -> bool:
    """Whether words such as `amendment to the` are followed by all words of a title, whatever else stands between them."""
    behind = (flat[match.end() : match.end() + _OF_AN_AMENDMENT].split() for match in _AMENDS.finditer(flat))
    return len(title) >= _FEWEST_AMENDED and any(title <= set(words) for words in behind)


@remembered
def _flat(text: str) -> str:
    """The words of a text in small letters, with one space around each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


@dataclass(frozen=True, slots=True)
class Found:
    """All passages that were found for a query, in which it may say that something no longer holds."""

    query: str
    passages: Sequence[Passage]

    def is_out(self, place: Place) -> bool:
        """Whether the next sentence takes a place back, or its document says of itself that it no longer holds."""
        if _ASKS_FOR_OLD.search(self.query) or not is_english(self.query):
            return False
        if not asks_for_supposed(self.query) and _is_taken_back(place):
            return True
        if _OF_THE_REJECTED.search(_heading_above(place)):
            return True
        if _AS_IT_IS.search(place.sentence):
            return False
        return any(are_of_one_document(place.passage, one) and _is_outdated(one) for one in (place.passage, *self.passages))

    def is_agreed(self, place: Place) -> bool:
        """Whether the next sentence says that what a place proposes was agreed."""
        return _AGREED.search(place.following) is not None

    def replacement_of(self, said: str, place: Place) -> tuple[Passage, Span] | None:
        """Another sentence on the same subject that says of an answer that it no longer holds; `None` if there is none.

        Args:
            said: the answer.
            place: where it stands.
        """
        if not is_english(self.query):
            return None
        wanted = telling(content_stems(self.query) - content_stems(said), self.query)
        here = wanted & content_stems(place.words)
        number = _ONE_NUMBER.fullmatch(said)
        forms = (said, number[1]) if number is not None else (said,)
        for passage in self.passages:
            for citation in (one for form in forms for one in occurrences(0, self.query, form, passage, None)):
                inside = in_quote(citation)
                if inside is None or not _says_replaced(self.query, citation.quote, inside):
                    continue
                if passage.id == place.passage.id and citation.start < place.span.end and place.span.start < citation.end:
                    continue  # what is cited is judged by itself, and may name what is left out because that is asked for
                other = place_of(passage, citation.focus or Span(citation.start, citation.end))
                if here <= content_stems(other.words) or _amends(other, place):
                    return passage, Span(citation.start, citation.end)
        return self._says_now(said, place, here)

    def _says_now(self, said: str, place: Place, here: Set[str]) -> tuple[Passage, Span] | None:
        """A sentence that says what is now so, with another value of the kind of the answer."""
        kinds = {value.kind for value in values_in(said)} - {NUMBER}
        if not kinds or _NOW.search(place.sentence) or _ASKS_FOR_OLD.search(self.query):
            return None
        for passage in self.passages:
            for span in sentence_spans(passage.text):
                sentence = passage.text[span.start : span.end]
                is_other = _NOW.search(sentence) is not None and not keys_of(said) <= keys_of(sentence)
                if is_other and kinds & {value.kind for value in values_in(sentence)}:
                    other = place_of(passage, span)
                    if here and here <= content_stems(other.words):
                        return passage, span
        return None

    def no_longer_holds(self, passage: Passage, span: Span, said: str) -> bool:
        """Whether a sentence is no rival of an answer: its document is outdated, or its own values are replaced.

        Args:
            passage: with the sentence.
            span: where the sentence is.
            said: the answer.
        """
        place = place_of(passage, span)
        if self.is_out(place):
            return True
        numbers = numbers_of(keys_of(said))
        others = [value for value in _values(place.sentence) if not numbers_of(keys_of(value)) & numbers]
        return bool(numbers) and any(self.replacement_of(value, place) is not None for value in others)


def _values(sentence: str) -> Iterable[str]:
    return (sentence[value.span.start : value.span.end] for value in values_in(sentence))


def _says_replaced(query: str, sentence: str, inside: Span) -> bool:
    if is_given_up(query, sentence, inside) or is_replaced(query, sentence, inside):
        return True
    return not _OF_AN_OPTION.search(sentence) and is_left_out(query, sentence, inside)


def _is_taken_back(place: Place) -> bool:
    following = place.following
    return _DENIED.search(following) is not None or (
        _MAY_BE_REJECTED.search(place.sentence) is not None and _REJECTED.search(following) is not None
    )


def _heading_above(place: Place) -> str:
    """The heading that a place stands under; empty if there is none."""
    text = place.passage.text
    before = (text[span.start : span.end] for span in reversed(sentence_spans(text)) if span.end <= place.span.start)
    return next(filter(is_heading, before), "".join(place.passage.sections[-1:]))


def _is_outdated(passage: Passage) -> bool:
    """Whether a passage is the beginning of a document, and says there that this no longer holds."""
    return not passage.start and (_says_it_is_out(passage.text) or _says_it_is_out(names_the_document(passage)))


@remembered
def _says_it_is_out(text: str) -> bool:
    return _OUTDATED.search(text, 0, _HOW_FAR) is not None
