"""What the embedded runner counts on, with llama.cpp itself and a model of random weights that is made on the spot.

Such a model says nothing sensible, so only what llama.cpp does around it is tested. No model is downloaded.
"""

import asyncio
import importlib.util
import json
import os
import random
from importlib.resources import files

import pytest
from support.bench import Small
from support.tiny_gguf import runnable
from typer.testing import CliRunner

from hopweave.answering.methods.stitch.stitch import Stitch
from hopweave.answering.reading.reading import PROMPTS
from hopweave.apps.cli.models import app
from hopweave.core.prompt import fence
from hopweave.core.types import Message, Question, Sampling
from hopweave.models.llms import llama_cpp
from hopweave.models.llms.llama_cpp import LlamaCpp
from hopweave.models.weights.prompt_states import files_in, states_folder
from hopweave.record import Trace
from hopweave.run.components import Components
from hopweave.run.weaver import Weaver
from hopweave.run.workbench import Workbench

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
async def made(tmp_path, own_folders):
    models = []

    def make(template, **options):
        (tmp_path / "m.gguf").write_bytes(runnable(template))
        given = {"context_tokens": 2048, "num_threads": 1, "cache_ram_mib": 0, **options}
        models.append(LlamaCpp(str(tmp_path / "m.gguf"), **given))
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


EXAMPLES = tuple(
    tuple(
        Message(role, f"{kind}: {text}")
        for role, text in [("user", "Where does the lake near Orlau lie? " * 20), ("assistant", "Sula")]
    )
    for kind in ("plan", "answer")
)
QUESTIONS = ("Who?", "Where is Kerrow Light?", "When was Ada Finch born?")


async def computed(llm, examples, question):
    """A reply, and how many tokens of the prompt were computed for it."""
    reply = await llm.reply((*examples, Message("user", question)), Sampling(max_tokens=8))
    return reply.text, reply.usage.prompt_tokens - reply.usage.cached_tokens


@pytest.mark.parametrize("cache_ram_mib", [0, 64])
async def test_a_second_process_computes_only_what_is_new_and_replies_the_same(made, cache_ram_mib):
    asked = [(examples, question) for question in QUESTIONS for examples in EXAMPLES]
    without, first, second = [
        [await computed(llm, *one) for one in asked]
        for llm in (
            made(PLAIN, cache_ram_mib=cache_ram_mib, cache_disk_mib=0),
            made(PLAIN, cache_ram_mib=cache_ram_mib),
            made(PLAIN, cache_ram_mib=cache_ram_mib),
        )
    ]
    assert [text for text, _ in without] == [text for text, _ in first] == [text for text, _ in second]
    assert all(num > 700 for _, num in first[:2])
    assert all(num < 60 for _, num in [*first[2:], *second])
    assert len([*files_in(states_folder())]) == len(EXAMPLES)


def cut_off(file):
    os.truncate(file, file.stat().st_size // 2)  # llama.cpp would end its process


def overwrite(file):
    file.write_bytes(os.urandom(file.stat().st_size))


def flip(file):
    content = bytearray(file.read_bytes())
    content[-100] ^= 255  # llama.cpp would not notice
    file.write_bytes(content)


def make_folder(file):
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("damage", [cut_off, overwrite, flip, make_folder])
async def test_a_damaged_state_changes_no_reply(made, damage):
    sound = await computed(made(PLAIN), EXAMPLES[0], "Who?")
    (file,) = files_in(states_folder())
    damage(file)
    assert await computed(made(PLAIN), EXAMPLES[0], "Who?") == sound
    if damage is not make_folder:
        assert (await computed(made(PLAIN), EXAMPLES[0], "Who?"))[1] < 60, "it was written again"


@pytest.mark.parametrize("is_made_late", [False, True])
async def test_a_folder_that_cannot_be_written_to_fails_no_call(made, is_made_late):
    if is_made_late:
        llm = made(PLAIN)
        await llm.open()
        for folder in (*states_folder().iterdir(), states_folder()):
            folder.rmdir()
        states_folder().touch()
    else:
        states_folder().parent.mkdir(parents=True)
        states_folder().touch()
        llm = made(PLAIN)
    text, num = await computed(llm, EXAMPLES[0], "Who?")
    assert text
    assert num > 700


NUM_PROMPTS = 100
CONTEXT = 4096


def beginnings():
    """What the prompts of `stitch` begin with for a small model."""
    return Stitch().beginnings(Workbench(Components(Small()), Trace()))


@pytest.fixture
def stitch_prompts():
    """Prompts of `stitch`: what each kind begins with, then facts from the starter corpus and a question about one of them."""
    draws = random.Random(37)
    passages = [json.loads(line) for line in (files("hopweave.starter") / "passages.jsonl").read_text("utf-8").splitlines()]

    def shown(question):
        facts = [fence(f"{n}. {one['text'][:120]}", one["title"]) for n, one in enumerate(draws.sample(passages, 3), start=1)]
        return PROMPTS["facts"].fill(facts="\n".join(facts), question=question)

    def prompt(turns):
        question = f"In which {draws.choice(('town', 'year', 'country'))} did {draws.choice(passages)['title']} begin?"
        return (*turns, Message("user", shown(question) if turns is not planning else f"Question: {question}"))

    planning, *reading = beginnings()
    return [prompt(draws.choice((planning, *reading))) for _ in range(NUM_PROMPTS)]


def flip_one_and_remove_one():
    damaged, missing, _ = sorted(files_in(states_folder()))
    flip(damaged)
    missing.unlink()


@pytest.mark.parametrize("cache_ram_mib", [0, 64])
async def test_replies_and_their_probabilities_are_the_same_whether_heads_were_computed_or_restored(
    made, stitch_prompts, cache_ram_mib
):
    async def replies(**options):
        llm = made(PLAIN, context_tokens=CONTEXT, cache_ram_mib=cache_ram_mib, **options)
        found = [await llm.reply(prompt, Sampling(max_tokens=6, top_logprobs=3)) for prompt in stitch_prompts]
        await llm.close()
        return [(reply.text, reply.logprobs) for reply in found]

    in_the_process = await replies(cache_disk_mib=0)
    assert len({text for text, _ in in_the_process}) > NUM_PROMPTS / 2
    assert all(logprobs for _, logprobs in in_the_process)
    assert await replies() == in_the_process, "saved by this process"
    assert len([*files_in(states_folder())]) == 3
    assert await replies() == in_the_process, "restored by another"
    flip_one_and_remove_one()
    assert await replies() == in_the_process, "damaged and missing"


@pytest.fixture
def fetch(tmp_path, own_folders, monkeypatch):
    """`hopweave models fetch` of a small model with random weights, which methods ask little at a time."""
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path / "models"))
    for name, value in {"IS_SMALL": "yes", "CONTEXT_TOKENS": str(CONTEXT), "NUM_THREADS": "1"}.items():
        monkeypatch.setenv(f"HOPWEAVE_LLMS__LLAMA_CPP__{name}", value)
    (tmp_path / "m.gguf").write_bytes(runnable(PLAIN))
    return lambda *arguments: CliRunner().invoke(app, ("fetch", "m", "--from", str(tmp_path / "m.gguf"), *arguments))


def test_a_model_that_was_fetched_begins_its_first_answer_with_saved_heads_and_computes_them_only_once(fetch, monkeypatch):
    assert fetch("--no-warm").exit_code == 0
    assert not states_folder().exists()
    first = fetch()
    assert (first.exit_code, first.stderr.count("left to the first answer")) == (0, 0)
    assert "3/3" in first.stderr
    saved = {file: file.stat().st_ino for file in files_in(states_folder())}
    assert len(saved) == 3

    async def first_replies():
        llm = LlamaCpp("m", context_tokens=CONTEXT, num_threads=1)
        found = [await computed(llm, turns, QUESTIONS[0]) for turns in beginnings()]
        await llm.close()
        return [num for _, num in found]

    assert max(asyncio.run(first_replies())) < 60
    assert {file: file.stat().st_ino for file in files_in(states_folder())} == saved

    monkeypatch.setattr(llama_cpp, "_Server", None)
    again = fetch()
    assert (again.exit_code, again.stderr.count("computing"), again.stderr.count("left")) == (0, 0, 0)


def test_a_model_that_is_too_large_is_fetched_and_says_in_a_line_that_it_computed_nothing(fetch, monkeypatch):
    monkeypatch.setattr(llama_cpp, "free_bytes", lambda: 0)
    result = fetch()
    assert result.exit_code == 0
    assert "left to the first answer: m needs about" in result.stderr.splitlines()[-1]


async def test_two_processes_may_save_and_restore_the_same_state_at_once(made):
    both = [made(PLAIN), made(PLAIN)]
    asked = [asyncio.gather(*(computed(llm, examples, "Who?") for examples in EXAMPLES)) for llm in both]
    one, other = await asyncio.gather(*asked)
    assert [text for text, _ in one] == [text for text, _ in other]
    later = await computed(made(PLAIN), EXAMPLES[1], "Who?")
    assert later[0] == one[1][0]
    assert later[1] < 60


NUM_KILLS = 20


async def test_its_process_killed_at_twenty_random_moments_costs_no_answer_and_no_reply_twice(made, tmp_path, monkeypatch):
    chance = random.Random(20261126)
    ask, returned = LlamaCpp.reply, []

    async def counted(self, messages, *more):
        reply = await ask(self, messages, *more)
        returned.append(str(messages))
        return reply

    monkeypatch.setattr(LlamaCpp, "reply", counted)

    async def answered(llm, mode, numbers):
        store = {"path": str(tmp_path / "store.sqlite"), "mode": mode}
        retries = {"max_attempts": 50, "max_wait_seconds": 0.1}
        questions = [Question(str(number), f"Who built lighthouse number {number}?") for number in numbers]
        async with Weaver({"method": "direct", "store": store, "retries": retries}, llm=llm) as weaver:
            return [record async for record in weaver.answer_all(questions, max_parallel=1)]

    async def kill(llm):
        num = 0
        while num < NUM_KILLS:
            await asyncio.sleep(chance.uniform(0, 0.6))
            process = llm._server and llm._server._process
            if process and process.poll() is None:
                process.kill()
                num += 1

    llm, records = made(PLAIN), []
    killing = asyncio.create_task(kill(llm))
    while not killing.done():
        records += await answered(llm, "on", range(len(records), len(records) + 10))
    await killing
    assert [record.error for record in records] == [None] * len(records)
    assert len(returned) == len(set(returned)) == len(records)
    replayed = await answered(made(PLAIN), "replay", range(len(records)))
    assert sorted(record.fingerprint for record in replayed) == sorted(record.fingerprint for record in records)
    assert len(returned) == len(records)
