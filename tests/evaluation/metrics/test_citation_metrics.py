"""Marks, citations and claims: what vouches for what."""

import json
from dataclasses import replace

import pytest
from support.bench import Bench, chain
from support.worked import claimed, quoted, worked

from hopweave.citations.entailment import CitedClaim, Judgement, entails_by_words, read_judgements
from hopweave.citations.fragments import fragments
from hopweave.citations.marking import abstention
from hopweave.core.errors import DataError
from hopweave.core.types import Example, Gold, Passage, Question
from hopweave.evaluation.metrics.amp_auto import AmpAuto
from hopweave.evaluation.metrics.citations import Citations
from hopweave.evaluation.metrics.skc import SKC

ULM = Passage("ulm", "Ulm lies on the Danube. Einstein was born there.", "Ulm")
BONN = Passage("bonn", "Bonn lies on the Rhine. Beethoven was born there.", "Bonn")


def wrote(text, claims=(), **more):
    """A record in which the model wrote the text of the answer, marks included, and an example."""
    return worked("x", text=text, claims=claims, calls=[("Write the final content.", text)], **more)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is Ulm [1].", [("It is Ulm", 1)]),
        ("It is Ulm. [1] It is old. [2]", [("It is Ulm.", 1), ("It is old.", 2)]),
        ("It is Ulm.[1] It is old.[2]", [("It is Ulm.", 1), ("It is old.", 2)]),
        ("Ulm [1] is on the Danube [2].", [("Ulm", 1), ("is on the Danube", 2)]),
        ("Ulm [1][2], on the Danube [1, 2].", [("Ulm", 1), ("Ulm", 2), (", on the Danube", 1), (", on the Danube", 2)]),
        ("It is Ulm [1]. It is Ulm [1].", [("It is Ulm", 1), ("It is Ulm", 1)]),
        ("Ulm [1-3].", [("Ulm", 1), ("Ulm", 2), ("Ulm", 3)]),
        ("No mark. It is Ulm [1].", [("It is Ulm", 1)]),
        ("[1] It is Ulm.", [("", 1)]),
        ("It is Ulm [1]. [2]", [("It is Ulm", 1), ("It is Ulm", 2)]),
        ("It is Ulm [7].", [("It is Ulm", 7)]),
        ("It is Ulm.", []),
        ("", []),
    ],
)
def test_a_mark_vouches_for_the_words_back_to_the_mark_or_sentence_before_it(text, expected):
    assert [(fragment.text, fragment.mark) for fragment in fragments(text)] == expected


def test_skc_counts_fragments_and_is_0_for_an_answer_without_marks():
    claims = [claimed("Which river?", "the Danube", quoted(1, ULM))]
    assert SKC().score(*wrote("On the Danube [1]. [1]", claims, passages=[ULM])) == {"skc": 1.0}
    assert SKC().score(*wrote("On the Danube.", claims, passages=[ULM])) == {"skc": 0.0}
    assert SKC().score(*wrote("[1] On the Danube.", claims, passages=[ULM])) == {"skc": 0.0}


def test_a_mark_is_in_its_place_only_if_fragment_and_passage_both_say_the_answer():
    claims = [
        claimed("Which river is Ulm on?", "the Danube", quoted(1, ULM)),
        claimed("Which river is Bonn on?", "the Danube", quoted(2, BONN)),
        claimed("Who was born in Bonn?", "Beethoven", quoted(3, BONN)),
    ]
    text = "Ulm is on the Danube [1], as is Bonn by the Danube [2], where Einstein was born [3]."
    assert AmpAuto().score(*wrote(text, claims, passages=[ULM, BONN]))["amp_auto"] == pytest.approx(1 / 3)


def test_a_fragment_that_says_the_answer_in_other_words_counts_from_alpha_up():
    claims = [claimed("What of Ulm?", "Einstein was born there", quoted(1, ULM))]
    asked = wrote("It is where Einstein was born [1].", claims, passages=[ULM])
    assert AmpAuto().score(*asked) == {"amp_auto": 1.0, "marks_taken_out": 0.0}
    assert AmpAuto(alpha=0.9).score(*asked) == {"amp_auto": 0.0, "marks_taken_out": 0.0}


def test_a_long_answer_is_borne_out_by_a_passage_that_says_much_of_it():
    claims = [claimed("What of Ulm?", "Ulm is on the Danube, Einstein was born there", quoted(1, ULM))]
    text = "Ulm is on the Danube, Einstein was born there [1]."
    assert AmpAuto().score(*wrote(text, claims, passages=[ULM], form="long"))["amp_auto"] == 1.0
    assert AmpAuto().score(*wrote(text, claims, passages=[ULM]))["amp_auto"] == 0.0


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


# -- the marks that the model wrote ----------------------------------------------------------------------------------------

ASKED_OF = {
    "Who performs Paper Lanterns?": (Passage("lanterns", "Paper Lanterns is by Mira Solberg."), "Mira Solberg"),
    "Where was Mira Solberg born?": (Passage("solberg", "Mira Solberg was born in Tromvik.", "Mira Solberg"), "Tromvik"),
    "From where do ferries leave in Tromvik?": (Passage("pier", "All ferries of Tromvik leave from Old Pier."), "Old Pier"),
}


async def traced(said, **options):
    """SearChain on a chain of three verified nodes; the model's final content is what is said."""
    written = chain(*((query, answer) for query, (_, answer) in ASKED_OF.items()))
    found = {query: passage for query, (passage, _) in ASKED_OF.items()}
    bench = Bench([written, said], found, {query: (answer, 9.0) for query, (_, answer) in ASKED_OF.items()})
    return await bench.ask("From where do the ferries leave in the birthplace of the performer?", **options)


def content(*marks):
    first, second, third = marks
    return (
        f"[Final Content]: Paper Lanterns is by Mira Solberg{first}. Mira Solberg was born in Tromvik{second}. "
        f"Ferries of Tromvik leave from Old Pier{third}. So the final answer is Old Pier."
    )


def marks_of(record):
    example = Example(record.question, Gold(("Old Pier",)))
    found = {**SKC().score(record, example), **AmpAuto().score(record, example)}
    return found["skc"], found.get("amp_auto"), found.get("marks_taken_out")


@pytest.mark.parametrize("add_missing_marks", [False, True])
@pytest.mark.parametrize(
    ("marks", "skc", "amp", "num_taken_out"),
    [
        ((" [1]", " [2]", " [3]"), 3.0, 1.0, 0.0),
        ((" [2]", " [3]", " [1]"), 3.0, 0.0, 3.0),
        ((" [2]", " [1]", " [3]"), 3.0, 1 / 3, 2.0),
        ((" [1, 3]", " [2]", ""), 3.0, 2 / 3, 1.0),
        ((" [1]", "", ""), 1.0, 1.0, 0.0),
        ((" [9]", " [2]", " [12]"), 1.0, 1 / 3, 2.0),
        ((" [7]", " [8]", " [9]"), 0.0, 0.0, 3.0),
        (("", "", ""), 0.0, None, None),
    ],
)
async def test_marks_count_as_the_model_wrote_them_and_those_taken_out_are_wrong(
    marks, skc, amp, num_taken_out, add_missing_marks
):
    record = await traced(content(*marks), add_missing_marks=add_missing_marks)
    assert marks_of(record) == (skc, None if amp is None else pytest.approx(amp), num_taken_out)


@pytest.mark.parametrize("extra", [" [1]", " [3, 2]", " [9]", "[7-9]"])
async def test_a_mark_in_a_wrong_place_never_raises_amp(extra):
    right = await traced(content(" [1]", " [2]", " [3]"))
    wrong = await traced(content(" [1]", " [2]", " [3]").replace("So the final", f"Nobody knows why{extra}. So the final"))
    assert marks_of(wrong)[1] < marks_of(right)[1] == 1.0


async def test_marks_of_a_text_that_hopweave_composed_are_not_the_models():
    record = await traced("unused", budget={"max_llm_calls": 1})
    assert "[3]" in record.answer.text
    assert marks_of(record) == (0.0, None, None)


@pytest.mark.parametrize("said", ["Old Pier [1].", "Old Pier [4] [1]. So the final answer is Old Pier [2]."])
async def test_a_model_that_was_given_no_numbers_marks_nothing_and_what_it_wrote_is_wrong(said):
    pier, _ = ASKED_OF["From where do ferries leave in Tromvik?"]
    record = await Bench([said], {"Where from?": [pier]}).ask(Question("q", "Where from?"), "direct_retrieval")
    assert record.answer.citations
    assert marks_of(record) == (0.0, 0.0, float(said.count("[")))


def test_marks_taken_out_of_a_text_that_was_put_together_from_replies_are_wrong_too():
    calls = [("p", "She is from Ulm [2]."), ("p", "It is on the Danube [1].")]
    record, example = worked("x", text="She is from Ulm, and it is on the Danube.", calls=calls, passages=[ULM])
    asked = replace(record, answer=replace(record.answer, num_marks_removed=2))
    assert AmpAuto().score(asked, example) == {"amp_auto": 0.0, "marks_taken_out": 2.0}


async def test_of_an_answer_that_was_withheld_no_mark_is_judged():
    record = await traced(content(" [2]", " [3]", " [1]"))
    asked = replace(record, answer=abstention(record.answer))
    assert marks_of(asked) == (0.0, None, None)


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
