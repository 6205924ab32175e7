"""The first stage of DSP: training questions, and how some of them get the fields that the templates show."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from hopweave.answering.demonstrations import MULTI_HOP, Demonstration, family_of, published_count
from hopweave.answering.methods.dsp._templates import ANSWER, Filled, Templates, Training, context_of, stage_of
from hopweave.answering.toolkit.demos import drawn
from hopweave.core.errors import BudgetReached, DataError
from hopweave.core.files import read_json, read_lines
from hopweave.core.types import AnswerForm, Hit, Question
from hopweave.text.final import final_answer
from hopweave.text.matching import is_contained, normalize_answer

_NUM_PASSAGES = 2  # of each hop of the simple pipeline
_STARTER = Path(__file__).parents[3] / "starter" / "questions.jsonl"


def training_for_stage(question: Question, n_demos: int | None, seed: int) -> tuple[list[Training], str]:
    """The training questions of the pipeline if no file is given, and their source.

    For multi-hop questions it is the questions of the starter corpus, which that corpus answers; the demonstrations are about
    the world at large. Questions of another family need training questions with the same kind of answer: its demonstrations.

    Raises:
        SettingsError: for a family without demonstrations.
    """
    family = family_of(question)
    if family == MULTI_HOP:
        return training_of(_STARTER, question, n_demos, seed), "the starter corpus"
    return own_training(question, n_demos, seed, 0, 0), f"hopweave's demonstrations ({family})"


def own_training(question: Question, n_demos: int | None, seed: int, num_annotated: int, num_hops: int) -> list[Training]:
    """The demonstrations of the question's family. The steps of the first `num_annotated` become fields.

    Raises:
        SettingsError: for a family without demonstrations.
    """
    return [
        Training(one.question, (one.answer,), _stages(one, question.form, num_hops) if number < num_annotated else {})
        for number, one in enumerate(drawn(question, "dsp", n_demos, seed))
    ]


def training_of(path: Path, question: Question, n_demos: int | None, seed: int) -> list[Training]:
    """Questions drawn from a file of JSON lines; the question itself is left out.

    Raises:
        DataError: for a file that cannot be read, or a line without a question and its answers.
    """
    try:
        stat = path.stat()
    except OSError as error:
        raise DataError(f"cannot read the training questions {path}: {error.strerror}; check the path") from None
    num = published_count("dsp", family_of(question), question.dataset) if n_demos is None else n_demos
    pool = list(_read(path, stat.st_mtime_ns, stat.st_size))
    random.Random(seed).shuffle(pool)  # noqa: S311 - a choice to repeat, not a secret
    itself = normalize_answer(question.text)
    return [one for one in pool if normalize_answer(one.question) != itself][:num]


def alike(text: str) -> str:
    """The form in which DSP compares answers: Unicode is decomposed before the usual normaliser."""
    return normalize_answer(unicodedata.normalize("NFD", text))


async def annotated_by_search(
    templates: Templates, training: Sequence[Training], num_annotated: int, num_hops: int
) -> list[Training]:
    """Runs the simple pipeline on training questions, in order, until enough have the fields of its stages.

    The fields of a question are kept only if a retrieved passage contains its answer (which is not required of a label) and
    the pipeline answers correctly. Long answers cannot be compared, so long questions get no fields. If a limit is reached,
    the fields so far are used.

    Raises:
        ModelError, SearchError, ReplayMiss: as in the calls of the workbench.
    """
    if templates.question.form == "long":
        return list(training)
    workbench, done, num_kept = templates.workbench, list(training), 0
    plain = [Training(one.question, one.answers) for one in training]
    for index, one in enumerate(training):
        if num_kept == num_annotated:
            break
        with workbench.under(workbench.decide("demonstrate", one.question)):
            try:
                stages, reason = await _attempt(templates, one, [*plain[:index], *plain[index + 1 :]], num_hops)
            except BudgetReached as reached:
                workbench.decide("discarded", reached.limit)
                break
            workbench.decide("discarded" if reason else "kept", reason or "answered rightly")
        if not reason:
            done[index] = Training(one.question, one.answers, stages)
            num_kept += 1
    return done


async def _attempt(
    templates: Templates, one: Training, others: Sequence[Training], num_hops: int
) -> tuple[dict[str, Filled], str]:
    """The fields of each stage, and why they are discarded; empty if they are kept."""
    hits: list[Hit] = []
    stages: dict[str, Filled] = {}
    for hop in range(1, num_hops + 1):
        filled = await _fill(templates, stage_of(hop), one.question, hits, others)
        if filled is None:
            return {}, "no query was written"
        stages[stage_of(hop)] = filled
        new = (await templates.workbench.search([filled.output], _NUM_PASSAGES))[0]
        hits += [hit for hit in new if hit.passage.id not in {known.passage.id for known in hits}]
    if templates.question.form == "short" and not any(_holds(hit, one.answers) for hit in hits):
        return {}, "no passage holds the answer"
    filled = await _fill(templates, ANSWER, one.question, hits, others)
    said = final_answer(filled.output, templates.question)[0] if filled is not None else ""
    if filled is None or alike(said) not in {alike(answer) for answer in one.answers}:
        return {}, f"the answer is wrong: {said or '?'}"
    return {**stages, ANSWER: replace(filled, output=said)}, ""


async def _fill(templates: Templates, stage: str, text: str, hits: Sequence[Hit], others: Sequence[Training]) -> Filled | None:
    done = await templates.complete(stage, text, context_of(hits), others, num=1, temperature=0.0, purpose="demonstrate")
    if done.reached is not None:
        raise done.reached
    return done.filled[0] if done.filled else None


def _holds(hit: Hit, answers: Sequence[str]) -> bool:
    whole = f"{hit.passage.title}\n{hit.passage.text}"
    return any(is_contained(answer, whole) for answer in answers)


@lru_cache(512)
def _stages(one: Demonstration, form: AnswerForm, num_hops: int) -> Mapping[str, Filled]:
    """The fields that correspond to the steps of a demonstration; a hop that it does not need is omitted."""
    hits = [Hit(step.passage, 1.0, rank) for rank, step in enumerate(one.steps, start=1)]
    stages: dict[str, Filled] = {}
    for hop, step in enumerate(one.steps[:num_hops]):
        known = " ".join(before.sentence for before in one.steps[:hop])
        stages[stage_of(hop + 1)] = Filled(context_of(_each_once(hits[:hop])), known or step.query, step.query)
    reasoning = one.reasoning
    if form == "long":  # the answer is the sentences of the steps
        reasoning = " ".join(step.query for step in one.steps)
    stages[ANSWER] = Filled(context_of(_each_once(hits)), reasoning, one.answer)
    return stages


def _each_once(hits: Sequence[Hit]) -> list[Hit]:
    return list({hit.passage.id: hit for hit in hits}.values())


@lru_cache(8)
def _read(path: Path, _changed: int, _num_bytes: int) -> tuple[Training, ...]:
    try:
        lines = b"".join(read_lines(path)).decode("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read the training questions {path}: {error}; give a text of JSON lines") from None
    return tuple(_training(f"{path}, line {number}", line) for number, line in enumerate(lines, start=1) if line.strip())


def _training(place: str, line: str) -> Training:
    try:
        item = read_json(line)
    except ValueError as error:
        raise DataError(f"{place} is not JSON: {error}; correct the line or remove it") from None
    answers = _answers(item) if isinstance(item, Mapping) else ()
    question = item.get("question") if isinstance(item, Mapping) else None
    if not isinstance(question, str) or not question.strip() or not answers:
        raise DataError(f'{place} is not a training question; write {{"question": "...", "answer": "..."}}')
    return Training(question, answers)


def _answers(item: Mapping[str, Any]) -> tuple[str, ...]:
    given = item.get("answers", item.get("answer"))
    listed = given if isinstance(given, list) else [given]
    return tuple(str(one) for one in listed if isinstance(one, str | int | float) and str(one).strip())
