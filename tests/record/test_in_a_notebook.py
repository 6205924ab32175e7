"""Work in a notebook or a terminal: asking beside a running loop, what an answer looks like, how far many questions are."""

import asyncio
import signal
import sys
import threading
import time
from types import ModuleType

import pytest

from hopweave.core.errors import SettingsError
from hopweave.core.types import Hit, Passage, Question
from hopweave.models.llms.scripted import Scripted
from hopweave.run import weaver
from hopweave.run.progress_bar import progress
from hopweave.run.weaver import Weaver, ask

pytestmark = pytest.mark.usefixtures("own_folders")
LIGHT = Passage("light", "The light <of> Carrow Head was designed by Ines Halloran.", "<b>Carrow</b>\u202e Head")


class One:
    identity = "one passage"

    def search(self, queries, max_hits):
        return [[Hit(LIGHT, 1.0, 1)] for _ in queries]

    def close(self):
        pass


def asked(says="Ines Halloran", **more):
    llm = Scripted(lambda messages, sampling: says)
    given = {"method": "direct_retrieval", "llm": llm, "retriever": One(), "store": {"mode": "off"}}
    return ask("Who designed the light of <i>Carrow Head</i>?", **(given | more))


def test_a_record_shows_its_answer_its_standing_and_its_quotes():
    html = asked()._repr_html_()
    assert "<b>Who designed the light of &lt;i&gt;Carrow Head&lt;/i&gt;?</b>" in html
    assert "Ines Halloran" in html
    assert "A passage supports it." in html
    assert "[1] &lt;b&gt;Carrow&lt;/b&gt;\ufffd Head: <q>" in html
    assert "\u202e" not in html


def test_the_words_that_contradict_an_answer_are_shown_as_well():
    other = Passage("other", "The light <of> Carrow Head was designed by Otto Falk.", "Another <page>")

    class Two(One):
        def search(self, queries, max_hits):
            return [[Hit(LIGHT, 1.0, 1), Hit(other, 0.5, 2)] for _ in queries]

    record = asked(retriever=Two())
    assert [(citation.quote, passage.id) for citation, passage in record.passages_against()] == [(other.text, "other")]
    html = record._repr_html_()
    assert "Passages disagree." in html
    assert (
        "<p>Says otherwise: Another &lt;page&gt;: <q>The light &lt;of&gt; Carrow Head was designed by Otto Falk.</q></p>"
        in html
    )
    assert asked().passages_against() == ()


def test_a_record_is_a_line_in_a_terminal():
    said = "<Record question='Who designed the light of <i>Carrow Head</i>?', answer='Ines Halloran', standing='supported'>"
    assert repr(asked()) == said
    broken = Scripted(lambda messages, sampling: 1 / 0)
    failed = ask("Who?", method="direct_retrieval", llm=broken, retriever=One(), store={"mode": "off"})
    assert repr(failed).startswith("<Record question='Who?', error=Failure(")


def test_an_answer_that_nothing_bears_out_and_one_that_is_missing_look_like_it():
    assert "No passage supports it." in asked("Marlow Cross")._repr_html_()
    assert "It gives no answer." in asked("")._repr_html_()
    broken = Scripted(lambda messages, sampling: 1 / 0)
    html = ask("Who?", method="direct_retrieval", llm=broken, retriever=One(), store={"mode": "off"})._repr_html_()
    assert "<p>No answer: the language model failed: " in html


async def test_asking_works_where_a_loop_runs_and_raises_what_fails_beside_it():
    assert asked().answer.short == "Ines Halloran"
    with pytest.raises(SettingsError, match="is not one of the methods"):
        ask("Who?", method="serchain")


def test_interrupting_the_wait_for_it_cancels_the_work():
    begun, ended = threading.Event(), []

    async def work():
        begun.set()
        try:
            await asyncio.sleep(30)
        finally:
            ended.append(True)

    def interrupt():
        begun.wait()
        time.sleep(0.2)  # until the wait for it has begun, too
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # where tests run side by side, it is ignored
    try:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            weaver._in_a_thread(work())
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == [True]


async def all_answers(**more):
    llm = Scripted(lambda messages, sampling: "Ines Halloran")
    questions = [Question(f"q{number}", "Who designed it?") for number in range(3)]
    async with Weaver(method="direct", llm=llm, retriever=One()) as made:
        return [record async for record in made.answer_all(questions, max_parallel=2, **more)]


def test_progress_is_shown_where_a_person_watches_and_where_it_is_asked_for(capsys, monkeypatch):
    assert len(asyncio.run(all_answers())) == 3
    assert capsys.readouterr().err == ""
    assert len(asyncio.run(all_answers(show_progress=True))) == 3
    assert "3/3" in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    asyncio.run(all_answers())
    assert "3/3" in capsys.readouterr().err
    asyncio.run(all_answers(show_progress=False))
    assert capsys.readouterr().err == ""


def test_a_notebook_without_widgets_has_no_bar(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    monkeypatch.setattr("hopweave.run.progress_bar.find_spec", lambda name: None)
    with progress(3) as one_more:
        one_more()
    assert capsys.readouterr().err == ""


def test_how_many_there_are_need_not_be_known(capsys):
    with progress(None, is_shown=True) as one_more:
        one_more()
    assert "1/?" in capsys.readouterr().err
