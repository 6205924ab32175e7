"""The files of the explorer and what it hands out: nothing else can be asked for, and a browser is told to run nothing else."""

import re

import pytest
from support.served_app import KEY, OTHER_KEY, QUESTION, app_over, bearer, client_of, keys

from hopweave.apps.server import explorer
from hopweave.record import Record, failures_in_words
from hopweave.show.legend import ORIGINS, SUPPORT

FILES = sorted(path.name for path in explorer._FOLDER.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_every_file_is_served_to_be_used_as_what_it_is_and_nothing_else(tmp_path, name):
    with client_of(app_over(tmp_path, keys=keys())) as client:
        reply = client.get(f"/static/{name}")
    policy = reply.headers["content-security-policy"]
    assert reply.status_code == 200
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy
    assert reply.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", FILES)
def test_no_file_loads_from_elsewhere_or_makes_markup_of_text(name):
    text = (explorer._FOLDER / name).read_text(encoding="utf-8")
    addresses = set(re.findall(r"https?://[^\s\"'<)]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|\son\w+=|style=", text)


@pytest.mark.parametrize("name", ["..%2Fapp.py", "%2e%2e/app.py", "app.py", "", "x%00.js"])
def test_no_other_file_is_handed_out(lasting_client, name):
    reply = lasting_client.get(f"/static/{name}")
    assert reply.status_code == 404
    assert "FastAPI" not in reply.text


def test_the_words_of_the_page_are_those_of_every_other_drawing(client):
    said = client.get("/static/legend.json").json()
    assert (said["support"], said["origins"]) == (SUPPORT, ORIGINS)
    assert said["failures"] == failures_in_words()


def test_an_answer_is_exported_for_its_owner_alone_and_cannot_run_anything(tmp_path):
    with client_of(app_over(tmp_path, keys=keys())) as client:
        answer = client.post("/v1/answers", json={"question": QUESTION}, headers=bearer(KEY)).json()["id"]
        paths = [
            f"/v1/answers/{answer}/summary",
            *(f"/v1/answers/{answer}/export?as={one}" for one in ("html", "mermaid", "json")),
        ]
        for path in paths:
            assert client.get(path).status_code == 401
            assert client.get(path, headers=bearer(OTHER_KEY)).status_code == 404
        html, mermaid, record = (client.get(path, headers=bearer(KEY)) for path in paths[1:])
    assert html.headers["content-security-policy"] == "sandbox"
    assert html.headers["content-disposition"] == f'attachment; filename="hopweave-{answer}.html"'
    assert mermaid.text.startswith("flowchart")
    assert Record.from_json(record.text).question.text == QUESTION
