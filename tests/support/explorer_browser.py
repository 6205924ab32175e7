"""The explorer in a real browser: its pages, what is done on them, and what is wrong with them."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import pytest
from support.explorer_scene import QUESTION
from support.served_app import listening
from support.small_run import make_run

from hopweave.evaluation.scoring.score import open_metrics, score_run, write_scores
from hopweave.evaluation.scoring.summary import summarize

playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
EXPECTED = playwright.expect
LONG_MS = 30_000
EXPECTED.set_options(timeout=LONG_MS)  # a busy machine is no failure


@contextmanager
def chromium():
    """A browser without a window."""
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield opened
        opened.close()


class Pages:
    """The explorer of servers in a browser, and all that its pages complain of, or load from elsewhere."""

    def __init__(self, browser):
        self.faults, self._browser, self._contexts = [], browser, []

    def __call__(self, address, *, width=1280, height=900, theme="light"):
        context = self._browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, accept_downloads=True
        )
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(LONG_MS)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)
        page.on("request", lambda sent: None if sent.url.startswith((address, "blob:")) else self.faults.append(sent.url))
        page.goto(address)
        page.wait_for_selector("#welcome > .small")
        return page

    @contextmanager
    def served(self, app):
        """A server of an application. Its pages are left before it stops, as what they still asked for would fail."""
        with listening(app) as address:
            try:
                yield address
            finally:
                while self._contexts:
                    self._contexts.pop().close()


def ask(page, question=QUESTION, *, method="searchain", beside=""):
    choose(page, "method", method)
    choose(page, "compare-with", beside)
    page.fill("#question", question)
    page.click("#ask")
    EXPECTED(page.locator(".run .answer, .run .failure")).to_have_count(2 if beside else 1)


def choose(page, which, method):
    page.click(f"#{which}")
    page.click(f'dialog [data-method="{method}"]')


def unfold(page):
    """Opens the reasoning of each answer."""
    for summary in page.locator(".reasoning > summary").all():
        if not summary.evaluate("one => one.parentElement.open"):
            summary.click()


def serious(page):
    """What axe finds serious, and whether the page can be scrolled sideways."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="the package axe-playwright-python is not installed"
    )
    found = axe.Axe().run(page).response["violations"]
    bad = [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in ("serious", "critical")]
    return [*bad, *sideways(page)]


def sideways(page):
    """Whether the page can be scrolled sideways."""
    return ["sideways"] if page.locator("html").evaluate("node => node.scrollWidth > node.clientWidth") else []


def scored_run(folder):
    run = unscored_run(folder)
    metrics, _ = open_metrics(["cover_em", "calls"])
    scores = score_run(run, metrics)
    write_scores(run, scores)
    summarize(run, scores, metrics).write(run)
    return str(run.path)


def unscored_run(folder):
    return make_run(folder, {"careful": ["1874", "1874", None], "hasty": ["1874", "1999", "1999"]})
