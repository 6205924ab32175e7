"""An endpoint that misbehaves, over real sockets: a call ends in a sound reply or in one line, and gives no key away."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

from support.hostile import damaged, hostile_text
from support.lies import ENDLESS, EVENTS, KEY, LEAKS, MALFORMED_COMPLETIONS, assert_hidden, completion, outcome
from support.scripted_server import Behaviour

from hopweave.core.errors import HopweaveError
from hopweave.core.types import Reply, Sampling
from hopweave.run.store.store import Store, Stored

from ..attack import Attack, Trial
from .corpora import one_line

LIMIT_SECONDS = 120
"""How long a call may take at the most, which is no measure of how fast it is."""

_STREAM = {"Content-Type": "text/event-stream"}


def malformed(random: random.Random) -> Behaviour:
    """A completion with something of the wrong type, sometimes spoilt as bytes, too."""
    body = json.dumps(random.choice([*MALFORMED_COMPLETIONS.values(), completion()])).encode()
    return Behaviour(raw=damaged(random, body)[1] if random.random() < 0.5 else body, headers=_headers(random))


def events(random: random.Random) -> Behaviour:
    """A stream of sound and other events, which may lack its end."""
    sound = {"choices": [{"index": 0, "delta": {"content": hostile_text(random, 2)}}]}
    lines = [
        f"data: {json.dumps(random.choice([sound, sound, sound, *EVENTS.values()]))}\n\n" for _ in range(random.randint(0, 8))
    ]
    lines += random.choice([["data: [DONE]\n\n"], [], [": ping\n\n"], ["event: error\ndata: {}\n\n"], ["data:" + "x" * 9_000]])
    body = "".join(lines).encode("utf-8", "surrogatepass")
    return Behaviour(raw=damaged(random, body)[1] if random.random() < 0.4 else body, headers=_STREAM)


def broken_off(random: random.Random) -> Behaviour:
    """A reply that ends before it is whole, comes in odd pieces, or says odd things of itself."""
    text = hostile_text(random).encode("utf-8", "replace").decode()
    pieces = [text[place : place + random.randint(1, 9)] for place in range(0, min(len(text), 60), 7)]
    return Behaviour(
        text=random.choice([text, None, ""]),
        finish_reason=random.choice(["stop", "length", "content_filter", hostile_text(random, 2)]),
        usage=random.choice([{}, {"prompt_tokens": 7}, {"prompt_tokens": 10**30}, {"prompt_tokens": hostile_text(random, 1)}]),
        num_choices=random.choice([None, None, 0, 1, 3]),
        pieces=pieces or None,
        truncate=random.random() < 0.2,
        close=random.random() < 0.1,
        close_after=random.choice([None, None, 0, 1, 3]),
        headers=_headers(random),
    )


def status(random: random.Random) -> Behaviour:
    """A status of any kind, with any body."""
    body = random.choice(
        [hostile_text(random), f"no {KEY} {hostile_text(random, 3)}", json.dumps({"error": hostile_text(random)})]
    )
    number = random.choice(
        [201, 204, 301, 302, 307, 308, 400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529, 599, 999]
    )
    return Behaviour(status=number, raw=body.encode("utf-8", "replace"), headers=_headers(random))


def _headers(random: random.Random) -> dict[str, str]:
    values: Mapping[str, list[str]] = {
        "Retry-After": ["0", "-1", "nan", "1e400", "soon", "9" * 500, "Wed, 21 Oct 1015 07:28:00 GMT"],
        "Content-Encoding": ["gzip", "deflate", "br", "identity", "gzip, gzip", "x" * 300],
        "Content-Type": ["text/html", "application/json; charset=utf-16", "text/event-stream", "/", "text/x; charset=zebra"],
        "Location": ["http://a.example/", "//[", "/v1/chat/completions", f"http://127.0.0.1:1/?{KEY}", "file:///", ""],
        "Set-Cookie": ["a=b; Domain=.example", "x" * 9_000],
        "X-Odd": ["\x0b\x0c", "a\r\nb: c", "\r\n\r\n", "é" * 50, "x" * 70_000],
        "Transfer-Encoding": ["chunked", "gzip, chunked"],
        "Content-Length": ["-1", "0", "99999999999", "7, 9", "zebra"],
        "Connection": ["close", "upgrade"],
    }  # fmt: skip
    chosen = random.sample([*values], random.choice([0, 0, 0, 1, 2]))
    return {name: random.choice(values[name]) for name in chosen}


def endless(random: random.Random) -> Behaviour:
    """Bytes, lines or events without an end."""
    return random.choice([*ENDLESS.values()])


def leak(random: random.Random) -> Behaviour:
    """The key, sent back in some form."""
    return random.choice([*LEAKS.values()])


MODES: Mapping[str, tuple[Callable[[random.Random], Behaviour], int]] = {
    "malformed": (malformed, 30),
    "events": (events, 20),
    "broken off": (broken_off, 20),
    "status": (status, 15),
    "leak": (leak, 14),
    "endless": (endless, 1),
}


async def call(trial: Trial) -> None:
    """One call of the model, streamed or not."""
    mode = trial.random.choices([*MODES], [weight for _, weight in MODES.values()])[0]
    behaviour = MODES[mode][0](trial.random)
    options: dict[str, Any] = {"stream": trial.random.random() < 0.5, "api_key_env": "ATTACK_KEY"}
    trial.shows((mode, options["stream"], behaviour))
    os.environ["ATTACK_KEY"] = KEY
    shown: list[str] = []
    sampling = Sampling(max_tokens=8, top_logprobs=trial.random.choice([0, 2]))
    came = await asyncio.wait_for(
        outcome(
            behaviour, sampling=sampling, on_text=shown.append if options["stream"] else None, timeout_seconds=5, **options
        ),
        LIMIT_SECONDS,
    )
    for text in (str(came), repr(came), "".join(shown)):
        assert_hidden(text)
    if isinstance(came, HopweaveError):
        one_line(came, 2_000)
    else:
        assert_can_be_kept(trial, came)


def assert_can_be_kept(trial: Trial, reply: Reply) -> None:
    """Checks that the store takes a reply and gives the same one back."""
    stored = Stored(reply, None, 1.0, 1)
    with closing(Store(trial.folder / "store.sqlite")) as store:
        store.put("k", stored)
        assert store.get("k") == stored
    assert min(reply.usage.prompt_tokens or 0, reply.usage.completion_tokens or 0) >= 0


ATTACKS = (Attack("endpoint", "a call ends in a sound reply or one line, without the key", call, 2_500, 60),)
