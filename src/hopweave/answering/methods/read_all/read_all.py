"""Read all: the model is shown as many of the best passages as fit, or all of them, and answers in one call.

Our control for every method that searches more than once, without a paper: it shows what a long prompt alone achieves. The
question is the query, and whole passages are shown in rank order up to a limit of tokens. By default that is what the model's
context holds, or 6,000 tokens if its length is unknown. The corpus is reached only through the retriever: it is shown entirely
if the retriever finds every passage of it for the question, and all of them fit. An engine that searches for words finds only
passages that share some with the question.

The model states the facts with the numbers of their passages, then the answer; for a long answer, every sentence has such a
mark. Each sentence is a claim, compared with the passages that it names first. Nothing else is asked: if the sentence with the
answer is missing, the whole reply is the answer, which is counted as a parse failure.

Calls: 1; rounds of retrieval: 1, and more if all passages found are so short that others fit, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.answering.parsing.marked import MarkedSentence, marked_sentences
from hopweave.answering.toolkit.claims import passages_of
from hopweave.answering.toolkit.final_answer import MaxTokensLong, closing_request, file_missing, is_missing
from hopweave.answering.toolkit.fitting import Fitting, fitting
from hopweave.answering.toolkit.room import room_for
from hopweave.answering.toolkit.sentence_claims import answer_in_sentences
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Bounded, Count
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Message, Question
from hopweave.text.final import final_answer, has_marker

GROUP = "searches once"

_PROMPTS = prompts_beside(__file__)
_TOKENS_IF_UNKNOWN = 6000
_TOKENS_PER_PASSAGE = 100  # of the first search; too many passages only make the record longer
_MORE = 4  # times as many passages, if all of those fit


@dataclass(frozen=True, slots=True)
class ReadAll(Bounded):
    """Retrieves once with the whole question, shows whatever fits, and asks for the answer with marks."""

    max_tokens_passages: Annotated[
        Count | None, "tokens of passages shown; none: what the model's context holds, or 6,000 if its length is unknown"
    ] = None
    max_passages: Annotated[Count, "passages retrieved at most; more than 1,000 are too many for some engines"] = 1000
    max_tokens: Annotated[Count, "longest short answer or label with its facts, in tokens"] = 256
    max_tokens_long: MaxTokensLong = 512

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        ask, labels = closing_request(workbench, _PROMPTS, question)
        values = {"ask": ask, "labels": labels, "question": question.text}
        longest = self.max_tokens_long if question.form == "long" else self.max_tokens
        rest = workbench.fill(_PROMPTS["read_all"], passages="", **values)
        room = await self._room(workbench, rest, longest)
        shown = await self._shown(question, workbench, room)
        prompt = workbench.fill(_PROMPTS["read_all"], passages=shown.text, **values)
        sampling = replace(workbench.sampling, max_tokens=longest)
        try:
            reply = await workbench.reply([Message("user", prompt)], purpose="answer", sampling=sampling)
        except BudgetReached as reached:
            return _answer(question, "", shown, workbench, stopped_because=reached.limit)
        return _answer(question, reply.text, shown, workbench)

    async def _room(self, workbench: MethodContext, rest: str, longest: int) -> int:
        """The number of tokens available for passages."""
        if workbench.abilities.context_tokens is None:
            return self.max_tokens_passages or _TOKENS_IF_UNKNOWN
        room = room_for(workbench, longest) - await workbench.count_tokens(rest)
        return min(room, self.max_tokens_passages or room)

    async def _shown(self, question: Question, workbench: MethodContext, room: int) -> Fitting:
        """The passages that fit; as long as all do and there are more, more are retrieved."""
        num = min(self.max_passages, max(1, room // _TOKENS_PER_PASSAGE))
        while True:
            [hits] = await workbench.search([question.text], num)
            passages = list({one.id: one for one in (*question.pinned, *passages_of(hits))}.values())
            shown = await fitting(workbench, passages, room)
            if shown.is_full or len(hits) < num or num == self.max_passages or workbench.num_searches_left == 0:
                return shown
            num = min(self.max_passages, _MORE * num)


def _answer(
    question: Question, text: str, shown: Fitting, workbench: MethodContext, stopped_because: str = "finished"
) -> Answer:
    short, how = final_answer(text, question)
    if stopped_because == "finished" and is_missing(how, question.form):
        file_missing(workbench, text)
    sentences, closing = _taken_apart(text, question)
    return answer_in_sentences(
        question,
        sentences,
        short,
        how,
        workbench,
        passages=shown.passages,
        closing=closing,
        stopped_because=stopped_because,
    )


def _taken_apart(text: str, question: Question) -> tuple[list[MarkedSentence], MarkedSentence | None]:
    """The sentences before the last one that gives the answer, and that one; an explanation has none."""
    sentences = marked_sentences(text)
    giving = [place for place, one in enumerate(sentences) if has_marker(one.text)]
    if question.form == "long":
        return [one for place, one in enumerate(sentences) if place not in giving], None
    return (sentences[: giving[-1]], sentences[giving[-1]]) if giving else (sentences, None)
