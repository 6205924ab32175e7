"""Hits, MAP and MRR by the standard definitions against `ir-measures`."""

import random

import ir_measures
import pytest
from ir_measures import AP, RR, Qrel, ScoredDoc, Success
from support.worked import worked

from hopweave.core.types import Passage
from hopweave.evaluation.metrics.retrieval import Retrieval


def theirs(ranking, golds, cutoff, early):
    qrels = [Qrel("q", gold, 1) for gold in golds]
    run = [ScoredDoc("q", one, 1.0 / rank) for rank, one in enumerate(ranking, start=1)]
    wanted = {"hits": Success @ cutoff, "hits_early": Success @ early, "map": AP @ cutoff, "mrr": RR @ cutoff}
    found = ir_measures.calc_aggregate(list(wanted.values()), qrels, run)
    return {name: found[measure] for name, measure in wanted.items()}


@pytest.mark.parametrize("cutoff", [1, 4, 10])
def test_the_standard_definitions_are_those_of_ir_measures(cutoff):
    draw = random.Random(cutoff)
    metric = Retrieval(definition="standard", cutoff=cutoff, early_cutoff=2)
    ids = [f"d{number}" for number in range(30)]
    for _ in range(300):
        ranking = draw.sample(ids, draw.randrange(1, 20))
        golds = draw.sample(ids, draw.randrange(1, 8))
        ours = metric.score(*worked("x", passages=[Passage(one, one) for one in ranking], gold_ids=golds))
        assert ours == pytest.approx(theirs(ranking, golds, cutoff, 2)), (ranking, golds)


F1, F2, N = "the first fact", "the second fact", "nothing"


@pytest.mark.parametrize(
    ("texts", "facts", "expected"),
    [
        ([F1, N, F2], [F1, F2], {"hits": 1.0, "map": 0.6667, "mrr": 1.0}),
        ([N, f"{F1} {F2}"], [F1, F2], {"hits": 1.0, "map": 0.5, "mrr": 0.5}),
        ([N] * 10 + [F1], [F1], {"hits": 0.0, "hits_early": 0.0, "map": 0.0, "mrr": 0.0}),
        ([F1, F1, N], [F1, F2], {"map": 0.5, "mrr": 1.0}),
        ([F1.upper()], [F1], {"hits": 0.0, "map": 0.0, "mrr": 0.0}),
        ([F1, F2], [F1, F2], {"map": 0.75}),
        (["the fir\nst   fact"], [F1], {"hits": 1.0}),
        ([N] * 4 + [F1], [F1], {"hits": 1.0, "hits_early": 0.0, "mrr": 0.2}),
    ],
)
def test_the_vectors_of_multihop_rag(texts, facts, expected):
    passages = [Passage(str(number), text) for number, text in enumerate(texts)]
    found = Retrieval().score(*worked("x", passages=passages, facts=facts))
    assert {name: round(found[name], 4) for name in expected} == expected


def test_multihop_rags_map_is_not_the_standard_one_and_never_above_it_for_one_fact_a_passage():
    passages = [Passage("1", F1), Passage("2", F2)]
    asked = worked("x", passages=passages, facts=[F1, F2])
    assert (Retrieval().score(*asked)["map"], Retrieval(definition="standard").score(*asked)["map"]) == (0.75, 1.0)


def test_the_shape_of_quotation_marks_and_dashes_counts_unless_it_is_folded():
    asked = worked("x", passages=[Passage("1", "its “well—known” walls")], facts=['"well-known"'])
    assert Retrieval().score(*asked)["hits"] == 0.0
    assert Retrieval(folds=True).score(*asked)["hits"] == 1.0


def test_a_question_without_golds_or_without_a_search_has_no_data():
    assert Retrieval().score(*worked("x", passages=[Passage("1", N)])) == {}
    assert Retrieval().score(*worked("x", facts=[F1])) == {}
    assert Retrieval(without_search="zero").score(*worked("x", facts=[F1]))["hits"] == 0.0
