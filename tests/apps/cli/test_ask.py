"""`hopweave ask`: what it prints, what it writes, and how it ends."""

import asyncio
import json
import os
import pty
import re
import signal
import subprocess
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from support.commands import COMMAND, INTERRUPTIBLE, assert_one_line, ran, ran_alone
from support.scripted_server import Behaviour, ScriptedServer
from support.tiers import first_of

from hopweave.apps.cli._settings_summary import settings_summary
from hopweave.core.catalog import entries
from hopweave.core.types import Passage
from hopweave.record import Record
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.run.settings import read_settings

QUESTION = "Where was the engineer of Carrow Head Light born?"
PASSAGES = [
    Passage("lamp", "Carrow Head Light was designed by the engineer Ines Halloran and first lit in 1874.", "Carrow Head Light"),
    Passage("engineer", "Ines Halloran was an engineer of harbours and lights. She was born in Port Merrow.", "Ines Halloran"),
]
RULES = '''
[[rules]]
find = "Does the passage state the answer"
say = ["yes: Ines Halloran", "yes: Port Merrow"]

[[rules]]
find = "already settled"
say = "Carrow Head Light was designed by Ines Halloran. She was born in Port Merrow. So the final answer is Port Merrow."

[[rules]]
match = "(?s)."
where = "all"
say = """
[Query 1]: Who designed Carrow Head Light?
[Answer 1]: Ines Halloran
[Query 2]: Where was Ines Halloran born?
[Answer 2]: Port Merrow
[Final Content]: The final answer is Port Merrow."""
'''


@pytest.fixture(autouse=True)
def scene(tmp_path, monkeypatch):
    """A tiny index, a model that says what the rules say, and nothing of this machine's."""
    monkeypatch.setenv("COLUMNS", "120")
    BM25.build(tmp_path / "index", PASSAGES)
    Path("rules.toml").write_text(RULES)
    Path("hopweave.toml").write_text(
        'method = "searchain"\ncorpus = "index"\nllm = "scripted"\n[llms.scripted]\nrules_file = "rules.toml"\n'
    )


ask = partial(ran, "ask")


# -- what it prints --------------------------------------------------------------------------------------------------------


def test_the_tree_the_answer_and_the_citations_are_printed():
    result = ask(QUESTION)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(QUESTION)
    for words in ("Who designed Carrow Head Light?", "verified", "Port Merrow", "[1]", "[2]", "She was born in", "Citations"):
        assert words in result.stdout
    assert "searched" not in result.stdout


def test_an_answer_that_rests_on_nothing_is_withheld_where_support_is_required():
    said = json.loads(ask(QUESTION, "--require-support", "--json").output)["answer"]
    assert (said["short"], said["verdict"]["support"]) == ("Port Merrow", "supported")
    Path("rules.toml").write_text(RULES.replace("Port Merrow", "Kiel"))
    said = json.loads(ask(QUESTION, "--require-support", "--json").output)["answer"]
    assert (said["short"], said["how"], said["verdict"]["support"]) == ("", "unsupported", "unsupported")
    assert "Who designed Carrow Head Light? Ines Halloran [1]." in said["text"]
    assert json.loads(ask(QUESTION, "--json").output)["answer"]["short"] == "Kiel"


def test_what_happens_is_told_on_standard_error_while_it_runs():
    lines = ask(QUESTION).stderr.splitlines()
    assert any(line.startswith("branch chain of 2 queries") for line in lines)
    assert any("verified" in line for line in lines)
    assert not any(line.startswith("hopweave:") for line in lines)


def test_one_line_says_what_answers_and_where_its_settings_come_from(tmp_path, monkeypatch):
    result = ask(QUESTION, "--retriever", "bm25", "--method", "searchain")
    assert result.stderr.splitlines()[0] == "searchain with scripted over index by bm25; settings: hopweave.toml"
    assert "settings:" not in result.stdout
    monkeypatch.setenv("HOPWEAVE_REQUIRE_SUPPORT", "false")
    Path("hopweave.toml").rename("mine.toml")
    flags = ["--config", "mine.toml", "--profile", "paper_toqd", "--retriever", "bm25", "--reader", "llm_reader"]
    said = ask(QUESTION, *flags).stderr.splitlines()[0]
    assert said == (
        "searchain with scripted over index by bm25; settings: profile paper_toqd, mine.toml, HOPWEAVE_REQUIRE_SUPPORT"
    )


def test_the_line_names_the_model_and_holds_no_secret():
    options = {"openai_compatible": {"model": "m-1", "base_url": "http://user:hunter2@127.0.0.1:9/v1"}}
    said = settings_summary(
        read_settings({"llm": "openai_compatible", "llms": options, "corpus": "postgres://u:hunter2@h/db#papers"})
    )
    assert said.startswith("searchain with openai_compatible (m-1) over postgres://")
    assert "hunter2" not in said


def test_calls_of_the_model_and_searches_can_be_shown():
    assert "search" in ask(QUESTION, "--calls").stdout


def test_json_is_exactly_one_record_and_nothing_else_also_of_a_question_from_standard_input():
    result = ask("-", "--json", stdin=f"\n{QUESTION}\n")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.count("\n") == 1
    record = Record.from_json(result.stdout)
    assert (record.question.text, record.answer.short) == (QUESTION, "Port Merrow")
    assert [citation.passage_id for citation in record.answer.citations] == ["lamp", "engineer"]


def test_the_form_of_the_answer_can_be_asked_for():
    assert json.loads(ask(QUESTION, "--json").stdout)["question"]["form"] == "short"
    assert json.loads(ask(QUESTION, "--json", "--long").stdout)["question"]["form"] == "long"
    assert json.loads(ask(f"Why? {QUESTION}", "--json").stdout)["question"]["form"] == "long"
    assert json.loads(ask(f"Why? {QUESTION}", "--json", "--short").stdout)["question"]["form"] == "short"
    labelled = json.loads(ask(QUESTION, "--json", "--labels", "Yes, No ,,").stdout)["question"]
    assert (labelled["form"], labelled["labels"]) == ("label", ["Yes", "No"])


# -- settings --------------------------------------------------------------------------------------------------------------


def settings_of(*arguments):
    result = ask(QUESTION, "--json", *arguments)
    assert result.stdout, result.stderr
    return json.loads(result.stdout)["setup"]


def test_flags_come_before_the_file_and_before_set():
    setup = settings_of("--method", "direct", "--set", "method=cot", "--set", "methods.direct.max_tokens=5")
    assert (setup["method"], setup["options"]["max_tokens"]) == ("direct", 5)


def test_limits_are_flags_and_zero_lifts_a_limit_of_the_file():
    with Path("hopweave.toml").open("a") as file:
        file.write("[budget]\nmax_llm_calls = 9\nmax_tokens = 9000\n")
    assert settings_of()["budget"] == {"max_llm_calls": 9, "max_tokens": 9000}
    limits = {"max_llm_calls": 7, "max_tokens": 9000, "max_seconds": 60.5}
    assert settings_of("--max-llm-calls", 7, "--max-seconds", 60.5)["budget"] == limits
    assert settings_of("--max-llm-calls", 0, "--max-tokens", 0)["budget"] == {}
    stopped = ask(QUESTION, "--json", "--max-llm-calls", 1)
    assert (stopped.exit_code, json.loads(stopped.stdout)["answer"]["stopped_because"]) == (0, "max_llm_calls")


def test_a_settings_file_and_a_profile_can_be_named():
    given = Path("hopweave.toml").read_text().replace('method = "searchain"\n', "")
    Path("other.toml").write_text(given + "[methods.direct]\nmax_tokens = 3\n")
    Path("mine.toml").write_text('method = "direct"\n')
    setup = settings_of("--config", "other.toml", "--profile", "mine.toml")
    assert (setup["method"], setup["options"]["max_tokens"], setup["settings"]["profile"]) == ("direct", 3, "mine.toml")


# -- files -----------------------------------------------------------------------------------------------------------------


def test_records_are_appended_to_a_file_and_a_torn_last_line_does_not_tear_the_next_record():
    for _ in range(2):
        assert ask(QUESTION, "--out", "deep/run.jsonl").exit_code == 0
    lines = Path("deep/run.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
    assert Record.from_json(lines[0]).fingerprint == Record.from_json(lines[1]).fingerprint
    Path("run.jsonl").write_text('{"schema": "hopweave.rec')
    ask(QUESTION, "--out", "run.jsonl")
    torn, whole, end = Path("run.jsonl").read_text(encoding="utf-8").split("\n")
    assert (torn, end) == ('{"schema": "hopweave.rec', "")
    Record.from_json(whole)


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("folder", "cannot write the record to folder: Is a directory; choose"),
        ("postgres://host/answers", "--out is a file, not an address"),
    ],
)
def test_a_file_that_cannot_be_written_is_found_before_the_work(out, said):
    Path("folder").mkdir()
    assert_one_line(ask(QUESTION, "--out", out, "--json"), said)
    assert not Path("cache/hopweave/store.sqlite").exists()
    assert not Path("postgres:").exists()


def test_a_run_is_replayed_from_the_store_without_a_model():
    first = Record.from_json(ask(QUESTION, "--json").stdout)
    again = Record.from_json(ask(QUESTION, "--json", "--replay").stdout)
    assert again.fingerprint == first.fingerprint
    assert all(step.timing.from_store for step in again.steps if step.kind == "model_call")


def test_a_replay_without_a_store_says_to_run_once(tmp_path):
    result = ask(QUESTION, "--replay")
    assert_one_line(result, "there is nothing to replay")
    assert "run once with the store on" in result.stderr
    assert not Path("cache/hopweave/store.sqlite").exists()


def test_a_replay_of_what_was_never_asked_is_a_failed_question():
    ask(QUESTION, "--json")
    result = ask("Another question?", "--replay", "--json")
    assert_one_line(result, "no answer: the store does not hold")
    assert json.loads(result.stdout)["error"]["kind"] == "ReplayMiss"


# -- how it ends -----------------------------------------------------------------------------------------------------------


def test_a_failed_question_is_drawn_and_ends_with_1():
    Path("rules.toml").write_text('[[rules]]\nmatch = "."\nerror = "the endpoint\\nis gone"\n')
    result = ask(QUESTION)
    assert result.exit_code == 1
    assert "chain  failed  (" in result.stdout
    assert "\nNo answer.\n" in result.stdout
    assert result.stderr.splitlines()[-2:] == [
        "hopweave: no answer: the language model failed: the endpoint is gone",
        "  it failed at chain (step 0)",
    ]


def test_in_a_pipe_no_line_ends_with_spaces():
    drawn = ask(QUESTION, "--calls").stdout
    assert "Port Merrow" in drawn
    assert [line for line in drawn.splitlines() if line != line.rstrip()] == []


def test_in_a_pipe_a_failure_is_told_once_and_in_words():
    Path("rules.toml").write_text('[[rules]]\nmatch = "."\nerror = "the endpoint is gone"\n')
    for flags in ((), ("--calls",), ("--json",)):
        result = ask(QUESTION, *flags)
        told = result.stderr if flags == ("--json",) else result.output  # JSON is for programs
        assert told.count("the endpoint is gone") == 1
        assert "ModelError" not in told


@pytest.mark.parametrize("method", first_of(list(entries("methods")), 6))
def test_a_question_without_an_answer_says_why_and_ends_with_1(method):
    Path("rules.toml").write_text('[[rules]]\nmatch = "(?s)."\nsay = ""\n')
    result = ask(QUESTION, "--method", method)
    assert result.exit_code == 1
    assert "Answer  (none)" in result.stdout
    [why] = [line for line in result.stderr.splitlines() if line.startswith("hopweave: ")]
    assert re.fullmatch(r"hopweave: no answer: the reply of \w+ \(step \d+\) is empty", why)


def test_a_limit_that_leaves_no_answer_says_what_used_it_and_what_to_set():
    result = ask(QUESTION, "--method", "toqd", "--max-llm-calls", 1)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-2:] == [
        "hopweave: no answer: the limit max_llm_calls = 1 was reached first: 1 call of the model (decompose 1)",
        "  allow more with --max-llm-calls N, or any number with --max-llm-calls 0",
    ]


def test_without_an_answer_json_and_the_record_are_as_ever():
    Path("rules.toml").write_text('[[rules]]\nmatch = "(?s)."\nsay = ""\n')
    result = ask(QUESTION, "--method", "direct", "--json", "--out", "run.jsonl")
    assert (result.exit_code, result.stderr) == (1, "hopweave: no answer: the reply of answer (step 0) is empty\n")
    assert Record.from_json(result.stdout).answer.short == ""
    assert Record.from_json(Path("run.jsonl").read_text()).fingerprint == Record.from_json(result.stdout).fingerprint


def test_an_answer_that_was_withheld_on_request_ends_with_0_and_says_why():
    Path("rules.toml").write_text(RULES.replace("Port Merrow", "Kiel"))
    result = ask(QUESTION, "--require-support")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[-2:] == [
        'hopweave: no answer: "Kiel" is withheld, since no passage that was found has its words',
        "  without --require-support it is shown, marked as what it is",
    ]
    quiet = ask(QUESTION, "--require-support", "--json")
    assert (quiet.exit_code, quiet.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([""], "the question is empty; ask something"),
        ([" "], "the question is empty"),
        (["x" * 50_000], "the question has 50,000 characters"),
        ([QUESTION, "--method", "serchain"], "'serchain' is not one of the methods; did you mean 'searchain'?"),
        ([QUESTION, "--retriever", "hide"], "'hide' is not one of the retrievers; did you mean 'hyde'?"),
        ([QUESTION, "--llm", "scriptd"], "'scriptd' is not one of the llms; did you mean 'scripted'?"),
        ([QUESTION, "--reader", "dbr"], "'dbr' is not one of the readers"),
        ([QUESTION, "--profile", "paper_serchain"], "there is no profile 'paper_serchain'; did you mean"),
        ([QUESTION, "--corpus", "nowhere"], "there is no index at nowhere; make one with: hopweave index"),
        ([QUESTION, "--set", "theta"], "--set expects key=value"),
        ([QUESTION, "--set", "budget=5"], "--set: budget must be a table, such as [budget], not 5"),
        (
            [QUESTION, "--set", "store=a.sqlite", "--replay"],
            "--set: store must be a table, such as [store], not 'a.sqlite'; did you mean store.path?",
        ),
        ([QUESTION, "--set", "methods.searchain.thetta=1"], "methods.searchain has no option 'thetta'; did you mean 'theta'?"),
        ([QUESTION, "--max-tokens", "-1"], "budget max_tokens must be a number above 0"),
        ([QUESTION, "--labels", "Yes,No", "--long"], "labels and long ask for different answers"),
        ([QUESTION, "--config", "no.toml"], "cannot read the settings file no.toml"),
        ([QUESTION, "--set", "llms.scripted.rules_file=no.toml"], "cannot read the rules file no.toml"),
        ([QUESTION, "--set", "store.path=rules.toml"], "cannot use the store rules.toml"),
    ],
)
def test_what_the_user_can_mend_is_one_line_on_standard_error(arguments, said):
    result = ask(*arguments, "--json")
    assert_one_line(result, said)
    assert result.stdout == ""


def test_a_part_that_breaks_is_no_traceback_on_the_terminal():
    broken = "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Breaks:\n"
    broken += "    async def answer(self, question, workbench):\n        raise ValueError('a bug')\n"
    Path("breaks.py").write_text(broken)
    info = Path("breaks-1.dist-info")
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: breaks\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[hopweave.methods]\nbreaks = breaks:Breaks\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])}
    done = ran_alone("ask", QUESTION, "--method", "breaks", "--json", env=environment)
    assert done.returncode == 1
    assert done.stderr == "hopweave: no answer: breaks broke: ValueError: a bug\n"
    assert json.loads(done.stdout)["error"]["kind"] == "MethodError"


def test_an_unknown_option_is_a_usage_error():
    result = ask(QUESTION, "--metod", "cot")
    assert result.exit_code == 2
    assert "No such option: --metod" in result.stderr


def test_an_unknown_flag_that_is_like_no_other_names_those_that_there_are():
    result = ask(QUESTION, "--index", "folder")
    assert result.exit_code == 2
    assert "No such option: --index (Possible options: --access, --calibration" in result.stderr
    assert "--corpus" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [("ask", "Who", "led", "it?"), ("ask", "my-index", "Who?"), ("search", "my-index", "Who?"), ("chat", "my-index")],
)
def test_an_argument_too_many_says_how_a_question_and_an_index_are_given(arguments):
    result = ran(*arguments)
    assert result.exit_code == 2
    assert "put what you ask in quotation marks, and name an index with --corpus" in result.stderr


# -- as a process ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_answers_as_a_process_of_its_own_in_any_locale():
    Path("rules.toml").write_text(RULES.replace("Port Merrow", "Port Mérröw 🌊"), encoding="utf-8")
    for more in ({}, {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}):
        done = ran_alone("ask", QUESTION, "--set", "store.mode=off", env=os.environ | more)
        assert done.returncode == 0, done.stderr
        assert "Answer" in done.stdout
    done = ran_alone("ask", "", "--json")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "hopweave: the question is empty; ask something\n")


@pytest.mark.slow
def test_a_pipe_that_is_closed_early_is_no_traceback():
    process = subprocess.Popen([*COMMAND, "ask", QUESTION], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)


async def test_interrupting_ends_with_130_a_line_and_an_open_call_that_is_closed():
    async with ScriptedServer([Behaviour(text="never", delay=3600)]) as server:
        command = [
            *INTERRUPTIBLE,
            "ask",
            QUESTION,
            "--json",
            "--llm",
            "openai_compatible",
            "--set",
            "llms.openai_compatible.model=m",
        ]
        command += ["--set", f"llms.openai_compatible.base_url={server.base_url}"]
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        give_up = time.monotonic() + 60
        while not server.requests and time.monotonic() < give_up:  # noqa: ASYNC110 - the server does not tell
            await asyncio.sleep(0.02)
        process.send_signal(signal.SIGINT)
        output, errors = await asyncio.wait_for(process.communicate(), 60)
        assert (process.returncode, output) == (130, b"")
        assert errors.decode() == "hopweave: interrupted; answers so far are kept, run the same command to resume\n"
        while not server.num_abandoned and time.monotonic() < give_up:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        assert server.num_abandoned == 1


def test_a_ranking_of_a_retriever_that_asks_the_model_is_measured_from_the_record():
    Path("rules.toml").write_text('[[rules]]\nmatch = "Write a passage"\nsay = "Ines Halloran was born in Port Merrow."\n')
    flags = ["--method", "oner", "--set", "methods.oner.reader=none", "--set", "methods.oner.num_hits=10"]
    more = ["--set", "methods.oner.remove_wh_words=false", "--set", "retrievers.hyde.num_documents=1"]
    result = ask(QUESTION, "--retriever", "hyde", *flags, *more, "--json")
    assert result.exit_code == 0, result.output
    record = Record.from_json(result.stdout)
    assert record.answer.passage_ids == ("engineer", "lamp")
    assert record.setup.retriever.startswith("hyde(")


@pytest.mark.slow
def test_on_a_terminal_a_failure_is_told_once():
    Path("rules.toml").write_text('[[rules]]\nmatch = "."\nerror = "the endpoint is gone"\n')
    ask(QUESTION)  # builds what is built once
    command = [*COMMAND, "ask", QUESTION, "--set", "retries.max_attempts=1"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=theirs) as process:
        os.close(theirs)
        said = b""
        with suppress(OSError):  # which is how a terminal tells that nobody writes to it any more
            while chunk := os.read(ours, 65536):
                said += chunk
    os.close(ours)
    drawn = said.decode().rpartition("\x1b[?25h")[2]  # what stays: the tree that grew before is wiped away
    assert process.returncode == 1
    assert drawn.count("the endpoint is gone") == 1
    assert "no answer: the language model failed: the endpoint is gone" in drawn
    assert "ModelError" not in drawn
