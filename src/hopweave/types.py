"""The plain data that every part of hopweave speaks: frozen, typed, standard library only.

Data flows in one direction. A dataset yields an `Example`, which keeps apart what a method may see (`Question`) and what only
a metric may see (`Gold`). A method turns the `Question` into an `Answer`; everything it did on the way is in the trace.

Offsets are code points (Python `str` indices), half open: `text[start:end]`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

AnswerForm = Literal["short", "label", "long"]
"""What kind of answer is asked for: a few words, one of a closed set of labels, or several sentences."""

Origin = Literal["model", "verified", "corrected", "completed", "retrieved"]
"""How a claim came to be, which is the method's business.

`model`: the model said it, and nothing checked it. `verified`: the model said it, and the method's own check passed.
`corrected`: a passage's words replaced the model's. `completed`: the model left it open, and a passage's words filled it.
`retrieved`: the model wrote it with the passages before it.
"""

Support = Literal["supported", "contradicted", "unsupported"]
"""How a claim stands, by the one rule of `hopweave.grounding.support`, the same for every method.

`supported`: a passage bears it out. `contradicted`: none does, and one says otherwise. `unsupported`: neither.
"""

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Question:
    """All that a method may see of what is asked.

    Attributes:
        id: identifies the question within its dataset or run.
        text: the question itself.
        form: the kind of answer asked for; it decides how the final answer is read and how consistency is tested.
        labels: the allowed labels, in order, where `form` is `"label"`.
        family: the task family whose demonstrations fit, such as `multi_hop` or `slot_filling`; if empty it goes by form and
            labels (`demonstrations.family_of`).
        pinned: passages that the question comes with and is about (as IIRC's main passage); they need no retrieval.
        dataset: the benchmark that it is from, such as `hotpotqa`, where published settings of methods go by it; else empty.
    """

    id: str
    text: str
    form: AnswerForm = "short"
    labels: tuple[str, ...] = ()
    family: str = ""
    pinned: tuple[Passage, ...] = ()
    dataset: str = ""


@dataclass(frozen=True, slots=True)
class GoldStep:
    """A hop of the reasoning as the annotators wrote it; the passage that holds its answer, if the dataset names one."""

    query: str
    answer: str
    passage_id: str = ""


@dataclass(frozen=True, slots=True)
class Gold:
    """All that only a metric may see.

    Attributes:
        answers: the right answers; any one of them counts.
        passage_ids: of the passages that hold the evidence, as the pooled corpus of the dataset has them.
        facts: words that a relevant passage holds, where relevance is judged by words (MultiHop-RAG).
        steps: the hops, where the dataset has them.
    """

    answers: tuple[str, ...]
    passage_ids: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    steps: tuple[GoldStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its gold, and traits to group by (such as `type`, `hops`, `level`)."""

    question: Question
    gold: Gold
    traits: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Column:
    """What a column of a metric says.

    Attributes:
        meaning: in a few words.
        better: which way is better; empty where neither is.
        low: the least value that can be.
        high: the greatest value that can be; infinite where there is none.
        unit: such as `seconds`; empty for a share or a count.
    """

    meaning: str
    better: Literal["higher", "lower", ""] = "higher"
    low: float = 0.0
    high: float = 1.0
    unit: str = ""

    @property
    def worst(self) -> float | None:
        """What a question that failed counts as; `None` where neither way is better, or there is no worst value."""
        value = {"higher": self.low, "lower": self.high}.get(self.better)
        return value if value is not None and math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of the corpus, small enough to be read at once.

    Attributes:
        id: unique within its index.
        text: what is read and quoted.
        title: of the page or document that it comes from; empty if it has none.
        source: the file or address that it was read from.
        start: where `text` begins in the text extracted from `source`, if it is a part of a longer document.
        end: where it ends there.
    """

    id: str
    text: str
    title: str = ""
    source: str = ""
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Via:
    """What led a retriever from one passage to another.

    Attributes:
        passage_id: of the passage that it came from, which need not be among the hits.
        title: of that passage.
        by: `link`, where one of them names the other's document; `words`, where the other answers what the first leaves open.
    """

    passage_id: str
    title: str
    by: Literal["link", "words"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found by a retriever.

    Attributes:
        passage: that was found.
        score: higher is better.
        rank: from 1.
        via: what led to it; `None` where it was found by the query itself.
    """

    passage: Passage
    score: float
    rank: int
    via: Via | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text, `text[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of a passage for a query.

    Attributes:
        text: the answer as it stands in the passage or in its title; empty if there is none.
        span: where it stands in the passage's text; `None` if `text` is empty, or stands in the title.
        confidence: f, how sure the reader is that the passage answers the query. Its scale is the reader's own (a raw logit
            or log-odds), so a threshold belongs to a reader.
        in_title: whether `text` stands in the passage's title, which can be compared with an answer and cannot be quoted.
    """

    text: str
    span: Span | None
    confidence: float
    in_title: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """The exact stretch of a passage that a claim rests on.

    Attributes:
        mark: the k of `[k]` in the answer's text.
        passage_id: the passage.
        start: first code point of the quote in the passage's text.
        end: one past its last.
        quote: always equal to `passage.text[start:end]`.
        focus: the words within the passage that answer the query (inside the quote), if a reader found them.
    """

    mark: int
    passage_id: str
    start: int
    end: int
    quote: str
    focus: Span | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One step of reasoning that asserts something. `hopweave.grounding.support.claim_of` makes it.

    Attributes:
        query: what it answers.
        text: what it says; empty if the query stayed open.
        origin: how it came to be.
        support: how it stands.
        citations: what it rests on; a claim that is `supported` has at least one. SearChain's `cite = "every_node"` also cites
            what was found for a claim that is not.
        contradicted_by: the words of the passage that says otherwise, where it is `contradicted`; its mark is 0, since it
            never stands in the text.
    """

    query: str
    text: str
    origin: Origin = "model"
    support: Support = "unsupported"
    citations: tuple[Citation, ...] = ()
    contradicted_by: Citation | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a whole answer stands. `hopweave.grounding.marking.verdict_of` makes it.

    Attributes:
        support: of the claim that carries the answer, that is, which says what `Answer.short` says; `unsupported` where none
            does. Of a long answer that no single claim carries: of the weakest of its sentences.
        carried_by: the number of that claim, from 1; `None` where there is none.
        num_claims: that say something.
        num_supported: that a passage bears out.
        num_contradicted: of which a passage says otherwise.
        num_sentences_without_claim: sentences of the final text that belong to no claim.
    """

    support: Support = "unsupported"
    carried_by: int | None = None
    num_claims: int = 0
    num_supported: int = 0
    num_contradicted: int = 0
    num_sentences_without_claim: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a method hands back.

    Attributes:
        text: the final content for a reader, with `[k]` marks; each mark resolves to a citation of `claims`, and stands on a
            sentence that states that claim.
        short: the bare answer, as metrics take it.
        claims: in the order of the reasoning.
        stopped_because: `finished`, or what ended the work early (such as `max_rounds` or `max_llm_calls`).
        how: how `short` was read off the model's words (such as `marker`, `forced`, `last-claim`).
        num_marks_removed: marks that the model invented and that were taken out of `text`.
        passage_ids: what the method retrieved to answer from, in the order it counts (best or earliest first).
        num_marks_misplaced: marks of claims that were taken out of `text`, since the sentence states another claim, or since
            the claim rests on nothing.
        verdict: how the answer stands; the record has it, whatever the method says.
    """

    text: str
    short: str
    claims: tuple[Claim, ...] = ()
    stopped_because: str = "finished"
    how: str = "marker"
    num_marks_removed: int = 0
    passage_ids: tuple[str, ...] = ()
    num_marks_misplaced: int = 0
    verdict: Verdict = Verdict()

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All citations, in the order of the claims."""
        return tuple(citation for claim in self.claims for citation in claim.citations)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation. A last turn of the assistant is a prefill: the model goes on from it."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a reply is drawn. The defaults are greedy.

    Attributes:
        temperature: 0 is greedy.
        top_p: nucleus mass, above 0 up to 1.
        max_tokens: at most this many new tokens.
        stop: the reply ends before the first of these; cut again on our side, since servers forget to.
        seed: for drawing.
        top_logprobs: how many alternatives per token to report; 0 asks for none.
        json_schema: constrains the reply where the endpoint can.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 512
    stop: tuple[str, ...] = ()
    seed: int | None = None
    top_logprobs: int = 0
    json_schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as the endpoint counts them. `cached_tokens` are prompt tokens it did not compute again.

    Where the endpoint did not count, as of a stream that was cut, they are estimated, and `is_estimated` says so.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    is_estimated: bool = False


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A token of a reply, its natural log-probability, and the most likely alternatives (itself included)."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What a language model said.

    Attributes:
        text: without the stop string, and without the prefill.
        finish_reason: `stop`, `length`, or what else the endpoint says.
        usage: tokens.
        logprobs: one entry a token, if they were asked for and the endpoint gives them.
    """

    text: str
    finish_reason: str = "stop"
    usage: Usage = Usage()
    logprobs: tuple[TokenLogprob, ...] = ()


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an endpoint can do, so that a method may use it and must not rely on it.

    Attributes:
        prefill: goes on from a last turn of the assistant.
        logprobs: reports log-probabilities of tokens and alternatives.
        json_schema: constrains a reply to a schema.
        samples: draws several replies in one request (`protocols.ManyReplies`).
        scores: reports log-probabilities of words that it is given (`protocols.TextScorer`).
        context_tokens: length of its context, if known.
        max_parallel: how many calls it serves at a time, if there is such a limit.
    """

    prefill: bool = False
    logprobs: bool = False
    json_schema: bool = False
    samples: bool = False
    scores: bool = False
    context_tokens: int | None = None
    max_parallel: int | None = None
