"""`evaluate --cluster`: workers of a Dask cluster answer, and the run is the one that a single process makes."""

import asyncio
import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import ran
from support.dask_cluster import dask_cluster
from support.killed_runs import COMMAND
from support.part_files import METHOD
from support.questions import RULES, put_questions
from support.scripted_server import Behaviour, ScriptedServer
from typer.testing import CliRunner

from hopweave.apps.cli import app
from hopweave.evaluation.integrity.manifest import Manifest
from hopweave.evaluation.integrity.verify import verify
from hopweave.evaluation.runs import worker_session
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.merge import merge
from hopweave.evaluation.runs.prepare import prepare
from hopweave.evaluation.runs.run_plan import Flags, read_plan
from hopweave.evaluation.runs.shared import SharedComponents
from hopweave.record import Record
from hopweave.run.settings import read_settings

pytestmark = pytest.mark.usefixtures("own_folders")

METHODS = ("direct", "ircot")


def reply(_):
    return Behaviour(text="So the answer is: the Nith.", delay=0.15)


def asked(request):
    return json.dumps(request.body, sort_keys=True)


def arguments(address, place, out, *more):
    settings = [f"llms.openai_compatible.base_url={address}", "llms.openai_compatible.model=m", "corpus=starter"]
    flags = [part for setting in settings for part in ("--set", setting)]
    return [
        "evaluate", "--out", out, "--dataset", "jsonl", "--path", "questions.jsonl", "--methods", ",".join(METHODS),
        "--llm", "openai_compatible", "--store", place, *flags, *more,
    ]  # fmt: skip


async def started(*given):
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", COMMAND, *arguments(*given), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )


async def ended(process):
    said = (await process.communicate())[0].decode()
    assert process.returncode == 0, said
    return said


def prints(path):
    run = RunFolder.open(Path(path))
    return {m: {r.question.id: r.fingerprint for r in run.history("jsonl", m)} for m in METHODS}


def num_repeated(requests):
    return len(requests) - len(set(map(asked, requests)))


async def test_a_cluster_makes_the_run_of_one_process_and_repeats_no_call(postgres, tmp_path):
    put_questions(3)
    with dask_cluster(tmp_path / "dask", 1) as cluster:
        async with ScriptedServer(reply) as model:
            await ended(await started(model.base_url, postgres.place(), "clustered", "--cluster", cluster.address))
            requests = tuple(model.requests)
            await ended(await started(model.base_url, postgres.place(), "whole"))
    assert num_repeated(requests) == 0
    assert prints("clustered") == prints("whole")
    assert Manifest.read(Path("clustered")).is_complete


@pytest.mark.slow
async def test_a_worker_is_killed_on_the_way_and_a_shard_too_and_all_runs_are_equal(postgres, tmp_path):
    """On three worker processes and in three shards: each equals the run of one process, and no call is made twice."""
    put_questions(12)
    async with ScriptedServer(reply) as model:
        await ended(await started(model.base_url, postgres.place(), "whole"))
        before, place = model.num_requests, postgres.place()
        with dask_cluster(tmp_path / "dask", 3) as cluster:
            process = await started(model.base_url, place, "clustered", "--cluster", cluster.address)
            while model.num_requests < before + 10:  # noqa: ASYNC110 - it is other processes that are waited for
                await asyncio.sleep(0.003)
            cluster.workers[0].kill()
            await ended(process)
        of_cluster = model.requests[before:]
        after, other = model.num_requests, postgres.place()
        killed = await started(model.base_url, other, "part2", "--shard", "2/3", "--parallel", "2")
        while model.num_requests < after + 3:  # noqa: ASYNC110
            await asyncio.sleep(0.003)
        killed.kill()
        await killed.communicate()
        jobs = [await started(model.base_url, other, f"part{n}", "--shard", f"{n}/3", "--parallel", "2") for n in (1, 2, 3)]
        for job in jobs:
            await ended(job)
        of_shards = model.requests[after:]
    merge([Path(f"part{number}") for number in (1, 2, 3)], Path("merged"))
    # What was under way in the process that was killed, nobody heard the end of: two threads, and two questions side by side.
    assert num_repeated(of_cluster) <= 2
    assert num_repeated(of_shards) <= 2
    assert prints("clustered") == prints("whole")
    assert prints("merged") == prints("whole")
    assert Counter(sum(1 for _ in RunFolder.open(Path("clustered")).history("jsonl", m)) for m in METHODS) == {12: 2}
    for path, at in (("clustered", place), ("merged", other)):
        found = verify(Path(path), at)
        assert (found.differences, found.unchecked) == ([], [])


async def test_a_worker_in_another_state_is_refused_with_what_differs(tmp_path):
    put_questions(1)
    Path("rules.toml").write_text(RULES)
    settings = read_settings({"llm": "scripted", "llms": {"scripted": {"rules_file": "rules.toml"}}, "store": {"mode": "off"}})
    plan = read_plan(None, Flags(["jsonl"], ["direct"], Path("questions.jsonl")))
    prepared = prepare(plan, settings)
    (cell,) = prepared.cells
    shared = SharedComponents(prepared)
    shared.open()
    facts = worker_session.facts_of(shared)
    await shared.close()
    order = worker_session.Order("one", plan, settings, prepared.cells, str(tmp_path), 1, facts)
    question = prepared.examples["jsonl"][0].question
    here = Path.cwd()
    answered = await asyncio.to_thread(worker_session.answer, order, cell, question)
    assert Record.from_json(answered.record).answer.short == "the Nith"
    for what in facts:
        other = replace(order, name="other", facts={**facts, what: "something else"})
        answered = await asyncio.to_thread(worker_session.answer, other, cell, question)
        assert not answered.record
        assert f"{what} is {facts[what]}, not something else" in answered.error
    assert Path.cwd() == here
    assert list(worker_session._sessions) == ["one"]
    worker_session.leave("one")
    worker_session.leave("one")
    assert worker_session._sessions == {}


def run(*more, store="--store=postgres://127.0.0.1:9/x"):
    put_questions(1)
    given = ("--dataset", "jsonl", "--path", "questions.jsonl", "--methods", "direct", "--llm", "openai_compatible")
    more = (*more, "--set", "llms.openai_compatible.base_url=http://127.0.0.1:9/v1", "--set", "llms.openai_compatible.model=m")
    return CliRunner().invoke(app, ["evaluate", "--out", "run", *given, *([store] if store else []), *more])


def test_a_file_as_the_store_of_a_cluster_is_refused_with_what_to_give():
    done = run("--cluster", "tcp://127.0.0.1:9", store="")
    assert done.exit_code == 1
    assert "give --store postgres://HOST/DATABASE" in done.output
    assert not Path("run").exists()


def test_a_scheduler_that_is_not_there_is_one_clear_error(monkeypatch):
    pytest.importorskip("distributed", reason="needs: pip install 'hopweave[cluster]'")
    monkeypatch.setattr("hopweave.core.dask_client.CONNECT_SECONDS", 0.3)
    done = run("--cluster", "tcp://127.0.0.1:9", "--set", "store.mode=off", store="")
    assert done.exit_code == 1
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in done.output
    assert done.output.strip().endswith("or check the address")


@pytest.mark.slow
def test_workers_load_files_of_the_users_own_that_the_command_was_given(tmp_path):
    put_questions(2)
    Path("mine.py").write_text(METHOD)
    with dask_cluster(tmp_path / "dask", 1) as cluster:
        given = ("--dataset", "jsonl", "--path", "questions.jsonl", "--methods", "./mine.py:Picky", "--llm", "scripted")
        done = ran("evaluate", "--out", "run", *given, "--set", "store.mode=off", "--cluster", cluster.address)
    assert "2 of 2 questions have a record in run, 0 failed" in done.output
