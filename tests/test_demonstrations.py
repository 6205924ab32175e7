"""The demonstrations hold to the rules that the methods which show them rely on."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from hopweave.demonstrations import demonstrations, sample
from hopweave.errors import SettingsError

STARTER = Path(__file__).resolve().parent.parent / "src" / "hopweave" / "starter"
ALL = demonstrations()
CHAINED = [one for one in ALL if one.type != "comparison"]

each = pytest.mark.parametrize("one", ALL, ids=lambda one: one.id)
each_chained = pytest.mark.parametrize("one", CHAINED, ids=lambda one: one.id)


def starter(name, key):
    return [json.loads(line)[key] for line in (STARTER / name).read_text(encoding="utf-8").splitlines()]


def holds(text, phrase):
    return re.search(rf"(?<!\w){re.escape(phrase.casefold())}(?!\w)", text.casefold()) is not None


def test_there_are_20_with_ids_in_order_and_no_question_twice():
    assert [one.id for one in ALL] == [f"multi-hop-{number:02d}" for number in range(1, 21)]
    assert len({one.question.casefold() for one in ALL}) == 20


def test_types_and_hops_are_mixed():
    assert Counter(one.type for one in ALL) == {"composition": 9, "comparison": 6, "bridge": 5}
    assert Counter(len(one.steps) for one in ALL) == {2: 14, 3: 4, 4: 2}


def test_no_passage_is_one_of_the_starter_corpus_and_no_question_one_of_its_questions():
    titles = {passage.title.casefold() for one in ALL for passage in one.passages(3)}
    assert titles.isdisjoint(title.casefold() for title in starter("passages.jsonl", "title"))
    assert {one.question for one in ALL}.isdisjoint(starter("questions.jsonl", "question"))


def test_a_title_always_has_the_same_text():
    texts = {(passage.title, passage.text) for one in ALL for passage in one.passages(3)}
    assert len(texts) == len({title for title, _ in texts})


@each
def test_every_passage_has_40_to_90_words_and_begins_with_its_subject(one):
    for passage in one.passages(3):
        assert 40 <= len(passage.text.split()) <= 90
        subject = passage.title.removeprefix("The ").removesuffix(" River").casefold()
        assert passage.text.removeprefix("The ").casefold().startswith(subject)


@each
def test_every_step_answer_stands_in_its_passage_and_in_its_sentence_and_not_in_its_query(one):
    for step in one.steps:
        assert holds(step.passage.text, step.answer)
        assert holds(step.sentence, step.answer)
        assert not holds(step.query, step.answer)
        assert step.query.endswith("?")
        assert step.sentence.endswith(".")


@each_chained
def test_the_last_step_of_a_chain_gives_the_answer_and_needs_no_conclusion(one):
    assert one.steps[-1].answer == one.answer
    assert one.conclusion == ""


@each_chained
def test_every_later_step_asks_about_an_earlier_answer(one):
    for number, step in enumerate(one.steps[1:], start=1):
        assert any(holds(step.query, earlier.answer) for earlier in one.steps[:number])


@each_chained
def test_the_question_names_neither_its_answer_nor_what_lies_in_between(one):
    assert not any(holds(one.question, step.answer) for step in one.steps)


@pytest.mark.parametrize("one", [one for one in ALL if one.type == "comparison"], ids=lambda one: one.id)
def test_a_comparison_draws_a_conclusion_and_is_answered_by_yes_no_or_a_name_that_it_compares(one):
    assert one.conclusion.startswith("Thus, ")
    assert one.answer in {"yes", "no"} or holds(one.question + one.reasoning, one.answer)


@each
def test_three_distractors_hold_neither_the_answer_nor_a_gold_passage(one):
    gold = {step.passage.title for step in one.steps}
    assert len(one.distractors) == 3
    for passage in one.distractors:
        assert passage.title not in gold
        assert one.answer in {"yes", "no"} or not holds(passage.text, one.answer)


@pytest.mark.parametrize("num_distractors", [0, 1, 3, 9])
def test_the_passages_shown_are_all_gold_ones_and_as_many_distractors_as_asked_for(num_distractors):
    one = ALL[4]
    shown = one.passages(num_distractors, seed=1)
    assert {step.passage for step in one.steps} <= set(shown)
    assert len(shown) == len(set(shown)) == 3 + min(num_distractors, 3)


def test_a_seed_draws_the_same_and_another_seed_others():
    assert sample(5, seed=1) == sample(5, seed=1)
    assert sample(5, seed=1) != sample(5, seed=2)
    assert sample(9, seed=1)[:5] == sample(5, seed=1)
    assert ALL[4].passages(2, seed=1) == ALL[4].passages(2, seed=1)
    assert len({tuple(ALL[4].passages(2, seed=seed)) for seed in range(8)}) > 1


def test_the_demonstration_of_the_asked_question_is_left_out_and_the_others_stay():
    asked = sample(3, seed=1)[1]
    others = sample(3, seed=1, asked=f"  {asked.question.upper()}")
    assert others == [one for one in sample(4, seed=1) if one != asked]
    assert len(sample(99)) == 20


def test_an_unknown_family_is_refused():
    with pytest.raises(SettingsError, match="multi_hop"):
        demonstrations("multihop")
