"""Supporting facts: whether the sentences that an answer cites are those that the annotators marked as evidence.

Definition. With the cited sentences and the gold sentences as sets,

    precision = |cited and gold| / |cited|        F1 = 2 P R / (P + R)
    recall    = |cited and gold| / |gold|         EM = 1 if the sets are equal, else 0

A citation cites every sentence of which it quotes at least half, and every sentence that makes up at least half of the quote,
in characters other than white space: so neither words within a sentence nor a boundary drawn a little differently change what
is cited. A quote without any such character counts as a wrong sentence. The sentences of a passage are its gold sentences,
as the dataset splits them, and those that `hopweave.text.sentences` finds in between; so every cited sentence that is
not gold counts as wrong, in gold passages as in others.

Source: `hotpot_evaluate_v1.py` (Yang et al. 2018): `sp_prec`, `sp_recall`, `sp_f1`, `sp_em` over sets of a title and the number
of a sentence, which 2WikiMultiHopQA's script takes over. Range 0 to 1, higher is better. As there, an answer that cites nothing
scores 0 in all of them, and a gold sentence that the data does not have is missed by all. A question without gold sentences has
no data. `sentences_cited` is the number behind the precision: with it as weight, the mean precision is the share of all cited
sentences that are gold.

>>> from dataclasses import replace
>>> from support.worked import claimed, quoted, worked
>>> from hopweave.core.types import GoldSentence, Passage
>>> ulm = Passage("Ulm", "Ulm lies on the Danube. It is old.")
>>> claims = [claimed("Which river?", "the Danube", quoted(1, ulm, "the Danube")), claimed("Old?", "It is", quoted(2, ulm))]
>>> record, example = worked("the Danube", claims=claims, passages=[ulm])
>>> gold = replace(example.gold, sentences=(GoldSentence("Ulm", 0, 23),))
>>> {name: round(value, 4) for name, value in SupportingFacts().score(record, replace(example, gold=gold)).items()}
{'supporting_precision': 0.5, 'supporting_recall': 1.0, 'supporting_f1': 0.6667, 'supporting_em': 0.0, 'sentences_cited': 2.0}
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.types import Citation, Column, Example, GoldSentence, Span
from hopweave.evaluation.metrics._retrieved import retrieved_passages
from hopweave.record import Record
from hopweave.text.sentences import sentence_spans


@dataclass(frozen=True, slots=True)
class SupportingFacts:
    """Whether the cited sentences are those that the annotators marked as evidence."""

    columns: ClassVar[Mapping[str, Column]] = {
        "supporting_precision": Column("share of the cited sentences that are gold"),
        "supporting_recall": Column("share of the gold sentences that are cited"),
        "supporting_f1": Column("harmonic mean of both shares"),
        "supporting_em": Column("the cited sentences are exactly the gold ones"),
        "sentences_cited": Column("sentences that the answer cites", better="", high=math.inf),
    }
    counts_failures: ClassVar[bool] = False

    def applies_to(self, example: Example) -> bool:
        return bool(example.gold.sentences)

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        """See `evaluation.metric.Metric`.

        Raises:
            DataError: if a cited passage is not in the record.
        """
        gold = example.gold.sentences
        if record.answer is None or not gold:
            return {}
        cited = _cited(record, record.answer.citations, gold)
        num_right = len(cited & {one for one in gold if one.start < one.end})
        precision = num_right / len(cited) if cited else 0.0
        recall = num_right / len(gold)
        return {
            "supporting_precision": precision,
            "supporting_recall": recall,
            "supporting_f1": 2 * precision * recall / (precision + recall) if num_right else 0.0,
            "supporting_em": float(num_right == len(cited) == len(gold)),
            "sentences_cited": float(len(cited)),
        }


def _cited(record: Record, citations: Sequence[Citation], gold: Sequence[GoldSentence]) -> set[GoldSentence]:
    """The sentences that are cited, gold or not."""
    ids = tuple(dict.fromkeys(citation.passage_id for citation in citations))
    texts = {passage.id: passage.text for passage in retrieved_passages(record, ids)}
    spans = {place: list(_sentences(text, [one for one in gold if one.passage_id == place])) for place, text in texts.items()}
    return {
        GoldSentence(citation.passage_id, span.start, span.end)
        for citation in citations
        for span in _meant(texts[citation.passage_id], Span(citation.start, citation.end), spans[citation.passage_id])
    }


def _sentences(text: str, gold: Sequence[GoldSentence]) -> Iterator[Span]:
    """The sentences of a passage: the gold ones, and those between them."""
    behind = 0
    for one in [*sorted(gold, key=lambda sentence: sentence.start), GoldSentence("", len(text), len(text))]:
        for span in sentence_spans(text[behind : one.start]):
            yield Span(behind + span.start, behind + span.end)
        yield Span(one.start, one.end)
        behind = max(behind, one.end)


def _meant(text: str, quote: Span, sentences: Sequence[Span]) -> list[Span]:
    """The sentences that a quote cites; the quote itself if it cites none."""
    meant = []
    for sentence in sentences:
        shared = _length(text, max(sentence.start, quote.start), min(sentence.end, quote.end))
        if shared and 2 * shared >= min(_length(text, sentence.start, sentence.end), _length(text, quote.start, quote.end)):
            meant.append(sentence)
    return meant or [quote]


def _length(text: str, start: int, end: int) -> int:
    """The number of characters of a span that are not white space."""
    return len("".join(text[start:end].split())) if start < end else 0
