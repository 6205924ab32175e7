"""`hopweave serve`: what it says, what it refuses, and how it ends."""

import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import tomllib
from contextlib import contextmanager

import httpx
import pytest
from support.commands import COMMAND, assert_one_line, ran
from support.served_app import KEY, QUESTION, app_over, bearer, free_port, index_of, wait_for

from hopweave.apps.server.listening import Listening
from hopweave.apps.server.server_settings import KEYS_VARIABLE, hash_of, read_server_settings

RULES = '[[rules]]\nsay = "So the answer is: Ines Halloran."\nfind = ""\ndelay_seconds = {seconds}\n'


@contextmanager
def served(folder, *flags, seconds=0.0, **environment):
    """The command in a process of its own, with a scripted model that takes a while; gives its address."""
    (folder / "rules.toml").write_text(RULES.format(seconds=seconds))
    port = free_port()
    command = [*COMMAND, "serve", f"light={index_of(folder / 'light')}", "--port", str(port)]
    command += ["--llm", "scripted", "--method", "direct_retrieval", "--set", f"llms.scripted.rules_file={folder}/rules.toml"]
    command += ["--set", f"store.path={folder}/store.sqlite", "--answers", f"{folder}/answers", *flags]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder, env={**os.environ, **environment})
    try:
        said = process.stderr.readline()
        assert "hopweave serves" in said, said + process.stderr.read()
        address = f"http://127.0.0.1:{port}"
        wait_for(lambda: _is_up(address))
        yield process, address, said
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def _is_up(address):
    try:
        return httpx.get(f"{address}/readyz").status_code == 200
    except httpx.TransportError:
        return False


def ask_aside(address, replies, question=QUESTION):
    def ask():
        try:
            replies.append(httpx.post(f"{address}/v1/answers", json={"question": question}, timeout=60))
        except httpx.TransportError as error:
            replies.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def running(address):
    return float(re.search(r"^hopweave_questions_running (\S+)", httpx.get(f"{address}/metrics").text, re.MULTILINE)[1])


@pytest.mark.slow
def test_it_says_in_one_line_what_is_served_to_whom(tmp_path):
    with served(tmp_path) as (_, address, said):
        assert said.count("\n") == 1
        for part in ("direct_retrieval", "scripted:", "light", address, "no keys", "answers"):
            assert part in said


@pytest.mark.slow
def test_a_signal_to_stop_lets_what_runs_finish_and_takes_nothing_new(tmp_path):
    replies = []
    with served(tmp_path, seconds=2) as (process, address, _):
        asked = ask_aside(address, replies)
        wait_for(lambda: running(address) == 1)
        process.send_signal(signal.SIGTERM)
        asked.join()
        assert process.wait(30) == 0
        assert _is_up(address) is False
    assert replies[0].json()["record"]["answer"]["short"] == "Ines Halloran"
    (kept,) = (tmp_path / "answers" / "local").glob("*.jsonl")
    assert kept.stem == replies[0].json()["id"]


@pytest.mark.slow
def test_what_is_not_done_in_time_is_cut_off_and_what_was_finished_stays(tmp_path):
    (tmp_path / "server.toml").write_text("[limits]\ngrace_seconds = 1\n")
    replies = []
    with served(tmp_path, "--server", str(tmp_path / "server.toml"), seconds=0.1) as (process, address, _):
        done = httpx.post(f"{address}/v1/answers", json={"question": QUESTION}).json()
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    with served(tmp_path, "--server", str(tmp_path / "server.toml"), seconds=600) as (process, address, _):
        asked = ask_aside(address, replies, "Another question about the light?")
        wait_for(lambda: running(address) == 1)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert time.monotonic() - began < 60
        asked.join()
    with served(tmp_path, seconds=0) as (_, address, _):
        assert httpx.get(f"{address}/v1/answers/{done['id']}").json() == done
        assert [entry["id"] for entry in httpx.get(f"{address}/v1/answers").json()["answers"]] == [done["id"]]


@pytest.mark.slow
def test_keys_come_from_the_file_and_the_environment(tmp_path):
    (tmp_path / "server.toml").write_text(f'[keys.anna]\nsha256 = "{hash_of(KEY)}"\n')
    other = "another-key-of-the-environment"
    flags = ("--server", str(tmp_path / "server.toml"))
    with served(tmp_path, *flags, **{KEYS_VARIABLE: f"bob={other}"}) as (_, address, said):
        assert "2 keys" in said
        assert KEY not in said + other
        statuses = [httpx.get(f"{address}/v1/methods", headers=bearer(key)).status_code for key in (KEY, other, "x")]
    assert statuses == [200, 200, 401]


def test_a_new_key_is_shown_once_and_its_lines_let_its_holder_in(tmp_path):
    shown = ran("serve", "--new-key", "anna").stdout
    key = re.search(r"hw-\S+", shown)[0]
    lines = shown[shown.index("[keys") :]
    assert key not in lines
    (tmp_path / "server.toml").write_text(lines)
    assert read_server_settings(tmp_path / "server.toml", {}).keys["anna"].sha256 == hash_of(key)
    assert tomllib.loads(lines)
    assert ran("serve", "--new-key", "anna").stdout != shown


@pytest.mark.parametrize(
    ("flags", "text", "says"),
    [
        (["--host", "0.0.0.0"], "", "no keys"),
        (["nothing-here"], "", "there is no index"),
        (["=x"], "", "NAME=INDEX"),
        (["--server", "absent.toml"], "", "check the path"),
        ([], "x = ", "not TOML"),
        ([], "prot = 80", "did you mean 'port'"),
        ([], "[limits]\nmax_secnds = 1", "did you mean 'max_seconds'"),
        ([], "[keys.anna]\nsha256 = 'secret'", "--new-key"),
        ([], f"[keys.anna]\nsha256 = '{'0' * 64}'\ncorpora = ['lihgt']", "corpus 'lihgt'"),
        ([], f"[keys.'../anna']\nsha256 = '{'0' * 64}'", "not a valid name"),
        ([], "corpora = {}", "needs a corpus"),
        (["--method", "no_such"], "", "no_such"),
        (["--new-key", "../x"], "", "not a valid name"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_line(tmp_path, monkeypatch, flags, text, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "server.toml").write_text(text)
    flags = flags if "--server" in flags else [*flags, "--server", "server.toml"]
    done = ran("serve", "--llm", "scripted", "--port", "0", *flags)
    assert_one_line(done, says)


def test_a_port_that_is_taken_is_said_in_one_line_of_its_own(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = ran("serve", "--llm", "scripted", "--port", str(taken.getsockname()[1]), "--answers", str(tmp_path))
    assert done.exit_code == 1
    assert "choose another --port" in done.stderr


def test_an_idle_connection_is_closed_by_the_client_and_not_by_the_server(tmp_path):
    assert Listening(app_over(tmp_path)).config.timeout_keep_alive > 60  # of nginx and the load balancers of clouds


def test_answers_are_kept_with_replies_that_servers_share_unless_told_otherwise(tmp_path):
    usual = {"answers": "postgres://db.example/hopweave"}
    (tmp_path / "empty.toml").write_text("port = 80\n")
    (tmp_path / "own.toml").write_text('answers = "here"\n')
    assert read_server_settings(tmp_path / "empty.toml", {}, usual=usual).answers == usual["answers"]
    assert read_server_settings(tmp_path / "own.toml", {}, usual=usual).answers == "here"
    assert read_server_settings(tmp_path / "own.toml", {"answers": "there"}, usual=usual).answers == "there"


def test_a_short_key_in_the_environment_is_refused(monkeypatch):
    monkeypatch.setenv(KEYS_VARIABLE, "anna=short")
    with pytest.raises(Exception, match="at least 24 characters"):
        read_server_settings(None, {})


def test_the_command_line_starts_without_the_server(tmp_path):
    lines = ["import json, sys, hopweave.apps.cli", "hopweave.apps.cli.app(['serve', '--help'], standalone_mode=False)"]
    code = "\n".join([*lines, "print(json.dumps(list(sys.modules)))"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert not {"fastapi", "uvicorn", "starlette", "prometheus_client"} & set(loaded)


def test_a_server_leaves_the_logging_of_its_process_as_it_was():
    class Closing(logging.StreamHandler):
        is_closed = False

        def close(self):
            self.is_closed = True
            super().close()

    handler = Closing()
    assert ran("serve", "--answers", "postgres://host/x", "--llm", "scripted", "--port", "0").exit_code == 1
    assert not handler.is_closed
