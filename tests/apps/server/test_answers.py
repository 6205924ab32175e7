"""Answers over HTTP: whole or as they happen, kept, and cancelled with their client."""

import asyncio
import json
import socket

import httpx
import pytest
from support.served_app import (
    ASKED_BY,
    FOLLOW_UP,
    KEY,
    OTHER_KEY,
    QUESTION,
    WHOLE,
    app_over,
    bearer,
    client_of,
    keys,
    listening,
    offered,
    settings_over,
    wait_for,
)
from support.tiers import first_of

from hopweave.apps.server.app import create_app
from hopweave.apps.server.following import followed
from hopweave.models.llms.scripted import Line, Scripted
from hopweave.record import Record


def events(text):
    """The names and data of server-sent events."""
    blocks = [block.split("\n") for block in text.strip().split("\n\n") if not block.startswith(":")]
    return [(lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))) for lines in blocks]


def test_a_question_is_answered_with_a_record_that_is_kept_and_can_be_read_back(client, tmp_path):
    reply = client.post("/v1/answers", json={"question": QUESTION})
    assert reply.status_code == 200
    made = reply.json()
    record = Record.from_json(json.dumps(made["record"]))
    assert record.answer.short == "Ines Halloran"
    assert record.answer.citations[0].passage_id == "carrow"
    assert record.setup.method == "direct_retrieval"
    assert str(tmp_path) not in reply.text  # no path of the server is told
    (path,) = (tmp_path / "answers" / "local").glob("*.jsonl")
    assert path.stem == made["id"]
    assert json.loads(Record.from_json(path.read_text()).to_json()) == made["record"]


@pytest.mark.parametrize("how", [{"json": {"stream": True}}, {"headers": {"Accept": "text/event-stream"}}])
def test_the_steps_of_a_question_come_before_its_answer_and_are_those_of_its_record(client, how):
    body = {"question": QUESTION, **how.get("json", {})}
    reply = client.post("/v1/answers", json=body, headers=how.get("headers"))
    kept = client.get(f"/v1/answers/{events(reply.text)[0][1]['id']}").json()
    assert reply.headers["content-type"].startswith("text/event-stream")
    found = events(reply.text)
    said = {"id": kept["id"], "question": QUESTION, "method": "direct_retrieval", "corpus": "light", "usual": None}
    assert found[0] == ("started", said)
    assert found[-1] == ("answer", kept)
    steps = [data for name, data in found if name == "step"]
    assert steps == kept["record"]["steps"]
    begun = [data["id"] for name, data in found if name == "begun"]
    assert begun
    assert set(begun) <= {step["id"] for step in steps}


def test_steps_are_sent_while_the_model_is_still_at_work(tmp_path):
    llm = Scripted([("", Line("So the answer is: x", delay_seconds=30))])
    with listening(app_over(tmp_path, llm)) as address:
        with httpx.stream("POST", f"{address}/v1/answers", json={"question": QUESTION, "stream": True}, timeout=20) as reply:
            read = ""
            for piece in reply.iter_text():
                read += piece
                if '"kind":"search"' in read and "event: begun" in read:
                    break
        assert "event: answer" not in read


def test_a_follow_up_is_made_whole_as_a_step_of_its_trace(client):
    body = {"question": FOLLOW_UP, "earlier": [{"question": QUESTION, "answer": "Ines Halloran"}]}
    record = client.post("/v1/answers", json=body).json()["record"]
    (entry,) = client.get("/v1/answers").json()["answers"]
    assert record["question"]["text"] == WHOLE
    assert next(step["label"] for step in record["steps"] if step["kind"] == "decision") == "rewritten"
    assert record["answer"]["short"] == "Marlow Cross"
    assert (entry["question"], entry["asked"]) == (WHOLE, FOLLOW_UP)


def test_answers_outlive_a_restart_newest_first_and_in_pages(tmp_path):
    server, settings = offered(tmp_path), settings_over(tmp_path)
    with client_of(create_app(server, settings, llm=Scripted([("", "So the answer is: Ines Halloran.")]))) as client:
        made = [client.post("/v1/answers", json={"question": f"{QUESTION} {number}"}).json() for number in range(5)]
    with client_of(create_app(server, settings, llm=Scripted([]))) as client:
        assert client.get(f"/v1/answers/{made[0]['id']}").json() == made[0]
        first = client.get("/v1/answers", params={"limit": 3}).json()
        rest = client.get("/v1/answers", params={"limit": 3, "before": first["next"]}).json()
    found = [*first["answers"], *rest["answers"]]
    assert [entry["id"] for entry in found] == [one["id"] for one in reversed(made)]
    assert (len(first["answers"]), rest["next"]) == (3, None)
    assert {entry["short"] for entry in found} == {"Ines Halloran"}


def test_a_failed_question_is_a_record_with_an_error(tmp_path):
    with client_of(app_over(tmp_path, Scripted([]))) as client:
        reply = client.post("/v1/answers", json={"question": QUESTION})
        streamed = events(client.post("/v1/answers", json={"question": QUESTION, "stream": True}).text)
    assert reply.status_code == 200
    assert reply.json()["record"]["error"]["kind"] == "ModelError"
    assert reply.json()["record"]["answer"] is None
    name, data = streamed[-1]
    assert (name, data["error"]["code"]) == ("failed", "ModelError")
    assert data["record"]["error"]["kind"] == "ModelError"


@pytest.mark.slow
@pytest.mark.parametrize(("path", "body"), ASKED_BY)
def test_a_client_that_goes_away_leaves_no_open_call(tmp_path, path, body):
    llm = Scripted([("", Line("x", stalls=True))])
    app = app_over(tmp_path, llm)
    with listening(app) as address:
        sent = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))) as client:
            client.sendall(head.encode() + sent)
            wait_for(lambda: llm._num_open == 1)
        wait_for(lambda: llm._num_open == 0 and app.state.service._num_running == 0)
        text = httpx.get(f"{address}/metrics").text
        assert 'hopweave_questions_total{corpus="light",method="direct_retrieval",outcome="cancelled"} 1.0' in text
        assert httpx.get(f"{address}/v1/answers").json()["answers"] == []


@pytest.mark.parametrize("num_lines", first_of([1, 8, *range(2, 8)], 2))
def test_a_client_that_goes_away_at_any_event_cancels_its_question(tmp_path, num_lines):
    app = app_over(tmp_path, Scripted([("", Line("x", stalls=True))]))
    with client_of(app) as client:
        with client.stream("POST", "/v1/answers", json={"question": QUESTION, "stream": True}) as running:
            lines = running.iter_lines()
            for _ in range(num_lines):
                next(lines)
        wait_for(lambda: app.state.service._num_running == 0)


async def test_a_cancellation_at_the_moment_of_an_event_is_not_lost():
    class Slow:
        async def work(self, observer):
            self.observer = observer
            await asyncio.Event().wait()

    slow = Slow()
    events = followed(slow.work)
    reading = asyncio.create_task(anext(events))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    slow.observer("event")
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(reading, 10)


@pytest.mark.parametrize("stream", [False, True])
def test_a_kept_answer_is_gone_through_again_with_changes_and_all_before_them_is_replayed(tmp_path, stream):
    llm = Scripted(
        [
            ("Asked now:", json.dumps({"question": QUESTION})),
            ("designed by Ines", "So the answer is: Ines Halloran."),
            ("", "No."),
        ]
    )
    earlier = [{"question": "Which light?", "answer": "Carrow Head"}]
    with client_of(app_over(tmp_path, llm)) as client:
        body = {"question": "Who designed it?", "earlier": earlier, "options": {"max_llm_calls": 5}}
        made = client.post("/v1/answers", json=body).json()
        num_calls = len(llm.calls)
        search = next(step["id"] for step in made["record"]["steps"] if step["kind"] == "search")
        changes = [{"change": "forbid", "step": search, "passage": "carrow"}]
        same = {"question": QUESTION, "method": "direct_retrieval", "corpus": "light"}
        reply = client.post("/v1/answers", json={**same, "of": made["id"], "changes": changes, "stream": stream})
        changed = events(reply.text)[-1][1] if stream else reply.json()
        listed = client.get("/v1/answers").json()["answers"]
    assert "carrow" not in {passage["id"] for passage in changed["record"]["passages"]}
    assert changed["record"]["branch"]["changes"][0]["change"] == "forbid"
    assert changed["record"]["question"]["text"] == QUESTION
    assert len(llm.calls) == num_calls + 1
    assert [(entry["id"], entry["of"]) for entry in listed] == [(changed["id"], made["id"]), (made["id"], None)]


FORBID = {"changes": [{"change": "forbid", "step": 0, "passage": "carrow"}]}


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"changes": []}, 422),
        ({"changes": [{"change": "burn", "step": 0}]}, 422),
        ({"changes": [{"change": "forbid", "step": 10**6, "passage": "carrow"}]}, 422),
        ({"changes": [{"change": "pin", "step": 0, "passage": "none"}]}, 422),
        ({**FORBID, "method": "searchain"}, 422),
        ({**FORBID, "options": {"max_llm_calls": 1}}, 422),
        ({**FORBID, "of": "0" * 12 + "-" + "0" * 16}, 404),
        ({**FORBID, "of": "../usage"}, 404),
        ({**FORBID, "of": None}, 422),
        ({**FORBID, "of": None, "question": QUESTION}, 422),
    ],
)
def test_changes_that_cannot_be_are_refused(lasting_client, more, status):
    made = lasting_client.post("/v1/answers", json={"question": QUESTION}).json()
    assert lasting_client.post("/v1/answers", json={"of": made["id"], **more}).status_code == status


def test_an_answer_belongs_to_the_key_that_asked_and_is_deleted_for_good_by_it_and_by_no_other(tmp_path):
    server, settings = offered(tmp_path, keys=keys()), settings_over(tmp_path)
    with client_of(create_app(server, settings, llm=Scripted([("", "So the answer is: x")])), KEY) as client:
        made, other = (client.post("/v1/answers", json={"question": QUESTION, "corpus": "other"}).json() for _ in range(2))
        place = f"/v1/answers/{made['id']}"
        assert client.get(place, headers=bearer(OTHER_KEY)).status_code == 404
        assert client.get("/v1/answers", headers=bearer(OTHER_KEY)).json()["answers"] == []
        not_theirs = client.delete(place, headers=bearer(OTHER_KEY))
        absent = client.delete("/v1/answers/0123456789ab-0123456789abcdef", headers=bearer(OTHER_KEY))
        assert (not_theirs.status_code, not_theirs.text) == (404, absent.text)
        assert client.delete("/v1/answers/..%2f..%2fstore").status_code == 404
        assert client.get(place).json() == made
        gone = client.delete(place)
        assert (gone.status_code, gone.content) == (204, b"")
        assert client.delete(place).text == client.get(place).text == absent.text
        assert [entry["id"] for entry in client.get("/v1/answers").json()["answers"]] == [other["id"]]
        again = client.post("/v1/answers", json={"of": made["id"], "changes": []})
        assert (again.status_code, again.text) == (404, absent.text)
    assert not list((tmp_path / "answers").rglob(f"*{made['id']}*"))
    with client_of(create_app(server, settings, llm=Scripted([])), KEY) as client:
        assert client.get(place).status_code == 404
        assert client.get(f"/v1/answers/{other['id']}").json() == other


@pytest.mark.slow
def test_answers_are_kept_for_as_many_days_as_the_server_says(tmp_path):
    server, settings = offered(tmp_path), settings_over(tmp_path)
    with client_of(create_app(server, settings, llm=Scripted([("", "So the answer is: x")]))) as client:
        made = client.post("/v1/answers", json={"question": QUESTION}).json()["id"]
    folder = tmp_path / "answers" / "local"
    old = f"{int(made[:12], 16) - 3 * 86_400_000:012x}{made[12:]}"
    for ending in ("json", "jsonl"):
        (folder / f"{old}.{ending}").write_text((folder / f"{made}.{ending}").read_text().replace(made, old))
    for days, there in ((None, [made, old]), (4, [made, old]), (2, [made])):
        kept = server.model_copy(update={"keep_days": days})
        with client_of(create_app(kept, settings, llm=Scripted([]))) as client:
            assert [entry["id"] for entry in client.get("/v1/answers").json()["answers"]] == there
            assert client.get(f"/v1/answers/{old}").status_code == (200 if old in there else 404)
            wait_for(lambda there=there: {path.stem for path in folder.glob("*.json*")} == set(there))


def test_an_answer_is_hidden_once_its_key_lost_the_corpus_or_a_label(tmp_path):
    settings = settings_over(tmp_path)
    server = offered(tmp_path, keys=keys(access=("board",)))
    with client_of(create_app(server, settings, llm=Scripted([("", "So the answer is: 90 pounds.")])), KEY) as client:
        made = client.post("/v1/answers", json={"question": "What is the keeper paid?"}).json()
    assert any(passage["id"] == "pay" for passage in made["record"]["passages"])
    for fewer in (keys(), keys(access=("board",), corpora=("other",))):
        less = server.model_copy(update={"keys": fewer})
        with client_of(create_app(less, settings, llm=Scripted([])), KEY) as client:
            assert client.get(f"/v1/answers/{made['id']}").status_code == 404
            assert client.get("/v1/answers").json()["answers"] == []
