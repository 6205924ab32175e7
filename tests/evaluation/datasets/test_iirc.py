import json

import pytest
from support.dataset_files import json_list
from support.docstring_files import shown_files

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.types import Gold, Passage, Question
from hopweave.evaluation.datasets.iirc import IIRC
from hopweave.ingest.lookup import content_id

MAIN_TEXT = "Carrow is a harbour. Its lighthouse is the Carrow Head Light."
PARAGRAPH = "The plans for the light were drawn by Ines Halloran in the year 1931, they say."


@pytest.fixture
def shown(tmp_path):
    (one,) = shown_files("iirc", tmp_path)
    return one


def asked(answer, context=()):
    question = {"qid": "q", "question": "What?", "context": list(context), "answer": answer}
    return {"title": "Carrow", "text": MAIN_TEXT, "links": [], "questions": [question]}


def test_the_main_passage_is_pinned_and_the_marked_paragraph_of_a_linked_page_is_gold(shown):
    (example,) = IIRC(shown.path, **shown.options).examples()
    main = Passage(content_id("Carrow", MAIN_TEXT), MAIN_TEXT, "Carrow")
    assert example.question == Question("q_1", "Who designed the lighthouse of Carrow?", pinned=(main,))
    assert example.gold == Gold(("Ines Halloran",), (content_id("carrow head light", PARAGRAPH),))
    assert example.traits == {"type": "span"}


def test_passages_are_the_paragraphs_of_more_than_ten_words_of_linked_pages(shown):
    assert [passage.text for passage in IIRC(shown.path, **shown.options).passages()] == [PARAGRAPH]


def test_without_the_pages_gold_is_unknown_and_there_is_no_corpus(shown):
    (example,) = IIRC(shown.path).examples()
    assert example.gold.passage_ids == ()
    with pytest.raises(SettingsError, match="passages of IIRC are in a separate file; give articles = FILE"):
        list(IIRC(shown.path).passages())


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"type": "value", "answer_value": "12", "answer_unit": "years"}, ("12", "12 years")),
        ({"type": "value", "answer_value": "12", "answer_unit": ""}, ("12",)),
        ({"type": "binary", "answer_value": "yes"}, ("yes",)),
        ({"type": "span", "answer_spans": [{"text": "Tam"}, {"text": "Ines "}, {"text": "Tam"}]}, ("Tam, Ines",)),
    ],
)
def test_each_type_of_answer_is_written_as_text(tmp_path, answer, expected):
    (example,) = IIRC(json_list(tmp_path / "a.json", asked(answer))).examples()
    assert (example.gold.answers, example.traits["type"]) == (expected, answer["type"])


def test_a_marked_text_that_was_changed_is_found_by_its_words(tmp_path):
    other = "This other paragraph is long enough to count but speaks of boats and nothing else at all."
    (tmp_path / "articles.json").write_text(json.dumps({"light": f"<p>{other}</p><p>{PARAGRAPH}</p>"}))
    context = [{"passage": "Light", "text": "plans were drawn by  Ines Halloran"}, {"passage": "main", "text": "x"}]
    path = json_list(tmp_path / "a.json", asked({"type": "binary", "answer_value": "yes"}, context))
    (example,) = IIRC(path, articles=tmp_path / "articles.json").examples()
    assert example.gold.passage_ids == (content_id("light", PARAGRAPH),)


def test_gold_is_unknown_where_a_marked_page_is_missing(tmp_path):
    (tmp_path / "articles.json").write_text(json.dumps({"light": f"<p>{PARAGRAPH}</p>"}))
    context = [{"passage": "Light", "text": "Ines Halloran"}, {"passage": "Elsewhere", "text": "x"}]
    path = json_list(tmp_path / "a.json", asked({"type": "binary", "answer_value": "yes"}, context))
    (example,) = IIRC(path, articles=tmp_path / "articles.json").examples()
    assert example.gold.passage_ids == ()


def test_an_answer_without_its_text_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"line 1 \(record 1\): the question 'q' has no answer of its type span"):
        list(IIRC(json_list(tmp_path / "a.json", asked({"type": "span", "answer_spans": []}))).examples())


def test_pages_that_are_no_object_of_texts_are_refused(shown, tmp_path):
    (tmp_path / "list.json").write_text("[1]")
    with pytest.raises(DataError, match="is not one object with a member per entry"):
        list(IIRC(shown.path, articles=tmp_path / "list.json").passages())
    (tmp_path / "numbers.json").write_text('{"light": 3}')
    with pytest.raises(DataError, match="member 'light': value is 3, a number; put it in quotation marks"):
        list(IIRC(shown.path, articles=tmp_path / "numbers.json").passages())
