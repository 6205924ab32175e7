"""Which field of a request an error response is about: all the ways in which endpoints say it, and errors that are none."""

import json

import pytest

from hopweave.core.errors import ModelError
from hopweave.models.llms._address import Wire
from hopweave.models.llms._failures import failure
from hopweave.models.llms._refusals import Refusal, exceeds_limit, names_a_field, refusal_of

SENT = {
    "model": "m",
    "messages": [{"role": "user", "content": "Where?"}],
    "temperature": 0.0,
    "top_p": 1.0,
    "max_tokens": 64,
    "stop": ["\n\n"],
    "seed": 7,
    "n": 3,
    "logprobs": True,
    "top_logprobs": 2,
    "response_format": {"type": "json_schema"},
    "stream_options": {"include_usage": True},
    "tools": [],
    "reasoning_effort": "none",
    "think": False,
    "chat_template_kwargs": {"enable_thinking": False},
}


def openai(message, param=None, code=None):
    return json.dumps({"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}})


def loc(name, kind="extra_forbidden", message="Extra inputs are not permitted"):
    return {"type": kind, "loc": ["body", name], "msg": message, "input": 0}


REFUSED = {
    # the status, the body, and the field that is refused
    "openai: a field": (
        400,
        openai("Unsupported parameter: 'temperature' is not supported.", "temperature", "unsupported_parameter"),
        "temperature",
    ),
    "openai: a value": (
        400, openai("Unsupported value: 'temperature' does not support 0.", "temperature", "unsupported_value"), "temperature"
    ),
    "openai: an unknown field": (400, openai("Unknown parameter: 'seed'.", "seed", "unknown_parameter"), "seed"),
    "openai: another name for the limit": (
        400,
        openai("Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.", "max_tokens"),
        "max_tokens",
    ),
    "openai: the same in words alone": (
        400,
        openai("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
        "max_tokens",
    ),
    "openai: log-probabilities, as if it were the key": (
        403, openai("You are not allowed to request logprobs from this model"), "logprobs"
    ),
    "openai: a field of a field": (400, openai("not supported", "response_format.json_schema"), "response_format"),
    "words: a value": (422, openai("`temperature` does not support 0 with this model"), "temperature"),
    "words: log-probabilities": (400, openai("logprobs are not supported"), "logprobs"),
    "words: gemini on log-probabilities": (400, openai("Logprobs is not enabled for models/gemini-2.5-pro"), "logprobs"),
    "words: of two, the first": (
        400, openai("Gaudi doesn't support logprobs. Please remove 'logprobs'/'top_logprobs' from your request"), "logprobs"
    ),
    "words: two that do not go together": (
        400, openai("`temperature` and `top_p` cannot both be specified for this model. Please use only one."), "top_p"
    ),
    "words: stop": (400, openai("'stop' is not supported with this model"), "stop"),
    "words: stop sequences": (400, openai("this model does not support stop sequences"), "stop"),
    "words: several replies": (400, openai("Only n=1 is supported, but n = 3 was given; not supported"), "n"),
    "words: a schema": (
        400, openai("This model does not support response format `json_schema`. See supported models"), "response_format"
    ),
    "words: tools": (400, openai("registry.ollama.ai/library/gemma3:4b does not support tools"), "tools"),
    "words: vllm on tools": (
        400, openai('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'), "tools"
    ),
    "words: thinking": (400, openai('"gemma3:4b" does not support thinking'), "reasoning_effort"),
    "words: a template": (
        400, openai("chat_template is not supported for Mistral tokenizers."), "chat_template_kwargs"
    ),
    "litellm": (
        400, openai("litellm.UnsupportedParamsError: gpt-5 models don't support temperature=0.0. Only temperature=1 is"),
        "temperature",
    ),
    "litellm: several": (
        400, openai("litellm.UnsupportedParamsError: openai does not support parameters: ['seed', 'top_p'], for m"), "seed"
    ),
    "pydantic: fastapi": (422, json.dumps({"detail": [loc("seed")]}), "seed"),
    "pydantic: mistral": (422, json.dumps({"object": "error", "message": {"detail": [loc("seed")]}}), "seed"),
    "pydantic: vllm, as python in a message": (
        400,
        json.dumps(
            {"object": "error", "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'Extra inputs'}]"}
        ),
        "seed",
    ),
    "gemini": (
        400,
        json.dumps([{"error": {"code": 400, "message": 'Invalid JSON payload received. Unknown name "seed": Cannot find'}}]),
        "seed",
    ),
    "gemini: within a schema": (
        400,
        json.dumps([{"error": {"message": "Unknown name \"strict\" at 'generation_config.response_schema': Cannot find"}}]),
        "response_format",
    ),
    "plain text": (400, "stream_options is not supported", "stream_options"),
    "an error that is a text": (400, json.dumps({"error": "unknown field `seed`"}), "seed"),
    "fastapi in words": (422, json.dumps({"detail": "seed is not supported"}), "seed"),
}  # fmt: skip


@pytest.mark.parametrize(("status", "body", "name"), REFUSED.values(), ids=REFUSED)
def test_the_field_that_an_endpoint_does_not_accept_is_found(status, body, name):
    assert refusal_of(status, body, SENT) == Refusal(name)
    assert names_a_field(status, body, SENT)
    assert "refuses the key" not in str(
        failure(Wire("m", "http://h/v1"), status, {}, body, is_about_field=names_a_field(status, body, SENT))
    )


LEVELS = {
    "a value": openai(
        "Unsupported value: 'reasoning_effort' does not support 'none'. Supported values are: 'low', 'high'.",
        "reasoning_effort",
        "unsupported_value",
    ),
    "a value, in words": openai("think value \"none\" is not supported for this model"),
    "a value that is not repeated": openai("Invalid reasoning effort; must be one of low, medium, high", "reasoning_effort"),
    "pydantic": json.dumps({"detail": [loc("reasoning_effort", "literal_error", "Input should be 'low' or 'high'")]}),
}  # fmt: skip


@pytest.mark.parametrize("body", LEVELS.values(), ids=LEVELS)
def test_a_level_that_is_refused_is_told_from_a_field_that_is_refused(body):
    refused = refusal_of(400, body, SENT)
    assert refused is not None
    assert refused.name == "reasoning_effort"
    assert refused.value


KEPT = {
    "what must be there": (400, openai("Unknown parameter: 'messages[0].content'", "messages[0].content", "unknown_parameter")),
    "a model that is not there": (400, openai("The model `m` is not supported", "model")),
    "a field that was not sent": (400, openai("Unsupported parameter: 'top_k'", "top_k", "unsupported_parameter")),
    "a value that is out of range": (400, openai("temperature must be between 0 and 2", "temperature", "invalid_value")),
    "a limit that is too large": (
        400, openai("max_tokens is too large: 9000. This model supports at most 4096", "max_tokens", "invalid_value")
    ),
    "a prompt that is too long": (400, openai("This model's maximum context length is 8192 tokens")),
    "a schema that is wrong": (400, openai("Invalid schema for response_format 'reply': 'required' is a must")),
    "a filter": (400, openai("The response was filtered due to the prompt", "prompt", "content_filter")),
    "no more money": (429, openai("temperature is not supported", "temperature", "unsupported_parameter")),
    "a fault of the server": (500, openai("temperature is not supported", "temperature", "unsupported_parameter")),
    "a wrong key": (401, openai("Incorrect API key provided; temperature is not supported")),
    "the english word": (400, openai("I had to stop: this is not supported")),
    "nothing": (400, ""),
    "a number": (400, "5"),
    "a list": (400, "[5, [], null]"),
    "fields of other types": (
        400, json.dumps({"error": {"message": {"a": [1]}, "param": 5, "code": [1]}, "detail": [{"loc": 5}]})
    ),
    "brackets without end": (400, "[" * 100_000),
}  # fmt: skip


@pytest.mark.parametrize(("status", "body"), KEPT.values(), ids=KEPT)
def test_an_error_of_another_kind_leaves_the_request_as_it_is(status, body):
    assert refusal_of(status, body, SENT) is None


@pytest.mark.parametrize(("key", "ending"), [("", "MY_KEY, which is not set"), ("sk-wrong", "MY_KEY")])
def test_a_403_without_a_field_is_about_the_key(monkeypatch, key, ending):
    monkeypatch.setenv("MY_KEY", key)
    error = failure(Wire("m", "http://h/v1", key_variable="MY_KEY"), 403, {}, openai("Forbidden"))
    assert isinstance(error, ModelError)
    assert str(error).endswith(f"refuses the key; check the environment variable {ending}")


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 9000. This model supports at most 4096 completion tokens",
        "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for claude-3-5",
        "`max_tokens` must be less than or equal to `8192`",
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 tokens",
    ],
)
def test_a_limit_that_is_too_large_is_known_as_such(message):
    assert exceeds_limit(400, openai(message), SENT)
    assert refusal_of(400, openai(message), SENT) is None
