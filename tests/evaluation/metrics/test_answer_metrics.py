"""The vectors and traps of the specification for what an answer is worth."""

import pytest
from support.worked import worked

from hopweave.core.building import build
from hopweave.core.errors import DataError
from hopweave.core.types import Passage
from hopweave.evaluation.metrics._covering import toqd_match
from hopweave.evaluation.metrics.answer_support_recall import AnswerSupportRecall
from hopweave.evaluation.metrics.cover_em import CoverEM
from hopweave.evaluation.metrics.exact_match import ExactMatch
from hopweave.evaluation.metrics.f1 import F1
from hopweave.evaluation.metrics.label_accuracy import LabelAccuracy
from hopweave.evaluation.metrics.paragraph_recall import ParagraphRecall

VECTORS = [
    ("The Toronto Coach Terminal.", "Toronto Coach Terminal", 1.0, 1.0, 1.0),
    ("Toronto, Ontario", "Toronto", 0.0, 0.6667, 1.0),
    ("U.S. National Book Award", "National Book Award", 0.0, 0.8571, 1.0),
    ("no", "not known", 0.0, 0.0, 0.0),
    ("1,450 miles", "1450 miles", 1.0, 1.0, 1.0),
    ("June-July 1863", "June July 1863", 0.0, 0.4, 0.0),
]
YES_NO = {"form": "label", "labels": ["Yes", "No"]}
FEVER = {"form": "label", "labels": ["SUPPORTS", "REFUTES"]}
THREE_WAY = {"form": "label", "labels": ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]}


@pytest.mark.parametrize(("said", "gold", "exact", "f1", "cover"), VECTORS)
def test_the_vectors_of_exact_match_f1_and_raw_cover(said, gold, exact, f1, cover):
    asked = worked(said, [gold])
    assert ExactMatch().score(*asked) == {"exact_match": exact}
    assert round(F1().score(*asked)["f1"], 4) == f1
    assert CoverEM(boundary="raw").score(*asked) == {"cover_em": cover}


@pytest.mark.parametrize(("said", "gold"), [("not known", "no"), ("in 1839", "1"), ("yesterday", "yes"), ("Norway", "no")])
def test_a_short_gold_is_found_inside_a_word_by_the_raw_boundary_only(said, gold):
    assert CoverEM(boundary="raw").score(*worked(said, [gold])) == {"cover_em": 1.0}
    assert CoverEM().score(*worked(said, [gold])) == {"cover_em": 0.0}


def test_a_label_wants_whole_words_however_long_it_is():
    said = "it unsupportsx"
    assert CoverEM().score(*worked(said, ["SUPPORTS"])) == {"cover_em": 1.0}
    assert CoverEM().score(*worked(said, ["SUPPORTS"], **FEVER)) == {"cover_em": 0.0}


def test_the_full_scope_looks_into_the_whole_text_but_not_into_its_marks():
    asked = worked("Bonn", ["1"], text="Ulm came first [1]. So the final answer is Bonn.")
    assert CoverEM(scope="full").score(*asked) == {"cover_em": 0.0}
    asked = worked("Bonn", ["Ulm"], text="Ulm came first [1]. So the final answer is Bonn.")
    assert (CoverEM().score(*asked), CoverEM(scope="full").score(*asked)) == ({"cover_em": 0.0}, {"cover_em": 1.0})


def test_every_alias_counts_and_empty_golds_are_skipped():
    assert CoverEM().score(*worked("Donau", ["the Danube", "Donau"])) == {"cover_em": 1.0}
    assert CoverEM().score(*worked("anything", ["", "the"])) == {}
    assert CoverEM(match="toqd").score(*worked("anything", ["", "the"])) == {}
    assert ExactMatch().score(*worked("", ["", "Ulm"])) == {"exact_match": 0.0}
    assert ExactMatch().score(*worked("", [""])) == {"exact_match": 1.0}
    assert ExactMatch().score(*worked("Ulm", [])) == F1().score(*worked("Ulm", [])) == {}


def test_f1_of_two_empty_answers_is_that_of_squad_2_and_hotpotqas_is_nothing():
    assert F1().score(*worked("the", ["a"]))["f1"] == 1.0
    assert F1(variant="hotpotqa").score(*worked("the", ["a"]))["f1"] == 0.0
    assert F1().score(*worked("", ["Ulm"]))["f1"] == 0.0


@pytest.mark.parametrize(("said", "gold"), [("yes it is", "yes"), ("no", "no one"), ("noanswer", "noanswer is")])
def test_hotpotqas_closed_answers_overlap_with_nothing_else(said, gold):
    assert F1().score(*worked(said, [gold]))["f1"] > 0
    assert F1(variant="hotpotqa").score(*worked(said, [gold])) == {"f1": 0.0, "f1_precision": 0.0, "f1_recall": 0.0}


@pytest.mark.parametrize(
    ("said", "gold", "exact", "f1"),
    [
        ("June-July 1863", "June July 1863", 1.0, 1.0),
        ("2.50 goals", "2.5 goals", 1.0, 1.0),
        ("12 red hens", "13 red hens", 0.0, 0.0),
        ("red hens", "13 red hens", 0.0, 0.0),
        ("13 red hens", "red hens", 0.0, 0.8),
        ("red red hens", "red hens", 0.0, 1.0),
        ("one two", "one two three", 0.0, 0.8),
    ],
)
def test_drops_rule_takes_numbers_as_numbers_and_words_as_sets(said, gold, exact, f1):
    asked = worked(said, [gold])
    assert ExactMatch(variant="drop").score(*asked) == {"exact_match": exact}
    assert F1(variant="drop").score(*asked) == {"f1": f1}


def test_spans_are_paired_whatever_their_order_where_a_separator_says_what_they_are():
    asked = worked("Ulm; 3 hens", ["3 hens; Ulm"])
    assert ExactMatch(variant="drop", separator="; ").score(*asked) == {"exact_match": 1.0}
    assert F1(variant="drop", separator="; ").score(*asked) == {"f1": 1.0}
    assert F1(variant="drop", separator="; ").score(*worked("Ulm", ["3 hens; Ulm"])) == {"f1": 0.5}


@pytest.mark.parametrize(
    ("said", "gold", "is_match"),
    [
        ("Monroe, James", "James Monroe", True),  # the words in any order, which cover-EM does not take
        ("Ulm", "the old city of Ulm", True),  # the names decide
        ("the Danube", "the old city of Ulm", False),
        ("about 1,839 of them", "1839 people", True),  # the numbers decide
        ("1840", "1839 people", False),
        ("in Ulm, 1880", "Ulm since 1879", False),  # both have to
        ("nobody knows", "a well made of stone", False),  # neither names nor numbers
        ("", "Ulm", False),
    ],
)
def test_toqds_released_rule(said, gold, is_match):
    assert toqd_match(said, gold) is is_match
    assert CoverEM(match="toqd").score(*worked(said, [gold])) == {"cover_em": float(is_match)}


@pytest.mark.parametrize(
    ("said", "text", "gold", "asked", "value", "unmapped"),
    [
        ("Yes", None, "Yes", YES_NO, 1.0, 0.0),
        ("", "It is true.", "Yes", YES_NO, 1.0, 0.0),
        ("false", None, "No", YES_NO, 1.0, 0.0),
        ("refuted", None, "REFUTES", FEVER, 1.0, 0.0),
        ("The claim is not supported", None, "SUPPORTS", FEVER, 0.0, 1.0),
        ("not enough info", None, "NOT ENOUGH INFO", THREE_WAY, 1.0, 0.0),
        ("nobody", "Who knows.", "No", YES_NO, 0.0, 1.0),
        ("", "It is so.\nSo the final answer is no.", "No", YES_NO, 1.0, 0.0),
    ],
)
def test_labels_are_mapped_and_an_answer_without_one_is_wrong_and_counted(said, text, gold, asked, value, unmapped):
    found = LabelAccuracy().score(*worked(said, [gold], text=text, **asked))
    assert (found["label_accuracy"], found["unmapped"]) == (value, unmapped)


def test_a_gold_that_is_none_of_the_labels_is_a_named_error():
    with pytest.raises(DataError, match=r"the gold 'Perhaps' of question 'q' is none of its labels \(Yes, No\); fix"):
        LabelAccuracy().score(*worked("Yes", ["Perhaps"], **YES_NO))


@pytest.mark.parametrize(("said", "value"), [("Yes", 1.0), ("Perhaps", 1.0), ("No", 0.0), ("", 0.0)])
def test_each_accepted_answer_is_a_right_label_and_the_first_is_the_gold_label(said, value):
    asked = {"form": "label", "labels": ["Yes", "No", "Perhaps"]}
    found = LabelAccuracy().score(*worked(said, ["Perhaps", "Yes"], **asked))
    assert (found["label_accuracy"], found["gold_label"]) == (value, 2.0)


def test_an_accepted_answer_that_is_none_of_the_labels_does_not_hide_the_others():
    found = LabelAccuracy().score(*worked("No", ["it never was", "No"], **YES_NO))
    assert found == {"label_accuracy": 1.0, "unmapped": 0.0, "gold_label": 1.0}


def test_a_question_without_labels_has_no_label_accuracy():
    assert LabelAccuracy().score(*worked("Yes", ["Yes"])) == {}


def passages(*ids):
    return [Passage(one, f"About {one}.") for one in ids]


def test_paragraph_recall_is_of_sets_capped_at_the_budget_whatever_case_and_spaces_of_ids():
    found = passages("Old  Ulm", "old ulm", *(f"n{number}" for number in range(13)), "late")
    asked = worked("x", passages=found, gold_ids=["oldulm", "late"])
    assert ParagraphRecall().score(*asked) == {"paragraph_recall": 1.0, "paragraphs_retrieved": 15.0}
    assert ParagraphRecall(budget=14).score(*asked) == {"paragraph_recall": 0.5, "paragraphs_retrieved": 14.0}


def test_paragraph_recall_without_gold_or_without_a_search_is_no_data():
    assert ParagraphRecall().score(*worked("x", passages=passages("a"))) == {}
    assert ParagraphRecall().score(*worked("x", gold_ids=["a"])) == {}
    zero = ParagraphRecall(without_search="zero").score(*worked("x", gold_ids=["a"]))
    assert zero == {"paragraph_recall": 0.0, "paragraphs_retrieved": 0.0}


def test_answer_support_leaves_out_what_stands_in_passages_by_chance():
    found = [Passage("1", "Nobody knew it yesterday; 1,839 came.", "Ulm")]
    assert AnswerSupportRecall().score(*worked("x", ["no"], passages=found)) == {}
    assert AnswerSupportRecall().score(*worked("x", ["Ulm"], passages=found))["answer_found"] == 1.0
    assert AnswerSupportRecall().score(*worked("x", ["183"], passages=found))["answer_found"] == 0.0
    assert AnswerSupportRecall(boundary="raw").score(*worked("x", ["183"], passages=found))["answer_found"] == 1.0


def test_options_are_checked_as_settings_are():
    assert build(F1, {"variant": "drop"}, "metrics.f1") == F1(variant="drop")
    with pytest.raises(Exception, match=r"metrics\.f1\.variant: Input should be 'squad', 'hotpotqa' or 'drop'"):
        build(F1, {"variant": "dorp"}, "metrics.f1")
    for part in (ParagraphRecall, AnswerSupportRecall):
        with pytest.raises(Exception, match="budget must be at least 1"):
            part(budget=0)
