import random

import pytest

from hopweave.core.types import Passage
from hopweave.core.visibility import Visible
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.weave import Weave
from hopweave.retrieval.index import bm25_search as _bm25_search
from hopweave.retrieval.index import weaving as _weaving
from hopweave.retrieval.index import word_index as _word_index
from hopweave.retrieval.index.bm25_index import ENGINE, load
from hopweave.retrieval.index.bm25_search import any_of, best, best_with_ties, clauses, num_within, scores, searching
from hopweave.retrieval.index.index_folder import open_index

FIELDS = {"all": 1.0, "title": 0.5}
NUM_PASSAGES = 600


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Passages of words that are the rarer the higher their numbers, in an index."""
    draw = random.Random(7)
    words = [f"word{number}" for number in range(300)]
    weights = [1 / (1 + number) for number in range(300)]
    folder = tmp_path_factory.mktemp("search") / "index"
    BM25.build(
        folder,
        (
            Passage(f"p{number}", " ".join(draw.choices(words, weights, k=draw.randint(5, 40))), draw.choice(words))
            for number in range(NUM_PASSAGES)
        ),
    )
    return folder


@pytest.fixture(scope="module")
def searcher(corpus):
    return open_index(corpus, ENGINE, load)[1]


def asked_at_random(searcher, seed):
    draw = random.Random(seed)
    terms = {f"word{int(300 ** draw.random())}": draw.choice([0.15, 0.5, 1.0, 2.0]) for _ in range(draw.randint(1, 9))}
    return clauses(terms, FIELDS, searcher.doc_freq, NUM_PASSAGES)


def rounded(hits):
    return [(round(score, 3), address.segment_ord, address.doc) for score, address in hits]


@pytest.mark.parametrize("seed", range(60))
def test_reading_few_postings_finds_what_reading_all_of_them_finds(searcher, monkeypatch, seed):
    monkeypatch.setattr(_bm25_search, "_FEW_POSTINGS", 20)
    monkeypatch.setattr(_bm25_search, "_LOOKUP", 0)  # never too dear
    search = searching(searcher, ())
    asked = asked_at_random(searcher, seed)
    whole = best_with_ties(search, any_of(asked), 10)
    assert sorted(rounded(best(search, asked, 10))) == sorted(rounded(whole))


def test_common_words_are_looked_up_only_in_passages_that_hold_a_rare_one(searcher, monkeypatch):
    monkeypatch.setattr(_bm25_search, "_FEW_POSTINGS", 20)
    monkeypatch.setattr(_bm25_search, "_LOOKUP", 0)
    asked = clauses({"word0": 0.1, "word280": 1.0, "word250": 1.0}, FIELDS, searcher.doc_freq, NUM_PASSAGES)
    looked_at = []

    def search(query, limit):
        looked_at.append(searcher.search(query, 1).count)
        return searching(searcher, ())(query, limit)

    best(search, asked, 1)
    assert max(looked_at) < searcher.doc_freq("all", "word0")


def test_given_passages_score_as_they_do_among_all(searcher):
    search = searching(searcher, ())
    asked = asked_at_random(searcher, 3)
    everything = {at[1:]: at[0] for at in rounded(search(any_of(asked), NUM_PASSAGES))}
    found = rounded(scores(search, asked, range(0, NUM_PASSAGES, 7)))
    assert len(found) == len(range(0, NUM_PASSAGES, 7))
    assert all(score == pytest.approx(everything.get((segment, doc), 0.0), abs=0.002) for score, segment, doc in found)


def test_the_index_says_which_terms_passages_have_however_many_and_however_often_they_are_asked_for(searcher):
    words = _word_index.WordIndex(searcher, NUM_PASSAGES, NUM_PASSAGES, FIELDS)
    terms = [f"word{number}" for number in range(3 * _bm25_search.TERMS_AT_ONCE)]
    documents = [words.document(f"p{number}") for number in range(0, NUM_PASSAGES, 20)]
    for some in (documents[:20], documents, documents):
        held = words.terms_in(terms, some)
        for document in some:
            passage = document.passage
            assert held[document] == set(terms) & set(f"{passage.title} {passage.text}".split())
    assert words.terms_in(terms, []) == {}
    assert words.terms_in([], documents[:1]) == {documents[0]: frozenset()}


def test_the_rarest_terms_that_fit_are_taken_and_at_least_one(searcher):
    asked = asked_at_random(searcher, 5)
    nums = [clause.num_passages for clause in asked]
    assert nums == sorted(nums)
    assert num_within(asked, sum(nums)) == len(asked)
    assert num_within(asked, sum(nums) - 1) == max(1, len(asked) - 1)
    assert num_within(asked, 0) == 1


def test_nothing_is_found_for_nothing(searcher):
    assert best(searching(searcher, ()), [], 5) == []
    assert scores(searching(searcher, ()), asked_at_random(searcher, 1), []) == []


def test_weave_finds_what_the_rare_open_words_lead_to_within_its_postings(tmp_path, monkeypatch):
    filler = [
        Passage(f"f{number}", f"The common river is common. Number {number}.", f"Filler {number}") for number in range(80)
    ]
    bridge = Passage("bridge", "The common river bank was drawn by Zelmira Quost.", "Riverbank")
    goal = Passage("goal", "A zelmira quost tapestry, common in the north.", "Tapestry")
    BM25.build(tmp_path / "index", [*filler, bridge, goal])
    monkeypatch.setattr(_word_index, "MAX_POSTINGS", 10)
    with_limit = Weave(index=tmp_path / "index", links=False)
    [hits] = with_limit.search(["Who drew the common river bank at Riverbank, and what of 7?"], 5)
    assert [hit.passage.id for hit in hits if hit.passage.id in ("bridge", "goal")] == ["bridge", "goal"]


def large_corpus(folder, monkeypatch):
    filler = [Passage(f"f{number}", f"The common river is long. Number {number}.", f"Filler {number}") for number in range(80)]
    rare = [
        Passage(f"r{number}", f"A zelmira by the common river, {number}.", f"Shore {number}", access=("inner",))
        for number in range(3)
    ]
    other = [Passage(f"o{number}", f"Nothing of note, {number}.", f"Other {number}") for number in range(80)]
    BM25.build(folder, [*filler, *rare, *other])
    monkeypatch.setattr(_word_index, "MAX_FIRST_POSTINGS", 10)
    return folder


def hits_at_once(index, access, max_hits):
    weave = Weave(index=index, depth=0, set_choice=False, visible=Visible(access=access))
    [hits] = weave.search(["Which zelmira is by the common river?"], max_hits)
    return [(hit.passage.id, hit.score) for hit in hits]


def test_the_first_search_of_a_large_corpus_scores_what_holds_a_rare_word_as_ever(tmp_path, monkeypatch):
    index = large_corpus(tmp_path / "index", monkeypatch)
    read = []
    monkeypatch.setattr(_weaving, "POOL", 3)
    monkeypatch.setattr(_word_index, "best", lambda *_: read.append(1))
    limited = hits_at_once(index, ("inner",), 3)
    monkeypatch.undo()
    assert limited == hits_at_once(index, ("inner",), 3)
    assert [passage_id for passage_id, _ in limited] == ["r0", "r1", "r2"]
    assert read == []


@pytest.mark.parametrize(("access", "kinds"), [(("inner",), {"r", "f"}), ((), {"f"})])
def test_where_rare_words_find_too_little_that_is_shown_common_ones_find_the_rest(tmp_path, monkeypatch, access, kinds):
    index = large_corpus(tmp_path / "index", monkeypatch)
    limited = hits_at_once(index, access, 10)
    monkeypatch.undo()
    assert limited == hits_at_once(index, access, 10)
    assert {passage_id[0] for passage_id, _ in limited} == kinds
    assert len(limited) == 10
