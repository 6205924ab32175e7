import functools
import math
import os
import random
import shutil
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.towns import ids

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.types import Passage
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.index.bm25_search import MAX_QUERY_TERMS

ULM = [
    Passage("kepler", "Johannes Kepler was an astronomer who moved to Ulm in 1626.", "Johannes Kepler", "a.txt"),
    Passage("einstein", "Albert Einstein was born in a city on the Danube.", "Albert Einstein", "a.txt"),
    Passage("ulm", "The city lies on the river and has a famous minster.", "Ulm", "b.txt", 3, 55),
    Passage("danube", "The Danube is the second longest river of Europe.", "Danube", "b.txt"),
    Passage("minster", "Its steeple is the tallest of all churches. Einstein's mother's piano stood near.", "Ulm Minster"),
]

# Words that the stemmer leaves alone, so that the test needs none.
WORDS = ["zorb", "quix", "blarn", "vond", "krell", "thrup", "gorm", "plonk"]


def search(folder: Path, query: str, max_hits: int = 10, **options) -> list[str]:
    retriever = BM25(folder, **options)
    [hits] = retriever.search([query], max_hits)
    retriever.close()
    return ids(hits)


def add(folder: Path, passages) -> None:
    BM25.update(folder, upsert=passages)


def cut(document_id: str, *texts: str) -> list[Passage]:
    return [Passage(f"{document_id}#{n}", text, document_id, "", n, n + len(text)) for n, text in enumerate(texts, start=1)]


@pytest.fixture(scope="module")
def ulm(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("bm25") / "ulm"
    BM25.build(folder, ULM)
    return folder


@pytest.fixture
def index(tmp_path) -> Path:
    """An index of a test, which may write to it."""
    BM25.build(tmp_path / "index", ULM)
    return tmp_path / "index"


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system of 2 MiB, where this process may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root may mount a small file system to fill")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip("this machine does not let root mount a file system")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_hits_are_ranked_from_1_best_first_with_all_that_a_passage_has(ulm):
    [hits, none] = BM25(ulm).search(["famous minster of the city of Ulm", "zebra"], 10)
    assert hits[0].passage in ULM[2:]
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert {hit.passage.id: hit.passage for hit in hits}["ulm"] == ULM[2]
    assert none == []


def test_at_most_max_hits_come_back(ulm):
    retriever = BM25(ulm)
    assert [len(retriever.search(["city river"], limit)[0]) for limit in (0, 1, 2, 50)] == [0, 1, 2, 3]


def test_a_word_of_the_title_lifts_a_passage(ulm):
    assert search(ulm, "Ulm", fields="text", title_weight=0) == ["kepler"]
    assert search(ulm, "Ulm")[0] == "ulm"
    with_title, without = BM25(ulm, title_weight=2), BM25(ulm, title_weight=0)
    assert with_title.search(["Ulm"], 1)[0][0].score > without.search(["Ulm"], 1)[0][0].score


def test_the_ircot_setting_sees_the_text_alone(ulm):
    ircot = {"fields": "text", "title_weight": 0}
    assert set(search(ulm, "Danube Albert Kepler", **ircot)) == {"kepler", "einstein", "danube"}
    assert search(ulm, "Albert", **ircot) == ["einstein"]
    assert search(ulm, "steeple", **ircot) == ["minster"]
    assert "ulm" not in search(ulm, "Ulm", **ircot)


@pytest.mark.parametrize("query", ["", " \n", "the of and", "?!\"'()", "\ud800", "'s"])
def test_a_query_without_a_term_finds_nothing(ulm, query):
    assert search(ulm, query) == []


@pytest.mark.parametrize("query", ["Einstein", "EINSTEIN'S", "einsteins", "Einstein\u2019s piano", "mothers' Einstein"])
def test_case_endings_and_possessives_do_not_matter(ulm, query):
    assert {"einstein", "minster"} <= set(search(ulm, query))


def test_characters_composed_in_either_way_match(tmp_path):
    BM25.build(tmp_path / "index", [Passage("1", "Caf\u00e9 M\u00fcller"), Passage("2", "Cafe\u0301 Mu\u0308ller")])
    assert search(tmp_path / "index", "mu\u0308ller") == search(tmp_path / "index", "m\u00fcller") == ["1", "2"]


opened = functools.cache(BM25)


@given(query=st.one_of(st.text(max_size=300), st.text(alphabet="\"'()[]{}+-:^~*?\\/ANDORT \u0000", max_size=60)))
@settings(max_examples=200, deadline=None)
def test_no_text_is_a_syntax_error(ulm, query):
    [hits] = opened(ulm).search([f"{query} Danube"], 5)
    assert "danube" in ids(hits)


@pytest.mark.parametrize(
    "query", ["x" * 50_000, "danube " * 7_000, " ".join(f"w{n}" for n in range(8_000)) + " danube", "(" * 50_000]
)
def test_a_query_of_50_000_characters_is_answered(ulm, query):
    assert ("danube" in search(ulm, query)) == ("danube" in query)


def test_of_a_very_long_query_the_rarest_terms_are_searched_for(tmp_path):
    common = [f"word{n}" for n in range(MAX_QUERY_TERMS + 50)]
    BM25.build(tmp_path / "index", [*(Passage(str(n), " ".join(common)) for n in range(3)), Passage("rare", "needle")])
    assert "rare" in search(tmp_path / "index", " ".join([*common, "needle"]))


def test_a_term_that_occurs_twice_in_a_query_counts_twice(ulm):
    once, twice = BM25(ulm).search(["danube", "danube danube"], 1)
    assert twice[0].score == pytest.approx(2 * once[0].score, abs=2e-4)


def test_equal_scores_are_ordered_by_id_whatever_the_order_of_the_input(tmp_path):
    found = [Passage(f"p{n:03}", "the same zorb", "same") for n in range(400)]
    for seed in range(2):
        random.Random(seed).shuffle(found)
        BM25.build(tmp_path / "index", found)
        assert search(tmp_path / "index", "zorb", 5) == ["p000", "p001", "p002", "p003", "p004"]
        assert search(tmp_path / "index", "zorb", 390)[-1] == "p389"


def bm25(field: list[list[str]], query: list[str], at: int, k1: float = 1.2, b: float = 0.75) -> float:
    """Robertson and Zaragoza (2009) with Lucene's idf, over tokenised texts."""
    num, average = len(field), sum(map(len, field)) / len(field)
    score = 0.0
    for term in query:
        holding = sum(term in tokens for tokens in field)
        frequency = field[at].count(term)
        idf = math.log(1 + (num - holding + 0.5) / (holding + 0.5))
        score += idf * frequency * (k1 + 1) / (frequency + k1 * (1 - b + b * len(field[at]) / average))
    return score


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("fields", "weight"), [("title_and_text", 0.5), ("text", 0), ("text", 0.5), ("title_and_text", 2)])
def test_scores_are_those_of_the_formula(tmp_path, seed, fields, weight):
    # The engine keeps lengths up to 39 tokens exactly, and rounds longer ones; texts here are shorter.
    pick = random.Random(seed)
    titles = [pick.choices(WORDS, k=pick.randint(1, 3)) for _ in range(40)]
    texts = [pick.choices(WORDS, [8, 5, 3, 2, 1, 1, 1, 1], k=pick.randint(1, 30)) for _ in range(40)]
    both = [title + text for title, text in zip(titles, texts, strict=True)]
    rows = zip(titles, texts, strict=True)
    BM25.build(tmp_path / "i", [Passage(f"{n:02}", " ".join(text), " ".join(title)) for n, (title, text) in enumerate(rows)])
    query = pick.choices(WORDS, k=4)
    main = both if fields == "title_and_text" else texts
    expected = {f"{n:02}": bm25(main, query, n) + weight * bm25(titles, query, n) for n in range(40)}
    [hits] = BM25(tmp_path / "i", weight, fields).search([" ".join(query)], 40)
    assert {hit.passage.id: hit.score for hit in hits} == pytest.approx({k: v for k, v in expected.items() if v}, abs=2e-4)


@pytest.mark.parametrize("weight", [-0.1, math.nan, math.inf])
def test_a_title_weight_that_makes_no_sense_is_refused(ulm, weight):
    with pytest.raises(SettingsError, match=r"title_weight cannot be .*; give 0 or more"):
        BM25(ulm, title_weight=weight)


def test_an_unknown_choice_of_fields_is_refused(ulm):
    with pytest.raises(SettingsError, match="choose one of: text, title_and_text"):
        BM25(ulm, fields="titles")


def test_the_identity_tells_options_and_corpus(ulm, tmp_path):
    BM25.build(tmp_path / "index", reversed(ULM))
    assert BM25(tmp_path / "index").identity == BM25(ulm).identity
    assert BM25(ulm, title_weight=0).identity != BM25(ulm).identity != BM25(ulm, fields="text").identity
    BM25.update(tmp_path / "index", delete=["ulm"])
    assert BM25(tmp_path / "index").identity != BM25(ulm).identity


def test_passages_are_given_back_by_id_and_all_in_order(ulm):
    retriever = BM25(ulm)
    assert retriever.num_passages == 5
    assert retriever.passages(["ulm", "kepler", "ulm"]) == [ULM[2], ULM[0], ULM[2]]
    assert list(retriever.all_passages()) == ULM
    for unknown in ("Ulm", "", "\ud800"):
        with pytest.raises(DataError, match="has no passage"):
            retriever.passages([unknown])


def test_all_passages_come_back_page_after_page(tmp_path):
    BM25.build(tmp_path / "index", (Passage(f"p{n}", f"text {n}") for n in range(2500)))
    BM25.update(tmp_path / "index", delete=[f"p{n}" for n in range(900, 2100)], upsert=[Passage("p5", "new")])
    found = [passage.id for passage in BM25(tmp_path / "index").all_passages()]
    assert found == [f"p{n}" for n in range(2500) if n != 5 and not 900 <= n < 2100] + ["p5"]


def test_an_update_adds_replaces_and_deletes(index):
    summary = BM25.update(index, upsert=[Passage("danube", "Now about zorb."), Passage("new", "Also zorb.")], delete=["kepler"])
    assert (summary.num_passages, summary.num_added, summary.num_deleted) == (5, 2, 2)
    assert sorted(search(index, "zorb")) == ["danube", "new"]
    assert search(index, "Kepler") == []
    assert "danube" not in search(index, "longest river")
    BM25.check(index)


@pytest.mark.slow
def test_many_updates_keep_the_index_whole(index):
    for number in range(12):
        BM25.update(index, upsert=[Passage(f"n{number}", "zorb"), Passage("same", f"quix {number}")])
    BM25.check(index)
    assert len(search(index, "zorb", 50)) == 12
    assert search(index, "quix") == ["same"]
    assert BM25(index).num_passages == 18


def test_a_document_is_replaced_and_deleted_with_all_its_passages(tmp_path):
    BM25.build(
        tmp_path / "index", [*cut("a.txt", "zorb one", "zorb two", "zorb three"), *cut("b.txt", "zorb four", "zorb five")]
    )
    BM25.update(tmp_path / "index", upsert=cut("a.txt", "quix one", "quix two"))
    assert search(tmp_path / "index", "quix") == ["a.txt#1", "a.txt#2"]
    assert search(tmp_path / "index", "zorb") == ["b.txt#1", "b.txt#2"]
    BM25.update(tmp_path / "index", upsert=[Passage("a.txt", "short now")])
    assert [p.id for p in BM25(tmp_path / "index").all_passages()] == ["b.txt#1", "b.txt#2", "a.txt"]
    BM25.update(tmp_path / "index", delete=["b.txt"])
    assert [p.id for p in BM25(tmp_path / "index").all_passages()] == ["a.txt"]


def test_one_passage_of_a_document_can_be_deleted(tmp_path):
    BM25.build(tmp_path / "index", cut("a.txt", "zorb one", "zorb two"))
    assert BM25.update(tmp_path / "index", delete=["a.txt#1"]).num_deleted == 1
    assert search(tmp_path / "index", "zorb") == ["a.txt#2"]


def test_a_record_whose_own_id_looks_like_a_part_is_no_part(tmp_path):
    BM25.build(tmp_path / "index", [Passage("a#1", "zorb"), Passage("a#2", "zorb")])
    BM25.update(tmp_path / "index", delete=["a"], missing_ok=True)
    assert search(tmp_path / "index", "zorb") == ["a#1", "a#2"]
    BM25.update(tmp_path / "index", upsert=cut("a", "quix", "quix"))
    assert [p.text for p in BM25(tmp_path / "index").all_passages()] == ["quix", "quix"]


def breaking(error: BaseException, after: int = 200):
    for number in range(after):
        yield Passage(f"b{number}", "zorb quix")
    raise error


@pytest.mark.parametrize("write", [BM25.build, add])
@pytest.mark.parametrize(
    ("error", "expected"), [(OSError(28, "No space left on device"), DataError), (RuntimeError("x"), RuntimeError)]
)
def test_a_write_that_breaks_in_the_middle_leaves_the_old_index_searchable(index, write, error, expected):
    reader = BM25(index)
    with pytest.raises(expected):
        write(index, breaking(error))
    assert ids(reader.search(["Kepler"], 3)[0]) == search(index, "Kepler") == ["kepler"]
    assert sorted(p.name for p in (index).iterdir()) == [".hopweave-index.lock", "data-1", "manifest.json"]
    BM25.update(index, upsert=[Passage("after", "zorb")])
    assert search(index, "zorb") == ["after"]


def test_a_process_that_is_killed_in_the_middle_leaves_the_old_index(index):
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from hopweave.retrieval.engines.bm25 import BM25\nfrom hopweave.core.types import Passage\n"
        "def passages():\n    yield Passage('x', 'zorb')\n    os._exit(9)\n"
        "BM25.build(Path(sys.argv[1]), passages())"
    )
    assert subprocess.run([sys.executable, "-c", code, index], check=False).returncode == 9
    assert (index / "data-2").exists()
    assert search(index, "Kepler") == ["kepler"]
    BM25.build(index, ULM[:1])
    assert sorted(p.name for p in (index).iterdir()) == [".hopweave-index.lock", "data-2", "manifest.json"]


@pytest.mark.slow
@pytest.mark.parametrize("write", [BM25.build, add])
def test_a_disk_that_fills_up_is_one_line_and_leaves_the_old_index(tiny_disk, write):
    noise = random.Random(1)
    big = (Passage(f"n{n}", " ".join(str(noise.random()) for _ in range(30))) for n in range(50_000))
    BM25.build(tiny_disk / "index", ULM)
    with pytest.raises(DataError, match=r"^the disk is full \(\d MiB free\) while writing index .*stays as it was; free some"):
        write(tiny_disk / "index", big)
    assert search(tiny_disk / "index", "Kepler") == ["kepler"]
    BM25.update(tiny_disk / "index", upsert=[Passage("after", "zorb")])
    assert search(tiny_disk / "index", "zorb") == ["after"]


def test_an_index_on_a_disk_that_is_read_only_can_be_searched_but_not_written(tiny_disk):
    BM25.build(tiny_disk / "index", ULM)
    subprocess.run(["mount", "-o", "remount,ro", tiny_disk], check=True)
    assert search(tiny_disk / "index", "Kepler") == ["kepler"]
    with pytest.raises(DataError, match=r"cannot write index .*Read-only file system"):
        BM25.update(tiny_disk / "index", delete=["ulm"])


def test_one_flipped_byte_in_any_file_is_found(index):
    BM25.update(index, delete=["kepler"], upsert=[Passage("z", "zorb")])
    [data] = (index).glob("data-*")
    files = sorted(data.iterdir())
    assert len(files) > 10
    for path in files:
        whole = path.read_bytes()
        at = len(whole) // 2
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        for use in (BM25, BM25.check, lambda folder: BM25.update(folder, delete=["ulm"])):
            with pytest.raises(DataError, match=rf"is damaged: file {data.name}/{path.name} does not match.*hopweave index"):
                use(index)
        path.write_bytes(whole)
    BM25.check(index)


def test_another_user_may_read_the_files_that_the_mode_of_the_folder_opens(index):
    modes = {path.stat().st_mode & 0o777 for path in (index / "data-1").iterdir()}
    assert modes == {(index / "data-1").stat().st_mode & 0o666}


def test_of_two_writers_the_second_is_refused(index):
    def passages():
        with pytest.raises(DataError, match="another process is writing index"):
            BM25.update(index, delete=["ulm"])
        yield Passage("z", "zorb")

    assert BM25.update(index, upsert=passages()).num_passages == 6


def test_updating_what_is_not_there_says_how_to_build_it(tmp_path):
    with pytest.raises(DataError, match=r"there is no index in .*; make one with: hopweave index"):
        BM25.update(tmp_path / "index", upsert=ULM)


def test_progress_is_told_after_each_passage(tmp_path):
    told: list[int] = []
    BM25.build(tmp_path / "index", ULM, on_passage=told.append)
    BM25.update(tmp_path / "index", upsert=ULM[:2], on_passage=told.append)
    assert told == [1, 2, 3, 4, 5, 1, 2]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_corpus(tmp_path):
    peaks = []
    for num_passages in (5_000, 50_000):
        tracemalloc.start()
        BM25.build(tmp_path / "index", (Passage(f"{n}", f"zorb {n}") for n in range(num_passages)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 1_000_000
    assert BM25(tmp_path / "index").num_passages == 50_000
