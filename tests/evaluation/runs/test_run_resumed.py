"""`hopweave evaluate` killed at random moments: no call is made twice, no record is lost or doubled."""

import asyncio
import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from support.killed_runs import METHODS, NUM_QUESTIONS, killed_at_random, reply, started, stored_texts
from support.questions import put_questions
from support.scripted_server import Behaviour, ScriptedServer

from hopweave.evaluation.runs.folder import RunFolder


@pytest.fixture
def scene(own_folders, tmp_path):
    put_questions(NUM_QUESTIONS)
    return tmp_path


async def test_a_run_that_is_killed_once_repeats_no_call_and_loses_and_doubles_no_record(scene):
    num_kills, num_stored = await killed_at_random(random.Random(20), 4, max_kills=1)  # at its twelfth request
    assert num_kills == 1
    assert num_stored > 0


@pytest.mark.slow
@pytest.mark.parametrize("parallel", [1, 4])
async def test_a_run_that_is_killed_at_random_moments_repeats_no_call_and_loses_and_doubles_no_record(scene, parallel):
    num_kills, num_stored = await killed_at_random(random.Random(parallel), parallel)
    assert num_kills >= 3
    assert num_stored > 0


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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
