"""Whether what was found says elsewhere that a cited sentence no longer holds: the next sentence, its document, or another one.

- The next sentence takes it back: `The proposal was rejected.`, `The ministry denies this.`
- Its document says at its beginning that it is outdated, withdrawn or replaced.
- Another sentence says of the answer, and of the same subject, that something else replaced it: `moved from 18 March to 25 March`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hopweave.citations.about import is_english
from hopweave.citations.occurrences import in_quote, occurrences
from hopweave.citations.places import Place, are_of_one_document, names_the_document, place_of
from hopweave.core.memoize import remembered
from hopweave.core.types import Passage, Span
from hopweave.text.content_words import keys_of, numbers_of
from hopweave.text.given_up import is_given_up
from hopweave.text.negation import is_left_out, is_replaced
from hopweave.text.sentences import sentence_spans
from hopweave.text.values_alike import values_in
from hopweave.text.wanted import content_stems

_TAKEN_BACK = re.compile(
    r"^\W*(?:(?:the|this|that|his|her|their|its)\s(?:\w+\s)?(?:proposal|suggestion|motion|idea|request|amendment|offer|plan)|this|that|it)\s"
    r"(?:was|were|is|has been|had been)\s(?:\w+ly\s|later\s|then\s)?(?:rejected|withdrawn|dropped|turned down|declined|voted down|abandoned|postponed"
    r"|not (?:adopted|approved|accepted|agreed|carried|possible|true|so|correct|the case)|wrong|false|untrue|incorrect|a (?:mistake|typo))\b"
    r"|^[^.;:]{0,60}\b(?:denies|denied|disputes|disputed|rejects|rejected|contradicts|contradicted)\s(?:this|that|it)\b"
    r"|^[^.;:]{0,60}\bnever (?:said|promised|agreed|wrote)\b(?:\s\w+)?\s(?:this|that|so|it)?\b"
    r"|^[^.;:]{0,60}\b(?:withdrew|retracted) (?:it|this|that|the (?:proposal|motion|request|suggestion))\b",
    re.IGNORECASE,
)
_OF_ITSELF = r"(?:this|the present)\s(?:page|document|policy|version|draft|article|procedure|guide|proposal|plan|note|specification|manual)"
_OUTDATED = re.compile(
    rf"(?:^|\n)\W*(?:(?:status|state)\W{{0,3}}:\W{{0,3}}\s*)?(?:outdated|obsolete|superseded|withdrawn|rejected|abandoned|declined|out of date)\b\W"
    rf"|(?:^|\n)\W*(?:status|state)\W{{0,3}}:\W{{0,3}}\s*(?:outdated|obsolete|superseded|replaced|withdrawn|rejected|abandoned|declined|archived)\b"
    rf"|\b(?:status|state):\s*(?:outdated|obsolete|superseded|replaced|withdrawn|rejected|abandoned|declined|archived)\b"
    rf"|\b{_OF_ITSELF}\s(?:is|was|has been)\s(?:now\s|since\s)?(?:outdated|obsolete|superseded|replaced|withdrawn|archived|out of date|no longer)\b"
    rf"|\b{_OF_ITSELF}\s(?:describes|covers)\sthe\s(?:old|former|previous)\b"
    rf"|(?:^|[.\n]\s*)(?:replaced|superseded)\sby\s",
    re.IGNORECASE,
)
_HOW_FAR = 400
"""Characters from the beginning of a document in which it says that of itself."""
_AS_IT_IS = re.compile(r"\b(?:at present|the present|current(?:ly)?|existing|today's)\b", re.IGNORECASE)
"""In what is outdated or was never adopted, what is said of how things are holds all the same."""
_ONE_NUMBER = re.compile(r"\W*(\d[\d.,]*)\s?\D{1,15}")
_ASKS_FOR_OLD = re.compile(
    r"\b(?:old|former|previous|original|earlier|outdated|obsolete|withdrawn|rejected|superseded|propos\w+|version|draft|before|until (?!when)|history)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """All passages that were found for a query, in which it may say that something no longer holds."""

    query: str
    passages: Sequence[Passage]

    def is_out(self, place: Place) -> bool:
        """Whether the next sentence takes a place back, or its document says of itself that it no longer holds."""
        if _ASKS_FOR_OLD.search(self.query) or not is_english(self.query):
            return False
        return _is_taken_back(place) or not _AS_IT_IS.search(place.sentence) and any(
            are_of_one_document(place.passage, one) and _is_outdated(one) for one in (place.passage, *self.passages)
        )

    def replacement_of(self, said: str, place: Place) -> tuple[Passage, Span] | None:
        """A sentence on the same subject that says of an answer that it no longer holds; `None` if there is none.

        Args:
            said: the answer.
            place: where it stands.
        """
        if not is_english(self.query):
            return None
        wanted = content_stems(self.query) - content_stems(said)
        here = wanted & content_stems(place.words)
        number = _ONE_NUMBER.fullmatch(said)
        forms = (said, number[1]) if number is not None else (said,)
        for passage in self.passages:
            for citation in (one for form in forms for one in occurrences(0, self.query, form, passage, None)):
                inside = in_quote(citation)
                if inside is None or not _says_replaced(self.query, citation.quote, inside):
                    continue
                other = place_of(passage, citation.focus or Span(citation.start, citation.end))
                if here <= content_stems(other.words):
                    return passage, Span(citation.start, citation.end)
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
        others = [value for value in _values(place.sentence) if not keys_of(value) & keys_of(said)]
        return bool(numbers_of(keys_of(said))) and any(self.replacement_of(value, place) is not None for value in others)


def _values(sentence: str) -> Iterable[str]:
    return (sentence[value.span.start : value.span.end] for value in values_in(sentence))


def _says_replaced(query: str, sentence: str, inside: Span) -> bool:
    return is_given_up(query, sentence, inside) or is_replaced(query, sentence, inside) or is_left_out(query, sentence, inside)


def _is_taken_back(place: Place) -> bool:
    text = place.passage.text
    following = next((span for span in sentence_spans(text) if span.start >= place.span.end), None)
    return following is not None and _TAKEN_BACK.search(text[following.start : following.end]) is not None


def _is_outdated(passage: Passage) -> bool:
    """Whether a passage is the beginning of a document, and says there that this no longer holds."""
    return not passage.start and (_says_it_is_out(passage.text) or _says_it_is_out(names_the_document(passage)))


@remembered
def _says_it_is_out(text: str) -> bool:
    return _OUTDATED.search(text, 0, _HOW_FAR) is not None
