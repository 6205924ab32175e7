"""Search-R1: the model thinks, searches between tags, reads what was found, and goes on until it answers between tags.

Jin et al. 2025 (arXiv 2503.09516), section 3.2 and algorithm 1, following the authors' code. One prompt asks for thoughts in
`<think>`, searches in `<search>` and the answer in `<answer>`. Generation stops at `</search>`; the 3 best passages are put
in `<information>`, in the form of the authors' code, and generation goes on. A turn that neither searches nor answers is
followed by a reminder of the two tags. Both count as actions: after B = 4 of them there is one last turn, whose search is not
carried out. The authors train models for this by reinforcement learning; any other model is prompted in the same way.

The wording of the prompt is our own, and says which kind of answer is wanted. Where the source is silent:

- The first tag outside of the thoughts counts, or else the first one inside. A tag that is not closed reaches to the next
  tag, or to the end of the reply.
- Thoughts that the endpoint reports apart from the reply are put back before it, between their tags, when the text goes on.
- A passage is cut to 120 words; the authors cut what a search finds to 500 tokens.
- If the last turn gives no answer either, an answer that it marks in other words counts; else the tag is opened for the model
  (`force`). The authors count the question as wrong.
- The finding of a search is what the model takes from its passages outside of its thoughts: in its next queries or in the
  answer. A search from which it takes nothing there makes no claim.

Calls for s searches: s + 1, and 1 for each turn that does neither, 5 in all at most; 1 more if the answer has to be forced.
Rounds of retrieval: s.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated

from hopweave.answering.methods.search_r1._tagged import Turn, ends_in_action, read_answer, read_turn
from hopweave.answering.toolkit.adopted_phrase import adopted_phrase
from hopweave.answering.toolkit.claims import Assertion, answer_from_claims, one_answer, passages_of
from hopweave.answering.toolkit.concurrency import why_stopped
from hopweave.answering.toolkit.demos import asked
from hopweave.answering.toolkit.few_shot import cut_words
from hopweave.answering.toolkit.final_answer import MARKED, after_marker, file_unanswered, forced, longest_answer, of_form
from hopweave.answering.toolkit.room import fitting
from hopweave.answering.toolkit.transcript import Transcript
from hopweave.citations.citing import on_one_line
from hopweave.core.options import Bounded, Count, Whole
from hopweave.core.prompt import escape, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Question, Sampling
from hopweave.text.document_names import full_heading
from hopweave.text.final import final_answer

GROUP = "searches in turns"

_PROMPTS = prompts_beside(__file__)
_END_OF_SEARCH, _END_OF_ANSWER, _INFORMATION = "</search>", "</answer>", "<information>"


@dataclass(frozen=True, slots=True)
class SearchR1(Bounded):
    """Thinks and searches in turn, and answers as soon as it knows enough."""

    max_actions: Annotated[Count, "B: searches, and turns that neither search nor answer; after them comes one last turn"] = 4
    num_passages: Annotated[Count, "passages that a search inserts"] = 3
    max_words: Annotated[Whole, "words to which a passage is truncated; 0 for no limit"] = 120
    force: Annotated[
        bool, "ask for the answer if the last turn gives none; false: then there is none, as the authors have it"
    ] = True
    max_tokens: Annotated[Count, "longest turn, in tokens; 500 as in the authors' code"] = 500
    max_tokens_answer: Annotated[Count, "longest short answer, if it has to be forced, in tokens"] = 32

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        searching = _Searching(self, question, workbench)
        stopped_because = await why_stopped(searching.go())
        if self.force and not searching.short:
            stopped_because = await why_stopped(searching.force(), stopped_because)
        return searching.answer(stopped_because)


@dataclass(slots=True)
class _Searched:
    """A search, its results, and what the model said after it, outside of its thoughts, up to its next action."""

    query: str
    hits: tuple[Hit, ...] = ()
    said: str = ""


@dataclass(slots=True)
class _Searching:
    """One question: the text so far, the searches in it, and the answer once there is one."""

    options: SearchR1
    question: Question
    workbench: MethodContext
    transcript: Transcript = field(init=False)
    searched: list[_Searched] = field(default_factory=list)
    short: str = ""
    how: str = "empty"

    def __post_init__(self) -> None:
        wanted = of_form(self.workbench, _PROMPTS, "wanted", self.question)
        prompt = self.workbench.fill(_PROMPTS["search_r1"], wanted=wanted, question=asked(self.workbench, self.question))
        self.transcript = Transcript(self.workbench, prompt)

    async def go(self) -> str:
        """Takes turns until one answers; returns why it stopped."""
        for number in range(1, self.options.max_actions + 2):
            if not await self.transcript.leaves_room(self.options.max_tokens + longest_answer(self.question, self.options)):
                return "max_context"
            turn = await self._turn()
            if turn.kind == "answer":
                self._read(turn.argument)
                return "finished"
            if number > self.options.max_actions:
                self._read_unmarked(turn)
            elif turn.kind == "search":
                await self._search(turn.argument)
            else:
                self.transcript.add(f"\n{self.workbench.fill(_PROMPTS['invalid'])}\n")
        return "max_actions"

    async def force(self) -> None:
        """Opens the tag of the answer for the model."""
        self.transcript.add("\n<answer>")
        longest = longest_answer(self.question, self.options)
        self.short, self.how = await forced(
            self.transcript, self.question, max_tokens=longest, next_example=_END_OF_ANSWER, words_of=read_answer
        )

    def answer(self, stopped_because: str) -> Answer:
        """The answer, with a claim for each search of which the model states a finding."""
        if not self.searched:
            return one_answer(self.question, self.short, self.short, self.how, (), stopped_because)
        said = [words for one in self.searched for words in (one.query, one.said)] + [self.short]
        assertions = [
            Assertion(unescape(one.query), finding, "retrieved", passages_of(one.hits))
            for number, one in enumerate(self.searched)
            if (finding := _finding(one, said[2 * number + 1 :]))
        ]
        return answer_from_claims(
            self.question,
            assertions,
            self.short,
            self.how,
            self.workbench,
            retrieved=[hit.passage for one in self.searched for hit in one.hits],
            text=self.short if self.question.form == "long" else "",
            stopped_because=stopped_because,
        )

    # -- the model's turns ---------------------------------------------------------------------------------------------

    async def _turn(self) -> Turn:
        """The next turn, which is appended to the text."""
        reply = await self.transcript.go_on("turn", self._sampling())
        text, thoughts = reply.text, reply.thoughts
        if not text.strip() and ends_in_action(thoughts):  # generation stopped before the thoughts were closed
            text, thoughts = f"<think> {thoughts}", ""
        turn = read_turn(text)
        if not turn.kind:
            reason = "the turn neither searches nor answers" if text.strip() else "the reply is empty"
            self.workbench.parse_failed("action", reason, text)
        thought = f"<think> {thoughts.strip()} </think>\n" if thoughts.strip() else ""
        self.transcript.add(f"\n{thought}{turn.written}")
        if self.searched:
            self.searched[-1].said = f"{self.searched[-1].said} {turn.said}".strip()
        return turn

    async def _search(self, query: str) -> None:
        step = self.workbench.decide("query", unescape(query))
        with self.workbench.under(step):
            hits = tuple((await self.workbench.search([unescape(query)], self.options.num_passages))[0])
        self.searched.append(_Searched(query, hits))
        texts, before = [self._shown(hit) for hit in hits], f"{self.transcript.prompt}{self.transcript.text}"
        fit = await fitting(self.workbench, texts, before, 2 * longest_answer(self.question, self.options))
        passages = "\n".join(fit) or self.workbench.fill(_PROMPTS["no_room" if hits else "none"])
        self.transcript.add(f"\n\n{self.workbench.fill(_PROMPTS['information'], passages=passages)}\n")

    def _shown(self, hit: Hit) -> str:
        """A passage on one line. Its tags are escaped, so that it can end neither itself nor the information."""
        text = cut_words(hit.passage.text, self.options.max_words)
        title, text = (escape(on_one_line(words)) for words in (full_heading(hit.passage), text))
        return self.workbench.fill(_PROMPTS["passage"], rank=str(hit.rank), title=title, text=text)

    def _read(self, said: str) -> None:
        self.short, self.how = after_marker(said, self.question)
        if not self.short:
            file_unanswered(self.workbench, said)

    def _read_unmarked(self, turn: Turn) -> None:
        """Takes an answer that the last turn marks in other words; a search in it is not carried out."""
        if turn.kind == "search":
            self.workbench.decide("not_searched", unescape(turn.argument))
        elif self.question.form != "long":
            short, how = final_answer(turn.said, self.question)
            if how in MARKED:
                self.short, self.how = short, how

    def _sampling(self) -> Sampling:
        stop = (_END_OF_SEARCH, _END_OF_ANSWER, _INFORMATION)
        return replace(self.workbench.sampling, max_tokens=self.options.max_tokens, stop=stop, thinking="in_text")


def _finding(one: _Searched, later: list[str]) -> str:
    """What the model took from the results of a search; else what it said about them, which may be its own knowledge."""
    return adopted_phrase(one.query, later, [hit.passage for hit in one.hits]) or on_one_line(unescape(one.said))
