"""The live view shows what happens now, also when the tree has outgrown the screen."""

import threading
import time
from io import StringIO

import pytest
from rich.console import Console
from rich.tree import Tree
from support.sample_records import all_records

from hopweave.apps.cli._live import LiveTree, _Tail
from hopweave.record import Decision, ModelCall, Read, Search, Started, TextPiece, Timing
from hopweave.show.terminal import draw_outline, draw_tree


def shown(num_branches, height):
    tree = Tree("root")
    for number in range(num_branches):
        tree.add(f"step {number}")
    console = Console(width=40, height=height, record=True, file=StringIO())
    console.print(_Tail(tree), end="")
    return console.export_text().splitlines()


def test_a_tree_that_fits_is_shown_whole():
    assert [line.split()[-1] for line in shown(3, 10)] == ["root", "0", "1", "2"]


def test_of_a_tree_that_outgrew_the_screen_the_newest_lines_are_shown():
    lines = shown(50, 10)
    assert len(lines) <= 10
    assert lines[-1].endswith("step 49")


# -- the same words and signs as the finished tree ---------------------------------------------------------------------------


def drawn(renderable):
    console = Console(width=200, record=True, file=StringIO())
    console.print(renderable)
    return console.export_text().splitlines()


def replayed(record, live, *, until=None):
    """Tells an observer of the steps of a record, as they would have happened."""
    for step in record.steps[:until]:
        if isinstance(step, ModelCall | Search | Read):
            live(Started(step.id, step.parent, step.kind, "asked"))
        live(step)


def test_when_all_is_done_the_live_tree_is_the_finished_one():
    signs = ""
    for record in all_records():
        live = LiveTree(record.question.text)
        replayed(record, live)
        _, tree = split(drawn(draw_outline(live.outline(time.monotonic()))))
        _, finished = split(drawn(draw_tree(record)))
        assert tree == finished
        signs += "".join(tree)
    assert all(sign in signs for sign in ("✓ supported", "→"))


def split(lines):
    """The lines of the question, and those of the tree below it."""
    first = next((number for number, line in enumerate(lines) if line.startswith(("├", "└"))), len(lines))
    return lines[:first], lines[first:]


def test_the_time_since_the_question_was_asked_is_shown():
    live = LiveTree("Where?")
    began = time.monotonic()
    assert live.outline(began + 61.5).question.startswith("Where? (61.")
    assert live.outline(began + 200).question.endswith("(200 s)")


def test_a_call_under_way_shows_what_was_said_and_how_long_it_takes_until_it_ends():
    live = LiveTree("Where?")
    live(Decision(0, None, "branch", "a chain"))
    live(Started(1, 0, "model_call", "reason"))
    live(Started(2, 0, "search", "the engineer"))
    live(TextPiece(1, "So the answer "))
    live(TextPiece(1, "is"))
    [branch] = live.outline(time.monotonic() + 3).nodes
    told = [(node.label, node.text[:-6]) for node in branch.children]
    assert told == [("reason", "So the answer is ..."), ("search", "the engineer ...")]
    assert all(node.text.endswith(" s") for node in branch.children)
    live(Search(2, 0, ("the engineer",), 5, ((),), None, Timing(0.0, 0.1)))
    [branch] = live.outline(time.monotonic()).nodes
    assert [node.label for node in branch.children] == ["reason"]  # the finished tree leaves out calls that went well, too


@pytest.mark.slow
def test_it_can_be_drawn_while_steps_arrive():
    live = LiveTree("Where?")
    errors = []

    def draw():
        try:
            for _ in range(200):
                drawn(live)
        except RuntimeError as error:
            errors.append(error)

    thread = threading.Thread(target=draw)
    thread.start()
    for number in range(2000):
        live._take(Decision(number, number - 1 if number % 7 else None, "branch", f"step {number}"))
    thread.join()
    assert errors == []
