"""Two servers on one PostgreSQL: they make no call twice, and what one has kept outlives it."""

import asyncio
import sys
from collections import Counter

import pytest
from support.killed_runs import COMMAND
from support.killed_runs import asked as body_of
from support.scripted_server import Behaviour, ScriptedServer
from support.served_app import KEY, QUESTION, app_over, client_of, free_port, keys

httpx = pytest.importorskip("httpx")

QUESTIONS = [f"Which river runs through town {number}?" for number in range(6)]


async def replica(model, place):
    """A server as a process, once it is ready, and its address."""
    port = free_port()
    settings = [f"llms.openai_compatible.base_url={model}", "llms.openai_compatible.model=m"]
    flags = [part for setting in settings for part in ("--set", setting)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", COMMAND, "serve", "--port", str(port), "--method", "direct", "--llm", "openai_compatible",
        "--store", place, *flags, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient() as client:
        while True:
            assert process.returncode is None, (await process.stderr.read()).decode()
            try:
                if (await client.get(f"{address}/readyz")).status_code == 200:
                    return process, address
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.05)


async def asked(client, address, question):
    reply = await client.post(f"{address}/v1/answers", json={"question": question}, timeout=60)
    assert reply.status_code == 200, reply.text
    return reply.json()


def calls(model):
    return Counter(map(body_of, model.requests))


async def test_two_replicas_make_no_call_twice_and_one_that_is_killed_loses_nothing(postgres):
    place = postgres.place()
    async with ScriptedServer(lambda _: Behaviour(text="So the answer is: the Nith.", delay=0.3)) as model:
        (one, at_one), (other, at_other) = [await replica(model.base_url, place) for _ in range(2)]
        try:
            async with httpx.AsyncClient() as client:
                each = [(address, question) for question in QUESTIONS for address in (at_one, at_other)]
                kept = await asyncio.gather(*(asked(client, address, question) for address, question in each))
                assert set(calls(model).values()) == {1}
                assert len(model.requests) == len(QUESTIONS)
                assert {answer["record"]["answer"]["short"] for answer in kept} == {"the Nith"}
                waiting = asyncio.gather(
                    *(asked(client, at_one, f"{question} Really?") for question in QUESTIONS), return_exceptions=True
                )
                while len(model.requests) < len(QUESTIONS) + 3:  # noqa: ASYNC110 - it is another process that is waited for
                    await asyncio.sleep(0.003)
                one.kill()
                await one.communicate()
                assert all(isinstance(lost, httpx.TransportError) for lost in await waiting)
                again = await asyncio.gather(*(asked(client, at_other, f"{question} Really?") for question in QUESTIONS))
                assert {answer["record"]["answer"]["short"] for answer in again} == {"the Nith"}
                for answer in kept:
                    found = await client.get(f"{at_other}/v1/answers/{answer['id']}")
                    assert found.json() == answer
                listed = (await client.get(f"{at_other}/v1/answers", params={"limit": 100})).json()["answers"]
                assert {entry["id"] for entry in listed} == {answer["id"] for answer in (*kept, *again)}
        finally:
            for process in (one, other):
                if process.returncode is None:
                    process.kill()
                    await process.communicate()


def test_two_replicas_share_the_daily_budget_of_a_key(postgres, tmp_path):
    shared = {"settings": {"store": {"path": postgres.place()}}, "keys": keys(questions_per_day=3)}
    apps = [app_over(folder, **shared) for folder in (tmp_path / "one", tmp_path / "other")]
    with client_of(apps[0], KEY) as one, client_of(apps[1], KEY) as other:
        replies = [client.post("/v1/answers", json={"question": QUESTION}) for _ in range(3) for client in (one, other)]
    assert [reply.status_code for reply in replies] == [200, 200, 200, 429, 429, 429]
    assert {reply.json()["error"]["code"] for reply in replies[3:]} == {"daily_budget"}
