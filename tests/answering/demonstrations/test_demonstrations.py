"""The demonstrations hold to the rules that the methods which show them rely on."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from support.of_each import of_each

from hopweave.answering.demonstrations import demonstrations, family_of, published_count, sample
from hopweave.answering.toolkit.demos import drawn
from hopweave.core.errors import SettingsError
from hopweave.core.types import Question
from hopweave.text.final import final_answer
from hopweave.text.sentences import sentence_spans

PACKAGE = Path(__file__).resolve().parents[3] / "src" / "hopweave"
COUNTS = json.loads((PACKAGE / "answering" / "demonstrations" / "demo_counts.json").read_text(encoding="utf-8"))
FAMILIES = ("multi_hop", "yes_no", "slot_filling", "fact_checking", "long_form")
OF = {family: demonstrations(family) for family in FAMILIES}
MULTI_HOP = OF["multi_hop"]
THREE_PASSAGES = next(one for one in MULTI_HOP if len({step.passage for step in one.steps}) == 3)
EVERY = [one for family in FAMILIES for one in OF[family]]
NAMED = [one for one in EVERY if one not in OF["long_form"]]
"""Those whose steps are answered in a few words."""
CHAINED = [*(one for one in MULTI_HOP if one.type != "comparison"), *OF["slot_filling"]]
"""Those in which each step but the first asks about what an earlier one found, and the last gives the answer."""
LABELLED = [*OF["yes_no"], *OF["fact_checking"]]
LABELS = {"yes_no": {"Yes", "No"}, "fact_checking": {"SUPPORTS", "REFUTES"}}

each = of_each(EVERY, lambda one: one.id)
each_family = pytest.mark.parametrize("family", FAMILIES)


def starter(name, key):
    return [json.loads(line)[key] for line in (PACKAGE / "starter" / name).read_text(encoding="utf-8").splitlines()]


def holds(text, phrase):
    return re.search(rf"(?<!\w){re.escape(phrase.casefold())}(?!\w)", text.casefold()) is not None


# -- what there is -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "num"), [("multi_hop", 20), ("yes_no", 10), ("slot_filling", 10), ("fact_checking", 10), ("long_form", 4)]
)
def test_each_family_has_so_many_with_ids_in_order_and_no_question_twice(family, num):
    prefix = family.replace("_", "-")
    assert [one.id for one in OF[family]] == [f"{prefix}-{number:02d}" for number in range(1, num + 1)]
    assert len({one.question.casefold() for one in OF[family]}) == num


@pytest.mark.parametrize(
    ("family", "types", "hops"),
    [
        ("multi_hop", {"composition": 9, "comparison": 6, "bridge": 5}, {2: 14, 3: 4, 4: 2}),
        ("yes_no", {"comparison": 3, "bridge": 1, "implicit": 6}, {2: 9, 3: 1}),
        ("slot_filling", {"relation": 10}, {1: 8, 2: 2}),
        ("fact_checking", {"supports": 5, "refutes": 5}, {1: 2, 2: 6, 3: 2}),
        ("long_form", {"cause": 4}, {2: 2, 3: 2}),
    ],
)
def test_types_and_hops_are_mixed(family, types, hops):
    assert Counter(one.type for one in OF[family]) == types
    assert Counter(len(one.steps) for one in OF[family]) == hops


def test_no_passage_is_one_of_the_starter_corpus_and_no_question_one_of_its_questions():
    titles = {passage.title.casefold() for one in EVERY for passage in one.passages(3)}
    assert titles.isdisjoint(title.casefold() for title in starter("passages.jsonl", "title"))
    assert {one.question for one in EVERY}.isdisjoint(starter("questions.jsonl", "question"))


def test_a_title_has_the_same_text_in_every_family():
    texts = {(passage.title, passage.text) for one in EVERY for passage in one.passages(3)}
    assert len(texts) == len({title for title, _ in texts})


# -- passages ----------------------------------------------------------------------------------------------------------


@each
def test_every_passage_has_40_to_90_words_and_begins_with_its_subject(one):
    for passage in one.passages(3):
        assert 40 <= len(passage.text.split()) <= 90
        subject = passage.title.removeprefix("The ").removesuffix(" River").casefold()
        assert passage.text.removeprefix("The ").casefold().startswith(subject)


@each
def test_three_distractors_hold_neither_the_answer_nor_a_gold_passage(one):
    gold = {step.passage.title for step in one.steps}
    assert len(one.distractors) == len({passage.title for passage in one.distractors}) == 3
    for passage in one.distractors:
        assert passage.title not in gold
        assert one.answer.lower() in {"yes", "no"} or not holds(passage.text, one.answer)


@pytest.mark.parametrize("num_distractors", [0, 1, 3, 9])
def test_the_passages_shown_are_all_gold_ones_and_as_many_distractors_as_asked_for(num_distractors):
    one = THREE_PASSAGES
    shown = one.passages(num_distractors, seed=1)
    assert {step.passage for step in one.steps} <= set(shown)
    assert len(shown) == len(set(shown)) == 3 + min(num_distractors, 3)


# -- steps and answers -------------------------------------------------------------------------------------------------


@each
def test_every_query_is_a_question_every_sentence_one_sentence_and_no_answer_ends_in_a_full_stop(one):
    for step in one.steps:
        assert step.query.endswith("?")
        assert step.sentence.endswith(".")
        assert len(sentence_spans(step.sentence)) == 1
        assert not step.answer.endswith(".")


@of_each(NAMED, lambda one: one.id)
def test_every_step_answer_stands_in_its_passage_and_in_its_sentence_and_not_in_its_query(one):
    for step in one.steps:
        assert holds(step.passage.text, step.answer)
        assert holds(step.sentence, step.answer)
        assert not holds(step.query, step.answer)


def test_a_place_of_birth_is_the_place_that_the_passage_names_first_and_not_one_near_it():
    asked = [
        step
        for one in NAMED
        for step in one.steps
        if re.search(r"\b(?:where|which (?:city|town))\b.*\bborn\b", step.query, re.IGNORECASE)
    ]
    assert len(asked) >= 6
    for step in asked:
        named = re.search(r"\bborn\b.*?\bin (?:the [a-z ]+)?([A-Z]\w+)", step.passage.text)
        assert named is not None
        assert step.answer == named[1]


@of_each(CHAINED, lambda one: one.id)
def test_each_step_of_a_chain_asks_about_an_earlier_answer_the_last_gives_the_answer_and_the_question_names_none(one):
    assert (one.steps[-1].answer, one.conclusion) == (one.answer, "")
    assert not any(holds(one.question, step.answer) for step in one.steps)
    for number, step in enumerate(one.steps[1:], start=1):
        assert any(holds(step.query, earlier.answer) for earlier in one.steps[:number])


@of_each([one for one in MULTI_HOP if one.type == "comparison"], lambda one: one.id)
def test_a_comparison_draws_a_conclusion_and_is_answered_by_yes_no_or_a_name_that_it_compares(one):
    assert one.conclusion.startswith("Thus, ")
    assert one.answer in {"yes", "no"} or holds(one.question + one.reasoning, one.answer)


@of_each(LABELLED, lambda one: one.id)
def test_a_label_follows_from_a_conclusion_of_one_sentence(one):
    assert one.conclusion.startswith("Thus, ")
    assert len(sentence_spans(one.conclusion)) == 1


@pytest.mark.parametrize("family", LABELS)
def test_labels_come_equally_often_and_take_turns_under_seed_0(family):
    assert Counter(one.answer for one in OF[family]) == dict.fromkeys(LABELS[family], 5)
    in_order = [one.answer for one in sample(10, family=family)]
    assert all(one != following for one, following in itertools.pairwise(in_order))
    for num in (2, 4, 6):
        assert set(in_order[:num]) == LABELS[family]


def test_a_yes_no_question_ends_as_a_question_and_a_claim_as_a_statement():
    assert all(one.question.endswith("?") for one in (*OF["yes_no"], *OF["long_form"], *MULTI_HOP))
    assert all(one.question.endswith(".") for one in OF["fact_checking"])
    assert all(one.type == one.answer.lower() for one in OF["fact_checking"])


@of_each(OF["slot_filling"], lambda one: one.id)
def test_a_slot_is_a_subject_and_a_relation_as_kilt_writes_them(one):
    subject, relation = one.question.split(" [SEP] ")
    assert holds(one.steps[0].query, subject)
    assert relation == relation.lower().strip()


@of_each(OF["long_form"], lambda one: one.id)
def test_an_explanation_is_the_3_to_5_sentences_of_its_steps_and_conclusion(one):
    assert one.answer == one.reasoning
    assert 3 <= len(sentence_spans(one.answer)) <= 5


@pytest.mark.parametrize("family", ["multi_hop", "yes_no", "slot_filling", "fact_checking"])
def test_the_sentence_that_gives_an_answer_is_read_as_that_answer(family):
    form = "label" if family in LABELS else "short"
    question = Question("q", "", form, tuple(sorted(LABELS.get(family, ()))))
    for one in OF[family]:
        assert final_answer(f"{one.reasoning} So the final answer is {one.answer}.", question) == (one.answer, "marker")


# -- sub-questions -----------------------------------------------------------------------------------------------------


@each
def test_a_sub_question_refers_to_earlier_answers_by_number_and_names_none(one):
    assert len(one.sub_questions) == len(one.steps)
    assert one.sub_questions[0] == one.steps[0].query
    for number, (asked, step) in enumerate(zip(one.sub_questions, one.steps, strict=True)):
        named = [earlier for earlier in one.steps[:number] if holds(step.query, earlier.answer)]
        assert not any(holds(asked, earlier.answer) for earlier in one.steps[:number])
        assert asked.count("the answer to ") == len({earlier.answer for earlier in named})
        assert "the the" not in asked


def test_what_is_asked_about_an_article_and_all_is_replaced_and_the_rest_of_the_query_stays():
    [one] = [one for one in MULTI_HOP if one.steps[0].query == "In which country was Vasco da Gama born?"]
    assert one.sub_questions == (
        "In which country was Vasco da Gama born?",
        "What is the capital of the answer to 1?",
        "By which river was the answer to 2 built?",
        "Into which ocean does the answer to 3 flow?",
    )
    assert OF["yes_no"][0].sub_questions == ("How high is Mont Blanc?", "How high is Mount Fuji?")


# -- drawing -----------------------------------------------------------------------------------------------------------


@each_family
def test_a_seed_draws_the_same_and_a_larger_number_begins_with_the_same(family):
    assert sample(3, seed=1, family=family) == sample(3, seed=1, family=family)
    assert sample(4, seed=1, family=family)[:3] == sample(3, seed=1, family=family)
    assert len({tuple(one.id for one in sample(3, seed=seed, family=family)) for seed in range(8)}) > 1
    assert sorted(one.id for one in sample(99, seed=3, family=family)) == [one.id for one in OF[family]]


def test_the_passages_of_a_demonstration_are_shuffled_by_the_seed():
    assert THREE_PASSAGES.passages(2, seed=1) == THREE_PASSAGES.passages(2, seed=1)
    assert len({tuple(THREE_PASSAGES.passages(2, seed=seed)) for seed in range(8)}) > 1


@each_family
def test_the_demonstration_of_the_asked_question_is_left_out_and_the_others_stay(family):
    whole = sample(99, seed=1, family=family)
    asked = whole[1]
    others = sample(2, seed=1, asked=f"  {asked.question.upper()}", family=family)
    assert others == [whole[0], whole[2]]
    question = Question("q", asked.question, family=family)
    assert drawn(question, "cot", 2, 1) == others


def test_an_unknown_family_and_a_method_without_a_published_number_are_refused():
    with pytest.raises(SettingsError, match="multi_hop"):
        demonstrations("multihop")
    with pytest.raises(SettingsError, match="n_demos"):
        published_count("ircot", "multi_hop")


# -- families and counts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "family"),
    [
        (Question("q", "Who?"), "multi_hop"),
        (Question("q", "Is it?", "label", ("Yes", "No")), "yes_no"),
        (Question("q", "Is it?", "label", ("true", "false")), "yes_no"),
        (Question("q", "It is.", "label", ("SUPPORTS", "REFUTES")), "fact_checking"),
        (Question("q", "It is.", "label", ("Supported", "Refuted", "Not enough info")), "fact_checking"),
        (Question("q", "Why?", "long"), "long_form"),
        (Question("q", "Orlau [SEP] country", family="slot_filling"), "slot_filling"),
        (Question("q", "Is it?", "label", ("Yes", "No"), family="multi_hop"), "multi_hop"),
    ],
)
def test_the_family_is_the_one_a_question_names_or_else_goes_by_form_and_labels(question, family):
    assert family_of(question) == family


DATASETS = ("hotpotqa", "musique", "2wikimultihopqa", "strategyqa", "zsre", "trex", "fever", "eli5")
_FOUR = (4, 4, 4, 6, 4, 4, 4, 2)
TABLE_11 = {
    (0, 0, 0, 0, 0, 0, 0, 0): {"direct", "direct_retrieval", "toqd"},
    _FOUR: {
        *("cot", "cot_sc", "auto_cot", "recite", "self_ask", "self_ask_no_search", "least_to_most", "plan_and_solve"),
        *("plan_and_solve_search", "toolformer_prompted", "tree_of_thought"),
    },
    (6, 4, 4, 6, 4, 4, 4, 2): {"react", "react_then_cot_sc", "cot_sc_then_react"},
    (2, 2, 2, 2, 2, 2, 4, 2): {"verify_and_edit", "searchain"},
    (16, 8, 8, 8, 8, 8, 8, 2): {"dsp"},
    (2, 2, 2, 6, 2, 2, 4, 2): {"searchain_without_retrieval"},
}


def test_the_counts_are_those_of_searchains_table_11():
    assert COUNTS["counts"] == {
        method: dict(zip(DATASETS, row, strict=True)) for row, methods in TABLE_11.items() for method in methods
    }
    assert set(COUNTS["families"]) == set(FAMILIES)
    assert set(COUNTS["families"].values()) <= set(DATASETS)


@pytest.mark.parametrize(
    ("method", "counts"),
    [("cot", (4, 6, 4, 4, 2)), ("searchain", (2, 2, 2, 4, 2)), ("dsp", (8, 8, 8, 8, 2)), ("toqd", (0, 0, 0, 0, 0))],
)
def test_the_published_count_goes_by_task_family(method, counts):
    assert tuple(published_count(method, family) for family in FAMILIES) == counts
    assert published_count(method, "a family of another package") == counts[0]


@of_each(itertools.product((method for method in COUNTS["counts"] if method != "dsp"), FAMILIES), " of ".join)
def test_there_are_enough_demonstrations_for_every_published_count(row):
    method, family = row
    assert published_count(method, family) < len(OF[family])


@pytest.mark.parametrize(("method", "count"), [("dsp", 16), ("react", 6), ("cot", 4)])
def test_a_question_of_hotpotqa_is_shown_as_many_as_the_table_has_for_hotpotqa(method, count):
    question = Question("q", "Who?", dataset="hotpotqa")
    assert len(drawn(question, method, None, 0)) == count == COUNTS["counts"][method]["hotpotqa"]


@of_each(itertools.product(COUNTS["counts"], DATASETS), " of ".join)
def test_the_count_of_a_dataset_is_that_of_its_row(row):
    method, dataset = row
    assert published_count(method, "multi_hop", dataset) == COUNTS["counts"][method][dataset]


def test_a_dataset_that_the_table_does_not_have_counts_by_its_family():
    assert published_count("dsp", "long_form", "a benchmark of your own") == published_count("dsp", "long_form") == 2


def test_there_are_enough_demonstrations_for_the_most_that_a_dataset_asks_for():
    assert published_count("dsp", "multi_hop", "hotpotqa") < len(MULTI_HOP)
