"""`hopweave search`: what an index finds, and why."""

import json

import pytest
from support.commands import assert_one_line, ran

from hopweave.core.types import Passage
from hopweave.retrieval.engines.bm25 import BM25

PASSAGES = [
    Passage("film", "The Long Tide is a film of 1971. Tom Carey directed it.", "The Long Tide"),
    Passage("carey", "Tom Carey was a painter from Wales.", "Tom Carey"),
    Passage("nasty", "A tide [31mof red[0m words.", "Tide\nand \x1b]0;title\x07more"),
    *[Passage(f"n{n}", f"Town {n} has a market, where a director buys fish.", f"Town {n}") for n in range(20)],
]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("search") / "index"
    BM25.build(folder, PASSAGES)
    return str(folder)


def searched(corpus, query, *arguments, **given):
    return ran("search", query, "--corpus", corpus, *arguments, **given)


def test_it_prints_rank_score_title_words_and_the_nearest_sentence(index):
    said = searched(index, "who directed the long tide", "--max-hits", "2").stdout.splitlines()
    assert said[0].split()[0] == "1"
    assert said[0].endswith("The Long Tide (film)")
    assert said[1].strip() == "words: directed, long, tide"
    assert said[2].strip() in ("Tom Carey directed it.", "The Long Tide is a film of 1971.")


def test_weave_says_what_led_to_a_passage(index):
    said = searched(index, "which director made the long tide", "--retriever", "weave").stdout
    assert "linked with The Long Tide" in said


def test_linear_rag_searches_an_index_of_its_own_that_commands_build_update_and_check(index, tmp_path):
    own = str(tmp_path / "index")
    for name, passages in (("first.jsonl", PASSAGES[2:]), ("more.jsonl", PASSAGES[:2])):
        rows = [json.dumps({"id": one.id, "title": one.title, "text": one.text}) for one in passages]
        (tmp_path / name).write_text("\n".join(rows), encoding="utf-8")
    assert ran("index", str(tmp_path / "first.jsonl"), "--engine", "linear_rag", "--to", own).exit_code == 0
    added = ran("index", str(tmp_path / "more.jsonl"), "--engine", "linear_rag", "--to", own, "--add", "--delete", "n3")
    assert added.exit_code == 0
    assert "22 passages" in ran("index", "--engine", "linear_rag", "--to", own, "--verify").stdout
    options = [f"--set=retrievers.linear_rag.{one}" for one in ("num_sentences=2", "threshold=0.3")]
    said = searched(own, "who directed The Long Tide", "--retriever", "linear_rag", *options).stdout
    assert "linked with The Long Tide" in said
    missing = searched(index, "The Long Tide", "--retriever", "linear_rag")
    assert missing.exit_code != 0
    assert "make one with: hopweave index PATH... --engine linear_rag" in missing.stderr


def test_json_has_the_passage_and_what_led_to_it(index):
    result = searched(index, "the director of The Long Tide", "--retriever", "weave", "--json", "--max-hits", "2")
    hits = [json.loads(line) for line in result.stdout.splitlines()]
    assert [hit["rank"] for hit in hits] == [1, 2]
    assert hits[0]["passage"]["id"] == "film"
    assert hits[1]["via"] == {"passage_id": "film", "title": "The Long Tide", "by": "link"}


def test_a_row_of_a_table_is_found_with_its_file_and_a_document_by_its_id_alone(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "hosts.csv").write_text("host,system\ngranite,Debian 12\npebble,Alpine 3\n", encoding="utf-8")
    (folder / "review.md").write_text("# Review\n\nThe disk of basalt is old.\n", encoding="utf-8")
    index = str(tmp_path / "made")
    assert ran("index", str(folder), "--to", index).exit_code == 0
    assert searched(index, "pebble").stdout.splitlines()[0].endswith(" in hosts.csv)")
    assert searched(index, "basalt").stdout.splitlines()[0].endswith("Review (review.md)")


def test_what_stands_in_a_passage_cannot_tell_the_terminal_what_to_do(index):
    result = searched(index, "red words of the tide", "--max-hits", "3")
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout


def test_a_query_without_a_known_word_says_so(index):
    result = searched(index, "zzzz qqqq")
    assert (result.exit_code, result.stdout.strip()) == (0, "nothing found: no passage contains a word of the query")


@pytest.mark.parametrize("query", ["?!", "of the", " "])
def test_a_query_that_holds_nothing_to_search_for_says_so(index, query):
    said = searched(index, query).stdout.strip()
    assert said == "nothing found: the query contains no word to search for; name something"


def test_the_query_can_come_from_standard_input(index):
    assert "The Long Tide (film)" in searched(index, "-", stdin="long tide").stdout


@pytest.mark.parametrize(
    ("corpus", "flags", "said"),
    [
        ("index", ["--retriever", "hyde"], "asks the language model; search with one that does not"),
        ("none", [], "there is no index at"),
    ],
)
def test_what_cannot_be_searched_is_refused_with_what_to_do(index, corpus, flags, said):
    assert_one_line(searched(index.replace("index", corpus), "tide", *flags), said)


@pytest.fixture
def labelled(tmp_path):
    """An index made by the command, of records and of a folder that one team may see."""
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "plan.txt").write_text("The tide is turned by the team.")
    rows = [
        {"id": "open", "text": "The tide of 1971.", "metadata": {"year": 1971}},
        {"id": "board", "text": "The tide of the board.", "access": "board", "metadata": {"tags": ["x"]}},
    ]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    index = str(tmp_path / "index")
    given = ([tmp_path / "rows.jsonl"], [tmp_path / "team", "--add", "--access", "team", "--access", "all"])
    said = [ran("index", *arguments, "--to", index, exit_code=0).stdout for arguments in given]
    assert "shown only to holders of a label: board (1)" in said[0]
    assert "skipped metadata, not a short text or number: tags (1)" in said[0]
    assert "shown only to holders of a label: all (1), team (1)" in said[1]
    return index


def found(index, *arguments):
    lines = searched(index, "tide", "--json", *arguments, exit_code=0).stdout.splitlines()
    return {json.loads(line)["passage"]["id"] for line in lines}


@pytest.mark.parametrize("retriever", ["bm25", "weave"])
def test_labels_are_held_by_flags_and_metadata_asked_for(labelled, retriever, monkeypatch):
    chosen = ("--retriever", retriever)
    assert found(labelled, *chosen) == {"open"}
    assert found(labelled, "--access", "team", *chosen) == {"open", "team/plan.txt"}
    assert found(labelled, "--access", "all", "--access", "board", *chosen) == {"open", "team/plan.txt", "board"}
    assert found(labelled, "--where", "year=1970", "--where", "year=1971", *chosen) == {"open"}
    assert found(labelled, "--where", "year=1970", *chosen) == set()
    said = searched(labelled, "tide", "--where", "year=1970", *chosen).output
    assert "nothing found: no passage that access and where let through contains a word of the query" in said
    monkeypatch.setenv("HOPWEAVE_ACCESS", "board")
    assert found(labelled, *chosen) == {"open", "board"}
    assert found(labelled, "--access", "team", *chosen) == {"open", "team/plan.txt"}


def test_json_has_labels_and_metadata_of_passages_that_have_any(labelled):
    lines = [json.loads(line) for line in searched(labelled, "tide", "--json", "--access", "board").stdout.splitlines()]
    kept = {one["passage"]["id"]: (one["passage"].get("access"), one["passage"].get("metadata")) for one in lines}
    assert kept == {"open": (None, {"year": "1971"}), "board": (["board"], None)}


def test_the_owner_of_an_index_sees_in_its_list_and_its_figures_that_there_are_passages_with_labels(labelled):
    listed = ran("index", "--to", labelled, "--list").stdout.splitlines()
    assert {line.split("\t")[0] for line in listed} == {"open", "board", "team/plan.txt"}
    assert "labelled     2" in ran("index", "--to", labelled, "--stats").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--where", "year"], "--where expects KEY=VALUE, not 'year'; for example: --where year=1999"),
        (["--where", "=1999"], "where cannot ask for"),
        (["--access", "a,,b"], "access has 'a,,b', and a label is"),
        (["--set", "retrievers.bm25.visible.access=['team']"], "retrievers.bm25.visible follows from access and where"),
        (["--set", "where=1999"], "where must name keys of metadata"),
    ],
)
def test_what_is_no_label_or_filter_is_refused_in_one_line(labelled, arguments, message):
    result = searched(labelled, "tide", *arguments)
    assert result.exit_code != 0
    [line] = result.stderr.splitlines()
    assert message in line
