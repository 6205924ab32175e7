"""`hopweave corpus`: one corpus out of the paragraphs of all questions, whose ids gold names."""

import json
import subprocess
import sys
from functools import partial

import pytest
from support.commands import ran, ran_alone
from support.dataset_files import json_lines, json_list, real
from support.docstring_files import shown_files

from hopweave.evaluation.datasets.hotpotqa import HotpotQA
from hopweave.evaluation.datasets.jsonl import JSONLines
from hopweave.evaluation.datasets.two_wikimultihopqa import TwoWikiMultiHopQA
from hopweave.retrieval.engines.bm25 import BM25

corpus = partial(ran, "corpus")


def rows(result):
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout_bytes.decode().splitlines()]


def own(path, *passages):
    return json_lines(path, *({"question": f"{n}?", "answer": "x", "passages": [one]} for n, one in enumerate(passages)))


def index(path, to, *more):
    ran("index", path, "--to", to, *more, exit_code=0)
    return {passage.id for passage in BM25(to).all_passages()}


def test_passages_of_all_files_are_pooled_without_exact_repetitions_in_the_order_of_their_rows(tmp_path):
    first = own(
        tmp_path / "a.jsonl", {"title": "T", "text": "One."}, {"title": "T", "text": "Two."}, {"title": "T", "text": "One."}
    )
    second = own(tmp_path / "b.jsonl", {"title": "T", "text": "Two."}, {"title": "U", "text": "Two."})
    result = corpus("jsonl", first, second)
    assert [(row["title"], row["text"]) for row in rows(result)] == [("T", "One."), ("T", "Two."), ("U", "Two.")]
    assert "3 passages; left out: 2 repeated, 0 empty" in result.stderr


def test_gold_is_found_in_the_index_of_the_corpus_that_the_command_says_how_to_make(tmp_path):
    long = " ".join(f"Sentence number {number} of a long paragraph." for number in range(60))
    path = json_lines(
        tmp_path / "a.jsonl",
        {"question": "Which?", "answer": "x", "passages": [{"text": long, "is_gold": True}, {"text": "B."}]},
    )
    result = corpus("jsonl", path)
    assert "hopweave index FILE --to FOLDER --max-words 0" in result.stderr
    (tmp_path / "corpus.jsonl").write_bytes(result.stdout_bytes)
    (example,) = JSONLines(path).examples()
    (gold,) = example.gold.passage_ids
    assert gold in index(tmp_path / "corpus.jsonl", tmp_path / "whole", "--max-words", "0")
    assert gold not in index(tmp_path / "corpus.jsonl", tmp_path / "cut")


def test_options_of_the_dataset_are_set_and_another_is_refused(tmp_path):
    (shown,) = shown_files("multihop_rag", tmp_path)
    found = rows(corpus("multihop_rag", shown.path, "--set", f"corpus={shown.options['corpus']}"))
    assert [row["id"] for row in found] == ["https://example.org/1", "https://example.org/2"]
    result = corpus("multihop_rag", shown.path, "--set", "corpsu=x")
    assert result.stderr == "hopweave: datasets.multihop_rag has no option 'corpsu'; did you mean 'corpus'?\n"


def test_further_passages_enlarge_the_haystack_and_equal_ones_are_one(tmp_path):
    path = own(tmp_path / "a.jsonl", {"title": "T", "text": "One."})
    also = json_list(tmp_path / "more.json", {"title": "T", "text": "One."}, {"title": "V", "text": "Three."})
    assert [row["title"] for row in rows(corpus("jsonl", path, "--also", also))] == ["T", "V"]


def test_two_passages_of_one_id_and_different_content_are_refused(tmp_path):
    path = own(tmp_path / "a.jsonl", {"id": "p", "text": "One."}, {"id": "p", "text": "Two."})
    result = corpus("jsonl", path)
    assert result.exit_code == 1
    assert "hopweave: two passages have the id 'p' and differ in title or text; pool their files separately\n" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["zsre", "x.jsonl"], "the rows of zsre contain no passages; index a corpus that contains its evidence"),
        (["hotpot", "x.json"], "'hotpot' is not one of the datasets; did you mean 'hotpotqa'?"),
        (["hotpotqa", "x.json"], "x.json does not exist, or is a dangling link; check the path"),
        (["hotpotqa"], "HotpotQA: there is nothing to read; give either path = FILE or hub = true"),
    ],
)
def test_what_cannot_be_pooled_is_said_in_one_line(arguments, message):
    result = corpus(*arguments)
    assert (result.exit_code, result.stderr) == (1, f"hopweave: {message}\n")


def test_rows_without_any_passage_are_an_error_and_empty_ones_are_counted(tmp_path):
    result = corpus("jsonl", json_lines(tmp_path / "a.jsonl", {"question": "Who?", "answer": "x"}))
    assert result.exit_code == 1
    assert "jsonl has no passages with text" in result.stderr
    row = {"_id": "1", "question": "Who?", "answer": "x", "supporting_facts": [["A", 0]], "context": [["A", ["x"]], ["B", []]]}
    assert "1 passage; left out: 0 repeated, 1 empty" in corpus("hotpotqa", json_list(tmp_path / "b.json", row)).stderr


def test_the_corpus_is_utf_8_whatever_the_terminal_says(tmp_path):
    path = own(tmp_path / "a.jsonl", {"text": "Łódź – 東京"})
    environment = {"PYTHONPATH": ":".join(sys.path), "PYTHONIOENCODING": "ascii"}
    assert "Łódź – 東京" in ran_alone("corpus", "jsonl", path, env=environment, encoding="utf-8").stdout


@pytest.mark.parametrize(
    ("name", "file", "dataset"),
    [
        ("hotpotqa", "hotpotqa_dev100.json", HotpotQA),
        ("two_wikimultihopqa", "2wikimultihopqa_dev100.json", TwoWikiMultiHopQA),
    ],
)
def test_a_real_file_is_pooled_as_its_own_script_pools_it(name, file, dataset):
    path = real(file)
    result = corpus(name, path)
    done = subprocess.run([sys.executable, str(real("pool.py")), str(path)], capture_output=True, check=True)
    assert rows(result) == [json.loads(line) for line in done.stdout.decode().splitlines()]
    ids = {row["id"] for row in rows(result)}
    assert all(set(example.gold.passage_ids) <= ids for example in dataset(path).examples())


@pytest.mark.slow
def test_the_larger_haystack_of_real_passages_is_the_one_that_the_script_makes():
    questions, more = real("2wikimultihopqa_dev100.json"), real("2wikimultihopqa_corpus.json")
    result = corpus("two_wikimultihopqa", questions, "--also", more)
    done = subprocess.run([sys.executable, str(real("pool.py")), str(questions), str(more)], capture_output=True, check=True)
    assert rows(result) == [json.loads(line) for line in done.stdout.decode().splitlines()]
