"""An answer stands the same at every door: with a tick, found and not certain, or withheld, and with its confidence."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from support.calibrations import calibration_file
from support.commands import ran
from support.served_app import CHAT, PASSAGES, QUESTION, RULES, app_over, client_of

from hopweave.apps.cited import verdict_values
from hopweave.apps.mcp_server.replies import ask_reply
from hopweave.apps.server.answer_citations import cited
from hopweave.apps.server.reports import cause_of
from hopweave.core.types import Column, Passage, Question
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.models.llms.scripted import Rule, Scripted
from hopweave.record import Record
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.run.weaver import Weaver
from hopweave.show.browser import support_summary
from hopweave.show.outline import make_outline
from hopweave.show.record_html import draw_page
from hopweave.show.terminal import draw_record

pytestmark = pytest.mark.usefixtures("own_folders")
LLM = Scripted(RULES)
TICK, DOUBT = 0.93, 0.61
THRESHOLD = 0.8


@pytest.fixture
def answered(tmp_path):
    """Answers the question with a given confidence."""
    BM25.build(tmp_path / "light", list(PASSAGES[:1]))

    def answer(confidence: float, **settings) -> Record:
        path = calibration_file(tmp_path / "c.json", confidence, THRESHOLD, llm=LLM.identity)
        chosen = {"method": "direct_retrieval", "corpus": str(tmp_path / "light"), "calibration": path, **settings}

        async def asked() -> Record:
            async with Weaver(chosen, llm=LLM) as weaver:
                return await weaver.answer(Question("q", QUESTION))

        return asyncio.run(asked())

    return answer


def terminal(record: Record) -> str:
    console = Console(file=StringIO(), width=100)
    console.print(draw_record(record))
    return console.file.getvalue()


def test_an_answer_with_a_tick_has_one_everywhere(answered):
    record = answered(TICK)
    said = "✓ The answer rests on a passage: confidence 0.93; 1 of 1 claim rests on a passage."
    assert said in terminal(record)
    assert "the probability, 0 to 1, that the answer is right" in terminal(record)
    assert "✓ The answer rests on a passage</strong>: confidence 0.93; 1 of 1" in draw_page(record)
    assert "A passage supports it, confidence 0.93." in record._repr_html_()
    assert "(A passage supports it, confidence 0.93.)" in cited(record, "").text
    assert verdict_values(record.answer.verdict) == {"support": "supported", "standing": "supported", "confidence": 0.93}


def test_an_answer_that_is_found_and_not_certain_is_so_everywhere(answered):
    record = answered(DOUBT)
    assert "◐ Found in a passage, not certain: confidence 0.61; 1 of 1 claim rests on a passage." in terminal(record)
    assert "◐ uncertain  it is supported, but not certain" in " ".join(terminal(record).split()).replace("n it", "n  it")
    assert "◐ Found in a passage, not certain</strong>: confidence 0.61" in draw_page(record)
    assert "Found in a passage, not certain, confidence 0.61." in record._repr_html_()
    assert "(Found in a passage, not certain, confidence 0.61.)" in cited(record, "").text
    reply = ask_reply(record, record.answer, "light")
    assert (reply.support, reply.standing, reply.confidence) == ("supported", "uncertain", DOUBT)
    banner = support_summary(record)["banner"]
    assert (banner["standing"], banner["sign"], banner["tone"]) == ("uncertain", "◐", "warn")
    value = Column("right", high=1.0)
    assert cause_of(record, 0.0, value) == "wrong, found in a passage, not certain"


def test_without_a_calibration_nothing_is_said_of_confidence(answered):
    record = answered(TICK, calibration="off")
    for said in (terminal(record), draw_page(record), record._repr_html_(), cited(record, "").text):
        assert "confidence 0." not in said
        assert "not certain" not in said
    assert ask_reply(record, record.answer, "light").standing == "supported"


def test_an_answer_that_is_not_certain_enough_is_withheld_with_what_was_found_everywhere(answered):
    record = answered(DOUBT, min_confidence=0.7)
    found = "The answer that was reached is not certain enough. What was found:"
    assert f"{found} {QUESTION} Ines Halloran [1]." in " ".join(terminal(record).split())
    assert "withheld  Ines Halloran  ◐ uncertain" in terminal(record)
    for said in (draw_page(record), record._repr_html_(), cited(record, "").text, ask_reply(record, record.answer, "").text):
        assert found in said
    assert "supports it" not in cited(record, "").text
    [withheld] = [node for node, _ in make_outline(record).walk() if node.label == "withheld"]
    assert withheld.confidence is None  # which is a reader's f


def test_a_server_says_so_in_its_answers_lists_and_chats(tmp_path):
    path = calibration_file(tmp_path / "c.json", DOUBT, THRESHOLD, llm=LLM.identity)
    with client_of(app_over(tmp_path, LLM, settings={"calibration": path})) as client:
        made = client.post("/v1/answers", json={"question": QUESTION})
        assert str(tmp_path) not in made.text
        verdict = made.json()["record"]["answer"]["verdict"]
        assert (verdict["confidence"], verdict["threshold"]) == (DOUBT, THRESHOLD)
        [entry] = client.get("/v1/answers").json()["answers"]
        assert (entry["support"], entry["standing"], entry["confidence"]) == ("supported", "uncertain", DOUBT)
        summary = client.get(f"/v1/answers/{entry['id']}/summary").json()
        assert summary["banner"]["headline"] == "Found in a passage, not certain"
        assert client.get("/static/legend.json").json()["signs"]["uncertain"] == "◐"
        assert 'outcome="uncertain"' in client.get("/metrics").text
        chat = client.post("/v1/chat/completions", json=CHAT).json()
        assert "(Found in a passage, not certain, confidence 0.61.)" in chat["choices"][0]["message"]["content"]
        assert (chat["standing"], chat["confidence"]) == ("uncertain", DOUBT)
        options = {"min_confidence": 0.7}
        withheld = client.post("/v1/answers", json={"question": QUESTION, "options": options}).json()["record"]["answer"]
        assert (withheld["short"], withheld["how"]) == ("", "uncertain")
        chat = client.post("/v1/chat/completions", json={**CHAT, "hopweave": options}).json()
        assert "not certain enough. What was found: " in chat["choices"][0]["message"]["content"]
        other = client.post("/v1/answers", json={"question": QUESTION, "method": "direct", "options": options})
        assert other.status_code == 422
        assert "min_confidence = 0.7 needs a calibration for this model with direct" in other.json()["error"]["message"]


def test_an_answer_that_is_not_known_claims_nothing_and_stands_nowhere(tmp_path):
    at_a_loss = Scripted([Rule("", "So the answer is: unknown.")])
    with client_of(app_over(tmp_path, at_a_loss)) as client:
        made = client.post("/v1/answers", json={"question": QUESTION, "method": "direct_retrieval"}).json()
        assert made["record"]["answer"]["short"] == "unknown"
        [entry] = client.get("/v1/answers").json()["answers"]
        assert (entry["short"], entry["standing"]) == ("unknown", None)
        banner = client.get(f"/v1/answers/{entry['id']}/summary").json()["banner"]
        assert (banner["standing"], banner["headline"]) == (None, "The answer was not found")
    rules = tmp_path / "at_a_loss.toml"
    rules.write_text('[[rules]]\nfind = ""\nsay = "So the answer is: unknown."\n')
    chosen = ["--llm", "scripted", "--set", f"llms.scripted.rules_file={rules}", "--corpus", str(tmp_path / "light")]
    ran("ask", QUESTION, *chosen, "--method", "direct_retrieval", "--out", "records.jsonl")
    assert "unsupported" not in ran("show", "records.jsonl", "--list").stdout


def test_a_client_cannot_ask_for_less_than_the_operator_does(tmp_path):
    path = calibration_file(tmp_path / "c.json", DOUBT, THRESHOLD, llm=LLM.identity)
    with client_of(app_over(tmp_path, LLM, settings={"calibration": path, "min_confidence": 0.7})) as client:
        made = client.post("/v1/answers", json={"question": QUESTION, "options": {"min_confidence": 0.1}}).json()
        assert made["record"]["answer"]["how"] == "uncertain"


def test_an_answer_that_reads_differently_once_more_is_found_and_not_certain_at_a_server_whoever_asks_for_the_check(tmp_path):
    checked = Scripted([Rule("If no fact states it", '{"fact": 0, "answer": ""}'), *RULES])
    for settings, options in [({}, {"check": "more"}), ({"check": "more"}, {}), ({"check": "more"}, {"check": "free"})]:
        with client_of(app_over(tmp_path, checked, settings=settings)) as client:
            record = client.post("/v1/answers", json={"question": QUESTION, "options": options}).json()["record"]
            assert (record["answer"]["verdict"]["support"], record["answer"]["verdict"]["agreed"]) == ("supported", False)
            entry = client.get("/v1/answers").json()["answers"][0]
            assert (entry["support"], entry["standing"]) == ("supported", "uncertain")
            chat = client.post("/v1/chat/completions", json={**CHAT, "hopweave": options}).json()
            said = "(Found in a passage, not certain, read once more, the facts gave another answer.)"
            assert said in chat["choices"][0]["message"]["content"]
            plain = client.post("/v1/answers", json={"question": QUESTION}).json()["record"]["answer"]["verdict"]
            assert ("agreed" in plain) == ("check" in settings)


@pytest.fixture
def flags(tmp_path):
    """The options of a command that asks the question with a model from a file of rules, and a calibration for it."""
    BM25.build(tmp_path / "light", list(PASSAGES[:1]))
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rules]]\nfind = ""\nsay = "So the answer is: Ines Halloran."\n')
    llm = Scripted(rules_file=rules)
    path = calibration_file(tmp_path / "c.json", DOUBT, THRESHOLD, llm=llm.identity)
    chosen = ["--llm", "scripted", "--set", f"llms.scripted.rules_file={rules}", "--corpus", str(tmp_path / "light")]
    return [*chosen, "--method", "direct_retrieval", "--calibration", path]


def test_the_command_line_shows_the_standing_and_lists_it(flags):
    said = ran("ask", QUESTION, *flags, "--out", "records.jsonl").stdout
    assert "◐ Found in a passage, not certain: confidence 0.61" in said
    assert "◐ uncertain" in ran("show", "records.jsonl", "--list").stdout


def test_the_command_line_withholds_what_is_not_certain_enough_and_says_so(flags):
    result = ran("ask", QUESTION, *flags, "--min-confidence", "0.7")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[-2:] == [
        'hopweave: no answer: "Ines Halloran" is withheld, since its confidence is 0.61, '
        "and 0.7 is the least that was asked for",
        "  without --min-confidence it is shown, marked as what it is",
    ]


def test_a_least_confidence_without_a_calibration_for_it_is_one_line(flags):
    refused = ran("ask", QUESTION, *flags, "--method", "direct", "--min-confidence", "0.7")
    assert refused.exit_code == 1
    assert refused.stderr.splitlines()[-1].startswith(
        "hopweave: min_confidence = 0.7 needs a calibration for this model with direct, and it was fitted on answers of "
        "this model with direct_retrieval; make one with: hopweave calibrate"
    )
    assert "min_confidence" in ran("ask", QUESTION, *flags, "--min-confidence", "1.7").stderr


def test_a_run_is_estimated_without_confidence_and_its_records_have_it(flags):
    Path("q.jsonl").write_text(
        '{"id": "1", "question": "Who designed the light of Carrow Head?", "answers": ["Ines Halloran"]}\n'
    )
    given = [flag for flag in flags if flag not in ("--method", "direct_retrieval")]
    asked = ["evaluate", "--dataset", "jsonl", "--path", "q.jsonl", "--methods", "direct_retrieval", "--out", "run", *given]
    assert "1 calls" in ran(*asked, "--min-confidence", "0.7", "--dry-run", exit_code=0).stdout
    ran(*asked, exit_code=0)
    [record] = RunFolder.open(Path("run")).records("jsonl", "direct_retrieval")
    assert record.answer.verdict.standing == "uncertain"
    refused = ran("calibrate", "run", "--out", "c.json")
    assert refused.stderr.startswith("hopweave: answers with which to calibrate: 1; at least 30 are needed")


def test_an_answer_of_an_earlier_version_stands_as_its_support_says(answered):
    record = answered(TICK)
    bare = replace(record.answer.verdict, confidence=None, threshold=None)
    earlier = Record.from_json(replace(record, answer=replace(record.answer, verdict=bare)).to_json())
    assert earlier.answer.verdict.standing == "supported"


def test_why_an_answer_has_no_tick_is_told_with_the_rule_that_found_it_everywhere(tmp_path):
    row = "Release date: 28 Sep 2013; Version: tarn 3.1.0; Date of commit: 31 Aug 2008."
    BM25.build(tmp_path / "tarn", [Passage("row", row, "tarn")])
    llm = Scripted([("", "So the answer is: 31 Aug 2008.")])

    async def asked() -> Record:
        async with Weaver({"method": "direct_retrieval", "corpus": str(tmp_path / "tarn")}, llm=llm) as weaver:
            return await weaver.answer(Question("q", "When was tarn 3.1.0 released?"))

    record = asyncio.run(asked())
    why = "the sentence that has its words does not say what was asked; it is in another column"
    assert f"The passage that is cited does not settle it: {why}" in " ".join(terminal(record).split())
    assert why in draw_page(record)
    assert why in record._repr_html_()
    assert why in cited(record, "").text
    assert [claim.why_not for claim in ask_reply(record, record.answer, "tarn").claims] == [why]
    read = Record.from_json(record.to_json())
    assert [claim.rule for claim in read.answer.claims] == ["it is in another column"]
