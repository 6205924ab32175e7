"""The explorer in a real browser: what grows, what a mark leads to, what can be changed, and that no markup ever runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.explorer_browser import CHROMIUM, EXPECTED, LONG_MS, Pages, ask, chromium, scored_run, serious, sideways, unfold
from support.explorer_scene import HOSTILE, QUESTION, app_with
from support.sample_records import thinking
from support.served_app import listening

from hopweave.apps.server.server_settings import KeySettings, hash_of
from hopweave.core.catalog import METHOD_GROUPS, entries
from hopweave.core.types import Passage
from hopweave.models.llms.scripted import Line, Scripted
from hopweave.record import Record
from hopweave.show.browser import support_summary

playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="there is no /usr/bin/chromium to open the explorer with")


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture
def opened(browser):
    pages = Pages(browser)
    yield pages
    assert pages.faults == []


@pytest.fixture
def server(tmp_path, opened):
    with opened.served(app_with(tmp_path)) as address:
        yield address


@pytest.fixture
def papers(tmp_path, opened):
    """A server over PDFs, which lie in the folder `papers-files`."""
    pytest.importorskip("pypdfium2", reason="needs: pip install 'hopweave[documents]'")
    with opened.served(app_with(tmp_path, with_papers=True)) as address:
        yield address


@pytest.mark.slow
def test_the_tree_grows_step_by_step_before_there_is_an_answer(opened, tmp_path):
    with opened.served(app_with(tmp_path, delay_seconds=0.4)) as address:
        page = opened(address)
        page.fill("#question", QUESTION)
        page.click("#ask")
        page.wait_for_selector(".node.pending")
        # looked at in the page, in one go: on a busy machine the answer comes while the test is asking
        unanswered = "!document.querySelector('.answer') && document.querySelectorAll('.node.decision').length > 2"
        nodes = f"() => {unanswered} && document.querySelectorAll('.node').length"
        first = page.wait_for_function(nodes).json_value()
        EXPECTED(page.locator(".answer .short")).to_have_text("the Teel")
        assert page.locator(".node").count() > first
        EXPECTED(page.locator("#says")).to_contain_text("searchain is done: the Teel. The answer rests on a passage")
        assert page.locator(".node.pending").count() == 0


def test_a_mark_leads_to_its_step_and_to_the_cited_words(opened, server):
    page = opened(server)
    ask(page)
    EXPECTED(page.locator(".reasoning")).not_to_have_attribute("open", "")
    page.click(".claims .mark >> nth=1")
    EXPECTED(page.locator("#passage-title")).to_have_text("Ines Halloran")
    EXPECTED(page.locator("#passage mark").first).to_be_in_viewport()
    answer, panel = page.locator(".answer").bounding_box(), page.locator("#passage").bounding_box()
    EXPECTED(page.locator(".answer .short")).to_be_in_viewport()
    EXPECTED(page.locator(".claims .mark").nth(1)).to_be_in_viewport()
    assert answer["x"] + answer["width"] < panel["x"]
    assert page.locator("#passage mark").all_inner_texts() == ["She was born in ", "Marlow Cross", " in 1833."]
    EXPECTED(page.locator("#passage mark b")).to_have_text("Marlow Cross")
    page.click("text=Show the step that it answers")
    EXPECTED(page.locator(".node.shown > .row")).to_contain_text("In which town was Ines Halloran born?")
    EXPECTED(page.locator(".node.shown > .row")).to_be_in_viewport()
    page.keyboard.press("Escape")
    EXPECTED(page.locator("#passage")).to_be_hidden()
    assert page.evaluate_handle("document.activeElement").get_attribute("data-mark") == "2"


@pytest.mark.slow
def test_every_step_shows_how_it_stands_by_shape_and_words_and_what_it_cost(opened, server):
    page = opened(server)
    ask(page)
    unfold(page)
    row = page.locator(".node.supported > .row").first
    EXPECTED(row.locator(".sign.supported")).to_have_text("\u2713")
    EXPECTED(row).to_contain_text("corrected")
    EXPECTED(row).to_contain_text("tokens")
    page.click(".legend summary")
    EXPECTED(page.locator(".legend")).to_contain_text("a passage said otherwise, and its words replaced the model's")
    page.check(".switch input")
    EXPECTED(page.locator(".node.model_call")).not_to_have_count(0)
    page.click(".node.search > .row >> nth=0")
    page.click(".hits .link >> nth=0")
    EXPECTED(page.locator("#passage-title")).to_be_visible()


@pytest.mark.slow
def test_what_rests_on_nothing_looks_so(opened, server):
    page = opened(server)
    ask(page, method="direct_retrieval")
    EXPECTED(page.locator(".answer")).to_have_class("answer tone-warn")
    EXPECTED(page.locator(".support")).to_contain_text("The answer rests on no passage")


@pytest.mark.slow
def test_an_edited_answer_runs_again_beside_the_first_and_all_before_it_is_replayed(opened, server):
    page = opened(server)
    ask(page)
    unfold(page)
    page.click(".node.decision .row:has-text('Marlow Cross') >> nth=0")
    page.click("text=Edit the answer")
    written = page.input_value(".editor textarea")
    page.fill(
        ".editor textarea", written.replace("[Answer 1]: Marlow Cross", "[Answer 1]: Zwiesel").replace("Cross?", "Cross ?")
    )
    page.click("text=Run again from here")
    EXPECTED(page.locator(".run .answer, .run .failure")).to_have_count(2)
    EXPECTED(page.locator(".branch")).to_contain_text("Zwiesel")
    first, branch = (record_of(page, server, at) for at in (0, 1))
    assert branch.branch.of == first.fingerprint
    edited = next(step for step in branch.steps if getattr(step, "was", None) is not None)
    before = [step for step in branch.steps[: edited.id] if step.kind == "model_call"]
    assert before
    assert all(step.timing.from_store for step in before)


def record_of(page, server, at):
    """The record of a run on the page, as the server keeps it."""
    answer = page.locator(".run").nth(at).get_attribute("data-run")
    return Record.from_json(json.dumps(page.request.get(f"{server}/v1/answers/{answer}").json()["record"]))


@pytest.mark.slow
def test_a_query_is_edited_at_its_search(opened, server):
    page = opened(server)
    ask(page, method="direct_retrieval")
    unfold(page)
    page.check(".switch input")
    page.click(".node.search > .row")
    page.click("text=Edit the query")
    page.fill(".editor textarea", "Ines Halloran")
    page.click("text=Run again from here")
    EXPECTED(page.locator(".branch")).to_contain_text("searched for \u201cInes Halloran\u201d")
    assert record_of(page, server, 1).steps[0].queries == ("Ines Halloran",)


@pytest.mark.slow
@pytest.mark.parametrize(("choice", "field"), [("Forbid this passage", "forbidden"), ("Pin it first", "pinned")])
def test_a_passage_is_forbidden_or_pinned_from_where_it_is_read(opened, server, choice, field):
    page = opened(server)
    ask(page)
    page.click(".claims .mark >> nth=0")
    page.click(f"#passage >> text={choice}")
    EXPECTED(page.locator(".run .answer, .run .failure")).to_have_count(2)
    changed = [step for step in record_of(page, server, 1).steps if getattr(step, field, ())]
    assert getattr(changed[0], field) == ("carrow",)


@pytest.mark.slow
def test_two_methods_stand_side_by_side_with_their_differences_marked(opened, server):
    page = opened(server)
    ask(page, method="toqd", beside="direct_retrieval")
    EXPECTED(page.locator("#differences .differs").first).to_contain_text("against")
    EXPECTED(page.locator("#differences")).to_contain_text("the Clyde")
    unfold(page)
    EXPECTED(page.locator(".node.only").first).to_contain_text("only here")
    EXPECTED(page.locator(".graph .box")).to_have_count(3)
    page.locator(".graph .box").nth(1).press("Enter")
    EXPECTED(page.locator(".node.shown > .row")).to_contain_text("In which town was that designer born?")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "ending", "holds"), [("HTML", ".html", "<h1"), ("Mermaid", ".mmd", "flowchart"), ("JSON", ".json", '"schema"')]
)
def test_an_answer_is_taken_away_as_a_file(opened, server, name, ending, holds):
    page = opened(server)
    ask(page)
    with page.expect_download() as waiting:
        page.click(f".exports >> text={name}")
    assert waiting.value.suggested_filename.endswith(ending)
    assert holds in Path(waiting.value.path()).read_text()


@pytest.mark.slow
def test_the_history_is_there_after_a_restart_and_a_reload_shows_the_same(opened, tmp_path):
    with opened.served(app_with(tmp_path)) as address:
        page = opened(address)
        ask(page)
        EXPECTED(page.locator(".entry")).to_have_count(1)
        page.context.close()
    with opened.served(app_with(tmp_path)) as address:
        page = opened(address)
        page.click(".entry")
        EXPECTED(page.locator(".answer .short")).to_have_text("the Teel")
        page.reload()
        EXPECTED(page.locator(".answer .short")).to_have_text("the Teel")
        EXPECTED(page.locator("#history-list li.current")).to_have_count(1)


@pytest.mark.slow
def test_an_answer_is_deleted_from_the_history_once_that_is_confirmed(opened, server):
    page = opened(server)
    asked = []
    ask(page)
    ask(page, method="direct_retrieval")
    EXPECTED(page.locator(".entry")).to_have_count(2)
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.locator("#history-list [data-answer] >> nth=0").get_by_role("button", name="Delete: ").click()
    assert asked[0].startswith("Delete this answer for good?")
    assert QUESTION in asked[0]
    EXPECTED(page.locator(".entry")).to_have_count(2)
    EXPECTED(page.locator(".run")).to_have_count(1)
    page.once("dialog", lambda dialog: dialog.accept())
    page.locator("#history-list [data-answer] >> nth=0").get_by_role("button", name="Delete: ").focus()
    page.keyboard.press("Enter")
    EXPECTED(page.locator(".entry")).to_have_count(1)
    EXPECTED(page.locator(".run")).to_have_count(0)  # what stood there was the one that is deleted
    EXPECTED(page.locator(".entry:focus")).to_have_count(1)
    EXPECTED(page.locator("#says")).to_have_text("The answer is deleted.")
    page.reload()
    EXPECTED(page.locator(".entry")).to_contain_text("searchain")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete: ").click()
    EXPECTED(page.locator("#history-list")).to_contain_text("Nothing was asked yet.")


@pytest.mark.slow
def test_markup_in_questions_passages_and_replies_is_shown_and_never_run(opened, server):
    page = opened(server)
    ask(page, f"Who painted the gate of Nith {HOSTILE}?", method="direct_retrieval")
    unfold(page)
    page.check(".switch input")
    page.click(".node.search > .row")
    page.click(".hits .link:has-text('Gate of Nith')")
    EXPECTED(page.locator("#passage blockquote")).to_contain_text("<script>window.broken=1</script>")
    EXPECTED(page.locator(".short, .failure").first).to_be_visible()
    assert page.locator("#main img, #passage img, #history img, #main script").count() == 0
    assert page.title().endswith(" \u00b7 hopweave")
    assert page.evaluate_handle("window").get_property("broken").json_value() is None


@pytest.mark.slow
def test_thoughts_are_folded_and_shown_as_text_and_long_ones_in_part(opened, tmp_path):
    thoughts = f"First, the designer. {HOSTILE}\n" + "And then? " * 2_200
    with opened.served(app_with(tmp_path, thoughts=thoughts)) as address:
        page = opened(address)
        ask(page)
        unfold(page)
        page.check(".switch input")
        row = page.locator(".node.model_call > .row", has_text="thought for about").first
        row.click()
        folded = page.locator(".particulars .thoughts").first
        EXPECTED(folded.locator("summary")).to_have_text("Thoughts")
        EXPECTED(folded.locator("pre")).to_be_hidden()
        folded.locator("summary").click()
        EXPECTED(folded.locator("pre")).to_be_visible()
        EXPECTED(folded.locator("pre")).to_contain_text(HOSTILE)
        EXPECTED(folded).to_contain_text("more characters in the record")
        assert len(folded.locator("pre").inner_text()) <= 20_000
        assert page.evaluate("window.broken") is None
        assert "First, the designer" not in page.locator(".answer").inner_text()


def test_the_tools_that_a_model_called_are_shown_with_its_thoughts_and_the_result(opened, server):
    page = opened(server)
    record = thinking(f"Search. {HOSTILE}")
    drawn = {"rows": support_summary(record)["drawing"]["with_calls"], "record": json.loads(record.to_json())}
    page.evaluate(
        """async ({ rows, record }) => {
          const [{ tree }, { outline }] = await Promise.all([import("/static/tree.js"), import("/static/outline.js")]);
          const made = outline(rows, record.steps);
          const doing = { open: new Set(made.nodes.keys()), awaited: new Set(), others: null, toggle() {} };
          document.querySelector("main").replaceChildren(tree(made, { record, passages: new Map(), isKept: false }, doing));
        }""",
        drawn,
    )
    first, second = page.locator(".node.model_call").all()
    EXPECTED(first.locator(".row")).to_contain_text('search {"query": "Carrow Head Light"}')
    EXPECTED(first.locator(".row")).to_contain_text("thought for 100 tokens")
    EXPECTED(first.locator("h4")).to_have_text("The model called")
    second.get_by_text("What it was sent").click()
    EXPECTED(second).to_contain_text("tool, the result of call_1")
    EXPECTED(second.locator("details details.thoughts pre")).to_contain_text(HOSTILE)
    assert page.evaluate("window.broken") is None


@pytest.mark.slow
def test_everything_is_reached_by_the_keyboard(opened, server):
    page = opened(server)
    page.focus("#question")
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer")
    page.locator(".reasoning > summary").focus()
    page.keyboard.press("Enter")
    page.locator(".row").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    EXPECTED(page.locator(".row[aria-expanded=true]")).to_have_count(1)
    assert page.evaluate_handle("document.activeElement").get_attribute("aria-expanded") == "true"
    page.keyboard.press("End")
    assert "stop" in page.evaluate_handle("document.activeElement").inner_text()


@pytest.mark.slow
def test_the_focus_stays_where_it_is_when_a_run_is_drawn_again(opened, tmp_path):
    with opened.served(app_with(tmp_path, delay_seconds=0.4)) as address:
        page = opened(address)
        page.fill("#question", QUESTION)
        page.click("#ask")
        page.wait_for_selector(".node.pending")
        page.focus(".reasoning > summary")
        EXPECTED(page.locator(".answer")).to_be_visible()
        EXPECTED(page.locator(".reasoning > summary")).to_be_focused()
        unfold(page)
        page.focus(".switch input")
        page.keyboard.press("Space")
        EXPECTED(page.locator(".node.model_call")).not_to_have_count(0)
        EXPECTED(page.locator(".switch input")).to_be_focused()
        in_a_run = [
            ".run-head button",
            ".claims .mark >> nth=1",
            ".folded summary",
            ".node.decision > .row >> nth=1",
            ".legend summary",
            "text=Ask a follow-up",
            "text=Ask again",
            ".copies-link",
            ".exports >> text=Mermaid",
        ]
        for one in in_a_run:
            page.locator(one).first.focus()
            page.locator(".switch input").evaluate("box => box.click()")
            EXPECTED(page.locator(one).first).to_be_focused()


@pytest.mark.slow
def test_the_link_to_the_content_leads_there_and_leaves_what_is_shown(opened, server):
    page = opened(server)
    ask(page)
    shown = page.url
    page.focus(".skip")
    page.keyboard.press("Enter")
    EXPECTED(page.locator("#main")).to_be_focused()
    assert page.url == shown
    EXPECTED(page.locator(".run")).to_have_count(1)


@pytest.mark.slow
def test_what_cannot_be_a_key_is_told_to_be_unknown_and_is_not_kept(opened, browser, tmp_path):
    from support.served_app import app_over

    key = "der Schl\u00fcssel von Anna 0123"
    with listening(app_over(tmp_path, keys={"anna": KeySettings(sha256=hash_of(key))})) as address:
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)
        for not_one in ("schl\u00fcssel\u2013\u043a\u043b\u044e\u0447", "hw-\x07"):
            page.fill("#key", not_one)
            page.click("#key-form button")
            EXPECTED(page.locator("#alert")).to_have_text("The server does not know this key. Check it, and try again.")
            page.reload()
            EXPECTED(page.locator("#key-form")).to_be_visible()
            EXPECTED(page.locator("#alert")).to_be_hidden()
        page.fill("#key", f" {key} ")  # as it is pasted
        page.click("#key-form button")
        page.wait_for_selector("#composer:visible")
        EXPECTED(page.locator("#alert")).to_be_hidden()
        page.evaluate("sessionStorage.setItem('hopweave-key', 'withdrawn')")
        page.fill("#question", QUESTION)
        page.click("#ask")
        EXPECTED(page.locator("#alert")).to_contain_text("does not know this key")
        page.fill("#key", key)
        page.click("#key-form button")
        page.wait_for_selector("#composer:visible")
        EXPECTED(page.locator("#alert")).to_be_hidden()
        EXPECTED(page.locator(".run")).to_contain_text("Ask again")
        context.close()


@pytest.mark.slow
def test_a_server_with_keys_asks_for_one(opened, browser, tmp_path):
    from support.served_app import KEY, app_over, keys

    with listening(app_over(tmp_path, keys=keys())) as address:
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)
        EXPECTED(page.locator("#key-form")).to_be_visible()
        page.fill("#key", KEY)
        page.click("#key-form button")
        page.wait_for_selector("#composer:visible")
        context.close()


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_serious(opened, server, width, theme):
    page = opened(server, width=width, theme=theme)
    EXPECTED(page.locator(".example")).to_have_count(3)
    assert serious(page) == []
    page.click("#method")
    assert serious(page) == []
    page.keyboard.press("Escape")
    ask(page, method="toqd", beside="direct_retrieval")
    unfold(page)
    page.click(".node.decision > .row >> nth=1")
    page.click(".legend summary >> nth=0")
    page.click(".claims .mark >> nth=0")
    assert serious(page) == []


def open_a_citation_into_a_pdf(page):
    ask(page)
    page.click(".claims .mark >> nth=1")
    EXPECTED(page.locator("#passage-title")).to_have_text("Ines Halloran")
    EXPECTED(page.locator("#passage .where")).to_have_text("halloran.pdf, page 3")


@pytest.mark.slow
def test_a_citation_into_a_pdf_opens_its_page_with_the_cited_words_marked(opened, papers):
    page = opened(papers)
    open_a_citation_into_a_pdf(page)
    drawn = page.locator(".page-figure canvas")
    EXPECTED(drawn).to_have_attribute(
        "aria-label", "Page 3 of halloran.pdf, as an image. Marked on it: \u201cShe was born in Marlow Cross in 1833.\u201d"
    )
    EXPECTED(page.locator(".page-figure")).to_contain_text("Page 3 of 3")
    paper, marks = drawn.bounding_box(), [one.bounding_box() for one in page.locator(".sheet rect").all()]
    assert len(marks) == 2  # a line each
    for mark in marks:
        assert paper["x"] < mark["x"] < mark["x"] + mark["width"] < paper["x"] + paper["width"]
        assert darkest_under(drawn, mark, paper) < 100
    below = {**marks[1], "y": marks[1]["y"] + 20 * marks[1]["height"]}
    assert darkest_under(drawn, below, paper) == 255
    page.focus(".page-figure button")
    page.keyboard.press("Enter")
    EXPECTED(page.locator("dialog canvas")).to_be_visible()
    assert page.locator("dialog canvas").bounding_box()["width"] > 2 * paper["width"]
    EXPECTED(page.locator("dialog rect").first).to_be_in_viewport()
    page.keyboard.press("Escape")
    EXPECTED(page.locator("dialog")).to_have_count(0)
    EXPECTED(page.locator("#passage")).to_be_visible()
    EXPECTED(page.locator(".page-figure button")).to_be_focused()
    page.keyboard.press("Escape")
    EXPECTED(page.locator("#passage")).to_be_hidden()


def darkest_under(drawn, mark, paper):
    """The darkest grey, from 0 to 255, of the image below a mark."""
    place = [(mark["x"] - paper["x"]) / paper["width"], (mark["y"] - paper["y"]) / paper["height"]]
    size = [mark["width"] / paper["width"], mark["height"] / paper["height"]]
    return drawn.evaluate(
        """(canvas, [x, y, width, height]) => Math.min(...canvas.getContext("2d").getImageData(
            x * canvas.width, y * canvas.height, width * canvas.width, height * canvas.height).data)""",
        [*place, *size],
    )


@pytest.mark.slow
def test_a_pdf_that_changed_is_named_and_the_panel_says_why_its_page_is_not_shown(opened, papers, tmp_path):
    (tmp_path / "papers-files" / "halloran.pdf").write_bytes(b"%PDF-1.4 and something else")
    page = opened(papers)
    open_a_citation_into_a_pdf(page)
    EXPECTED(page.locator(".page-figure")).to_contain_text("The page is not shown: the file has changed")
    assert page.locator("canvas").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), [(390, "light"), (1280, "dark")])
def test_axe_finds_nothing_serious_on_a_page_of_a_pdf(opened, papers, width, theme):
    page = opened(papers, width=width, theme=theme)
    open_a_citation_into_a_pdf(page)
    EXPECTED(page.locator(".sheet rect").first).to_be_visible(timeout=LONG_MS)
    for has_dialog in (False, True):
        if has_dialog:
            page.click(".page-figure button")
            EXPECTED(page.locator("dialog canvas")).to_be_visible()
        assert serious(page) == []


@pytest.mark.slow
def test_an_evaluation_is_browsed_from_a_mean_by_cause_to_one_record(opened, tmp_path):
    with opened.served(app_with(tmp_path, runs={"night": scored_run(tmp_path / "night")})) as address:
        page = opened(address)
        page.click("#evaluations")
        EXPECTED(page.locator(".conclusion").first).to_contain_text("too few to tell careful and hasty apart")
        page.click("tr:has-text('hasty') .link >> nth=0")
        EXPECTED(page.locator(".questions li")).to_have_count(3)
        page.click(".cause:has-text('wrong')")
        EXPECTED(page.locator(".questions li")).to_have_count(2)
        page.click(".questions .entry >> nth=0")
        EXPECTED(page.locator(".run .answer .short")).to_have_text("1999")
        page.click("tr:has-text('careful') .link >> nth=0")
        page.click(".cause:has-text('failed')")
        page.click(".questions .entry")
        EXPECTED(page.locator(".questions .entry")).to_contain_text("the language model failed")
        EXPECTED(page.locator(".run .failure")).to_contain_text("endpoint is gone")


@pytest.mark.slow
def test_the_address_of_two_records_of_an_evaluation_shows_them_after_a_reload_and_on_a_phone(opened, tmp_path):
    with opened.served(app_with(tmp_path, runs={"night": scored_run(tmp_path / "night")})) as address:
        page = opened(address, width=390)
        page.click("#evaluations")
        for method, answers in (("hasty", ["1999"]), ("careful", ["1999", "1874"])):
            page.click(f"tr:has-text('{method}') .link >> nth=0")
            EXPECTED(page.locator(".cell-place h3")).to_contain_text(method)
            page.click(".questions .entry >> nth=1")
            EXPECTED(page.locator(".run .answer .short")).to_have_text(answers)
        kept = page.url
        page.reload()
        EXPECTED(page.locator(".run .answer .short")).to_have_text(["1999", "1874"])
        EXPECTED(page.locator(".cause[aria-pressed=true]")).to_have_text("all 3")
        assert page.url == kept
        for cell in page.locator(".wide tbody td").all():  # no column is cut off
            assert cell.bounding_box()["x"] + cell.bounding_box()["width"] <= 390
        assert serious(page) == []
        page.go_back()
        EXPECTED(page.locator(".run")).to_have_count(1)
        page.click("text=Ask again")
        EXPECTED(page.locator("#question")).to_have_value("When was light 1 lit?")
        EXPECTED(page.locator("#reports")).to_be_hidden()


@pytest.mark.slow
def test_one_click_on_a_question_of_the_start_leads_to_a_cited_answer_and_a_second_to_the_cited_words(opened, server):
    page = opened(server)
    EXPECTED(page.locator(".holds")).to_have_text(
        "light: 6 documents (Markdown), among them Carrow Head, Ines Halloran and Marlow Cross."
    )
    EXPECTED(page.locator(".example").first).to_have_text("Where was the designer of Carrow Head born?")
    page.click(".example >> nth=0")
    EXPECTED(page.locator(".claims .mark").first).to_be_visible()
    EXPECTED(page.locator(".run h2")).to_have_text("Where was the designer of Carrow Head born?")
    EXPECTED(page.locator("#welcome")).to_be_hidden()
    page.click(".claims .mark >> nth=0")
    EXPECTED(page.locator("#passage mark").first).to_be_in_viewport()
    page.go_back()
    EXPECTED(page.locator(".example")).to_have_count(3)


@pytest.mark.slow
def test_methods_are_chosen_from_groups_with_a_sentence_on_each(opened, server):
    page = opened(server)
    page.click("#method")
    group = page.locator("dialog section", has_text="Searches once")
    EXPECTED(group.locator("> p")).to_have_text(METHOD_GROUPS["searches once"])
    EXPECTED(group.locator("[data-method=oner]")).to_contain_text(entries("methods")["oner"].summary)
    EXPECTED(page.locator("dialog [aria-pressed=true]")).to_be_focused()
    EXPECTED(page.locator("dialog .option")).to_have_count(len(entries("methods")))
    group.locator("[data-method=oner]").press("Enter")
    EXPECTED(page.locator("#method")).to_have_text("Method oner")
    EXPECTED(page.locator("dialog")).to_have_count(0)


@pytest.mark.slow
def test_a_running_question_tells_the_time_and_what_earlier_answers_took(opened, tmp_path):
    with opened.served(app_with(tmp_path, delay_seconds=0.3)) as address:
        page = opened(address)
        page.fill("#question", QUESTION)
        page.click("#ask")
        EXPECTED(page.locator(".elapsed")).to_have_text("1 s")
        EXPECTED(page.locator(".expected")).to_have_text("")
        EXPECTED(page.locator(".answer")).to_be_visible()
        page.fill("#question", "Who painted the gate of Nith?")
        page.click("#ask")
        EXPECTED(page.locator(".expected")).to_contain_text("by 1 earlier answer of searchain on this server")
        EXPECTED(page.locator("#ask")).to_be_hidden()


@pytest.mark.slow
def test_the_history_has_the_same_answer_once_and_a_follow_up_as_it_was_understood(opened, tmp_path):
    from support.served_app import FOLLOW_UP, WHOLE, app_over
    from support.served_app import QUESTION as ASKED

    with opened.served(app_over(tmp_path)) as address:
        page = opened(address)
        for _ in range(2):
            ask(page, ASKED, method="direct_retrieval")
        EXPECTED(page.locator(".entry")).to_have_count(1)
        EXPECTED(page.locator(".entry")).to_contain_text("2 times")
        page.click("text=Ask a follow-up")
        EXPECTED(page.locator("#follows")).to_contain_text(ASKED)
        page.fill("#question", FOLLOW_UP)
        page.click("#ask")
        EXPECTED(page.locator(".run h2")).to_have_text(WHOLE)
        EXPECTED(page.locator(".run-head")).to_contain_text(f"You asked \u201c{FOLLOW_UP}\u201d")
        EXPECTED(page.locator(".entry").first).to_contain_text(WHOLE)
        EXPECTED(page.locator(".entry").first).to_contain_text(f"asked as: {FOLLOW_UP}")
        page.once("dialog", lambda dialog: dialog.accept())
        page.locator("[data-answer]", has_text="2 times").get_by_role("button", name="Delete: ").click()
        EXPECTED(page.locator(".entry")).to_have_count(1)
        page.reload()
        EXPECTED(page.locator(".entry")).to_have_count(1)


@pytest.mark.slow
def test_the_address_of_a_comparison_shows_it_again_and_one_of_nothing_says_so(opened, server):
    page = opened(server)
    ask(page, method="toqd", beside="direct_retrieval")
    EXPECTED(page.locator("#differences")).to_be_visible()
    EXPECTED(page.locator("#stop")).to_be_hidden()
    other = opened(server)
    other.goto(page.url)
    other.reload()
    EXPECTED(other.locator(".run .short")).to_have_text(page.locator(".run .short").all_inner_texts())
    EXPECTED(other.locator("#differences h2")).to_have_text(QUESTION)
    other.goto(f"{server}/#evaluation=none")
    EXPECTED(other.locator("#alert")).to_contain_text("there is no evaluation 'none'")
    opened.faults.clear()  # the browser tells of the refused request


@pytest.mark.slow
def test_each_finding_is_shown_once(opened, server):
    page = opened(server)
    ask(page)
    visible = page.locator(".run").inner_text()
    for finding in ("In which town was Ines Halloran born?", "Which river runs through Marlow Cross?", "the Teel"):
        assert visible.count(finding) == (2 if finding == "the Teel" else 1)  # the answer, and the step that gives it


@pytest.mark.slow
def test_a_question_can_be_stopped(opened, tmp_path):
    with opened.served(app_with(tmp_path, delay_seconds=20)) as address:
        page = opened(address)
        page.fill("#question", QUESTION)
        page.click("#ask")
        page.wait_for_selector(".node.pending")
        page.click("#stop")
        EXPECTED(page.locator(".run .failure")).to_contain_text("Stopped.")
        EXPECTED(page.locator("#stop")).to_be_hidden()
        EXPECTED(page.locator("#history-list")).to_contain_text("Nothing was asked yet.")


def body_of(page, sends):
    """The body of the question that something sends."""
    with page.expect_request(lambda request: request.method == "POST") as waiting:
        sends()
    return waiting.value.post_data_json


@pytest.mark.slow
def test_to_ask_again_is_to_ask_the_same_documents_with_the_same_method(opened, server):
    page = opened(server)
    page.select_option("#corpus", "carrow-only")
    ask(page, method="direct_retrieval")
    page.reload()
    EXPECTED(page.locator(".run-head")).to_contain_text("direct_retrieval from carrow-only")
    EXPECTED(page.locator("#corpus")).to_have_value("light")
    page.click("text=Ask again")
    EXPECTED(page.locator("#corpus")).to_have_value("carrow-only")
    EXPECTED(page.locator("#method")).to_have_text("Method direct_retrieval")
    asked = body_of(page, lambda: page.keyboard.press("Enter"))
    assert (asked["corpus"], asked["method"], asked["earlier"]) == ("carrow-only", "direct_retrieval", [])
    page.wait_for_selector(".answer")
    page.click("#new-question")
    EXPECTED(page.locator(".holds")).to_contain_text("carrow-only")  # the start is of the chosen documents
    ask(page, method="direct_retrieval", beside="searchain")
    page.click("text=Ask again >> nth=1")
    EXPECTED(page.locator("#method")).to_have_text("Method direct_retrieval")  # a comparison stays one
    EXPECTED(page.locator("#compare-with")).to_have_text("Compare with searchain")


@pytest.mark.slow
def test_to_ask_a_follow_up_again_is_to_ask_it_after_the_same_questions(opened, tmp_path):
    from support.served_app import FOLLOW_UP, RULES, WHOLE, app_over
    from support.served_app import QUESTION as ASKED

    before = [{"question": ASKED, "answer": "Ines Halloran"}]
    with opened.served(app_over(tmp_path)) as address:
        page = opened(address)
        ask(page, ASKED, method="direct_retrieval")
        page.click("text=Ask a follow-up")
        page.fill("#question", FOLLOW_UP)
        page.click("#ask")
        EXPECTED(page.locator(".run h2")).to_have_text(WHOLE)
        page.wait_for_selector("text=Ask a follow-up")  # it is kept
        page.reload()
        page.click("text=Ask again")
        EXPECTED(page.locator("#question")).to_have_value(FOLLOW_UP)
        EXPECTED(page.locator("#follows")).to_contain_text(f"Follow-up to {ASKED}")
        assert body_of(page, lambda: page.click("#ask"))["earlier"] == before
        EXPECTED(page.locator(".run h2")).to_have_text(WHOLE)
        page.click("text=Ask again")
        page.click("text=Not a follow-up")
        EXPECTED(page.locator("#question")).to_have_value(FOLLOW_UP)
        assert body_of(page, lambda: page.click("#ask"))["earlier"] == []
    slow = Scripted([("Asked now:", Line('{"question": ""}', delay_seconds=60)), *RULES])
    with opened.served(app_over(tmp_path / "slow", slow)) as address:
        page = opened(address)
        ask(page, ASKED, method="direct_retrieval")
        page.click("text=Ask a follow-up")
        page.fill("#question", FOLLOW_UP)
        page.click("#ask")
        page.wait_for_selector(".node.pending")
        page.click("#stop")
        page.click(".run-foot >> text=Ask again")
        EXPECTED(page.locator("#question")).to_have_value(FOLLOW_UP)
        assert body_of(page, lambda: page.click("#ask"))["earlier"] == before


@pytest.mark.slow
def test_a_question_that_is_written_while_the_page_loads_is_kept_and_one_that_is_asked_meanwhile_is_shown(opened, server):
    page = opened(server)
    methods, lists = held(page, "**/v1/methods"), held(page, "**/v1/answers?limit=*")
    page.reload()
    page.fill("#question", QUESTION)
    page.keyboard.press("Enter")
    EXPECTED(page.locator("#ask")).to_be_disabled()
    EXPECTED(page.locator("#question")).to_have_value(QUESTION)
    methods[0].continue_()
    EXPECTED(page.locator("#ask")).to_be_enabled()
    page.keyboard.press("Enter")
    EXPECTED(page.locator(".run .answer")).to_be_visible()
    until(page, lambda: len(lists) == 2)  # of the page, and of the question that ended
    for one in lists:
        one.continue_()
    EXPECTED(page.locator(".entry")).to_have_count(1)
    EXPECTED(page.locator(".run .answer .short")).to_have_text("the Teel")
    EXPECTED(page.locator("#history-list li.current")).to_have_count(1)


def held(page, pattern):
    """The requests that match, which wait until they are let go on."""
    waiting = []

    def hold(route):
        waiting.append(route)

    page.route(pattern, hold)
    return waiting


def until(page, holds):
    """Waits in the page, so that its requests are seen, until something holds."""
    for _ in range(300):
        if holds():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it did not come to hold")


@pytest.mark.slow
def test_of_two_ways_that_overlap_the_last_one_is_shown_whichever_arrives_first(opened, server):
    page = opened(server)
    asked = [QUESTION, "Who painted the gate of Nith?", "Where is Ostwick?"]
    addresses = []
    for question in asked:
        ask(page, question, method="direct_retrieval")
        until(page, lambda: "#" in page.url)
        addresses.append(page.url)
    waiting = held(page, re.compile(r"/v1/answers/[0-9a-f-]+$"))
    page.evaluate("history.back()")
    until(page, lambda: len(waiting) == 1)
    page.evaluate("history.back()")
    until(page, lambda: len(waiting) == 2)
    EXPECTED(page.locator(".run h2")).to_have_text(asked[2])  # what was shown stays until there is something else
    assert page.url == addresses[0]
    for one in reversed(waiting):
        one.continue_()
    EXPECTED(page.locator(".run h2")).to_have_text([asked[0]])
    page.wait_for_timeout(300)
    EXPECTED(page.locator(".run h2")).to_have_text([asked[0]])
    assert page.url == addresses[0]
    waiting.clear()
    entries = page.locator(".entry")
    entries.filter(has_text=asked[2]).click()
    entries.filter(has_text=asked[1]).click()
    until(page, lambda: len(waiting) == 2)
    for one in reversed(waiting):
        one.continue_()
    EXPECTED(page.locator(".run h2")).to_have_text([asked[1]])
    page.wait_for_timeout(300)
    EXPECTED(page.locator(".run h2")).to_have_text([asked[1]])
    page.unroute_all()
    page.go_back()
    EXPECTED(page.locator(".run h2")).to_have_text([asked[0]])
    page.go_forward()
    EXPECTED(page.locator(".run h2")).to_have_text([asked[1]])


@pytest.mark.slow
def test_of_two_places_in_an_evaluation_the_last_one_is_shown_and_kept_alone(opened, tmp_path):
    with opened.served(app_with(tmp_path, runs={"night": scored_run(tmp_path / "night")})) as address:
        page = opened(address)
        page.click("#evaluations")
        page.wait_for_selector(".wide")
        waiting = held(page, "**/v1/runs/night/questions?*")
        for method in ("careful", "hasty"):
            page.click(f"tr:has-text('{method}') .link >> nth=0")
        until(page, lambda: len(waiting) == 2)
        for one in reversed(waiting):
            one.continue_()
        EXPECTED(page.locator(".cell-place h3")).to_contain_text("hasty")
        page.wait_for_timeout(300)
        EXPECTED(page.locator(".cell-place h3")).to_contain_text("hasty")
        assert "method=hasty" in page.url
        page.go_back()
        EXPECTED(page.locator(".cell-place h3")).to_have_count(0)
        EXPECTED(page.locator(".wide")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 390])
def test_on_a_phone_long_titles_and_long_passages_leave_scores_and_the_way_out_in_sight(opened, tmp_path, width):
    from support.served_app import app_over, index_of

    filler = "The keepers of the coast kept their books by hand, a line for each night. " * 20
    title = "The books of the keepers of the coast and of its lights, as they were found"
    passage = Passage("tower", f"{filler}The tower of Orlau was built by Ines Halloran in 1777.", title)
    app = app_over(tmp_path, corpora={"coast": index_of(tmp_path / "coast", (passage,))})
    with opened.served(app) as address:
        page = opened(address, width=width, height=640)
        field = page.locator("#question").evaluate(
            "one => [one.scrollHeight - one.clientHeight, one.scrollWidth - one.clientWidth]"
        )
        assert field == [0, 0]  # what it asks for is on one line, and whole
        ask(page, "Who built the tower of Orlau?", method="direct_retrieval")
        unfold(page)
        page.check(".switch input")
        page.click(".node.search > .row")
        score = page.locator(".hits .small")
        assert score.evaluate("one => one.getClientRects().length === 1 && one.offsetHeight < 30")
        assert sideways(page) == []
        page.click(".claims .mark")
        EXPECTED(page.locator("#passage mark").first).to_be_in_viewport()
        EXPECTED(page.locator("#passage-title")).not_to_be_in_viewport()
        page.click("#passage >> text=Close")
        EXPECTED(page.locator("#passage")).to_be_hidden()
