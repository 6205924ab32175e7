"""Finished questions as OpenTelemetry spans, under the names of OpenInference.

A span for the question, and under it one for each call of the model, search and reading, with their times. They are created
from the finished record, so that tracing never delays a question. Texts are left out unless they are requested, because spans
go to another system, which has no access labels. Their destination is set by the environment variables of OpenTelemetry
(`OTEL_EXPORTER_OTLP_ENDPOINT` and the like).

If a request has a `traceparent` (W3C Trace Context), its spans are part of the caller's trace.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version

from opentelemetry.context import Context
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Span, Status, StatusCode, get_current_span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from hopweave.core.characters import whole
from hopweave.core.json_text import mapping_adapter, one_line_of_json
from hopweave.core.types import Message, Tool
from hopweave.record import Failure, ModelCall, Read, Record, Search

_NANOSECONDS = 1_000_000_000
_KIND = "openinference.span.kind"

Attributes = dict[str, str | int | float]


class Spans:
    """Sends a span tree for each question.

    Args:
        exporter: where to; by OTLP over HTTP if absent.
        with_texts: whether questions, prompts, replies and passages are sent, too.
    """

    def __init__(self, exporter: SpanExporter | None = None, *, with_texts: bool = False) -> None:
        if exporter is None:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            exporter = OTLPSpanExporter()
        named = {} if "OTEL_SERVICE_NAME" in os.environ else {SERVICE_NAME: "hopweave"}
        self._provider = TracerProvider(resource=Resource.create(named))
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("hopweave", version("hopweave"))
        self._with_texts = with_texts

    def send(self, answer_id: str, record: Record, within: Mapping[str, Sequence[str]] | None = None) -> None:
        """Queues the spans of a finished question; they are sent in the background.

        Args:
            answer_id: of its answer.
            record: of the question.
            within: the headers `traceparent` and `tracestate` of the request, if it has them.
        """
        began = int(datetime.fromisoformat(record.started_at).timestamp() * _NANOSECONDS)
        root = self._tracer.start_span(
            record.setup.method,
            context=_above(within or {}),
            start_time=began,
            attributes=self._of_question(answer_id, record),
        )
        spans: dict[int, Span] = {}
        above: dict[int, int | None] = {step.id: step.parent for step in record.steps}
        for step in record.steps:
            if isinstance(step, ModelCall | Search | Read):
                parent = _nearest(step.parent, above, spans) or root
                spans[step.id] = self._sent(step, record, began, parent)
        _end(root, began, record.seconds, record.error)

    def close(self) -> None:
        """Sends the spans that are still queued."""
        self._provider.shutdown()

    def _sent(self, step: ModelCall | Search | Read, record: Record, began: int, parent: Span) -> Span:
        start = began + int(step.timing.started_seconds * _NANOSECONDS)
        span = self._tracer.start_span(
            step.purpose if isinstance(step, ModelCall) else step.kind,
            context=set_span_in_context(parent),
            start_time=start,
            attributes=self._of_step(step, record),
        )
        _end(span, start, step.timing.seconds, step.error)
        return span

    def _of_question(self, answer_id: str, record: Record) -> Attributes:
        answer = record.answer
        about: Attributes = {
            _KIND: "CHAIN",
            "hopweave.answer_id": answer_id,
            "hopweave.retriever": whole(record.setup.retriever),
        }
        if answer is not None:
            about |= {"hopweave.support": answer.verdict.support, "hopweave.stopped_because": answer.stopped_because}
            if answer.verdict.confidence is not None:
                about["hopweave.confidence"] = answer.verdict.confidence
            about |= self._texts({"output.value": answer.text})
        return about | self._texts({"input.value": record.question.text})

    def _of_step(self, step: ModelCall | Search | Read, record: Record) -> Attributes:
        match step:
            case ModelCall():
                named: Attributes = {_KIND: "LLM", "llm.model_name": whole(record.setup.llm)}
                return named | _tokens(step) | self._messages(step, record)
            case Search():
                sought: Attributes = {_KIND: "RETRIEVER", "hopweave.num_queries": len(step.queries)}
                return sought | self._found(step, record)
            case Read():
                said = step.reading.text if step.reading is not None else ""
                kind: Attributes = {_KIND: "CHAIN"}
                return kind | self._texts({"input.value": step.query, "output.value": said})

    def _messages(self, step: ModelCall, record: Record) -> Attributes:
        texts: dict[str, str] = {}
        for number, index in enumerate(step.messages):
            texts |= _message(f"llm.input_messages.{number}.message", record.messages[index])
        if step.text is not None:
            reply = Message("assistant", step.text, step.tool_calls, thoughts=step.thoughts)
            texts |= _message("llm.output_messages.0.message", reply)
        for number, tool in enumerate(step.sampling.tools):
            texts[f"llm.tools.{number}.tool.json_schema"] = _schema_of(tool)
        return self._texts(texts)

    def _found(self, step: Search, record: Record) -> Attributes:
        passages = {passage.id: passage for passage in record.passages}
        hits = [hit for of_one in step.hits for hit in of_one]
        about: Attributes = {}
        for number, hit in enumerate(hits):
            document = f"retrieval.documents.{number}.document"
            about |= {f"{document}.id": whole(hit.passage_id), f"{document}.score": hit.score}
            about |= self._texts({f"{document}.content": passages[hit.passage_id].text})
        return about | self._texts({"input.value": "\n".join(step.queries)})

    def _texts(self, texts: Mapping[str, str]) -> Attributes:
        return {key: whole(text) for key, text in texts.items()} if self._with_texts else {}


def _above(within: Mapping[str, Sequence[str]]) -> Context | None:
    """The parent of the question's span: the caller's span, or `None` for the current span of this process, if there is one."""
    # If the operator traces the application's requests, those spans already continue the caller's trace. Repeated headers are
    # ignored, as the specification requires, and so is an unreadable one.
    if get_current_span().get_span_context().is_valid or len(within.get("traceparent", ())) != 1:
        return None
    return TraceContextTextMapPropagator().extract({name: list(values) for name, values in within.items()})


def _message(name: str, message: Message) -> dict[str, str]:
    """The texts of a message. If it has thoughts, they and its text are two content items, as OpenInference writes them."""
    texts: dict[str, str] = {f"{name}.role": message.role}
    if message.thoughts:
        items = [("reasoning", message.thoughts), ("text", message.text)]
        for number, (kind, text) in enumerate(one for one in items if one[1]):
            item = f"{name}.contents.{number}.message_content"
            texts |= {f"{item}.type": kind, f"{item}.text": text}
    elif message.text or not message.tool_calls:
        texts[f"{name}.content"] = message.text
    if message.result_of:
        texts[f"{name}.tool_call_id"] = message.result_of
    for number, call in enumerate(message.tool_calls):
        made = f"{name}.tool_calls.{number}.tool_call"
        texts |= {f"{made}.id": call.id, f"{made}.function.name": call.name, f"{made}.function.arguments": call.arguments}
    return texts


def _schema_of(tool: Tool) -> str:
    """A tool in the form in which chat APIs take it."""
    described = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return one_line_of_json(mapping_adapter(), {"type": "function", "function": described})


def _tokens(step: ModelCall) -> Attributes:
    usage = step.usage
    counts: Attributes = {
        "llm.token_count.prompt": usage.prompt_tokens,
        "llm.token_count.completion": usage.completion_tokens,
        "llm.token_count.total": usage.prompt_tokens + usage.completion_tokens,
        "llm.token_count.prompt_details.cache_read": usage.cached_tokens,
    }
    thinking = {"llm.token_count.completion_details.reasoning": usage.thinking_tokens} if usage.thinking_tokens else {}
    return counts | thinking


def _nearest(step: int | None, above: Mapping[int, int | None], spans: Mapping[int, Span]) -> Span | None:
    """The span of a step, or of its nearest ancestor that has one; decisions have none."""
    return next((spans[one] for one in _upwards(step, above) if one in spans), None)


def _upwards(step: int | None, above: Mapping[int, int | None]) -> Iterator[int]:
    while step is not None:
        yield step
        step = above[step]


def _end(span: Span, start: int, seconds: float, error: Failure | None) -> None:
    if error is not None:
        span.set_attribute("exception.type", error.kind)
        span.set_status(Status(StatusCode.ERROR, error.kind))
    span.end(start + int(seconds * _NANOSECONDS))
