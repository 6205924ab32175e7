"""The page of a PDF that a passage is from: the right one, marked where the words stand, and of a file of the index alone."""

import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from support.documents import pdf
from support.explorer_scene import index_of_papers
from support.served_app import KEY, OTHER_KEY, app_over, bearer, client_of, keys

from hopweave.apps.server import page_images
from hopweave.apps.server.drawn_page import draw_page
from hopweave.apps.server.server_settings import ServerSettings
from hopweave.core.types import Passage
from hopweave.ingest import pages
from hopweave.ingest.intake import Intake
from hopweave.ingest.read import CorpusOptions
from hopweave.retrieval.engines.bm25 import BM25

pytest.importorskip("pypdfium2", reason="needs: pip install 'hopweave[documents]'")

BORN = "halloran.pdf#3"


def page_of(client, passage_id, *spans, corpus="papers", **more):
    query = "&".join(f"span={one}" for one in spans)
    return client.get(f"/v1/corpora/{corpus}/pages/{quote(passage_id)}?{query}", **more)


def image_of(client, passage_id, corpus="papers", **more):
    return client.get(f"/v1/corpora/{corpus}/page-images/{quote(passage_id)}", **more)


def papers_app(folder, **more):
    return app_over(folder, corpora={"papers": index_of_papers(folder)}, **more)


def test_a_passage_leads_to_its_page_with_its_words_marked(tmp_path):
    with client_of(papers_app(tmp_path)) as client:
        text = client.get(f"/v1/corpora/papers/passages/{quote(BORN)}").json()["text"]
        start = text.index("She was")
        found = page_of(client, BORN, f"{start}-{start + 36}", f"{start + 16}-{start + 28}").json()
        image = image_of(client, BORN)
    assert (found["source"], found["page"], found["num_pages"], found["why"]) == ("halloran.pdf#page=3", 3, 3, "")
    sentence, town = found["spans"]
    assert (sentence["text"], town["text"]) == ("She was born in\nMarlow Cross in 1833", "Marlow Cross")
    first, second = sentence["boxes"]
    [inside] = town["boxes"]
    assert first["bottom"] <= second["top"] + 0.001
    assert (inside["left"], inside["top"]) == (second["left"], second["top"])
    assert second["left"] == pytest.approx(72 / 612, abs=0.001)  # the test's PDFs have a margin of one inch
    assert inside["right"] < second["right"]
    with (tmp_path / "papers-files" / "halloran.pdf").open("rb") as raw:
        drawn = draw_page(raw, 3, "halloran.pdf")
    assert image.content == drawn.image
    assert (found["width"], found["height"]) == (drawn.width, drawn.height)
    assert image.headers["content-type"] == "image/png"
    assert image.headers["cache-control"] == "no-store"
    assert image.headers["x-content-type-options"] == "nosniff"


@pytest.mark.slow
def test_words_that_are_not_on_the_page_are_not_marked(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.pdf").write_bytes(pdf("Ulm is old."))
    BM25.take_in(tmp_path / "index", Intake([tmp_path / "in"]), update=False)
    app = app_over(tmp_path, corpora={"one": str(tmp_path / "index")})
    with client_of(app) as client:
        found = page_of(client, "a.pdf#1", "10-11", "0-3", corpus="one").json()
    assert [len(one["boxes"]) for one in found["spans"]] == [0, 1]  # a full stop stands in many places
    assert found["why"] == ""


@pytest.mark.slow
@pytest.mark.parametrize("span", ["5-5", "9-3", "0-9999", "-1-4", "a-b", "0-4,5-6", "", "0" * 50])
def test_a_span_that_cannot_be_is_refused(tmp_path, span):
    with client_of(papers_app(tmp_path)) as client:
        assert page_of(client, BORN, span).status_code == 422
        assert page_of(client, BORN, *["0-4"] * 51).status_code == 422


def test_a_passage_that_is_from_no_pdf_says_so(tmp_path):
    with client_of(app_over(tmp_path)) as client:
        found = page_of(client, "carrow", "0-3", corpus="light").json()
        image = image_of(client, "carrow", corpus="light")
    assert (found["page"], found["width"], found["why"]) == (None, None, "the passage is not from a page of a PDF")
    assert found["spans"] == [{"start": 0, "end": 3, "text": "The", "boxes": []}]
    assert (image.status_code, image.json()["error"]["code"]) == (404, "no_page_image")


@pytest.mark.slow
def test_a_file_that_changed_or_is_gone_is_not_shown_also_after_it_was(tmp_path):
    file = tmp_path / "papers-files" / "halloran.pdf"
    with client_of(papers_app(tmp_path)) as client:
        assert image_of(client, BORN).status_code == 200
        before = file.read_bytes()
        file.write_bytes(before.replace(b"Cross", b"Crass"))
        changed = page_of(client, BORN).json()
        assert changed["why"].startswith("the file has changed since it was indexed")
        assert image_of(client, BORN).status_code == 404
        file.write_bytes(before)
        assert image_of(client, BORN).status_code == 200
        file.unlink()
        gone = page_of(client, BORN).json()
    assert gone["why"].startswith("the file cannot be read where it was indexed")
    assert str(tmp_path) not in str(changed) + str(gone)


@pytest.mark.slow
def test_only_files_that_the_index_was_built_from_are_read_whatever_a_passage_says(tmp_path):
    outside = tmp_path / "secret.pdf"
    outside.write_bytes(pdf("Secret."))
    index = index_of_papers(tmp_path)
    sources = [f"{outside}#page=1", "../secret.pdf#page=1", "halloran.pdf#page=3", "file:///etc/passwd#page=1"]
    passages = [Passage(f"claims-{number}", "Secret.", source=source) for number, source in enumerate(sources)]
    BM25.update(tmp_path / "papers", upsert=passages)
    with client_of(app_over(tmp_path, corpora={"papers": index})) as client:
        for one in passages:
            assert page_of(client, one.id).json()["why"].startswith("the index does not know the file")
            assert image_of(client, one.id).status_code == 404
        for path in (str(outside), "../secret.pdf", "../../secret.pdf#1", "%2e%2e%2fsecret.pdf", "/etc/passwd"):
            assert image_of(client, path).status_code == 404
        assert image_of(client, BORN).status_code == 200


@pytest.mark.slow
def test_who_may_not_see_the_passage_is_told_what_they_are_told_of_the_passage(tmp_path):
    index_of_papers(tmp_path)
    options = CorpusOptions(access=("board",))
    BM25.take_in(tmp_path / "board", Intake([tmp_path / "papers-files"], options=options), update=False)
    corpora = {"board": str(tmp_path / "board"), "other": str(tmp_path / "papers")}
    app = app_over(tmp_path, corpora=corpora, keys=keys(access=("board",)), page_images=True)
    with client_of(app) as client:
        assert image_of(client, BORN, "board", headers=bearer(KEY)).status_code == 200
        assert image_of(client, BORN, "board").status_code == 401
        for corpus in ("board", "nowhere"):  # the key may not search it
            seen = client.get(f"/v1/corpora/{corpus}/passages/{quote(BORN)}", headers=bearer(OTHER_KEY))
            for ask in (page_of, image_of):
                refused = ask(client, BORN, corpus=corpus, headers=bearer(OTHER_KEY))
                assert (refused.status_code, refused.json()) == (404, seen.json())
    without = app_over(tmp_path, corpora=corpora, keys=keys(), page_images=True)
    with client_of(without) as client:  # the key has no label
        for passage_id in (BORN, "halloran.pdf#99"):
            seen = client.get(f"/v1/corpora/board/passages/{quote(passage_id)}", headers=bearer(KEY))
            for ask in (page_of, image_of):
                refused = ask(client, passage_id, corpus="board", headers=bearer(KEY))
                assert (refused.status_code, refused.json()) == (404, seen.json())


@pytest.mark.parametrize(
    ("settings", "is_shown"),
    [
        ({}, True),
        ({"page_images": False}, False),
        ({"host": "0.0.0.0"}, False),
        ({"host": "0.0.0.0", "page_images": True}, True),
        ({"keys": keys()}, False),
        ({"keys": keys(), "page_images": True}, True),
    ],
)
def test_pages_are_shown_on_this_machine_without_keys_or_where_the_operator_says_so(settings, is_shown):
    assert ServerSettings(**settings).shows_pages is is_shown


@pytest.mark.slow
def test_where_pages_are_not_shown_no_file_is_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(page_images, "draw_page", lambda *_: pytest.fail("it was drawn"))
    with client_of(papers_app(tmp_path, page_images=False)) as client:
        found = page_of(client, BORN).json()
        assert found["page"] == 3
        assert "page_images = true" in found["why"]
        assert image_of(client, BORN).status_code == 404


@pytest.mark.slow
def test_a_process_that_a_page_brings_down_takes_nothing_else_with_it(tmp_path, monkeypatch):
    worker = tmp_path / "worker.py"
    worker.write_text("import os; os.abort()")
    app = papers_app(tmp_path)
    monkeypatch.setattr(pages, "_WORKER", worker)
    with client_of(app) as client:
        assert page_of(client, BORN).json()["why"] == "page 3 of halloran.pdf cannot be drawn; open the file itself"
        assert client.get(f"/v1/corpora/papers/passages/{quote(BORN)}").status_code == 200
        worker.unlink()  # it is not tried again
        assert image_of(client, BORN).json()["error"]["message"].startswith("page 3 of halloran.pdf cannot be drawn")


@pytest.mark.slow
def test_a_page_is_drawn_once_for_all_who_ask_and_no_more_than_so_many_wait(tmp_path, monkeypatch):
    drawn, go_on = [], threading.Event()

    def slowly(raw, number, source):
        drawn.append((source, number))
        go_on.wait(20)
        return draw_page(raw, number, source)

    monkeypatch.setattr(page_images, "draw_page", slowly)
    monkeypatch.setattr(page_images, "_MAX_WAITING", 2)
    with client_of(papers_app(tmp_path)) as client, ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(image_of, client, one) for one in ("halloran.pdf#1", BORN) for _ in range(3)]
        while len(drawn) < 2:
            threading.Event().wait(0.01)
        busy = image_of(client, "marlow.pdf#1")
        go_on.set()
        assert [one.result().status_code for one in asked] == [200] * 6
        assert image_of(client, "marlow.pdf#1").status_code == 200
    assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
    assert sorted(drawn) == [("halloran.pdf", 1), ("halloran.pdf", 3), ("marlow.pdf", 1)]


@pytest.mark.slow
def test_no_more_pages_are_kept_than_may_be(tmp_path, monkeypatch):
    monkeypatch.setattr(page_images, "_MAX_KEPT", 2)
    app = papers_app(tmp_path)
    with client_of(app) as client:
        for one in ("halloran.pdf#1", "halloran.pdf#2", BORN, BORN):
            assert image_of(client, one).status_code == 200
        kept = app.state.service.page_images._kept
        assert [number for _, number in kept] == [2, 3]
        monkeypatch.setattr(page_images, "_MAX_KEPT_BYTES", 1)
        image_of(client, "marlow.pdf#1")
        assert not kept


def test_a_passage_over_http_names_the_other_files_with_its_text(tmp_path):
    text = "Everybody may copy the handbook in whole or in part, as long as the name of the Board stays on its first page. " * 2
    files = tmp_path / "files"
    files.mkdir()
    for name in ("a.txt", "b.md"):
        (files / name).write_text(text)
    BM25.take_in(tmp_path / "copied", Intake([files]), update=False)
    with client_of(app_over(tmp_path, corpora={"copied": str(tmp_path / "copied")})) as client:
        assert client.get("/v1/corpora/copied/passages/a.txt").json()["also_in"] == ["b.md"]
