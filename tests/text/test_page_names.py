"""The names of pages, and which of them a question has."""

import pytest

from hopweave.text.page_names import page_name, pages_named_small


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("glob — Names of files — Orla 3.1 documentation", "glob"),
        ("email.policy: Policy Objects — Orla documentation", "email.policy"),
        ("Server Configuration | The Sula Handbook", "Server Configuration"),
        ("realpath.1", "realpath"),
        ("RFC 7636: Proof Key for Code Exchange", "RFC 7636"),
        ("PEP 8 – Style Guide for Python Code | peps.python.org", "PEP 8"),
        ("Chapter 8: Boats", "Chapter 8: Boats"),
        ("Help - Wanted - Orla", "Help - Wanted - Orla"),
        ("git-log(1)", "git-log(1)"),
    ],
)
def test_a_title_has_the_name_of_its_page(title, name):
    assert page_name(title) == name


@pytest.mark.parametrize(
    ("text", "title", "names"),
    [
        ("What does git stage do?", "git-stage(1)", ["git-stage"]),
        ("Which release drops asyncore?", "asyncore — Sockets — Orla 3.1 documentation", ["asyncore"]),
        ("What is realpath's option for links?", "realpath.1", ["realpath"]),
        ("What does git add do?", "git-stage(1)", []),
        ("What is staged?", "stage(1)", []),
        ("Where is the machine ID kept?", "machine-id(5)", []),
        ("Which systemd unit starts it?", "systemd.unit.5", []),
        ("Who wrote it?", "who(1)", []),
    ],
)
def test_a_text_names_the_pages_of_which_it_has_the_whole_name(text, title, names):
    assert pages_named_small(text, [title, title]) == names


@pytest.mark.parametrize("title", ["prices", "price list", "Stage(1)", "", "Prices — Help — Orla documentation"])
def test_a_title_that_may_be_a_common_word_or_has_capitals_is_no_name_of_a_program(title):
    assert pages_named_small("Which prices of the price list does the stage have?", [title]) == []
