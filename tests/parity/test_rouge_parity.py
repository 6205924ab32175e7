"""ROUGE-L against the packages `rouge` (as KILT uses it) and `rouge-score`."""

import json
import random
import warnings
from itertools import pairwise
from pathlib import Path

import pytest
from rouge import Rouge
from rouge_score.rouge_scorer import RougeScorer
from support.worked import worked

from hopweave.evaluation.metrics._rouge import rouge_l_kilt
from hopweave.evaluation.metrics.rouge_l import RougeL

DATA = Path(__file__).parents[2].parent / "shared" / "data"
KILT = Rouge(metrics=["rouge-l"])
GOOGLE = RougeScorer(["rougeL"], use_stemmer=False)

VECTORS = [
    ("the cat sat on the mat", "the cat lay on the mat", 0.8000, 0.8333),
    ("Paris", "The capital of France is Paris", 0.2857, 0.2857),
    ("a b c d. a b", "a b. c d", 1.0000, 0.8000),
    (
        "Contrails form when hot exhaust meets cold air. The water freezes.",
        "Hot exhaust gas meets cold air. Water vapour freezes into ice.",
        0.4545,
        0.6364,
    ),
]


def pairs():
    draw = random.Random(11)
    words = ["the", "The", "cat", "sat", "on", "mat.", ".", "..", "a.b", "3.5", "état", "mat", "x-y", "\n", "  "]
    for _ in range(2_000):
        left, right = ([draw.choice(words) for _ in range(draw.randrange(1, 14))] for _ in range(2))
        yield " ".join(left), " ".join(right)
    if DATA.exists():
        rows = json.loads((DATA / "2wikimultihopqa_corpus.json").read_text())[:400]
        for one, other in pairwise(rows):
            yield one["text"][:600], other["text"][:600]


@pytest.mark.parametrize(("said", "gold", "kilt", "seq"), VECTORS)
def test_the_vectors_of_the_specification(said, gold, kilt, seq):
    assert round(RougeL().score(*worked(said, [gold]))["rouge_l"], 4) == kilt
    assert round(RougeL(variant="seq").score(*worked(said, [gold]))["rouge_l"], 4) == seq


@pytest.mark.slow
def test_kilt_is_what_the_package_rouge_says_wherever_it_says_anything():
    num_compared = 0
    for said, gold in pairs():
        if not said.replace(".", "").strip() or not gold.replace(".", "").strip():
            assert rouge_l_kilt(said, gold) == 0.0
            continue
        assert rouge_l_kilt(said, gold) == pytest.approx(KILT.get_scores(said, gold)[0]["rouge-l"]["f"], abs=1e-12), (
            said,
            gold,
        )
        num_compared += 1
    assert num_compared > 1_500


@pytest.mark.slow
def test_seq_is_what_the_package_rouge_score_says():
    for said, gold in pairs():
        ours = RougeL(variant="seq").score(*worked(said, [gold]))["rouge_l"]
        assert ours == pytest.approx(GOOGLE.score(gold, said)["rougeL"].fmeasure, abs=1e-12), (said, gold)


@pytest.mark.parametrize("said", ["", ".", " . . ", "..."])
def test_an_answer_without_a_word_is_worth_nothing_where_the_package_raises_an_error(said):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert RougeL().score(*worked(said, ["Ulm is old."])) == {"rouge_l": 0.0}


def test_the_best_of_several_golds_counts_and_marks_do_not():
    assert RougeL(variant="seq").score(*worked("Ulm is old [1] [2].", ["nothing", "Ulm is old"])) == {"rouge_l": 1.0}
    assert RougeL().score(*worked("Ulm is old", [])) == {}
