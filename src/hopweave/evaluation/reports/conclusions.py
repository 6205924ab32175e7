"""What scores and comparisons show, in sentences: how often a method is right, which is better, by how much, and how surely.

The terminal, pages and Markdown say it in these words. Their numbers have keys, so that a report prints none that cannot be
recomputed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hopweave.evaluation.reports.numbers import MINUS, TOO_FEW, Style, count, is_telling, key_of
from hopweave.evaluation.scoring.results import NO_DIFFERENCE, NO_PAIRS, Comparison, Interval, Ranked, Ranking, ReportData
from hopweave.show.table import Number, Words, decimal

_SHARES_OF_RIGHT = frozenset({"cover_em", "exact_match", "label_accuracy"})
"""Columns whose mean is the share of questions with a right answer."""
_UNDECIDED = "Nothing can be concluded about which is better: "
_LEAST_P = 0.001
_MAY_BE_CHANCE = ", which may be chance."


def conclusions(data: ReportData) -> Iterator[Words]:
    """Yields which method is better and by how much, and how often each is right: a paragraph each, for each dataset."""
    for ranking in data.rankings:
        where: Words = (f"{ranking.dataset}: ",) if len(data.datasets) > 1 else ()
        for sentences in (better_sentences(ranking), standing_sentences(ranking)):
            said = [part for sentence in sentences for part in (" ", *sentence)][1:]
            if said:
                yield *where, *said


def standing_sentences(ranking: Ranking) -> Iterator[Words]:
    """Yields sentences: how often each method is right, the best first, and what that means."""
    first, *others = ranking.methods
    said = [_standing(first, ranking, is_first=True), *(_standing(one, ranking, is_first=False) for one in others)]
    yield *_listed(said, ", "), "."
    if ranking.column in _SHARES_OF_RIGHT:
        yield (f"Right means: {ranking.meaning} ({ranking.column}).",)


def better_sentences(ranking: Ranking) -> Iterator[Words]:
    """Yields whether the best method is better than each of the others: what is certain, may be chance, or cannot be known."""
    best = ranking.methods[0].method
    every = [
        _Versus(row, ranking.better, ranking.unit, f"ranking/{key_of(row.dataset, row.baseline)}/versus/{key_of(row.method)}")
        for row in ranking.rows
    ]
    certain = [one for one in every if one.row.is_certain]
    few = [one for one in every if one.row.has_too_few]
    unsure = [one for one in every if one.row.p is not None and one not in (*certain, *few)]
    ahead, level = [one for one in unsure if one.row.difference], [one for one in unsure if not one.row.difference]
    if certain:
        yield f"{best} is better than ", *_listed([_against(one) for one in certain], " and than "), "."
    if ahead:
        said = _listed([_against(one) for one in ahead], " and of ")
        yield f"{'' if certain else _UNDECIDED}{best} is ahead of ", *said, _MAY_BE_CHANCE
    if level:
        yield (f"{best} and {' and '.join(one.row.method for one in level)} are level.",)
    if few:
        those = "the methods" if len(few) == len(every) > 1 else " and ".join((best, *(one.row.method for one in few)))
        yield *_too_few(few[0]), f" {those} apart, whatever the answers."


def comparison_sentence(row: Comparison, better: str, unit: str) -> Words:
    """Which of a method and the baseline is better, by how much, and whether that may be chance.

    Args:
        row: the comparison.
        better: the better direction of its column; empty if there is none.
        unit: of its column; empty if there is none.
    """
    versus = _Versus(row, better, unit, f"versus/{key_of(row.dataset, row.column, row.baseline, row.method)}")
    if row.says == NO_PAIRS:
        return (f"{row.method} and {row.baseline} have no question in common that can be compared.",)
    if row.says == NO_DIFFERENCE:
        return f"{row.method} and {row.baseline} do not differ on any of the ", *versus.num_pairs, "."
    if row.has_too_few:
        return *_too_few(versus), f" {row.method} and {row.baseline} apart, whatever the answers."
    if not row.difference:
        return (f"{row.method} and {row.baseline} are level: they differ on some questions, equally in both directions.",)
    if row.is_certain:
        verb = "is better than" if better else "is above"
        return (f"{versus.leader} {verb} {versus.other} ", *versus.amount, ".")
    return f"{_UNDECIDED}{versus.leader} is ahead of {versus.other} ", *versus.amount, _MAY_BE_CHANCE


@dataclass(frozen=True, slots=True)
class _Versus:
    """A comparison, told from the side of the method that is ahead; `start` begins the keys of its numbers."""

    row: Comparison
    better: str
    unit: str
    start: str

    @property
    def leader(self) -> str:
        return self.row.method if self._sign > 0 else self.row.baseline

    @property
    def other(self) -> str:
        return self.row.baseline if self._sign > 0 else self.row.method

    @property
    def num_pairs(self) -> Words:
        return count(f"{self.start}/pairs", self.row.num_pairs), " question" if self.row.num_pairs == 1 else " questions"

    @property
    def amount(self) -> Words:
        """By how much, with the interval if that says anything, and p."""
        row, is_right = self.row, self.row.column in _SHARES_OF_RIGHT
        unit = "points" if is_right else self.unit
        by = ("by ", self._number("by", abs(row.difference or 0.0)), f" {unit}" if unit else "")
        notes: list[Words] = []
        if row.interval is not None and is_telling(row.interval, row.num_pairs, is_share=is_right):
            low, high = sorted((self._turn * row.interval.low, self._turn * row.interval.high))
            notes.append(("95% interval ", self._number("low", low), " to ", self._number("high", high)))
        if row.p_holm is not None:
            is_tiny = row.p_holm < _LEAST_P
            text = Style(3).text(_LEAST_P if is_tiny else row.p_holm)
            notes.append((f"p {'<' if is_tiny else '='} ", Number(f"{self.start}/p", row.p_holm, text)))
        return *by, *_bracketed(notes)

    @property
    def _sign(self) -> int:
        """1 if the method is ahead of the baseline, else -1."""
        return 1 if (self.row.difference or 0.0) * (-1 if self.better == "lower" else 1) > 0 else -1

    @property
    def _turn(self) -> int:
        """What makes the difference a positive number."""
        return 1 if (self.row.difference or 0.0) > 0 else -1

    def _number(self, name: str, value: float) -> Number:
        if self.row.column in _SHARES_OF_RIGHT:
            return Number(f"{self.start}/{name}", value, Style(1).text(100 * value))
        return Number(f"{self.start}/{name}", value, decimal(value).replace("-", MINUS))


def _standing(one: Ranked, ranking: Ranking, *, is_first: bool) -> Words:
    """How a method does: the first in full, the others in the words that differ."""
    start = f"ranking/{key_of(ranking.dataset, one.method)}"
    is_full = is_first or one.num_questions != ranking.methods[0].num_questions
    noun = " question" if one.num_questions == 1 else " questions"
    of_all = (" of ", count(f"{start}/questions", one.num_questions), noun) if is_full else ()
    odd = ((one.num_failed, "failed"), (one.num_missing, "not answered yet"))
    notes: list[Words] = [(count(f"{start}/{what}", num), f" {what}") for num, what in odd if num]
    if ranking.column not in _SHARES_OF_RIGHT:
        mean = Style(3).number(f"{start}/mean", one.mean)
        has = f"{one.method} has a mean {ranking.column} of " if is_first else f"{one.method} of "
        over = (" over ", *of_all[1:]) if of_all else ()
        return (has, mean, *over, *_bracketed(notes))
    share = Number(f"{start}/mean", one.mean, f"{100 * one.mean:.0f}%")
    if len(ranking.methods) == 1 and one.interval is not None:
        notes.append(_interval(one.interval, one.num_questions, start))
    num_right = one.mean * one.num_questions
    right = f"{one.method} is right on " if is_first else f"{one.method} on "
    if math.isclose(num_right, round(num_right), abs_tol=1e-6):
        return (right, count(f"{start}/right", round(num_right)), *of_all, *_bracketed([(share,), *notes]))
    return (right, share, *of_all, *_bracketed(notes))


def _interval(interval: Interval, num_questions: int, start: str) -> Words:
    if not is_telling(interval, num_questions, is_share=True):
        return (f"{TOO_FEW} to expect the same of others",)
    ends = (("low", interval.low), ("high", interval.high))
    low, high = (Number(f"{start}/{name}", end, f"{100 * end:.0f}%") for name, end in ends)
    return "95% interval ", low, " to ", high


def _against(one: _Versus) -> Words:
    return f"{one.row.method} ", *one.amount


def _too_few(versus: _Versus) -> Words:
    return _UNDECIDED, *versus.num_pairs, f" {'is' if versus.row.num_pairs == 1 else 'are'} too few to tell"


def _listed(parts: Iterable[Words], between: str) -> Iterator[str | Number]:
    for place, part in enumerate(parts):
        yield from (between, *part) if place else part


def _bracketed(notes: Iterable[Words]) -> Words:
    said = tuple(_listed(notes, "; "))
    return (" (", *said, ")") if said else ()
