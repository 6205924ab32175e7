"""What the embedded runner counts on, with llama.cpp itself and a model of random weights that is made on the spot.

Such a model says nothing sensible, so only what llama.cpp does around it is tested. No model is downloaded.
"""

import importlib.util
import json

import pytest
from support.tiny_gguf import runnable

from hopweave.core.types import Message, Sampling
from hopweave.models.llms.llama_cpp import LlamaCpp

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="needs hopweave[local]"),
]

TURNS = "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}"
STRIPPED = TURNS.replace("m.content", "m.content.split('</think>')[-1]")
OPENS = STRIPPED + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n<think>\\n' }}{% endif %}"
SWITCH = (
    TURNS + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}"
    "{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}{% endif %}"
)
PLAIN = TURNS + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
ASK = (Message("user", "hi"),)
SCHEMA = {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"], "additionalProperties": False}


@pytest.fixture
async def made(tmp_path):
    models = []

    def make(template, **options):
        (tmp_path / "m.gguf").write_bytes(runnable(template))
        models.append(LlamaCpp(str(tmp_path / "m.gguf"), context_tokens=2048, num_threads=1, cache_ram_mib=0, **options))
        return models[-1]

    yield make
    for one in models:
        await one.close()


async def test_thoughts_that_reach_their_limit_are_closed_and_a_reply_follows(made):
    llm, pieces = made(OPENS, max_thinking_tokens=8), []
    reply = await llm.reply(ASK, Sampling(max_tokens=20, top_logprobs=2), pieces.append)
    assert reply.thoughts
    assert reply.text == "".join(pieces)
    assert 20 < reply.usage.completion_tokens <= 28
    low = made(OPENS, max_thinking_tokens=64, thinking="low")
    assert len((await low.reply(ASK, Sampling(max_tokens=20))).thoughts.encode()) <= 3 * 16
    constrained = await llm.reply(ASK, Sampling(max_tokens=150, json_schema=SCHEMA))
    assert constrained.thoughts
    assert json.loads(constrained.text).keys() == {"a"}


async def test_a_step_that_needs_no_thought_gets_none(made):
    for template in (OPENS, SWITCH):
        llm = made(template)
        reply = await llm.reply(ASK, Sampling(max_tokens=20, thinking="off"))
        assert reply.text
        assert reply.thoughts == ""
        assert reply.usage.completion_tokens <= 20


async def test_a_begun_reply_is_continued_whether_or_not_the_model_can_think(made):
    for template in (PLAIN, SWITCH, OPENS):
        reply = await made(template).reply((*ASK, Message("assistant", "The answer")), Sampling(max_tokens=10))
        assert not reply.text.startswith("The answer")
        assert reply.thoughts == ""


async def test_a_file_that_is_no_model_is_told(made, tmp_path):
    from hopweave.core.errors import ModelError

    llm = made(PLAIN)
    (tmp_path / "m.gguf").write_bytes(runnable(PLAIN)[:5000])
    with pytest.raises(ModelError, match=r"llama.cpp cannot load"):
        await llm.reply(ASK, Sampling())
