"""Runs of `hopweave evaluate` as processes that are killed, with an endpoint that counts the calls."""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

from support.scripted_server import Behaviour, Request, ScriptedServer

from hopweave.evaluation.integrity.manifest import Manifest, hash_file
from hopweave.evaluation.runs.folder import RunFolder

METHODS = ("direct", "searchain", "ircot")
NUM_QUESTIONS = 6
COMMAND = "from hopweave.apps.cli import main; main()"


def reply(request: Request) -> Behaviour:
    """A reply that hangs on nothing but what is asked, and that tells which request it answers."""
    last = request.body["messages"][-1]["content"]
    marked = f"reply {request.number}"
    if "Does the passage state the answer" in last:
        return Behaviour(text=f"no, {marked}", delay=0.02)
    chain = f"[Query 1]: What is it ({marked})?\n[Answer 1]: the Nith\n[Final Content]: So the final answer is the Nith."
    is_chain = "[Query" in "".join(message["content"] for message in request.body["messages"])
    return Behaviour(text=chain if is_chain else f"It is said in {marked}. So the answer is: the Nith.", delay=0.02)


def put_questions(num: int = NUM_QUESTIONS) -> None:
    """Puts the questions into the working directory."""
    rows = [{"id": f"q{n}", "question": f"Which river runs through town {n}?", "answer": "the Nith"} for n in range(num)]
    Path("questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


async def started(base_url: str, *more: str) -> asyncio.subprocess.Process:
    """The command that works on the run, as a process."""
    settings = [f"llms.openai_compatible.base_url={base_url}", "llms.openai_compatible.model=m", "corpus=starter"]
    flags = [part for setting in settings for part in ("--set", setting)]
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", COMMAND, "evaluate", "--out", "run", "--dataset", "jsonl", "--path", "questions.jsonl",
        "--methods", ",".join(METHODS), "--llm", "openai_compatible", *flags, *more,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip


def stored_texts() -> list[str]:
    """The replies that the store holds."""
    if not Path("run/store.sqlite").exists():
        return []
    with closing(sqlite3.connect("run/store.sqlite")) as file:
        if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone():
            return []
        return [json.loads(row[0])[0]["text"] for row in file.execute("SELECT outcome FROM replies WHERE is_reply")]


def asked(request: Request) -> str:
    """What was asked for, by which two requests are compared."""
    return json.dumps(request.body, sort_keys=True)


async def killed_at_random(moments: random.Random, parallel: int, max_kills: int = 5) -> tuple[int, int]:
    """Kills a run at random moments and begins it again until it ends; checks that nothing was lost, doubled or asked again.

    Returns:
        How often it was killed, and how many replies the store held then, all times together.
    """
    num_kills, stored_then = 0, []
    async with ScriptedServer(reply) as server:
        while True:
            process = await started(server.base_url, "--parallel", str(parallel))
            aim = server.num_requests + moments.randint(1, 12)
            if num_kills < max_kills and moments.random() < 0.15:  # before anything was asked, or nobody knows when
                await asyncio.sleep(moments.random())
                aim = 0
            while num_kills < max_kills and server.num_requests < aim and process.returncode is None:  # noqa: ASYNC110
                await asyncio.sleep(0.003)
            if num_kills < max_kills and process.returncode is None:
                await asyncio.sleep(moments.random() * 0.04)
                process.send_signal(signal.SIGKILL)
                num_kills += 1
            said = (await process.communicate())[0].decode()
            if process.returncode != -signal.SIGKILL:
                break
            stored_then.append((server.num_requests, stored_texts()))
        assert process.returncode == 0, said
        requests = server.requests
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
    assert [session.ended_because for session in manifest.sessions][-1] == "finished"
    assert manifest.records["jsonl/direct"].sha256 == hash_file(folder.records_path("jsonl", "direct"))
    return num_kills, sum(len(texts) for _, texts in stored_then)
