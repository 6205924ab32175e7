"""Chooses the thresholds of a reader: theta by the paper's procedure, and alpha by the same one.

Theta (SearChain, appendix A.4.1): take pairs of a query and a passage; a pair is positive if the passage holds a gold answer,
and predicted positive if the reader's f is above theta. Raise theta step by step and keep the one with the best F1. Readers
have different scales, so each needs its own theta.

Alpha: the paper chose it by inspection. Here it is swept in the same way: the score is the ROUGE-L of a long answer and a
passage, a pair is positive if they agree, and predicted positive if the score is above alpha.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hopweave.core.errors import DataError, RunError, SettingsError, error_that_counts
from hopweave.core.files import read_json, read_lines
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.protocols import ModelReader
from hopweave.core.types import Passage, Reading
from hopweave.evaluation.scoring.results import Interval
from hopweave.evaluation.scoring.statistics import NUM_FIGURE_RESAMPLES, percentile_interval, resampled_means
from hopweave.record import Failure, Trace
from hopweave.run.components import Components
from hopweave.run.workbench import Workbench
from hopweave.text.matching import is_contained, normalize_answer, rouge_l

Format = Literal["auto", "pairs", "musique"]

_MAX_THRESHOLDS = 10_000
_ENGINE_BATCH = 64
_EARLIER_ANSWER = lazy_pattern(r"#(\d+)")
_PAIR = 'a row is {"query": ..., "passage": {"title": ..., "text": ...}, "answers": [...]}'


@dataclass(frozen=True, slots=True)
class Pair:
    """A query and a passage, with the known facts about them.

    Attributes:
        answers: the gold answers of the query; any of them counts.
        answer: a long answer to the query, for alpha.
        agrees: whether that answer and the passage agree, if that was annotated.
    """

    id: str
    query: str
    passage: Passage
    answers: tuple[str, ...] = ()
    answer: str = ""
    agrees: bool | None = None

    @property
    def is_positive(self) -> bool:
        """Whether the passage's text holds a gold answer, in normalised whole words."""
        return any(is_contained(answer, self.passage.text) for answer in self.answers)

    @property
    def is_consistent(self) -> bool | None:
        """Whether the long answer agrees with the passage: as annotated, else whether it states a gold answer from the passage.

        `None` if it is not annotated and the passage holds no gold answer: then it is undecided.
        """
        if self.agrees is not None:
            return self.agrees
        held = [answer for answer in self.answers if is_contained(answer, self.passage.text)]
        return any(is_contained(answer, self.answer) for answer in held) if held else None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome for a pair: the reading, or the failure."""

    pair: Pair
    reading: Reading | None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """A score with the truth; `group` names what a bootstrap draws together (the query)."""

    score: float
    is_positive: bool
    group: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """How well one threshold separates positives from negatives: `None` where the denominator is zero."""

    threshold: float
    num_true: int
    num_predicted: int
    num_positive: int

    @property
    def precision(self) -> float | None:
        """Share of the predicted ones that are positive."""
        return self.num_true / self.num_predicted if self.num_predicted else None

    @property
    def recall(self) -> float | None:
        """Share of the positive ones that are predicted."""
        return self.num_true / self.num_positive if self.num_positive else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both; `None` only if nothing is positive and nothing predicted."""
        both = self.num_predicted + self.num_positive
        return 2 * self.num_true / both if both else None


def pairs_of_file(path: Path, form: Format = "auto") -> list[Pair]:
    """The pairs of a file of JSON lines.

    `pairs`: each row has `query`, `passage` (an object with `text` and perhaps `title`, or the text itself) and `answers`; for
    alpha also `answer`, and perhaps `consistent`. `musique`: the rows of MuSiQue's own files. `auto` decides by the first row.

    Raises:
        DataError: for a file or a row that cannot be read, with its place.
    """
    pairs: list[Pair] = []
    for number, row in _rows(path):
        if form == "auto":
            form = "musique" if "question_decomposition" in row else "pairs"
        try:
            pairs += pairs_of_musique(row) if form == "musique" else [_pair_of(row, str(number))]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            what = "is not a row of MuSiQue" if form == "musique" else "is not a pair"
            wanted = "give the official JSONL" if form == "musique" else _PAIR
            raise DataError(f"line {number} of {path} {what} ({type(error).__name__}: {error}); {wanted}") from None
    if not pairs:
        raise DataError(f"{path} holds no pair; {_PAIR}")
    return pairs


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(_lines(path), start=1):
        if line.strip():
            try:
                row = read_json(line)
            except ValueError as error:
                raise DataError(f"line {number} of {path} is not JSON: {error}; {_PAIR}") from None
            if not isinstance(row, dict):
                raise DataError(f"line {number} of {path} is not an object; {_PAIR}")
            yield number, row


def _lines(path: Path) -> Iterator[str]:
    try:
        for number, line in enumerate(read_lines(path), start=1):
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
    except OSError as error:
        raise DataError(f"cannot read the pairs {path}: {error.strerror}; check the path") from None
    except UnicodeDecodeError as error:
        raise DataError(f"the pairs {path} are not UTF-8: {error}; convert the file") from None


def _pair_of(row: Mapping[str, Any], id_: str) -> Pair:
    given = row["passage"] if not isinstance(row["passage"], str) else {"text": row["passage"]}
    answers = row.get("answers", [])
    texts = (row["query"], given["text"], given.get("title") or "", row.get("answer") or "", *answers)
    if isinstance(answers, str) or not all(isinstance(text, str) for text in texts):
        raise TypeError("query, text, title and answer are texts, and answers is a list of texts")
    if not answers and "consistent" not in row:
        raise ValueError("answers is empty")
    agrees = row.get("consistent")
    if agrees is not None and not isinstance(agrees, bool):
        raise TypeError("consistent is true or false")
    passage = Passage(str(given.get("id") or id_), given["text"], given.get("title") or "")
    return Pair(str(row.get("id") or id_), row["query"], passage, tuple(answers), row.get("answer") or "", agrees)


def pairs_of_musique(row: Mapping[str, Any]) -> Iterator[Pair]:
    """Two pairs for each step of a MuSiQue question.

    The query is the step's, its references `#k` replaced by the answers of earlier steps. The positive is its supporting
    paragraph, if that holds the answer verbatim; the negative is the paragraph that shares the most words with the
    query among those that support no step and hold no gold answer. Rows that are marked as unanswerable give none.
    """
    steps = row["question_decomposition"] if row.get("answerable", True) else []
    paragraphs = {
        entry["idx"]: Passage(f"{row['id']}-{entry['idx']}", entry["paragraph_text"], entry["title"])
        for entry in row["paragraphs"]
    }
    supporting = {step["paragraph_support_idx"] for step in steps}
    others = [passage for index, passage in paragraphs.items() if index not in supporting]
    said: list[str] = []
    for number, step in enumerate(steps, start=1):
        query = _EARLIER_ANSWER.sub(
            lambda match: said[int(match[1]) - 1] if 0 < int(match[1]) <= len(said) else match[0], step["question"]
        )
        aliases = row.get("answer_aliases", []) if number == len(steps) else []
        answers = tuple(dict.fromkeys([step["answer"], *aliases]))
        said.append(step["answer"])
        positive = Pair(f"{row['id']}-{number}-positive", query, paragraphs[step["paragraph_support_idx"]], answers)
        if positive.is_positive:
            yield positive
        negatives = [Pair(f"{row['id']}-{number}-negative", query, other, answers) for other in others]
        nearest = max((pair for pair in negatives if not pair.is_positive), key=_num_shared_words, default=None)
        if nearest is not None:
            yield nearest


def _num_shared_words(pair: Pair) -> int:
    passage = normalize_answer(f"{pair.passage.title} {pair.passage.text}")
    return len(set(normalize_answer(pair.query).split()) & set(passage.split()))


async def read_pairs(
    components: Components, pairs: Sequence[Pair], on_done: Callable[[Outcome], None] = lambda _: None
) -> list[Outcome]:
    """Reads every pair through its own workbench, so that calls are kept in the store and come from it.

    Failures of a run are outcomes; problems that the user has to fix first are raised. An engine reads in batches; a reader
    that asks the model, as many concurrently as its endpoint serves at a time.
    """
    asks_a_model = isinstance(components.reader, ModelReader)
    turns = asyncio.Semaphore((components.llm.abilities.max_parallel or 1) if asks_a_model else _ENGINE_BATCH)

    async def outcome_of(pair: Pair) -> Outcome:
        async with turns:
            try:
                outcome = Outcome(pair, await Workbench(components, Trace()).read(pair.query, pair.passage))
            except RunError as error:
                outcome = Outcome(pair, None, Failure.of(error))
        on_done(outcome)
        return outcome

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(outcome_of(pair)) for pair in pairs]
    except ExceptionGroup as errors:
        raise error_that_counts([errors]) from None
    return [task.result() for task in tasks]


def scored_by_reader(outcomes: Iterable[Outcome]) -> list[Scored]:
    """The confidence of each reading; failures are left out, for the caller to count."""
    return [
        Scored(outcome.reading.confidence, outcome.pair.is_positive, outcome.pair.query)
        for outcome in outcomes
        if outcome.reading is not None
    ]


def scored_by_rouge(pairs: Iterable[Pair], rouge: Literal["f1", "precision"] = "precision") -> list[Scored]:
    """The ROUGE-L of each long answer and its passage; undecided pairs are left out."""
    scored = []
    for pair in pairs:
        if pair.is_consistent is not None:
            precision, _, f1 = rouge_l(pair.answer, pair.passage.text)
            scored.append(Scored(f1 if rouge == "f1" else precision, pair.is_consistent, pair.query))
    return scored


def thresholds(start: float, stop: float, step: float) -> list[float]:
    """From `start` by `step` up to `stop`, without accumulated rounding errors.

    Raises:
        SettingsError: for an invalid range.
    """
    if not (step > 0 and stop >= start and math.isfinite(stop - start)):
        raise SettingsError(f"no thresholds between {start:g} and {stop:g} in steps of {step:g}; set --start, --stop, --step")
    count = int((stop - start) / step + 1e-9) + 1
    if count > _MAX_THRESHOLDS:
        raise SettingsError(f"{count:,} thresholds are too many; set --step to more than {step:g}")
    return [round(start + position * step, 10) for position in range(count)]


def sweep(scored: Sequence[Scored], values: Iterable[float]) -> list[Point]:
    """One point for each threshold: scores above it are predicted positive."""
    return [point_at(scored, value) for value in values]


def point_at(scored: Sequence[Scored], threshold: float) -> Point:
    """The counts at one threshold."""
    predicted = [one.is_positive for one in scored if one.score > threshold]
    return Point(threshold, sum(predicted), len(predicted), sum(one.is_positive for one in scored))


def best_of(points: Iterable[Point]) -> Point | None:
    """The point with the best F1; with the higher threshold if tied. `None` if none has an F1 above 0."""
    useful = [point for point in points if point.f1]
    return max(useful, key=lambda point: (point.f1 or 0.0, point.threshold), default=None)


def f1_interval(scored: Sequence[Scored], threshold: float) -> Interval | None:
    """A percentile bootstrap interval of F1 at a threshold. Pairs of the same query are drawn together, as they are dependent.

    `None` if no sample has an F1.

    Raises:
        DataError: if there are 2^18 queries or more.
    """
    groups: dict[str, list[Scored]] = {}
    for one in scored:
        groups.setdefault(one.group, []).append(one)
    points = [point_at(members, threshold) for members in groups.values()]
    found = [float(point.num_true) for point in points]
    of = [(point.num_predicted + point.num_positive) / 2 for point in points]
    drawn = resampled_means([found, of], num_resamples=NUM_FIGURE_RESAMPLES)
    return percentile_interval(sorted(one / whole for one, whole in drawn if one is not None and whole))
