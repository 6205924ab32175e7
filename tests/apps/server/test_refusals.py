"""What is refused: bad keys, large bodies, unknown corpora, what a key may not see, paths, and what strangers may not set."""

import json
import re
import socket
import time

import pytest
from support.served_app import (
    KEY,
    OTHER_KEY,
    QUESTION,
    app_over,
    bearer,
    client_of,
    index_of,
    keys,
    listening,
    offered,
    settings_over,
    wait_for,
)
from support.tiers import first_of

from hopweave.apps.server.app import create_app
from hopweave.apps.server.asking import LIMITS
from hopweave.apps.server.server_settings import Limits, read_server_settings
from hopweave.core.errors import SettingsError
from hopweave.core.types import Passage
from hopweave.models.llms.scripted import Line, Scripted

SECRET = "What is the keeper of the light paid?"


def code_of(reply):
    """The code of an error, whose shape is the same everywhere."""
    error = reply.json()["error"]
    assert set(error) == {"message", "type", "code", "param"}
    assert error["message"]
    return error["code"]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with client_of(app_over(tmp_path_factory.mktemp("refusals"), keys=keys())) as made:
        yield made


PATHS = [
    ("POST", "/v1/answers"),
    ("GET", "/v1/answers"),
    ("GET", "/v1/answers/x"),
    ("DELETE", "/v1/answers/x"),
    ("POST", "/v1/search"),
    ("GET", "/v1/methods"),
    ("GET", "/v1/corpora"),
    ("GET", "/v1/corpora/light/passages/carrow"),
    ("POST", "/v1/chat/completions"),
    ("GET", "/v1/models"),
    ("GET", "/metrics"),
    ("GET", "/anything/else"),
    ("GET", "//v1/answers"),
    ("GET", "/static/../v1/answers"),
]


@pytest.mark.parametrize(("verb", "path"), PATHS)
@pytest.mark.parametrize(
    "header",
    [
        {},
        bearer("wrong-key-0123456789abcdef"),
        {"Authorization": "Bearer"},
        bearer(KEY + "x"),
        bearer(KEY[:-1]),
        {"Authorization": KEY},
        {"Authorization": b"Bearer \xff\xfe"},
    ],
)
def test_without_a_known_key_nothing_is_served(client, verb, path, header):
    reply = client.request(verb, path, headers=header, content=b"{" * 10)
    assert reply.status_code == 401
    assert code_of(reply) == "invalid_api_key"
    assert reply.headers["www-authenticate"] == "Bearer"


def test_health_and_readiness_need_no_key(client):
    assert client.get("/healthz").json() == {"status": "ok", "why": ""}
    assert client.get("/readyz").json()["status"] == "ready"


def test_an_oversized_body_is_refused_announced_or_not_and_nothing_is_asked(tmp_path):
    llm, as_json = Scripted([]), {"Content-Type": "application/json"}
    body = json.dumps({"question": "x" * 2000}).encode()
    with client_of(app_over(tmp_path, llm, limits=Limits(max_body_bytes=1000))) as client:
        for content in (body, iter([body[:500], body[500:]])):
            reply = client.post("/v1/answers", content=content, headers=as_json)
            assert (reply.status_code, code_of(reply)) == (413, "body_too_large")
    assert llm.calls == []


def test_a_body_that_does_not_come_to_an_end_is_refused(tmp_path):

    app = app_over(tmp_path, limits=Limits(max_body_seconds=0.2))
    with listening(app) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=20) as slow:
            slow.sendall(b"POST /v1/answers HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
            assert b" 408 " in slow.recv(10_000)


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("POST", "/v1/answers", {"question": QUESTION, "corpus": "light"}),
        ("POST", "/v1/answers", {"question": QUESTION, "corpus": "none"}),
        ("POST", "/v1/answers", {"question": QUESTION, "corpus": "../light"}),
        ("POST", "/v1/answers", {"question": QUESTION, "corpus": "/etc"}),
        ("POST", "/v1/search", {"query": "light", "corpus": "light"}),
        ("POST", "/v1/search", {"query": "light", "corpus": "none"}),
        ("GET", "/v1/corpora/light/passages/carrow", None),
        ("GET", "/v1/corpora/none/passages/carrow", None),
        ("POST", "/v1/chat/completions", {"model": "direct@light", "messages": [{"role": "user", "content": "x"}]}),
        ("POST", "/v1/chat/completions", {"model": "direct@", "messages": [{"role": "user", "content": "x"}]}),
        ("GET", "/v1/models/direct@light", None),
    ],
)
def test_a_corpus_that_is_not_there_and_one_that_the_key_may_not_see_are_refused_in_the_same_words(client, verb, path, body):
    reply = client.request(verb, path, json=body, headers=bearer(OTHER_KEY))
    assert reply.status_code == 404
    assert code_of(reply) in ("unknown_corpus", "model_not_found")
    assert "may not" not in reply.text


def test_lists_show_a_key_its_own_corpora_alone(client):
    names = [one["name"] for one in client.get("/v1/corpora", headers=bearer(OTHER_KEY)).json()["corpora"]]
    models = [one["id"] for one in client.get("/v1/models", headers=bearer(OTHER_KEY)).json()["data"]]
    assert names == ["other"]
    assert {model.partition("@")[2] for model in models} == {"other"}


def test_passages_are_shown_to_who_holds_their_label_alone(tmp_path):
    app = app_over(tmp_path, Scripted([("", "So the answer is: 90 pounds.")]), keys=keys(access=("board",)))
    with client_of(app) as client:
        for key, corpus in ((KEY, "light"), (OTHER_KEY, "other")):
            hits = client.post("/v1/search", json={"query": SECRET, "corpus": corpus}, headers=bearer(key)).json()["hits"]
            assert ("pay" in {hit["passage"]["id"] for hit in hits}) == (key == KEY)
        one = client.get("/v1/corpora/light/passages/pay", headers=bearer(KEY))
    assert one.json()["text"].endswith("paid 90 pounds.")


def test_without_the_label_a_passage_is_as_if_it_were_not_there(client):
    asked = {"query": SECRET, "corpus": "light", "max_hits": 50}
    found = client.post("/v1/search", json=asked, headers=bearer(KEY)).json()["hits"]
    record = client.post("/v1/answers", json={"question": SECRET, "corpus": "light"}, headers=bearer(KEY)).text
    hidden, absent = (client.get(f"/v1/corpora/light/passages/{one}", headers=bearer(KEY)) for one in ("pay", "pax"))
    assert found
    assert "pay" not in {hit["passage"]["id"] for hit in found}
    assert "90 pounds" not in record
    assert (hidden.status_code, absent.status_code) == (404, 404)
    assert hidden.text == absent.text.replace("pax", "pay")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/answers/..%2f..%2fstore",
        "/v1/answers/%2e%2e",
        "/v1/answers/usage",
        "/v1/answers/..%5cusage",
        "/v1/answers/%00",
        "/v1/corpora/..%2f..%2fetc/passages/passwd",
        "/v1/corpora/light/passages/..%2f..%2f..%2fetc%2fpasswd",
        "/v1/corpora/light/passages/%00",
        "/static/..%2f..%2f..%2fetc%2fpasswd",
        "/static/%2e%2e/%2e%2e/etc/passwd",
    ],
)
def test_no_path_leads_out_of_what_is_served(client, path):
    reply = client.get(path, headers=bearer(KEY))
    assert reply.status_code == 404
    assert "root:" not in reply.text


def test_ids_of_passages_may_look_like_paths(client):
    reply = client.get("/v1/corpora/light/passages/notes%2F%2Fa%2Fb.md%231", headers=bearer(KEY))
    assert reply.json()["id"] == "notes//a/b.md#1"


@pytest.mark.parametrize(
    "options",
    [
        {"llm": "openai_compatible"},
        {"base_url": "http://evil.example"},
        {"corpus": "/etc"},
        {"train": "/etc/passwd"},
        {"num_passages": 10**9},
        {"num_passages": "1000000000"},
        {"num_passages": -1},
        {"num_passages": [1]},
        {"max_llm_calls": 0},
        {"max_llm_calls": "many"},
        {"max_llm_calls": True},
        {"max_llm_calls": 1.5},
        {"max_seconds": -1},
        {"require_support": "yes"},
        {"min_confidence": 1.5},
        {"min_confidence": True},
        {"check": "most"},
        {"check": True},
    ],
)
def test_what_is_the_operators_and_what_is_out_of_bounds_cannot_be_set(client, options):
    reply = client.post("/v1/answers", json={"question": QUESTION, "options": options}, headers=bearer(KEY))
    assert reply.status_code == 422
    assert code_of(reply) == "invalid_request"


@pytest.mark.parametrize("method", ["dsp", "auto_cot", "verify_and_edit"])
def test_no_option_that_is_a_text_of_its_own_can_be_set(client, method):
    shown = {one["name"]: one["options"] for one in client.get("/v1/methods", headers=bearer(KEY)).json()["methods"]}
    assert {"train", "pool", "encoder_model", "embedding_model", "device"}.isdisjoint(shown[method])
    assert shown[method]


@pytest.mark.parametrize("method", ["./mine.py:Picky", "/tmp/x.py", "none", "../methods/direct"])
def test_a_method_in_a_file_cannot_be_named(client, method):
    reply = client.post("/v1/answers", json={"question": QUESTION, "method": method}, headers=bearer(KEY))
    assert (reply.status_code, code_of(reply)) == (404, "unknown_method")


def test_an_option_of_a_method_with_the_name_of_one_of_every_question_is_offered_by_no_method(client):
    shown = {one["name"]: one["options"] for one in client.get("/v1/methods", headers=bearer(KEY)).json()["methods"]}
    of_every_question = {"require_support", "min_confidence", "check", *LIMITS}
    assert [name for name, options in shown.items() if not of_every_question.isdisjoint(options)] == []
    assert "num_passages" in shown["direct_retrieval"]  # beside its own max_tokens
    body = {"question": QUESTION, "method": "direct_retrieval", "options": {"max_token": 1}}
    refused = client.post("/v1/answers", json=body, headers=bearer(KEY)).json()["error"]["message"]
    assert refused.count("max_tokens") == 1


def test_a_request_can_lower_the_limits_of_a_question_and_never_raise_them(tmp_path):
    app = app_over(tmp_path, limits=Limits(max_llm_calls=7), settings={"budget": {"max_searches": 3}})
    with client_of(app) as client:
        options = {"max_llm_calls": 100, "max_searches": 2, "max_seconds": 5}
        budget = client.post("/v1/answers", json={"question": QUESTION, "options": options}).json()["record"]["setup"]["budget"]
    assert budget == {"max_llm_calls": 7, "max_searches": 2, "max_seconds": 5}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b"\xff\xfe",
        b'{"question": ""}',
        b'{"question": "   "}',
        b'{"question": 1}',
        b'{"question": "\\ud800"}',
        b'{"question": "x", "\\ud800": 1}',
        b'{"question": "x", "method": "\\u0000"}',
        b'{"question": "x", "labels": ["a"], "long": true}',
        b'{"question": "x", "unknown": 1}',
        b'{"question": "x", "filter": {"a=b": "c"}}',
        b'{"question": "x", "filter": {"a": ""}}',
        b'{"question": "x", "earlier": [{"question": ""}]}',
        b'{"question": "' + b"x" * 9000 + b'"}',
        b"[" * 100_000,
        b'{"question": "x", "options": {"max_seconds": NaN}}',
        b'{"question": "x", "options": {"max_seconds": 1e999}}',
    ],
)
def test_a_body_that_cannot_be_is_refused_with_a_reason(client, body):
    reply = client.post("/v1/answers", content=body, headers={**bearer(KEY), "Content-Type": "application/json"})
    assert 400 <= reply.status_code < 500
    assert code_of(reply)


@pytest.mark.parametrize(
    ("content", "kind", "said"),
    [
        ("x", "application/json", "the body must be a JSON object; send one, with the header Content-Type: application/json"),
        ('{"question": "x"}', "text/plain", "the body must be a JSON object; send one, with the header Content-Type"),
        ('{"question": "x", "earlier": [{}]}', "application/json", "earlier.0.question is missing"),
        ('{"question": 1}', "application/json", "question should be a valid string"),
    ],
)
def test_the_reason_is_in_words(client, content, kind, said):
    reply = client.post("/v1/answers", content=content, headers={**bearer(KEY), "Content-Type": kind})
    assert reply.status_code == 422
    assert reply.json()["error"]["message"].startswith(said)


@pytest.mark.parametrize("piece", ["? ", "; ", ": ", ". ", "?! ", ", how do "])
def test_a_text_that_is_too_long_for_a_question_is_refused_at_once(client, piece):
    text = ("W " + piece * 50_000)[:60_000]
    chat = {"model": "direct_retrieval@light", "messages": [{"role": "user", "content": text}]}
    began = time.process_time()
    replies = [client.post("/v1/chat/completions", json=chat, headers=bearer(KEY))]
    replies.append(client.post("/v1/answers", json={"question": text}, headers=bearer(KEY)))
    assert time.process_time() - began < 2
    assert [reply.status_code for reply in replies] == [422, 422]
    assert "more than 8,000" in replies[0].json()["error"]["message"]


def test_metrics_name_no_corpus_that_the_key_may_not_search(tmp_path):
    with client_of(app_over(tmp_path, keys=keys())) as client:
        for corpus in ("light", "other"):
            client.post("/v1/answers", json={"question": QUESTION, "corpus": corpus}, headers=bearer(KEY))
        of_all, of_bob = (client.get("/metrics", headers=bearer(key)).text for key in (KEY, OTHER_KEY))
    for series in ("hopweave_questions_total", "hopweave_question_seconds_bucket", "hopweave_queries_total"):
        shown = [set(re.findall(rf'{series}{{.*corpus="(\w+)"', one)) for one in (of_all, of_bob)]
        assert shown == [{"light", "other"}, {"other"}]
    assert '"light"' not in of_bob
    shared = [line for line in of_all.splitlines() if line.startswith(("hopweave_model_calls_total", "# HELP", "# TYPE"))]
    assert set(shared) <= set(of_bob.splitlines())


def test_a_key_that_asks_too_often_waits(tmp_path):
    with client_of(app_over(tmp_path, keys=keys(requests_per_minute=3)), KEY) as client:
        replies = [client.get("/v1/methods") for _ in range(5)]
        other = client.get("/v1/methods", headers=bearer(OTHER_KEY))
    assert [reply.status_code for reply in replies] == [200, 200, 200, 429, 429]
    assert code_of(replies[-1]) == "rate_limit"
    assert 1 <= int(replies[-1].headers["retry-after"]) <= 60
    assert other.status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("limit", first_of([{"questions_per_day": 2}, {"tokens_per_day": 60}]))
def test_the_budget_of_a_day_is_kept_over_a_restart(tmp_path, limit):
    server, settings = offered(tmp_path, keys=keys(**limit)), settings_over(tmp_path)
    statuses = []
    for _ in range(2):
        llm = Scripted([("", "So the answer is: Ines Halloran.")])
        with client_of(create_app(server, settings, llm=llm), KEY) as client:
            replies = [client.post("/v1/answers", json={"question": f"{QUESTION} {n}"}) for n in range(4)]
        statuses.append([reply.status_code for reply in replies])
    assert statuses[0][0] == 200
    assert statuses[0][-1] == 429
    assert statuses[1] == [429] * 4
    assert code_of(replies[-1]) == "daily_budget"
    assert int(replies[-1].headers["retry-after"]) <= 86_400


def test_questions_beyond_those_that_may_run_are_told_to_come_back(tmp_path):
    llm = Scripted([("first", Line("x", stalls=True)), ("", "So the answer is: x")])
    asked = {"question": "The first light?", "stream": True}
    with client_of(app_over(tmp_path, llm, limits=Limits(max_running=1))) as client:
        with client.stream("POST", "/v1/answers", json=asked) as running:
            lines = running.iter_lines()
            while next(lines) != "event: begun":
                pass
            replies = [client.post("/v1/answers", json={"question": QUESTION, "stream": stream}) for stream in (True, False)]
        assert {reply.status_code for reply in replies} == {503}
        assert {code_of(reply) for reply in replies} == {"busy"}
        assert {reply.headers["retry-after"] for reply in replies} == {"1"}
        wait_for(lambda: client.post("/v1/answers", json={"question": QUESTION}).status_code == 200)


def test_no_page_of_another_origin_may_call_unless_it_is_named(tmp_path):
    asks = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
    with client_of(app_over(tmp_path)) as client:
        refused = client.options("/v1/answers", headers=asks)
        plain = client.post("/v1/answers", content=json.dumps({"question": QUESTION}), headers={"Content-Type": "text/plain"})
        assert "access-control-allow-origin" not in refused.headers
        assert "access-control-allow-origin" not in client.get("/v1/methods", headers=asks).headers
        assert plain.status_code == 422
    with client_of(app_over(tmp_path, cors=("https://app.example",), keys=keys())) as client:
        allowed = client.options("/v1/answers", headers={**asks, "Access-Control-Request-Headers": "authorization"})
        other = client.options("/v1/answers", headers={**asks, "Origin": "https://other.example"})
    assert allowed.headers["access-control-allow-origin"] == "https://app.example"
    assert "access-control-allow-origin" not in other.headers


def test_a_page_of_an_allowed_origin_may_send_the_headers_of_openais_client_and_read_when_to_ask_again(tmp_path):
    of_client = "authorization,content-type,x-stainless-arch,x-stainless-lang,x-stainless-os,x-stainless-retry-count"
    page = {"Origin": "https://app.example"}
    asks = {**page, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": of_client}
    spent = keys(questions_per_day=0)
    with client_of(app_over(tmp_path, cors=("https://app.example",), keys=spent)) as client:
        allowed = client.options("/v1/chat/completions", headers=asks)
        refused = client.post("/v1/answers", json={"question": QUESTION}, headers={**page, **bearer(KEY)})
        other = client.options("/v1/chat/completions", headers={**asks, "Origin": "https://other.example"})
    assert allowed.status_code == 200
    assert set(of_client.split(",")) <= set(re.split(r",\s*", allowed.headers["access-control-allow-headers"].lower()))
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0
    assert refused.headers["access-control-expose-headers"] == "Retry-After"
    assert other.status_code == 400
    assert "access-control-allow-origin" not in other.headers


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", ""])
def test_a_local_server_answers_to_its_own_names_alone(lasting_client, host):
    assert lasting_client.get("/v1/methods", headers={"Host": host}).status_code in (400, 421)
    for own in ("localhost", "127.0.0.1:8000", "[::1]:8000", "[::1]", "LOCALHOST"):
        assert lasting_client.get("/v1/methods", headers={"Host": own}).status_code == 200


def test_markup_comes_back_as_json_and_is_never_a_page(tmp_path):
    hostile = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    passage = Passage(f"id-{hostile}", f"The light was {hostile} built in 1871.", f"Light {hostile}")
    corpora = {"light": index_of(tmp_path / "hostile", (passage,))}
    app = app_over(tmp_path, Scripted([("", f"The light was built in 1871.\nSo the answer is: {hostile}")]), corpora=corpora)
    with client_of(app) as client:
        replies = [
            client.post("/v1/answers", json={"question": f"When was the light {hostile} built?"}),
            client.post("/v1/answers", json={"question": "x", "method": hostile}),
            client.post("/v1/search", json={"query": "light"}),
            client.get("/v1/answers"),
            client.get(f"/v1/corpora/{hostile}/passages/x"),
            client.get(f"/{hostile}"),
        ]
    assert any(hostile in reply.text for reply in replies)
    for reply in replies:
        assert reply.headers["content-type"] == "application/json"
        assert reply.headers["x-content-type-options"] == "nosniff"


def test_an_error_of_the_server_tells_a_client_nothing_about_its_machine(tmp_path, caplog):
    app = app_over(tmp_path)
    with client_of(app) as client:
        (tmp_path / "light" / "manifest.json").write_text("{}")
        reply = client.post("/v1/search", json={"query": "light"})
    assert reply.status_code == 500
    assert str(tmp_path) not in reply.text
    assert str(tmp_path) in caplog.text


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_a_public_address_without_keys_is_refused_unless_told(host):
    with pytest.raises(SettingsError, match="no keys"):
        read_server_settings(None, {"host": host})
    assert read_server_settings(None, {"host": host}, is_open=True).host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost"])
def test_a_loopback_address_needs_no_keys(host):
    assert read_server_settings(None, {"host": host}).is_local


def test_the_gate_is_in_front_of_every_route(client):
    for path, verbs in client.get("/openapi.json").json()["paths"].items():
        for verb in verbs:
            status = client.request(verb, path).status_code
            assert status == (200 if path in ("/healthz", "/readyz") else 401), path
