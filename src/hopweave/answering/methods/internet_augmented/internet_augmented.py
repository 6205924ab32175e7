"""Internet-augmented: one search, an answer from each of many short paragraphs, and a choice among them by probability.

Lazaridou et al. 2022 (arXiv 2203.05115), sections 2 and 3, with this run's retriever in place of a web search. The nucleus
and the temperature are our choice; so is p_ret, the cosine normalised over all paragraphs kept, and that a demonstration shows
the passages of all its steps, without which its answer would not follow. Demonstrations: 15, fewer if they do not fit.

Their product of experts multiplies p(a|q,p) and p_ret(p|q) with the noisy channel p(q|a,p) p(a|p). p(a|q,p) is that of the
sampled answer's own tokens. The noisy channel needs probabilities of a given text, which few endpoints report
(`abilities.scores`, `core.protocols.TextScorer`): there, each different answer of a paragraph is scored with the question, in a
prompt whose fields are in the order evidence, answer, question. Where a given text cannot be scored,

- `poe` is the product without the noisy channel; `direct` and `rag` are complete;
- `noisy_channel`, and every scorer if the endpoint reports no log-probabilities, falls back on votes weighted by p_ret.

The record says which scorer was actually used (decision `scorer`). Log-probabilities are used as reported: some servers
report them after temperature and nucleus, which makes them higher than the model's own.

Calls, whatever the hops: num_paragraphs times n_samples, or num_paragraphs if the endpoint draws several samples per request;
and one per scored answer. Rounds of retrieval: 1. The cheap variant is `num_paragraphs = 1, n_samples = 1`: a single sample,
drawn greedily.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated

from hopweave.answering.methods.internet_augmented._paragraphs import Paragraph, best_paragraphs
from hopweave.answering.methods.internet_augmented._rescoring import (
    NOT_SCORED,
    Candidate,
    Rescored,
    Scorer,
    answer_logprob,
    channel_logprob,
    rescore,
)
from hopweave.answering.toolkit.claims import one_answer
from hopweave.answering.toolkit.concurrency import side_by_side
from hopweave.answering.toolkit.demos import Seed, asked, drawn, packed
from hopweave.answering.toolkit.fenced import fenced
from hopweave.answering.toolkit.final_answer import MaxTokensLong, bare_answer
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Bounded, Count, Temperature, TopP, Whole
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Message, Question, Sampling

GROUP = "searches once"

_PROMPTS = prompts_beside(__file__)
_NEXT_EXAMPLE = ("\nEvidence:", "\nQuestion:")
_ASKING = "\nQuestion:"
_CUT_SHORT = "a limit was reached before all answers were scored"
_NUM_TOLD = 10


@dataclass(frozen=True, slots=True)
class InternetAugmented(Bounded):
    """Answers several times from each of the most similar paragraphs, and takes the answer with the best score."""

    num_hits: Annotated[Count, "passages fetched with the question"] = 20
    num_sentences: Annotated[Count, "sentences of a paragraph"] = 6
    num_paragraphs: Annotated[Count, "n: paragraphs used to answer, chosen by TF-IDF cosine with the question"] = 50
    n_samples: Annotated[Count, "answers sampled from each paragraph; 1 is greedy"] = 4
    scorer: Annotated[Scorer, "how to choose between answers; the record says which scorer the endpoint supported"] = "poe"
    length_normalized: Annotated[bool, "take the mean log-probability of an answer's tokens, not their sum"] = False
    n_demos: Annotated[Whole, "k: worked questions shown; fewer where there are not so many or they do not fit"] = 15
    seed: Seed = 0
    temperature: Annotated[Temperature, "for the samples"] = 1.0
    top_p: Annotated[TopP, "nucleus that samples are drawn from, above 0 up to 1"] = 0.8
    max_tokens: Annotated[Count, "longest short answer or label, in tokens"] = 64
    max_tokens_long: MaxTokensLong = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        stopped_because = "finished"
        try:
            hits = (await workbench.search([question.text], self.num_hits))[0]
        except BudgetReached as reached:
            hits, stopped_because = [], reached.limit
        paragraphs = best_paragraphs(question.text, hits, num_sentences=self.num_sentences, num_paragraphs=self.num_paragraphs)
        run = _Sampled(self, question, workbench, paragraphs)
        await run.sample()
        await run.score()
        stopped_because = run.reached or stopped_because
        chosen = run.choose()
        if chosen is None:
            return one_answer(question, "", "", "empty", run.passages(), stopped_because)
        return one_answer(question, chosen.text, chosen.answer, chosen.how, run.passages(chosen.paragraph), stopped_because)


@dataclass(slots=True)
class _Sampled:
    """One question: the answers from each paragraph (or from none, if none was found), and the limit that was reached."""

    options: InternetAugmented
    question: Question
    workbench: MethodContext
    paragraphs: Sequence[Paragraph]
    candidates: dict[int, list[Candidate]] = field(default_factory=dict)
    reached: str = ""
    _evidence: list[str] = field(default_factory=list)
    _places: list[int] = field(default_factory=list)
    _no_channel: str = NOT_SCORED

    async def sample(self) -> None:
        """Answers from every paragraph, in parallel; the parsed results are recorded under it."""
        evidence = [fenced(one.hit.passage, one.text) for one in self.paragraphs]
        evidence = evidence or [self.workbench.fill(_PROMPTS["none_found"])]
        try:
            prompts = await self._prompts(evidence)
        except BudgetReached as reached:
            self.reached = reached.limit
            return
        self._evidence = evidence
        self._places = [self.workbench.decide("paragraph", self._told(number)) for number in range(len(prompts))]
        works = [
            (place, partial(self._draw, number, prompt))
            for number, (place, prompt) in enumerate(zip(self._places, prompts, strict=True))
        ]
        for outcome in await side_by_side(self.workbench, works):
            if outcome is not None:
                self.reached = self.reached or outcome.limit

    async def score(self) -> None:
        """Scores each different answer of each paragraph by the noisy channel, in parallel, if requested and possible."""
        if self.options.scorer not in ("poe", "noisy_channel") or not self.workbench.abilities.scores:
            return
        asking = asked(self.workbench, self.question)
        try:
            examples = await self._channel_examples(asking)
        except BudgetReached as reached:
            self.reached, self._no_channel = reached.limit, _CUT_SHORT
            return
        works = [
            (self._places[number], partial(self._channel, number, answer, examples, asking))
            for number in sorted(self.candidates)
            for answer in dict.fromkeys(one.answer for one in self.candidates[number] if one.answer)
        ]
        for outcome in await side_by_side(self.workbench, works):
            if isinstance(outcome, BudgetReached):
                self.reached, self._no_channel = self.reached or outcome.limit, _CUT_SHORT

    def choose(self) -> Candidate | None:
        """The answer with the best score; `None` if no sample was drawn. Samples without an answer are used if none has one."""
        every = [one for number in sorted(self.candidates) for one in self.candidates[number]]
        answered = [one for one in every if one.answer]
        if not answered:
            return every[0] if every else None
        p_ret = [one.p_ret for one in self.paragraphs] or [1.0]
        outcome = rescore(answered, p_ret, self.options.scorer, num_samples=self.options.n_samples, no_channel=self._no_channel)
        self._tell(outcome)
        return outcome.ranking[0].best

    def passages(self, first: int = 0) -> list[Hit]:
        """The passages of the paragraphs, each once, ordered by their best paragraph; that of the chosen one comes first."""
        if not self.paragraphs:
            return []
        ordered = [self.paragraphs[first], *self.paragraphs]
        return list({one.hit.passage.id: one.hit for one in ordered}.values())

    async def _prompts(self, evidence: Sequence[str]) -> list[str]:
        question = asked(self.workbench, self.question)
        ask = self.workbench.fill(_PROMPTS[f"ask_{self.question.form}"])
        # The same demonstrations before every paragraph; the longest one decides how many fit: they form one prefix.
        rest = f"{_PROMPTS['prompt'].text}{ask}{question}{max(evidence, key=len)}"
        fitting = await packed(self.workbench, self._examples("example"), rest, self._max_tokens())
        return [
            self.workbench.fill(_PROMPTS["prompt"], ask=ask, examples=fitting, evidence=one, question=question)
            for one in evidence
        ]

    async def _channel_examples(self, asking: str) -> str:
        rest = f"{_PROMPTS['channel'].text}{asking}{max(self._evidence, key=len)}"
        return await packed(self.workbench, self._examples("channel_example"), rest, self._max_tokens())

    def _examples(self, prompt: str) -> list[str]:
        return [
            self.workbench.fill(
                _PROMPTS[prompt],
                evidence="\n".join(fenced(passage) for passage in one.passages(0, self.options.seed)),
                question=asked(self.workbench, self.question, one.question),
                answer=one.answer,
            )
            for one in drawn(self.question, "internet_augmented", self.options.n_demos, self.options.seed)
        ]

    async def _channel(self, number: int, answer: str, examples: str, asking: str) -> None:
        """Scores an answer of a paragraph, once for all samples that gave it."""
        prompt = self.workbench.fill(_PROMPTS["channel"], examples=examples, evidence=self._evidence[number])
        said = f" {answer}"
        reply = await self.workbench.score_text(prompt, f"{said}{_ASKING} {asking}", purpose="noisy channel")
        value = channel_logprob(reply, said, f" {asking}", _ASKING, is_mean=self.options.length_normalized)
        self.candidates[number] = [
            replace(one, channel=value) if one.answer == answer else one for one in self.candidates[number]
        ]

    async def _draw(self, number: int, prompt: str) -> BudgetReached | None:
        """Samples answers from one paragraph; returns the limit that cut the number of samples, if any."""
        turns, num = [Message("user", prompt)], self.options.n_samples
        samples = await self.workbench.samples(turns, num, purpose="answer", sampling=self._sampling())
        is_one_line, is_mean = self.question.form != "long", self.options.length_normalized
        self.candidates[number] = [
            Candidate(
                number,
                *bare_answer(self.workbench, reply.text, self.question),
                reply.text,
                answer_logprob(reply, is_one_line=is_one_line, is_mean=is_mean),
            )
            for reply in samples.replies
        ]
        return samples.reached

    def _sampling(self) -> Sampling:
        is_drawn = self.options.n_samples > 1
        return replace(
            self.workbench.sampling,
            temperature=self.options.temperature if is_drawn else 0.0,
            top_p=self.options.top_p if is_drawn else 1.0,
            max_tokens=self._max_tokens(),
            stop=_NEXT_EXAMPLE,
            top_logprobs=1 if self.workbench.abilities.logprobs else 0,
        )

    def _max_tokens(self) -> int:
        return self.options.max_tokens_long if self.question.form == "long" else self.options.max_tokens

    def _told(self, number: int) -> str:
        if not self.paragraphs:
            return "nothing was found"
        one = self.paragraphs[number]
        return f"{number + 1}: {one.hit.passage.title or one.hit.passage.id}, p_ret {one.p_ret:.3f}"

    def _tell(self, outcome: Rescored) -> None:
        ranking = [
            {"answer": one.best.answer, "score": one.score, "votes": one.num_votes, "paragraph": one.best.paragraph + 1}
            for one in outcome.ranking[:_NUM_TOLD]
        ]
        text = f"{outcome.used} instead of {self.options.scorer}: {outcome.why}" if outcome.why else outcome.used
        self.workbench.decide("scorer", text, asked=self.options.scorer, used=outcome.used, ranking=ranking)
