"""The starter corpus and its questions hold to the rules that the rest of the project relies on."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from support.of_each import of_each

STARTER = Path(__file__).resolve().parents[2] / "src" / "hopweave" / "starter"


def records(name):
    with (STARTER / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


PASSAGES = records("passages.jsonl")
QUESTIONS = records("questions.jsonl")
BY_ID = {passage["id"]: passage for passage in PASSAGES}
CHAINED = [question for question in QUESTIONS if question["type"] != "comparison"]

each_passage = of_each(PASSAGES, lambda passage: passage["id"])
each_question = of_each(QUESTIONS, lambda question: question["id"])
each_chained_question = of_each(CHAINED, lambda question: question["id"])
each_comparison = of_each(
    [question for question in QUESTIONS if question["type"] == "comparison"], lambda question: question["id"]
)


def holds(text, phrase):
    """Whether the phrase stands in the text as whole words, whatever the case."""
    return re.search(rf"(?<!\w){re.escape(phrase.casefold())}(?!\w)", text.casefold()) is not None


def sentences(text):
    """How many sentences a text has, initials such as 'J. J.' not counted as ends."""
    return len(re.findall(r"(?<!\b[A-Z])(?<!St)[.!?](?=\s|$)", text))


def test_there_are_at_least_125_passages():
    assert len(PASSAGES) >= 125


def test_there_are_exactly_40_questions():
    assert len(QUESTIONS) == 40


def test_no_two_passages_share_an_id():
    assert len(BY_ID) == len(PASSAGES)


def test_no_two_passages_share_a_title():
    assert [title for title, count in Counter(passage["title"].casefold() for passage in PASSAGES).items() if count > 1] == []


def test_no_two_passages_share_a_text():
    assert len({passage["text"] for passage in PASSAGES}) == len(PASSAGES)


def test_question_ids_are_numbered_in_order():
    assert [question["id"] for question in QUESTIONS] == [f"starter-{number:02d}" for number in range(1, 41)]


def test_no_two_questions_are_worded_alike():
    assert len({question["question"].casefold() for question in QUESTIONS}) == len(QUESTIONS)


def test_the_types_are_mixed_as_planned():
    assert Counter(question["type"] for question in QUESTIONS) == {"bridge": 18, "comparison": 11, "composition": 11}


def test_the_hops_are_mixed_as_planned():
    assert Counter(question["hops"] for question in QUESTIONS) == {2: 24, 3: 11, 4: 5}


@pytest.mark.parametrize("name", ["passages.jsonl", "questions.jsonl"])
def test_every_line_is_one_object_and_the_file_ends_with_a_newline(name):
    text = (STARTER / name).read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert all(isinstance(json.loads(line), dict) for line in text.removesuffix("\n").split("\n"))


@each_passage
def test_every_passage_has_an_id_a_title_and_a_text_and_nothing_else(passage):
    assert list(passage) == ["id", "title", "text"]
    assert all(isinstance(value, str) and value and value == " ".join(value.split()) for value in passage.values())


@each_passage
def test_every_passage_id_is_kebab_case(passage):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", passage["id"])


@each_passage
def test_every_text_has_45_to_110_words(passage):
    assert 45 <= len(passage["text"].split()) <= 110


@each_passage
def test_every_text_has_three_to_six_sentences(passage):
    assert 3 <= sentences(passage["text"]) <= 6


@each_passage
def test_every_text_begins_with_the_name_of_its_subject(passage):
    name = re.sub(r" \([^)]*\)$", "", passage["title"])
    assert passage["text"].removeprefix("The ").startswith(name.removeprefix("The "))


@each_question
def test_every_question_has_the_agreed_fields(question):
    assert list(question) == ["id", "question", "answers", "type", "hops", "gold_passages", "steps"]
    assert all(list(step) == ["query", "answer", "passage"] for step in question["steps"])


@each_question
def test_every_type_is_known(question):
    assert question["type"] in {"bridge", "comparison", "composition"}


@each_question
def test_hops_count_the_steps_and_the_gold_passages(question):
    assert question["hops"] == len(question["steps"]) == len(question["gold_passages"])
    assert question["hops"] in {2, 3, 4}


@each_question
def test_every_gold_passage_exists_and_is_used_once(question):
    assert set(question["gold_passages"]) <= set(BY_ID)
    assert len(set(question["gold_passages"])) == len(question["gold_passages"])


@each_question
def test_the_steps_go_through_the_gold_passages_in_order(question):
    assert [step["passage"] for step in question["steps"]] == question["gold_passages"]


@each_question
def test_every_step_answer_occurs_in_its_passage(question):
    missing = [step for step in question["steps"] if not holds(BY_ID[step["passage"]]["text"], step["answer"])]
    assert missing == []


@each_question
def test_every_question_and_every_step_query_is_a_question(question):
    assert all(text.endswith("?") for text in [question["question"], *(step["query"] for step in question["steps"])])


@each_question
def test_no_step_query_contains_its_answer(question):
    assert [step for step in question["steps"] if holds(step["query"], step["answer"])] == []


@each_question
def test_answers_are_short_and_distinct(question):
    assert question["answers"]
    assert len({answer.casefold() for answer in question["answers"]}) == len(question["answers"])
    assert all(1 <= len(answer.split()) <= 6 for answer in question["answers"])


@each_chained_question
def test_the_last_step_of_a_chain_gives_the_main_answer(question):
    assert question["steps"][-1]["answer"].casefold() == question["answers"][0].casefold()


@each_chained_question
def test_the_final_answer_is_not_in_the_first_passage_of_a_chain(question):
    first = BY_ID[question["gold_passages"][0]]
    assert [answer for answer in question["answers"] if holds(f"{first['title']} {first['text']}", answer)] == []


@each_chained_question
def test_a_chained_question_does_not_contain_its_answer(question):
    assert [answer for answer in question["answers"] if holds(question["question"], answer)] == []


@each_chained_question
def test_a_chained_question_does_not_name_the_entities_in_between(question):
    assert [step["answer"] for step in question["steps"][:-1] if holds(question["question"], step["answer"])] == []


@each_chained_question
def test_every_later_step_asks_about_an_earlier_answer(question):
    steps = question["steps"]
    for number, step in enumerate(steps[1:], start=1):
        assert any(holds(step["query"], earlier["answer"]) for earlier in steps[:number])


@each_comparison
def test_a_comparison_is_answered_by_yes_or_no_or_something_it_names(question):
    answer = question["answers"][0]
    assert answer in {"yes", "no"} or holds(question["question"], answer)
