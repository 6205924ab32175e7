"""Has a language model judge whether cited spans support their claims: a separate step that writes its verdicts to a file.

Scores are made from records and files alone, without calling a model. To have citations judged by a model, judge first: every
pair of claim and quote is judged once, through a workbench like any other call, so that replies are kept in the store. The
verdicts are lines in a file next to the records (`hopweave.citations.entailment` has their form), written one by one; a judge
that was stopped resumes where it was, and a failed pair is tried again.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from hopweave.citations.entailment import CitedClaim, Judgement, read_judgements
from hopweave.core.errors import DataError, RunError, error_that_counts
from hopweave.core.files import read_lines
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import escape, fence, prompts_beside
from hopweave.core.types import Message
from hopweave.record import Record, Trace
from hopweave.run.components import Components
from hopweave.run.workbench import Workbench

FILE = "judgements.jsonl"
"""The name of the file of verdicts in the folder of a run."""

_PROMPTS = prompts_beside(__file__)
_VERDICT = lazy_pattern(r"\W*(yes|no)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judge:
    """A language model that says whether a quote supports a claim.

    Attributes:
        components: the model with its store; nothing else in them is used.
    """

    components: Components

    async def judge(self, pair: CitedClaim) -> Judgement:
        """The verdict on a pair: `entails` is `None` if the model failed, or said neither yes nor no first."""
        workbench = Workbench(self.components, Trace())
        prompt = workbench.fill(_PROMPTS["judge"], query=pair.query, claim=escape(pair.claim), quote=fence(pair.quote))
        identity = self.components.llm.identity
        try:
            reply = await workbench.reply([Message("user", prompt)], purpose="judge")
        except RunError as error:
            return Judgement(pair, None, identity, f"{type(error).__name__}: {error}")
        found = _VERDICT.match(reply.text)
        return Judgement(pair, found[1].lower() == "yes" if found else None, identity, reply.text)


@dataclass(frozen=True, slots=True)
class Tally:
    """The outcome of judging: how many pairs were judged now, were judged before, and have no verdict."""

    num_judged: int
    num_before: int
    num_without: int


def _unseen(_: int) -> AbstractContextManager[Callable[[], None]]:
    return nullcontext(lambda: None)


async def judge_records(
    judge: Judge,
    records: Iterable[Record],
    path: Path,
    *,
    max_parallel: int = 1,
    progress: Callable[[int], AbstractContextManager[Callable[[], None]]] = _unseen,
) -> Tally:
    """Judges every pair of the records that has no verdict in the file, and adds the verdicts to it.

    Args:
        judge: the model.
        records: whose pairs are judged.
        path: the file of verdicts.
        max_parallel: how many are judged at a time.
        progress: given how many are to be judged, what is called after each.

    Raises:
        DataError: if the file cannot be read or written, or holds verdicts of another model.
    """
    wanted = {pair.key: pair for record in records for pair in _cited_claims(record)}
    known = _known(path)
    _check_judge(judge, known.values(), path)
    settled = {key for key, judgement in known.items() if judgement.entails is not None}
    waiting = [pair for key, pair in wanted.items() if key not in settled]
    made: list[Judgement] = []
    turns = asyncio.Semaphore(max(1, max_parallel))

    async def one(pair: CitedClaim) -> None:
        async with turns:
            judgement = await judge.judge(pair)
            _add(path, judgement)
            made.append(judgement)
            on_done()

    try:
        with progress(len(waiting)) as on_done:
            async with asyncio.TaskGroup() as group:
                for pair in waiting:
                    group.create_task(one(pair))
    except ExceptionGroup as errors:
        raise error_that_counts([errors]) from None
    return Tally(len(made), len(wanted.keys() & settled), sum(judgement.entails is None for judgement in made))


def _cited_claims(record: Record) -> Iterator[CitedClaim]:
    """Every claim of a record with each of its quotes."""
    for claim in record.answer.claims if record.answer is not None else ():
        if claim.text.strip():
            for citation in claim.citations:
                yield CitedClaim(claim.query, claim.text, citation.quote)


def _check_judge(judge: Judge, known: Iterable[Judgement], path: Path) -> None:
    others: Sequence[str] = sorted({judgement.judge for judgement in known} - {judge.components.llm.identity})
    if others:
        raise DataError(
            f"{path} holds verdicts of {others[0]!r}, not of {judge.components.llm.identity!r}; name another file with --out"
        )


def _known(path: Path) -> Mapping[str, Judgement]:
    """The existing verdicts, after cutting off a last line truncated when the judge was killed."""
    try:
        if path.exists():
            whole = sum(len(line) for line in read_lines(path) if line.endswith(b"\n"))
            if whole < path.stat().st_size:
                os.truncate(path, whole)
    except OSError as error:
        raise DataError(f"cannot read the verdicts {path}: {error.strerror}; name another file with --out") from None
    _write(path, "")
    return read_judgements(path)


def _add(path: Path, judgement: Judgement) -> None:
    _write(path, f"{judgement.to_json()}\n")


def _write(path: Path, text: str) -> None:
    try:
        with path.open("ab") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise DataError(f"cannot write to {path}: {error.strerror}; free some space and run the command again") from None
