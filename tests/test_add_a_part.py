"""What the pages on adding parts show works as it is written there: the files, the commands, and the cells of a notebook."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from support.commands import ran
from support.package_copy import PackageCopy
from support.tiers import first_of

import hopweave
from hopweave.core.catalog import FOLDERS, PROTOCOLS
from hopweave.record import ModelCall

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {
    "add_a_method.md": ("methods", "DraftFirst {'num_passages': 3} Ines Halloran"),
    "add_a_retriever.md": ("retrievers", "shared_words corpus="),
    "add_a_model.md": ("llms", "first_sentence otherwise='I do not know.' The light of Carrow Head"),
    "add_a_reader.md": ("readers", "first_name min_words=2"),
    "add_a_dataset.md": ("datasets", "Which head has a light by Ines Halloran? Ines Halloran"),
    "add_a_metric.md": ("metrics", "{'begins_right': 1.0}"),
}
RULES = '[[rules]]\nmatch = "(?s)."\nsay = "Ines Halloran"\n'
CORPUS = '{"id": "light", "title": "Carrow Head", "text": "The light of Carrow Head was designed by Ines Halloran."}\n'
QUESTIONS = '{"id": "q1", "question": "Who designed the light of Carrow Head?", "answer": "Ines Halloran"}\n'


def part_of(page, heading):
    """What stands under a heading; what stands before all of them if it is empty."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.split(r"^## ", text, flags=re.MULTILINE)[0] if not heading else text.split(f"## {heading}\n")[1].split("\n## ")[0]


def fences(text, language):
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with an index, questions and a scripted model, in which nothing but a page's own words is needed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name, text in (("rules.toml", RULES), ("corpus.jsonl", CORPUS), ("questions.jsonl", QUESTIONS)):
        Path(name).write_text(text, encoding="utf-8")
    assert ran("index", "corpus.jsonl", "--to", "index").exit_code == 0
    monkeypatch.setenv("HOPWEAVE_LLM", "scripted")
    monkeypatch.setenv("HOPWEAVE_LLMS__SCRIPTED__RULES_FILE", "rules.toml")
    monkeypatch.setenv("HOPWEAVE_CORPUS", "index")


def shown(page):
    """The files that a page shows for a folder of one's own, by name."""
    text = part_of(page, "From a file of your own")
    return dict(re.findall(r"^`([\w.]+)`[^\n]*:\n\n```\w+\n(.*?)```", text, re.DOTALL | re.MULTILINE))


def written(page):
    """Writes the files that a page shows for a folder of one's own; the name of the one with the code."""
    for name, content in shown(page).items():
        Path(name).write_text(content, encoding="utf-8")
    [code] = Path().glob("*.py")
    return code


def of_the_package(page):
    """The files that a page says to put into the package, by their paths there."""
    text = part_of(page, "As a file of the package")
    blocks = re.findall(r"```(?:python|toml)\n(.*?)```", text, re.DOTALL)
    if places := re.findall(r"`src/(\S+)`:$", text, re.MULTILINE):
        return dict(zip(places, blocks, strict=False))
    [(folder, name)] = re.findall(r"Put the file in `src/(\S+)` as `(\S+)`; nothing else needs editing", " ".join(text.split()))
    code = shown(page)[name]
    for block in blocks:  # a docstring of the package instead of the short one, or all of the code
        code = block + code.partition('"""\n')[2] if block.endswith('\n"""\n') else block
    return {f"{folder}{name}": code}


def test_there_is_a_page_for_every_role_that_people_write():
    assert {role for role, _ in PAGES.values()} == PROTOCOLS.keys() - {"duplicate_detectors"}
    assert {path.name for path in DOCS.glob("add_a_*.md")} == PAGES.keys()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_begins_with_a_file_and_a_notebook_and_ends_with_the_package(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings[:2] == ["From a file of your own", "From a notebook"]
    assert headings[-1] == "As a file of the package"


@pytest.mark.parametrize("page", PAGES)
def test_no_page_imports_a_private_name(page):
    code = "\n".join(fences((DOCS / page).read_text(encoding="utf-8"), "python"))
    imported = re.findall(r"^\s*(?:from|import) (.*)$", code, re.MULTILINE)
    assert imported
    assert [
        line
        for line in imported
        if re.search(r"(?:^|[ .])_\w", line.replace("from __future__", "")) and "__future__" not in line
    ] == []


@pytest.mark.parametrize("page", first_of(list(PAGES), 2))
def test_the_commands_of_a_page_run(folder, page):
    written(page)
    commands = [line for block in fences(part_of(page, "From a file of your own"), "console") for line in block.splitlines()]
    assert commands
    for command in commands:
        name, *words = shlex.split(command)
        result = ran(*words)
        assert (name, result.exit_code) == ("hopweave", 0), f"{command}\n{result.output}"


@pytest.mark.parametrize("page", PAGES)
def test_the_cells_of_a_page_run_in_a_notebook(folder, page, capsys, monkeypatch):
    notebook = type(sys)("__main__")
    monkeypatch.setitem(sys.modules, "__main__", notebook)
    for cell in (written(page).read_text(encoding="utf-8"), *fences(part_of(page, "From a notebook"), "python")):
        exec(compile(cell, "<cell>", "exec", dont_inherit=True), vars(notebook))
    assert PAGES[page][1] in capsys.readouterr().out


def test_thoughts_that_the_model_of_the_page_writes_before_its_reply_are_no_part_of_the_answer(folder):
    model = {}
    exec(compile(written("add_a_model.md").read_text(encoding="utf-8"), "<file>", "exec", dont_inherit=True), model)
    llm = model["FirstSentence"]("<think>Was it Otto Brandt?</think>Ines Halloran")
    record = hopweave.ask("Who designed the light?", method="direct", llm=llm)
    assert (record.answer.short, record.answer.text) == ("Ines Halloran", "Ines Halloran")
    assert [step.thoughts for step in record.steps if isinstance(step, ModelCall)] == ["Was it Otto Brandt?"]


@pytest.mark.parametrize("page", PAGES)
def test_the_file_of_a_page_goes_into_the_folder_of_its_role_and_has_one_public_class(page):
    place, code = next(iter(of_the_package(page).items()))
    assert place.startswith(f"hopweave/{FOLDERS[PAGES[page][0]][0]}/")
    (_,) = re.findall(r"^class ([^\W_]\w*)", code, re.MULTILINE)


@pytest.mark.slow
def test_the_contracts_hold_for_the_files_of_all_pages_in_the_package(tmp_path):
    files = {place: text for page in PAGES for place, text in of_the_package(page).items()}
    names = [Path(place).stem for place in files if place.endswith(".py")]
    assert len(names) == len(PAGES)
    of_all = ["test_no_two_metrics", "test_every_retriever_that_needs_neither"]  # which look at all components at once
    said = PackageCopy(tmp_path, files).contracts(" or ".join([*names, *of_all]))
    assert int(re.search(r"(\d+) passed", said)[1]) >= 90
    assert "skipped" not in said
