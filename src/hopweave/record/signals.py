"""What a record tells about how likely its answer is to be right: the signals of a `Confidence`.

All are numbers for which more means surer, or that have no direction. Their weights are fitted by `hopweave calibrate`. Those
of `SIGNALS` cost no call; those of `CHECKED` need a check of the answer (`check = "more"`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hopweave.citations.about import names_in, share_of_words, untied
from hopweave.citations.places import Place, place_of
from hopweave.core.types import Answer, Citation, Claim, Passage, Span
from hopweave.record.record import Record
from hopweave.record.steps import READ_AGAIN, Decision, ModelCall, Search, check_in
from hopweave.text.answer_kinds import is_of_kind, kind_asked
from hopweave.text.key_terms import words_in
from hopweave.text.matching import is_contained

_READING = "reading"
"""The label of the decision under which methods record what they read off facts, with `problems`, `probability`, `missing`."""

_DROPPED = "plan dropped"
"""The label of the decision by which `stitch` gives up a plan, and what it read for it."""

_WHOLE = "whole passages"
"""The label of the decision under which `stitch` records what it read from whole passages, and whether that `is_kept`."""

_LEAST_PROBABILITY = 0.01


def signals_of(record: Record) -> dict[str, float]:
    """The signals of a record, by name; none if it has no answer, or an explanation, which no calibration is fitted on.

    All of `SIGNALS` are there, and all of `CHECKED` if the answer was to be checked: NaN where the check could not be made.

    Args:
        record: of a question that was answered.
    """
    if record.answer is None or record.question.form == "long" or not record.answer.short.strip():
        return {}
    seen = _Seen(record, record.answer)
    return {name: float(measure(seen)) for name, (_, measure) in SIGNALS.items()} | seen.checked


@dataclass(frozen=True)
class _Seen:
    """A record with an answer, and what several signals need of it."""

    record: Record
    answer: Answer

    @cached_property
    def passages(self) -> Mapping[str, Passage]:
        return {passage.id: passage for passage in self.record.passages}

    @cached_property
    def settled(self) -> Sequence[Claim]:
        return [claim for claim in self.answer.claims if claim.support == "supported" and claim is not self.answer.carrier]

    @cached_property
    def others(self) -> Sequence[Claim]:
        return [claim for claim in self.answer.claims if claim.text and claim is not self.answer.carrier]

    @cached_property
    def places(self) -> Sequence[Place]:
        """Where the claim that carries the answer is cited."""
        carrier = self.answer.carrier
        return [self._place(citation) for citation in carrier.citations] if carrier is not None else []

    def _place(self, citation: Citation) -> Place:
        return place_of(self.passages[citation.passage_id], citation.focus or Span(citation.start, citation.end))

    @cached_property
    def readings(self) -> Sequence[Mapping[str, Any]]:
        """The details of each reading of facts, in order; none if the answer was read from whole passages instead.

        Those for a plan that was dropped are left out.
        """
        is_from_whole = any(step.data.get("is_kept") for step in self._decisions(_WHOLE))
        dropped = max((step.id for step in self._decisions(_DROPPED)), default=-1)
        return [] if is_from_whole else [step.data for step in self._decisions(_READING) if step.id > dropped]

    @cached_property
    def checked(self) -> dict[str, float]:
        """The outcomes of the check, by signal; empty if there was none."""
        data = check_in(self.record.own_steps)
        return {} if data is None else {name: math.nan if data[name] is None else float(data[name]) for name in CHECKED}

    def _decisions(self, label: str) -> Sequence[Decision]:
        return [step for step in self.record.own_steps if isinstance(step, Decision) and step.label == label]

    def ranks(self) -> Iterator[int]:
        """Yields the rank, from 1, of each cited passage in each list that has it."""
        cited = {place.passage.id for place in self.places}
        for step in self.record.own_steps:
            if isinstance(step, Search):
                for hits in step.hits:
                    yield from (rank for rank, hit in enumerate(hits, start=1) if hit.passage_id in cited)


def _supported(seen: _Seen) -> float:
    return seen.answer.verdict.support == "supported"


def _cited(seen: _Seen) -> float:
    return bool(seen.places)


def _steps_supported(seen: _Seen) -> float:
    return sum(claim.support == "supported" for claim in seen.others) / len(seen.others) if seen.others else 1.0


def _shared_words(seen: _Seen) -> float:
    question, short = seen.record.question.text, seen.answer.short
    return max((share_of_words(question, short, place, seen.settled) for place in seen.places), default=0.0)


def _tied_names(seen: _Seen) -> float:
    question, short = seen.record.question.text, seen.answer.short
    num = len(names_in(question))
    opened = [len(untied(question, short, place, seen.settled, seen.record.passages)) for place in seen.places]
    return 1 - min(opened) / num if opened and num else float(not num)


def _kind(seen: _Seen) -> float:
    return is_of_kind(seen.answer.short, kind_asked(seen.record.question.text))


def _probability(seen: _Seen) -> float:
    """The logarithm of the least probability among the last readings; 0 if none is reported."""
    known = [float(data["probability"]) for data in seen.readings if isinstance(data.get("probability"), int | float)]
    return math.log(max(_LEAST_PROBABILITY, min(known[-2:]))) if known else 0.0


def _problems(seen: _Seen) -> float:
    return -len(seen.readings[-1].get("problems", ())) if seen.readings else 0.0


def _missing(seen: _Seen) -> float:
    return -float(bool(seen.readings and seen.readings[-1].get("missing")))


def _rank(seen: _Seen) -> float:
    return 1 / min(seen.ranks(), default=math.inf)


def _repeated(seen: _Seen) -> float:
    return math.log1p(sum(is_contained(seen.answer.short, passage.text) for passage in seen.record.passages))


def _hops(seen: _Seen) -> float:
    return -math.log1p(len(seen.others))


def _calls(seen: _Seen) -> float:
    calls = [step for step in seen.record.own_steps if isinstance(step, ModelCall) and step.purpose != READ_AGAIN]
    return -math.log1p(len(calls))


def _length(seen: _Seen) -> float:
    return -math.log1p(len(words_in(seen.answer.short)))


def _finished(seen: _Seen) -> float:
    return seen.answer.stopped_because == "finished" and seen.answer.how not in {"forced", "empty"}


SIGNALS: Mapping[str, tuple[str, Callable[[_Seen], float]]] = {
    "supported": ("the support rule accepts the answer", _supported),
    "cited": ("some passage has its words", _cited),
    "steps_supported": ("the share of the other claims that are supported", _steps_supported),
    "shared_words": ("the share of the question's content words in the cited place and the supported claims", _shared_words),
    "tied_names": ("the share of the question's names that are tied to the cited place", _tied_names),
    "kind": ("the answer is of the kind that is asked for", _kind),
    "probability": ("the logarithm of the probability that the model gave to what it read", _probability),
    "problems": ("minus the problems that the method's check found", _problems),
    "missing": ("minus 1 if the last reading says that something is missing", _missing),
    "rank": ("1 divided by the best rank of a cited passage", _rank),
    "repeated": ("how many of the passages found have the answer, as a logarithm", _repeated),
    "hops": ("minus the number of steps, as a logarithm", _hops),
    "calls": ("minus the number of calls, as a logarithm", _calls),
    "length": ("minus the number of words of the answer, as a logarithm", _length),
    "finished": ("the method came to its end, and the answer did not have to be forced", _finished),
}
"""What each signal says, and how it is read off a record."""

CHECKED: Mapping[str, str] = {
    "agrees_at_once": "reading all the facts at once, in another order, gives the same answer",
    "changes_without": "without the sentences that state the answer, another one is read, or none",
}
"""What each outcome of a check says; `hopweave.run.answer_check` records them in the decision `check`."""
