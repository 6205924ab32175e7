"""Evaluations over HTTP: cells, the questions behind a mean with what became of them, single records, and what is refused."""

import json

import pytest
from support.served_app import KEY, app_over, bearer, client_of, keys
from support.small_run import make_run

from hopweave.evaluation.scoring.score import open_metrics, score_run, write_scores
from hopweave.evaluation.scoring.summary import summarize
from hopweave.record import Record


def scored_run(folder, *, is_scored=True):
    run = make_run(folder, {"careful": ["1874", "1874", None], "hasty": ["1874", "1999", ""]})
    if is_scored:
        metrics, _ = open_metrics(["cover_em", "calls"])
        scores = score_run(run, metrics)
        write_scores(run, scores)
        summarize(run, scores, metrics).write(run)
    return str(run.path)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    place = tmp_path_factory.mktemp("reports")
    with client_of(app_over(place, runs={"night": scored_run(place / "night")})) as one:
        yield one


def test_the_cells_of_an_evaluation_have_the_means_that_score_wrote(client):
    assert client.get("/v1/runs").json() == {"runs": ["night"]}
    found = client.get("/v1/runs/night").json()
    means = {cell["method"]: cell["means"]["cover_em"]["value"] for cell in found["cells"]}
    assert means == {"careful": pytest.approx(2 / 3), "hasty": pytest.approx(1 / 3)}
    assert found["primary"] == {"lights": "cover_em"}


def test_an_evaluation_begins_with_which_method_is_better_as_its_report_does(client):
    better, standing = client.get("/v1/runs/night").json()["conclusions"]
    assert better.startswith(
        "Nothing can be concluded about which is better: 3 questions are too few to tell careful and hasty"
    )
    assert standing.startswith("careful is right on 2 of 3 questions (67%; 1 failed), hasty on 1 (33%).")


@pytest.mark.parametrize(
    ("method", "causes"),
    [
        ("careful", ["right", "right", "failed: ModelError"]),
        ("hasty", ["right", "wrong, rests on a passage", "unparsed"]),
    ],
)
def test_each_question_behind_a_mean_says_what_became_of_it(client, method, causes):
    found = client.get("/v1/runs/night/questions", params={"dataset": "lights", "method": method}).json()
    assert [row["cause"] for row in found["questions"]] == causes
    assert found["column"] == "cover_em"
    assert found["questions"][0]["gold"] == ["1874"]


def test_a_question_is_measured_by_any_column_that_has_a_value_for_each(client):
    asked = {"dataset": "lights", "method": "careful", "column": "llm_calls"}
    found = client.get("/v1/runs/night/questions", params=asked).json()
    assert [row["value"] for row in found["questions"]] == [0.0, 0.0, 0.0]
    assert found["questions"][0]["cause"] == "right"


def test_one_record_comes_with_how_it_stands(client):
    found = client.get("/v1/runs/night/record", params={"dataset": "lights", "method": "hasty", "question": "q1"}).json()
    assert Record.from_json(json.dumps(found["record"])).answer.short == "1999"
    assert found["summary"]["totals"]["llm_calls"] == 0


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/runs/day", 404),
        ("/v1/runs/..", 404),
        ("/v1/runs/..%2Fnight", 404),
        ("/v1/runs/night/questions?dataset=x&method=hasty", 404),
        ("/v1/runs/night/questions?dataset=lights&method=hasty&column=x", 422),
        ("/v1/runs/night/record?dataset=lights&method=hasty&question=q9", 404),
        ("/v1/runs/night/record?dataset=..&method=hasty&question=q1", 404),
    ],
)
def test_what_is_not_there_is_refused(client, path, status):
    assert client.get(path).status_code == status


def test_an_evaluation_that_is_not_scored_says_what_to_run(tmp_path):
    with client_of(app_over(tmp_path, runs={"night": scored_run(tmp_path / "night", is_scored=False)})) as client:
        for path in ("/v1/runs/night", "/v1/runs/night/questions?dataset=lights&method=hasty"):
            reply = client.get(path)
            assert reply.status_code == 422
            assert "hopweave score" in reply.json()["error"]["message"]


def test_where_there_are_keys_no_evaluation_is_shown(tmp_path):
    with client_of(app_over(tmp_path, keys=keys(), runs={"night": scored_run(tmp_path / "night")})) as client:
        assert client.get("/v1/runs", headers=bearer(KEY)).json() == {"runs": []}
        assert client.get("/v1/runs/night", headers=bearer(KEY)).status_code == 404
        assert client.get("/v1/runs").status_code == 401
