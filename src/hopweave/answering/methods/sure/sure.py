"""SuRe: proposes two answers, summarises the passages in support of each, and lets the summaries compete.

Kim et al., "SuRe: Summarizing Retrievals using Answer Candidates for Open-domain QA of LLMs", ICLR 2024 (arXiv 2404.13081),
section 3. From N passages the model proposes K answers; for each it writes a summary of the passages that supports it; it says
whether each summary is valid, that is, does support its answer; and it says of each two summaries which is more informative,
once in either order, against the bias for a position. The answer with the highest validity + ranking wins: validity is 1 or 0,
ranking is the number of others that its summary is preferred to in both orders, where a contradiction counts half. As in the
paper, N is 10 and K is 2, decoding is greedy, and no prompt has examples. The paper limits answers to three words; ours are
asked for "as short as possible".

As in the authors' code, a tie goes to the answer proposed first, an unreadable preference leaves the other order to decide, and
an unreadable validity decides nothing (here it counts half). Ours: replies are JSON objects, if the endpoint can be made to;
labels, if there are no more than K, are the candidates without a call; for a long answer the candidates are sentences, and the
winning summary is the answer. A single candidate is not ranked.

Each sentence of the winning summary is a claim, and so is its answer, which is doubted if the summary was found invalid.

Calls, whatever the hops: 1 + 2 K + K (K - 1), which is 7; rounds of retrieval: 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, permutations
from typing import Annotated, Any

from hopweave.answering.methods.sure._candidates import parse_candidates
from hopweave.answering.parsing.marked import MarkedSentence, marked_sentences
from hopweave.answering.toolkit.choosing import chosen
from hopweave.answering.toolkit.claims import passages_of
from hopweave.answering.toolkit.concurrency import all_of, side_by_side, why_stopped
from hopweave.answering.toolkit.few_shot import MaxWordsShown
from hopweave.answering.toolkit.fitting import Fitting, fitting
from hopweave.answering.toolkit.inline import inline
from hopweave.answering.toolkit.room import room_for
from hopweave.answering.toolkit.sentence_claims import answer_in_sentences
from hopweave.citations.citing import on_one_line
from hopweave.core.options import AtLeast, Bounded, Count
from hopweave.core.prompt import fence, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Message, Question
from hopweave.text.citation_marks import drop_marks
from hopweave.text.final import MARKER

GROUP = "searches once"

_PROMPTS = prompts_beside(__file__)
_NOTHING = Fitting((), "")
_VALID = {"yes": 1.0, "no": 0.0, None: 0.5}
_INVALID = "asked whether its summary bears it out, the model said no"
_LIST = {
    "type": "object",
    "properties": {"answers": {"type": "array", "items": {"type": "string"}}},
    "required": ["answers"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class SuRe(Bounded):
    """Decides between candidate answers by the summaries that speak for them."""

    num_passages: Annotated[Count, "N: passages retrieved for the question, and summarised"] = 10
    num_candidates: Annotated[int, AtLeast(1, 10), "K: answers proposed, 1 to 10; calls grow with its square"] = 2
    max_words_shown: MaxWordsShown = 350
    max_tokens_candidates: Annotated[Count, "longest list of answers, in tokens"] = 160
    max_tokens: Annotated[Count, "longest summary, in tokens"] = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        return await _Competition(self, question, workbench).answer()


@dataclass(slots=True)
class _Candidate:
    """A proposed answer.

    Attributes:
        answer: the answer.
        step: its decision in the record.
        summary: the text that supports it; empty until it is written.
        validity: whether it does: 1, 0, or half if the reply could not be read; `None` until it is known.
        ranking: the number of other candidates to whose summaries its own is preferred; halves are possible.
    """

    answer: str
    step: int
    summary: str = ""
    validity: float | None = None
    ranking: float = 0.0

    @property
    def score(self) -> float:
        return (self.validity or 0.0) + self.ranking


@dataclass(slots=True)
class _Competition:
    """One question."""

    options: SuRe
    question: Question
    workbench: MethodContext
    shown: Fitting = _NOTHING
    candidates: list[_Candidate] = field(default_factory=list)

    async def answer(self) -> Answer:
        return self._won(await why_stopped(self._compete()))

    async def _compete(self) -> None:
        self.shown = await self._retrieved()
        self.candidates = [_Candidate(one, self.workbench.decide("candidate", one)) for one in await self._proposed()]
        all_of(await side_by_side(self.workbench, [(one.step, partial(self._support, one)) for one in self.candidates]))
        await self._rank([one for one in self.candidates if one.summary])

    async def _retrieved(self) -> Fitting:
        """The passages that fit into the longest prompt, that of a summary."""
        [hits] = await self.workbench.search([self.question.text], self.options.num_passages)
        passages = {one.id: one for one in (*self.question.pinned, *passages_of(hits))}
        task = self.workbench.fill(_PROMPTS["summary"], candidate="")
        rest = self.workbench.fill(_PROMPTS["passages"], passages="", question=self.question.text, task=task)
        room = room_for(self.workbench, self.options.max_tokens + self.options.max_tokens_candidates)
        room -= await self.workbench.count_tokens(rest)
        return await fitting(self.workbench, list(passages.values()), room, self.options.max_words_shown)

    # -- the candidates and their summaries ----------------------------------------------------------------------------

    async def _proposed(self) -> tuple[str, ...]:
        """The answers, the likeliest first."""
        num, labels = self.options.num_candidates, self.question.labels
        if self.question.form == "label" and len(labels) <= num:
            return labels
        more = {"labels": ", ".join(labels)} if self.question.form == "label" else {}
        task = self.workbench.fill(_PROMPTS[f"candidates_{self.question.form}"], num=str(num), **more)
        schema = _LIST if self.workbench.abilities.json_schema else None
        text = await self._reply(task, "candidates", max_tokens=self.options.max_tokens_candidates, json_schema=schema)
        proposed = parse_candidates(text, self.question, num)
        self.workbench.parse_failed("candidates", proposed.problems, text)
        return proposed.answers

    async def _support(self, one: _Candidate) -> None:
        """Writes the summary that supports a candidate, and asks whether it does."""
        task = self.workbench.fill(_PROMPTS["summary"], candidate=inline(one.answer))
        one.summary = await self._reply(task, "summary", max_tokens=self.options.max_tokens)
        if not one.summary:
            self.workbench.parse_failed("summary", "the reply is empty", "")
            return
        values = {"question": self.question.text, "candidate": inline(one.answer), "summary": _shown(one)}
        asked = self.workbench.fill(_PROMPTS["valid"], **values)
        one.validity = _VALID[await chosen(self.workbench, asked, ("yes", "no"), name="valid", purpose="validity")]

    async def _reply(self, task: str, purpose: str, **sampling: Any) -> str:
        values = {"passages": self.shown.text, "question": self.question.text, "task": task}
        prompt = self.workbench.fill(_PROMPTS["passages"], **values)
        asked = replace(self.workbench.sampling, **sampling)
        return (await self.workbench.reply([Message("user", prompt)], purpose=purpose, sampling=asked)).text.strip()

    # -- the comparison ------------------------------------------------------------------------------------------------

    async def _rank(self, those: Sequence[_Candidate]) -> None:
        """Compares each two summaries in both orders. If the budget ends it, the comparisons made so far count.

        Raises:
            BudgetReached: in that case, once they are counted.
        """
        pairs = list(permutations(range(len(those)), 2))
        works = [(those[one].step, partial(self._preferred, those[one], those[other])) for one, other in pairs]
        outcomes = await side_by_side(self.workbench, works)
        preferred = dict(zip(pairs, outcomes, strict=True))
        for one, other in combinations(range(len(those)), 2):
            votes = [vote for vote in (preferred[one, other], preferred[other, one]) if isinstance(vote, _Candidate)]
            share = sum(vote is those[one] for vote in votes) / len(votes) if votes else 0.5
            those[one].ranking += share
            those[other].ranking += 1 - share
        all_of(outcomes)

    async def _preferred(self, first: _Candidate, second: _Candidate) -> _Candidate | None:
        """The candidate with the more informative of two summaries, shown in this order; `None` if the reply is unreadable."""
        values = {"question": self.question.text, "first": _shown(first), "second": _shown(second)}
        asked = self.workbench.fill(_PROMPTS["better"], **values)
        choice = await chosen(self.workbench, asked, ("1", "2"), name="text", purpose="ranking")
        return {"1": first, "2": second, None: None}[choice]

    # -- the answer ----------------------------------------------------------------------------------------------------

    def _won(self, stopped_because: str) -> Answer:
        """The answer of the candidate with the highest score, the earliest of several."""
        ranked = sorted(self.candidates, key=lambda one: -one.score)
        if len(ranked) > 1:
            scores = [f"{one.answer}: validity {_figure(one.validity)}, ranking {_figure(one.ranking)}" for one in ranked]
            self.workbench.decide("scores", "; ".join(scores), scores=[one.score for one in ranked])
        winner = ranked[0] if ranked else _Candidate("", 0)
        short, closing = winner.answer, None
        if self.question.form == "long":
            short = drop_marks(unescape(winner.summary)) or short
        elif short:
            closing = MarkedSentence(f"{MARKER} {on_one_line(short).rstrip('.')}.")
        return answer_in_sentences(
            self.question,
            marked_sentences(winner.summary),
            short,
            "candidate" if short else "empty",
            self.workbench,
            passages=self.shown.passages,
            closing=closing,
            doubt=_INVALID if winner.validity == 0 else "",
            stopped_because=stopped_because,
        )


def _shown(one: _Candidate) -> str:
    return fence(drop_marks(one.summary))


def _figure(value: float | None) -> str:
    return "?" if value is None else f"{value:g}"
