"""`evaluate --processes`: several processes answer, and the run is the one that a single process makes."""

import asyncio
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import pytest
from support.commands import COMMAND, INTERRUPTIBLE, assert_one_line, ran
from support.killed_runs import asked, reply, stored_texts
from support.part_files import METHOD
from support.questions import RULES, RULES_WITH_A_FAILURE, put_model, put_questions
from support.scripted_server import Behaviour, ScriptedServer

from hopweave.core.child_process import Child, _framed
from hopweave.core.errors import DataError, SettingsError
from hopweave.evaluation.integrity.manifest import Manifest
from hopweave.evaluation.integrity.verify import verify
from hopweave.evaluation.runs import processes, worker_process
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.prepare import prepare
from hopweave.evaluation.runs.progress import RunBudget
from hopweave.evaluation.runs.run import RunOptions, Watcher, evaluate
from hopweave.evaluation.runs.run_plan import Flags, in_full, read_plan
from hopweave.evaluation.runs.shared import SharedComponents
from hopweave.evaluation.runs.worker_session import Answered
from hopweave.run.settings import read_settings
from hopweave.run.store.store import Store

METHODS = ("direct", "ircot")
INTERRUPTED = ("hopweave: interrupted; answers so far are kept, run the same command to resume\n", 130)


@pytest.fixture(autouse=True)
def scene(own_folders):
    """A model by rule that fails on one question, and nothing of this machine's."""
    put_model(RULES_WITH_A_FAILURE)


def planned(methods=METHODS, **more):
    plan = read_plan(None, Flags(["jsonl"], methods, Path("questions.jsonl"), settings={"corpus": "starter", **more}))
    settings = read_settings(plan.settings)
    return in_full(plan, settings), settings


def of_server(server, **more):
    return {"llm": "openai_compatible", "llms": {"openai_compatible": {"model": "m", "base_url": server.base_url, **more}}}


async def done(out, methods=METHODS, watcher=None, more=None, **options):
    return await evaluate(Path(out), *planned(methods, **(more or {})), RunOptions(**options), watcher)


def prints(path, methods=METHODS):
    """The fingerprint of each question's record; each was recorded once."""
    run, found = RunFolder.open(Path(path)), {}
    for method in methods:
        records = list(run.history("jsonl", method))
        found[method] = {record.question.id: record.fingerprint for record in records}
        assert len(found[method]) == len(records)
    return found


def files_of(path):
    return sorted(str(file.relative_to(path)) for file in Path(path).rglob("*") if file.is_file())


def workers(parent=None):
    """The ids of the processes that answer for a process, by default for this one."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state, of = (place / "stat").read_text().rpartition(")")[2].split()[:2]
            is_worker = "hopweave.evaluation.runs.worker_process" in (place / "cmdline").read_text()
        except OSError:
            continue
        if is_worker and state != "Z" and int(of) == (parent or os.getpid()):
            found.append(int(place.name))
    return sorted(found)


async def ended(pids):
    async with asyncio.timeout(30):
        while any(Path(f"/proc/{pid}").exists() for pid in pids):  # noqa: ASYNC110 - they are not ours to wait for
            await asyncio.sleep(0.02)


async def enough(server, num_requests):
    async with asyncio.timeout(120):
        while server.num_requests < num_requests:  # noqa: ASYNC110 - other processes make them
            await asyncio.sleep(0.003)


class Killing(Watcher):
    """Kills a process before the first question is asked."""

    def started(self, work):
        os.kill(workers()[0], signal.SIGKILL)


def assert_same_runs(path, other):
    """Two runs have the same files, records and replies, and one of them stands up to being verified."""
    assert prints(path) == prints(other)
    assert files_of(path) == files_of(other)
    with closing(Store(Path(path) / "store.sqlite")) as store, closing(Store(Path(other) / "store.sqlite")) as other_store:
        assert [(key, kept.reply) for key, kept in store.items()] == [(key, kept.reply) for key, kept in other_store.items()]
    assert Manifest.read(Path(path)).is_complete
    found = verify(Path(path))
    assert (found.differences, found.unchecked) == ([], [])


async def test_processes_of_which_one_is_killed_make_the_run_of_one_process(caplog):
    """A question of it fails, and what a limit cut short goes on with another number of processes."""
    put_questions(8)
    cut = await done("many", watcher=Killing(), processes=2, budget=RunBudget(max_questions=12))
    assert (cut.progress.num_done, cut.ended_because) == (12, "max_questions = 12")
    assert not workers()
    assert [one.getMessage() for one in caplog.records] == [
        "a process that answered questions ended; another takes its place and answers what it had not"
    ]
    outcome = await done("many")
    await done("one")
    assert (outcome.progress.num_done, outcome.progress.num_failed) == (16, 2)
    assert_same_runs("many", "one")


@pytest.mark.slow
async def test_a_run_of_one_process_goes_on_with_three_and_with_none_left_starts_none():
    put_questions(20)
    await done("many", budget=RunBudget(max_questions=3))
    await done("many", processes=3)
    await done("one")
    assert_same_runs("many", "one")
    with pytest.raises(IndexError):  # there is none to kill
        await done("many", watcher=Killing(), processes=3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
async def test_processes_that_are_killed_all_the_time_lose_nothing_and_nothing_is_asked_again(seed):
    num_questions, num_kills, parallel = 60, 20, 6
    moments, stored_then = random.Random(seed), []
    put_questions(num_questions)
    async with ScriptedServer(reply) as server:
        running = asyncio.create_task(done("run", more=of_server(server), processes=3, parallel=parallel))
        while len(stored_then) < num_kills and not running.done():
            await enough(server, server.num_requests + moments.randint(2, 9))
            await asyncio.sleep(moments.random() * 0.03)
            os.kill(moments.choice(workers()), signal.SIGKILL)
            stored_then.append((stored_texts(), server.num_requests))
        outcome = await running
        assert len(stored_then) == num_kills
        requests = server.requests
    assert outcome.progress.num_done == len(METHODS) * num_questions
    assert [*outcome.progress.failures()] == []
    for texts, num_requests in stored_then:
        answered = {int(number) for text in texts for number in re.findall(r"reply (\d+)", text)}
        assert {asked(requests[number]) for number in answered}.isdisjoint(map(asked, requests[num_requests:]))
    assert len(requests) - len(set(map(asked, requests))) <= num_kills * parallel
    assert {method: len(found) for method, found in prints("run").items()} == dict.fromkeys(METHODS, num_questions)
    assert verify(Path("run")).differences == []
    assert not workers()


@pytest.mark.slow
async def test_a_question_that_processes_die_of_is_recorded_as_failed_and_the_others_are_answered():
    put_questions(4)
    ending = "        if '2' in question.text:\n            __import__('os')._exit(9)\n"
    Path("mine.py").write_text(METHOD.replace("        return", f"{ending}        return"))
    outcome = await done("run", ["./mine.py:Picky"], processes=2)
    [(cell, kind, num, (question_id, message))] = outcome.progress.failures()
    assert (cell.method, kind, num, question_id) == ("Picky", "MethodError", 1, "q2")
    assert message.startswith("5 processes ended while they answered this question, the last ones nothing else")
    records = RunFolder.open(Path("run")).records("jsonl", "Picky")
    said = {record.question.id: record.answer and record.answer.short for record in records}
    assert said == {"q0": "theta is 0.5", "q1": "theta is 0.5", "q2": None, "q3": "theta is 0.5"}


@pytest.mark.slow
async def test_calls_and_questions_at_a_time_are_of_all_processes_together():
    put_questions(12)
    seen = []

    class Seeing(Watcher):
        def started(self, work):
            seen.append((work.parallel, work.notes))

    async with ScriptedServer([Behaviour("So the answer is: the Nith.", delay=0.1)]) as server:
        outcome = await done("run", ["direct"], Seeing(), of_server(server, max_connections=5), processes=3)
        assert server.max_open == 5
        await done("other", ["direct"], Seeing(), of_server(server, max_connections=5), processes=3, parallel=2)
    assert outcome.progress.num_done == 12
    assert seen == [(6, ()), (2, ("2 processes answer, not 3: there are no more than questions or calls at a time",))]


@pytest.mark.slow
async def test_no_more_processes_are_announced_than_there_are_questions_left():
    put_questions(3)
    seen = []

    class Seeing(Watcher):
        def started(self, work):
            seen.append((len(workers()), work.notes))

    await done("run", ["direct"], Seeing(), processes=99)
    Path("run/records/jsonl/direct.jsonl").unlink()
    Path("run/records/jsonl/direct.proof").unlink()
    await done("run", ["direct"], budget=RunBudget(max_questions=2))
    for _ in range(2):  # one question is left, and then none
        await done("run", ["direct"], Seeing(), processes=99)
    reason = "not 99: there are no more than questions or calls at a time"
    assert seen == [(3, (f"3 processes answer, {reason}",)), (0, (f"1 process answers, {reason}",)), (0, ())]


@pytest.mark.slow
async def test_what_the_endpoint_refuses_lowers_the_limit_that_is_shown():
    put_questions(6)
    limits = []

    class Seeing(Watcher):
        def started(self, work):
            self.calls = work.calls

        def answered(self, cell, record):
            limits.append((self.calls.limit, self.calls.ceiling))

    def decide(request):
        if request.number < 4:
            return Behaviour("slower", status=429, headers={"Retry-After": "0"})
        return Behaviour("So the answer is: the Nith.")

    async with ScriptedServer(decide) as server:
        outcome = await done("run", ["direct"], Seeing(), of_server(server, max_connections=8), processes=2)
    assert outcome.progress.num_failed == 0
    assert min(limits) < (8, 8)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
async def test_processes_end_with_the_command_and_the_run_goes_on_with_another_number_of_them(how):
    put_questions(8)
    flags = [part for key in ("base_url", "model") for part in ("--set", f"llms.openai_compatible.{key}={{{key}}}")]
    given = ["evaluate", "--out", "run", "--dataset", "jsonl", "--path", "questions.jsonl", "--methods", "direct", *flags]
    async with ScriptedServer([Behaviour("So the answer is: the Nith.", delay=0.2)]) as server:
        words = [word.format(base_url=server.base_url, model="m") for word in (*given, "--llm", "openai_compatible")]
        process = await asyncio.create_subprocess_exec(
            *(*INTERRUPTIBLE, *words, "--processes", "2", "--parallel", "2"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        await enough(server, 3)
        pids = workers(process.pid)
        process.send_signal(how)
        said = (await process.communicate())[0].decode()
        await ended(pids)
        assert len(pids) == 2
        assert said == (
            "hopweave: interrupted; answers so far are kept, run the same command to resume\n" if how == signal.SIGINT else ""
        )
        assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
        before = server.num_requests
        resumed = await asyncio.create_subprocess_exec(*COMMAND, *words, stdout=asyncio.subprocess.PIPE)
        assert "8 of 8 questions have a record in run, 0 failed" in (await resumed.communicate())[0].decode()
        assert server.num_requests - before <= 8 - before + 2
    assert len(prints("run", ["direct"])["direct"]) == 8


@pytest.mark.slow
async def test_what_processes_refuse_is_said_once(monkeypatch):
    put_questions(4)
    monkeypatch.setattr(processes, "facts_of", lambda shared: {"the model": "another"})
    with pytest.raises(DataError, match=r"\Ain a worker \(.*\) the model is scripted:\w+, not another; give all"):
        await done("run", processes=2)
    assert not workers()


async def test_processes_that_die_before_they_answer_end_the_run(monkeypatch):
    put_questions(4)
    started = Child.started
    monkeypatch.setattr(Child, "started", lambda module: started("hopweave"))  # which has no function to run
    with pytest.raises(DataError, match="5 processes in a row ended while they opened the index and the rest"):
        await done("run", processes=2)


def test_an_unexpected_error_is_told_with_its_traceback():
    told, made = [], Future()
    made.set_exception(ZeroDivisionError("a bug"))

    class Session:
        call_limit, num_unreadable = 1, 0

    worker_process._telling(3, Session(), told.append)(made)
    [done] = told
    assert (done.number, done.answered) == (3, Answered())
    assert done.bug.endswith("ZeroDivisionError: a bug\n")


@pytest.mark.parametrize("begins", [False, True])
def test_a_process_of_which_nothing_is_asked_any_more_ends_without_a_word(begins):
    command = [sys.executable, "-c", "from hopweave.evaluation.runs.worker_process import main; main()"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        process.stdout.close()  # the process that asks has ended
        process.stdin.write(_framed(worker_process.Begin(None, 700)) if begins else b"")
        process.stdin.close()
        assert (process.wait(), process.stderr.read()) == (0, b"")


def test_a_model_that_each_process_would_load_is_refused_unless_it_is_not_asked():
    put_questions(2)
    for llm in ("llama_cpp", "transformers_local"):
        flags = ("--dataset", "jsonl", "--path", "questions.jsonl", "--methods", "direct", "--llm", llm, "--processes", "2")
        model = ("--set", "llms.transformers_local.model=x")
        said = f"several processes would each load the model of '{llm}'; leave out --processes"
        assert_one_line(ran("evaluate", "--out", "run", *flags, *model), said)
        assert not Path("run/plan.json").exists()
        shared = SharedComponents(
            prepare(*planned(llm=llm, llms={"transformers_local": {"model": "x"}}, store={"mode": "replay"}))
        )
        processes.check_model(shared)


def test_numbers_of_processes_that_make_no_sense_are_refused():
    with pytest.raises(SettingsError, match="processes must be at least 1, not 0"):
        RunOptions(processes=0)
    with pytest.raises(SettingsError, match="leave out --processes or --cluster"):
        RunOptions(processes=2, cluster="tcp://127.0.0.1:9")


@pytest.mark.parametrize(
    ("given", "num", "each"), [("auto", 2, 4), ("auto", 5, 0), ("auto", 8, 0), (6, 4, 1), (3, 4, 0), (0, 2, 0)]
)
def test_processes_share_the_search_workers(given, num, each, monkeypatch):
    monkeypatch.setattr(processes, "num_usable_cores", lambda: 8)
    put_questions(1)
    plan, settings = planned(search_workers=given)
    folder = RunFolder.create(Path("run"), plan)
    found = processes._settings_of_each(SharedComponents(prepare(plan, settings)), folder, num)
    assert found.search_workers == each
    assert found.store.path == Path("run/store.sqlite")


@pytest.mark.slow
async def test_unreadable_replies_are_counted_over_all_processes():
    put_questions(4)
    put_model(RULES)
    await done("run", ["direct"])
    shutil.rmtree("run/records")
    with closing(sqlite3.connect("run/store.sqlite")) as file, file:
        file.execute("UPDATE replies SET outcome = ?", (json.dumps([{"text": "x", "finish_reason": 5}, None]),))
    assert (await done("run", ["direct"], processes=2)).num_unreadable == 4
