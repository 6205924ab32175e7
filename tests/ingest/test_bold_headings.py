"""Bold lines are headings where nothing else is one: people make headings without a style for them."""

import pytest
from support.corpora import read, written
from support.documents import docx

PLAIN = ["The lamp is lit at dusk on each day of the week.", "Oil is kept in the lower store, and nobody may smoke there."]
HEADS = ["Lamp and wicks", "Where is the oil?"]


def runs(*texts, style=""):
    """A paragraph of runs, each plain, bold (`*`), or as its style says."""
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    shown = (f"<w:r>{'<w:rPr><w:b/></w:rPr>' if text[0] == '*' else ''}<w:t>{text.lstrip('*')}</w:t></w:r>" for text in texts)
    return f"<w:p>{properties}{''.join(shown)}</w:p>"


def in_word(paragraphs, *, styled=False):
    styles = '<w:style w:styleId="Small"><w:name w:val="Small head"/><w:rPr><w:b/></w:rPr></w:style>'
    body = [runs(text[1:], style="Small") if styled and text[0] == "*" else runs(text) for text in paragraphs]
    return docx(*body, styles=styles)


def in_markdown(paragraphs):
    return "\n\n".join(f"**{text[1:]}**" if text[0] == "*" else text for text in paragraphs)


def in_html(paragraphs):
    return "".join(f"<p><b>{text[1:]}</b></p>" if text[0] == "*" else f"<p>{text}</p>" for text in paragraphs)


WRITERS = {
    "a.docx": in_word,
    "styled.docx": lambda paragraphs: in_word(paragraphs, styled=True),
    "a.md": in_markdown,
    "a.html": in_html,
}


def sections(tmp_path, name, paragraphs):
    """The headings of each passage, by the first of the plain paragraphs in it."""
    passages = read(written(tmp_path, name, WRITERS[name](paragraphs)), max_words=12)
    return {text: passage.heading for passage in passages for text in PLAIN if text in passage.text}


@pytest.mark.parametrize("name", WRITERS)
def test_bold_lines_are_headings_and_the_first_may_be_the_title(tmp_path, name):
    found = sections(tmp_path, name, ["*Kerrow Light", f"*{HEADS[0]}", PLAIN[0], f"*{HEADS[1]}", PLAIN[1], "It is so."])
    assert found == {PLAIN[0]: f"Kerrow Light > {HEADS[0]}", PLAIN[1]: f"Kerrow Light > {HEADS[1]}"}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    "paragraphs",
    [
        [f"*{HEADS[0]}", *PLAIN],
        ["Keep this.", "*Never smoke there.", PLAIN[0], "*It is dangerous.", PLAIN[1]],
        ["Keep this.", "*lamp = lit", PLAIN[0], "*oil = dry", PLAIN[1]],
        [f"*{HEADS[0]}", f"*{HEADS[1]}", "*Boats", "*Stores", PLAIN[0], PLAIN[1]],
    ],
)
def test_a_single_bold_line_a_sentence_code_and_mostly_bold_text_are_no_headings(tmp_path, name, paragraphs):
    found = sections(tmp_path, name, paragraphs)
    assert {heading.partition(".")[0] for heading in found.values()} <= {"a", "styled"}


def test_bold_lines_below_real_headings_are_text(tmp_path):
    page = f"# Kerrow Light\n\nIt is old.\n\n## Lamp\n\n**Wicks**\n\n{PLAIN[0]}\n\n**Oil**\n\n{PLAIN[1]}\n"
    passages = read(written(tmp_path, "a.md", page), max_words=12)
    assert {passage.heading for passage in passages if PLAIN[0] in passage.text} == {"Kerrow Light > Lamp"}


def test_bold_lines_below_a_title_are_its_sections(tmp_path):
    page = f"# Kerrow Light\n\n**Wicks**\n\n{PLAIN[0]}\n\n**Oil**\n\n{PLAIN[1]}\n"
    passages = read(written(tmp_path, "a.md", page), max_words=12)
    assert {passage.heading for passage in passages if PLAIN[1] in passage.text} == {"Kerrow Light > Oil"}


def test_a_word_in_bold_makes_no_heading(tmp_path):
    body = [runs("*Lamp", " is lit"), runs(PLAIN[0]), runs("*Oil", " is dry"), runs(PLAIN[1])]
    passages = read(written(tmp_path, "a.docx", docx(*body)), max_words=12)
    assert {passage.heading for passage in passages} == {"a"}


def test_bold_questions_below_other_headings_are_headings_too(tmp_path):
    page = f"# Kerrow Light\n\nIt is old.\n\n## Lamp\n\n**What lights it?**\n\n{PLAIN[0]}\n\n**Who does?**\n\n{PLAIN[1]}\n"
    passages = read(written(tmp_path, "a.md", page), max_words=12)
    headings = {passage.heading for passage in passages if PLAIN[1] in passage.text}
    assert headings == {"Kerrow Light > Lamp > Who does?"}
