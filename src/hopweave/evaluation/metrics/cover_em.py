"""cover-EM: whether the answer contains a right answer.

Definition. 1 if the normalised answer contains the normalised words of some right answer, as a substring; else 0.
Lower case, without punctuation and articles (SQuAD's normaliser).

    cover(p, G) = max over g in G of [norm(g) is a substring of norm(p)]

Source: the measure of SearChain (section 4.1) and ToQD (section 4.1) for short answers. Range 0 to 1, higher is better. Golds
that normalise to nothing are skipped; if there are no others, there is no data.

`scope` selects what is searched: the bare answer (`answer`) or the whole final content without its marks (`full`, which the
papers' wording allows, and which is never much lower and often higher): report it with every number. `boundary = "raw"` is
the plain substring of the authors' server and of FlashRAG, under which `no` is found in `not known` and `1` in `1839`; `auto`
requires whole words for golds of one word of at most 3 characters, and for labels.

`match = "toqd"` is the rule in ToQD's released code, which is not cover-EM: all words of the gold are among those of the
answer in any order, or else its names and numbers are. There, names are the entities (persons, organisations, places, dates)
that a tagger finds in lower-cased text without punctuation; here, they are runs of capitalised words in the original text, and
a date is only its numbers. So this finds names that the tagger misses in lower case, and mistakes a capitalised word that
names nothing for a name. The first step and the numbers (split into groups of three digits where commas were deleted) are the
same.

>>> from support.worked import worked
>>> CoverEM().score(*worked("U.S. National Book Award", ["National Book Award"]))
{'cover_em': 1.0}
>>> CoverEM().score(*worked("not known", ["no"])), CoverEM(boundary="raw").score(*worked("not known", ["no"]))
({'cover_em': 0.0}, {'cover_em': 1.0})
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from hopweave.core.types import Column, Example
from hopweave.evaluation.metrics._covering import Boundary, covers, toqd_match
from hopweave.record import Record
from hopweave.text.citation_marks import settle_marks
from hopweave.text.matching import normalize_answer


@dataclass(frozen=True, slots=True)
class CoverEM:
    """Whether the answer contains a right answer."""

    columns: ClassVar[Mapping[str, Column]] = {"cover_em": Column("the answer contains a right answer")}
    counts_failures: ClassVar[bool] = False

    scope: Annotated[Literal["answer", "full"], "look into the bare answer, or into the whole final content"] = "answer"
    boundary: Annotated[Boundary, "auto: golds of at most 3 characters and labels as whole words; raw: plain substring"] = (
        "auto"
    )
    match: Annotated[Literal["cover", "toqd"], "cover: the papers' cover-EM; toqd: the rule of ToQD's released code"] = "cover"

    def applies_to(self, example: Example) -> bool:
        return any(map(normalize_answer, example.gold.answers))

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        golds = [gold for gold in example.gold.answers if normalize_answer(gold)]
        if record.answer is None or not golds:
            return {}
        said = record.answer.short if self.scope == "answer" else settle_marks(record.answer.text, ())[0]
        is_label = example.question.form == "label"
        if self.match == "toqd":
            return {"cover_em": float(any(toqd_match(said, gold) for gold in golds))}
        return {"cover_em": float(any(covers(said, gold, self.boundary, is_label=is_label) for gold in golds))}
