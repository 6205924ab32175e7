"""Where HTML is made, a text cannot become markup."""

from __future__ import annotations

from hopweave.show.markup import Markup, escaped, folded, joined, tag


def test_a_plain_text_is_always_escaped():
    assert tag("p", "<b>&\"'") == "<p>&lt;b&gt;&amp;&quot;&#x27;</p>"


def test_markup_goes_in_as_it_is():
    assert tag("p", tag("b", "x"), " < y") == "<p><b>x</b> &lt; y</p>"


def test_attributes_are_escaped_and_empty_ones_left_out():
    assert tag("a", "x", href='"><script>', class_="", data_id="1") == '<a href="&quot;&gt;&lt;script&gt;" data-id="1">x</a>'


def test_a_void_element_has_no_end():
    assert tag("br") == "<br>"


def test_joining_escapes_the_parts_and_what_stands_between():
    assert joined(["<", tag("i", ">")], "&") == "&lt;&amp;<i>&gt;</i>"


def test_what_is_joined_is_not_escaped_again():
    assert escaped(escaped("<")) == "&lt;"
    assert isinstance(joined([]), Markup)


def test_a_fold_is_closed_unless_told_otherwise():
    assert folded("s", "x") == "<details><summary>s</summary>x</details>"
    assert folded("s", "x", is_open=True, id="a") == '<details open id="a"><summary>s</summary>x</details>'


def test_control_characters_do_not_reach_the_page():
    assert escaped("a\x00b\x1b") == "a\u2400b\u241b"
