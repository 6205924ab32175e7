"""Clients are told what failed and what to do; why, where the model is and what others asked, only the operator is told."""

import json

import pytest
from support.served_app import (
    ASKED_BY,
    KEY,
    OTHER_KEY,
    QUESTION,
    app_over,
    bearer,
    client_of,
    free_port,
    offered,
    settings_over,
)

from hopweave.apps.server.app import create_app
from hopweave.apps.server.callers import Caller, Callers
from hopweave.apps.server.server_settings import KeySettings, hash_of
from hopweave.apps.server.telling import Telling, told_line, without_addresses
from hopweave.core.errors import BudgetReached, MethodError, ModelError, ReadError, SearchError
from hopweave.core.types import Reply, Sampling
from hopweave.models.llms.scripted import Scripted
from hopweave.record import Decision, Record, Search, Timing
from hopweave.record.steps import call_step

SECRET = "cannot reach http://10.0.0.5:8000/v1/private (Connection refused); look at /srv/models"
WHAT_TO_DO = "if it goes on, tell the operator of the server, whose log says why"
KEYS = {"anna": KeySettings(sha256=hash_of(KEY)), "bob": KeySettings(sha256=hash_of(OTHER_KEY))}
WITHOUT_KEYS, WITH_KEY = Caller("local"), Caller("anna", limits=KEYS["anna"])


def failed_call(error, step_id=0, **more):
    return call_step(step_id, None, "answer", (), Sampling(), 0, error, Timing(0.0, 1.0, **more))


@pytest.mark.parametrize(("path", "body"), ASKED_BY)
def test_nobody_but_the_operator_is_told_where_the_model_is_and_why_it_failed(tmp_path, monkeypatch, caplog, path, body):
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-the-operator")
    at = f"127.0.0.1:{free_port()}"
    endpoint = {"openai_compatible": {"model": "m1", "base_url": f"http://{at}/v1/private"}}
    app = create_app(offered(tmp_path, keys=KEYS), settings_over(tmp_path, llm="openai_compatible", llms=endpoint))
    with client_of(app, KEY) as client:
        sent = [client.post(path, json=body).text]
        [entry] = client.get("/v1/answers").json()["answers"]
        one = f"/v1/answers/{entry['id']}"
        views = [f"{one}/summary", *(f"{one}/export?as={view}" for view in ("html", "mermaid", "json"))]
        sent += [client.get(place).text for place in ("/v1/answers", one, *views)]
        setup = client.get(one).json()["record"]["setup"]
    for text in sent:
        assert at not in text
        assert "private" not in text
        assert "refused" not in text
    assert WHAT_TO_DO in sent[0]
    assert setup["llm"] == "chat:m1"
    assert f"in the question of the answer {entry['id']}: the language model failed: cannot reach http://{at}" in caplog.text


def test_a_kept_answer_whose_model_has_an_address_is_asked_again_with_changes(tmp_path):
    class Elsewhere(Scripted):
        @property
        def identity(self):
            return "chat:http://10.0.0.5:8000/v1/private:m1"

    llm = Elsewhere([("", "So the answer is: Ines Halloran.")])
    with client_of(app_over(tmp_path, llm, keys=KEYS), KEY) as client:
        made = client.post("/v1/answers", json={"question": QUESTION}).json()
        search = next(step["id"] for step in made["record"]["steps"] if step["kind"] == "search")
        changes = [{"change": "forbid", "step": search, "passage": "carrow"}]
        changed = client.post("/v1/answers", json={"of": made["id"], "changes": changes}).json()
        summary = client.get(f"/v1/answers/{made['id']}/summary").json()
    assert made["record"]["setup"]["llm"] == changed["record"]["setup"]["llm"] == "chat:m1"
    assert changed["record"]["branch"]["of"] == summary["fingerprint"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ModelError(SECRET), f"the language model failed: {WHAT_TO_DO}"),
        (SearchError(SECRET), f"the search failed: {WHAT_TO_DO}"),
        (ReadError(SECRET), f"reading the passages failed: {WHAT_TO_DO}"),
        (MethodError(SECRET), f"the method broke; {WHAT_TO_DO}"),
        (BudgetReached("max_tokens", 5), "max_tokens = 5 reached"),
    ],
)
def test_each_failure_says_what_failed_and_what_to_do(error, said):
    told = Telling(WITHOUT_KEYS).event(failed_call(error))
    assert told.error.kind == type(error).__name__
    assert told.error.in_words == said


def test_the_operator_who_alone_can_ask_is_told_why_it_failed():
    telling, call = Telling(Caller("local", is_operator=True)), failed_call(ModelError(SECRET))
    decision = Decision(1, None, "check", f"not checked: {SECRET}")
    assert [telling.event(one) for one in (call, decision)] == [call, decision]


def test_who_asks_a_server_that_only_this_machine_reaches_is_its_operator_unless_there_are_keys(tmp_path):
    local = offered(tmp_path)
    assert local.is_private
    assert not offered(tmp_path, keys=KEYS).is_private
    assert not local.model_copy(update={"host": "0.0.0.0"}).is_private
    assert Callers({}, is_private=True).find("").is_operator
    assert not Callers(KEYS).find(f"Bearer {KEY}").is_operator


def test_a_decision_that_repeats_the_message_of_a_failure_does_not_pass_it_on():
    telling = Telling(WITHOUT_KEYS)
    telling.event(failed_call(ModelError(SECRET)))
    decision = Decision(1, None, "check", f"not checked: {SECRET}", {"problem": SECRET, "tried": [f"once: {SECRET}", 1]})
    told = telling.event(decision)
    assert told.text == f"not checked: {WHAT_TO_DO}"
    assert told.data == {"problem": WHAT_TO_DO, "tried": [f"once: {WHAT_TO_DO}", 1]}
    assert Telling(WITHOUT_KEYS).event(decision) is decision


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("chat:http://10.0.0.5:8000/v1:qwen2.5:7b+thinking=low", "chat:qwen2.5:7b+thinking=low"),
        ("completion:https://models.example:org/model-8b", "completion:org/model-8b"),
        ("chat:http://[::1]:8080/v1:m", "chat:m"),
        ("reranked endpoint(m) over dense at http://10.0.0.5/v1 corpus=12", "reranked endpoint(m) over dense at  corpus=12"),
        ("gguf:sha256:12ab", "gguf:sha256:12ab"),
        ("weave depth=2 set_choice=True", "weave depth=2 set_choice=True"),
    ],
)
def test_an_identity_is_told_without_its_addresses(text, left):
    assert without_addresses(text) == left


def stored_replies(record):
    return [step["timing"] for step in record["steps"] if step["kind"] == "model_call"]


def test_a_key_is_not_told_that_another_one_asked_the_same(tmp_path):
    rules = [("", "The light was designed by Ines Halloran.\nSo the answer is: Ines Halloran.")]
    with client_of(app_over(tmp_path, Scripted(rules), keys=KEYS)) as client:
        kept = {}
        for key in (KEY, OTHER_KEY):
            headers = bearer(key)
            streamed = client.post("/v1/answers", json={"question": QUESTION, "stream": True, "drawing": True}, headers=headers)
            assert '"from_store":true' not in streamed.text
            [entry] = client.get("/v1/answers", headers=headers).json()["answers"]
            assert entry["is_replayed"] is False
            kept[key] = client.get(f"/v1/answers/{entry['id']}", headers=headers).json()["record"]
            drawn = client.get(f"/v1/answers/{entry['id']}/summary", headers=headers).json()["drawing"]["with_calls"]
            assert not any(node["from_store"] for node in drawn)
    own, others = map(stored_replies, kept.values())
    assert [one["from_store"] for one in own + others] == [False, False]
    on_disk = [path.read_text() for path in (tmp_path / "answers" / "bob").rglob("*") if path.is_file()]
    assert any('"from_store":true' in text for text in on_disk), "so that the operator can tell"


def test_a_server_without_keys_tells_which_replies_came_from_the_store(tmp_path):
    rules = [("", "The light was designed by Ines Halloran.\nSo the answer is: Ines Halloran.")]
    with client_of(app_over(tmp_path, Scripted(rules))) as client:
        made = [client.post("/v1/answers", json={"question": QUESTION}).json()["record"] for _ in range(2)]
    assert [one["from_store"] for record in made for one in stored_replies(record)] == [False, True]


def test_calls_that_were_merged_with_those_of_others_are_not_told_of_either():
    reply = Reply("Ines Halloran")
    call = call_step(0, None, "answer", (), Sampling(), 0, reply, Timing(0.0, 1.0, is_merged=True))
    search = Search(1, None, ("light",), 5, ((),), None, Timing(0.0, 1.0, from_store=True))
    assert [Telling(WITH_KEY).event(one).timing for one in (call, search)] == [Timing(0.0, 1.0)] * 2
    assert [Telling(WITHOUT_KEYS).event(one) for one in (call, search)] == [call, search]


def test_a_record_with_nothing_to_withhold_is_passed_on_as_it_was_kept(tmp_path):
    with client_of(app_over(tmp_path, keys=KEYS), KEY) as client:
        made = client.post("/v1/answers", json={"question": QUESTION}).json()["record"]
    line = json.dumps(made)
    assert told_line(WITH_KEY, line) is line
    record = Record.from_json(line)
    assert Telling(WITH_KEY).record(record) is record


def test_the_values_that_a_client_filters_by_stay_as_they_were_given(tmp_path):
    with client_of(app_over(tmp_path), KEY) as client:
        body = {"question": QUESTION, "filter": {"place": "http://a.example/b"}}
        setup = client.post("/v1/answers", json=body).json()["record"]["setup"]
    assert setup["settings"]["where"] == {"place": ["http://a.example/b"]}


def test_a_failure_without_a_message_changes_no_decision():
    telling = Telling(WITHOUT_KEYS)
    telling.event(failed_call(ModelError("")))
    decision = Decision(1, None, "plan", "two steps")
    assert telling.event(decision) == decision
