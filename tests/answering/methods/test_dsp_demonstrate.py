"""DSP's first stage: which training questions are shown, and how some of them come by their fields."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.bench import Bench, WithoutPrefill, calls, purposes, told

from hopweave import starter
from hopweave.answering.demonstrations import demonstrations
from hopweave.core.errors import DataError
from hopweave.core.types import Abilities, Passage, Question
from hopweave.run.components import Components
from hopweave.run.settings import read_settings
from hopweave.run.store.store import Store
from hopweave.run.weaver import Weaver

ASKED = "Where was the mayor of Orlau born?"
LONG = Question("q", "Why is Orlau a town?", "long")
LABEL = Question("q", "Is Orlau a town?", "label", ("Yes", "No"))
DOVE = Passage("dove", "The Dove is a ship. Its captain is Ada Lind.", "The Dove")
LIND = Passage("lind", "Ada Lind lives in Kelm.", "Ada Lind")
TRAIN = [
    {"question": "Where does the captain of the Dove live?", "answer": "Kelm"},
    {"question": "Who built the tower of Marn?", "answers": ["Ole Brandt", "Brandt"]},
    {"question": "How many arches has the bridge of Isk?", "answer": 7},
]
STARTER_FOLDER = Path(starter.__file__).parent
FIELDS = "Rationale: What the passages tell so far: "


@pytest.fixture
def train(tmp_path):
    return written(tmp_path, TRAIN)


def written(folder, items):
    path = folder / "train.jsonl"
    path.write_text("\n".join(json.dumps(item) for item in items) + "\n", encoding="utf-8")
    return str(path)


def about(words, lead):
    """Finds the prompts that ask about a question, in one stage."""
    return re.compile(rf"Question: [^\n]*{words}[^\n]*\n\nRationale: {lead}:$")


def rules(dove_answer="Kelm."):
    first, hop, last = "To answer this, the first thing to find out is", "What the passages tell so far", "Step by step"
    return [
        (about("Dove", first), "who the captain is.\n\nSearch Query: captain of the Dove"),
        (about("Dove", hop), "Ada Lind is the captain.\n\nSearch Query: home of Ada Lind"),
        (about("Dove", last), f"It is Ada Lind's home.\n\nAnswer: {dove_answer}"),
        (re.compile(rf"{first}:$"), "something.\n\nSearch Query: first"),
        (re.compile(rf"{hop}:$"), "something.\n\nSearch Query: second"),
        (re.compile(rf"{last}:$"), "It is so.\n\nAnswer: Ole Brandt"),
    ]


FOUND = {"captain of the Dove": [DOVE, LIND], "home of Ada Lind": [LIND, DOVE]}


async def ask(train=None, *, question=ASKED, says=None, found=FOUND, budget=None, **options):
    return await Bench(says or rules(), found).ask(question, "dsp", budget, **{"preset": "light", "train": train, **options})


def online(record):
    """The prompts about the question itself: of the first hop, the second, and the answer."""
    return [messages[0].text for purpose in ("query", "answer") for messages in calls(record, purpose)]


# -- which questions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "family", "most"), [(ASKED, "multi_hop", 8), (LABEL, "yes_no", 8), (LONG, "long_form", 2)]
)
async def test_by_default_the_demonstrations_of_the_family_are_shown_and_no_call_is_made_for_them(question, family, most):
    record = await ask(question=question)
    assert purposes(record) == ["query", "query", "answer"]
    shown = [one for one in demonstrations(family) if one.question in online(record)[-1]]
    assert len(shown) == min(most, len(demonstrations(family)))


async def test_a_demonstration_that_asks_the_same_is_left_out():
    same = demonstrations("multi_hop")[0].question
    record = await ask(question=same, n_demos=100)
    assert all(prompt.count(same) == 1 for prompt in online(record))


async def test_a_training_question_that_asks_the_same_is_left_out(train):
    record = await ask(train, question="where does the captain of the Dove live", demonstrate="none")
    assert all("Where does the captain" not in prompt for prompt in online(record))


async def test_training_questions_of_a_file_take_the_place_of_demonstrations(train):
    prompt = online(await ask(train, demonstrate="none"))[0]
    for pair in ("live?\nAnswer: Kelm", "Marn?\nAnswer: Ole Brandt", "Isk?\nAnswer: 7"):
        assert pair in prompt
    assert prompt.count("\nAnswer: ") == 3


async def test_as_many_training_questions_as_wanted_drawn_by_seed(train):
    assert online(await ask(train, demonstrate="none", n_demos=1))[0].count("\nAnswer: ") == 1
    shown = {online(await ask(train, demonstrate="none", n_demos=1, seed=seed))[0] for seed in range(9)}
    assert len(shown) == 3


async def test_no_demonstrations_leave_the_format_alone():
    record = await ask(n_demos=0)
    assert online(record)[0].count("---") == 2
    assert "\nAnswer: " not in online(record)[0]


# -- fields of annotated steps ---------------------------------------------------------------------------------------------


async def test_three_demonstrations_are_shown_with_fields_and_the_others_as_pairs():
    for prompt in online(await ask()):
        pairs, form, *examples, own = prompt.split("\n\n---\n\n")[1:]
        assert pairs.count("Question: ") == 5
        assert form.startswith("Keep to this format.")
        assert [example.count("Rationale: ") for example in examples] == [1, 1, 1]
        assert ASKED in own


async def test_fields_are_the_steps_that_a_demonstration_is_annotated_with():
    record = await ask(n_demos=1)
    [one] = [one for one in demonstrations("multi_hop") if one.question in online(record)[0]]
    rewrite, hop, answer = (prompt.split("\n\n---\n\n")[2] for prompt in online(record))
    first, second = one.steps[:2]
    assert rewrite.endswith(f"find out is: {first.query}\n\nSearch Query: {first.query}")
    assert hop.startswith(f"Context:\n[1] <passage>\n{first.passage.title}\n")
    assert "[2]" not in hop
    assert hop.endswith(f"{FIELDS}{first.sentence}\n\nSearch Query: {second.query}")
    assert f"[2] <passage>\n{second.passage.title}\n" in answer
    assert answer.endswith(f"Rationale: Step by step: {one.reasoning}\n\nAnswer: {one.answer}")


async def test_a_demonstration_without_a_step_for_a_hop_is_a_plain_pair_there():
    seconds = [f"It is so.\n\nSearch Query: {query}" for query in ("second", "third")]
    says = [(re.compile(r"What the passages tell so far:$"), seconds), *rules()]
    record = await ask(says=says, num_hops=3, n_demos=20, num_annotated=20)
    num_steps = [len(one.steps) for one in demonstrations("multi_hop")]
    _, second, third, _ = online(record)
    assert second.count("\nAnswer: ") == sum(num < 2 for num in num_steps)
    assert third.count("\nAnswer: ") == sum(num < 3 for num in num_steps) > 0
    assert third.count("\n\nSearch Query: ") == sum(num >= 3 for num in num_steps) + 1 > 1


async def test_without_annotations_all_are_plain_pairs():
    for record in (await ask(demonstrate="none"), await ask(num_annotated=0)):
        assert all(prompt.count("\n\nRationale: ") == 2 for prompt in online(record))


async def test_the_rationale_of_a_long_demonstration_does_not_say_its_answer_twice():
    record = await ask(question=LONG)
    [one] = [one for one in demonstrations("long_form") if one.question in online(record)[-1]][:1]
    before, answer = online(record)[-1].split(f"\n\nAnswer: {one.answer}", 1)
    assert one.steps[0].sentence not in before.rpartition("Rationale: ")[2]
    assert one.answer not in answer


async def test_where_the_context_is_short_plain_pairs_are_dropped_before_fields():
    num_words = len(online(await ask())[0].split())

    class Limited(WithoutPrefill):
        abilities = Abilities(context_tokens=num_words + 300)  # room for the reply and 40 words too few

    record = await Bench(llm=Limited(rules()), found=FOUND).ask(ASKED, "dsp", preset="light")
    pairs, _, *examples, _ = online(record)[0].split("\n\n---\n\n")[1:]
    assert pairs.count("Question: ") < 5
    assert len(examples) == 3


# -- the stage -------------------------------------------------------------------------------------------------------------


async def test_with_training_questions_the_stage_is_run_and_what_passes_is_shown_with_its_fields(train):
    record = await ask(train)
    assert set(told(record, "kept")) == {"answered rightly"}
    rewrite, hop, answer = online(record)
    assert rewrite.split("\n\n---\n\n")[3].endswith("find out is: who the captain is.\n\nSearch Query: captain of the Dove")
    assert f"\n\n{FIELDS}Ada Lind is the captain.\n\nSearch Query: home of Ada Lind\n\n---" in hop
    assert "It is Ada Lind's home.\n\nAnswer: Kelm\n\n---" in answer
    assert "Who built the tower of Marn?\nAnswer: Ole Brandt" in answer


async def test_each_stage_shows_only_the_passages_that_were_known_then(train):
    _, hop, answer = online(await ask(train))
    context = hop.split("\n\n---\n\n")[3]
    assert (context.count("<passage>"), context.count("</passage>")) == (2, 2)
    context = answer.split("\n\n---\n\n")[3]
    assert context.count("<passage>") == 2  # the second hop found the same two


async def test_an_attempt_is_two_hops_with_one_greedy_query_and_two_passages_each(train):
    bench = Bench(rules(), FOUND)
    record = await bench.ask(ASKED, "dsp", preset="light", train=train)
    attempts = calls(record, "demonstrate")
    assert len(attempts) == 3 + 2 + 2  # the two whose answer no passage holds are not asked for it
    assert told(record, "discarded") == ["no passage holds the answer"] * 2
    assert {sampling.temperature for _, sampling in bench.llm.calls[:7]} == {0.0}
    searches = [step for step in record.steps if step.kind == "search"][:6]
    assert {(len(step.queries), step.max_hits) for step in searches} == {(1, 2)}


async def test_an_attempt_shows_the_other_training_questions_and_never_its_own_answer(train):
    for messages in calls(await ask(train), "demonstrate"):
        prompt = messages[0].text
        [own] = [item["question"] for item in TRAIN if item["question"] in prompt.rsplit("---", 1)[1]]
        assert prompt.count(own) == 1
        assert prompt.count("\nAnswer: ") in (2, 3)  # the template of the answer names it in its format


async def test_an_attempt_that_answers_wrongly_is_discarded(train):
    record = await ask(train, says=rules("Marn"))
    assert "the answer is wrong: Marn" in told(record, "discarded")
    assert told(record, "kept") == []
    assert all(prompt.count("\n\nRationale: ") == 2 for prompt in online(record))


async def test_an_attempt_without_a_query_is_discarded(train):
    says = [(about("Dove", "To answer this, the first thing to find out is"), ""), *rules()]
    says.insert(1, (re.compile(r"Question: [^\n]*Dove[^\n]*\n\nRationale: To answer[^\n]*$"), ""))
    assert "no query was written" in told(await ask(train, says=says), "discarded")


async def test_the_stage_ends_when_enough_are_annotated(train):
    assert told(await ask(train, num_annotated=0), "demonstrate") == []
    num_tried = {seed: len(told(await ask(train, num_annotated=1, seed=seed), "demonstrate")) for seed in range(9)}
    assert set(num_tried.values()) == {1, 2, 3}  # the one that passes comes first, second or last


async def test_the_answer_may_stand_in_any_of_its_forms(train):
    found = FOUND | {"first": Passage("marn", "The tower of Marn was built by Brandt.", "Marn")}
    assert len(told(await ask(train, found=found), "kept")) == 2


async def test_a_label_need_not_stand_in_a_passage(tmp_path):
    train = written(tmp_path, [{"question": "Is the Dove a ship?", "answer": "Yes"}])
    says = [(re.compile(r"Step by step:$"), "It is.\n\nAnswer: Yes, it is"), *rules()]
    assert told(await ask(train, question=LABEL, says=says), "kept") == ["answered rightly"]


async def test_for_long_questions_no_attempt_is_made(train):
    record = await ask(train, question=LONG)
    assert purposes(record) == ["query", "query", "answer"]


STARTER = [json.loads(line)["question"] for line in (STARTER_FOLDER / "questions.jsonl").read_text().splitlines()]


async def test_without_a_file_the_stage_is_run_on_the_questions_of_the_starter_corpus_as_the_record_says():
    record = await ask(demonstrate="stage", n_demos=2)
    tried = told(record, "demonstrate")
    assert len(tried) == 2
    assert set(tried) <= set(STARTER)
    assert told(record, "demonstrations") == ["2 training questions, from the starter corpus; 0 are shown with their fields"]


async def test_for_other_kinds_of_questions_the_stage_is_run_on_the_demonstrations_of_the_family():
    record = await ask(demonstrate="stage", n_demos=2, question=LABEL)
    tried = told(record, "demonstrate")
    assert len(tried) == 2
    assert set(tried) <= {one.question for one in demonstrations("yes_no")}
    said = "2 training questions, from hopweave's demonstrations (yes_no); 0 are shown with their fields"
    assert told(record, "demonstrations") == [said]


async def test_a_starter_question_is_not_its_own_training_question():
    record = await ask(demonstrate="stage", n_demos=100, num_annotated=1, question=STARTER[0])
    assert STARTER[0] not in told(record, "demonstrate")
    assert len(told(record, "demonstrate")) == len(STARTER) - 1


async def test_the_record_says_which_file_the_training_questions_are_from_and_how_many_passed(train):
    record = await ask(train)
    assert told(record, "demonstrations") == [f"3 training questions, from {train}; 1 are shown with their fields"]
    assert told(record, "note") == []


async def test_where_no_training_question_passes_the_record_says_what_to_do(train):
    [note] = told(await ask(train, found={}), "note")
    assert note.startswith("no training question was answered rightly")
    assert note.endswith("name a file of questions that this corpus answers with methods.dsp.train")
    assert told(await ask(train, found={}, num_annotated=0), "note") == []
    assert told(await ask(train, found={}, question=LONG), "note") == []


async def test_by_default_no_stage_is_run_and_nothing_is_said_of_one():
    record = await ask()
    assert told(record, "demonstrate", "demonstrations", "note", "offline") == []


async def test_a_limit_reached_in_the_stage_ends_it_and_the_question_goes_on(train):
    record = await ask(train, budget={"max_searches": 1})
    assert "max_searches" in told(record, "discarded")
    assert record.answer.short == "Ole Brandt"
    assert record.answer.stopped_because == "max_searches"


async def test_the_next_question_takes_the_stages_calls_from_the_store(train, tmp_path):
    bench = Bench(rules(), FOUND)
    settings = read_settings({"method": "dsp", "methods": {"dsp": {"preset": "light", "train": train}}})
    parts = Components(bench.llm, retriever=bench.retriever, store=Store(tmp_path / "store.sqlite"))
    async with Weaver(settings, components=parts) as weaver:
        await weaver.answer(ASKED)
        num_calls = len(bench.llm.calls)
        record = await weaver.answer("Where was the smith of Orlau born?")
    assert num_calls == 7 + 3
    assert len(bench.llm.calls) == num_calls + 3
    assert len(calls(record, "demonstrate")) == 7


# -- files that cannot be --------------------------------------------------------------------------------------------------


async def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(DataError, match=r"cannot read the training questions .*none\.jsonl: No such file"):
        await ask(str(tmp_path / "none.jsonl"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is not JSON"),
        ("[1]", "line 2 is not a training question"),
        ('{"question": "Who?"}', "line 2 is not a training question"),
        ('{"question": "", "answer": "he"}', "line 2 is not a training question"),
        ('{"question": "Who?", "answers": []}', "line 2 is not a training question"),
        ('{"question": "Who?", "answer": null}', "line 2 is not a training question"),
    ],
)
async def test_a_line_that_is_no_training_question_is_named(tmp_path, line, message):
    path = tmp_path / "train.jsonl"
    path.write_text(f'{{"question": "Who?", "answer": "he"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(DataError, match=message):
        await ask(str(path))


async def test_a_file_that_is_no_text_is_said(tmp_path):
    path = tmp_path / "train.jsonl"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="give a text of JSON lines"):
        await ask(str(path))


async def test_a_file_that_changed_is_read_again(tmp_path):
    path = written(tmp_path, TRAIN[:1])
    await ask(path, demonstrate="none")
    written(tmp_path, TRAIN)
    assert "Marn" in online(await ask(path, demonstrate="none"))[0]
