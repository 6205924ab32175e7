"""The benchmark of all methods: its draws, its tables, and that it goes on where it was."""

import csv
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from support.markdown_tables import tables_in

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import small_model

from hopweave.retrieval.engines.bm25 import BM25

NUM_ROWS = 100


def town(number):
    return f"Carrow{number}", [f"Carrow{number} lies on the river Nith{number}.", f" Its mayor is called Tam{number}."]


def common(number):
    title, _ = town(number)
    return {"question": f"Which river does {title} lie on?", "answer": f"Nith{number}"}


def with_sentences(number):
    facts = {"supporting_facts": [[f"Carrow{number}", 0]], "context": [list(town(number))], "type": "bridge"}
    return {"_id": f"q{number}", **common(number), **facts}


def with_paragraphs(number):
    title, sentences = town(number)
    paragraph = {"idx": 0, "title": title, "paragraph_text": "".join(sentences), "is_supporting": True}
    return {"id": f"2hop__{number}", **common(number), "paragraphs": [paragraph]}


@pytest.fixture(autouse=True)
def scene(tmp_path, monkeypatch):
    """Three files of a hundred questions, and a model that is right where the number is even."""
    for name in list(os.environ):
        if name.startswith("HOPWEAVE_"):
            monkeypatch.delenv(name)
    for kind in ("CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind))
    monkeypatch.chdir(tmp_path)
    data = Path("data")
    data.mkdir()
    rows = [with_sentences(number) for number in range(NUM_ROWS)]
    for name in ("hotpotqa_dev100.json", "2wikimultihopqa_dev100.json"):
        (data / name).write_text(json.dumps(rows))
    (data / "2wikimultihopqa_corpus.json").write_text('[{"title": "Elsewhere", "text": "No river is here."}]')
    (data / "musique_dev100.jsonl").write_text("".join(json.dumps(with_paragraphs(n)) + "\n" for n in range(NUM_ROWS)))
    rules = [
        {"find": f"Carrow{n} lie on", "say": f"So the answer is: Nith{n if n % 2 == 0 else 'ing'}."} for n in range(NUM_ROWS)
    ]
    Path("rules.json").write_text(json.dumps({"rules": rules}))


def shown(capsys, monkeypatch, *arguments, source=("--data", "data")):
    """The rows of each table that the benchmark prints, by its title and the method, of several the last one."""
    model = ["--llm", "scripted", "--set", "llms.scripted.rules_file=rules.json"]
    monkeypatch.setattr(sys, "argv", ["small_model.py", *source, "--out", "out", *model, *arguments])
    small_model.main()
    return {title: {row["method"]: row for row in rows} for title, rows in tables_in(capsys.readouterr().out).items()}


def drawn(half):
    """The numbers of the drawn questions of each file."""
    found = {}
    for file in small_model.FILES.values():
        text = (Path("out") / half / file).read_text()
        rows = json.loads(text) if file.endswith(".json") else [json.loads(line) for line in text.splitlines()]
        found[file] = [int(re.search(r"\d+$", row.get("_id", row.get("id")))[0]) for row in rows]
    return found


@pytest.mark.slow
def test_the_halves_are_the_first_30_and_40_others_of_which_none_was_looked_at(capsys, monkeypatch):
    for half in ("choose", "confirm"):
        shown(capsys, monkeypatch, "--half", half, "--questions", "1", "--methods", "direct")
    assert all(numbers == [*range(30)] for numbers in drawn("choose").values())
    for numbers in drawn("confirm").values():
        assert len(set(numbers)) == 40
        assert min(numbers) >= 57
        assert numbers != sorted(numbers)


@pytest.mark.slow
def test_tables_say_what_is_right_what_it_cost_and_whether_it_cites_the_gold_sentences(capsys, monkeypatch):
    tables = shown(capsys, monkeypatch, "--half", "choose", "--questions", "4", "--methods", "direct,direct_retrieval")
    whole, of_musique = tables["All, over all questions"], tables["musique"]
    for row in whole.values():
        assert (row["questions"], row["failed"], row["right %"], row["calls"]) == ("12", "0", "50.0", "1.0")
    cites = whole["direct_retrieval"]
    assert (cites["gold precision %"], cites["gold recall %"], cites["gold of cited %"]) == ("50.0", "50.0", "100.0")
    assert (cites["supported"], cites["wrong of supported %"]) == ("6", "0.0")
    assert whole["direct"]["gold precision %"] == "0.0"
    assert of_musique["direct_retrieval"]["gold precision %"] == "no data"
    assert float(whole["direct"]["right / 1,000 tokens"]) > float(cites["right / 1,000 tokens"]) > 0
    (difference,) = tables["Right answers against direct_retrieval, question by question"].values()
    assert (difference["pairs"], difference["wins"], difference["losses"]) == ("12", "0", "0")
    assert {row["verify"] for row in tables["Runs"].values()} == {"passed"}


@pytest.mark.slow
def test_more_questions_begin_with_the_fewer_and_cost_their_own_calls_alone(capsys, monkeypatch):
    few = shown(capsys, monkeypatch, "--half", "confirm", "--questions", "2", "--methods", "direct")
    more = shown(capsys, monkeypatch, "--half", "confirm", "--questions", "3", "--methods", "direct")
    assert [one["musique"]["direct"]["questions"] for one in (few, more)] == ["2", "3"]
    lines = Path("out/confirm-3/direct/records/musique/direct.jsonl").read_text().splitlines()
    calls = [step for line in lines for step in json.loads(line)["steps"] if step["kind"] == "model_call"]
    assert [call["timing"]["from_store"] for call in calls] == [True, True, False]


@pytest.mark.slow
def test_everyday_documents_are_asked_about_each_folder_in_an_index_of_its_own(capsys, monkeypatch):
    asked = ("--half", "confirm", "--questions", "2", "--methods", "direct_retrieval")
    tables = shown(capsys, monkeypatch, *asked, source=("--everyday", "en-town,de"))
    assert [tables[name]["direct_retrieval"]["questions"] for name in ("en-town", "de", "All, over all questions")] == [
        "2",
        "2",
        "4",
    ]
    lines = Path("out/everyday-confirm-2/direct_retrieval/records/de/direct_retrieval.jsonl").read_text().splitlines()
    assert [json.loads(line)["question"]["id"] for line in lines] == ["DE-02", "DE-04"]
    assert Path("out/corpora/everyday-en-town").is_dir()


def test_what_comes_after_the_first_questions_is_a_draw_and_a_run_of_its_own(capsys, monkeypatch):
    asked = ("--half", "choose", "--methods", "direct", "--after", "28")
    assert shown(capsys, monkeypatch, *asked)["musique"]["direct"]["questions"] == "2"
    assert all(numbers == [28, 29] for numbers in drawn("choose-after-28").values())
    assert Path("out/choose-2-after-28/direct/records").is_dir()
    with pytest.raises(SystemExit):
        shown(capsys, monkeypatch, *asked, "--questions", "3")


@pytest.mark.slow
def test_without_gold_passages_no_answer_has_a_tick_and_the_corpus_is_one_of_its_own(capsys, monkeypatch):
    asked = ("--half", "choose", "--questions", "2", "--methods", "direct_retrieval")
    ticks = shown(capsys, monkeypatch, *asked)["Ticks"]["direct_retrieval"]
    assert (ticks["questions of"], ticks["questions"], ticks["right"], ticks["ticks"]) == ("all", "6", "3", "3")
    assert ticks["% (95% interval)"] == "100.0 (29.2 to 100.0)"
    tables = shown(capsys, monkeypatch, *asked, "--without-gold")
    without = tables["Ticks, without the gold passages: every tick is wrong"]["direct_retrieval"]
    assert (without["questions"], without["right"], without["ticks"]) == ("6", "3", "0")
    assert Path("out/choose-without-gold-2/direct_retrieval/records").is_dir()
    [found] = BM25(Path("out/corpora/musique-choose-without-gold")).search(["Carrow mayor river lies"], NUM_ROWS)
    assert {hit.passage.title for hit in found} == {f"Carrow{number}" for number in range(30, NUM_ROWS)}


@pytest.mark.slow
def test_what_was_killed_goes_on_and_a_method_under_another_label_joins_the_table(capsys, monkeypatch):
    asked = ("--half", "choose", "--questions", "3")
    before = shown(capsys, monkeypatch, *asked, "--methods", "direct")
    records = Path("out/choose-3/direct/records/musique/direct.jsonl")
    text = records.read_text()
    records.write_text("".join(text.splitlines(keepends=True)[:1]) + '{"torn')
    manifest = Path("out/choose-3/direct/manifest.json")
    manifest.write_text(manifest.read_text().replace('"is_complete": true', '"is_complete": false'))
    after = shown(
        capsys,
        monkeypatch,
        *asked,
        "--methods",
        "direct_retrieval",
        "--as",
        "two",
        "--set",
        "methods.direct_retrieval.num_passages=2",
    )
    assert after["musique"].keys() == {"two"}
    again = shown(capsys, monkeypatch, *asked, "--methods", "direct")
    assert again["musique"].keys() == {"two", "direct"}
    assert again["musique"]["direct"] == before["musique"]["direct"]
    assert again["Runs"]["direct"]["verify"] == "passed"


@pytest.mark.slow
def test_what_was_measured_elsewhere_is_compared_and_kept_in_one_file(capsys, monkeypatch):
    asked = ("--half", "choose", "--questions", "4", "--outcomes", "outcomes.csv")
    alone = shown(capsys, monkeypatch, *asked, "--methods", "direct")
    assert not any(title.startswith("Right answers") for title in alone)
    shutil.rmtree("out")
    tables = shown(capsys, monkeypatch, *asked, "--methods", "direct_retrieval")
    (difference,) = tables["Right answers against direct_retrieval, question by question"].values()
    assert (difference["method"], difference["pairs"], difference["wins"]) == ("direct", "12", "0")
    assert tables["musique"].keys() == {"direct_retrieval"}
    shown(capsys, monkeypatch, "--half", "confirm", "--questions", "1", "--methods", "direct", "--outcomes", "outcomes.csv")
    with Path("outcomes.csv").open() as file:
        rows = list(csv.DictReader(file))
    of_choose = [row for row in rows if row["half"] == "choose"]
    assert (len(rows), len(of_choose)) == (27, 24)
    assert {(row["question"], row["right"]) for row in of_choose if row["dataset"] == "hotpotqa"} == {
        (f"q{number}", str(1 - number % 2)) for number in range(4)
    }


@pytest.mark.slow
def test_a_method_is_compared_with_itself_on_another_model(capsys, monkeypatch):
    asked = ("--half", "choose", "--questions", "2", "--methods", "direct", "--baseline", "direct", "--outcomes", "all.csv")
    shown(capsys, monkeypatch, *asked)
    shutil.rmtree("out")
    Path("rules.json").write_text('{"rules": [{"find": "", "say": "So the answer is: Nithing."}]}')
    table = shown(capsys, monkeypatch, *asked)["Right answers against direct, question by question"]
    ((name, difference),) = table.items()
    assert name.startswith("direct (scripted")
    assert (difference["pairs"], difference["wins"], difference["losses"]) == ("6", "3", "0")


def test_a_file_that_holds_no_outcomes_is_refused_and_stays(capsys, monkeypatch):
    Path("mine.csv").write_text("name,age\nTam,7\n")
    with pytest.raises(SystemExit, match="is no file of outcomes"):
        shown(capsys, monkeypatch, "--half", "choose", "--questions", "1", "--methods", "direct", "--outcomes", "mine.csv")
    assert Path("mine.csv").read_text() == "name,age\nTam,7\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--half", "choose", "--questions", "31"), "from 1 to 30"),
        (("--half", "confirm", "--questions", "0"), "from 1 to 40"),
        (("--half", "choose", "--as", "x"), "label of one method"),
        (("--half", "choose", "--methods", "sttch"), "did you mean 'stitch'"),
        (("--half", "choose", "--methods", "direct", "--as", "../x"), "--as"),
        (("--half", "choose", "--data", "nowhere"), "is missing; give the folder"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line_that_says_what_to_do(capsys, monkeypatch, arguments, said):
    with pytest.raises(SystemExit) as refused:
        shown(capsys, monkeypatch, *arguments)
    assert said in f"{refused.value} {capsys.readouterr().err}"


@pytest.mark.parametrize(
    ("folders", "arguments", "said"), [("de", ("--without-gold",), "no gold passages"), ("klingon", (), "no such ground")]
)
def test_everyday_folders_that_cannot_be_asked_are_refused(capsys, monkeypatch, folders, arguments, said):
    with pytest.raises(SystemExit) as refused:
        shown(capsys, monkeypatch, "--half", "choose", *arguments, source=("--everyday", folders))
    assert said in f"{refused.value} {capsys.readouterr().err}"
