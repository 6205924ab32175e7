"""The weaver: each question ends in a record, whatever the method does, and nothing is left running."""

import asyncio
import json
import logging
import subprocess
import sys
import threading
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.word_vectors import write_word_vectors
from support.workbench import Gate, others, until

import hopweave
from hopweave.core.errors import (
    BudgetReached,
    DataError,
    MethodError,
    MissingExtra,
    ModelError,
    ParseError,
    SearchError,
    SettingsError,
)
from hopweave.core.retries import Retries
from hopweave.core.types import Answer, Citation, Claim, Hit, Message, Passage, Question, Reply, Span
from hopweave.models.llms.scripted import Line, Scripted
from hopweave.record import ModelCall, Record
from hopweave.run.components import Components
from hopweave.run.opening import index_folder, open_components
from hopweave.run.settings import read_settings
from hopweave.run.store.store import Store
from hopweave.run.weaver import Weaver, ask

pytestmark = pytest.mark.usefixtures("own_folders")
ULM = Passage("ulm", "Einstein was born in Ulm.")
QUOTED = Claim("Where?", "Ulm", "verified", "supported", (Citation(1, "ulm", 21, 24, "Ulm", Span(21, 24)),))


class OnePassage:
    """Finds the same passage for every query."""

    identity = "one passage"

    def search(self, queries, max_hits):
        return [[Hit(ULM, 1.0, 1)][:max_hits] for _ in queries]

    def close(self):
        pass


@dataclass(frozen=True)
class Does:
    """A method that is a function."""

    what: object = None

    async def answer(self, question, workbench):
        said = self.what(question, workbench)
        return await said if asyncio.iscoroutine(said) else said


@asynccontextmanager
async def weaver(what=None, llm=None, **settings):
    parts = Components(llm or Scripted(lambda messages, sampling: "Paris"), retriever=OnePassage(), retries=Retries(1))
    async with Weaver(read_settings({"method": "direct", **settings}), components=parts) as made:
        if what is not None:
            made.method = Does(what)
            made.setup = lambda budget: hopweave.record.Setup("0", "does", {}, "scripted", budget=budget.limits())
        yield made


async def record_of(what, question="Where?", **settings) -> Record:
    async with weaver(what, **settings) as made:
        record = await made.answer(question)
    assert Record.from_json(record.to_json()) == record
    assert (record.answer is None) == (record.error is not None)
    return record


def raising(error):
    def what(question, workbench):
        raise error

    return what


# -- a record for every question -------------------------------------------------------------------------------------------


async def test_an_answer_comes_with_everything_that_it_depends_on():
    async with weaver(budget={"max_llm_calls": 3}) as made:
        record = await made.answer("What is the capital of France?")
    assert (record.question.id, record.answer.short) == ("question", "Paris")
    assert record.setup.method == "direct"
    options = {"n_demos": None, "seed": 0, "probe": False, "max_tokens": 64, "max_tokens_long": 256}
    assert record.setup.options == options
    assert record.setup.llm.startswith("scripted:")
    assert (record.setup.retriever, record.setup.reader) == ("one passage", "")
    assert record.setup.budget == {"max_llm_calls": 3}
    assert record.setup.settings["method"] == "direct"
    assert record.started_at.endswith("+00:00")
    assert record.seconds > 0
    assert Record.from_json(record.to_json()) == record


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (ModelError("no model", retryable=True), "ModelError", "no model"),
        (SearchError("no index"), "SearchError", "no index"),
        (ParseError("no chain"), "ParseError", "no chain"),
        (MethodError("no way"), "MethodError", "no way"),
        (ValueError("bad luck"), "MethodError", "test_weaver.Does broke: ValueError: bad luck"),
        (RecursionError("deep"), "MethodError", "test_weaver.Does broke: RecursionError: deep"),
        (AssertionError("y"), "MethodError", "test_weaver.Does broke: AssertionError: y"),
    ],
    ids=repr,
)
async def test_a_failed_question_is_a_record_with_its_error_and_one_of_a_method_that_breaks_names_it(error, kind, said, caplog):
    with caplog.at_level(logging.DEBUG, "hopweave"):
        record = await record_of(raising(error))
    assert record.answer is None
    assert (record.error.kind, record.error.message) == (kind, said)
    assert record.error.retryable == getattr(error, "retryable", False)
    assert ("Traceback" in caplog.text) == (" broke: " in said)


async def test_a_failure_keeps_the_steps_that_led_to_it():
    async def what(question, workbench):
        await workbench.reply([Message("user", "x")], purpose="plan")
        raise ModelError("gone")

    assert [step.kind for step in (await record_of(what)).steps] == ["model_call"]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (SettingsError("no key; set one"), SettingsError),
        (DataError("no disk; free some"), DataError),
        (MissingExtra("torch", "hf"), MissingExtra),
        (ExceptionGroup("", [ModelError("x"), ExceptionGroup("", [SettingsError("no key")])]), SettingsError),
    ],
    ids=repr,
)
async def test_what_the_user_has_to_mend_is_raised_also_from_concurrent_branches(error, kind):
    with pytest.raises(kind):
        await record_of(raising(error))


async def test_a_cancellation_is_raised_and_one_that_nobody_asked_for_is_a_failure_of_the_method():
    record = await record_of(raising(asyncio.CancelledError()))
    assert (record.error.kind, record.error.message) == (
        "MethodError",
        "test_weaver.Does broke: what it waited for was cancelled",
    )
    begun = asyncio.Event()

    async def what(question, workbench):
        begun.set()
        await asyncio.sleep(3600)

    async with weaver(what) as made:
        asking = asyncio.create_task(made.answer("Where?"))
        await begun.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking


async def test_a_budget_that_a_method_lets_through_is_an_answer_that_says_what_stopped_it():
    record = await record_of(raising(BudgetReached("max_searches", 3)))
    assert record.error is None
    assert (record.answer.text, record.answer.stopped_because, record.answer.how) == ("", "max_searches", "empty")


async def test_the_budget_of_the_settings_holds():
    async def what(question, workbench):
        while True:
            await workbench.reply([Message("user", "x")], purpose="plan")

    record = await record_of(what, budget={"max_llm_calls": 4})
    assert record.answer.stopped_because == "max_llm_calls"
    assert len(record.steps) == 4


@pytest.mark.parametrize(
    ("errors", "kind", "said"),
    [
        ([ModelError("gone")], "ModelError", "gone"),
        ([BudgetReached("max_tokens", 1), ModelError("gone")], "ModelError", "gone"),
        ([ModelError("gone"), ValueError("x")], "MethodError", "test_weaver.Does broke: ValueError: x"),
        ([ValueError("x"), ZeroDivisionError("y")], "MethodError", "test_weaver.Does broke: ValueError: x"),
    ],
)
async def test_of_the_errors_of_branches_side_by_side_the_one_that_counts_is_recorded(errors, kind, said):
    async def what(question, workbench):
        async def fail(error):
            raise error

        async with asyncio.TaskGroup() as group:
            for error in errors:
                group.create_task(fail(error))

    record = await record_of(what)
    assert (record.error.kind, record.error.message) == (kind, said)


async def test_a_budget_reached_in_concurrent_branches_is_no_failure():
    async def what(question, workbench):
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(workbench.reply([Message("user", "x")], purpose="plan"))

    assert (await record_of(what, budget={"max_llm_calls": 1})).answer.stopped_because == "max_llm_calls"


# -- what a method may not hand back ---------------------------------------------------------------------------------------


def handing_back(answer):
    async def what(question, workbench):
        await workbench.search(["Where?"], 1)
        return answer

    return what


async def test_a_true_quote_and_a_mark_that_resolves_pass():
    record = await record_of(handing_back(Answer("In Ulm [1].", "Ulm", (QUOTED,))))
    assert record.answer.citations == QUOTED.citations


def citing(*citation):
    return Answer("In Ulm.", "Ulm", (Claim("Where?", "Ulm", "verified", "supported", (Citation(*citation),)),))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (citing(1, "ulm", 0, 3, "Ulm"), "citation [1] does not quote passage 'ulm'"),
        (citing(1, "ulm", -4, -1, "Ulm"), "citation [1] does not quote passage 'ulm'"),
        (citing(1, "ulm", 0, 0, ""), "citation [1] does not quote passage 'ulm'"),
        (citing(1, "bern", 0, 3, "Ulm"), "citation [1] names passage 'bern', which is not in the record"),
        (citing(1, "ulm", 21, 24, "Ulm", Span(0, 3)), "citation [1] has its focus outside of its quote"),
        (Answer("In Ulm [2].", "Ulm", (QUOTED,)), "the answer has marks without a citation, 1 in all: 'In Ulm [2].'"),
        (Answer("In Ulm [1, 3; 4].", "Ulm", (QUOTED,)), "the answer has marks without a citation, 2 in all"),
        (None, "the method handed back NoneType, not an Answer"),
        ("Ulm", "the method handed back str, not an Answer"),
        (Answer("x", 5), "the answer cannot be kept in a record: "),
        (Answer("x", "x", (Claim("q", "x", "maybe"),)), "the answer cannot be kept in a record: "),
        (Answer("x", "x", ("claim",)), "the answer cannot be kept in a record: "),
    ],
)
async def test_an_answer_that_breaks_the_contract_is_a_method_error(answer, said):
    record = await record_of(handing_back(answer))
    assert record.error.kind == "MethodError"
    assert record.error.message.startswith(said)


async def test_a_number_in_brackets_that_is_no_mark_passes():
    assert (await record_of(handing_back(Answer("In [2024] and a[i].", "Ulm")))).error is None


async def test_data_of_a_decision_that_cannot_be_kept_is_a_failed_question_and_no_lost_record():
    def what(question, workbench):
        workbench.decide("node", "x", thing=object())

    record = await record_of(what)
    assert (record.error.kind, record.steps) == ("MethodError", ())


# -- what may not be asked -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("", "the question is empty"),
        (None, "the question is of type NoneType; give a text or a Question"),
        (" \n\t\u3000", "the question is empty"),
        ("who? " * 10_000, "the question has 49,999 characters, more than 8,000"),
        (Question("q", "Is it so?", "label"), "question 'q' asks for a label but lists none"),
    ],
)
async def test_a_question_that_cannot_be_asked_is_refused_before_anything_is_called(question, said):
    llm = Scripted([])
    async with weaver(llm=llm) as made:
        with pytest.raises(DataError, match=said):
            await made.answer(question)
    assert llm.calls == []


async def test_a_question_of_exactly_the_longest_length_is_asked():
    async with weaver() as made:
        assert (await made.answer("x" * 8000)).error is None


# -- many questions --------------------------------------------------------------------------------------------------------


def questions(number):
    return [Question(f"q{index}", f"question {index}") for index in range(number)]


@pytest.mark.parametrize("max_parallel", [1, 3, 50])
async def test_all_questions_are_answered_with_no_more_than_so_many_side_by_side(max_parallel):
    running, most, all_there = set(), [], asyncio.Event()

    async def together(question, workbench):
        running.add(question.id)
        most.append(len(running))
        if len(running) == min(max_parallel, 20):
            all_there.set()
        await asyncio.wait_for(all_there.wait(), 60)
        await asyncio.sleep(0.001 * (int(question.id[1:]) % 4))  # they end in another order
        running.remove(question.id)
        return Answer("Paris", "Paris")

    async with weaver(together) as made:
        records = [record async for record in made.answer_all(iter(questions(20)), max_parallel=max_parallel)]
    assert sorted(record.question.id for record in records) == sorted(question.id for question in questions(20))
    assert not any(record.error for record in records)
    assert max(most) == min(max_parallel, 20)
    assert others() == set()


async def test_a_failure_among_many_is_one_record_among_many():
    def say(messages, sampling):
        if "question 1" in messages[-1].text:
            raise ModelError("gone")
        return "x"

    async with weaver(llm=Scripted(say)) as made:
        records = [record async for record in made.answer_all(questions(3), max_parallel=2)]
    assert sorted((record.question.id, record.error and record.error.kind) for record in records) == [
        ("q0", None),
        ("q1", "ModelError"),
        ("q2", None),
    ]


async def test_a_question_that_cannot_be_asked_stops_many_after_what_was_done_and_cancels_the_rest():
    async with weaver(llm=Scripted(lambda messages, sampling: Line("x", stalls="stuck" in messages[-1].text))) as made:
        asked = [Question("ok", "fine"), Question("stuck", "stuck"), Question("bad", "")]
        records = made.answer_all(asked, max_parallel=2)
        assert (await anext(records)).question.id == "ok"
        with pytest.raises(DataError, match="empty"):
            await anext(records)
        assert others() == set()


async def test_a_model_that_breaks_off_on_its_own_costs_one_question_of_many():
    async def reply(messages, sampling, on_text=None):
        if "question 1" in messages[-1].text:
            future = asyncio.get_running_loop().create_future()
            future.cancel()
            await future
        return Reply("Paris")

    llm = Scripted([])
    llm.reply = reply
    async with weaver(llm=llm) as made:
        records = [record async for record in made.answer_all(questions(4), max_parallel=2)]
    assert {record.question.id: record.error and record.error.kind for record in records} == {
        "q0": None,
        "q1": "ModelError",
        "q2": None,
        "q3": None,
    }


async def test_closing_while_a_question_is_searched_for_ends_in_a_record_of_that():
    gate = Gate()

    class Slow(OnePassage):
        def search(self, queries, max_hits):
            return gate([super().search(queries, max_hits)])[0]

    parts = Components(Scripted(lambda messages, sampling: "Ulm"), retriever=Slow())
    made = Weaver(read_settings({"method": "direct_retrieval"}), components=parts)
    asking = asyncio.create_task(made.answer("Where was Einstein born?"))
    await until(gate.begun.is_set)
    await made.close()
    gate.opens.set()
    record = await asking
    assert (record.error.kind, record.error.message) == ("SearchError", "it was closed before the result was there")


async def test_what_is_no_question_among_many_is_an_error_and_not_their_end():
    async with weaver() as made:
        records = made.answer_all([Question("1", "Where?"), None, Question("2", "When?")])
        assert (await anext(records)).question.id == "1"
        with pytest.raises(DataError, match="the question is of type NoneType"):
            await anext(records)


@pytest.mark.parametrize("given", ["Where?", Question("1", "Where?"), None])
async def test_a_single_question_is_not_taken_for_many(given):
    async with weaver() as made:
        with pytest.raises(DataError, match="must be a list of questions"):
            await anext(made.answer_all(given))


async def test_the_time_of_a_question_ends_also_while_an_engine_searches():
    gate = Gate()

    class Slow(OnePassage):
        def search(self, queries, max_hits):
            return gate([super().search(queries, max_hits)])[0]

    given = {"method": "direct_retrieval", "llm": Scripted(["x"]), "store": {"mode": "off"}, "retriever": Slow()}
    async with asyncio.timeout(10):  # the gate itself would wait for twice as long
        record = await hopweave.aask("Where?", budget={"max_seconds": 0.2}, **given)
        assert record.answer.stopped_because == "max_seconds"
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(hopweave.aask("Where?", **given), 0.2)
    gate.opens.set()


def test_one_weaver_serves_event_loops_of_several_threads_at_the_same_time():
    parts = Components(Scripted(lambda messages, sampling: "Ulm"), retriever=OnePassage())
    made = Weaver(read_settings({"method": "direct_retrieval"}), components=parts)
    short = []

    def ask_some(number):
        short.extend(asyncio.run(made.answer(f"Where, {number} {each}?")).answer.short for each in range(10))

    threads = [threading.Thread(target=ask_some, args=(number,), daemon=True) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert short == ["Ulm"] * 30
    asyncio.run(made.close())


async def test_cancelling_many_leaves_nothing_running():
    llm = Scripted(lambda messages, sampling: Line("x", stalls=True))
    async with weaver(llm=llm) as made:

        async def run():
            return [record async for record in made.answer_all(questions(10), max_parallel=4)]

        task = asyncio.create_task(run())
        await until(lambda: len(llm.calls) >= 4)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert others() == set()
        assert llm._num_open == 0
    assert len(llm.calls) == 4


async def test_a_question_is_taken_up_as_soon_as_there_is_room_and_stopping_to_listen_leaves_nothing_running():
    taken = []

    def source():
        for question in questions(5):
            taken.append(question.id)
            yield question

    llm = Scripted(lambda messages, sampling: Line("x", stalls="question 0" not in messages[-1].text))
    async with weaver(llm=llm) as made:
        async with aclosing(made.answer_all(source(), max_parallel=2)) as records:
            assert (await anext(records)).question.id == "q0"
            assert taken == ["q0", "q1", "q2"]
        assert others() == set()
        assert llm._num_open == 0


async def test_no_questions_are_no_records_and_no_room_is_an_error():
    async with weaver() as made:
        assert [record async for record in made.answer_all([])] == []
        with pytest.raises(SettingsError, match="max_parallel must be at least 1, not 0"):
            await anext(made.answer_all(questions(1), max_parallel=0))


async def test_questions_side_by_side_do_not_mix_their_records():
    async def what(question, workbench):
        with workbench.under(workbench.decide("node", question.text)):
            for purpose in "ab":
                await workbench.reply([Message("user", f"{question.text} {purpose}")], purpose=purpose)
        return Answer(question.text, question.text)

    def say(messages, sampling):
        return Line(messages[-1].text, delay_seconds=0.001 * (hash(messages[-1].text) % 3))

    async with weaver(what, Scripted(say)) as made:
        async for record in made.answer_all(questions(12), max_parallel=6):
            assert [step.text for step in record.steps] == [record.question.text + end for end in ("", " a", " b")]
            assert [step.parent for step in record.steps] == [None, 0, 0]


# -- from the settings to the answer ---------------------------------------------------------------------------------------


def scripted(**more):
    model = {"llm": "scripted", "llms": {"scripted": {"rules": [("", "Tivoli")]}}}
    return {**model, "method": "direct", "store": {"mode": "off"}, **more}


@pytest.fixture
def starter():
    """The folder of the starter index."""
    return index_folder(read_settings())


def test_asking_twice_from_code_that_is_not_asynchronous_works():
    for _ in range(2):
        record = ask("Which park opened in 1843?", **scripted())
        assert (record.answer.short, record.error) == ("Tivoli", None)
        assert Record.from_json(record.to_json()).fingerprint == record.fingerprint


def test_one_weaver_serves_one_event_loop_after_the_other():
    made = Weaver(read_settings(scripted(method="direct_retrieval")))
    records = [asyncio.run(made.answer("Which amusement park opened in Copenhagen in 1843?")) for _ in range(2)]
    asyncio.run(made.close())
    assert records[0].fingerprint == records[1].fingerprint
    assert records[0].answer.citations[0].quote.count("Tivoli")


def test_an_unknown_setting_is_refused():
    with pytest.raises(SettingsError, match=r"settings\.metod is not a setting; did you mean 'method'\?"):
        ask("Which park?", metod="direct")


def test_a_run_is_replayed_without_a_model(tmp_path):
    store = {"path": str(tmp_path / "store.sqlite")}
    first = ask("Which amusement park opened in 1843?", **scripted(method="direct_retrieval", store=store))
    again = ask("Which amusement park opened in 1843?", **scripted(method="direct_retrieval", store=store | {"mode": "replay"}))
    assert again.fingerprint == first.fingerprint
    assert [step.timing.from_store for step in again.steps if isinstance(step, ModelCall)] == [True]
    missed = ask("Another question?", **scripted(method="direct_retrieval", store=store | {"mode": "replay"}))
    assert (missed.error.kind, missed.steps[-1].error.kind) == ("ReplayMiss", "ReplayMiss")


def test_the_starter_index_is_built_once(tmp_path, starter):
    made = (starter / "manifest.json").stat().st_mtime_ns
    assert index_folder(read_settings(scripted())) == starter
    assert (starter / "manifest.json").stat().st_mtime_ns == made
    assert [path.name for path in starter.parent.iterdir()] == [starter.name]
    assert starter.is_relative_to(tmp_path)


@pytest.mark.slow
def test_processes_that_need_the_starter_index_at_once_all_get_it(tmp_path):
    code = "from hopweave.run.opening import *\nsys.stdin.readline()\nprint(index_folder(read_settings()))"
    command = [sys.executable, "-c", "import sys\n" + code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    processes = [subprocess.Popen(command, text=True, **pipes) for _ in range(3)]
    outcomes = [process.communicate("go\n", timeout=60) for process in processes]
    assert [errors for _, errors in outcomes] == ["", "", ""]
    assert len({output for output, _ in outcomes}) == 1
    assert Path(outcomes[0][0].strip(), "manifest.json").is_file()


def test_a_cache_that_cannot_be_written_to_is_a_clear_error(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(DataError, match=r"cannot make the starter index in .*; name a --corpus"):
        index_folder(read_settings())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"corpus": "nowhere"}, "there is no index at nowhere; make one with: hopweave index PATH... --to"),
        ({"corpus": "notes"}, "notes is not an index; make one with: hopweave index notes --to notes-index"),
        (
            {"retriever": "hyde", "retrievers": {"hyde": {"engine": "toqd"}}},
            r"retrievers\.hyde\.engine = 'toqd' asks the language model itself; name one that",
        ),
        (
            {"retriever": "hyde", "retrievers": {"hyde": {"engine": "bm52"}}},
            "'bm52' is not one of the retrievers; did you mean 'bm25'",
        ),
    ],
    ids=["missing", "no-index", "engine-that-asks-the-model", "misspelt-engine"],
)
def test_an_index_or_an_engine_that_cannot_be_opened_is_answered_with_what_to_give(given, said):
    Path("notes").mkdir()
    with pytest.raises((DataError, SettingsError), match=said):
        open_components(read_settings(scripted(**given)))


async def test_the_index_of_a_retriever_may_be_given_as_its_option(tmp_path, starter):
    given = {"corpus": str(tmp_path / "nowhere"), "retriever": "bm25", "retrievers": {"bm25": {"index": str(starter)}}}
    parts = open_components(read_settings(scripted(**given)))
    assert parts.retriever.num_passages > 100
    await parts.close()


async def test_a_retriever_that_asks_the_model_is_opened_with_the_engine_underneath():
    parts = open_components(read_settings(scripted(retriever="hyde", retrievers={"hyde": {"num_documents": 2}})))
    assert (parts.retriever.num_documents, parts.engine.num_passages > 100) == (2, True)
    assert parts.retriever_identity.startswith("hyde(engine='bm25', num_documents=2")
    assert " over bm25 fields=title_and_text" in parts.retriever_identity
    await parts.close()


async def test_the_engine_underneath_has_its_own_options_and_the_index_of_the_corpus(starter):
    assert index_folder(read_settings({"retriever": "multi_query"})) == starter
    given = {"corpus": str(starter), "retriever": "multi_query", "retrievers": {"bm25": {"title_weight": 0}}}
    parts = open_components(read_settings(scripted(**given)))
    assert parts.engine.title_weight == 0
    await parts.close()


async def test_an_answer_that_cites_what_the_model_wrote_is_refused():
    class Written(OnePassage):
        def search(self, queries, max_hits):
            return [[Hit(Passage("not-in-corpus:1", "Sub-question: Where?\nResponse: Paris."), 1.0, 1)] for _ in queries]

    parts = Components(Scripted([("", "Paris")]), retriever=Written(), retries=Retries(1))
    async with Weaver(read_settings({"method": "direct_retrieval"}), components=parts) as made:
        record = await made.answer("Where?")
    assert record.error.kind == "MethodError"
    assert record.error.message.startswith("the answer cites what the model wrote")


async def test_parts_that_are_given_are_used_and_closed(tmp_path):
    closed = []

    class Closing(OnePassage):
        def close(self):
            closed.append("retriever")

    store = Store(tmp_path / "s")
    async with Weaver(
        read_settings({"method": "direct"}), components=Components(Scripted(["x"]), retriever=Closing(), store=store)
    ) as made:
        assert (await made.answer("x?")).answer.short == "x"
    assert closed == ["retriever"]
    with pytest.raises(DataError, match="is closed"):
        store.get("k")


async def test_a_record_says_which_word_vectors_there_were_and_nothing_where_there_were_none(tmp_path, monkeypatch):
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path))
    async with weaver() as made:
        without = await made.answer("What is the capital of France?")
        write_word_vectors(tmp_path)
        with_them = await made.answer("What is the capital of France?")
    assert "word_vectors" not in json.loads(without.to_json())["setup"]
    assert Record.from_json(with_them.to_json()).setup.word_vectors == "wordllama-l2-supercat-256"


async def test_a_method_that_is_replaced_while_a_question_runs_answers_the_next_one_and_is_in_no_record_before():
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(question, workbench):
        begun.set()
        await go_on.wait()
        return Answer("slow", "slow")

    async with weaver() as made:
        made.method = Does(slow)
        before = made.setup(made.budget)
        running = asyncio.create_task(made.answer("x?"))
        await begun.wait()
        made.method = DoesToo(lambda question, workbench: Answer("new", "new"))
        made.calibration = Refusing()
        go_on.set()
        record = await running
        made.calibration = None
        later = await made.answer("y?")
    assert (record.answer.short, record.setup) == ("slow", before)
    assert (later.answer.short, later.setup.method) == ("new", "test_weaver.DoesToo")


class DoesToo(Does):
    pass


class Refusing:
    """The calibration of another method."""

    def applied(self, record):
        raise AssertionError("applied to an answer of the method before")


async def test_a_closed_weaver_answers_nothing_and_may_be_closed_again():
    async with weaver() as made:
        record = await made.answer("x?")
    await made.close()
    with pytest.raises(SettingsError, match=r"^this weaver is closed; open another$"):
        await made.answer("x?")
    with pytest.raises(SettingsError, match=r"^this weaver is closed; open another$"):
        await made.again(record, [{"change": "reply", "step": 0, "now": "London"}])
    with pytest.raises(SettingsError, match=r"^this weaver is closed; open another$"):
        [record async for record in made.answer_all([Question("1", "x?")], show_progress=False)]


@pytest.mark.parametrize("observers", [3, print, [3]])
async def test_observers_that_cannot_be_called_are_refused_before_anything_is_called(observers):
    async with weaver(raising(AssertionError("asked"))) as made:
        with pytest.raises(SettingsError, match=r"^observers must be a list of functions, not "):
            await made.answer("x?", observers=observers)


async def test_observers_hear_of_each_question_they_were_given_to():
    events = []
    async with weaver() as made:
        record = await made.answer("x?", observers=[events.append])
        await made.answer("y?")
    assert {event.id for event in events} == {step.id for step in record.steps}


def test_the_whole_of_a_settings_file_goes_into_the_record_without_secrets(tmp_path, monkeypatch):
    monkeypatch.setattr("hopweave.run.settings_files.user_config_path", lambda name: tmp_path)
    Path("hopweave.toml").write_text('[llms.openai_compatible]\nbase_url = "http://me:SECRET@host/v1"\n')
    line = ask("Which park?", **scripted()).to_json()
    assert "SECRET" not in line
    assert json.loads(line)["setup"]["settings"]["llms"]["openai_compatible"] == {"base_url": "http://host/v1"}


@pytest.mark.parametrize("method", ["searchain", "direct"])
def test_a_profile_whose_extra_is_missing_fails_before_the_model_is_asked(method, monkeypatch):
    """The reader and the duplicate detector of `paper_searchain` are first used after the first call."""

    async def reply(self, messages, sampling):
        raise AssertionError("the model was asked")

    monkeypatch.setattr("hopweave.models.llms.scripted.Scripted.reply", reply)
    monkeypatch.setattr("hopweave.core.catalog.missing_from", lambda extra: ["torch", "transformers"] if extra == "hf" else [])
    settings = {"profile": "paper_searchain", "method": method, "llm": "scripted", "retriever": "bm25"}
    message = r"torch, transformers are not installed; they come with: pip install 'hopweave\[hf\]'"
    with pytest.raises(MissingExtra, match=message):
        ask("Who was born in Ulm?", **settings)
