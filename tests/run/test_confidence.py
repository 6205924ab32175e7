"""The confidence of answers as settings ask for it: applied, shown, and withheld below a bound."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.calibrations import calibration

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.types import Passage, Question, Verdict
from hopweave.models.llms.scripted import Scripted
from hopweave.record import Decision, Record
from hopweave.run.weaver import Weaver, ask
from hopweave.show.legend import banner_of
from hopweave.show.no_answer import why_no_answer

pytestmark = pytest.mark.usefixtures("own_folders")
ASKED = "Where was Ida Renn born?"
SAID = Scripted([("", "So the answer is: Tromvik.")])
RENN = Passage("renn", "Ida Renn was born in Tromvik in 1902.", "Ida Renn")


@pytest.fixture
def written(tmp_path):
    def write(confidence=0.5, threshold=0.5, llm=SAID.identity, methods=("direct_retrieval",)):
        path = tmp_path / "c.json"
        path.write_text(calibration(confidence, threshold, llm=llm, methods=methods).to_json())
        return str(path)

    return write


def asked(**settings):
    from hopweave.core.catalog import load

    load("retrievers", "bm25").build(Path("index"), [RENN])
    return ask(ASKED, llm=SAID, corpus="index", retriever="bm25", **{"method": "direct_retrieval", **settings})


def test_without_a_calibration_a_verdict_has_no_confidence_and_its_json_is_as_before():
    record = asked()
    assert record.answer.verdict.confidence is None
    assert record.answer.verdict.has_tick
    assert '"confidence"' not in record.to_json()


def test_confidence_is_applied_kept_and_read_back(written):
    record = asked(calibration=written(confidence=0.7311))
    assert record.answer.verdict.confidence == pytest.approx(0.7311, abs=1e-4)
    assert record.answer.verdict.has_tick
    assert Record.from_json(record.to_json()) == record
    assert banner_of(record.answer).counts.startswith("confidence 0.73; ")


def test_an_explanation_has_no_confidence_since_calibrations_are_fitted_on_short_answers(written):
    asked()
    question = Question("q", ASKED, "long")
    more = {"llm": SAID, "corpus": "index", "retriever": "bm25", "method": "direct_retrieval", "calibration": written()}
    assert ask(question, **more).answer.verdict.confidence is None
    assert ask(ASKED, **more).answer.verdict.confidence is not None


def test_below_the_threshold_an_answer_that_is_borne_out_is_found_and_not_certain(written):
    record = asked(calibration=written(confidence=0.2689))
    assert record.answer.verdict.support == "supported"
    assert not record.answer.verdict.has_tick
    assert banner_of(record.answer).headline == "Found in a passage, not certain"


def test_below_the_least_confidence_it_is_withheld_with_what_was_found(written):
    record = asked(calibration=written(confidence=0.2689), min_confidence=0.6)
    assert (record.answer.short, record.answer.stopped_because, record.answer.how) == ("", "uncertain", "uncertain")
    assert "not certain enough" in record.answer.text
    assert "Tromvik" in record.answer.text
    [withheld] = [step for step in record.steps if isinstance(step, Decision) and step.label == "withheld"]
    assert withheld.data["support"] == "uncertain"
    assert withheld.data["confidence"] == pytest.approx(0.2689, abs=1e-4)
    assert why_no_answer(record) == [
        '"Tromvik" is withheld, since its confidence is 0.27, and 0.6 is the least that was asked for',
        "without --min-confidence it is shown, marked as what it is",
    ]
    assert asked(calibration=written(confidence=0.7311), min_confidence=0.6).answer.short == "Tromvik"


def test_a_bound_without_a_calibration_is_refused_with_what_to_do():
    with pytest.raises(SettingsError, match="hopweave calibrate"):
        asked(min_confidence=0.5)
    with pytest.raises(SettingsError, match="hopweave calibrate"):
        asked(min_confidence=0.5, calibration="off")


@pytest.mark.parametrize(
    ("other", "said"),
    [({"llm": "other"}, "the model other with direct_retrieval"), ({"methods": ("stitch", "ircot")}, "stitch and ircot")],
)
def test_a_calibration_of_another_model_or_method_gives_no_confidence_and_says_so_once(other, said, written, caplog):
    path = written(**other)
    assert asked(calibration=path).answer.verdict.confidence is None
    asked(calibration=path)
    [note] = [one.message for one in caplog.records if one.name == "hopweave.run.calibration"]
    assert f"answers get no confidence from {path}, since it was fitted on answers of" in note
    assert said in note
    with pytest.raises(SettingsError, match=f"{said}; make one with: hopweave calibrate"):
        asked(calibration=path, min_confidence=0.5)


async def test_a_method_put_in_place_of_the_first_is_not_given_the_confidence_of_that_one(written):
    from hopweave.core.catalog import load

    load("retrievers", "bm25").build(Path("index"), [RENN])
    settings = {"calibration": written(confidence=0.7311), "method": "direct_retrieval", "corpus": "index", "retriever": "bm25"}
    async with Weaver(settings, llm=SAID) as weaver:
        assert (await weaver.answer(ASKED)).answer.verdict.confidence is not None
        weaver.method = load("methods", "direct")()
        assert (await weaver.answer(ASKED)).answer.verdict.confidence is None


def test_a_record_names_the_file_of_its_calibration_and_not_its_place(written):
    path = written()
    assert asked(calibration=path).setup.settings["calibration"] == Path(path).name == "c.json"


def test_a_file_that_is_no_calibration_is_an_error():
    Path("no.json").write_text("{}")
    with pytest.raises(DataError, match="no calibration"):
        asked(calibration="no.json")


def test_a_confidence_that_is_no_probability_is_an_altered_record(written):
    record = asked(calibration=written())
    altered = replace(record, answer=replace(record.answer, verdict=replace(record.answer.verdict, confidence=1.5)))
    with pytest.raises(DataError, match="no probability"):
        Record.from_json(altered.to_json())


@pytest.mark.parametrize(
    ("verdict", "has_tick"),
    [
        (Verdict("supported"), True),
        (Verdict("supported", confidence=0.8, threshold=0.7), True),
        (Verdict("supported", confidence=0.6, threshold=0.7), False),
        (Verdict("unsupported", confidence=0.9, threshold=0.7), False),
    ],
)
def test_a_tick_needs_support_and_confidence(verdict, has_tick):
    assert verdict.has_tick is has_tick
    assert verdict.standing == ("supported" if has_tick else "uncertain" if verdict.support == "supported" else "unsupported")
