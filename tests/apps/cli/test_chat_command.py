"""`hopweave chat`: follow-ups, commands, Ctrl-C, and that it works in a pipe as in a terminal."""

import json
import os
import pty
import select
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from support.commands import INTERRUPTIBLE, ran

from hopweave.core.types import Passage
from hopweave.record import Record
from hopweave.retrieval.engines.bm25 import BM25

RULES = """
[[rules]]
find = "she die"
say = '{"question": "When did Ines Halloran die?"}'

[[rules]]
find = "Ines Halloran die"
say = "So the answer is: 1902."

[[rules]]
find = "the sea"
say = "So the answer is: Kiel."
delay_seconds = 600

[[rules]]
find = "a mill"
error = "the endpoint is down"

[[rules]]
find = "a bell"
say = ""

[[rules]]
match = "(?s)."
say = "So the answer is: Ines Halloran."
"""
FIRST, FOLLOW_UP = "Who designed Carrow Head Light?", "and when did she die?"
COMMAND = [*INTERRUPTIBLE, "chat"]
SOON = 60.0
AGAIN = 6.0


@pytest.fixture(autouse=True)
def scene(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    BM25.build(tmp_path / "index", [Passage("lamp", "Carrow Head Light was designed by Ines Halloran.", "Carrow Head Light")])
    BM25.build(tmp_path / "other", [Passage("mill", "The mill was built by Ada Moss.", "Mill")])
    Path("rules.toml").write_text(RULES)
    Path("hopweave.toml").write_text(
        'corpus = "index"\nmethod = "direct_retrieval"\nretriever = "bm25"\nllm = "scripted"\nretries.max_attempts = 1\n'
        '[llms.scripted]\nrules_file = "rules.toml"\n'
    )


def chat(*lines, arguments=()):
    return ran("chat", *arguments, stdin="".join(f"{line}\n" for line in lines), exit_code=0)


def test_a_follow_up_is_made_whole_before_it_is_answered():
    result = chat(FIRST, "", FOLLOW_UP)
    assert "Answer  Ines Halloran\n✓ The answer rests on a passage" in result.stdout
    assert "asked as: When did Ines Halloran die?\nAnswer  1902\n○ The answer rests on no passage" in result.stdout
    assert result.stderr.startswith("direct_retrieval with scripted over index by bm25; settings: hopweave.toml\n")
    assert "> " not in result.stdout  # nobody is there to be prompted


def test_a_question_without_an_answer_says_why_and_the_conversation_goes_on():
    result = chat("Who cast a bell?", FIRST)
    assert "Answer  (none)" in result.stdout
    assert "Answer  Ines Halloran" in result.stdout
    assert result.stderr.count("hopweave: no answer: ") == 1
    assert "hopweave: no answer: the reply of answer (step 1) is empty\n" in result.stderr


def test_a_conversation_can_be_begun_anew():
    result = chat(FIRST, "/new", FOLLOW_UP)
    assert "asked as" not in result.stdout


def test_method_and_corpus_change_on_the_way_and_the_conversation_goes_on():
    result = chat(FIRST, "/method direct", "/method", "/corpus other", "/corpus", FOLLOW_UP, "/sources")
    assert "direct; there are: adaptive_rag, auto_cot, corag, cot," in result.stdout
    assert "\nother\n" in result.stdout
    assert "asked as: When did Ines Halloran die?" in result.stdout
    assert "direct with scripted over other by bm25" in result.stderr
    assert "the last answer cites nothing" in result.stdout


def test_the_new_corpus_is_the_one_that_is_searched():
    result = chat(FIRST, "/sources", "/corpus other", "Who built the old wheel of the mill?", "/sources")
    before, after = result.stdout.split("✗")[0], result.stdout
    assert "[1] Carrow Head Light" in before
    assert "designed by «Ines Halloran" in before or "«Carrow Head Light was designed by *Ines Halloran*.»" in before
    assert after.count("[1] Carrow Head Light") == 1


def test_what_goes_wrong_is_told_and_the_conversation_goes_on():
    result = chat("/sources", "/method nope", "/corpus gone", "/what", "x" * 8001, FIRST, "Is there a mill?")
    told = result.stderr
    assert "there is no answer yet; ask something" in told
    assert "'nope' is not one of the methods" in told
    assert "there is no index at gone" in told
    assert "there is no command /what; /help lists them" in told
    assert "put long texts into the corpus" in told
    assert "So the answer is: Ines Halloran [1]." in result.stdout
    assert result.stdout.rstrip().endswith("No answer: the language model failed: the endpoint is down")


def test_nothing_is_read_after_quit_and_help_names_the_commands():
    result = chat("/help", "/quit", FIRST)
    assert all(f"/{name}" in result.stdout for name in ("method", "corpus", "sources", "new", "quit"))
    assert "Answer" not in result.stdout


def test_nothing_is_kept_unless_asked_for(tmp_path):
    before = {path for path in tmp_path.rglob("*") if "cache" not in path.parts}
    chat(FIRST, arguments=["--set", "store.mode=off"])
    assert {path for path in tmp_path.rglob("*") if "cache" not in path.parts} == before
    chat(FIRST, FOLLOW_UP, arguments=["--out", "said.jsonl"])
    records = [Record.from_json(line) for line in Path("said.jsonl").read_text().splitlines()]
    assert [record.question.text for record in records] == [FIRST, "When did Ines Halloran die?"]
    assert json.loads(Path("said.jsonl").read_text().splitlines()[1])["steps"][0]["purpose"] == "rewritten"


def test_what_is_not_text_is_an_error_of_one_line():
    done = subprocess.run(COMMAND, input=b"\xff\xfe\n", capture_output=True, timeout=SOON, check=False)
    assert done.returncode == 1
    assert b"hopweave: standard input is not UTF-8 text" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.slow
def test_in_a_terminal_ctrl_c_ends_the_question_and_then_the_conversation():
    ours, theirs = pty.openpty()
    with subprocess.Popen(COMMAND, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=False) as process:
        os.close(theirs)
        terminal = Terminal(ours, process)
        terminal.until("> ")
        os.write(ours, b"What is by the sea?\n")
        terminal.until("...")
        process.send_signal(signal.SIGINT)
        terminal.until("the question was ended")
        terminal.until("> ")
        os.write(ours, FIRST.encode() + b"\n")
        terminal.until("So the answer is")
        terminal.until("What the words mean")
        terminal.until("> ")
        os.write(ours, FIRST.encode() + b"\n")
        terminal.until("So the answer is")
        assert "What the words mean" not in terminal.until("> ")
        assert interrupted(process) == 0
    os.close(ours)


def interrupted(process):
    """The exit status after Ctrl-C. Python loses one that comes between the prompt and the waiting for a line."""
    for _ in range(round(SOON / AGAIN)):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return process.wait(AGAIN)
    process.kill()
    return process.wait()


class Terminal:
    """The other end of a terminal."""

    def __init__(self, descriptor, process):
        self._descriptor = descriptor
        self._process = process
        self._said = ""

    def until(self, words):
        """Reads up to and with some words, and returns what came before them."""
        deadline = time.monotonic() + SOON
        while words not in self._said:
            ready, _, _ = select.select([self._descriptor], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                self._process.kill()  # which would wait for its output to be read
                pytest.fail(f"{words!r} did not come, but: {self._said[-2000:]}")
            self._said += os.read(self._descriptor, 65_536).decode(errors="replace")
        before, _, self._said = self._said.partition(words)
        return before
