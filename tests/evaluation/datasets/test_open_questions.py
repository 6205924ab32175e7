"""Natural Questions, TriviaQA, WebQuestions and SQuAD, each in all of its forms."""

import pytest
from support.dataset_files import json_lines, json_list
from support.docstring_files import shown_files

from hopweave.core.catalog import load
from hopweave.core.errors import DataError
from hopweave.evaluation.datasets.natural_questions import NaturalQuestions
from hopweave.evaluation.datasets.squad import SQuAD
from hopweave.evaluation.datasets.triviaqa import TriviaQA
from hopweave.evaluation.datasets.webquestions import WebQuestions
from hopweave.ingest.lookup import content_id

BOTH = ("Ines Halloran", "Halloran")
ONE = {"yes_no_answer": "NONE", "short_answers": [{"start_token": 5, "end_token": 7}]}


def original(**change):
    row = {
        "example_id": 1, "question_text": "who designed it", "document_text": "The light was designed by Ines Halloran .",
        "annotations": [ONE],
    }  # fmt: skip
    return {**row, **change}


def test_all_forms_of_natural_questions_are_the_same_question(tmp_path):
    found = [list(NaturalQuestions(shown.path).examples()) for shown in shown_files("natural_questions", tmp_path)]
    assert [example.question.text for (example,) in found] == ["who designed the carrow head light"] * 4
    assert [example.gold.answers for (example,) in found] == [BOTH, BOTH[:1], BOTH, BOTH[:1]]
    assert found[1][0].gold.passage_ids == ("900001",)
    assert found[0][0].question.id == found[2][0].question.id


def test_of_the_original_only_questions_with_a_short_answer_are_asked(tmp_path):
    rows = [
        original(),
        original(example_id=2, annotations=[{"short_answers": []}]),
        original(example_id=3, annotations=[{"yes_no_answer": "YES"}, ONE]),
        original(example_id=4, annotations=[{"short_answers": [{"start_token": 0, "end_token": 6}]}]),
    ]
    path = json_lines(tmp_path / "a.jsonl", *rows)
    assert [one.gold.answers for one in NaturalQuestions(path).examples()] == [BOTH[:1], ("yes", BOTH[0])]
    longer = list(NaturalQuestions(path, max_answer_words=6).examples())
    assert longer[-1].gold.answers == ("The light was designed by Ines",)


def test_tokens_of_the_development_files_are_read_too(tmp_path):
    tokens = [{"token": token, "html_token": False} for token in ["by", "Ines", "Halloran"]]
    spans = [{"short_answers": [{"start_token": 1, "end_token": 3}]}]
    row = original(document_text="", document_tokens=tokens, annotations=spans)
    (example,) = NaturalQuestions(json_lines(tmp_path / "a.jsonl", row)).examples()
    assert example.gold.answers == BOTH[:1]


def test_a_short_answer_beyond_the_page_is_refused(tmp_path):
    row = original(document_text="too short")
    with pytest.raises(DataError, match="line 1: a short answer is at tokens 5 to 7 of 2"):
        list(NaturalQuestions(json_lines(tmp_path / "a.jsonl", row)).examples())


def test_trivia_counts_the_value_all_aliases_and_what_people_said(tmp_path):
    plain, kilt = shown_files("triviaqa", tmp_path)
    (example,) = TriviaQA(plain.path).examples()
    assert example.question.id == "tc_9001"
    assert example.gold.answers == ("Carrow Head Light", "The Carrow Light")
    (example,) = TriviaQA(kilt.path).examples()
    assert example.gold.passage_ids == ("900001",)
    answer = {"Value": "A", "Aliases": ["B"], "HumanAnswers": ["C", "A"]}
    row = {"Question": "Who?", "QuestionId": "tb_1", "Answer": answer}
    (example,) = TriviaQA(json_list(tmp_path / "a.json", row)).examples()
    assert example.gold.answers == ("A", "B", "C")


def test_trivia_of_the_hub_is_the_same_as_the_original(tmp_path):
    (official,) = TriviaQA(shown_files("triviaqa", tmp_path)[0].path).examples()
    answer = {"value": "Carrow Head Light", "aliases": ["Carrow Head Light", "The Carrow Light"], "normalized_aliases": []}
    row = {"question": official.question.text, "question_id": "tc_9001", "answer": answer}
    assert list(TriviaQA(json_lines(tmp_path / "hub.jsonl", row)).examples()) == [official]


def test_descriptions_of_web_questions_are_answers_quoted_or_not(tmp_path):
    (example,) = WebQuestions(shown_files("webquestions", tmp_path)[0].path).examples()
    assert example.gold.answers == BOTH
    row = {"utterance": "who?", "targetValue": r'(list (description "say \"ah\" (twice)") (description 1931))'}
    (example,) = WebQuestions(json_list(tmp_path / "a.json", row)).examples()
    assert example.gold.answers == ('say "ah" (twice)', "1931")
    (on_hub,) = WebQuestions(json_lines(tmp_path / "h.jsonl", {"url": "", "question": "who?", "answers": ["x"]})).examples()
    assert on_hub.question.id == example.question.id


@pytest.mark.parametrize("target", ["(list (description ))", "(list)", '(list (description "a))'])
def test_a_list_of_descriptions_that_cannot_be_read_is_refused(tmp_path, target):
    with pytest.raises(DataError, match=r"record 1\): (targetValue: .* is not a list of descriptions|it has no answer)"):
        list(WebQuestions(json_list(tmp_path / "a.json", {"utterance": "who?", "targetValue": target})).examples())


def test_the_paragraph_that_was_asked_about_is_the_gold_passage_of_squad(tmp_path):
    (shown,) = shown_files("squad", tmp_path)
    (example,) = SQuAD(shown.path).examples()
    context = "The Carrow Head Light was designed by Ines Halloran."
    assert example.gold.answers == BOTH
    assert example.gold.passage_ids == (content_id("Carrow Head Light", context),)
    row = {
        "id": "q1", "title": "Carrow_Head_Light", "context": context, "question": example.question.text,
        "answers": {"text": list(BOTH), "answer_start": [38, 43]},
    }  # fmt: skip
    on_hub = SQuAD(json_lines(tmp_path / "hub.jsonl", row))
    assert list(on_hub.examples()) == [example]
    assert list(on_hub.passages()) == list(SQuAD(shown.path).passages())


def test_what_version_2_marks_as_impossible_is_left_out_and_what_it_does_not_is_refused(tmp_path):
    asked = {"question": "Who?", "answers": [], "plausible_answers": [{"text": "x", "answer_start": 0}]}
    good = {"id": "1", "question": "Who?", "answers": [{"text": "x", "answer_start": 0}], "is_impossible": False}

    def read(*qas):
        article = {"title": "T", "paragraphs": [{"context": "x", "qas": qas}]}
        path = tmp_path / "a.json"
        path.write_text(__import__("json").dumps({"version": "v2.0", "data": [article]}))
        return [one.question.id for one in SQuAD(path).examples()]

    assert read({**asked, "id": "2", "is_impossible": True}, good) == ["1"]
    with pytest.raises(DataError, match=r"line 1 \(record 1\): the question '2' has no answer and is not marked"):
        read({**asked, "id": "2", "is_impossible": False}, good)


@pytest.mark.parametrize("answers", [3, True, "x", {"text": 3}])
def test_answers_of_squad_that_are_no_list_are_refused_with_their_place(tmp_path, answers):
    asked = {"id": "1", "question": "Who?", "answers": answers}
    path = json_lines(tmp_path / "a.jsonl", {"title": "T", "paragraphs": [{"context": "x", "qas": [asked]}]})
    with pytest.raises(DataError, match=r"line 1: paragraphs\.0\.qas\.0\.answers: Input should be a valid tuple"):
        list(SQuAD(path).examples())


@pytest.mark.parametrize("name", ["natural_questions", "triviaqa", "webquestions", "squad", "trec"])
def test_the_question_files_of_dpr_and_drqa_are_read(tmp_path, name):
    (tmp_path / "test.qa.csv").write_text("who is it\t[\"Tam O'Rre\", 'Tam']\n\nwhere is it\t['Carrow']\n")
    rows = [{"question": "who is it", "answer": ["Tam O'Rre", "Tam"]}, {"question": "where is it", "answer": ["Carrow"]}]
    table = list(load("datasets", name)(tmp_path / "test.qa.csv").examples())
    assert [one.gold.answers for one in table] == [("Tam O'Rre", "Tam"), ("Carrow",)]
    assert list(load("datasets", name)(json_lines(tmp_path / "test.txt", *rows)).examples()) == table


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("who is it", "line 2 has 1 columns"),
        ("who is it\tTam", "line 2: its answers are not a list of texts"),
        ("who is it\t[1]", "line 2: answer.0 is 1, a number; put it in quotation marks"),
        ("who is it\t[]", "line 2: it has no answer"),
        ("who is it\t__import__('os').getcwd()", "line 2: its answers are not a list of texts"),
    ],
)
def test_a_broken_line_of_such_a_file_is_named(tmp_path, line, reason):
    (tmp_path / "test.qa.csv").write_text(f"where is it\t['Carrow']\n{line}\n")
    with pytest.raises(DataError, match=reason):
        list(NaturalQuestions(tmp_path / "test.qa.csv").examples())
