"""`hopweave doctor --llm`: what it asks a model, what it finds, and the settings that it advises."""

import asyncio
import json
import tomllib
from dataclasses import dataclass
from typing import Literal

import pytest
from support.commands import ran
from support.scripted_server import Behaviour, ScriptedServer

from hopweave.apps.cli._model_check import ModelCheck
from hopweave.core.errors import ModelError
from hopweave.core.types import Abilities, Reply, TokenLogprob, ToolCall, Usage
from hopweave.models.llms.scripted import Line, Scripted

JSON = '{"letters": 6, "is_city": true}'
CALL = (("population_of", {"place": "Orlau"}),)
ABLE = [("capital of France", "Paris"), ("letters", JSON), ("Orlau", Line(tool_calls=CALL)), ("Constant", "inople")]


async def found(llm, with_options=None):
    """The lines about a model, each with whether it is able, and the settings advised."""
    check = ModelCheck(llm, "llms.mine", with_options or (lambda **_: llm))
    reply, first = await check.first()
    rest = await check.rest(reply)
    lines = {one.line: one.is_able for one in (first, *rest)}
    return lines, {name: value for one in rest for name, value in one.settings.items()}


def about(lines, start):
    [line] = [line for line in lines if line.startswith(start)]
    return line, lines[line]


async def test_a_model_that_can_do_everything_is_told_so_with_five_short_calls_at_most():
    llm = Scripted(ABLE, tools=True, is_small=False)
    lines, settings = await found(llm)
    assert all(able for line, able in lines.items() if not line.startswith("context"))
    assert next(iter(lines)).startswith("replies: 'Paris', in 0.")
    assert [*lines][1:] == [
        "does not think before it replies, as far as it shows",
        "keeps to a JSON schema",
        "calls tools",
        "reports log-probabilities",
        "continues a reply that was begun for it",
        "context: unknown",
        "not small: methods ask it for all at once (--set llms.mine.is_small=yes if that is wrong)",
    ]
    assert settings == {}
    assert len(llm.calls) <= 5
    assert max(sampling.max_tokens for _, sampling in llm.calls) <= 256


@pytest.mark.parametrize(
    ("find", "say", "start", "said"),
    [
        ("letters", "Six, and yes.", "does not keep to a JSON", "it replied 'Six, and yes.'"),
        ("letters", '{"letters": 6}', "does not keep to a JSON", "it replied"),
        ("letters", "[" * 50_000, "does not keep to a JSON", "it replied"),
        ("Orlau", "Nobody knows " * 20, "does not call tools", "told to call one, it replied 'Nobody knows"),
        ("Orlau", Line(tool_calls=(("search", {"q": "x"}),)), "does not call tools", "it called 'search' with"),
        ("Orlau", ModelError("takes no tools"), "does not call tools", "takes no tools"),
        ("Constant", "Constantinople", "does not continue", "it continued 'Not Rome but Constant' with"),
        ("Constant", ModelError("no final assistant turn"), "does not continue", "no final assistant turn"),
    ],
)
async def test_what_a_model_cannot_do_is_told_with_what_it_did_instead(find, say, start, said):
    lines, _ = await found(Scripted([(find, say), *ABLE], tools=True))
    line, is_able = about(lines, start)
    assert said in line
    assert not is_able
    assert len(line) < 160


class Thinking(Scripted):
    """Thinks, unless it is told not to and obeys."""

    obeys = True

    async def reply(self, messages, sampling, on_text=None):
        reply = await super().reply(messages, sampling, on_text)
        if sampling.thinking == "off" and self.obeys:
            return reply
        return Reply(reply.text, usage=Usage(10, 90, thinking_tokens=80), thoughts="Well, " * 20)


async def test_a_model_that_thinks_is_told_with_its_tokens_and_whether_it_can_do_without():
    lines, settings = await found(Thinking(ABLE))
    assert "thinks before it replies: about 80 tokens here" in lines
    assert lines["does not think if a step needs no thought"]
    assert settings == {}
    llm = Thinking(ABLE)
    llm.obeys = False
    line, is_able = about((await found(llm))[0], "thinks although")
    assert "about 80 tokens" in line
    assert not is_able


async def test_thoughts_that_no_usage_counts_are_estimated():
    llm = Scripted([("capital of France", Line("Paris", thoughts="x" * 401)), *ABLE])
    assert "thinks before it replies: about 101 tokens here" in (await found(llm))[0]


async def test_a_model_that_does_not_answer_without_thought_is_told():
    llm = Scripted([("capital of France", [Line("Paris", thoughts="Well"), ModelError("no way to switch it off")]), *ABLE])
    line, is_able = about((await found(llm))[0], "does not reply if it is told not to think")
    assert line.endswith("no way to switch it off")
    assert not is_able


Switch = Literal["auto", "yes", "no"]


@dataclass
class Switched:
    """A model whose abilities are options, as an endpoint's are; what it really can do is in `can`."""

    can: frozenset[str] = frozenset()
    claims: frozenset[str] = frozenset()
    prefill: Switch = "auto"
    logprobs: Switch = "auto"
    json_schema: Switch = "auto"
    tools: Switch = "auto"
    thinking: Literal["auto", "off", "low"] = "auto"
    context_tokens: int | None = None
    is_small: Switch = "auto"

    def __post_init__(self):
        self.is_closed = False

    @property
    def abilities(self):
        names = ("prefill", "logprobs", "json_schema", "tools")
        said = {name: getattr(self, name) == "yes" or (getattr(self, name) == "auto" and name in self.claims) for name in names}
        return Abilities(context_tokens=32768, **said)

    async def reply(self, messages, sampling, on_text=None):
        if sampling.json_schema:
            return Reply(JSON if "json_schema" in self.can else "Six.")
        if sampling.tools:
            return Reply("", tool_calls=(ToolCall("1", *CALL[0][:1], json.dumps(CALL[0][1])),) if "tools" in self.can else ())
        if messages[-1].role == "assistant":
            return Reply("inople" if "prefill" in self.can else "Constantinople")
        logprobs = (TokenLogprob("Paris", -0.1),) if sampling.top_logprobs and "logprobs" in self.can else ()
        thoughts = "Let me think. " * 200 if "think" in self.can and sampling.thinking == "auto" else ""
        return Reply("Paris", logprobs=logprobs, thoughts=thoughts)

    async def close(self):
        self.is_closed = True


ABILITIES = frozenset({"prefill", "logprobs", "json_schema", "tools"})


@pytest.mark.parametrize("ability", sorted(ABILITIES))
async def test_an_ability_that_is_not_claimed_is_tried_and_a_wrong_claim_taken_back(ability):
    made = []

    def with_options(**more):
        made.append(Switched(frozenset({ability}), **more))
        return made[-1]

    _, settings = await found(Switched(frozenset({ability})), with_options)
    assert settings == {ability: "yes"}
    assert len(made) == 4
    assert all(one.is_closed for one in made)
    _, settings = await found(Switched(ABILITIES - {ability}, claims=ABILITIES))
    assert settings == {ability: "no"}


async def test_what_an_option_settles_is_not_tried():
    llm = Switched(ABILITIES, prefill="no", logprobs="no", json_schema="no", tools="no")
    lines, settings = await found(llm, None)
    assert "does not call tools, and is not asked to" in lines
    assert settings == {}


async def test_a_model_that_thinks_much_about_little_is_advised_to_think_less_and_how():
    lines, settings = await found(Switched(ABILITIES | {"think"}, claims=ABILITIES))
    assert settings == {"thinking": "low"}
    assert "thinks more or less with --set llms.mine.thinking=auto|off|low" in lines
    assert "context: 32,768 tokens" in lines


# The command


RULES = """
[[rules]]
find = "capital of France"
say = "Paris"
[[rules]]
find = "letters"
say = '{"letters": 6, "is_city": true}'
[[rules]]
find = "Constant"
say = "inople"
[[rules]]
find = "Orlau"
say = "many"
"""


def test_the_command_ends_with_settings_to_paste(tmp_path):
    (tmp_path / "rules.toml").write_text(RULES)
    result = ran("doctor", "--llm", "scripted", "--set", f"llms.scripted.rules_file={tmp_path / 'rules.toml'}", exit_code=0)
    assert "ok       keeps to a JSON schema" in result.stdout.splitlines()
    assert "-        does not call tools, and is not asked to" in result.stdout.splitlines()
    pasted = result.stdout.partition("for hopweave.toml:\n\n")[2]
    assert pasted == f'llm = "scripted"\n\n[llms.scripted]\nrules_file = "{tmp_path / "rules.toml"}"\n'


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "missing  does not answer: llms.ollama needs model"),
        ({"model": "m", "base_url": "http://127.0.0.1:9/v1"}, "missing  does not answer: cannot reach http://127.0.0.1:9/v1"),
    ],
)
def test_a_model_that_does_not_answer_says_what_to_do_and_the_exit_status_is_1(options, said):
    pairs = [pair for name, value in options.items() for pair in ("--set", f"llms.ollama.{name}={value}")]
    result = ran("doctor", "--llm", "ollama", *pairs, exit_code=1)
    assert any(line.startswith(said) for line in result.stdout.splitlines())
    assert "hopweave.toml" not in result.stdout


def answer(request):
    """An endpoint of a model that thinks, keeps to schemas, and calls tools only if it is asked to in this way."""
    body = request.body
    content, more = "Paris", {}
    if "response_format" in body:
        content = JSON
    elif "tools" in body:
        function = {"name": "population_of", "arguments": '{"place": "Orlau"}'}
        content, more = None, {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    elif request.prefill:
        content = "Constantinople, of course"
    elif body.get("reasoning_effort") != "none":
        more = {"reasoning_content": "The user wants a city. " * 90}
    message = {"role": "assistant", "content": content, **more}
    usage = {"prompt_tokens": 9, "completion_tokens": 600}
    return Behaviour(raw=json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}))


async def test_an_endpoint_is_examined_and_what_it_does_not_claim_is_tried():
    async with ScriptedServer(answer) as server:
        address = server.base_url
        pairs = ["--set", "llms.openai_compatible.model=m", "--set", f"llms.openai_compatible.base_url={address}"]
        result = await asyncio.to_thread(ran, "doctor", "--llm", "openai_compatible", *pairs, exit_code=0)
    lines = result.stdout.splitlines()
    assert lines[0] == "openai_compatible (m)"
    assert lines[-1].endswith("is refused until you run: hopweave trust FOLDER")
    for line in (
        "ok       thinks before it replies: about 518 tokens here",
        "ok       thinks more or less with --set llms.openai_compatible.thinking=auto|off|minimal|low|medium|high",
        "ok       does not think if a step needs no thought",
        "ok       keeps to a JSON schema",
        "ok       calls tools",
        "-        does not report log-probabilities: asked for, they did not come",
    ):
        assert line in lines
    assert any(line.startswith("-        does not continue a reply that was begun for it: it continued") for line in lines)
    pasted = result.stdout.partition("for hopweave.toml:\n\n")[2]
    assert tomllib.loads(pasted) == {
        "llm": "openai_compatible",
        "llms": {
            "openai_compatible": {
                "model": "m", "base_url": address, "thinking": "low", "json_schema": "yes", "tools": "yes",
            }
        },
    }  # fmt: skip


def test_an_empty_reply_is_no_answer(tmp_path):
    (tmp_path / "rules.toml").write_text('[[rules]]\nfind = "capital"\nsay = ""\n')
    result = ran("doctor", "--llm", "scripted", "--set", f"llms.scripted.rules_file={tmp_path / 'rules.toml'}", exit_code=1)
    assert "missing  the reply is empty; try another model" in result.stdout


def test_secrets_are_not_among_the_settings_to_paste(tmp_path, monkeypatch):
    from hopweave.apps.cli import doctor
    from hopweave.run.settings import read_settings

    chosen = {"model": "m", "base_url": "https://me:hidden@host/v1", "extra_body": {"api_key": "hidden"}}
    settings = read_settings({"llm": "openai_compatible", "llms": {"openai_compatible": chosen}})
    lines = "\n".join(doctor._toml_lines("openai_compatible", "openai_compatible", doctor._shown_options(settings)))
    assert "hidden" not in lines
    assert "# and extra_body, as you have it now" in lines


def test_without_the_flag_other_settings_can_be_checked(tmp_path):
    result = ran("doctor", "--set", "llm=scripted", "--set", "method=cot")
    assert "settings: profile default, method cot, llm scripted" in result.stdout
