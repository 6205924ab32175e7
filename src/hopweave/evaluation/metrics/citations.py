"""Citation precision and recall: whether the cited spans support the claims.

Definition. Over the claims of an answer that say something and their citations,

    recall    = claims supported by at least one of their citations / claims
    precision = citations that support their claim / citations

A span supports a claim if it entails it. `by = "words"` approximates this: the quote contains the claim's normalised words
consecutively; this is undecided for a yes or a no, so those claims are left out. `by = "judge"` reads verdicts that a judge
model wrote beforehand (`hopweave judge RUN` creates the file): no model is called here. A pair on which the judge failed is
left out. The share of pairs left out is `citations_undecided`.

Source: citation recall and precision as in ALCE (Gao et al. 2023), on claims instead of sentences, each citation separately.
Range 0 to 1, higher is better. An answer without citations has no precision; one without claims has no data.

>>> from support.worked import claimed, quoted, worked
>>> from hopweave.core.types import Passage
>>> ulm = Passage("Ulm", "Ulm lies on the Danube. It is old.")
>>> claims = [claimed("Which river?", "the Danube", quoted(1, ulm)), claimed("Who built it?", "nobody knows")]
>>> Citations().score(*worked("the Danube", claims=claims, passages=[ulm]))
{'citation_precision': 1.0, 'citation_recall': 0.5, 'citations_undecided': 0.0}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from hopweave.citations.entailment import CitedClaim, Judgement, entails_by_words, read_judgements
from hopweave.core.errors import DataError
from hopweave.core.types import Claim, Column, Example
from hopweave.record import Record
from hopweave.text.matching import is_yes_or_no


@dataclass(frozen=True, slots=True)
class Citations:
    """Whether the cited spans support the claims."""

    columns: ClassVar[Mapping[str, Column]] = {
        "citation_precision": Column("share of the citations that support their claim"),
        "citation_recall": Column("share of the claims that a citation supports"),
        "citations_undecided": Column("share of the citations that are undecided", better=""),
    }
    counts_failures: ClassVar[bool] = False

    by: Annotated[Literal["words", "judge"], "words: the quote has the claim's words; judge: verdicts of a model"] = "words"
    judgements: Annotated[str, "judge: the file of verdicts that `hopweave judge` wrote"] = ""

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        """See `evaluation.metric.Metric`.

        Raises:
            DataError: if the verdicts cannot be read, or lack a pair of the record.
        """
        claims = [claim for claim in record.answer.claims if claim.text.strip()] if record.answer is not None else []
        decided: list[list[bool]] = []
        verdicts: list[bool | None] = []
        for claim in claims:
            of_claim = self._verdicts(claim)
            verdicts += of_claim
            known = [verdict for verdict in of_claim if verdict is not None]
            if known or not self._is_undecided(claim, of_claim):
                decided.append(known)
        values: dict[str, float] = {}
        told = [verdict for known in decided for verdict in known]
        if told:
            values["citation_precision"] = sum(told) / len(told)
        if decided:
            values["citation_recall"] = sum(map(any, decided)) / len(decided)
        if verdicts:
            values["citations_undecided"] = verdicts.count(None) / len(verdicts)
        return values

    def _is_undecided(self, claim: Claim, verdicts: list[bool | None]) -> bool:
        """Whether a claim cannot be decided; one without citations is simply not supported."""
        return bool(verdicts) or (self.by == "words" and is_yes_or_no(claim.text))

    def _verdicts(self, claim: Claim) -> list[bool | None]:
        pairs = [CitedClaim(claim.query, claim.text, citation.quote) for citation in claim.citations]
        if self.by == "words":
            return [entails_by_words(pair) for pair in pairs]
        judged = _judgements(self.judgements)
        missing = [pair for pair in pairs if pair.key not in judged]
        if missing:
            raise DataError(f"{self.judgements} has no verdict on the claim {missing[0].claim[:80]!r}; run: hopweave judge RUN")
        return [judged[pair.key].entails for pair in pairs]


def _judgements(path: str) -> Mapping[str, Judgement]:
    if not path:
        raise DataError("no verdicts are given; make them with `hopweave judge RUN` and set metrics.citations.judgements")
    place = Path(path)
    stamp = place.stat().st_mtime_ns if place.exists() else 0
    return _read(place, stamp)


@lru_cache(4)
def _read(path: Path, _: int) -> Mapping[str, Judgement]:
    return read_judgements(path)
