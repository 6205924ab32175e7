"""What a search finds does not depend on words that only hidden passages have, whichever engine searches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.catalog import load
from hopweave.core.types import Passage
from hopweave.core.visibility import Visible
from hopweave.retrieval.engines.bm25 import BM25

ENGINES = ("bm25", "weave", "linear_rag")
SHOWN = [
    Passage("light", "The Light of Carrow Head was first lit in 1874 by Tom Carey.", "Carrow Head Light"),
    Passage("carey", "Tom Carey was a keeper. See Section 9 for his pay, and Annex 2 for his house.", "Tom Carey"),
    Passage("manual.txt#1", "The keeper is paid as Section 9 says. Interest is due at the Default Rate.", "Manual"),
    Passage("holt", "Lina Holt, the wife of Tom Carey, grew up at Kerrow.", "Lina Holt", metadata={"year": "1972"}),
    *(Passage(f"noise-{n}", f"A harbour town number {n} has a church and a club.", f"Town {n}") for n in range(20)),
]
SECRETS = (("Zebedee", "Layoffs", "E17", "4812000", "Quorum"), ("Yolanda", "Mergers", "F18", "5913111", "Tontine"))
"""The words that only hidden passages have, in each of two indexes: as many in both."""


def hidden(words: tuple[str, ...]) -> list[Passage]:
    first, second, code, amount, term = words
    hides = {"access": ("board",), "metadata": {"year": "1999"}}
    return [
        Passage("h1", f"The {first} {second} of Carrow cost {amount}, and {code} is lit.", f"{first} {second}", **hides),
        Passage("h2", f"Tom Carey wrote of {first} {second} in {amount}.", first, **hides),
        Passage("manual.txt#2", f"'{term} Rate' means {amount} in a year.", "Manual", sections=("9 Pay",), **hides),
        *(Passage(f"h-{n}", f"{second} of {first}, number {n}.", f"Tom Carey {second}", **hides) for n in range(8)),
    ]


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    """Two indexes that differ only in words that no visible passage has."""
    folders = []
    for words in SECRETS:
        folder = tmp_path_factory.mktemp("hidden") / "index"
        passages = [*SHOWN[:2], *hidden(words), *SHOWN[2:]]
        BM25.build(folder, passages)
        load("retrievers", "linear_rag").build(folder / "linear_rag", passages)
        folders.append(folder)
    return folders


def opened(indexes, visible):
    return {name: [load("retrievers", name)(index=folder, visible=visible) for folder in indexes] for name in ENGINES}


@pytest.fixture(scope="module")
def without_labels(indexes):
    return opened(indexes, Visible())


@pytest.fixture(scope="module")
def of_a_year(indexes):
    return opened(indexes, Visible(access=("board",), where={"year": ("1972",)}))


def shown(retriever, query):
    [hits] = retriever.search([query], 8)
    return [(hit.passage.id, hit.score, hit.via) for hit in hits]


words = st.sampled_from(
    [
        *(
            "light",
            "Carrow",
            "Head",
            "Tom",
            "Carey",
            "keeper",
            "Kerrow",
            "church",
            "of",
            "the",
            "Which",
            "town",
            "Section",
            "9",
        ),
        *(word for pair in SECRETS for word in pair),
        *("Zebedee Layoffs", "Yolanda Mergers", "Tom Carey Layoffs", "the Quorum Rate", "Lina Holt", "zebedee", "unheard-of"),
    ]
)


@pytest.mark.parametrize("engine", ENGINES)
@given(asked=st.lists(words, min_size=1, max_size=8))
def test_results_do_not_depend_on_words_that_only_hidden_passages_have(without_labels, of_a_year, engine, asked):
    query = " ".join(asked)
    for retrievers in (without_labels, of_a_year):
        one, other = retrievers[engine]
        assert shown(one, query) == shown(other, query)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_word_of_hidden_passages_scores_as_one_that_no_passage_has(without_labels, engine):
    retriever = without_labels[engine][0]
    for word, unknown in zip(*SECRETS, strict=True):
        found = shown(retriever, f"the light of Carrow Head {word}")
        assert found
        assert found == shown(retriever, f"the light of Carrow Head {unknown}")


@pytest.mark.parametrize("engine", ENGINES)
def test_who_may_see_them_searches_by_their_words(indexes, engine):
    with_label = opened(indexes, Visible(access=("board",)))[engine][0]
    assert shown(with_label, "Zebedee layoffs")[0][0] in {"h1", "h2", *(f"h-{n}" for n in range(8))}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_long_query_keeps_its_visible_words_whatever_hidden_passages_have(tmp_path, engine):
    """Of a query with too many words, the rarest are searched for: those of hidden passages are not among them."""
    many = [f"rare{n}" for n in range(300)]
    passages = [*SHOWN, Passage("h", " ".join(many), "Secret", access=("board",))]
    BM25.build(tmp_path / "index", passages)
    load("retrievers", "linear_rag").build(tmp_path / "index" / "linear_rag", passages)
    retriever = load("retrievers", engine)(index=tmp_path / "index", visible=Visible())
    plain = shown(retriever, "a church and a harbour club")
    assert plain
    assert [found[0] for found in shown(retriever, " ".join([*many, "a church and a harbour club"]))] == [
        one[0] for one in plain
    ]
