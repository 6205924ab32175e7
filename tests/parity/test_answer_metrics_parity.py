"""EM, F1 and cover-EM against the official rules, written here from their definitions by other means than in the package."""

import json
import random
import re
import string
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from support.worked import worked

from hopweave.evaluation.metrics._overlap import drop_exact, drop_f1
from hopweave.evaluation.metrics.cover_em import CoverEM
from hopweave.evaluation.metrics.exact_match import ExactMatch
from hopweave.evaluation.metrics.f1 import F1

DATA = Path(__file__).parents[2].parent / "shared" / "data"
NUM_PAIRS = 2_000

# -- the rules, by hand ----------------------------------------------------------------------------------------------------


def tokens(text):
    """SQuAD: lower case, punctuation away, articles away, split. Articles as whole words are the same before or after splitting
    only where punctuation is already gone, which is the official order.
    """
    kept = "".join(character for character in text.lower() if character not in string.punctuation)
    return [word for word in re.split(r"\s+", re.sub(r"\b(?:a|an|the)\b", " ", kept)) if word]


def shared_count(left, right):
    rest, count = list(right), 0
    for word in left:
        if word in rest:
            rest.remove(word)
            count += 1
    return count


def squad(said, golds):
    golds = [gold for gold in golds if tokens(gold)] or [""]
    exact = max(int(tokens(said) == tokens(gold)) for gold in golds)
    scores = []
    for gold in golds:
        left, right = tokens(said), tokens(gold)
        if not left or not right:
            scores.append(float(left == right))
            continue
        shared = shared_count(left, right)
        scores.append(2 * shared / (len(left) + len(right)))
    return float(exact), max(scores)


def hotpotqa(said, gold):
    left, right = " ".join(tokens(said)), " ".join(tokens(gold))
    closed = ("yes", "no", "noanswer")
    if (left in closed and left != right) or (right in closed and left != right):
        return 0.0, 0.0, 0.0
    shared = shared_count(tokens(said), tokens(gold))
    if shared == 0:
        return 0.0, 0.0, 0.0
    precision, recall = shared / len(tokens(said)), shared / len(tokens(gold))
    return 2 * precision * recall / (precision + recall), precision, recall


def number(word):
    try:
        return float(word)
    except ValueError:
        return None


def drop_bag(span):
    words = []
    for piece in span.lower().replace("-", " ").split(" "):
        word = piece if number(piece) is not None else "".join(c for c in piece if c not in string.punctuation)
        word = word if number(word) is None else str(number(word))
        words += [part for part in re.sub(r"\b(a|an|the)\b", " ", word).split() if part]
    return words


def drop(said, golds):
    best_exact, best_f1 = 0.0, 0.0
    for gold in golds:
        left, right = drop_bag(said), drop_bag(gold)
        best_exact = max(best_exact, float(left == right))
        bag, other = set(left), set(right)
        numbers = {word for word in other if number(word) is not None}
        if numbers and numbers.isdisjoint(bag):
            continue
        precision = len(bag & other) / len(bag) if bag else 1.0
        recall = len(bag & other) / len(other) if other else 1.0
        f1 = 0.0 if precision + recall == 0 else 2 * precision * recall / (precision + recall)
        best_f1 = max(best_f1, round(f1, 2))
    return best_exact, best_f1


def cover(said, golds):
    hay = " ".join(tokens(said))
    return float(any(" ".join(tokens(gold)) in hay for gold in golds if tokens(gold)))


# -- the pairs -------------------------------------------------------------------------------------------------------------


def generated():
    draw = random.Random(7)
    words = ["the", "a", "An", "yes", "No", "noanswer", "Paris", "paris.", "1,450", "1450", "2.50", "2.5", "June-July", "U.S."]
    words += [
        "can't",
        "Ô",
        "miles",
        "",
        "-",
        "“quoted”",
        "3rd",
        "12",
        "12.0",
        "of",
        "THE",
        "Coach\tTerminal",
        "…",
        "nan",
        "1e3",
    ]

    def text():
        return " ".join(draw.choice(words) for _ in range(draw.randrange(0, 6)))

    for _ in range(NUM_PAIRS):
        golds = [text() for _ in range(draw.randrange(1, 4))]
        said = draw.choice(golds) if draw.random() < 0.4 else text()
        yield (said + draw.choice(["", ".", " miles", " the"]), golds)


def real():
    if not DATA.exists():
        pytest.skip("the real questions are not here (../shared/data)")
    rows = json.loads((DATA / "hotpotqa_dev100.json").read_text()) + json.loads(
        (DATA / "2wikimultihopqa_dev100.json").read_text()
    )
    pairs = [(row["answer"], [title for title, _ in row["supporting_facts"]]) for row in rows]
    musique = [json.loads(line) for line in (DATA / "musique_dev100.jsonl").read_text().splitlines()]
    answers = [[row["answer"]] for row in rows] + [[row["answer"], *row["answer_aliases"]] for row in musique]
    draw = random.Random(3)
    for golds in answers:
        said = golds[0]
        others = [draw.choice(draw.choice(answers)) for _ in range(4)]
        varied = [
            said,
            f"The {said}.",
            said.upper(),
            f"It is {said}, of course",
            " ".join(said.split()[::-1]),
            said[: len(said) // 2],
        ]
        pairs += [(one, golds) for one in [*varied, *others]]
    return pairs


@pytest.fixture(scope="module", params=["generated", "real"])
def pairs(request):
    found = list(generated() if request.param == "generated" else real())
    assert len(found) >= NUM_PAIRS
    return found


def test_exact_match_and_f1_are_those_of_squad(pairs):
    for said, golds in pairs:
        assert (value(ExactMatch(), said, golds), pytest.approx(value(F1(), said, golds))) == squad(said, golds), (said, golds)


def test_f1_precision_and_recall_are_those_of_hotpotqa(pairs):
    metric = F1(variant="hotpotqa")
    for said, golds in pairs:
        for gold in golds:
            assert tuple(metric.score(*worked(said, [gold])).values()) == pytest.approx(hotpotqa(said, gold)), (said, gold)


@pytest.mark.slow
def test_exact_match_and_f1_are_those_of_drop(pairs):
    for said, golds in pairs:
        ours = value(ExactMatch(variant="drop"), said, golds), value(F1(variant="drop"), said, golds)
        assert ours == drop(said, golds), (said, golds)


def test_raw_cover_em_is_a_substring_of_the_normalised_answer(pairs):
    for said, golds in pairs:
        if any(tokens(gold) for gold in golds):
            assert value(CoverEM(boundary="raw"), said, golds) == cover(said, golds), (said, golds)


def test_auto_boundaries_only_ever_take_short_golds_away(pairs):
    for said, golds in pairs:
        for gold in golds:
            raw = CoverEM(boundary="raw").score(*worked(said, [gold]))
            auto = CoverEM().score(*worked(said, [gold]))
            if raw != auto:
                assert (raw, auto) == ({"cover_em": 1.0}, {"cover_em": 0.0})
                assert len(" ".join(tokens(gold))) <= 3


def value(metric, said, golds):
    return next(iter(metric.score(*worked(said, golds)).values()))


SPANS = st.lists(st.sampled_from(["Ulm", "12 hens", "13 hens", "red hens", "", "12", "the", "a-b c"]), max_size=5)


@given(SPANS, SPANS)
def test_spans_of_drop_are_paired_as_scipy_and_all_permutations_pair_them(said, gold):
    size = max(len(said), len(gold))
    if not size:
        assert drop_f1(said, gold) == 1.0
        return
    table = [[drop_f1([one], [other]) if drop_bag(one) or drop_bag(other) else 1.0 for other in gold] for one in said]
    if said and gold:
        rows, columns = linear_sum_assignment([[-worth for worth in row] for row in table])
        best = sum(table[row][column] for row, column in zip(rows, columns, strict=True))
    else:
        best = 0.0
    assert drop_f1(said, gold) == pytest.approx(best / size, abs=0.011)  # each pair alone is rounded, too
    assert drop_exact(said, gold) == (
        len(said) == len(gold)
        and any([drop_bag(one) for one in order] == [drop_bag(one) for one in gold] for order in permutations(said))
    ) or len(set(map(tuple, map(drop_bag, said)))) < len(said)
