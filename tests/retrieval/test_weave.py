"""Multi-hop retrieval over an index, without a model."""

import itertools
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.towns import ids
from support.word_vectors import write_word_vectors

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.indexing import CountsPassages
from hopweave.core.types import Passage
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.weave import Weave
from hopweave.retrieval.index import word_index
from hopweave.retrieval.index.index_folder import read_manifest, write_manifest
from hopweave.retrieval.index.links import MAX_KEY_WORDS, mentions, opening, openings, title_key, words_of
from hopweave.retrieval.index.word_document import Document
from hopweave.retrieval.index.word_index import function_terms

NOISE = [
    Passage(f"noise-{n}", f"A harbour town number {n} has a church, a market and a club of the film.", f"Town {n}")
    for n in range(40)
]
CHAIN = [
    Passage("film", "The Long Tide is a 1971 drama film directed by Tom Carey. It was shot in Wales.", "The Long Tide"),
    Passage("carey", "Tom Carey was a Welsh painter and teacher. He married Lina Holt in 1964.", "Tom Carey (painter)"),
    Passage("holt", "Lina Holt grew up on a farm at Kerrow, among sheep.", "Lina Holt"),
    Passage("kerrow", "Kerrow is a parish with an old mill.", "Kerrow"),
]
QUESTION = "Who is the wife of the director of the film The Long Tide?"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weave") / "index"
    BM25.build(folder, [*NOISE[:20], *CHAIN, *NOISE[20:]])
    return folder


def found(folder, question=QUESTION, max_hits=4, **options):
    retriever = Weave(folder, **options)
    [hits] = retriever.search([question], max_hits)
    retriever.close()
    return hits


def known_titles(*keys):
    """What `mentions` asks of an index with a passage of each of these titles."""
    return {
        "is_title": keys.__contains__,
        "num_titled": keys.count,
        "num_opened": lambda pair: sum(key == pair or key.startswith(f"{pair} ") for key in keys),
    }


def named(text, *keys, **more):
    """The keys of these titles that a text names."""
    return [one.key for one in mentions(text, **known_titles(*keys) | more)]


def assert_tree(hits):
    for passage_id in hits:
        path = [passage_id]
        while path[-1] in hits and hits[path[-1]].via is not None:
            path.append(hits[path[-1]].via.passage_id)
            assert path[-1] not in path[:-1]


def test_it_finds_the_second_hop_that_shares_no_word_with_the_question(index):
    [plain] = BM25(index).search([QUESTION], 4)
    assert "carey" not in ids(plain)
    assert ids(found(index))[:2] == ["film", "carey"]


def test_it_follows_two_hops(index):
    assert {"film", "carey", "holt"} <= set(ids(found(index, "Where did the wife of the director of The Long Tide grow up?")))


def test_a_hit_says_what_led_to_it(index):
    hits = {hit.passage.id: hit for hit in found(index)}
    assert hits["film"].via is None
    assert (hits["carey"].via.passage_id, hits["carey"].via.title, hits["carey"].via.by) == ("film", "The Long Tide", "link")


def test_a_question_typed_in_small_letters_names_titles_of_two_words_or_more(index):
    assert ids(found(index, QUESTION.lower()))[:2] == ["film", "carey"]
    assert named("the long tide of kerrow", "long tide", "kerrow", any_case=True) == ["long tide"]


def test_what_led_to_what_is_a_tree(index):
    for question in (QUESTION, "Where did the wife of the director of The Long Tide grow up?", "Kerrow Lina Holt Tom Carey"):
        assert_tree({hit.passage.id: hit for hit in found(index, question, 30)})


def test_it_finds_the_same_whatever_was_searched_before(index, monkeypatch):
    questions = [QUESTION, "Where did the wife of the director of The Long Tide grow up?", "Kerrow Lina Holt Tom Carey"]
    alone = [[found(index, question, 8)] for question in questions]
    monkeypatch.setattr(word_index, "_MAX_DOCUMENTS", 3)  # so that passages are let go of after every question
    retriever = Weave(index)
    assert [retriever.search([question], 8) for question in reversed(questions)] == alone[::-1]
    assert [retriever.search([question], 8) for question in questions] == alone
    retriever.close()


def test_a_link_is_followed_backwards_too(index):
    assert "film" in ids(found(index, "Which film did Tom Carey the Welsh painter direct?"))


@pytest.mark.parametrize("written", ["RFC 9991", "[RFC9991]", "RFC-9991"])
def test_a_document_of_a_series_is_named_with_or_without_a_blank_before_its_number(tmp_path, written):
    light = Passage("light", f"The lamp of Kerrow is lit as {written} says.", "RFC 9990: Lights")
    flame = Passage("flame", "The flame is as high as a hand, and no higher.", "RFC 9991: Flames of Whale Oil")
    BM25.build(tmp_path / "index", [*NOISE, light, flame])
    hits = found(tmp_path / "index", "How is the lamp of Kerrow lit?", residual=False)
    assert {hit.passage.id: hit for hit in hits}["flame"].via.by == "link"


def test_without_hops_it_ranks_as_bm25_does(index):
    for question in (QUESTION, "harbour town market", "Kerrow mill"):
        [plain] = BM25(index).search([question], 5)
        assert ids(found(index, question, 5, depth=0, links=False, set_choice=False)) == ids(plain)


def test_without_titles_names_lead_on(tmp_path):
    BM25.build(tmp_path / "index", [Passage(one.id, one.text) for one in [*NOISE, *CHAIN]])
    question = "Who is the wife of the person behind the 1971 drama film The Long Tide?"
    assert "carey" not in ids(found(tmp_path / "index", question, links=False, residual=False))
    hits = found(tmp_path / "index", question, residual=False)
    assert {hit.passage.id: hit for hit in hits}["carey"].via.by == "link"


def test_false_links_count_for_little_where_their_targets_answer_nothing(tmp_path):
    crowd = " ".join(f"Town {n}." for n in range(10))
    crowded = [Passage(one.id, f"{one.text} {crowd}", one.title) for one in CHAIN]
    BM25.build(tmp_path / "index", [*NOISE, *crowded])
    assert ids(found(tmp_path / "index"))[:2] == ["film", "carey"]


def test_a_passage_is_linked_as_soon_as_it_is_added_and_unlinked_as_soon_as_it_is_deleted(tmp_path):
    folder = tmp_path / "index"
    BM25.build(folder, [*NOISE, CHAIN[0]])
    assert "carey" not in ids(found(folder))
    BM25.update(folder, upsert=[CHAIN[1]])
    assert "carey" in ids(found(folder))
    BM25.update(folder, delete=["carey"])
    assert "carey" not in ids(found(folder))


def test_it_says_how_many_passages_its_index_has_whichever_it_shows(tmp_path):
    secret = Passage("secret", "The mill at Kerrow is for sale.", "Sale", access=("board",))
    BM25.build(tmp_path / "index", [*CHAIN, secret])
    retriever = Weave(tmp_path / "index")
    assert isinstance(retriever, CountsPassages)
    assert retriever.num_passages == len(CHAIN) + 1


def test_an_updated_index_finds_what_one_built_anew_finds(tmp_path):
    BM25.build(tmp_path / "anew", [*NOISE, *CHAIN])
    BM25.build(tmp_path / "updated", NOISE)
    BM25.update(tmp_path / "updated", upsert=CHAIN)
    assert ids(found(tmp_path / "updated", max_hits=10)) == ids(found(tmp_path / "anew", max_hits=10))


def test_an_index_without_names_is_refused_with_what_to_do_and_bm25_still_searches_and_updates_it(tmp_path, monkeypatch):
    folder = tmp_path / "index"
    as_before(monkeypatch, folder, [*NOISE, *CHAIN])
    with pytest.raises(DataError, match="rebuild it with: hopweave index"):
        Weave(folder)
    BM25.update(folder, upsert=[Passage("new", "A zorb is a thing.", "Zorb")], delete=["kerrow"])
    assert ids(BM25(folder).search(["zorb"], 3)[0]) == ["new"]
    assert "kerrow" not in [one.id for one in BM25(folder).all_passages()]


def as_before(monkeypatch, folder, passages):
    """An index of the first layout, which had no fields of names."""
    from hopweave.retrieval.index import bm25_index as _bm25_index

    with monkeypatch.context() as patch:
        patch.setattr(_bm25_index, "LINK_FIELDS", ())
        patch.setattr(_bm25_index, "_link_values", lambda passage: ())
        _bm25_index.schema.cache_clear()
        BM25.build(folder, passages)
    _bm25_index.schema.cache_clear()
    manifest = read_manifest(folder)
    write_manifest(
        folder,
        type(manifest)(
            **{name: getattr(manifest, name) for name in manifest.__slots__}
            | {"state": {"next_number": manifest.state["next_number"]}}
        ),
    )
    assert json.loads((folder / "manifest.json").read_text())["state"] == {"next_number": len(passages)}


def test_with_a_budget_of_tokens_only_the_likeliest_sentences_are_shown(index):
    [film, *_] = found(index, max_tokens=60)
    assert film.passage.text.startswith("The Long Tide is a 1971 drama film directed by Tom Carey.")
    assert sum(len(hit.passage.text.replace(" ", "")) for hit in found(index, max_tokens=60)) < sum(
        len(hit.passage.text.replace(" ", "")) for hit in found(index)
    )


def test_scores_fall_and_ranks_count_from_one(index):
    hits = found(index, max_hits=20)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert all(one.score >= other.score for one, other in itertools.pairwise(hits))
    assert len(set(ids(hits))) == len(hits)


def test_as_many_hits_as_there_are_are_given_where_so_many_are_asked_for(tmp_path):
    BM25.build(tmp_path / "index", [Passage(f"p{n}", f"A zorb of number {n}.") for n in range(150)])
    assert len(found(tmp_path / "index", "zorb", 130)) == 130


def test_fewer_hits_are_the_first_of_more(index):
    assert ids(found(index, max_hits=3)) == ids(found(index, max_hits=12))[:3]


@pytest.mark.parametrize("question", ["", "?", "the of and", "zzzzqqq", "\ud800", "(a OR b) AND c:d", "\x00"])
def test_a_query_without_a_known_word_finds_nothing_and_breaks_nothing(index, question):
    assert found(index, question) == [] or question.startswith("(")


@pytest.mark.parametrize("options", [{"depth": -1}, {"max_tokens": 0}, {"title_weight": -0.5}, {"title_weight": math.nan}])
def test_an_option_that_cannot_be_is_refused(index, options):
    with pytest.raises(SettingsError):
        Weave(index, **options)


def test_a_common_word_is_no_title(tmp_path):
    common = [Passage(f"n{n}", f"It rained once on day {n}, and it was cold.", f"Day {n}") for n in range(30)]
    BM25.build(tmp_path / "index", [*common, Passage("once", "Once is a musical of 2006.", "Once"), *CHAIN])
    hits = found(tmp_path / "index", "Once the director of The Long Tide married, who was she?")
    assert ids(hits)[0] == "film"


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("Amélie (2001 film)", "amelie"),
        ("(500) Days of Summer", "500 days of summer"),
        ("AC/DC", "ac dc"),
        ("(What)", "what"),
        ("...", ""),
        ("", ""),
        ("word " * 13, ""),
        ("glob — Names of files — Orla 3.1 documentation", "glob"),
        ("What’s New In Orla 3.9 — Orla 3.11.2 documentation", "what s new in orla 3 9"),
        ("email.policy: Policy Objects — Orla documentation", "email policy"),
        ("mod_rewrite - Sula Server Version 2.4", "mod rewrite"),
        ("Server Configuration | The Sula Handbook", "server configuration"),
        ("Brahma – The Creator", "brahma the creator"),
        ("Help - Wanted - Orla", "help wanted orla"),
        ("git-log(1)", "git log"),
        ("realpath.1", "realpath"),
        ("rsyncd.conf.5", "rsyncd conf"),
        ("Low Water 2.1", "low water 2 1"),
    ],
)
def test_the_key_of_a_title(title, key):
    assert title_key(title) == key


def test_the_longest_title_is_the_one_that_is_named():
    titles = ("new york", "new york city", "york", "city", "new york city hall of records")
    assert named("In New York City, and in York.", *titles) == ["new york city", "york"]


def test_a_title_that_does_not_count_is_passed_over_for_a_shorter_one():
    assert named("In New York City.", "new york", "new york city", is_title={"new york"}.__contains__) == ["new york"]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from("ab"), max_size=16), st.sets(st.text("ab", min_size=1, max_size=13)))
def test_no_title_is_longer_than_the_one_that_is_found(words, known):
    keys = {" ".join(key) for key in known if len(key) <= MAX_KEY_WORDS}
    expected, at = [], 0
    while at < len(words):
        longest = max((n for n in range(1, len(words) - at + 1) if " ".join(words[at : at + n]) in keys), default=0)
        expected += [" ".join(words[at : at + longest])] if longest else []
        at += max(1, longest)
    assert named(" ".join(words).upper(), *keys) == expected


def test_a_name_in_small_letters_is_no_mention():
    assert named("the new york", "new york") == []


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Use git-log(1) instead, or grep (1).", ["git log", "grep"]),
        ("The secrets module is for that; see also module glob, and the program tar.", ["secrets", "glob", "tar"]),
        ("Keep your secrets, glob for files, and tar them.", []),
        ("The email.policy module was added.", ["email policy"]),
        ("The glob command line", ["glob"]),
        ("The os.tar module", []),  # it is another one
    ],
)
def test_a_name_in_small_letters_is_a_mention_if_it_is_said_to_be_of_a_program_or_a_module(text, keys):
    titles = ("secrets", "glob", "tar", "git log", "grep", "email policy")
    assert named(text, *titles) == keys
    assert {opening(key) for key in keys} <= openings(text)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=4))
def test_whatever_a_text_holds_it_names_what_stands_in_it(text, titles):
    keys = {title_key(title) for title in titles} - {""}
    text = f"{text} {' '.join(titles)}"
    for key in named(text, *keys):
        assert key in keys
        assert f" {key} " in f" {' '.join(words_of(text).keys)} "
        assert key.split(" ")[0] in openings(text)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=200) | st.text("aA1 -_'é", max_size=40))
def test_each_word_has_its_key_and_stands_where_the_words_before_it_end(text):
    keys, written = words_of(text)
    assert len(keys) == len(written)
    end = 0
    for key, word in zip(keys, written, strict=True):
        end = text.index(word, end) + len(word)
        assert [key] == words_of(word).keys


class _Linked:
    """Stands for an index in which every title is a link."""

    def __init__(self, *titles):
        self._known = known_titles(*map(title_key, titles))

    def leads_somewhere(self, key, *, is_code=False):
        return True

    def mentions(self, text):
        return [one.key for one in mentions(text, **self._known)]


def _document(text, title, words):
    document = Document((0, 0), 0, words)
    document.passage = Passage("p", text, title)
    return document


@settings(max_examples=200, deadline=None)
@given(
    st.text(max_size=60),
    st.sampled_from(
        [
            "Amélie",
            "AMELIE",
            "The Long-Tide",
            "Straße 9",
            "Été à Åre",
            "Ωmega Point",
            "北京 Opera",
            "x" * 70,
            "ﬁsh ½ Kg",
            "[RFC7636]",
            "RFC 7636",
        ]
    ),
    st.sampled_from([str.upper, str.lower, str.title, str]),
    st.sampled_from(
        [
            "Amélie",
            "amelie",
            "Long Tide",
            "STRASSE 9",
            "Ete a Are",
            "Ωmega",
            "Opera",
            "北京",
            "X" * 65,
            "Fish",
            "Kg",
            "RFC 7636: Keys",
            "Rfc",
        ]
    ),
)
def test_a_passage_links_to_what_its_text_names_and_to_nothing_else(text, named, written, title):
    words = _Linked(title)
    source = _document(f"{text} {written(named)} {text}", "", words)
    target = _document("", title, words)
    assert source.links_to(target) == (target.key in source.links)


def test_among_sentences_that_share_the_same_terms_with_the_question_the_first_is_best():
    for number in range(100):
        shared = [f"word{number}x{place}" for place in range(5)]
        asked = dict(zip(shared, (0.1, 0.2, 0.3, 0.4, 0.6), strict=True))
        longer = " ".join(f"other{number}x{place}" for place in range(40))
        text = f"{' '.join(shared)} ends. {' '.join(shared).capitalize()} {longer}."
        document = Document((0, 0), 0, words=None)
        document.passage = Passage("p", text)
        assert document.best_sentence(asked) is document.sentences[0]


MANUAL = [
    *(
        Passage(f"copy#{n}", f"Option {n} of the copy command: it keeps the times of files.", "Copy", start=n, end=n)
        for n in range(1, 121)
    ),
    *(
        Passage(f"Sort#{n}", f"The sort command reads lines, as in Copy, and key {n} orders files.", "Sort", start=n, end=n)
        for n in range(1, 121)
    ),
    Passage("delete", "With the option delete, files that the sender removed vanish from the copy of the folder.", "Mirror"),
    Passage("prune", "Empty folders vanish with prune.", "Mirror"),
]


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    folder = tmp_path_factory.mktemp("manual") / "index"
    BM25.build(folder, MANUAL)
    return folder


@pytest.mark.parametrize(
    "look_up",
    [
        "how do files that the sender removed vanish from the copy of a folder?",
        "which option keeps the times of files",
        "option delete",
        "Does the sort command order files by key?",
    ],
)
def test_a_look_up_that_names_nothing_in_particular_leads_nowhere(manual, look_up):
    [plain] = BM25(manual).search([look_up], 10)
    hits = found(manual, look_up, 10)
    assert ids(hits) == ids(plain)
    assert [hit.via for hit in hits] == [None] * len(hits)


def test_function_words_of_a_question_weigh_little(tmp_path):
    wordy = Passage("wordy", "What does it do, and how?", "Help")
    mill = Passage("mill", "The old mill grinds rye.", "Valley")
    others = [Passage(f"case-{n}", f"How does one do what has to be done in case {n}?", "Case") for n in range(9)]
    BM25.build(tmp_path / "index", [*NOISE, wordy, mill, *others])
    question = "How does the mill do what it does?"
    [plain] = BM25(tmp_path / "index").search([question], 1)
    assert (ids(plain), ids(found(tmp_path / "index", question, 1))) == (["wordy"], ["mill"])


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("Which mill does Sula have?", {"which", "doe", "have"}),
        ("Who has led the WHO?", {"has"}),
        ("Wie heißt die Mühle am Fluss?", {"wie", "die", "am"}),
        ("水車はどこですか", set()),
        ("", set()),
    ],
)
def test_the_function_words_of_a_question_are_those_of_its_language_and_no_abbreviations(question, terms):
    assert function_terms(question) == terms


def test_a_passage_with_all_words_of_a_question_comes_before_one_that_has_some_of_them_oftener(tmp_path):
    oftener = Passage("oftener", "Rye, rye and rye, and bread and bread, for sale.", "Sale")
    all_words = Passage("all", "Bread of rye, ground at a mill far from the town.", "Parish")
    mills = [Passage("one", "A mill.", "Mills"), Passage("more", "One more mill.", "Mills")]
    BM25.build(tmp_path / "index", [*NOISE, oftener, all_words, *mills])
    [plain] = BM25(tmp_path / "index").search(["rye bread mill"], 2)
    assert (ids(plain), ids(found(tmp_path / "index", "rye bread mill", 2))) == (["oftener", "all"], ["all", "oftener"])


def test_a_passage_with_a_value_of_the_kind_that_is_asked_for_comes_before_one_without(tmp_path):
    spoken = Passage("spoken", "The wash programme must run again, if the wash programme was stopped.", "Pump")
    stated = Passage("stated", "The wash programme can run by night, and takes 180 s.", "Pump")
    BM25.build(tmp_path / "index", [*NOISE, spoken, stated])
    for question, first in (
        ("How long does the wash programme run?", "stated"),
        ("Why does the wash programme run?", "spoken"),
    ):
        assert found(tmp_path / "index", question, 2)[0].passage.id == first
        assert found(tmp_path / "index", question, 2, values=False)[0].passage.id == "spoken"


def test_of_a_text_in_several_manuals_the_one_that_the_question_names_is_found_first_and_the_others_last(tmp_path):
    said = ("Do not clean the hood with steel wool.", "Do not clean the hood\nwith steel wool.")
    shared = [Passage(f"h{number}", said[number % 2], f"Manual of the Tarn H{number}") for number in (4, 5, 6)]
    BM25.build(tmp_path / "index", [*NOISE, *shared])
    for number in (4, 5, 6):
        hits = found(tmp_path / "index", f"How do I clean the hood of the H{number} in a town?", 6)
        assert [one for one in ids(hits) if one.startswith("h")] == [f"h{number}"]
        hits = found(tmp_path / "index", f"How do I clean the hood of the H{number}?", 4)
        assert (ids(hits)[0], len(hits)) == (f"h{number}", 3)


def test_a_code_that_a_question_names_counts_for_more_than_its_other_words(tmp_path):
    faults = "E04 no water, E05 water in the tray, E06 no heat, E07 hood open, E08 door open"
    shown = "The lamp is there, and on it stands what is wrong."
    BM25.build(tmp_path / "index", [*NOISE, Passage("faults", faults, "Faults"), Passage("panel", shown, "Panel")])
    assert found(tmp_path / "index", "What is wrong if the lamp is showing E05?", 2)[0].passage.id == "faults"


def test_a_document_about_another_model_than_the_question_names_counts_for_less(tmp_path):
    other = Passage("other", "The pump seal of the pump is replaced with the pump.", "Manual of the H6")
    asked = Passage("asked", "Among other parts, as listed in the table of parts below, the seal.", "Manual of the H4")
    BM25.build(tmp_path / "index", [*NOISE, other, asked])
    assert found(tmp_path / "index", "seal of the pump of the H4", 2)[0].passage.id == "asked"
    assert found(tmp_path / "index", "seal of the pump", 2)[0].passage.id == "other"


def test_a_title_that_many_passages_share_is_no_link(manual):
    hits = found(manual, "Which command does Sort name?", 10)
    assert not any(hit.via is not None and hit.via.by == "link" for hit in hits)


def test_scores_are_low_where_the_words_of_the_question_are_not_in_the_corpus(manual):
    [hit, *_] = found(manual, "option delete files sender")
    [miss, *_] = found(manual, "option for the velocity of unladen swallows in Antarctica")
    assert hit.score > 0.9
    assert miss.score < 0.4 * hit.score


PACKETS = [
    *(Passage(f"kerrow-{n}", f"As a queue, kerrow holds {n} packets. So does kerrow.", f"Part {n}") for n in range(8)),
    *(Passage(f"orlau-{n}", f"Of orlau, see page {n}.", f"Page {n}") for n in range(8)),
    Passage("orlau", "As a queue, orlau holds 9 packets, and is rarely full in small networks of few machines.", "Sizes"),
]
COMPARISON = "Which queue holds more packets, kerrow or orlau?"


def test_two_things_that_are_compared_are_searched_for_in_turns(tmp_path):
    BM25.build(tmp_path / "index", [*NOISE, *PACKETS])
    hits = found(tmp_path / "index", COMPARISON, 4)
    assert hits[0].passage.id.startswith("kerrow")
    assert hits[1].passage.id == "orlau"
    assert [hit.rank for hit in hits] == [1, 2, 3, 4]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert "orlau" not in ids(found(tmp_path / "index", COMPARISON, 2, comparisons=False))


def test_what_led_to_what_is_a_tree_even_if_the_search_for_either_thing_leads_from_one_passage_to_the_other(tmp_path):
    texts = [
        ("Orlau Tower", "older beta older gate alpha. Alpha Gate orlau alpha Kerrow Tower."),
        ("Kerrow Tower", "older alpha gamma beta tower. Kerrow Tower tower beta Alpha Gate."),
        ("Alpha Gate", "gate beta older older tower. Gamma Tower gamma tower Orlau Tower."),
        ("Alpha Gate", "beta tower orlau orlau orlau. Kerrow Tower beta tower Kerrow Tower."),
        ("Orlau Tower", "kerrow orlau tower gamma tower. Alpha Gate gate gamma Alpha Gate."),
        ("Orlau Tower", "gamma tower kerrow orlau beta. Kerrow Tower orlau older Gamma Tower."),
        ("Kerrow Tower", "orlau older beta tower gate. Gamma Tower gamma alpha Beta Gate."),
    ]
    BM25.build(tmp_path / "index", [Passage(str(n), text, title) for n, (title, text) in enumerate(texts)])
    hits = found(tmp_path / "index", "Which is older, the kerrow gate or the orlau tower?", 10)
    assert len(set(ids(hits))) == len(hits) == len(texts)
    assert_tree({hit.passage.id: hit for hit in hits})


def test_titles_that_are_compared_lead_on_as_in_any_other_question(tmp_path):
    films = [
        Passage(f"film-{n}", f"{title} is a film directed by {name}.", title)
        for n, (title, name) in enumerate([("The Long Tide", "Tom Carey"), ("Low Water", "Curt Brand")])
    ]
    directors = [Passage(name, f"{name} was a painter who died in 1971.", name) for name in ("Tom Carey", "Curt Brand")]
    BM25.build(tmp_path / "index", [*NOISE, *films, *directors])
    question = "Which film has the director who died first, The Long Tide or Low Water?"
    hits = found(tmp_path / "index", question, 4)
    assert set(ids(hits)) == {"film-0", "film-1", "Tom Carey", "Curt Brand"}
    assert hits == found(tmp_path / "index", question, 4, comparisons=False)


def test_a_comparison_of_which_one_side_is_nowhere_finds_the_other(tmp_path):
    BM25.build(tmp_path / "index", [Passage("kerrow", "Only kerrow.", "Kerrow")])
    assert ids(found(tmp_path / "index", "Zorb, kerrow or blixt?", 3)) == ["kerrow"]


PAGES = [
    Passage("wages", "Wages of a mariner: the directory of salary and pay.", "Office"),
    Passage("erase", "With care and before anything else, erase what is in the directory of the mariner.", "Cellar"),
    *(Passage(f"page-{n}", f"The mariner pays for the file of page {n}.", f"Page {n}") for n in range(30)),
]
IN_OTHER_WORDS = "How does a mariner delete a directory?"


@pytest.fixture
def with_vectors(tmp_path, monkeypatch):
    """Says where word vectors are, once they are wanted."""
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path / "models"))
    return lambda: write_word_vectors(tmp_path / "models", monkeypatch)


@pytest.fixture
def pages(tmp_path):
    BM25.build(tmp_path / "pages", PAGES)
    return tmp_path / "pages"


def test_what_says_the_same_in_other_words_comes_first_with_word_vectors(pages, with_vectors):
    assert ids(found(pages, IN_OTHER_WORDS, 2)) == ["wages", "erase"]
    with_vectors()
    assert ids(found(pages, IN_OTHER_WORDS, 2)) == ["erase", "wages"]
    assert ids(found(pages, IN_OTHER_WORDS, 2, word_vectors=False)) == ["wages", "erase"]


def test_word_vectors_leave_words_to_be_searched_for_and_questions_with_names_as_they_were(index, pages, with_vectors):
    words = "mariner delete directory"
    before = [(ids(found(pages, words)), ids(found(index))) for _ in range(2)]
    with_vectors()
    assert [(ids(found(pages, words)), ids(found(index)))] * 2 == before


def test_the_identity_says_which_word_vectors_count(pages, with_vectors):
    without = Weave(pages).identity
    with_vectors()
    assert Weave(pages).identity == f"{without} word_vectors=wordllama-l2-supercat-256"
    assert Weave(pages, word_vectors=False).identity == without
