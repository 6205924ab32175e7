"""Marks, citations and claims: what vouches for what."""

import json

import pytest
from support.bench import Bench, chain

from hopweave.errors import DataError
from hopweave.grounding.entailment import CitedClaim, Judgement, entails_by_words, read_judgements
from hopweave.grounding.fragments import fragments
from hopweave.metrics._worked import claimed, quoted, worked
from hopweave.metrics.amp_auto import AmpAuto
from hopweave.metrics.citations import Citations
from hopweave.metrics.skc import SKC
from hopweave.types import Answer, Citation, Claim, Example, Gold, Passage

ULM = Passage("ulm", "Ulm lies on the Danube. Einstein was born there.", "Ulm")
BONN = Passage("bonn", "Bonn lies on the Rhine. Beethoven was born there.", "Bonn")


def marked(text, *marks):
    return Answer(text, "x", (Claim("", "", "verified", "supported", tuple(Citation(mark, "p", 0, 1, "x") for mark in marks)),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is Ulm [1].", [("It is Ulm", 1)]),
        ("It is Ulm. [1] It is old. [2]", [("It is Ulm.", 1), ("It is old.", 2)]),
        ("It is Ulm.[1] It is old.[2]", [("It is Ulm.", 1), ("It is old.", 2)]),
        ("Ulm [1] is on the Danube [2].", [("Ulm", 1), ("is on the Danube", 2)]),
        ("Ulm [1][2], on the Danube [1, 2].", [("Ulm", 1), ("Ulm", 2), (", on the Danube", 1), (", on the Danube", 2)]),
        ("It is Ulm [1]. It is Ulm [1].", [("It is Ulm", 1)]),
        ("No mark. It is Ulm [1].", [("It is Ulm", 1)]),
        ("[1] It is Ulm.", [("", 1)]),
        ("It is Ulm [1]. [2]", [("It is Ulm", 1), ("It is Ulm", 2)]),
        ("It is Ulm [7].", []),
        ("It is Ulm.", []),
        ("", []),
    ],
)
def test_a_mark_vouches_for_the_words_back_to_the_mark_or_sentence_before_it(text, expected):
    assert [(fragment.text, fragment.mark) for fragment in fragments(marked(text, 1, 2))] == expected


def test_skc_counts_fragments_and_is_0_for_an_answer_without_marks():
    claims = [claimed("Which river?", "the Danube", quoted(1, ULM))]
    assert SKC().score(*worked("x", text="On the Danube [1]. [1]", claims=claims, passages=[ULM])) == {"skc": 1.0}
    assert SKC().score(*worked("x", text="On the Danube.", claims=claims, passages=[ULM])) == {"skc": 0.0}
    assert SKC().score(*worked("x", text="[1] On the Danube.", claims=claims, passages=[ULM])) == {"skc": 0.0}


def test_a_mark_is_in_its_place_only_if_fragment_and_passage_both_say_the_answer():
    claims = [
        claimed("Which river is Ulm on?", "the Danube", quoted(1, ULM)),
        claimed("Which river is Bonn on?", "the Danube", quoted(2, BONN)),
        claimed("Who was born in Bonn?", "Beethoven", quoted(3, BONN)),
    ]
    text = "Ulm is on the Danube [1], as is Bonn by the Danube [2], where Einstein was born [3]."
    assert AmpAuto().score(*worked("x", text=text, claims=claims, passages=[ULM, BONN]))["amp_auto"] == pytest.approx(1 / 3)


def test_a_fragment_that_says_the_answer_in_other_words_counts_from_alpha_up():
    claims = [claimed("What of Ulm?", "Einstein was born there", quoted(1, ULM))]
    asked = worked("x", text="It is where Einstein was born [1].", claims=claims, passages=[ULM])
    assert AmpAuto().score(*asked) == {"amp_auto": 1.0}
    assert AmpAuto(alpha=0.9).score(*asked) == {"amp_auto": 0.0}


def test_a_long_answer_is_borne_out_by_a_passage_that_says_much_of_it():
    claims = [claimed("What of Ulm?", "Ulm is on the Danube, Einstein was born there", quoted(1, ULM))]
    text = "Ulm is on the Danube, Einstein was born there [1]."
    assert AmpAuto().score(*worked("x", text=text, claims=claims, passages=[ULM], form="long")) == {"amp_auto": 1.0}
    assert AmpAuto().score(*worked("x", text=text, claims=claims, passages=[ULM])) == {"amp_auto": 0.0}


def test_an_answer_without_marks_has_no_amp_and_one_that_nobody_read_no_confident_citations():
    assert AmpAuto().score(*worked("Ulm", passages=[ULM])) == {}


def test_the_share_of_citations_that_the_reader_was_sure_of():
    claims = [claimed("Which river?", "the Danube", quoted(1, ULM)), claimed("Who?", "Beethoven", quoted(2, BONN))]
    reads = [("Which river?", "ulm", 1.6), ("Who?", "bonn", 1.5), ("Other?", "ulm", 9.0)]
    found = worked("x", claims=claims, passages=[ULM, BONN], reads=reads)
    assert AmpAuto(theta=1.5).score(*found) == {"confident_citations": 0.5}
    assert AmpAuto().score(*found) == {}  # no threshold is known on this reader's scale


@pytest.mark.parametrize(("theta", "share"), [(None, 1.0), (3.5, 0.0)])
async def test_the_reader_was_sure_by_the_threshold_that_the_record_names(theta, share):
    query, passage = "Which river is Ulm on?", Passage("ulm", "Ulm lies on the Danube.")
    bench = Bench(
        [chain((query, "the Danube")), "[Final Content]: So the final answer is the Danube."],
        {query: passage},
        {query: ("the Danube", 3.0)},
    )
    record = await bench.ask("Which river?", theta=theta)
    found = AmpAuto().score(record, Example(record.question, Gold(("the Danube",))))
    assert found.get("confident_citations") == share


# -- citations -------------------------------------------------------------------------------------------------------------


def test_precision_is_over_citations_and_recall_over_claims():
    claims = [
        claimed("Which river is Ulm on?", "the Danube", quoted(1, ULM, "Ulm lies on the Danube."), quoted(2, BONN)),
        claimed("Who was born there?", "Goethe", quoted(3, ULM)),
        claimed("Who built it?", "Jon Vale"),
        claimed("Nothing?", ""),
    ]
    found = Citations().score(*worked("x", claims=claims, passages=[ULM, BONN]))
    assert found == {"citation_precision": 1 / 3, "citation_recall": 1 / 3, "citations_undecided": 0.0}


def test_of_a_yes_or_no_its_words_say_nothing_so_it_is_left_out_and_counted():
    claims = [claimed("Is it old?", "Yes", quoted(1, ULM)), claimed("Which river?", "the Danube", quoted(2, ULM))]
    found = Citations().score(*worked("x", claims=claims, passages=[ULM]))
    assert found == {"citation_precision": 1.0, "citation_recall": 1.0, "citations_undecided": 0.5}
    assert Citations().score(*worked("x", claims=claims[:1], passages=[ULM])) == {"citations_undecided": 1.0}


def test_claims_without_any_citation_have_recall_0_and_no_precision_and_no_claim_is_no_data():
    assert Citations().score(*worked("x", claims=[claimed("Who?", "Jon Vale")])) == {"citation_recall": 0.0}
    assert Citations().score(*worked("x")) == {}


def judged(tmp_path, *judgements):
    path = tmp_path / "judgements.jsonl"
    path.write_text("".join(f"{one.to_json()}\n" for one in judgements), encoding="utf-8")
    return Citations(by="judge", judgements=str(path))


CLAIMS = [
    claimed("Is it old?", "Yes", quoted(1, ULM)),
    claimed("Which river?", "the Danube", quoted(2, ULM), quoted(3, BONN)),
]
PAIRS = [CitedClaim(claim.query, claim.text, citation.quote) for claim in CLAIMS for citation in claim.citations]
ASKED = worked("x", claims=CLAIMS, passages=[ULM, BONN])


def test_a_judges_verdicts_count_as_they_stand_in_the_file(tmp_path):
    metric = judged(
        tmp_path, *(Judgement(pair, entails, "j") for pair, entails in zip(PAIRS, (True, False, False), strict=True))
    )
    assert metric.score(*ASKED) == {"citation_precision": 1 / 3, "citation_recall": 0.5, "citations_undecided": 0.0}


def test_a_pair_that_the_judge_failed_on_is_left_out_and_counted(tmp_path):
    metric = judged(tmp_path, *(Judgement(pair, entails, "j") for pair, entails in zip(PAIRS, (None, True, None), strict=True)))
    assert metric.score(*ASKED) == {"citation_precision": 1.0, "citation_recall": 1.0, "citations_undecided": 2 / 3}


def test_a_missing_verdict_or_file_is_a_named_failure_and_no_model_is_asked(tmp_path):
    with pytest.raises(DataError, match="has no verdict on the claim 'Yes'; run: hopweave judge RUN"):
        judged(tmp_path).score(*ASKED)
    with pytest.raises(DataError, match="no verdicts are given"):
        Citations(by="judge").score(*ASKED)
    with pytest.raises(DataError, match="cannot read the verdicts"):
        Citations(by="judge", judgements=str(tmp_path / "none.jsonl")).score(*ASKED)


@pytest.mark.parametrize("change", [{"claim": "the Rhine"}, {"entails": 1}, {"key": "0"}, {"quote": 3}, {"entails": "yes"}])
def test_a_verdict_that_was_altered_is_refused_with_its_line(tmp_path, change):
    row = {**json.loads(Judgement(PAIRS[0], True, "j").to_json()), **change}
    path = tmp_path / "judgements.jsonl"
    path.write_text(f"{Judgement(PAIRS[1], True, 'j').to_json()}\n{json.dumps(row)}\n")
    with pytest.raises(DataError, match=r"judgements\.jsonl, line 2 was altered"):
        read_judgements(path)


@pytest.mark.parametrize("line", ["{", "[]", "{}", "3"])
def test_a_line_that_is_no_verdict_is_refused(tmp_path, line):
    path = tmp_path / "judgements.jsonl"
    path.write_text(line)
    with pytest.raises(DataError, match="line 1 is not a verdict"):
        read_judgements(path)


def test_words_are_compared_normalised_and_whole():
    assert entails_by_words(CitedClaim("", "The DANUBE!", "on the Danube.")) is True
    assert entails_by_words(CitedClaim("", "Dan", "on the Danube.")) is False
    assert entails_by_words(CitedClaim("", "no", "on the Danube.")) is None
