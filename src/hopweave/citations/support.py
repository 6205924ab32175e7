"""The support rule, the same for every method. `docs/support.md` describes its limits.

A claim is an answer to a query. A passage supports it if the words of the answer, minus those of the query, occur in its text
or title, and the reader does not deny it, that is, did not extract different words from that passage as the answer to the same
query. The rule compares words: it is a pure function of the claim, the passages and the readings.

- A short answer is contained in a passage if its words occur there consecutively.
- A sentence is contained if every name and number in it is in the title or the text; if what it adds (the last name or number
  that the query lacks, else the last such word) is in one sentence of the passage; and if that sentence or the title contains
  at least half of the other words of four letters or more, by their first five letters. A conclusion ("Thus ...", a sum) and
  a sentence without a name are contained in nothing.
- An answer of several sentences is supported if each of them is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hopweave.citations.citing import cite, locate
from hopweave.core.memoize import remembered
from hopweave.core.prompt import unescape
from hopweave.core.types import Citation, Claim, Origin, Passage, Reading, Span, Support
from hopweave.text.agreement import agree
from hopweave.text.citation_marks import settle_marks
from hopweave.text.content_words import anchors, content_of, is_reasoning, keys_of, named_keys, numbers_of, stem, stems_of
from hopweave.text.final import has_marker
from hopweave.text.key_terms import only_repeats
from hopweave.text.matching import is_contained, is_yes_or_no
from hopweave.text.refusal import does_not_know
from hopweave.text.sentences import sentence_around, sentence_spans

CONFIDENT_ABOVE = 0.0
"""The f from which a reading is accepted as an answer: for log-odds, it is then more likely than not."""

_YES_OR_NO = re.compile(r"[\W_]*+(?:yes|no)\b\W*+", re.IGNORECASE)
_FEW = 5
"""The maximum number of words, beyond those of the query, of an answer that counts as short in comparisons with a reading."""
_ALIKE_LETTERS = 4


@dataclass(frozen=True, slots=True)
class Assessment:
    """The support of a claim.

    Attributes:
        support: the finding.
        citations: where passages support it; empty exactly if it is not supported.
        contradicted_by: where a passage contradicts it, with mark 0; `None` exactly if it is not contradicted.
    """

    support: Support = "unsupported"
    citations: tuple[Citation, ...] = ()
    contradicted_by: Citation | None = None


def judge(
    query: str, text: str, passages: Iterable[Passage], readings: Mapping[str, Reading] | None = None, *, mark: int = 0
) -> Assessment:
    """Judges an answer to a query against passages.

    Args:
        query: the query.
        text: the answer: a few words, or whole sentences.
        passages: the candidate evidence; the first that supports it is cited.
        readings: what the reader extracted for this query, by passage id.
        mark: the mark of the citations.
    """
    said = asserted(text)
    if not said or not adds(query, said):
        return Assessment()
    read, evidence = readings or {}, list({passage.id: passage for passage in passages}.values())
    heard = [(passage, read[passage.id]) for passage in evidence if passage.id in read]
    denying = [one for one in heard if _holds(*one) and denies(query, said, one[1])]
    refused = {passage.id for passage, _ in denying}
    willing = [passage for passage in evidence if passage.id not in refused]
    citations = _borne_out(mark, query, said, willing, read)
    if citations:
        return Assessment("supported", citations)
    surest = max(denying, key=lambda one: one[1].confidence, default=None)
    if surest is None or surest[1].span is None:
        return Assessment()
    return Assessment("contradicted", contradicted_by=cite(0, surest[0], surest[1].span))


def claim_of(
    mark: int,
    query: str,
    text: str,
    origin: Origin,
    passages: Iterable[Passage] = (),
    readings: Mapping[str, Reading] | None = None,
) -> Claim:
    """The claim made by an answer to a query, with its support. `mark` is its number, from 1, and the mark of its citations.

    If the answer only says that the answer is unknown, the claim is open: it has no text.
    """
    said = "" if does_not_know(text) else text
    found = judge(query, said, passages, readings, mark=mark)
    return Claim(query, said, origin, found.support, found.citations, found.contradicted_by)


def conclusion_of(mark: int, query: str, text: str, premises: Iterable[Claim]) -> Claim:
    """A claim that code concludes from others, such as which of two dates is earlier.

    It is as well supported as the weakest of its premises, and cites what they cite; without premises it is unsupported.
    """
    behind = tuple(premises)
    if not text or not behind or any(claim.support != "supported" for claim in behind):
        return Claim(query, text, "retrieved")
    citations = dict.fromkeys(replace(citation, mark=mark) for claim in behind for citation in claim.citations)
    return Claim(query, text, "retrieved", "supported", tuple(citations))


@remembered
def asserted(text: str) -> str:
    """What an answer asserts: without marks and without its yes or no, which no passage can confirm; empty if that is all."""
    said = settle_marks(unescape(text), ())[0].strip()
    if is_yes_or_no(said):
        said = _YES_OR_NO.sub("", said, count=1)
    return said if any(map(str.isalnum, said)) and not does_not_know(said) else ""


def adds(query: str, said: str) -> bool:
    """Whether an answer says more than its query: it has other words, or several of the same in a different order.

    >>> adds("In which city is Brno?", "Brno"), adds("Which house stands in Brno?", "House of Brno")
    (False, True)
    """
    return any(map(str.isalnum, said)) and not only_repeats(said, query)


def denies(query: str, said: str, reading: Reading) -> bool:
    """Whether a reading confidently answers the query in different words from those of an answer.

    A reading that only repeats the query is ignored; one that contains the answer, or is contained in it, agrees, and so does
    one that says the same in other words (`text.agreement`: a country and its people, a shorter list, initials). Any other
    reading denies the answer if none of its names and numbers (or of its words, if it has none) is in it; if each has a number
    that the other lacks; or if the answer is short and each has a name that the other lacks.
    """
    asked, told = keys_of(query), keys_of(said)
    heard, new = keys_of(reading.text) - asked, told - asked
    if not reading.confidence > CONFIDENT_ABOVE or not heard or not adds(query, said):
        return False
    if not _without(heard, told) or (new and not _without(new, heard)) or agree(reading.text, said):
        return False
    counting = named_keys(reading.text) & heard or heard
    lacking, beyond = _without(counting, told), _without(new, heard)
    if lacking == counting or (numbers_of(lacking) and numbers_of(beyond)):
        return True
    return bool(lacking) and bool(beyond) and len(new) <= _FEW


def _without(left: set[str], right: set[str]) -> set[str]:
    """The words on the left that the right lacks, even in a longer or shorter form (`Austria`, `Austrian`)."""
    return {word for word in left if word not in right and not any(_are_alike(word, other) for other in right)}


def _are_alike(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    return len(shorter) >= _ALIKE_LETTERS and longer.startswith(shorter) and not longer[0].isdigit()


def _holds(passage: Passage, reading: Reading) -> bool:
    """Whether the words of a reading occur in the text, where they can be quoted."""
    span = reading.span
    return span is not None and span.start < span.end and passage.text[span.start : span.end] == reading.text


def _borne_out(
    mark: int, query: str, said: str, passages: Sequence[Passage], readings: Mapping[str, Reading]
) -> tuple[Citation, ...]:
    """The citations of an answer, one for each of its sentences; none if one of them is not contained in any passage."""
    whole = _cited(mark, query, said, passages, readings)
    if whole is not None:
        return (whole,)
    parts = [said[span.start : span.end] for span in sentence_spans(said)]
    stating = [part for part in parts if not is_reasoning(part) and not has_marker(part)]
    if len(parts) < 2 or not stating:
        return ()
    found = [_cited(mark, query, part, passages, readings) for part in stating]
    return tuple(dict.fromkeys(one for one in found if one is not None)) if all(found) else ()


def _cited(mark: int, query: str, said: str, passages: Sequence[Passage], readings: Mapping[str, Reading]) -> Citation | None:
    """A citation of the first passage that contains a short answer or a sentence."""
    if not adds(query, said):
        return None
    is_one = len(sentence_spans(said)) == 1
    for passage in passages:
        span = _in_a_row(query, said, passage, readings.get(passage.id))
        if span is None and not is_contained(said, passage.title) and is_one:
            span = _around_the_reading(query, said, passage, readings.get(passage.id)) or _stated(query, said, passage)
        if span is not None:
            return cite(mark, passage, span)
        if locate(said, passage.title) is not None and passage.text.strip():
            return _about_the_title(mark, query, passage)
    return None


def _in_a_row(query: str, said: str, passage: Passage, reading: Reading | None) -> Span | None:
    """Where the words occur consecutively: where the reader found them, else the first match."""
    if reading is not None and reading.span is not None and _holds(passage, reading):
        inside = locate(said, reading.text)
        if inside is not None:
            return Span(reading.span.start + inside.start, reading.span.start + inside.end)
    return locate(said, passage.text)


def _around_the_reading(query: str, said: str, passage: Passage, reading: Reading | None) -> Span | None:
    """The reader's words, if they are some of the answer's words and all the others are in the same sentence."""
    if reading is None or reading.span is None or not _holds(passage, reading):
        return None
    asked = keys_of(query)
    heard, new = keys_of(reading.text) - asked, keys_of(said) - asked
    around = sentence_around(passage.text, reading.span)
    there = keys_of(passage.text[around.start : around.end]) | keys_of(passage.title)
    return reading.span if heard and heard <= new <= there else None


def _stated(query: str, sentence: str, passage: Passage) -> Span | None:
    """Where a passage says what a sentence says: the words that the sentence adds to the query."""
    names = anchors(sentence)
    if not names or is_reasoning(sentence):
        return None
    if not all(locate(name, passage.title) or locate(name, passage.text) for name in names):
        return None
    words = content_of(sentence, names)
    new = [name for name in names if locate(name, query) is None] or [word for word in words if locate(word, query) is None]
    added = set() if new else keys_of(sentence) - keys_of(query)
    focus = (new or names)[-1]
    for span in sentence_spans(passage.text):
        text = passage.text[span.start : span.end]
        place = locate(focus, text)
        if place is None or not added <= keys_of(text) | keys_of(passage.title):
            continue
        there = stems_of(f"{text} {passage.title}")
        if 2 * sum(stem(word) in there for word in words) >= len(words):
            return Span(span.start + place.start, span.start + place.end)
    return None


def _about_the_title(mark: int, query: str, passage: Passage) -> Citation:
    """Cites the sentence most similar to the query if the answer is the title; none of its words are the answer."""
    wanted = {stem(word) for word in keys_of(query)}
    spans = sentence_spans(passage.text)
    best = max(spans, key=lambda span: len(wanted & stems_of(passage.text[span.start : span.end])))
    return replace(cite(mark, passage, best), focus=None)
