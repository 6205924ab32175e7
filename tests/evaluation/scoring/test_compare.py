import json
import random
import shutil
from dataclasses import replace

import pytest
from support.runs import answered, asked, made
from support.scored import summary_of
from support.small_run import example, make_run, record
from typer.testing import CliRunner

from hopweave.apps.cli import app
from hopweave.core.errors import DataError, SettingsError
from hopweave.core.types import Passage, Question
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.compare import again, compare, opened_again
from hopweave.evaluation.scoring.comparisons import keep_comparisons, kept_comparisons, outdated
from hopweave.evaluation.scoring.results import Interval
from hopweave.evaluation.scoring.score import PRIMARY, open_metrics, score_run
from hopweave.evaluation.scoring.statistics import mcnemar

RIGHT, WRONG = "1874", "1875"


def answers(*flags):
    return [{1: RIGHT, 0: WRONG, None: None, "-": "-"}[flag] for flag in flags]


def only(run, *what, **more):
    ((table,), *_) = [compare(run, what, **more)]
    return table


def test_wins_losses_and_the_test_of_a_binary_column_are_those_of_the_pairs(tmp_path):
    flags = [(1, 0)] * 9 + [(0, 1)] * 2 + [(1, 1)] * 5 + [(0, 0)] * 4
    run = make_run(tmp_path / "run", {"a": answers(*(b for _, b in flags)), "b": answers(*(a for a, _ in flags))})
    table = only(run)
    (row,) = table.rows
    assert (table.column, row.method, row.baseline, row.test) == ("cover_em", "b", "a", "McNemar")
    assert (row.num_pairs, row.num_left_out, row.num_wins, row.num_losses) == (20, 0, 9, 2)
    assert (row.mean, row.baseline_mean, row.difference) == pytest.approx((0.7, 0.35, 0.35))
    assert (row.p, row.p_mid) == mcnemar(9, 2)
    assert row.interval.low < 0.35 < row.interval.high
    assert row.says == "not told apart"


def test_a_pair_in_which_one_failed_counts_it_as_wrong_and_what_was_not_asked_is_left_out_and_counted(tmp_path):
    run = make_run(
        tmp_path / "run", {"a": answers(1, 1, None, 0, "-", 1), "b": answers(1, None, 1, 0, 1, 0), "c": answers(*["-"] * 6)}
    )
    row, nothing = only(run).rows
    assert (row.num_pairs, row.num_failed, row.num_left_out, row.difference) == (5, 2, 1, pytest.approx(-1 / 5))
    assert row.difference_answered == pytest.approx(-1 / 3)
    assert row.bounds == Interval(pytest.approx(-2 / 5), pytest.approx(0.0))
    assert (nothing.num_pairs, nothing.difference, nothing.p, nothing.p_holm) == (0, None, None, None)
    assert nothing.says == "no pairs, so no data"
    assert row.p_holm == row.p


def test_identical_results_say_that_no_difference_was_seen(tmp_path):
    said = answers(*[1, 0] * 20)
    (row,) = only(make_run(tmp_path / "run", {"a": said, "b": said})).rows
    assert (row.says, row.difference, row.p, row.p_mid) == ("no difference was seen", 0.0, 1.0, 1.0)
    assert row.percentile_interval is row.effect_size is row.minimum_detectable is None
    assert row.interval == Interval(pytest.approx(-0.0881, abs=1e-4), pytest.approx(0.0881, abs=1e-4))


def test_too_few_pairs_say_so_even_if_all_of_them_differ(tmp_path):
    (row,) = only(make_run(tmp_path / "few", {"a": answers(*[0] * 5), "b": answers(*[1] * 5)})).rows
    assert row.says == "too few pairs: 5 cannot tell anything apart, whatever they say"
    (row,) = only(make_run(tmp_path / "enough", {"a": answers(*[0] * 6), "b": answers(*[1] * 6)})).rows
    assert row.says == "better"


@pytest.mark.slow
def test_more_methods_make_the_corrected_p_and_the_detectable_difference_greater(tmp_path):
    draw = random.Random(4)
    said = {"a": [0] * 40, **{name: [int(draw.random() < 0.25) for _ in range(40)] for name in "bcd"}}
    run = make_run(tmp_path / "run", {name: answers(*flags) for name, flags in said.items()})
    alone, among = only(run, methods=["b"]).rows[0], only(run).rows[0]
    assert alone.p == among.p == alone.p_holm < among.p_holm
    assert alone.minimum_detectable < among.minimum_detectable
    assert alone.interval == among.interval


@pytest.mark.slow
def test_lower_is_better_where_the_column_says_so(tmp_path):
    run = make_run(tmp_path / "run", {"a": answers(*[None] * 8), "b": answers(*[1] * 8)})
    (row,) = only(run, "failure_rate").rows
    assert (row.difference, row.says) == (-1.0, "better")
    assert (row.num_wins, row.num_losses) == (8, 0)


def test_of_a_column_that_neither_way_is_better_in_it_is_said_that_methods_differ_and_not_which_is_higher(tmp_path):
    examples = [asked(f"q{number}", passage_ids=["1"]) for number in range(8)]
    one, two = Passage("1", "Ulm."), Passage("2", "Bonn.")
    cells = {
        ("musique", "oner"): [answered(example, "Ulm", found=[one]) for example in examples],
        ("musique", "ircot"): [answered(example, "Ulm", found=[one, two]) for example in examples],
    }
    run = made(tmp_path / "run", {"musique": ("musique", examples)}, cells)
    (row,) = only(run, "paragraph_recall.paragraphs_retrieved").rows
    assert (row.difference, row.says) == (1.0, "different; neither way is better")


def test_a_column_that_is_not_binary_is_tested_by_permutation(tmp_path):
    said = ["1874", "1875 and 1874", "in 1874 or so"]
    run = make_run(tmp_path / "run", {"a": [said[n % 3] for n in range(30)], "b": [said[0]] * 30})
    table = only(run, "f1.f1")
    (row,) = table.rows
    assert (row.test, row.p_mid, row.says) == ("permutation", None, "better")
    assert row.num_wins == 20


@pytest.mark.slow
def test_the_same_seed_gives_the_same_table_and_another_one_another(tmp_path):
    draw = random.Random(1)
    said = {name: answers(*(draw.choice((0, 1, None)) for _ in range(40))) for name in "ab"}
    run = make_run(tmp_path / "run", said)
    assert only(run) == only(run)
    assert only(run, seed=1).rows[0].percentile_interval is not None
    assert {only(run, num_resamples=500, seed=seed).rows[0].percentile_interval for seed in range(4)} != {
        only(run, num_resamples=500).rows[0].percentile_interval
    }


def test_columns_and_metrics_are_found_by_name(tmp_path):
    run = make_run(tmp_path / "run", {"a": answers(1, 0), "b": answers(0, 1)})
    assert [table.column for table in compare(run, ["f1"])] == ["f1", "f1_precision", "f1_recall"]
    assert [table.metric for table in compare(run, ["llm_calls"])] == ["calls"]
    for what, message in [("f1.f2", "has no column"), ("cover_rm", "did you mean 'cover_em'"), ("f9.x", "not a metric")]:
        with pytest.raises(SettingsError, match=message):
            compare(run, [what])
    for more in ({"baseline": "z"}, {"methods": ["z"]}, {"methods": ["a"]}, {"num_resamples": 0}):
        with pytest.raises(SettingsError):
            compare(run, **more)


def test_scores_that_are_older_than_the_records_are_not_used(tmp_path):
    run = make_run(tmp_path / "run", {"a": answers(1, 1), "b": answers(0, 0)})
    summary_of(run, is_kept=True)
    place = tmp_path / "run" / "scores.jsonl"
    place.write_text(place.read_text().replace('{"cover_em": 0.0}', '{"cover_em": 1.0}'))
    assert only(run).rows[0].difference == 0.0  # what is there is of these records, and is believed until it is verified
    run.add("lights", "b", next(run.records("lights", "b")))
    assert only(run).rows[0].difference == -1.0


def mixed(folder):
    """A run of two long questions, a label and a short answer."""
    label = replace(asked("c", ["Yes"], form="label"), question=Question("c", "Is it c?", "label", ("Yes", "No")))
    examples = [asked("a", form="long"), asked("b", form="long"), label, asked("d")]
    records = [answered(one, "Yes") for one in examples]
    return made(folder, {"own": ("jsonl", examples)}, {("own", "direct"): records, ("own", "cot"): records})


def pairs_of(run, *what):
    return {table.column: [row.num_pairs for row in table.rows] for table in compare(run, what)}


@pytest.mark.parametrize("is_scored", [False, True])
def test_pairs_are_of_the_questions_that_the_score_is_of(tmp_path, is_scored):
    run = mixed(tmp_path / "run")
    if is_scored:
        summary_of(run, is_kept=True)
    assert pairs_of(run) == {"cover_em": [2], "rouge_l": [2]}  # a label and a short answer are both scored by cover-EM
    assert pairs_of(run, "rouge_l", "exact_match") == {"rouge_l": [2], "exact_match": [1]}
    means = {name: mean.num_scored for name, mean in summary_of(run).cells[0].means.items()}
    assert (means["cover_em"], means["label_accuracy"], means["rouge_l"]) == (2, 1, 2)


def test_a_metric_that_the_run_was_scored_with_by_name_is_compared_on_all_questions_and_so_again(tmp_path):
    run = mixed(tmp_path / "run")
    summary_of(run, ["rouge_l"], is_kept=True)
    assert pairs_of(run, "rouge_l") == {"rouge_l": [4]}
    (table,) = compare(run, ["rouge_l"])
    summary_of(run, is_kept=True)
    assert pairs_of(run, "rouge_l") == {"rouge_l": [2]}
    assert again(run, table, score_run(run, [opened_again(run, table)])) == table


def test_a_named_metric_that_is_for_none_of_the_forms_of_answer_is_compared_on_all_questions(tmp_path):
    run = make_run(tmp_path / "run", {"a": answers(1, 0), "b": answers(0, 1)})
    summary_of(run, is_kept=True)
    assert pairs_of(run, "rouge_l") == {"rouge_l": [2]}


def test_scores_of_other_forms_of_answer_are_not_used(tmp_path):
    run = mixed(tmp_path / "run")
    summary_of(run, ["rouge_l"], is_kept=True)
    other = shutil.copytree(run.path, tmp_path / "other")
    summary_of(run, is_kept=True)
    (table,) = compare(run, ["rouge_l"], further=[RunFolder.open(other)], baseline="other:direct", methods=["direct"])
    assert [row.num_pairs for row in table.rows] == [2]


@pytest.mark.slow
def test_options_are_those_of_the_scores_unless_others_are_given(tmp_path):
    run = make_run(tmp_path / "run", {"a": answers(1), "b": answers(0)})
    summary_of(run, options={"cover_em": {"boundary": "raw"}}, is_kept=True)
    assert only(run, "cover_em").options == {"boundary": "raw"}
    assert only(run, "cover_em", options={"cover_em": {"scope": "full"}}).options == {"scope": "full"}


def test_tables_are_kept_beside_each_other_and_a_newer_one_of_the_same_takes_the_place(tmp_path):
    run = make_run(tmp_path / "run", {"a": answers(1, 0, 1), "b": answers(0, 1, 1)})
    keep_comparisons(run, compare(run))
    first = kept_comparisons(run)
    keep_comparisons(run, compare(run, ["f1.f1"]))
    keep_comparisons(run, compare(run))
    assert [table.column for table in kept_comparisons(run)] == ["cover_em", "f1"]
    assert kept_comparisons(run)[0] == first[0] == only(run)
    (tmp_path / "run" / "compare.json").write_text("{")
    with pytest.raises(DataError, match="delete it"):
        kept_comparisons(run)


def test_tables_of_records_that_have_changed_are_dropped_when_others_are_kept(tmp_path):
    run = make_run(tmp_path / "run", {"a": answers(1, 0, 1), "b": answers(0, 1, 1), "c": answers(0, 1)})
    of_all, of_two = compare(run, ["f1.f1"]), compare(run, ["cover_em"], methods=["b"])
    assert keep_comparisons(run, [*of_all, *of_two]) == []
    assert outdated(run, kept_comparisons(run)) == []
    run.add("lights", "c", record(example(2)))
    assert outdated(run, kept_comparisons(run)) == [(*of_all, ["lights/c"])]
    new = compare(run, ["exact_match"])
    assert keep_comparisons(run, new) == of_all
    assert kept_comparisons(run) == [*of_two, *new]


def test_a_table_is_out_of_date_once_a_method_without_records_has_some(tmp_path):
    run = make_run(tmp_path / "run", {"a": answers(1, 0), "b": answers("-", "-")})
    tables = compare(run, ["cover_em"])
    assert outdated(run, tables) == []
    run.add("lights", "b", record(example(1)))
    assert outdated(run, tables) == [(*tables, ["lights/b"])]


def test_a_table_of_records_that_have_changed_is_replaced_in_its_place_and_not_dropped(tmp_path):
    run = make_run(tmp_path / "run", {"a": answers(1, 0), "b": answers(0)})
    keep_comparisons(run, compare(run))
    run.add("lights", "b", record(example(1)))
    assert keep_comparisons(run, compare(run)) == []
    assert [row.num_pairs for table in kept_comparisons(run) for row in table.rows] == [2]


NEW_FIELDS = ("forms", "files", "records")


def as_an_earlier_version_left_it(run):
    """Without what tables are made from."""
    place = run.path / "compare.json"
    data = json.loads(place.read_text())
    tables = [{key: value for key, value in table.items() if key not in NEW_FIELDS} for table in data["tables"]]
    assert tables != data["tables"]
    place.write_text(json.dumps(data | {"tables": tables}, indent=1) + "\n")
    return tables


def test_tables_of_an_earlier_version_are_read_computed_again_on_all_questions_and_kept_in_the_same_form(tmp_path):
    run = mixed(tmp_path / "run")
    summary_of(run, ["rouge_l"], is_kept=True)
    keep_comparisons(run, compare(run, ["rouge_l"]))
    tables = as_an_earlier_version_left_it(run)
    summary_of(run, is_kept=True)
    (table,) = kept_comparisons(run)
    assert outdated(run, [table]) == []
    assert again(run, table, score_run(run, [opened_again(run, table)])) == table
    keep_comparisons(run, compare(run, ["cover_em"]))
    kept = json.loads((run.path / "compare.json").read_text())["tables"]
    assert kept[:1] == tables
    assert len(kept) == 2


def test_what_is_compared_by_default_goes_by_the_form_of_answer():
    assert set(PRIMARY.values()) <= {name for metric in open_metrics()[0] for name in metric.columns}


def test_the_command_compares_by_several_metrics_that_are_separated_by_commas(tmp_path):
    run = make_run(tmp_path / "run", {"a": answers(1, 0), "b": answers(0, "-")})
    output = CliRunner().invoke(app, ["compare", str(run.path), "--metrics", "f1.f1, exact_match"]).output
    assert [line for line in output.splitlines() if "against" in line] == [
        "lights: f1 against a",
        "lights: exact_match against a",
    ]


def test_the_command_says_which_tables_it_dropped_and_how_they_are_made_again(tmp_path):
    run = make_run(tmp_path / "run", {"a": answers(1, 0), "b": answers(0, "-")})
    for words in (["--metrics", "f1.f1"], ["--metrics", "exact_match", "--seed", "3"]):
        assert "dropped" not in CliRunner().invoke(app, ["compare", str(run.path), *words]).output
    run.add("lights", "b", record(example(1)))
    output = CliRunner().invoke(app, ["compare", str(run.path), "--metrics", "f1.f1"]).output
    commands = [line.partition("run: ")[2] for line in output.splitlines() if line.startswith("dropped from compare.json")]
    assert commands == [f"hopweave compare {run.path} --metrics exact_match.exact_match --baseline a --seed 3"]


def test_the_command_prints_the_same_bytes_and_keeps_the_table(tmp_path):
    make_run(tmp_path / "run", {"a": answers(*[0, 1, 1, 0] * 5), "b": answers(*[1, 1, 1, None] * 5)})
    words = ["compare", str(tmp_path / "run"), "--metrics", "cover_em", "--baseline", "a"]
    first = CliRunner().invoke(app, words)
    again = CliRunner().invoke(app, words)
    assert first.exit_code == 0
    assert first.output == again.output
    assert "lights: cover_em against a" in first.output
    row = next(line for line in first.output.splitlines() if line.startswith("b "))
    assert row.split()[1:6] == ["20", "5", "0.750", "0.500", "0.250"]
    assert len(json.loads((tmp_path / "run" / "compare.json").read_text())["tables"]) == 1
