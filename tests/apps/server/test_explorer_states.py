"""Every state of the explorer, on a desktop and a phone, in light and dark: nothing serious for axe, nothing cut off.

With the environment variable `EXPLORER_SHOTS` set to a folder, each state is also saved there as an image, to be looked at.
"""

from __future__ import annotations

import os
from pathlib import Path

import httpx
import pytest
from support import explorer_states as states
from support.explorer_browser import (
    CHROMIUM,
    EXPECTED,
    Pages,
    ask,
    chromium,
    scored_run,
    serious,
    sideways,
    unfold,
    unscored_run,
)
from support.explorer_scene import QUESTION
from support.served_app import KEY, keys, listening

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="there is no /usr/bin/chromium to open the explorer with"),
]
DESKTOP, PHONE = (1280, 800), (390, 844)
VIEWS = {
    "desktop-light": (DESKTOP, "light"),
    "desktop-dark": (DESKTOP, "dark"),
    "phone-light": (PHONE, "light"),
    "phone-dark": (PHONE, "dark"),
}
WITH_AXE = ("desktop-light", "phone-dark")  # each size and each theme once: axe takes its time


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture
def pages(browser):
    return Pages(browser)


def look(page, state, *, top=None):
    """In each view nothing is serious, and nothing sticks out; `top` scrolls to an element first."""
    for view, (size, theme) in VIEWS.items():
        show_in(page, size, theme)
        if top is not None:
            page.locator(top).first.evaluate("one => one.scrollIntoView({ block: 'start' })")
        if shots := os.environ.get("EXPLORER_SHOTS"):
            page.screenshot(path=Path(shots) / f"{state}-{view}.png", animations="disabled")
        assert (serious(page) if view in WITH_AXE else sideways(page)) == [], (state, view)
    show_in(page, DESKTOP, "light")


def show_in(page, size, theme):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=theme)


def asked(address, question, **more):
    """An answer of direct_retrieval over HTTP; returns where the explorer shows it."""
    body = {"question": question, "method": "direct_retrieval", "corpus": "handbook", **more}
    return f"{address}/#{httpx.post(f'{address}/v1/answers', json=body, timeout=30).json()['id']}"


def shown(page, address):
    page.goto(address)
    page.reload()
    EXPECTED(page.locator(".run .answer, .run .failure")).to_have_count(1)


def test_the_start_and_what_is_chosen_there(pages, tmp_path):
    with pages.served(states.app_of_states(tmp_path)) as address:
        page = pages(address)
        look(page, "start")
        page.click("#method")
        look(page, "start-methods")
        page.keyboard.press("Escape")
        page.select_option("#corpus", "hidden")
        page.wait_for_timeout(300)
        look(page, "start-nothing-to-search")
        page.select_option("#corpus", "handbook")
        ask(page, "Anything?", method="direct_retrieval")
        show_in(page, PHONE, "light")
        page.click("#history-toggle")
        look(page, "history")


def test_answers_of_every_standing(pages, tmp_path):
    with pages.served(states.app_of_states(tmp_path)) as address:
        page = pages(address)
        for state, question in {
            "supported": states.SUPPORTED,
            "yes-or-no": states.YES_OR_NO,
            "contradicted": states.CONTRADICTED,
            "unsupported": states.UNSUPPORTED,
            "abstained": states.ABSTAINED,
        }.items():
            ask(page, question, method="direct_retrieval")
            look(page, f"answer-{state}")
        shown(page, asked(address, states.LABEL, labels=["Kerrow Light", "Carrow Light"]))
        look(page, "answer-label")
        shown(page, asked(address, states.LONG, long=True))
        look(page, "answer-long")
        page.click(".folded summary")
        look(page, "answer-long-unfolded", top=".answer")
        for state, question in {"listing": states.LISTING, "overview": states.OVERVIEW}.items():
            ask(page, question, method="direct_retrieval")
            look(page, f"whole-corpus-{state}")


def test_an_answer_that_is_found_and_not_certain(pages, tmp_path):
    with pages.served(states.app_of_states(tmp_path, confidence=0.55)) as address:
        page = pages(address)
        ask(page, states.SUPPORTED, method="direct_retrieval")
        EXPECTED(page.locator(".support")).to_contain_text("not certain")
        look(page, "answer-not-certain")


def test_the_reasoning_unfolded_and_the_thoughts_in_it(pages, tmp_path):
    with pages.served(states.app_of_states(tmp_path)) as address:
        page = pages(address)
        page.select_option("#corpus", "light")
        ask(page, QUESTION, method="searchain")
        look(page, "reasoning-folded")
        unfold(page)
        look(page, "reasoning-unfolded", top=".reasoning")
        page.click(".node.decision > .row >> nth=1")
        page.click(".legend summary")
        look(page, "reasoning-step-and-legend", top=".node.decision >> nth=1")
        page.select_option("#corpus", "handbook")
        ask(page, states.SUPPORTED, method="direct_retrieval")
        unfold(page)
        page.check(".switch input")
        page.click(".node.model_call > .row")
        look(page, "thoughts-folded", top=".reasoning")
        page.click(".thoughts summary")
        look(page, "thoughts-unfolded", top=".reasoning")
        page.click(".node.search > .row")
        look(page, "search-unfolded", top=".reasoning")


def test_citations_open(pages, tmp_path):
    with pages.served(states.app_of_states(tmp_path)) as address:
        page = pages(address)
        for state, question in {
            "sections": states.IN_SECTIONS,
            "table-row": states.IN_A_TABLE,
            "pdf-page": states.IN_A_PDF,
            "also-in": states.IN_COPIES,
        }.items():
            ask(page, question, method="direct_retrieval")
            page.click(".claims .mark")
            EXPECTED(page.locator("#passage mark").first).to_be_in_viewport()
            EXPECTED(page.locator("#passage [aria-busy]")).to_have_count(0)
            if state == "also-in":
                EXPECTED(page.locator("#passage .also-in")).to_have_text("Also in licence.txt")
            look(page, f"citation-{state}")
            page.keyboard.press("Escape")
        show_in(page, PHONE, "light")
        page.click(".claims .mark")
        mark, panel = page.locator(".claims .mark").bounding_box(), page.locator("#passage").bounding_box()
        assert 46 <= mark["y"] < mark["y"] + mark["height"] <= panel["y"]  # below the bar, above the passage
        look(page, "citation-opened-on-a-phone")


def test_running_stopped_and_asked_again(pages, tmp_path):
    with pages.served(states.app_of_states(tmp_path, delay_seconds=60)) as address:
        page = pages(address)
        ask(page, states.SUPPORTED, method="direct_retrieval")
        page.fill("#question", states.SLOW)
        page.click("#ask")
        EXPECTED(page.locator(".expected")).to_contain_text("usually")
        look(page, "running")
        page.click("#stop")
        EXPECTED(page.locator(".failure")).to_be_visible()
        look(page, "stopped")


def test_a_follow_up_and_a_comparison(pages, tmp_path):
    with pages.served(states.app_of_states(tmp_path)) as address:
        page = pages(address)
        ask(page, states.SUPPORTED, method="direct_retrieval")
        page.click("text=Ask a follow-up")
        look(page, "follow-up-asked")
        page.fill("#question", states.FOLLOW_UP)
        page.click("#ask")
        EXPECTED(page.locator(".run h2")).to_have_text(states.WHOLE)
        look(page, "follow-up")
        page.select_option("#corpus", "light")
        ask(page, QUESTION, method="searchain", beside="direct_retrieval")
        look(page, "comparison")
        page.click(".claims .mark >> nth=0")
        look(page, "comparison-citation")


@pytest.mark.parametrize("state", ["unreachable", "key", "busy", "silent"])
def test_the_model_fails(pages, tmp_path, state):
    with states.failing(state) as llm, pages.served(states.app_of_states(tmp_path, llm=llm)) as address:
        page = pages(address)
        ask(page, states.SUPPORTED, method="direct_retrieval")
        EXPECTED(page.locator(".failure")).to_be_visible()
        look(page, f"failure-model-{state}")


def test_a_budget_ends_the_work(pages, tmp_path):
    limits = {"max_llm_calls": 1}
    with pages.served(states.app_of_states(tmp_path, limits=limits)) as address:
        page = pages(address)
        page.select_option("#corpus", "light")
        ask(page, QUESTION, method="searchain")
        look(page, "failure-budget")


def test_the_index_is_damaged(pages, tmp_path):
    with listening(states.app_of_states(tmp_path)) as address:
        page = pages(address)
        for path in (tmp_path / "handbook").rglob("*"):
            if path.is_file():
                path.unlink()
                path.write_bytes(b"\0" * 64)
        page.fill("#question", states.SUPPORTED)
        page.click("#ask")
        EXPECTED(page.locator(".failure")).to_be_visible()
        look(page, "failure-index-damaged")


def test_the_server_stops_in_the_middle(pages, tmp_path):
    with listening(states.app_of_states(tmp_path, delay_seconds=60)) as address:
        page = pages(address)
        page.fill("#question", states.SLOW)
        page.click("#ask")
        page.wait_for_selector(".node.pending")
    EXPECTED(page.locator(".failure")).to_be_visible()
    look(page, "failure-server-stopped")
    page.fill("#question", states.SUPPORTED)
    page.click("#ask")
    EXPECTED(page.locator(".failure")).to_contain_text("cannot be reached")
    look(page, "failure-server-gone")


def test_a_key_is_asked_for_and_its_budget_is_spent(pages, browser, tmp_path):
    of_anna = {"corpora": ("handbook",), "tokens_per_day": 1}
    with pages.served(states.app_of_states(tmp_path, keys=keys(**of_anna))) as address:
        page = browser.new_page()
        page.goto(address)
        EXPECTED(page.locator("#key-form")).to_be_visible()
        look(page, "key-asked-for")
        page.fill("#key", "wrong")
        page.click("#key-form button")
        EXPECTED(page.locator("#alert")).to_contain_text("does not know this key")
        look(page, "key-refused")
        page.fill("#key", KEY)
        page.click("#key-form button")
        page.wait_for_selector("#composer:visible")
        for _ in range(2):
            page.fill("#question", states.SUPPORTED)
            page.click("#ask")
            EXPECTED(page.locator(".run .answer, .run .failure")).to_have_count(1)
        look(page, "failure-day-spent")
        page.close()


def test_evaluations(pages, tmp_path):
    runs = {"night": scored_run(tmp_path / "night"), "today": str(unscored_run(tmp_path / "today").path)}
    with pages.served(states.app_of_states(tmp_path / "served", runs=runs)) as address:
        page = pages(address)
        page.click("#evaluations")
        page.wait_for_selector(".wide")
        look(page, "evaluation")
        page.click("tr:has-text('careful') .link >> nth=0")
        page.wait_for_selector(".questions li")
        look(page, "evaluation-questions")
        page.click(".cause:has-text('failed')")
        page.click(".questions .entry")
        EXPECTED(page.locator(".run .failure")).to_be_visible()
        look(page, "evaluation-failure", top=".run")
        page.click("tr:has-text('hasty') .link >> nth=0")
        page.click(".questions .entry >> nth=1")
        EXPECTED(page.locator(".run .answer")).to_be_visible()
        look(page, "evaluation-record", top=".run")
        page.select_option("#reports select", "today")
        EXPECTED(page.locator(".conclusion")).to_have_count(1)  # those of the other evaluation are gone
        EXPECTED(page.locator(".conclusion")).to_contain_text("not scored yet; run first: hopweave score")
        look(page, "evaluation-not-scored")
