"""What endpoints may send that lie, break off, never end, or give the key away, and what comes of a call to them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from support.scripted_server import Behaviour
from support.served_model import served

from hopweave.core.errors import HopweaveError
from hopweave.core.types import Message, Reply, Sampling

_EVENT_STREAM = {"Content-Type": "text/event-stream"}
ASK = (Message("user", "Where?"),)
SHORT = Sampling(max_tokens=8)


def completion(**changes: Any) -> dict[str, Any]:
    """A sound completion with some of its fields changed: `message`, `choice_*`, `usage`, `timings`."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Ulm"}}
    choice |= {name.removeprefix("choice_"): value for name, value in changes.items() if name.startswith("choice_")}
    rest = {name: value for name, value in changes.items() if not name.startswith("choice_")}
    return {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 1}} | rest


def logprobs(**changes: Any) -> dict[str, Any]:
    """A sound completion with log-probabilities, of which some fields are changed."""
    return completion(choice_logprobs={"content": [{"token": "Ulm", "logprob": -0.1, "top_logprobs": []} | changes]})


MALFORMED_COMPLETIONS = {
    "a number": 5,
    "a list": [],
    "nothing": None,
    "truth": True,
    "a text": "Ulm",
    "choices that are a mapping": completion(choices={"0": {}}),
    "choices that are numbers": completion(choices=[1]),
    "a reason that is a number": completion(choice_finish_reason=5),
    "a reason that is a list": completion(choice_finish_reason=["stop"]),
    "a reason that is a mapping": completion(choice_finish_reason={"stop": 1}),
    "a reason without an end": completion(choice_finish_reason="stop" * 1000),
    "a message that is a list": completion(choice_message=[]),
    "a content that is a number": completion(choice_message={"content": 5}),
    "a content that is a mapping": completion(choice_message={"content": {"text": "Ulm"}}),
    "parts whose text is a number": completion(choice_message={"content": [{"text": 5}]}),
    "a usage that is a text": completion(usage="much"),
    "a usage that is a list": completion(usage=[7, 1]),
    "a negative usage": completion(usage={"prompt_tokens": -7, "completion_tokens": 1}),
    "an absurd usage": completion(usage={"prompt_tokens": 7, "completion_tokens": 10**12}),
    "an endless usage": completion(usage={"prompt_tokens": float("inf")}),
    "a usage of no number": completion(usage={"prompt_tokens": float("nan")}),
    "a usage of words": completion(usage={"prompt_tokens": "seven"}),
    "a usage of truth": completion(usage={"prompt_tokens": True}),
    "half a token": completion(usage={"prompt_tokens": 7.5}),
    "cached tokens that are a list": completion(usage={"prompt_tokens_details": {"cached_tokens": [1]}}),
    "details that are a number": completion(usage={"prompt_tokens_details": 5}),
    "timings that are a list": completion(timings=[1]),
    "negative timings": completion(timings={"cache_n": -1}),
    "log-probabilities that are a text": completion(choice_logprobs="high"),
    "log-probabilities that are a list": completion(choice_logprobs=[1]),
    "a log-probability that is a word": logprobs(logprob="high"),
    "a log-probability that is no number": logprobs(logprob=float("nan")),
    "a log-probability above that of certainty": logprobs(logprob=float("inf")),
    "a token that is a number": logprobs(token=5),
    "alternatives that are numbers": logprobs(top_logprobs=[1, 2]),
    "an alternative without a token": logprobs(top_logprobs=[{"logprob": -1}]),
    "choices in no order": completion(choices=[completion(choice_index=i)["choices"][0] for i in ("b", 1)]),
    "an error that is a list": {"error": ["no", {"such": "thing"}]},
    "an error that is a number": {"error": 5},
    "an error whose message is a mapping": {"error": {"message": {"deep": [1, 2]}}},
}


EVENTS = {
    "a number": 5,
    "a list": [1],
    "choices that are a number": {"choices": 5},
    "choices that are numbers": {"choices": [1]},
    "a delta that is a list": {"choices": [{"delta": ["x"]}]},
    "a delta whose content is a number": {"choices": [{"delta": {"content": 5}}]},
    "a reason that is a number": {"choices": [{"delta": {"content": "x"}, "finish_reason": 5}]},
    "a negative usage": {"choices": [], "usage": {"prompt_tokens": -1}},
    "an error that is a list": {"error": [1]},
}


ENDLESS = {
    "a body": Behaviour(raw=b" " * 65536, is_endless=True),
    "a body of zeros": Behaviour(raw=b"\x00" * 65536, is_endless=True),
    "an error": Behaviour(raw=b"no " * 65536, status=500, is_endless=True),
    "a line of a stream": Behaviour(raw=b"x" * 65536, is_endless=True, headers=_EVENT_STREAM),
    "signs of life": Behaviour(raw=b": ping\n\n" * 8192, is_endless=True, headers=_EVENT_STREAM),
    "empty events": Behaviour(raw=b'data: {"choices": []}\n\n' * 2000, is_endless=True, headers=_EVENT_STREAM),
}


KEY = "sk-proj/Zürich+42%7=tail".replace("ü", "u")


def escaped(text: str) -> str:
    """The text as JSON may escape it."""
    return "".join(f"\\u{ord(sign):04x}" for sign in text)


_ESCAPED = escaped(KEY)


def saying(content: str) -> str:
    """A completion with this content."""
    return json.dumps({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]})


LEAKS = {
    "a page": Behaviour(raw=f"<html>You sent Authorization: Bearer {KEY}</html>"),
    "a page with the key at the edge of what is quoted": Behaviour(raw="x" * 185 + KEY),
    "a page that escapes it for HTML": Behaviour(raw="".join(f"&#{ord(sign)};" for sign in KEY)),
    "a page that escapes it for an address": Behaviour(raw=f"<a href='/?key={quote(KEY, safe='')}'>"),
    "a page that escapes all of it for an address": Behaviour(raw="".join(f"%{ord(sign):02X}" for sign in KEY)),
    "an error in a good status": Behaviour(raw=json.dumps({"error": {"message": f"bad {KEY}"}})),
    "an error that is a text": Behaviour(raw=json.dumps({"error": f"bad {KEY}"})),
    "an error with escapes": Behaviour(raw=f'{{"error": {{"message": "bad {_ESCAPED}"}}}}'),
    "an error with escaped escapes": Behaviour(raw=json.dumps({"error": {"message": f"bad {escaped(KEY)}"}})),
    "JSON that is no completion": Behaviour(raw=json.dumps({"headers": {"authorization": KEY}})),
    "JSON that is no completion, with escapes": Behaviour(raw=f'{{"headers": "{_ESCAPED}"}}'),
    "JSON with slashes escaped": Behaviour(raw=json.dumps({"key": KEY}).replace("/", "\\/")),
    "a status of 500": Behaviour(f"no {KEY}", status=500),
    "a status of 400 with escapes": Behaviour(status=400, raw=f'{{"error": {{"message": "{_ESCAPED}"}}}}'),
    "a status of 404": Behaviour(f"no such thing {KEY}", status=404),
    "a status of 401": Behaviour(f"wrong key {KEY}", status=401),
    "a prompt that is too long": Behaviour(f"maximum context length {KEY}", status=400),
    "a redirect": Behaviour("", status=307, headers={"Location": f"http://elsewhere.example/?{KEY}"}),
    "an event that is none": Behaviour(raw=f"data: <{KEY}>\n\n", headers=_EVENT_STREAM),
    "an event with escapes": Behaviour(raw=f'data: {{"choices": "{_ESCAPED}"}}\n\n', headers=_EVENT_STREAM),
    "an event with an error": Behaviour(raw="data: " + json.dumps({"error": {"message": KEY}}) + "\n\n", headers=_EVENT_STREAM),
    "a stream that breaks off": Behaviour(f"You are {KEY} and", close_after=3),
    "a reply": Behaviour(f"Your key is {KEY}."),
    "a reply with escapes": Behaviour(raw=saying("@").replace("@", escaped(KEY))),
    "a reply with escaped escapes": Behaviour(raw=saying(escaped(KEY))),
    "a refusal": Behaviour(raw=json.dumps({"choices": [{"message": {"content": None, "refusal": KEY}}]})),
    "a reason": Behaviour(finish_reason=KEY),
    "a reply in pieces": Behaviour(KEY, pieces=list(f"It is {KEY}, yes")),
    "the tokens of a reply": Behaviour(KEY, logprobs=[(sign, {sign: -0.1}) for sign in KEY]),
    "alternatives of a token": Behaviour("x", logprobs=[("x", {"x": -0.1, KEY: -1.0})]),
}


def assert_hidden(text: str) -> None:
    """Checks that the key does not stand in a text, nor a good part of it."""
    plain = text.encode().decode("unicode_escape", "replace") if "\\u" in text else text
    for form in (text, plain):
        assert KEY not in form
        assert KEY[:12] not in form
        assert quote(KEY, safe="") not in form


async def outcome(
    behaviour: Behaviour, *, sampling: Sampling = SHORT, on_text: Callable[[str], None] | None = None, **options: Any
) -> Reply | HopweaveError:
    """What comes of a call: a reply, or the error."""
    async with served(behaviour, **options) as (llm, _):
        try:
            return await llm.reply(ASK, sampling, on_text)
        except HopweaveError as error:
            return error
