"""Tables of several runs: no cell is left out, and cells of different models or retrievers are neither averaged nor paired."""

import pytest
from support.runs import answered, asked, decided, figures, made, result_of, row_of

from hopweave.core.types import Passage
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan

A, B, C, D = (asked(name) for name in "abcd")
FOUR = (A, B, C, D)
BARE = MethodPlan("searchain", {"use_retrieval": False})
PROBED = MethodPlan("direct", {"probe": True})
TOP1 = MethodPlan("direct_retrieval", {"num_passages": 1})
SETS = {"hotpotqa": ("hotpotqa", FOUR)}


def rights(right, examples=FOUR, **more):
    """A record for each example: right for those that are named."""
    return [answered(one, "Ulm" if one.question.id in right else "Bonn", **more) for one in examples]


def run_of(folder, ways, sets=SETS, **more):
    """A run in which each label of a method, with its plan, has right answers to some questions, on every dataset."""
    cells = {(label, way): rights(right, examples) for label, (_, examples) in sets.items() for way, (_, right) in ways.items()}
    return made(folder, sets, cells, {way: plan for way, (plan, _) in ways.items()}, **more)


def labels(result):
    return [row.labels for row in result.rows]


# -- what a method costs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["searchain_table6", "toqd_table2b"])
def test_costs_of_two_models_are_two_rows_each_over_the_datasets_of_its_own_run(tmp_path, table):
    first = run_of(tmp_path / "A", {"searchain": ("searchain", "ab")}, llm="model-a")
    both = SETS | {"musique": ("musique", FOUR)}
    second = run_of(tmp_path / "B", {"searchain": ("searchain", "abc")}, both, llm="model-b")
    result = result_of(table, first, second)
    one, other = row_of(result, "SearChain"), row_of(result, "SearChain (B)")
    assert (one.values["performance"], one.values["datasets"]) == (50.0, 1.0)
    assert (other.values["performance"], other.values["datasets"]) == (75.0, 2.0)


@pytest.mark.parametrize(
    "more",
    [
        {"retriever": "dense"},
        {"reader": "dpr"},
        {"settings": {"sampling": {"temperature": 1.0}}},
        {"settings": {"retrievers": {"bm25": {"analyzer": "plain"}}}},
    ],
)
def test_a_run_with_another_retriever_reader_or_sampling_is_a_row_of_its_own(tmp_path, more):
    first = run_of(tmp_path / "A", {"searchain": ("searchain", "ab")})
    second = run_of(tmp_path / "B", {"searchain": ("searchain", "abc")}, {"musique": ("musique", FOUR)}, **more)
    result = result_of("searchain_table6", first, second)
    assert [row.values.get("performance") for row in result.rows if row.num] == [50.0, 75.0]


def test_runs_of_one_setup_on_different_datasets_are_averaged_in_one_row_whatever_index_they_search(tmp_path):
    first = run_of(tmp_path / "A", {"searchain": ("searchain", "ab")}, settings={"retrievers": {"bm25": {"index": "one"}}})
    musique = {"musique": ("musique", FOUR)}
    more = {"retrievers": {"bm25": {"index": "two"}}, "corpus": "other"}
    second = run_of(tmp_path / "B", {"searchain": ("searchain", "abc")}, musique, settings=more)
    result = result_of("searchain_table6", first, second)
    (row,) = [row for row in result.rows if row.num]
    assert (row.labels, row.values["performance"], row.values["datasets"]) == (("SearChain",), 62.5, 2.0)


def test_two_datasets_of_one_kind_both_count_and_are_named_by_their_labels(tmp_path):
    sets = {label: (DatasetPlan("jsonl", {"path": f"{label}.jsonl"}), FOUR) for label in ("easy", "hard")}
    cells = {("easy", "searchain"): rights("abcd"), ("hard", "searchain"): rights("a")}
    row = row_of(result_of("searchain_table6", made(tmp_path / "run", sets, cells)), "SearChain")
    assert (row.values["performance"], row.values["datasets"]) == (62.5, 2.0)
    assert any(why.startswith("over easy, hard; performance there") for why in row.published[0].why_not)


def test_the_seeds_of_a_method_are_rows_of_their_own_in_each_run(tmp_path):
    ways = {"searchain@0": ("searchain", "a"), "searchain@1": ("searchain", "ab")}
    result = result_of("searchain_table6", run_of(tmp_path / "A", ways), run_of(tmp_path / "B", ways))
    assert [row.values["performance"] for row in result.rows if row.num] == [25.0, 50.0, 25.0, 50.0]
    assert len(set(labels(result))) == len(result.rows)


# -- pairs -------------------------------------------------------------------------------------------------------------------


def hits(num):
    """Records that found so many of two gold paragraphs."""
    found = [Passage(str(n), "Ulm.") for n in range(1, num + 1)]
    return [answered(asked("a", passage_ids=["1", "2"]), "Ulm", found=found)]


def recalls(folder, cells, **more):
    of_musique = {("musique", method): records for method, records in cells.items()}
    return made(folder, {"musique": ("musique", (asked("a", passage_ids=["1", "2"]),))}, of_musique, **more)


def test_recall_is_paired_within_a_run_where_both_runs_have_both_methods(tmp_path):
    first = recalls(tmp_path / "A", {"oner": hits(1), "ircot": hits(2)})
    second = recalls(tmp_path / "B", {"oner": hits(2), "ircot": hits(2)}, retriever="dense")
    result = result_of("ircot_figure3", first, second)
    assert row_of(result, "musique", "ircot").values["gain"] == 50.0
    assert row_of(result, "musique", "ircot (B)").values["gain"] == 0.0


@pytest.mark.parametrize("more", [{"llm": "another"}, {"retriever": "dense"}])
def test_recall_has_no_data_where_one_step_was_run_with_another_model_or_retriever(tmp_path, more):
    first = recalls(tmp_path / "A", {"oner": hits(1)})
    second = recalls(tmp_path / "B", {"ircot": hits(2)}, **more)
    result = result_of("ircot_figure3", first, second)
    assert row_of(result, "musique", "ircot (B)").values == {}
    (line,) = result.missing
    assert f"--out {second.path}-oner_cot" in line
    assert not result_of("ircot_figure5", first, second).has_data
    same = recalls(tmp_path / "C", {"ircot": hits(2)})
    assert row_of(result_of("ircot_figure3", first, same), "musique", "ircot (C)").values["gain"] == 50.0


def test_robustness_pairs_no_cells_of_different_retrievers(tmp_path):
    sets = {"wiki": ("two_wikimultihopqa", FOUR)}
    first = run_of(tmp_path / "A", {"toqd": ("toqd", "ab")}, sets)
    second = run_of(tmp_path / "B", {"oner": ("oner", "a")}, sets, retriever="dense")
    assert not result_of("toqd_table5", first, second).has_data


def verdicts(says, **more):
    return [answered(one, "Ulm", steps=[decided("probe", says)], **more) for one in FOUR]


def test_what_a_model_knows_is_told_by_its_own_plain_answers_with_a_row_for_each_run(tmp_path):
    def run(name, llm, right):
        cells = {("hotpotqa", "direct"): rights(right), ("hotpotqa", "asks"): verdicts("YES")}
        return made(tmp_path / name, SETS, cells, {"direct": "direct", "asks": PROBED}, llm=llm)

    result = result_of("toqd_figure3", run("A", "model-a", "ab"), run("B", "model-b", "abc"))
    assert row_of(result, "hotpotqa", "Direct").values["yes_accuracy"] == 50.0
    assert row_of(result, "hotpotqa", "Direct (B)").values["yes_accuracy"] == 75.0


def test_a_probe_of_another_model_or_of_what_another_retriever_found_has_no_data(tmp_path):
    plain = run_of(tmp_path / "A", {"direct": ("direct", "ab"), "direct_retrieval": ("direct_retrieval", "ab")})
    ways = {"asks": PROBED, "rag": MethodPlan("direct_retrieval", {"probe": True})}
    cells = {("hotpotqa", way): verdicts("YES") for way in ways}
    other = made(tmp_path / "B", SETS, cells, ways, llm="another")
    result = result_of("toqd_figure3", plain, other)
    assert not result.has_data
    assert [line for line in result.missing if line.startswith("Direct on") and f"--out {other.path}-direct," in line]
    dense = made(tmp_path / "C", SETS, cells, ways, retriever="dense")
    found = result_of("toqd_figure3", plain, dense)
    assert row_of(found, "hotpotqa", "Direct (C)").values["yes"] == 100.0  # it does not search
    assert row_of(found, "hotpotqa", "RAG (C)").values == {}


def test_conflict_has_a_row_for_each_run_beside_the_same_model_alone(tmp_path):
    def run(name, llm, alone):
        return run_of(tmp_path / name, {"direct": ("direct", alone), "top1": (TOP1, "ab")}, llm=llm)

    result = result_of("searchain_table8", run("A", "model-a", "a"), run("B", "model-b", "abc"))
    assert [row.values["right"] for row in result.rows] == [1.0, 3.0]
    assert [row.labels[1].rpartition(" (")[2] for row in result.rows] == ["top1)", "top1, B)"]
    lone = run_of(tmp_path / "C", {"top1": (TOP1, "ab")}, llm="model-c")
    result = result_of("searchain_table8", run("D", "model-a", "a"), lone)
    assert [row.values.get("right") for row in result.rows] == [1.0, None]


@pytest.mark.parametrize("table", ["searchain_table3a", "searchain_table3b"])
def test_the_counterpart_without_retrieval_is_never_another_model(tmp_path, table):
    first = run_of(tmp_path / "A", {"searchain": ("searchain", "ab"), "bare": (BARE, "a")}, llm="model-a")
    second = run_of(tmp_path / "B", {"searchain": ("searchain", "abc")}, llm="model-b")
    result = result_of(table, first, second)
    assert row_of(result, "hotpotqa", "SearChain").num == 4
    alone = row_of(result, "hotpotqa", "SearChain (B)")
    assert alone.values == {}
    assert [line for line in result.missing if f"--out {second.path}-searchain_no_retrieval" in line]
    # One of the same model in another run counts, under whatever retriever that run has.
    third = run_of(tmp_path / "C", {"bare": (BARE, "a")}, llm="model-b", retriever="")
    assert row_of(result_of(table, first, second, third), "hotpotqa", "SearChain (B)").num == 4


def test_the_floor_is_of_one_model_and_names_both_sets_of_answers(tmp_path):
    ways = {"searchain": ("searchain", "a"), "bare@0": (BARE, "ab"), "bare@1": (BARE, "abc")}
    first = run_of(tmp_path / "A", ways, llm="model-a")
    second = run_of(tmp_path / "B", {"bare@0": (BARE, "d"), "searchain": ("searchain", "a")}, llm="model-b")
    found = [row for row in result_of("searchain_table3b", first, second).rows if row.labels[1].startswith("floor")]
    assert [row.labels[2] for row in found] == ["bare@1 beside bare@0"]
    rows = {row.labels[1]: row.labels[2] for row in result_of("searchain_table3b", first, second).rows}
    assert (rows["SearChain"], rows["SearChain (B)"]) == ("bare@0", "bare@0 (B)")


def test_the_sweep_of_alpha_has_a_row_for_each_model(tmp_path):
    example = asked("a", ["a b c d"], form="long")

    def run(name, llm, alpha, text):
        cells = {("eli5", "mine"): [answered(example, text)]}
        return made(
            tmp_path / name, {"eli5": ("eli5", [example])}, cells, {"mine": MethodPlan("searchain", {"alpha": alpha})}, llm=llm
        )

    one, other = run("A", "model-a", 0.3, "a b c d"), run("B", "model-b", 0.5, "a b x y")
    result = result_of("searchain_table10", one, other)
    assert [figures(row) for row in result.rows] == [{"alpha_30": 100.0}, {"alpha_50": 50.0}]
    same = result_of("searchain_table10", one, run("C", "model-a", 0.5, "a b x y"))
    assert [figures(row) for row in same.rows] == [{"alpha_30": 100.0, "alpha_50": 50.0}]


# -- the parts that a model knows --------------------------------------------------------------------------------------------


WHOLE = asked("w", ["Ulm"], steps=[("x", "1"), ("y", "Ulm")])
PARTS = tuple(asked(f"w#{n}", [answer], whole="w", parts=2, part=n) for n, answer in ((1, "1"), (2, "Ulm")))


def steps_plan(form):
    return DatasetPlan("gold_steps", {"path": "examples/musique.jsonl", "form": form})


def parts(folder, llm, *, are_known):
    records = [answered(one, one.gold.answers[0] if are_known else "0") for one in PARTS]
    return made(folder, {"parts": (steps_plan("parts"), PARTS)}, {("parts", "direct"): records}, llm=llm)


def test_what_one_model_knows_is_not_taken_for_the_knowledge_of_another(tmp_path):
    def run(name, llm):
        cells = {("musique", "direct"): [answered(WHOLE, "Ulm")]}
        return made(tmp_path / name, {"musique": ("musique", (WHOLE,))}, cells, llm=llm)

    one, other = run("A", "model-a"), run("B", "model-b")
    knows, knows_not = parts(tmp_path / "pA", "model-a", are_known=True), parts(tmp_path / "pB", "model-b", are_known=False)
    for runs in ((one, other, knows, knows_not), (one, other, knows_not, knows)):
        result = result_of("searchain_table7", *runs)
        assert [(row.labels, row.num) for row in result.rows] == [
            (("musique", "Direct"), 1),
            (("musique", "Direct (B)"), 0),
        ]
    lacking = result_of("searchain_table7", one, other, knows)
    assert row_of(lacking, "musique", "Direct (B)").values == {}
    (line,) = lacking.missing
    assert f"--out {other.path}-parts" in line


def test_knowledge_form_is_by_the_parts_that_the_same_model_knows(tmp_path):
    given = asked("w+1", whole="w", parts=2, left=1)
    cells = {("given", "direct"): [answered(given, "Ulm")]}
    run = made(tmp_path / "given", {"given": (steps_plan("given"), (given,))}, cells, llm="model-b")
    knows, knows_not = parts(tmp_path / "pA", "model-a", are_known=True), parts(tmp_path / "pB", "model-b", are_known=False)
    assert not result_of("searchain_figure10", knows, knows_not, run).has_data
    assert not result_of("searchain_figure10", knows, run).has_data
    right = parts(tmp_path / "pC", "model-b", are_known=True)
    knows_not = parts(tmp_path / "pD", "model-a", are_known=False)
    row = row_of(result_of("searchain_figure10", knows_not, right, run), "(a) with answers, on S_i", "2")
    assert figures(row) == {"i_1": 100.0}


# -- names -------------------------------------------------------------------------------------------------------------------


def test_rows_of_traceability_name_the_run(tmp_path):
    result = result_of("searchain_table5", *(run_of(tmp_path / name, {"searchain": ("searchain", "a")}) for name in "AB"))
    assert labels(result) == [("hotpotqa", "searchain"), ("hotpotqa", "searchain (B)")]


def test_the_command_for_what_is_missing_has_the_options_of_parts_that_are_given_by_path(tmp_path):
    settings = {
        "llm": "./fake.py:Fake",
        "llms": {"Fake": {"tag": "b"}},
        "reader": "./reader.py:Mine",
        "readers": {"Mine": {"k": 2}},
    }
    run = run_of(tmp_path / "run", {"searchain": ("searchain", "a")}, settings=settings)
    (line,) = result_of("searchain_table3a", run).missing
    for flag in ("--set llm=./fake.py:Fake", "--set llms.Fake.tag=b", "--set readers.Mine.k=2"):
        assert flag in line


# -- theta -------------------------------------------------------------------------------------------------------------------


def test_theta_is_of_the_first_passages_of_direct_retrieval_and_of_nothing_else(tmp_path):
    good, bad = Passage("g", "Ulm lies on the Danube."), Passage("b", "Bonn lies on the Rhine.")
    records = [answered(A, "Ulm", found=[good], reading=3.0), answered(B, "Ulm", found=[bad, good], reading=0.5)]
    ways = {"searchain": "searchain", "plain": "direct_retrieval"}
    cells = {("squad", way): records for way in ways}
    other = made(tmp_path / "other", {"squad": ("squad", FOUR)}, cells, ways, reader="dpr:model")
    result = result_of("searchain_theta", other)
    assert not result.has_data
    assert [line for line in result.missing if "--set methods.direct_retrieval.read_first=true" in line]
    reads = {"reads": MethodPlan("direct_retrieval", {"read_first": True})}
    own = made(tmp_path / "own", {"squad": ("squad", FOUR)}, {("squad", "reads"): records}, reads, reader="dpr:model")
    (row,) = result_of("searchain_theta", own, other).rows
    assert (row.num, row.values["positive"]) == (2, 1.0)
