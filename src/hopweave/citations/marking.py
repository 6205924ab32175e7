"""Which sentence of an answer states which claim: where marks are allowed, and the verdict on the whole answer."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from hopweave.citations.citing import on_one_line
from hopweave.citations.occurrences import asserted
from hopweave.citations.support import adds
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Answer, Claim, Span, Support, Verdict
from hopweave.text.citation_marks import keep_marks, marks_in, without_marks
from hopweave.text.content_words import anchors, content_of, keys_of, named_keys, stem, stems_of
from hopweave.text.final import has_marker
from hopweave.text.list_marks import BEFORE_WORDS
from hopweave.text.matching import is_contained, normalize_answer
from hopweave.text.no_statements import states_nothing
from hopweave.text.refusal import does_not_know, is_refusal
from hopweave.text.sentences import sentence_spans
from hopweave.text.written_lists import table_lines

UNSUPPORTED = "unsupported"
"""Why the work stopped, and how the answer was found, if it was withheld because no passage supports it."""

UNCERTAIN = "uncertain"
"""Likewise, if it was withheld because it is not certain enough."""

WITHHELD = frozenset({UNSUPPORTED, UNCERTAIN})

LISTING = "listing"
"""How an answer was found that lists documents, each with its own claim; it is as well supported as the weakest of them."""

OVERVIEW = "overview"
"""How an answer was found that says what is known of the corpus without reading it as a whole."""

WHOLE_CORPUS = frozenset({LISTING, OVERVIEW})

_SENTENCE_END = ".!? \t\n"
_FEWEST_WORDS = 3
_PRONOUN = lazy_pattern(r"\b(?:he|she|it|its|his|her|him|they|them|their|there|this|these|here)\b", re.IGNORECASE)
_STATES_MORE = 2
"""With at least this many words besides its names, an answer is a full statement, which need not repeat its query."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A text with only valid marks.

    Attributes:
        text: with its marks.
        num_invented: removed marks that match no claim.
        num_misplaced: marks removed from a sentence that does not state their claim, or of an unsupported claim.
    """

    text: str
    num_invented: int = 0
    num_misplaced: int = 0


def validate_marks(text: str, short: str, claims: Sequence[Claim], *, add_missing: bool = False) -> Marked:
    """Keeps marks only on sentences that state their claim, and can add those that the model forgot.

    Args:
        text: the text of an answer, with the marks that the model wrote. Only marks are changed.
        short: the bare answer.
        claims: the claims of the answer; `[k]` is the mark of those whose citations have it.
        add_missing: mark the first sentence that states a cited claim whose mark occurs nowhere. Idempotent.
    """
    cited = _cited(claims)
    plain, places = without_marks(text)
    sentences = _sentences(plain)
    reading = _Reading(short, claims, carrier_of(short, claims))

    def stated(number: int, sentence: _Sentence) -> bool:
        return any(reading.states(sentence, claim) for claim in cited.get(number, ()))

    def holds(number: int, place: int) -> bool:
        sentence = _sentence_at(bisect_left(places, place), sentences)
        return sentence is not None and stated(number, sentence)

    kept, removed = keep_marks(text, holds)
    num_invented = sum(number not in cited and not 1 <= number <= len(claims) for number in removed)
    if add_missing:
        kept = _with_missing(kept, cited, stated)
    return Marked(kept, num_invented, len(removed) - num_invented)


def states(sentence: str, claim: Claim, before: frozenset[str] | None = None) -> bool:
    """Whether a sentence says what a claim says, rather than merely repeating a name.

    It must contain the words that the claim adds to its query. A claim that is a full sentence is stated by a sentence with the
    names and numbers that it adds and half of its other words. A short claim is an answer, which means nothing without its
    query: the sentence must say nothing else; or contain more than half of the names in the query (a name counts once, and a
    pronoun stands for the names before it); or contain any of them, no name or number that is neither the query's nor the
    answer's, and at most one other content word.

    Args:
        sentence: a sentence of an answer.
        claim: the claim, with its query.
        before: the words that a pronoun of the sentence may stand for; `None` if nothing was said before it, so that it stands
            for what was asked.
    """
    return _states(sentence, claim.text, claim.query, before)


@remembered
def _states(sentence: str, claimed: str, query: str, before: frozenset[str] | None) -> bool:
    said, text = asserted(sentence), asserted(claimed) or (claimed if does_not_know(claimed) else "")  # "None"
    if not said or not text:
        return bool(claimed.strip()) and normalize_answer(sentence) == normalize_answer(claimed)
    if normalize_answer(said) == normalize_answer(text) or _is_part(said, text):
        return True
    there = keys_of(said)
    if _is_statement(text):
        return _restates(said, text, query)
    new = keys_of(text) - keys_of(query)
    is_held = new <= there if new else (is_contained(text, said) if adds(query, text) else keys_of(text) <= there)
    return is_held and (there <= keys_of(text) or _is_about(said, query, text, before))


def text_of(claims: Iterable[Claim], *, with_queries: bool = True) -> str:
    """The claims as sentences with marks, for when the model may not be called any more."""
    sentences = []
    for claim in claims:
        said = on_one_line(claim.text).rstrip(".") or ("Unknown" if with_queries else "")
        marks = "".join(f" [{mark}]" for mark in dict.fromkeys(citation.mark for citation in claim.citations))
        if said:
            sentences.append(f"{on_one_line(claim.query)} {said}{marks}." if with_queries else f"{said}{marks}.")
    return " ".join(sentences)


def abstention(answer: Answer) -> Answer:
    """The replacement for an answer that no passage supports, or that is not certain: what was found, and nothing more."""
    support = verdict_of(answer).support
    reason = {
        "supported": "The answer that was reached is not certain enough.",
        "contradicted": "A passage contradicts the answer that was reached.",
        "unsupported": "No passage bears out the answer.",
    }[support]
    found = [claim for claim in answer.claims if claim.support == "supported"]
    said = " ".join(text_of([claim], with_queries=not _is_statement(claim.text)) for claim in found)
    text = f"{reason} {f'What was found: {said}' if found else 'Nothing was found that one bears out.'}"
    why = UNCERTAIN if support == "supported" else UNSUPPORTED
    return replace(answer, text=text, short="", stopped_because=why, how=why)


def carrier_of(short: str, claims: Sequence[Claim]) -> int | None:
    """The number, from 1, of the claim that states the bare answer; if there are several, the last.

    A claim that states exactly that is preferred to one that contains it among other words, which must not be its query's.
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
    """The verdict on an answer, from its text, its bare answer and its claims."""
    carrier = carrier_of(answer.short, answer.claims)
    reading = _Reading(answer.short, answer.claims, carrier)
    told = ((sentence, reading.stated_by(sentence)) for sentence in _sentences(without_marks(answer.text)[0]))
    stated = [claims for sentence, claims in told if claims or not states_nothing(sentence.text)]  # as in "Do this:"
    said = [claim for claim in answer.claims if claim.text.strip()]
    return Verdict(
        support=answer.claims[carrier - 1].support if carrier else _weakest(answer, stated),
        carried_by=carrier,
        num_claims=len(said),
        num_supported=sum(claim.support == "supported" for claim in said),
        num_contradicted=sum(claim.support == "contradicted" for claim in said),
        num_sentences_without_claim=sum(not claims for claims in stated),
    )


def says_unknown(answer: Answer) -> bool:
    """Whether an answer says only that it is not known. "None" does not if a passage has that as the value."""
    said = answer.short or answer.text
    is_value = any(claim.text == said and claim.support == "supported" for claim in answer.claims)
    return bool(said.strip()) and is_refusal(said) and not is_value


def settled(answer: Answer) -> Answer:
    """The answer without marks on sentences that do not state their claim. Idempotent."""
    marked = validate_marks(answer.text, answer.short, answer.claims)
    num_misplaced = answer.num_marks_misplaced + marked.num_misplaced + marked.num_invented
    return replace(answer, text=marked.text, num_marks_misplaced=num_misplaced)


def verdict_problems(answer: Answer) -> Iterator[str]:
    """Yields one line for each inconsistency between the claims of an answer and its verdict."""
    for number, claim in enumerate(answer.claims, start=1):
        if claim.support == "supported" and not claim.citations:
            yield f"claim {number} is supported but cites nothing"
        if (claim.support == "contradicted") != (claim.contradicted_by is not None):
            yield f"claim {number} is {claim.support}, which does not agree with the contradicting passage it names"
    given, made = answer.verdict, verdict_of(answer)
    plain = replace(given, num_sentences_without_claim=0, confidence=None, threshold=None, agreed=None)
    if plain != replace(made, num_sentences_without_claim=0):
        yield "its verdict does not follow from its claims"
    elif not 0 <= given.num_sentences_without_claim <= max(len(answer.text), 1):
        yield "its verdict counts more sentences without a claim than it has"
    if any(value is not None and not 0 <= value <= 1 for value in (given.confidence, given.threshold)):
        yield "the confidence of its verdict is no probability"


def _cited(claims: Sequence[Claim]) -> dict[int, list[Claim]]:
    cited: dict[int, list[Claim]] = {}
    for claim in claims:
        for mark in dict.fromkeys(citation.mark for citation in claim.citations):
            cited.setdefault(mark, []).append(claim)
    return cited


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a text without marks, or a row of a table.

    Attributes:
        span: where it is in the text.
        text: the sentence; a row with the names of its columns.
        before: the words that its pronouns may stand for; see `states`.
        end: where its last word ends, after which its marks stand.
    """

    span: Span
    text: str
    before: frozenset[str] | None
    end: int


@dataclass(frozen=True, slots=True)
class _Reading:
    """Decides which sentences of an answer state which claim; the one with the answer states that of the number `carrier`."""

    short: str
    claims: Sequence[Claim]
    carrier: int | None

    def states(self, sentence: _Sentence, claim: Claim) -> bool:
        is_carrier = self.carrier is not None and self.claims[self.carrier - 1] is claim
        if is_carrier and has_marker(sentence.text) and keys_of(self.short) <= keys_of(sentence.text):
            return True
        return states(sentence.text, claim, sentence.before)

    def stated_by(self, sentence: _Sentence) -> list[Claim]:
        """The claims that a sentence states; if one of them is that sentence, as in an explanation, it alone."""
        found = [claim for claim in self.claims if self.states(sentence, claim)]
        own = [claim for claim in found if normalize_answer(claim.text) == normalize_answer(sentence.text)]
        return own or found


@remembered
def _sentences(plain: str) -> tuple[_Sentence, ...]:
    """The sentences of a text without marks, and the rows of its tables; a question and the answer that follows it are one."""
    lines = {line.span.start: line for line in table_lines(plain)}
    joined: list[Span] = []
    for span in _spans_apart(plain, [line.span for line in lines.values()]):
        if not any(map(str.isalnum, plain[span.start : span.end])):
            continue
        is_answer = bool(joined) and plain[joined[-1].end - 1] in "?？؟" and span.start not in lines
        joined[-1:] = [Span(joined[-1].start, span.end)] if is_answer else [*joined[-1:], span]
    found: list[_Sentence] = []
    before: frozenset[str] | None = None
    for span in joined:
        line = lines.get(span.start)
        if line is not None and not line.said:
            continue
        text = line.said if line is not None else BEFORE_WORDS.sub("", plain[span.start : span.end], count=1)
        start = span.start if line is not None else span.end - len(text)
        end = line.end if line is not None else start + len(text.rstrip(_SENTENCE_END))
        found.append(_Sentence(Span(start, span.end), text, before, end))
        before = frozenset(keys_of(text)) | (before or frozenset() if _PRONOUN.search(text) else frozenset())
    return tuple(found)


def _spans_apart(plain: str, lines: Sequence[Span]) -> Iterator[Span]:
    """Yields the places of sentences, apart from some lines, each of which is one by itself."""
    start = 0
    for line in (*lines, Span(len(plain), len(plain))):
        yield from (Span(start + one.start, start + one.end) for one in sentence_spans(plain[start : line.start]))
        if line.end > line.start:
            yield line
        start = line.end


def _sentence_at(place: int, sentences: Sequence[_Sentence]) -> _Sentence | None:
    """The sentence that a mark belongs to: the one it is in, or the one that ended before it."""
    begun = [one for one in sentences if one.span.start < place]
    return begun[-1] if begun else sentences[0] if sentences else None


def _with_missing(text: str, cited: Mapping[int, Sequence[Claim]], stated: Callable[[int, _Sentence], bool]) -> str:
    """Adds missing marks, each to the first sentence that states the claim, preferably one without a mark.

    A claim of several sentences, such as a whole explanation, gets none if those sentences have their own marks.
    """
    plain, places = without_marks(text)
    sentences = _sentences(plain)
    present = {number: _sentence_at(bisect_left(places, place), sentences) for number, place in marks_in(text)}
    marked = list(present.values())
    added: list[tuple[int, str]] = []
    for number in sorted(cited.keys() - present.keys()):
        stating = [one for one in sentences if stated(number, one)]
        one = next((one for one in stating if one not in marked), None)
        if one is None and not any(_is_long(claim) for claim in cited[number]):
            one = next(iter(stating), None)
        if one is not None:
            marked.append(one)
            added.append((places[one.end - 1] + 1, f" [{number}]"))
    for place, written in sorted(added, key=lambda one: one[0])[::-1]:
        text = text[:place] + written + text[place:]
    return text


def _is_statement(text: str) -> bool:
    return len(content_of(text, anchors(text))) >= _STATES_MORE


def _is_long(claim: Claim) -> bool:
    return len(sentence_spans(claim.text)) > 1


def _is_part(said: str, text: str) -> bool:
    """Whether a sentence is one of the sentences of a longer claim."""
    return len(keys_of(said)) >= _FEWEST_WORDS and is_contained(said, text)


def _restates(said: str, text: str, query: str) -> bool:
    there, words = keys_of(said), content_of(text, anchors(text))
    added = named_keys(text) - keys_of(query)
    stems = stems_of(said)
    return added <= there and 2 * sum(stem(word) in stems for word in words) >= len(words)


def _is_about(said: str, query: str, text: str, before: frozenset[str] | None) -> bool:
    """Whether a sentence contains enough of a query, or hardly anything else."""
    names, asked = anchors(query), keys_of(query)
    new, there, stems = keys_of(text) - asked, keys_of(said), stems_of(said)
    refers = _PRONOUN.search(said) is not None
    known = there | (before or set() if refers else set())
    named = [_is_named(name, known) or (refers and before is None) for name in names if not keys_of(name) <= new]
    held = named + [stem(word) in stems for word in content_of(query, names) if not keys_of(word) <= new]
    if not held or 2 * sum(held) > len(held):
        return True
    if not any(held) or (refers and named and not any(named)):  # the pronoun stands for someone else
        return False
    beyond = there - asked - keys_of(text)
    told = stems_of(query) | stems_of(text)
    others = {word for word in content_of(said, anchors(said)) if stems_of(word).isdisjoint(told)}
    return not named_keys(said) & beyond and len(others) <= 1


def _is_named(name: str, there: Set[str]) -> bool:
    """Whether a sentence contains a name: the whole name, or any part of it but the first (`Marie` is many people)."""
    words = [key for word in name.split() for key in keys_of(word)]
    return keys_of(name) <= there or any(len(word) >= _FEWEST_WORDS and word in there for word in words[1:])


def _weakest(answer: Answer, stated: Sequence[Sequence[Claim]]) -> Support:
    """The support of an answer that no single claim carries: that of the weakest of its sentences, else `unsupported`."""
    if answer.how == LISTING and answer.short:
        return "supported" if all(claim.support == "supported" for claim in answer.claims) else "unsupported"
    if len(sentence_spans(answer.short)) < 2 or not stated:
        return "unsupported"
    if any(claim.support == "contradicted" for claims in stated for claim in claims):
        return "contradicted"
    is_borne_out = all(any(claim.support == "supported" for claim in claims) for claims in stated)
    return "supported" if is_borne_out else "unsupported"
