"""Auto-CoT: few-shot chain of thought whose demonstrations are written by the model itself.

Zhang et al. 2022; the row "Auto-CoT" of SearChain's and ToQD's table 1, which do not say which questions were clustered. An
offline stage clusters a pool of questions, and the model reasons without demonstrations on one question of each cluster: the
one closest to its centroid whose reasoning is short and complete. Gold answers are not used. The rule for arithmetic (the
number must be in the last sentence) is left out.

Two things differ from the authors' code. Questions are encoded by the TF-IDF weights of their words, which needs no extra
library; `encoder = "sentence_bert"` is theirs and needs the extra `hf`. And in each cluster, questions are run only until the
first one that passes, which gives the same demonstrations as running all: `run_whole_pool` runs all.

The calls of the offline stage (purpose `demonstrate`) are made once for all questions of the same form and labels; see
`MethodContext.offline`. Every record includes them, but they are counted separately: not in the question's own calls, tokens,
seconds and limits. The stage has its own budget with the same limits.

Calls: 1. Offline: 2 per pool question that is run (at least one per cluster). No retrieval.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from hopweave.answering.demonstrations import demonstrations, family_of, published_count
from hopweave.answering.methods.chain_of_thought._clusters import clusters
from hopweave.answering.toolkit.chain_of_thought import (
    NEXT_EXAMPLE,
    PLAIN_MARKER,
    finish,
    plainly_demanded,
    trigger,
    zero_shot_prompt,
)
from hopweave.answering.toolkit.claims import one_answer
from hopweave.answering.toolkit.concurrency import side_by_side
from hopweave.answering.toolkit.demos import asked, packed
from hopweave.answering.toolkit.final_answer import file_missing, is_missing, longest_answer
from hopweave.core.errors import BudgetReached, DataError
from hopweave.core.files import read_json, read_lines
from hopweave.core.options import Bounded, Count, Whole
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Message, Question
from hopweave.text.final import final_answer
from hopweave.text.matching import normalize_answer

GROUP = "never searches"

_PROMPTS = prompts_beside(__file__)
_CALLS_EACH = 2


@dataclass(frozen=True, slots=True)
class AutoCoT(Bounded):
    """Imitates demonstrations that the model wrote for the most typical questions of a pool."""

    pool: Annotated[
        str | None, "file of questions, one a line, as text or JSON with a field question; none: those of the demonstrations"
    ] = None
    n_demos: Annotated[Whole | None, "clusters; none: as many as SearChain's table 11 says for the dataset or family"] = None
    seed: Annotated[int, "seed for the clusters; 192 in the authors' code"] = 192
    encoder: Annotated[
        Literal["words", "sentence_bert"], "what questions are compared by: TF-IDF of words, or the authors' (extra hf)"
    ] = "words"
    encoder_model: Annotated[str, "model of sentence_bert: a name of the hub, or a folder"] = (
        "sentence-transformers/all-MiniLM-L6-v2"
    )
    max_words_question: Annotated[Count, "longest question of the pool that is used as a demonstration, in words"] = 60
    max_lines: Annotated[Count, "longest reasoning that is used as a demonstration, in lines"] = 5
    fill_clusters: Annotated[bool, "if no question of a cluster passes, show the nearest one with an answer"] = False
    run_whole_pool: Annotated[bool, "run every question of the pool, as the authors' code does, whether needed or not"] = False
    max_tokens: Annotated[Count, "longest reasoning, in tokens"] = 256
    max_tokens_answer: Annotated[Count, "longest predicted answer of a demonstration, in tokens"] = 32

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        with workbench.offline("demonstrations of the model's own") as offline:
            stage = _Offline(self, question, offline)
            written = await stage.written()
        sampling = replace(workbench.sampling, max_tokens=self.max_tokens, stop=NEXT_EXAMPLE)
        prompt = await self._prompt(question, workbench, written)
        text = (await workbench.reply([Message("user", prompt)], purpose="reasoning", sampling=sampling)).text.strip()
        short, how = final_answer(text, question)
        if is_missing(how, question.form):
            file_missing(workbench, text)
        if how == "alt-marker" and PLAIN_MARKER.lower() in text.lower():
            how = "marker"
        stopped_because = stage.reached.limit if stage.reached else "finished"
        return one_answer(question, text, short, how, stopped_because=stopped_because)

    async def _prompt(self, question: Question, workbench: MethodContext, written: Sequence[_Written]) -> str:
        begun, wanted, text = trigger(workbench), plainly_demanded(question), asked(workbench, question)
        examples = [f"Q: {asked(workbench, question, one.question)}\nA: {begun} {one.told(question)}" for one in written]
        fitting = await packed(workbench, examples, f"{_PROMPTS['auto_cot'].text}{wanted}{text}{begun}", self.max_tokens)
        return workbench.fill(_PROMPTS["auto_cot"], demanded=wanted, examples=fitting, question=text, trigger=begun)


@dataclass(frozen=True, slots=True)
class _Written:
    """The model's output for a pool question."""

    question: str
    rationale: str
    predicted: str

    def told(self, question: Question) -> str:
        """Its text in a demonstration, on one line; for long answers, the explanation itself."""
        predicted = " ".join(self.predicted.split())
        if question.form == "long":
            return predicted
        return f"{' '.join(self.rationale.split())} {PLAIN_MARKER} {predicted.rstrip('.')}."


@dataclass(slots=True)
class _Offline:
    """The stage that writes the demonstrations."""

    options: AutoCoT
    question: Question
    workbench: MethodContext
    reached: BudgetReached | None = None
    num_calls: int = 0
    held: dict[str, _Written] = field(default_factory=dict)

    async def written(self) -> list[_Written]:
        """The demonstrations, at most one per cluster, in the order of the clusters."""
        groups = await asyncio.to_thread(self._groups)
        if not groups:
            return []
        sizes = [len(members) for members in groups]
        step = self.workbench.decide("graph", f"{sum(sizes)} questions in {len(groups)} clusters", sizes=sizes)
        with self.workbench.under(step):
            if self.options.run_whole_pool:
                await self._all([("question", text, partial(self._worked, text)) for one in groups for text in one])
                step = self.workbench.decide("graph", "one of each cluster", sizes=sizes)
        with self.workbench.under(step):
            found = await self._all(
                [
                    ("cluster", f"{number}: {len(members)} questions", partial(self._first_that_passes, members))
                    for number, members in enumerate(groups, start=1)
                ]
            )
        chosen = [one for one in found if one is not None]
        self.workbench.decide(
            "demonstrations", f"{len(chosen)} for {len(groups)} clusters", questions=[one.question for one in chosen]
        )
        return chosen

    def _groups(self) -> list[tuple[str, ...]]:
        options, family = self.options, family_of(self.question)
        num = published_count("auto_cot", family, self.question.dataset) if options.n_demos is None else options.n_demos
        if not num:
            return []
        pool = read_pool(Path(options.pool)) if options.pool else tuple(one.question for one in demonstrations(family))
        model = options.encoder_model if options.encoder == "sentence_bert" else ""
        texts = tuple(f"Q: {text}\nA:" for text in pool) if model else pool
        own = normalize_answer(self.question.text)
        # The current question is excluded only now, so that the clusters are the same for every question.
        return [
            tuple(pool[index] for index in members if normalize_answer(pool[index]) != own)
            for members in clusters(texts, num, options.seed, model)
        ]

    async def _all(self, works: Sequence[tuple[str, str, Callable[[], Awaitable[_Written | None]]]]) -> list[_Written | None]:
        planned = [(self.workbench.decide(label, text), work) for label, text, work in works]
        found: list[_Written | None] = []
        for outcome in await side_by_side(self.workbench, planned):
            if isinstance(outcome, BudgetReached):
                self.reached = self.reached or outcome
            found.append(None if isinstance(outcome, BudgetReached) else outcome)
        return found

    async def _first_that_passes(self, members: Sequence[str]) -> _Written | None:
        nearest: _Written | None = None
        for text in members:
            if len(text.split()) > self.options.max_words_question:
                continue
            one = await self._worked(text)
            if self._passes(one):
                self.workbench.decide("demonstration", text)
                return one
            nearest = nearest or (one if one.predicted else None)
        if nearest is not None and self.options.fill_clusters:
            self.workbench.decide("demonstration", nearest.question, passes=False)
            return nearest
        self.workbench.decide("demonstration", "none passes")
        return None

    def _passes(self, one: _Written) -> bool:
        lines = [line for line in one.rationale.splitlines() if line.strip()]
        return len(lines) <= self.options.max_lines and one.rationale.endswith(".") and bool(one.predicted)

    async def _worked(self, text: str) -> _Written:
        """Zero-shot chain of thought on a pool question: the reasoning, and the resulting answer."""
        if text in self.held:
            return self.held[text]
        allowed = self.workbench.limits.get("max_llm_calls")
        if allowed is not None and self.num_calls + _CALLS_EACH > allowed:
            raise BudgetReached("max_llm_calls", allowed)
        self.num_calls += _CALLS_EACH
        one = replace(self.question, text=text, pinned=())
        turns = [Message("user", zero_shot_prompt(self.workbench, one))]
        sampling = replace(self.workbench.sampling, max_tokens=self.options.max_tokens, stop=NEXT_EXAMPLE)
        said = (await self.workbench.reply(turns, purpose="demonstrate", sampling=sampling)).text.strip()
        longest = longest_answer(one, self.options)
        turns.append(Message("assistant", said))
        predicted, _, _ = await finish(self.workbench, one, turns, max_tokens=longest, purpose="demonstrate")
        self.held[text] = _Written(text, said, predicted)
        return self.held[text]


def read_pool(path: Path) -> tuple[str, ...]:
    """The questions of a file, each once: a line is a question, or a JSON object with a field `question`.

    Raises:
        DataError: for a file or a line that cannot be read, or if there are no questions.
    """
    try:
        lines = b"".join(read_lines(path)).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read the pool of questions {path}: {error}; check the path") from None
    found = dict.fromkeys(_question_of(line.strip(), f"line {number} of {path}") for number, line in enumerate(lines, start=1))
    questions = tuple(filter(None, found))
    if not questions:
        raise DataError(f"the pool {path} contains no questions; write one per line")
    return questions


def _question_of(line: str, place: str) -> str:
    if not line.startswith("{"):
        return line
    try:
        text = read_json(line)["question"]
    except (ValueError, KeyError):
        text = None
    if not isinstance(text, str):
        raise DataError(f"{place} is not a JSON object with a text called question; fix it")
    return text.strip()
