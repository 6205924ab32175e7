"""`hopweave evaluate` killed at random moments: no call is made twice, no record is lost or doubled."""

import asyncio
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from support.scripted_server import Behaviour, ScriptedServer

from hopweave.evaluation.manifest import Manifest, hash_file
from hopweave.evaluation.run_folder import RunFolder

METHODS = ("direct", "searchain", "ircot")
NUM_QUESTIONS = 6
COMMAND = "from hopweave.cli import main; main()"


def reply(request):
    """A reply that hangs on nothing but what is asked, and that tells which request it answers."""
    last = request.body["messages"][-1]["content"]
    marked = f"reply {request.number}"
    if "Does the passage state the answer" in last:
        return Behaviour(text=f"no, {marked}", delay=0.02)
    chain = f"[Query 1]: What is it ({marked})?\n[Answer 1]: the Nith\n[Final Content]: So the final answer is the Nith."
    is_chain = "[Query" in "".join(message["content"] for message in request.body["messages"])
    return Behaviour(text=chain if is_chain else f"It is said in {marked}. So the answer is: the Nith.", delay=0.02)


@pytest.fixture
def scene(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith("HOPWEAVE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": f"q{n}", "question": f"Which river runs through town {n}?", "answer": "the Nith"} for n in range(NUM_QUESTIONS)
    ]
    Path("questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


async def started(base_url, *more):
    settings = [f"llms.openai_compatible.base_url={base_url}", "llms.openai_compatible.model=m", "corpus=starter"]
    flags = [part for setting in settings for part in ("--set", setting)]
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", COMMAND, "evaluate", "--out", "run", "--dataset", "jsonl", "--path", "questions.jsonl",
        "--methods", ",".join(METHODS), "--llm", "openai_compatible", *flags, *more,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip


def stored_texts():
    """The replies that the store holds."""
    if not Path("run/store.sqlite").exists():
        return []
    with closing(sqlite3.connect("run/store.sqlite")) as file:
        if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone():
            return []
        return [json.loads(row[0])[0]["text"] for row in file.execute("SELECT outcome FROM replies WHERE is_reply")]


def asked(request):
    return json.dumps(request.body, sort_keys=True)


@pytest.mark.parametrize("parallel", [1, 4])
async def test_a_run_that_is_killed_at_random_moments_repeats_no_call_and_loses_and_doubles_no_record(scene, parallel):
    moments = random.Random(parallel)
    num_kills, stored_then = 0, []
    async with ScriptedServer(reply) as server:
        while True:
            process = await started(server.base_url, "--parallel", str(parallel))
            aim = server.num_requests + moments.randint(1, 12)
            while num_kills < 5 and server.num_requests < aim and process.returncode is None:  # noqa: ASYNC110
                await asyncio.sleep(0.003)
            if num_kills < 5 and process.returncode is None:
                await asyncio.sleep(moments.random() * 0.04)
                process.send_signal(signal.SIGKILL)
                num_kills += 1
            said = (await process.communicate())[0].decode()
            if process.returncode != -signal.SIGKILL:
                break
            stored_then.append((server.num_requests, stored_texts()))
        assert process.returncode == 0, said
        requests = server.requests
    assert num_kills >= 3
    assert sum(len(texts) for _, texts in stored_then) > 0
    for num_requests, texts in stored_then:
        answered = {int(number) for text in texts for number in re.findall(r"reply (\d+)", text)}
        kept = {asked(requests[number]) for number in answered}
        assert kept.isdisjoint(map(asked, requests[num_requests:]))
    repeated = Counter(map(asked, requests)).total() - len(set(map(asked, requests)))
    assert repeated <= num_kills * parallel  # those that were under way when the process died, which nobody heard the end of
    folder = RunFolder.open(Path("run"))
    for method in METHODS:
        lines = folder.records_path("jsonl", method).read_text().splitlines()
        assert sorted(json.loads(line)["question"]["id"] for line in lines) == [f"q{n}" for n in range(NUM_QUESTIONS)]
        assert [record.error for record in folder.records("jsonl", method) if record.error] == []
    manifest = Manifest.read(Path("run"))
    assert manifest.is_complete
    assert [sitting.ended_because for sitting in manifest.sittings][-1] == "finished"
    assert manifest.records["jsonl/direct"].sha256 == hash_file(folder.records_path("jsonl", "direct"))


async def test_two_processes_on_one_run_are_refused_and_a_killed_one_leaves_no_lock(scene):
    async with ScriptedServer([Behaviour(text="the Nith", delay=0.2)]) as server:
        first = await started(server.base_url, "--parallel", "1")
        while server.num_requests < 1:  # noqa: ASYNC110 - it is another process that is waited for
            await asyncio.sleep(0.01)
        second = await started(server.base_url)
        said = (await second.communicate())[0].decode()
        assert second.returncode == 1
        assert f"another process (id {first.pid}) works on the run in run" in said
        first.kill()
        await first.communicate()
        third = await started(server.base_url)
        assert "18 of 18 questions have a record" in (await third.communicate())[0].decode()


MALFORMED = (
    '{"choices": [{"message": {"content": "the Nith"}, "finish_reason": 5}]}',
    '{"choices": [{"message": {"content": "the Nith"}, "finish_reason": "\\ud800"}]}',
    '{"choices": [{"message": {"content": ["the Nith"]}, "finish_reason": ["stop"]}]}',
    '{"choices": [{"message": {"content": "the Nith"}}], "usage": {"prompt_tokens": -1}}',
    "[" * 100_000,
)


async def test_malformed_replies_end_no_run_and_are_asked_for_again(scene):
    is_sound = False

    def decide(request):
        return reply(request) if is_sound else Behaviour(raw=MALFORMED[request.number % len(MALFORMED)])

    more = ["--set", "retries.max_attempts=1", "--parallel", "1"]
    async with ScriptedServer(decide) as server:
        process = await started(server.base_url, *more)
        said = (await process.communicate())[0].decode()
        assert "Traceback" not in said
        assert stored_texts() == ["the Nith"] * len(stored_texts())  # half of a surrogate pair is made whole and kept
        is_sound = True
        for _ in range(3):  # a run that found its endpoint gone goes on with the same command
            process = await started(server.base_url, *more, "--retry-failed")
            said = (await process.communicate())[0].decode()
            assert "Traceback" not in said
    assert process.returncode == 0, said
    records = [record for method in METHODS for record in RunFolder.open(Path("run")).records("jsonl", method)]
    assert len(records) == len(METHODS) * NUM_QUESTIONS
    assert [record.error for record in records if record.error] == []


async def test_rows_of_the_store_that_cannot_be_read_are_asked_for_again_and_counted(scene):
    async with ScriptedServer([Behaviour("So the answer is: the Nith.")]) as server:
        await (await started(server.base_url)).communicate()
        num_calls = server.num_requests
        shutil.rmtree("run/records")
        with closing(sqlite3.connect("run/store.sqlite")) as file, file:
            keys = [key for (key,) in file.execute("SELECT key FROM replies ORDER BY key LIMIT 2")]
            spoilt = json.dumps([{"text": "x", "finish_reason": 5}, None])
            file.executemany("UPDATE replies SET outcome = ? WHERE key = ?", [(spoilt, key) for key in keys])
        process = await started(server.base_url)
        said = (await process.communicate())[0].decode()
    assert process.returncode == 0, said
    assert "2 replies of the store could not be read, so these calls were made again" in said
    assert server.num_requests == num_calls + 2
