"""The plain data types used throughout hopweave: frozen, typed, standard library only.

Data flows in one direction. A dataset yields an `Example`, which separates what a method may see (`Question`) from what only
a metric may see (`Gold`). A method turns the `Question` into an `Answer`; everything it did on the way is in the trace.

Offsets are code points (Python `str` indices), half open: `text[start:end]`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

AnswerForm = Literal["short", "label", "long"]
"""The kind of answer expected: a few words, one of a closed set of labels, or several sentences."""

Origin = Literal["model", "verified", "corrected", "completed", "retrieved", "yours"]
"""Where a claim came from, as decided by the method.

`model`: the model said it, and nothing checked it. `verified`: the model said it, and the method's check passed.
`corrected`: a passage's words replaced the model's. `completed`: the model left it open, and a passage's words filled it in.
`retrieved`: the model wrote it with passages in the prompt, or search listed it. `yours`: the user replaced the model's words
with it.
"""

Support = Literal["supported", "contradicted", "unsupported"]
"""A claim's support, decided by `hopweave.citations.support` in the same way for every method.

`supported`: a passage supports it. `contradicted`: none does, and one contradicts it. `unsupported`: neither.
"""

Standing = Literal["supported", "uncertain", "contradicted", "unsupported"]
"""How an answer stands: its support, or `uncertain` if it is supported, but not certain enough for a tick."""

Shortfall = Literal[
    "", "words", "bare", "subject", "relation", "kind", "denial", "hedge", "replaced", "rival", "premise", "check"
]
"""Why a claim is not supported, as `hopweave.citations.shortfalls` puts it in words; empty if it is, or says nothing.

`words`: no passage has its words. `bare`: it is a yes, a no or words of the query, which no passage states as the answer.
`subject`: the sentence that has its words does not name what was asked about. `relation`: it does not say what was asked about
that. `kind`: it is not the kind of answer that was asked for. `denial`: only one of the two has a "not". `hedge`: the sentence
leaves open what the answer says. `replaced`: that was replaced, rejected or withdrawn, as the text itself says. `rival`:
another sentence says something else. `premise`: a step that it rests on is not supported. `check`: the method's own check
failed.
"""

Role = Literal["system", "user", "assistant", "tool"]


def _omitting_defaults(schema: Any, **defaults: Any) -> Any:
    """A pydantic schema that leaves fields out of JSON while they have these values, as if they did not exist.

    Records and stores from before a field existed then keep every byte.
    """
    for one in schema["schema"]["fields"]:
        if one["name"] in defaults:
            one["serialization_exclude_if"] = partial(operator.eq, defaults[one["name"]])
    return schema


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that a method may see of a question.

    Attributes:
        id: identifies the question within its dataset or run.
        text: the question itself.
        form: the kind of answer expected; it decides how the final answer is parsed and how consistency is checked.
        labels: the allowed labels, in order, if `form` is `"label"`.
        family: the task family of suitable demonstrations, such as `multi_hop` or `slot_filling`; if empty, it is inferred from
            form and labels (`demonstrations.family_of`).
        pinned: passages that come with the question and that it is about (such as IIRC's main passage); they need no retrieval.
        dataset: the benchmark that it comes from, such as `hotpotqa`, if published settings depend on it; else empty.
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
    """A hop of the reasoning as the annotators wrote it, and the passage that contains its answer, if the dataset names one."""

    query: str
    answer: str
    passage_id: str = ""


@dataclass(frozen=True, slots=True)
class GoldSentence:
    """A sentence that the annotators marked as evidence: `text[start:end]` of a passage of the dataset's pooled corpus."""

    passage_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Gold:
    """Everything that only a metric may see.

    Attributes:
        answers: the accepted answers; any one of them counts.
        passage_ids: ids, in the dataset's pooled corpus, of the passages that contain the evidence.
        facts: text that a relevant passage contains, where relevance is judged by text (MultiHop-RAG).
        steps: the hops, if the dataset has them.
        sentences: the sentences of those passages that are the evidence, if the dataset marks sentences. A mark without a
            sentence in the data is an empty span, which no citation can meet.
    """

    answers: tuple[str, ...]
    passage_ids: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    steps: tuple[GoldStep, ...] = ()
    sentences: tuple[GoldSentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its gold data, and traits for grouping (such as `type`, `hops`, `level`)."""

    question: Question
    gold: Gold
    traits: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Column:
    """Describes a column of a metric.

    Attributes:
        meaning: in a few words.
        better: which direction is better; empty if neither is.
        low: the lowest possible value.
        high: the highest possible value; infinite if unbounded.
        unit: such as `seconds`; empty for a share or a count.
    """

    meaning: str
    better: Literal["higher", "lower", ""] = "higher"
    low: float = 0.0
    high: float = 1.0
    unit: str = ""

    @property
    def worst(self) -> float | None:
        """The value of a failed question; `None` if neither direction is better, or there is no worst value."""
        value = {"higher": self.low, "lower": self.high}.get(self.better)
        return value if value is not None and math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of the corpus, small enough to be read at once.

    Attributes:
        id: unique within its index.
        text: the text that is read and quoted.
        title: the title of its page or document; empty if it has none.
        source: the file or URL that it was read from.
        start: where `text` starts in the text extracted from `source`, if it is part of a longer document.
        end: where it ends there.
        metadata: values such as its author or year, by key; left out of JSON if empty, as is `access`.
        access: labels; only users who hold at least one of them may see the passage. If empty, everyone may.
        sections: the headings of the sections that all of it is in, from the outermost, without the title; left out of JSON if
            empty.
    """

    id: str
    text: str
    title: str = ""
    source: str = ""
    start: int | None = None
    end: int | None = None
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)
    access: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """Its title and sections as they are shown, such as `Cron > Files > Format of a line`; empty if it has neither."""
        return " > ".join(filter(None, (self.title, *self.sections)))

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> Any:
        return _omitting_defaults(handler(source), metadata={}, access=(), sections=())


@dataclass(frozen=True, slots=True)
class Via:
    """The connection by which a retriever came from one passage to another.

    Attributes:
        passage_id: the id of the passage that it came from, which need not be among the hits.
        title: the title of that passage.
        by: `link` if one of them names the other's document; `reference` if the first refers to a section, a table or the like
            that the other is of; `words` if the other answers what the first leaves open.
    """

    passage_id: str
    title: str
    by: Literal["link", "reference", "words"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found by a retriever.

    Attributes:
        passage: the passage.
        score: higher is better; each retriever has its own scale.
        rank: starts at 1.
        via: the passage that led to it; `None` if the query itself found it.
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
    """What a reader extracted from a passage for a query.

    Attributes:
        text: the answer, verbatim from the passage or its title; empty if there is none.
        span: its position in the passage's text; `None` if `text` is empty or comes from the title.
        confidence: f, how confident the reader is that the passage answers the query. The scale is specific to the reader (a
            raw logit or log-odds), so a threshold belongs to a reader.
        in_title: whether `text` comes from the passage's title, which can be compared with an answer but not quoted.
    """

    text: str
    span: Span | None
    confidence: float
    in_title: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """The exact stretch of a passage that supports a claim.

    Attributes:
        mark: the k of `[k]` in the answer's text, from 1.
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
    """One step of reasoning that asserts something. Created by `hopweave.citations.support.claim_of`.

    Attributes:
        query: the query that it answers.
        text: its statement; empty if the query stayed open.
        origin: where it came from.
        support: whether a passage supports it.
        citations: its evidence; a `supported` claim has at least one. SearChain's `cite = "every_node"` also cites what was
            found for claims that are not supported.
        contradicted_by: the words of the contradicting passage if it is `contradicted`; its mark is 0, since it never appears
            in the text.
        shortfall: why it is not supported; empty if it is. Left out of JSON if empty.
        rule: which rule found that, as a clause about the claim such as "it is in another column"; empty if it was no rule of
            `hopweave.citations.objections`. Left out of JSON if empty.
    """

    query: str
    text: str
    origin: Origin = "model"
    support: Support = "unsupported"
    citations: tuple[Citation, ...] = ()
    contradicted_by: Citation | None = None
    shortfall: Shortfall = ""
    rule: str = ""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> Any:
        return _omitting_defaults(handler(source), shortfall="", rule="")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The support of a whole answer. Created by `hopweave.citations.marking.verdict_of`.

    Attributes:
        support: that of the claim that carries the answer, i.e. states `Answer.short`; `unsupported` if there is none. For a
            long answer that no single claim carries: that of its weakest sentence.
        carried_by: the number of that claim, from 1; `None` if there is none.
        num_claims: the number of claims that say something.
        num_supported: how many of them a passage supports.
        num_contradicted: how many of them a passage contradicts.
        num_sentences_without_claim: sentences of the final text that belong to no claim.
        confidence: the probability, 0 to 1, that the answer is right, as estimated from the record; `None` where no calibration
            was applied. Left out of JSON then, as is `threshold`.
        threshold: the least confidence, 0 to 1, of an answer that gets a tick.
        agreed: whether the facts, read once more, gave the same answer; `None` if they were not (`check = "more"`). Left out of
            JSON then.
    """

    support: Support = "unsupported"
    carried_by: int | None = None
    num_claims: int = 0
    num_supported: int = 0
    num_contradicted: int = 0
    num_sentences_without_claim: int = 0
    confidence: float | None = None
    threshold: float | None = None
    agreed: bool | None = None

    @property
    def has_tick(self) -> bool:
        """Whether the answer is supported, likely enough where that was estimated, and the same where it was checked."""
        return self.support == "supported" and self.is_likely and self.agreed is not False

    @property
    def is_likely(self) -> bool:
        """Whether its confidence reaches the threshold, or was not estimated."""
        return self.confidence is None or self.threshold is None or self.confidence >= self.threshold

    @property
    def standing(self) -> Standing:
        """The support, or `uncertain` for an answer that is supported and gets no tick."""
        return "uncertain" if self.support == "supported" and not self.has_tick else self.support

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> Any:
        return _omitting_defaults(handler(source), confidence=None, threshold=None, agreed=None)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a method returns.

    Attributes:
        text: the final text for the user, with `[k]` marks; each mark resolves to a citation of `claims` and is placed on a
            sentence that states that claim.
        short: the bare answer, as used by metrics.
        claims: in the order of the reasoning.
        stopped_because: `finished`, or the reason for stopping early (such as `max_rounds` or `max_llm_calls`).
        how: how `short` was extracted from the model's words (such as `marker`, `forced`, `last-claim`).
        num_marks_removed: marks that the model invented and that were removed from `text`.
        passage_ids: the passages retrieved for the answer, in ranked order (best or earliest first).
        num_marks_misplaced: marks of claims that were removed from `text` because the sentence states another claim, or because
            the claim has no support.
        verdict: the support of the answer; set in the record, whatever the method reports.
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

    @property
    def cites_without_support(self) -> bool:
        """Whether the claim that carries the answer is unsupported, yet cites a passage: one that does not settle it."""
        carrier = self.carrier
        return carrier is not None and carrier.support == "unsupported" and bool(carrier.citations)

    @property
    def is_disputed(self) -> bool:
        """Whether one passage has the answer and another contradicts it."""
        carrier = self.carrier
        return carrier is not None and carrier.support == "contradicted" and bool(carrier.citations)

    @property
    def carrier(self) -> Claim | None:
        """The claim that carries the answer; `None` if there is none."""
        return self.claims[self.verdict.carried_by - 1] if self.verdict.carried_by is not None else None


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may call.

    Attributes:
        name: letters, digits and underscores.
        description: tells the model what it does and when to call it.
        parameters: the JSON schema of its arguments, an object.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool, as the model made it.

    Attributes:
        id: identifies the call within the conversation; the message with its result refers to it.
        name: the name of the tool, which may be none of those offered.
        arguments: the arguments as the model wrote them: JSON, if it kept to the schema.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation. A final assistant turn is a prefill: the model continues it.

    Attributes:
        role: who says it.
        text: the words.
        tool_calls: the calls that an assistant turn makes.
        result_of: the id of the call whose result a turn of the role `tool` is.
        thoughts: what the model thought before an assistant turn with tool calls: some endpoints want it back.
    """

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    result_of: str = ""
    thoughts: str = ""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> Any:
        return _omitting_defaults(handler(source), tool_calls=(), result_of="", thoughts="")


@dataclass(frozen=True, slots=True)
class Sampling:
    """Decoding parameters. The defaults are greedy.

    Attributes:
        temperature: from 0, which is greedy.
        top_p: nucleus probability mass, above 0 up to 1.
        max_tokens: the maximum number of new tokens of the answer; what the model thinks before it has a limit of its own.
        stop: the reply ends before the first of these; enforced again on our side, since servers may not.
        seed: for random sampling.
        top_logprobs: how many alternatives per token to report; 0 for none.
        json_schema: constrains the reply if the endpoint can.
        tools: the functions that the model may call instead of replying, if the endpoint can.
        thinking: `auto` leaves it to the model's settings how much it thinks; `off` says that this step needs no thought;
            `in_text` says that the prompt asks for thoughts between tags, which then stay in the reply. A method's prompt
            always has the same value, so the store does not distinguish them.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 512
    stop: tuple[str, ...] = ()
    seed: int | None = None
    top_logprobs: int = 0
    json_schema: Mapping[str, Any] | None = None
    tools: tuple[Tool, ...] = ()
    thinking: Literal["auto", "off", "in_text"] = "auto"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> Any:
        return _omitting_defaults(handler(source), tools=(), thinking="auto")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as counted by the endpoint. `cached_tokens` are prompt tokens that it did not recompute.

    If the endpoint gave no counts, as for a truncated stream, they are estimates, and `is_estimated` is set.
    `thinking_tokens` are those of the `completion_tokens` that the model thought with, if the endpoint counts them.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    is_estimated: bool = False
    thinking_tokens: int = 0

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> Any:
        return _omitting_defaults(handler(source), thinking_tokens=0)


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A token of a reply, its natural log-probability, and the most likely alternatives (itself included)."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of a language model.

    Attributes:
        text: without the stop string, and without the prefill.
        finish_reason: `stop`, `length`, or whatever else the endpoint reports.
        usage: token counts.
        logprobs: one entry per token of `text`, if they were requested and the endpoint provides them.
        thoughts: what the model thought before it replied, if the endpoint shows it. It is kept in the record and is never
            parsed, cited or taken for the answer.
        tool_calls: the tools that the model calls, in order; `text` is then usually empty.
    """

    text: str
    finish_reason: str = "stop"
    usage: Usage = Usage()
    logprobs: tuple[TokenLogprob, ...] = ()
    thoughts: str = ""
    tool_calls: tuple[ToolCall, ...] = ()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> Any:
        return _omitting_defaults(handler(source), thoughts="", tool_calls=())


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an endpoint can do: methods may use it but must not depend on it.

    Attributes:
        prefill: continues a final assistant turn.
        logprobs: reports log-probabilities of tokens and alternatives.
        json_schema: constrains a reply to a schema.
        samples: draws several replies in one request (`core.protocols.ManyReplies`).
        scores: reports log-probabilities of a given text (`core.protocols.TextScorer`).
        tools: calls tools (`Sampling.tools`).
        is_small: has so few parameters that it follows only short, worked prompts; a method may then ask less at a time.
        context_tokens: its context length, if known.
        max_parallel: the number of calls it serves at a time, from 1, if limited.
        loads_weights: is loaded by each process that asks it.
    """

    prefill: bool = False
    logprobs: bool = False
    json_schema: bool = False
    samples: bool = False
    scores: bool = False
    tools: bool = False
    is_small: bool = False
    context_tokens: int | None = None
    max_parallel: int | None = None
    loads_weights: bool = False
