"""IRCoT: reasoning and retrieval alternate, sentence by sentence; then a reader answers from all passages.

Trivedi et al., "Interleaving Retrieval with Chain-of-Thought Reasoning", ACL 2023 (arXiv 2212.10509), sections 3 and 4.

The question retrieves the first K passages. Then, until the reasoning says "answer is" or `max_steps` sentences are written:
the model continues its reasoning, seeing the question, all passages so far and its sentences so far, and only the first
sentence of its reply is kept; that sentence retrieves K more passages, up to `max_passages` in total. Finally, a reader
answers the original question from the passages, with its own reasoning or directly, or (without a reader) the answer is taken
from the reasoning. `Answer.passage_ids` are the passages in order of acquisition: the retrieval result that the paper
measures.

A sentence that adds no passage, such as "Thus ...", leaves the prompt as it was, and a greedy model would write on as it
already has. So the next sentence is taken from the same reply, if it is there (`reuse_reply`).

Calls: one per sentence (none for one from the same reply), one for the reader, one for titles if the question comes with a
pinned passage (IIRC), and one more if the model ends its turn too early (`retry_empty`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from hopweave.answering.methods.ircot._finding import Duplicates, Finder, Finding
from hopweave.answering.parsing.announcing import lines_said, without_answer_labels
from hopweave.answering.toolkit.concurrency import why_stopped
from hopweave.answering.toolkit.few_shot import FewShot, Instruction, MaxDemos, MaxWordsShown, Packer
from hopweave.answering.toolkit.final_answer import file_missing
from hopweave.answering.toolkit.reasoned import Marker, Said, answer_of, first_with_words, plain, read, said_in, says_answer
from hopweave.core.errors import BudgetReached
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.options import Bounded, Count, Whole, options_for
from hopweave.core.prompt import escape, prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Message, Question, Reply
from hopweave.text.content_words import is_reasoning
from hopweave.text.matching import normalize_answer
from hopweave.text.quotation import CLOSING
from hopweave.text.sentences import sentence_spans

GROUP = "searches in turns"

_PROMPTS = prompts_beside(__file__)
_ONE_LINE, _NEXT_EXAMPLE = ("\n",), ("\nQ:", "\n<passage>")
_WHOLE = lazy_pattern(rf"[.!?][{CLOSING})\]]*$")


@dataclass(frozen=True, slots=True)
class IRCoT(Bounded):
    """The method and its options. The defaults are ours; the profiles in docs/ircot.md have the paper's and the authors'."""

    max_steps: Annotated[Count, "maximum number of sentences of reasoning"] = 8
    num_hits: Annotated[Count, "K: passages fetched with each query"] = 4
    max_passages: Annotated[Count, "maximum number of passages kept, over all queries"] = 15
    query: Annotated[
        Literal["last_sentence", "last_non_reasoning_sentence"],
        "which sentence is the query; last_non_reasoning_sentence skips conclusions such as 'Thus ...'",
    ] = "last_non_reasoning_sentence"
    remove_wh_words: Annotated[bool, "remove who, what, which and the like from queries"] = True
    max_words_retrieved: Annotated[Whole, "skip passages with more words; 0 for no limit"] = 0
    max_words_shown: MaxWordsShown = 350
    duplicates: Duplicates = "exact"
    stop_on_repeat: Annotated[bool, "end the reasoning at a repeated sentence"] = True
    retry_empty: Annotated[
        bool, "if the model ends its turn after its own sentence, show it the sentences and ask for the next"
    ] = True
    reuse_reply: Annotated[
        bool, "after a sentence that adds no passage, take the next from the same reply, if it is there; the paper asks again"
    ] = True
    marker: Marker = "tolerant"
    reader: Annotated[
        Literal["cot", "direct", "none"], "which reader answers from the passages; none: the answer of the reasoning itself"
    ] = "cot"
    may_abstain: Annotated[
        bool | None, "the reader may answer 'unknown' to a question with a short answer; none: unless the model is small"
    ] = None
    force: Annotated[bool, "ask the reader once more if its reasoning does not state the answer"] = True
    n_demos: MaxDemos = 3
    num_distractors: Annotated[Whole, "M: irrelevant passages in each demonstration, 0 to 3"] = 1
    seed: Annotated[int, "seed for the choice of demonstrations and the order of their passages"] = 0
    pinned: Annotated[Literal["top", "bottom"], "position of a question's pinned passage among the others"] = "top"
    instruction: Instruction = "top"
    num_titles: Annotated[Whole, "with a pinned passage: titles that the model names to restrict retrieval; 0 for none"] = 3
    max_tokens_sentence: Annotated[Count, "longest reply of which a sentence is kept, in tokens"] = 128
    max_tokens: Annotated[Count, "longest reply of the reader, in tokens"] = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        weaving = _Weaving(
            self,
            question,
            workbench,
            Finder(options_for(Finding, self), question, workbench),
            Packer(options_for(FewShot, self), question, workbench),
        )
        return await weaving.answer(await why_stopped(weaving.explore()))


@dataclass(slots=True)
class _Weaving:
    """One question: its sentences so far, and the passages found with them.

    Attributes:
        sentences: without marks, and without the escapes of markers from passages.
        written: the same as the model wrote them, in which markers copied from a passage are still escaped.
        rest: what the last reply says after the sentence taken from it, as long as no passage has been added since.
        goes_on: whether the model continues its own sentences, or is shown them.
    """

    options: IRCoT
    question: Question
    workbench: MethodContext
    finder: Finder
    packer: Packer
    sentences: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    rest: str = ""
    goes_on: bool = field(init=False)

    def __post_init__(self) -> None:
        self.goes_on = self.workbench.abilities.prefill

    async def explore(self) -> str:
        """Alternates reasoning and retrieval; returns why it stopped."""
        await self.finder.bound()
        await self.finder.add(self.question.text)
        while True:
            written = self._from_same_reply() or await self._next_sentence()
            sentence = plain(written)
            if not sentence:
                return "empty_sentence"
            if self.options.stop_on_repeat and normalize_answer(sentence) in map(normalize_answer, self.sentences):
                self.workbench.decide("repeated", sentence)
                return "repeated_sentence"
            self.sentences.append(sentence)
            self.written.append(written)
            step = self.workbench.decide("sentence", sentence)
            if says_answer(written, self.options.marker):
                return "finished"
            if len(self.sentences) >= self.options.max_steps:
                return "max_steps"
            num_held = len(self.finder.held)
            with self.workbench.under(step):
                await self.finder.add(self._query())
            if len(self.finder.held) > num_held:
                self.rest = ""

    async def answer(self, stopped_because: str) -> Answer:
        """The reader's answer, or the chain's if there is no reader or no call left for one."""
        said = None
        if self.options.reader != "none":
            try:
                said = await self._read()
            except BudgetReached as reached:
                stopped_because = reached.limit
        said = said or self._chain()
        return answer_of(self.question, said, self._steps(), self.finder.held, self.workbench, stopped_because)

    async def _read(self) -> Said:
        style: Literal["cot", "direct"] = "direct" if self.options.reader == "direct" else "cot"
        marker, longest, force = self.options.marker, self.options.max_tokens, self.options.force
        note = self._way_out(style)
        return await read(self.packer, style, self.finder.held, marker=marker, max_tokens=longest, force=force, note=note)

    def _way_out(self, style: Literal["cot", "direct"]) -> str:
        """The note that allows the reader to say that the passages do not tell; empty if it must answer."""
        may = not self.workbench.abilities.is_small if self.options.may_abstain is None else self.options.may_abstain
        return self.workbench.fill(_PROMPTS[f"abstain_{style}"]) if may and self.question.form == "short" else ""

    def _chain(self) -> Said:
        """The answer of the reasoning: what follows the marker in its last sentence, or else all of it."""
        if self.written and not says_answer(self.written[-1], self.options.marker):
            file_missing(self.workbench, self.written[-1])
            return Said(tuple(self.written), "", " ".join(self.sentences), "full")
        return said_in(self.workbench, " ".join(self.written), self.question, self.options.marker)

    def _steps(self) -> list[str]:
        return [sentence for sentence in self.sentences if not says_answer(sentence, self.options.marker)]

    def _query(self) -> str:
        if self.options.query == "last_sentence":
            return self.sentences[-1]
        return next((one for one in reversed(self.sentences) if not is_reasoning(one)), self.question.text)

    # -- the next sentence ---------------------------------------------------------------------------------------------

    def _from_same_reply(self) -> str:
        """The next sentence of the last reply; empty if it has no more."""
        sentence = first_with_words(self.rest)
        self.rest = self.rest.removeprefix(sentence).strip()
        return sentence

    async def _next_sentence(self) -> str:
        sentence = await self._written_sentence()
        if not sentence and self.sentences and self.goes_on and self.options.retry_empty:
            self.goes_on = False
            self.workbench.decide("ask_again", "the model ended its turn; from here on it is shown its sentences")
            sentence = await self._written_sentence()
        return sentence

    async def _written_sentence(self) -> str:
        reply = await self._reply()
        line = self._line(reply.text)
        sentence = first_with_words(line)
        if not sentence:
            # An empty continuation is one of the ways to stop (the released exit rule); an empty reply, or no sentence, is not.
            if reply.text.strip() or not self.sentences:
                self.workbench.parse_failed("sentence", "no sentence is in the reply", reply.text)
            return ""
        is_cut = reply.finish_reason == "length" and " ".join(reply.text.split()).endswith(" ".join(line.split()))
        if sentence == line and is_cut and not _WHOLE.search(line):
            self.workbench.parse_failed("sentence", "the sentence is cut off at max_tokens_sentence", reply.text)
        if self.options.reuse_reply:
            self.rest = _whole_sentences(line.removeprefix(sentence).strip(), is_cut=is_cut)
        return sentence

    def _line(self, said: str) -> str:
        """The line of a reply that the next sentence begins.

        It is the first; from a model that was only shown the sentences, the first that says something else than those.
        """
        said = without_answer_labels(said.strip())
        if self.goes_on:
            return said.split("\n", 1)[0].strip()
        lines = lines_said(said)
        return next(filter(None, map(self._beyond, lines)), lines[0] if lines else "")

    async def _reply(self) -> Reply:
        """The model continues its own sentences; if an endpoint cannot, it is shown them and asked for the next."""
        begun = escape(" ".join(self.sentences))  # they may contain words of passages, unescaped for the search
        longest = self.options.max_tokens_sentence
        prefill: list[Message] = []
        if self.goes_on:
            if begun:
                prefill = [Message("assistant", begun)]
            room = longest + (await self.workbench.count_tokens(begun) if begun else 0)
            prompt = await self.packer.prompt("cot", self.finder.held, max_tokens=room)
        else:
            following = "next_sentence_or_end" if self.options.reuse_reply else "next_sentence"
            asked = following if begun else "first_sentence"
            tail = f" {begun}".rstrip() + f"\n\n{self.workbench.fill(_PROMPTS[asked])}"
            prompt = await self.packer.prompt("cot", self.finder.held, max_tokens=longest, begun=tail)
        # A model that is asked for a sentence may announce it first, on a line of its own.
        sampling = replace(self.workbench.sampling, max_tokens=longest, stop=_ONE_LINE if self.goes_on else _NEXT_EXAMPLE)
        return await self.workbench.reply([Message("user", prompt), *prefill], purpose="sentence", sampling=sampling)

    def _beyond(self, line: str) -> str:
        """A line without sentences repeated at its start, as written by a model that was only shown them; it may be empty."""
        rest = " ".join(line.split())
        for sentence in self.sentences:
            bare = " ".join(sentence.split())
            shown = escape(bare)
            rest = rest.removeprefix(shown if rest.startswith(shown) else bare).lstrip()
        return rest


def _whole_sentences(text: str, *, is_cut: bool) -> str:
    """A text without its last sentence if that was cut off."""
    return text[: sentence_spans(text)[-1].start].strip() if is_cut and text and not _WHOLE.search(text) else text
