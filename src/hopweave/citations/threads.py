"""Mail that quotes earlier mail: what was written last of a matter holds, not what it answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopweave.citations.about import telling
from hopweave.citations.places import Place, sentences_of
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage, Span
from hopweave.text.content_words import keys_of
from hopweave.text.document_names import are_of_one_document, names_the_document
from hopweave.text.languages import language_of, pattern_for
from hopweave.text.tables_in_text import row_at, rows_of
from hopweave.text.values_alike import NUMBER, value_at, values_in
from hopweave.text.wanted import content_stems

_QUOTE = lazy_pattern(r"#quote=(\d+)")  # as `ingest.quoted.QUOTE` begins the place of a quote
_ASKS_FOR_EARLIER = lazy_pattern(
    r"\b(?:at first|first|original\w*|initial\w*|earlier|old|former\w*|previous\w*|before|propos\w+|suggest\w*"
    r"|ask\w*|wr[io]te)\b",
    re.IGNORECASE,
)


def written_later(query: str, said: str, place: Place, focus: Span, passages: Sequence[Passage]) -> tuple[Passage, Span] | None:
    """A sentence in a later mail than the quoted one with an answer, with another value of its kind; `None` if there is none.

    Of the words of the query that the subject does not have, it has as many, with what it stands under, as the sentence of the
    answer.

    Args:
        query: the query. If it asks for what was written earlier, nothing is found.
        said: the answer.
        place: where it stands.
        focus: the position of its words in the text of the passage.
        passages: all that were found.
    """
    how_old = _how_old(place.passage)
    if not how_old or _asks_for_earlier(query):
        return None
    later = [one for one in passages if are_of_one_document(place.passage, one) and _how_old(one) < how_old]
    if row := _row_written_later(place, focus, later):
        return row
    own = value_at(Span(focus.start - place.span.start, focus.end - place.span.start), values_in(place.sentence))
    if own is None or own.kind == NUMBER:
        return None
    wanted = telling(content_stems(query) - content_stems(names_the_document(place.passage)), query)
    least = len(wanted & content_stems(place.sentence))
    for one in later:
        for span, heading, item, _ in sentences_of(one.text):
            sentence = one.text[span.start : span.end]
            is_other = any(value.kind == own.kind for value in values_in(sentence)) and not keys_of(said) <= keys_of(sentence)
            if is_other and len(wanted & content_stems("\n".join([heading, item, sentence]))) >= least:
                return one, span
    return None


def _row_written_later(place: Place, focus: Span, later: Sequence[Passage]) -> tuple[Passage, Span] | None:
    """The row of a table in a later mail that begins as the one with an answer does, and has another value in its column."""
    row = row_at(place.passage.text, focus)
    own = row.cell_at(focus) if row is not None else None
    if row is None or own is None or own is row.cells[0]:
        return None
    for one in later:
        for other in rows_of(one.text):
            values = {cell.name: cell.value for cell in other.cells}
            if other.cells[0].value == row.cells[0].value and values.get(own.name, own.value) != own.value:
                return one, other.span
    return None


def _how_old(passage: Passage) -> int:
    """The number of the quote that a passage is in, the higher the earlier it was written; 0 outside quotes."""
    quote = _QUOTE.search(passage.source)
    return int(quote[1]) if quote is not None else 0


def _asks_for_earlier(query: str) -> bool:
    code = language_of(query)
    if code == "en":
        return _ASKS_FOR_EARLIER.search(query) is not None
    return any(pattern_for(code, what).search(query) for what in ("former", "rejected"))
