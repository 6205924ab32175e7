"""A run of methods over datasets: order, records, budget, refusals, failures, manifest."""

import asyncio
import json
import os
import shutil
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console
from support.questions import RULES_WITH_A_FAILURE, put_model, put_questions
from support.scripted_server import Behaviour, ScriptedServer
from typer.testing import CliRunner

from hopweave.apps.cli import app
from hopweave.core.errors import DataError, ModelError, SettingsError
from hopweave.core.part_files import allow
from hopweave.evaluation.integrity.manifest import Manifest, hash_source
from hopweave.evaluation.runs.estimate import estimate
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.prepare import prepare
from hopweave.evaluation.runs.progress import Cell, RunBudget
from hopweave.evaluation.runs.progress_bars import Bars
from hopweave.evaluation.runs.run import MAX_FAILURES_IN_A_ROW, MIN_UNWRITTEN, RunOptions, Watcher, _Job, _RunWork, evaluate
from hopweave.evaluation.runs.run_plan import Flags, in_full, read_plan
from hopweave.models.llms.scripted import Scripted
from hopweave.models.prices import Price
from hopweave.run.settings import read_settings


@pytest.fixture(autouse=True)
def scene(own_folders):
    """Six questions, a model by rule that fails on one, and nothing of this machine's."""
    put_model(RULES_WITH_A_FAILURE)
    put_questions(6)


def of_questions(method="direct", **more):
    return Flags(["jsonl"], [method], Path("questions.jsonl"), **more)


def planned(flags=None, text=""):
    file = None
    if text:
        file = Path("plan.toml")
        file.write_text(text)
    plan = read_plan(file, flags or (Flags() if text else of_questions()))
    settings = read_settings(plan.settings)
    return in_full(plan, settings), settings


async def done(out="run", flags=None, text="", watcher=None, **options):
    plan, settings = planned(flags, text)
    return await evaluate(Path(out), plan, settings, RunOptions(**options), watcher)


def run(*arguments):
    return CliRunner().invoke(app, ["evaluate", "--out", "run", *arguments], env={"COLUMNS": "200"})


DIRECT = ("--dataset", "jsonl", "--path", "questions.jsonl", "--methods", "direct")


class Order(Watcher):
    def __init__(self):
        self.seen = []

    def answered(self, cell, record):
        self.seen.append((*cell, record.question.id))


async def test_every_question_has_a_record_and_what_failed_is_counted_by_kind():
    outcome = await done()
    assert (outcome.ended_because, outcome.progress.num_done, outcome.progress.num_failed) == ("finished", 6, 1)
    assert list(outcome.progress.failures()) == [
        (Cell("jsonl", "direct"), "ModelError", 1, ("q3", "the model cannot bear town 3"))
    ]
    records = list(RunFolder.open(Path("run")).records("jsonl", "direct"))
    assert sorted(record.question.id for record in records) == [f"q{n}" for n in range(6)]
    assert [record.answer.short for record in records if record.answer] == ["the Nith"] * 5


async def test_one_method_is_worked_after_another_with_datasets_of_one_kind_side_by_side():
    put_questions(1, "labels.jsonl", form="label", labels=["the Nith", "the Esk"])
    text = """
        [datasets.first]
        name = "jsonl"
        path = "questions.jsonl"
        limit = 2
        [datasets.labels]
        name = "jsonl"
        path = "labels.jsonl"
        [datasets.second]
        name = "jsonl"
        path = "questions.jsonl"
        limit = 1
        [methods.direct]
        [methods.brief]
        name = "direct"
        max_tokens = 2
    """
    order = Order()
    await done(text=text, watcher=order, parallel=1)
    once = [("first", "q0"), ("first", "q1"), ("second", "q0"), ("labels", "q0")]
    assert order.seen == [(data, method, name) for method in ("direct", "brief") for data, name in once]
    brief = next(RunFolder.open(Path("run")).records("first", "brief"))
    assert (brief.setup.method, brief.setup.options["max_tokens"]) == ("direct", 2)


async def test_each_dataset_may_have_an_index_of_its_own():
    from hopweave.core.types import Passage
    from hopweave.retrieval.engines.bm25 import BM25

    BM25.build(Path("one"), [Passage("one", "The river Nith runs through town 0.")])
    BM25.build(Path("two"), [Passage("two", "The river Esk runs through town 0.")])
    text = """
        methods = ["direct_retrieval"]
        [settings]
        corpus = "one"
        [datasets.first]
        name = "jsonl"
        path = "questions.jsonl"
        limit = 1
        [datasets.second]
        name = "jsonl"
        path = "questions.jsonl"
        limit = 1
        corpus = "two"
    """
    await done(text=text)
    folder = RunFolder.open(Path("run"))
    found = {data: [p.id for p in next(folder.records(data, "direct_retrieval")).passages] for data in ("first", "second")}
    assert found == {"first": ["one"], "second": ["two"]}
    assert set(Manifest.read(Path("run")).indexes) == {"one", "two"}


async def test_a_run_that_is_done_asks_nothing_when_it_is_run_again():
    await done()
    before = Path("run/records/jsonl/direct.jsonl").read_bytes()
    order = Order()
    outcome = await done(watcher=order)
    assert order.seen == []
    assert outcome.progress.num_done == 6
    assert Path("run/records/jsonl/direct.jsonl").read_bytes() == before


async def test_what_failed_is_asked_again_only_on_demand_and_then_the_last_record_counts():
    await done()
    order = Order()
    outcome = await done(watcher=order, retry_failed=True)
    assert order.seen == [("jsonl", "direct", "q3")]
    assert outcome.progress.num_failed == 1
    folder = RunFolder.open(Path("run"))
    assert len(list(folder.history("jsonl", "direct"))) == 7
    assert sorted(record.question.id for record in folder.records("jsonl", "direct")) == [f"q{n}" for n in range(6)]


async def test_a_torn_last_line_is_cut_off_and_its_question_asked_again():
    await done()
    place = Path("run/records/jsonl/direct.jsonl")
    whole = place.read_bytes()
    place.write_bytes(whole[:-100])
    order = Order()
    await done(watcher=order)
    assert len(order.seen) == 1
    assert len(place.read_bytes().splitlines()) == 6


async def test_another_setting_is_refused_with_the_difference():
    await done()
    with pytest.raises(SettingsError, match=r"settings.sampling.temperature was absent, is now 0.5"):
        await done(flags=of_questions(settings={"sampling": {"temperature": 0.5}}))
    with pytest.raises(SettingsError, match=r"datasets.jsonl.limit was null, is now 3"):
        await done(flags=of_questions(limit=3))
    Path("hopweave.toml").write_text(Path("hopweave.toml").read_text().replace("llm =", 'reader = "span_model"\nllm ='))
    with pytest.raises(SettingsError, match=r'settings.reader was "llm_reader", is now "span_model"'):
        await done()


async def test_changed_data_and_a_changed_index_are_refused():
    from hopweave.core.types import Passage
    from hopweave.retrieval.engines.bm25 import BM25

    BM25.build(Path("index"), [Passage("one", "The river Nith runs through town 0.")])
    flags = of_questions(settings={"corpus": "index"})
    await done(flags=flags)
    BM25.build(Path("index"), [Passage("one", "The river Esk runs through town 0.")])
    with pytest.raises(DataError, match=r"index index: .* changed.*the retriever over index was"):
        await done(flags=flags)
    await done("other")
    put_questions(7)
    with pytest.raises(DataError, match=r"data of jsonl: questions.jsonl changed"):
        await done("other")


async def test_a_wrong_option_leaves_no_run_behind():
    with pytest.raises(SettingsError, match="no option 'max_token'"):
        await done(text='[datasets.jsonl]\npath = "questions.jsonl"\n[methods.direct]\nmax_token = 3')
    with pytest.raises(DataError, match=r"dataset 'jsonl': .*missing.jsonl"):
        await done(flags=Flags(["jsonl"], ["direct"], Path("missing.jsonl")))
    assert (await done()).progress.is_complete


async def test_a_folder_that_holds_something_else_is_refused_and_left_as_it_is():
    Path("notes").mkdir()
    Path("notes/mine.txt").write_text("mine")
    with pytest.raises(DataError, match="notes is not a run and not empty; use another folder"):
        await done("notes")
    assert [place.name for place in Path("notes").iterdir()] == ["mine.txt"]


async def test_a_folder_that_holds_only_what_a_killed_start_left_behind_is_taken():
    Path("run").mkdir()
    Path("run/.lock").write_text("")
    assert (await done()).ended_because == "finished"


async def test_a_budget_ends_the_run_between_questions_and_a_higher_one_goes_on():
    outcome = await done(budget=RunBudget(max_questions=2), parallel=4)
    assert (outcome.ended_because, outcome.progress.num_done) == ("max_questions = 2", 2)
    assert not Manifest.read(Path("run")).is_complete
    tokens = outcome.progress.spent("tokens")
    outcome = await done(budget=RunBudget(max_tokens=int(tokens) + 1), parallel=1)
    assert (outcome.progress.num_done, outcome.ended_because[:10]) == (3, "max_tokens")
    assert (await done(budget=RunBudget(max_seconds=0.0001))).progress.num_done in (3, 4)
    outcome = await done()
    assert (outcome.ended_because, outcome.progress.num_done) == ("finished", 6)
    assert [session.ended_because[:8] for session in Manifest.read(Path("run")).sessions] == [
        "max_ques",
        "max_toke",
        "max_seco",
        "finished",
    ]


@pytest.mark.slow
async def test_questions_under_way_count_towards_a_budget_of_money():
    Path("prices.toml").write_text('[[prices]]\nmodel = "scripted:*"\nprompt = 1000000\ncompletion = 0\n')
    first = await done("probe", prices=Path("prices.toml"), budget=RunBudget(max_questions=1))
    each = first.progress.spent("cost")
    assert each > 0
    outcome = await done("probe", prices=Path("prices.toml"), budget=RunBudget(max_cost=each * 2.5), parallel=4)
    assert outcome.progress.num_done == 3
    assert outcome.ended_because.startswith("max_cost")


def test_limits_that_cannot_be_are_refused():
    with pytest.raises(SettingsError, match="max_cost needs a price table"):
        RunOptions(budget=RunBudget(max_cost=1.0))
    with pytest.raises(SettingsError, match="max_tokens of a run must be a number above 0"):
        RunBudget(max_tokens=0)
    with pytest.raises(SettingsError, match="parallel must be at least 1"):
        RunOptions(parallel=0)


async def test_an_endpoint_that_is_down_ends_the_run_instead_of_failing_every_question():
    Path("rules.toml").write_text('[[rules]]\nmatch = "(?s)."\nerror = "down"\n')
    put_questions(MAX_FAILURES_IN_A_ROW + 20)
    outcome = await done(parallel=1)
    assert outcome.progress.num_failed == MAX_FAILURES_IN_A_ROW
    assert "in a row failed" in outcome.ended_because
    assert not outcome.progress.is_complete


async def test_a_question_that_no_method_can_be_asked_is_a_failed_record_by_name():
    Path("questions.jsonl").write_text(
        json.dumps({"id": "long", "question": "Which? " * 2000, "answer": "x"})
        + "\n"
        + json.dumps({"question": "Who?", "answer": "x"})
        + "\n"
    )
    outcome = await done()
    assert [(kind, num, example[0]) for _, kind, num, example in outcome.progress.failures()] == [("DataError", 1, "long")]
    assert outcome.progress.is_complete


async def test_a_method_that_breaks_is_counted_and_the_others_go_on(monkeypatch):
    from hopweave.answering.methods.direct.direct import Direct

    async def broken(self, question, workbench):
        raise ZeroDivisionError("of its own")

    monkeypatch.setattr(Direct, "answer", broken)
    outcome = await done(flags=Flags(["jsonl"], ["direct", "cot"], Path("questions.jsonl")))
    failed = {(cell.method, kind): num for cell, kind, num, _ in outcome.progress.failures()}
    assert failed == {("direct", "MethodError"): 6, ("cot", "ModelError"): 1}
    assert outcome.progress.is_complete


async def test_the_manifest_is_there_from_the_start_and_complete_at_the_end():
    seen = []

    class AtStart(Watcher):
        def started(self, work):
            seen.append(Manifest.read(Path("run")))

    await done(watcher=AtStart())
    assert seen[0].records == {}
    assert not seen[0].is_complete
    manifest = Manifest.read(Path("run"))
    assert manifest.is_complete
    assert manifest.llm.startswith("scripted:")
    assert manifest.datasets["jsonl"].sources == (hash_source(Path("questions.jsonl")),)
    assert manifest.datasets["jsonl"].num_examples == 6
    assert set(manifest.prompts) >= {"direct.direct"}
    kept = manifest.records["jsonl/direct"]
    assert (kept.num_records, kept.num_failed) == (6, 1)
    assert manifest.sessions[0].ended_because == "finished"


@pytest.mark.slow
async def test_the_code_that_changed_between_sittings_is_told(monkeypatch):
    told = []

    class Notes(Watcher):
        def started(self, work):
            told.extend(work.notes)

    await done(budget=RunBudget(max_questions=1))
    await done(budget=RunBudget(max_questions=2), watcher=Notes())
    assert told == []
    monkeypatch.setattr("hopweave.evaluation.integrity.manifest.hash_code", lambda: "another")
    await done(watcher=Notes())
    assert told == ["the code of hopweave has changed since the run started, as manifest.json says"]


@pytest.mark.slow
async def test_the_replies_are_in_the_run_unless_the_settings_name_a_store():
    await done()
    assert Path("run/store.sqlite").exists()
    flags = of_questions(settings={"store": {"path": "mine.sqlite"}})
    await done("other", flags=flags)
    assert not Path("other/store.sqlite").exists()
    assert Path("mine.sqlite").exists()


@pytest.mark.slow
async def test_more_questions_than_calls_are_under_way_so_that_the_endpoint_waits_for_no_search():
    put_questions(60)
    seen = []
    async with ScriptedServer([Behaviour(text="So the answer is: the Nith.")], delay=0.05) as server:
        model = {"model": "scripted", "base_url": server.base_url, "max_connections": 8}
        flags = of_questions(settings={"llm": "openai_compatible", "llms": {"openai_compatible": model}})

        class Look(Watcher):
            def started(self, work):
                seen.append((work.parallel, work.calls.limit))

        await done(flags=flags, watcher=Look())
    assert seen == [(10, 8)]
    assert (server.max_open, server.num_requests) == (8, 60)


@pytest.mark.slow
async def test_the_manifest_says_how_many_questions_each_sitting_asked_at_a_time():
    await done(parallel=1, budget=RunBudget(max_questions=1))
    await done(parallel=4)
    await done(parallel=9)  # nothing is left to ask
    manifest = Manifest.read(Path("run"))
    assert [session.parallel for session in manifest.sessions] == [1, 4, 0]


async def test_an_offline_stage_counts_once_in_what_a_run_spent():
    Path("rules.toml").write_text('[[rules]]\nmatch = "(?s)."\nsay = "It is known. The answer is Ulm."\n')
    outcome = await done(flags=of_questions("auto_cot"))
    cell = outcome.progress.cells[Cell("jsonl", "auto_cot")]
    num_offline = len(cell.spent.offline.requests)
    assert (cell.spent.llm_calls, num_offline) == (6, 2 * 4)
    assert outcome.progress.spent("llm_calls") == 6 + num_offline
    assert outcome.progress.spent("tokens") > cell.spent.tokens
    records = list(RunFolder.open(Path("run")).records("jsonl", "auto_cot"))
    assert {record.totals(offline=True).llm_calls for record in records} == {num_offline}


async def test_an_estimate_of_a_method_with_an_offline_stage_counts_it_once(tmp_path):
    plan, settings = planned(of_questions("auto_cot"))
    [found] = await estimate(prepare(plan, settings), None)
    assert 6 + 2 * 4 <= found.llm_calls.high <= 6 + 2 * 20


@pytest.fixture
def opened(monkeypatch):
    """What happens to the scripted model, in order, which can be opened here.

    It is a class of its own, since what is found out about a class (whether it opens) is remembered.
    """
    seen = []

    class Opening(Scripted):
        async def open(self):
            seen.append("open")

        async def reply(self, *words):
            seen.append("reply")
            return await super().reply(*words)

    monkeypatch.setattr("hopweave.models.llms.scripted.Scripted", Opening)
    return seen


async def test_the_model_is_ready_before_the_first_question_is_taken_up(opened):
    class Look(Watcher):
        def started(self, work):
            opened.append("start")

    await done(watcher=Look())
    assert opened[:3] == ["open", "start", "reply"]
    assert opened.count("open") == 1


@pytest.mark.slow
async def test_where_nothing_is_left_to_ask_or_all_is_replayed_the_model_is_left_alone(opened):
    await done()
    opened.clear()
    await done()
    shutil.rmtree("run/records")
    Path("run/manifest.json").unlink()
    await done(flags=of_questions(settings={"store": {"mode": "replay"}}))
    assert opened == []


@pytest.mark.slow
async def test_a_model_that_cannot_be_opened_is_not_missed_where_the_store_holds_its_replies(opened, monkeypatch):
    await done()
    shutil.rmtree("run/records")

    async def fail(self):
        raise ModelError("there is no such model")

    monkeypatch.setattr("hopweave.models.llms.scripted.Scripted.open", fail)
    outcome = await done()
    assert sum(len(progress.done) for progress in outcome.progress.cells.values()) == 6


@pytest.mark.slow
async def test_memory_does_not_hold_the_records():
    import gc

    from hopweave.record import Record

    put_questions(290)

    def num_held():
        gc.collect()
        return sum(isinstance(thing, Record) for thing in gc.get_objects())

    others = num_held()  # of the tests before
    most = 0

    class Count(Watcher):
        def answered(self, cell, record):
            nonlocal most
            if record.question.id in {"q150", "q289"}:
                most = max(most, num_held() - others)

    await done(watcher=Count(), parallel=8)
    assert 0 < most <= 2 * (MIN_UNWRITTEN + 8)  # those on their way to the disk, and those that wait for it


@pytest.mark.slow
def test_answers_that_come_faster_than_the_disk_takes_them_wait_and_all_are_kept(monkeypatch):
    put_questions(12)
    add = RunFolder.add

    def slow(self, *words):
        time.sleep(0.3)
        add(self, *words)

    monkeypatch.setattr(RunFolder, "add", slow)
    monkeypatch.setattr("hopweave.evaluation.runs.run.MIN_UNWRITTEN", 2)
    ended = []
    worker = threading.Thread(target=lambda: ended.append(asyncio.run(done(parallel=1))), daemon=True)
    worker.start()
    worker.join(20)
    assert len(ended) == 1
    assert len(Path("run").joinpath("records/jsonl/direct.jsonl").read_text().splitlines()) == 12


def test_who_waits_for_the_disk_lets_the_writer_go_on_even_right_after_it_wrote():
    async def waits():
        session = object.__new__(_RunWork)
        session._running, session._unwritten, session._is_written = Counter(), [1, 2, 3], asyncio.Event()
        session._is_written.set()
        jobs = [_Job(Cell("d", "m"), None), None]
        session._next, session._done = lambda: jobs.pop(0), lambda *_: None

        async def answer(job):
            return None

        session._answer = answer
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(session._take_turns(2), 0.1)
        ended.append(session)

    ended = []
    worker = threading.Thread(target=lambda: asyncio.run(waits()), daemon=True)
    worker.start()
    worker.join(10)
    assert len(ended) == 1


def test_the_command_lists_failures_and_ends_well_when_every_question_has_a_record():
    ended = run(*DIRECT)
    assert ended.exit_code == 0, ended.output
    assert "6 of 6 questions have a record in run, 1 failed; 6 calls" in ended.output
    told = "failed 1 of jsonl x direct: the language model failed, such as question q3: the model cannot bear town 3"
    assert f"{told}\n    see whether it works with: hopweave doctor --llm NAME\n" in ended.output


def test_the_command_says_where_a_run_stands_that_a_limit_ended_and_goes_on_without_flags():
    ended = run(*DIRECT, "--max-questions", "2")
    assert ended.exit_code == 1
    assert "2 of 6 questions have a record" in ended.output
    assert "ended at max_questions = 2" in ended.output
    ended = run()
    assert ended.exit_code == 0
    assert "6 of 6 questions" in ended.output


def test_a_dry_run_calls_no_model_and_makes_no_folder():
    Path("prices.toml").write_text('[[prices]]\nmodel = "scripted:*"\nprompt = 1\ncompletion = 2\n')
    ended = run(*DIRECT, "--dry-run", "--prices", "prices.toml")
    assert ended.exit_code == 0, ended.output
    assert "nothing was asked of it" in ended.output
    assert "jsonl x direct: 6 questions, by a rehearsal of 3 with stand-ins for the model" in ended.output
    assert "6 calls" in ended.output
    assert "cost " in ended.output
    assert not Path("run").exists()


async def test_an_estimate_from_records_is_their_mean_with_what_can_be_told_of_the_sum():
    await done(budget=RunBudget(max_questions=3), parallel=1)
    plan, settings = planned()
    folder = RunFolder.open(Path("run"))
    (found,) = await estimate(prepare(plan, settings, folder), folder, Price("m", 1.0, 1.0, 2.0))
    assert (found.num_left, found.basis) == (3, "3 records of it")
    assert found.llm_calls.low == found.llm_calls.high == 3
    assert found.prompt_tokens.low <= found.prompt_tokens.high
    assert found.cost.low > 0


async def test_a_rehearsal_holds_the_true_number_of_a_method_of_one_call_between_its_bounds():
    plan, settings = planned(of_questions("direct_retrieval"))
    (found,) = await estimate(prepare(plan, settings), None)
    assert (found.llm_calls.low, found.llm_calls.high) == (6, 6)
    outcome = await evaluate(Path("run"), plan, settings)
    records = RunFolder.open(Path("run")).records("jsonl", "direct_retrieval")
    num_characters = sum(len(message.text) for record in records for message in record.messages)
    assert found.prompt_tokens.low < num_characters / 4 < found.prompt_tokens.high
    assert 0 < found.completion_tokens.low <= outcome.progress.spent("completion_tokens") <= found.completion_tokens.high


async def test_a_rehearsal_replies_with_an_object_where_a_schema_bounds_the_reply():
    plan, settings = planned(of_questions("stitch"))
    (found,) = await estimate(prepare(plan, settings), None)
    assert (found.llm_calls.low, found.llm_calls.high) == (6, 6)  # one reading of each: no plan could split them
    assert found.completion_tokens.low >= 6 * len('{"fact": 1}') / 4


@pytest.mark.parametrize(
    ("theta", "options", "said"),
    [
        ("theta = 0.5", "{}", []),
        ("theta = 0.7", "{ theta = 2.0 }", ["theta = 2 is not the threshold of the reader first_words-0.7, which is 0.7"]),
        ("", "{}", ["the reader first_words- does not say which theta belongs to its f"]),
    ],
)
async def test_a_rehearsal_warns_of_the_threshold_of_the_reader_as_the_run_itself_would(caplog, theta, options, said):
    Path("reader.py").write_text(
        "from hopweave import Reading\n\n\nclass FirstWords:\n"
        f'    identity = "first_words-{theta.removeprefix("theta = ")}"\n    {theta}\n\n'
        '    def read(self, pairs):\n        return [Reading("", None, -1.0) for _ in pairs]\n'
    )
    text = f'[settings]\nreader = "./reader.py"\n[datasets.jsonl]\npath = "questions.jsonl"\n[methods]\nsearchain = {options}\n'
    allow("./reader.py")
    plan, settings = planned(text=text)
    await estimate(prepare(plan, settings), None)
    told = [message.partition(" on another scale")[0].partition(", so")[0] for message in caplog.messages if "theta" in message]
    assert told == said


async def test_nothing_is_drawn_where_there_is_no_terminal_and_bars_are_where_there_is_one(tmp_path):
    with (tmp_path / "plain").open("w+") as plain, Bars(Console(file=plain)) as bars:
        await done(watcher=bars)
        plain.seek(0)
        assert plain.read() == ""
    with (tmp_path / "terminal").open("w+") as terminal:
        with Bars(Console(file=terminal, force_terminal=True, width=140)) as bars:
            await done("other", watcher=bars)
            line = bars.line()
        terminal.seek(0)
        assert "all" in terminal.read()
    assert "/min" in line
    assert "1 failed" in line


async def test_a_second_sitting_in_the_same_process_is_refused_while_the_first_works():
    Path("rules.toml").write_text('[[rules]]\nmatch = "(?s)."\nsay = "x"\ndelay_seconds = 0.2\n')
    first = asyncio.create_task(done())
    await asyncio.sleep(0.1)
    with pytest.raises(DataError, match=f"another process .id {os.getpid()}. works on the run"):
        await done()
    assert (await first).progress.is_complete


async def test_a_question_about_all_documents_goes_to_the_method_like_any_other():
    Path("questions.jsonl").write_text('{"id": "q", "question": "Which documents mention the Nith?", "answer": "the Nith"}\n')
    plan, settings = planned()
    assert settings.whole_corpus == "listing"
    assert "whole_corpus" not in plan.settings
    await evaluate(Path("run"), plan, settings)
    [record] = RunFolder.open(Path("run")).records("jsonl", "direct")
    assert (record.answer.short, record.totals().llm_calls) == ("the Nith", 1)
    assert "whole_corpus" not in record.setup.settings
