"""The live view shows what happens now, also when the tree has outgrown the screen."""

from io import StringIO

from rich.console import Console
from rich.tree import Tree

from hopweave.cli._live import _Tail


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
