"""CoRAG: a chain of sub-questions, each answered from its own documents; the final answer is given from all of them.

Wang et al. 2025, Chain-of-Retrieval Augmented Generation (arXiv 2501.14342), section 3.3, following the authors' code. At each
of L steps the model writes a sub-question, given the question and the earlier sub-questions with their answers; its 5 best
documents are retrieved, and the model answers it from them alone or says "No relevant information found". L = 6, the setting of
the released script; the paper also reports 10. The length is fixed at test time; with `stop_early`, which is ours, the model
may end the chain. A sub-question that was asked before is discarded and drawn again at a temperature of at least 0.7; 4 L are
drawn at most. The final call sees 20 documents of the question itself, and all pairs. Documents are in reverse order, so that
the best is nearest to the question, as in the authors' code.

The authors train a model for these calls; any other model is prompted in the same way. `decoding`:

- `greedy`: one chain, at the temperature that is set for the run: 0 by default.
- `best_of_n`: N = 4 chains, the first as in `greedy` and the others at 0.7. The one with the lowest penalty is used: the mean
  log-probability of "No relevant information found" as the answer to the question from the pairs alone. It is taken where
  the endpoint scores given text; elsewhere the penalty is the share of steps without an answer. Of equal chains, the first is
  used. Sub-answers are drawn as in `greedy` in every chain.

Where the source is silent: a sub-question without a document has no answer, without a call. Passages of the question are cut to
120 words (the authors divide 3,072 tokens among them), those of a sub-question to 350. If the budget is used up before the
final answer, the last sub-answer is the answer.

Calls: 2 L + 1; with `best_of_n` 2 L for each chain, 1 for each that is scored, and 1 for the answer. 1 less for each
sub-question without a document, 1 more for each that is drawn again. Rounds of retrieval: L + 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from hopweave.answering.methods.corag._replies import read_sub_answer, read_sub_question, says_enough
from hopweave.answering.parsing.queries import is_same_query
from hopweave.answering.toolkit.claims import Assertion, answer_from_claims, passages_of
from hopweave.answering.toolkit.demos import asked
from hopweave.answering.toolkit.final_answer import MaxTokensLong, after_marker, bare_answer, closing_request
from hopweave.answering.toolkit.room import fitting
from hopweave.answering.toolkit.stepwise import SHOWN_WORDS, Step, shown
from hopweave.answering.toolkit.voting import mean_logprob
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Bounded, Count, Temperature, Whole
from hopweave.core.prompt import escape, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Message, Question, Sampling

GROUP = "searches in turns"

_PROMPTS = prompts_beside(__file__)
_TRIES = 4  # per step, on average
_WARM = 0.7  # at least, for a sub-question that is drawn again


@dataclass(frozen=True, slots=True)
class CoRAG(Bounded):
    """Asks and answers a fixed number of sub-questions, and then the question."""

    max_steps: Annotated[Count, "L: sub-questions in a chain; the paper reports 6 and 10"] = 6
    decoding: Annotated[
        Literal["greedy", "best_of_n"], "greedy: one chain; best_of_n: the best of several, of which all but one are sampled"
    ] = "greedy"
    num_chains: Annotated[Count, "N of best_of_n"] = 4
    temperature: Annotated[Temperature, "for the sub-questions of sampled chains"] = 0.7
    num_passages: Annotated[Count, "passages from which a sub-question is answered"] = 5
    num_main_passages: Annotated[Count, "passages of the question itself, shown in the final call"] = 20
    max_words: Annotated[Whole, "words to which a passage of a sub-question is truncated; 0 for no limit"] = SHOWN_WORDS
    max_words_main: Annotated[Whole, "words to which a passage of the question itself is truncated; 0 for no limit"] = 120
    stop_early: Annotated[bool, "let the model end a chain; ours, since the paper's length is fixed"] = False
    max_tokens_question: Annotated[Count, "longest sub-question, in tokens"] = 64
    max_tokens: Annotated[Count, "longest sub-answer, short answer or label, in tokens"] = 128
    max_tokens_long: MaxTokensLong = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        for note in self.notes_on(workbench):
            workbench.decide("note", note)
        return await _Answering(self, question, workbench).answer()

    def notes_on(self, workbench: MethodContext) -> Sequence[str]:
        """See `core.protocols.Noting`: whether chains can be scored as in the paper."""
        if self.decoding == "greedy" or workbench.abilities.scores:
            return []
        return [
            "corag: this endpoint does not score given text, so the best chain is the one with the fewest steps without an "
            "answer; set the endpoint's `scores` if it can, or decoding = 'greedy'"
        ]


@dataclass(slots=True)
class _Chain:
    """A chain of sub-questions.

    Attributes:
        number: from 0; all chains but the first are sampled.
        steps: the sub-questions so far with their answers, empty for those without.
        reached: the limit of the budget that ended it, if any.
    """

    options: CoRAG
    question: Question
    workbench: MethodContext
    number: int = 0
    steps: list[Step] = field(default_factory=list)
    reached: BudgetReached | None = None

    async def run(self) -> None:
        """Extends the chain to its length, or as far as the budget allows."""
        try:
            await self._extend()
        except BudgetReached as reached:
            self.reached = reached

    async def _extend(self) -> None:
        num_again = 0
        for _ in range(_TRIES * self.options.max_steps):
            if len(self.steps) == self.options.max_steps:
                return
            said = await self._sub_question(num_again)
            if self.options.stop_early and says_enough(said):
                self.workbench.decide("enough", "nothing more is needed")
                return
            query = read_sub_question(said)
            if not query:
                self.workbench.parse_failed(
                    "sub_question", "no question is in the reply" if said else "the reply is empty", said
                )
            elif any(is_same_query(query, step.query) for step in self.steps):
                self.workbench.decide("repeated", unescape(query))
            else:
                await self._step(query)
                num_again = 0
                continue
            num_again += 1

    async def _sub_question(self, num_again: int) -> str:
        enough = self.workbench.fill(_PROMPTS["enough"]) if self.options.stop_early else ""
        prompt = self.workbench.fill(_PROMPTS["sub_question"], enough=enough, pairs=self.pairs(), question=self.question.text)
        sampling, sample = self._sampling(num_again)
        reply = await self.workbench.reply([Message("user", prompt)], purpose="sub_question", sampling=sampling, sample=sample)
        return reply.text.strip()

    def _sampling(self, num_again: int) -> tuple[Sampling, int]:
        """How a sub-question is drawn, and which draw it is: each chain, and each attempt, has its own."""
        base = self.workbench.sampling
        temperature = self.options.temperature if self.number else base.temperature
        temperature = max(temperature, _WARM) if num_again else temperature
        sample = self.number * _TRIES * self.options.max_steps + num_again
        seed = None if base.seed is None else base.seed + sample
        longest = self.options.max_tokens_question
        return replace(base, temperature=temperature, seed=seed, max_tokens=longest, stop=()), sample

    async def _step(self, query: str) -> None:
        self.steps.append(Step(query, ""))
        with self.workbench.under(self.workbench.decide("sub_question", unescape(query))):
            hits = tuple((await self.workbench.search([unescape(query)], self.options.num_passages))[0])
            self.steps[-1] = Step(query, "", hits)
            if hits:
                self.steps[-1] = Step(query, await self._sub_answer(query, hits), hits)

    async def _sub_answer(self, query: str, hits: Sequence[Hit]) -> str:
        prompt = await self._asking(query, shown(hits, self.options.max_words))
        sampling = replace(self.workbench.sampling, max_tokens=self.options.max_tokens, thinking="off")
        reply = await self.workbench.reply([Message("user", prompt)], purpose="sub_answer", sampling=sampling)
        if not reply.text.strip():
            self.workbench.parse_failed("sub_answer", "the reply is empty", reply.text)
        return read_sub_answer(reply.text)

    async def _asking(self, query: str, texts: Sequence[str]) -> str:
        """The prompt that asks for an answer from texts alone; the first text is nearest to the question."""
        rest = self.workbench.fill(_PROMPTS["sub_answer"], passages="", question=query)
        kept = await fitting(self.workbench, texts, rest, self.options.max_tokens)
        return self.workbench.fill(_PROMPTS["sub_answer"], passages="\n".join(reversed(kept)), question=query)

    def pairs(self) -> str:
        """The sub-questions with their answers, as they are shown to the model."""
        lines = [
            self.workbench.fill(_PROMPTS["pair"], number=str(number), query=escape(step.query), answer=self._said(step))
            for number, step in enumerate(self.steps, start=1)
        ]
        return "\n".join(lines) or self.workbench.fill(_PROMPTS["nothing_yet"])

    def _said(self, step: Step) -> str:
        return escape(step.answer) or self.workbench.fill(_PROMPTS["not_found"])

    def share_open(self) -> float:
        """The share of steps without an answer; 1 without any step."""
        return sum(not step.answer for step in self.steps) / len(self.steps) if self.steps else 1.0

    async def penalty(self) -> float | None:
        """How likely it is to be said that the pairs do not answer the question; `None` if the endpoint does not tell.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as in `MethodContext.score_text`.
        """
        pairs = [f"{escape(step.query)}\n{self._said(step)}" for step in reversed(self.steps)]
        prompt = await self._asking(self.question.text, pairs)
        reply = await self.workbench.score_text(prompt, f" {self.workbench.fill(_PROMPTS['not_found'])}", purpose="score")
        return mean_logprob(reply)


@dataclass(slots=True)
class _Answering:
    """One question: the documents of the question itself, and the chain that is used."""

    options: CoRAG
    question: Question
    workbench: MethodContext
    hits: tuple[Hit, ...] = ()
    chain: _Chain = field(init=False)
    short: str = ""
    how: str = "empty"
    stopped_because: str = "finished"

    def __post_init__(self) -> None:
        self.chain = _Chain(self.options, self.question, self.workbench)

    async def answer(self) -> Answer:
        """The final answer, and a claim for each step of the chain."""
        try:
            self.hits = tuple((await self.workbench.search([self.question.text], self.options.num_main_passages))[0])
            await self._follow()
            await self._finish()
        except BudgetReached as reached:
            self.stopped_because = reached.limit
        if not self.short:
            self._take_last()
        return answer_from_claims(
            self.question,
            [_assertion(step) for step in self.chain.steps],
            self.short,
            self.how,
            self.workbench,
            retrieved=[hit.passage for hit in (*self.hits, *(hit for step in self.chain.steps for hit in step.hits))],
            text=self.short if self.question.form == "long" else "",
            stopped_because=self.stopped_because,
        )

    async def _follow(self) -> None:
        num = self.options.num_chains if self.options.decoding == "best_of_n" else 1
        chains = [replace(self.chain, number=number, steps=[]) for number in range(num)]
        self.chain = chains[0]
        await self.workbench.side_by_side([chain.run for chain in chains])
        if num > 1:
            self.chain = await self._best(chains)
        reached = next((chain.reached for chain in chains if chain.reached is not None), None)
        if reached is not None:
            self.stopped_because = reached.limit

    async def _best(self, chains: Sequence[_Chain]) -> _Chain:
        """The chain with the lowest penalty, the first of several."""
        penalties = await self._penalties(chains)
        best = min(range(len(chains)), key=penalties.__getitem__)
        self.workbench.decide("chain", f"chain {best + 1} of {len(chains)}", penalties=[round(one, 4) for one in penalties])
        return chains[best]

    async def _penalties(self, chains: Sequence[_Chain]) -> list[float]:
        if self.workbench.abilities.scores:
            try:
                scored = [await chain.penalty() for chain in chains]
            except BudgetReached as reached:
                self.stopped_because = reached.limit
            else:
                known = [one for one in scored if one is not None]
                if len(known) == len(chains):
                    return known
        return [chain.share_open() for chain in chains]

    async def _finish(self) -> None:
        ask, labels = closing_request(self.workbench, _PROMPTS, self.question)
        values = {"ask": ask, "labels": labels, "pairs": self.chain.pairs(), "question": asked(self.workbench, self.question)}
        longest = self.options.max_tokens_long if self.question.form == "long" else self.options.max_tokens
        rest = self.workbench.fill(_PROMPTS["final"], passages="", **values)
        kept = await fitting(self.workbench, shown(self.hits, self.options.max_words_main), rest, longest)
        passages = "\n".join(reversed(kept)) or self.workbench.fill(_PROMPTS["none"])
        prompt = self.workbench.fill(_PROMPTS["final"], passages=passages, **values)
        sampling = replace(self.workbench.sampling, max_tokens=longest)
        reply = await self.workbench.reply([Message("user", prompt)], purpose="answer", sampling=sampling)
        self.short, self.how = bare_answer(self.workbench, reply.text, self.question)

    def _take_last(self) -> None:
        """Takes the last sub-answer as the answer: the last resort."""
        for step in reversed(self.chain.steps):
            short, _ = after_marker(step.answer, self.question) if step.answer else ("", "")
            if short:
                self.short, self.how = short, "last-claim"
                return


def _assertion(step: Step) -> Assertion:
    return Assertion(unescape(step.query), unescape(step.answer), "retrieved" if step.hits else "model", passages_of(step.hits))
