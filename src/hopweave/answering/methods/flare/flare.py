"""FLARE: drafts the next sentence; if the model is unsure of a token of it, searches with the draft and writes it again.

Jiang et al. 2023 (arXiv 2305.06983), section 3.2, FLARE_direct, following the authors' code. The question retrieves the first
passages. Then the reasoning is written sentence by sentence: if every token of a draft has a probability of at least theta, it
is kept; else it is the query, and the sentence is written again with the passages that this finds. `masked` leaves the tokens
below beta out of the query; `question` has the model ask a question for each span of them, and merges the results rank by rank.
New passages replace the earlier ones. It ends at the sentence that gives the answer.

theta = 0.8, beta = 0.4, 2 passages, 8 worked questions, at most 64 tokens for a sentence and 256 for the text: the authors'
settings for 2WikiMultiHopQA, the multi-hop set among theirs. Where the source is silent or not clear:

- The paper's formula drafts a sentence without passages, its figure 1 and the released code with those of the last retrieval.
  This follows the code; `draft_sees = "nothing"` is the formula.
- A draft of which masking leaves nothing, or for which no question can be read, is itself the query. Where nothing is found, or
  only what the draft was written with, the draft is kept.
- A repeated sentence ends the text. If the text ends without an answer, its marker is written for the model (`force`).
- Each sentence is a claim; its evidence is what was found, the passages that it was written with first.

Without log-probabilities nothing tells when to retrieve. Then each draft is the query, unmasked, and each sentence is written
twice, which the record notes.

Calls: 1 or 2 per sentence, 1 more for each question that is asked, and 1 if the answer has to be forced. Rounds of retrieval:
1, and 1 for each sentence that is searched for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Literal

from hopweave.answering.methods.flare._confidence import SureToken, masked, spans_in_doubt, tokens_of
from hopweave.answering.parsing.announcing import lines_said, without_answer_labels
from hopweave.answering.toolkit.claims import Assertion, answer_from_claims, claims_of, file_claims, marked_answer, one_answer
from hopweave.answering.toolkit.concurrency import why_stopped
from hopweave.answering.toolkit.few_shot import FewShot, MaxDemos, MaxWordsShown, Packer
from hopweave.answering.toolkit.final_answer import file_missing, forced, is_missing
from hopweave.answering.toolkit.transcript import Transcript
from hopweave.core.options import AtLeast, Bounded, Count, Whole, options_for
from hopweave.core.prompt import prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Message, Origin, Passage, Question, Reply
from hopweave.text.citation_marks import settle_marks
from hopweave.text.final import SAYS_ANSWER, final_answer
from hopweave.text.matching import normalize_answer
from hopweave.text.quotation import unquoted
from hopweave.text.sentences import first_sentence

GROUP = "searches in turns"

_PROMPTS = prompts_beside(__file__)
_NEXT_EXAMPLE = "\nQ:"
_MAX_TOKENS_QUESTION = 64


@dataclass(frozen=True, slots=True)
class FLARE(Bounded):
    """Writes sentence by sentence, and retrieves for those that the model is not sure of."""

    theta: Annotated[float, AtLeast(0, 1), "a draft with a token below this probability is searched for and written again"] = (
        0.8
    )
    beta: Annotated[float, AtLeast(0, 1), "tokens below this probability are masked in the query, or asked for"] = 0.4
    query: Annotated[
        Literal["masked", "question"], "masked: the draft without those tokens; question: a question for each span of them"
    ] = "masked"
    draft_sees: Annotated[
        Literal["last", "nothing"], "passages for a draft; last: those found last, as in the authors' code; nothing: none"
    ] = "last"
    num_passages: Annotated[Count, "passages fetched for a sentence, and for the question at the beginning"] = 2
    max_words_shown: MaxWordsShown = 350
    n_demos: MaxDemos = 8
    num_distractors: Annotated[Whole, "irrelevant passages in each worked question, 0 to 3"] = 1
    seed: Annotated[int, "seed for the choice of worked questions and the order of their passages"] = 0
    force: Annotated[bool, "ask for the answer if the text gives none"] = True
    max_tokens_sentence: Annotated[Count, "longest reply of which a sentence is kept, in tokens"] = 64
    max_tokens: Annotated[Count, "length of the text at which it ends, in tokens"] = 256
    max_tokens_answer: Annotated[Count, "longest short answer, if it has to be forced, in tokens"] = 32

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        writing = _Writing(self, question, workbench)
        for note in self.notes_on(workbench):
            workbench.decide("note", note)
        stopped_because = await why_stopped(writing.go())
        writing.read_answer(is_cut_off=stopped_because in workbench.limits)
        if self.force and not writing.short:
            stopped_because = await why_stopped(writing.finish(), stopped_because)
        return writing.answer(stopped_because)

    def notes_on(self, workbench: MethodContext) -> Sequence[str]:
        """See `core.protocols.Noting`: whether the endpoint tells how probable a token is."""
        if workbench.abilities.logprobs:
            return []
        return [
            "flare: this endpoint reports no log-probabilities, so nothing tells which sentences the model is unsure of, and "
            "each one is searched for and written twice; use another endpoint, or method = 'ircot'"
        ]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A sentence as written, with any escapes of markers that it copied from passages, and its tokens."""

    written: str
    tokens: tuple[SureToken, ...] = ()


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence that was kept: as written, without marks and escapes, and the passages that it was written with."""

    written: str
    plain: str
    passages: tuple[Passage, ...]


@dataclass(slots=True)
class _Writing:
    """One question: its sentences so far, and the passages found with them.

    Attributes:
        shown: the passages in the prompt.
        found: all passages so far, by id, in the order in which they were found.
        num_marks_removed: marks that the model invented.
    """

    options: FLARE
    question: Question
    workbench: MethodContext
    sentences: list[_Sentence] = field(default_factory=list)
    shown: tuple[Passage, ...] = ()
    found: dict[str, Passage] = field(default_factory=dict)
    num_marks_removed: int = 0
    short: str = ""
    how: str = "empty"
    packer: Packer = field(init=False)
    drafter: Packer = field(init=False)

    def __post_init__(self) -> None:
        few_shot = options_for(FewShot, self.options)
        self.packer = Packer(few_shot, self.question, self.workbench)
        without = replace(few_shot, has_passages=False)
        sees_last = self.options.draft_sees == "last"
        self.drafter = self.packer if sees_last else Packer(without, self.question, self.workbench)

    async def go(self) -> str:
        """Writes until the answer is given; returns why it stopped."""
        self.shown = await self._search([self.question.text])
        while not self.sentences or await self.workbench.count_tokens(self._text()) < self.options.max_tokens:
            draft = await self._sentence(self.drafter, self.shown if self.drafter is self.packer else (), "draft")
            if not draft.written:
                return "finished"
            sentence = self._kept(await self._settled(draft))
            if normalize_answer(sentence.plain) in [normalize_answer(one.plain) for one in self.sentences]:
                self.workbench.decide("repeated", sentence.plain)
                return "repeated_sentence"
            self.sentences.append(sentence)
            self.workbench.decide("sentence", sentence.plain)
            if self._says_answer(sentence.written):
                return "finished"
        return "max_length"

    def read_answer(self, *, is_cut_off: bool) -> None:
        """Takes the answer from the text, if it gives one; that it does not is recorded, unless the budget cut it off."""
        text = self._text()
        if self.question.form == "long":
            self.short, self.how = self._plain_text(), "full" if text else "empty"
            return
        short, how = final_answer(text, self.question)
        if not is_missing(how, self.question.form) and any(self._says_answer(one.written) for one in self.sentences):
            self.short, self.how = short, "marker" if how == "alt-marker" else how  # it is the one that the prompt asks for
        elif not is_cut_off:
            file_missing(self.workbench, text)

    async def finish(self) -> None:
        """Has the model complete the sentence that gives the answer; a long answer has none, and is written at once."""
        is_long = self.question.form == "long"
        longest = self.options.max_tokens if is_long else self.options.max_tokens_answer
        begun = self._text() if is_long else f"{self._text()} {self.workbench.fill(_PROMPTS['finish'])}".strip()
        room = longest + await self.workbench.count_tokens(begun)
        prompt = await self.packer.prompt("cot", self.shown, max_tokens=room)
        transcript = Transcript(self.workbench, prompt, f" {begun}")
        self.short, self.how = await forced(
            transcript, self.question, max_tokens=longest, next_example=_NEXT_EXAMPLE, words_of=lambda said: said
        )

    # -- sentences -----------------------------------------------------------------------------------------------------

    async def _settled(self, draft: _Draft) -> str:
        """A draft that is kept, or the sentence that is written in its place."""
        least = min((one.probability for one in draft.tokens), default=None)
        if least is not None and least >= self.options.theta:
            return draft.written
        known = None if least is None else round(least, 4)
        with self.workbench.under(self.workbench.decide("draft", _plain(draft.written)[0], least_probability=known)):
            passages = await self._search(await self._queries(draft))
            is_new = bool(passages) and (passages != self.shown or self.drafter is not self.packer)
            if not is_new:
                return draft.written
            self.shown = passages
            return (await self._sentence(self.packer, self.shown, "sentence")).written or draft.written

    async def _queries(self, draft: _Draft) -> list[str]:
        whole = _plain(draft.written)[0]
        if not draft.tokens:
            return [whole]
        if self.options.query == "question":
            return await self._questions(draft) or [whole]
        query = unescape(masked(draft.tokens, self.options.beta))
        return [query if any(map(str.isalnum, query)) else whole]

    async def _questions(self, draft: _Draft) -> list[str]:
        """The questions that the spans in doubt answer; only what ends in a question mark is one, as in the authors' code."""
        text = f"{self._text()} {draft.written}".strip()
        spans = spans_in_doubt(draft.tokens, self.options.beta)
        asked = await self.workbench.side_by_side([partial(self._question, text, span) for span in spans])
        return list(dict.fromkeys(filter(None, asked)))

    async def _question(self, text: str, span: str) -> str:
        prompt = self.workbench.fill(_PROMPTS["question"], question=self.question.text, text=text, span=span)
        sampling = replace(self.workbench.sampling, max_tokens=_MAX_TOKENS_QUESTION, thinking="off")
        said = (await self.workbench.reply([Message("user", prompt)], purpose="question", sampling=sampling)).text
        lines = [unquoted(unescape(line).strip(" *_`")) for line in said.splitlines()]
        question = next((line for line in lines if line.endswith("?") and any(map(str.isalnum, line))), "")
        if not question:
            self.workbench.parse_failed(
                "question", "no question is in the reply" if said.strip() else "the reply is empty", said
            )
        return question

    async def _search(self, queries: Sequence[str]) -> tuple[Passage, ...]:
        """The passages for some queries: the best of each, then the second of each, and so on."""
        results = await self.workbench.search(queries, self.options.num_passages)
        ranked = sorted((hit for hits in results for hit in hits), key=lambda hit: hit.rank)
        passages = _each_once(ranked)[: self.options.num_passages]
        self.found |= {passage.id: passage for passage in passages}
        return passages

    async def _sentence(self, packer: Packer, passages: Sequence[Passage], purpose: str) -> _Draft:
        """The next sentence of the text, given some passages; empty if the text ends here."""
        reply = await self._reply(packer, passages, purpose)
        sentence = first_sentence(self._line(reply.text))
        if not normalize_answer(_plain(sentence)[0]):
            if reply.text.strip() or not self.sentences:
                self.workbench.parse_failed("sentence", "no sentence is in the reply", reply.text)
            return _Draft("")
        return _Draft(sentence, tokens_of(reply, sentence))

    async def _reply(self, packer: Packer, passages: Sequence[Passage], purpose: str) -> Reply:
        """The model continues the text; if an endpoint cannot, it is shown the text and asked for the next sentence."""
        begun, longest = self._text(), self.options.max_tokens_sentence
        prefill: list[Message] = []
        if self.workbench.abilities.prefill:
            prefill = [Message("assistant", begun)] if begun else []
            room = longest + (await self.workbench.count_tokens(begun) if begun else 0)
            prompt = await packer.prompt("cot", passages, max_tokens=room)
        else:
            request = self.workbench.fill(_PROMPTS["next_sentence" if begun else "first_sentence"])
            prompt = await packer.prompt("cot", passages, max_tokens=longest, begun=f" {begun}".rstrip() + f"\n\n{request}")
        sampling = replace(
            self.workbench.sampling,
            max_tokens=longest,
            # A model that is asked for a sentence may announce it first, on a line of its own.
            stop=("\n",) if self.workbench.abilities.prefill else (_NEXT_EXAMPLE,),
            top_logprobs=1 if self.workbench.abilities.logprobs else 0,
            thinking="off",
        )
        return await self.workbench.reply([Message("user", prompt), *prefill], purpose=purpose, sampling=sampling)

    def _line(self, said: str) -> str:
        """The line of a reply that the next sentence begins.

        It is the first; from a model that was only shown the text, the first that says something else than that.
        """
        said = without_answer_labels(said.strip())
        if self.workbench.abilities.prefill:
            return said.split("\n", 1)[0].strip()
        lines = lines_said(said)
        return next(filter(None, map(self._beyond, lines)), lines[0] if lines else "")

    def _beyond(self, line: str) -> str:
        """A line without sentences repeated at its start, as written by a model that was only shown the text; maybe empty."""
        rest = line
        for sentence in self.sentences:
            rest = rest.removeprefix(sentence.written).lstrip()
        return rest

    def _kept(self, written: str) -> _Sentence:
        plain, num_removed = _plain(written)
        self.num_marks_removed += num_removed
        return _Sentence(written, plain, self.shown)

    def _says_answer(self, sentence: str) -> bool:
        return self.question.form != "long" and SAYS_ANSWER.search(sentence) is not None

    def _text(self) -> str:
        return " ".join(one.written for one in self.sentences)

    def _plain_text(self) -> str:
        return " ".join(one.plain for one in self.sentences)

    # -- the answer ----------------------------------------------------------------------------------------------------

    def answer(self, stopped_because: str) -> Answer:
        """The text, with a claim for each of its sentences, and one for a short answer."""
        for passage in self.question.pinned:
            self.workbench.keep_passage(passage)
        assertions = [self._assertion(one) for one in self.sentences if not self._says_answer(one.written)]
        found = [*self.question.pinned, *self.found.values()]
        if self.question.form == "long":
            return self._long_answer(assertions, found, stopped_because)
        text = self._plain_text()
        if self.how == "forced" and self.short:
            text = f"{text} {self.workbench.fill(_PROMPTS['finish'])} {unescape(self.short)}.".strip()
        answer = answer_from_claims(
            self.question,
            assertions,
            self.short,
            self.how,
            self.workbench,
            retrieved=found,
            text=text,
            stopped_because=stopped_because,
        )
        return replace(answer, num_marks_removed=answer.num_marks_removed + self.num_marks_removed)

    def _long_answer(self, assertions: list[Assertion], found: Sequence[Passage], stopped_because: str) -> Answer:
        """The sentences are the answer; one that was written at once is a single claim."""
        if not assertions:
            hits = [Hit(passage, 0.0, rank) for rank, passage in enumerate(found, start=1)]
            return one_answer(self.question, self.short, self.short, self.how, hits, stopped_because)
        claims = claims_of(assertions)
        file_claims(self.workbench, self.question, claims)
        ids = [passage.id for passage in found]
        answer = marked_answer(self.short, self.short, self.how, ids, claims, stopped_because, workbench=self.workbench)
        return replace(answer, num_marks_removed=answer.num_marks_removed + self.num_marks_removed)

    def _assertion(self, sentence: _Sentence) -> Assertion:
        passages = {passage.id: passage for passage in (*sentence.passages, *self.question.pinned, *self.found.values())}
        origin: Origin = "retrieved" if passages else "model"
        return Assertion(self.question.text, sentence.plain, origin, tuple(passages.values()))


def _plain(written: str) -> tuple[str, int]:
    """A sentence without marks and escapes, and the number of marks."""
    text, num_removed = settle_marks(written, ())
    return unescape(text).strip(), num_removed


def _each_once(hits: Sequence[Hit]) -> tuple[Passage, ...]:
    return tuple({hit.passage.id: hit.passage for hit in hits}.values())
