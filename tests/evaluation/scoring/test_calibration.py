"""Thresholds are chosen by the paper's procedure: labels from gold answers, counts that add up, ties to the higher one."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.errors import DataError, ReadError, SettingsError
from hopweave.core.types import Passage, Reading
from hopweave.evaluation.scoring.reader_thresholds import (
    Outcome,
    Pair,
    Point,
    Scored,
    best_of,
    f1_interval,
    pairs_of_file,
    pairs_of_musique,
    point_at,
    read_pairs,
    scored_by_reader,
    scored_by_rouge,
    sweep,
    thresholds,
)
from hopweave.evaluation.scoring.results import Interval
from hopweave.evaluation.scoring.statistics import NUM_FIGURE_RESAMPLES, percentile_interval
from hopweave.models.llms.scripted import Scripted
from hopweave.models.readers.llm_reader import LLMReader
from hopweave.record import Failure
from hopweave.run.components import Components
from hopweave.run.store.store import Store

ULM = Passage("ulm", "Einstein was born in Ulm, on the Danube.", title="Albert Einstein")
MUSIQUE = {
    "id": "2hop__1_2",
    "answerable": True,
    "answer": "Danube",
    "answer_aliases": ["the Donau"],
    "question_decomposition": [
        {"question": "Albert Einstein >> place of birth", "answer": "Ulm", "paragraph_support_idx": 2},
        {"question": "Which river flows through #1 ?", "answer": "Danube", "paragraph_support_idx": 0},
    ],
    "paragraphs": [
        {"idx": 0, "title": "Ulm", "paragraph_text": "Ulm lies on the Danube.", "is_supporting": True},
        {"idx": 1, "title": "River Ulm", "paragraph_text": "The Donau flows through Ulm.", "is_supporting": False},
        {"idx": 2, "title": "Albert Einstein", "paragraph_text": "He was born in Ulm.", "is_supporting": True},
        {"idx": 3, "title": "Rhine", "paragraph_text": "A river that flows through Basel.", "is_supporting": False},
        {"idx": 4, "title": "Albert", "paragraph_text": "A place in France, without birth.", "is_supporting": False},
    ],
}


# -- labels ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "is_positive"),
    [
        (("Ulm",), True),
        (("ulm.",), True),
        (("the Danube", "Rhine"), True),
        (("Basel", "born in the Ulm"), True),  # articles do not count
        (("Ul",), False),
        (("Albert Einstein",), False),  # the title is not the passage
        ((), False),
        (("the",), False),
    ],
)
def test_a_pair_is_positive_if_its_passage_holds_a_gold_answer_in_whole_words(answers, is_positive):
    assert Pair("p", "Where?", ULM, answers).is_positive == is_positive


@pytest.mark.parametrize(
    ("answers", "answer", "agrees", "is_consistent"),
    [
        (("Ulm",), "It was in Ulm.", None, True),
        (("Ulm", "Munich"), "It was in Munich.", None, False),
        (("Munich",), "It was in Munich.", None, None),
        (("Ulm",), "It was in Ulm.", False, False),
        ((), "It was in Munich.", True, True),
    ],
)
def test_an_answer_agrees_as_somebody_said_or_if_it_states_a_gold_answer_of_the_passage(answers, answer, agrees, is_consistent):
    assert Pair("p", "Where?", ULM, answers, answer, agrees).is_consistent == is_consistent


# -- files -------------------------------------------------------------------------------------------------------------


def test_pairs_are_read_with_title_and_without(tmp_path):
    file = tmp_path / "pairs.jsonl"
    rows = [
        {"id": "a", "query": "Where?", "passage": {"title": "T", "text": "In Ulm.", "id": "x"}, "answers": ["Ulm"]},
        {"query": "Where?", "passage": "In Ulm.", "answers": ["Bonn"], "answer": "In Bonn.", "consistent": False},
    ]
    file.write_text("\ufeff" + "\n\n".join(map(json.dumps, rows)), encoding="utf-8")
    first, second = pairs_of_file(file)
    assert first == Pair("a", "Where?", Passage("x", "In Ulm.", "T"), ("Ulm",))
    assert second == Pair("3", "Where?", Passage("3", "In Ulm."), ("Bonn",), "In Bonn.", agrees=False)


BAD_ROWS = {
    '{"query": ': "line 2 of .* is not JSON",
    "[]": "line 2 of .* is not an object",
    '{"query": "q", "answers": ["a"]}': r"line 2 of .* is not a pair \(KeyError: 'passage'\); a row is",
    '{"query": "q", "passage": {"title": "t"}, "answers": ["a"]}': "KeyError: 'text'",
    '{"query": "q", "passage": "p", "answers": "a"}': "answers is a list of texts",
    '{"query": "q", "passage": "p", "answers": [1]}': "answers is a list of texts",
    '{"query": 5, "passage": "p", "answers": ["a"]}': "are texts",
    '{"query": "q", "passage": "p", "answers": []}': "answers is empty",
    '{"query": "q", "passage": "p", "answers": ["a"], "consistent": "yes"}': "consistent is true or false",
    '{"query": "q", "passage": 7, "answers": ["a"]}': "is not a pair",
}


@pytest.mark.parametrize(("row", "message"), BAD_ROWS.items())
def test_a_row_that_is_no_pair_is_named_by_its_line(row, message, tmp_path):
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"query": "q", "passage": "p", "answers": ["a"]}\n' + row)
    with pytest.raises(DataError, match=message):
        pairs_of_file(file)


def test_a_file_without_pairs_and_one_that_is_not_there_are_refused(tmp_path):
    (tmp_path / "empty").touch()
    with pytest.raises(DataError, match="holds no pair"):
        pairs_of_file(tmp_path / "empty")
    with pytest.raises(DataError, match=r"cannot read the pairs .*: No such file"):
        pairs_of_file(tmp_path / "nowhere")
    (tmp_path / "latin").write_bytes(b"\xff\xfe\xfd")
    with pytest.raises(DataError, match="not UTF-8"):
        pairs_of_file(tmp_path / "latin")


def test_each_step_of_musique_gives_its_supporting_paragraph_and_the_nearest_other_without_the_answer():
    pairs = list(pairs_of_musique(MUSIQUE))
    assert [(pair.query, pair.passage.id, pair.is_positive) for pair in pairs] == [
        ("Albert Einstein >> place of birth", "2hop__1_2-2", True),
        ("Albert Einstein >> place of birth", "2hop__1_2-4", False),
        ("Which river flows through Ulm ?", "2hop__1_2-0", True),
        ("Which river flows through Ulm ?", "2hop__1_2-3", False),  # the other one holds an alias of the last answer
    ]
    assert pairs[0].answers == ("Ulm",)
    assert pairs[2].answers == ("Danube", "the Donau")


def test_a_supporting_paragraph_without_the_words_of_the_answer_is_no_positive():
    row = json.loads(json.dumps(MUSIQUE))
    row["paragraphs"][2]["paragraph_text"] = "He was born in that town."
    assert [pair.id for pair in pairs_of_musique(row)] == [
        "2hop__1_2-1-negative",
        "2hop__1_2-2-positive",
        "2hop__1_2-2-negative",
    ]


def test_what_cannot_be_answered_gives_no_pairs():
    assert list(pairs_of_musique({**MUSIQUE, "answerable": False})) == []


def test_the_format_of_musique_is_known_by_its_first_row(tmp_path):
    file = tmp_path / "musique.jsonl"
    file.write_text(json.dumps(MUSIQUE) + "\n" + json.dumps(MUSIQUE))
    assert len(pairs_of_file(file)) == 8
    with pytest.raises(DataError, match=r"line 1 of .* is not a pair"):
        pairs_of_file(file, "pairs")
    file.write_text('{"query": "q", "passage": "p", "answers": ["a"]}')
    with pytest.raises(DataError, match="is not a row of MuSiQue"):
        pairs_of_file(file, "musique")


# -- thresholds --------------------------------------------------------------------------------------------------------

SCORED = [
    Scored(0.5, False, "a"),
    Scored(1.0, True, "a"),
    Scored(2.0, False, "b"),
    Scored(3.0, True, "b"),
    Scored(4.0, True, "c"),
]


def test_what_scores_above_the_threshold_is_predicted_and_what_equals_it_is_not():
    assert point_at(SCORED, 1.0) == Point(1.0, num_true=2, num_predicted=3, num_positive=3)
    point = point_at(SCORED, 0.9)
    assert (point.precision, point.recall, point.f1) == (0.75, 1.0, pytest.approx(6 / 7))


def test_nothing_to_divide_by_is_no_data_and_not_zero():
    nothing = point_at([Scored(0.0, is_positive=False)], 1.0)
    assert (nothing.precision, nothing.recall, nothing.f1) == (None, None, None)
    missed = point_at([Scored(0.0, is_positive=True)], 1.0)
    assert (missed.precision, missed.recall, missed.f1) == (None, 0.0, 0.0)
    assert best_of([nothing, missed]) is None


def test_of_equal_thresholds_the_higher_one_is_best():
    points = sweep(SCORED, thresholds(0.5, 3.5, 0.1))
    assert best_of(points).threshold == 0.9
    assert best_of(reversed(points)).threshold == 0.9


def test_thresholds_do_not_drift():
    assert thresholds(1.0, 1.5, 0.1) == [1.0, 1.1, 1.2, 1.3, 1.4, 1.5]
    assert thresholds(0.3, 0.5, 0.05) == [0.3, 0.35, 0.4, 0.45, 0.5]
    assert thresholds(-2.0, -2.0, 1.0) == [-2.0]


@pytest.mark.parametrize(
    "bounds", [(1, 0, 0.1), (0, 1, 0), (0, 1, -1), (float("nan"), 1, 1), (0, float("inf"), 1), (0, 1e9, 0.1)]
)
def test_a_range_that_is_none_is_refused(bounds):
    with pytest.raises(SettingsError, match="--step"):
        thresholds(*bounds)


SCORES = st.lists(st.builds(Scored, st.floats(-20, 20), st.booleans(), st.sampled_from("abcd")), max_size=30)


@given(SCORES, st.floats(-20, 20))
def test_f1_is_the_harmonic_mean_of_precision_and_recall(scored, threshold):
    point = point_at(scored, threshold)
    if point.precision and point.recall:
        assert point.f1 == pytest.approx(2 * point.precision * point.recall / (point.precision + point.recall))
    else:
        assert not point.f1


@given(SCORES)
def test_the_best_threshold_is_as_good_as_any(scored):
    points = sweep(scored, thresholds(-20, 20, 0.5))
    best = best_of(points)
    assert all((point.f1 or 0) <= (best.f1 if best else 0) for point in points)


# -- the interval ------------------------------------------------------------------------------------------------------


def test_the_interval_is_the_same_each_time_and_holds_the_value():
    scored = [Scored(float(place % 7), place % 3 > 0, str(place // 2)) for place in range(60)]
    f1 = point_at(scored, 1.5).f1
    found = f1_interval(scored, 1.5)
    assert found == f1_interval(scored, 1.5)
    assert 0 <= found.low < f1 < found.high <= 1


def test_the_interval_is_the_percentile_one_of_f1_over_queries_drawn_by_hand():
    scored = [Scored(float(place % 7), place % 3 > 0, str(place // 2)) for place in range(60)]
    points = [point_at(scored[at : at + 2], 1.5) for at in range(0, 60, 2)]
    draw = random.Random(0)
    values = []
    for _ in range(NUM_FIGURE_RESAMPLES):
        drawn = draw.choices(points, k=len(points))
        values.append(2 * sum(p.num_true for p in drawn) / sum(p.num_predicted + p.num_positive for p in drawn))
    expected = percentile_interval(sorted(values))
    found = f1_interval(scored, 1.5)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_pairs_of_one_query_are_drawn_together():
    same = [Scored(score, is_positive, "one") for score, is_positive in ((2.0, True), (2.0, False), (0.0, True))]
    assert f1_interval(same, 1.0) == Interval(0.5, 0.5)


def test_without_anything_to_draw_there_is_no_interval():
    assert f1_interval([], 1.0) is None
    assert f1_interval([Scored(0.0, is_positive=False)], 1.0) is None


# -- reading -----------------------------------------------------------------------------------------------------------

PAIRS = [Pair(str(place), f"Where is {place}?", Passage(str(place), f"{place} is in Ulm."), ("Ulm",)) for place in range(6)]


class FixedReader:
    """Confidence by the number in the query; fails for the fourth."""

    identity = "fixed"

    def __init__(self):
        self.batches = []

    def read(self, pairs):
        self.batches.append(len(pairs))
        if any("3" in query for query, _ in pairs):
            raise ReadError("it broke")
        return [Reading("", None, float(query[9])) for query, _ in pairs]


async def test_a_reading_that_fails_is_counted_apart_and_never_scored():
    reader = FixedReader()
    parts = Components(Scripted(), reader=reader)
    outcomes = await read_pairs(parts, PAIRS)
    await parts.close()
    assert [outcome.pair.id for outcome in outcomes] == list("012345")
    assert [outcome.failure for outcome in outcomes if outcome.failure] == [Failure("ReadError", "it broke")]
    assert [one.score for one in scored_by_reader(outcomes)] == [0.0, 1.0, 2.0, 4.0, 5.0]
    assert reader.batches[0] == 6  # an engine reads what waits in one batch


async def test_a_reader_that_asks_the_model_is_recorded_in_the_store_and_replayed(tmp_path):
    async def outcomes_with(llm, mode, pairs=PAIRS):
        parts = Components(llm, reader=LLMReader(), store=Store(tmp_path / "store", mode))
        try:
            return await read_pairs(parts, pairs)
        finally:
            await parts.close()

    llm = Scripted([("Where is", "yes: Ulm")])
    first = await outcomes_with(llm, "on")
    assert {outcome.reading.text for outcome in first} == {"Ulm"}
    assert len(llm.calls) == 6
    again = Scripted([("Where is", "yes: Ulm")])
    assert await outcomes_with(again, "replay") == first
    assert again.calls == []
    other = Pair("new", "Where is Bonn?", PAIRS[0].passage, ("Bonn",))
    [missed] = await outcomes_with(again, "replay", [other])
    assert missed.failure.kind == "ReplayMiss"


async def test_no_more_pairs_are_read_at_a_time_than_the_endpoint_serves():
    class Narrow(Scripted):
        @property
        def abilities(self):
            from hopweave.core.types import Abilities

            return Abilities(max_parallel=2)

    llm = Narrow(lambda messages, sampling: "no")
    parts = Components(llm, reader=LLMReader())
    await read_pairs(parts, PAIRS)
    await parts.close()
    assert llm.max_concurrency == 2


async def test_what_the_user_has_to_mend_first_is_raised_as_it_is():
    class Unset(FixedReader):
        def read(self, pairs):
            raise SettingsError("name a model")

    parts = Components(Scripted(), reader=Unset())
    with pytest.raises(SettingsError, match="name a model"):
        await read_pairs(parts, PAIRS)
    await parts.close()


def test_progress_is_told_of_every_outcome():
    done = []

    async def run():
        parts = Components(Scripted(), reader=FixedReader())
        await read_pairs(parts, PAIRS, done.append)
        await parts.close()

    __import__("asyncio").run(run())
    assert len(done) == 6
    assert all(isinstance(outcome, Outcome) for outcome in done)


# -- alpha -------------------------------------------------------------------------------------------------------------


def test_alpha_is_swept_over_rouge_l_of_answer_and_passage():
    pairs = [
        Pair("1", "q", Passage("p", "the cat lay on the mat"), (), "the cat sat on the mat", agrees=True),
        Pair("2", "q", Passage("p", "a long text about dogs and other animals"), (), "cats", agrees=False),
        Pair("3", "q", ULM, ("Bonn",), "in Bonn"),
    ]
    scored = scored_by_rouge(pairs)
    assert [(round(one.score, 4), one.is_positive) for one in scored] == [(0.8333, True), (0.0, False)]
    short = [Pair("1", "q", ULM, ("Ulm",), "In Ulm")]
    assert scored_by_rouge(short, "precision")[0].score == 1.0
    assert scored_by_rouge(short, "f1")[0].score < 0.5
