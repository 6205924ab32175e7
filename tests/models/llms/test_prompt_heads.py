"""The heads of prompts: what is taken for fixed, and what the server is asked to do for it."""

import pytest

from hopweave.core.errors import ModelError
from hopweave.core.types import Message
from hopweave.models.llms._prompt_heads import PromptHeads, unsaved_heads
from hopweave.models.weights.prompt_states import PromptStates

LONG = "Reply in as few words as the passage has. " * 20
EXAMPLES = (Message("user", LONG), Message("assistant", "Orlau"))
OTHERS = (Message("user", LONG.upper()), Message("assistant", "Sula"))


def question(text="Where is Sula?"):
    return Message("user", text)


async def templated(messages):
    return "".join(f"<{one.role}>{one.text}" for one in messages) + "<assistant>"


class Server:
    """A server with one slot, which notes what it is asked."""

    def __init__(self, states, *, fails_at=(), written=None):
        self.states, self.folder = states, states.folder
        self.fails_at, self.written = fails_at, written
        self.held, self.asked = "", []

    async def post(self, path, body):
        what = path.rpartition("=")[2].rpartition("/")[2]
        self.asked.append(what if body.get("prompt") != "." else "set aside")
        if what in self.fails_at:
            raise ModelError("no")
        if what == "save":
            (self.folder / body["filename"]).write_text(self.held)
            return {"n_written": len(self.held) if self.written is None else self.written}
        if what == "restore":
            self.held = (self.folder / body["filename"]).read_text()
            return {}
        self.held = body["prompt"]
        return {"timings": {"prompt_n": len(self.held)}}

    def forget(self):
        asked, self.asked = self.asked, []
        return asked


@pytest.fixture
def begin(tmp_path):
    """Starts a process, with a server that has computed nothing."""

    def start(conditions="as ever", *, keeps_prompts=True, max_bytes=1 << 20, **ways):
        states = PromptStates(tmp_path / "states", max_bytes)
        states.made_folder()
        server = Server(states, **ways)
        return server, PromptHeads(states, conditions, server.post, keeps_prompts=keeps_prompts)

    return start


async def test_a_head_is_computed_once_and_restored_by_later_processes(begin):
    server, heads = begin()
    assert await heads.prepare([*EXAMPLES, question()], templated) == len(server.held)
    assert server.held == f"<user>{LONG}<assistant>Orlau<user>"
    assert server.forget() == ["completion", "save"]
    assert await heads.prepare([*EXAMPLES, question("Who is Ada Finch?")], templated) == 0
    assert server.forget() == []

    later, heads = begin()
    assert await heads.prepare([*EXAMPLES, question("Who is Ada Finch?")], templated) == 0
    assert later.forget() == ["restore"]
    assert later.held == server.held


async def test_what_is_saved_is_known_without_a_server(begin):
    def unsaved(conditions="as ever", beginnings=(EXAMPLES, OTHERS)):
        return [head[:-1] for head in unsaved_heads(server.states, conditions, beginnings)]

    server, heads = begin()
    assert unsaved() == [EXAMPLES, OTHERS]
    await heads.prepare([*EXAMPLES, question()], templated)
    assert unsaved() == [OTHERS]
    assert unsaved("another version") == [EXAMPLES, OTHERS]
    assert unsaved(beginnings=[(question("Short?"), Message("assistant", "Yes"))]) == []
    for head in unsaved_heads(server.states, "as ever", [OTHERS]):
        await heads.prepare(head, templated)
    assert unsaved() == []
    for file in server.folder.iterdir():
        file.write_text("damaged")
    assert unsaved() == [EXAMPLES, OTHERS]


async def test_before_another_head_is_restored_the_server_sets_aside_what_it_holds(begin):
    _, heads = begin()
    for examples in (EXAMPLES, OTHERS):
        await heads.prepare([*examples, question()], templated)
    server, heads = begin()
    for examples in (EXAMPLES, OTHERS, EXAMPLES):
        await heads.prepare([*examples, question()], templated)
    assert server.forget() == ["restore", "set aside", "restore"]
    server, heads = begin(keeps_prompts=False)
    for examples in (EXAMPLES, OTHERS, EXAMPLES):
        await heads.prepare([*examples, question()], templated)
    assert server.forget() == ["restore"] * 3


async def test_turns_of_a_conversation_are_no_examples(begin):
    server, heads = begin()
    await heads.prepare([question(LONG), Message("assistant", "It")], templated)
    await heads.prepare([question(LONG), Message("assistant", "It is"), question(LONG), Message("assistant", "")], templated)
    assert server.forget() == []


@pytest.mark.parametrize(
    "messages", [[], [Message("assistant", LONG)], [question(LONG)], [Message("system", "Hi"), question()]]
)
async def test_a_prompt_without_a_long_fixed_beginning_has_no_head(begin, messages):
    server, heads = begin()
    assert await heads.prepare(messages, templated) == 0
    assert server.forget() == []


async def test_a_single_turn_begins_with_what_its_prompt_file_says_before_the_first_placeholder(begin, tmp_path):
    from hopweave.core.prompt import Prompts

    (tmp_path / "mine.prompts.toml").write_text(f'ask = "{LONG}Of mine: {{facts}} {{question}}"')
    ask = Prompts(tmp_path / "mine.prompts.toml")["ask"]
    server, heads = begin()
    await heads.prepare([question(ask.fill(facts="None.", question="Who?"))], templated)
    assert server.held == f"<user>{LONG}Of mine: "


@pytest.mark.parametrize("change", ["other conditions", "another text", "another template"])
async def test_a_state_is_only_restored_for_what_it_was_computed_for(begin, change):
    _, heads = begin()
    await heads.prepare([*EXAMPLES, question()], templated)
    server, heads = begin("another version" if change == "other conditions" else "as ever")
    examples = OTHERS if change == "another text" else EXAMPLES

    async def otherwise(messages):
        return (await templated(messages)).replace("<", "<|")

    await heads.prepare([*examples, question()], otherwise if change == "another template" else templated)
    assert server.forget() == ["completion", "save"]


async def test_a_damaged_state_is_computed_again_without_being_shown_to_the_server(begin):
    server, heads = begin()
    await heads.prepare([*EXAMPLES, question()], templated)
    (file,) = server.folder.iterdir()
    file.write_text(server.held[:50])
    server, heads = begin()
    assert await heads.prepare([*EXAMPLES, question()], templated) > 0
    assert server.forget() == ["completion", "save"]
    assert file.read_text() == server.held


@pytest.mark.parametrize("step", ["completion", "save", "restore"])
async def test_whatever_the_server_refuses_the_call_goes_on(begin, step):
    server, heads = begin()
    if step == "restore":
        await heads.prepare([*EXAMPLES, question()], templated)
    server, heads = begin(fails_at=(step,))
    await heads.prepare([*EXAMPLES, question()], templated)
    assert server.asked[-1] == "save" if step == "restore" else step
    assert len(list(server.folder.iterdir())) == (step == "restore")
    await heads.prepare([*EXAMPLES, question()], templated)
    assert server.asked.count(step) == 1, "it is not tried again for every call"


async def test_a_template_that_cannot_be_applied_is_no_failure_of_the_call(begin):
    async def none(messages):
        raise ModelError("not found")

    server, heads = begin()
    assert await heads.prepare([*EXAMPLES, question()], none) == 0
    assert server.forget() == []


async def test_a_file_of_another_size_than_was_written_is_not_kept(begin):
    server, heads = begin(written=7)  # the disk is full
    await heads.prepare([*EXAMPLES, question()], templated)
    assert list(server.folder.iterdir()) == []


async def test_a_process_saves_only_the_first_heads_that_it_meets(begin):
    server, heads = begin()
    for number in range(14):
        await heads.prepare([question(f"{number} {LONG}"), Message("assistant", "It"), question()], templated)
    assert server.asked.count("save") == 12


@pytest.mark.parametrize("max_bytes", [0, 1 << 20])
async def test_the_same_heads_are_held_whatever_is_saved_and_however_often_they_alternate(begin, max_bytes):
    prompts = [[question(f"{number % 14} {LONG}"), Message("assistant", "It"), question()] for number in range(28)]
    held = []
    for _ in range(2):
        server, heads = begin(keeps_prompts=False, max_bytes=max_bytes)
        held.append([])
        for prompt in prompts:
            server.held = ""
            await heads.prepare(prompt, templated)
            held[-1].append(server.held)
    assert held[0] == held[1]
    assert [bool(text) for text in held[0]] == 2 * [*[True] * 12, False, False]


async def test_without_space_the_head_is_computed_alone_all_the_same(begin):
    server, heads = begin(max_bytes=0)
    assert await heads.prepare([*EXAMPLES, question()], templated) > 0
    assert server.forget() == ["completion"]
