"""Items of numbered lists keep their numbers, so that a passage says which step is the third."""

import pytest
from support.readers import read_document

from hopweave.ingest.item_numbers import numeral
from hopweave.text.sentences import first_sentence, sentence_spans


def text_of(content, suffix):
    return read_document(content, suffix).parts[0].text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("1. Fill the lamp.\n2. Light it.\n3. Write it down.", "1. Fill the lamp.\n\n2. Light it.\n\n3. Write it down."),
        ("7) Fill\n7) Light", "7. Fill\n\n8. Light"),  # as it is drawn: only the first number counts
        ("1. Fill\n\n   at dusk\n2. Light", "1. Fill\n\nat dusk\n\n2. Light"),
        ("1. Fill\n   1. oil\n   2. water\n2. Light", "1. Fill\n\n1. oil\n\n2. water\n\n2. Light"),
        ("1. Fill\n   - oil\n2. Light", "1. Fill\n\noil\n\n2. Light"),
        ("1. 1. Fill\n2. - Light", "1. 1. Fill\n\n2. Light"),
        ("1. # Fill\n2. ```\n   lit\n   ```", "1. Fill\n\n2. lit"),
        ("1.\n2. Light\n\nAt night", "2. Light\n\nAt night"),
        ("1.\n\nAt night", "At night"),
        ("1. ![](lamp.png)\n\n   Fill", "1. Fill"),
        ("1. | a | b |\n   |---|---|\n   | 1 | 2 |", "a: 1; b: 2."),
        ("- Fill\n- Light", "Fill\n\nLight"),
    ],
)
def test_items_of_markdown_keep_their_numbers(content, text):
    assert text_of(content, ".md") == text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<ol><li>Fill the lamp.<li>Light it.</ol>At night", "1. Fill the lamp.\n\n2. Light it.\n\nAt night"),
        ("<ol><li><p>Fill</p><p>at dusk</p></li>\n<li>Light</li></ol>", "1. Fill\n\nat dusk\n\n2. Light"),
        ("<ol start=3><li>Fill<li value='7'>Light<li>Write</ol>", "3. Fill\n\n7. Light\n\n8. Write"),
        ("<ol start=2 reversed><li>Fill<li>Light</ol>", "2. Fill\n\n1. Light"),
        ("<ol reversed><li>Fill<li>Light</ol>", "Fill\n\nLight"),  # which numbers they have is known only at the end
        ("<ol type=a><li>Fill<li>Light</ol>", "a. Fill\n\nb. Light"),
        ("<ol><li>Fill<ol type=i><li>oil<li>water</ol>up<li>Light</ol>", "1. Fill\n\ni. oil\n\nii. water\n\nup\n\n2. Light"),
        ("<ol><li>Fill<ul><li>oil</ul><li>Light</ol>", "1. Fill\n\noil\n\n2. Light"),
        ("<ol><li><ol><li>Fill</ol></ol>", "1. 1. Fill"),
        ("<ol><li></li><li>Light<li></ol>At night", "2. Light\n\nAt night"),
        ("<ol><li><h2>Fill</h2>at dusk</ol>", "1. Fill\n\nat dusk"),
        ("<svg><ol></svg><ol><li>Fill</ol><li>Light", "1. Fill\n\nLight"),
        ("<ol><li><table><tr><th>a<th>b<tr><td>1<td>2</table></ol>", "a: 1; b: 2."),
        ("<ul><li value=4>Fill</ul>", "Fill"),
    ],
)
def test_items_of_html_keep_their_numbers(content, text):
    assert text_of(content, ".html") == text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("#. Fill the lamp.\n\n#. Light it.", "1. Fill the lamp.\n\n2. Light it."),
        ("#. Fill\n#. Light", "1. Fill\n2. Light"),
        ("#. Fill\n   at dusk\n\n   and wait\n\n#. Light", "1. Fill\nat dusk\n\nand wait\n\n2. Light"),
        ("4. Fill\n#. Light\n#. Write", "4. Fill\n5. Light\n6. Write"),
        ("(c) Fill\n(#) Light", "(c) Fill\nd. Light"),
        ("I. Fill\n#. Light", "I. Fill\nII. Light"),
        ("#. Fill\n\n   #. oil\n   #. water\n\n#. Light", "1. Fill\n\n1. oil\n2. water\n\n2. Light"),
        ("#. Fill\n\nAt night\n\n#. Light", "1. Fill\n\nAt night\n\n1. Light"),
        ("#. Fill\n\n   .. note:: It burns.\n\n#. Light", "1. Fill\n\nIt burns.\n\n2. Light"),
        ("#. Fill\n\n.. note::\n\n   #. oil", "1. Fill\n\n1. oil"),
        ("Write::\n\n    #. left\n\n#. Fill", "Write:\n\n#. left\n\n1. Fill"),
        ("Write\n\n.. code-block:: po\n\n    #. left\n\n#. Fill", "Write\n\n#. left\n\n1. Fill"),
        ("#.\n\nNumber #. stays.", "#.\n\nNumber #. stays."),
    ],
)
def test_items_of_restructured_text_that_are_numbered_automatically_have_their_numbers(content, text):
    assert text_of(content, ".rst") == text


def test_lists_within_lists_do_not_make_a_page_many_times_longer():
    assert len(text_of("<ol><li>" * 5_000 + "x", ".html")) < 100


@pytest.mark.parametrize(
    ("number", "style", "written"),
    [
        *[(1, "1", "1"), (-2, "1", "-2"), (26, "a", "z"), (27, "A", "AA"), (703, "a", "aaa"), (0, "a", "0")],
        *[(4, "i", "iv"), (399, "I", "CCCXCIX"), (400, "I", "400"), (0, "i", "0"), (3, "disc", "3")],
    ],
)
def test_a_numeral_is_written_as_the_list_has_it(number, style, written):
    assert numeral(number, style) == written


@pytest.mark.parametrize("number", ["3.", "100.", "b.", "iv.", "XXIII.", "1. 2."])
def test_the_number_of_an_item_is_no_sentence_of_its_own(number):
    text = f"Steps:\n\n{number} Light the lamp. Then wait."
    sentences = [text[span.start : span.end] for span in sentence_spans(text)]
    assert sentences == ["Steps:", f"{number} Light the lamp.", "Then wait."]


@pytest.mark.parametrize("answer", ["161.", "A.", "IV."])
def test_an_answer_that_looks_like_a_number_of_an_item_ends_its_sentence(answer):
    assert first_sentence(f"{answer} The tower is in Ulm.") == answer
