"""What the properties at the beginning of a Markdown file say is read: its title, and what else is not for programs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import read, written
from support.readers import read_markdown

from hopweave.ingest.front_matter import front_matter_of


@pytest.mark.parametrize(
    ("front", "properties"),
    [
        ("phone: 555-0142\nborn: 1902-04-02", {"phone": "555-0142", "born": "1902-04-02"}),
        ("keepers: [Ida Renn, 'Otto, the elder']", {"keepers": "Ida Renn, Otto, the elder"}),
        ("keepers:\n  - Ida Renn\n- Otto\nheight: 41 m", {"keepers": "Ida Renn, Otto", "height": "41 m"}),
        ("about: >\n  It is dry,\n  and cold.\nheight: 41 m", {"about": "It is dry, and cold.", "height": "41 m"}),
        ("note: It opens: at 9", {"note": "It opens: at 9"}),
        ("lamp: lit # since May", {"lamp": "lit"}),
        ("owner: '[[Ida Renn]]'", {"owner": "[[Ida Renn]]"}),
        ("Valid from: May", {"Valid from": "May"}),
        ("weight: 1,200 kg\npublished: 1871-05-03", {"weight": "1,200 kg", "published": "1871-05-03"}),
        ("weight: 3\nnav_order: 2\npublished: false", {}),
        ("layout: page\ndraft: true\nlit: true\nempty:\nnone: null\nsidebar_position: 3", {}),
        ("of:\n  no: use\n  to: anybody\nlist:\n- name: a", {}),
        ("- lamp\n\n# comment\n{{ template }}", {}),
        ("long: " + "a" * 301, {}),
    ],
)
def test_properties_are_told_by_their_lines(front, properties):
    found = front_matter_of(f"---\n{front}\n---\nText.")
    assert (found.title, found.properties) == ("", properties)


@pytest.mark.parametrize("content", ["Text.", "---\nText.", "----\na: b\n---\n", " ---\na: b\n---\n", ""])
def test_a_file_without_properties_has_none(content):
    assert front_matter_of(content) == ("", {}, 0)


@pytest.mark.parametrize("title", ['title: "Ulm"', "Title: Ulm", "title: Ulm # the town"])
def test_the_title_is_none_of_the_properties(title):
    found = front_matter_of(f"---\n{title}\nheight: 41 m\n...\nText.")
    assert (found.title, found.properties) == ("Ulm", {"height": "41 m"})


def test_they_are_a_row_above_the_text_with_links_as_readers_see_them(tmp_path):
    [passage] = read(
        written(tmp_path, "Ida Renn.md", "---\nrole: Keeper\nboss: '[[Otto Berg|Otto]]'\n---\n# Ida Renn\n\nShe keeps it.")
    )
    assert (passage.title, passage.text) == ("Ida Renn", "role: Keeper; boss: Otto.\n\nIda Renn\n\nShe keeps it.")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("It costs ==€48== now.", "It costs €48 now."),
        ("Ask them. %%check%%", "Ask them."),
        ("Call Otto ^call1", "Call Otto"),
        ("Since [[1871]] and [[2024-11-05]].", "Since 1871 and 2024-11-05."),
        ("a == b and c == d", "a == b and c == d"),
        ("a==b and c==d", "a==b and c==d"),
        ("x[[1]] is 5 % of 10 %", "x[[1]] is 5 % of 10 %"),
        ("`==a==` is code", "==a== is code"),
        ("2 ^10 is many", "2 ^10 is many"),
    ],
)
def test_marks_of_notes_are_not_shown(line, shown):
    assert read_markdown(line).parts[0].text == shown


@given(st.text(alphabet="-:[]'\"#>| \n\tab1", max_size=80))
def test_any_properties_are_read_without_an_error(front):
    found = front_matter_of(f"---\n{front}\n---\n")
    assert all(name and value for name, value in found.properties.items())
