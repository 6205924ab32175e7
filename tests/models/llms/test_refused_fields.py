"""Which field of a request an error response is about: all the ways in which endpoints say it, and errors that are none."""

import json

import pytest
from support.scripted_server import Behaviour
from support.served_model import served

from hopweave.core.errors import ModelError
from hopweave.core.types import Message, Sampling
from hopweave.models.llms._address import Wire
from hopweave.models.llms._failures import failure, is_too_long, reported
from hopweave.models.llms._refusals import Refusal, exceeds_limit, names_a_field, refusal_of, suspect_of

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
    "words: moonshot on a value": (400, openai("invalid temperature: only 1 is allowed for this model"), "temperature"),
    "words: deepseek on a schema": (400, openai("This response_format type is unavailable now"), "response_format"),
    "words: xai on stop": (400, json.dumps({"code": "400", "error": "Argument not supported on this model: stop"}), "stop"),
    "words: an invalid parameter": (400, openai("Invalid parameter: 'seed'"), "seed"),
    "words: an invalid argument": (400, openai("Invalid argument: stream_options"), "stream_options"),
    "words: what is gone": (400, openai("`temperature` has been removed for this model"), "temperature"),
    "words: what must not be there": (400, openai("seed must be null"), "seed"),
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


SUSPECTS = {
    "tgi on top_p": (
        422,
        json.dumps({"error": "Input validation error: `top_p` must be > 0.0 and < 1.0. To deactivate, do not set it"}),
        "top_p",
    ),
    "tgi on temperature": (422, json.dumps({"error": "`temperature` must be strictly positive"}), "temperature"),
    "tgi on stop strings": (422, json.dumps({"error": "`stop` supports up to 4 stop sequences. Given: 6"}), "stop"),
    "openai on stop strings": (400, openai("Invalid 'stop': array too long.", "stop", "array_above_max_length"), "stop"),
    "anthropic": (400, openai("stop_sequences: each stop sequence must contain non-whitespace"), "stop"),
    "vllm": (400, openai("Requested sample logprobs of 5, which is greater than max allowed: 0"), "logprobs"),
    "groq": (400, openai("'n' : number must be at most 1"), "n"),
    "another language": (400, openai("该模型不支持temperature参数"), "temperature"),
}  # fmt: skip


@pytest.mark.parametrize(("status", "body", "name"), SUSPECTS.values(), ids=SUSPECTS)
def test_a_field_that_an_error_only_names_is_a_suspect(status, body, name):
    assert refusal_of(status, body, SENT) is None
    assert suspect_of(status, body, SENT) == name


NO_SUSPECTS = {
    "a field that must be there": openai("Invalid 'messages[0].content'", "messages[0].content"),
    "a model": openai("Invalid model; temperature is as it was", "model"),
    "a limit": openai("`max_tokens` must be at least 100"),
    "a seed that somebody chose": openai("<400> InternalError.Algo.InvalidParameter: The seed parameter must be in [0, 5]"),
    "no field": openai("Invalid API parameter, please check the documentation."),
    "nothing": "",
}  # fmt: skip


@pytest.mark.parametrize("body", NO_SUSPECTS.values(), ids=NO_SUSPECTS)
def test_an_error_that_names_no_optional_field_suspects_none(body):
    assert suspect_of(400, body, SENT) is None


def test_a_value_that_somebody_chose_is_no_suspect_and_an_error_of_the_server_names_none():
    told = openai("temperature must be between 0 and 2")
    assert suspect_of(400, told, SENT) == "temperature"
    assert suspect_of(400, told, {**SENT, "temperature": 5.0}) is None
    assert suspect_of(500, told, SENT) is None


ASK = (Message("user", "Where?"),)
TOO_MANY = Behaviour(status=400, raw=openai("Invalid 'stop': array too long.", "stop", "array_above_max_length"))


async def test_a_suspect_is_left_out_from_then_on_if_the_request_succeeds_without_it(caplog):
    async with served(lambda request: TOO_MANY if "stop" in request.body else Behaviour("Ulm")) as (llm, server):
        replies = [await llm.reply(ASK, Sampling(stop=("\n",))) for _ in range(2)]
    assert [reply.text for reply in replies] == ["Ulm", "Ulm"]
    assert ["stop" in request.body for request in server.requests] == [True, False, False]
    assert [record.getMessage().partition(" refuses ")[2] for record in caplog.records] == ["stop; continuing without it"]


async def test_a_suspect_without_which_the_request_fails_as_well_is_not_left_out_again(caplog):
    async with served(TOO_MANY) as (llm, server):
        for _ in range(2):
            with pytest.raises(ModelError, match="array too long") as caught:
                await llm.reply(ASK, Sampling(stop=("\n",)))
            assert not caught.value.retryable
    assert ["stop" in request.body for request in server.requests] == [True, False] * 2
    assert not caplog.records


async def test_several_suspects_are_left_out_one_after_the_other():
    def decide(request):
        told = next((name for name in ("temperature", "top_p", "stop") if name in request.body), None)
        return Behaviour(status=400, raw=openai(f"`{told}`: 不对")) if told else Behaviour("Ulm")

    async with served(decide) as (llm, server):
        assert (await llm.reply(ASK, Sampling(stop=("\n",)))).text == "Ulm"
        assert (await llm.reply(ASK, Sampling(stop=("\n",)))).text == "Ulm"
    assert len(server.requests) == 5


async def test_several_replies_are_asked_for_one_by_one_if_their_number_is_a_suspect():
    def decide(request):
        return Behaviour(status=400, raw=openai("'n' : number must be at most 1")) if "n" in request.body else Behaviour("Ulm")

    async with served(decide) as (llm, server):
        for _ in range(2):
            assert [reply.text for reply in await llm.replies(ASK, Sampling(), 3)] == ["Ulm"] * 3
    assert ["n" in request.body for request in server.requests] == [True] + [False] * 6


async def test_a_suspect_that_the_user_wrote_is_not_left_out():
    async with served(TOO_MANY, extra_body={"stop": ["a"]}) as (llm, server):
        with pytest.raises(ModelError, match="array too long"):
            await llm.reply(ASK, Sampling())
    assert len(server.requests) == 1


WITHOUT_TOOLS = {
    "openrouter": (404, openai("No endpoints found that support tool use. To learn more about provider routing, visit: ...")),
    "llama.cpp": (500, openai("tools param requires --jinja flag")),
    "not implemented": (501, openai("Tool calls are not implemented")),
}


@pytest.mark.parametrize(("status", "body"), WITHOUT_TOOLS.values(), ids=WITHOUT_TOOLS)
def test_missing_support_for_tools_is_known_by_its_words_with_other_statuses_too(status, body):
    assert refusal_of(status, body, SENT) == Refusal("tools")
    assert refusal_of(status, body, {"model": "m"}) is None


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (500, "Failed to parse the tool call: unexpected token"),
        (500, "The tool search is not available at the moment"),
        (500, "The tool of the proxy is not enabled"),
        (404, "The model `m` does not exist"),
        (404, "No endpoints found that can handle the requested parameters."),
        (503, "No endpoints found that support tool use"),
    ],
)
def test_an_error_of_another_kind_says_nothing_of_tools(status, message):
    assert refusal_of(status, openai(message), SENT) is None


@pytest.mark.parametrize(("key", "ending"), [("", "MY_KEY, which is not set"), ("sk-wrong", "MY_KEY")])
@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, openai("no")),
        (403, openai("Your API key does not have permission to use this resource")),
        (403, openai("no", code="invalid_api_key")),
        (403, json.dumps({"error": {"message": "no", "type": "authentication_error"}})),
    ],
)
def test_a_401_and_a_403_that_speaks_of_the_key_are_about_the_key(monkeypatch, status, body, key, ending):
    monkeypatch.setenv("MY_KEY", key)
    error = failure(Wire("m", "http://h/v1", key_variable="MY_KEY"), status, {}, body)
    assert isinstance(error, ModelError)
    assert str(error).endswith(f"refuses the key; check the environment variable {ending}")


@pytest.mark.parametrize(
    "message",
    [
        "Forbidden",
        "Project `proj_x` does not have access to model `gpt-5`",
        "Country, region, or territory not supported",
        'Your chosen model requires moderation and your input was flagged for "violence"',
    ],
)
def test_any_other_403_says_what_the_server_says(monkeypatch, message):
    wire = Wire("m", "http://h/v1", key_variable="MY_KEY")
    monkeypatch.setenv("MY_KEY", "sk-right")
    error = failure(wire, 403, {}, openai(message))
    assert (str(error), error.retryable) == (f"http://h/v1 (403) said: {message}", False)
    monkeypatch.delenv("MY_KEY")
    assert str(failure(wire, 403, {}, openai(message))).endswith(f"{message}; the environment variable MY_KEY is not set")


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
        (400, "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length"),
        (400, "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens."),
        (400, "The decoder prompt (length 40000) is longer than the maximum model length of 32768."),
        (400, "Input is too long for requested model."),
        (400, "Your request exceeded model token limit: 262144 (requested: 270000)"),
        (400, "Range of input length should be [1, 129024]"),
        (400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
        (422, "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4500 `inputs` tokens"),
        (429, "Request too large for m on tokens per min (TPM): Limit 10000, Requested 15000."),
        (413, "Request too large for model `m`: Limit 6000, Requested 9000"),
    ],
)
def test_a_prompt_that_is_too_long_is_known_in_the_words_of_each_vendor(status, message):
    assert is_too_long(status, openai(message))
    error = failure(Wire("m", "http://h/v1"), status, {}, openai(message))
    assert str(error).startswith("the prompt is too long for m: ")
    assert not error.retryable


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (429, "Rate limit reached for m on tokens per min (TPM): Limit 10000, Used 9000, Requested 1500."),
        (429, "Too many tokens, please wait before trying again."),
        (400, "max_tokens is too large: 9000. This model supports at most 4096 completion tokens"),
        (400, "The input was rejected"),
    ],
)
def test_a_rate_that_passes_and_a_limit_of_the_reply_are_no_prompt_that_is_too_long(status, message):
    assert not is_too_long(status, openai(message))


@pytest.mark.parametrize(
    ("error", "is_retryable"),
    [
        ({"code": 402, "message": "Insufficient credits"}, False),
        ({"code": "400", "message": "Bad request"}, False),
        ({"code": 429, "message": "Busy"}, True),
        ({"code": 502, "message": "The provider is down"}, True),
        ({"code": 7, "message": "Slot is gone"}, True),
        ({"code": "server_error", "message": "Slot is gone"}, True),
        ({"code": True, "message": "Slot is gone"}, True),
        ("Slot is gone", True),
    ],
)
def test_an_error_in_a_good_status_is_that_of_its_code(error, is_retryable):
    told = reported(Wire("m", "http://h/v1"), error)
    assert told.retryable == is_retryable
    assert (error["message"] if isinstance(error, dict) else error) in str(told)


def test_an_error_in_a_good_status_that_is_about_the_key_never_shows_what_the_server_says_of_it():
    told = reported(Wire("m", "http://h/v1", key_variable="MY_KEY"), {"code": 401, "message": "Incorrect key: sk-...cret"})
    assert "refuses the key" in str(told)
    assert "cret" not in str(told)


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
