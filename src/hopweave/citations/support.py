"""The support rule, the same for every method. `docs/support.md` explains it, with its limits.

A claim is an answer to a query. A passage supports it if it bears out value, subject and relation:

- value: the words of the answer, minus those of the query, occur in its text or title, and the reader does not deny it by
  extracting different words from that passage as the answer to the same query;
- nothing against it: the sentence does not deny the words, leave them open, or have them of something else, such as another
  column of a table or another relative (`citations.objections`), and no other value is nearer to the query
  (`citations.nearer`);
- kind: the answer is of the kind that is asked for (`text.answer_kinds`), and not only where it stands (`text.referring`);
- subject: what the query names is tied to the sentence that has the words (`citations.about`), or to one that refers to the
  part of the document where these stand;
- relation: that sentence has a word for what is asked of it (`citations.rules.relations`), and a third of the query's
  other words;
- rivals: no other sentence says something else in nearly the same words (`citations.rivals`), or, of relatives, has the answer
  as another one.

What follows a yes has to say what the query asks, and what follows a no must not (`citations.yes_or_no`).

A statement that names its own subject needs no tie to the query. Of an answer of several sentences, each is judged. The rule
compares words (`citations.occurrences`): it is a pure function of the claim, the passages, the readings and the earlier
supported claims.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain

from hopweave.citations.candidates import Candidate
from hopweave.citations.cells import are_of_two_tables
from hopweave.citations.citing import cite, locate
from hopweave.citations.objections import is_said_of_another_name, objection_to
from hopweave.citations.occurrences import asserted, holds, in_quote, none_of, occurrences, plain
from hopweave.citations.places import Place, place_of, referring_to_place
from hopweave.citations.rivals import rival_of
from hopweave.citations.rules.kinship import is_kin_asked, relative_asked
from hopweave.citations.rules.statements import amount_added
from hopweave.citations.superseded import Found
from hopweave.citations.threads import written_later
from hopweave.citations.together import Named, parts_of_name, said_with
from hopweave.citations.yes_or_no import speaks_for_it
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Citation, Claim, Origin, Passage, Reading, Shortfall, Span, Support
from hopweave.text.agreement import agree
from hopweave.text.content_words import content_of, is_reasoning, keys_of, named_keys, numbers_of, stem, stems_of
from hopweave.text.document_names import are_of_one_document
from hopweave.text.explanations import explains
from hopweave.text.final import has_marker
from hopweave.text.key_terms import only_repeats
from hopweave.text.matching import is_yes, is_yes_or_no
from hopweave.text.refusal import does_not_know
from hopweave.text.sentences import sentences_in

CONFIDENT_ABOVE = 0.0
"""The f from which a reading is accepted as an answer: for log-odds, it is then more likely than not."""

_MOST_SENTENCES = 100
"""The maximum number of sentences of an answer that are judged; more would take longer than people wait."""
_FEW = 5
"""The maximum number of words, beyond those of the query, of an answer that counts as short in comparisons with a reading."""
_ALIKE_LETTERS = 4
_FEWEST_OF_A_STATEMENT = 4
"""The fewest content words of a statement that another passage may say with more of them."""
_CONSTANT = lazy_pattern(r"[A-Z][A-Z0-9_]+")
_ASKS_FOR_CONSTANT = lazy_pattern(r"\b(?:variable|constant|macro|keyword|signal|symbol)s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Assessment:
    """The support of a claim.

    Attributes:
        support: the finding.
        citations: where passages have its words; never empty if it is supported.
        contradicted_by: where a passage contradicts it, with mark 0; `None` exactly if it is not contradicted.
        shortfall: why it is not supported; empty if it is.
        rule: which rule says so, as a clause (`citations.objections`); empty if it is none of these.
    """

    support: Support = "unsupported"
    citations: tuple[Citation, ...] = ()
    contradicted_by: Citation | None = None
    shortfall: Shortfall = "words"
    rule: str = ""


def judge(
    query: str,
    text: str,
    passages: Iterable[Passage],
    readings: Mapping[str, Reading] | None = None,
    *,
    mark: int = 0,
    settled: Sequence[Claim] = (),
    beside: Iterable[Passage] = (),
    together: Sequence[Named] = (),
) -> Assessment:
    """Judges an answer to a query against passages.

    Args:
        query: the query.
        text: the answer: a few words, or whole sentences.
        passages: the candidate evidence; the first that supports it is cited.
        readings: what the reader extracted for this query, by passage id.
        mark: the mark of the citations.
        settled: earlier claims that are supported: they may tie the cited sentence to what the query names.
        beside: further passages that were found: they may say something else, but are not cited for the answer.
        together: the sentences that were named for the answer, if these are several; see `citations.together`.
    """
    read, evidence = readings or {}, list({passage.id: passage for passage in passages}.values())
    said = asserted(text) or none_of(text, evidence)
    if not said or not adds(query, said):
        return Assessment(shortfall="bare" if said or is_yes_or_no(plain(text)) else "words")
    heard = [(passage, read[passage.id]) for passage in evidence if passage.id in read]
    denying = [one for one in heard if holds(*one) and denies(query, said, one[1])]
    refused = {passage.id for passage, _ in denying}
    willing = [passage for passage in evidence if passage.id not in refused]
    others = list({passage.id: passage for passage in (*willing, *beside) if passage.id not in refused}.values())
    found = _Case(mark, query, willing, read, settled, others, is_yes(plain(text)), together).borne_out(said)
    if found.support == "supported" and not speaks_for_it(query, plain(text), said, _told(found, evidence, settled)):
        return replace(found, support="unsupported", shortfall="relation", rule="it is no reason for the yes or no")
    if found.citations:
        return found
    surest = max(denying, key=lambda one: one[1].confidence, default=None)
    if surest is None or surest[1].span is None:
        return Assessment()
    return Assessment("contradicted", contradicted_by=cite(0, surest[0], surest[1].span), shortfall="rival")


def is_stated(query: str, text: str, passages: Iterable[Passage], readings: Mapping[str, Reading] | None = None) -> bool:
    """Whether some passage has the words of an answer, and the reader does not deny it: what methods act on.

    It asks less than `judge`: the words may stand in a sentence about something else.
    """
    found = judge(query, text, passages, readings)
    return bool(found.citations) and found.shortfall != "denial"


def has_words(claim: Claim) -> bool:
    """Whether some passage has the words of a claim, at whatever place, and nothing else speaks against it."""
    return claim.support == "supported" or claim.shortfall in {"subject", "relation", "kind", "hedge"}


def claim_of(
    mark: int,
    query: str,
    text: str,
    origin: Origin,
    passages: Iterable[Passage] = (),
    readings: Mapping[str, Reading] | None = None,
    settled: Sequence[Claim] = (),
    beside: Iterable[Passage] = (),
    together: Sequence[Named] = (),
) -> Claim:
    """The claim made by an answer to a query, with its support. `mark` is its number, from 1, and the mark of its citations.

    The other arguments are those of `judge`. If the answer only says that the answer is unknown, the claim is open: it has no
    text. "None" says that unless a passage has it as the value that the query asks for.
    """
    found = judge(query, text, passages, readings, mark=mark, settled=settled, beside=beside, together=together)
    if not text or (does_not_know(text) and found.support != "supported"):
        return Claim(query, "", origin)
    return Claim(query, text, origin, found.support, found.citations, found.contradicted_by, found.shortfall, found.rule)


def conclusion_of(mark: int, query: str, text: str, premises: Iterable[Claim]) -> Claim:
    """A claim that code concludes from others, such as which of two dates is earlier.

    It is as well supported as the weakest of its premises, and cites what they cite; without premises it is unsupported.
    """
    behind = tuple(premises)
    if not text or not behind or any(claim.support != "supported" for claim in behind):
        return Claim(query, text, "retrieved", shortfall="premise" if text else "")
    citations = dict.fromkeys(replace(citation, mark=mark) for claim in behind for citation in claim.citations)
    return Claim(query, text, "retrieved", "supported", tuple(citations))


def is_conclusion(claim: Claim | None, claims: Iterable[Claim]) -> bool:
    """Whether a claim is concluded from others, as by `conclusion_of`: it cites what several of them cite, and nothing else."""
    cited = _places(claim) if claim is not None else frozenset()
    behind = [places for other in claims if other is not claim and (places := cited & _places(other))]
    return len(cited) > 1 and cited not in behind and cited == frozenset().union(*behind)


def _places(claim: Claim) -> frozenset[tuple[str, int, int, Span | None]]:
    """What a claim cites: two values of one sentence are two places."""
    return frozenset((citation.passage_id, citation.start, citation.end, citation.focus) for citation in claim.citations)


def mention_of(query: str, document: str, citation: Citation) -> Claim:
    """The claim that a document mentions what the query asks for, which the cited words show by themselves."""
    return Claim(query, document, "retrieved", "supported", (citation,))


def _told(found: Assessment, passages: Iterable[Passage], settled: Iterable[Claim]) -> str:
    """The words that bear an answer out, with their titles, and those of earlier claims."""
    cited = {citation.passage_id for citation in found.citations}
    headings = [passage.heading for passage in passages if passage.id in cited]
    earlier = [f"{claim.query} {claim.text}" for claim in settled]
    return "\n".join([*headings, *(citation.quote for citation in found.citations), *earlier])


def adds(query: str, said: str) -> bool:
    """Whether an answer says more than its query: it has other words, or several of the same in a different order.

    If the query asks for something that is written in capitals, such as a variable, these make it another word.

    >>> adds("In which city is Brno?", "Brno"), adds("Which house stands in Brno?", "House of Brno")
    (False, True)
    >>> adds("Which environment variable has default options for gzip?", "GZIP")
    True
    """
    if _CONSTANT.fullmatch(said.strip()) and _ASKS_FOR_CONSTANT.search(query) and said.strip() not in query:
        return True
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


def _without(left: Set[str], right: Set[str]) -> set[str]:
    """The words on the left that the right lacks, even in a longer or shorter form (`Austria`, `Austrian`)."""
    return {word for word in left if word not in right and not any(_are_alike(word, other) for other in right)}


def _are_alike(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    return len(shorter) >= _ALIKE_LETTERS and longer.startswith(shorter) and not longer[0].isdigit()


@dataclass(frozen=True, slots=True)
class _Case:
    """An answer to a query that is looked for in passages.

    Attributes:
        mark: the mark of its citations.
        query: the query.
        passages: the candidate evidence.
        readings: what the reader extracted for this query, by passage id.
        settled: earlier claims that are supported.
        found: all passages that may say something else: the candidate evidence and what was found beside it.
        is_yes: whether the answer is the reason for a yes.
        together: the sentences that were named for it.
    """

    mark: int
    query: str
    passages: Sequence[Passage]
    readings: Mapping[str, Reading]
    settled: Sequence[Claim]
    found: Sequence[Passage]
    is_yes: bool
    together: Sequence[Named]

    def borne_out(self, said: str) -> Assessment:
        """Whether passages have an answer, all of it, at places that are about the query."""
        if amount := amount_added(said, self.query):
            return self._cited(amount) or Assessment()
        whole = self._cited(said)
        if whole is not None:
            return whole
        parts = sentences_in(said)
        stating = [part for part in parts if not is_reasoning(part) and not has_marker(part)]
        if len(parts) < 2 or not 0 < len(stating) <= _MOST_SENTENCES:
            return Assessment()
        sure: list[Assessment] = []
        for part in stating:
            one = self._cited(part)
            if one is None:
                return Assessment()
            sure.append(one)
        citations = tuple(dict.fromkeys(citation for one in sure for citation in one.citations))
        open_one = next((one for one in sure if one.support != "supported"), None)
        return Assessment("supported", citations, shortfall="") if open_one is None else replace(open_one, citations=citations)

    def _cited(self, said: str) -> Assessment | None:
        """The first place that has an answer and is about the query; else the first that has it; `None` if there is none.

        Of places that say a statement in other words, the one that has most of its words.
        """
        if not adds(self.query, said):
            return None
        first: Assessment | None = None
        for number, passage in enumerate(self.passages, start=1):
            for citation in self._occurrences(said, passage):
                found = self._assessed(said, passage, citation)
                if found.support == "supported":
                    return self._nearer(said, citation, self.passages[number:]) or found
                first = first or found
        return (self._by_a_part(said, first) or first) if first is not None else None

    def _by_a_part(self, said: str, whole: Assessment) -> Assessment | None:
        """A sentence that bears out a part of a name, named together with that of the same document which has all of it."""
        if whole.shortfall not in {"subject", "relation"}:
            return None
        of_whole = [passage for passage in self.passages if passage.id == whole.citations[0].passage_id]
        for passage, sentence in self.together:
            if not any(passage.id == one.id or are_of_one_document(passage, one) for one in of_whole):
                continue
            for part in parts_of_name(said, passage.text[sentence.start : sentence.end], self.found):
                there = (one for one in self._occurrences(part, passage) if one.start <= sentence.start < one.end)
                found = next((self._assessed(part, passage, citation) for citation in there), whole)
                if found.support == "supported":
                    return replace(found, citations=(*found.citations, *whole.citations))
        return None

    def _nearer(self, said: str, citation: Citation, passages: Sequence[Passage]) -> Assessment | None:
        """A place that supports a statement as well, with more of its words than the one found; `None` if there is none."""
        words = frozenset(map(stem, content_of(said, ())))
        num_there = len(words & stems_of(citation.quote))
        if len(words) < _FEWEST_OF_A_STATEMENT or num_there == len(words):
            return None
        most = [max((len(words & stems_of(one)) for one in sentences_in(passage.text)), default=0) for passage in passages]
        for number in sorted(range(len(passages)), key=lambda one: -most[one]):
            if most[number] <= num_there:
                return None
            for other in self._occurrences(said, passages[number]):
                found = self._assessed(said, passages[number], other)
                if found.support == "supported" and len(words & stems_of(other.quote)) > num_there:
                    return found
        return None

    def _occurrences(self, said: str, passage: Passage) -> Iterator[Citation]:
        return occurrences(self.mark, self.query, said, passage, self.readings.get(passage.id))

    def _assessed(self, said: str, passage: Passage, citation: Citation) -> Assessment:
        """Whether a place that has an answer bears it out, by itself or with a sentence that refers to it and is cited, too."""
        focus = citation.focus or Span(citation.start, citation.end)
        place = place_of(passage, focus)
        alone = self._assessed_at(place, said, citation, focus)
        if alone.shortfall not in {"subject", "relation"}:
            return alone
        beside = said_with(self.query, place, focus, self.together)
        for source, sentence in chain(referring_to_place(place, focus, self.found), beside):
            quoted = source.text[sentence.start : sentence.end]
            read = replace(place, text=f"{quoted}\n{place.text}", referring=quoted)
            found = self._assessed_at(read, said, citation, focus)
            if found.support == "supported":
                return replace(found, citations=(*found.citations, cite(self.mark, source, sentence)))
        return alone

    def _assessed_at(self, place: Place, said: str, citation: Citation, focus: Span) -> Assessment:
        found = Found(self.query, self.found)
        candidate = Candidate(self.query, said, place, citation, focus, found, self.passages, self.settled, self.is_yes)
        objection = objection_to(candidate)
        if objection is not None:
            return Assessment("unsupported", (citation,), shortfall=objection.shortfall, rule=objection.says)
        is_no_value = candidate.is_statement or explains(self.query, said)
        rival = None if is_no_value else self._rival_of(candidate) or self._says_other_kin(said)
        if rival is None:
            return Assessment("supported", (citation,), shortfall="")
        if are_of_two_tables((place.passage, focus), rival):
            return Assessment("unsupported", (citation,), shortfall="rival")
        return Assessment("contradicted", (citation,), cite(0, *rival), "rival")

    def _rival_of(self, one: Candidate) -> tuple[Passage, Span] | None:
        """A sentence that says that something else replaced an answer, or that has something else in its place."""
        said, place, found = one.said, one.place, one.found
        replacement = found.replacement_of(said, place) or written_later(self.query, said, place, one.focus, self.found)
        if replacement is not None:
            return replacement
        return rival_of(
            self.query,
            said,
            place,
            self.found,
            lambda passage, span: (
                found.no_longer_holds(passage, span, said) or is_said_of_another_name(one, passage, span, None)
            ),
            self.settled,
        )

    def _says_other_kin(self, said: str) -> tuple[Passage, Span] | None:
        """A sentence about the one whose relative is asked for that has the answer as another one, if none has it as that."""
        of = relative_asked(self.query)
        found: tuple[Passage, Span] | None = None
        for passage in self.passages if of else ():
            for citation in self._occurrences(said, passage):
                if not locate(of, f"{passage.title}\n{citation.quote}"):
                    continue
                is_fitting = is_kin_asked(self.query, citation.quote, in_quote(citation))
                if is_fitting:
                    return None
                if is_fitting is False:
                    found = found or (passage, Span(citation.start, citation.end))
        return found
