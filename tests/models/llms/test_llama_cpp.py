"""The embedded model: what holds without its file, and with it."""

import asyncio
import hashlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from hopweave.core.cores import num_usable_cores
from hopweave.core.errors import DataError, MissingExtra, ModelError, SettingsError
from hopweave.core.protocols import LanguageModel, Opens
from hopweave.core.types import Message, Sampling
from hopweave.models.llms import llama_cpp
from hopweave.models.llms.llama_cpp import LlamaCpp
from hopweave.models.weights import DEFAULT_MODEL, KNOWN_MODELS, is_present

ASK = (Message("user", "What is the capital of France? Answer in one word."),)
STORY = (Message("user", "Write a very long story about a fox."),)
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}


@pytest.fixture
def no_models(tmp_path, monkeypatch):
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path))
    return tmp_path


def test_it_fills_the_role_of_a_language_model():
    assert isinstance(LlamaCpp(), LanguageModel)


def test_the_identity_of_a_known_model_needs_no_file(no_models):
    assert LlamaCpp().identity == f"gguf:sha256:{KNOWN_MODELS[DEFAULT_MODEL].sha256}"


def test_the_identity_of_a_file_is_its_checksum(no_models):
    file = no_models / "mine.gguf"
    file.write_bytes(b"GGUF of mine")
    assert LlamaCpp(str(file)).identity == f"gguf:sha256:{hashlib.sha256(b'GGUF of mine').hexdigest()}"


async def test_a_missing_model_says_how_to_get_it(no_models):
    with pytest.raises(SettingsError, match=r"hopweave models fetch qwen2.5-coder-1.5b-instruct"):
        await LlamaCpp().reply(ASK, Sampling())


async def test_a_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"hopweave\[local\]"):
        await LlamaCpp().reply(ASK, Sampling())


async def test_closing_what_was_never_used_is_fine():
    await LlamaCpp().close()


@pytest.mark.parametrize("options", [{"context_tokens": 0}, {"num_threads": 0}, {"timeout_seconds": -1}])
def test_options_that_cannot_be_are_refused(options):
    with pytest.raises(SettingsError):
        LlamaCpp(**options)


def test_no_more_threads_than_cores_are_used():
    assert 1 <= num_usable_cores() <= (os.cpu_count() or 1)


@pytest.fixture
def server_script(tmp_path, monkeypatch, no_models):
    """Puts a script of the test in the place of the process that runs the model."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    (no_models / "mine.gguf").write_bytes(b"GGUF")

    def put(code):
        file = tmp_path / "server.py"
        file.write_text("import json, sys, time\noptions = json.loads(sys.stdin.readline())\n" + code)
        monkeypatch.setattr(llama_cpp._llama_server, "__file__", str(file))
        return LlamaCpp("mine")

    return put


NOT_LOADED = {
    "an error of its library": ("print(json.dumps({'error': 'no init'}))", r"cannot load .*mine.gguf \(no init\)", False),
    "an early end": ("sys.exit(3)", "exit code 3", None),
    "too long a time": ("time.sleep(60)", "cannot load", None),
    "the options, said again": ("print(json.dumps({'error': json.dumps(options)}))", '"context_tokens": 8192', False),
}


@pytest.mark.parametrize(("code", "said", "is_retryable"), NOT_LOADED.values(), ids=NOT_LOADED)
async def test_a_file_that_cannot_be_loaded_is_told_by_a_call_and_by_opening(
    code, said, is_retryable, server_script, monkeypatch
):
    if "sleep" in code:
        monkeypatch.setattr(llama_cpp, "_START_SECONDS", 0.2)
    for call in (lambda llm: llm.reply(ASK, Sampling()), lambda llm: llm.open()):
        with pytest.raises(ModelError, match=said) as caught:
            await call(server_script(code))
        assert caught.value.retryable == is_retryable or is_retryable is None


async def test_a_call_cancelled_while_loading_leaves_no_process(server_script):
    llm = server_script("time.sleep(60)")
    call = asyncio.create_task(llm.reply(ASK, Sampling()))
    await asyncio.sleep(0.1)
    process = llm._server._process
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert process.poll() is not None


async def test_opening_it_starts_the_process_once(server_script):
    llm = server_script("print(json.dumps({'address': 'http://127.0.0.1:9'}), flush=True)\nsys.stdin.read()")
    assert isinstance(llm, Opens)
    await llm.open()
    process = llm._server._process
    await llm.open()
    assert llm._server._process is process
    assert process.poll() is None
    await llm.close()
    process.wait(5)


async def test_a_process_that_dies_during_a_call_is_worth_another_try(server_script):
    llm = server_script(
        "import os, socket\ns = socket.create_server(('127.0.0.1', 0))\n"
        "print(json.dumps({'address': 'http://127.0.0.1:%d' % s.getsockname()[1]}), flush=True)\n"
        "s.accept()[0].recv(9)\nos.abort()"
    )
    with pytest.raises(ModelError, match=r"stopped in the middle of a reply \(exit code -6\)") as caught:
        await llm.reply(ASK, Sampling())
    assert caught.value.retryable
    await llm.close()


TOKENIZER = """
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_ours = self.path == "/tokenize" and self.headers["Authorization"] == "Bearer " + options["key"]
        body = json.dumps(SAID if is_ours else {}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = HTTPServer(("127.0.0.1", 0), Handler)
print(json.dumps({"address": "http://127.0.0.1:%d" % server.server_port}), flush=True)
server.serve_forever()
"""


async def test_tokens_are_counted_through_the_same_door(server_script):
    llm = server_script(TOKENIZER.replace("SAID", '{"tokens": asked["content"].split()}'))
    assert [await llm.count_tokens(text) for text in ("a b c", "", "\ud800 x")] == [3, 0, 2]
    await llm.close()


@pytest.mark.parametrize("said", ["[]", '{"tokens": 5}', '{"error": "no"}'])
async def test_a_count_that_is_none_is_an_error_of_the_model(server_script, said):
    llm = server_script(TOKENIZER.replace("SAID", said))
    with pytest.raises(ModelError, match="cannot count tokens"):
        await llm.count_tokens("a b c")
    await llm.close()


async def test_a_file_that_cannot_be_read_is_told(no_models):
    with pytest.raises(DataError, match="cannot read"):
        _ = LlamaCpp(str(no_models / "none.gguf")).identity


# With the model


def present(name):
    return pytest.mark.skipif(
        not is_present(name) or importlib.util.find_spec("xllamacpp") is None,
        reason=f"the model is not on this machine: hopweave models fetch {name}",
    )


@pytest.fixture(params=[pytest.param(name, marks=present(name)) for name, known in KNOWN_MODELS.items() if known.sha256])
async def llm(request):
    llm = LlamaCpp(request.param, context_tokens=1024)
    yield llm
    await llm.close()


@pytest.mark.live
async def test_the_embedded_model_does_what_its_abilities_say(llm):
    reply = await llm.reply(ASK, Sampling(max_tokens=8, top_logprobs=10))
    assert "Paris" in reply.text
    assert len(reply.logprobs) == reply.usage.completion_tokens or reply.finish_reason == "stop"
    assert len(reply.logprobs[0].top) == 10

    pieces = []
    prefilled = (*ASK, Message("assistant", "The capital of France is the city of"))
    reply = await llm.reply(prefilled, Sampling(max_tokens=4), pieces.append)
    assert reply.text.startswith(" Paris")
    assert "".join(pieces) == reply.text
    assert reply.usage.cached_tokens > 10

    reply = await llm.reply(ASK, Sampling(max_tokens=40, json_schema=SCHEMA))
    assert json.loads(reply.text).keys() == {"city"}

    stopped = await llm.reply(ASK, Sampling(max_tokens=8, stop=("Paris",)))
    assert "Paris" not in stopped.text
    assert stopped.finish_reason == "stop"

    with pytest.raises(ModelError, match="context_tokens"):
        await llm.reply((Message("user", "word " * 2000),), Sampling())


@pytest.mark.live
@pytest.mark.slow
async def test_a_second_process_computes_only_the_question_and_replies_the_same(llm, own_folders):
    shown = "Orlau lies on Lake Sula. Kerrow Light was built there by Ada Finch in 1884. " * 10
    head = (Message("user", f"{shown}\nWho built Kerrow Light?"), Message("assistant", "Ada Finch"))
    questions = ("On which lake does Orlau lie?", "When was Kerrow Light built?", "What did Ada Finch build?")
    replies, computed = {}, {}
    for process in ("saves nothing", "saves", "restores"):
        one = LlamaCpp(llm.model, context_tokens=1024, cache_disk_mib=0 if process == "saves nothing" else 100)
        found = [await one.reply((*head, Message("user", question)), Sampling(max_tokens=12)) for question in questions]
        await one.close()
        replies[process] = [reply.text for reply in found]
        computed[process] = [reply.usage.prompt_tokens - reply.usage.cached_tokens for reply in found]
    assert replies["saves nothing"] == replies["saves"] == replies["restores"]
    assert computed["saves nothing"][0] == computed["saves"][0] > 200
    assert max(computed["restores"]) < 30


@pytest.mark.live
@pytest.mark.slow
async def test_a_cancelled_call_stops_the_embedded_model_and_a_lost_process_is_started_again(llm):
    await llm.reply(ASK, Sampling(max_tokens=1))
    call = asyncio.create_task(llm.reply(STORY, Sampling(max_tokens=900)))
    await asyncio.sleep(1.0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    begun = time.perf_counter()
    await llm.reply(ASK, Sampling(max_tokens=1))
    assert time.perf_counter() - begun < 15, "the cancelled reply was still being written"

    process = llm._server._process
    process.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    process.wait()
    assert (await llm.reply(ASK, Sampling(max_tokens=1))).text
    process = llm._server._process
    await llm.close()
    assert process.poll() is not None


def test_the_process_of_the_model_ends_where_nobody_is_left_to_hear_that_it_is_loaded(tmp_path):
    stub = """
import threading
class _Any:
    def __getattr__(self, name):
        part = _Any(); setattr(self, name, part); return part
class CommonParams(_Any): pass
llama_load_mode = _Any()
def get_device_info(): return []
class Server:
    listening_address = "http://127.0.0.1:1"
    def __init__(self, params):
        threading.Thread(target=threading.Event().wait).start()  # as llama.cpp's own threads, it ends only with the process
"""
    (tmp_path / "xllamacpp.py").write_text(stub)
    options = {"path": "m", "context_tokens": 1, "num_threads": 1, "cache_ram_mib": 0, "key": "k", "is_talkative": False}
    read_end, write_end = os.pipe()
    os.close(read_end)  # the process that started it is gone
    try:
        done = subprocess.run(
            [sys.executable, llama_cpp._llama_server.__file__],
            input=json.dumps(options) + "\n",
            text=True,
            stdout=write_end,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            timeout=60,
            check=False,
        )
    finally:
        os.close(write_end)
    assert done.returncode == 0
