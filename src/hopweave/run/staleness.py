"""Finds kept answers that cite words of the corpus which have since changed or disappeared, and judges their claims again.

A citation is stale if a sentence that it quotes is no longer in the document that it was taken from. Words that only moved,
because something else in the passage or the document was edited, or because the file was renamed, are not stale.

Only the claims of stale citations are judged again, by the rule of `hopweave.citations.support`: against the current versions
of the passages that they cite and that were found for their query. No model is called. A reader's result is used only if its
words are still in the passage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from rapidfuzz.fuzz import ratio

from hopweave.citations.citing import locate
from hopweave.citations.marking import verdict_of
from hopweave.citations.support import Assessment, judge
from hopweave.core.errors import DataError
from hopweave.core.files import MAX_HELD_BYTES, Entry, lines_within, open_regular, walk
from hopweave.core.postgres_connection import is_address
from hopweave.core.types import Answer, Citation, Claim, Passage, Reading, Support
from hopweave.ingest.lookup import PassageLookup, document_id_of
from hopweave.record import Read, Record, Search
from hopweave.run.opening import open_passages
from hopweave.run.settings import Settings, server_of
from hopweave.run.store.answer_store import PostgresAnswerStore
from hopweave.run.trust import PLAN
from hopweave.text.sentences import sentence_spans

_SIMILAR = 50.0
"""The percentage of common characters from which a sentence is taken to be the new wording of another."""
_WANTED = "give a file that hopweave ask --out FILE has written, or a run"
_NUM_PLACES = 10
"""How many passages are searched for words whose document is gone."""


@dataclass(frozen=True, slots=True)
class StaleCitation:
    """A citation whose words changed or are gone.

    Attributes:
        citation: the citation in the record; its mark is 0 if it contradicts the claim.
        what: `changed`: other words have replaced them; `vanished`: nothing like them is left in the document.
        now: the current words; empty if they vanished.
        passage_id: the passage that they are in, which need not be the cited one; empty if they vanished.
        in_title: whether the claim rests on a title, which changed; `now` is the new one.
    """

    citation: Citation
    what: Literal["changed", "vanished"]
    now: str = ""
    passage_id: str = ""
    in_title: bool = False


@dataclass(frozen=True, slots=True)
class StaleClaim:
    """A claim with stale citations.

    Attributes:
        number: the number of the claim, from 1.
        claim: the claim in the record.
        citations: its stale citations.
        now: its current support, with citations of the current corpus.
    """

    number: int
    claim: Claim
    citations: tuple[StaleCitation, ...]
    now: Assessment


@dataclass(frozen=True, slots=True)
class StaleAnswer:
    """An answer that cites words which changed or are gone.

    Attributes:
        place: where it is kept, as `file, line N` or `address, answer ID of OWNER`.
        record: the record as it was kept.
        claims: the claims with stale citations.
        support: the current support of the entire answer.
    """

    place: str
    record: Record
    claims: tuple[StaleClaim, ...]
    support: Support

    def to_json(self) -> dict[str, Any]:
        """Plain data, in the order in which it is reported."""
        answer = self.record.answer
        return {
            "place": self.place,
            "question": {"id": self.record.question.id, "text": self.record.question.text},
            "answer": answer.short if answer is not None else "",
            "support": {"was": answer.verdict.support if answer is not None else "", "now": self.support},
            "claims": [_claim_json(claim) for claim in self.claims],
        }


@dataclass(slots=True)
class Checked:
    """Statistics of a comparison.

    Attributes:
        num_answers: the number of answers that were compared with their corpus.
        num_citations: the number of their citations.
        num_moved: the number of citations whose words are unchanged, but in another passage.
        unchecked: a message for each item that could not be compared, with the reason and what to do.
    """

    num_answers: int = 0
    num_citations: int = 0
    num_moved: int = 0
    unchecked: list[str] = field(default_factory=list)


def stale_answers(
    places: Sequence[Path | str],
    settings: Settings,
    *,
    corpus: str = "",
    corpora: Mapping[str, str] | None = None,
    over: Path | None = None,
    checked: Checked,
) -> Iterator[StaleAnswer]:
    """Compares kept answers with their corpora; yields those that cite words which changed or are gone, in order.

    Args:
        places: files of records as `hopweave ask --out` appends them, runs of `hopweave evaluate`, folders of such files, or
            databases in which servers keep answers, as `postgres://HOST/DATABASE`.
        settings: options of the engines of the corpora.
        corpus: the corpus to compare with; by default, the one that each record names.
        corpora: the indexes of corpora, by the names under which a server offers them; its records have these names.
        over: skip answers that are not from the index in this folder.
        checked: updated with what was compared.

    Raises:
        DataError: if there is no such place, or no record in it.
        SearchError: if a corpus cannot be searched.
        SettingsError: for a corpus that is not one of hopweave's.
    """
    given = corpora or {}
    opened: dict[tuple[str, tuple[str, ...]], PassageLookup | None] = {}
    try:
        for place, record in kept_records(places, checked):
            if record.answer is None:
                continue
            named = str(record.setup.settings.get("corpus", ""))
            named = given.get(named) or corpus or named
            if over is not None and not _is_same(named, over):
                continue
            access = tuple(record.setup.settings.get("access", ()))
            if (named, access) not in opened:
                opened[named, access] = _opened(settings, named, access, place, checked)
            lookup = opened[named, access]
            if lookup is not None and (stale := stale_answer(place, record, record.answer, lookup, checked)) is not None:
                yield stale
    finally:
        for lookup in filter(None, opened.values()):
            lookup.close()


def kept_records(places: Sequence[Path | str], checked: Checked) -> Iterator[tuple[str, Record]]:
    """Yields each record of some files, folders and databases with its place; anything else is noted as unchecked.

    Raises:
        DataError: as in `stale_answers`.
    """
    databases = [str(place) for place in dict.fromkeys(places) if is_address(place)]
    files = [Path(place) for place in places if not is_address(place)]
    done: set[Path] = set()
    for place in dict.fromkeys(files):
        of_place = [file for file in record_files(place, checked) if file not in done]
        done.update(of_place)
        has_lines = False
        for at, line in chain.from_iterable(map(_lines_of, of_place)):
            has_lines = True
            yield from _record_at(at, line, checked)
        if of_place and not has_lines:
            checked.unchecked.append(f"there is no record in {place}; {_WANTED}")
    for at, line in chain.from_iterable(map(_lines_at, databases)):
        yield from _record_at(at, line, checked)


def _record_at(place: str, line: bytes | None, checked: Checked) -> Iterator[tuple[str, Record]]:
    """Yields the record on a line, with its place; a line that is not a record is noted as unchecked."""
    try:
        if line is None:
            raise DataError(f"it is longer than {MAX_HELD_BYTES >> 20} MiB, which no record is; restore it")
        yield place, Record.from_json(line.decode())
    except UnicodeDecodeError:
        checked.unchecked.append(f"{place}: it is not UTF-8; restore it")
    except DataError as error:
        checked.unchecked.append(f"{place}: {error}")


def _lines_of(file: Path) -> Iterator[tuple[str, bytes | None]]:
    """Yields the lines of a file that are not blank, each with its place; `None` for one that is too long to be a record."""
    try:
        with open_regular(file) as content:
            for number, line in enumerate(lines_within(content), start=1):
                if line is None or line.strip():
                    yield f"{file}, line {number}", line
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror}; give a file of records") from None


def _lines_at(address: str) -> Iterator[tuple[str, bytes]]:
    with closing(PostgresAnswerStore(address)) as answers:
        for owner, answer_id, record in answers.records():
            yield f"{answers.shown}, answer {answer_id} of {owner}", record


def record_files(path: Path, checked: Checked) -> list[Path]:
    """The files of records that a path names; a folder in it that cannot be listed is noted as unchecked.

    Raises:
        DataError: if there are none.
    """
    if not path.exists():
        raise DataError(f"there is nothing at {path}; give a file of records, as hopweave ask --out FILE writes it, or a run")
    if not path.is_dir():
        return [path]

    def unlisted(below: Path, error: OSError) -> None:
        checked.unchecked.append(f"cannot list {below}: {error.strerror}; check the folder")

    folder = path / "records" if (path / PLAN).exists() else path
    found = [one.path for one in walk(folder, on_unlisted=unlisted, with_hidden=True) if _is_record_file(one)]
    if not found:
        raise DataError(f"there is no file of records in {path}; {_WANTED}")
    return found


def _is_record_file(found: Entry) -> bool:
    return found.path.suffix == ".jsonl" and found.path.is_file()


def stale_answer(place: str, record: Record, answer: Answer, lookup: PassageLookup, checked: Checked) -> StaleAnswer | None:
    """Compares one answer with its corpus; `None` if all words that it cites are unchanged.

    Args:
        place: where the record is kept.
        record: the record of the question.
        answer: its answer.
        lookup: the corpus.
        checked: updated with what was compared.

    Raises:
        SearchError: if the corpus cannot be searched.
    """
    checked.num_answers += 1
    corpus = _Corpus.of(record, answer, lookup)
    claims = list(answer.claims)
    stale: list[StaleClaim] = []
    for number, claim in enumerate(answer.claims, start=1):
        settled = [earlier for earlier in claims[: number - 1] if earlier.support == "supported"]
        one = corpus.stale_claim(number, claim, settled, checked)
        if one is not None:
            stale.append(one)
            claims[number - 1] = replace(
                claim,
                support=one.now.support,
                citations=one.now.citations,
                contradicted_by=one.now.contradicted_by,
                shortfall=one.now.shortfall,
                rule=one.now.rule,
            )
    if not stale:
        return None
    support = verdict_of(replace(answer, claims=tuple(claims))).support
    return StaleAnswer(place, record, tuple(stale), support)


@dataclass(slots=True)
class _Corpus:
    """The passages of a record, then and now.

    Attributes:
        then: the record's passages, by id.
        now: their current versions, by id.
        documents: the current passages of each cited document, by the document's id.
    """

    record: Record
    lookup: PassageLookup
    then: Mapping[str, Passage]
    now: Mapping[str, Passage]
    documents: Mapping[str, list[Passage]]

    @classmethod
    def of(cls, record: Record, answer: Answer, lookup: PassageLookup) -> _Corpus:
        then = {passage.id: passage for passage in record.passages}
        pinned = {passage.id: passage for passage in record.question.pinned}  # they come with the question
        against = filter(None, (claim.contradicted_by for claim in answer.claims))
        cited = {one.passage_id for one in (*answer.citations, *against)} - pinned.keys()
        if not cited:
            return cls(record, lookup, then, then, {})
        documents = {document_id_of(then[passage_id]) for passage_id in cited}
        found = lookup.passages_of(dict.fromkeys((*then.keys() - pinned.keys(), *sorted(documents))))
        there = {passage.id: passage for passage in found} | pinned
        of_documents: dict[str, list[Passage]] = {document: [] for document in documents}
        for passage in found:
            of_documents.get(document_id_of(passage), []).append(passage)
        return cls(record, lookup, then, there, of_documents)

    def stale_claim(self, number: int, claim: Claim, settled: Sequence[Claim], checked: Checked) -> StaleClaim | None:
        """A claim, judged again if one of its citations is stale; `None` if all words that it cites are unchanged.

        Args:
            number: of the claim.
            claim: the claim.
            settled: the earlier claims that are still supported.
            checked: updated with what was compared.
        """
        citations = [*claim.citations, *filter(None, (claim.contradicted_by,))]
        checked.num_citations += len(citations)
        stale: list[StaleCitation] = []
        evidence: dict[str, Passage] = {}
        for citation in citations:
            one, passages = self._compared(claim, citation)
            checked.num_moved += one is None and citation.passage_id not in {passage.id for passage in passages}
            stale += [one] if one is not None else []
            evidence |= {passage.id: passage for passage in passages}
        if not stale:
            return None
        for passage_id in self._found_for(claim.query):
            if passage_id in self.now:
                evidence.setdefault(passage_id, self.now[passage_id])
        readings = self._readings(claim.query, evidence)
        now = judge(claim.query, claim.text, evidence.values(), readings, mark=number, settled=settled)
        return StaleClaim(number, claim, tuple(stale), now)

    def _compared(self, claim: Claim, citation: Citation) -> tuple[StaleCitation | None, list[Passage]]:
        """The stale citation, `None` if its words are unchanged, and the passages with its words or their replacements."""
        then, now = self.then[citation.passage_id], self.now.get(citation.passage_id)
        document = self.documents.get(document_id_of(then))
        here = [now] if now is not None else []
        if document is None:  # it comes with the question
            return None, here
        if now is not None and citation.focus is None and now.title != then.title and locate(claim.text, then.title):
            return StaleCitation(citation, "changed", now.title, now.id, in_title=True), here
        if now is not None and citation.quote in now.text:
            return None, here
        if holding := _holding(citation.quote, document or self._searched(citation.quote)):
            return None, holding
        best = _most_like(citation.quote, [*here, *document], then.text)
        if best is None:
            return StaleCitation(citation, "vanished"), here
        text, passage = best
        return StaleCitation(citation, "changed", text, passage.id), [*here, passage]

    def _searched(self, quote: str) -> list[Passage]:
        """Passages that may contain words whose document is gone, for example because its file was renamed."""
        [hits] = self.lookup.search([quote], _NUM_PLACES)
        return [hit.passage for hit in hits]

    def _found_for(self, query: str) -> Iterator[str]:
        """The passages that were found or read for a query."""
        for step in self.record.steps:
            match step:
                case Search():
                    for asked, hits in zip(step.queries, step.hits, strict=False):  # a failed search has no hits
                        if asked == query:
                            yield from (hit.passage_id for hit in hits)
                case Read() if step.query == query:
                    yield step.passage_id
                case _:
                    pass

    def _readings(self, query: str, evidence: Mapping[str, Passage]) -> dict[str, Reading]:
        """The most confident reading of each passage for a query, at the current position of its words."""
        found: dict[str, Reading] = {}
        for step in self.record.steps:
            if not isinstance(step, Read) or step.query != query or step.reading is None:
                continue
            now, surest = evidence.get(step.passage_id), found.get(step.passage_id)
            span = locate(step.reading.text, now.text) if now is not None and step.reading.span is not None else None
            if now is None or span is None or (surest is not None and surest.confidence >= step.reading.confidence):
                continue
            found[step.passage_id] = replace(step.reading, text=now.text[span.start : span.end], span=span)
        return found


def _holding(quote: str, passages: Sequence[Passage]) -> list[Passage]:
    """The passages that contain a quote; a quote of several sentences may now be divided between two."""
    for passage in passages:
        if quote in passage.text:
            return [passage]
    holding: dict[str, Passage] = {}
    for span in sentence_spans(quote):
        found = next((passage for passage in passages if quote[span.start : span.end] in passage.text), None)
        if found is None:
            return []
        holding[found.id] = found
    return list(holding.values())


def _most_like(quote: str, passages: Iterable[Passage], then: str) -> tuple[str, Passage] | None:
    """The new wording of a quote: the most similar run of as many sentences, with its passage; `None` if nothing is similar.

    Sentences that were in the passage `then` are not the new wording of anything.
    """
    size, best, most = max(1, len(sentence_spans(quote))), None, _SIMILAR
    for passage in passages:
        spans = sentence_spans(passage.text)
        for first in range(max(1, len(spans) - size + 1) if spans else 0):
            text = passage.text[spans[first].start : spans[min(first + size, len(spans)) - 1].end]
            if text not in then and (score := ratio(quote, text, score_cutoff=most)) > most:
                best, most = (text, passage), score
    return best


def _is_same(corpus: str, folder: Path) -> bool:
    """Whether a corpus is the given index folder, however the paths are written."""
    return bool(corpus) and not server_of(corpus) and Path(corpus).resolve() == folder.resolve()


def _opened(settings: Settings, corpus: str, access: tuple[str, ...], place: str, checked: Checked) -> PassageLookup | None:
    """The opened corpus of a record; `None` if there is none, which is noted as unchecked."""
    if not corpus:
        checked.unchecked.append(f"{place}: its retriever brought its own passages; name an index of them with --corpus")
        return None
    try:
        return open_passages(settings.model_copy(update={"corpus": corpus, "access": access, "where": {}}))
    except DataError as error:
        checked.unchecked.append(f"{place} and others over the same corpus: {error}; or name another with --corpus")
        return None


def _claim_json(stale: StaleClaim) -> dict[str, Any]:
    cited = stale.now.citations or tuple(filter(None, (stale.now.contradicted_by,)))
    return {
        "number": stale.number,
        "query": stale.claim.query,
        "text": stale.claim.text,
        "support": {"was": stale.claim.support, "now": stale.now.support},
        "citations": [
            {
                "mark": one.citation.mark,
                "passage_id": one.citation.passage_id,
                "start": one.citation.start,
                "end": one.citation.end,
                "quote": one.citation.quote,
                "what": one.what,
                "now": one.now,
                "now_in": one.passage_id,
                "in_title": one.in_title,
            }
            for one in stale.citations
        ],
        "now_cites": [{"passage_id": one.passage_id, "start": one.start, "end": one.end, "quote": one.quote} for one in cited],
    }
