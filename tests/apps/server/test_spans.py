"""Questions as OpenTelemetry spans: a tree with the times of the record, and no text unless it is asked for."""

import json
from dataclasses import replace

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from support.sample_records import THOUGHTS, thinking
from support.served_app import ASKED_BY, QUESTION, app_over, client_of

from hopweave.apps.server.server_settings import ServerSettings, read_server_settings
from hopweave.apps.server.spans import Spans
from hopweave.core.errors import SettingsError
from hopweave.core.types import Sampling, Tool
from hopweave.models.llms.scripted import Scripted
from hopweave.record import ModelCall, Record


def record_of(tmp_path, llm=None):
    with client_of(app_over(tmp_path, llm)) as client:
        return Record.from_json(json.dumps(client.post("/v1/answers", json={"question": QUESTION}).json()["record"]))


def sent(record, *, with_texts, within=None):
    exporter = InMemorySpanExporter()
    spans = Spans(exporter, with_texts=with_texts)
    spans.send("the-id", record, within)
    spans.close()
    return {span.attributes["openinference.span.kind"]: span for span in exporter.get_finished_spans()}


def test_a_question_is_a_tree_of_spans_with_the_times_and_tokens_of_its_record(tmp_path):
    record = record_of(tmp_path)
    found = sent(record, with_texts=False)
    assert set(found) == {"CHAIN", "LLM", "RETRIEVER"}
    root, call, search = found["CHAIN"], found["LLM"], found["RETRIEVER"]
    assert root.parent is None
    assert {call.parent.span_id, search.parent.span_id} == {root.context.span_id}
    assert (root.end_time - root.start_time) / 1e9 == pytest.approx(record.seconds, abs=1e-6)
    assert search.start_time <= search.end_time <= call.start_time <= call.end_time <= root.end_time
    totals = record.totals()
    assert call.attributes["llm.token_count.prompt"] == totals.prompt_tokens
    assert call.attributes["llm.token_count.total"] == totals.prompt_tokens + totals.completion_tokens
    assert search.attributes["retrieval.documents.0.document.id"] == "carrow"
    assert root.attributes["hopweave.support"] == record.answer.verdict.support
    assert root.resource.attributes["service.name"] == "hopweave"


def test_texts_are_sent_only_if_they_are_asked_for(tmp_path):
    record = record_of(tmp_path)
    said = "".join(span.to_json() for span in sent(record, with_texts=False).values())
    assert "Halloran" not in said
    assert "Carrow" not in said
    found = sent(record, with_texts=True)
    assert found["CHAIN"].attributes["input.value"] == QUESTION
    assert found["CHAIN"].attributes["output.value"] == record.answer.text
    assert QUESTION in found["LLM"].attributes["llm.input_messages.0.message.content"]
    assert found["LLM"].attributes["llm.output_messages.0.message.content"].endswith("Ines Halloran.")
    assert "lit in 1871" in found["RETRIEVER"].attributes["retrieval.documents.0.document.content"]


def spans_of(record, *, with_texts):
    exporter = InMemorySpanExporter()
    spans = Spans(exporter, with_texts=with_texts)
    spans.send("the-id", record)
    spans.close()
    return sorted(exporter.get_finished_spans(), key=lambda span: span.start_time)


def test_thoughts_and_calls_of_tools_have_the_names_of_openinference_and_are_texts():
    without = [dict(span.attributes) for span in spans_of(thinking(), with_texts=False)]
    assert "search for the light" not in str(without)
    assert not any("tool_call" in key for attributes in without for key in attributes)
    calls = [dict(span.attributes) for span in spans_of(thinking(), with_texts=True) if span.name == "agent"]
    first, second = calls
    said = {key.removeprefix("llm.output_messages.0.message."): value for key, value in first.items() if "output" in key}
    assert said == {
        "role": "assistant",
        "contents.0.message_content.type": "reasoning",
        "contents.0.message_content.text": THOUGHTS,
        "tool_calls.0.tool_call.id": "call_1",
        "tool_calls.0.tool_call.function.name": "search",
        "tool_calls.0.tool_call.function.arguments": '{"query": "Carrow Head Light"}',
    }
    assert first["llm.token_count.completion_details.reasoning"] == 100
    assert "llm.token_count.completion_details.reasoning" not in second
    assert second["llm.output_messages.0.message.contents.1.message_content.text"] == "Ines Halloran"
    assert second["llm.input_messages.3.message.tool_call_id"] == "call_1"
    assert second["llm.input_messages.2.message.tool_calls.0.tool_call.function.name"] == "search"


def test_the_tools_that_the_model_is_offered_are_sent_as_schemas():
    record = thinking()
    offered = Sampling(tools=(Tool("search", "Finds passages.", {"type": "object"}),))
    steps = tuple(replace(step, sampling=offered) if isinstance(step, ModelCall) else step for step in record.steps)
    [call, _] = [span for span in spans_of(replace(record, steps=steps), with_texts=True) if span.name == "agent"]
    assert json.loads(call.attributes["llm.tools.0.tool.json_schema"]) == {
        "type": "function",
        "function": {"name": "search", "description": "Finds passages.", "parameters": {"type": "object"}},
    }


def test_what_failed_is_an_error_without_its_words(tmp_path):
    found = sent(record_of(tmp_path, Scripted([])), with_texts=False)
    assert [found[kind].status.status_code.name for kind in ("CHAIN", "LLM")] == ["ERROR", "ERROR"]
    assert found["LLM"].status.description == "ModelError"
    assert found["RETRIEVER"].status.status_code.name == "UNSET"


TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{SPAN}-01"


@pytest.fixture
def made(monkeypatch):
    """What servers send, each to an exporter of its own."""
    made = []

    class Kept(Spans):
        def __init__(self, **options):
            self.exporter = InMemorySpanExporter()
            made.append(self)
            super().__init__(self.exporter, **options)

    monkeypatch.setattr("hopweave.apps.server.spans.Spans", Kept)
    return made


def test_the_spans_continue_the_trace_of_the_caller(tmp_path):
    record = record_of(tmp_path)
    found = sent(record, with_texts=False, within={"traceparent": [TRACEPARENT], "tracestate": ["a=1", "b=2"]})
    root = found["CHAIN"]
    assert {f"{span.context.trace_id:032x}" for span in found.values()} == {TRACE}
    assert (f"{root.parent.span_id:016x}", root.parent.is_remote) == (SPAN, True)
    assert dict(root.context.trace_state) == {"a": "1", "b": "2"}
    assert {found["LLM"].parent.span_id, found["RETRIEVER"].parent.span_id} == {root.context.span_id}
    assert sent(record, with_texts=False, within={"traceparent": [f"{TRACEPARENT[:-2]}00"]}) == {}  # it is not to be recorded


@pytest.mark.slow
@pytest.mark.parametrize(
    "within",
    [
        {},
        {"tracestate": ["a=1"]},
        {"traceparent": [TRACEPARENT, TRACEPARENT]},
        {"traceparent": [""]},
        {"traceparent": ["x" * 100_000]},
        {"traceparent": [TRACEPARENT.upper()]},
        {"traceparent": [f"00-{'0' * 32}-{SPAN}-01"]},
        {"traceparent": [f"00-{TRACE}-{'0' * 16}-01"]},
        {"traceparent": [f"ff-{TRACE}-{SPAN}-01"]},
        {"traceparent": [f"{TRACEPARENT}-more"]},
        {"traceparent": ["\ud800\x00"]},
    ],
)
def test_a_header_that_cannot_be_begins_a_trace_of_its_own(tmp_path, within):
    root = sent(record_of(tmp_path), with_texts=False, within=within)["CHAIN"]
    assert root.parent is None
    assert f"{root.context.trace_id:032x}" != TRACE


@pytest.mark.slow
@pytest.mark.parametrize(("path", "body"), ASKED_BY)
def test_a_request_with_a_traceparent_is_a_part_of_its_trace(tmp_path, made, path, body):
    with client_of(app_over(tmp_path, telemetry="times")) as client:
        assert client.post(path, json=body, headers={"traceparent": TRACEPARENT}).status_code == 200
        assert client.post(path, json=body).status_code == 200
    traces = {f"{span.context.trace_id:032x}" for span in made[0].exporter.get_finished_spans()}
    assert len(traces) == 2
    assert TRACE in traces


def test_a_server_sends_the_spans_of_its_questions(tmp_path, made):
    with client_of(app_over(tmp_path, telemetry="times")) as client:
        answer_id = client.post("/v1/answers", json={"question": QUESTION}).json()["id"]
    roots = [span for span in made[0].exporter.get_finished_spans() if span.parent is None]
    assert [span.attributes["hopweave.answer_id"] for span in roots] == [answer_id]


def test_nothing_is_sent_unless_told_and_another_word_is_refused():
    assert ServerSettings().telemetry == "off"
    with pytest.raises(SettingsError, match="telemetry"):
        read_server_settings(None, {"telemetry": "all"})
