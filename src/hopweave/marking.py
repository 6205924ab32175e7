"""Which sentence of an answer states which claim: where marks may stand, and how the answer as a whole stands."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hopweave.citing import keep_marks, marks_in, without_marks
from hopweave.matching import is_contained, normalize_answer
from hopweave.parse.final import has_marker
from hopweave.parse.sentences import sentence_spans
from hopweave.support import adds, asserted
from hopweave.types import Answer, Claim, Span, Support, Verdict
from hopweave.words import anchors, content_of, keys_of, named_keys, stem, stems_of

_SENTENCE_END = ".!? \t\n"
_FEWEST_WORDS = 3
_STATES_MORE = 2
"""From so many words beside its names on, an answer is a statement of its own, which need not repeat its query."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A text whose marks hold.

    Attributes:
        text: with its marks.
        num_invented: marks taken out that are no claim's number.
        num_misplaced: marks taken out of a sentence that does not state their claim, or of a claim that rests on nothing.
    """

    text: str
    num_invented: int = 0
    num_misplaced: int = 0


def well_marked(text: str, short: str, claims: Sequence[Claim], *, add_missing: bool = False) -> Marked:
    """Leaves a mark on the sentences that state its claim alone, and can put one where the model forgot it.

    Args:
        text: of an answer, with the marks that the model wrote. Nothing but marks changes in it.
        short: the bare answer.
        claims: of the answer; `[k]` is the mark of those whose citations have it.
        add_missing: mark the first sentence that states a cited claim whose mark is nowhere. Doing it again adds nothing.
    """
    cited = _cited(claims)
    plain, places = without_marks(text)
    spans = _sentences(plain)
    carrier = carrier_of(short, claims)

    def stated(number: int, span: Span) -> bool:
        return any(_states(plain[span.start : span.end], claim, short, carrier, claims) for claim in cited.get(number, ()))

    def holds(number: int, place: int) -> bool:
        span = _sentence_at(bisect_left(places, place), spans)
        return span is not None and stated(number, span)

    kept, removed = keep_marks(text, holds)
    num_invented = sum(number not in cited and not 1 <= number <= len(claims) for number in removed)
    if add_missing:
        kept = _with_missing(kept, cited, stated)
    return Marked(kept, num_invented, len(removed) - num_invented)


def states(sentence: str, claim: Claim) -> bool:
    """Whether a sentence says what a claim says, and not only a name that recurs.

    It has to hold the words that the claim adds to its query. A claim of few words is an answer that means nothing without its
    query: unless the sentence says nothing else, it has to hold more than half of what the query names (a name counts once,
    whichever part of it is there). A claim that is a sentence of its own is stated by one that holds the names and numbers that
    it adds and half of its other words.
    """
    said, text = asserted(sentence), asserted(claim.text)
    if not said or not text:
        return bool(claim.text.strip()) and normalize_answer(sentence) == normalize_answer(claim.text)
    if normalize_answer(said) == normalize_answer(text) or _is_part(said, text):
        return True
    there, names = keys_of(said), anchors(text)
    if len(content_of(text, names)) >= _STATES_MORE:
        return _restates(said, text, claim.query)
    new = keys_of(text) - keys_of(claim.query)
    is_held = new <= there if new else (is_contained(text, said) if adds(claim.query, text) else keys_of(text) <= there)
    return is_held and (there <= keys_of(text) or _is_about(said, claim.query, text))


def carrier_of(short: str, claims: Sequence[Claim]) -> int | None:
    """The number, from 1, of the claim that says what the bare answer says; of several the last.

    One that says just that comes before one that holds it among other words, which must not be those of its query.
    """
    words = keys_of(short)
    if not words:
        return None
    numbered = [(number, claim) for number, claim in enumerate(claims, start=1) if claim.text.strip()]
    for number, claim in reversed(numbered):
        if normalize_answer(claim.text) == normalize_answer(short):
            return number
    for number, claim in reversed(numbered):
        new = words - keys_of(claim.query)
        is_held = new <= keys_of(claim.text) if new else is_contained(short, claim.text)
        if is_held and (new or not is_contained(short, claim.query)):
            return number
    return None


def verdict_of(answer: Answer) -> Verdict:
    """How an answer stands, from its text, its bare answer and its claims."""
    carrier = carrier_of(answer.short, answer.claims)
    stated = list(_stated_by(answer))
    said = [claim for claim in answer.claims if claim.text.strip()]
    return Verdict(
        support=answer.claims[carrier - 1].support if carrier else _weakest(answer, stated),
        carried_by=carrier,
        num_claims=len(said),
        num_supported=sum(claim.support == "supported" for claim in said),
        num_contradicted=sum(claim.support == "contradicted" for claim in said),
        num_sentences_without_claim=sum(not claims for claims in stated),
    )


def judged(answer: Answer) -> Answer:
    """The answer with marks where they may stand, and its verdict. An answer that has both stays as it is."""
    marked = well_marked(answer.text, answer.short, answer.claims)
    num_misplaced = answer.num_marks_misplaced + marked.num_misplaced + marked.num_invented
    settled = replace(answer, text=marked.text, num_marks_misplaced=num_misplaced)
    return replace(settled, verdict=verdict_of(settled))


def verdict_problems(answer: Answer) -> Iterator[str]:
    """Yields one line for each thing that the claims of an answer and its verdict disagree in."""
    for number, claim in enumerate(answer.claims, start=1):
        if claim.support == "supported" and not claim.citations:
            yield f"claim {number} is supported and cites nothing"
        if (claim.support == "contradicted") != (claim.contradicted_by is not None):
            yield f"claim {number} is {claim.support}, and what contradicts it does not fit that"
    given, made = answer.verdict, verdict_of(answer)
    if replace(given, num_sentences_without_claim=0) != replace(made, num_sentences_without_claim=0):
        yield "its verdict does not follow from its claims"
    elif not 0 <= given.num_sentences_without_claim <= max(len(answer.text), 1):
        yield "its verdict counts more sentences without a claim than it has"


def _cited(claims: Sequence[Claim]) -> dict[int, list[Claim]]:
    cited: dict[int, list[Claim]] = {}
    for claim in claims:
        for mark in dict.fromkeys(citation.mark for citation in claim.citations):
            cited.setdefault(mark, []).append(claim)
    return cited


def _sentences(plain: str) -> list[Span]:
    """The sentences of a text without marks; a question and what follows it, which answers it, are one."""
    joined: list[Span] = []
    for span in sentence_spans(plain):
        if not any(map(str.isalnum, plain[span.start : span.end])):
            continue
        is_answer = bool(joined) and plain[joined[-1].end - 1] == "?"
        joined[-1:] = [Span(joined[-1].start, span.end)] if is_answer else [*joined[-1:], span]
    return joined


def _sentence_at(place: int, spans: Sequence[Span]) -> Span | None:
    """The sentence that a mark stands on: the one it is in, or which ended before it."""
    before = [span for span in spans if span.start < place]
    return before[-1] if before else spans[0] if spans else None


def _states(sentence: str, claim: Claim, short: str, carrier: int | None, claims: Sequence[Claim]) -> bool:
    """Whether a sentence states a claim; the one that says what the answer is states the claim that carries it."""
    is_closing = has_marker(sentence) and keys_of(short) <= keys_of(sentence)
    if is_closing and carrier is not None and claims[carrier - 1] is claim:
        return True
    return states(sentence, claim)


def _with_missing(text: str, cited: Mapping[int, Sequence[Claim]], stated: Callable[[int, Span], bool]) -> str:
    plain, places = without_marks(text)
    present = {number for number, _ in marks_in(text)}
    missing = [number for number in sorted(cited) if number not in present]
    spans = _sentences(plain) if missing else []
    added: list[tuple[int, str]] = []
    for number in missing:
        stating = [span for span in spans if stated(number, span)]
        if stating:  # the sentence that says what the answer is comes first, and has it alone
            span = next((span for span in stating if has_marker(plain[span.start : span.end])), stating[0])
            last = span.start + len(plain[span.start : span.end].rstrip(_SENTENCE_END)) - 1
            added.append((places[last] + 1, f" [{number}]"))
    for place, written in sorted(added, key=lambda one: one[0], reverse=True):
        text = text[:place] + written + text[place:]
    return text


def _is_part(said: str, text: str) -> bool:
    """Whether a sentence is one of those of a longer claim."""
    return len(keys_of(said)) >= _FEWEST_WORDS and is_contained(said, text)


def _restates(said: str, text: str, query: str) -> bool:
    there, words = keys_of(said), content_of(text, anchors(text))
    added = named_keys(text) - keys_of(query)
    stems = stems_of(said)
    return added <= there and 2 * sum(stem(word) in stems for word in words) >= len(words)


def _is_about(said: str, query: str, text: str) -> bool:
    """Whether a sentence holds more than half of what a query names, apart from the answer to it."""
    there, stems = keys_of(said), stems_of(said)
    names, answer = anchors(query), keys_of(text)
    held = [_is_named(name, there) for name in names if not keys_of(name) <= answer]
    held += [stem(word) in stems for word in content_of(query, names) if not keys_of(word) <= answer]
    return not held or 2 * sum(held) > len(held)


def _is_named(name: str, there: set[str]) -> bool:
    """Whether a sentence names somebody: by the whole name, or by any part of it but the first (`Marie` is many people)."""
    words = [key for word in name.split() for key in keys_of(word)]
    return keys_of(name) <= there or any(len(word) >= _FEWEST_WORDS and word in there for word in words[1:])


def _stated_by(answer: Answer) -> Iterator[list[Claim]]:
    """Yields, for each sentence of the text, the claims that it states."""
    plain, _ = without_marks(answer.text)
    carrier = carrier_of(answer.short, answer.claims)
    for span in _sentences(plain):
        sentence = plain[span.start : span.end]
        yield [claim for claim in answer.claims if _states(sentence, claim, answer.short, carrier, answer.claims)]


def _weakest(answer: Answer, stated: Sequence[Sequence[Claim]]) -> Support:
    """Of an answer that no single claim carries: of several sentences, that of the weakest, else `unsupported`."""
    if len(sentence_spans(answer.short)) < 2 or not stated:
        return "unsupported"
    if any(claim.support == "contradicted" for claims in stated for claim in claims):
        return "contradicted"
    is_borne_out = all(any(claim.support == "supported" for claim in claims) for claims in stated)
    return "supported" if is_borne_out else "unsupported"
