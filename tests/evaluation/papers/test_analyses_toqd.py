"""The tables and figures of ToQD and IRCoT, on runs whose figures can be had with a pencil."""

import pytest
from support.bench import Bench
from support.runs import answered, asked, decided, figures, made, result_of, row_of, said

from hopweave.core.types import Passage
from hopweave.evaluation.runs.folder import MethodPlan

A, B, C, D = (asked(name) for name in "abcd")
FOUR = (A, B, C, D)


def rights(examples, right, **more):
    return [answered(one, "Ulm" if one.question.id in right else "Bonn", **more) for one in examples]


def test_toqd_with_and_without_retrieval_are_told_apart(tmp_path):
    run = made(
        tmp_path / "run",
        {"musique": ("musique", FOUR)},
        {("musique", "toqd"): rights(FOUR, "abc"), ("musique", "bare"): rights(FOUR, "a")},
        {"toqd": "toqd", "bare": MethodPlan("toqd", {"use_retrieval": False})},
    )
    result = result_of("toqd_table1", run)
    assert figures(row_of(result, "musique", "ToQD")) == {"accuracy": 75.0}
    assert figures(row_of(result, "musique", "ToQD w/o IR (bare)")) == {"accuracy": 25.0}
    assert dict(row_of(result, "musique", "ToQD").published[0].values) == {"accuracy": 19.39}


def test_the_ablations_of_toqd_are_told_by_their_options(tmp_path):
    ways = {"toqd": "toqd", "raw": MethodPlan("toqd", {"use_rewrite": False})}
    records = {
        ("musique", "toqd"): [answered(A, "Ulm", steps=[said("two words", "three words out")])],
        ("musique", "raw"): [answered(A, "Bonn", steps=[said("four words in here", "one")])],
    }
    run = made(tmp_path / "run", {"musique": ("musique", (A,))}, records, ways)
    result = result_of("toqd_table2a", run)
    whole, raw = figures(row_of(result, "ToQD")), figures(row_of(result, "ToQD w/o Rewrite (raw)"))
    assert (whole["words_in"], whole["words_out"], whole["performance"]) == (2.0, 3.0, 100.0)
    assert (raw["words_in"], raw["words_out"], raw["performance"]) == (4.0, 1.0, 0.0)
    assert row_of(result, "ToQD w/o Rewrite (raw)").published[0].values["rounds"] == 1.53
    assert figures(row_of(result, "ToQD w/o Critique")) == {}
    assert [line for line in result.missing if "--set methods.toqd.use_critique=false" in line]
    other = result_of("toqd_table2b", run)
    assert row_of(other, "ToQD").published[0].values["performance"] == 36.46


def probe(verdict):
    return [decided("probe", verdict)]


def test_self_knowledge_takes_the_verdict_of_the_probed_run_and_what_is_right_of_the_plain_one(tmp_path):
    # Right plainly: a, b. Says YES: a, b, c. d says NO, though its probed reply would be right.
    probed = [answered(one, "Ulm", steps=probe("NO" if one is D else "YES")) for one in FOUR]
    run = made(
        tmp_path / "run",
        {"hotpotqa": ("hotpotqa", FOUR)},
        {("hotpotqa", "direct"): rights(FOUR, "ab"), ("hotpotqa", "asks"): probed},
        {"direct": "direct", "asks": MethodPlan("direct", {"probe": True})},
    )
    result = result_of("toqd_figure3", run)
    row = row_of(result, "hotpotqa", "Direct")
    assert figures(row) == {
        "yes": 75.0,
        "no": 25.0,
        "yes_accuracy": 66.67,
        "no_accuracy": 100.0,
        "accuracy": 50.0,
        "error": 50.0,
        "balanced": 75.0,
        "kappa": 0.5,
    }
    assert figures(row_of(result, "hotpotqa", "CoT")) == {}
    assert [line for line in result.missing if line.startswith("CoT, probed") and "--set methods.cot.probe=true" in line]


def test_a_probed_run_is_taken_with_the_plain_one_that_has_the_same_options(tmp_path):
    one, five = ({"num_passages": num} for num in (1, 5))
    run = made(
        tmp_path / "run",
        {"hotpotqa": ("hotpotqa", FOUR)},
        {
            ("hotpotqa", "one"): rights(FOUR, "a"),
            ("hotpotqa", "five"): rights(FOUR, "abc"),
            ("hotpotqa", "asks"): [answered(each, "Ulm", steps=probe("YES")) for each in FOUR],
        },
        {
            "one": MethodPlan("direct_retrieval", one),
            "five": MethodPlan("direct_retrieval", five),
            "asks": MethodPlan("direct_retrieval", {**five, "probe": True}),
        },
    )
    assert row_of(result_of("toqd_figure3", run), "hotpotqa", "RAG").values["yes_accuracy"] == 75


def test_without_a_no_there_is_no_no_accuracy_and_what_failed_is_counted(tmp_path):
    probed = [answered(A, "Ulm", steps=probe("YES")), answered(B, error="gone")]
    run = made(
        tmp_path / "run",
        {"hotpotqa": ("hotpotqa", (A, B, C))},
        {("hotpotqa", "direct"): rights((A, B, C), "abc"), ("hotpotqa", "asks"): probed},
        {"direct": "direct", "asks": MethodPlan("direct", {"probe": True})},
    )
    row = row_of(result_of("toqd_figure3", run), "hotpotqa", "Direct")
    assert row.values["no_accuracy"] is None
    assert row.values["kappa"] is None
    assert (row.num, row.num_failed, row.num_no_data) == (1, 1, 1)


def test_retrieval_is_told_by_the_retriever_of_the_run_and_a_shallow_one_is_marked(tmp_path):
    example = asked("a", facts=["on the Danube", "in Swabia"])
    found = [Passage("1", "Bonn."), Passage("2", "It is on the Danube."), Passage("3", "Ulm is in Swabia.")]
    sets = {"multihop_rag": ("multihop_rag", [example, asked("null", [])])}
    deep = MethodPlan("direct_retrieval", {"num_passages": 10})
    key = ("multihop_rag", "deep")
    native = made(tmp_path / "bm25", sets, {key: [answered(example, "Ulm", found=found)]}, {"deep": deep})
    hyde = made(tmp_path / "hyde", sets, {key: [answered(example, "Ulm", found=found[:1])]}, {"deep": deep}, retriever="hyde")
    raw = made(
        tmp_path / "raw",
        sets,
        {key: [answered(example, "Ulm", found=found[1:])]},
        {"deep": MethodPlan("direct_retrieval", {"num_passages": 2})},
        retriever="toqd",
        settings={"retrievers": {"toqd": {"use_rewrite": False}}},
    )
    result = result_of("toqd_table3", native, hyde, raw)
    assert figures(row_of(result, "multihop_rag", "bm25"), 4) == {"hits": 1, "hits_early": 1, "map": 0.4167, "mrr": 0.5}
    assert figures(row_of(result, "multihop_rag", "hyde")) == {"hits": 0, "hits_early": 0, "map": 0, "mrr": 0}
    shallow = row_of(result, "multihop_rag", "toqd no rewrite (only 2 passages)")
    assert figures(shallow) == {"hits": 1, "hits_early": 1, "map": 0.75, "mrr": 1}
    assert dict(shallow.published[0].values) == {"hits": 0.597, "map": 0.151, "mrr": 0.334}
    assert "2 passages, there 10" in shallow.published[0].why_not
    assert dict(row_of(result, "multihop_rag", "bm25").published[0].values) == {"hits": 0.586, "map": 0.16, "mrr": 0.353}
    assert [line for line in result.missing if "--set retriever=multi_query" in line]
    standard = result_of("toqd_table3", native, definition="standard")
    assert figures(row_of(standard, "multihop_rag", "bm25"), 4)["map"] == round((1 / 2 + 2 / 3) / 2, 4)


def test_robustness_has_a_row_for_each_model_on_the_questions_of_both(tmp_path):
    def run(name, llm, toqd, oner):
        cells = {("wiki", "toqd"): rights(FOUR, toqd), ("wiki", "oner"): rights(FOUR[:3], oner)}
        return made(tmp_path / name, {"wiki": ("two_wikimultihopqa", FOUR)}, cells, llm=llm)

    small = run("small", "local:gemma-2b-it", "abd", "a")
    large = run("large", "openai:https://models.example/v1:Mistral-7B", "a", "abc")
    result = result_of("toqd_table5", small, large)
    row = row_of(result, "wiki", "local:gemma-2b-it")
    assert figures(row) == {"baseline": 33.33, "toqd": 66.67, "gain": 33.33}
    assert dict(row.published[0].values) == {"baseline": 34.63, "toqd": 38.17, "gain": 3.54}
    assert "3 questions, there 5,000" in row.published[0].why_not
    other = row_of(result, "wiki", "openai:https://models.example/v1:Mistral-7B")
    assert figures(other)["gain"] == -66.67
    assert other.published[0].values["toqd"] == 40.27


def test_ircot_has_a_row_for_each_reader_with_both_published_models(tmp_path):
    ways = {reader: MethodPlan("ircot", {"reader": reader}) for reader in ("cot", "direct", "none")}
    cells = {
        ("musique", "cot"): [answered(A, "Ulm")],
        ("musique", "direct"): [answered(A, "old Ulm")],
        ("musique", "none"): [answered(A, error="gone")],
    }
    run = made(tmp_path / "run", {"musique": ("musique", (A,))}, cells, ways)
    result = result_of("ircot_tables1_3", run)
    assert figures(row_of(result, "musique", "IRCoT, CoT reader (cot)")) == {"f1": 100.0}
    assert figures(row_of(result, "musique", "IRCoT, direct reader (direct)")) == {"f1": 67.0}  # DROP's, to two decimals
    alone = row_of(result, "musique", "IRCoT w/o reader (none)")
    assert figures(alone) == {"f1": 0.0}
    assert (alone.num, alone.num_failed, alone.answered) == (1, 1, {"f1": None})
    assert [dict(row.values) for row in alone.published] == [{"f1": 30.7}, {"f1": 23.4}]
    squad = row_of(result_of("ircot_tables1_3", run, variant="squad"), "musique", "IRCoT, direct reader (direct)")
    assert figures(squad) == {"f1": 66.67}


def test_recall_of_ircot_stands_beside_that_of_one_step(tmp_path):
    example, other = asked("a", passage_ids=["1", "2"]), asked("b", passage_ids=["1"])
    one, two = Passage("1", "Ulm."), Passage("2", "Bonn.")
    cells = {
        ("musique", "oner"): [answered(example, "Ulm", found=[one]), answered(other, error="gone")],
        ("musique", "ircot"): [answered(example, "Ulm", found=[two, one]), answered(other, "Ulm", found=[one])],
    }
    run = made(tmp_path / "run", {"musique": ("musique", (example, other))}, cells)
    row = row_of(result_of("ircot_figure3", run), "musique", "ircot")
    assert figures(row) == {"oner": 25.0, "ircot": 100.0, "gain": 75.0}
    assert (row.num, row.num_failed, row.answered) == (2, 1, {"oner": 50.0})
    assert [dict(paper.values) for paper in row.published] == [{"gain": 12.0}, {"gain": 3.8}]


# -- the runs that self-knowledge and theta are made from ------------------------------------------------------------------


@pytest.mark.parametrize("method", ["direct", "cot", "direct_retrieval"])
async def test_a_probed_record_holds_the_verdict_and_no_answer_where_it_is_no(tmp_path, method):
    bench = Bench(["NO!", "So the final answer is Ulm."], {A.question.text: "Ulm lies on the Danube.", B.question.text: "Ulm."})
    records = [await bench.ask(one.question, method, probe=True) for one in (A, B)]
    assert [record.answer.short for record in records] == ["", "Ulm"]
    assert "NO!" in records[0].messages[-1].text
    run = made(
        tmp_path / "run",
        {"hotpotqa": ("hotpotqa", (A, B))},
        {("hotpotqa", method): rights((A, B), "b"), ("hotpotqa", "asks"): records},
        {method: method, "asks": MethodPlan(method, {"probe": True})},
    )
    template = {"direct": "Direct", "cot": "CoT", "direct_retrieval": "RAG"}[method]
    row = row_of(result_of("toqd_figure3", run), "hotpotqa", template)
    assert (row.values["no_accuracy"], row.values["yes_accuracy"], row.values["kappa"]) == (100.0, 100.0, 1.0)


@pytest.mark.parametrize("method", ["direct", "cot", "direct_retrieval"])
async def test_without_the_probe_the_prompt_does_not_speak_of_it(method):
    bench = Bench(["NO!"], {A.question.text: "Ulm lies on the Danube."})
    record = await bench.ask(A.question, method)
    assert not [message for message in record.messages if "NO!" in message.text]
    assert not [step for step in record.steps if step.kind == "decision" and step.label == "probe"]


async def test_zero_shot_reasoning_that_refuses_is_not_asked_for_its_answer():
    bench = Bench(["NO!", "So the final answer is Ulm."])
    record = await bench.ask(A.question, "cot", probe=True, zero_shot=True)
    assert record.totals().llm_calls == 1
    assert (record.answer.short, record.answer.how) == ("", "refused")


async def test_reading_the_first_passage_changes_nothing_of_the_answer():
    found = {A.question.text: [Passage("1", "Ulm lies on the Danube."), Passage("2", "Bonn.")]}
    read = {A.question.text: ("Ulm", 3.5)}
    plain = await Bench(["Ulm"], found, read).ask(A.question, "direct_retrieval")
    record = await Bench(["Ulm"], found, read).ask(A.question, "direct_retrieval", read_first=True)
    assert record.answer == plain.answer
    (reading,) = [step for step in record.steps if step.kind == "read"]
    assert (reading.query, reading.passage_id, reading.reading.confidence) == (A.question.text, "1", 3.5)


async def test_an_empty_reply_to_a_probe_is_no_verdict(tmp_path):
    record = await Bench([""]).ask(A.question, "direct", probe=True)
    run = made(
        tmp_path / "run",
        {"hotpotqa": ("hotpotqa", (A,))},
        {("hotpotqa", "direct"): rights((A,), "a"), ("hotpotqa", "asks"): [record]},
        {"direct": "direct", "asks": MethodPlan("direct", {"probe": True})},
    )
    row = row_of(result_of("toqd_figure3", run), "hotpotqa", "Direct")
    assert (row.num, row.num_failed, row.num_no_data) == (0, 0, 1)
    assert not [value for value in row.values.values() if value is not None]
