"""The embedded model runner with models that think, larger models, and models on the hub; a script stands in for llama.cpp."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest
from support.tiny_gguf import gguf

from hopweave.core.errors import ModelError, SettingsError
from hopweave.core.types import Message, Sampling, Tool
from hopweave.models.llms import llama_cpp
from hopweave.models.llms.llama_cpp import LlamaCpp
from hopweave.models.weights import DEFAULT_MODEL, KNOWN_MODELS

ASK = (Message("user", "Where is Sula?"),)
SWITCH = "{% if tools %}{% endif %}{% if enable_thinking is false %}<think></think>{% endif %}"
ALWAYS = "<|assistant|><think>"
EFFORT = "{% if tools %}{% endif %}Reasoning: {{ reasoning_effort }}"
TOOL = Tool("search", "Finds passages.", {"type": "object", "properties": {}})

SERVER = """
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
options = json.loads(sys.stdin.readline())
with open(FOLDER + "/options.json", "w") as file:
    json.dump(options, file)
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        with open(FOLDER + "/asked", "ab") as file:
            file.write(self.rfile.read(int(self.headers["Content-Length"])) + b"\\n")
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in EVENTS:
            self.wfile.write(b"data: " + json.dumps(event).encode() + b"\\n\\n")
        self.wfile.write(b"data: [DONE]\\n\\n")
    def log_message(self, *_):
        pass
server = HTTPServer(("127.0.0.1", 0), Handler)
print(json.dumps({"address": "http://127.0.0.1:%d" % server.server_port}), flush=True)
server.serve_forever()
"""


def events(*deltas, finish="stop", num_tokens=7):
    """The events of a streamed reply: a text is content, a pair names the field."""
    told = [{"content": one} if isinstance(one, str) else dict([one]) for one in deltas]
    last = {"choices": [{"delta": {}, "finish_reason": finish}]}
    return [{"choices": [{"delta": one}]} for one in told] + [
        last,
        {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": num_tokens}},
    ]


class Stand:
    """A model, and what is sent to its server."""

    def __init__(self, folder, llm):
        self.folder, self.llm = folder, llm

    async def reply(self, sampling=None, messages=ASK, on_text=None):
        return await self.llm.reply(messages, sampling or Sampling(max_tokens=100), on_text)

    @property
    def asked(self):
        return [json.loads(line) for line in self.raw.splitlines()]

    @property
    def raw(self):
        return (self.folder / "asked").read_bytes()

    @property
    def options(self):
        return json.loads((self.folder / "options.json").read_text())


@pytest.fixture
async def stand(tmp_path, monkeypatch):
    """A function: a model whose file has that chat template, and whose server sends these events."""
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    made = []

    def put(template="", *said, values=(), model="mine", finish="stop", num_tokens=7, **options):
        content = gguf({"general.size_label": "8B", "tokenizer.chat_template": template, **dict(values)})
        (tmp_path / KNOWN_MODELS[DEFAULT_MODEL].file_name).write_bytes(b"GGUF")
        (tmp_path / "mine.gguf").write_bytes(content)
        told = events(*(said or ("Ulm",)), finish=finish, num_tokens=num_tokens)
        script = f"FOLDER, EVENTS = {str(tmp_path)!r}, {told!r}\n{SERVER}"
        (tmp_path / "server.py").write_text(script)
        monkeypatch.setattr(llama_cpp._llama_server, "__file__", str(tmp_path / "server.py"))
        made.append(LlamaCpp(model, **options))
        return Stand(tmp_path, made[-1])

    yield put
    for llm in made:
        await llm.close()


# What is asked


_MODEL = b'{"model":"qwen2.5-coder-1.5b-instruct","messages":[{"role":"system","content":"Be short."},'
_REST = b'"stream":true,"stream_options":{"include_usage":true},"top_k":0,"min_p":0.0}\n'
GOLDEN = b"".join(
    [
        _MODEL + b'{"role":"user","content":"Hi"}],"temperature":0.0,"top_p":1.0,"max_tokens":512,' + _REST,
        _MODEL + b'{"role":"user","content":"Hi"}],"temperature":0.0,"top_p":1.0,"max_tokens":64,"logprobs":true,'
        b'"top_logprobs":5,"response_format":{"type":"json_schema","json_schema":{"name":"reply","schema":{"type":"object"},'
        b'"strict":false}},' + _REST,
        _MODEL + b'{"role":"user","content":"Hi"},{"role":"assistant","content":"The city"}],"temperature":0.7,"top_p":0.9,'
        b'"max_tokens":512,"stop":["\\n","Q:"],"seed":3,' + _REST,
    ]
)
"""Requests as they were before models could think: stores and the prefix cache of the server depend on them."""


@pytest.mark.parametrize("thinking", ["auto", "off"])
async def test_requests_to_the_default_model_keep_every_byte(stand, thinking):
    model = stand(model=DEFAULT_MODEL, cache_disk_mib=0)  # the file's checksum is not that of the model
    talk = (Message("system", "Be short."), Message("user", "Hi"))
    await model.reply(Sampling(thinking=thinking), talk)
    await model.reply(Sampling(max_tokens=64, json_schema={"type": "object"}, top_logprobs=5, thinking=thinking), talk)
    drawn = Sampling(temperature=0.7, top_p=0.9, seed=3, stop=("\n", "Q:"), thinking=thinking)
    await model.reply(drawn, (*talk, Message("assistant", "The city")))
    assert model.raw == GOLDEN
    assert (model.options["context_tokens"], model.options["num_bytes_elsewhere"]) == (8192, 0)
    (model.folder / KNOWN_MODELS[DEFAULT_MODEL].file_name).unlink()
    assert model.llm.identity == f"gguf:sha256:{KNOWN_MODELS[DEFAULT_MODEL].sha256}"


async def test_a_model_that_does_not_think_is_asked_as_ever(stand):
    model = stand("{% for m in messages %}{% endfor %}")
    await model.reply(Sampling(max_tokens=100, stop=("Q:",), thinking="off"))
    [asked] = model.asked
    assert (asked["max_tokens"], asked["stop"]) == (100, ["Q:"])
    assert not asked.keys() & {"thinking_budget_tokens", "chat_template_kwargs", "reasoning_effort"}


@pytest.mark.parametrize("template", [SWITCH, ALWAYS, EFFORT])
async def test_the_limit_of_a_step_is_for_the_answer_and_thoughts_come_on_top(stand, template):
    model = stand(template, max_thinking_tokens=1000)
    await model.reply(Sampling(max_tokens=100, stop=("Q:",)))
    [asked] = model.asked
    assert (asked["max_tokens"], asked["thinking_budget_tokens"]) == (1100, 1000)
    assert "stop" not in asked  # the server would cut thoughts there


@pytest.mark.parametrize(
    ("template", "thinking", "budget", "kwargs", "effort"),
    [
        (SWITCH, "auto", 1000, None, None),
        (SWITCH, "low", 250, {"enable_thinking": True, "thinking": True}, None),
        (SWITCH, "medium", 500, {"enable_thinking": True, "thinking": True}, None),
        (SWITCH, "high", 1000, {"enable_thinking": True, "thinking": True}, None),
        (SWITCH, "off", None, {"enable_thinking": False, "thinking": False}, None),
        (ALWAYS, "low", 250, {"enable_thinking": True, "thinking": True}, None),
        (ALWAYS, "off", 1, {"enable_thinking": False, "thinking": False}, None),
        (EFFORT, "low", 1000, {"reasoning_effort": "low"}, "low"),
        (EFFORT, "high", 1000, {"reasoning_effort": "high"}, "high"),
        (EFFORT, "off", 1000, {"reasoning_effort": "low"}, "low"),
    ],
)
async def test_how_much_a_model_thinks_is_asked_in_the_words_of_its_template(stand, template, thinking, budget, kwargs, effort):
    model = stand(template, thinking=thinking, max_thinking_tokens=1000, model="mine")
    if template is EFFORT:
        (model.folder / "gpt-oss-20b.gguf").write_bytes((model.folder / "mine.gguf").read_bytes())
        model.llm.model = str(model.folder / "gpt-oss-20b.gguf")
    await model.reply()
    [asked] = model.asked
    assert asked.get("thinking_budget_tokens") == budget
    assert asked.get("chat_template_kwargs") == kwargs
    assert asked.get("reasoning_effort") == effort
    assert asked["max_tokens"] == (1100 if thinking != "off" or template is EFFORT else 100)


async def test_a_step_that_needs_no_thought_gets_none_where_the_model_can(stand):
    for template, kwargs, budget in (
        (SWITCH, {"enable_thinking": False, "thinking": False}, 4096),
        (ALWAYS, {"enable_thinking": False, "thinking": False}, 1),
    ):
        model = stand(template)
        await model.reply(Sampling(max_tokens=100, thinking="off"))
        asked = model.asked[-1]
        assert (asked["max_tokens"], asked["thinking_budget_tokens"]) == (100, budget)
        assert asked["chat_template_kwargs"] == kwargs
        await model.reply(Sampling(max_tokens=100))
        assert model.asked[-1]["max_tokens"] == 100 + 4096


async def test_a_reply_that_is_begun_for_a_model_that_thinks_is_continued_without_thought(stand):
    model = stand(SWITCH)
    reply = await model.reply(messages=(*ASK, Message("assistant", "In")))
    assert model.asked[-1]["chat_template_kwargs"] == {"enable_thinking": False, "thinking": False}
    assert (reply.text, reply.thoughts) == ("Ulm", "")


def test_how_much_it_thinks_is_part_of_the_identity(stand):
    plain, low, short = (stand(SWITCH, **more).llm.identity for more in ({}, {"thinking": "low"}, {"max_thinking_tokens": 10}))
    assert (low, short) == (f"{plain}+thinking=low", f"{plain}+max_thinking_tokens=10")


# What comes back


@pytest.mark.parametrize(
    "said",
    [
        (("reasoning_content", "Is it"), ("reasoning_content", " Ulm?"), "Ulm", ", I say"),
        ("<think>Is it", " Ulm?</th", "ink>\n\nUl", "m, I say"),
    ],
    ids=["apart", "in marks"],
)
async def test_thoughts_are_kept_apart_and_never_shown(stand, said):
    pieces = []
    reply = await stand(SWITCH, *said).reply(on_text=pieces.append)
    assert (reply.text, reply.thoughts, reply.finish_reason) == ("Ulm, I say", "Is it Ulm?", "stop")
    assert "".join(pieces) == reply.text


async def test_a_stop_string_ends_the_reply_and_not_the_thoughts(stand):
    reply = await stand(SWITCH, ("reasoning_content", "Q: where?"), "Ulm. Q: and?").reply(
        Sampling(max_tokens=100, stop=("Q:",))
    )
    assert (reply.text, reply.thoughts) == ("Ulm. ", "Q: where?")


async def test_a_reply_does_not_go_on_with_the_tokens_that_its_thoughts_left(stand):
    model = stand(SWITCH, ("reasoning_content", "Is it?"), *(f"w{number} " for number in range(50)))
    pieces = []
    reply = await model.reply(Sampling(max_tokens=10), on_text=pieces.append)
    assert reply.text == "".join(pieces) == "".join(f"w{number} " for number in range(10))
    assert (reply.finish_reason, reply.thoughts) == ("length", "Is it?")
    whole = await stand("", *(f"w{number} " for number in range(50))).reply(Sampling(max_tokens=10))
    assert whole.text.endswith("w49 ")  # the server keeps the limit itself


@pytest.mark.parametrize("said", [(("reasoning_content", "Well, well"),), ("<think>Well, well",)], ids=["apart", "in marks"])
async def test_a_reply_that_is_all_thoughts_is_an_error_that_says_what_to_set(stand, said):
    model = stand(SWITCH, *said, finish="length", num_tokens=1100, max_thinking_tokens=1000)
    with pytest.raises(
        ModelError, match=r"all 1,100 tokens went into thoughts; raise llms.llama_cpp.max_thinking_tokens"
    ) as caught:
        await model.reply()
    assert '(now 1000), or set llms.llama_cpp.thinking = "low" or "off"' in str(caught.value)
    assert len(model.asked) == 1


async def test_tools_are_called_by_a_larger_model_whose_template_has_a_place_for_them(stand):
    call = {"index": 0, "id": "c1", "function": {"name": "search", "arguments": "{}"}}
    model = stand(SWITCH, ("reasoning_content", "I should look."), ("tool_calls", [call]))
    assert model.llm.abilities.tools
    reply = await model.reply(Sampling(max_tokens=100, tools=(TOOL,)))
    assert [(one.name, one.arguments) for one in reply.tool_calls] == [("search", "{}")]
    assert model.asked[0]["tools"][0]["function"]["name"] == "search"


async def test_a_reply_that_takes_too_long_names_the_option_that_there_is(stand, monkeypatch):
    monkeypatch.setattr(llama_cpp, "_MOST_SILENCES", 0.001)
    model = stand(SWITCH, timeout_seconds=0.4)
    slow = (
        (model.folder / "server.py")
        .read_text()
        .replace("for event in EVENTS:", "import time; time.sleep(9)\n        for event in []:")
    )
    (model.folder / "server.py").write_text(slow)
    with pytest.raises(ModelError, match=r"ask for fewer tokens, or raise llms.llama_cpp.timeout_seconds"):
        await model.reply()


# What is known of a model


@pytest.mark.parametrize(
    ("label", "name", "option", "is_small"),
    [
        ("3.8B", "mine", "auto", True),
        ("4B", "mine", "auto", False),
        ("30B-A3B", "mine", "auto", False),
        ("135M", "mine", "auto", True),
        ("8B", "mine", "yes", True),
        ("1B", "mine", "no", False),
        (None, "mine-1.5B-Q4_K_M", "auto", True),
        (None, "mine-8B-Q4_K_M", "auto", False),
    ],
)
def test_a_model_below_four_billion_parameters_is_small(tmp_path, label, name, option, is_small):
    (tmp_path / f"{name}.gguf").write_bytes(b"GGUF" if label is None else gguf({"general.size_label": label}))
    assert LlamaCpp(str(tmp_path / f"{name}.gguf"), is_small=option).abilities.is_small == is_small


@pytest.mark.parametrize(
    ("model", "is_small", "tools", "tokens"),
    [
        (DEFAULT_MODEL, True, False, 8192),
        ("smollm2-135m-instruct", True, False, 8192),
        ("gemma-3-4b", False, False, 16384),
        ("qwen3-4b-instruct", False, True, 16384),
        ("qwen3-8b", False, True, 16384 - 4096),
        ("gpt-oss-20b", False, True, 16384 - 4096),
        ("no-such-model", False, False, 8192),
    ],
)
def test_what_a_known_model_can_do_is_known_without_its_file(tmp_path, monkeypatch, model, is_small, tools, tokens):
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path))
    found = LlamaCpp(model).abilities
    assert (found.is_small, found.tools, found.context_tokens) == (is_small, tools, tokens)
    assert found.prefill
    assert found.logprobs
    assert found.json_schema


@pytest.mark.parametrize(
    ("options", "trained_for", "context", "left"),
    [
        ({}, 262144, 16384, 12288),
        ({}, 4096, 4096, 2048),
        ({"context_tokens": 32768}, 4096, 32768, 28672),
        ({"thinking": "off"}, 262144, 16384, 16384),
        ({"max_thinking_tokens": 8192, "context_tokens": 10000}, 262144, 10000, 5000),
    ],
)
async def test_thoughts_leave_room_in_the_context(stand, options, trained_for, context, left):
    model = stand(SWITCH, values={"tiny.context_length": trained_for}, **options)
    assert model.llm.abilities.context_tokens == left
    await model.reply()
    assert model.options["context_tokens"] == context


def test_a_file_that_is_fetched_later_is_looked_at_then(tmp_path):
    llm = LlamaCpp(str(tmp_path / "later.gguf"))
    assert not llm.abilities.is_small
    (tmp_path / "later.gguf").write_bytes(gguf({"general.size_label": "1B"}))
    assert llm.abilities.is_small


@pytest.mark.parametrize("model", ["hf:me/Tiny/tiny.gguf", "qwen3-8b"])
async def test_a_model_that_is_not_here_says_how_to_get_it(stand, model):
    with pytest.raises(SettingsError, match=f"is not on this machine; fetch it with: hopweave models fetch {model}"):
        await stand(model=model).reply()


async def test_a_missing_part_is_told(stand):
    model = stand(SWITCH, model="hf:me/Tiny/big-00001-of-00002.gguf")
    path = llama_cpp.model_path(model.llm.model)
    path.write_bytes(gguf({"split.count": 2}))
    with pytest.raises(SettingsError, match=r"-00002-of-00002.gguf is not on this machine; fetch it with"):
        await model.reply()
    path.with_name(path.name.replace("-00001-", "-00002-")).write_bytes(gguf())
    await model.reply()
    assert model.options["path"] == str(path)


@pytest.mark.parametrize("options", [{"max_thinking_tokens": 0}, {"context_tokens": -1}])
def test_limits_that_cannot_be_are_refused(options):
    with pytest.raises(SettingsError, match="must be above 0"):
        LlamaCpp(**options)


# Memory


HEADER = {"tiny.block_count": 10, "tiny.embedding_length": 1000, "tiny.attention.head_count": 10}  # 40 kB a token
TOO_LARGE = (
    "import json, sys\noptions = json.loads(sys.stdin.readline())\nprint(json.dumps({'num_bytes_elsewhere': MISSING}))\n"
)


async def test_a_model_that_does_not_fit_is_refused_before_it_is_loaded_with_what_to_choose(stand, monkeypatch):
    monkeypatch.setattr(llama_cpp, "free_bytes", lambda: 500_000_000)
    model = stand("", values=HEADER)
    (model.folder / "server.py").write_text(TOO_LARGE.replace("MISSING", "options['num_bytes_elsewhere']"))
    with pytest.raises(SettingsError, match=r"mine needs about 1.1 GB of memory, 0.2 GB more than is free") as caught:
        await model.reply()
    assert "close other programs, or set llms.llama_cpp.context_tokens = 12288" in str(caught.value)
    assert "--set llms.llama_cpp.checks_memory=no" in str(caught.value)
    assert model.llm._server is None


@pytest.mark.parametrize(("free", "options"), [(10**12, {}), (None, {}), (500_000_000, {"checks_memory": False})])
async def test_a_model_that_fits_or_is_not_checked_is_loaded(stand, monkeypatch, free, options):
    monkeypatch.setattr(llama_cpp, "free_bytes", lambda: free)
    model = stand("", values=HEADER, **options)
    await model.reply()
    assert model.options["num_bytes_elsewhere"] == 0


def answer_of_the_process(folder, gpus, **options):
    """The line that the process of the model writes, with a library that has a processor and GPUs of these free bytes."""
    (folder / "xllamacpp.py").write_text(f"""
import enum
class Kind(enum.Enum):
    GGML_BACKEND_DEVICE_TYPE_CPU, GGML_BACKEND_DEVICE_TYPE_GPU, GGML_BACKEND_DEVICE_TYPE_IGPU = 0, 1, 2
class _Any:
    def __getattr__(self, name):
        part = _Any(); setattr(self, name, part); return part
class CommonParams(_Any): pass
llama_load_mode = _Any()
class Server:
    def __init__(self, params):
        self.listening_address = f"warmup={{params.warmup}} fit_params={{params.fit_params}}"
def get_device_info():
    gpus = [{{"type": Kind(number), "memory_free": free}} for number, free in enumerate({gpus}, start=1)]
    return [{{"type": Kind(0), "memory_free": 10**12}}, *gpus]
""")
    given = {"path": "m", "context_tokens": 1, "num_threads": 1, "cache_ram_mib": 0, "key": "k", "is_talkative": False}
    done = subprocess.run(
        [sys.executable, llama_cpp._llama_server.__file__],
        input=json.dumps(given | options) + "\n",
        text=True,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(folder)},
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("gpus", "num_missing"), [([], 1000), ([0], 1000), ([600], 400), ([1000], 0), ([600, 500], 0), ([0, 900], 100)]
)
def test_what_does_not_fit_into_the_memory_may_fit_into_gpus_that_llama_cpp_can_use(tmp_path, gpus, num_missing):
    answer = answer_of_the_process(tmp_path, gpus, num_bytes_elsewhere=1000)
    assert answer == {"num_bytes_elsewhere": num_missing} if num_missing else answer.keys() == {"address"}


@pytest.mark.parametrize("gpus", [[], [600], [0, 600]])
def test_a_model_is_loaded_without_a_trial_run_and_only_shared_out_where_there_is_a_gpu(tmp_path, gpus):
    assert answer_of_the_process(tmp_path, gpus) == {"address": f"warmup=False fit_params={bool(gpus)}"}
