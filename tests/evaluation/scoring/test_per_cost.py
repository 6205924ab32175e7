"""Right answers per 1,000 tokens, and cost per right answer."""

import pytest
from support.runs import answered, asked, made, said
from support.scored import summary_of

QUESTIONS = [asked(name) for name in "abcd"]
CALL = said("Which town is it?", "Ulm")  # a token in and a token out


def cell_of(tmp_path, records, names=("cover_em", "tokens")):
    (tmp_path / "prices.toml").write_text('prices = [{model = "*", prompt = 500000.0, completion = 500000.0}]')
    run = made(tmp_path / "run", {"hotpotqa": ("hotpotqa", QUESTIONS)}, {("hotpotqa", "direct"): records})
    options = {"cost": {"prices": str(tmp_path / "prices.toml")}} if "cost" in names else {}
    return summary_of(run, names, options).cells[0]


def test_what_failed_and_wrong_questions_took_is_spent_on_the_right_ones(tmp_path):
    records = [
        answered(QUESTIONS[0], "Ulm", steps=[CALL]),
        answered(QUESTIONS[1], "Ulm", steps=[CALL]),
        answered(QUESTIONS[2], "Bonn", steps=[CALL, CALL]),
        answered(QUESTIONS[3], error="gone", steps=[CALL]),
    ]
    cell = cell_of(tmp_path, records, ("cover_em", "tokens", "cost"))
    # Two right answers for ten tokens, each of which costs a half.
    assert cell.means["right_per_1000_tokens"].value == pytest.approx(200.0)
    assert cell.means["cost_per_right"].value == pytest.approx(2.5)
    interval = cell.means["right_per_1000_tokens"].interval
    assert 0 <= interval.low < 200.0 < interval.high
    assert cell.means["right_per_1000_tokens"].num_scored == 4


def test_without_a_right_answer_there_is_no_cost_of_one_and_the_rate_has_an_upper_end(tmp_path):
    records = [answered(one, "Bonn", steps=[CALL]) for one in QUESTIONS]
    cell = cell_of(tmp_path, records, ("cover_em", "tokens", "cost"))
    assert cell.means["cost_per_right"].value is None
    rate = cell.means["right_per_1000_tokens"]
    assert (rate.value, rate.interval.low) == (0.0, 0.0)
    # Clopper and Pearson's upper end of 0 of 4, for two tokens each.
    assert rate.interval.high == pytest.approx(0.6024 / 2 * 1000, abs=0.1)


@pytest.mark.slow
def test_questions_without_a_count_of_tokens_are_on_neither_side(tmp_path):
    records = [answered(one, "Ulm", steps=[CALL]) for one in QUESTIONS[:2]]
    cell = cell_of(tmp_path, records)
    rate = cell.means["right_per_1000_tokens"]
    assert (rate.value, rate.num_scored, rate.num_no_data) == (500.0, 2, 2)


def test_a_long_answer_is_neither_right_nor_wrong(tmp_path):
    example = asked("l", ["a b. c d"], form="long")
    run = made(tmp_path / "run", {"eli5": ("eli5", [example])}, {("eli5", "direct"): [answered(example, "a b", steps=[CALL])]})
    (cell,) = summary_of(run, ["cover_em", "rouge_l", "tokens"]).cells
    assert cell.means["right_per_1000_tokens"].value is None
