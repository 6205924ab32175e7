"""Which sentences a citation cites, and what they are worth against the gold ones."""

from dataclasses import replace

import pytest
from support.worked import claimed, quoted, worked

from hopweave.core.errors import DataError
from hopweave.core.types import Citation, GoldSentence, Passage
from hopweave.evaluation.metrics.supporting_facts import SupportingFacts

RIVER, BIRTH, AGE = "Ulm lies on the Danube.", "Einstein was born there in the spring of 1879.", "It is old."
ULM = Passage("ulm", f"{RIVER} {BIRTH} {AGE}", "Ulm")
BONN = Passage("bonn", "Bonn lies on the Rhine. Beethoven was born there.", "Bonn")
GOLD = (GoldSentence("ulm", 0, 23), GoldSentence("bonn", 24, 49))


def scores(*citations, gold=GOLD, **more):
    claims = [claimed("Which?", "this", citation) for citation in citations]
    record, example = worked("Ulm", ["Ulm"], claims=claims, passages=[ULM, BONN], **more)
    return dict(SupportingFacts().score(record, replace(example, gold=replace(example.gold, sentences=gold))))


def rounded(*citations, **more):
    """Precision, recall, F1, EM and the number of sentences."""
    return [round(value, 3) for value in scores(*citations, **more).values()]


def test_exactly_the_gold_sentences_score_1_whatever_they_are_quoted_for():
    both = (quoted(1, ULM, RIVER), quoted(2, BONN, "Beethoven was born there."))
    assert rounded(*both) == rounded(*both, *both) == [1, 1, 1, 1, 2]


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        (RIVER, [1, 0.5, 0.667, 0, 1]),
        ("Danube", [1, 0.5, 0.667, 0, 1]),
        (f"{RIVER} Einstein", [1, 0.5, 0.667, 0, 1]),
        (f"{RIVER} {BIRTH}", [0.5, 0.5, 0.5, 0, 2]),
        (ULM.text, [0.333, 0.5, 0.4, 0, 3]),
        (f"Danube. {BIRTH}", [0, 0, 0, 0, 1]),
        (BIRTH, [0, 0, 0, 0, 1]),
        (" ", [0, 0, 0, 0, 1]),
    ],
)
def test_a_quote_cites_the_sentences_it_mainly_is_and_not_one_that_it_only_touches(quote, expected):
    assert rounded(quoted(1, ULM, quote)) == expected


def test_a_short_sentence_that_is_quoted_whole_is_cited_however_long_the_rest_of_the_quote():
    gold = (GoldSentence("ulm", len(ULM.text) - len(AGE), len(ULM.text)),)
    assert rounded(quoted(1, ULM, f"{BIRTH} {AGE}"), gold=gold) == [0.5, 1, 0.667, 0, 2]


def test_gold_sentences_are_parted_as_the_data_parts_them_even_in_the_middle_of_a_sentence():
    gold = (GoldSentence("ulm", 0, 12), GoldSentence("ulm", 12, 23))
    assert rounded(quoted(1, ULM, RIVER), gold=gold) == [1, 1, 1, 1, 2]
    assert rounded(quoted(1, ULM, "the Danube."), gold=gold) == [1, 0.5, 0.667, 0, 1]


def test_the_same_sentence_cited_twice_counts_once_and_one_of_another_passage_is_wrong():
    assert rounded(quoted(1, ULM, RIVER), quoted(2, ULM, "Danube"), quoted(3, BONN, "the Rhine")) == [0.5, 0.5, 0.5, 0, 2]


def test_an_answer_that_cites_nothing_scores_0_and_a_failed_one_or_one_without_gold_has_no_data():
    assert rounded() == [0, 0, 0, 0, 0]
    assert scores(error="the endpoint is gone") == scores(quoted(1, ULM, RIVER), gold=()) == {}


def test_a_gold_sentence_that_the_data_does_not_have_is_missed_even_by_a_quote_of_nothing_at_its_place():
    nowhere = GoldSentence("ulm", len(ULM.text), len(ULM.text))
    assert rounded(quoted(1, ULM, RIVER), gold=(GOLD[0], nowhere)) == [1, 0.5, 0.667, 0, 1]
    of_nothing = Citation(1, "ulm", nowhere.start, nowhere.end, "")
    assert rounded(of_nothing, gold=(nowhere,)) == [0, 0, 0, 0, 1]


def test_a_cited_passage_that_the_record_does_not_have_is_an_error():
    with pytest.raises(DataError, match="lacks the passage 'linz'"):
        scores(Citation(1, "linz", 0, 1, "L"))
