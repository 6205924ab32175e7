"""Figures by the size of the model, their drawings, and IRCoT's table of other systems."""

import pytest
from support.drawings import plot_dots, plot_lines, plot_texts
from support.runs import answered, asked, figures, made, result_of, row_of
from typer.testing import CliRunner

from hopweave.apps.cli import app
from hopweave.core.types import Passage
from hopweave.evaluation.papers._published import billions_of
from hopweave.evaluation.reports.analysis_results import written
from hopweave.evaluation.runs.folder import MethodPlan

ULM, BONN = Passage("1", "Ulm."), Passage("2", "Bonn.")
A, B = asked("a", passage_ids=["1", "2"]), asked("b", passage_ids=["1"])
FOUR = tuple(asked(name) for name in "abcd")


def sized(tmp_path, name, llm, answer):
    """A run of IRCoT and OneR under one model."""
    cells = {
        ("musique", "oner"): [answered(A, "Ulm", found=[ULM]), answered(B, "Bonn", found=[ULM])],
        ("musique", "ircot"): [answered(A, answer, found=[BONN, ULM]), answered(B, "Ulm", found=[ULM])],
    }
    return made(tmp_path / name, {"musique": ("musique", (A, B))}, cells, llm=llm)


def test_recall_has_a_row_for_each_size_of_model_with_the_published_gain_of_those_that_have_one(tmp_path):
    runs = [sized(tmp_path, "small", "hf:google/flan-t5-base", "Ulm"), sized(tmp_path, "large", "hf:google/flan-t5-xxl", "Ulm")]
    result = result_of("ircot_figure5", *runs)
    small, large = (row_of(result, "musique", f"hf:google/flan-t5-{size}") for size in ("base", "xxl"))
    assert figures(small) == {"size": 0.3, "oner": 75.0, "ircot": 100.0, "gain": 25.0}
    assert large.values["size"] == 11.0
    assert small.published == ()
    assert [dict(paper.values) for paper in large.published] == [{"gain": 3.8}]
    drawing = written(result, "svg")
    assert len(plot_lines(drawing)) == 2
    assert len(plot_dots(drawing)) == 4 + 2  # and the legend


def test_f1_pairs_one_step_and_interleaved_retrieval_of_the_same_model_and_reader(tmp_path):
    ways = {
        f"{name}-{reader}": MethodPlan(name, {"reader": reader}) for name in ("oner", "ircot") for reader in ("cot", "direct")
    }
    cells = {("musique", way): [answered(A, "Ulm" if way == "ircot-direct" else "Bonn")] for way in ways}
    run = made(tmp_path / "run", {"musique": ("musique", (A,))}, cells, ways, llm="openai:code-davinci-002")
    result = result_of("ircot_figure6", run)
    direct = row_of(result, "musique", "openai:code-davinci-002", "ircot-direct")
    assert figures(direct) == {"size": 175.0, "oner": 0.0, "ircot": 100.0, "gain": 100.0}
    assert figures(row_of(result, "musique", "openai:code-davinci-002", "ircot-cot"))["gain"] == 0
    assert [set(paper.values) for paper in direct.published] == [{"ircot"}]
    other = made(
        tmp_path / "other", {"musique": ("musique", (A,))}, {("musique", "ircot"): [answered(A, "Ulm")]}, llm="gpt-4.0"
    )
    lacking = result_of("ircot_figure6", other)
    assert not lacking.has_data
    assert lacking.plot is None
    assert len(lacking.missing) == 2


def test_robustness_is_drawn_over_the_sizes_of_models_with_the_published_points(tmp_path):
    def run(name, llm, toqd):
        cells = {
            ("wiki", "toqd"): [answered(example, "Ulm" if example.question.id in toqd else "Bonn") for example in FOUR],
            ("wiki", "oner"): [answered(example, "Bonn") for example in FOUR],
        }
        return made(tmp_path / name, {"wiki": ("two_wikimultihopqa", FOUR)}, cells, llm=llm)

    runs = [run("large", "openai:llama-3-70b", "abc"), run("small", "local:gemma-2b-it", "a"), run("own", "local:mine", "ab")]
    result = result_of("toqd_figure4", *runs)
    assert [row.values["size"] for row in result.rows] == [None, 2.0, 70.0]
    assert figures(result.rows[1]) == {"size": 2.0, "baseline": 0.0, "toqd": 25.0, "gain": 25.0}
    assert dict(result.rows[1].published[0].values) == {"baseline": 34.63, "toqd": 38.17, "gain": 3.54}
    drawing = written(result, "svg")
    words = plot_texts(drawing)
    assert {"CoT w/ IR", "ToQD w/ IR", "CoT w/ IR, published", "ToQD w/ IR, published", "wiki"} <= set(words)
    assert plot_dots(drawing).count(False) == 2 * 10 + 2  # ten models with a size, and the legend
    out = tmp_path / "figure.svg"
    folders = [str(one.path) for one in runs]
    done = CliRunner().invoke(app, ["analyse", folders[0], "toqd_figure4", "--with", folders[1], "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert out.read_text().startswith("<svg")
    done = CliRunner().invoke(app, ["analyse", folders[0], "toqd_table5", "--out", str(out.with_suffix(".pdf"))])
    assert "cannot tell how to write '.pdf'" in done.output
    assert not out.with_suffix(".pdf").exists()
    done = CliRunner().invoke(app, ["analyse", folders[0], "toqd_table5", "--as", "svg"])
    assert (done.exit_code, "there is no drawing of ToQD table 5" in done.output) == (1, True), done.output
    done = CliRunner().invoke(app, ["analyse", folders[0], "--as", "svg"])
    assert (done.exit_code, "a drawing is of one analysis" in done.output) == (1, True), done.output


@pytest.mark.parametrize(
    ("model", "size"),
    [("hf:google/flan-t5-xl", 3.0), ("hf:google/flan-t5-xxl", 11.0), ("openai:https://x/v1:Llama-3-8B", 8.0), ("mine", None)],
)
def test_the_longest_published_name_tells_the_size_of_a_model(model, size):
    assert billions_of(model) == size


def test_other_systems_stand_beside_on_the_parts_of_datasets_that_the_paper_has(tmp_path):
    bridge, other = asked("a", type="bridge"), asked("b", type="comparison")
    cells = {
        ("hotpotqa", "react"): [answered(bridge, "Ulm"), answered(other, "old Ulm")],
        ("hotpotqa", "ircot"): [answered(bridge, "Ulm"), answered(other, error="gone")],
    }
    ways = {"react": MethodPlan("react"), "ircot": MethodPlan("ircot", {"reader": "cot"})}
    run = made(tmp_path / "run", {"hotpotqa": ("hotpotqa", (bridge, other))}, cells, ways)
    result = result_of("ircot_table2", run)
    assert figures(row_of(result, "hotpotqa", "bridge", "ReAct"), 0) == {"exact_match": 100.0, "f1": 100.0}
    everything = row_of(result, "hotpotqa", "all", "ReAct")
    assert figures(everything, 0) == {"exact_match": 50.0, "f1": 84.0}
    assert [dict(paper.values) for paper in everything.published] == [{"exact_match": 35.1}]
    assert "the model is openai:https://models.example/v1:small, there palm 540b" in everything.published[0].why_not
    ircot = row_of(result, "hotpotqa", "all", "IRCoT, CoT reader")
    assert (ircot.num, ircot.num_failed) == (2, 1)
    assert [dict(paper.values) for paper in ircot.published] == [{"exact_match": 50.4, "f1": 61.2}]
    decomp = row_of(result, "hotpotqa", "bridge", "DecomP")
    assert [dict(paper.values) for paper in decomp.published] == [{"f1": 50.0}]
    assert decomp.values == {}
    musique = tuple(asked(name, hops=hops) for name, hops in (("a", 2), ("b", 3)))
    run = made(tmp_path / "2", {"m": ("musique", musique)}, {("m", "self_ask"): [answered(one, "Ulm") for one in musique]})
    row = row_of(result_of("ircot_table2", run), "m", "2 hops", "Self-Ask")
    assert (row.num, dict(row.published[0].values)) == (1, {"exact_match": 15.2})
