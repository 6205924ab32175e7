"""The tables and figures of SearChain, on runs whose figures can be had with a pencil."""

from dataclasses import replace

import pytest
from support.bench import Bench, chain
from support.runs import answered, asked, decided, figures, made, result_of, row_of, said

from hopweave.core.errors import SettingsError
from hopweave.core.types import Citation, Claim, Passage
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan

WITHOUT = MethodPlan("searchain", {"use_retrieval": False})
A, B, C, D = (asked(name) for name in "abcd")
FOUR = (A, B, C, D)


def node(verdict, at, *, query="q"):
    """A node with its verdict; `at` is the place of the node among the steps."""
    says = {"origin": "model" if verdict == "open" else verdict, "answer": "" if verdict == "open" else "x"}
    return [decided("node", query=query), decided("verdict", verdict, at, **says)]


def nodes(*verdicts):
    return [step for number, verdict in enumerate(verdicts) for step in node(verdict, 2 * number)]


def rights(examples, right, **more):
    """A record for each example: right for those that are named."""
    return [answered(one, "Ulm" if one.question.id in right else "Bonn", **more) for one in examples]


# -- table 1 ---------------------------------------------------------------------------------------------------------------


def test_accuracy_is_over_all_questions_asked_with_failed_ones_as_wrong_and_that_of_the_answered_beside_it(tmp_path):
    records = [answered(A, "in Ulm"), answered(B, "Bonn"), answered(C, "Ulm"), answered(D, error="gone")]
    run = made(tmp_path / "run", {"hotpotqa": ("hotpotqa", FOUR)}, {("hotpotqa", "searchain"): records})
    result = result_of("searchain_table1", run)
    row = row_of(result, "hotpotqa", "SearChain")
    assert figures(row) == {"accuracy": 50.0}
    assert (row.num, row.num_failed, row.num_no_data) == (4, 1, 0)
    assert round(row.answered["accuracy"], 2) == 66.67
    assert row.bounds["accuracy"] == (50.0, 75.0)
    (paper,) = row.published
    assert dict(paper.values) == {"accuracy": 56.91}


def test_each_ablation_is_told_by_its_options_and_a_missing_one_is_no_data_with_its_command(tmp_path):
    run = made(
        tmp_path / "run",
        {"hotpotqa": ("hotpotqa", (A, B))},
        {("hotpotqa", "bare"): rights((A, B), "a"), ("hotpotqa", "unverified"): rights((A, B), "ab")},
        {"bare": WITHOUT, "unverified": MethodPlan("searchain", {"verify": False})},
    )
    result = result_of("searchain_table1", run)
    assert figures(row_of(result, "hotpotqa", "SearChain w/o IR (bare)")) == {"accuracy": 50.0}
    assert figures(row_of(result, "hotpotqa", "SearChain w/o Verification (unverified)")) == {"accuracy": 100.0}
    assert figures(row_of(result, "hotpotqa", "SearChain w/o Completion")) == {}
    (line,) = [line for line in result.missing if line.startswith("SearChain w/o Completion on hotpotqa: ")]
    assert "hopweave evaluate --dataset hotpotqa --path hotpotqa.jsonl --methods searchain" in line
    assert "--set methods.searchain.complete=false" in line
    assert f"--with {run.path}-searchain_no_completion" in line


def test_long_answers_are_scored_by_rouge_l(tmp_path):
    example = asked("a", ["a b. c d"], form="long")
    run = made(tmp_path / "run", {"eli5": ("eli5", [example])}, {("eli5", "direct"): [answered(example, "a b x y")]})
    # Two of four words of either side: 2 * 0.5 * 0.5 / 1.
    assert figures(row_of(result_of("searchain_table1", run), "eli5", "Direct")) == {"accuracy": 50.0}


# -- tables 2 and 3 --------------------------------------------------------------------------------------------------------


def test_knowledge_sources_count_each_node_once_at_its_last_verdict(tmp_path):
    # a: one of the model, one corrected; b: one confirmed, one completed after it had been open, one that stays open.
    revised = [decided("revised", "", None, [2], origin="completed")]
    records = [
        answered(A, "Ulm", steps=nodes("model", "corrected")),
        answered(B, "Ulm", steps=[*nodes("verified", "open", "open"), *revised]),
        answered(C, error="gone"),
    ]
    run = made(tmp_path / "run", {"musique": ("musique", FOUR)}, {("musique", "searchain"): records})
    row = row_of(result_of("searchain_table2", run), "musique")
    assert figures(row) == {"model": 50.0, "corrected": 25.0, "completed": 25.0, "open": 1.0}
    assert (row.num, row.num_failed) == (4, 1)
    assert dict(row.published[0].values) == {"model": 78.83, "corrected": 14.6, "completed": 6.57}


async def test_knowledge_sources_are_read_off_what_searchain_really_files(tmp_path):
    first = chain(("Where was Einstein born?", "Bonn"), ("Which river is there?", None))
    second = chain(("Where was Einstein born?", "Ulm"), ("Which river is at Ulm?", None))
    third = chain(("Where was Einstein born?", "Ulm"), ("Which river is at Ulm?", "the Danube"), final="It is the Danube.")
    bench = Bench(
        [first, second, third, "[Final Content]: It is the Danube. So the final answer is the Danube."],
        {"Where was Einstein born?": "Einstein was born in Ulm.", "Which river is at Ulm?": "The Danube flows through Ulm."},
        {"Where was Einstein born?": ("Ulm", 5.0), "Which river is at Ulm?": ("The Danube", 5.0)},
    )
    record = await bench.ask(A.question)
    run = made(tmp_path / "run", {"musique": ("musique", (A,))}, {("musique", "searchain"): [record]})
    row = row_of(result_of("searchain_table2", run), "musique")
    assert figures(row) == {"model": 0.0, "corrected": 50.0, "completed": 50.0, "open": 0.0}


def run_with_and_without(tmp_path):
    """a and b needed retrieval. Right without: a, c. Right with: a, b. d failed with retrieval."""
    helped, alone = nodes("corrected"), nodes("model")
    records = [
        answered(A, "Ulm", steps=helped),
        answered(B, "Ulm", steps=nodes("completed")),
        answered(C, "Bonn", steps=alone),
        answered(D, error="gone"),
    ]
    return made(
        tmp_path / "run",
        {"hotpotqa": ("hotpotqa", FOUR)},
        {("hotpotqa", "searchain"): records, ("hotpotqa", "bare"): rights(FOUR, "acd")},
        {"searchain": "searchain", "bare": WITHOUT},
    )


def test_accuracy_on_s_and_s_ir_is_over_questions_that_both_were_asked(tmp_path):
    row = row_of(result_of("searchain_table3a", run_with_and_without(tmp_path)), "hotpotqa")
    assert figures(row) == {"without_s": 75.0, "without_s_ir": 50.0, "with_s_ir": 100.0, "with_s": 50.0, "share": 50.0}
    assert (row.num, row.num_failed) == (4, 1)
    assert round(row.answered["with_s"], 2) == 66.67
    assert dict(row.published[0].values) == {"without_s": 38.36, "without_s_ir": 31.38, "with_s_ir": 60.86}


def test_without_the_run_without_retrieval_s_ir_says_what_to_evaluate(tmp_path):
    run = made(tmp_path / "run", {"hotpotqa": ("hotpotqa", (A,))}, {("hotpotqa", "searchain"): [answered(A, "Ulm")]})
    result = result_of("searchain_table3a", run)
    assert not result.has_data
    (line,) = result.missing
    assert "--set methods.searchain.use_retrieval=false" in line


def test_misled_is_of_those_right_without_and_helped_of_those_wrong_without(tmp_path):
    row = row_of(result_of("searchain_table3b", run_with_and_without(tmp_path)), "hotpotqa", "SearChain")
    # Right without are a, c and d, of which c is wrong with, and d, which failed; b is wrong without and right with.
    assert figures(row) == {"misled": 66.67, "helped": 100.0, "right": 3.0}
    assert (row.num, row.num_failed) == (4, 1)
    assert dict(row.published[0].values) == {"misled": 6.33}


def test_the_baseline_of_misled_can_be_the_same_for_all(tmp_path):
    run = made(
        tmp_path / "run",
        {"hotpotqa": ("hotpotqa", FOUR)},
        {
            ("hotpotqa", "self_ask"): rights(FOUR, "ab"),
            ("hotpotqa", "self_ask_no_search"): rights(FOUR, "cd"),
            ("hotpotqa", "direct"): rights(FOUR, "abc"),
        },
    )
    own = row_of(result_of("searchain_table3b", run, floor=False), "hotpotqa", "Self-Ask")
    assert figures(own) == {"misled": 100.0, "helped": 100.0, "right": 2.0}
    direct = row_of(result_of("searchain_table3b", run, floor=False, baseline="direct"), "hotpotqa", "Self-Ask")
    assert figures(direct) == {"misled": 33.33, "helped": 0.0, "right": 3.0}
    with pytest.raises(SettingsError, match="baseline must be own"):
        result_of("searchain_table3b", run, baseline="nothing")


def test_two_runs_without_retrieval_give_the_floor_of_misled(tmp_path):
    sets = {"hotpotqa": ("hotpotqa", FOUR)}
    first = made(
        tmp_path / "one",
        sets,
        {("hotpotqa", "searchain"): rights(FOUR, "ab", steps=nodes("model")), ("hotpotqa", "bare"): rights(FOUR, "abc")},
        {"searchain": "searchain", "bare": WITHOUT},
    )
    second = made(tmp_path / "two", sets, {("hotpotqa", "bare"): rights(FOUR, "ab")}, {"bare": WITHOUT})
    result = result_of("searchain_table3b", first, second)
    assert figures(row_of(result, "hotpotqa", "floor: SearChain w/o IR again")) == {
        "misled": 33.33,
        "helped": 0.0,
        "right": 3.0,
    }
    assert not [row for row in result_of("searchain_table3b", first, second, floor=False).rows if "floor" in row.labels[1]]


# -- tables 4 to 6 ---------------------------------------------------------------------------------------------------------


def test_steps_are_counted_by_method_and_averaged_by_hops(tmp_path):
    two, three, also_three = asked("a", hops=2), asked("b", hops=3), asked("c", hops=3)
    thought = "Einstein was born in Ulm. Ulm lies on the Danube. So the final answer is the Danube."
    asks = " Yes.\nFollow up: Where was he born?\nIntermediate answer: Ulm.\nSo the final answer is: Ulm"
    run = made(
        tmp_path / "run",
        {"musique": ("musique", (two, three, also_three))},
        {
            ("musique", "cot"): [
                answered(two, "Ulm", steps=[said("p", thought, "reasoning")]),
                answered(three, "Ulm", steps=[said("p", "It is Ulm. So the answer is Ulm.", "reasoning")]),
                answered(also_three, error="gone"),
            ],
            ("musique", "self_ask_no_search"): [answered(two, "Ulm", steps=[said("p", asks, "follow_ups")])],
            ("musique", "least_to_most"): [answered(three, "Ulm", steps=[decided("plan", sub_questions=["x", "y", "z"])])],
            ("musique", "bare"): [
                answered(three, "Ulm", steps=nodes("model", "model")),
                answered(also_three, "Ulm", steps=nodes("model", "model", "model")),
            ],
        },
        {"cot": "cot", "self_ask_no_search": "self_ask_no_search", "least_to_most": "least_to_most", "bare": WITHOUT},
    )
    result = result_of("searchain_table4", run)
    cot = row_of(result, "musique", "CoT")
    assert figures(cot) == {"hops_2": 2.0, "hops_3": 1.0}
    assert (cot.num, cot.num_failed) == (2, 1)
    assert figures(row_of(result, "musique", "Self-Ask w/o IR")) == {"hops_2": 1.0}
    assert figures(row_of(result, "musique", "Least-to-Most")) == {"hops_3": 3.0}
    assert figures(row_of(result, "musique", "SearChain w/o IR (bare)")) == {"hops_3": 2.5}
    assert dict(cot.published[0].values) == {"hops_2": 2.25, "hops_3": 2.23, "hops_4": 2.19}


def test_traceability_takes_marks_of_answers_and_leaves_answers_without_marks_out_of_amp(tmp_path):
    ulm = Passage("p", "Einstein was born in Ulm, on the Danube.")
    claims = [
        Claim("Where?", "Ulm", "verified", "supported", (Citation(1, "p", 0, 24, ulm.text[:24]),)),
        Claim("Which river?", "the Rhine", "verified", "supported", (Citation(2, "p", 26, 39, ulm.text[26:39]),)),
    ]
    text = "He was born in Ulm [1], on the Rhine [2]."
    marked = answered(A, "Ulm", text=text, claims=claims, found=[ulm], steps=[said("p", text, "tracing")])
    run = made(
        tmp_path / "run",
        {"musique": ("musique", (A, B))},
        {("musique", "searchain"): [marked, answered(B, "Ulm", found=[ulm])]},
    )
    row = row_of(result_of("searchain_table5", run), "musique", "searchain")
    # Two marked fragments in one answer of two; of the marks of that answer one stands on what its passage says.
    assert figures(row) == {"skc": 1.0, "amp_auto": 0.5, "taken_out": 0.0, "marked": 1.0}
    assert dict(row.published[0].values) == {"skc": 2.882, "amp": 0.8}
    assert any("people" in why for why in row.published[0].why_not)


def test_marks_that_were_taken_out_are_wrong_and_their_number_is_shown(tmp_path):
    ulm = Passage("p", "Einstein was born in Ulm, on the Danube.")
    claims = [Claim("Where?", "Ulm", "verified", "supported", (Citation(1, "p", 0, 24, ulm.text[:24]),))]
    steps = [said("p", "It is old [1]. He was born in Ulm [1] [2].", "tracing")]
    record = answered(A, "Ulm", text="It is old. He was born in Ulm [1].", claims=claims, found=[ulm], steps=steps)
    record = replace(record, answer=replace(record.answer, num_marks_misplaced=1, num_marks_removed=1))
    run = made(tmp_path / "run", {"musique": ("musique", (A,))}, {("musique", "searchain"): [record]})
    row = row_of(result_of("searchain_table5", run), "musique", "searchain")
    assert figures(row) == {"skc": 2.0, "amp_auto": round(1 / 3, 2), "taken_out": 2.0, "marked": 1.0}


def test_efficiency_is_a_mean_over_datasets_with_failed_questions_in_the_costs_and_wrong_in_the_performance(tmp_path):
    one = [said("Be brief.\nWhich town?", "Ulm it is")]
    passage = Passage("p", "Ulm lies on the Danube.")
    run = made(
        tmp_path / "run",
        {"hotpotqa": ("hotpotqa", (A, B)), "musique": ("musique", (C,))},
        {
            ("hotpotqa", "searchain"): [
                answered(A, "Ulm", steps=one, found=[passage], seconds=2.0),
                answered(B, error="gone", steps=[*one, *one], seconds=4.0),
            ],
            ("musique", "searchain"): [answered(C, "Bonn", steps=one, seconds=5.0)],
        },
    )
    row = row_of(result_of("searchain_table6", run, words="billed"), "SearChain")
    # In: (4 + 8) / 2 = 6 and 4; out: (3 + 6) / 2 = 4.5 and 3; rounds: 1/2 and 0; seconds: 3 and 5; performance: 50 and 0.
    assert figures(row) == {
        "words_in": 5.0,
        "words_out": 3.75,
        "rounds": 0.25,
        "seconds": 4.0,
        "path": round(((1.0 + 1.0) / 2 + 0.5) / 2, 2),
        "performance": 25.0,
        "datasets": 2.0,
    }
    assert (row.num_failed, row.answered["performance"]) == (1, 50.0)
    assert dict(row.published[0].values) == {
        "words_in": 390, "words_out": 189, "rounds": 2.21, "seconds": 8.52, "performance": 53.29
    }  # fmt: skip
    assert any(why.startswith("over hotpotqa, musique; performance there is over hotpotqa") for why in row.published[0].why_not)
    unique = row_of(result_of("searchain_table6", run), "SearChain")
    assert figures(unique)["words_in"] == 4.0


# -- the appendix ----------------------------------------------------------------------------------------------------------


WHOLE = (
    asked("w", ["Ulm"], steps=[("x", "1"), ("y", "Ulm")]),
    asked("v", ["Ulm"], steps=[("x", "1"), ("y", "2"), ("z", "Ulm")]),
)


def part(whole, number, parts, answer):
    return asked(f"{whole}#{number}", [answer], whole=whole, parts=parts, part=number)


PARTS = (part("w", 1, 2, "1"), part("w", 2, 2, "Ulm"), part("v", 1, 3, "1"), part("v", 2, 3, "2"), part("v", 3, 3, "Ulm"))


def steps_plan(form):
    return DatasetPlan("gold_steps", {"path": "examples/musique.jsonl", "form": form})


def apart(tmp_path, wrong="v#1"):
    """Parts of w and v, all right but those that are named."""
    records = [answered(one, "0" if one.question.id in wrong.split() else one.gold.answers[0]) for one in PARTS]
    return made(tmp_path / "parts", {"parts": (steps_plan("parts"), PARTS)}, {("parts", "direct"): records})


def test_s_all_are_the_questions_of_which_every_part_is_right(tmp_path):
    records = [answered(WHOLE[0], "Ulm"), answered(WHOLE[1], "Bonn")]
    run = made(tmp_path / "run", {"musique": ("musique", WHOLE)}, {("musique", "direct"): records})
    row = row_of(result_of("searchain_table7", run, apart(tmp_path)), "musique")
    assert figures(row) == {"hops_2": 100.0, "all": 100.0}  # v is not in S_all
    assert row.num == 1
    assert dict(row.published[0].values) == {"hops_2": 39.4, "hops_3": 31.7, "hops_4": 9.3}
    both = row_of(result_of("searchain_table7", run, apart(tmp_path / "all", wrong="")), "musique")
    assert figures(both) == {"hops_2": 100.0, "hops_3": 0.0, "all": 50.0}


def test_without_the_parts_s_all_is_no_data_and_names_a_plan(tmp_path):
    run = made(tmp_path / "run", {"musique": ("musique", WHOLE)}, {("musique", "direct"): [answered(WHOLE[0], "Ulm")]})
    result = result_of("searchain_table7", run)
    assert not result.has_data
    (line,) = result.missing
    assert f'path = "{run.path}/examples/musique.jsonl"' in line
    assert 'form = "parts"' in line


def test_knowledge_form_takes_s_i_with_answers_and_s_all_without(tmp_path):
    def shown(whole, left, parts):
        return asked(f"{whole}+{left}", whole=whole, parts=parts, left=left)

    asks = (shown("w", 1, 2), shown("w", 2, 2), shown("v", 1, 3), shown("v", 2, 3), shown("v", 3, 3))
    right = {"w+1", "v+1"}
    records = [answered(one, "Ulm" if one.question.id in right else "Bonn") for one in asks]
    given = made(tmp_path / "given", {"given": (steps_plan("given"), asks)}, {("given", "direct"): records})
    listed = made(tmp_path / "listed", {"listed": (steps_plan("listed"), asks)}, {("listed", "direct"): records})
    result = result_of("searchain_figure10", apart(tmp_path), given, listed)
    # The model does not know the first part of v: v is in S_1 and S_2, and not in S_3 or S_all.
    assert figures(row_of(result, "(a) with answers, on S_i", "2")) == {"i_1": 100.0, "i_2": 0.0}
    assert figures(row_of(result, "(a) with answers, on S_i", "3")) == {"i_1": 100.0, "i_2": 0.0}
    assert figures(row_of(result, "(b) without answers, on S_all", "2")) == {"i_1": 100.0, "i_2": 0.0}
    assert not [row for row in result.rows if row.labels == ("(b) without answers, on S_all", "3")]


def test_conflict_parts_questions_by_what_the_model_alone_gets_right(tmp_path):
    good, bad = Passage("g", "Ulm lies on the Danube."), Passage("b", "Bonn lies on the Rhine.")
    # Right alone: a, b, c. The first passage holds the answer for a and d. Right with it: a, c, d.
    found = {"a": [good], "b": [bad, good], "c": [], "d": [good]}
    with_it = [answered(one, "Bonn" if one is B else "Ulm", found=found[one.question.id] or [bad]) for one in FOUR]
    run = made(
        tmp_path / "run",
        {"squad": ("squad", FOUR)},
        {("squad", "direct"): rights(FOUR, "abc"), ("squad", "top1"): with_it},
        {"direct": "direct", "top1": MethodPlan("direct_retrieval", {"num_passages": 1})},
    )
    row = row_of(result_of("searchain_table8", run), "squad")
    assert figures(row) == {"right": 3.0, "top1_t": 33.33, "with_t": 66.67, "top1_f": 100.0, "with_f": 100.0}
    assert dict(row.published[0].values) == {"top1_t": 65.88, "with_t": 86.45, "top1_f": 40.67, "with_f": 30.42}


def test_the_sweep_of_alpha_has_a_column_for_each_label(tmp_path):
    example = asked("a", ["a b c d"], form="long")
    run = made(
        tmp_path / "run",
        {"eli5": ("eli5", [example])},
        {("eli5", "low"): [answered(example, "a b c d")], ("eli5", "high"): [answered(example, "a b x y")]},
        {"low": MethodPlan("searchain", {"alpha": 0.3}), "high": MethodPlan("searchain", {"alpha": 0.5})},
    )
    result = result_of("searchain_table10", run)
    assert figures(row_of(result, "eli5")) == {"alpha_30": 100.0, "alpha_50": 50.0}
    assert [line for line in result.missing if "--set methods.searchain.alpha=0.4 " in line]
    assert row_of(result, "eli5").published[0].values["alpha_40"] == 25.58


def test_theta_is_the_threshold_with_the_best_f1_on_questions_and_their_first_passages(tmp_path):
    good, bad = Passage("g", "Ulm lies on the Danube."), Passage("b", "Bonn lies on the Rhine.")
    records = [
        answered(A, "Ulm", found=[good], reading=3.0),
        answered(B, "Ulm", found=[good], reading=1.6),
        answered(C, "Ulm", found=[bad, good], reading=1.45),
        answered(D, "Ulm", found=[bad], reading=0.5),
    ]
    reads = MethodPlan("direct_retrieval", {"read_first": True})
    run = made(
        tmp_path / "run", {"squad": ("squad", FOUR)}, {("squad", "reads"): records}, {"reads": reads}, reader="dpr:model"
    )
    row = row_of(result_of("searchain_theta", run), "dpr:model")
    assert figures(row, 1) | {"low": None, "high": None} == {
        "theta": 1.5, "f1": 100.0, "precision": 100.0, "recall": 100.0, "low": None, "high": None, "positive": 2.0
    }  # fmt: skip
    from_two = row_of(result_of("searchain_theta", run, start=2.0), "dpr:model")
    assert from_two.values["theta"] == pytest.approx(2.9)  # the highest below 3.0, as the paper breaks ties: recall is half
    assert from_two.values["recall"] == 50.0
    assert dict(row.published[0].values) == {"theta": 1.5}
    none = result_of("searchain_theta", run, start=5.0)
    assert none.rows[0].values.get("theta") is None
    assert "no theta from 5 up finds a positive pair of dpr:model" in none.missing[0]


@pytest.mark.parametrize("name", ["searchain_table7", "searchain_figure10", "searchain_table10", "searchain_theta"])
def test_a_run_that_lacks_everything_gives_no_figure_and_says_what_to_evaluate(tmp_path, name):
    run = made(tmp_path / "run", {"hotpotqa": ("hotpotqa", (A,))}, {("hotpotqa", "ircot"): []})
    result = result_of(name, run)
    assert not result.has_data
    assert result.missing


@pytest.mark.parametrize(
    ("method", "says", "options", "steps"),
    [
        ("cot", ["He was born in Ulm. It is on the Danube. So the final answer is the Danube."], {}, 2.0),
        (
            "self_ask_no_search",
            [" Yes.\nFollow up: Born where?\nIntermediate answer: Ulm.\nFollow up: Which river?\nIntermediate answer: Danube.\n"
             "So the final answer is: Danube"],
            {},
            2.0,
        ),
        ("least_to_most", ['we need to know: "Where?", "Which river?".', "Ulm", "Danube", "So the final answer is Danube."],
         {}, 2.0),
        ("searchain", [chain(("Where?", "Ulm"), ("Which river?", "Danube"), ("Is it?", "Yes"), final="Danube.")] * 2,
         {"use_retrieval": False}, 3.0),
    ],
)  # fmt: skip
async def test_steps_are_read_off_what_the_methods_really_file(tmp_path, method, says, options, steps):
    two = asked("a", hops=2)
    record = await Bench(says).ask(two.question, method, **options)
    cells = {("musique", "made"): [record]}
    run = made(tmp_path / "run", {"musique": ("musique", (two,))}, cells, {"made": MethodPlan(method, options)})
    (row,) = [row for row in result_of("searchain_table4", run).rows if row.num]
    assert figures(row) == {"hops_2": steps}
