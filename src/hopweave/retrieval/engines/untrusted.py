"""Untrusted: another retriever's results with defences against injected text. For corpora that others can write to.

Four defences, each an option:

- Sentences that give commands, speak for the system, imitate feedback or markers, or repeat the query are withheld
  (`text.instructions.commands_in`); a passage is then ranked by the rest of its text, so that repeating the question does not
  raise its rank (the passages of Zou et al., "PoisonedRAG", USENIX Security 2025, are retrieved that way).
- Sentences instead of passages: the first sentence of each passage and those that share the most words with the query.
- Agreement: the reader reads passages of different documents separately, for the query alone, and those whose answer is in the
  minority are outvoted and dropped ("isolate, then aggregate": Xiang et al., "Certifiably Robust RAG against Retrieval
  Corruption", 2024). All passages of one document share one vote. Without a majority nothing is dropped, and the disagreement
  is recorded.
- The reader never sees the user's question, the conversation or another passage.

Withheld text is replaced by spaces, so spans and citations refer to the original passage in the corpus.

Limits: a plain false statement that more documents make than deny is believed.

Calls: none; with `agreement`, one read for each of the first `num_voices` documents of a query.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from hopweave.core.options import AtLeast, Bounded, Whole
from hopweave.core.protocols import MethodContext
from hopweave.core.ranking import identity_of
from hopweave.core.types import Hit, Passage, Reading
from hopweave.text.content_words import is_named, stems_of, words_of
from hopweave.text.instructions import blanked, without_commands
from hopweave.text.matching import is_contained
from hopweave.text.sentences import sentence_spans

_LEAST_DEPTH = 10
_NAMED = 2


@dataclass(frozen=True, slots=True)
class Untrusted(Bounded):
    """Withholds commands and repetitions, keeps the relevant sentences, and has independent passages vote."""

    engine: Annotated[str, "the underlying retriever"] = "bm25"
    withhold_commands: Annotated[bool, "withhold sentences that address the reader instead of stating something"] = True
    max_sentences: Annotated[
        Whole, "sentences shown per passage: the first, and the most similar to the query; 0 shows all"
    ] = 4
    agreement: Annotated[bool, "have the reader read documents separately, and drop outvoted passages"] = True
    num_voices: Annotated[int, AtLeast(2), "documents that vote on the answer to a query; each costs a read"] = 5
    least_confidence: Annotated[float, "the reader's f above which a reading counts as a vote"] = 0.0

    @property
    def identity(self) -> str:
        """Name and options."""
        return identity_of(self, "untrusted")

    async def search_with(self, workbench: MethodContext, query: str, max_hits: int) -> list[Hit]:
        found = (await workbench.search([query], max(2 * max_hits, _LEAST_DEPTH)))[0]
        hits = self._cleaned(workbench, query, found)
        if self.agreement and workbench.reader is not None:
            hits = await self._agreed(workbench, query, hits)
        return _ranked(hits[:max_hits])

    def _cleaned(self, workbench: MethodContext, query: str, found: Sequence[Hit]) -> list[Hit]:
        """The hits as shown, ranked by their remaining text; empty ones are dropped."""
        hits = []
        withheld = []
        for hit in found:
            kept = without_commands(hit.passage, query) if self.withhold_commands else hit.passage
            if kept != hit.passage:
                withheld.append(hit.passage.id)
            if kept.text.strip():
                score = hit.score * _share_left(query, hit.passage, kept)
                hits.append(Hit(nearest_sentences(kept, query, self.max_sentences), score, hit.rank))
        if withheld:
            workbench.decide("commands", f"sentences of {len(withheld)} passages are no evidence", passages=withheld)
        return sorted(hits, key=lambda hit: -hit.score)

    async def _agreed(self, workbench: MethodContext, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """The hits without the outvoted ones."""
        voices = list({voice_of(hit.passage): hit.passage for hit in reversed(hits)}.values())[::-1][: self.num_voices]
        if len(voices) < 2:
            return list(hits)
        steps = [workbench.decide("voice", passage.title or passage.id) for passage in voices]

        async def heard(step: int, passage: Passage) -> Reading:
            with workbench.under(step):
                return await workbench.read(query, passage)

        readings = await workbench.side_by_side([partial(heard, *pair) for pair in zip(steps, voices, strict=True)])
        votes = {
            voice_of(passage): reading.text
            for passage, reading in zip(voices, readings, strict=True)
            if reading.text and reading.confidence > self.least_confidence
        }
        losing = outvoted(votes)
        if losing:
            workbench.decide("outvoted", "; ".join(f"{voice}: {votes[voice]}" for voice in losing), after=steps)
        elif len(groups_of(list(votes.values()))) > 1:
            workbench.decide("disagreement", "; ".join(dict.fromkeys(votes.values())), after=steps)
        return [hit for hit in hits if voice_of(hit.passage) not in losing]


def voice_of(passage: Passage) -> str:
    """The document of a passage: passages of one document are not independent witnesses."""
    return passage.title.strip().casefold() or passage.source or passage.id


def outvoted(votes: dict[str, str]) -> list[str]:
    """The voices whose answer differs from that of the largest group; none unless one group is larger than every other.

    >>> outvoted({"a": "Brno", "b": "the city of Brno", "c": "Vienna"})
    ['c']
    >>> outvoted({"a": "Brno", "b": "Vienna"})
    []
    """
    answers = list(votes.values())
    groups = sorted(groups_of(answers), key=len, reverse=True)
    if len(groups) < 2 or len(groups[0]) == len(groups[1]):
        return []
    return [voice for index, voice in enumerate(votes) if index not in groups[0]]


def groups_of(answers: Sequence[str]) -> list[list[int]]:
    """Positions of the answers that match the first of their group, one containing the other."""
    groups: list[list[int]] = []
    for index, answer in enumerate(answers):
        for group in groups:
            first = answers[group[0]]
            if is_contained(first, answer) or is_contained(answer, first):
                group.append(index)
                break
        else:
            groups.append([index])
    return groups


def nearest_sentences(passage: Passage, query: str, max_sentences: int) -> Passage:
    """The passage with blanks for all but its first sentence and those that share the most words with the query.

    Args:
        passage: the passage.
        query: the query.
        max_sentences: how many are kept, including the first; 0 keeps all.
    """
    spans = sentence_spans(passage.text)
    if not max_sentences or len(spans) <= max_sentences:
        return passage
    title = _words(passage.title)  # nearly every sentence may name the subject
    asked = {stem: weight for stem, weight in _weights(query).items() if stem not in title}
    sentences = [_words(passage.text[span.start : span.end]) for span in spans]
    shared = [sum(weight for stem, weight in asked.items() if stem in words) for words in sentences]
    order = sorted(range(1, len(spans)), key=lambda index: (-shared[index], index))
    kept = {0, *order[: max_sentences - 1]}
    text = passage.text
    for index, span in enumerate(spans):
        if index not in kept:
            text = blanked(text, span)
    return dataclasses.replace(passage, text=text)


def _share_left(query: str, before: Passage, after: Passage) -> float:
    asked = _words(query)
    had = len(asked & _words(f"{before.title} {before.text}"))
    return len(asked & _words(f"{after.title} {after.text}")) / had if had else 1.0


def _ranked(hits: Sequence[Hit]) -> list[Hit]:
    return [Hit(hit.passage, hit.score, rank) for rank, hit in enumerate(hits, start=1)]


def _words(text: str) -> frozenset[str]:
    """The content words of a text, in any inflection."""
    return stems_of(" ".join(words_of(text)))


def _weights(query: str) -> dict[str, int]:
    """What its words count: a name or a number, which few sentences have, more than another word."""
    weights: dict[str, int] = {}
    for place, word in enumerate(query.split()):
        weight = _NAMED if place and is_named(word) else 1
        weights |= {stem: max(weight, weights.get(stem, 0)) for stem in _words(word)}
    return weights
