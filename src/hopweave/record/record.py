"""The record of a question: one line of JSON with everything needed to draw, score, check or replay the run.

Timings are kept separately in `Timing`, so that two runs can be compared by `Record.fingerprint`, which is the same exactly
when they differ only in timing.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from hopweave.citations.marking import verdict_of, verdict_problems
from hopweave.core.errors import DataError, ReplayMiss
from hopweave.core.json_text import mapping_adapter, one_line_of_json
from hopweave.core.preparation import prepared
from hopweave.core.types import Answer, Citation, Message, Passage, Question
from hopweave.record.changes import Branch
from hopweave.record.earlier_schemas import FIRST, from_first
from hopweave.record.failures import Failure
from hopweave.record.steps import (
    OFFLINE,
    READER,
    AnyStep,
    Decision,
    ModelCall,
    Read,
    Search,
    Step,
    Timing,
    check_in,
    passage_ids_of,
)

SCHEMA = "hopweave.record/2"
Rounds = Literal["block", "per_call"]


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over a trace. Words are split at white space; `prompt_words` counts everything that was sent, each time it was sent.

    `llm_calls` are requests, `completions` the replies that they returned: one request may return several samples. Prompt words
    and tokens cover the same requests. `thinking_tokens` are those of the `completion_tokens` with which the model thought, as
    far as endpoints count them; its thoughts are not among the `reply_words`. `estimated_tokens` are those, in and out, that no
    endpoint counted.
    """

    llm_calls: int
    completions: int
    llm_failures: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    thinking_tokens: int
    estimated_tokens: int
    prompt_words: int
    reply_words: int
    searches: int
    queries: int
    reads: int
    parse_failures: int
    llm_seconds: float
    search_seconds: float


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that a run depends on besides the question: enough to repeat it.

    Attributes:
        version: the version of hopweave.
        method: name of the method; `options` are its options in full.
        llm: identity of the model; `retriever` and `reader` likewise, empty if there is none.
        word_vectors: name of the word vectors by which sentences were chosen; empty if there were none.
        prompts: fingerprint of each prompt that was used.
        budget: limits of the question; a missing limit is not set.
        settings: the settings as given, without secrets.
    """

    version: str
    method: str
    options: Mapping[str, Any]
    llm: str
    retriever: str = ""
    reader: str = ""
    word_vectors: Annotated[str, Field(exclude_if=lambda name: not name)] = ""
    prompts: Mapping[str, str] = field(default_factory=dict)
    budget: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """One question, answered or failed, with everything that happened.

    Attributes:
        schema: version of this layout; records of other versions are refused.
        question: the question.
        answer: the answer; `None` exactly when `error` is set.
        error: why there is no answer.
        setup: what the run depends on.
        messages: every distinct message that was sent, once.
        passages: every passage that was found, once.
        steps: in order, parents before children; including those of an offline stage, see `offline_steps`.
        started_at: start time, as an ISO 8601 time in UTC.
        seconds: duration, without an offline stage.
        branch: the record that this one branches from, and the changes; left out of the JSON if there is none.
    """

    # JSON has no infinity: an infinite limit or option is written as a string and read back as a number.
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(ser_json_inf_nan="strings")

    schema: str
    question: Question
    answer: Answer | None
    error: Failure | None
    setup: Setup
    messages: tuple[Message, ...]
    passages: tuple[Passage, ...]
    steps: tuple[Step, ...]
    started_at: str
    seconds: float
    branch: Annotated[Branch | None, Field(exclude_if=lambda branch: branch is None)] = None

    def to_json(self) -> str:
        """The record as one line of JSON."""
        return one_line_of_json(_record_adapter(), self)

    @classmethod
    def from_json(cls, line: str) -> Record:
        """Reads a record and checks that it is consistent: citations quote their passages, the verdict follows from the claims.

        A record of the first schema is converted by `hopweave.record.earlier_schemas`.

        Raises:
            DataError: for another schema, a damaged line, inconsistent steps, an invalid citation, or a verdict that does not
                follow from the claims.
        """
        try:
            read = mapping_adapter().validate_json(line)
            schema = read.get("schema")
            if schema not in (SCHEMA, FIRST):
                raise DataError(
                    f"this record has schema {schema!r}; this version of hopweave reads {SCHEMA!r} and {FIRST!r}: "
                    "update hopweave"
                )
            record = _record_adapter().validate_json(line) if schema == SCHEMA else _of_first_schema(read)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the line"
            raise DataError(f"not a record: {where}: {first['msg']}; restore the file or run the question again") from None
        for problem in (*record._shape_problems(), *record.citation_problems(), *record._verdict_problems()):
            raise DataError(f"the record of question {record.question.id!r} was altered: {problem}; run the question again")
        return record

    def passage(self, passage_id: str) -> Passage:
        """The passage with that id.

        Raises:
            KeyError: if the record does not contain it.
        """
        for passage in self.passages:
            if passage.id == passage_id:
                return passage
        raise KeyError(passage_id)

    def citation_problems(self) -> Iterator[str]:
        """Yields one line for each citation whose quote does not match its passage."""
        if self.answer is not None:
            yield from citation_problems(self.answer, {passage.id: passage.text for passage in self.passages})

    def cited_passages(self) -> tuple[tuple[Citation, Passage], ...]:
        """Each citation of the answer with the passage that it quotes, in the order of the claims; none without an answer."""
        held = {passage.id: passage for passage in self.passages}
        citations = self.answer.citations if self.answer is not None else ()
        return tuple((citation, held[citation.passage_id]) for citation in citations)

    def passages_against(self) -> tuple[tuple[Citation, Passage], ...]:
        """The quotes that contradict claims of the answer, with their passages, in the order of the claims; each once."""
        held = {passage.id: passage for passage in self.passages}
        claims = self.answer.claims if self.answer is not None else ()
        against = dict.fromkeys(claim.contradicted_by for claim in claims if claim.contradicted_by is not None)
        return tuple((citation, held[citation.passage_id]) for citation in against)

    def __repr__(self) -> str:
        """The question and its answer; all the rest, which is long, is in `to_json`."""
        answer = self.answer
        said = f"error={self.error!r}" if answer is None else f"answer={answer.short!r}, standing={answer.verdict.standing!r}"
        return f"<Record question={self.question.text!r}, {said}>"

    def _repr_html_(self) -> str:
        """The display in a notebook: the answer with its quotes."""
        from hopweave.record.notebook import in_html

        cited, against = self.cited_passages(), self.passages_against()
        return in_html(self.question.text, self.answer, self.error, cited, against, self.seconds)

    def _verdict_problems(self) -> Iterator[str]:
        if self.answer is not None:
            yield from verdict_problems(self.answer)
            agreed, check = self.answer.verdict.agreed, check_in(self.steps) or {}
            if agreed is not None and agreed != check.get("agrees_at_once"):
                yield "its verdict does not follow from its check"

    def _shape_problems(self) -> Iterator[str]:
        if (self.answer is None) == (self.error is None):
            yield "it must contain either an answer or an error"
        known = {passage.id for passage in self.passages}
        for position, step in enumerate(self.steps):
            if step.id != position or not (step.parent is None or 0 <= step.parent < position):
                yield f"step {position} is not in its place"
            if isinstance(step, ModelCall) and not all(0 <= index < len(self.messages) for index in step.messages):
                yield f"step {position} refers to a message that is not in the record"
            if isinstance(step, Decision) and not all(0 <= other < len(self.steps) for other in step.after):
                yield f"step {position} refers to a step that is not in the record"
            if not known.issuperset(passage_ids_of(step)):
                yield f"step {position} refers to a passage that is not in the record"

    @property
    def offline_steps(self) -> tuple[AnyStep, ...]:
        """Steps that a run takes once for all its questions, such as writing demonstrations; every record includes them."""
        within = self._offline_ids()
        return tuple(step for step in self.steps if step.id in within)

    @property
    def own_steps(self) -> tuple[AnyStep, ...]:
        """The steps of this question alone: all but `offline_steps`."""
        within = self._offline_ids()
        return tuple(step for step in self.steps if step.id not in within) if within else self.steps

    def _offline_ids(self) -> set[int]:
        within: set[int] = set()
        for step in self.steps:
            if step.parent in within or (isinstance(step, Decision) and step.label == OFFLINE):
                within.add(step.id)
        return within

    def totals(self, *, offline: bool = False) -> Totals:
        """Sums over the steps; nothing here is stored, so nothing can disagree with the steps.

        Args:
            offline: over `offline_steps` instead of `own_steps`.
        """
        counts: Counter[str] = Counter()
        seconds = dict.fromkeys(("llm", "search"), 0.0)
        words = [len(message.text.split()) for message in self.messages]
        for step in self.offline_steps if offline else self.own_steps:
            counts[step.kind] += 1
            match step:
                case Search(is_rewritten=True):
                    counts["search"] -= 1
                case ModelCall():
                    counts["llm_calls"] += not step.is_shared
                    counts["llm_failures"] += step.text is None and not step.is_shared
                    counts["prompt_tokens"] += step.usage.prompt_tokens
                    counts["completion_tokens"] += step.usage.completion_tokens
                    counts["cached_tokens"] += step.usage.cached_tokens
                    counts["thinking_tokens"] += step.usage.thinking_tokens
                    if step.usage.is_estimated:
                        counts["estimated_tokens"] += step.usage.prompt_tokens + step.usage.completion_tokens
                    counts["prompt_words"] += sum(words[index] for index in step.messages) if _was_sent(step) else 0
                    counts["reply_words"] += len((step.text or "").split())
                    seconds["llm"] += 0.0 if step.is_shared else step.timing.seconds
                case Search():
                    counts["queries"] += len(step.queries)
                    seconds["search"] += step.timing.seconds
                case _:
                    pass
        return Totals(
            llm_calls=counts["llm_calls"],
            completions=counts["model_call"],
            llm_failures=counts["llm_failures"],
            prompt_tokens=counts["prompt_tokens"],
            completion_tokens=counts["completion_tokens"],
            cached_tokens=counts["cached_tokens"],
            thinking_tokens=counts["thinking_tokens"],
            estimated_tokens=counts["estimated_tokens"],
            prompt_words=counts["prompt_words"],
            reply_words=counts["reply_words"],
            searches=counts["search"],
            queries=counts["queries"],
            reads=counts["read"],
            parse_failures=counts["parse_failure"],
            llm_seconds=seconds["llm"],
            search_seconds=seconds["search"],
        )

    def num_rounds(self, mode: Rounds = "block") -> int:
        """Rounds of retrieval.

        Args:
            mode: `block` counts each run of searches between two model calls as one round, however many queries it sent; a
                reader's calls, which belong to a search, do not end a round. `per_call` counts every query, as ToQD's released
                code does. If the model rewrites queries, those sent to the engine are counted. Parallel branches are counted as
                if they had run one after another, so that a replay gives the same number.
        """
        if mode == "per_call":
            return self.totals().queries
        kinds = [
            step.kind
            for step in self.own_steps
            if (isinstance(step, Search) and not step.is_rewritten) or (isinstance(step, ModelCall) and step.purpose != READER)
        ]
        return sum(kind == "search" and (index == 0 or kinds[index - 1] != "search") for index, kind in enumerate(kinds))

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of everything but timings: equal for a run and its replay."""
        still = Timing(0.0, 0.0)
        steps = tuple(replace(s, timing=still) if isinstance(s, ModelCall | Search | Read) else s for s in self.steps)
        return hashlib.sha256(replace(self, steps=steps, started_at="", seconds=0.0).to_json().encode()).hexdigest()


def citation_problems(answer: Answer, texts: Mapping[str, str]) -> Iterator[str]:
    """Yields one line for each invalid citation.

    Args:
        answer: the answer with the citations.
        texts: the passages' texts, by id.
    """
    against = (claim.contradicted_by for claim in answer.claims)
    for citation in (*answer.citations, *filter(None, against)):
        text, focus = texts.get(citation.passage_id), citation.focus
        if text is None:
            yield f"citation [{citation.mark}] names passage {citation.passage_id!r}, which is not in the record"
        elif not 0 <= citation.start < citation.end <= len(text) or text[citation.start : citation.end] != citation.quote:
            yield f"citation [{citation.mark}] does not quote passage {citation.passage_id!r}"
        elif focus is not None and not citation.start <= focus.start < focus.end <= citation.end:
            yield f"citation [{citation.mark}] has its focus outside of its quote"


def _was_sent(step: ModelCall) -> bool:
    """Whether its prompt was sent, so that words and tokens cover the same requests."""
    is_missed = step.error is not None and step.error.kind == ReplayMiss.__name__
    return step.usage.prompt_tokens > 0 or not (step.is_shared or is_missed)


def _of_first_schema(read: Mapping[str, Any]) -> Record:
    record = _record_adapter().validate_json(mapping_adapter().dump_json(from_first(read, SCHEMA)))
    answer = record.answer
    return record if answer is None else replace(record, answer=replace(answer, verdict=verdict_of(answer)))


@prepared
@cache
def _record_adapter() -> TypeAdapter[Record]:
    return TypeAdapter(Record)
