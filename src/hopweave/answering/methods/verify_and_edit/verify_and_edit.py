"""Verify-and-Edit: if sampled answers disagree, checks each sentence of the reasoning and edits it with evidence.

Zhao et al. (ACL 2023, arXiv 2305.03268), section 3, with self-consistency; the row of SearChain's table 1. The released code
compares a share of votes with a number of votes and so edits every question; here the paper's rule applies (`gate`). The
authors retrieve from Wikipedia, DrQA or Google and rank sentences by Sentence-BERT; here the corpus is searched, and sentences
are ranked by TF-IDF cosine unless `ranking` is `embedding`. If the second answer cannot be read, or its prompt does not fit,
the answer of the vote is kept; an empty edit leaves its sentence unchanged. In a long answer, the explanation itself is edited.

Calls: `n_samples` replies; if the gate does not accept, two for each of s sentences (one with `edit = "replace"`),
concurrently, and one to answer again; s is about h. Rounds: none, or one for each sentence (concurrent ones may count as one).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

from hopweave.answering.demonstrations import Demonstration
from hopweave.answering.methods.verify_and_edit._editing import Edit, Editor, Ranked
from hopweave.answering.methods.verify_and_edit._ordinals import ORDINALS, ordered, reasoning_sentences
from hopweave.answering.methods.verify_and_edit._ranking import ranked_by_embedding, ranked_by_words
from hopweave.answering.toolkit.chain_of_thought import NEXT_EXAMPLE, Elected, self_consistent
from hopweave.answering.toolkit.claims import answer_from_claims
from hopweave.answering.toolkit.demos import NumDemos, Seed, asked, closing, drawn, packed
from hopweave.answering.toolkit.final_answer import MaxTokensLong, file_unanswered
from hopweave.answering.toolkit.room import context_of
from hopweave.answering.toolkit.transcript import Transcript
from hopweave.answering.toolkit.voted_chains import voted_answer
from hopweave.answering.toolkit.wiki import passages_behind
from hopweave.core.errors import BudgetReached
from hopweave.core.options import AtLeast, Bounded, Count, Temperature
from hopweave.core.prompt import escape, prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question
from hopweave.text.final import MARKER, demanded, final_answer

GROUP = "checks afterwards"

_PROMPTS = prompts_beside(__file__)


@dataclass(frozen=True, slots=True)
class VerifyAndEdit(Bounded):
    """Votes; if the vote is not clear, looks up each sentence of the reasoning and answers again from the edited reasoning."""

    n_demos: NumDemos = None
    seed: Seed = 0
    n_samples: Annotated[Count, "chains of thought that vote"] = 5
    temperature: Annotated[Temperature, "for those samples"] = 0.7
    gate: Annotated[
        Literal["majority", "always", "never"],
        "when to edit; majority: if fewer than half of the samples agree; always: every question, as the released code; never",
    ] = "majority"
    edit: Annotated[
        Literal["answer", "replace"],
        "what replaces a sentence; answer: the model's answer to its question; replace: the best sentence of the evidence",
    ] = "answer"
    max_edits: Annotated[int, AtLeast(1, len(ORDINALS)), "how many of the first sentences are checked; 1 to 10"] = 6
    num_hits: Annotated[Count, "passages fetched for a sentence"] = 5
    num_sentences: Annotated[Count, "sentences of them that are kept as evidence"] = 3
    ranking: Annotated[
        Literal["words", "embedding"], "how they are chosen; words: TF-IDF cosine; embedding: a model, with hopweave[hf]"
    ] = "words"
    embedding_model: Annotated[str, "for embedding: a sentence-transformers model on the hub, or a folder"] = (
        "sentence-transformers/paraphrase-MiniLM-L6-v2"
    )
    device: Annotated[str | None, "for embedding: where it runs, such as cpu or cuda; chosen automatically if absent"] = None
    parallel: Annotated[bool, "process sentences concurrently; if the budget limits calls, they always take turns"] = True
    max_tokens_reasoning: Annotated[Count, "longest chain of thought, in tokens"] = 144
    max_tokens_long: MaxTokensLong = 256
    max_tokens: Annotated[Count, "longest question, edit and second answer, in tokens"] = 70

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        demos = drawn(question, "verify_and_edit", self.n_demos, self.seed)
        is_long = question.form == "long"
        elected = await self_consistent(
            workbench,
            question,
            await self._prompt(question, workbench, demos),
            num_samples=self.n_samples,
            temperature=self.temperature,
            max_tokens=self._longest(question),
            stop=NEXT_EXAMPLE if is_long else ("\n\n",),
        )
        if elected.reached is not None or self._accepts(elected, workbench):
            return voted_answer(question, elected)
        kept = elected.rationales[elected.vote.best]
        sentences = reasoning_sentences(elected.vote.answer if is_long else kept, has_closing=not is_long)
        edits = await self._edited(question, workbench, demos, sentences[: self.max_edits])
        return await self._answer_again(question, workbench, demos, elected, edits, sentences[self.max_edits :])

    def _longest(self, question: Question) -> int:
        return self.max_tokens_long if question.form == "long" else self.max_tokens_reasoning

    def _accepts(self, elected: Elected, workbench: MethodContext) -> bool:
        vote = elected.vote
        is_clear = bool(vote.answer) and 2 * vote.num_votes >= vote.num_samples
        accepts = {"majority": is_clear, "always": False, "never": True}[self.gate]
        votes = f"{vote.num_votes} of {vote.num_samples} votes"
        workbench.decide("gate", f"{'accepted' if accepts else 'to be edited'}: {votes}", gate=self.gate)
        return accepts

    async def _prompt(
        self, question: Question, workbench: MethodContext, demos: Sequence[Demonstration], facts: str = "", begun: str = ""
    ) -> str:
        """The prompt of the reasoning, which is also that of the second answer, followed there by the edited sentences."""
        wanted, text = demanded(question.form, question.labels), asked(workbench, question)
        examples = [f"Q: {asked(workbench, question, one.question)}\nA: {_reasoned(one, question)}" for one in demos]
        name = "explain" if question.form == "long" else "reason"
        rest = f"{_PROMPTS[name].text}{wanted}{text}{facts}{begun}"
        fitting = await packed(workbench, examples, rest, self._longest(question))
        values = {"facts": facts} if question.form == "long" else {}
        return workbench.fill(_PROMPTS[name], demanded=wanted, examples=fitting, question=text, **values)

    async def _edited(
        self, question: Question, workbench: MethodContext, demos: Sequence[Demonstration], sentences: Sequence[str]
    ) -> list[Edit]:
        editor = Editor(
            workbench=workbench,
            prompts=_PROMPTS,
            question=question,
            demos=demos,
            ranked=self._ranked(),
            is_aside=self.ranking == "embedding",
            num_hits=self.num_hits,
            num_sentences=self.num_sentences,
            mode=self.edit,
            max_tokens=self.max_tokens,
        )
        edits = [
            Edit(sentence, workbench.decide("edit", f"[{number}] {sentence}"))
            for number, sentence in enumerate(sentences, start=1)
        ]
        await workbench.side_by_side([partial(editor.edit, edit) for edit in edits], in_turn=not self.parallel)
        return edits

    def _ranked(self) -> Ranked:
        if self.ranking == "words":
            return ranked_by_words
        return lambda query, texts: ranked_by_embedding(query, texts, self.embedding_model, self.device)

    async def _answer_again(
        self,
        question: Question,
        workbench: MethodContext,
        demos: Sequence[Demonstration],
        elected: Elected,
        edits: Sequence[Edit],
        rest: Sequence[str],
    ) -> Answer:
        reached = next((edit.reached for edit in edits if edit.reached is not None), None)
        short, how = "", "empty"
        if any(edit.text for edit in edits):
            try:
                edited = escape(ordered((*(edit.outcome for edit in edits), *rest)))
                short, how = await self._second(question, workbench, demos, edited)
            except BudgetReached as limit:
                reached = reached or limit
        if not short:
            short, how = elected.vote.answer, "vote" if elected.vote.answer else "empty"
        return answer_from_claims(
            question,
            [edit.assertion() for edit in edits],
            short,
            how,
            workbench,
            retrieved=passages_behind([sentence for edit in edits for sentence in edit.evidence]),
            text=short if question.form == "long" else "",
            with_queries=False,
            stopped_because=reached.limit if reached else "finished",
        )

    async def _second(
        self, question: Question, workbench: MethodContext, demos: Sequence[Demonstration], edited: str
    ) -> tuple[str, str]:
        """The answer that follows from the edited reasoning; empty if there is none, or no room for it."""
        is_long = question.form == "long"
        facts = f"\n\n{workbench.fill(_PROMPTS['facts'], edited=edited)}" if is_long else ""
        begun = "" if is_long else f" {edited} {MARKER}"
        transcript = Transcript(workbench, await self._prompt(question, workbench, demos, facts, begun), begun)
        longest = self.max_tokens_long if is_long else self.max_tokens
        room = context_of(workbench) - longest
        if await workbench.count_tokens(f"{transcript.prompt}{begun}") > room:
            workbench.decide("overflow", "the edited reasoning leaves no room for an answer")
            return "", "empty"
        sampling = replace(workbench.sampling, max_tokens=longest, stop=NEXT_EXAMPLE if is_long else ("\n\n",))
        said = (await transcript.go_on("answer", sampling)).text.strip()
        short, how = final_answer(said if is_long else f"{MARKER} {said}", question) if said else ("", "empty")
        if not short:
            file_unanswered(workbench, said)
        return short, how


def _reasoned(one: Demonstration, question: Question) -> str:
    """The reasoning of a demonstration, up to its answer."""
    end = closing(one, question.form)
    if question.form == "long":
        return end
    sentences = (*(step.sentence for step in one.steps), *([one.conclusion] if one.conclusion else []))
    return f"{ordered(sentences)} {end}"
