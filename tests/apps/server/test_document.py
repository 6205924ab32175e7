"""The OpenAPI document: it is true, it has examples, and nothing that it allows makes the server fail."""

from contextlib import suppress

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from support.served_app import app_over, keys, listening

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def test_every_route_is_described_with_its_refusals_and_its_key(tmp_path):
    document = app_over(tmp_path, keys=keys()).openapi()
    routes = {(verb, path): route for path, verbs in document["paths"].items() for verb, route in verbs.items()}
    assert ("post", "/v1/answers") in routes
    assert ("post", "/v1/chat/completions") in routes
    for (_, path), route in routes.items():
        assert route["description"], path
        if path.startswith("/v1/"):
            assert {"401", "404", "422", "429"} <= route["responses"].keys(), path
            assert route["security"] == [{"HTTPBearer": []}], path


def test_every_body_has_an_example(tmp_path):
    document = app_over(tmp_path).openapi()
    bodies = [verbs["post"]["requestBody"] for verbs in document["paths"].values() if "post" in verbs]
    assert len(bodies) >= 3
    for body in bodies:
        named = body["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        assert document["components"]["schemas"][named]["examples"], named


def test_every_example_of_a_body_is_served(tmp_path):
    app = app_over(tmp_path)
    app.state.service.server.corpora["starter"] = app.state.service.server.corpora["light"]
    document = app.openapi()
    with listening(app) as address:
        for path, verbs in document["paths"].items():
            if "post" in verbs:
                named = verbs["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
                for example in document["components"]["schemas"][named]["examples"]:
                    if "of" in example:  # of an answer that is not there
                        assert httpx.post(address + path, json=example, timeout=30).status_code == 404
                        continue
                    assert httpx.post(address + path, json=example, timeout=30).status_code == 200, example


def test_the_events_of_a_stream_are_as_described(tmp_path):
    with listening(app_over(tmp_path)) as address:
        routes = schemathesis.openapi.from_url(f"{address}/openapi.json")["/v1/answers"]
        case = routes["POST"].Case(body={"question": "Who built it?", "stream": True}, media_type="application/json")
        reply = case.call()
        assert reply.headers["content-type"][0].startswith("text/event-stream")
        case.validate_response(reply, checks=CHECKS)


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_nothing_that_the_document_allows_or_forbids_makes_the_server_fail(tmp_path, mode):
    asked = []
    with listening(app_over(tmp_path)) as address:
        for found in schemathesis.openapi.from_url(f"{address}/openapi.json").get_all_operations():

            @given(case=found.ok().as_strategy(generation_mode=mode))
            @settings(max_examples=25, suppress_health_check=list(HealthCheck), database=None, deadline=None)
            def serves(case):
                reply = case.call()
                case.validate_response(reply, checks=CHECKS)
                asked.append((case.operation.label, reply.status_code))

            with suppress(Unsatisfiable):  # a route without parameters allows nothing that could be wrong
                serves()
    assert len({label for label, _ in asked}) >= (12 if mode is GenerationMode.POSITIVE else 6)
    assert max(status for _, status in asked) < 500
