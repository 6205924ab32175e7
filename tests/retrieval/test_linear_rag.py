"""LinearRAG: a graph of entities, sentences and passages, activation that spreads over it, and PageRank."""

import dataclasses
import math
import random
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.towns import ids

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import sha256_of
from hopweave.core.types import Passage
from hopweave.core.visibility import Visible
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.linear_rag import LinearRag
from hopweave.retrieval.index.entities import Mention, entity_key, mentions_in, names_in, sentences_of
from hopweave.retrieval.index.entity_graph import KEYS, EntityGraph
from hopweave.retrieval.index.entity_keys import EntityKeys
from hopweave.retrieval.index.entity_linking import similarity
from hopweave.retrieval.index.entity_spreading import (
    CUTOFF,
    NOWHERE,
    Active,
    QueryWords,
    Spreading,
    entity_bonus,
    pagerank,
)
from hopweave.retrieval.index.index_folder import DataFile, read_manifest, write_manifest

NOISE = [
    Passage(f"noise-{n}", f"A harbour town number {n} has a church, a market and a club of the film.", f"Town {n}")
    for n in range(40)
]
CHAIN = [
    Passage("film", "The Long Tide is a 1971 drama film directed by Tom Carey. It was shot in Wales.", "The Long Tide"),
    Passage("carey", "He was a painter and teacher. His wife Lina Holt left him in 1964.", "Tom Carey (painter)"),
    Passage("holt", "She grew up on a farm at Kerrow, among sheep.", "Lina Holt"),
    Passage("kerrow", "Kerrow is a parish with an old mill.", "Kerrow"),
]
QUESTION = "Who is the wife of the director of the film The Long Tide?"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("linear_rag") / "index"
    LinearRag.build(folder, [*NOISE[:20], *CHAIN, *NOISE[20:]])
    return folder


def found(folder, question=QUESTION, max_hits=4, **options):
    with closing(LinearRag(folder, **options)) as retriever:
        [hits] = retriever.search([question], max_hits)
    return hits


def graph_of(folder, passages):
    """The graph of an index of some passages, opened."""
    LinearRag.build(folder, passages)
    manifest = read_manifest(folder)
    return EntityGraph(folder / manifest.data, manifest)


# -- entities ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The Long Tide (1971 film)", "long tide"),
        ("Amélie", "amelie"),
        ("War of the Worlds", "war of the worlds"),
        ("Banana Boat", "banana boat"),
        ("The The", "the"),
        ("A", "a"),
        ("...", ""),
        ("word " * 13, ""),
    ],
)
def test_the_key_of_an_entity(name, key):
    assert entity_key(name) == key


def test_each_sentence_mentions_the_title_and_the_names_in_it():
    [first, second] = sentences_of(CHAIN[0])
    assert first.text.startswith("The Long Tide\nThe Long Tide is")
    assert [one.key for one in first.mentions] == ["long tide", "long tide", "tom carey"]
    assert second.text == "It was shot in Wales."
    assert [one.key for one in second.mentions] == ["long tide", "wales"]


@pytest.mark.parametrize("passage", [Passage("p", ""), Passage("p", " \n"), Passage("p", "", "Ulm")])
def test_a_passage_without_text_has_one_sentence(passage):
    [sentence] = sentences_of(passage)
    assert list(sentence.mentions) == [Mention("ulm", is_sure=True)] * bool(passage.title)


def test_a_word_at_the_beginning_of_a_sentence_is_not_surely_a_name_and_a_number_is_none():
    text = "“Kerrow” and Ulm had 12,000 people in 1964 and He said Kerrow Hall was theirs."
    assert mentions_in(text) == [
        Mention("kerrow", is_sure=False),
        Mention("ulm", is_sure=True),
        Mention("kerrow hall", is_sure=True),
    ]


class Known:
    """Entities with some keys."""

    def __init__(self, *keys):
        self.keys = keys

    def has(self, key):
        return key in self.keys

    def num_beginning(self, words):
        return sum(key == words or key.startswith(f"{words} ") for key in self.keys)


@pytest.mark.parametrize(
    ("query", "known", "others"),
    [
        ("Was First for Women older than Ada Finch (1964), or He?", ["first for women"], ["ada finch", "1964"]),
        ("Who made The Long Tide, and who is Who?", ["who", "long tide"], []),
        ("Who made it?", [], []),
        ("who made the long tide of who?", ["long tide"], []),
        ("Who made Long Tide of Ulm?", ["long tide"], []),
    ],
)
def test_the_names_in_a_query(query, known, others):
    found_names = names_in(query, Known("first", "women", "first for women", "long tide", "who"))
    assert (list(found_names.known), list(found_names.others)) == (known, others)


def test_the_similarity_of_names_is_the_cosine_by_the_weights_of_their_words():
    weight = {"tom": 1.0, "carey": 2.0, "ann": 3.0, "of": 0.0}.__getitem__
    assert similarity({"tom", "carey"}, {"tom", "carey"}, weight) == pytest.approx(1)
    assert similarity({"carey"}, {"tom", "carey"}, weight) == pytest.approx(4 / math.sqrt(4 * 5))
    assert similarity({"ann"}, {"carey"}, weight) == similarity({"of"}, {"of"}, weight) == 0


# -- what is found -----------------------------------------------------------------------------------------------------------


def test_it_finds_the_second_hop_that_shares_no_word_with_the_question(index):
    question = "Which trade had the director of the film The Long Tide?"
    [plain] = BM25_hits(index, question)
    assert "carey" not in ids(plain)
    assert ids(found(index, question))[:2] == ["film", "carey"]


def BM25_hits(index, question, max_hits=4):
    """What `bm25` finds in the same passages."""
    folder = index.with_name("words")
    if not folder.exists():
        with closing(LinearRag(index)) as retriever:
            BM25.build(folder, list(retriever.all_passages()))
    with closing(BM25(folder)) as retriever:
        return retriever.search([question], max_hits)


def test_activation_goes_one_hop_further_in_each_round(index):
    question = "Where did the wife of the director of the film The Long Tide grow up?"
    options = {"threshold": 0.2, "num_sentences": 3, "max_hits": 10}
    by_rounds = [{hit.passage.id: hit.via for hit in found(index, question, rounds=rounds, **options)} for rounds in (1, 2, 3)]
    reached = [{passage_id: via.passage_id for passage_id, via in vias.items() if via is not None} for vias in by_rounds]
    assert reached == [{}, {"carey": "film"}, {"carey": "film", "holt": "carey"}]
    assert all(via.by == "link" for via in by_rounds[2].values() if via is not None)
    assert by_rounds[2]["carey"].title == "The Long Tide"


def test_what_led_to_what_is_a_tree(index):
    for question in (QUESTION, "Where did the wife of the director of The Long Tide grow up?", "Kerrow Lina Holt Tom Carey"):
        hits = {hit.passage.id: hit for hit in found(index, question, 30, threshold=0.0, num_sentences=9, rounds=9)}
        assert hits
        for passage_id in hits:
            path = [passage_id]
            while path[-1] in hits and hits[path[-1]].via is not None:
                path.append(hits[path[-1]].via.passage_id)
                assert path[-1] not in path[:-1]


def test_nothing_leads_to_a_passage_with_an_entity_of_the_query(tmp_path):
    passages = [
        Passage("a", "In the harbour Tom Carey met Lina Holt."),
        Passage("b", "She saw Orlau Ferry with Lina Holt."),
        Passage("c", "She is Lina Holt."),
    ]
    LinearRag.build(tmp_path / "index", [*passages, *NOISE])
    vias = {hit.passage.id: hit.via for hit in found(tmp_path / "index", "Did Tom Carey of the harbour leave by Ferry?", 9)}
    assert vias["c"].passage_id == "a"
    assert vias["b"] is None  # though Lina Holt is more active than Orlau Ferry


def test_a_name_that_is_no_entity_stands_for_the_most_similar_one_if_it_is_similar_enough(index):
    question = "Was the painter Carey married?"
    hits = found(index, question)
    assert ids(hits)[0] == "carey"
    assert hits[0].score != BM25_hits(index, question)[0][0].score
    no_graph = found(index, question, threshold=1.0)
    assert [(hit.passage.id, hit.score) for hit in no_graph] == [
        (hit.passage.id, hit.score) for hit in BM25_hits(index, question)[0]
    ]


@pytest.mark.parametrize("question", ["harbour town market", "Which parish has a mill?", "Has the Zorb of a town a market?"])
def test_a_question_without_an_entity_is_answered_as_by_bm25(index, question):
    hits, [plain] = found(index, question, 10, threshold=0.0), BM25_hits(index, question, 10)
    assert [(hit.passage.id, hit.score, hit.rank) for hit in hits] == [(hit.passage.id, hit.score, hit.rank) for hit in plain]


def test_a_question_in_small_letters_names_entities_of_two_words_or_more(index):
    assert ids(found(index, QUESTION.lower()))[:2] == ["film", "carey"]


def test_an_entity_is_found_although_it_has_no_word_to_search_for(tmp_path):
    LinearRag.build(tmp_path / "index", [Passage("film", "It was loud.", "It"), *NOISE])
    with closing(LinearRag(tmp_path / "index")) as retriever:
        assert not retriever.has_terms("Is that It?")
    assert ids(found(tmp_path / "index", "Is that It?")) == ["film"]


@pytest.mark.parametrize(
    "question", ["", "?", "the of and", "zzzzqqq", "\ud800", "\ud800 The\ud800 Long Tide\x00", "(a OR b) AND c:d"]
)
def test_no_query_breaks_it(index, question):
    assert {hit.rank for hit in found(index, question)} <= {1, 2, 3, 4}


def test_a_long_query_of_many_names_is_answered(index):
    names = " ".join(f"Alderman Number{n} Of Town" for n in range(300))
    assert ids(found(index, f"{names}, {QUESTION}", 1)) == ["film"]


def test_fewer_hits_are_the_first_of_more_and_none_are_none(index):
    assert [(hit.passage.id, hit.score) for hit in found(index, max_hits=2)] == [
        (hit.passage.id, hit.score) for hit in found(index, max_hits=30)
    ][:2]
    assert found(index, max_hits=0) == []


def test_equal_scores_are_ordered_by_id(tmp_path):
    alike = [Passage(f"p{n}", "Tom Carey came.") for n in (5, 3, 9, 1, 7)]
    LinearRag.build(tmp_path / "index", alike)
    assert ids(found(tmp_path / "index", "Where was Tom Carey?", 3)) == ["p1", "p3", "p5"]


def test_its_identity_names_every_option_and_the_corpus(index, tmp_path):
    def identity(folder, **options):
        with closing(LinearRag(folder, **options)) as retriever:
            return retriever.identity

    changes = {"rounds": 2, "threshold": 0.3, "num_sentences": 2, "passage_ratio": 3.0, "passage_weight": 0.1, "damping": 0.7}
    assert changes.keys() | {"index", "visible"} == {option.name for option in dataclasses.fields(LinearRag)}
    LinearRag.build(tmp_path / "other", CHAIN)
    of_each = [identity(index), identity(tmp_path / "other"), identity(index, visible=Visible("a"))]
    of_each += [identity(index, **{name: value}) for name, value in changes.items()]
    assert len(set(of_each)) == len(of_each)


@pytest.mark.parametrize(
    "options",
    [
        {"rounds": 0},
        {"threshold": 1.1},
        {"threshold": math.nan},
        {"num_sentences": 0},
        {"passage_weight": -1},
        {"damping": 1.0},
    ],
)
def test_an_option_that_cannot_be_is_refused(index, options):
    with pytest.raises(SettingsError):
        LinearRag(index, **options)


# -- the index ---------------------------------------------------------------------------------------------------------------


def test_the_index_is_found_inside_one_of_bm25_and_named_if_it_is_missing(tmp_path):
    BM25.build(tmp_path / "words", CHAIN)
    with pytest.raises(DataError, match=r"make one with: hopweave index PATH\.\.\. --engine linear_rag --to .*linear_rag"):
        LinearRag(tmp_path / "words")
    LinearRag.build(tmp_path / "words" / "linear_rag", CHAIN)
    assert ids(found(tmp_path / "words"))[:2] == ["film", "carey"]
    assert BM25.check(tmp_path / "words").num_passages == 4
    with pytest.raises(DataError, match="was built by linear_rag, not bm25"):
        BM25(tmp_path / "words" / "linear_rag")


def test_a_passage_is_linked_as_soon_as_it_is_added_and_unlinked_as_soon_as_it_is_deleted(tmp_path):
    folder = tmp_path / "index"
    LinearRag.build(folder, [*NOISE, CHAIN[0]])
    assert "carey" not in ids(found(folder))
    LinearRag.update(folder, upsert=[CHAIN[1]])
    assert "carey" in ids(found(folder))
    LinearRag.update(folder, delete=["carey"])
    assert "carey" not in ids(found(folder))


def test_a_word_is_an_entity_while_a_sentence_has_it_with_a_capital_in_the_middle(tmp_path):
    folder = tmp_path / "index"
    LinearRag.build(folder, [Passage("a", "Kerrow has a mill."), Passage("b", "Kerrow lies low."), Passage("c", "He saw it.")])

    def entities():
        with closing(graph_in(folder)) as graph:
            return graph.entity("kerrow")

    assert entities() is None
    LinearRag.update(folder, upsert=[Passage("c", "He saw Kerrow.")])
    assert entities() is not None
    assert ids(found(folder, "Where is Kerrow?")) == ["a", "b", "c"]
    LinearRag.update(folder, upsert=[Passage("c", "He saw it.")])
    assert entities() is None


def graph_in(folder):
    manifest = read_manifest(folder)
    return EntityGraph(folder / manifest.data, manifest)


def test_entities_that_nothing_mentions_any_more_are_forgotten(tmp_path):
    folder = tmp_path / "index"
    LinearRag.build(folder, CHAIN)
    LinearRag.update(folder, delete=["film", "holt"])
    with closing(EntityKeys.reading(folder / read_manifest(folder).data / KEYS)) as keys:
        assert {word for word in ("long", "wales", "tom", "lina", "kerrow") if keys.with_word(word, 9)} == {
            "tom",
            "lina",
            "kerrow",
        }
        assert keys.entity("wales") is keys.entity("long tide") is None


NAMES = ["Ada Finch", "Tom Carey", "Lina Holt", "Kerrow", "Sula", "Orlau"]
SENTENCES = st.lists(st.sampled_from(NAMES), max_size=3).map(lambda names: f"it is of {', '.join(names)} and the sea.")
TEXTS = st.lists(SENTENCES, max_size=3).map(" ".join)
PASSAGES = st.lists(st.tuples(TEXTS, st.sampled_from(["", *NAMES])), min_size=1, max_size=12).map(
    lambda drawn: [Passage(f"p{n:02}", text, title) for n, (text, title) in enumerate(drawn)]
)


def test_what_the_index_held_before_does_not_decide_which_of_two_entities_goes_first(tmp_path):
    last = Passage("p01", "it is of Ada Finch and the sea. it is of Lina Holt and the sea.", "Orlau")
    LinearRag.build(tmp_path / "index", [Passage("p00", "", "Lina Holt"), last])
    LinearRag.update(tmp_path / "index", delete=["p00"])
    LinearRag.build(tmp_path / "anew", [last])
    asked = "Was it Lina Holt or Orlau by the sea?"
    assert found(tmp_path / "index", asked) == found(tmp_path / "anew", asked)


def test_nor_does_the_order_of_passages_decide_which_of_two_sentences_leads_on(tmp_path):
    passages = [
        Passage("p0", "it is of Ada Finch and the tower of Orlau.", "Sula"),
        Passage("p1", "it is of Ada Finch and the tower of Lina Holt.", "Vesk"),
        Passage("p2", "it has a lamp.", "Orlau"),
        Passage("p3", "it has an oar.", "Lina Holt"),
    ]
    for name, some in (("index", passages), ("turned", passages[::-1])):
        LinearRag.build(tmp_path / name, some)
    asked = "Which tower is of Ada Finch?"
    assert found(tmp_path / "index", asked, 9, threshold=0.1) == found(tmp_path / "turned", asked, 9, threshold=0.1)


@pytest.mark.slow
@settings(max_examples=5, deadline=None)
@given(PASSAGES, st.sets(st.integers(0, 11)), st.integers(0, 12))
def test_an_updated_index_finds_what_one_built_anew_finds(tmp_path_factory, passages, gone, first):
    folder = tmp_path_factory.mktemp("updated")
    left = [passage for n, passage in enumerate(passages) if n not in gone]
    LinearRag.build(folder / "index", passages[:first] or [Passage("q", "Ada Finch of Sula")])
    LinearRag.update(folder / "index", upsert=passages[first:], delete=[] if first else ["q"])
    LinearRag.update(folder / "index", delete=[passage.id for n, passage in enumerate(passages) if n in gone])
    LinearRag.check(folder / "index")
    if not left:
        assert found(folder / "index", "Was Ada Finch of Sula?") == []
        return
    LinearRag.build(folder / "anew", left)
    for question in ("Was Ada Finch of Sula?", "Who is Tom of the sea?", "Was it Lina Holt or Orlau by the sea?"):
        updated, anew = (found(folder / name, question, 20, threshold=0.1) for name in ("index", "anew"))
        assert [(hit.passage, pytest.approx(hit.score, abs=2e-8)) for hit in updated] == [
            (hit.passage, hit.score) for hit in anew
        ]


def test_damage_is_found(index, tmp_path):
    LinearRag.build(tmp_path / "index", CHAIN)
    manifest = read_manifest(tmp_path / "index")
    data = tmp_path / "index" / manifest.data
    names = [name for name in manifest.files if name.endswith((".i64", ".i32", ".u32", ".u8", ".f32", ".sqlite"))]
    assert len(names) == 11
    for name in names:
        path, content = data / name, (data / name).read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 0xFF]))
        with pytest.raises(DataError, match=rf"{name} does not match its checksum"):
            LinearRag.check(tmp_path / "index")
        path.write_bytes(content)
    assert LinearRag.check(tmp_path / "index").num_passages == 4


@pytest.mark.parametrize("name", ["numbers.i64", "mentions.i32", "sure.u8", "words.u32", "mentioning.i32", "shares.f32"])
def test_files_that_do_not_belong_together_are_refused(tmp_path, name):
    LinearRag.build(tmp_path / "index", CHAIN)
    manifest = read_manifest(tmp_path / "index")
    path = tmp_path / "index" / manifest.data / name
    path.write_bytes(path.read_bytes() + bytes(8))
    files = {**manifest.files, name: DataFile(path.stat().st_size, sha256_of(path))}
    write_manifest(tmp_path / "index", dataclasses.replace(manifest, files=files))
    with pytest.raises(DataError, match="does not hold the entities of 4 passages"):
        LinearRag(tmp_path / "index")


def test_an_index_of_another_language_has_its_terms(tmp_path):
    passages = [Passage("a", "Der Film Die Lange Flut ist von Jens Holm. Das Haus war alt.", "Die Lange Flut")]
    passages += [Passage("b", "Er baute viele Häuser.", "Jens Holm"), Passage("c", "Nichts.", "Kerrow")]
    LinearRag.build(tmp_path / "index", passages, language="german")
    assert ids(found(tmp_path / "index", "Welche Häuser baute der Regisseur von Die Lange Flut?", rounds=2))[:2] == ["a", "b"]
    with pytest.raises(SettingsError, match="was built for the language german"):
        LinearRag.update(tmp_path / "index", upsert=passages[:1], language="english")


# -- who may see what --------------------------------------------------------------------------------------------------------


def test_a_hidden_passage_leads_nowhere_and_hides_no_path_of_others(tmp_path):
    hidden = Passage("hidden", "The Long Tide was by Lina Holt, the wife of the director.", "Notes", access=("a",))
    LinearRag.build(tmp_path / "index", [*CHAIN, hidden, *NOISE])
    LinearRag.build(tmp_path / "without", [*CHAIN, *NOISE])
    options = {"rounds": 2, "num_sentences": 2}
    assert [(hit.passage.id, hit.via) for hit in found(tmp_path / "index", **options)] == [
        (hit.passage.id, hit.via) for hit in found(tmp_path / "without", **options)
    ]
    seen = {hit.passage.id: hit.via for hit in found(tmp_path / "index", visible=Visible("a"), **options)}
    assert seen["hidden"] is None
    assert seen["holt"].passage_id == "hidden"


def test_an_entity_that_only_hidden_passages_mention_does_not_exist(tmp_path):
    hidden = Passage("hidden", "It was Ada Finch of the harbour.", access=("a",))
    LinearRag.build(tmp_path / "index", [hidden, *NOISE])
    question = "What is the harbour of Ada Finch?"
    assert "hidden" not in ids(found(tmp_path / "index", question))
    assert ids(found(tmp_path / "index", question, 1, visible=Visible("a"))) == ["hidden"]


@settings(max_examples=5, deadline=None)
@given(PASSAGES, st.lists(st.booleans(), min_size=12, max_size=12))
def test_only_what_is_shown_is_found_and_it_ranks_as_without_the_rest(tmp_path_factory, passages, hides):
    folder = tmp_path_factory.mktemp("hidden")
    labelled = [dataclasses.replace(one, access=("a",) * hide) for one, hide in zip(passages, hides, strict=False)]
    shown = [one for one in labelled if not one.access]
    LinearRag.build(folder / "all", labelled)
    # Where walks start at entities only, nothing depends on how rare words are.
    options = {"passage_weight": 0.0, "rounds": 1}
    hits = found(folder / "all", "Was Ada Finch of Sula with Lina Holt?", 20, **options)
    assert {hit.passage.id for hit in hits} <= {one.id for one in shown}
    if shown and hits and hits[0].score < 1:
        LinearRag.build(folder / "shown", shown)
        alone = found(folder / "shown", "Was Ada Finch of Sula with Lina Holt?", 20, **options)
        assert [(hit.passage.id, pytest.approx(hit.score, abs=2e-8)) for hit in hits] == [
            (hit.passage.id, hit.score) for hit in alone
        ]


# -- the stages --------------------------------------------------------------------------------------------------------------

BRIDGE = [
    Passage("p0", "In the gale Ada Finch met Tom Carey. For the gale of the coast she left Sula."),
    Passage("p1", "In spring Tom Carey wed Lina Holt. As a gale came, Tom Carey saw Orlau."),
]
WEIGHTS = {"gale": 1.0, "coast": 2.0, "spring": 0.5}


@pytest.fixture(scope="module")
def bridge(tmp_path_factory):
    return graph_of(tmp_path_factory.mktemp("bridge") / "index", BRIDGE)


def entity(graph, key):
    found_entity = graph.entity(key)
    assert found_entity is not None
    return found_entity


def similar(*terms):
    total = sum(weight**2 for weight in WEIGHTS.values())
    return math.sqrt(sum(WEIGHTS[term] ** 2 for term in terms) / total)


def activated(graph, keys, rounds=3, threshold=0.0, num_sentences=9):
    """The active entities, by key, given the scores of those of the query."""
    seeds = {entity(graph, key): score for key, score in keys.items()}
    active = Spreading(rounds, threshold, num_sentences).active(graph, seeds, QueryWords.of(WEIGHTS))
    by_number = {graph.entity(key): key for key in ("ada finch", "tom carey", "sula", "lina holt", "orlau")}
    return {by_number[number]: one for number, one in active.items()}


def test_a_sentence_resembles_the_query_by_the_weight_of_the_words_that_it_has(bridge):
    found_similarities = QueryWords.of(WEIGHTS).similarities(bridge, np.arange(4))
    expected = [similar("gale"), similar("gale", "coast"), similar("spring"), similar("gale")]
    assert found_similarities.tolist() == pytest.approx(expected)
    assert QueryWords.of({}).similarities(bridge, np.arange(4)).tolist() == [0, 0, 0, 0]


def test_activation_is_the_product_of_the_similarities_of_the_sentences_on_the_way(bridge):
    active = activated(bridge, {"ada finch": 0.9})
    gale = similar("gale")
    assert active["ada finch"] == Active(0.9, 1, NOWHERE)
    assert active["tom carey"] == (pytest.approx(0.9 * gale), 2, 0)
    assert active["lina holt"] == (pytest.approx(0.9 * gale * similar("spring")), 3, 2)
    assert active["orlau"] == (pytest.approx(0.9 * gale * gale), 3, 3)
    assert "sula" not in active  # Ada Finch is "she" there


def test_activation_stops_after_the_rounds_and_below_the_threshold(bridge):
    assert activated(bridge, {"ada finch": 1.0}, rounds=1).keys() == {"ada finch"}
    assert activated(bridge, {"ada finch": 1.0}, rounds=2).keys() == {"ada finch", "tom carey"}
    gale = similar("gale")
    assert activated(bridge, {"ada finch": 1.0}, threshold=gale).keys() == {"ada finch", "tom carey"}
    assert activated(bridge, {"ada finch": 1.0}, threshold=gale + 0.01).keys() == {"ada finch"}


def test_an_entity_activates_others_through_its_most_similar_sentences_only(bridge):
    one = activated(bridge, {"tom carey": 1.0}, rounds=2, num_sentences=1)
    assert len(one) == 2  # two sentences are as similar, that with Lina Holt is less
    assert one.keys() < {"tom carey", "ada finch", "orlau"}
    two = activated(bridge, {"tom carey": 1.0}, rounds=2, num_sentences=2)
    assert two.keys() == {"tom carey", "ada finch", "orlau"}


def test_what_is_active_stays_as_it_is(bridge):
    active = activated(bridge, {"ada finch": 0.5, "tom carey": 0.1})
    assert active["tom carey"] == Active(0.1, 1, NOWHERE)


def test_of_several_sentences_that_activate_an_entity_the_strongest_counts_and_each_is_used_once(tmp_path):
    passages = [
        Passage("a", "In spring Tom Carey saw Orlau."),
        Passage("b", "On the coast Ada Finch saw Orlau."),
        Passage("c", "For the gale of the coast Tom Carey and Ada Finch left Sula."),
    ]
    with closing(graph_of(tmp_path / "index", passages)) as graph:
        strongest = activated(graph, {"tom carey": 0.9, "ada finch": 0.8}, rounds=2)
        assert strongest["orlau"] == (pytest.approx(0.8 * similar("coast")), 2, 1)
        both = activated(graph, {"tom carey": 0.9, "ada finch": 0.8}, rounds=2, num_sentences=1)
        assert both["sula"] == (pytest.approx(0.9 * similar("gale", "coast")), 2, 2)
        assert both["orlau"] == (pytest.approx(0.8 * similar("coast")), 2, 1)


def test_a_passage_gets_a_bonus_for_each_active_entity_by_its_mentions_and_round(bridge):
    active = {entity(bridge, "tom carey"): Active(0.8, 2, 0), entity(bridge, "sula"): Active(0.5, 1)}
    bonus = [0.8 * math.log(1 + 1) / 2 + 0.5 * math.log(1 + 1), 0.8 * math.log(1 + 2) / 2]
    assert entity_bonus(bridge, active).tolist() == pytest.approx(bonus)


def exact_pagerank(graph, entities, passages, damping):
    """By the system of equations, over edges that weigh as much as an entity's share of a passage's mentions."""
    num_passages, num_entities = len(graph.numbers), graph.num_entities
    weights = np.zeros((num_passages, num_entities))
    for number in range(num_entities):
        rows, counts = graph.rows_with(number)
        weights[rows, number] = counts
    totals = weights.sum(axis=1, keepdims=True)
    weights = np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)
    both = np.block([[np.zeros((num_passages, num_passages)), weights], [weights.T, np.zeros((num_entities, num_entities))]])
    degree = both.sum(axis=1, keepdims=True)
    walk = np.divide(both, degree, out=np.zeros_like(both), where=degree > 0)
    start = np.zeros(num_passages + num_entities)
    start[:num_passages] = passages
    for number, mass in entities.items():
        start[num_passages + number] = mass
    scores = np.linalg.solve(np.eye(len(start)) - damping * walk.T, (1 - damping) * start / start.sum())
    return scores[:num_passages]


@settings(max_examples=10, deadline=None)
@given(PASSAGES, st.integers(0, 10**6), st.sampled_from([0.2, 0.5, 0.85]))
def test_pagerank_solves_the_equations_of_pagerank(tmp_path_factory, passages, seed, damping):
    draw = random.Random(seed)
    with closing(graph_of(tmp_path_factory.mktemp("ranked") / "index", passages)) as graph:
        known = [number for name in NAMES if (number := graph.entity(entity_key(name))) is not None]
        entities = {number: draw.random() for number in draw.sample(known, len(known) // 2)}
        own = np.array([draw.random() for _ in passages])
        scores = pagerank(graph, entities, own, damping)
        # What is cut off at a node is less than the bound, in later steps less and less, and so is what comes of it.
        most_lost = CUTOFF * (len(passages) + len(NAMES)) * damping / (1 - damping) ** 2
        assert scores == pytest.approx(exact_pagerank(graph, entities, own, damping), abs=most_lost)
        assert scores.sum() <= 1 + 1e-9


def test_without_a_start_nobody_walks(bridge):
    assert pagerank(bridge, {}, np.zeros(2), 0.5).tolist() == [0, 0]


def test_without_walks_a_passage_keeps_its_own_relevance(bridge):
    scores = pagerank(bridge, {entity(bridge, "sula"): 1.0}, np.array([2.0, 1.0]), 1e-9)
    assert scores.tolist() == pytest.approx([0.5, 0.25])


def test_a_score_is_that_of_walks_from_active_entities_and_from_passages_by_their_relevance_and_bonus(tmp_path):
    passages = [*BRIDGE, Passage("p2", "The coast was calm."), *NOISE[:5]]
    question = "Which gale of the coast did Ada Finch meet?"
    BM25.build(tmp_path / "words", passages)
    with closing(BM25(tmp_path / "words")) as words:
        [plain] = words.search([question], 9)
    with closing(graph_of(tmp_path / "index", passages)) as graph:
        active = {entity(graph, "ada finch"): Active(1.0, 1)}
        relevance = (
            np.array([next((hit.score for hit in plain if hit.passage == one), 0.0) for one in passages]) / plain[0].score
        )
        own = 0.2 * (3.0 * relevance + np.log(1 + entity_bonus(graph, active)))
        expected = exact_pagerank(graph, {number: one.score for number, one in active.items()}, own, 0.6)
    options = {"rounds": 1, "passage_ratio": 3.0, "passage_weight": 0.2, "damping": 0.6}
    scores = {hit.passage.id: hit.score for hit in found(tmp_path / "index", question, 9, **options)}
    assert len(scores) == 3
    assert [scores.get(one.id, 0.0) for one in passages] == pytest.approx(expected.tolist(), abs=1e-4)
