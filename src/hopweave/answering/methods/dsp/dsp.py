"""DSP: shows demonstrations with their fields, searches in two hops with many queries each, and lets sampled answers vote.

Demonstrate, search, predict (Khattab et al. 2023), program 5 of the official introduction; the row "DSP" of SearChain's
table 1. Three templates (rewrite, hop, answer) each ask for a rationale and a query or the answer. The original's prompts were
written for completion models; ours say the same to any model, and passages are in the tags that all methods here use, not in
quotation marks. Passages are ranked by the sum, over a hop's queries, of their probability for the query.

How the fields are filled (`demonstrate`). The original runs a simple pipeline on training questions against the corpus, and
keeps those that it answers correctly: `stage`, up to 3 calls per attempt, run once for all questions (`MethodContext.offline`).
This needs training questions that the corpus answers. `train` names a file of them; without one they are those of the starter
corpus for multi-hop questions, and the demonstrations of its family for any other. On a user's own corpus nearly every attempt
at those would fail: about 20 calls would be wasted, and the model would be shown no fields at all (the record says so). So the
stage runs by default only if `train` names questions, and in the profiles of the papers; otherwise the fields come from the
annotated steps of the demonstrations, which takes no calls (`annotated`). `none` shows plain pairs of question and answer.

SearChain reports fewer words than 10 and 20 completions have, so it is unclear which setting it ran: `preset` has the
original's numbers (official), and a single greedy completion each (light).
Our decisions where neither paper says: among long answers, the one most similar to the others wins, as no two agree; a query
written several times is sent once and weighted by its count; a hop with the same queries as the previous one ends the search;
if not all demonstrations fit, plain pairs are dropped first.

Calls, whatever the hops: 3 requests (10, 10 and 20 completions; 1 each if light), up to 2 more if no completion of a
template is complete; rounds of retrieval: 2, each of up to 11 queries. `stage`, offline: up to 3 calls and 2 searches per
training question tried, which are counted separately and have their own budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from hopweave.answering.methods.dsp._demonstrate import (
    alike,
    annotated_by_search,
    own_training,
    training_for_stage,
    training_of,
)
from hopweave.answering.methods.dsp._fusion import Fusion, fused_search
from hopweave.answering.methods.dsp._templates import ANSWER, Completions, Templates, Training, context_of, stage_of
from hopweave.answering.toolkit.claims import one_answer
from hopweave.answering.toolkit.voting import file_vote, vote
from hopweave.core.errors import BudgetReached, SettingsError
from hopweave.core.options import Count, Temperature, Whole, check_options
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Question
from hopweave.text.final import MARKER, final_answer
from hopweave.text.matching import normalize_answer

GROUP = "searches in turns"

_PRESETS = {"official": (10, 20), "light": (1, 1)}
_NOTHING_TO_FIND = ("na", "none")
_NONE_KEPT = (
    "no training question was answered rightly, so the model is shown no fields; "
    "name a file of questions that this corpus answers with methods.dsp.train"
)


@dataclass(frozen=True, slots=True)
class DSP:
    """Writes queries from what is known so far, fuses their results, and answers by majority.

    Raises:
        SettingsError: for an option out of its bounds, or annotated demonstrations from the questions of a file.
    """

    preset: Annotated[
        Literal["official", "light"], "completions of each hop and of the answer: official 10 and 20, light 1 and 1"
    ] = "official"
    num_queries: Annotated[Count | None, "completions that write a query, each hop; none: the preset's"] = None
    num_answers: Annotated[Count | None, "completions that vote on the answer; none: the preset's"] = None
    temperature: Annotated[Temperature, "of several completions; a single one is greedy"] = 0.7
    num_hops: Annotated[Count, "number of successive searches"] = 2
    num_passages: Annotated[Count, "passages kept of each search"] = 5
    fusion: Annotated[Fusion, "what is summed over queries: probabilities (softmax of scores), or scores as they are"] = (
        "probability"
    )
    early_stop: Annotated[bool, "let the model write N/A for a query; if most do, the search ends"] = False
    demonstrate: Annotated[
        Literal["stage", "annotated", "none"] | None,
        "source of the demonstrations' fields: the simple pipeline, annotations, or no fields; none: stage if train is set",
    ] = None
    train: Annotated[
        str | None,
        "JSON lines with question and answer (or answers); none: the family's demonstrations, and for the stage of multi-hop "
        "questions those of the starter corpus",
    ] = None
    n_demos: Annotated[
        Whole | None, "training questions drawn; none: as SearChain's table 11 says for the dataset or family"
    ] = None
    num_annotated: Annotated[Whole, "how many of them are shown with their fields"] = 3
    seed: Annotated[int, "seed for the choice and order of training questions"] = 0
    max_tokens: Annotated[Count, "longest completion, in tokens"] = 150
    max_tokens_long: Annotated[Count, "longest completion with an explanation, in tokens"] = 400

    def __post_init__(self) -> None:
        check_options(self)
        if self.train is not None and self.demonstrate == "annotated":
            raise SettingsError(
                "dsp: training questions of a file have no annotated steps; set demonstrate = 'stage' or 'none'"
            )

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        templates = Templates(workbench, question, self.max_tokens, self.max_tokens_long, self.early_stop)
        (training, source), known = self._training(question), _Known()
        if self._way == "stage":
            training = await self._demonstrated(templates, training, source)
        try:
            await self._search(templates, training, known)
        except BudgetReached as reached:
            known.stopped_because = reached.limit
        try:
            return await self._predict(templates, training, known)
        except BudgetReached as reached:
            return one_answer(question, known.summary, "", "empty", known.hits, reached.limit)

    @property
    def _way(self) -> str:
        return self.demonstrate or ("annotated" if self.train is None else "stage")

    def _training(self, question: Question) -> tuple[list[Training], str]:
        """The training questions, and where they are from."""
        if self.train is not None:
            return training_of(Path(self.train), question, self.n_demos, self.seed), self.train
        if self._way == "stage":
            return training_for_stage(question, self.n_demos, self.seed)
        num_annotated = self.num_annotated if self._way == "annotated" else 0
        return own_training(question, self.n_demos, self.seed, num_annotated, self.num_hops), "hopweave's demonstrations"

    async def _demonstrated(self, templates: Templates, training: Sequence[Training], source: str) -> list[Training]:
        with templates.workbench.offline("fields of demonstrations") as offline:
            of_stage = replace(templates, workbench=offline)
            done = await annotated_by_search(of_stage, training, self.num_annotated, self.num_hops)
            num_kept = sum(bool(one.stages) for one in done)
            line = f"{len(done)} training questions, from {source}; {num_kept} are shown with their fields"
            offline.decide("demonstrations", line, source=source)
            if not num_kept and done and self.num_annotated and templates.question.form != "long":
                offline.decide("note", _NONE_KEPT)
        return done

    async def _search(self, templates: Templates, training: Sequence[Training], known: _Known) -> None:
        workbench, question = templates.workbench, templates.question
        num = _PRESETS[self.preset][0] if self.num_queries is None else self.num_queries
        before: set[str] | None = None
        for hop in range(1, self.num_hops + 1):
            if workbench.num_searches_left == 0:
                raise BudgetReached("max_searches", workbench.limits.get("max_searches", 0))
            done = await self._complete(templates, stage_of(hop), training, known, num, "query")
            queries = [one.output for one in done.filled if normalize_answer(one.output) not in _NOTHING_TO_FIND]
            workbench.decide("hop", f"hop {hop}: {'; '.join(dict.fromkeys(queries)) or '(no query)'}", queries=queries)
            if self.early_stop and 2 * len(queries) < len(done.filled):
                workbench.decide("enough", "most completions want nothing looked up")
                return
            asked = set(map(normalize_answer, queries))
            if asked == before:
                workbench.decide("repeated", "the same queries as in the hop before")
                return
            before = asked
            num_hops_left = self.num_hops - hop + 1
            found = await fused_search(
                workbench, [*queries, question.text], self.num_passages, self.fusion, num_hops_left=num_hops_left
            )
            if found.reached is not None:
                known.stopped_because = found.reached.limit
            known.hits = found.hits or known.hits
            known.summary = done.filled[0].rationale if hop > 1 and done.filled else ""

    async def _predict(self, templates: Templates, training: Sequence[Training], known: _Known) -> Answer:
        workbench, question = templates.workbench, templates.question
        num = _PRESETS[self.preset][1] if self.num_answers is None else self.num_answers
        done = await self._complete(templates, ANSWER, training, known, num, "answer")
        answers = [_bare(workbench, one.output, question) for one in done.filled]
        if not any(answers):
            rationale = next((one.rationale for one in done.filled), "")
            return one_answer(question, rationale, "", "empty", known.hits, known.stopped_because)
        elected = vote(answers, form=question.form, normalize=alike)
        file_vote(workbench, elected, answers)
        winner = done.filled[elected.first]
        text = winner.output if question.form == "long" else _closed(winner.rationale, elected.answer)
        how = "forced" if winner.is_forced else "marker"
        return one_answer(question, text, elected.answer, how, known.hits, known.stopped_because)

    async def _complete(
        self, templates: Templates, stage: str, training: Sequence[Training], known: _Known, num: int, purpose: str
    ) -> Completions:
        done = await templates.complete(
            stage,
            templates.question.text,
            context_of(known.hits, known.summary),
            training,
            num=num,
            temperature=self.temperature,
            purpose=purpose,
        )
        if done.reached is not None:
            known.stopped_because = done.reached.limit
        return done


@dataclass(slots=True)
class _Known:
    """The state of the search: the passages of the last hop, and the summaries of earlier ones."""

    hits: tuple[Hit, ...] = ()
    summary: str = ""
    stopped_because: str = "finished"


def _bare(workbench: MethodContext, output: str, question: Question) -> str:
    short, _ = final_answer(output, question)
    if not short:
        workbench.parse_failed("final", "no answer is in the field", output)
    return short


def _closed(rationale: str, answer: str) -> str:
    ended = rationale if not rationale or rationale.endswith((".", "!", "?")) else f"{rationale}."
    return f"{ended} {MARKER} {answer.rstrip('.')}.".strip()
