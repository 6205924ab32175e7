"""What a terminal shows: everything that matters, at every width, with and without colour."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType
from support.sample_records import all_records, failed, finish, graph, hostile, searchain

from hopweave.core.types import Answer, Question
from hopweave.record import Decision, Record, Trace
from hopweave.show.terminal import draw_answer, draw_record, draw_tree


def shown(drawing: RenderableType, width: int = 100, *, colour: bool = False) -> str:
    stream = StringIO()
    Console(file=stream, width=width, force_terminal=colour, color_system="truecolor" if colour else None).print(drawing)
    return stream.getvalue()


def test_the_tree_of_a_searchain_question_reads_as_it_happened():
    assert [line.rstrip() for line in shown(draw_tree(searchain()), 130).splitlines()] == [
        "Where was the engineer of Carrow Head Light born?",
        "├─ branch  2 queries  (0.02 s)",
        "│  ├─ node  Who designed Carrow Head Light? → Robert Stev"
        "  ✓ supported, corrected: the passage says Ines Halloran  (f 6.21, 5.8 s)",
        "│  │  └─ branch  3 queries  (0.02 s)",
        "│  │     ├─ node  Who designed Carrow Head Light? → Ines Halloran  ✓ supported, verified  (f 6.21, 0.30 s)",
        "│  │     ├─ node  Where was Ines Halloran born? → Port Merrow  ✓ supported, verified  (f 4.80, 0.30 s)",
        "│  │     └─ #16 node  Which river does Port Merrow lie at? → [unsolved]  ✓ supported, completed  (f 3.02, 0.30 s)",
        "│  └─ node  Where was Robert Stev born? → Edinburgh",
        "├─ path  Carrow Head Light → Ines Halloran → Port Merrow → Sill  after #16",
        "└─ stop  finished after 2 rounds",
    ]


def test_a_graph_names_what_each_step_waited_for():
    text = shown(draw_tree(graph()))
    assert "├─ #1 sub-question  Q1: When was A founded?" in text
    assert "Which came first, #1 or #2?  after #1, #2" in text


def test_calls_and_particulars_are_shown_when_asked_for():
    assert "reader  Ines Halloran" not in shown(draw_tree(searchain()))
    text = shown(draw_tree(searchain(), calls=True))
    assert "reader  Ines Halloran" in text
    assert "passage_id: lamp-1" in text


def test_the_answer_shows_its_text_claims_citations_and_totals():
    text = shown(draw_answer(searchain()))
    assert "Answer  Port Merrow" in text
    assert "designed by Ines Halloran [1], who was born" in text
    assert "1  ✓ supported     corrected  Who designed Carrow Head Light? → Ines Halloran [1]" in text
    assert "[2] Ines Halloran  people.md" in text
    assert "4 calls" in text


def test_without_colour_a_quote_and_its_focus_can_still_be_told():
    text = " ".join(shown(draw_answer(searchain())).split())
    assert "«She was born in *Port Merrow*, a town known for its rope walks», and learned" in text


def test_a_passage_is_shown_as_prose_without_its_line_breaks_and_indents():
    record = searchain()
    indented = tuple(replace(one, text=f"{one.text}\n\n      o  And   so\n         on.") for one in record.passages)
    assert " o And so on." in " ".join(shown(draw_answer(replace(record, passages=indented)), 400).split("\n"))


def test_with_colour_a_quote_carries_no_signs():
    text = shown(draw_answer(searchain()), colour=True)
    assert "«" not in text
    assert "\x1b[2m" in text


def test_a_failed_question_shows_its_error():
    text = shown(draw_record(failed()))
    assert "No answer: the language model failed" in text
    assert "the language model failed: the endpoint said 503 three times (a retry may help)" in " ".join(text.split())
    assert "parse failure  chain: no query was found" in text


def test_a_failure_that_is_told_elsewhere_is_only_marked():
    text = shown(draw_record(failed(), failure=False))
    assert "three times" not in text
    assert "\nNo answer.\n" in text.replace(" \n", "\n")


def test_work_that_ended_early_says_why():
    record = replace(searchain(), answer=Answer("", "", (), stopped_because="max_rounds", num_marks_removed=2))
    text = shown(draw_answer(record))
    assert "Answer  (none)" in text
    assert "Stopped early: max_rounds" in text
    assert "Invented marks removed: 2" in text


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("record", all_records())
def test_no_line_is_wider_than_the_terminal(record: Record, width: int):
    for line in shown(draw_record(record, calls=True), width).splitlines():
        assert cell_len(line) <= width


def test_a_deep_tree_leaves_half_of_the_width_for_words():
    steps = tuple(Decision(n, n - 1 if n else None, "step", "some words to read") for n in range(60))
    text = shown(draw_tree(replace(finish(Trace(), Question("q", "?"), None), steps=steps)), 60)
    assert len(text.splitlines()) == 61
    assert all(cell_len(line) <= 60 for line in text.splitlines())


def test_nothing_in_a_text_is_taken_for_a_command_of_the_terminal_or_for_markup():
    text = shown(draw_record(hostile(), calls=True))
    assert "\x1b" not in text
    assert '"quoted" [b] (c)' in text


def test_the_drawing_is_the_same_with_and_without_colour_but_for_the_signs():
    from rich.text import Text

    for record in all_records():
        coloured = Text.from_ansi(shown(draw_tree(record), colour=True)).plain
        assert coloured.split() == shown(draw_tree(record)).split()
