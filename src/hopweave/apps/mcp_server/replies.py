"""The replies of the tools: plain data, every quote with its position in the passage."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from hopweave.apps.cited import citation_values, verdict_values
from hopweave.citations.shortfalls import shortfall_in_words
from hopweave.core.types import Answer, Citation, Claim, Hit, Passage, Standing
from hopweave.record import Record
from hopweave.show.no_answer import why_no_answer


class CitationReply(BaseModel):
    """The exact words of a passage that support a claim."""

    mark: int = Field(description="the k of [k] in the text")
    passage_id: str
    start: int = Field(description="first code point of the quote in the passage's text")
    end: int = Field(description="one past its last")
    quote: str
    title: str = ""
    source: str = Field("", description="the file or URL of the passage")


class ClaimReply(BaseModel):
    """A step of the reasoning that asserts something."""

    query: str
    text: str
    origin: str = Field(description="where it comes from")
    support: Literal["supported", "contradicted", "unsupported"] = Field(description="what a passage says of it")
    why_not: str = Field(default="", description="why it is not supported")
    marks: list[int] = Field(description="its citations")
    contradicted_by: CitationReply | None = None


class AskReply(BaseModel):
    """An answer in which every claim is checked against the passages."""

    answer: str = Field(description="the bare answer; empty if there is none")
    text: str = Field(
        description="the answer in sentences; [k] refers to the citation with that mark. Without an answer, why there is none"
    )
    support: Literal["supported", "contradicted", "unsupported"] = Field(description="what the passages say of the answer")
    standing: Standing = Field(description="the support, or `uncertain`: found in a passage, but not certain")
    confidence: float | None = Field(None, description="the probability that the answer is right, 0 to 1, if it was estimated")
    claims: list[ClaimReply]
    citations: list[CitationReply]
    stopped_because: str = Field(description="finished, or why not: a limit; unsupported or uncertain if withheld")
    corpus: str
    method: str


class PassageReply(BaseModel):
    """A passage of a corpus."""

    passage_id: str
    title: str
    text: str
    source: str = Field(description="the file or URL that it was read from")
    start: int | None = Field(None, description="where it starts in the text of its document, if it is a part of it")
    end: int | None = None
    metadata: dict[str, str] = Field(default_factory=dict)
    sections: list[str] = Field(default_factory=list, description="the headings that it stands under, from the outermost")


class HitReply(PassageReply):
    """A passage that was found."""

    rank: int
    score: float


class SearchReply(BaseModel):
    """The passages that were found, best first."""

    corpus: str
    hits: list[HitReply]


def ask_reply(record: Record, answer: Answer, corpus: str) -> AskReply:
    """The reply to a question.

    Args:
        record: of the question.
        answer: that of the record.
        corpus: the name of its corpus.
    """
    passages = {passage.id: passage for passage in record.passages}
    return AskReply(
        answer=answer.short,
        text=answer.text if answer.text.strip() or answer.short.strip() else f"There is no answer: {why_no_answer(record)[0]}.",
        **verdict_values(answer.verdict),
        claims=[_claim(claim, passages) for claim in answer.claims],
        citations=[_citation(citation, passages) for citation in answer.citations],
        stopped_because=answer.stopped_because,
        corpus=corpus,
        method=record.setup.method,
    )


def search_reply(corpus: str, hits: list[Hit]) -> SearchReply:
    """The reply to a search."""
    found = [HitReply(**passage_reply(hit.passage).model_dump(), rank=hit.rank, score=hit.score) for hit in hits]
    return SearchReply(corpus=corpus, hits=found)


def passage_reply(passage: Passage) -> PassageReply:
    """A passage as part of a reply."""
    return PassageReply(
        passage_id=passage.id,
        title=passage.title,
        text=passage.text,
        source=passage.source,
        start=passage.start,
        end=passage.end,
        metadata=dict(passage.metadata),
        sections=list(passage.sections),
    )


def _claim(claim: Claim, passages: dict[str, Passage]) -> ClaimReply:
    against = claim.contradicted_by
    return ClaimReply(
        query=claim.query,
        text=claim.text,
        origin=claim.origin,
        support=claim.support,
        why_not=shortfall_in_words(claim),
        marks=list(dict.fromkeys(citation.mark for citation in claim.citations)),
        contradicted_by=_citation(against, passages) if against is not None else None,
    )


def _citation(citation: Citation, passages: dict[str, Passage]) -> CitationReply:
    return CitationReply(**citation_values(citation, passages[citation.passage_id]))
