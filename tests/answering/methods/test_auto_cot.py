"""Auto-CoT: the model writes its own demonstrations for the most typical questions of a pool."""

import json

import pytest
from support.bench import Bench, calls, decisions, purposes, queries, told, unread, verdicts

from hopweave.answering.demonstrations import demonstrations
from hopweave.core import sentence_encoder
from hopweave.core.errors import DataError, MissingExtra
from hopweave.core.types import Question
from hopweave.models.llms.scripted import Line, Scripted
from hopweave.record import Decision
from hopweave.run.components import Components
from hopweave.run.settings import read_settings
from hopweave.run.store.store import Store
from hopweave.run.weaver import Weaver
from hopweave.show.legend import LABELS

ASKED = "Where was the mayor of Orlau born?"
LABEL = Question("q", "Is Orlau a town?", "label", ("Yes", "No"))
LONG = Question("q", "Why is Orlau a town?", "long")
CLOCK, BELL = "In which town was the maker of the Vell clock born?", "In which town was the maker of the Orr bell born?"
BRIDGE, GATE = "Is the Brent bridge older than the Brent mill?", "Is the Sarn gate older than the Sarn bridge?"
POOL = (CLOCK, BELL, BRIDGE, GATE)
ANSWERED = "Ida Renn is the mayor. The answer is Tromvik."
FINISH = "Now give the final answer."


def says(rationales=None, predicted="Ulm", answer=ANSWERED, asked=ASKED):
    """A model that reasons on the pool as told, and else in one sentence."""

    def decide(messages, sampling):
        if FINISH in messages[-1].text:
            return predicted
        if f"Q: {asked}" in messages[0].text:
            return answer
        given = [text for question, text in (rationales or {}).items() if f"Q: {question}" in messages[0].text]
        return given[0] if given else "It is known."

    return decide


@pytest.fixture
def pool(tmp_path):
    path = tmp_path / "pool.txt"
    path.write_text("\n".join(POOL), encoding="utf-8")
    return str(path)


async def ask(model, pool, question=ASKED, budget=None, **options):
    return await Bench(model).ask(question, "auto_cot", budget, **{"pool": pool, "n_demos": 2, **options})


def run(record):
    """The questions of the pool that the model reasoned on."""
    first = [call[0].text for call in calls(record, "demonstrate") if len(call) == 1]
    return [text.removeprefix("Q: ").partition("\n")[0] for text in first]


def shown(record):
    [found] = decisions(record, "demonstrations")
    return found.data["questions"]


async def test_the_nearest_question_of_each_cluster_becomes_a_demonstration_with_what_the_model_said(pool):
    record = await ask(says({CLOCK: "The maker is Ada Voss.\nShe is from Ulm."}), pool)
    assert set(shown(record)) == {CLOCK, BRIDGE} == set(run(record))
    [[prompt]] = calls(record, "reasoning")
    begun, _, _ = prompt.text.partition("\n\n")
    assert begun.endswith('end with "The answer is X.", where X is as short as possible')
    clock = f"Q: {CLOCK}\nA: Let us reason step by step. The maker is Ada Voss. She is from Ulm. The answer is Ulm."
    bridge = f"Q: {BRIDGE}\nA: Let us reason step by step. It is known. The answer is Ulm."
    examples = {CLOCK: clock, BRIDGE: bridge}
    assert prompt.text == "\n\n".join(
        [begun, *(examples[one] for one in shown(record)), f"Q: {ASKED}\nA: Let us reason step by step."]
    )
    assert (record.answer.text, record.answer.short, record.answer.how) == (ANSWERED, "Tromvik", "marker")
    assert verdicts(record) == [(ASKED, "Tromvik", "unsupported")]
    assert queries(record) == []
    assert purposes(record) == ["demonstrate"] * 4 + ["reasoning"]


async def test_a_question_of_the_pool_takes_the_two_calls_of_zero_shot_chain_of_thought(pool):
    bench = Bench(says({CLOCK: "Ada Voss is."}))
    record = await bench.ask(ASKED, "auto_cot", pool=pool, n_demos=2)
    first, second = (call for call in calls(record, "demonstrate") if CLOCK in call[0].text)
    assert [message.text for message in first] == [f"Q: {CLOCK}\nA: Let us reason step by step."]
    assert [message.role for message in second] == ["user", "assistant", "user"]
    assert second[:1] == first
    assert (second[1].text, second[2].text[: len(FINISH)]) == ("Ada Voss is.", FINISH)
    assert sorted(sampling.max_tokens for _, sampling in bench.llm.calls) == [32, 32, 256, 256, 256]


@pytest.mark.parametrize(
    "rationale",
    ["No full stop", "", "One.\nTwo.\n\nThree.\n\n\nFour.\nFive.\nSix."],
    ids=["without a full stop", "empty", "too many lines"],
)
async def test_reasoning_that_is_no_demonstration_lets_the_next_of_the_cluster_have_its_turn(pool, rationale):
    record = await ask(says({CLOCK: rationale}), pool)
    assert set(shown(record)) == {BELL, BRIDGE}
    assert set(run(record)) == {CLOCK, BELL, BRIDGE}


async def test_five_lines_with_empty_ones_between_are_still_a_demonstration(pool):
    record = await ask(says({CLOCK: "One.\n\nTwo.\nThree.\n\nFour.\n\nFive."}), pool)
    assert CLOCK in shown(record)


async def test_a_question_without_a_predicted_answer_is_no_demonstration(pool):
    def decide(messages, sampling):
        is_about_clock = f"Q: {CLOCK}" in messages[0].text
        return "" if is_about_clock and len(messages) > 1 else says()(messages, sampling)

    record = await ask(decide, pool)
    assert set(shown(record)) == {BELL, BRIDGE}
    assert unread(record) == ["the reply is empty"]


async def test_a_question_that_is_too_long_is_not_even_run(pool):
    record = await ask(says(), pool, max_words_question=9)
    assert shown(record) == [BRIDGE]
    assert run(record) == [BRIDGE]


async def test_a_cluster_of_which_none_passes_shows_nothing(pool):
    record = await ask(says({CLOCK: "No", BELL: "No"}), pool)
    assert shown(record) == [BRIDGE]
    assert "none passes" in told(record, "demonstration")
    assert calls(record, "reasoning")[0][0].text.count("\nQ: ") == 1 + 1


async def test_a_cluster_of_which_none_passes_can_be_filled_with_the_nearest(pool):
    record = await ask(says({CLOCK: "No", BELL: "No"}), pool, fill_clusters=True)
    assert set(shown(record)) == {CLOCK, BRIDGE}


async def test_running_the_whole_pool_gives_the_same_demonstrations_for_more_calls(pool):
    model = says({CLOCK: "No"})
    record, whole = await ask(model, pool), await ask(model, pool, run_whole_pool=True)
    assert (len(run(record)), sorted(run(whole))) == (3, sorted(POOL))
    assert shown(whole) == shown(record)
    assert calls(whole, "reasoning") == calls(record, "reasoning")


async def test_the_legend_explains_the_clusters_and_the_questions_of_the_whole_pool(pool):
    record = await ask(says({CLOCK: "No"}), pool, run_whole_pool=True)
    labels = {step.label for step in record.steps if isinstance(step, Decision)}
    assert {"cluster", "question"} <= labels <= LABELS.keys()


@pytest.mark.parametrize(("run_whole_pool", "num_side_by_side"), [(False, 2), (True, 4)])
async def test_what_is_independent_runs_side_by_side(pool, run_whole_pool, num_side_by_side):
    bench = Bench([(FINISH, Line("Ulm", delay_seconds=0.01)), (ASKED, ANSWERED), ("", Line("It is.", delay_seconds=0.01))])
    await bench.ask(ASKED, "auto_cot", pool=pool, n_demos=2, run_whole_pool=run_whole_pool)
    assert bench.llm.max_concurrency == num_side_by_side


async def test_the_record_is_the_same_whichever_cluster_ends_first(pool):
    def slow(question):
        def decide(messages, sampling):
            return Line(say(messages, sampling), delay_seconds=0.02 if question in messages[0].text else 0.0)

        return decide

    say = says()
    assert (await ask(slow(CLOCK), pool)).fingerprint == (await ask(slow(BRIDGE), pool)).fingerprint


async def test_the_next_question_gets_the_demonstrations_from_the_store(pool, tmp_path):
    settings = read_settings({"method": "auto_cot", "methods": {"auto_cot": {"pool": pool, "n_demos": 2}}})
    llm = Scripted(says(asked="W"))
    async with Weaver(settings, components=Components(llm, store=Store(tmp_path / "store"))) as weaver:
        for number, question in enumerate(["Who is it?", "When was it?"]):
            record = await weaver.answer(question)
            assert len(llm.calls) == 5 + number
            assert (record.totals().llm_calls, record.totals(offline=True).llm_calls) == (1, 4)


async def test_the_clusters_are_there_before_any_call(pool):
    record = await ask(says(), pool)
    [graph] = decisions(record, "graph")
    assert (graph.text, graph.data["sizes"]) == ("4 questions in 2 clusters", [2, 2])
    assert graph.id < min(step.id for step in record.steps if step.kind == "model_call")


async def test_by_default_the_pool_is_the_questions_of_the_demonstrations_whose_answers_nobody_sees():
    record = await Bench(says()).ask(ASKED, "auto_cot")
    known = {one.question: one for one in demonstrations()}
    assert len(shown(record)) == 4
    assert set(shown(record)) <= known.keys()
    [[prompt]] = calls(record, "reasoning")
    assert not any(known[question].reasoning in prompt.text for question in shown(record))


async def test_the_question_itself_is_no_demonstration_and_leaves_the_clusters_as_they_are(pool):
    record = await ask(says(asked="none"), pool, question=CLOCK.lower().replace("?", " ?"))
    assert set(shown(record)) == {BELL, BRIDGE}


async def test_without_demonstrations_there_is_no_offline_stage(pool):
    record = await ask(says(), pool, n_demos=0)
    assert purposes(record) == ["reasoning"]
    assert record.answer.short == "Tromvik"


async def test_labels_are_asked_for_in_the_pool_and_of_the_question(pool):
    record = await ask(says(predicted="So the final answer is No.", answer="The answer is Yes.", asked=LABEL.text), pool, LABEL)
    [[prompt]] = calls(record, "reasoning")
    note = "(The answer can only be one of: Yes, No)"
    assert f"Q: {BRIDGE} {note}\nA: Let us reason step by step. It is known. The answer is No." in prompt.text
    assert f"Q: {LABEL.text} {note}\nA: Let us" in prompt.text
    assert (record.answer.short, record.answer.how) == ("Yes", "marker")


async def test_of_long_answers_the_demonstrations_show_the_explanations(pool):
    bench = Bench(says(predicted="It rains.\nIt snows.", answer="It has a wall. It has a market.", asked=LONG.text))
    record = await bench.ask(LONG, "auto_cot", pool=pool, n_demos=2)
    assert f"Q: {BRIDGE} (Explain in several sentences.)\nA: Let us reason step by step. It rains. It snows.\n" in (
        calls(record, "reasoning")[0][0].text
    )
    assert record.answer.short == "It has a wall. It has a market."
    assert {sampling.max_tokens for _, sampling in bench.llm.calls} == {256}
    assert unread(record) == []


async def test_the_last_of_several_answers_counts(pool):
    record = await ask(says(answer="The answer is Ulm? No. The answer is Tromvik.\nQ: And now?\nA: The answer is Rom."), pool)
    assert record.answer.short == "Tromvik"


@pytest.mark.parametrize(
    ("answer", "short", "how", "reason"),
    [
        ("Tromvik", "Tromvik", "full", "no sentence says what the final answer is"),
        ("", "", "empty", "the reply is empty"),
    ],
)
async def test_an_answer_without_the_marker_is_counted(pool, answer, short, how, reason):
    record = await ask(says(answer=answer), pool)
    assert (record.answer.short, record.answer.how, unread(record)) == (short, how, [reason])


@pytest.mark.parametrize(("allowed", "num_shown"), [(1, 0), (2, 1), (3, 1)])
async def test_the_offline_stage_has_the_limit_of_calls_for_itself(pool, allowed, num_shown):
    record = await ask(says(), pool, budget={"max_llm_calls": allowed})
    assert (record.answer.short, record.answer.stopped_because) == ("Tromvik", "max_llm_calls")
    assert len(shown(record)) == num_shown
    assert purposes(record) == ["demonstrate"] * 2 * num_shown + ["reasoning"]


async def test_a_limit_that_suffices_is_not_noticed(pool):
    record = await ask(says(), pool, budget={"max_llm_calls": 4})
    assert record.answer.stopped_because == "finished"


async def test_a_pool_can_be_lines_of_json_and_says_each_question_once(tmp_path):
    path = tmp_path / "pool.jsonl"
    lines = [json.dumps({"question": text, "answer": "secret"}) for text in (*POOL, CLOCK)]
    path.write_text("\n\n".join(lines), encoding="utf-8")
    record = await ask(says(), str(path))
    assert told(record, "graph") == ["4 questions in 2 clusters"]
    assert "secret" not in record.to_json()


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "cannot read the pool"), ("\n", "contains no questions"), ('Who?\n{"text": 1}', "line 2 of"), ("{", "line 1 of")],
)
async def test_a_pool_that_cannot_be_read_says_where_and_why(tmp_path, text, message):
    path = tmp_path / "pool.txt"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        await ask(says(), str(path))


async def test_the_sentence_encoder_sees_the_questions_as_the_authors_show_them(pool, monkeypatch):
    seen = []

    class Library:
        class SentenceTransformer:
            def __init__(self, model, device):
                seen.append(model)

            def encode(self, texts, *, normalize_embeddings):
                seen.extend(texts)
                return [[float("maker" in text)] for text in texts]

    monkeypatch.setattr(sentence_encoder, "_ENCODERS", {})
    monkeypatch.setattr(sentence_encoder, "require", lambda module, extra: Library)
    record = await ask(says(), pool, encoder="sentence_bert", encoder_model="some-model")
    assert seen == ["some-model", *(f"Q: {text}\nA:" for text in POOL)]
    assert set(shown(record)) == {CLOCK, BRIDGE}


async def test_the_sentence_encoder_without_its_library_says_what_to_install(pool, monkeypatch):
    def missing(module, extra):
        raise MissingExtra(module, extra)

    monkeypatch.setattr(sentence_encoder, "require", missing)
    with pytest.raises(MissingExtra, match="hf"):
        await ask(says(), pool, encoder="sentence_bert")
